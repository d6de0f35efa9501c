"""The page of the detection suite: COCO's numbers with intervals, what they hide, curves, classes, confusion, causes,
and the images that went wrong, drawn in their own size."""

from __future__ import annotations

from functools import partial
from typing import Any

from calipers.show.page import sections as part
from calipers.show.page.cases import Case, WorstCases, drawn_cases, left_out
from calipers.show.page.heads import MOST_ROWS, Tree, facts_of, more_rows, problems, rules, title_of
from calipers.show.page.images import Picture, Pictures
from calipers.show.page.outlines import SIDES, Entry, Outline, Shapes, entries_of, said_of
from calipers.show.page.sections import Part
from calipers.suites.coco.errors import ERRORS

MOST_CURVES = 12
MOST_CLASSES = 40  # in the confusion matrix
PLACED = 0.5  # overlap from which two objects are in one place
MISSED, BACKGROUND = "missed", "background"  # in the matrix: what no class was found for, and what was made up
RATES = ("precision", "recall", "f1")
SPOKEN = {"class": "wrong class", "both": "wrong class and place"}
MEANINGS = {
    "missed": "ground truth without a partner",
    "localisation": "right class, too little overlap",
    "class": "in place, under another class",
    "both": "another class and too little overlap",
    "duplicate": "a second detection of what is found already",
    "background": "a detection of nothing",
}


def page_data(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """Everything the page shows. Without cases it says why there are none."""
    draw = partial(draw_case, tree, pictures=pictures)
    shown = drawn_cases(cases.parsed(), cases.limit, _tags, draw) if cases else []
    images, objects = tree["images"], tree["objects"]
    parts = [*_headline(tree), *_curves(tree), _causes(tree), _classes(tree), *_confusion(tree)]
    parts += _case_section(shown, cases, why_not)
    return part.page_data(
        title_of(tree),
        "coco",
        [*parts, *_hidden(tree), _sizes(tree), *_sweep(tree), *_invalid(tree), *problems(tree), *rules(tree)],
        subtitle=f"{images['evaluated']:,} images · {objects['gt']:,} objects · {objects['pred']:,} detections",
        facts=facts_of(tree, "iou_type", "max_dets", "min_score"),
        cases=shown,
        notes=[*tree["warnings"], *(pictures.remarks if pictures else [])],
    )


def _headline(tree: Tree) -> list[Part]:
    found, intervals = tree["coco"], tree["intervals"]
    notes = {"AP": "mean over overlap 0.50 to 0.95", "AP_50": "overlap 0.50", "AP_75": "overlap 0.75"}
    names = [name for name in found if name in notes or (name in intervals and name.startswith("AR"))]
    cards = [part.card(_spoken(name), found[name], intervals.get(name), note=notes.get(name, "")) for name in names]
    target = f"{tree['params']['recall_target']:g}"
    for name, label in (
        ("precision_at_target", f"precision at recall {target}"),
        ("precision_at_recall", f"mean precision over recall ≥ {target}"),
    ):
        cards.append(part.card(label, tree.get(name), intervals.get(name), note="overlap 0.50"))
    sweep = tree["sweep"]
    cards.append(part.card("mean F1 without scores", sweep["mean_f1"], sweep.get("mean_f1_interval"), note="sweep"))
    reason = tree["ap_undefined_reason"]
    return [part.cards("Headline", cards, about=f"There is no AP: {reason}." if reason else "")]


def _spoken(name: str) -> str:
    """A line of COCO as people write it.

    >>> _spoken("AP_50"), _spoken("AR_100"), _spoken("AP_small")
    ('AP 50', 'AR 100', 'AP small')
    """
    return name.replace("_", " ")


def _sizes(tree: Tree) -> Part:
    """All of COCO's lines."""
    rows = [[_spoken(name), value, tree["intervals"].get(name)] for name, value in tree["coco"].items()]
    columns = [part.column("line"), part.column("value", "bar"), part.column("95 % interval", "interval")]
    return part.table("COCO's lines", columns, rows)


def _curves(tree: Tree) -> list[Part]:
    """Precision over recall at overlap 0.50, of the largest classes and their mean."""
    known = [
        row["name"] for row in sorted(tree["per_class"], key=lambda row: -row["gt"]) if row["name"] in tree["curves"]
    ]
    if not known:
        return []
    found = [_curve(name, tree["curves"][name]) for name in known[:MOST_CURVES]]
    recall = tree["curves"][known[0]]["recall"]
    rows = [curve["precision"] for curve in tree["curves"].values() if len(curve["precision"]) == len(recall)]
    middle = [sum(values) / len(values) for values in zip(*rows, strict=True)]
    about = "Precision at overlap 0.50, interpolated as COCO does."
    if len(known) > MOST_CURVES:
        about += f" Of {len(known):,} classes the {MOST_CURVES} with most objects; curves.csv has all."
    mean = part.series("mean of classes", recall, middle, bold=True)
    return [part.curves("Precision over recall", "recall", "precision", [mean, *found], about=about)]


def _curve(name: str, curve: Tree) -> Part:
    return part.series(name, curve["recall"], [round(value, 4) for value in curve["precision"]])


def _causes(tree: Tree) -> Part:
    errors = tree["errors"]
    rows = sorted(ERRORS, key=lambda name: -errors[name])
    found = [
        part.bar(
            _cause(name),
            errors[name],
            note=MEANINGS[name],
            tone="gt" if name == "missed" else "wrong",
            goto=_cause(name) if errors[name] else None,
        )
        for name in rows
    ]
    aside = tree["objects"]["in_crowd"]
    about = f"{tree['sweep']['primary']['matched']:,} pairs match at overlap 0.50 within their class, scores apart."
    if aside:
        about += f" {aside:,} detections in a crowd are left out."
    return part.bars("Where it goes wrong", found, about=about)


def _cause(name: str) -> str:
    return SPOKEN.get(name, name)


def _classes(tree: Tree) -> Part:
    found = {row["label"]: row for row in tree["sweep"]["by_label"]}
    high = f"precision at recall {tree['params']['recall_target']:g}"
    names = ("AP", "AP 50", high, "best F1", "at score", "precision", "recall", "F1")
    titles = {"best F1": "at the score that gives the best", "precision": "without scores, at overlap 0.50"}
    columns = [part.column("class"), *(part.column(each, "number") for each in ("ground truth", "detections"))]
    columns += [part.column(name, "bar" if name == "AP" else "rate", titles.get(name, "")) for name in names]
    rows, given = [], sorted(tree["per_class"], key=lambda row: -row["gt"])
    for row in given[:MOST_ROWS]:
        own = found.get(row["name"], {})
        figures = [row.get(name) for name in ("AP", "AP_50", "precision_at_target", "best_f1", "best_score")]
        rows.append([row["name"], row["gt"], row["pred"], *figures, *(own.get(name) for name in RATES)])
    cut = more_rows(len(given))
    return part.table("By class", columns, rows, goto=[row[0] for row in rows], cut=cut, sort=(1, "down"))


def _confusion(tree: Tree) -> list[Part]:
    """Rows are what is there, columns what was said; the last of each is nothing."""
    found, names = tree["confusion"], _confused(tree)
    if not names:
        return []
    at = {name: place for place, name in enumerate(names)}
    cells: list[tuple[int, int, int]] = []
    tags: list[str | None] = []
    for truth, row in found["matched"].items():
        for pred, count in row.items():
            if truth in at and pred in at:
                cells.append((at[truth], at[pred], count))
                tags.append(None if truth == pred else _taken_for(truth, pred))
    for side, key in ((MISSED, "missed"), (BACKGROUND, "background")):
        for name, count in found[key].items():
            if name in at:
                cells.append((at[name], len(names), count) if side == MISSED else (len(names), at[name], count))
                tags.append(f"{side} {name}")
    about = "Matched pairs of a class on the diagonal; what is left on both sides is paired again, whatever the class."
    if len(found["matched"]) > len(names):
        about += f" The {len(names)} classes with most objects; confusion.csv has all."
    rows, columns = [*names, "(nothing there)"], [*names, "(not found)"]
    titles = {"row_title": "ground truth", "column_title": "detected as"}
    return [part.matrix("Confusion", rows, columns, cells, goto=tags, about=about, **titles)]


def _confused(tree: Tree) -> list[str]:
    """The classes of the matrix, in the order of their ids."""
    counts = {row["name"]: row["gt"] for row in tree["per_class"]}
    said = {name for key in ("matched", "missed", "background") for name in tree["confusion"][key]}
    kept = sorted((name for name in counts if name in said), key=lambda name: -counts[name])[:MOST_CLASSES]
    return [name for name in counts if name in set(kept)]


def _taken_for(truth: str, pred: str) -> str:
    return f"{truth} taken for {pred}"


def _hidden(tree: Tree) -> list[Part]:
    """What AP does not see."""
    objects, ties = tree["objects"], tree["tie_mass"]
    rows: list[tuple[str, Any, Any]] = [
        ("detections of classes without ground truth", objects["absent_class_pred"], "AP does not see them"),
        ("detections cut by the limit on an image", objects["cut_by_max_dets"], _limit(tree)),
        ("invalid detections", objects["invalid_pred"], "left out of AP, wrong in the sweep"),
        ("detections in a crowd", objects["in_crowd"], "neither right nor wrong"),
    ]
    cards = [part.card(name, n, kind="number", note=note, better="low") for name, n, note in rows]
    cards.append(part.card("ties", ties, better="low", note="share of detections that share their score"))
    absent = tree["absent_classes"]
    found = [part.cards("What AP hides", cards)]
    if absent:
        columns = [part.column("class"), part.column("detections", "number")]
        rows_of = [[row["name"], row["pred"]] for row in absent[:MOST_ROWS]]
        goto = [row[0] for row in rows_of]
        found.append(
            part.table("Classes without ground truth", columns, rows_of, goto=goto, cut=more_rows(len(absent)))
        )
    return found


def _limit(tree: Tree) -> str:
    return f"the best {max(tree['params']['max_dets']):,} of a class on an image count"


def _sweep(tree: Tree) -> list[Part]:
    rows = tree["sweep"]["thresholds"]
    levels = [row["iou"] for row in rows]
    if len(levels) < 2:
        return []
    found = [part.series(name, levels, [row[name] for row in rows], bold=name == "f1") for name in RATES]
    about = "Every detection counts once, whatever its score; one to one within a class."
    return [part.curves("Without scores, over the sweep", "overlap threshold", "rate", found, about=about)]


def _invalid(tree: Tree) -> list[Part]:
    rows = [[name, n] for name, n in tree["invalid_reasons"].items()]
    columns = [part.column("what is wrong"), part.column("detections", "number")]
    return [part.table("Invalid detections", columns, rows[:MOST_ROWS], goto=["invalid"] * len(rows))] if rows else []


# The images that went wrong


def _case_section(shown: list[Part], cases: WorstCases | None, why_not: str) -> list[Part]:
    if cases is None:
        return [part.text("Failures", [why_not])] if why_not else []
    about = " ".join(left_out(len(shown), cases.total, "images"))
    return [part.cases("Failures", len(shown), cases.total, about=about)]


def _tags(case: Case) -> list[str]:
    found: dict[str, None] = {}
    taken = _confused_pairs(case)
    for side, _ in SIDES:
        for entry in case[f"unmatched_{side}"]:
            found |= dict.fromkeys((_cause(entry["cause"]), entry["category"], *_object_tags(side, entry, taken)))
    return list(found)


def _confused_pairs(case: Case) -> dict[tuple[str, int], str]:
    """What is left on both sides and lies in one place, as the confusion matrix pairs it: the closest first, by side
    and index the cell that both stand in."""
    free: dict[tuple[str, int], Tree] = {
        (side, entry["index"]): entry for side, _ in SIDES for entry in case[f"unmatched_{side}"]
    }
    pairs = set()
    for side, other in SIDES:
        for entry in case[f"unmatched_{side}"]:
            best = entry["best"]
            if best and best["overlap"] >= PLACED and (other, best["index"]) in free:
                own, near = entry["index"], best["index"]
                pairs.add((-best["overlap"], *((own, near) if side == "gt" else (near, own))))
    found: dict[tuple[str, int], str] = {}
    for _, truth, pred in sorted(pairs):
        ends = ("gt", truth), ("pred", pred)
        if not any(end in found for end in ends):
            found |= dict.fromkeys(ends, _taken_for(*(free[end]["category"] for end in ends)))
    return found


def _object_tags(side: str, entry: Tree, taken: dict[tuple[str, int], str]) -> list[str]:
    """Beside cause and class: the cell of the confusion matrix, and whether it could be read."""
    cell = f"{MISSED if side == 'gt' else BACKGROUND} {entry['category']}"
    return [*(["invalid"] if entry.get("invalid") else []), taken.get((side, entry["index"]), cell)]


def draw_case(tree: Tree, case: Case, pictures: Pictures | None = None) -> Part:
    """An image with all its objects."""
    shapes, entries, taken = Shapes(), entries_of(case), _confused_pairs(case)
    for entry in entries:
        score = entry.object["score"]
        look = _look(entry, taken) | {"score": None if score is None else round(score, 3)}
        shapes.add(entry, _outline(entry.object["bbox"]), label=entry.object["category"], **look)
    picture = pictures.find(case["key"]) if pictures else None
    return part.case(
        case["key"],
        case["key"],
        shapes.parts(),
        _size(case, entries, picture),
        tags=_tags(case),
        score=case["unmatched"],
        note=said_of(f"image {case['image_id']}", shapes.undrawn),
        image=picture.uri if picture else None,
    )


def _look(entry: Entry, taken: dict[tuple[str, int], str]) -> Tree:
    """What is said of an object without a partner."""
    if entry.unmatched is None:
        return {}
    note = entry.unmatched.get("invalid") or ""
    tags = _object_tags(entry.side, entry.unmatched, taken)
    return {"cause": _cause(entry.unmatched["cause"]), "note": note, "state": "wrong", "tags": tags}


def _outline(box: list[float | None]) -> Outline | None:
    x, y, width, height = box
    if x is None or y is None or width is None or height is None:
        return None
    return Outline("box", [round(value, 1) for value in (x, y, x + width, y + height)])


def _size(case: Case, entries: list[Entry], picture: Picture | None) -> tuple[float, float]:
    """Of the image as the data set or its file says it, or what its boxes reach to where nobody does."""
    width, height = case["width"], case["height"]
    if width and height and width > 0 and height > 0:
        return width, height
    if picture:
        return picture.size
    outlines = [found.points for entry in entries if (found := _outline(entry.object["bbox"]))]
    return max([1.0, *(points[2] for points in outlines)]), max([1.0, *(points[3] for points in outlines)])
