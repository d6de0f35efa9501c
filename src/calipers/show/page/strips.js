// Videos as strips of states: ground truth over prediction over the frames where they differ.

const LANE = 22;
const GAP = 3;
const ZONE = new Set(["approaching", "inside", "exiting"]);
const STRIPS_AT_ONCE = 30;

function strips(section) {
  const view = { section, colour: stateColours(section), most: STRIPS_AT_ONCE, terms: [], all: new Set() };
  view.list = h("ol", { class: "strips" });
  view.count = h("span", { class: "count", role: "status" });
  view.chips = h("div", { class: "chips", role: "group", "aria-label": "Kinds of errors" });
  view.more = button("", () => listStrips(Object.assign(view, { most: view.most + 100 })), { class: "more" });
  view.items = section.videos.map((video) => stripItem(view, video));
  view.input = searchBox(`Filter ${section.title}`, (text) => go({ ...here, text }));
  view.input.hidden = section.videos.length <= FEW;
  const cut = section.cut ? h("p", { class: "note cut" }, section.cut) : null;
  const tools = h("div", { class: "tools" }, view.input, view.count);
  view.place = h("div", { class: "stripbox" }, stripLegend(view), tools, view.chips, view.list, view.more, cut);
  listeners.push(({ text }, reveal) => followStrips(view, text, reveal));
  followStrips(view, here.text, false);
  return view.place;
}

// States of a work zone have colours of their own, others take those of a series in their order
function stateColours({ states, idle }) {
  const others = states.filter((state) => state !== idle && !ZONE.has(state));
  const own = (state) => (ZONE.has(state) ? `st-${state}` : `f${others.indexOf(state) % 8}`);
  return new Map(states.map((state) => [state, state === idle ? "st-idle" : own(state)]));
}

function stripLegend({ section, colour }) {
  const entry = (name, look) => h("li", null, h("span", { class: "swatch " + look }), shortened(name, 40));
  const states = section.states.map((state) => entry(state, colour.get(state)));
  return h("ul", { class: "legend" }, states, entry("they differ", "st-differ"));
}

// What videos carry is a filter of the strips: kinds of errors, slices, names
const carriedBy = (video) => [video.name, ...(video.tags ?? []), ...(video.slices ?? [])];

const stripVideos = () =>
  DATA.sections.filter((section) => section.kind === "strips").flatMap((section) => section.videos);
const stripTags = () => stripVideos().flatMap(carriedBy);
const stripSlices = () => stripVideos().flatMap((video) => video.slices ?? []);

const carriedByStrips = (text) => {
  const tags = stripTags();
  return readQuery(text).some((term) => term.facet && tags.some((tag) => plain(tag) === term.asked));
};

function followStrips(view, text, reveal) {
  const carried = new Set(view.section.videos.flatMap(carriedBy).map(plain));
  const terms = readQuery(text).map((term) => ({ ...term, exact: carried.has(term.asked) }));
  view.terms = DATA.cases.length ? terms.filter((term) => term.facet && term.exact) : terms;
  if (view.input.value !== text) view.input.value = text;
  listStrips(view);
  if (reveal && view.terms.length && !(DATA.cases.length && casesWith(text).length))
    view.place.closest("section").scrollIntoView();
}

function videoFits(video, { facet, asked, exact, not }) {
  const carried = carriedBy(video).map(plain);
  const there = facet === null ? plain(`${video.name} ${video.note} ${carried.join(" ")}`).includes(asked) : null;
  return (there ?? carried.some((value) => (exact ? value === asked : value.includes(asked)))) !== not;
}

function listStrips(view) {
  const found = view.items.filter((_, k) => view.terms.every((term) => videoFits(view.section.videos[k], term)));
  view.count.replaceChildren(someOf(found.length, view.items.length, "video"));
  view.chips.replaceChildren(...stripChips(view));
  view.list.replaceChildren(...found.slice(0, view.most));
  if (view.items.length && !found.length) view.list.append(h("li", { class: "nothing" }, "No video matches the filter."));
  view.more.replaceChildren(`Show more of ${number(found.length)}`);
  view.more.hidden = found.length <= view.most;
}

// Chosen ones first, then the kinds of errors and the slices among the videos that are left
function stripChips(view) {
  const videos = view.section.videos.filter((each) => view.terms.every((term) => videoFits(each, term)));
  const kinds = carriedCounts(view, videos, (video) => (video.tags ?? []).filter((tag) => tag !== video.name));
  const slices = carriedCounts(view, videos, (video) => video.slices ?? []);
  const chosen = view.terms.filter((term) => term.facet).map((term) => chip(view, term, null));
  const redraw = () => listStrips(view);
  return [
    ...(chosen.length ? [h("div", { class: "chosen" }, chosen)] : []),
    ...(kinds.size ? [chipGroup(view, "tag", kinds, redraw, "kind")] : []),
    ...(slices.size ? [chipGroup(view, "slice", slices, redraw)] : []),
  ];
}

// How many videos carry each value that is not asked for yet
function carriedCounts(view, videos, valuesOf) {
  const counts = new Map();
  const asked = new Set(view.terms.map((term) => term.asked));
  for (const value of videos.flatMap((video) => [...new Set(valuesOf(video))]))
    if (!asked.has(plain(value))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function stripItem(view, video) {
  const place = h("div");
  place.style.minHeight = video.rows.length * (LANE + GAP) + 34 + "px"; // nothing moves when it is drawn
  drawLater(place, () => place.append(strip(view, video)));
  const name = h("strong", { title: video.name }, shortened(video.name, 90));
  return h("li", null, h("div", { class: "striphead" }, name, h("span", { class: "note" }, video.note)), place);
}

function strip({ colour }, video) {
  const lanes = video.rows.map(({ runs }) => ({ height: LANE, runs, look: (state) => colour.get(state) }));
  if (lanes.length === 2) {
    const runs = video.marks ?? differing(lanes[0].runs, lanes[1].runs);
    lanes.push({ height: 6, runs, look: () => "st-differ" });
  }
  const height = lanes.reduce((sum, lane) => sum + lane.height + GAP, 0);
  const words = `${video.name}, ${plural(video.frames, "frame")}. Arrows read states, plus and minus zoom, 0 shows all.`;
  const picture = s("svg", { height, preserveAspectRatio: "none", tabindex: 0, role: "img", "aria-label": words });
  const scale = h("div", { class: "scale", "aria-hidden": "true" });
  const at = { from: 0, to: Math.max(1, video.frames), frame: 0 }; // the frames in sight, and the one pointed at
  const draw = () => {
    drawLanes(picture, lanes, at, height);
    drawScale(scale, at, video.fps);
  };
  addStripCursor(picture, video, at, draw);
  draw();
  drawToWidth(scale, () => drawScale(scale, at, video.fps));
  const names = video.rows.map((row) => h("span", { title: row.name }, shortened(row.name, 16)));
  return h("div", { class: "strip" }, h("div", { class: "lanes" }, names), h("div", { class: "film" }, picture, scale));
}

function drawLanes(picture, lanes, at, height) {
  const thin = (at.to - at.from) / 1000; // what is narrower could not be seen
  const parts = lanes.flatMap((lane, k) => {
    const y = lanes.slice(0, k).reduce((sum, above) => sum + above.height + GAP, 0);
    const inSight = lane.runs.filter(([, first, last]) => last >= at.from && first < at.to);
    return inSight.map(([state, first, last]) => {
      const left = Math.max(first, at.from);
      const width = Math.max(Math.min(last + 1, at.to) - left, thin);
      return s("rect", { class: lane.look(state), x: left - at.from, y, width, height: lane.height });
    });
  });
  picture.setAttribute("viewBox", `0 0 ${at.to - at.from} ${height}`);
  picture.replaceChildren(...parts, s("path", { class: "cursor", d: "" }));
}

function drawScale(scale, at, fps) {
  const label = (frame) => {
    const node = h("span", null, number(frame), fps ? h("i", null, ` ${clock(frame / fps)}`) : null);
    node.style.left = (100 * (frame - at.from)) / (at.to - at.from) + "%";
    return node;
  };
  const about = Math.max(1, Math.min(6, Math.floor((scale.clientWidth || 900) / 110))); // so that none covers another
  const found = ticks(at.from, at.to, about).filter(Number.isInteger).map(label);
  scale.replaceChildren(...found);
  for (const node of found.slice(1)) node.classList.toggle("last", parseFloat(node.style.left) > 92);
}

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

// Runs of frames at which two rows of runs do not say the same; no state is a state as well
function differing(one, other) {
  const edges = [...new Set([...one, ...other].flatMap(([, first, last]) => [first, last + 1]))].sort((a, b) => a - b);
  const found = [];
  let a = 0;
  let b = 0;
  for (let k = 0; k + 1 < edges.length; k++) {
    while (a < one.length && one[a][2] < edges[k]) a++;
    while (b < other.length && other[b][2] < edges[k]) b++;
    const state = (runs, at) => (at < runs.length && runs[at][1] <= edges[k] ? runs[at][0] : null);
    if (state(one, a) === state(other, b)) continue;
    if (found.length && found.at(-1)[2] + 1 === edges[k]) found.at(-1)[2] = edges[k + 1] - 1;
    else found.push(["", edges[k], edges[k + 1] - 1]);
  }
  return found;
}

// Pointing, or arrows, reads the states; dragging, or plus and minus, zooms

function addStripCursor(picture, video, at, draw) {
  const film = { picture, video, at, draw };
  let begun = null;
  const leave = () => {
    begun = null;
    picture.lastChild.setAttribute("d", "");
    hideTip();
  };
  picture.addEventListener("pointerdown", (event) => (begun = frameAt(film, event)));
  picture.addEventListener("pointermove", (event) =>
    showFrame(film, frameAt(film, event), event.clientX, event.clientY),
  );
  picture.addEventListener("pointerup", (event) => {
    const [from, to] = [begun ?? NaN, frameAt(film, event)].sort((a, b) => a - b);
    if (to - from > (at.to - at.from) / 50) showFrames(film, from, to + 1);
    begun = null;
  });
  picture.addEventListener("dblclick", () => showFrames(film, 0, video.frames));
  picture.addEventListener("pointerleave", leave);
  picture.addEventListener("blur", leave);
  picture.addEventListener("keydown", (event) => stripKey(film, event));
}

function frameAt({ picture, at }, event) {
  const box = picture.getBoundingClientRect();
  return Math.floor(at.from + ((event.clientX - box.left) / box.width) * (at.to - at.from));
}

function showFrame({ picture, video, at }, frame, x, y) {
  at.frame = Math.max(at.from, Math.min(at.to - 1, frame));
  picture.lastChild.setAttribute("d", `M${at.frame - at.from + 0.5} 0V${picture.viewBox.baseVal.height}`);
  const time = video.fps ? ` \u00b7 ${clock(at.frame / video.fps)}` : "";
  const states = video.rows.map((row) => `${row.name}: ${stateAt(row.runs, at.frame)}`);
  const mark = video.marks?.find(([, first, last]) => first <= at.frame && at.frame <= last);
  showTip(x, y, [`frame ${number(at.frame)}${time}`, ...states, ...(mark ? [mark[0]] : [])]);
}

function showFrames({ video, at, draw }, from, to) {
  const least = Math.min(10, video.frames);
  at.from = Math.max(0, Math.min(Math.round(from), video.frames - least));
  at.to = Math.min(Math.max(1, video.frames), Math.max(Math.round(to), at.from + least));
  draw();
}

function stripKey(film, event) {
  const { picture, video, at } = film;
  const seen = at.to - at.from;
  const step = { ArrowLeft: -1, ArrowRight: 1, "+": 0, "=": 0, "-": 0, 0: 0 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const half = event.key === "0" ? video.frames : event.key === "-" ? seen : seen / 4;
  if (!step) showFrames(film, at.frame - half, at.frame + half);
  const frame = at.frame + step * (event.shiftKey ? 1 : Math.max(1, Math.round(seen / 100)));
  const box = picture.getBoundingClientRect();
  showFrame(film, frame, box.left + ((frame - at.from) / (at.to - at.from)) * box.width, box.bottom - 12);
}

function stateAt(runs, frame) {
  return runs.find(([, first, last]) => first <= frame && frame <= last)?.[0] ?? UNDEFINED;
}
