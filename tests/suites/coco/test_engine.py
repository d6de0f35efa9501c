"""What the engine of COCO is given, and what it may take."""

from calipers import coco
from calipers.suites.coco import engine, measure

from ...profiles import share


def test_thousands_of_classes_without_an_object_take_no_memory(monkeypatch):
    # 100,000 classes would be 2 x 9.7 GB of curves; the engine and the curves have the one class that has an object
    count = 100_000 if share() == 1 else 4_000
    curves, accumulate = [], engine.accumulate
    monkeypatch.setattr(measure, "accumulate", lambda *args: curves.append(accumulate(*args)) or curves[-1])
    box = {"image_id": 1, "category_id": count - 1, "bbox": [0, 0, 10, 10]}
    other = {"image_id": 1, "category_id": 7, "bbox": [50, 0, 10, 10]}
    gt = {
        "images": [{"id": 1}],
        "categories": [{"id": k, "name": f"c{k}"} for k in range(count)],
        "annotations": [box | {"id": 1, "area": 100, "iscrowd": 0}],
    }
    report = coco(gt, [box | {"score": 0.9}, other | {"score": 0.8}], bootstrap=0)
    assert [each.precision.which.shape for each in curves] == [(1, 4)]
    assert report["coco"]["AP"] == 1.0
    assert [row["name"] for row in report["per_class"] if row["AP"] is not None] == [f"c{count - 1}"]
    assert len(report["per_class"]) == count
    assert list(report["curves"]) == [f"c{count - 1}"]


def test_without_any_object_nothing_is_defined():
    gt = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": []}
    report = coco(gt, [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}], bootstrap=0)
    assert set(report["coco"].values()) == {None}
    assert report["objects"]["absent_class_pred"] == 1


def test_curves_of_many_classes_are_made_some_at_a_time(monkeypatch):
    places = [{"image_id": k % 5, "category_id": k % 7} for k in range(60)]
    truth = {
        "images": [{"id": k, "width": 99, "height": 99} for k in range(5)],
        "categories": [{"id": k, "name": f"{k}"} for k in range(8)],
        "annotations": [place | {"id": k, "bbox": [k, 0, 9, 9], "area": 81} for k, place in enumerate(places, 1)],
    }
    pred = [place | {"bbox": [k * 6 / 5, 0, 9, 9], "score": k % 9 / 9} for k, place in enumerate(places, 1)]
    whole = coco(truth, pred, bootstrap=20)
    for name in ("suites.coco.matches.MAX_CLASSES_AT_ONCE", "core.best_scores.MAX_CLASSES_AT_ONCE"):
        monkeypatch.setattr(f"calipers.{name}", 2)
    assert coco(truth, pred, bootstrap=20).to_json() == whole.to_json()
    for name in ("suites.coco.matches.RANKED_AT_ONCE", "core.best_scores.MAX_DETECTIONS_AT_ONCE"):
        monkeypatch.setattr(f"calipers.{name}", 12)
    assert coco(truth, pred, bootstrap=20).to_json() == whole.to_json()
    assert 0 < whole["coco"]["AP"] < 1
