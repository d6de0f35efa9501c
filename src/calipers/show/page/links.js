// Which cases the page shows is in its address: #find=cause:missed&case=img_07. So a link can be shared.

const listeners = [];
let here = readAddress();

function readAddress() {
  const given = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  const tags = given.getAll("tag").map((value) => ({ facet: "tag", value }));
  const text = [given.get("find") ?? "", writeQuery(tags)].filter(Boolean).join(" ");
  return { text, open: given.get("case") };
}

function address({ text = "", open = null }) {
  const given = new URLSearchParams();
  if (text) given.set("find", text);
  if (open !== null) given.set("case", open);
  return "#" + given;
}

// With `kept` the browser's own button takes the step back; with `reveal` the page scrolls to what it shows
function go(change, { kept = false, reveal = false } = {}) {
  here = { text: "", open: null, ...change };
  try {
    if (kept) history.pushState(null, "", address(here));
    else history.replaceState(null, "", address(here));
  } catch (error) {
    if (error.name !== "SecurityError") throw error; // a frame without an address, or too many steps a second
  }
  listeners.forEach((listener) => listener(here, reveal));
}

// The first case that is drawn is opened
function followFilter(text) {
  const found = casesWith(text);
  const first = found.find(isDrawn) ?? found[0];
  go({ text, open: first ? first.key : null }, { kept: true, reveal: true });
}

// Whether a case or a video on the page fits: of a count of 0, or of what there was no room for, none does
const leading = new Map();

function leads(filter) {
  if (!filter) return false;
  const text = filterText(filter);
  if (!leading.has(text)) leading.set(text, isCarried(filter));
  return leading.get(text);
}

let carried = null;

// The cases that have each value, so that only those are looked at
function isCarried(filter) {
  carried ??= casesByValue();
  const terms = filterTerms(filter).map((term) => ({ ...term, asked: plain(term.value), exact: true }));
  if (terms.every((term) => ["tag", "slice"].includes(term.facet) && stripTags().includes(term.value))) return true;
  const some = terms.map(({ facet, asked }) => carried.get(`${facet}:${asked}`) ?? []);
  const fewest = some.reduce((best, each) => (each.length < best.length ? each : best));
  return fewest.some((each) => fits(each, terms));
}

function casesByValue() {
  const found = new Map();
  for (const each of DATA.cases) {
    const { own, errors } = factsOf(each);
    const names = [own, ...errors].flatMap((facts) =>
      Object.entries(facts).flatMap(([facet, some]) => some.map((value) => `${facet}:${value}`)),
    );
    for (const name of new Set(names)) {
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(each);
    }
  }
  return found;
}

// A link to the cases that a filter finds; followed in place it also opens the first of them
function toCases(filter, name, attributes, ...children) {
  if (!leads(filter)) return h(name, attributes, ...children);
  const text = filterText(filter);
  return h("a", { ...attributes, href: address({ text }), "data-find": text }, ...children);
}

const wantsOwnTab = (event) => event.ctrlKey || event.metaKey || event.shiftKey;

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-find]");
  if (!link || wantsOwnTab(event)) return;
  event.preventDefault();
  followFilter(link.getAttribute("data-find"));
});

addEventListener("popstate", () => {
  if (location.hash && !location.hash.includes("=")) return; // a section, not a view of the cases
  here = readAddress();
  listeners.forEach((listener) => listener(here, Boolean(location.hash)));
});
