// A heat map of counts: agreement in the colour of what is right, confusion in that of what is wrong.

const LONGEST_NAME = 22;

function matrix(section) {
  const view = matrixView(section);
  const { size, left, top, across, down } = view;
  const [width, height] = [left + across * size + 8, top + down * size + 8];
  const words = `${section.title}: ${down} by ${across} counts. Arrows move between cells, Enter shows the cases.`;
  const attributes = { class: "matrix", viewBox: `0 0 ${width} ${height}`, width, height, "font-size": view.font };
  view.cursor = s("rect", { class: "cursor", width: size, height: size, visibility: "hidden" });
  view.map = s(
    "svg",
    { ...attributes, tabindex: 0, role: "img", "aria-label": words },
    s("rect", { class: "ground", x: left, y: top, width: across * size, height: down * size }),
    section.rows.map((name, k) => rowName(view, name, k)),
    section.columns.map((name, k) => columnName(view, name, k)),
    section.cells.map((cell, k) => heatCell(view, cell, (section.goto ?? [])[k])),
    view.cursor,
  );
  addMatrixCursor(view);
  return h("div", null, axisTitles(section), showsScroll(h("div", { class: "wide" }, view.map)));
}

function matrixView(section) {
  const [down, across] = [section.rows.length, section.columns.length];
  const size = Math.max(12, Math.min(38, Math.floor(880 / Math.max(down, across, 1))));
  const font = Math.min(12, size - 2);
  const room = (names) =>
    14 + 0.58 * font * names.reduce((most, name) => Math.max(most, Math.min(LONGEST_NAME, letters(name))), 0);
  const totals = section.rows.map(() => 0);
  section.cells.forEach(([row, , count]) => (totals[row] += count));
  const found = new Map(section.cells.map(([row, column], k) => [row * across + column, k]));
  const most = section.cells.reduce((highest, [, , count]) => Math.max(highest, count), 1);
  return {
    section,
    down,
    across,
    size,
    font,
    left: room(section.rows),
    top: room(section.columns),
    totals,
    found,
    most,
  };
}

function axisTitles({ row_title: rows, column_title: columns }) {
  const told = [rows && `rows: ${rows}`, columns && `columns: ${columns}`].filter(Boolean);
  return told.length ? h("p", { class: "note" }, told.join(" \u00b7 ")) : null;
}

function rowName({ left, top, size }, name, k) {
  const place = { x: left - 6, y: top + (k + 0.5) * size, dy: "0.32em", "text-anchor": "end" };
  return s("text", place, shortened(name, LONGEST_NAME));
}

function columnName({ left, top, size }, name, k) {
  const turned = `translate(${left + (k + 0.5) * size} ${top - 6}) rotate(-60)`;
  return s("text", { transform: turned, dy: "0.32em" }, shortened(name, LONGEST_NAME));
}

function heatCell({ section, left, top, size, most }, [row, column, count], wanted) {
  const goto = leads(wanted) ? wanted : null;
  const [x, y] = [left + column * size, top + row * size];
  const share = Math.sqrt(count / most); // small counts can be seen beside large ones
  const same = section.rows[row] === section.columns[column];
  const inset = size > 16 ? 1 : 0.5;
  const square = { x: x + inset, y: y + inset, width: size - 2 * inset, height: size - 2 * inset, rx: 3 * inset - 0.5 };
  const rect = s("rect", {
    class: same ? "right" : "wrong",
    ...square,
    "fill-opacity": (0.08 + 0.86 * share).toFixed(3),
  });
  const middle = { x: x + size / 2, y: y + size / 2, dy: "0.34em", "text-anchor": "middle" };
  const label = size < 26 ? null : s("text", { class: countClass(share, same), ...middle }, shortCount(count, Math.floor(size / 6.6)));
  return s("g", { class: goto ? "cell goes" : "cell", "data-find": goto ? filterText(goto) : null }, rect, label);
}

// Counts are written in the colour of text, or in that of paper where it can be read better: on dark paper sooner

function countClass(share, same) {
  if (share > (same ? 0.97 : 0.86)) return "onfull";
  return share > (same ? 0.63 : 0.7) ? "onfill" : null;
}

// The cell under the pointer, or the one that arrows moved to

function addMatrixCursor(view) {
  const { map, down, across } = view;
  map.addEventListener("pointermove", (event) => {
    const [row, column] = cellAt(view, event);
    const inside = row >= 0 && column >= 0 && row < down && column < across;
    if (inside) showCell(view, row, column, event.clientX, event.clientY);
    else leaveMatrix(view);
  });
  map.addEventListener("pointerleave", () => leaveMatrix(view));
  map.addEventListener("blur", () => leaveMatrix(view));
  map.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === "Enter") enterCell(view);
    if (!step || !down || !across) return;
    event.preventDefault();
    event.stopPropagation();
    stepCell(view, step);
  });
}

function cellAt({ map, left, top, size }, event) {
  const box = map.getBoundingClientRect();
  return [Math.floor((event.clientY - box.top - top) / size), Math.floor((event.clientX - box.left - left) / size)];
}

function showCell(view, row, column, x, y) {
  const { section, cursor, left, top, size } = view;
  view.at = [row, column];
  cursor.setAttribute("x", left + column * size);
  cursor.setAttribute("y", top + row * size);
  cursor.setAttribute("visibility", "visible");
  const count = section.cells[view.found.get(row * view.across + column)]?.[2] ?? 0;
  const share = view.totals[row] ? ` \u00b7 ${((100 * count) / view.totals[row]).toFixed(1)} % of the row` : "";
  showTip(x, y, [`${section.rows[row]} \u2192 ${section.columns[column]}`, number(count) + share]);
}

function leaveMatrix({ cursor }) {
  cursor.setAttribute("visibility", "hidden");
  hideTip();
}

function stepCell(view, [down, right]) {
  const inside = (value, count) => Math.max(0, Math.min(count - 1, value));
  const [row, column] = view.at ? [view.at[0] + down, view.at[1] + right] : [0, 0];
  const at = [inside(row, view.down), inside(column, view.across)];
  showCell(view, ...at, 0, 0);
  view.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
  const box = view.cursor.getBoundingClientRect();
  showCell(view, ...at, box.right - 10, box.bottom - 14);
}

function enterCell({ section, at, found, across }) {
  const goto = at && (section.goto ?? [])[found.get(at[0] * across + at[1])];
  if (leads(goto)) followFilter(filterText(goto));
}
