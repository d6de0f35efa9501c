// Objects of a case on its canvas. Ground truth is an outline, predictions are lightly filled; what is wrong stands out.

const stateOf = (shape) => shape.state ?? (shape.partner !== undefined ? "right" : shape.cause ? "wrong" : "aside");

// A drawing may be folded: short, with texts by their places in a table

const FORMS = ["box", "poly", "line"];
const isDrawn = (each) => Boolean(each.shapes ?? each.folded);

function unfolded(each) {
  if (each.shapes || !each.folded) return each;
  const [canvas, note, aspect, y_up, rows] = each.folded;
  const shapes = rows.map(unfoldedShape);
  return Object.assign(each, { canvas, note: DATA.texts[note], ...given({ aspect, y_up }), shapes });
}

function unfoldedShape([kind, label, points, partner, overlap, score, cause, note, state, tags, under]) {
  const text = (place) => (place === undefined || place === null ? undefined : DATA.texts[place]);
  const words = { cause: text(cause), note: text(note), state: text(state), under: text(under), tags: tags?.map(text) };
  const side = kind < FORMS.length ? "gt" : "pred";
  const form = FORMS[kind % FORMS.length];
  const numbers = { partner: partner ?? undefined, overlap: overlap ?? undefined, score: score ?? undefined };
  return { side, form, points, label: text(label), ...given({ ...numbers, ...words }, true) };
}

// Without what is not given; 0 is a value only where zeros are kept
const given = (fields, zeros = false) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value || (zeros && value === 0)));

function canvasOf(each) {
  const [left, top, right, bottom] = each.canvas.length === 4 ? each.canvas : [0, 0, ...each.canvas];
  const width = right - left;
  const height = bottom - top;
  return {
    left,
    top,
    width,
    height,
    metres: each.canvas.length === 4,
    aspect: each.aspect ?? width / height,
    x: (value) => value,
    y: each.y_up ? (value) => top + bottom - value : (value) => value,
  };
}

// Corners in canvas coordinates, x and y in turn
function cornersOf(shape, canvas) {
  const [a, b, c, d] = shape.points;
  const flat = shape.form === "box" ? [a, b, c, b, c, d, a, d] : shape.points;
  return flat.map((value, k) => (k % 2 ? canvas.y(value) : value));
}

function outline(shape, canvas) {
  const flat = cornersOf(shape, canvas);
  const pairs = [];
  for (let k = 0; k + 1 < flat.length; k += 2) pairs.push(`${flat[k]} ${flat[k + 1]}`);
  return "M" + pairs.join("L") + (shape.form === "line" ? "" : "Z");
}

function boundsOf(shape, canvas) {
  const flat = cornersOf(shape, canvas);
  const ends = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const [left, right] = ends(flat.filter((_, k) => k % 2 === 0));
  const [top, bottom] = ends(flat.filter((_, k) => k % 2 === 1));
  return { left, right, top, bottom };
}

function shapeClass(shape) {
  const state = stateOf(shape);
  return `shape ${shape.side} ${state} ${shape.form}${state === "wrong" ? " " + lookOf(shape.cause) : ""}`;
}

function frameOf(each, canvas, attributes) {
  const box = `${canvas.left} ${canvas.top} ${canvas.width} ${canvas.height}`;
  const picture = s("svg", { viewBox: box, preserveAspectRatio: "none", ...attributes });
  picture.style.aspectRatio = String(canvas.aspect);
  const place = { x: canvas.left, y: canvas.top, width: canvas.width, height: canvas.height };
  if (each.image) picture.append(s("image", { ...place, preserveAspectRatio: "none", href: each.image }));
  return picture;
}

// A small picture: shapes of one look in one path
function thumbnail(each) {
  const canvas = canvasOf(each);
  const looks = new Map();
  for (const shape of each.shapes) {
    const look = shapeClass(shape);
    looks.set(look, (looks.get(look) ?? "") + outline(shape, canvas));
  }
  const wrongLast = [...looks].sort(([a], [b]) => a.includes("wrong") - b.includes("wrong"));
  const picture = frameOf(each, canvas, { "aria-hidden": "true" });
  picture.append(...wrongLast.map(([look, d]) => s("path", { class: look, d })));
  const all = each.shapes.map((_, k) => k);
  const spot = (shape) => percentOf(middleOf(shape, canvas), canvas.left, canvas.top, canvas.width, canvas.height);
  const place = h("span", { class: "still" }, picture, ...signsOn(each, all, spot).map(({ node }) => node));
  place.style.setProperty("--aspect", canvas.aspect);
  return place;
}

const percentOf = ([x, y], left, top, width, height) => [(100 * (x - left)) / width, (100 * (y - top)) / height];

// Words

// Errors of two objects, each of which is listed: a pair counts once
const PAIRED = new Set(["wrong label", "misplaced", "wrong label and place"]);

function causesOf(each) {
  const found = new Map();
  for (const { cause, count } of errorsOf(each)) found.set(cause || "wrong", (found.get(cause || "wrong") ?? 0) + count);
  const errors = [...found].map(([cause, count]) => [cause, PAIRED.has(cause) ? Math.ceil(count / 2) : count]);
  return errors.filter(([, count]) => count).sort((a, b) => b[1] - a[1]);
}

function caseWords(each) {
  const causes = causesOf(each).map(([cause, count]) => `${number(count)} ${cause.replaceAll("_", " ")}`);
  return causes.join(" \u00b7 ") || "nothing wrong";
}

const SIDES = { gt: "ground truth", pred: "prediction" };

function shapeWords(shape) {
  const told = [SIDES[shape.side], shape.cause ? shape.cause.replaceAll("_", " ") : ""];
  if (shape.overlap !== undefined) told.push(`overlap ${rate(shape.overlap)}`);
  if (shape.score !== undefined) told.push(`score ${rate(shape.score)}`);
  return told.filter(Boolean).join(" \u00b7 ");
}
