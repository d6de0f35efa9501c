"""A line for a result that is poor, if predictions read otherwise would fit far better."""

import json

import pytest

import calipers
from calipers.results.outcome import hint
from calipers.suites.coco import few_images
from calipers.suites.scene import check as check_scene
from calipers.suites.scene import survey as survey_scene
from calipers.suites.timeline import check as check_timeline
from calipers.suites.timeline import survey as survey_timeline

SEAT = {"label": "seat", "size": [1.0, 0.5, 2.0]}


def room(*centers):
    return {"objects": [{**SEAT, "id": k, "center": list(center)} for k, center in enumerate(centers)]}


#   two of five boxes are at x = 0, where a mirrored axis moves nothing: F1 is 2/5
ROOM = room((0, 0, 1), (0, 4, 1), (3, 0, 1), (5, 2, 1), (8, 7, 1))
MIRRORED = room((0, 0, 1), (0, 4, 1), (-3, 0, 1), (-5, 2, 1), (-8, 7, 1))
LINE = (
    "would fit far better read otherwise: x mirrored (a frame of the other hand) (F1 1.00 instead of 0.40,"
    " in the first 1 scene); calipers check says more"
)


def test_scenes():
    report = calipers.scene(ROOM, MIRRORED, bootstrap=0)
    assert hint(report, ROOM, {"pred": MIRRORED}) == [f"hint: predictions {LINE}"]


def test_a_poor_method_among_several_is_named(tmp_path):
    for name, scene in {"gt": ROOM, "ours": MIRRORED, "theirs": ROOM}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(scene))
    gt, ours, theirs = (str(tmp_path / f"{name}.json") for name in ("gt", "ours", "theirs"))
    report = calipers.scene(gt, {"ours": ours, "theirs": theirs}, bootstrap=0)
    assert hint(report, gt, {"ours": ours, "theirs": theirs}) == [f"hint: predictions of ours {LINE}"]


def test_a_poor_method_on_scenes_has_no_line():
    pred = room((0, 0, 1), (0, 4, 1), (3, 3, 1), (4, 5, 1), (7, 1, 1))
    assert hint(calipers.scene(ROOM, pred, bootstrap=0), ROOM, {"pred": pred}) == []


def test_few_scenes_with_few_boxes_are_tried(monkeypatch):
    scenes = {f"room {k:02}": ROOM for k in range(40)}
    guess = dict.fromkeys(scenes, MIRRORED)
    report = calipers.scene(scenes, guess, bootstrap=0)
    [line] = hint(report, scenes, {"pred": guess})
    assert "in the first 20 scenes" in line
    monkeypatch.setattr(survey_scene, "FEW_BOXES", 17)  # five in each
    [line] = hint(report, scenes, {"pred": guess})
    assert "in the first 3 scenes" in line


TRUTH = {"a": {"outside": [[0, 199]], "inside": [[200, 299]]}}


def test_timelines():
    pred = {"a": {"states": {"OUT": [[0, 199]], "inside": [[200, 299]]}}}  # 100 of 300 frames are right
    [line] = hint(calipers.timeline(TRUTH, pred), TRUTH, pred)
    assert line == (
        "hint: predictions would fit far better read otherwise: states by other words: OUT -> outside"
        " (frame accuracy 1.00 instead of 0.33, in the first 1 video); calipers check says more"
    )


def test_poor_timelines_have_no_line():
    pred = {"a": {"states": {"inside": [[0, 299]]}}}
    assert hint(calipers.timeline(TRUTH, pred), TRUTH, pred) == []


def test_large_timelines_are_not_read_again(tmp_path, monkeypatch):
    gt, pred = tmp_path / "gt.json", tmp_path / "pred.json"
    gt.write_text(json.dumps(TRUTH))
    pred.write_text(json.dumps({"a": {"states": {"OUT": [[0, 199]], "inside": [[200, 299]]}}}))
    report = calipers.timeline(gt, pred)
    assert len(hint(report, str(gt), str(pred))) == 1
    monkeypatch.setattr(survey_timeline, "FEW_BYTES", gt.stat().st_size + pred.stat().st_size - 1)
    assert hint(report, str(gt), str(pred)) == []


def detections(*boxes, of=1):
    """Boxes of one class on one image each; `of` counts how often the images are there."""
    return [{"image_id": k, "category_id": 7, "bbox": list(box)} for k, box in enumerate(boxes * of)]


#   a box at 0, 0 is the same by corners and by size: of three objects one is found
BOXES, CORNERS = (
    ((0, 0, 50, 40), (60, 50, 20, 30), (90, 30, 40, 20)),
    ((0, 0, 50, 40), (60, 50, 80, 80), (90, 30, 130, 50)),
)


def dataset(of=1):
    images = [{"id": k, "width": 200, "height": 100} for k in range(3 * of)]
    annotations = [{**each, "id": k + 1} for k, each in enumerate(detections(*BOXES, of=of))]
    return {"images": images, "categories": [{"id": 7, "name": "cone"}], "annotations": annotations}


@pytest.mark.parametrize(("of", "images"), [(1, 3), (40, 20)])
def test_detections(of, images):
    gt = dataset(of)
    pred = [{**each, "score": 1 - k / 1000} for k, each in enumerate(detections(*CORNERS, of=of))]
    report = calipers.coco(gt, pred, bootstrap=0)
    [line] = hint(report, gt, pred)
    assert line.startswith(
        "hint: predictions would fit far better read otherwise: boxes as [x1, y1, x2, y2] (AP_50 1.00"
    )
    assert line.endswith(f", in the first {images} images); calipers check says more")


def test_detections_without_scores_are_compared_by_f1():
    gt, pred = dataset(), detections(*CORNERS)
    [line] = hint(calipers.coco(gt, pred, bootstrap=0), gt, pred)
    assert "boxes as [x1, y1, x2, y2] (F1 at IoU 0.50 1.00 instead of 0.33, in the first 3 images)" in line


def test_poor_detections_have_no_line():
    gt, pred = dataset(), detections((0, 0, 50, 40), (150, 10, 20, 30), (10, 30, 40, 20))
    assert hint(calipers.coco(gt, pred, bootstrap=0), gt, pred) == []


def test_nothing_is_tried_for_a_fair_headline(monkeypatch):
    for module in (check_scene, check_timeline):
        monkeypatch.setattr(module, "compare_few", lambda *_: pytest.fail("tried"))
    monkeypatch.setattr(few_images, "compare_few", lambda *_, **__: pytest.fail("tried"))
    gt, pred = dataset(), detections(*BOXES)
    assert hint(calipers.coco(gt, pred, bootstrap=0), gt, pred) == []
    assert hint(calipers.scene(ROOM, ROOM, bootstrap=0), ROOM, {"pred": ROOM}) == []
    states = {"a": {"states": TRUTH["a"]}}
    assert hint(calipers.timeline(TRUTH, states), TRUTH, states) == []
