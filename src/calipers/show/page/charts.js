// Headline cards, curves and bars.

const CARD = 206; // pixels with the gap
const SMALL_CARD = 150;

function cards(section) {
  const place = h("div", { class: "cards" }, section.cards.map(card));
  drawToWidth(place, (width) => {
    const most = Math.max(1, Math.floor((width + 16) / (innerWidth > 820 ? CARD : SMALL_CARD)));
    setColumns(place, evenColumns(section.cards.length, most));
  });
  return place;
}

// As few rows as there must be, and as full as can be; a card that would stand alone takes its whole row
function evenColumns(count, most) {
  return Math.max(1, Math.ceil(count / Math.ceil(count / most)));
}

function setColumns(place, columns) {
  place.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  const alone = place.children.length > columns && columns > 1 && place.children.length % columns === 1;
  [...place.children].forEach((child) => child.classList.toggle("alone", alone && child === place.lastChild));
}

function card(each) {
  const say = SAY[each.kind ?? "rate"];
  const unit = each.unit && each.value !== null ? h("span", { class: "unit" }, each.unit) : null;
  return toCases(
    each.goto,
    "div",
    { class: "card" },
    h("div", { class: "name" }, each.name),
    h("div", { class: "value" }, each.kind === "number" ? supported(each.value, each.interval) : say(each.value), unit),
    each.interval && each.value !== null ? rangeBar(each) : null,
    each.interval ? h("div", { class: "range" }, h("span", null, "95 % "), rangeWords(each)) : null,
    each.note || each.better === "low" ? h("div", { class: "note" }, cardNote(each)) : null,
  );
}

// As many decimals as the interval supports: one beyond its first digit
function supported(value, interval) {
  const wide = interval ? interval[1] - interval[0] : 0;
  if (value === null || !(wide > 0) || Number.isInteger(value)) return number(value);
  const decimals = Math.max(0, Math.ceil(-Math.log10(wide)) + 1);
  const short = Number(value.toFixed(Math.min(decimals, 9)));
  return short ? number(short) : number(value);
}

function rangeWords({ kind, interval }) {
  const fine = kind !== "number" || Math.max(...interval.map(Math.abs)) <= 1;
  if (fine) return between(interval, SAY[kind ?? "rate"]);
  return interval.map((end) => supported(end, interval)).join(" \u2013 ");
}

function cardNote(each) {
  return [each.note, each.better === "low" ? "lower is better" : ""].filter(Boolean).join(" \u00b7 ");
}

// The interval on a line: from 0 to 1 for rates, around 0 for differences, from 0 for the rest
function rangeBar({ value, kind, interval: [low, high] }) {
  const least = Math.min(low, value);
  const most = Math.max(high, value);
  let scale = [Math.min(0, least * 1.25), most <= 1 && least >= 0 ? 1 : Math.max(0, most * 1.25)];
  const signed = kind === "difference" || least < 0;
  if (signed) scale = [-1, 1].map((side) => side * 1.25 * Math.max(-least, most, 1e-300));
  const at = (end) => (200 * (end - scale[0])) / (scale[1] - scale[0] || 1);
  return s(
    "svg",
    { class: "rangebar", viewBox: "0 0 200 12", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("path", { class: "track", d: "M0 6H200" }),
    signed ? s("path", { class: "zero", d: "M100 1V11" }) : null,
    s("path", { class: "span", d: `M${at(low)} 6H${Math.max(at(high), at(low) + 0.5)}` }),
    s("path", { class: "tick", d: `M${at(value)} 1V11` }),
  );
}

// Bars

function bars(section) {
  const ends = (each) => [each.value ?? 0, ...(each.interval ?? [])].map(Math.abs);
  const most = Math.max(...section.bars.flatMap(ends), 1e-300);
  return h(
    "ul",
    { class: "bars" },
    section.bars.map((each) => h("li", null, bar(each, most))),
  );
}

function bar(each, most) {
  const cause = each.goto?.cause;
  const fill = h("span", { class: `fill ${each.tone ?? "plain"} ${lookOf(cause)}` });
  fill.style.width = (100 * Math.abs(each.value ?? 0)) / most + "%";
  fill.hidden = !each.value;
  return toCases(
    each.goto,
    "div",
    { class: "bar" },
    h("span", { class: "name", title: each.name }, signOf(cause), each.name),
    h("span", { class: "track" }, fill, whisker(each.interval, most)),
    h("span", { class: "value" }, SAY[each.kind ?? "number"](each.value)),
    each.note ? h("span", { class: "note" }, each.note) : null,
  );
}

function whisker(interval, most) {
  if (!interval) return null;
  const [low, high] = interval.map((end) => (100 * Math.max(end, 0)) / most);
  const line = h("span", { class: "whisker", title: "95 % interval: " + between(interval, difference) });
  line.style.left = low + "%";
  line.style.width = Math.max(high - low, 0.5) + "%";
  return line;
}

// Curves

const HEIGHT = 300;
const MOST_VALUES = 16;
const EDGE = { left: 46, right: 14, top: 12, bottom: 42 };

function curves(section) {
  const place = h("div", { class: "plot" });
  drawToWidth(place, (width) => place.replaceChildren(curvePlot(section, width)));
  return h("div", { class: "chart" }, h("ul", { class: "legend" }, section.series.map(legendEntry)), place);
}

function legendEntry(each, k) {
  return h("li", { title: each.name }, lineSample(each, k), shortened(each.name, 40));
}

function lineSample(each, k) {
  const line = s("path", { d: "M1 6H21", class: "line" + (each.bold ? " bold" : "") });
  return s("svg", { class: seriesClass(k), width: 22, height: 12, "aria-hidden": "true" }, line);
}

const seriesClass = (k) => `s${k % 8} dash${Math.floor(k / 8) % 3}`;

function curvePlot(section, width) {
  const axes = axesOf(section, width);
  const cursor = s("g", { class: "cursor" });
  const order = section.series.map((_, k) => k).sort((a, b) => !!section.series[a].bold - !!section.series[b].bold);
  const plot = s(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, tabindex: 0, role: "img", "aria-label": curveWords(section) },
    grid(section, axes, width),
    order.map((k) => s("g", { class: seriesClass(k) }, band(section.series[k], axes), curve(section.series[k], axes))),
    (section.marks ?? []).map((mark) => markLine(mark, axes)),
    cursor,
  );
  addCursor(plot, cursor, section, axes);
  return plot;
}

function curveWords(section) {
  const what = `${section.title}: ${section.y} over ${section.x}, ${plural(section.series.length, "curve")}`;
  return `${what}. Left and right arrows read values.`;
}

function axesOf(section, width) {
  const known = (names) =>
    section.series.flatMap((each) => names.flatMap((name) => each[name] ?? [])).filter((value) => value !== null);
  const xs = [...new Set(known(["x"]))].sort((a, b) => a - b);
  const ys = known(["y", "low", "high"]);
  const x = xs.length ? [xs[0], xs.at(-1)] : [0, 1];
  if (x[0] === x[1]) x.splice(0, 2, x[0] - 0.5, x[0] + 0.5);
  const y = rangeOf(ys);
  const right = width - EDGE.right;
  const bottom = HEIGHT - EDGE.bottom;
  return {
    xs,
    x,
    y,
    right,
    bottom,
    px: (value) => EDGE.left + ((value - x[0]) / (x[1] - x[0])) * (right - EDGE.left),
    py: (value) => bottom - ((value - y[0]) / (y[1] - y[0])) * (bottom - EDGE.top),
  };
}

function rangeOf(values) {
  const low = values.reduce((a, b) => Math.min(a, b), 0);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  if (low >= 0 && high <= 1 && (high > 0.5 || high === 0)) return [0, 1];
  const steps = ticks(low, high, 4);
  const step = steps.length > 1 ? steps[1] - steps[0] : 1;
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}

function grid(section, axes, width) {
  const across = ticks(axes.y[0], axes.y[1], 5).map((value) => [
    s("path", { class: "gridline", d: `M${EDGE.left} ${axes.py(value)}H${axes.right}` }),
    s("text", { x: EDGE.left - 8, y: axes.py(value), dy: "0.32em", "text-anchor": "end" }, number(value)),
  ]);
  const along = ticks(axes.x[0], axes.x[1], Math.max(2, Math.min(8, width / 90))).map((value) =>
    s("text", { x: axes.px(value), y: axes.bottom + 18, "text-anchor": "middle" }, number(value)),
  );
  const base = s("path", { class: "base", d: `M${EDGE.left} ${axes.py(axes.y[0])}H${axes.right}` });
  const middle = (EDGE.left + axes.right) / 2;
  return s(
    "g",
    { class: "axes" },
    across.flat(),
    base,
    along,
    s("text", { x: middle, y: HEIGHT - 6, "text-anchor": "middle" }, shortened(section.x, 60)),
    s(
      "text",
      {
        class: "ylabel",
        transform: `translate(12 ${(EDGE.top + axes.bottom) / 2}) rotate(-90)`,
        "text-anchor": "middle",
      },
      shortened(section.y, 40),
    ),
  );
}

// Stretches of neighbours that are all defined
function stretches(each, names) {
  const found = [[]];
  each.x.forEach((_, k) => {
    if (names.every((name) => each[name][k] !== null)) found.at(-1).push(k);
    else if (found.at(-1).length) found.push([]);
  });
  return found.filter((part) => part.length);
}

function curve(each, axes) {
  const at = (k) => `${axes.px(each.x[k]).toFixed(1)} ${axes.py(each.y[k]).toFixed(1)}`;
  const parts = stretches(each, ["y"]);
  const line = s("path", {
    class: "line" + (each.bold ? " bold" : ""),
    d: parts.map((part) => "M" + part.map(at).join("L")).join(""),
  });
  const lone = each.x.length <= 16 ? parts.flat() : parts.filter((part) => part.length === 1).flat();
  return [
    line,
    lone.map((k) =>
      s("circle", { class: "point", cx: axes.px(each.x[k]), cy: axes.py(each.y[k]), r: each.bold ? 3 : 2.4 }),
    ),
  ];
}

function band(each, axes) {
  if (!each.low) return null;
  const edge = (name) => (k) => `${axes.px(each.x[k]).toFixed(1)} ${axes.py(each[name][k]).toFixed(1)}`;
  const around = (part) => "M" + [...part.map(edge("low")), ...part.toReversed().map(edge("high"))].join("L") + "Z";
  return s("path", { class: "band", d: stretches(each, ["low", "high"]).map(around).join("") });
}

function markLine(mark, axes) {
  const x = axes.px(mark.x);
  const late = x > (EDGE.left + axes.right) / 2;
  const label = s(
    "text",
    { x: x + (late ? -6 : 6), y: EDGE.top + 9, "text-anchor": late ? "end" : "start" },
    shortened(mark.label, 40),
  );
  return s("g", { class: "mark" }, s("path", { d: `M${x} ${EDGE.top}V${axes.bottom}` }), label);
}

// Pointing at a chart, or arrows on it, read the values at the nearest x

function addCursor(plot, cursor, section, axes) {
  let at = -1;
  const show = (k, clientX, clientY) => {
    at = Math.max(0, Math.min(axes.xs.length - 1, k));
    showCursor(cursor, section, axes, axes.xs[at]);
    showTip(clientX, clientY, [`${section.x} ${number(axes.xs[at])}`, ...valuesAt(section, axes.xs[at])]);
  };
  const leave = () => {
    at = -1;
    cursor.replaceChildren();
    hideTip();
  };
  const nearest = (x) =>
    axes.xs.reduce((best, each, k) => (away(axes, each, x) < away(axes, axes.xs[best], x) ? k : best), 0);
  plot.addEventListener("pointermove", (event) => {
    if (!axes.xs.length) return;
    const box = plot.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * plot.viewBox.baseVal.width;
    show(nearest(x), event.clientX, event.clientY);
  });
  plot.addEventListener("pointerleave", leave);
  plot.addEventListener("blur", leave);
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !axes.xs.length) return;
    event.preventDefault();
    event.stopPropagation();
    const next = at < 0 ? (step > 0 ? 0 : axes.xs.length - 1) : at + step;
    const box = plot.getBoundingClientRect();
    show(next, box.left + axes.px(axes.xs[Math.max(0, Math.min(axes.xs.length - 1, next))]), box.top + HEIGHT / 2);
  });
}

const away = (axes, value, x) => Math.abs(axes.px(value) - x);

// Largest first, as the curves lie
function valuesAt(section, x) {
  const found = section.series.map((each, k) => ({ each, k, at: each.x.indexOf(x) })).filter(({ at }) => at >= 0);
  const value = ({ each, at }) => each.y[at] ?? -Infinity;
  found.sort((a, b) => value(b) - value(a));
  return found.slice(0, MOST_VALUES).map(({ each, k, at }) => {
    const said = Math.abs(each.y[at] ?? 0) <= 1 ? rate(each.y[at]) : number(each.y[at]);
    const range = each.low && each.low[at] !== null ? ` (${between([each.low[at], each.high[at]])})` : "";
    return h("span", { class: "reading" }, lineSample(each, k), shortened(each.name, 40), h("b", null, said), range);
  });
}

function showCursor(cursor, section, axes, x) {
  const dots = section.series.map((each, k) => {
    const value = each.y[each.x.indexOf(x)] ?? null;
    return value === null ? null : s("circle", { class: seriesClass(k), cx: axes.px(x), cy: axes.py(value), r: 4 });
  });
  cursor.replaceChildren(s("path", { d: `M${axes.px(x)} ${EDGE.top}V${axes.bottom}` }), ...dots.filter(Boolean));
}
