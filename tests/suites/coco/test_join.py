"""Predictions as a whole data set: by which names they are joined to the ground truth, and what is refused."""

import json

import pytest

from calipers.core.errors import InputError
from calipers.suites.coco.read import read_detections

FILES = {1: "cam1/a.jpg", 2: "cam1/b.jpg"}
CLASSES = {1: "cone", 2: "sign"}


def lists(files, classes):
    images = [{"id": ident, "width": 100, "height": 80, "file_name": name} for ident, name in files.items()]
    return {"images": images, "categories": [{"id": ident, "name": name} for ident, name in classes.items()]}


def truth(files=FILES, classes=CLASSES):
    row = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 0}
    return lists(files, classes) | {"annotations": [row]}


def found(*pairs):
    """Detections, by the ids of their images and classes."""
    box = [10, 20, 30, 40]
    return [{"image_id": i, "category_id": c, "bbox": box, "score": 0.9 - k / 8} for k, (i, c) in enumerate(pairs)]


def joined(pred, gt=None):
    """(image, category) of all detections, as the ground truth counts them, in the order they were given."""
    pred = read_detections(gt or truth(), pred).pred
    rows = zip(pred.place.tolist(), pred.image.tolist(), pred.category.tolist(), strict=True)
    return [pair for _, *pair in sorted(rows)]


def refused(pred, gt=None):
    with pytest.raises(InputError) as caught:
        read_detections(gt or truth(), pred)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path):
    """Ground truth in files that have names and no ids."""
    shape = {"label": "cone", "points": [[10, 20], [40, 60]], "shape_type": "rectangle"}
    (tmp_path / "gt").mkdir()
    for name in ("a", "b"):
        page = {"imagePath": f"{name}.jpg", "imageWidth": 100, "imageHeight": 80, "shapes": [shape]}
        (tmp_path / "gt" / f"{name}.json").write_text(json.dumps(page))
    return tmp_path / "gt"


def test_ids_are_those_of_the_same_names():
    pred = lists({7: "a.jpg", 1: "cam1/b.jpg", 8: "unused.jpg"}, {0: "sign", 1: "cone", 2: "unused"})
    rows = found((7, 0), (1, 1), (7, 1))
    assert joined(pred | {"annotations": rows}) == [[0, 1], [1, 0], [0, 0]]


def test_images_and_classes_are_joined_each_by_what_they_have():
    rows = {"annotations": found((2, 7))}
    assert joined(lists({}, {7: "sign"}) | rows) == [[1, 1]]
    rows = {"annotations": found((7, 2))}
    assert joined(lists({7: "a.jpg"}, {}) | rows) == [[0, 1]]
    nameless = lists({7: None, 1: "b.jpg"}, {})
    assert joined(nameless | {"annotations": found((1, 2))}) == [[0, 1]]  # by ids, as one has no name
    assert joined({"images": 5, "categories": [5], "annotations": found((1, 2))}) == [[0, 1]]


def test_ids_that_mean_the_same_stay():
    rows = {"annotations": found((1, 1), (2, 2))}
    assert joined(truth() | rows) == [[0, 0], [1, 1]]
    assert joined(lists({1: FILES[1]}, {2: "sign"}) | rows) == [[0, 0], [1, 1]]
    twice = truth({1: "a.jpg", 2: "a.jpg"}, {1: "cone", 2: "cone"})
    more = lists({1: "a.jpg", 2: "a.jpg", 3: "unused.jpg"}, {1: "cone", 2: "cone", 3: "unused"})
    assert joined(more | rows, twice) == [[0, 0], [1, 1]]


def test_results_alone_go_by_id():
    assert joined(found((2, 1))) == [[1, 0]]


def test_ground_truth_without_file_names_goes_by_id():
    assert joined(lists({2: "x.jpg"}, CLASSES) | {"annotations": found((2, 1))}, truth({1: None, 2: None})) == [[1, 0]]


@pytest.mark.parametrize(
    ("files", "classes", "words"),
    [
        (
            {1: "c.jpg"},
            CLASSES,
            'images (id 1): no image of the ground truth is called "c.jpg", expected the name of one, as "cam1/a.jpg"',
        ),
        (
            FILES,
            {1: "Cone"},
            'categories (id 1): found the class "Cone", expected one of the ground truth\'s: "cone", "sign"',
        ),
        ({3: "a.jpg"}, CLASSES, "annotations[0]: image_id: found 1, expected the id of an image of <pred>: 3; "),
        (FILES, {3: "cone"}, "annotations[0]: category_id: found 1, expected the id of a category of <pred>: 3; "),
    ],
)
def test_names_that_nobody_knows(files, classes, words):
    assert refused(lists(files, classes) | {"annotations": found((1, 1))}).startswith(f"<pred>: {words}")


def test_two_images_that_would_be_one():
    pred = lists({1: "cam1/a.jpg", 4: "cam2/a.jpg"}, CLASSES) | {"annotations": found((1, 1), (4, 1))}
    assert refused(pred) == ('<pred>: images (id 1) and <pred>: images (id 4): two files for the image "cam1/a.jpg"')


def test_ids_given_twice():
    pred = lists(FILES, CLASSES) | {"annotations": found((1, 1))}
    pred["images"] = [*pred["images"], {"id": 1, "file_name": "z.jpg"}]
    assert refused(pred) == "<pred>: images[0] and [2]: both have the id 1, expected each id once"


def test_files_have_names_and_no_ids(folder, tmp_path):
    (tmp_path / "results.json").write_text(json.dumps(found((1, 1))))
    assert refused(tmp_path / "results.json", folder) == (
        f"{tmp_path / 'results.json'}: found ids of images and categories, which mean nothing here: "
        f'the ids of {folder} are our own (1 = "a.jpg", 1 = "cone"). '
        "Expected predictions as a folder, or as a COCO data set with images and categories, which is joined by names; "
        "or the ground truth as COCO"
    )
    assert "which mean nothing here" in refused({"annotations": found((1, 1))}, folder)
    assert "which mean nothing here" in refused(lists({}, {1: "cone"}) | {"annotations": found((1, 1))}, folder)
    assert joined([], folder) == []


def test_files_are_joined_by_names(folder):
    pred = lists({1: "b.jpg", 2: "a.jpg"}, {7: "cone"}) | {"annotations": found((1, 7), (2, 7))}
    assert joined(pred, folder) == [[1, 0], [0, 0]]
    assert "no image of the ground truth is called" in refused(
        lists({1: "z.jpg"}, {7: "cone"}) | {"annotations": found((1, 7))}, folder
    )
