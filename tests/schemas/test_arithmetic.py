"""Numbers of an artifact that do not fit each other are found, and the place is said."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import InputError
from calipers.schemas import Mismatch, check_artifact
from calipers.suite import suite_names

GOLDEN = Path(__file__).parents[1] / "golden"


def golden(suite):
    return json.loads((GOLDEN / f"{suite}.json").read_bytes())


def changed(tree, path, value):
    """The same tree with another value at a place."""
    *above, last = path
    holder = tree
    for key in above:
        holder = holder[key]
    holder[last] = value(holder[last]) if callable(value) else value
    return tree


def more(value):
    return value + 1


VIDEO = ("videos", "kestrel_avenue_0412.mp4")
CLIO = ("methods", "clio")
EDITED = [
    ("dense", ("modes", "category", "primary", "recall"), 7.5, "modes.category.primary.recall: found 7.5, expected a"),
    ("dense", ("modes", "category", "primary", "recall"), 0.9, "primary.recall: found 0.9, expected 773 / 1101, 0.70"),
    ("dense", ("modes", "category", "primary", "f1"), None, "primary.f1: found null, expected 1546 / 2207"),
    ("dense", ("modes", "category", "primary", "matched"), 1200, "found 1200, expected no more than gt and pred, 1101"),
    ("dense", ("modes", "phase", "thresholds", 3, "precision"), 0.9, "modes.phase.thresholds[3].precision: found 0.9"),
    ("dense", ("modes", "phase", "mean_f1"), 0.9, "modes.phase.mean_f1: found 0.9, expected the mean, 0.453"),
    ("dense", ("modes", "phase", "by_label", 0, "recall"), 0.9, "modes.phase.by_label[0].recall: found 0.9"),
    (
        "dense",
        ("modes", "phase", "by_type", "line", "primary", "recall"),
        0.9,
        "by_type.line.primary.recall: found 0.9",
    ),
    ("dense", ("modes", "phase", "primary", "interval", "f1"), [0.7, 0.6], "found [0.7, 0.6], expected the lower end"),
    ("dense", ("records", "read"), more, "records.read: found 201, expected evaluated + skipped_empty + rejected"),
    ("dense", ("objects", "gt"), more, "modes.localization.primary.gt: found 1101, expected objects.gt, which is 1102"),
    (
        "dense",
        ("errors", "missed"),
        more,
        "errors: found 1102 for matched and what is wrong of gt, expected gt, which is 1101",
    ),
    ("dense", ("errors", "spurious"), more, "errors: found 1107 for matched and what is wrong of pred, expected pred"),
    (
        "dense",
        ("errors_by_label", 0, "missed"),
        more,
        "errors_by_label: found 134 for missed of all labels, expected er",
    ),
    (
        "dense",
        ("worth", "f1", "wrong_label", "gain"),
        0.5,
        "worth.f1.wrong_label.gain: found 0.5, expected what follows",
    ),
    ("dense", ("worth", "mean_f1", "missed", "interval"), [0.7, 0.6], "found [0.7, 0.6], expected the lower end"),
    ("dense", ("confusion", "missed", "标签"), more, "confusion.missed: found 1102 for pairs and missed, expected obj"),
    (
        "dense",
        ("params", "bootstrap"),
        500,
        "bootstrap.replicates: found 1000, expected params.bootstrap, which is 500",
    ),
    ("dense", ("bootstrap", "sums", "gt"), [1], "bootstrap.sums.gt: found 1 for replicates in it, expected replicates"),
    (
        "dense",
        ("bootstrap", "sums", "category.matched", 3),
        9000,
        'sums["category.matched"]: found a list of 1000, exp',
    ),
    ("dense", ("attributes", "by_key", "标签", "accuracy"), 0.1, "attributes.by_key.标签.accuracy: found 0.1"),
    ("dense", ("attributes", "recall"), 0.9, "attributes.recall: found 0.9, expected 1258 / 1650"),
    ("dense", ("coverage", "matched", "recall"), 0.1, "coverage.matched.f1: found 0.98644"),
    ("dense", ("coverage", "best", "recall"), None, "coverage.best.recall: found null, expected a mean of 160 lines"),
    ("dense", ("counts", "under_rate"), 0.9, "counts.under_rate: found 0.9, expected a whole number of 198"),
    ("dense", ("counts", "under_rate"), 0.5, "counts: found 1.2222222222222223, expected rates that add up to, 1.0"),
    (
        "dense",
        ("modes", "phase", "by_type", "line", "primary", "f1"),
        0.9,
        "by_type.line.primary.f1: found 0.9, expected the harmonic mean of precision and recall",
    ),
    (
        "dense",
        ("modes", "phase", "primary", "interval", "f1"),
        [0.7, 1.5],
        "f1[1]: found 1.5, expected a number from 0",
    ),
    ("dense", ("objects", "invalid_pred"), more, "objects.invalid_pred: found 9, expected the sum of invalid_reasons"),
    (
        "dense",
        ("bootstrap", "sums", "category.matched_over_sweep", 3),
        0,
        "expected in no replicate less than what is matched at lower thresholds",
    ),
    ("dense", ("objects", "clamped"), 2**53, "objects.clamped: found 9007199254740992, expected a whole number"),
    ("coco", ("per_class", 0, "gt"), more, "per_class: found 759 for all gt, expected sweep.primary.gt, which is 758"),
    (
        "coco",
        ("per_class", 0, "best_f1"),
        0.99,
        "per_class[0].best_f1: found 0.99, expected no more than its curve has",
    ),
    (
        "coco",
        ("curves", "cone", "precision", 50),
        0.999,
        "curves.cone.precision: found a list of 101, expected numbers",
    ),
    (
        "coco",
        ("curves", "cone", "recall", 50),
        0.4,
        "curves.cone.recall: found a list of 101, expected the steps from 0",
    ),
    (
        "coco",
        ("confusion", "missed", "cone"),
        57,
        "confusion.missed: found 759 for pairs and missed, expected objects.gt, which is 758",
    ),
    (
        "coco",
        ("confusion", "missed"),
        lambda missed: missed | {"cone": 57, "barrel": 19},
        "per_class[0].gt: found 255, expected what confusion has of the class",
    ),
    (
        "coco",
        ("bootstrap", "values", "AP"),
        [5.0] * 1000,
        "values.AP[0]: found 5.0, expected a number from 0 to 1, or nu",
    ),
    (
        "coco",
        ("bootstrap", "values", "AP"),
        [1e308] * 1000,
        "bootstrap.values.AP[0]: found 1e+308, expected a number fr",
    ),
    ("coco", ("intervals", "AP"), [0.4, 1e308], "intervals.AP[1]: found 1e+308, expected a number from 0 to 1"),
    ("coco", ("coco", "AP"), 1.5, "coco.AP: found 1.5, expected a number from 0 to 1, or null"),
    ("coco", ("coco", "AP_50"), 0.9, "map_50: found 0.7155825054422322, expected coco.AP_50, which is 0.9"),
    ("coco", ("images", "evaluated"), more, "images.total: found 100, expected evaluated + skipped_empty + rejected"),
    ("coco", ("sweep", "primary", "recall"), 0.9, "sweep.primary.recall: found 0.9, expected 611 / 758"),
    (
        "coco",
        ("errors", "missed"),
        more,
        "errors: found 759 for matched and what is wrong of gt, expected gt, which is 758",
    ),
    ("coco", ("bootstrap", "values", "AP"), [0.5], "bootstrap.values.AP: found 1 for replicates in it"),
    ("coco", ("curves", "cone", "precision"), [0.5], "curves.cone: found 1 for steps of precision, expected recall"),
    ("timeline", ("summary", "frame_accuracy_mean"), 0.9, "summary.frame_accuracy_mean: found 0.9, expected the mean"),
    ("timeline", ("summary", "event_recall_n"), 40, "summary.event_recall_n: found 40, expected no more than records"),
    ("timeline", ("sweep", "5", "videos_total"), 23, "sweep.5.videos_total: found 23, expected records.read"),
    ("timeline", ("records", "read"), 7, "records.read: found 7, expected evaluated + skipped + rejected, which is 22"),
    ("timeline", (*VIDEO, "frame_accuracy"), 0.9, '0412.mp4"].frame_accuracy: found 0.9, expected 527 / 631'),
    ("timeline", (*VIDEO, "counts", "matched_events"), 5, "counts.matched_events: found 5, expected no more than gt_e"),
    ("timeline", (*VIDEO, "counts", "frames"), 5, "counts.frames: found 5, expected the frames of confusion"),
    (
        "timeline",
        (*VIDEO, "frame_errors", "deletion", "frames"),
        more,
        '0412.mp4"].frame_errors: found 1 for frames of deletion, fragmentation, underfill_start, underfill_end, exp',
    ),
    (
        "timeline",
        (*VIDEO, "frame_errors", "substitution", "frames"),
        more,
        "frame_errors: found 98 for frames of substitution, expected those of confusion, which is 97",
    ),
    (
        "timeline",
        (*VIDEO, "frame_errors", "substitution", "stretches"),
        99,
        "frame_errors.substitution.stretches: found 99, expected no more than frames, 97",
    ),
    (
        "timeline",
        (*VIDEO, "frame_errors", "substitution", "stretches"),
        0,
        "frame_errors.substitution.stretches: found 0, expected a stretch for its frames",
    ),
    (
        "timeline",
        ("pooled", "frame_errors", "deletion", "stretches"),
        more,
        "pooled.frame_errors.deletion.stretches: found 4, expected the sum of those of the videos, which is 3",
    ),
    (
        "timeline",
        ("worth", "frame_accuracy", "deletion", "gain"),
        0.9,
        "worth.frame_accuracy.deletion.gain: found 0.9, expected the mean, 0.035",
    ),
    ("timeline", ("worth", "frame_accuracy", "deletion", "gain"), -1, "deletion.gain: found -1, expected a number fr"),
    ("timeline", ("worth", "frame_accuracy", "merge", "interval"), [0.2, 0.1], "found [0.2, 0.1], expected the lower"),
    ("timeline", ("worth", "frame_accuracy", "other"), {}, "worth.frame_accuracy.other: is there, expected no such"),
    ("timeline", (*VIDEO, "lead_time_sec"), "soon", "lead_time_sec: found 'soon', expected a number, or null"),
    ("timeline", (*VIDEO, "counts", "pred_segments"), None, "pred_segments: found null, expected a whole number of at"),
    ("timeline", (*VIDEO, "counts", "pred_segments"), "x", "counts.pred_segments: found 'x', expected a whole number"),
    (
        "timeline",
        (*VIDEO, "counts", "pred_segments"),
        [[]],
        "pred_segments: found a list of 1, expected a whole number",
    ),
    ("timeline", (*VIDEO, "counts", "pred_segments"), 1e308, "pred_segments: found 1e+308, expected a whole number"),
    (
        "timeline",
        (*VIDEO, "counts", "pred_segments"),
        10**30,
        "counts.pred_segments: found 1000000000000000000000000000",
    ),
    ("timeline", (*VIDEO, "counts", "pred_segments"), -5, "counts.pred_segments: found -5, expected a whole number"),
    (
        "timeline",
        (*VIDEO, "counts", "pred_segments"),
        99,
        "pred_segments: found 99, expected no more than pred_runs, 7",
    ),
    ("timeline", (*VIDEO, "counts", "other"), "x", "counts.other: found 'x', expected a whole number of at least 0"),
    (
        "timeline",
        (*VIDEO, "counts", "pred_runs"),
        600,
        "transition_precision: found 0.16666666666666666, expected a whol",
    ),
    ("timeline", (*VIDEO, "iou_inside"), 0.1, "iou_inside: found 0.1, expected that of confusion"),
    ("timeline", (*VIDEO, "event_recall"), 0.5, "event_recall: found 0.5, expected"),
    (
        "timeline",
        ("summary", "lead_time_sec_std"),
        1.0,
        "summary.lead_time_sec_std: found 1.0, expected that of the vid",
    ),
    (
        "timeline",
        ("summary", "lead_time_sec_n"),
        15,
        "summary.lead_time_sec_n: found 15, expected the videos that have",
    ),
    (
        "timeline",
        ("summary", "lead_time_sec_interval"),
        [1, 1e308],
        "summary.lead_time_sec_interval: found a list of 2",
    ),
    (
        "timeline",
        ("summary", "edit_score_interval"),
        [0.5, 1.5],
        "edit_score_interval[1]: found 1.5, expected a number",
    ),
    (
        "timeline",
        ("sweep", "5", "lead_time_sec_mean"),
        9.5,
        "sweep.5.lead_time_sec_mean: found 9.5, expected summary.l",
    ),
    ("timeline", ("pooled", "transition_recall"), 0.5, "pooled.transition_recall: found 0.5, expected"),
    ("timeline", ("pooled", "segmental_f1_50"), 0.5, "pooled.segmental_f1_50: found 0.5, expected"),
    (
        "scene",
        (*CLIO, "bootstrap", "values", "osR_relaxed"),
        [1e308] * 1000,
        "osR_relaxed[0]: found 1e+308, expected a n",
    ),
    (
        "scene",
        (*CLIO, "bootstrap", "values", "mean_iou_3d"),
        [-1] * 1000,
        "mean_iou_3d[0]: found -1, expected a number",
    ),
    (
        "scene",
        (*CLIO, "bootstrap", "values", "mean_centroid_error_m"),
        [-1] * 1000,
        "error_m[0]: found -1, expected a nu",
    ),
    (
        "scene",
        (*CLIO, "bootstrap", "values", "mean_centroid_error_m"),
        [1e308] * 1000,
        "error_m[0]: found 1e+308, expec",
    ),
    (
        "scene",
        (*CLIO, "detection_metrics", "f1_interval"),
        [0.5, 1e308],
        "f1_interval[1]: found 1e+308, expected a numb",
    ),
    ("scene", (*CLIO, "geometry_metrics", "strict_accuracy"), 0.1, "strict_accuracy: found 0.1, expected"),
    (
        "scene",
        ("comparison", 0, "metrics", "recall", "difference"),
        0.5,
        "recall.difference: found 0.5, expected b - a",
    ),
    ("scene", (*CLIO, "counts", "tp"), more, "methods.clio.counts.gt: found 27, expected tp + fn, which is 28"),
    (
        "scene",
        (*CLIO, "detection_metrics", "recall"),
        0.9,
        "clio.detection_metrics.recall: found 0.9, expected 22 / 27",
    ),
    ("scene", (*CLIO, "fp_breakdown", "low_iou"), more, "clio.fp_breakdown: found 3 for the sum, expected counts.fp"),
    ("scene", (*CLIO, "unmatched_gt"), [], "methods.clio.unmatched_gt: found 0 for rows, expected counts.fn"),
    ("scene", (*CLIO, "per_class", "seat", "f1"), 0.9, "clio.per_class.seat.f1: found 0.9"),
    ("scene", (*CLIO, "method"), "other", "methods.clio.method: found 'other', expected its name, which is 'clio'"),
    ("scene", (*CLIO, "bootstrap", "values", "f1"), [0.5], "clio.bootstrap.values.f1: found 1 for replicates in it"),
    ("scene", ("records", "evaluated"), more, "records.read: found 3, expected evaluated + skipped + rejected"),
]


@pytest.mark.parametrize("suite", suite_names())
def test_the_golden_artifacts_add_up(suite):
    check_artifact(suite, golden(suite))


@pytest.mark.parametrize(("suite", "path", "value", "said"), EDITED, ids=[f"{row[0]}-{row[3][:40]}" for row in EDITED])
def test_a_number_that_was_edited_is_found(suite, path, value, said):
    with pytest.raises(Mismatch) as found:
        check_artifact(suite, changed(golden(suite), path, value))
    assert said in str(found.value)


@pytest.mark.parametrize("recall", [7.5, 0.99])
def test_no_gate_passes_an_artifact_that_was_edited(recall, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes((GOLDEN / "dense.json").read_bytes())
    tree = changed(golden("dense"), ("modes", "category", "primary", "recall"), recall)
    bad.write_text(json.dumps(tree), encoding="utf-8")
    for use in (
        lambda: calipers.gate(bad, floor={"recall": 0.6}),
        lambda: calipers.gate(good, bad, floor={"recall": 0.6}),
        lambda: calipers.compare(good, bad),
        lambda: calipers.load(bad),
    ):
        with pytest.raises(InputError, match=rf"bad\.json: modes\.category\.primary\.recall: found {recall}"):
            use()
    found = calipers.check(bad)
    assert (found.exit_code, f"found {recall}" in found["files"][0]["refused"]["first"][0]) == (3, True)
    assert calipers.gate(good, floor={"recall": 0.6}).exit_code == 0
