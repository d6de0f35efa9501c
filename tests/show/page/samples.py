"""Pages with every kind of section, made up: one like a run over photographs, one like videos, one like rooms."""

import random
import struct
import zlib
from base64 import b64encode
from itertools import pairwise
from typing import Any

from calipers.show.page import sections as made

LABELS = ["BBU安装螺丝", "光纤", "标签", "紧固件", "机柜空间", "ODF端光纤插头", "接地线", "挡风板", "RRU", "fan tray"]
CAUSES = ["missed", "misplaced", "wrong_label", "duplicate", "spurious"]
THRESHOLDS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]


def photographs(cases: int = 40, rows: int = 10) -> dict[str, Any]:
    """A page like that of the dense suite."""
    rng = random.Random(7)
    sections = [
        headline(),
        threshold_curve(),
        causes(),
        labels(rng, rows),
        confusion(rng),
        made.text("How to read this", ["An object is right when it has a partner.", "Intervals are 95 %."]),
        made.cases("Failures", cases, cases * 9, about="The records that went wrong, worst first."),
    ]
    drawn = [photograph(rng, number) for number in range(cases)]
    facts = [("records", "512 read · 509 evaluated · 3 empty"), ("objects", "9,812 ground truth · 9,640 predicted")]
    facts += [("matching", "greedy, one to one"), ("coordinates", "norm1000"), ("tube", "± 8")]
    notes = ["gt_vs_pred.jsonl sha256 9f2c…", "6 predictions were invalid and count as unmatched."]
    return made.page_data(
        "gt_vs_pred.jsonl",
        "dense",
        sections,
        subtitle="Regions and lines, 512 records",
        facts=facts,
        cases=drawn,
        notes=notes,
    )


def headline() -> dict[str, Any]:
    found = [
        made.card("mean F1", 0.561, (0.543, 0.58), note="over IoU 0.50 to 0.95"),
        made.card("precision", 0.742, (0.728, 0.757), note="n 9,640", goto="spurious"),
        made.card("recall", 0.701, (0.684, 0.717), note="n 9,812", goto="missed"),
        made.card("count error", 1.31, (1.2, 1.4), kind="number", better="low", unit="objects"),
        made.card("attribute F1", None, None, note="n 0"),
    ]
    return made.cards("Headline", found, about="Category labels, IoU at least 0.50.")


def threshold_curve() -> dict[str, Any]:
    rows = []
    for name, top in (("localization", 0.81), ("phase", 0.78), ("category", 0.72)):
        y = [max(0.02, top - 1.4 * (x - 0.5) ** 1.6) for x in THRESHOLDS]
        low, high = [value - 0.02 for value in y], [value + 0.02 for value in y]
        band = {"low": low, "high": high} if name == "category" else {}
        rows.append(made.series(name, THRESHOLDS, y, bold=name == "category", **band))
    return made.curves("F1 by threshold", "IoU threshold", "F1", rows, marks=[made.mark(0.5, "primary")])


def causes() -> dict[str, Any]:
    counts = dict(zip(CAUSES, (1420, 610, 388, 95, 217), strict=True))
    notes = {"missed": "of the ground truth, nothing near", "duplicate": "a second prediction of the same object"}
    found = [made.bar(name, n, note=notes.get(name, ""), tone="wrong", goto=name) for name, n in counts.items()]
    return made.bars("Where it goes wrong", found)


def labels(rng: random.Random, rows: int) -> dict[str, Any]:
    columns = [made.column("label"), made.column("n", "number", "objects in the ground truth")]
    columns += [made.column("precision", "rate"), made.column("recall", "rate"), made.column("F1", "bar")]
    columns += [made.column("95 % of F1", "interval")]
    found: list[list[Any]] = []
    for k in range(rows):
        name = LABELS[k] if k < len(LABELS) else f"label {k}"
        p, r = rng.uniform(0.3, 0.95), rng.uniform(0.2, 0.95)
        f1 = None if k == 3 else 2 * p * r / (p + r)
        found.append([name, rng.randrange(1, 3000), p, None if k == 3 else r, f1, f1 and (f1 - 0.03, f1 + 0.03)])
    goto = [row[0] if k < len(LABELS) else None for k, row in enumerate(found)]
    return made.table("By label", columns, found, goto=goto, cut="12 more labels in the artifact", sort=(1, "down"))


def confusion(rng: random.Random) -> dict[str, Any]:
    cells, goto = [], []
    for row in range(len(LABELS)):
        for column in range(len(LABELS)):
            n = rng.randrange(300, 2000) if row == column else rng.choice([0, 0, 0, 3, 12, 80, 170])
            if n:
                cells.append((row, column, n))
                goto.append(None if row == column else LABELS[row])
    axes = {"row_title": "ground truth", "column_title": "prediction"}
    return made.matrix("Confusion of labels", LABELS, LABELS, cells, goto=goto, **axes)


def photograph(rng: random.Random, number: int) -> dict[str, Any]:
    """One record: most objects matched, some missed, misplaced or made up."""
    shapes: list[dict[str, Any]] = []
    tags: list[str] = []
    for _ in range(rng.randrange(5, 16)):
        add_object(rng, shapes, tags)
    wrong = sum(shape.get("partner") is None for shape in shapes)
    key = f"tower/IMG_{number:04d}.jpg"
    about = f"line {number + 1} of gt_vs_pred.jsonl"
    more = {"aspect": 4 / 3 if number % 3 else 16 / 9, "note": about, "image": None if number % 5 else picture()}
    return made.case(key, key, shapes, (1000, 1000), tags=sorted(set(tags)), score=wrong, **more)


def picture(width: int = 160, height: int = 120) -> str:
    """A sky over a ground, as a data URI."""
    colours = ([60 + y, 90 + y // 2, 200 - y] if y < 70 else [70, 90 - y // 3, 50] for y in range(height))
    rows = [bytes(1) + bytes(colour) * width for colour in colours]
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(b"".join(rows)))]
    chunks = [kind + data for kind, data in [*parts, (b"IEND", b"")]]
    sized = (struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in chunks)
    return "data:image/png;base64," + b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(sized)).decode("ascii")


def add_object(rng: random.Random, shapes: list[dict[str, Any]], tags: list[str]) -> None:
    label, fate = rng.choice(LABELS), rng.choice(["matched"] * 6 + CAUSES)
    x, y, w, h = rng.randrange(20, 800), rng.randrange(20, 800), rng.randrange(40, 200), rng.randrange(40, 180)
    form, truth = outline(rng, x, y, w, h)
    off = rng.randrange(40, 70) if fate == "misplaced" else rng.randrange(-8, 8)
    pred = [value + off for value in truth]
    at = len(shapes)
    if fate == "matched":
        overlap = rng.uniform(0.55, 0.98)
        shapes.append(made.shape("gt", form, truth, label, "matched", partner=at + 1, overlap=overlap))
        shapes.append(made.shape("pred", form, pred, label, "matched", partner=at, overlap=overlap, score=overlap))
        return
    if fate not in ("spurious", "duplicate"):
        shapes.append(made.shape("gt", form, truth, label, "missed"))
        tags.append("missed")
    if fate != "missed":
        said = rng.choice(LABELS) if fate == "wrong_label" else label
        shapes.append(made.shape("pred", form, pred, said, fate, score=rng.uniform(0.2, 0.9), note="best IoU 0.31"))
        tags.append(fate)
    tags.append(label)


def outline(rng: random.Random, x: int, y: int, w: int, h: int) -> tuple[Any, list[int]]:
    form = rng.choice(["box", "box", "poly", "line"])
    if form == "box":
        return form, [x, y, x + w, y + h]
    if form == "poly":
        return form, [x, y + h // 3, x + w // 2, y, x + w, y + h // 2, x + w // 2, y + h, x + w // 5, y + h]
    return form, [x, y, x + w, y + h // 4, x + w + 40, y + h]


def videos(count: int = 12) -> dict[str, Any]:
    """A page like that of the timeline suite: no cases, the strips are what to look at."""
    rng = random.Random(3)
    states = ["outside", "approaching", "inside", "exiting"]
    found = [drive(rng, number, states) for number in range(count)]
    tolerances = [0, 5, 15, 30]
    rates = (("precision", [0.003, 0.033, 0.097, 0.177]), ("recall", [0.009, 0.068, 0.198, 0.338]))
    sweep = [made.series(name, tolerances, y, bold=name == "recall") for name, y in rates]
    table = made.table(
        "By video",
        [made.column("video"), made.column("frames", "number"), made.column("frame accuracy", "bar")],
        [[each["name"], each["frames"], rng.uniform(0.1, 0.95)] for each in found],
        goto=[each["name"] for each in found],
        sort=(2, "up"),
    )
    headline = [
        made.card("frame accuracy", 0.645, (0.62, 0.67), note="490 videos"),
        made.card("entry error", 41, (36, 47), kind="number", unit="frames", better="low", note="n 401"),
        made.card("false activation", 0.08, (0.05, 0.12), better="low"),
        made.card("change since main", -0.022, (-0.034, -0.010), kind="difference"),
    ]
    sections = [
        made.cards("Headline", headline),
        made.curves("Transitions by tolerance", "tolerance in frames", "rate", sweep),
        table,
        made.strips(
            "Videos", found, states, about="Ground truth over prediction; the thin line marks where they differ."
        ),
    ]
    return made.page_data("outputs/", "timeline", sections, subtitle="States along 520 videos")


def drive(rng: random.Random, number: int, states: list[str]) -> dict[str, Any]:
    frames = rng.randrange(600, 1400)
    rows = {name: walk(rng, frames, states, steps) for name, steps in (("ground truth", 5), ("prediction", 11))}
    note = f"frame accuracy {rng.uniform(0.1, 0.9):.3f} · 3 transitions missed"
    return made.video(f"boston_{number:05d}_snippet.mp4", frames, rows, note=note, fps=30.0)


def walk(rng: random.Random, frames: int, states: list[str], steps: int) -> list[tuple[str, int, int]]:
    cuts = [0, *sorted(rng.sample(range(1, frames), steps - 1)), frames]
    return [(states[k % 4], a, b - 1) for k, (a, b) in enumerate(pairwise(cuts))]


def rooms() -> dict[str, Any]:
    """A page like that of the scene suite: footprints in metres, y up, several methods."""
    rng = random.Random(5)
    kinds = ["chair", "table", "sofa", "lamp", "shelf"]
    drawn = []
    for number in range(8):
        shapes: list[dict[str, Any]] = []
        for _ in range(9):
            x, y, w, h = rng.uniform(-3.5, 3), rng.uniform(-2, 1.5), rng.uniform(0.3, 1.4), rng.uniform(0.3, 1)
            label, corners = rng.choice(kinds), [x, y, x + w, y + 0.1, x + w - 0.1, y + h, x - 0.1, y + h - 0.1]
            shapes.append(made.shape("gt", "poly", corners, label, "missed" if rng.random() < 0.3 else "", state=None))
            if not shapes[-1].get("cause"):
                moved = [value + rng.uniform(-0.1, 0.1) for value in corners]
                shapes[-1] = made.shape("gt", "poly", corners, label, "found", partner=len(shapes))
                shapes.append(made.shape("pred", "poly", moved, label, "matched", partner=len(shapes) - 1, overlap=0.6))
        shapes.append(made.shape("pred", "poly", [0, 0, 1, 0, 1, 1, 0, 1], "lamp", "no_overlap"))
        tags = ["ours" if number % 2 else "theirs", "no_overlap", "missed"]
        drawn.append(
            made.case(
                f"room {number}", f"room {number}", shapes, (-4, -3, 5, 3), tags=tags, score=8 - number, y_up=True
            )
        )
    columns = [made.column("metric"), made.column("old", "rate"), made.column("new", "rate")]
    columns += [
        made.column("difference", "difference"),
        made.column("95 %", "interval"),
        made.column("verdict", "verdict"),
    ]
    rows = [["recall", 0.6, 0.7, 0.1, (0.02, 0.18), "better"], ["precision", 0.8, 0.7, -0.1, (-0.2, -0.01), "worse"]]
    rows += [["F1", 0.68, 0.7, 0.02, (-0.05, 0.09), "cannot tell"]]
    sections = [made.table("Compared", columns, rows), made.cases("Rooms", 8, 8)]
    return made.page_data("two methods", "scene", sections, subtitle="Boxes in 8 rooms", cases=drawn)


def many_rows(rows: int = 10_000, cases: int = 300) -> dict[str, Any]:
    """The largest page that must stay quick."""
    return photographs(cases, rows)


SAMPLES = {"photographs": photographs, "videos": videos, "rooms": rooms}
