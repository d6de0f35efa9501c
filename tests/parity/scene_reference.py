"""The scene suite once more: slow, plain, and written from the definitions alone.

Everything goes object by object in loops, with fractions instead of floats wherever counts allow it. How much two boxes
overlap is given, as a table for each scene in units of 1e-12, and a box tells its center and whether it contains a
point. Average precision is not here: that is for pycocotools. Nothing here imports the code under test.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import dist, fsum, hypot, inf
from typing import Any

UNIT = 10**12
LOCALISATION = ("mean_iou_3d", "strict_accuracy", "relaxed_accuracy", "mean_centroid_error_m")
CAUSES = ("unresolved_label", "no_overlap", "low_iou", "wrong_label", "duplicate")


# What is evaluated


@dataclass
class Thing:
    """An object of either side. `label` is its class or None; a box of None is one that could not be read."""

    index: int
    label: str | None
    box: Any
    similarity: dict[str, float] | None = None  # by class
    score: float | None = None
    ignored: bool = False


@dataclass
class Scene:
    """Objects, and the overlap of truth t with prediction p as `overlap[t, p]`, by index; 0 where there is none."""

    truth: list[Thing]
    everything: list[Thing]  # predictions, also those to ignore
    overlap: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def pred(self):
        return [each for each in self.everything if not each.ignored]

    def between(self, truth, pred):
        return self.overlap.get((truth.index, pred.index), 0)


@dataclass
class Rules:
    """The options that can change a number."""

    classes: list[str]
    iou_threshold: float = 0.1
    require_label_match: bool = False
    containment: str = "aabb"
    range_buckets: tuple[float, ...] = (2.0, 4.0)
    os_similarity_threshold: float = 0.9
    os_min_iou: float = 0.0
    protocol: str = "calipers"
    tasks: list[str] | None = None  # of the open set, if not the classes of the ground truth

    @property
    def least(self):
        return round(Fraction(str(self.iou_threshold)) * UNIT)

    @property
    def least_open_set(self):
        return max(1, round(Fraction(str(self.os_min_iou)) * UNIT))


@dataclass
class Pair:
    """Two partners, and what can be said of them."""

    truth: Thing
    pred: Thing
    units: int
    pred_in_truth: bool
    truth_in_pred: bool

    @property
    def strict(self):
        return self.pred_in_truth and self.truth_in_pred

    @property
    def relaxed(self):
        return self.pred_in_truth or self.truth_in_pred

    @property
    def error(self):
        return dist(self.truth.box.center, self.pred.box.center)


def partners(scene, truth, pred, least, rules, agree=lambda t, p: True):
    """One to one: the closest pair first, ties by the index of the truth, then of the prediction."""
    both = [(t, p, scene.between(t, p)) for t in truth for p in pred if agree(t, p)]
    close = [(t, p, units) for t, p, units in both if units >= max(least, 1)]
    found, taken = [], set()
    for t, p, units in sorted(close, key=lambda each: (-each[2], each[0].index, each[1].index)):
        if taken.isdisjoint({("truth", t.index), ("pred", p.index)}):
            taken |= {("truth", t.index), ("pred", p.index)}
            found.append(make_pair(t, p, units, rules))
    return sorted(found, key=lambda pair: pair.truth.index)


def make_pair(truth, pred, units, rules):
    oriented = rules.containment == "obb"
    inside = truth.box.contains(pred.box.center, oriented)
    return Pair(truth, pred, units, inside, pred.box.contains(truth.box.center, oriented))


# Rates


def ratio(part, whole):
    return float(Fraction(part) / Fraction(whole)) if whole else None


def harmonic(a, b):
    if a is None or b is None:
        return None
    return 2 * a * b / (a + b) if a + b else 0.0


def mean(values):
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def detection(tp, gt, pred):
    return {
        "tp": tp,
        "fp": pred - tp,
        "fn": gt - tp,
        "precision": ratio(tp, pred),
        "recall": ratio(tp, gt),
        "f1": ratio(2 * tp, 2 * tp + (pred - tp) + (gt - tp)),
    }


def localisation(pairs):
    values = (
        ratio(Fraction(sum(pair.units for pair in pairs), UNIT), len(pairs)),
        ratio(sum(pair.strict for pair in pairs), len(pairs)),
        ratio(sum(pair.relaxed for pair in pairs), len(pairs)),
        mean(pair.error for pair in pairs),
    )
    return dict(zip(LOCALISATION, values, strict=True))


# The artifact


def evaluate(scenes, rules):
    """Every number of the suite for scenes by name, but for AP and intervals."""
    pairs = {name: match_scene(scenes[name], rules) for name in sorted(scenes)}
    every = [pair for some in pairs.values() for pair in some]
    gt = sum(len(scene.truth) for scene in scenes.values())
    pred = sum(len(scene.pred) for scene in scenes.values())
    rates = detection(len(every), gt, pred)
    general = {name: rates.pop(name) for name in ("precision", "recall", "f1")}
    geometry = geometry_of(every, pred)
    classes = {label: class_row(label, scenes, every) for label in rules.classes}
    causes = {name: scene_causes(scenes[name], pairs[name], rules) for name in pairs}
    said = [cause for some in causes.values() for cause in some.values()]
    return {
        "counts": {"gt": gt, "pred": pred, **rates, **left_out(scenes)},
        "detection_metrics": general,
        "geometry_metrics": geometry,
        "per_class": classes,
        "fp_breakdown": {cause: said.count(cause) for cause in CAUSES},
        "range": range_rows(scenes, pairs, rules),
        "benchmark_compat": general | geometry | macro_means(classes) | open_set(scenes, rules),
        "scenes": {name: scene_row(scenes[name], pairs[name]) for name in pairs},
        **lists(scenes, pairs, causes),
    }


def match_scene(scene, rules):
    def agree(truth, pred):
        return not rules.require_label_match or (truth.label is not None and truth.label == pred.label)

    readable = [each for each in scene.pred if each.box is not None]
    return partners(scene, scene.truth, readable, rules.least, rules, agree)


def left_out(scenes):
    return {
        "invalid_pred": sum(each.box is None for scene in scenes.values() for each in scene.pred),
        "ignored": sum(each.ignored for scene in scenes.values() for each in scene.everything),
    }


def geometry_of(pairs, pred):
    found = localisation(pairs)
    found["strict_precision"] = ratio(sum(pair.strict for pair in pairs), pred)
    found["relaxed_precision"] = ratio(sum(pair.relaxed for pair in pairs), pred)
    found["f1_relaxed"] = harmonic(found["relaxed_accuracy"], found["mean_iou_3d"])
    return found


def class_row(label, scenes, pairs):
    own = [pair for pair in pairs if pair.truth.label == pair.pred.label == label]
    gt = sum(each.label == label for scene in scenes.values() for each in scene.truth)
    pred = sum(each.label == label for scene in scenes.values() for each in scene.pred)
    return detection(len(own), gt, pred) | localisation(own)


def macro_means(classes):
    """Each class with a match once."""
    some = [row for row in classes.values() if row["tp"]]
    return {
        "mean_strict_accuracy_per_class": mean(row["strict_accuracy"] for row in some),
        "mean_relaxed_accuracy_per_class": mean(row["relaxed_accuracy"] for row in some),
        "mean_iou_3d_per_class": mean(row["mean_iou_3d"] for row in some),
        "mean_centroid_error_m_per_class": mean(row["mean_centroid_error_m"] for row in some),
    }


def scene_causes(scene, pairs, rules):
    """Why each prediction without a partner has none, by its index."""
    matched = {pair.pred.index for pair in pairs}
    return {each.index: cause_of(each, scene, rules) for each in scene.pred if each.index not in matched}


def cause_of(pred, scene, rules):
    best = max((scene.between(truth, pred) for truth in scene.truth), default=0)
    of_its_class = [scene.between(truth, pred) for truth in scene.truth if truth.label == pred.label]
    if pred.label is None:
        return "unresolved_label"
    if best == 0:
        return "no_overlap"
    if best < rules.least:
        return "low_iou"
    if rules.require_label_match and max(of_its_class, default=0) < rules.least:
        return "wrong_label"
    return "duplicate"


def range_rows(scenes, pairs, rules):
    """By distance from the origin in the ground plane: pairs where their truth is, the others where they are."""
    ends = [0.0, *rules.range_buckets, None]
    rows = []
    for start, end in pairwise(ends):
        gt = tp = fp = 0
        for name, scene in scenes.items():
            matched = {pair.pred.index for pair in pairs[name]}
            gt += sum(is_within(truth, start, end) for truth in scene.truth)
            tp += sum(is_within(pair.truth, start, end) for pair in pairs[name])
            fp += sum(is_within(pred, start, end) for pred in scene.pred if pred.index not in matched)
        rows.append({"from_m": start, "to_m": end, "gt": gt, "pred": tp + fp, **detection(tp, gt, tp + fp)})
    return rows


def is_within(thing, start, end):
    return thing.box is not None and start <= hypot(*thing.box.center[:2]) < (inf if end is None else end)


def scene_row(scene, pairs):
    gt, pred, known = len(scene.truth), len(scene.pred), localisation(pairs)
    shown = {name: known[name] for name in ("mean_iou_3d", "mean_centroid_error_m")}
    return {"gt": gt, "pred": pred, **detection(len(pairs), gt, pred), **shown}


def lists(scenes, pairs, causes):
    matched = {name: {pair.truth.index for pair in some} for name, some in pairs.items()}
    return {
        "matches": [
            {
                "scene": name,
                "gt_index": pair.truth.index,
                "pred_index": pair.pred.index,
                "iou": pair.units / UNIT,
                "strict": pair.strict,
                "relaxed": pair.relaxed,
                "centroid_error_m": pair.error,
            }
            for name, some in pairs.items()
            for pair in some
        ],
        "unmatched_gt": [
            {"scene": name, "index": truth.index}
            for name in pairs
            for truth in scenes[name].truth
            if truth.index not in matched[name]
        ],
        "unmatched_pred": [
            {"scene": name, "index": index, "cause": cause}
            for name, some in causes.items()
            for index, cause in some.items()
        ],
    }


# Open set


def open_set(scenes, rules):
    """osR, osP and their harmonic mean. Tasks are the classes of the ground truth over all scenes."""
    tasks = tasks_of(scenes, rules) if rules.tasks is None else rules.tasks
    found, correct, relevant = [], [], 0
    for scene in scenes.values():
        for task in tasks:
            objects = [truth for truth in scene.truth if truth.label == task]
            found += task_pairs(scene, objects, most_similar(scene, task, objects, rules), rules)
            claimed = [pred for pred in scene.pred if is_relevant(pred, task, tasks, scene, rules)]
            correct += task_pairs(scene, objects, claimed, rules)
            relevant += len(claimed)
    gt = sum(truth.label is not None for scene in scenes.values() for truth in scene.truth)
    rates = {
        "osR_strict": ratio(sum(pair.strict for pair in found), gt),
        "osR_relaxed": ratio(sum(is_relaxed(pair, rules) for pair in found), gt),
        "osP_strict": ratio(sum(pair.strict for pair in correct), relevant),
        "osP_relaxed": ratio(sum(is_relaxed(pair, rules) for pair in correct), relevant),
    }
    return rates | {"F1_os": harmonic(rates["osR_relaxed"], rates["osP_relaxed"])}


def tasks_of(scenes, rules):
    named = {truth.label for scene in scenes.values() for truth in scene.truth}
    return [label for label in rules.classes if label in named]


def similarity(pred, task):
    if pred.similarity is not None:
        return pred.similarity.get(task, 0.0)
    return 1.0 if pred.label == task else 0.0


def most_similar(scene, task, objects, rules):
    """As many as there are objects: by similarity, then by the best overlap with one of them, then by index."""

    def rank(pred):
        best = 0 if rules.protocol == "clio" else max((scene.between(truth, pred) for truth in objects), default=0)
        return -similarity(pred, task), -best, pred.index

    return sorted((pred for pred in scene.pred if similarity(pred, task) > 0), key=rank)[: len(objects)]


def best_task(pred, tasks):
    """The first of those it is most similar to, if it is similar to any."""
    most = max((similarity(pred, task) for task in tasks), default=0.0)
    return next(task for task in tasks if similarity(pred, task) == most) if most > 0 else None


def is_relevant(pred, task, tasks, scene, rules):
    if best_task(pred, tasks) != task:
        return False
    if rules.protocol == "clio":
        rivals = [similarity(each, task) for each in scene.pred if best_task(each, tasks) == task]
        return similarity(pred, task) > rules.os_similarity_threshold * max(rivals)
    return similarity(pred, task) >= rules.os_similarity_threshold


def task_pairs(scene, objects, preds, rules):
    readable = [each for each in preds if each.box is not None]
    return partners(scene, objects, readable, rules.least_open_set, rules)


def is_relaxed(pair, rules):
    return pair.truth_in_pred if rules.protocol == "clio" else pair.relaxed
