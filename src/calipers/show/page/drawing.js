// Objects of a case on its canvas. Ground truth is an outline, predictions are lightly filled; what is wrong stands out.

const stateOf = (shape) => shape.state ?? (shape.partner !== undefined ? "right" : shape.cause ? "wrong" : "aside");

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

const shapeClass = (shape) => `shape ${shape.side} ${stateOf(shape)} ${shape.form}`;

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
  return picture;
}

// Words

function causesOf(each) {
  const found = new Map();
  for (const shape of each.shapes) {
    if (stateOf(shape) === "wrong") found.set(shape.cause ?? "wrong", (found.get(shape.cause ?? "wrong") ?? 0) + 1);
  }
  return [...found].sort((a, b) => b[1] - a[1]);
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
