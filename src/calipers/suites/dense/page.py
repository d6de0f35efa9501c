"""The page of the dense suite: headline by label mode, the threshold curve, types and labels, causes, and the records
that went wrong, drawn on the frame of 1000 by 1000 (or in pixels, when they were given so)."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import Any, Literal, TypeGuard

from calipers.show.page import sections as part
from calipers.show.page.cases import Case, WorstCases, drawn_cases, left_out
from calipers.show.page.heads import MOST_ROWS, Tree, facts_of, more_rows, problems, rules, short_name, title_of
from calipers.show.page.images import Pictures
from calipers.show.page.outlines import SIDES, Entry, Outline, Shapes, entries_of, said_of
from calipers.show.page.sections import Part

FORMS: dict[str, Literal["box", "poly", "line"]] = {"bbox_2d": "box", "poly": "poly", "line": "line"}
FRAME = 1000
LARGEST = 1e6  # pixels that a drawing is worth
LONGEST_NOTE = 240
RATES = ("precision", "recall", "f1")
MEANINGS = {
    "missed": "ground truth without a partner",
    "misplaced": "a prediction that overlaps, but too little",
    "wrong_label": "a prediction in place, under another category",
    "duplicate": "a prediction of what is found already",
    "spurious": "a prediction of nothing",
}


def page_data(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """Everything the page shows. Without cases it says why there are none."""
    shown = _drawn(tree, cases, pictures) if cases else []
    records, objects = tree["records"], tree["objects"]
    return part.page_data(
        title_of(tree),
        "dense",
        [*_first(tree), *_case_section(shown, cases, why_not), *_details(tree), *problems(tree), *rules(tree)],
        subtitle=f"{records['evaluated']:,} records · {objects['gt']:,} objects · {objects['pred']:,} predicted",
        facts=facts_of(tree, "frame", "primary_threshold", "tube_tolerance"),
        cases=shown,
        notes=[*_remarks(tree), *(pictures.remarks if pictures else [])],
    )


def tag(cause: str) -> str:
    """A cause as it is read and clicked."""
    return cause.replace("_", " ")


def _first(tree: Tree) -> list[Part]:
    """What a reader came for."""
    return [_headline(tree), *_f1_curves(tree), _causes(tree), *_by_label(tree)[:1]]


def _details(tree: Tree) -> list[Part]:
    numbers = [_by_type(tree), *_by_label(tree)[1:], *_sweeps(tree), _counts(tree)]
    return [*numbers, *_attributes(tree), *_coverage(tree), *_invalid(tree)]


def _headline(tree: Tree) -> Part:
    modes, first = tree["modes"], headline_mode(tree)
    found = [_mean_f1(name, modes[name]) for name in sorted(modes, key=lambda name: name != first)]
    primary = modes[first]["primary"]
    for name, tagged in (("precision", None), ("recall", tag("missed")), ("f1", None)):
        interval = (primary.get("interval") or {}).get(name)
        spoken = "F1" if name == "f1" else name
        at = f"{first}, overlap ≥ {primary['iou']:g}"
        found.append(part.card(spoken, primary[name], interval, note=at, goto=tagged))
    return part.cards("Headline", found)


def headline_mode(tree: Tree) -> str:
    """The strictest mode that was asked for."""
    return "category" if "category" in tree["modes"] else list(tree["modes"])[-1]


def _mean_f1(mode: str, found: Tree) -> Part:
    levels = [row["iou"] for row in found["thresholds"]]
    over = f"over {len(levels)} thresholds, {min(levels):g} to {max(levels):g}" if levels else ""
    return part.card(f"mean F1, {mode}", found["mean_f1"], found.get("mean_f1_interval"), note=over)


def _f1_curves(tree: Tree) -> list[Part]:
    modes, first = tree["modes"], headline_mode(tree)
    levels = [row["iou"] for row in modes[first]["thresholds"]]
    found = [part.series(name, levels, _column(mode, "f1"), bold=name == first) for name, mode in modes.items()]
    curves = part.curves("F1 over the threshold", "overlap threshold", "F1", found, marks=_marks(tree))
    return [curves] if len(levels) > 1 else []


def _sweeps(tree: Tree) -> list[Part]:
    """Precision, recall and F1 over the sweep, a chart a mode."""
    found = []
    for name, mode in reversed(tree["modes"].items()):
        levels = [row["iou"] for row in mode["thresholds"]]
        lines = [part.series(what, levels, _column(mode, what), bold=what == "f1") for what in RATES]
        if len(levels) > 1:
            title = f"Precision and recall, {name}"
            found.append(part.curves(title, "overlap threshold", "rate", lines, marks=_marks(tree)))
    return found


def _marks(tree: Tree) -> list[Part]:
    return [part.mark(tree["params"]["primary_threshold"], "primary")]


def _column(mode: Tree, name: str) -> list[float | None]:
    return [row[name] for row in mode["thresholds"]]


def _causes(tree: Tree) -> Part:
    errors = {name: n for name, n in tree["errors"].items() if name != "matched"}
    rows = sorted(errors, key=lambda name: -errors[name])
    found = [
        part.bar(
            tag(name), errors[name], note=MEANINGS[name], tone=_tone(name), goto=tag(name) if errors[name] else None
        )
        for name in rows
    ]
    about = f"{tree['errors']['matched']:,} pairs match; of everything else, the cause at the primary threshold."
    return part.bars("Where it goes wrong", found, about=about)


def _tone(cause: str) -> Any:
    return "gt" if cause == "missed" else "wrong"


def _by_type(tree: Tree) -> Part:
    """In full for the headline, of the other modes F1 alone."""
    modes, first = tree["modes"], headline_mode(tree)
    others = [name for name in modes if name != first]
    columns = [part.column("type"), part.column("ground truth", "number"), part.column("predicted", "number")]
    columns += [part.column(name, "rate", first) for name in ("precision", "recall")]
    columns += [part.column("F1", "bar", first), part.column("mean F1", "rate", f"{first}, over the sweep")]
    columns += [part.column(f"F1, {name}", "rate") for name in others]
    rows = []
    for kind in FORMS:
        own = modes[first]["by_type"][kind]
        row = [kind, *(own["primary"][name] for name in ("gt", "pred", *RATES)), own["mean_f1"]]
        rows.append(row + [modes[name]["by_type"][kind]["primary"]["f1"] for name in others])
    return part.table("By type", columns, rows, goto=list(FORMS))


def _by_label(tree: Tree) -> list[Part]:
    found = []
    for name, mode in reversed(tree["modes"].items()):
        if mode["by_label"]:
            columns = [part.column(name), *(part.column(each, "number") for each in ("ground truth", "predicted"))]
            columns += [part.column("matched", "number"), part.column("precision", "rate")]
            columns += [part.column("recall", "rate"), part.column("F1", "bar")]
            kept = mode["by_label"][:MOST_ROWS]
            rows = [[row["label"], *(row[each] for each in ("gt", "pred", "matched", *RATES))] for row in kept]
            tags = [label_tag(name, row["label"]) for row in kept]
            cut = more_rows(len(mode["by_label"]))
            found.append(part.table(f"By {name}", columns, rows, goto=tags, cut=cut, sort=(1, "down")))
    return found


def label_tag(mode: str, label: str) -> str:
    """A label as it is clicked; a phase may be called like a category."""
    return label if mode == "category" else f"{mode} {label}"


def _counts(tree: Tree) -> Part:
    counts = tree["counts"]
    found = [part.card("mean count error", counts["mae"], kind="number", better="low", note="|predicted − true|")]
    for name, said in (("over_rate", "too many"), ("under_rate", "too few")):
        found.append(part.card(said, counts[name], better="low", note="share of records"))
    return part.cards("Counts", [*found, part.card("as many", counts["equal_rate"], note="share of records")])


def _attributes(tree: Tree) -> list[Part]:
    found = tree["attributes"]
    if not found["pairs"]:
        return []
    texts, distance = found["text"], found["distance"]
    cards = [part.card("attribute F1", found["f1"], note=f"over {found['pairs']:,} pairs in place")]
    for name, each in texts.items():
        cards.append(part.card(f"{name} exact", each["exact"], note=f"n {each['n']:,}"))
        cards.append(part.card(f"{name} similarity", each["similarity"], note=f"n {each['n']:,}"))
    if distance["n"]:
        cards.append(
            part.card("distance error", distance["mae"], kind="number", better="low", note="mean, where both say one")
        )
    columns = [part.column("key"), *(part.column(each, "number") for each in ("ground truth", "predicted", "equal"))]
    rows = [
        [key, *(row[each] for each in ("gt", "pred", "matched", "accuracy"))] for key, row in found["by_key"].items()
    ]
    table = part.table(
        "By attribute", [*columns, part.column("accuracy", "bar")], rows[:MOST_ROWS], cut=more_rows(len(rows))
    )
    return [part.cards("Attributes", cards), *([table] if rows else [])]


def _coverage(tree: Tree) -> list[Part]:
    found = []
    for name, note in (("best", "of true lines, by the best prediction"), ("matched", "of matched lines")):
        each = tree["coverage"][name]
        if each["n"]:
            about = f"{note}, n {each['n']:,}"
            found += [part.card(f"line {what}", each[what], note=about) for what in ("recall", "precision")]
    return [part.cards("Coverage of lines", found)] if found else []


def _invalid(tree: Tree) -> list[Part]:
    reasons = tree["invalid_reasons"]
    if not reasons:
        return []
    rows = [[name, n] for name, n in reasons.items()]
    about = "They count as predictions that match nothing."
    columns = [part.column("what is wrong"), part.column("predictions", "number")]
    return [part.table("Invalid predictions", columns, rows, goto=["invalid"] * len(rows), about=about)]


def _remarks(tree: Tree) -> list[str]:
    objects, nameless = tree["objects"], tree["unlabelled"]
    found = []
    if nameless["gt"] or nameless["pred"]:
        sides = f"{nameless['gt']:,} true and {nameless['pred']:,} predicted objects"
        found.append(f"{sides} have no label, and such match nothing by label.")
    if objects["clamped"]:
        found.append(f"{objects['clamped']:,} predictions reach outside the frame and were cut at its edge.")
    return found


# The records that went wrong


def _case_section(shown: list[Part], cases: WorstCases | None, why_not: str) -> list[Part]:
    if cases is None:
        return [part.text("Failures", [why_not])] if why_not else []
    about = " ".join(left_out(len(shown), cases.total, "records"))
    return [part.cases("Failures", len(shown), cases.total, about=about)]


def _drawn(tree: Tree, cases: WorstCases, pictures: Pictures | None) -> list[Part]:
    return drawn_cases(cases.parsed(), cases.limit, _tags, partial(draw_case, tree, pictures=pictures))


def _tags(case: Case) -> list[str]:
    """What leads to a case: causes, labels and types of its objects without a partner."""
    found: dict[str, None] = {}
    for side, _ in SIDES:
        for entry in case[f"unmatched_{side}"]:
            found |= dict.fromkeys(_object_tags(case, side, entry))
    return list(found)


def _object_tags(case: Case, side: str, entry: Tree) -> list[str]:
    labels, index, given = case["labels"][side], entry["index"], entry["object"]
    kind = given.get("type") if isinstance(given, dict) else None
    named = [label_tag(mode, labels[mode][index]) for mode in ("category", "phase") if labels[mode][index]]
    types = [kind] if kind in FORMS else []
    return [tag(entry["cause"]), *named, *types, *(["invalid"] if "invalid" in entry else [])]


def draw_case(tree: Tree, case: Case, pictures: Pictures | None = None) -> Part:
    """A record with all its objects."""
    pixel, size = tree["params"]["frame"] == "pixel", _size(case["fields"])
    canvas = size if pixel and size else (FRAME, FRAME)
    picture = pictures.find(case["key"], *_names(case["fields"])) if pictures else None
    seen = picture.aspect if picture else size[0] / size[1] if size else None
    shapes = Shapes()
    for entry in entries_of(case):
        label = case["labels"][entry.side]["category"][entry.place]
        shapes.add(entry, _outline(entry.object, canvas), label=label, **_look(case, entry))
    return part.case(
        case["key"],
        case["key"],
        shapes.parts(),
        canvas,
        tags=_tags(case),
        score=case["unmatched"],
        note=said_of(f"{short_name(case['path'])}:{case['line']}", shapes.undrawn),
        image=picture.uri if picture else None,
        aspect=None if pixel else seen,
    )


def _look(case: Case, entry: Entry) -> Tree:
    """What is said of an object without a partner."""
    if entry.unmatched is None:
        return {}
    desc = entry.object.get("desc") if isinstance(entry.object, dict) else None
    reason = entry.unmatched.get("invalid", "")
    said = " · ".join(each for each in (desc, reason) if isinstance(each, str) and each)
    tags = _object_tags(case, entry.side, entry.unmatched)
    return {"cause": tags[0], "note": said[:LONGEST_NOTE], "state": "wrong", "tags": tags[1:]}


def _size(fields: Tree) -> tuple[float, float] | None:
    """Width and height of the image, where a record says them."""
    found = [value for name in ("width", "height") if _is_number(value := fields.get(name)) and 0 < value <= LARGEST]
    return (found[0], found[1]) if len(found) == 2 else None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _names(fields: Tree) -> list[str]:
    return [value for name in ("image_path", "image") if isinstance(value := fields.get(name), str)]


def _outline(given: Any, canvas: tuple[float, float]) -> Outline | None:
    """The form and the points of an object, cut at the edges of the canvas as they are when it is measured."""
    if not isinstance(given, dict) or given.get("type") not in FORMS or not isinstance(given.get("points"), list):
        return None
    form, numbers = FORMS[given["type"]], _flat(given["points"])
    if not all(map(_is_number, numbers)) or len(numbers) % 2:
        return None
    points = [round(min(max(value, 0), canvas[at % 2]), 1) for at, value in enumerate(numbers)]
    if form == "box" and len(points) == 4:
        x, y = sorted(points[::2]), sorted(points[1::2])
        return Outline(form, [x[0], y[0], x[1], y[1]])
    return Outline(form, points) if form != "box" and len(points) >= part.POINTS[form] else None


def _flat(points: list[Any]) -> list[Any]:
    """Points may be given as pairs."""
    pairs = all(isinstance(each, list) and len(each) == 2 for each in points)
    return [value for each in points for value in each] if pairs else points
