"""What ranks of many detections take: parts of the sorting and of the classes at a time, to the same bits."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.core import best_scores, calibration, tally
from calipers.results.outcome import hint
from calipers.suites.coco import matches, plan, survey
from calipers.suites.coco.columns import FewRows
from calipers.suites.coco.matches import in_class_order, rows_of, surest_first
from calipers.suites.coco.packing import _check_few

IMAGES, DETECTIONS, OBJECTS, CLASSES = 600, 100, 15, 12
MOST_BYTES = 90  # a detection
PARTS = {
    (matches, "SORTED_AT_ONCE"): 1 << 12,
    (matches, "RANKED_AT_ONCE"): 1 << 12,
    (best_scores, "MAX_DETECTIONS_AT_ONCE"): 1 << 12,
    (calibration, "BLOCK"): 1 << 10,
    (tally, "BLOCK"): 1 << 10,
}  # as small beside these detections as they are beside millions


@pytest.fixture
def _small_parts(monkeypatch):
    for (module, name), size in PARTS.items():
        monkeypatch.setattr(module, name, size)


def write(folder):
    """As many detections as have to be ranked, a third of them near an object."""
    rng = np.random.default_rng(0)
    boxes = (rng.random((IMAGES, OBJECTS, 4)) * [300, 300, 60, 60] + [0, 0, 20, 20]).round(1)
    kinds = rng.integers(0, CLASSES, (IMAGES, OBJECTS))
    gt = {
        "images": [{"id": image, "width": 400, "height": 400} for image in range(IMAGES)],
        "categories": [{"id": kind, "name": f"class {kind}"} for kind in range(CLASSES)],
        "annotations": [
            {
                "id": image * OBJECTS + k + 1,
                "image_id": image,
                "category_id": kind,
                "bbox": box,
                "area": box[2] * box[3],
            }
            for image in range(IMAGES)
            for k, (kind, box) in enumerate(zip(kinds[image].tolist(), boxes[image].tolist(), strict=True))
        ],
    }
    pred = []
    for image in range(IMAGES):
        on, near = rng.integers(0, OBJECTS, DETECTIONS), rng.random(DETECTIONS) < 0.35
        moved = boxes[image][on] + np.where(near[:, None], rng.normal(0, 2, (DETECTIONS, 4)), 40)
        rows = zip(kinds[image][on].tolist(), moved.round(2).tolist(), rng.random(DETECTIONS).round(3), strict=True)
        pred += [{"image_id": image, "category_id": kind, "bbox": box, "score": score} for kind, box, score in rows]
    for name, tree in (("gt.json", gt), ("pred.json", pred)):
        (Path(folder) / name).write_text(json.dumps(tree))


def evaluated(folder, **options):
    sides = (str(Path(folder) / name) for name in ("gt.json", "pred.json"))
    return calipers.coco(*sides, bootstrap=64, **options)


def test_ranks_take_few_bytes_a_detection_and_give_the_same_bytes(tmp_path, monkeypatch):
    write(tmp_path)
    whole = evaluated(tmp_path, jobs=1).to_json()
    for (module, name), size in PARTS.items():
        monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(plan, "LARGE_CHUNKS", 1)
    peaks = []
    summarize = plan.summarize

    def traced(measured):
        tree = summarize(measured)
        peaks.append(tracemalloc.get_traced_memory()[1])
        return tree

    def finished(plan_of, total, finish=plan.CocoPlan.add_inputs):
        tracemalloc.reset_peak()  # of shards
        finish(plan_of, total)

    monkeypatch.setattr(plan, "summarize", traced)
    monkeypatch.setattr(plan.CocoPlan, "add_inputs", finished)
    tracemalloc.start()
    try:
        assert evaluated(tmp_path, jobs=1, chunk_bytes=1 << 17).to_json() == whole
    finally:
        tracemalloc.stop()
    assert [peak / (IMAGES * DETECTIONS) < MOST_BYTES for peak in peaks] == [True], peaks


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("rows", [0, 1, 4096, 4097, 50_000])
@pytest.mark.parametrize("decimals", [1, 3, 17])
def test_scores_that_are_sorted_in_parts_are_in_the_order_of_all(rows, decimals):
    rng = np.random.default_rng(rows)
    score = rng.normal(size=rows).round(decimals)
    score[rng.random(rows) < 0.05] = np.nan
    score[rng.random(rows) < 0.05] = -0.0
    score[rng.random(rows) < 0.01] = np.inf
    assert surest_first(score).tolist() == np.argsort(-score, kind="stable").tolist()


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("value", [0.5, np.nan])
def test_equal_scores_stay_in_their_order(value):
    assert surest_first(np.full(9000, value)).tolist() == list(range(9000))


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("rows", [0, 1, 4096, 4097, 20_000])
def test_rows_whose_flags_are_set_are_found_in_parts(rows):
    flags = np.random.default_rng(rows).random(rows) < 0.3
    assert rows_of(flags).tolist() == [row for row, flag in enumerate(flags.tolist()) if flag]
    assert rows_of(flags.view(np.uint8) * np.uint8(64)).tolist() == rows_of(flags).tolist()


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("rows", [0, 1, 1024, 1025, 5000])
def test_codes_are_counted_in_parts(rows):
    codes = np.random.default_rng(rows).integers(-1, 6, rows).astype(np.int32)
    counts = tally.count_codes(codes, 8, lowest=-1).tolist()
    assert counts == [codes.tolist().count(code) for code in range(-1, 7)]


def test_a_code_beyond_the_last_is_an_error():
    with pytest.raises(ValueError, match="shape"):
        tally.count_codes(np.array([0, 4], np.int32), 4)


@pytest.mark.parametrize("classes", [1, 7, 70_000])
def test_rows_by_class_keep_their_order(classes):
    rng = np.random.default_rng(classes)
    category = rng.integers(0, classes, 3000).astype(np.int32)
    rows = rng.permutation(3000)[:2000].astype(np.int32)
    ordered, ends = in_class_order(rows, category, classes)
    assert ordered.tolist() == rows[np.argsort(category[rows], kind="stable")].tolist()
    assert ends.tolist() == np.cumsum(np.bincount(category[rows], minlength=classes)).tolist()


def test_no_rows_have_ends():
    ordered, ends = in_class_order(np.empty(0, np.int32), np.empty(0, np.int32), 3)
    assert (ordered.tolist(), ends.tolist()) == ([], [0, 0, 0])


@pytest.mark.parametrize("count", [1, 2, 9, 10, 11, 100, 1001])
@pytest.mark.parametrize("decimals", [1, 17])
def test_bins_of_equal_mass_lie_between_deciles_in_whole_numbers(count, decimals):
    score = np.random.default_rng(count).random(count).round(decimals)
    below, steps = np.searchsorted(np.sort(score), score), max(count - 1, 1)
    expected = np.maximum((below * 10 + steps - 1) // steps - 1, 0)  # after all deciles that are below it
    assert calibration.equal_mass(score).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("rows", "values", "problem"),
    [
        ([0, 1], [0.5], "1 values of 2 rows"),
        ([1, 1], [0.5, 0.5], "do not ascend"),
        ([-1, 1], [0.5, 0.5], "do not ascend"),
        ([0, 3], [0.5, 0.5], "do not ascend from 0 to 2 at most"),
    ],
)
def test_damaged_columns_of_few_rows_are_refused(rows, values, problem):
    with pytest.raises(ValueError, match=problem):
        _check_few("overlap", FewRows(np.array(rows, np.int32), np.array(values)), 3)


# Hints of large runs


@pytest.mark.parametrize("measured", [True, False])
def test_many_objects_are_not_read_again_for_a_hint(tmp_path, monkeypatch, measured):
    write(tmp_path)
    sides = [str(tmp_path / name) for name in ("gt.json", "pred.json")]
    rows = json.loads((tmp_path / "pred.json").read_text())
    for row in rows:
        x, y, width, height = row["bbox"]
        row["bbox"] = [x * 1000, y * 1000, width * 1000, height * 1000]
    (tmp_path / "pred.json").write_text(json.dumps(rows))
    monkeypatch.setattr(survey, "MAX_READ_AGAIN", len(rows))
    monkeypatch.setattr(plan, "LARGE_CHUNKS", 1)
    report = calipers.coco(*sides, bootstrap=0, jobs=1, chunk_bytes=1 << 30 if measured else 1 << 17)
    for path in sides:
        Path(path).unlink()
    [line, *_] = hint(report, *sides)
    tried = (
        "overlaps (mean best IoU 0.00)" if measured else "matches, and no other reading of the predictions was tried"
    )
    assert line.startswith(f"warning: almost nothing {tried}")
    assert "calipers check says more" in line or measured
