"""How many pairs of one class on an image the engine may compare, also where nothing overlaps."""

import pytest

import calipers


def boxes_apart(count, y):
    return [[20 * number, y, 10, 10] for number in range(count)]


TRUTH = {
    "images": [{"id": 1, "width": 5000, "height": 100}],
    "categories": [{"id": 1, "name": "cone"}],
    "annotations": [
        {"id": number, "image_id": 1, "category_id": 1, "bbox": box, "area": 100, "iscrowd": 0}
        for number, box in enumerate(boxes_apart(200, 0), 1)
    ],
}
PRED = [
    {"image_id": 1, "category_id": 1, "bbox": box, "score": 1 / number}
    for number, box in enumerate(boxes_apart(150, 50), 1)
]


def test_annotations_times_detections_within_max_dets_are_limited():
    # 200 annotations and the best 100 of 150 detections: 20,000 pairs, where 50 for each of 350 objects are allowed
    with pytest.raises(calipers.InputError, match=r"more than 17,500 pairs of one class on an image within max_dets;"):
        calipers.coco(TRUTH, PRED, max_pairs=1, bootstrap=0)


@pytest.mark.parametrize("options", [{"max_pairs": 20_000}, {"max_pairs": 1, "max_dets": (1, 10, 50)}])
def test_a_higher_limit_or_fewer_detections_are_compared(options):
    assert calipers.coco(TRUTH, PRED, bootstrap=0, **options)["coco"]["AP"] == 0.0
