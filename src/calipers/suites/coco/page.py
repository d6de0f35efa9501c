"""The page of the detection suite: COCO's numbers with intervals, what they hide, curves, classes, confusion, causes,
and the images that went wrong, drawn in their own size."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from calipers.core.sums import add_in_order
from calipers.core.survey import counted
from calipers.show.causes import MEANINGS, cause_words
from calipers.show.page import sections as part
from calipers.show.page.calibration import calibration_parts
from calipers.show.page.cases import Case, CaseViews, WorstCases, left_out, shown_cases
from calipers.show.page.causes import confusion_part, error_facets, fix_first_part, label_causes_part
from calipers.show.page.heads import MAX_ROWS, Tree, facts_of, more_rows, problems, rules, title_of
from calipers.show.page.images import EmbeddedImage, Pictures
from calipers.show.page.listing import ErrorFacets, listing, slice_facets
from calipers.show.page.outlines import SIDES, Entry, Outline, OutlineCollector, entries_of, said_of
from calipers.show.page.sections import Part

MAX_CURVES = 12
MAX_CLASSES = 40  # in the confusion matrix
RATES = ("precision", "recall", "f1")
AP_MEANINGS = MEANINGS | {
    "false_positives": "all that is wrong: every detection that found nothing",
    "misses": "all objects that were not found, also those that a detection is near",
}
AP_WORTH = (
    "What AP at overlap 0.50 would gain by TIDE's oracles, with its 95 % interval: what is misplaced or has another "
    "label becomes right, other wrong detections are gone, what was missed is not asked for. Scores count: a wrong "
    "detection below all right ones costs nothing."
)
CONFUSION = "Matches on the diagonal, then objects in the right place under another class."


def page_data(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """The data of all sections of the page. Without cases it says why there are none."""
    draw = partial(draw_case, tree, pictures=pictures)
    views = CaseViews.of(list_case, draw, partial(draw_case, tree))
    shown = shown_cases(cases, views) if cases else []
    images, objects = tree["images"], tree["objects"]
    parts = [*_fix_first(tree), *_headline(tree), *_curves(tree), *calibration_parts(tree), _classes(tree)]
    parts += [*label_causes_part(tree, "Classes by cause"), *_confusion(tree)]
    parts += _case_section(shown, cases, why_not)
    return part.page_data(
        title_of(tree),
        "coco",
        [*parts, *_hidden(tree), _sizes(tree), *_sweep(tree), *_invalid(tree), *problems(tree), *rules(tree)],
        subtitle=" · ".join(
            (
                counted(images["evaluated"], "image"),
                counted(objects["gt"], "object"),
                counted(objects["pred"], "detection"),
            )
        ),
        facts=facts_of(tree, "iou_type", "max_dets", "min_score"),
        cases=shown,
        notes=[*tree["warnings"], *(pictures.remarks if pictures else [])],
    )


def _headline(tree: Tree) -> list[Part]:
    numbers, intervals = tree["coco"], tree["intervals"]
    notes = {"AP": "mean over overlap 0.50 to 0.95", "AP_50": "overlap 0.50", "AP_75": "overlap 0.75"}
    names = [name for name in numbers if name in notes or (name in intervals and name.startswith("AR"))]
    cards = [part.card(_spoken(name), numbers[name], intervals.get(name), note=notes.get(name, "")) for name in names]
    target = f"{tree['params']['recall_target']:g}"
    for name, label in (
        ("precision_at_target", f"precision at recall {target}"),
        ("precision_at_recall", f"mean precision over recall >= {target}"),
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
    """The section with all lines of COCO's summary."""
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
    curves = [_curve(name, tree["curves"][name]) for name in known[:MAX_CURVES]]
    recall = tree["curves"][known[0]]["recall"]
    rows = [curve["precision"] for curve in tree["curves"].values() if len(curve["precision"]) == len(recall)]
    middle = [add_in_order(values) / len(values) for values in zip(*rows, strict=True)]
    about = f"Precision at overlap 0.50, interpolated as COCO does; n {tree['objects']['gt']:,} objects."
    if len(known) > MAX_CURVES:
        about += f" Of {len(known):,} classes the {MAX_CURVES} with most objects; curves.csv has all."
    mean = part.series("mean of classes", recall, middle, bold=True)
    return [part.curves("Precision over recall", "recall", "precision", [mean, *curves], about=about)]


def _curve(name: str, curve: Tree) -> Part:
    return part.series(name, curve["recall"], [round(value, 4) for value in curve["precision"]])


def _fix_first(tree: Tree) -> list[Part]:
    without_scores = fix_first_part(
        {"": tree}, lambda _, cause: {"cause": cause_words(cause)}, words="F1 without scores"
    )
    return [*without_scores, *_fix_first_in_ap(tree)]


def _fix_first_in_ap(tree: Tree) -> list[Part]:
    """A bar for each cause by what AP 50 would gain, and two for all that is wrong and all that is not found."""
    gains = tree["worth"].get("ap_50") or {}
    bars = []
    for cause, entry in sorted(gains.items(), key=lambda item: -(item[1]["gain"] or 0)):
        if entry["gain"]:
            tone: Any = "gt" if cause in ("missed", "misses") else "wrong"
            goto = {"cause": cause_words(cause)} if tree["errors"].get(cause) else None
            look = {"interval": entry["interval"], "note": AP_MEANINGS[cause], "tone": tone, "goto": goto}
            bars.append(part.bar(cause_words(cause), entry["gain"], kind="difference", **look))
    return [part.bars("Fix first, in AP 50", bars, about=AP_WORTH)] if bars else []


def _classes(tree: Tree) -> Part:
    by_label = {row["label"]: row for row in tree["sweep"]["by_label"]}
    high = f"precision at recall {tree['params']['recall_target']:g}"
    names = ("AP", "AP 50", high, "best F1", "at score", "best score by LRP", "precision", "recall", "F1")
    titles = {
        "best F1": "at the score that gives the best",
        "best score by LRP": "the score to cut at if it also matters how well boxes fit",
        "precision": "without scores, at overlap 0.50",
    }
    scores = (tree.get("calibration") or {}).get("per_class", {})
    columns = [part.column("class"), *(part.column(name, "number") for name in ("ground truth", "detections"))]
    columns += [part.column(name, "bar" if name == "AP" else "rate", titles.get(name, "")) for name in names]
    rows, per_class = [], sorted(tree["per_class"], key=lambda row: -row["gt"])
    for row in per_class[:MAX_ROWS]:
        own = by_label.get(row["name"], {})
        figures = [row.get(name) for name in ("AP", "AP_50", "precision_at_target", "best_f1", "best_score")]
        figures.append(scores.get(row["name"], {}).get("lrp_optimal_score"))
        rows.append([row["name"], row["gt"], row["pred"], *figures, *(own.get(name) for name in RATES)])
    cut = more_rows(len(per_class))
    return part.table("By class", columns, rows, goto=_labels(rows), cut=cut, sort=(1, "down"))


def _confusion(tree: Tree) -> list[Part]:
    about, names = CONFUSION, _confused(tree)
    if len(tree["confusion"]["matched"]) > len(names):
        about += f" The {len(names)} classes with most objects; confusion.csv has all."
    return confusion_part(tree["confusion"], names, about, "detected as")


def _confused(tree: Tree) -> list[str]:
    """The classes of the matrix, in the order of their ids."""
    counts = {row["name"]: row["gt"] for row in tree["per_class"]}
    named = {name for key in ("matched", "missed", "background") for name in tree["confusion"][key]}
    kept = sorted((name for name in counts if name in named), key=lambda name: -counts[name])[:MAX_CLASSES]
    return [name for name in counts if name in set(kept)]


def _hidden(tree: Tree) -> list[Part]:
    """The section about errors that AP does not show."""
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
    sections = [part.cards("What AP hides", cards)]
    if absent:
        columns = [part.column("class"), part.column("detections", "number")]
        rows_of = [[row["name"], row["pred"]] for row in absent[:MAX_ROWS]]
        goto = _labels(rows_of)
        sections.append(
            part.table("Classes without ground truth", columns, rows_of, goto=goto, cut=more_rows(len(absent)))
        )
    return sections


def _labels(rows: list[list[Any]]) -> list[part.Goto]:
    """The filters of rows that begin with a class."""
    return [{"label": row[0]} for row in rows]


def _limit(tree: Tree) -> str:
    return f"the best {max(tree['params']['max_dets']):,} of a class on an image count"


def _sweep(tree: Tree) -> list[Part]:
    rows = tree["sweep"]["thresholds"]
    levels = [row["iou"] for row in rows]
    if len(levels) < 2:
        return []
    curves = [part.series(name, levels, [row[name] for row in rows], bold=name == "f1") for name in RATES]
    about = "Every detection counts once, whatever its score; one to one within a class."
    about += f" n {tree['objects']['gt']:,} objects, {tree['objects']['pred']:,} detections."
    return [part.curves("Without scores, over the sweep", "overlap threshold", "rate", curves, about=about)]


def _invalid(tree: Tree) -> list[Part]:
    rows = [[name, n] for name, n in tree["invalid_reasons"].items()]
    columns = [part.column("what is wrong"), part.column("detections", "number")]
    return [part.table("Invalid detections", columns, rows[:MAX_ROWS], goto=["invalid"] * len(rows))] if rows else []


# The images that went wrong


def _case_section(shown: list[Part], cases: WorstCases | None, why_not: str) -> list[Part]:
    if cases is None:
        return [part.text("Failures", [why_not])] if why_not else []
    about = " ".join(left_out(shown, cases.total, "images"))
    return [part.cases("Failures", len(shown), cases.total, about=about)]


def list_case(case: Case) -> Part:
    """An image as it is listed, with all its objects that are wrong."""
    errors = [_facets(side, entry) for side, _ in SIDES for entry in case[f"unmatched_{side}"]]
    place = f"image {case['image_id']}"
    return listing(case["key"], case["key"], errors, facets=slice_facets(case), score=case["unmatched"], note=place)


def _facets(side: str, entry: Tree) -> ErrorFacets:
    """What an object can be asked for: cause, class, the cell of the confusion matrix, and whether it could be read."""
    other = entry["partner"]["category"] if entry.get("partner") else None
    return _known_facets(side, entry["cause"], entry["category"], other, bool(entry.get("invalid")))


@lru_cache(maxsize=1 << 16)
def _known_facets(side: str, cause: str, category: str, other: str | None, invalid: bool) -> ErrorFacets:
    """Facets of errors that are alike, made once."""
    return error_facets(side, cause, category, other, ["invalid"] if invalid else [])


def draw_case(tree: Tree, case: Case, pictures: Pictures | None = None) -> Part:
    """Draw an image with all its objects."""
    shapes, entries = OutlineCollector(), entries_of(case)
    for entry in entries:
        score = entry.object["score"]
        look = {"label": entry.object["category"], "score": None if score is None else round(score, 3)}
        shapes.add(entry, _outline(entry.object["bbox"]), look | _look(entry))
    picture = pictures.find(case["key"]) if pictures else None
    return part.drawn_case(
        list_case(case),
        shapes.parts(),
        _size(case, entries, picture),
        note=said_of(f"image {case['image_id']}", shapes.undrawn),
        image=picture.uri if picture else None,
    )


def _look(entry: Entry) -> Tree:
    """The cause that is shown for an object without a partner."""
    if entry.unmatched is None:
        return {}
    note = entry.unmatched.get("invalid") or ""
    error = _facets(entry.side, entry.unmatched)
    return {"cause": error.cause, "note": note, "state": "wrong", "tags": error.tags, "under": error.label}


def _outline(box: list[float | None]) -> Outline | None:
    x, y, width, height = box
    if x is None or y is None or width is None or height is None:
        return None
    return Outline("box", [round(value, 1) for value in (x, y, x + width, y + height)])


def _size(case: Case, entries: list[Entry], picture: EmbeddedImage | None) -> tuple[float, float]:
    """Width and height of an image, from the data set or its file, or else as far as its boxes reach."""
    width, height = case["width"], case["height"]
    if width and height and width > 0 and height > 0:
        return width, height
    if picture:
        return picture.size
    outlines = [outline.points for entry in entries if (outline := _outline(entry.object["bbox"]))]
    return max([1.0, *(points[2] for points in outlines)]), max([1.0, *(points[3] for points in outlines)])
