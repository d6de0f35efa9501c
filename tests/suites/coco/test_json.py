"""COCO files: whatever their style and however they are stored, and what is said of those that are none."""

import gzip
import json
from hashlib import sha256

import pytest
import zstandard

from calipers.core.errors import InputError
from calipers.suites.coco.formats import coco_json
from calipers.suites.coco.formats.coco_json import Loading, coco_in_memory, read_coco

RESULT = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "score": 0.5}
DATASET = {
    "info": {"year": 2017},
    "images": [{"id": 1, "file_name": "a.jpg"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}],
    "categories": [{"id": 1, "name": "cone"}],
}


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


def read(path, *, truth=False, iou_type="bbox"):
    return read_coco(Loading(path), iou_type, truth=truth)


def problem(path, *, truth=False):
    with pytest.raises(InputError) as caught:
        read(path, truth=truth)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value).removeprefix(f"{path}: ")


# What is read


def test_a_data_set(tmp_path):
    side = read(write(tmp_path / "gt.json", DATASET), truth=True)
    assert side.lists == {"images": DATASET["images"], "categories": DATASET["categories"]}
    assert side.rows.area.tolist() == [100]
    assert side.rows.origin.name(0) == f"{tmp_path}/gt.json: annotations[0]"


def test_results(tmp_path):
    side = read(write(tmp_path / "pred.json", [RESULT, RESULT]))
    assert (side.lists, side.rows.count, side.rows.origin.name(1)) == ({}, 2, f"{tmp_path}/pred.json: [1]")


def test_results_in_a_data_set(tmp_path):
    side = read(write(tmp_path / "pred.json", {"annotations": [RESULT]}))
    assert side.rows.score.tolist() == [0.5]
    assert side.rows.origin.name(0) == f"{tmp_path}/pred.json: annotations[0]"


@pytest.mark.parametrize("order", [("categories", "annotations", "images"), ("annotations", "categories", "images")])
def test_lists_in_any_order(tmp_path, order):
    side = read(write(tmp_path / "gt.json", {name: DATASET[name] for name in order}), truth=True)
    assert (side.rows.count, len(side.lists["images"])) == (1, 1)


@pytest.mark.parametrize(
    "store",
    [gzip.compress, zstandard.compress, lambda data: zstandard.compress(data[:9]) + zstandard.compress(data[9:])],
)
def test_compressed_files_are_known_by_their_first_bytes(tmp_path, store):
    stored = store(json.dumps([RESULT]).encode())
    file = Loading(write(tmp_path / "pred.json", stored))
    assert read_coco(file, "bbox", truth=False).rows.count == 1
    assert file.digest() == sha256(stored).hexdigest()


def test_a_text_the_scan_leaves_alone_is_read_all_the_same(tmp_path):
    text = json.dumps(DATASET).replace('"year"', '"\\ud800"').replace("2017", "NaN")
    assert coco_json.scan_coco(text.encode(), truth=True) is None
    with pytest.raises(InputError, match="not JSON"):
        read(write(tmp_path / "gt.json", text.encode()), truth=True)
    side = read(write(tmp_path / "gt.json", json.dumps(DATASET).replace("2017", "NaN").encode()), truth=True)
    assert side.rows.area.tolist() == [100]


def test_odd_rows_of_a_file_are_parsed_one_by_one(tmp_path):
    rows = [RESULT, RESULT | {"score": float("nan")}, RESULT | {"image_id": 7.0}, RESULT | {"score": "high"}, None]
    found = read(write(tmp_path / "pred.json", rows)).rows
    assert found.image[:4].tolist() == [1, 1, 7, 1]
    assert found.wrong == {3: {"score": "high"}, 4: {"": None}}


def test_shapes_with_nan_are_found_too(tmp_path):
    rows = [{"segmentation": [[1, 2]]}, {}, {"segmentation": [float("nan")]}]
    assert repr(read(write(tmp_path / "pred.json", rows), iou_type="segm").rows.shapes) == "[[[1, 2]], None, [nan]]"


def test_a_shape_by_another_spelling_of_its_name(tmp_path):
    path = write(tmp_path / "pred.json", b'[{"segmentati\\u006fn": [[1, 2]]}, {"segmentation": [[3]]}]')
    assert read(path, iou_type="segm").rows.shapes == [[[1, 2]], [[3]]]


# What is refused


def test_a_file_that_is_not_there(tmp_path):
    assert problem(f"{tmp_path}/none.json") == "cannot be read: No such file or directory"


def test_nobody_waits_for_a_path_that_is_none():
    assert problem("a\0b.json") == "cannot be read: embedded null byte"


def test_nobody_waits_for_a_file_that_does_not_fit_into_memory(tmp_path, monkeypatch):
    def read_text(path):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(coco_json, "read_text", read_text)
    assert problem(f"{tmp_path}/large.json") == "cannot be read: Unable to allocate 9 TiB"


@pytest.mark.parametrize(
    "text", [b"", b"[", b'[{"score": 1}', b'[{"score": 01}]', b'[{"score": 1},]', b"image,score\n"]
)
def test_what_is_not_json(tmp_path, text):
    found = problem(write(tmp_path / "pred.json", text))
    assert found.startswith("not JSON: ")
    assert found.endswith('; expected [{"image_id", "category_id", "bbox", "score"}, …]')


def test_what_is_not_utf8(tmp_path):
    path = write(tmp_path / "gt.json", b'{"images": [{"file_name": "\xff"}]}')
    assert problem(path, truth=True).startswith("not UTF-8: byte 0xff at position 27; expected ")


@pytest.mark.parametrize("depth", [65, 2_000, 1_000_000])
@pytest.mark.parametrize("truth", [False, True])
def test_nesting_of_any_depth_does_no_harm(tmp_path, depth, truth):
    """Trap 41."""
    deep = b"[" * depth + b"]" * depth
    text = b'{"images": [], "categories": [], "annotations": [{"a": ' + deep + b"}]}"
    path = write(tmp_path / "deep.json", text)
    if depth == 65:
        assert read(path, truth=truth).rows.count == 1
    else:
        assert problem(path, truth=truth).startswith("not JSON: ")


def test_a_file_that_holds_more_than_is_sane(tmp_path, monkeypatch):
    """Trap 41."""
    monkeypatch.setattr(coco_json, "MAX_BYTES", 3 << 20)
    path = write(tmp_path / "bomb.json.gz", gzip.compress(b" " * (4 << 20)))
    assert problem(path).endswith("GiB when decompressed")


def test_a_compressed_file_that_is_cut_off(tmp_path):
    path = write(tmp_path / "a.json.gz", gzip.compress(json.dumps([RESULT] * 99).encode())[:-9])
    assert problem(path).startswith("cannot be decompressed: ")


def test_results_where_ground_truth_is_expected(tmp_path):
    found = problem(write(tmp_path / "gt.json", [RESULT]), truth=True)
    assert found.startswith('found a list, as predictions are; expected ground truth, {"images": […], ')


@pytest.mark.parametrize("missing", ["images", "annotations", "categories"])
def test_a_data_set_without_one_of_its_lists(tmp_path, missing):
    names = [name for name in DATASET if name != missing]
    found = problem(write(tmp_path / "gt.json", {name: DATASET[name] for name in names}), truth=True)
    listed = ", ".join(f'"{name}"' for name in names)
    assert found.startswith(f"no {missing}: found an object with {listed}, expected ")


def test_predictions_without_rows(tmp_path):
    found = problem(write(tmp_path / "pred.json", {"images": []}))
    assert found == (
        'no annotations: found an object with "images", expected [{"image_id", "category_id", "bbox", "score"}, …]'
    )


@pytest.mark.parametrize("tree", [5, None, "text", True])
def test_what_is_neither(tmp_path, tree):
    assert problem(write(tmp_path / "pred.json", tree)).startswith(f"found {json.dumps(tree)}, expected [")


def test_annotations_that_are_no_list(tmp_path):
    assert problem(write(tmp_path / "gt.json", DATASET | {"annotations": {}}), truth=True) == (
        "annotations: found {}, expected a list"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b'{"images": [], "images": [], "annotations": [], "categories": []}', '"images"'),
        (b'{"images": [{"id": 1, "id": 2}], "annotations": [], "categories": []}', 'images[0]: "id"'),
        (b'{"images": [], "annotations": [], "categories": [{"a": 1, "a": 2}]}', 'categories[0]: "a"'),
        (b'{"x": NaN, "images": [{"id": 1, "id": 2}], "annotations": [], "categories": []}', 'images[0]: "id"'),
    ],
)
def test_a_key_given_twice(tmp_path, text, place):
    path = write(tmp_path / "gt.json", text)
    assert problem(path, truth=True) == f"{place} is there twice, expected each key once"


def test_in_memory():
    side = coco_in_memory(DATASET, "<gt>", "bbox", truth=True)
    assert side.rows.origin.name(0) == "<gt>: annotations[0]"
    with pytest.raises(InputError, match="<pred>: annotations: found 5, expected a list"):
        coco_in_memory({"annotations": 5}, "<pred>", "bbox", truth=False)
