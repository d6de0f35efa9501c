"""Paired differences are those of a direct bootstrap on raw records: the same weights, record by record.

The direct way here: every record is evaluated alone, its counts are weighted, and each replicate gives two values and
their difference. Where sums are whole numbers, intervals come out the same to the bit.
"""

import json

import numpy as np
import pytest

import calipers
from calipers.kernels.count.sums import key_hashes, weights
from calipers.results.compare import compare

from .conftest import DATA, coco_results, dense_records, timeline_predictions

REPLICATES = 1000


def weights_of(keys: list[str]) -> np.ndarray:
    """(replicates, records)"""
    return np.array([weights(int(key), 0, REPLICATES).tolist() for key in key_hashes(keys)]).T


def middle_95(draws: np.ndarray) -> list[float]:
    """Without the 25 smallest and the 25 largest of 1,000."""
    ordered = np.sort(draws[~np.isnan(draws)])
    tail = len(ordered) // 40
    return [ordered[tail], ordered[len(ordered) - 1 - tail]]


def row(comparison, metric: str) -> dict:
    [found] = [each for each in comparison["metrics"] if each["metric"] == metric]
    return found


def divided(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return part / whole


# dense


def dense_counts(records: list[dict], mode: str) -> np.ndarray:
    """(records, 4): objects, predictions, pairs at 0.5, pairs over the sweep"""
    counts = []
    for record in records:
        tree = calipers.dense([record], bootstrap=0, jobs=1).tree
        swept = sum(each["matched"] for each in tree["modes"][mode]["thresholds"])
        counts.append(
            [tree["objects"]["gt"], tree["objects"]["pred"], tree["modes"][mode]["primary"]["matched"], swept]
        )
    return np.array(counts, dtype=np.float64)


def dense_values(drawn: np.ndarray) -> dict[str, np.ndarray]:
    gt, pred, matched, swept = drawn.T
    return {
        "precision": divided(matched, pred),
        "recall": divided(matched, gt),
        "f1": divided(2 * matched, gt + pred),
        "mean_f1": divided(2 * swept, 10 * (gt + pred)),
    }


@pytest.mark.parametrize("mode", ["localization", "category"])
def test_dense_differences_are_those_of_raw_records_to_the_bit(runs, mode):
    drawn = weights_of([record["image_path"] for record in dense_records(False)])
    old, new = (dense_values(drawn @ dense_counts(dense_records(changed), mode)) for changed in (False, True))
    comparison = compare(*runs["dense"])
    for name in old:
        assert row(comparison, f"{mode}.{name}")["interval"] == middle_95(new[name] - old[name]), name


def test_pairs_are_narrower_than_the_two_intervals_would_be(runs):
    comparison, (old, new) = compare(*runs["dense"]), runs["dense"]
    found = row(comparison, "category.recall")["interval"]
    spans = [run["modes"]["category"]["primary"]["interval"]["recall"] for run in (old, new)]
    both = np.hypot(*(end[1] - end[0] for end in spans))
    assert found[1] - found[0] < 0.8 * both


# timeline


@pytest.fixture(scope="module")
def videos(runs):
    """Names of evaluated videos, and both trees of every one of them."""
    trees = [run["videos"].as_dict() for run in runs["timeline"]]
    names = [name for name, video in trees[0].items() if "error" not in video]
    return names, [[tree[name] for name in names] for tree in trees]


@pytest.mark.parametrize("name", ["frame_accuracy", "event_recall", "lead_time_sec", "flicker_per_minute", "map_50"])
def test_differences_of_means_over_videos_are_those_of_the_videos(runs, videos, name):
    """Means are resampled with 36 bits of every value, so they agree to ten digits."""
    names, sides = videos
    drawn, means = weights_of(names), []
    for side in sides:
        values = np.array([video[name] for video in side], dtype=np.float64)
        defined = ~np.isnan(values)
        means.append(divided(drawn @ np.where(defined, values, 0), drawn @ defined))
    found = row(compare(*runs["timeline"]), name)["interval"]
    assert found == pytest.approx(middle_95(means[1] - means[0]), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["event", "advisory_event"])
def test_pooled_differences_are_those_of_the_counts_of_videos_to_the_bit(runs, videos, name):
    names, sides = videos
    drawn, rates = weights_of(names), []
    for side in sides:
        counts = [[video["counts"][f"{part}_{name}s"] for part in ("matched", "gt", "pred")] for video in side]
        rates.append((drawn @ np.array(counts, dtype=np.float64)).T)
    (was, truth, before), (found, same, after) = rates
    comparison = compare(*runs["timeline"])
    recall = middle_95(divided(found, same) - divided(was, truth))
    assert row(comparison, f"pooled.{name}_recall")["interval"] == recall
    precision = middle_95(divided(found, after) - divided(was, before))
    assert row(comparison, f"pooled.{name}_precision")["interval"] == precision


# scene


def test_differences_over_scenes_are_those_of_scenes_evaluated_alone(runs):
    scenes, sides = list(runs["scene"][0]["scenes"]), []
    for report in runs["scene"]:
        sides.append([report["scenes"][name] for name in scenes])
    drawn, values = weights_of(scenes), []
    for side in sides:
        gt, pred, tp = (drawn @ np.array([scene[name] for scene in side], dtype=float) for name in ("gt", "pred", "tp"))
        iou = drawn @ np.array([scene["mean_iou_3d"] * scene["tp"] for scene in side])
        values.append(
            {
                "precision": divided(tp, pred),
                "recall": divided(tp, gt),
                "f1": divided(2 * tp, gt + pred),
                "mean_iou_3d": divided(iou, tp),
            }
        )
    comparison = compare(*runs["scene"])
    for name in ("precision", "recall", "f1"):
        assert row(comparison, f"clio.{name}")["interval"] == middle_95(values[1][name] - values[0][name])
    found = row(comparison, "clio.mean_iou_3d")["interval"]
    assert found == pytest.approx(middle_95(values[1]["mean_iou_3d"] - values[0]["mean_iou_3d"]), abs=1e-9)


def test_two_artifacts_give_the_differences_that_one_artifact_of_both_methods_has(runs):
    scene = DATA / "scene"
    both = calipers.scene(scene / "gt", [scene / "pipeline", scene / "clio"])["comparison"][0]["metrics"]
    for each in compare(*runs["scene"])["metrics"]:
        name = each["metric"].removeprefix("clio.")
        assert each["difference"] == both[name]["difference"]
        if each["interval"]:
            assert each["interval"] == pytest.approx(both[name]["interval"], abs=1e-9)


# coco


def repeated(times: dict[int, int]) -> dict:
    """The data set with every image as often as it counts in a replicate."""
    truth = json.loads((DATA / "coco" / "instances.json").read_bytes())
    copies = [(image, image["id"] * 100 + k) for image in truth["images"] for k in range(times[image["id"]])]
    new_ids: dict[int, list[int]] = {}
    for image, new in copies:
        new_ids.setdefault(image["id"], []).append(new)
    images = [image | {"id": new, "file_name": f"{new:06}.jpg"} for image, new in copies]
    rows = [each | {"image_id": new} for each in truth["annotations"] for new in new_ids.get(each["image_id"], ())]
    rows = [each | {"id": k} for k, each in enumerate(rows, 1)]
    return {"images": images, "categories": truth["categories"], "annotations": rows, "new_ids": new_ids}


@pytest.mark.parametrize("replicate", [0, 1, 500, 999])
def test_replicates_of_ap_are_those_of_the_images_repeated_as_often_as_they_weigh(runs, replicate):
    """Ties are in another order among copies, which moves AP a little."""
    truth = json.loads((DATA / "coco" / "instances.json").read_bytes())
    drawn = weights_of([image["file_name"] for image in truth["images"]])[replicate]
    times = {image["id"]: int(weight) for image, weight in zip(truth["images"], drawn, strict=True)}
    dataset = repeated(times)
    new_ids = dataset.pop("new_ids")
    direct = []
    for changed in (False, True):
        rows = [each | {"image_id": new} for each in coco_results(changed) for new in new_ids.get(each["image_id"], ())]
        direct.append(calipers.coco(dataset, rows, bootstrap=0))
    draws = compare(*runs["coco"]).changes["AP"].draws
    assert draws[replicate] == pytest.approx(direct[1]["coco"]["AP"] - direct[0]["coco"]["AP"], abs=2e-3)
    recall = compare(*runs["coco"]).changes["sweep.recall"].draws[replicate]
    assert recall == direct[1]["sweep"]["primary"]["recall"] - direct[0]["sweep"]["primary"]["recall"]


def test_intervals_of_ap_lie_around_the_observed_difference(runs):
    comparison = compare(*runs["coco"])
    change = comparison.changes["AP"]
    raw = middle_95(change.draws)
    shift = change.difference - np.median(change.draws)
    assert change.interval == [raw[0] + shift, raw[1] + shift]
    assert row(comparison, "AP")["interval"] == change.interval


def test_a_difference_may_go_below_zero_and_above_one_unlike_a_number():
    """Old finds nothing, new everything: the difference is 1 whatever is drawn."""
    boxes = [{"id": k, "image_id": k, "category_id": 1, "bbox": [0, 0, 8, 8]} for k in range(1, 41)]
    truth = {"images": [{"id": k} for k in range(1, 41)], "categories": [{"id": 1, "name": "a"}], "annotations": boxes}
    rows = [{"image_id": k, "category_id": 1, "score": k / 50, "bbox": [0, 0, 8, 8]} for k in range(1, 41)]
    moved = [each | {"bbox": [400, 400, 8, 8]} for each in rows]
    found = row(compare(calipers.coco(truth, moved), calipers.coco(truth, rows)), "AP")
    assert (found["difference"], found["interval"], found["verdict"]) == (1.0, [1.0, 1.0], "better")


def test_predictions_of_videos_do_change():
    assert timeline_predictions(True) != timeline_predictions(False)
