"""The summary of a detection report for a terminal: COCO's lines as everybody knows them, then what they do not say.

COCO's lines read as pycocotools prints them, an undefined one as -1.000, which a line below them explains; elsewhere
undefined is —. Under them: how sure they are, what does not count in them (detections beyond `max_dets`, classes
without ground truth), whether scores rank anything, the sweep that needs no scores, the errors behind all of it, and
the classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.show.answers import answers_line
from calipers.show.calibration import calibration_line
from calipers.show.causes import causes_line, fix_first_line
from calipers.show.slices import slices_lines
from calipers.show.text import SEPARATOR, UNDEFINED, between, named_line, padded, printable, rate, share, short, width

Tree = dict[str, Any]
KINDS = {"bbox": "boxes", "segm": "masks", "keypoints": "keypoints"}
LINE = " {:<18} {} @[ IoU={:<9} | area={:>6s} | maxDets={:>3d} ] = {}"
TITLES = {"AP": ("Average Precision", "(AP)"), "AR": ("Average Recall", "(AR)")}
ALL_THRESHOLDS, ONE_THRESHOLD = "0.50:0.95", {"50": "0.50", "75": "0.75"}
UNDEFINED_LINE = "-1.000"  # as pycocotools prints it
AREAS = ("small", "medium", "large")
MANY_TIES = 0.5  # of the detections, from which on AP should be read with care
COLUMNS = (  # of the table of classes: heading, key, width, how a value is written
    ("gt", "gt", 9, "{:,}".format),
    ("pred", "pred", 9, "{:,}".format),
    ("AP", "AP", 7, rate),
    ("AP_50", "AP_50", 7, rate),
    ("best F1", "best_f1", 9, rate),
    ("at score", "best_score", 8, rate),
)
LONGEST_NAME = 28
MAX_INPUTS, MAX_REASONS, MAX_PAIRS, MAX_WORST = 2, 3, 5, 5


def summary(tree: Tree) -> str:
    """The whole summary, without a line break at the end."""
    parts = [_header(tree), _lines_and_reason(tree), _behind(tree), _sweep(tree), _classes(tree)]
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def _header(tree: Tree) -> Iterator[str]:
    images, objects, params = tree["images"], tree["objects"], tree["params"]
    limits = ", ".join(f"{most:,}" for most in params["max_dets"])
    yield f"{_inputs(tree['inputs'])}   {KINDS[params['iou_type']]} · best {limits} of a class on an image"
    kept = f"{images['evaluated']:,} evaluated · {images['skipped_empty']:,} empty · {images['rejected']:,} rejected"
    silent = f" · {images['without_pred']:,} with objects and no detection" if images["without_pred"] else ""
    yield f"images    {images['total']:,} in the ground truth · {kept}{silent}"
    if "answers" in tree:
        yield f"answers   {answers_line(tree['answers'])}"
    crowd = f" ({objects['crowd']:,} crowd)" if objects["crowd"] else ""
    invalid = f" ({objects['invalid_pred']:,} invalid)" if objects["invalid_pred"] else ""
    yield f"objects   {objects['gt']:,} ground truth{crowd} · {objects['pred']:,} predicted{invalid}"
    if tree["invalid_reasons"]:
        yield f"invalid   {_reasons(tree['invalid_reasons'])} · left out of AP, counted as wrong in the sweep"


def _inputs(inputs: list[Tree]) -> str:
    names = [printable(str(entry["path"])) for entry in inputs]
    more = [f"{len(names) - MAX_INPUTS:,} more"] if len(names) > MAX_INPUTS else []
    return SEPARATOR.join(names[:MAX_INPUTS] + more)


def _reasons(reasons: dict[str, int]) -> str:
    common = sorted(reasons.items(), key=lambda item: -item[1])
    shown = [f"{n:,} {printable(reason)}" for reason, n in common[:MAX_REASONS]]
    left = sum(n for _, n in common[MAX_REASONS:])
    return SEPARATOR.join([*shown, *([f"{left:,} for other reasons"] if left else [])])


# COCO's lines


def coco_lines(tree: Tree) -> list[str]:
    """The twelve lines of COCO, or the ten of its keypoints, to the letter: an undefined number is -1.000.

    >>> params = {"iou_type": "bbox", "max_dets": [1, 10, 100]}
    >>> print(*coco_lines({"params": params, "coco": {"AP_50": 0.5, "AR_1": 0.25, "AR_small": None}}), sep="\\n")
     Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 0.500
     Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=  1 ] = 0.250
     Average Recall     (AR) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = -1.000
    """
    return [_coco_line(name, value, tree["params"]) for name, value in tree["coco"].items()]


def _coco_line(name: str, value: float | None, params: Tree) -> str:
    kind, _, detail = name.partition("_")
    threshold, area, most = ALL_THRESHOLDS, "all", params["max_dets"][-1]
    if detail in AREAS:
        area = detail
    elif detail in ONE_THRESHOLD and (kind == "AP" or params["iou_type"] == "keypoints"):
        threshold = ONE_THRESHOLD[detail]
    elif detail:  # AR_10: with at most so many detections
        most = int(detail)
    return LINE.format(*TITLES[kind], threshold, area, most, UNDEFINED_LINE if value is None else rate(value))


def _lines_and_reason(tree: Tree) -> Iterator[str]:
    yield from coco_lines(tree)
    if tree["ap_undefined_reason"]:
        yield f" AP and AR are undefined: {printable(tree['ap_undefined_reason'])}."
        if tree["sweep"]["primary"]["gt"]:
            yield " Read the sweep below instead, which needs no scores."
    elif None in tree["coco"].values():
        yield f" {UNDEFINED_LINE} is undefined ({UNDEFINED}): no such object has to be found."


# What they do not say


def _behind(tree: Tree) -> Iterator[str]:
    objects = tree["objects"]
    yield from _sureness(tree)
    if objects["cut_by_max_dets"]:
        most = f"{tree['params']['max_dets'][-1]:,}"
        cut = f"{_count(objects['cut_by_max_dets'], 'detection')} beyond the best {most} of a class on an image"
        yield named_line("cut by max_dets", f"{cut}: AP does not count them")
    if tree["tie_mass"] and not tree["ap_undefined_reason"]:
        yield named_line("ties", _ties(tree["tie_mass"]))
    yield from _calibration(tree)
    if tree["absent_classes"]:
        yield named_line("absent classes", _absent(tree))


def _sureness(tree: Tree) -> Iterator[str]:
    """How far AP could be off, and precision where recall is high."""
    numbers, intervals = tree["coco"], tree["intervals"]
    known = [
        f"{name} {rate(numbers[name])}{between(intervals[name])}" for name in ("AP", "AP_50") if intervals.get(name)
    ]
    if known:
        yield named_line("95 % intervals", f"{SEPARATOR.join(known)}   over images")
    if tree["precision_at_recall"] is not None:
        names = ("precision_at_target", "precision_at_recall")
        at, beyond = (rate(tree.get(name)) + between(intervals.get(name)) for name in names)
        target = f"{tree['params']['recall_target']:g}"
        text = SEPARATOR.join([f"{at} at recall {target}", f"{beyond} mean precision over recall >= {target}"])
        yield named_line("precision", text)


def _calibration(tree: Tree) -> Iterator[str]:
    """How far scores are from precision, and the best of the operating points."""
    if line := calibration_line(tree):
        yield named_line("calibration", line)
    elif (reason := tree.get("calibration_undefined_reason")) and not tree["ap_undefined_reason"]:
        yield named_line("calibration", f"undefined: {printable(reason)}")


def _ties(mass: float) -> str:
    share = f"{_percent(mass)} of detections share their score with another of their class"
    meaning = f"{SEPARATOR}the order of the images decides between them, not the model: read AP with care"
    return share + (meaning if mass >= MANY_TIES else "")


def _percent(part: float) -> str:
    """A share that is never rounded to nothing.

    >>> _percent(0.31), _percent(0.0001)
    ('31 %', 'under 1 %')
    """
    return share(part) if part >= 0.01 else "under 1 %"


def _absent(tree: Tree) -> str:
    """Detections of classes without ground truth."""
    rows = sorted(tree["absent_classes"], key=lambda row: -row["pred"])
    n = tree["objects"]["absent_class_pred"]
    text = f"{_count(n, 'false positive')} of {_count(len(rows), 'class', 'classes')} without ground truth"
    named = [f"{_name(row['name'])} ({row['pred']:,})" for row in rows]
    return SEPARATOR.join([f"{text}: AP does not see them", *_first(named, tree["params"]["top"])])


# Without scores


def _sweep(tree: Tree) -> Iterator[str]:
    sweep, pairs = tree["sweep"], confused_pairs(tree["confusion"])
    primary, ends = sweep["primary"], sweep["thresholds"]
    yield named_line("score-free sweep", f"{_sides(tree)} · greedy 1-1 within a class")
    rates = f"P {rate(primary['precision'])} · R {rate(primary['recall'])} · F1 {rate(primary['f1'])}"
    yield named_line(f"IoU {primary['iou']:.2f}", rates + between(primary["interval"]["f1"]))
    mean = rate(sweep["mean_f1"]) + between(sweep["mean_f1_interval"])
    yield named_line(f"mean F1 {ends[0]['iou']:.2f}:{ends[-1]['iou']:.2f}", mean)
    yield named_line("fix first", fix_first_line(tree["worth"]["f1"]))
    if "slices" in tree:
        yield from slices_lines(tree["slices"], "sweep.f1")
    in_crowd = tree["objects"]["in_crowd"]
    ignored = [f"{in_crowd:,} in a crowd, left out"] if in_crowd else []
    yield named_line("where it goes wrong", SEPARATOR.join([causes_line(tree["errors"]), *ignored]))
    if pairs:
        shown = [f"{_name(gt)} taken for {_name(pred)} ({n:,})" for gt, pred, n in pairs]
        yield named_line("most confused", SEPARATOR.join(_first(shown, MAX_PAIRS)))
    counts = tree["counts"]
    rates = f"over {share(counts['over_rate'])} · under {share(counts['under_rate'])}"
    yield named_line("counts", f"MAE {short(counts['mae'])} · {rates}")


def _sides(tree: Tree) -> str:
    """How many objects were held against how many detections, and which were not."""
    primary, objects = tree["sweep"]["primary"], tree["objects"]
    below = objects["pred"] - objects["in_crowd"] - primary["pred"]
    left_out = f" ({below:,} with a score below {tree['params']['min_score']:g} left out)" if below else ""
    return f"{_count(primary['gt'], 'object')} · {_count(primary['pred'], 'detection')}{left_out}"


def confused_pairs(confusion: Tree) -> list[tuple[str, str, int]]:
    """Two classes and how often the first was taken for the second, the most frequent first.

    >>> confused_pairs({"matched": {"car": {"car": 9, "bus": 2}, "bus": {"bus": 4, "car": 3}}})
    [('bus', 'car', 3), ('car', 'bus', 2)]
    """
    pairs = [(gt, pred, n) for gt, row in confusion["matched"].items() for pred, n in row.items() if gt != pred]
    return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))


# By class


def _classes(tree: Tree) -> Iterator[str]:
    """The classes with the most objects, and below them those with the lowest AP."""
    seen = [row for row in tree["per_class"] if row["gt"] or row["pred"]]
    top, rows = tree["params"]["top"], sorted(seen, key=lambda row: (-row["gt"], -row["pred"]))
    if not rows[:top]:
        return
    wide = max(len("class"), *(width(_name(row["name"])) for row in rows[:top]))
    yield f" {'class'.ljust(wide)} " + " ".join(heading.rjust(size) for heading, _, size, _ in COLUMNS)
    for row in rows[:top]:
        cells = " ".join(write(row[key]).rjust(size) for _, key, size, write in COLUMNS)
        yield f" {padded(_name(row['name']), wide)} {cells}"
    if len(rows) > top:
        yield f" {len(rows) - top:,} more in the artifact"
        worst = sorted((row for row in rows if row["AP"] is not None), key=lambda row: row["AP"])[:MAX_WORST]
        if worst:
            shown = [f"{_name(row['name'])} {rate(row['AP'])} (n {row['gt']:,})" for row in worst]
            yield named_line("lowest AP", SEPARATOR.join(shown))


def _count(n: int, one: str, several: str = "") -> str:
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def _first(items: list[str], most: int) -> list[str]:
    return items if len(items) <= most else [*items[:most], f"{len(items) - most:,} more"]


def _name(text: str) -> str:
    """A name as a terminal can show it, cut short.

    >>> _name("交通锥" * 6)
    '交通锥交通锥交通锥交通锥交…'
    """
    shown = printable(text) or "(no name)"
    if width(shown) <= LONGEST_NAME:
        return shown
    while width(shown) > LONGEST_NAME - 1:
        shown = shown[:-1]
    return shown + "…"
