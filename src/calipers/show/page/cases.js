// The cases: a gallery, worst first, with a filter over all of them; the open one is shown beside it by the viewer.

const GALLERY = 24; // at first; more on demand
const MORE = 48;
const BESIDE = 30; // before and after the open case
const CHIPS = { cause: 8, label: 10, slice: 8, method: 8, tag: 8 };
const CHIP_ORDER = ["cause", "method", "slice", "label", "tag"];
let shownCases = null;

// The same before and after its drawing is unfolded
function caseText(each) {
  const errors = errorsOf(each).flatMap(({ cause, label, tags = [] }) => [cause, label, ...tags]);
  const drawn = each.folded ? {} : each;
  const objects = (drawn.shapes ?? []).map((shape) => shape.label);
  const facets = Object.values(each.facets ?? {}).flat();
  each.words ??= searched([each.key, each.title, drawn.note ?? "", ...each.tags, ...facets, ...errors, ...objects]);
  return each.words;
}

function cases(section) {
  const view = { most: GALLERY, viewer: viewer(), items: new Map(), all: new Set() };
  view.input = searchBox("Filter cases", (text) => go({ ...here, text, open: null }));
  view.input.placeholder = 'cause:missed label:"two words" -word';
  view.count = h("span", { class: "count", role: "status" });
  view.chips = h("div", { class: "chips", role: "group", "aria-label": "Filter by facet" });
  view.list = h("ol", { class: "gallery" });
  view.more = button("", () => listCases(Object.assign(view, { most: view.most + MORE })), { class: "more" });
  view.split = h("div", { class: "split" }, view.list, view.viewer.place);
  const tools = h("div", { class: "tools" }, view.input, view.count);
  const head = DATA.cases.length ? [tools, view.chips, lookLegend()] : [];
  view.place = h("div", { class: "cases" }, head, view.split, view.more, casesNote(section));
  drawToWidth(view.list, () => fitGallery(view.list));
  shownCases = view;
  listeners.push((place, reveal) => followCases(view, place, reveal));
  followCases(view, here, false);
  return view.place;
}

function casesNote({ shown: some, total }) {
  if (!total) return h("p", { class: "note" }, "No case: nothing went wrong.");
  if (some === total) return null;
  const words = `${number(some)} of ${plural(total, "case")} are in this page; the cases file has all of them.`;
  return h("p", { class: "note cut" }, words);
}

// Made when it is first listed
function itemOf(view, each) {
  if (!view.items.has(each)) view.items.set(each, caseItem(each));
  return view.items.get(each);
}

// Of a path the end says which it is: three lines of the narrowest tile hold so much, cut in the middle
const TILE_NAME = 46;

const brokenAfterSlashes = (text) => text.split(/(?<=[\\/])/).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));

function caseItem(each) {
  const thumb = h("span", { class: "thumb" });
  if (isDrawn(each)) drawLater(thumb, () => thumb.append(thumbnail(unfolded(each))));
  else thumb.append(h("span", { class: "nodrawing" }, "not drawn"));
  const name = h("span", { class: "name", title: each.title }, ...brokenAfterSlashes(shortened(each.title, TILE_NAME)));
  const causes = h("span", { class: "causes" }, caseWords(each));
  const open = (event) => {
    if (wantsOwnTab(event)) return;
    event.preventDefault();
    openCase(each);
  };
  return h(
    "li",
    null,
    h("a", { class: "case", href: address({ open: each.key }), onclick: open }, thumb, name, causes),
  );
}

function openCase(each) {
  const first = !shownCases.open;
  go({ ...here, open: each.key }, { kept: true });
  if (first) shownCases.split.scrollIntoView();
}

// What the address says, shown
function followCases(view, { text, open }, reveal) {
  if (view.text !== text) {
    view.most = GALLERY;
    Object.assign(view, { text, terms: readQuery(text), found: casesWith(text) });
    showChips(view);
  }
  view.open = open === null ? null : (DATA.cases.find((each) => each.key === open) ?? null);
  if (view.input.value !== text) view.input.value = text;
  listCases(view);
  showCase(view);
  if (reveal && (view.open || view.found.length || !carriedByStrips(text))) revealCases(view);
}

function revealCases(view) {
  (view.open ? view.split : view.place.closest("section")).scrollIntoView();
  if (view.open) view.viewer.place.focus({ preventScroll: true });
}

function listCases(view) {
  const { found, open } = view;
  view.count.replaceChildren(someOf(found.length, DATA.cases.length, "case"));
  view.place.classList.toggle("viewing", open !== null);
  const some = open ? around(found, open) : found.slice(0, view.most);
  view.list.replaceChildren(...some.map((each) => itemOf(view, each)));
  if (!found.length && DATA.cases.length) view.list.append(nothingFits());
  fitGallery(view.list);
  const left = found.length - view.most;
  view.more.hidden = open !== null || left <= 0;
  view.more.replaceChildren(`Show ${number(Math.min(MORE, left))} more of ${number(found.length)}`);
  for (const [each, item] of view.items) item.firstChild.toggleAttribute("aria-current", each === open);
}

// No case alone in the last row, where another number of columns avoids it
function fitGallery(list) {
  const width = list.clientWidth;
  const wanted = innerWidth > 820 ? 226 : 165;
  const most = Math.max(2, Math.floor((width + 16) / wanted));
  const count = list.children.length;
  const fits = (columns) => columns > 1 && (count <= columns || count % columns !== 1);
  const fitting = [most, most - 1, most - 2].find(fits);
  list.style.gridTemplateColumns = width && count > 1 ? `repeat(${fitting ?? most}, minmax(0, 1fr))` : "";
}

// The open case and its neighbours: of thousands, not all at once
function around(found, open) {
  const at = Math.max(0, found.indexOf(open));
  return found.slice(Math.max(0, at - BESIDE), at + BESIDE + 1);
}

function nothingFits() {
  const all = button("Show all", () => go({}));
  return h("li", { class: "nothing" }, "None of the cases on this page fits. ", all);
}

// Chips: what is asked for, then the values that most of the found cases have, facet by facet

function showChips(view) {
  const counts = chipCounts(view);
  const focused = document.activeElement?.dataset.chip;
  const chosen = view.terms.filter((term) => term.facet).map((term) => chip(view, term, null));
  const offered = CHIP_ORDER.filter((facet) => counts.has(facet)).map((facet) =>
    chipGroup(view, facet, counts.get(facet)),
  );
  view.chips.replaceChildren(...(chosen.length ? [h("div", { class: "chosen" }, chosen)] : []), ...offered);
  if (focused !== undefined) [...view.chips.querySelectorAll("[data-chip]")].find(isChip(focused))?.focus();
}

const isChip = (name) => (each) => each.dataset.chip === name;

// Facet, value: how many cases would be left
function chipCounts({ found, terms }) {
  const objectTerms = terms.filter((term) => (term.facet === "cause" || term.facet === "label") && !term.not);
  const counts = new Map();
  for (const each of found) {
    for (const [facet, some] of offeredBy(each, objectTerms)) {
      if (!counts.has(facet)) counts.set(facet, new Map());
      const own = counts.get(facet);
      for (const value of some) own.set(value, (own.get(value) ?? 0) + 1);
    }
  }
  const asked = new Set(terms.map((term) => `${term.facet}:${term.asked}`));
  for (const [facet, own] of counts) {
    for (const value of own.keys()) if (asked.has(`${facet}:${plain(value)}`)) own.delete(value);
    if (!own.size || (facet === "method" && own.size < 2)) counts.delete(facet);
  }
  return counts;
}

// Values of a case; of objects only those that fit what is asked of their other facets already
function offeredBy(each, objectTerms) {
  const { errors } = factsOf(each);
  const valuesOf = (name) => {
    const others = objectTerms.filter((term) => term.facet !== name);
    const fitting = errorsOf(each).filter((_, k) => others.every((term) => says(errors[k], term)));
    return fitting.map((error) => error[name]).filter(Boolean);
  };
  const words = errorsOf(each).flatMap(({ cause, label, said }) => [cause, label, said]);
  const told = new Set([each.key, ...(each.facets?.key ?? []), ...words]);
  const ownTags = each.tags.filter((tag) => !told.has(tag));
  const facets = Object.entries(each.facets ?? {}).filter(([name]) => name !== "key");
  const objects = ["cause", "label"].map((name) => [name, valuesOf(name)]);
  return [...objects, ...facets, ["tag", ownTags]].map(([name, list]) => [name, new Set(list)]);
}

function chipGroup(view, facet, counts, redraw = () => showChips(view), words = facet) {
  const ranked = [...counts].sort((a, b) => b[1] - a[1] || collator.compare(a[0], b[0]));
  const most = CHIPS[facet] ?? 8;
  const some = view.all.has(facet) ? ranked : ranked.slice(0, most);
  const chips = some.map(([value, count]) => chip(view, { facet, value }, count));
  const rest = ranked.length > most ? [restChip(view, facet, ranked.length - most, redraw)] : [];
  const name = h("span", { class: "facet", id: `facet-${words}` }, words);
  return h("div", { class: "facets", role: "group", "aria-labelledby": `facet-${words}` }, name, chips, rest);
}

// One that is chosen has no count, and is left out when pressed; the box says what is chosen
function chip(view, term, count) {
  const on = count === null;
  const own = writeTerm(term);
  const others = view.terms.filter((each) => writeTerm(each) !== own);
  const terms = on ? others : [...view.terms, term];
  const end = on ? h("span", { "aria-hidden": "true" }, "\u00d7") : h("span", { class: "count" }, number(count));
  const words = on ? own : term.value;
  const attributes = { class: on ? "chip on" : "chip", "aria-pressed": String(on), "data-chip": own, title: own };
  return button([shortened(words, 40), end], () => go({ text: writeQuery(terms), open: null }), attributes);
}

function restChip(view, facet, rest, redraw) {
  const turn = () => {
    if (!view.all.delete(facet)) view.all.add(facet);
    redraw();
  };
  const words = view.all.has(facet) ? "fewer" : `${number(rest)} more`;
  return button(words, turn, { class: "chip rest", "data-chip": `more ${facet}` });
}

// Steps

function neighbour(view, by) {
  const at = view.found.indexOf(view.open);
  return at < 0 ? view.found[0] : view.found[at + by];
}

function stepCase(by) {
  const next = shownCases && neighbour(shownCases, by);
  if (!next) return;
  if (shownCases.open) go({ ...here, open: next.key });
  else openCase(next);
}

function closeCase() {
  const each = shownCases?.open;
  if (!each) return;
  shownCases.most = Math.max(shownCases.most, shownCases.found.indexOf(each) + 1);
  go({ ...here, open: null });
  const item = itemOf(shownCases, each);
  if (item.isConnected) item.firstChild.focus();
}
