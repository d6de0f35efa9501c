"""What the engine of COCO is given, and what it may take."""

from calipers import coco


def test_thousands_of_classes_without_an_object_take_no_memory():
    # 100,000 classes would be 2 x 9.7 GB of curves: the process would be killed
    box = {"image_id": 1, "category_id": 99_999, "bbox": [0, 0, 10, 10]}
    other = {"image_id": 1, "category_id": 7, "bbox": [50, 0, 10, 10]}
    gt = {
        "images": [{"id": 1}],
        "categories": [{"id": k, "name": f"c{k}"} for k in range(100_000)],
        "annotations": [box | {"id": 1, "area": 100, "iscrowd": 0}],
    }
    report = coco(gt, [box | {"score": 0.9}, other | {"score": 0.8}], bootstrap=0)
    assert report["coco"]["AP"] == 1.0
    assert [row["name"] for row in report["per_class"] if row["AP"] is not None] == ["c99999"]
    assert len(report["per_class"]) == 100_000
    assert list(report["curves"]) == ["c99999"]


def test_without_any_object_nothing_is_defined():
    gt = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": []}
    report = coco(gt, [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.5}], bootstrap=0)
    assert set(report["coco"].values()) == {None}
    assert report["objects"]["absent_class_pred"] == 1
