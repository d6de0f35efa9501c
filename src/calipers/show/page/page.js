// The page itself: head, contents, sections, keys.

const DATA = JSON.parse(document.getElementById("data").textContent);
DATA.cases = DATA.cases.map(unpacked);
const KINDS = { cards, curves, bars, dots, table, matrix, strips, text: paragraphs, cases };
const HALF = new Set(["curves", "bars", "dots"]); // two of these stand side by side
const FEW_COLUMNS = 8; // of a matrix that needs half the width

const KEYS = [
  ["j, \u2192", "next case"],
  ["k, \u2190", "previous case"],
  ["Esc", "close the case"],
  ["/", "go to the filter"],
  ["g, p, m, n", "ground truth, predictions, matched, names on or off"],
  ["+, -, 0", "larger, smaller, all of the drawing"],
  ["d", "dark or light"],
  ["?", "these keys"],
];

function paragraphs(section) {
  return h(
    "div",
    { class: "text" },
    section.lines.map((line) => h("p", null, line)),
  );
}

function pageHead() {
  const list = h(
    "dl",
    null,
    DATA.facts.map(([name, text]) => h("div", null, h("dt", null, name), h("dd", null, text))),
  );
  const facts = h("details", { class: "facts" }, h("summary", null, "Inputs and settings"), list);
  return h(
    "header",
    null,
    h("p", { class: "suite" }, DATA.suite),
    h("h1", null, DATA.title),
    DATA.subtitle ? h("p", { class: "subtitle" }, DATA.subtitle) : null,
    DATA.facts.length ? facts : null,
  );
}

function pageSection(section, k) {
  const heading = h("h2", { id: `h${k}` }, section.title);
  const place = h(
    "section",
    { id: `s${k}`, class: `kind-${section.kind}`, "aria-labelledby": `h${k}` },
    heading,
    section.about ? h("p", { class: "about" }, section.about) : null,
  );
  const content = KINDS[section.kind](section);
  const folded = () => h("details", { class: "folded" }, h("summary", null, foldWords(section)), content);
  place.append(section.folded ? folded() : content);
  return place;
}

const foldWords = (section) => (section.rows ? `Show ${plural(section.rows.length, "row")}` : "Show");

function isHalf(section) {
  if (!section) return false;
  const narrow = section.kind === "matrix" && section.columns.length <= FEW_COLUMNS;
  return section.half || narrow || HALF.has(section.kind);
}

// Neighbours of half the width form pairs; one that is left over takes the whole width
function pairUp(places, sections) {
  for (let k = 0; k < places.length; k++) {
    if (!isHalf(sections[k]) || !isHalf(sections[k + 1])) continue;
    places[k].classList.add("half");
    places[++k].classList.add("half");
  }
}

function contents(sections) {
  const link = (section, k) =>
    h("li", null, h("a", { href: `#s${k}`, title: section.title }, shortened(section.title, 30)));
  const menu = h("nav", { "aria-label": "Contents" }, h("ol", null, sections.map(link)));
  const links = menu.querySelectorAll("a");
  const seen = new IntersectionObserver(
    (entries) =>
      entries.forEach((entry) =>
        links[Number(entry.target.id.slice(1))].classList.toggle("here", entry.isIntersecting),
      ),
    { rootMargin: "-20% 0px -70% 0px" },
  );
  return [menu, (places) => places.forEach((place) => seen.observe(place))];
}

function notes() {
  return h(
    "footer",
    null,
    DATA.notes.map((note) => h("p", null, note)),
    h("p", { class: "made" }, "Made by Calipers. Press ", h("kbd", null, "?"), " for keys."),
  );
}

// Light and dark

const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  labelTheme();
}

function labelTheme() {
  themeButton.setAttribute("aria-pressed", String(isDark()));
}

const themeButton = h(
  "button",
  { type: "button", class: "theme", "aria-label": "Dark", title: "Dark or light (d)", onclick: toggleTheme },
  h("i", { "aria-hidden": "true" }),
);
system.addEventListener("change", labelTheme);

// Keys

const keyHelp = h(
  "dialog",
  { class: "keys", "aria-label": "Keys" },
  h("h2", null, "Keys"),
  h(
    "dl",
    null,
    KEYS.map(([keys, words]) => h("div", null, h("dt", null, h("kbd", null, keys)), h("dd", null, words))),
  ),
  h("button", { type: "button", onclick: () => keyHelp.close() }, "Close"),
);

function toggleKeys() {
  if (keyHelp.open) keyHelp.close();
  else keyHelp.showModal();
}

// The filter in sight, or else the first
function focusFilter() {
  const all = [...document.querySelectorAll("input[type=search]")].filter((each) => each.checkVisibility());
  const inSight = (input) => {
    const { top, bottom } = input.closest("section").getBoundingClientRect();
    return top < innerHeight * 0.6 && bottom > innerHeight * 0.3;
  };
  const input = all.find(inSight) ?? shownCases?.input ?? all[0];
  input?.focus();
  input?.select();
}

const ACTIONS = {
  j: () => stepCase(1),
  k: () => stepCase(-1),
  ArrowRight: () => shownCases?.open && stepCase(1),
  ArrowLeft: () => shownCases?.open && stepCase(-1),
  "/": focusFilter,
  "?": toggleKeys,
  d: toggleTheme,
  "+": () => zoomCase(0.6),
  "=": () => zoomCase(0.6),
  "-": () => zoomCase(1 / 0.6),
  0: () => zoomCase(1e9),
};
for (const [key, name] of Object.entries(LAYER_KEYS)) ACTIONS[key] = () => toggleLayer(name);

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === "Escape") {
    if (keyHelp.open) return;
    if (typing) {
      event.preventDefault(); // which would empty the box and leave what it asked for in force
      event.target.blur();
    } else closeCase();
  } else if (!typing && ACTIONS[event.key] && (!keyHelp.open || event.key === "?")) {
    event.preventDefault();
    ACTIONS[event.key]();
  }
});

// Printing: what is drawn on demand is drawn now, tables are whole

addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((each) => (each.open = true));
  for (const place of [...waiting.keys()]) if (place.isConnected) drawNow(place);
  tables.forEach((view) => drawRows(view, true));
});
addEventListener("afterprint", () => tables.forEach((view) => drawRows(view)));

function start() {
  const sections = [...DATA.sections];
  if (DATA.cases.length && !sections.some((section) => section.kind === "cases")) {
    sections.push({ kind: "cases", title: "Cases", shown: DATA.cases.length, total: DATA.cases.length });
  }
  const [menu, watch] = contents(sections);
  const content = h("main", { id: "content", tabindex: -1 }, pageHead());
  document.body.append(
    h("a", { class: "skip", href: "#content" }, "Skip to the content"),
    menu,
    content,
    themeButton,
    keyHelp,
    tip,
  );
  const places = sections.map(pageSection);
  pairUp(places, sections);
  content.append(...places, notes());
  watch(places);
  labelTheme();
  if (location.hash.includes("=")) listeners.forEach((listener) => listener(here, true));
  else if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

start();
