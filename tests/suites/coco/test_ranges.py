"""COCO files that are cut into ranges: the same bytes and the same errors as when they are read whole."""

import json
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.profiles import seeds
from tests.suites.coco.test_plan import FEW, dataset

import calipers
from calipers.core.errors import CalipersError, InputError
from calipers.core.parts import from_bytes, to_bytes
from calipers.engines.local import open_local
from calipers.suites.coco import plan
from calipers.suites.coco.annotations.repeats import CORNERS
from calipers.suites.coco.config import Config
from calipers.suites.coco.formats import row_index
from calipers.suites.coco.formats.row_index import IndexedFile, index_rows
from calipers.suites.coco.plan import CocoPlan

PATHS = ("gt.json", "pred.json")
WHOLE = 1 << 30  # bytes of a chunk, which both files fit into


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plan, "LARGE_CHUNKS", 1)


def write(gt, results, **options):
    Path("gt.json").write_text(json.dumps(gt, **options))
    Path("pred.json").write_text(json.dumps(results, **options))


def outcome(**options):
    """The artifact, or the error."""
    try:
        return calipers.coco(*PATHS, **(FEW | {"jobs": 1} | options)).to_json().decode()
    except CalipersError as error:
        return f"{type(error).__name__}: {error}"


def is_cut(chunk_bytes=1, **options):
    plan_of = CocoPlan(*PATHS, Config(chunk_bytes=chunk_bytes, jobs=1, **(FEW | options)))
    with open_local(1) as engine:
        list(plan_of.shards(engine))
    return plan_of._cut is not None


def many(seed, images=30):
    """Detections in any order, with crowds, empty images, and boxes that overlap by all degrees."""
    gt, results = dataset(seed, images)
    numbers = random.Random(seed)
    for row in gt["annotations"]:
        row["iscrowd"] = int(numbers.random() < 0.1)
    for row in results:
        row["bbox"] = [value + numbers.choice([0, 0, 0.5, 1.25]) for value in row["bbox"]]
    numbers.shuffle(results)
    numbers.shuffle(gt["annotations"])
    numbers.shuffle(gt["images"])
    return gt, results


# The same bytes


def test_boxes_with_corners_are_counted_over_all_ranges():
    gt, results = many(0)
    for image in gt["images"]:
        image |= {"width": 100, "height": 100}
    for row in gt["annotations"]:
        row["bbox"] = [60, 60, 90, 95]  # beyond the image as sizes, inside as corners
    write(gt, results)
    assert is_cut()
    told = [words for words in json.loads(outcome(chunk_bytes=1))["warnings"] if "they fit" in words]
    boxes = len(gt["annotations"])
    assert told == [f"gt.json: {CORNERS}: {boxes} of {boxes} (first annotations[0])"]
    assert outcome(chunk_bytes=1) == outcome(chunk_bytes=WHOLE)


@pytest.mark.parametrize("seed", seeds(6))
@pytest.mark.parametrize("layout", [{}, {"indent": 2}, {"separators": (" ,", " : ")}])
def test_ranges_give_the_bytes_of_the_whole(seed, layout):
    write(*many(seed), **layout)
    whole = outcome(chunk_bytes=WHOLE, tally="whole.cal")
    for chunk_bytes in (1, 700, 5000):
        assert is_cut(chunk_bytes)
        assert outcome(chunk_bytes=chunk_bytes, tally="cut.cal") == whole
        assert Path("cut.cal").read_bytes() == Path("whole.cal").read_bytes()


@pytest.mark.parametrize("window", [1, 7, 100])
def test_the_index_is_the_same_however_much_is_looked_at_together(window, monkeypatch):
    write(*many(3), indent=1)
    wide = [index_rows(IndexedFile(path, truth=path == "gt.json")) for path in PATHS]
    monkeypatch.setattr(row_index, "WINDOW", window)
    for path, expected in zip(PATHS, wide, strict=True):
        text, index = Path(path).read_bytes(), index_rows(IndexedFile(path, truth=path == "gt.json"))
        rows = json.loads(text)["annotations"] if path == "gt.json" else json.loads(text)
        for first, begin, image in zip(index.row, index.begin[:-1], index.image, strict=True):
            row, _ = json.JSONDecoder().raw_decode(text[begin:].decode())
            assert row == rows[first]
            assert row["image_id"] == image
        assert text[index.begin[-1] :].lstrip()[:1] == b"]"
        assert (index.rows, index.size, index.sha256) == (len(rows), len(text), expected.sha256)
        for mine, theirs in zip(index[3:7], expected[3:7], strict=True):
            if window > 7:  # pieces of runs may be runs of their own
                assert set(mine.tolist()) >= set(theirs.tolist())


def index_peak(rows):
    """The most memory that finding so many rows takes."""
    row = '{"image_id": %d, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}'
    Path("pred.json").write_text("[" + ",\n".join(row % (k // 100) for k in range(rows)) + "]")
    tracemalloc.start()
    assert index_rows(IndexedFile("pred.json", truth=False)).rows == rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_file_is_not_held_while_its_rows_are_found(monkeypatch):
    monkeypatch.setattr(row_index, "WINDOW", 1 << 14)
    index_peak(1000)
    small, large = index_peak(10_000), index_peak(50_000)  # 0.7 MB and 3.6 MB
    assert large - small < 300_000  # runs of images, and pieces of them


def change_rows(rows, numbers, *, truth):
    """Some rows written otherwise, or wrong."""
    for row in rows:
        if numbers.random() < 0.15:
            field = numbers.choice(["bbox", "score", "area", "iscrowd", "id", "category_id", "image_id", "other"])
            wrong = numbers.choice([None, "text", [1, 2], -1, 1e400, float("nan"), {"a": [1]}])
            if field in ("category_id", "image_id"):
                row[field] = float(row[field])  # which is as good
            elif field == "id":
                row.pop("id", None)
            elif field == "bbox" and truth and wrong is None:
                row["bbox"] = [0, 0, 5, 0]
            elif not truth and field == "bbox" and wrong is None:
                row["bbox"] = [1e6, 1e6, 5, 5]
            else:
                row[field] = wrong


@pytest.mark.parametrize("seed", seeds(40))
def test_odd_rows_give_what_they_give_in_the_whole(seed):
    gt, results = many(seed, 12)
    numbers = random.Random(seed)
    change_rows(results, numbers, truth=False)
    if seed % 2:
        change_rows(gt["annotations"], numbers, truth=True)
    if seed % 5 == 0:
        results += results[:3]
    write(gt, results)
    for most in (0, 1000):
        whole = outcome(chunk_bytes=WHOLE, max_bad_records=most)
        assert outcome(chunk_bytes=900, max_bad_records=most) == whole


def test_what_shards_cannot_know_is_told_to_them():
    gt, results = many(7)
    first = gt["images"][0]["id"]
    for row in results:
        if row["image_id"] == first:
            row.pop("score")  # all of an image: only others have scores
    results.append({**results[0], "image_id": first, "score": None})
    write(gt, results)
    whole = outcome(chunk_bytes=WHOLE)
    assert '"score: missing"' in whole
    assert outcome(chunk_bytes=1) == whole


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: [row.update(score=0.5) for row in rows],
        lambda rows: [row.update(score=row["score"] * 30) for row in rows],
        lambda rows: [row.pop("score") for row in rows],
        lambda rows: [row.update(bbox=[1, 2, -3, 4]) for row in rows],
        lambda rows: rows.clear(),
    ],
)
def test_reasons_about_all_detections_are_those_of_the_whole(change):
    gt, results = many(8)
    change(results)
    write(gt, results)
    assert is_cut()
    assert outcome(chunk_bytes=1) == outcome(chunk_bytes=WHOLE)


@pytest.mark.parametrize(
    "options", [{"slice": ["size", "objects", "weather"]}, {"min_score": 0.4}, {"max_dets": (1, 2)}]
)
def test_options_mean_the_same(options):
    gt, results = many(9)
    for image in gt["images"]:
        image["weather"] = "rain" if image["id"] % 3 else "sun"
    write(gt, results)
    assert is_cut(**options)
    assert outcome(chunk_bytes=600, **options) == outcome(chunk_bytes=WHOLE, **options)


def test_rows_of_objects_and_cases_are_read_from_the_whole_when_they_are_asked_for():
    write(*many(10))
    cut, whole = (calipers.coco(*PATHS, jobs=1, chunk_bytes=size, **FEW) for size in (1, WHOLE))
    assert cut.matches() == whole.matches()
    assert list(cut.cases()) == list(whole.cases())


# What is wrong


def wrong_results(change):
    gt, results = many(11)
    change(gt, results)
    return gt, results


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda gt, rows: rows[20].update(image_id=999), r"pred.json: [20]: image_id: found 999"),
        (lambda gt, rows: rows[20].update(category_id=77), r"pred.json: [20]: category_id: found 77"),
        (lambda gt, rows: rows[20].pop("image_id"), r"pred.json: [20]: image_id: missing"),
        (lambda gt, rows: rows.__setitem__(20, 5), r"pred.json: [20]: found 5"),
        (lambda gt, rows: [row.update(category_id=row["category_id"] - 1) for row in rows], "one too small"),
        (lambda gt, rows: gt["annotations"][9].update(image_id=999), "gt.json: annotations[9]"),
        (lambda gt, rows: gt["annotations"][9].update(bbox=[1, 2]), "gt.json: annotations[9]"),
        (
            lambda gt, rows: gt["annotations"][9].update(id=gt["annotations"][3]["id"]),
            "annotations[3] and annotations[9]",
        ),
        (lambda gt, rows: gt["images"].append(gt["images"][0]), "both have the id"),
        (lambda gt, rows: gt["categories"][0].pop("name"), "categories (id 1): name: missing"),
        (lambda gt, rows: gt.pop("categories"), "no categories"),
        (lambda gt, rows: gt.update(annotations={}), "annotations: found {}"),
    ],
)
def test_errors_name_the_row_in_its_file(change, words):
    write(*wrong_results(change))
    whole = outcome(chunk_bytes=WHOLE)
    assert words in whole
    assert outcome(chunk_bytes=1) == whole
    assert outcome(chunk_bytes=900, jobs=2) == whole


@pytest.mark.parametrize(
    "text", ["", "[", "[{}", '[{"image_id":1]', "[1,]", "[] x", "{}", "\ufeff[]", "nothing", "[\x01]"]
)
@pytest.mark.parametrize("side", PATHS)
def test_what_is_no_json_is_told_as_ever(text, side):
    write(*many(12))
    Path(side).write_text(text)
    assert outcome(chunk_bytes=1) == outcome(chunk_bytes=WHOLE)


def test_too_many_pairs_name_the_image():
    gt, results = many(13)
    for row in [*gt["annotations"], *results]:
        row["bbox"] = [0, 0, 64, 64]
    write(gt, results * 40)
    assert is_cut()
    whole = outcome(chunk_bytes=WHOLE, max_pairs=10)
    assert "max_pairs" not in whole  # 50 an object are always allowed
    gt["annotations"] = [row | {"id": k, "image_id": 10} for k, row in enumerate(gt["annotations"] * 5)]
    write(gt, [row | {"image_id": 10} for row in results] * 10)
    whole = outcome(chunk_bytes=WHOLE, max_pairs=10)
    assert 'image "day/10.jpg"' in whole
    assert outcome(chunk_bytes=1, max_pairs=10) == whole


def test_a_file_that_changes_meanwhile_is_an_error(monkeypatch):
    write(*many(14))
    measure = plan.measure_range

    def late(shard, config):
        Path("pred.json").write_text("[" + "5," * 5000 + "5]")
        return measure(shard, config)

    monkeypatch.setattr(plan, "measure_range", late)
    with pytest.raises(InputError, match=r"pred\.json: was changed by someone else during the run"):
        calipers.coco(*PATHS, jobs=1, chunk_bytes=1, **FEW)


# Files that are read whole


@pytest.mark.parametrize(
    "change",
    [
        lambda gt, rows: gt["images"][0].update(neg_category_ids=[1]),
        lambda gt, rows: rows[3].pop("bbox"),
        lambda gt, rows: rows[3].update(segmentation=[[1, 2, 3, 4, 5, 7]], bbox=None),
        lambda gt, rows: (
            gt["annotations"][2].pop("area") and gt["annotations"][2].update(segmentation=[[1, 2, 9, 4, 5, 7]])
        ),
    ],
)
def test_what_needs_all_rows_is_read_whole(change):
    gt, rows = wrong_results(change)
    write(gt, rows)
    assert not is_cut()
    assert outcome(chunk_bytes=1) == outcome(chunk_bytes=WHOLE)


def test_a_data_set_of_predictions_is_read_whole():
    gt, rows = many(15)
    write(gt, gt | {"annotations": rows})
    assert not is_cut()
    assert outcome(chunk_bytes=1) == outcome(chunk_bytes=WHOLE)


def test_small_files_are_cut_only_where_others_take_part(monkeypatch):
    monkeypatch.setattr(plan, "LARGE_CHUNKS", 32)
    write(*many(16))
    size = sum(Path(path).stat().st_size for path in PATHS)
    assert not is_cut(size)
    assert not is_cut(size // 2)
    assert is_cut(size // 2, resume="run.cal")


# Parts


def test_parts_survive_packing():
    gt, rows = many(17)
    rows[4]["bbox"] = [1, 2, -3, 4]
    gt["annotations"][5]["bbox"] = [1]
    write(gt, rows + rows[:2])
    config = Config(chunk_bytes=900, jobs=1, max_bad_records=5, **FEW)
    plan_of = CocoPlan(*PATHS, config)
    with open_local(1) as engine:
        parts = [plan_of.measure(shard) for shard in plan_of.shards(engine)]
    assert len(parts) > 3
    total = plan_of.empty()
    for part in parts:
        total.add(plan_of.unpack(from_bytes(to_bytes(part.pack()))))
    plan_of.add_inputs(total)
    assert plan_of.report(total).to_json().decode() == outcome(chunk_bytes=WHOLE, max_bad_records=5)


def test_a_run_goes_on_from_the_images_that_were_measured(monkeypatch):
    write(*many(18))
    whole, measure, seen = outcome(chunk_bytes=WHOLE), plan.measure_range, []

    def some(shard, config):
        seen.append(str(shard))
        if len(seen) == 4:
            raise RuntimeError
        return measure(shard, config)

    monkeypatch.setattr(plan, "measure_range", some)
    with pytest.raises(RuntimeError):
        calipers.coco(*PATHS, jobs=1, chunk_bytes=700, resume="run.cal", **FEW)
    report = calipers.coco(*PATHS, jobs=1, chunk_bytes=700, resume="run.cal", **FEW)
    assert report.to_json().decode() == whole
    assert any("3 of " in note for note in report.notes)
    assert len(set(seen)) == len(seen) - 1
    Path("pred.json").write_text(Path("pred.json").read_text() + " ")
    seen[:] = [""] * 4
    calipers.coco(*PATHS, jobs=1, chunk_bytes=700, resume="run.cal", **FEW)
    assert len(seen) > 8  # another file: everything is measured again


def test_pieces_of_a_run_merge_with_those_that_were_read_whole():
    gt, rows = many(19)
    half = sorted({row["image_id"] for row in rows})[15]
    Path("gt.json").write_text(json.dumps(gt))
    for name, size in (("a", 1), ("b", WHOLE)):
        Path(f"{name}.json").write_text(json.dumps([row for row in rows if (row["image_id"] < half) == (name == "a")]))
        calipers.coco("gt.json", f"{name}.json", jobs=1, chunk_bytes=size, tally=f"{name}.cal", **FEW)
    merged = calipers.merge(["a.cal", "b.cal"])
    write(gt, [row for k in (True, False) for row in rows if (row["image_id"] < half) == k])
    whole = calipers.coco(*PATHS, **FEW)
    assert {**merged.tree, "inputs": 0} == {**whole.tree, "inputs": 0}


def test_numbers_of_rows_in_ranges():
    from calipers.suites.coco.ranges import ByteRanges

    zeros = np.zeros(3, np.int64)
    assert ByteRanges(zeros, zeros, np.array([4, 9, 20]), np.array([2, 1, 3])).numbers().tolist() == [
        4,
        5,
        9,
        20,
        21,
        22,
    ]
