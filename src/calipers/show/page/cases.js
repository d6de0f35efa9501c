// The cases: a gallery, worst first, with filters; the open one is shown beside it by the viewer.

const GALLERY = 24;
const CHIPS = 14;
let shownCases = null;

function casesWith(tags, text) {
  const needle = text.toLowerCase();
  const fits = (each) => tags.every((tag) => each.tags.includes(tag)) && (!needle || caseText(each).includes(needle));
  return DATA.cases.filter(fits);
}

function caseText(each) {
  const words = [each.key, each.title, each.note ?? "", ...each.tags, ...each.shapes.map((shape) => shape.label)];
  each.words ??= searched(words);
  return each.words;
}

function cases(section) {
  const view = { most: GALLERY, viewer: viewer() };
  view.items = new Map(DATA.cases.map((each) => [each, caseItem(each)]));
  view.input = searchBox("Filter cases", (text) => go({ ...here, text, open: null }));
  view.count = h("span", { class: "count", role: "status" });
  view.chips = h("div", { class: "chips", role: "group", "aria-label": "Filter by tag" });
  view.list = h("ol", { class: "gallery" });
  view.more = button("", () => listCases(Object.assign(view, { most: view.most + 72 })), { class: "more" });
  view.split = h("div", { class: "split" }, view.list, view.viewer.place);
  const tools = h("div", { class: "tools" }, view.input, view.count);
  view.place = h("div", { class: "cases" }, tools, view.chips, view.split, view.more, casesNote(section));
  shownCases = view;
  listeners.push((place, reveal) => followCases(view, place, reveal));
  followCases(view, here, false);
  return view.place;
}

function casesNote({ shown: some, total }) {
  if (!total) return h("p", { class: "note" }, "No case: nothing went wrong.");
  if (some === total) return null;
  const words = `This page draws ${number(some)} of ${plural(total, "case")}; the cases file has all of them.`;
  return h("p", { class: "note cut" }, words);
}

function caseItem(each) {
  const thumb = h("span", { class: "thumb" });
  drawLater(thumb, () => thumb.append(thumbnail(each)));
  const name = h("span", { class: "name", title: each.title }, shortened(each.title, 60));
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
function followCases(view, { tags, text, open }, reveal) {
  const same = view.tags && view.tags.join("\u0001") === tags.join("\u0001") && view.text === text;
  if (!same) view.most = GALLERY;
  Object.assign(view, { tags, text, found: casesWith(tags, text) });
  view.open = open === null ? null : (DATA.cases.find((each) => each.key === open) ?? null);
  if (view.input.value !== text) view.input.value = text;
  showChips(view);
  listCases(view);
  showCase(view);
  if (reveal && (view.open || view.found.length || !carriedByStrips(tags))) revealCases(view);
}

function revealCases(view) {
  (view.open ? view.split : view.place.closest("section")).scrollIntoView();
  if (view.open) view.viewer.place.focus({ preventScroll: true });
}

function listCases(view) {
  const { found, open } = view;
  view.count.replaceChildren(someOf(found.length, DATA.cases.length, "case"));
  view.place.classList.toggle("viewing", open !== null);
  const some = open ? found : found.slice(0, view.most);
  view.list.replaceChildren(...some.map((each) => view.items.get(each)));
  if (!found.length && DATA.cases.length) view.list.append(nothingFits());
  view.more.hidden = open !== null || found.length <= view.most;
  view.more.replaceChildren(`Show more of ${number(found.length)}`);
  for (const [each, item] of view.items) item.firstChild.toggleAttribute("aria-current", each === open);
}

function nothingFits() {
  const all = button("Show all", () => go({}));
  return h("li", { class: "nothing" }, "None of the cases on this page fits. ", all);
}

// Chips: what is chosen, then the tags most cases carry

function showChips(view) {
  const counts = new Map();
  for (const each of view.found) for (const tag of new Set(each.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const ranked = [...counts].filter(([tag]) => !view.tags.includes(tag)).sort((a, b) => b[1] - a[1]);
  const some = view.allTags ? ranked : ranked.slice(0, CHIPS);
  const without = (tag) => view.tags.filter((each) => each !== tag);
  const focused = document.activeElement?.dataset.chip;
  view.chips.replaceChildren(
    ...view.tags.map((tag) => chip(tag, null, without(tag))),
    ...some.map(([tag, count]) => chip(tag, count, [...view.tags, tag])),
    ...(ranked.length > CHIPS ? [restChip(view, ranked.length - CHIPS)] : []),
  );
  if (focused !== undefined) [...view.chips.children].find((each) => each.dataset.chip === focused)?.focus();
}

// One that is chosen has no count, and is left out when pressed
function chip(tag, count, tags) {
  const on = count === null;
  const end = on ? h("span", { "aria-hidden": "true" }, "\u00d7") : h("span", { class: "count" }, number(count));
  const attributes = { class: on ? "chip on" : "chip", "aria-pressed": String(on), "data-chip": tag, title: tag };
  return button([shortened(tag, 32), end], () => go({ ...here, tags, open: null }), attributes);
}

function restChip(view, rest) {
  const turn = () => showChips(Object.assign(view, { allTags: !view.allTags }));
  return button(view.allTags ? "fewer" : `${number(rest)} more`, turn, { class: "chip rest" });
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
  const item = shownCases?.items.get(shownCases.open);
  if (!item) return;
  go({ ...here, open: null });
  if (item.isConnected) item.firstChild.focus();
}
