// How each cause of an error looks, wherever it is drawn: a colour, a line and a sign, so that no colour is needed.

const LOOKS = {
  missed: "\u25cb",
  misplaced: "\u2194",
  "wrong label": "\u25c6",
  "wrong label and place": "\u25c7",
  spurious: "\u00d7",
  duplicate: "=",
};
const MOST_SIGNS = 40; // on one drawing

const causeWords = (cause) => (cause ?? "").replaceAll("_", " ");
const hasLook = (cause) => Object.hasOwn(LOOKS, causeWords(cause));
const lookOf = (cause) => (hasLook(cause) ? `c-${causeWords(cause).replaceAll(" ", "-")}` : "");
const signOf = (cause) => (hasLook(cause) ? sign(causeWords(cause)) : null);

function sign(cause) {
  return h("span", { class: `sign ${lookOf(cause)}`, "aria-hidden": "true" }, LOOKS[cause]);
}

// An error of two objects has one sign, at the ground truth
const OF_TWO = new Set(["misplaced", "wrong label", "wrong label and place"]);
const hasSign = ({ side, cause, ...shape }) =>
  stateOf({ cause, ...shape }) === "wrong" && hasLook(cause) && (side === "gt" || !OF_TWO.has(causeWords(cause)));

// Signs in the middle of what is wrong; `spot` gives a place in percent of the drawing
function signsOn(each, order, spot) {
  const wrong = order.filter((k) => hasSign(each.shapes[k]));
  return wrong.slice(0, MOST_SIGNS).map((k) => {
    const node = signOf(each.shapes[k].cause);
    placeSign(node, spot(each.shapes[k]));
    return { node, k };
  });
}

function placeSign(node, [across, down]) {
  node.style.left = across.toFixed(2) + "%";
  node.style.top = down.toFixed(2) + "%";
  node.hidden = across < 0 || across > 100 || down < 0 || down > 100;
}

// The middle of a shape; of a line, a point on it
function middleOf(shape, canvas) {
  const flat = cornersOf(shape, canvas);
  if (shape.form === "line") return flat.slice(2 * Math.floor(flat.length / 4)).slice(0, 2);
  const { left, right, top, bottom } = boundsOf(shape, canvas);
  return [(left + right) / 2, (top + bottom) / 2];
}

// The looks that occur among the drawings of the page
function lookLegend() {
  const there = new Set(DATA.cases.flatMap((each) => errorsOf(each).map(({ cause }) => causeWords(cause))));
  const known = Object.keys(LOOKS).filter((cause) => there.has(cause));
  const sides = [
    ["ground truth", "gt"],
    ["prediction", "pred"],
  ];
  const matched = sides.map(([name, side]) => legendLine(`matched ${name}`, `shape right ${side} box`, null));
  const wrong = [...known.flatMap((cause) => legendEntries(cause)), ...otherLooks()];
  return h("ul", { class: "legend looks", "aria-label": "How objects are drawn" }, wrong, matched);
}

// Wrong objects of other causes, such as those of a comparison: one look for each side
function otherLooks() {
  const found = new Map();
  for (const shape of DATA.cases.flatMap((each) => each.shapes ?? [])) {
    if (stateOf(shape) !== "wrong" || hasLook(shape.cause)) continue;
    if (!found.has(shape.side)) found.set(shape.side, new Set());
    found.get(shape.side).add(causeWords(shape.cause) || "wrong");
  }
  return [...found].map(([side, causes]) =>
    legendLine(shortened([...causes].join(", "), 60), `shape wrong ${side} box`, null),
  );
}

// An error of two objects looks different on both sides
function legendEntries(cause) {
  const sides = cause === "missed" ? ["gt"] : cause === "spurious" || cause === "duplicate" ? ["pred"] : ["gt", "pred"];
  return legendLine(
    cause,
    sides.map((side) => `shape wrong ${side} box ${lookOf(cause)}`),
    cause,
  );
}

function legendLine(words, looks, cause) {
  const boxes = [looks].flat().map((look, k) => s("path", { class: look, d: `M${2 + 20 * k} 2h15v11h-15Z` }));
  const sample = s("svg", { width: 20 * boxes.length, height: 15, "aria-hidden": "true" }, boxes);
  return h("li", null, cause ? signOf(cause) : null, sample, words);
}
