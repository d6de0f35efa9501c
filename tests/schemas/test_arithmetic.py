"""Numbers of an artifact that do not fit each other are found, and the place is said."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.errors import InputError
from calipers.schemas import SUITES, Mismatch, check_artifact

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
    ("dense", ("errors", "missed"), more, "errors: found 1102 for matched + missed, expected objects.gt"),
    ("dense", ("errors", "spurious"), more, "errors: found 1107 for matched and what is wrong, expected objects.pred"),
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
    ("coco", ("coco", "AP"), 1.5, "coco.AP: found 1.5, expected a number from 0 to 1, or null"),
    ("coco", ("coco", "AP_50"), 0.9, "map_50: found 0.7155825054422322, expected coco.AP_50, which is 0.9"),
    ("coco", ("images", "evaluated"), more, "images.total: found 100, expected evaluated + skipped_empty + rejected"),
    ("coco", ("sweep", "primary", "recall"), 0.9, "sweep.primary.recall: found 0.9, expected 611 / 758"),
    ("coco", ("errors", "missed"), more, "errors.missed: found 148, expected gt - matched of sweep.primary"),
    ("coco", ("bootstrap", "values", "AP"), [0.5], "bootstrap.values.AP: found 1 for replicates in it"),
    ("coco", ("curves", "cone", "precision"), [0.5], "curves.cone: found 1 for steps of precision, expected recall"),
    ("timeline", ("summary", "frame_accuracy_mean"), 0.9, "summary.frame_accuracy_mean: found 0.9, expected the mean"),
    ("timeline", ("summary", "event_recall_n"), 40, "summary.event_recall_n: found 40, expected no more than records"),
    ("timeline", ("sweep", "5", "videos_total"), 23, "sweep.5.videos_total: found 23, expected records.read"),
    ("timeline", ("records", "read"), 7, "records.read: found 7, expected evaluated + skipped + rejected, which is 22"),
    ("timeline", (*VIDEO, "frame_accuracy"), 0.9, '0412.mp4"].frame_accuracy: found 0.9, expected 527 / 631'),
    ("timeline", (*VIDEO, "counts", "matched_events"), 5, "counts.matched_events: found 5, expected no more than gt_e"),
    ("timeline", (*VIDEO, "counts", "frames"), 5, "counts.frames: found 5, expected the frames of confusion"),
    ("timeline", (*VIDEO, "lead_time_sec"), "soon", "lead_time_sec: found 'soon', expected a number, or null"),
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


@pytest.mark.parametrize("suite", SUITES)
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
