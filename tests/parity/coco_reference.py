"""The detection suite, object by object: pycocotools where it gives an answer, else plain loops and fractions.

pycocotools is given what it needs and does not ask for: areas, iscrowd, numbers of keypoints, annotation ids from 1,
masks in compressed runs, and a list of results that may be empty. From its own matching come the best F1 and, with
images repeated as often as they were drawn, the replicates of the intervals. Everything that goes by overlap alone
(sweep, errors, confusion) starts from exact overlaps instead.
"""

from __future__ import annotations

import copy
from collections import Counter
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from math import exp, sqrt
from statistics import median, pstdev
from typing import Any, NamedTuple

import numpy as np
from pycocotools import mask as masks
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from calipers.kernels.count.sums import key_hashes, weights

from .coco_datasets import Dataset, compressed, rle

UNIT = 10**12
HALF, FAINT = UNIT // 2, UNIT // 10
SWEEP = [UNIT * percent // 100 for percent in range(50, 100, 5)]
ALL = 0  # the first of pycocotools' area ranges
SIGMAS = [s / 1000 for s in (26, 25, 25, 35, 35, 79, 79, 72, 72, 62, 62, 107, 107, 87, 87, 89, 89)]


# ---------------------------------------------------------------- pycocotools


def evaluated(dataset: Dataset, max_dets: list[int] | None = None) -> COCOeval:
    """pycocotools over a data set; it prints nothing and leaves the data alone."""
    with redirect_stdout(StringIO()):
        truth = COCO()
        truth.dataset = _their_truth(dataset)
        truth.createIndex()
        found = COCOeval(truth, _their_results(dataset, truth), dataset.iou_type)
        found.params.maxDets = max_dets or found.params.maxDets
        found.evaluate()
        found.accumulate()
    return found


def printed(found: COCOeval) -> list[str]:
    """The lines that pycocotools ends with; `found.stats` then holds their numbers."""
    with redirect_stdout(StringIO()) as text:
        found.summarize()
    return text.getvalue().splitlines()


def _their_truth(dataset: Dataset) -> dict[str, Any]:
    given = copy.deepcopy(dataset.truth)
    images = {image["id"]: image for image in given["images"]}
    for place, row in enumerate(given["annotations"], 1):
        row["id"] = place
        row.setdefault("iscrowd", 0)
        if dataset.iou_type == "segm":
            row.setdefault("area", float(masks.area(rle(row["segmentation"], images[row["image_id"]]))))
        row.setdefault("area", row["bbox"][2] * row["bbox"][3])
        if dataset.iou_type == "keypoints":
            row.setdefault("num_keypoints", sum(v > 0 for v in row["keypoints"][2::3]))
    return given


def _their_results(dataset: Dataset, truth: COCO) -> COCO:
    results, images = copy.deepcopy(dataset.results), {image["id"]: image for image in dataset.truth["images"]}
    if not results:  # which pycocotools cannot load
        nothing = COCO()
        nothing.dataset = {**dataset.truth, "annotations": []}
        nothing.createIndex()
        return nothing
    for row in [row for row in results if "segmentation" in row]:
        row["segmentation"] = compressed(rle(row["segmentation"], images[row["image_id"]]))
    return truth.loadRes(results)


def mean_of(values: Any) -> float | None:
    """pycocotools' mean over what is defined; -1 is not."""
    defined = values[values > -1]
    return float(np.mean(defined)) if defined.size else None


def stats(found: COCOeval) -> list[float | None]:
    """The twelve or ten numbers for any `max_dets`, of which pycocotools' own summary knows only one setting."""
    precision, recall = found.eval["precision"], found.eval["recall"]
    ap, ar = precision[..., -1], recall[..., -1]
    if found.params.iouType == "keypoints":
        sides = [[s[..., ALL], s[0, ..., ALL], s[5, ..., ALL], s[..., 1], s[..., 2]] for s in (ap, ar)]
        return [mean_of(values) for values in sides[0] + sides[1]]
    return [
        mean_of(values)
        for values in (
            *(ap[..., ALL], ap[0, ..., ALL], ap[5, ..., ALL], ap[..., 1], ap[..., 2], ap[..., 3]),
            *(recall[..., ALL, m] for m in range(recall.shape[-1])),
            *(ar[..., 1], ar[..., 2], ar[..., 3]),
        )
    ]


def first_step(target: float) -> int:
    """Of the recall steps 0, 0.01, … 1 the first that reaches the target."""
    return next(step for step in range(101) if Fraction(step, 100) >= Fraction(str(target)))


def precision_at_recall(found: COCOeval, target: float, kind: Any = slice(None)) -> float | None:
    """Mean interpolated precision at IoU 0.50 over the recall steps from the target on."""
    return mean_of(found.eval["precision"][0, first_step(target) :, kind, ALL, -1])


def precision_at_target(found: COCOeval, target: float, kind: Any = slice(None)) -> float | None:
    """Interpolated precision at IoU 0.50 at the recall step of the target, which floats have to hit."""
    return mean_of(found.eval["precision"][0, first_step(target), kind, ALL, -1])


def order_matters(found: COCOeval) -> bool:
    """Whether a class with objects has at some threshold both right and wrong detections."""
    return any(_is_mixed(found, kind) for kind in range(len(found.params.catIds)))


def _is_mixed(found: COCOeval, kind: int) -> bool:
    images = [each for each in _images_of(found, kind) if each is not None]
    if not any(np.any(each["gtIgnore"] == 0) for each in images):
        return False
    right = np.concatenate([(each["dtMatches"] > 0) & ~each["dtIgnore"].astype(bool) for each in images], axis=1)
    wrong = np.concatenate([(each["dtMatches"] == 0) & ~each["dtIgnore"].astype(bool) for each in images], axis=1)
    return bool((right.any(axis=1) & wrong.any(axis=1)).any())


class Best(NamedTuple):
    """The score cut with the best F1 of a class, and that F1; None without ground truth or without detections."""

    score: float | None
    f1: Fraction | None


def best_cut(found: COCOeval, kind: int) -> Best:
    """Over all distinct scores of a class, by pycocotools' matching at IoU 0.50; of equals the higher score."""
    images = [each for each in _images_of(found, kind) if each is not None]
    gt = sum(int(np.count_nonzero(each["gtIgnore"] == 0)) for each in images)
    dets = [
        (score, match > 0)
        for each in images
        for score, match, ignored in zip(each["dtScores"], each["dtMatches"][0], each["dtIgnore"][0], strict=True)
        if not ignored
    ]
    best = Best(None, None)
    for cut in sorted({score for score, _ in dets}, reverse=True) if gt else []:
        kept = [hit for score, hit in dets if score >= cut]
        f1 = Fraction(2 * sum(kept), gt + len(kept))
        if best.f1 is None or f1 > best.f1:
            best = Best(float(cut), f1)
    return best


def _images_of(found: COCOeval, kind: int) -> list[Any]:
    """pycocotools' matching of a class over all sizes, image by image."""
    images, areas = len(found.params.imgIds), len(found.params.areaRng)
    start = kind * areas * images
    return found.evalImgs[start : start + images]


# ---------------------------------------------------------------- intervals


def replicates(dataset: Dataset, *, seed: int, count: int, target: float = 0.9) -> dict[str, list[float]]:
    """Headline numbers with every image repeated as often as it was drawn, replicate by replicate; NaN if undefined."""
    found = evaluated(dataset)
    names = {image["id"]: image["file_name"] for image in dataset.truth["images"]}
    keys = key_hashes([names[image] for image in found.params.imgIds])
    drawn = [list(weights(key, seed, count)) for key in keys]
    largest = "AR" if dataset.iou_type == "keypoints" else f"AR_{found.params.maxDets[-1]}"
    high = ("precision_at_recall", "precision_at_target")
    rows: dict[str, list[float]] = {name: [] for name in ("AP", "AP_50", "AP_75", largest, *high)}
    for times in zip(*drawn, strict=True):
        again = _repeated(found, times)
        ap, ar = again.eval["precision"][..., ALL, -1], again.eval["recall"][..., ALL, -1]
        values = [mean_of(ap), mean_of(ap[0]), mean_of(ap[5]), mean_of(ar)]
        values += [precision_at_recall(again, target), precision_at_target(again, target)]
        for name, value in zip(rows, values, strict=True):
            rows[name].append(float("nan") if value is None else value)
    return rows


def _repeated(found: COCOeval, times: tuple[int, ...]) -> COCOeval:
    images, areas, kinds = len(times), len(found.params.areaRng), len(found.params.catIds)
    again = COCOeval(iouType=found.params.iouType)
    again.params.catIds, again.params.imgIds = found.params.catIds, list(range(sum(times)))
    again.params.areaRng, again.params.maxDets = found.params.areaRng[:1], found.params.maxDets[-1:]
    again.evalImgs = [
        found.evalImgs[kind * areas * images + image]
        for kind in range(kinds)
        for image, many in enumerate(times)
        for _ in range(many)
    ]
    again._paramsEval = again.params
    with redirect_stdout(StringIO()):
        again.accumulate()
    return again


def excesses(dataset: Dataset, *, seed: int, count: int, target: float = 0.9) -> dict[str, float]:
    """How much higher means over curves lie in replicates than in the whole set, over the classes of a replicate."""
    found = evaluated(dataset)
    names = {image["id"]: image["file_name"] for image in dataset.truth["images"]}
    drawn = [list(weights(key, seed, count)) for key in key_hashes([names[image] for image in found.params.imgIds])]
    whole, gains = _class_means(found.eval["precision"][..., ALL, -1], target), []
    for times in zip(*drawn, strict=True):
        again = _class_means(_repeated(found, times).eval["precision"][..., ALL, -1], target)
        here = ~np.isnan(again[0])
        if here.any():
            gains.append((again[:, here] - whole[:, here]).mean(axis=1))
    means = np.mean(gains, axis=0).tolist() if gains else [0.0] * 5
    return dict(zip(("AP", "AP_50", "AP_75", "precision_at_recall", "precision_at_target"), means, strict=True))


def _class_means(precision: Any, target: float) -> Any:
    """(5, classes) AP, AP_50, AP_75, precision from the target on and at it; NaN for a class without objects."""
    from_target = np.linspace(0, 1, 101) >= target
    means = [precision.mean(axis=(0, 1)), precision[0].mean(axis=0), precision[5].mean(axis=0)]
    table = np.stack([*means, precision[0, from_target].mean(axis=0), precision[0, from_target][0]])
    return np.where(precision[0, 0] < 0, np.nan, table)


def around(number: float | None, values: list[float], records: int, excess: float) -> list[float] | None:
    """The 95 % interval (of 40 sorted values the lowest and the highest are left out), moved to the number less its
    bias, as far as noise and half the bias reach, times what is missing to 1 after and before the bias is taken off."""
    defined = sorted(value for value in values if value == value)
    if number is None or records < 2 or len(defined) < 40:
        return None
    tail, middle, bias = len(defined) // 40, median(defined), min(max(excess, 0.0), 1 - number) / (sqrt(2) - 1)
    noise = pstdev(defined)
    wider = (1 - number + bias) / (1 - number) * sqrt(noise**2 + (bias / 2) ** 2) / noise if bias and noise else 1
    low, high = (number - bias + (end - middle) * wider for end in (defined[tail], defined[-1 - tail]))
    return [min(max(low, 0.0), number), max(min(high, 1.0), number)]


# ---------------------------------------------------------------- by overlap alone


class Sides(NamedTuple):
    """Objects that can match and detections, by their place in the lists, with all overlaps of 1e-12 or more."""

    truth: list[int]  # places of annotations that are no crowds
    pred: list[int]  # places of detections that take part
    overlap: dict[tuple[int, int], int]  # (truth, pred) -> overlap in units of 1e-12
    in_crowd: dict[int, bool]  # pred -> half of it lies in a crowd of its class
    truth_kind: dict[int, str]
    pred_kind: dict[int, str]


def sides_of(dataset: Dataset, min_score: float = 0.0, broken: tuple[int, ...] = ()) -> Sides:
    """Everything that goes by overlap needs no more than this. Detections that are broken overlap nothing."""
    names = {each["id"]: each["name"] for each in dataset.truth["categories"]}
    images = {each["id"]: each for each in dataset.truth["images"]}
    truth, pred = dict(enumerate(dataset.truth["annotations"])), dict(enumerate(dataset.results))
    pred = {p: row for p, row in pred.items() if row.get("score") is None or row["score"] >= min_score}
    plain = {t: row for t, row in truth.items() if not row.get("iscrowd")}
    crowds = [row for row in truth.values() if row.get("iscrowd")]
    measure, share = MEASURES[dataset.iou_type]
    whole = {p: row for p, row in pred.items() if p not in broken}
    overlap = {
        (t, p): round(measure(row, other, images[row["image_id"]]) * UNIT)
        for t, row in plain.items()
        for p, other in whole.items()
        if row["image_id"] == other["image_id"]
    }
    in_crowd = {
        p: any(
            2 * share(row, crowd, images[row["image_id"]]) >= 1
            for crowd in crowds
            if (crowd["image_id"], crowd["category_id"]) == (row["image_id"], row["category_id"])
        )
        for p, row in whole.items()
    }
    return Sides(
        list(plain),
        list(pred),
        {pair: units for pair, units in overlap.items() if units > 0},
        in_crowd,
        {t: names[row["category_id"]] for t, row in plain.items()},
        {p: names[row["category_id"]] for p, row in pred.items()},
    )


def _shared_area(a: dict[str, Any], b: dict[str, Any]) -> Fraction:
    (ax, ay, aw, ah), (bx, by, bw, bh) = ([Fraction(value) for value in row["bbox"]] for row in (a, b))
    width, height = min(ax + aw, bx + bw) - max(ax, bx), min(ay + ah, by + bh) - max(ay, by)
    return width * height if width > 0 < height else Fraction(0)


def _area(row: dict[str, Any]) -> Fraction:
    return Fraction(row["bbox"][2]) * Fraction(row["bbox"][3])


def box_overlap(a: dict[str, Any], b: dict[str, Any], image: Any = None) -> Fraction:
    """Area of both by the area of either; 0 where there is none."""
    shared = _shared_area(a, b)
    return shared / (_area(a) + _area(b) - shared) if shared else Fraction(0)


def box_share(row: dict[str, Any], region: dict[str, Any], image: Any = None) -> Fraction:
    """How much of a box lies in a region."""
    return _shared_area(row, region) / _area(row) if _area(row) else Fraction(0)


def _pixels(row: dict[str, Any], image: dict[str, Any]) -> Any:
    return masks.decode(rle(row["segmentation"], image)).astype(bool)


def mask_overlap(a: dict[str, Any], b: dict[str, Any], image: dict[str, Any]) -> Fraction:
    """The same in pixels."""
    first, second = _pixels(a, image), _pixels(b, image)
    both = int((first & second).sum())
    return Fraction(both, int((first | second).sum())) if both else Fraction(0)


def mask_share(row: dict[str, Any], region: dict[str, Any], image: dict[str, Any]) -> Fraction:
    """The same in pixels."""
    own = _pixels(row, image)
    return Fraction(int((own & _pixels(region, image)).sum()), int(own.sum())) if own.any() else Fraction(0)


def point_overlap(truth: dict[str, Any], pred: dict[str, Any], image: Any = None) -> float:
    """Object keypoint similarity over the points that are marked."""
    marked, area = [], truth.get("area", truth["bbox"][2] * truth["bbox"][3])
    for k, sigma in enumerate(SIGMAS):
        x, y, seen = truth["keypoints"][3 * k : 3 * k + 3]
        away = (x - pred["keypoints"][3 * k]) ** 2 + (y - pred["keypoints"][3 * k + 1]) ** 2
        marked += [exp(-away / (2 * sigma) ** 2 / (area + np.spacing(1)) / 2)] if seen > 0 else []
    return sum(marked) / len(marked) if marked else 0.0


MEASURES = {"bbox": (box_overlap, box_share), "segm": (mask_overlap, mask_share), "keypoints": (point_overlap, None)}


def greedy(sides: Sides, pairs: dict[tuple[int, int], int]) -> dict[int, int]:
    """The closest pair first, ties by place; pred -> truth."""
    partner: dict[int, int] = {}
    for (t, p), _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        if p not in partner and t not in partner.values():
            partner[p] = t
    return partner


class Judged(NamedTuple):
    """What became of everything at an overlap of a half."""

    partner: dict[int, int]  # pred -> truth
    in_crowd: list[int]
    sweep: list[int]  # pairs matched at each threshold
    errors: dict[str, int]
    confusion: dict[str, Any]
    by_label: dict[str, tuple[int, int, int]]  # name -> gt, pred, matched


def judged(sides: Sides) -> Judged:
    """One class-aware matching, and what follows from it."""
    enough = {pair: units for pair, units in sides.overlap.items() if units >= HALF}
    same = {(t, p): units for (t, p), units in enough.items() if sides.truth_kind[t] == sides.pred_kind[p]}
    partner = greedy(sides, same)
    in_crowd = [p for p in sides.pred if p not in partner and sides.in_crowd.get(p, False)]
    kept = [p for p in sides.pred if p not in in_crowd]
    reached = [same[t, p] for p, t in partner.items()]
    gt, pred, both = (
        Counter(sides.truth_kind[t] for t in sides.truth),
        Counter(sides.pred_kind[p] for p in kept),
        Counter(sides.truth_kind[t] for t in partner.values()),
    )
    return Judged(
        partner,
        in_crowd,
        [sum(units >= least for units in reached) for least in SWEEP],
        errors_of(sides, partner, kept) | {"in_crowd": len(in_crowd)},
        confusion_of(sides, enough, partner, kept),
        {name: (gt[name], pred[name], both[name]) for name in gt | pred},
    )


def errors_of(sides: Sides, partner: dict[int, int], kept: list[int]) -> dict[str, int]:
    """The definitions one after the other: three kinds of two objects, then duplicates, then what is left."""
    free_truth, free = set(sides.truth) - set(partner.values()), set(kept) - set(partner)
    errors = {"matched": len(partner)}
    for name, is_same, low, high in (
        ("wrong_label", False, HALF, None),
        ("misplaced", True, FAINT, HALF),
        ("wrong_label_and_place", False, FAINT, HALF),
    ):
        pairs = {
            (t, p): units
            for (t, p), units in sides.overlap.items()
            if t in free_truth and p in free and units >= low and (high is None or units < high)
            if (sides.truth_kind[t] == sides.pred_kind[p]) == is_same
        }
        taken = greedy(sides, pairs)
        free_truth, free = free_truth - set(taken.values()), free - set(taken)
        errors[name] = len(taken)
    doubled = {
        p
        for (t, p), units in sides.overlap.items()
        if p in free and t in partner.values() and units >= HALF and sides.truth_kind[t] == sides.pred_kind[p]
    }
    return errors | {"duplicate": len(doubled), "spurious": len(free - doubled), "missed": len(free_truth)}


def confusion_of(
    sides: Sides, enough: dict[tuple[int, int], int], partner: dict[int, int], kept: list[int]
) -> dict[str, Any]:
    """Partners, then what is left on both sides whatever its class, then what is left of that."""
    taken = set(partner.values())
    rest = {(t, p): units for (t, p), units in enough.items() if t not in taken and p in kept and p not in partner}
    everyone = partner | greedy(sides, rest)
    table: dict[str, dict[str, int]] = {}
    for p, t in everyone.items():
        row = table.setdefault(sides.truth_kind[t], {})
        row[sides.pred_kind[p]] = row.get(sides.pred_kind[p], 0) + 1
    return {
        "matched": table,
        "missed": dict(Counter(sides.truth_kind[t] for t in sides.truth if t not in everyone.values())),
        "background": dict(Counter(sides.pred_kind[p] for p in kept if p not in everyone)),
    }


# ---------------------------------------------------------------- counts


def tie_mass(dataset: Dataset) -> Fraction | None:
    """The share of detections whose score another one of their class has."""
    scores = Counter((row["category_id"], row["score"]) for row in dataset.results)
    tied = sum(many for many in scores.values() if many > 1)
    return Fraction(tied, len(dataset.results)) if dataset.results else None


def cut_by(dataset: Dataset, most: int) -> int:
    """Detections beyond the most that count, of a class in an image."""
    each = Counter((row["image_id"], row["category_id"]) for row in dataset.results)
    return sum(max(0, many - most) for many in each.values())


def of_absent_classes(dataset: Dataset) -> int:
    """Detections of classes of which there is nothing to find."""
    there = {row["category_id"] for row in dataset.truth["annotations"] if not row.get("iscrowd")}
    return sum(row["category_id"] not in there for row in dataset.results)


def all_equal(dataset: Dataset) -> bool:
    """Whether scores say nothing about the order."""
    return len(dataset.results) > 1 and len({row.get("score") for row in dataset.results}) == 1
