// The open case: its drawing, its objects, what to draw of it.

const LAYERS = { gt: "ground truth", pred: "predictions", matched: "matched", labels: "names" };
const LAYER_KEYS = { g: "gt", p: "pred", m: "matched", n: "labels" };
const layers = { gt: true, pred: true, matched: true, labels: true };

// Made once, so that the focus stays on a button while cases change
function viewer() {
  const made = { title: h("h3"), note: h("p", { class: "note" }), stage: h("div", { class: "stage" }), toggles: {} };
  made.before = stepButton("Previous case", "\u2190", "k", () => stepCase(-1));
  made.after = stepButton("Next case", "\u2192", "j", () => stepCase(1));
  const steps = h("div", { class: "steps" }, made.before, made.after, stepButton("Close", "\u00d7", "Esc", closeCase));
  const head = h("div", { class: "viewhead" }, h("div", { class: "viewtitle" }, made.title, made.note), steps);
  const toggles = Object.keys(LAYERS).map((name) => (made.toggles[name] = layerToggle(name)));
  const zoom = (words, sign, key, factor) => stepButton(words, sign, key, () => zoomCase(factor));
  const zooms = [
    zoom("Larger", "+", "+", 0.6),
    zoom("Smaller", "\u2212", "-", 1 / 0.6),
    zoom("All of it", "fit", "0", 1e9),
  ];
  const choices = h("div", { class: "layers" }, toggles, h("span", { class: "zooms" }, zooms));
  const attributes = { class: "viewer", role: "region", "aria-label": "Case", tabindex: -1, hidden: true };
  return Object.assign(made, { place: h("div", attributes, head, choices, made.stage) });
}

function stepButton(words, sign, key, press) {
  return button(sign, press, { class: "step", "aria-label": words, title: `${words} (${key})` });
}

function layerToggle(name) {
  const key = Object.keys(LAYER_KEYS).find((each) => LAYER_KEYS[each] === name);
  const attributes = { class: `layer ${name}`, "aria-pressed": "true", title: `on or off (${key})` };
  return button([h("i", { "aria-hidden": "true" }), LAYERS[name]], () => toggleLayer(name), attributes);
}

function toggleLayer(name) {
  layers[name] = !layers[name];
  shownCases?.viewer.toggles[name].setAttribute("aria-pressed", String(layers[name]));
  if (shownCases?.open) showStage(shownCases);
}

function zoomCase(factor) {
  if (shownCases?.open?.shapes) zoomMiddle(shownCases.viewer.drawn, factor);
}

function showCase(view) {
  const { open: each, viewer: made } = view;
  hideTip();
  made.place.hidden = !each;
  if (!each) return made.stage.replaceChildren();
  unfolded(each);
  const at = view.found.indexOf(each);
  const position = at < 0 ? "outside the filter" : `${number(at + 1)} of ${number(view.found.length)}`;
  made.title.replaceChildren(shortened(each.title, 90));
  made.title.title = shown(each.title);
  made.note.replaceChildren(shown([position, caseWords(each), each.note].filter(Boolean).join(" \u00b7 ")));
  made.before.disabled = !neighbour(view, -1);
  made.after.disabled = !neighbour(view, 1);
  showStage(view);
  keepInList(view);
}

function showStage(view) {
  const each = view.open;
  if (!each.shapes) return view.viewer.stage.replaceChildren(undrawn(each));
  const picked = pickedBy(each, view.terms);
  const rows = new Map();
  const acts = {
    point: (k, x, y) => pointAt(drawn, rows, k, x, y),
    leave: () => pointAt(drawn, rows, null),
    choose: (k) => rows.get(k)?.focus(),
  };
  const others = besideCase(each);
  const canvas = commonCanvas([each, ...others]);
  const drawn = (view.viewer.drawn = drawing({ ...each, canvas }, layers, picked, acts));
  const order = visible(each, layers).sort((a, b) => rank(each, a, picked) - rank(each, b, picked) || a - b);
  const items = order.map((k) => h("li", null, objectRow(drawn, rows, k, picked, acts)));
  const place = others.length ? panels(view, drawn, others) : drawn.place;
  view.viewer.stage.classList.toggle("several", others.length > 0);
  view.viewer.stage.replaceChildren(place, h("ul", { class: "objects", "aria-label": "Objects" }, items));
}

// The same record by other methods
function besideCase(each) {
  const { key, method } = each.facets ?? {};
  if (!key || !method) return [];
  const same = (other) => other !== each && isDrawn(other) && other.facets?.key?.[0] === key[0];
  return DATA.cases.filter(same).map(unfolded);
}

// What holds all of them: the same place is the same in each
function commonCanvas(all) {
  const canvases = all.map(({ canvas }) => canvas);
  if (canvases.length < 2 || canvases.some((canvas) => canvas.length < 4)) return canvases[0];
  return [0, 1, 2, 3].map((k) => Math[k < 2 ? "min" : "max"](...canvases.map((canvas) => canvas[k])));
}

// Methods side by side, in the order of the list whichever of them is open
function panels(view, drawn, others) {
  const panel = (each) => {
    const open = each === view.open;
    const acts = { point: () => {}, leave: () => {}, choose: () => go({ ...here, open: each.key }) };
    const still = { ...each, canvas: drawn.each.canvas };
    const place = open ? drawn.place : drawing(still, layers, pickedBy(each, view.terms), acts).place;
    const name = [h("b", null, each.facets.method[0]), ` ${caseWords(each)}`];
    const show = button(name, () => go({ ...here, open: each.key }), { "aria-pressed": String(open) });
    return h("figure", { class: open ? "panel open" : "panel" }, h("figcaption", null, show), place);
  };
  const all = DATA.cases.filter((each) => each === view.open || others.includes(each));
  return h("div", { class: "panels" }, all.map(panel));
}

// A case that the page lists and does not draw: its errors in words
function undrawn(each) {
  const row = ({ cause, label, count }) =>
    h("li", { class: "listed" }, h("b", null, number(count)), ` ${cause}: `, shortened(label || UNDEFINED, 60));
  const words = "Not drawn on this page, which has room for some. calipers report with --cases draws more.";
  return h("div", { class: "undrawn" }, h("p", { class: "note" }, words), h("ul", null, errorsOf(each).map(row)));
}

// The objects that a filter looks for; a wrong prediction also points at the true object it is about
function pickedBy(each, terms) {
  const found = each.shapes.map((_, k) => k).filter((k) => isPicked(each.shapes[k], terms));
  const about = found.map((k) => each.shapes[k]).filter((shape) => shape.side === "pred" && stateOf(shape) === "wrong");
  return new Set([...found, ...about.map((shape) => shape.partner).filter((k) => k !== undefined)]);
}

const rank = (each, k, picked) =>
  (picked.has(k) ? 0 : 3) + ["wrong", "right", "aside"].indexOf(stateOf(each.shapes[k]));

// A note that only repeats the label says nothing
const noteOf = (shape) => (shape.note && shape.note !== shape.label ? shape.note : "");

function objectRow(drawn, rows, k, picked, { point, leave }) {
  const shape = drawn.each.shapes[k];
  const dim = picked.size && !picked.has(k) ? " dim" : "";
  const words = [
    (stateOf(shape) === "wrong" && signOf(shape.cause)) || h("i", { "aria-hidden": "true" }),
    h("span", { class: "name", title: shape.label }, shortened(shape.label || UNDEFINED, 60)),
    h("span", { class: "told" }, shapeWords(shape)),
    noteOf(shape) ? h("span", { class: "told" }, shortened(noteOf(shape), 120)) : null,
  ];
  const show = () => {
    const box = drawn.nodes.get(k).getBoundingClientRect();
    point(k, box.right - 6, box.bottom - 10);
  };
  const events = { onfocus: show, onpointerenter: show, onblur: leave, onpointerleave: leave };
  const look = stateOf(shape) === "wrong" ? " " + lookOf(shape.cause) : "";
  rows.set(k, button(words, show, { class: `object ${shape.side} ${stateOf(shape)}${look}${dim}`, ...events }));
  return rows.get(k);
}

// One object and its partner light up in the drawing and in the list
function pointAt(drawn, rows, k, x, y) {
  const shape = k === null ? null : drawn.each.shapes[k];
  const partner = shape?.partner ?? null;
  for (const [at, node] of drawn.nodes) {
    node.classList.toggle("lit", at === k);
    node.classList.toggle("partner", at === partner);
    rows.get(at)?.classList.toggle("lit", at === k || at === partner);
  }
  if (!shape) return hideTip();
  showTip(x, y, [shape.label || UNDEFINED, shapeWords(shape), noteOf(shape)]);
}

function keepInList(view) {
  const item = itemOf(view, view.open);
  if (!item.isConnected) return;
  const list = view.list.getBoundingClientRect();
  const box = item.getBoundingClientRect();
  if (box.top < list.top || box.bottom > list.bottom) view.list.scrollTop += box.top - list.top - list.height / 3;
}
