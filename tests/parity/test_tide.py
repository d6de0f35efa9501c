"""What causes are worth in AP_50: against plain loops over pycocotools' matching, and against hotcoco's oracles."""

import hotcoco
import pytest

import calipers

from ..profiles import seeds
from . import coco_reference as reference
from . import tide_reference as tide
from .coco_datasets import draw

LIVE = {"bbox": 40, "segm": 12}


def close(value):
    return value if value is None else pytest.approx(value, abs=1e-9)


def measured(dataset, **options):
    return calipers.coco(dataset.truth, dataset.results, iou_type=dataset.iou_type, bootstrap=0, **options)


@pytest.mark.parametrize(("iou_type", "seed"), [(kind, seed) for kind, count in LIVE.items() for seed in seeds(count)])
def test_gains_are_those_of_plain_loops(iou_type, seed):
    dataset = draw(seed, iou_type)
    report, found = measured(dataset), reference.evaluated(dataset)
    gains = report["worth"]["ap_50"]
    if report["ap_undefined_reason"]:
        assert gains is None
        assert report["worth_ap_50_undefined_reason"] == report["ap_undefined_reason"]
        return
    expected = tide.gains(found) or dict.fromkeys(tide.NAMES)
    assert {name: entry["gain"] for name, entry in gains.items()} == {k: close(v) for k, v in expected.items()}


def engine_gains(dataset):
    truth = hotcoco.COCO(dataset.truth)
    engine = hotcoco.COCOeval(truth, truth.load_res(dataset.results), dataset.iou_type)
    engine.evaluate()
    return engine.tide_errors(pos_thr=0.5, bg_thr=0.1)["delta_ap"]


def with_one_detection_of_every_class(dataset):
    """So that no class is without detections, which hotcoco keeps in the mean and TIDE does not."""
    image = dataset.truth["images"][0]["id"]
    far = {"image_id": image, "bbox": [9000, 9000, 10, 10], "score": 1e-6}
    return dataset._replace(
        results=[*dataset.results, *({**far, "category_id": each["id"]} for each in dataset.truth["categories"])]
    )


@pytest.mark.parametrize("seed", seeds(30))
def test_gains_are_those_of_hotcoco_where_there_is_no_crowd(seed):
    plain = draw(seed, levels=0, crowd=0, vast=False, left_out=False, own_area=0)
    dataset = with_one_detection_of_every_class(plain)
    report, expected = measured(dataset), engine_gains(dataset)
    gains = report["worth"]["ap_50"]
    if not dataset.truth["annotations"]:
        assert gains is None
        assert report["worth_ap_50_undefined_reason"] == "the ground truth has no object that has to be found"
        return
    assert {name: entry["gain"] for name, entry in gains.items()} == {
        k: close(expected[v]) for k, v in tide.NAMES.items()
    }
