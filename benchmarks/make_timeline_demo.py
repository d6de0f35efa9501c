"""Writes the data of `calipers demo timeline`: made-up drives past road works, the same bytes each time.

    python benchmarks/make_timeline_demo.py [FOLDER]

`annotations.json` is the truth of 22 videos. `predictions.json` is what a warning system said of them: mostly right,
with late warnings, false alarms, flicker and zones it never saw. `csv/fusion/` and `csv/sota/` hold the same answers as
timeline files, in the layouts of two producers. The system looks at every third to fifth frame and changes its mind
only there, so a file with a row a look says exactly what the JSON says.

One of the 22 has no true interval and one no prediction. Of the other 20, one has a reversed interval in the JSON (its
file is fine). One more prediction is of a video without truth.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from random import Random
from typing import Any

from make_timelines import Run, by_state

OUT = Path(__file__).parent.parent / "src" / "calipers" / "data" / "timeline"
LETTERS = {"o": "outside", "a": "approaching", "i": "inside", "e": "exiting"}
SHORT = {"outside": "out", "approaching": "approach", "inside": "in", "exiting": "exit"}
IMAGE = (1280, 720)
THINGS = {"cone": (30, 60), "drum": (45, 80), "sign": (70, 110), "arrow_board": (110, 150), "worker": (35, 120)}
SIGNS = (  # as a drive meets them
    "ROAD WORK AHEAD",
    "MERGE RIGHT, 500 FT",
    "LEFT LANE CLOSED",
    "SPEED LIMIT 45",
    "FINES DOUBLED",
    "FLAGGER AHEAD",
    "END ROAD WORK",
)
BILLBOARD = 'MABEL\'S "PIES", NEXT EXIT'
LOOK_ALIKES = {"O": "0", "I": "1", "E": "F", "D": "O", "S": "5", "L": "I"}

Rows = list[str]  # states of frames 0, stride, 2 * stride, ...
Slip = Callable[[Random, Rows], None]
Span = tuple[int, int]  # first and last
Box = list[int]  # x1, y1, x2, y2
Json = dict[str, Any]


# What the system gets wrong, each as a change of its rows.


def late(rng: Random, rows: Rows) -> None:
    """The first warning comes about a second late."""
    first, last = zones(rows)[0]
    fill(rows, first, min(first + rng.randint(9, 14), last - 2), "outside")


def false_alarm(rng: Random, rows: Rows) -> None:
    """A warning on open road."""
    first, last = longest(rows, "outside")
    start = first + (last - first) // 3
    fill(rows, start, start + rng.randint(5, 9), "approaching")
    fill(rows, start + 2, start + 3, "inside")


def flicker(rng: Random, rows: Rows) -> None:
    """In two minds at the entry and at the exit of the longest zone."""
    first, last = longest(rows, "inside")
    for at in (edge + step for edge in (first, last) for step in (-5, -2, 1, 4)):
        rows[at] = rng.choice(("approaching", "exiting", "outside")) if rows[at] == "inside" else "inside"


def missed(_: Random, rows: Rows) -> None:
    """The shortest zone goes by unseen."""
    first, last = min(zones(rows), key=length)
    fill(rows, first, last, "outside")


def split(rng: Random, rows: Rows) -> None:
    """One zone is taken for two."""
    first, last = longest(rows, "inside")
    middle, half = (first + last) // 2, rng.randint(3, 5)
    fill(rows, middle - half, middle + half, "outside")
    fill(rows, middle - half, middle - half + 1, "exiting")


def paused(_: Random, rows: Rows) -> None:
    """A state of the system's own, while a flagger holds the car."""
    first, last = longest(rows, "inside")
    third = (last - first) // 3
    fill(rows, first + third, last - third, "paused")


def lingering(_: Random, rows: Rows) -> None:
    """The exit is still called inside."""
    rows[:] = ["inside" if state == "exiting" else state for state in rows]


def asleep(_: Random, rows: Rows) -> None:
    """No warning at all."""
    fill(rows, 0, len(rows) - 1, "outside")


# What the annotator left untidy, each as a change of a video's intervals.


def blank(true: Json) -> None:
    true.update({state: [] for state in true})


def overlapping(true: Json) -> None:
    true["approaching"][0][1] += 8


def gap(true: Json) -> None:
    true["approaching"][0][0] += 6


def null_exit(true: Json) -> None:
    true["exiting"] = None


def ends_early(true: Json) -> None:
    true["outside"].pop()


@dataclass(frozen=True)
class Clip:
    """One video. The route has a letter a stretch of road; the same letter twice is a longer stretch."""

    name: str
    fps: float
    looks: int
    route: str
    slips: tuple[Slip, ...] = ()
    stride: int = 3  # frames from one look to the next
    objects: bool = False  # boxed and read, too?
    sota: bool = False  # also in the other layout?

    @property
    def frames(self) -> int:
        return (self.looks - 1) * self.stride + 1  # the last frame is looked at


CLIPS = (
    Clip("alder_crossing_0127", 30, 171, "ooaiieo", sota=True),
    Clip("bellwether_street_0940", 30, 221, "oooaiiieeoo", (late,), objects=True),
    Clip("copper_hill_tunnel_0033", 24, 161, "ooaiiio", (flicker,), sota=True),
    Clip("dunmore_viaduct_0619", 25, 251, "ooaiiieooooaioo", (missed,), stride=4),
    Clip("eastgate_roundabout_0204", 29.97, 191, "ooooaiieo", (false_alarm,), objects=True),
    Clip("foxglove_lane_0018", 30, 105, "oaiio", sota=True),
    Clip("granary_wharf_1102", 25, 281, "oooaaiiiiiieoo", (split, late), stride=5, objects=True),
    Clip("harbour_loop_1187", 30, 241, "ooaiiieoooaiieo", (flicker, false_alarm)),
    Clip("ivy_bank_expressway_0470", 24, 201, "ooaiiieoo", (lingering,)),
    Clip("juniper_bridge_0093", 30, 131, "iieooo"),
    Clip("kestrel_avenue_0412", 30, 211, "oooaiiiieo", (paused,), objects=True),
    Clip("lockkeepers_row_0856", 25, 151, "oooooo", stride=4),
    Clip("mallow_junction_0299", 25, 299, "oooaiieoooaieooaiieo", (missed, late), stride=5),
    Clip("northfield_ring_0731", 29.97, 181, "ooooo", (false_alarm,)),
    Clip("old_mill_road_0256", 30, 161, "oooaaiio", (late,), objects=True),
    Clip("pinfold_causeway_0644", 24, 191, "ooaieoooaiiieo", (false_alarm, split)),
    Clip("quarry_spur_0365", 30, 121, "ooaio"),
    Clip("redstart_terrace_0150", 30, 125, "ooaieoo", (asleep,), sota=True),
    Clip("saltmarsh_bypass_0582", 25, 261, "ooaaiiiiieeoo", (flicker, lingering), stride=4),
    Clip("thistle_parkway_0508", 30, 181, "oooaiieoo", (late,)),
    Clip("upland_ferry_ramp_0777", 25, 141, "ooaiieo", stride=4),
    Clip("vetch_hollow_0021", 24, 115, "oaaiieo", sota=True),
    Clip("yarrow_green_0081", 30, 111, "oooaio"),
)
UNTIDY: dict[str, Callable[[Json], None]] = {
    "copper_hill_tunnel_0033": overlapping,
    "harbour_loop_1187": gap,
    "old_mill_road_0256": null_exit,
    "quarry_spur_0365": blank,
    "saltmarsh_bypass_0582": ends_early,
}
REVERSED, UNPREDICTED, UNANNOTATED = "thistle_parkway_0508", "upland_ferry_ramp_0777", "yarrow_green_0081"


def make_timeline_demo(folder: str | Path, seed: int = 7) -> None:
    folder = Path(folder)
    for old in [*folder.glob("csv/fusion/*_timeline_fusion.csv"), *folder.glob("csv/sota/sota_*.csv")]:  # maybe renamed
        old.unlink()
    truth, pred = {}, {}
    for clip in CLIPS:
        rng = Random(f"{seed} {clip.name}")  # its own, so that changing one clip leaves the others as they are
        states = drive(rng, clip)
        rows = guess(rng, clip, states)
        true, found = annotated(clip, states), predicted(clip, rows)
        if clip.objects:
            add_objects(rng, clip, zones(states)[0], true, found)
        if clip.name != UNANNOTATED:
            truth[f"{clip.name}.mp4"] = true
        if clip.name != UNPREDICTED:
            pred[f"{clip.name}.mp4"] = found
            write_timelines(rng, folder / "csv", clip, rows, found)
    write(folder / "annotations.json", laid_out(truth) + "\n")
    write(folder / "predictions.json", laid_out(pred) + "\n")


def drive(rng: Random, clip: Clip) -> list[str]:
    """The true state of every frame."""
    ends = list(accumulate(rng.uniform(0.6, 1.4) for _ in clip.route))
    states: list[str] = []
    for letter, end in zip(clip.route, ends, strict=True):
        states += [LETTERS[letter]] * (round(end / ends[-1] * clip.frames) - len(states))
    return states


def guess(rng: Random, clip: Clip, states: list[str]) -> Rows:
    """What is seen at every look: a change is noticed a little late, sometimes a little early."""
    true = runs(states)
    noticed = [0] + [(first + rng.randint(-6, 18)) // clip.stride for _, first, _ in true[1:]] + [clip.looks]
    rows = [
        state for (state, _, _), (start, stop) in zip(true, pairwise(noticed), strict=True) for _ in range(start, stop)
    ]
    for slip in clip.slips:
        slip(rng, rows)
    return rows


def annotated(clip: Clip, states: list[str]) -> Json:
    true: Json = dict(by_state(runs(states)))
    if clip.name in UNTIDY:
        UNTIDY[clip.name](true)
    return true


def predicted(clip: Clip, rows: Rows) -> Json:
    states = by_state(
        (state, first * clip.stride, min((last + 1) * clip.stride, clip.frames) - 1)
        for state, first, last in runs(rows)
    )
    if clip.name == REVERSED:
        states["inside"][0].reverse()
    return {"fps": clip.fps, "states": states}


def runs(states: list[str]) -> list[Run]:
    groups = (list(group) for _, group in groupby(range(len(states)), key=states.__getitem__))
    return [(states[at[0]], at[0], at[-1]) for at in groups]


def zones(states: list[str]) -> list[Span]:
    """Runs of anything but outside, taken together."""
    return [run[1:] for run in runs([state if state == "outside" else "zone" for state in states]) if run[0] == "zone"]


def longest(states: list[str], state: str) -> Span:
    return max((run[1:] for run in runs(states) if run[0] == state), key=length)


def length(span: Span) -> int:
    return span[1] - span[0] + 1


def fill(rows: Rows, first: int, last: int, state: str) -> None:
    rows[first : last + 1] = [state] * (last + 1 - first)


def add_objects(rng: Random, clip: Clip, zone: Span, true: Json, found: Json) -> None:
    """Things and signs along the first zone, on both sides."""
    first, last = zone

    def look(share: float) -> int:
        return round((first + share * (last - first)) / clip.stride) * clip.stride

    things = [invented(rng, look(share)) for share in (0.15, 0.3, 0.5, 0.7, 0.85) for _ in range(rng.randint(2, 4))]
    texts = [SIGNS[number] for number in sorted(rng.sample(range(len(SIGNS)), 3))]
    signs = [sign(rng, look(share), text) for share, text in zip((0.05, 0.4, 0.9), texts, strict=True)]
    true["detections"], true["ocr"] = things, signs
    found["detections"] = detected(rng, things)
    found["ocr"] = [reading(rng, clip, one) for one in signs if rng.random() < 0.85]
    if rng.random() < 0.5:
        found["ocr"].insert(0, {"frame": look(-0.1), "text": BILLBOARD})


def invented(rng: Random, frame: int) -> Json:
    label = rng.choice(list(THINGS))
    return {"frame": frame, "label": label, "box": box(rng, THINGS[label])}


def sign(rng: Random, frame: int, text: str) -> Json:
    boxed = {"box": box(rng, THINGS["sign"])} if rng.random() < 0.7 else {}
    return {"frame": frame, "text": text, **boxed}


def box(rng: Random, size: tuple[int, int]) -> Box:
    scale = rng.uniform(0.5, 1.6)
    width, height = round(size[0] * scale), round(size[1] * scale)
    x, y = rng.randint(0, IMAGE[0] - width), rng.randint(IMAGE[1] // 3, IMAGE[1] - height)
    return [x, y, x + width, y + height]


def nearly(rng: Random, true: Box) -> Box:
    """The box, every side off by up to an eighth of its extent."""
    extent = (true[2] - true[0], true[3] - true[1]) * 2
    return [side + round(rng.uniform(-0.125, 0.125) * size) for side, size in zip(true, extent, strict=True)]


def detected(rng: Random, things: list[Json]) -> list[Json]:
    """Most things with a good score, some called something else, and a few that are not there."""
    found = []
    for thing in things:
        if rng.random() < 0.88:
            label = rng.choice(("cone", "drum")) if rng.random() < 0.1 else thing["label"]
            found.append({**thing, "label": label, "box": nearly(rng, thing["box"]), "score": score(rng, 0.45, 0.98)})
        if rng.random() < 0.12:
            found.append({**invented(rng, thing["frame"]), "score": score(rng, 0.2, 0.65)})
    return found


def reading(rng: Random, clip: Clip, true: Json) -> Json:
    """Read at one of the next looks, now and then with a character wrong."""
    boxed = {"box": nearly(rng, true["box"])} if "box" in true else {}
    text = misread(rng, true["text"]) if rng.random() < 0.4 else true["text"]
    return {"frame": true["frame"] + clip.stride * rng.randint(0, 2), "text": text, **boxed}


def misread(rng: Random, text: str) -> str:
    place = rng.choice([at for at, character in enumerate(text) if character in LOOK_ALIKES])
    return text[:place] + LOOK_ALIKES[text[place]] + text[place + 1 :]


def score(rng: Random, low: float, high: float) -> float:
    return round(rng.uniform(low, high), 2)


def write_timelines(rng: Random, folder: Path, clip: Clip, rows: Rows, found: Json) -> None:
    """A row a look in one layout, a row a frame without times in the other. The runtime goes into the JSON, too."""
    runtimes = [rng.uniform(350, 430), *(rng.triangular(27, 55, 34) for _ in rows[1:])]  # the first look warms up
    milliseconds = [round(runtime, 1) for runtime in runtimes]
    found["runtime"] = {"frames": clip.looks, "seconds": round(sum(milliseconds) / 1000, 4)}
    texts = {one["frame"]: one["text"] for one in found.get("ocr", ())}
    fusion: list[tuple[object, ...]] = [("frame", "time_sec", "state", "confidence", "ocr_text", "runtime_ms")]
    for at, (state, runtime) in enumerate(zip(rows, milliseconds, strict=True)):
        frame = at * clip.stride
        name = "OUT" if state == "outside" else state.upper()
        fusion.append(
            (frame, f"{frame / clip.fps:.4f}", name, confidence(rng, rows, at), texts.get(frame, ""), runtime)
        )
    write(folder / "fusion" / f"{clip.name}_timeline_fusion.csv", as_csv(fusion))
    if clip.sota:
        looks = [frame // clip.stride for frame in range(clip.frames)]
        sota = [(frame, SHORT[rows[at]], confidence(rng, rows, at)) for frame, at in enumerate(looks)]
        write(folder / "sota" / f"sota_{clip.name}.csv", as_csv([("Frame", "State", "Score"), *sota]))


def confidence(rng: Random, rows: Rows, at: int) -> float:
    """High, but not right after a change."""
    return score(rng, 0.72, 0.99) if rows[max(at - 2, 0)] == rows[at] else score(rng, 0.41, 0.68)


def as_csv(rows: list[tuple[object, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def laid_out(tree: Any, depth: int = 0) -> str:
    """JSON to be read by people: a line a state, a line an object, and intervals side by side."""
    line = json.dumps(tree)
    if isinstance(tree, dict) and (depth < 2 or len(line) > 100):
        items, (start, end) = [f"{json.dumps(key)}: {laid_out(value, depth + 1)}" for key, value in tree.items()], "{}"
    elif isinstance(tree, list) and tree and isinstance(tree[0], dict):
        items, (start, end) = [json.dumps(value) for value in tree], "[]"
    else:
        return line
    indent = "  " * depth
    return start + ",".join(f"\n{indent}  {item}" for item in items) + f"\n{indent}{end}"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    make_timeline_demo(sys.argv[1] if len(sys.argv) > 1 else OUT)
