"""The console summary of detections: COCO's lines to the letter, and below them what they do not say."""

import io
from contextlib import redirect_stdout

import pytest

from calipers.show.text import width
from calipers.suites.coco.summary import coco_lines, confused_pairs, summary

from .coco_trees import BBOX, KEYPOINTS, TREES, many, tree, without_detections, without_order


def lines_of(result):
    return summary(result).split("\n")


def line_of(result, name):
    """A named line with those that go on with it, without its name."""
    lines = lines_of(result)
    [at] = [at for at, line in enumerate(lines) if line.startswith(f" {name} ")]
    end = next((k for k in range(at + 1, len(lines)) if not lines[k].startswith(" " * 22)), len(lines))
    return [line[22:] for line in lines[at:end]]


def test_the_summary_says_what_was_read_how_good_it_is_and_what_that_hides():
    assert lines_of(tree()) == [
        "instances.json · results.json   boxes · best 1, 10, 100 of a class on an image",
        "images    120 in the ground truth · 110 evaluated · 8 empty · 2 rejected",
        "objects   65 ground truth (5 crowd) · 120 predicted",
        "",
        " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.375",
        " Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 0.406",
        " Average Precision  (AP) @[ IoU=0.75      | area=   all | maxDets=100 ] = 0.438",
        " Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = 0.469",
        " Average Precision  (AP) @[ IoU=0.50:0.95 | area=medium | maxDets=100 ] = 0.500",
        " Average Precision  (AP) @[ IoU=0.50:0.95 | area= large | maxDets=100 ] = 0.531",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=  1 ] = 0.562",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets= 10 ] = 0.594",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.625",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = 0.656",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area=medium | maxDets=100 ] = 0.688",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area= large | maxDets=100 ] = 0.719",
        "",
        " 95 % intervals       AP 0.375 (0.312–0.438) · AP_50 0.406 (0.344–0.469)   over images",
        (
            " precision            0.375 (0.250–0.500) at recall 0.9"
            " · 0.188 (0.125–0.250) mean precision over recall >= 0.9"
        ),
        "",
        " score-free sweep     60 objects · 120 detections · greedy 1-1 within a class",
        " IoU 0.50             P 0.500 · R 0.500 · F1 0.500 (0.250–0.750)",
        " mean F1 0.50:0.95    0.375 (0.250–0.500)",
        (
            " fix first            missed +0.312 · wrong label and place +0.250 · spurious +0.188"
            " · misplaced +0.125 · wrong label +0.062"
        ),
        (
            " where it goes wrong  6 wrong label · 7 misplaced · 8 wrong label and place · 10 duplicate"
            " · 59 spurious · 9 missed"
        ),
        " most confused        person taken for car (3) · cone taken for person (2) · car taken for cone (1)",
        " counts               MAE 1.5 · over 50 % · under 25 %",
        "",
        " class         gt      pred      AP   AP_50   best F1 at score",
        " car           30        60   0.500   0.750     0.625    0.500",
        " cone          20        40   0.333   0.500     0.417    0.500",
        " person        10        20   0.167   0.250     0.208    0.500",
    ]


# COCO's lines


def pycocotools_lines(iou_type, max_dets, undefined=False):
    """What pycocotools prints, and the numbers it returns; every cell of its arrays is another number."""
    np, cocoeval = pytest.importorskip("numpy"), pytest.importorskip("pycocotools.cocoeval")
    judge = cocoeval.COCOeval(iouType=iou_type)
    judge.params.maxDets = max_dets
    sizes = (10, 101, 3, len(judge.params.areaRng), len(max_dets))
    cells = np.arange(np.prod(sizes), dtype=float).reshape(sizes) / np.prod(sizes)
    judge.eval = {"precision": cells, "recall": np.sqrt(cells[:, 0])}
    if undefined:
        judge.eval = {name: np.full_like(values, -1) for name, values in judge.eval.items()}
    with redirect_stdout(io.StringIO()) as printed:
        judge.summarize()
    return printed.getvalue().splitlines(), [None if value == -1 else float(value) for value in judge.stats]


@pytest.mark.parametrize("undefined", [False, True])
@pytest.mark.parametrize(
    ("iou_type", "names", "max_dets"),
    [("bbox", BBOX, [1, 10, 100]), ("segm", BBOX, [1, 10, 100]), ("keypoints", KEYPOINTS, [20])],
)
def test_the_lines_are_those_of_pycocotools_to_the_letter(iou_type, names, max_dets, undefined):
    printed, values = pycocotools_lines(iou_type, max_dets, undefined)
    params = {"iou_type": iou_type, "max_dets": max_dets}
    assert coco_lines({"params": params, "coco": dict(zip(names, values, strict=True))}) == printed
    assert len(set(printed)) == len(names)


def test_trap_3_other_limits_show_the_numbers_given():
    #   pycocotools would print -1.000 for AP here, since it looks for exactly 100
    params = {"iou_type": "bbox", "max_dets": [5, 50, 1000]}
    coco = {"AP": 0.25, "AP_50": 0.5, "AP_small": None, "AR_5": 0.125, "AR_50": 0.25, "AR_1000": 0.5, "AR_large": 0.75}
    assert coco_lines({"params": params, "coco": coco}) == [
        " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=1000 ] = 0.250",
        " Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=1000 ] = 0.500",
        " Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=1000 ] = -1.000",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=  5 ] = 0.125",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets= 50 ] = 0.250",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=1000 ] = 0.500",
        " Average Recall     (AR) @[ IoU=0.50:0.95 | area= large | maxDets=1000 ] = 0.750",
    ]


def test_trap_5_without_an_order_the_reason_stands_right_under_the_lines():
    lines = lines_of(without_order())
    at = max(k for k, line in enumerate(lines) if "(AR)" in line)
    assert lines[at].endswith("= -1.000")
    assert lines[at + 1 : at + 5] == [
        " AP and AR are undefined: all 120 scores are 1, so there is no order to rank detections in.",
        " Read the sweep below instead, which needs no scores.",
        "",
        " score-free sweep     60 objects · 120 detections · greedy 1-1 within a class",
    ]
    assert lines[-1] == " person        10        20       —       —         —        —"


# What the lines do not say


def test_invalid_detections_come_with_their_reasons():
    reasons = {"not a number": 2, "a width below 0": 9, "no mask": 1, "score: \x1b[2J": 1, "infinite": 3}
    found = tree(invalid_reasons=reasons)
    found["objects"]["invalid_pred"] = 16
    assert lines_of(found)[2:4] == [
        "objects   65 ground truth (5 crowd) · 120 predicted (16 invalid)",
        (
            "invalid   9 a width below 0 · 3 infinite · 2 not a number · 2 for other reasons"
            " · left out of AP, counted as wrong in the sweep"
        ),
    ]


def test_trap_2_detections_cut_by_max_dets_are_counted():
    found = tree()
    found["objects"]["cut_by_max_dets"] = 1234
    said = "1,234 detections beyond the best 100 of a class on an image: AP does not count them"
    assert line_of(found, "cut by max_dets") == [said]
    assert " cut by max_dets" not in summary(tree())


@pytest.mark.parametrize(
    ("mass", "said"),
    [
        (0.0001, ["under 1 % of detections share their score with another of their class"]),
        (0.3, ["30 % of detections share their score with another of their class"]),
        (
            0.75,
            [
                "75 % of detections share their score with another of their class",
                "the order of the images decides between them, not the model: read AP with care",
            ],
        ),
    ],
)
def test_trap_5_ties_are_said_and_what_they_mean_when_there_are_many(mass, said):
    assert line_of(tree(tie_mass=mass), "ties") == said


def test_no_ties_are_not_worth_a_line():
    assert " ties" not in summary(tree())


def test_trap_4_detections_of_classes_without_ground_truth_stand_beside_ap():
    absent = [{"category_id": k, "name": f"ghost {k}", "pred": k} for k in range(1, 13)]
    found = tree(absent_classes=absent)
    found["objects"]["absent_class_pred"] = 78
    said = line_of(found, "absent classes")
    assert said[0].startswith(
        "78 false positives of 12 classes without ground truth: AP does not see them · ghost 12 (12)"
    )
    assert said[-1].endswith("ghost 3 (3) · 2 more")


def test_detections_that_were_left_out_of_the_sweep_are_counted():
    found = tree()
    found["params"]["min_score"] = 0.3
    found["objects"] |= {"pred": 150, "in_crowd": 10}  # 120 are left in the sweep
    said = "60 objects · 120 detections (20 with a score below 0.3 left out) · greedy 1-1 within a class"
    assert line_of(found, "score-free sweep") == [said]
    assert line_of(found, "where it goes wrong")[-1].endswith("10 in a crowd, left out")


def test_pairs_are_ordered_by_count_and_then_by_name():
    matched = {"b": {"b": 9, "a": 1, "c": 4}, "a": {"c": 1, "b": 1}}
    assert confused_pairs({"matched": matched}) == [("b", "c", 4), ("a", "b", 1), ("a", "c", 1), ("b", "a", 1)]


def test_of_many_classes_the_largest_and_the_worst_are_shown():
    lines = lines_of(many())
    at = next(k for k, line in enumerate(lines) if line.startswith(" class "))
    assert [line.split()[1] for line in lines[at + 1 : at + 11]] == [f"{k:02}" for k in range(10)]
    assert lines[at + 11] == " 70 more in the artifact"
    assert line_of(many(), "lowest AP")[0].startswith("class 79 0.006 (n 10) · class 78 0.013 (n 20)")
    assert line_of(many(), "most confused")[-1].endswith("75 more")
    assert " lowest AP" not in summary(tree())


def test_classes_that_nobody_saw_are_not_shown():
    found = tree()
    found["per_class"] += [row | {"name": "unseen", "gt": 0, "pred": 0} for row in found["per_class"][:1]]
    found["per_class"] += [row | {"name": "ghost", "gt": 0, "pred": 4} for row in found["per_class"][:1]]
    assert "unseen" not in summary(found)
    assert lines_of(found)[-1].startswith(" ghost          0         4")


def test_top_none_shows_no_class():
    found = tree()
    found["params"]["top"] = 0
    assert lines_of(found)[-1].startswith(" counts ")


def test_nothing_detected_is_zero_and_precision_is_a_dash():
    found = without_detections()
    assert coco_lines(found)[0].endswith("= 0.000")
    assert line_of(found, "IoU 0.50") == ["P — · R 0.000 · F1 0.000 (0.000–0.000)"]
    assert lines_of(found)[-1] == " person        10         0   0.000   0.000         —        —"


def test_without_intervals_there_are_no_brackets():
    found = tree()
    found["intervals"] = dict.fromkeys(found["intervals"])
    found["sweep"]["primary"]["interval"] = dict.fromkeys(("precision", "recall", "f1"))
    found["sweep"]["mean_f1_interval"] = None
    assert "95 % intervals" not in summary(found)
    assert line_of(found, "precision ") == ["0.375 at recall 0.9 · 0.188 mean precision over recall >= 0.9"]
    assert line_of(found, "IoU 0.50") == ["P 0.500 · R 0.500 · F1 0.500"]


# Foreign text and width


@pytest.mark.parametrize("name", TREES)
def test_trap_40_whatever_the_names_nothing_moves_the_cursor_and_no_line_is_too_long(name):
    for line in lines_of(TREES[name]):
        assert line.isprintable()
        assert width(line) <= 125
        assert line == line.rstrip()


def test_trap_40_paths_and_reasons_are_text():
    found = tree(inputs=[{"path": "a\nb", "sha256": "", "records": 1}], ap_undefined_reason="\x1b[31mred")
    assert lines_of(found)[0].startswith("a\\x0ab   boxes")
    assert " AP and AR are undefined: \\x1b[31mred." in lines_of(found)


def test_many_inputs_are_counted():
    paths = [{"path": f"{k}.txt", "sha256": "", "records": 1} for k in range(4)]
    assert lines_of(tree(inputs=paths))[0].startswith("0.txt · 1.txt · 2 more   boxes")


def test_columns_stay_in_line_under_wide_letters():
    lines = lines_of(tree(["交通锥", "car"]))
    ends = {width(line) for line in lines[-3:]}
    assert ends == {len(" class         gt      pred      AP   AP_50   best F1 at score")}
