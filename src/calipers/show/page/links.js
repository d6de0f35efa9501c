// Which cases the page shows is in its address: #tag=missed&case=img_07. So a link can be shared.

const listeners = [];
let here = readAddress();

function readAddress() {
  const given = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  return { tags: given.getAll("tag"), text: given.get("find") ?? "", open: given.get("case") };
}

function address({ tags = [], text = "", open = null }) {
  const given = new URLSearchParams(tags.map((tag) => ["tag", tag]));
  if (text) given.set("find", text);
  if (open !== null) given.set("case", open);
  return "#" + given;
}

// With `kept` the browser's own button takes the step back; with `reveal` the page scrolls to what it shows
function go(change, { kept = false, reveal = false } = {}) {
  here = { tags: [], text: "", open: null, ...change };
  try {
    if (kept) history.pushState(null, "", address(here));
    else history.replaceState(null, "", address(here));
  } catch (error) {
    if (error.name !== "SecurityError") throw error; // a frame without an address, or too many steps a second
  }
  listeners.forEach((listener) => listener(here, reveal));
}

function followTag(tag) {
  const first = casesWith([tag], "")[0];
  go({ tags: [tag], open: first ? first.key : null }, { kept: true, reveal: true });
}

// Whether a case or a video on the page carries the tag: of a count of 0, or of what there was no room for, none does
let carried = null;

function leads(filter) {
  carried ??= new Set([...DATA.cases.flatMap((each) => each.tags), ...stripTags()]);
  return Boolean(filter) && carried.has(filter.tag);
}

// A link to the cases that carry a tag; followed in place it also opens the first of them
function toCases(filter, name, attributes, ...children) {
  if (!leads(filter)) return h(name, attributes, ...children);
  return h("a", { ...attributes, href: address({ tags: [filter.tag] }), "data-tag": filter.tag }, ...children);
}

const wantsOwnTab = (event) => event.ctrlKey || event.metaKey || event.shiftKey;

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-tag]");
  if (!link || wantsOwnTab(event)) return;
  event.preventDefault();
  followTag(link.getAttribute("data-tag"));
});

addEventListener("popstate", () => {
  if (location.hash && !location.hash.includes("=")) return; // a section, not a view of the cases
  here = readAddress();
  listeners.forEach((listener) => listener(here, Boolean(location.hash)));
});
