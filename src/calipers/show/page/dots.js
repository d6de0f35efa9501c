// Dot charts: a row for each result with its interval and the letters of its group, in the order given.

const DOT_ROW = 28;
const DOT_EDGE = { top: 8, bottom: 30, gap: 12 };
const LETTER = 7.4; // pixels of a letter, about
const WIDE_LETTERS = 10; // pixels that words need beyond that, if they have many wide letters

function dots(section) {
  const place = h("div", { class: "plot dots" });
  drawToWidth(place, (width) => place.replaceChildren(dotPlot(section, width)));
  return place;
}

function dotPlot(section, width) {
  const axes = dotAxes(section, width);
  const plot = s(
    "svg",
    { viewBox: `0 0 ${width} ${axes.height}`, tabindex: 0, role: "img", "aria-label": dotWords(section) },
    dotGrid(axes),
    section.rows.map((row, k) => dotRow(row, k, axes)),
  );
  addReading(plot, section, axes);
  return plot;
}

function dotWords(section) {
  const said = section.rows.map((row) => `${row.name} ${dotValue(row.value)}${row.group ? ` ${row.group}` : ""}`);
  return `${section.title}: ${said.join(", ")}. Up and down arrows read values.`;
}

const dotValue = (value) => (Math.abs(value ?? 0) <= 1 ? rate(value) : number(value));

// Names on the left and letters on the right take what they need, names not more than a third of the width
function dotAxes(section, width) {
  const longest = (words) => words.reduce((most, each) => Math.max(most, letters(each)), 0) * LETTER + WIDE_LETTERS;
  const names = Math.min(longest(section.rows.map((row) => shown(row.name))), width / 3);
  const groups = Math.min(longest(section.rows.map((row) => row.group ?? UNDEFINED)), width / 4);
  const left = names + DOT_EDGE.gap;
  const right = width - groups - DOT_EDGE.gap;
  const range = dotRange(section.rows);
  return {
    left,
    right,
    width,
    range,
    fits: Math.max(4, Math.floor((names - WIDE_LETTERS) / LETTER)),
    letters: Math.max(1, Math.floor((groups - WIDE_LETTERS) / LETTER)),
    bottom: DOT_EDGE.top + DOT_ROW * section.rows.length,
    height: DOT_EDGE.top + DOT_ROW * section.rows.length + DOT_EDGE.bottom,
    px: (value) => left + ((value - range[0]) / (range[1] - range[0])) * (right - left),
    py: (k) => DOT_EDGE.top + DOT_ROW * (k + 0.5),
  };
}

// From the least to the most of what is drawn, and a little beyond
function dotRange(rows) {
  const ends = rows.flatMap((row) => [row.value, ...(row.interval ?? [])]).filter((value) => value !== null);
  const low = ends.reduce((a, b) => Math.min(a, b), Infinity);
  const high = ends.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!ends.length) return [0, 1];
  const spare = (high - low) * 0.04 || Math.abs(high) * 0.05 || 0.5;
  return [low - spare, high + spare];
}

function dotGrid(axes) {
  const about = Math.max(3, Math.min(6, (axes.right - axes.left) / 80));
  return s(
    "g",
    { class: "axes" },
    ticks(...axes.range, about).flatMap((value) => [
      s("path", { class: "gridline", d: `M${axes.px(value)} ${DOT_EDGE.top}V${axes.bottom}` }),
      s("text", { x: axes.px(value), y: axes.bottom + 18, "text-anchor": "middle" }, number(value)),
    ]),
  );
}

function dotRow(row, k, axes) {
  const y = axes.py(k);
  const middle = { y, dy: "0.32em" };
  const drawn = [
    s("text", { class: "name", x: axes.left - DOT_EDGE.gap, "text-anchor": "end", ...middle }, shortened(row.name, axes.fits)),
    s("text", { class: "group", x: axes.right + DOT_EDGE.gap, ...middle }, shortened(row.group ?? UNDEFINED, axes.letters)),
  ];
  if (row.interval) drawn.push(s("path", { class: "whisker", d: `M${axes.px(row.interval[0])} ${y}H${axes.px(row.interval[1])}` }));
  if (row.value !== null) drawn.push(s("circle", { class: "point", cx: axes.px(row.value), cy: y, r: 4.5 }));
  if (row.mark) drawn.push(...dotMark(row, k, axes));
  const found = leads(row.goto) ? filterText(row.goto) : null;
  if (found) drawn.unshift(s("rect", { class: "reach", x: 0, y: y - DOT_ROW / 2, width: axes.width, height: DOT_ROW }));
  return s("g", { class: "dot" + (row.top ? " top" : "") + (found ? " goes" : ""), "data-find": found }, drawn);
}

// A line above a row, with a word on it
function dotMark(row, k, axes) {
  const y = axes.py(k) - DOT_ROW / 2;
  const own = "change " + (row.tone ?? "aside");
  return [
    s("path", { class: own, d: `M${axes.left} ${y}H${axes.right}` }),
    s("text", { class: own, x: axes.right, y: y - 3, "text-anchor": "end" }, shortened(row.mark, 40)),
  ];
}

// Pointing at a row, or arrows on the chart, read its numbers

function addReading(plot, section, axes) {
  let at = -1;
  const show = (k, x, y) => {
    at = Math.max(0, Math.min(section.rows.length - 1, k));
    showTip(x, y, dotLines(section.rows[at]));
  };
  const leave = () => {
    at = -1;
    hideTip();
  };
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const y = ((event.clientY - box.top) / box.height) * axes.height;
    show(Math.floor((y - DOT_EDGE.top) / DOT_ROW), event.clientX, event.clientY);
  });
  plot.addEventListener("pointerleave", leave);
  plot.addEventListener("blur", leave);
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && leads((section.rows[at] ?? {}).goto)) followFilter(filterText(section.rows[at].goto));
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = at < 0 ? (step > 0 ? 0 : section.rows.length - 1) : at + step;
    const box = plot.getBoundingClientRect();
    const row = Math.max(0, Math.min(section.rows.length - 1, next));
    show(next, box.left + axes.px(section.rows[row].value ?? axes.range[0]), box.top + axes.py(row));
  });
}

function dotLines(row) {
  const range = row.interval ? ` (${between(row.interval)})` : "";
  return [row.name, `${dotValue(row.value)}${range}`, row.group ? `group ${row.group}` : "", row.note ?? ""];
}
