"""Labels of shapes in verdicts: ignored with a note, or exact."""

import json

import pytest

from calipers import ConfigError, judge

from .verdicts import PROGRAM, asked, case, is_error, judged, run, strictly

LEFT, RIGHT = [0, 0, 10, 10], [20, 0, 30, 10]


def labelled(*labels):
    return [{"box": box, "label": label} for box, label in zip((LEFT, RIGHT), labels, strict=False)]


def test_a_nut_for_a_screw_is_told_in_the_reason_where_labels_are_ignored():
    verdict = judged("boxes", labelled("nut", "nut"), labelled("screw", "nut"))
    note = "labels were ignored: 'nut' for 'screw' (1 of 2 pairs; labels=exact would count it)"
    assert (verdict["pass"], verdict["score"]) == (True, 1.0)
    assert verdict["reason"] == f"F1 1.000: 2 of 2 boxes found, 0 more in the answer; {note}"
    assert verdict["details"]["notes"] == [note]
    assert verdict["details"]["label_mismatches"] == [{"gt": 0, "pred": 0, "gt_label": "screw", "pred_label": "nut"}]


def test_nothing_is_said_where_labels_are_the_same_or_one_side_has_none():
    for answer, reference in (
        (labelled("screw"), labelled("screw")),
        ([LEFT], labelled("screw")),
        (labelled("screw"), [LEFT]),
    ):
        verdict = judged("boxes", answer, reference)
        assert verdict["reason"] == "F1 1.000: 1 of 1 box found, 0 more in the answer"
        assert "label_mismatches" not in verdict["details"]


def test_exact_labels_are_matched_and_no_others():
    verdict = judged("boxes", labelled("nut", "nut"), labelled("screw", "nut"), labels="exact")
    assert verdict["score"] == 2 * 1 / (2 + 2)
    assert [(pair["gt"], pair["pred"]) for pair in verdict["details"]["pairs"]] == [(1, 1)]
    assert verdict["reason"] == "F1 0.500: 1 of 2 boxes found, 1 more in the answer"


@pytest.mark.parametrize("match", ["greedy", "optimal", "gt-order"])
def test_of_two_boxes_in_one_place_each_gets_that_of_its_label(match):
    truth = [{"box": LEFT, "label": "screw"}, {"box": LEFT, "label": "nut"}]
    verdict = judged("boxes", truth[::-1], truth, labels="exact", match=match)
    assert [(pair["gt"], pair["pred"]) for pair in verdict["details"]["pairs"]] == [(0, 1), (1, 0)]


def test_one_box_of_another_label_scores_nothing_and_says_why():
    verdict = judged("iou", labelled("nut")[0], labelled("screw")[0], labels="exact")
    assert (verdict["pass"], verdict["score"]) == (False, 0.0)
    assert verdict["reason"] == "IoU 1.000, but the label is 'nut', expected 'screw'"
    assert (
        judged("iou", LEFT, labelled("screw")[0], labels="exact")["reason"]
        == "IoU 1.000, but no label, expected 'screw'"
    )
    assert judged("iou", labelled("screw")[0], labelled("screw")[0], labels="exact")["score"] == 1.0


def test_average_precision_by_label_is_the_mean_over_labels():
    answer = [{**box, "score": 0.9} for box in labelled("nut")]
    assert judged("map", answer, labelled("nut", "screw"), labels="exact")["score"] == (1.0 + 0.0) / 2
    assert judged("map", answer, labelled("screw"), labels="exact")["score"] == 0.0
    assert judged("map", answer, labelled("screw"))["score"] == 1.0


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ([LEFT], "reference: no labels found, expected one for each box with labels=exact"),
        (
            [{"box": LEFT, "label": "nut"}, {"box": RIGHT}],
            "reference: box 1: no label found, expected one with labels=exact",
        ),
    ],
)
def test_a_reference_without_labels_cannot_be_compared_by_them(reference, reason):
    assert is_error(judged("boxes", labelled("nut"), reference, labels="exact"), reason)


def test_nothing_against_nothing_is_right_by_labels_too():
    assert judged("boxes", {"boxes": []}, {"boxes": []}, labels="exact")["score"] == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        {"boxes": [LEFT, RIGHT], "labels": ["screw", "nut"]},
        {"objects": [{"bbox": LEFT, "class": " screw "}, {"bbox": RIGHT, "categoryName": "nut"}]},
        {"boxes": [{"box": LEFT, "name": "screw"}, {"box": RIGHT, "name": "x", "label": "nut"}], "label": "washer"},
        '{"box": [0, 0, 10, 10], "label": "screw"}\n{"box": [20, 0, 30, 10], "label": "nut"}',
    ],
)
def test_labels_stand_beside_shapes_in_many_ways(answer):
    assert judged("boxes", answer, labelled("screw", "nut"), labels="exact")["score"] == 1.0


def test_one_label_is_that_of_all_shapes_beside_it_but_a_name_is_not():
    assert judged("boxes", {"label": 7, "boxes": [LEFT, RIGHT]}, labelled(7, 7), labels="exact")["score"] == 1.0
    verdict = judged("boxes", {"name": "a.jpg", "boxes": [LEFT, RIGHT]}, {"name": "b.jpg", "boxes": [LEFT, RIGHT]})
    assert verdict["details"]["notes"] == []


def test_labels_that_are_too_few_are_told_and_not_taken():
    verdict = judged("boxes", {"boxes": [LEFT, RIGHT], "labels": ["nut"]}, labelled("screw", "nut"))
    assert verdict["details"]["notes"] == ["found 1 labels for 2 shapes"]


def test_a_point_has_no_labels_and_the_option_is_listed_as_ignored():
    verdict = judged("point", [1, 2], [1, 2], labels="exact")
    assert (verdict["score"], verdict["details"]["ignored_config"]) == (1.0, ["labels"])


def test_polygons_lines_and_intervals_are_matched_by_labels():
    square = [[0, 0], [10, 0], [10, 10], [0, 10]]
    for ruler, name, shape in (
        ("polygon", "polygon", square),
        ("line", "line", square[:2]),
        ("intervals", "interval", [0, 9]),
    ):
        truth, pred = ([{name: shape, "label": label}] for label in ("screw", "nut"))
        assert judged(ruler, pred, truth, labels="exact")["score"] == 0.0
        assert "labels were ignored: 'nut' for 'screw'" in judged(ruler, pred, truth)["reason"]


def test_labels_are_a_flag_a_key_of_the_config_and_work_in_a_server():
    payload = case(labelled("nut"), labelled("screw"))
    assert asked("boxes", payload, "--labels", "exact")["score"] == 0.0
    assert asked("boxes", payload | {"config": {"labels": "exact"}})["score"] == 0.0
    lines = json.dumps(payload).encode() + b"\n"
    served = run("boxes", "--labels", "exact", "--serve", given=lines * 3, program=PROGRAM).out.splitlines()
    assert [strictly(line)["score"] for line in served] == [0.0, 0.0, 0.0]


def test_any_other_way_with_labels_is_refused():
    with pytest.raises(ConfigError, match=r"labels: found the text 'loose', expected ignore or exact"):
        judge.boxes(gt=[LEFT], pred=[LEFT], labels="loose")
