// Tables that sort by every column, filter by text, and draw only the rows in sight: ten thousand are no burden.

const ROW = 34; // pixels, as in the style
const WHOLE = 40; // a table of up to so many rows is drawn whole
const SPARE = 12; // rows drawn beyond each edge
const collator = new Intl.Collator("en", { numeric: true });
const FEW = 5; // rows that need no filter
const SAMPLE = 500; // rows whose texts decide the widths
const GOOD = ["better", "fixed", "pass"];
const BAD = ["worse", "broken", "fail"];
const VERDICTS = new Map([...GOOD.map((word) => [word, "good"]), ...BAD.map((word) => [word, "bad"])]);
const RANGES = new Set(["interval", "differences"]);
const NUMERIC = new Set(["number", "rate", "difference", "bar", ...RANGES]);

const tables = [];

function table(section) {
  const view = { section, order: section.rows.map((_, k) => k), sort: section.sort ?? null, drawn: new Map() };
  if (view.sort) arrange(view);
  view.shown = view.order;
  view.most = section.columns.map((column, k) => (column.kind === "bar" ? columnMost(section.rows, k) : 0));
  view.verdict = section.columns.findIndex((column) => column.kind === "verdict");
  view.count = h("span", { class: "count", role: "status" });
  view.body = h("tbody");
  view.frame = tableFrame(view);
  markSorted(view);
  refresh(view);
  tables.push(view);
  const input = searchBox(`Filter ${section.title}`, (needle) => sift(view, needle));
  const tools = section.rows.length > FEW ? h("div", { class: "tools" }, input, view.count) : null;
  const cut = section.cut ? h("p", { class: "note cut" }, section.cut) : null;
  return h("div", null, tools, view.frame, cut);
}

function tableFrame(view) {
  const { columns, rows, title } = view.section;
  view.heads = columns.map((column, k) => columnHead(view, column, k));
  const widths = columns.map((column, k) => columnWidth(view.section, column, k));
  const head = h("thead", null, h("tr", null, view.heads));
  const inner = h("table", { "aria-rowcount": rows.length + 1 }, h("colgroup", null, widths), head, view.body);
  const events = { onscroll: () => drawRows(view), onfocusin: (event) => drawAround(view, event.target.closest("tr")) };
  const tabindex = rows.length > WHOLE ? 0 : null;
  const attributes = { class: "frame", tabindex, role: "region", "aria-label": title, ...events };
  return showsScroll(h("div", attributes, inner), rows.length > WHOLE);
}

function columnMost(rows, k) {
  const most = rows.reduce((best, row) => Math.max(best, Math.abs(row[k] ?? 0)), 0);
  return most <= 1 ? 1 : most;
}

// Widths come from a sample of the texts, so that columns stay where they are while rows come and go
function columnWidth({ rows }, column, k) {
  const every = Math.ceil(rows.length / SAMPLE);
  const longest = rows.reduce(
    (most, row, at) => (at % every ? most : Math.max(most, letters(cellText(column, row[k])))),
    0,
  );
  const col = h("col");
  const wide = Math.max(letters(column.name) + 4, Math.min(longest + 3, 44) + (column.kind === "bar" ? 12 : 0), 8);
  const most = k === 0 && innerWidth < 600 ? 19 : 60; // the first column stays while others scroll past it
  col.style.width = Math.min(wide, most) + "ch";
  return col;
}

// Head

function columnHead(view, column, k) {
  const words = [shortened(column.name, 40), h("span", { class: "arrow", "aria-hidden": "true" })];
  const press = button(words, () => sortBy(view, k), { title: column.title ?? null });
  return h("th", { scope: "col", class: NUMERIC.has(column.kind) ? "num" : null }, press);
}

function sortBy(view, k) {
  const first = NUMERIC.has(view.section.columns[k].kind) ? "down" : "up";
  const again = view.sort && view.sort[0] === k;
  view.sort = [k, again ? (view.sort[1] === "up" ? "down" : "up") : first];
  arrange(view);
  markSorted(view);
  sift(view, view.needle ?? "");
}

function markSorted(view) {
  view.heads.forEach((th, k) => {
    const own = view.sort && view.sort[0] === k ? view.sort[1] : null;
    th.setAttribute("aria-sort", own === "up" ? "ascending" : own === "down" ? "descending" : "none");
  });
}

// Rows of equal value stay in their first order; undefined is last both ways
function arrange(view) {
  const [k, way] = view.sort;
  const kind = view.section.columns[k].kind;
  const keys = view.section.rows.map((row) =>
    row[k] === null ? null : RANGES.has(kind) ? (row[k][0] + row[k][1]) / 2 : row[k],
  );
  const compare = NUMERIC.has(kind) ? (a, b) => a - b : collator.compare;
  const sign = way === "up" ? 1 : -1;
  view.order = keys.map((_, at) => at);
  view.order.sort((a, b) => {
    if (keys[a] === null || keys[b] === null) return (keys[a] === null) - (keys[b] === null) || a - b;
    return sign * compare(keys[a], keys[b]) || a - b;
  });
}

// Filter

function sift(view, needle) {
  view.needle = needle;
  const words = needle.toLowerCase().split(/\s+/).filter(Boolean);
  view.texts ??= words.length ? view.section.rows.map((row) => rowText(view.section, row)) : null;
  view.shown = words.length
    ? view.order.filter((at) => words.every((word) => view.texts[at].includes(word)))
    : view.order;
  refresh(view);
}

const rowText = (section, row) => searched(row.map((cell, k) => cellText(section.columns[k], cell)));

function refresh(view) {
  view.count.replaceChildren(someOf(view.shown.length, view.section.rows.length, "row"));
  view.frame.classList.toggle("tall", view.shown.length > WHOLE);
  view.drawn.clear();
  view.body.replaceChildren(...(view.needle && !view.shown.length ? [nothingMatches(view)] : []));
  view.frame.scrollTop = 0;
  drawRows(view);
}

// Rows

function drawRows(view, whole = view.shown.length <= WHOLE) {
  if (whole) drawRange(view, 0, view.shown.length);
  else drawRange(view, ...rowsInSight(view));
}

function rowsInSight({ frame }) {
  const end = frame.scrollTop + Math.max(frame.clientHeight, 600);
  return [Math.floor(frame.scrollTop / ROW) - SPARE, Math.ceil(end / ROW) + SPARE];
}

// The neighbours of a row that takes the focus are there at once: the next press of Tab may come before the frame scrolls
function drawAround(view, row) {
  if (!row?.ariaRowIndex || view.shown.length <= WHOLE) return;
  const place = row.ariaRowIndex - 2;
  const [first, last] = rowsInSight(view);
  drawRange(view, Math.min(first, place - SPARE), Math.max(last, place + SPARE + 1));
}

function drawRange(view, from, to) {
  const all = view.shown.length;
  const first = Math.max(0, from);
  const last = Math.min(all, to);
  for (const [place, row] of view.drawn) {
    if (place < first || place >= last) {
      row.remove();
      view.drawn.delete(place);
    }
  }
  const rows = [];
  for (let place = first; place < last; place++) {
    if (!view.drawn.has(place)) view.drawn.set(place, drawRow(view, place));
    rows.push(view.drawn.get(place));
  }
  putInOrder(view.body, [spacer(view, "above", first), ...rows, spacer(view, "below", all - last)]);
}

// Rows that stay are not taken out, or the focus in them would be lost
function putInOrder(body, wanted) {
  let at = body.firstChild;
  for (const row of wanted) {
    if (row === at) at = at.nextSibling;
    else body.insertBefore(row, at);
  }
}

function spacer(view, name, rows) {
  view[name] ??= h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: view.section.columns.length }));
  view[name].firstChild.style.height = rows * ROW + "px";
  view[name].hidden = !rows;
  return view[name];
}

function nothingMatches({ section }) {
  return h("tr", { class: "nomatch" }, h("td", { colspan: section.columns.length }, "No row matches the filter."));
}

function drawRow(view, place) {
  const at = view.shown[place];
  const row = view.section.rows[at];
  const wanted = (view.section.goto ?? [])[at];
  const goto = leads(wanted) ? wanted : null;
  const cells = view.section.columns.map((_, k) => drawCell(view, row, k, k === 0 ? goto : null));
  return h(
    "tr",
    { "aria-rowindex": place + 2, class: goto ? "goes" : null, "data-find": goto ? filterText(goto) : null },
    cells,
  );
}

function drawCell(view, row, k, goto) {
  const column = view.section.columns[k];
  const words = cellText(column, row[k]);
  const inner = toCases(goto, "span", { title: words.length > 24 ? words : null }, shortened(words, 300));
  const drawn = column.kind === "bar" && row[k] !== null ? cellBar(row[k], view.most[k]) : null;
  return h("td", { class: cellClass(view, row, k) }, drawn, inner);
}

// A difference has the colour of the verdict on it
function cellClass(view, row, k) {
  const { kind } = view.section.columns[k];
  const judged = kind === "verdict" || kind === "difference" ? VERDICTS.get(row[view.verdict]) : "";
  const names = [NUMERIC.has(kind) ? "num" : "", row[k] === null ? "none" : "", judged];
  return names.filter(Boolean).join(" ") || null;
}

function cellBar(value, most) {
  const fill = h("i");
  fill.style.width = (100 * Math.abs(value)) / most + "%";
  return h("span", { class: "cellbar", "aria-hidden": "true" }, fill);
}

function cellText(column, value) {
  if (value === null || value === undefined) return UNDEFINED;
  if (column.kind === "interval") return between(value);
  if (column.kind === "differences") return between(value, difference);
  if (column.kind === "bar") return Math.abs(value) <= 1 ? rate(value) : number(value);
  return typeof value === "string" ? value : SAY[column.kind](value);
}
