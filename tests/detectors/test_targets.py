"""What a ground truth lists: its images and categories, and nothing that cannot be used."""

import gzip
import json

import numpy as np
import pytest

from calipers.core.errors import InputError
from calipers.detectors.targets import read_targets

IMAGE = {"id": 1, "file_name": "a.jpg", "width": 640, "height": 480}
CATEGORY = {"id": 2, "name": "cone"}


def tree(**changes):
    return {"images": [IMAGE], "categories": [CATEGORY], "annotations": []} | changes


def test_images_and_categories_are_read_in_their_order():
    targets = read_targets(tree(images=[IMAGE, IMAGE | {"id": 0, "file_name": "x/b.jpg"}]))
    assert targets.pictures == [(1, "a.jpg", (640, 480)), (0, "x/b.jpg", (640, 480))]
    assert targets.categories == [(2, "cone")]


def test_a_file_is_read_like_what_it_holds(tmp_path):
    path = tmp_path / "gt.json"
    path.write_text("\ufeff" + json.dumps(tree()), encoding="utf-8")
    assert read_targets(path) == read_targets(str(path)) == read_targets(tree())


def test_a_file_may_be_compressed(tmp_path):
    path = tmp_path / "gt.json.gz"
    path.write_bytes(gzip.compress(json.dumps(tree()).encode()))
    assert read_targets(path) == read_targets(tree())


def test_numbers_of_numpy_are_numbers():
    image = {"id": np.int64(1), "file_name": "a.jpg", "width": np.int32(640), "height": np.float64(480)}
    assert read_targets(tree(images=[image])) == read_targets(tree())


def test_a_key_given_twice_where_it_does_not_matter(tmp_path):
    """Trap 41: nor does it matter how deep."""
    path = tmp_path / "gt.json"
    deep = "[" * 900 + '{"a": 1, "a": 2}' + "]" * 900
    path.write_text(json.dumps(tree())[:-1] + f', "info": {deep}}}')
    assert read_targets(path) == read_targets(tree())


@pytest.mark.parametrize("sides", [{}, {"width": 640}, {"width": None, "height": None}])
def test_sizes_may_be_absent(sides):
    assert read_targets(tree(images=[{"id": 1, "file_name": "a.jpg"} | sides])).pictures[0].size is None


def test_half_of_a_surrogate_pair_is_no_text():
    assert read_targets(tree(categories=[CATEGORY | {"name": "a\ud800"}])).categories == [(2, "a\ufffd")]


def test_whole_numbers_may_be_written_with_a_point():
    targets = read_targets(tree(images=[{"id": 1.0, "file_name": "a.jpg", "width": 640.0, "height": 480.0}]))
    assert repr(targets.pictures[0]) == "TruthImage(id=1, name='a.jpg', size=(640, 480))"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"images": []}, r"images: found \[\], expected a list with at least one entry"),
        ({"images": {}}, "images: found {}"),
        ({"categories": []}, "categories: found "),
        ({"images": [3]}, r"images\[0\]: found 3, expected an id"),
        ({"images": [{"file_name": "a"}]}, r"images\[0\]: found .*, expected an id that is a whole number"),
        ({"images": [IMAGE | {"id": "1"}]}, "expected an id that is a whole number"),
        ({"images": [IMAGE | {"id": True}]}, "expected an id that is a whole number"),
        ({"images": [IMAGE | {"id": float("nan")}]}, "expected an id that is a whole number"),
        ({"images": [IMAGE | {"id": 2**63}]}, "expected an id that is a whole number"),
        ({"images": [IMAGE, IMAGE]}, "images: the id 1 is there twice"),
        ({"images": [{"id": 1}]}, r"images\[0\]: file_name: found null, expected a name"),
        ({"images": [IMAGE | {"file_name": " "}]}, "file_name: found"),
        ({"images": [IMAGE | {"width": 0}]}, "width: found 0, expected a whole number of pixels"),
        ({"images": [IMAGE | {"height": 1.5}]}, "height: found 1.5"),
        ({"images": [IMAGE | {"height": float("inf")}]}, "height: found"),
        ({"images": [IMAGE | {"height": "480"}]}, 'height: found "480"'),
        ({"categories": [CATEGORY, CATEGORY]}, "categories: the id 2 is there twice"),
        ({"categories": [{"id": 2}]}, r"categories\[0\]: name: found null"),
    ],
)
def test_what_cannot_be_used_is_an_error_that_says_where(changes, message):
    with pytest.raises(InputError, match=f"^<gt>: .*{message}"):
        read_targets(tree(**changes))


def test_a_list_that_is_not_there_is_an_error():
    with pytest.raises(InputError, match=r"^<gt>: images: found no such key"):
        read_targets({"categories": [CATEGORY]})


@pytest.mark.parametrize("value", [[], 3, None, "nowhere.json"])
def test_what_is_no_ground_truth_is_an_error(value):
    with pytest.raises(InputError, match=r"expected \{|cannot be read: No such file"):
        read_targets(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"images": [', "not JSON"),
        ('{"images": [{"id": 1, "id": 2}]}', r'images\[0\]: "id" is there twice'),
        ('{"images": [], "images": []}', ': "images" is there twice'),
        ("[]", r"found \[\], expected \{"),
    ],
)
def test_a_file_that_is_none_is_an_error(tmp_path, text, message):
    path = tmp_path / "gt.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_targets(path)
