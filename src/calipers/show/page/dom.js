"use strict";
// Elements, texts and numbers. What comes from the data reaches the page as text nodes and attribute values only.

const SVG = "http://www.w3.org/2000/svg";
const UNDEFINED = "\u2014";

// Characters that cannot be seen but change what is read around them: they are spelled out, as on the terminal.
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function shown(text) {
  return String(text).replace(UNSEEN, (char) => {
    const code = char.charCodeAt(0).toString(16);
    return char < "\u0100" ? "\\x" + code.padStart(2, "0") : "\\u" + code.padStart(4, "0");
  });
}

function shortened(text, most) {
  const chars = Array.from(shown(text));
  if (chars.length <= most) return chars.join("");
  const first = Math.ceil((most - 1) / 2);
  return chars.slice(0, first).join("") + "\u2026" + chars.slice(chars.length - (most - 1 - first)).join("");
}

// How wide a text is, in digits: letters of East Asia take two
const letters = (text) => Array.from(text).reduce((sum, char) => sum + (char > "\u2e80" ? 2 : 1), 0);

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? "" : name === "title" || name === "aria-label" ? shown(value) : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== "")
      node.append(child instanceof Node ? child : shown(child));
  }
  return node;
}

const h = (name, attributes, ...children) => filled(document.createElement(name), attributes, children);
const s = (name, attributes, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

// Numbers

const signed = (text) => text.replace("-", "\u2212");
const grouped = (text) => text.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

// Three decimals, and as many more as a small number needs to differ from 0; what is beyond them is 0 without a sign
const MOST_DECIMALS = 9;

function rate(value) {
  if (value === null) return UNDEFINED;
  for (let digits = 3; digits <= MOST_DECIMALS; digits++) {
    if (Number(value.toFixed(digits))) return signed(value.toFixed(digits));
  }
  return "0.000";
}

function number(value) {
  if (value === null) return UNDEFINED;
  if (Number.isInteger(value)) return signed(grouped(String(value)));
  return signed(grouped(String(Number(value.toPrecision(Math.abs(value) >= 1000 ? 5 : 4)))));
}

// With a sign, unless it is 0
function difference(value, say = rate) {
  const words = value === null ? UNDEFINED : say(value);
  return value > 0 && /[1-9]/.test(words) ? "+" + words : words;
}

// Both ends alike: rates if they lie between -1 and 1
function between(interval, say) {
  const each = Math.max(...interval.map(Math.abs)) <= 1 ? rate : number;
  return interval.map((end) => (say === difference ? difference(end, each) : each(end))).join(" \u2013 ");
}

// A count that fits into so many digits: 12k, 3.4M
function shortCount(count, digits) {
  const whole = number(count);
  if (whole.length <= digits || Math.abs(count) < 1000) return whole;
  const [size, unit] = [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ].find(([each]) => Math.abs(count) >= each * 0.9995);
  const near = count / size;
  return signed(near.toFixed(Math.abs(near) < 9.95 ? 1 : 0)) + unit;
}

const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : (many ?? one + "s")}`;

const SAY = { rate, number, difference };

// Steps of 1, 2 or 5 that divide a range into about so many parts
function ticks(low, high, about) {
  const rough = (high - low) / Math.max(1, about);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    found.push(Number((k * step).toPrecision(12)));
  return found;
}

// A few lines beside the pointer or the focus; also read out
const tip = h("div", { class: "tip", role: "status", hidden: true });

function showTip(x, y, lines) {
  const words = (line) => (line instanceof Node ? line : shortened(line, 160));
  tip.replaceChildren(...lines.filter(Boolean).map((line, k) => h(k ? "div" : "strong", null, words(line))));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - width - 8)) + "px";
  tip.style.top = (y + 18 + height > innerHeight ? Math.max(8, y - height - 12) : y + 18) + "px";
}

function hideTip() {
  tip.hidden = true;
}

// Draws once the place is about to be seen, or printed
const waiting = new Map();
const watcher = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => drawNow(entry.target)),
  { rootMargin: "400px" },
);

function drawLater(place, draw) {
  waiting.set(place, draw);
  watcher.observe(place);
}

function drawNow(place) {
  watcher.unobserve(place);
  const draw = waiting.get(place);
  waiting.delete(place);
  if (draw) draw();
}

// Draws anew whenever the place changes its width
function drawToWidth(place, draw) {
  let last = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width && width !== last) draw((last = width));
  }).observe(place);
}

// A place that scrolls sideways fades where there is more, and takes the focus for the arrow keys
function showsScroll(place, focusable = false) {
  const mark = () => {
    const left = place.scrollWidth - place.clientWidth - Math.abs(place.scrollLeft);
    const wide = place.scrollWidth > place.clientWidth + 2;
    place.classList.toggle("wider", wide);
    place.classList.toggle("more-right", wide && left > 2);
    place.classList.toggle("more-left", wide && Math.abs(place.scrollLeft) > 2);
    if (!focusable) place.toggleAttribute("tabindex", wide);
    if (wide) place.tabIndex = 0;
  };
  place.addEventListener("scroll", mark, { passive: true });
  drawToWidth(place, mark);
  return place;
}

function button(words, press, attributes) {
  return h("button", { type: "button", onclick: press, ...attributes }, words);
}

function searchBox(words, search) {
  const input = h("input", { type: "search", placeholder: "Filter", "aria-label": words });
  input.addEventListener("input", () => search(input.value));
  return input;
}

const someOf = (some, all, one) => (some === all ? plural(all, one) : `${number(some)} of ${plural(all, one)}`);

// Text as a filter looks through it: as it is and as it is shown
function searched(words) {
  return words
    .flatMap((word) => [word, shown(word)])
    .join("\u0001")
    .toLowerCase();
}
