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
    assert [each.precision.shape for each in curves] == [(10, 101, 1, 4, 1)]
    assert report["coco"]["AP"] == 1.0
    assert [row["name"] for row in report["per_class"] if row["AP"] is not None] == [f"c{count - 1}"]
    assert len(report["per_class"]) == count
    assert list(report["curves"]) == [f"c{count - 1}"]


def test_without_any_object_nothing_is_defined():
    gt = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": []}
    report = coco(gt, [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}], bootstrap=0)
    assert set(report["coco"].values()) == {None}
    assert report["objects"]["absent_class_pred"] == 1
