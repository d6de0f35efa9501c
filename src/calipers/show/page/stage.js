// The large drawing of a case: shapes that can be pointed at, names of what is wrong, zoom.

const CLOSEST = 1 / 40; // of the canvas
const MOST_LABELS = 60;

// `layers` says what is drawn, `picked` which shapes a filter looks for
function drawing(each, layers, picked, acts) {
  const canvas = canvasOf(each);
  const stage = { each, canvas, picture: frameOf(each, canvas, { role: "img", "aria-label": caseTitle(each) }) };
  const order = smallestLast(each, visible(each, layers), canvas);
  stage.nodes = new Map(order.map((k) => [k, shapeNode(each, k, canvas, picked)]));
  for (const [k, node] of stage.nodes) addPointing(node, k, acts);
  stage.picture.append(...stage.nodes.values());
  const named = layers.labels ? namesFirst(each, order, picked) : [];
  stage.labels = named.map((k) => ({ node: labelNode(each.shapes[k]), k }));
  stage.scale = canvas.metres ? h("span", { class: "scalebar" }, h("i"), h("span")) : null;
  stage.signs = signsOn(each, order, () => [0, 0]);
  for (const { node, k } of stage.signs) node.classList.toggle("dim", picked.size > 0 && !picked.has(k));
  const parts = [stage.picture, ...[...stage.signs, ...stage.labels].map(({ node }) => node), stage.scale];
  stage.place = h("div", { class: each.image ? "canvas photo" : "canvas" }, parts);
  stage.place.style.aspectRatio = String(canvas.aspect);
  stage.place.style.setProperty("--aspect", canvas.aspect);
  stage.window = { x: canvas.left, y: canvas.top, width: canvas.width, height: canvas.height };
  addZoom(stage);
  drawToWidth(stage.place, () => lookThrough(stage));
  return stage;
}

const caseTitle = (each) => `${each.title}: ${caseWords(each)}`;

function visible(each, layers) {
  const seen = (shape) => layers[shape.side] && (layers.matched || stateOf(shape) !== "right");
  return each.shapes.map((_, k) => k).filter((k) => seen(each.shapes[k]));
}

// Small shapes lie on top, where they can be pointed at
function smallestLast(each, order, canvas) {
  const area = new Map(order.map((k) => [k, areaOf(boundsOf(each.shapes[k], canvas))]));
  return order.sort((a, b) => area.get(b) - area.get(a) || a - b);
}

// Whose names are shown, those that win the space first: what a filter looks for, then what is wrong, small before large
function namesFirst(each, order, picked) {
  const wrong = order.filter((k) => picked.has(k) || stateOf(each.shapes[k]) === "wrong").reverse();
  return wrong.sort((a, b) => picked.has(b) - picked.has(a)).slice(0, MOST_LABELS);
}

const areaOf = ({ left, right, top, bottom }) => (right - left) * (bottom - top);

function shapeNode(each, k, canvas, picked) {
  const shape = each.shapes[k];
  const dim = picked.size && !picked.has(k) ? " dim" : "";
  return s("path", { class: shapeClass(shape) + dim, d: outline(shape, canvas), "data-shape": k });
}

function addPointing(node, k, { point, leave, choose }) {
  node.addEventListener("pointermove", (event) => point(k, event.clientX, event.clientY));
  node.addEventListener("pointerleave", leave);
  node.addEventListener("click", () => choose(k));
}

function labelNode(shape) {
  const look = stateOf(shape) === "wrong" ? lookOf(shape.cause) : "";
  return h("span", { class: `label ${shape.side} ${stateOf(shape)} ${look}` }, shortened(shape.label || shape.cause, 24));
}

// What the window shows: shapes by the picture itself, names and scale beside them

function lookThrough(stage) {
  const { x, y, width, height } = stage.window;
  stage.picture.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  stage.place.classList.toggle("near", width < stage.canvas.width * 0.999);
  const across = (value) => (100 * (value - x)) / width;
  const down = (value) => (100 * (value - y)) / height;
  for (const { node, k } of stage.labels) {
    const { left, right, top, bottom } = boundsOf(stage.each.shapes[k], stage.canvas);
    const at = { left: across(left), right: across(right), top: down(top), bottom: down(bottom) };
    node.hidden = at.right < 0 || at.left > 100 || at.bottom < 0 || at.top > 100;
    if (!node.hidden) placeLabel(node, at, stage.each.shapes[k].side);
  }
  for (const { node, k } of stage.signs) {
    placeSign(node, percentOf(middleOf(stage.each.shapes[k], stage.canvas), x, y, width, height));
  }
  hideCovered(stage.labels.map((label) => label.node));
  if (stage.scale) fitScale(stage.scale, width);
}

// Ground truth is named above, a prediction below: a pair in one place keeps both names
function placeLabel(node, at, side) {
  const late = at.left > 75;
  node.style.left = late ? "auto" : Math.max(0, at.left) + "%";
  node.style.right = late ? Math.max(0, 100 - at.right) + "%" : "auto";
  node.style.bottom = side === "gt" ? Math.max(0, Math.min(95, 100 - at.top)) + "%" : "auto";
  node.style.top = side === "gt" ? "auto" : Math.max(0, Math.min(95, at.bottom)) + "%";
}

// A name that lies on one before it is left out; pointing at the shape still tells it
function hideCovered(nodes) {
  const taken = [];
  for (const node of nodes.filter((each) => !each.hidden)) {
    const box = node.getBoundingClientRect();
    const meets = (other) =>
      box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
    node.hidden = taken.some(meets);
    if (!node.hidden) taken.push(box);
  }
}

function fitScale(scale, width) {
  const power = 10 ** Math.floor(Math.log10(width / 4));
  const length = [5, 2, 1].map((times) => times * power).find((each) => each <= width / 4);
  scale.lastChild.replaceChildren(`${number(length)} m`);
  scale.style.width = (100 * length) / width + "%";
}

// Zoom: a double click, plus and minus, a pinch; dragging moves

function zoomTo(stage, factor, x, y) {
  const { canvas, window } = stage;
  const width = Math.min(canvas.width, Math.max(canvas.width * CLOSEST, window.width * factor));
  const by = width / window.width;
  moveTo(stage, x - (x - window.x) * by, y - (y - window.y) * by, width, window.height * by);
}

function moveTo(stage, x, y, width, height) {
  const { canvas } = stage;
  const inside = (value, low, room) => Math.max(low, Math.min(low + room, value));
  stage.window = {
    x: inside(x, canvas.left, canvas.width - width),
    y: inside(y, canvas.top, canvas.height - height),
    width,
    height,
  };
  lookThrough(stage);
}

function zoomMiddle(stage, factor) {
  const { x, y, width, height } = stage.window;
  zoomTo(stage, factor, x + width / 2, y + height / 2);
}

function pointed(stage, event) {
  const box = stage.picture.getBoundingClientRect();
  const { x, y, width, height } = stage.window;
  return [x + ((event.clientX - box.left) / box.width) * width, y + ((event.clientY - box.top) / box.height) * height];
}

function addZoom(stage) {
  let held = null;
  stage.place.addEventListener("dblclick", (event) =>
    zoomTo(stage, event.shiftKey ? 2 : 0.5, ...pointed(stage, event)),
  );
  const wheel = (event) => {
    if (!event.ctrlKey) return; // as a pinch arrives; without it the page scrolls
    event.preventDefault();
    zoomTo(stage, Math.exp(event.deltaY / 200), ...pointed(stage, event));
  };
  stage.place.addEventListener("wheel", wheel, { passive: false });
  stage.place.addEventListener("pointerdown", (event) => (held = pointed(stage, event)));
  stage.place.addEventListener("pointermove", (event) => {
    if (!held || !event.buttons) return;
    const [x, y] = pointed(stage, event);
    const { window } = stage;
    moveTo(stage, window.x + held[0] - x, window.y + held[1] - y, window.width, window.height);
  });
  for (const end of ["pointerup", "pointerleave"]) stage.place.addEventListener(end, () => (held = null));
}
