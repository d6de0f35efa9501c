"""The numbers of an artifact against each other: counts that add up, rates that are the ratio of their counts.

An artifact was written by a suite, then copied, kept and maybe edited. A schema sees that a recall lies between 0 and
1; these rules see that it is matched / gt. Trees come here after their schema, so every field is there and of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import fsum, isclose
from operator import le
from typing import Any

from calipers.schemas.validate import Mismatch, shown_value

Tree = Mapping[str, Any]
Place = tuple[str | int, ...]
CLOSE = 1e-9  # sums of floats may be taken in another order elsewhere


def check_dense(tree: Tree) -> None:
    """Records, objects, every mode, causes and replicates of the dense suite."""
    _check_records(tree["records"], ("records",), "read")
    objects, params = tree["objects"], tree["params"]
    _expect(list(tree["modes"]) == params["modes"], ("params", "modes"), params["modes"], f"{list(tree['modes'])}")
    for mode, sweep in tree["modes"].items():
        _check_sweep(sweep, ("modes", mode), params)
        for side in ("gt", "pred"):
            _equal(sweep["primary"][side], objects[side], ("modes", mode, "primary", side), f"objects.{side}")
    errors = tree["errors"]
    wrong = sum(errors[name] for name in ("misplaced", "wrong_label", "duplicate", "spurious"))
    _equal(errors["matched"] + errors["missed"], objects["gt"], ("errors",), "objects.gt", "matched + missed")
    _equal(errors["matched"] + wrong, objects["pred"], ("errors",), "objects.pred", "matched and what is wrong")
    for key, row in tree["attributes"]["by_key"].items():
        _check_matched(row, ("attributes", "by_key", key))
    columns = [f"{mode}.{column}" for mode in tree["modes"] for column in ("matched", "matched_over_sweep")]
    _check_drawn(tree, ("bootstrap",))
    _check_sums(tree["bootstrap"]["sums"], columns, len(params["thresholds"]))


def check_coco(tree: Tree) -> None:
    """Images, objects, the sweep, causes, curves and replicates of the detection suite."""
    _check_records(tree["images"], ("images",), "total")
    params, primary, errors = tree["params"], tree["sweep"]["primary"], tree["errors"]
    _check_sweep(tree["sweep"], ("sweep",), params)
    for side in ("gt", "pred"):
        _at_most(primary[side], tree["objects"][side], ("sweep", "primary", side), f"objects.{side}")
    wrong = sum(errors[name] for name in ("localisation", "class", "both", "duplicate", "background"))
    _equal(errors["missed"], primary["gt"] - primary["matched"], ("errors", "missed"), "gt - matched of sweep.primary")
    _equal(wrong, primary["pred"] - primary["matched"], ("errors",), "pred - matched of sweep.primary", "false ones")
    _equal(tree["map_50"], tree["coco"]["AP_50"], ("map_50",), "coco.AP_50")
    for name, curve in tree["curves"].items():
        _equal(len(curve["precision"]), len(curve["recall"]), ("curves", name), "recall", "steps of precision")
    _check_intervals(tree["intervals"], ("intervals",))
    _check_drawn(tree, ("bootstrap",))
    _check_sums(tree["bootstrap"]["sums"], ["matched", "matched_over_sweep"], len(params["thresholds"]))


def check_timeline(tree: Tree) -> None:
    """Records, every video, and the means over videos of the timeline suite."""
    records, summary = tree["records"], tree["summary"]
    _check_records(records, ("records",), "read")
    good = {name: video for name, video in tree["videos"].items() if "error" not in video}
    _equal(records["read"], len(tree["videos"]), ("records", "read"), "the number of videos")
    _equal(records["evaluated"], len(good), ("records", "evaluated"), "the number of videos without an error")
    for place, each in ((("summary",), summary), *((("sweep", name), x) for name, x in tree.get("sweep", {}).items())):
        _check_summary(each, place, records)
    for name, video in good.items():
        _check_video(video, ("videos", name))
    _check_means(summary, list(good.values()))


def check_scene(tree: Tree) -> None:
    """Records, and every method of the scene suite."""
    if "methods" not in tree:
        _check_method(tree, (), tree["method"])
        return
    _check_records(tree["records"], ("records",), "read")
    for name, method in tree["methods"].items():
        _check_method(method, ("methods", name), name)
    for number, pair in enumerate(tree["comparison"]):
        for name, row in pair["metrics"].items():
            _check_interval(row["interval"], ("comparison", number, "metrics", name, "interval"))


RULES: dict[str, Callable[[Tree], None]] = {
    "dense": check_dense,
    "timeline": check_timeline,
    "scene": check_scene,
    "coco": check_coco,
}


def check_replicates(tree: Tree) -> None:
    """The replicates of each figure are there, as many as the artifact says."""
    for name, method in tree.get("methods", {}).items():
        _check_lengths(method, ("methods", name, "bootstrap"))
    if "bootstrap" in tree:
        _check_lengths(tree, ("bootstrap",))
    columns = [f"{mode}.{column}" for mode in tree.get("modes", ()) for column in ("matched", "matched_over_sweep")]
    for name in columns:
        if name not in tree["bootstrap"]["sums"]:
            raise Mismatch("is missing", "bootstrap", "sums", missing=name)


def _check_lengths(tree: Tree, place: Place) -> None:
    bootstrap = tree["bootstrap"]
    for kind in ("sums", "values"):
        for name, values in bootstrap.get(kind, {}).items():
            if values or kind == "sums":
                _equal(len(values), bootstrap["replicates"], (*place, kind, name), "replicates", "replicates in it")


# Parts of several suites


def _check_records(records: Tree, place: Place, whole: str) -> None:
    parts = [name for name in ("evaluated", "skipped", "skipped_empty", "rejected") if name in records]
    words = " + ".join(parts)
    _equal(records[whole], sum(records[name] for name in parts), (*place, whole), words)


def _check_sweep(sweep: Tree, place: Place, params: Tree) -> None:
    """Every threshold of a sweep, the primary one, types and labels."""
    primary, rows = sweep["primary"], sweep["thresholds"]
    ious = [row["iou"] for row in rows]
    _expect(ious == params["thresholds"], (*place, "thresholds"), ious, f"params.thresholds, {params['thresholds']}")
    _equal(primary["iou"], params["primary_threshold"], (*place, "primary", "iou"), "params.primary_threshold")
    _check_matched(primary, (*place, "primary"))
    _check_intervals(primary["interval"], (*place, "primary", "interval"))
    _check_interval(sweep["mean_f1_interval"], (*place, "mean_f1_interval"))
    for number, row in enumerate(rows):
        _check_matched(row, (*place, "thresholds", number))
        for side in ("gt", "pred"):
            _equal(row[side], primary[side], (*place, "thresholds", number, side), f"{side} of primary")
    _check_mean(sweep["mean_f1"], [row["f1"] for row in rows], (*place, "mean_f1"))
    for name, kind in sweep["by_type"].items():
        for number, row in enumerate(kind["thresholds"]):
            _check_by_type(row, (*place, "by_type", name, "thresholds", number))
        _check_by_type(kind["primary"], (*place, "by_type", name, "primary"))
        _check_mean(kind["mean_f1"], [row["f1"] for row in kind["thresholds"]], (*place, "by_type", name, "mean_f1"))
    for number, row in enumerate(sweep["by_label"]):
        _check_matched(row, (*place, "by_label", number))


def _check_matched(row: Tree, place: Place) -> None:
    gt, pred, matched = row["gt"], row["pred"], row["matched"]
    _at_most(matched, min(gt, pred), (*place, "matched"), "gt and pred")
    for name, part, whole in (("precision", matched, pred), ("recall", matched, gt), ("f1", 2 * matched, gt + pred)):
        if name in row:
            _check_ratio(row[name], part, whole, (*place, name))
    if "accuracy" in row:
        _check_ratio(row["accuracy"], matched, gt, (*place, "accuracy"))


def _check_by_type(row: Tree, place: Place) -> None:
    for side, rate in (("gt", "recall"), ("pred", "precision")):
        _at_most(row[f"matched_{side}"], row[side], (*place, f"matched_{side}"), side)
        _check_ratio(row[rate], row[f"matched_{side}"], row[side], (*place, rate))


def _check_found(row: Tree, place: Place) -> None:
    """Counts of true and false ones, and their rates; objects on both sides where they are told."""
    tp, fp, fn = row["tp"], row["fp"], row["fn"]
    if "gt" in row:
        _equal(row["gt"], tp + fn, (*place, "gt"), "tp + fn")
        _equal(row["pred"], tp + fp, (*place, "pred"), "tp + fp")
    ratios = (("precision", tp, tp + fp), ("recall", tp, tp + fn), ("f1", 2 * tp, 2 * tp + fp + fn))
    for name, part, whole in ratios:
        if name in row:
            _check_ratio(row[name], part, whole, (*place, name))


def _check_drawn(tree: Tree, place: Place) -> None:
    """The replicates are those of the parameters."""
    bootstrap, params = tree["bootstrap"], tree["params"]
    _equal(bootstrap["replicates"], params["bootstrap"], (*place, "replicates"), "params.bootstrap")
    _equal(bootstrap["seed"], params["seed"], (*place, "seed"), "params.seed")


def _check_sums(sums: Tree, columns: Iterable[str], thresholds: int) -> None:
    """In each replicate no more is matched than there is, at every threshold."""
    for name in columns:
        most = thresholds if name.endswith("_over_sweep") else 1
        for side in ("gt", "pred"):
            limits = sums[side] if most == 1 else [most * count for count in sums[side]]
            place = ("bootstrap", "sums", name)
            _expect(all(map(le, sums[name], limits)), place, sums[name], f"in no replicate more than {side}")


# The timeline suite


def _check_summary(summary: Tree, place: Place, records: Tree) -> None:
    _equal(summary["videos_evaluated"], records["evaluated"], (*place, "videos_evaluated"), "records.evaluated")
    _equal(summary["videos_total"], records["read"], (*place, "videos_total"), "records.read")
    for name, value in summary.items():
        if name.endswith("_interval"):
            _check_interval(value, (*place, name))
        elif name.endswith("_n"):
            _at_most(value, records["evaluated"], (*place, name), "records.evaluated")


def _check_video(video: Tree, place: Place) -> None:
    counts, confusion = video["counts"], video["confusion"]
    for kind in ("events", "advisory_events"):
        matched, most = counts[f"matched_{kind}"], min(counts[f"gt_{kind}"], counts[f"pred_{kind}"])
        _at_most(matched, most, (*place, "counts", f"matched_{kind}"), f"gt_{kind} and pred_{kind}")
    right = sum(row.get(state, 0) for state, row in confusion.items())
    frames = sum(sum(row.values()) for row in confusion.values())
    _equal(counts["frames"], frames, (*place, "counts", "frames"), "the frames of confusion")
    _check_ratio(video["frame_accuracy"], right, frames, (*place, "frame_accuracy"))


def _check_means(summary: Tree, videos: list[Tree]) -> None:
    """The mean of each figure is that of the videos."""
    names = [name.removesuffix("_mean") for name in summary if name.endswith("_mean")]
    for name in names:
        values = [video[name] for video in videos if video.get(name) is not None]
        _check_mean(summary[f"{name}_mean"], values, ("summary", f"{name}_mean"))


# The scene suite


def _check_method(method: Tree, place: Place, name: str) -> None:
    """Counts, rates, objects, classes, scenes and replicates of one method."""
    _equal(method["method"], name, (*place, "method"), "its name")
    _check_records(method["records"], (*place, "records"), "read")
    counts = method["counts"]
    _check_found(counts, (*place, "counts"))
    sides = {key: counts[key] for key in ("tp", "fp", "fn")}
    for part in ("detection_metrics", "benchmark_compat"):
        rates = {key: method[part][key] for key in ("precision", "recall", "f1")}
        _check_found(sides | rates, (*place, part))
    _equal(sum(method["fp_breakdown"].values()), counts["fp"], (*place, "fp_breakdown"), "counts.fp", "the sum")
    for key, rows in (("tp", "matches"), ("fn", "unmatched_gt"), ("fp", "unmatched_pred")):
        _equal(len(method[rows]), counts[key], (*place, rows), f"counts.{key}", "rows")
        _equal(sum(scene[key] for scene in method["scenes"].values()), counts[key], (*place, "scenes"), f"counts.{key}")
    for part in ("per_class", "scenes"):
        for key, row in method[part].items():
            _check_found(row, (*place, part, key))
    for number, row in enumerate(method["range"]):
        _check_found(row, (*place, "range", number))
    for part in ("detection_metrics", "geometry_metrics", "benchmark_compat"):
        ends = {key: value for key, value in method[part].items() if key.endswith("_interval")}
        _check_intervals(ends, (*place, part))
    for key, value in method["geometry_metrics"].items():
        if key in method["benchmark_compat"]:
            _equal(value, method["benchmark_compat"][key], (*place, "geometry_metrics", key), "benchmark_compat")
    _check_drawn(method, (*place, "bootstrap"))


# Numbers


def _expect(condition: bool, place: Place, found: Any, expected: str) -> None:
    if not condition:
        raise Mismatch(f"found {shown_value(found)}, expected {expected:.200}", *place)


def _equal(found: Any, value: Any, place: Place, what: str, noun: str = "") -> None:
    if found != value:
        shown = f"{shown_value(found)} for {noun}" if noun else shown_value(found)
        raise Mismatch(f"found {shown}, expected {what}, which is {shown_value(value)}", *place)


def _at_most(found: float, most: float, place: Place, what: str) -> None:
    if found > most:
        raise Mismatch(f"found {found}, expected no more than {what}, {most}", *place)


def _check_ratio(found: float | None, part: int, whole: int, place: Place) -> None:
    expected = part / whole if whole else None
    if found is None or expected is None:
        fits = found is None and expected is None
    else:
        fits = isclose(found, expected, rel_tol=CLOSE, abs_tol=CLOSE)
    if not fits:
        counted = f"{part} / {whole}, {shown_value(expected)}" if whole else "null, as there is nothing to count"
        raise Mismatch(f"found {shown_value(found)}, expected {counted}", *place)


def _check_mean(found: float | None, values: list[float | None], place: Place) -> None:
    numbers = [value for value in values if value is not None]
    expected = fsum(value / len(numbers) for value in numbers) if numbers else None
    if (found is None) != (expected is None) or (
        found is not None and expected is not None and not isclose(found, expected, rel_tol=1e-6, abs_tol=CLOSE)
    ):
        raise Mismatch(f"found {shown_value(found)}, expected the mean, {shown_value(expected)}", *place)


def _check_intervals(intervals: Tree, place: Place) -> None:
    for name, ends in intervals.items():
        _check_interval(ends, (*place, name))


def _check_interval(ends: list[float] | None, place: Place) -> None:
    if ends is not None and ends[0] > ends[1]:
        raise Mismatch(f"found {ends}, expected the lower end first", *place)
