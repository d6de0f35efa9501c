"""YOLO: labels and predictions to rows of COCO, the ways in which data sets are laid out, and lines that are wrong."""

import os
import random
import shutil

import pytest
from PIL import Image

import calipers
from calipers.suites.coco.formats import yolo_folders
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.yolo import looks_like

from ...profiles import seeds
from .converters import read_format

NAMES = "names: [cat, dog]\n"


@pytest.fixture
def make(tmp_path):
    """A folder with these files; of images the size is given."""

    def call(files, name="set"):
        root = tmp_path / name
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, tuple):
                Image.new("L", content).save(root / path)
            else:
                (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(root)

    return call


KNOWN = ImagesAndCategories(
    [
        {"id": 7, "file_name": "a.jpg", "width": 100, "height": 50},
        {"id": 9, "file_name": "b.jpg", "width": 10, "height": 10},
    ],
    [{"id": 18, "name": "dog"}, {"id": 17, "name": "cat"}],
)


def refusal(folder, known=None, images=None):
    with pytest.raises(calipers.InputError) as raised:
        read_format("yolo", folder, known, images)
    assert type(raised.value) is calipers.InputError
    return str(raised.value).replace(folder, "")


# Ground truth


def test_boxes_become_pixels(make):
    found = read_format(
        "yolo", make({"labels/a.txt": "1 0.5 0.5 0.2 0.4\n", "images/a.png": (100, 50), "data.yaml": NAMES}), None, None
    )
    # x = (0.5 - 0.2 / 2) * 100, y = (0.5 - 0.4 / 2) * 50, 0.2 * 100, 0.4 * 50
    assert found.rows == [
        {"id": 1, "image_id": 1, "category_id": 2, "bbox": pytest.approx([40, 15, 20, 20], abs=1e-9), "iscrowd": 0}
    ]
    assert found.images == [{"id": 1, "file_name": "a.png", "width": 100, "height": 50}]
    assert found.categories == [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
    assert found.places == ["labels/a.txt:1"]
    assert (found.problems, found.warnings, found.inputs[0].records) == ({}, [], 1)


def test_polygons_keep_their_outline_and_have_its_bounds(make):
    files = {"labels/a.txt": "0 0.1 0.2 0.5 0.2 0.5 0.8", "images/a.png": (100, 50), "data.yaml": NAMES}
    [row] = read_format("yolo", make(files), None, None).rows
    assert row["segmentation"] == [pytest.approx([10, 10, 50, 10, 50, 40])]
    assert row["bbox"] == pytest.approx([10, 10, 40, 30])


def test_blank_lines_byte_order_marks_and_any_line_ends(make):
    text = b"\xef\xbb\xbf0 .5 .5 .5 .5\r\n\r\n  \r\n1\t0.5  0.5 5e-1 0.5 \r0.0 0.5 0.5 0.5 +0.5"
    found = read_format("yolo", make({"labels/a.txt": text, "images/a.png": (8, 8), "data.yaml": NAMES}), None, None)
    assert [row["category_id"] for row in found.rows] == [1, 2, 1]
    assert [row["bbox"] for row in found.rows] == [[2, 2, 4, 4]] * 3
    assert found.places == ["labels/a.txt:1", "labels/a.txt:4", "labels/a.txt:5"]


def test_an_image_with_an_empty_or_missing_file_has_no_objects(make):
    files = {"labels/b.txt": "0 .5 .5 1 1", "labels/c.txt": "\n", "data.yaml": NAMES}
    found = read_format("yolo", make(files | {f"images/{name}.png": (4, 4) for name in "abc"}), None, None)
    assert [image["file_name"] for image in found.images] == ["a.png", "b.png", "c.png"]
    assert [row["image_id"] for row in found.rows] == [2]


def test_images_are_numbered_in_the_order_of_their_names(make):
    files = {f"images/{name}.png": (4, 4) for name in ("b", "a/z", "B", "a", "a-b")}
    found = read_format("yolo", make(files | {"labels/a/z.txt": "0 .5 .5 1 1", "classes.txt": "x"}), None, None)
    assert [image["file_name"] for image in found.images] == ["B.png", "a-b.png", "a.png", "a/z.png", "b.png"]
    assert found.rows[0]["image_id"] == 4


def boxes(seed, count=20):
    numbers = random.Random(seed)
    for _ in range(count):
        w, h = numbers.random(), numbers.random()
        yield numbers.randrange(2), w / 2 + numbers.random() * (1 - w), h / 2 + numbers.random() * (1 - h), w, h


@pytest.mark.parametrize("seed", seeds(5))
def test_boxes_written_and_read_are_the_same(make, seed):
    width, height = 640 + seed, 480 - seed
    rows = [
        {"category_id": kind + 1, "bbox": [(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height]}
        for kind, cx, cy, w, h in boxes(seed)
    ]
    lines = []
    for row in rows:
        x, y, w, h = row["bbox"]
        lines.append(f"{row['category_id'] - 1} {(x + w / 2) / width} {(y + h / 2) / height} {w / width} {h / height}")
    files = {"labels/a.txt": "\n".join(lines), "images/a.png": (width, height), "data.yaml": NAMES}
    found = read_format("yolo", make(files), None, None)
    assert [row["category_id"] for row in found.rows] == [row["category_id"] for row in rows]
    for row, other in zip(found.rows, rows, strict=True):
        assert row["bbox"] == pytest.approx(other["bbox"], abs=1e-9)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("0 0.5 0.5 0.5", ":2: found 4 numbers, expected class cx cy w h, or class x1 y1 x2 y2 x3 y3 …"),
        ("0", ":2: found 1 numbers, expected class cx cy w h"),
        ("0 .5 .5 .5 .5 .9", ":2: found 6 numbers (a confidence belongs to predictions), expected class cx"),
        ("0 .1 .1 .2 .2 .3 .1 .9", ":2: found 8 numbers (a confidence belongs to predictions), expected class cx"),
        ("0 nan .5 .5 .5", ':2: cx: found "nan", expected a number'),
        ("0 .5 inf .5 .5", ':2: cy: found "inf", expected a number'),
        ("0 .5 .5 1e999 .5", ':2: w: found "1e999", expected a number'),
        ("0 .5 .5 .5 0_1", ':2: h: found "0_1", expected a number'),
        ("0 .5 .5 .5 0x1", ':2: h: found "0x1", expected a number'),
        ("0 .5 .5 .5 ５", ':2: h: found "５", expected a number'),
        ("0,.5,.5,.5,.5", ':2: class: found "0,.5,.5,.5,.5", expected a whole number below 2'),
        ("0 .1 .1 .2 x .3 .1", ':2: y2: found "x", expected a number'),
        ("0 .5 .5 -.2 .5", ":2: w: found -0.2, expected a fraction from 0 to 1 (are these pixels?)"),
        ("0 .5 .5 .2 -0.005", ":2: h: found -0.005, expected no negative number"),
        ("0 320 .5 .2 .2", ":2: cx: found 320.0, expected a fraction from 0 to 1 (are these pixels?)"),
        ("0 .1 .1 .2 .2 .3 1.5", ":2: y3: found 1.5, expected a fraction from 0 to 1 (are these pixels?)"),
        (
            "2 .5 .5 .5 .5",
            ':2: class: found "2", expected a whole number below 2, counted from 0, a class of /data.yaml',
        ),
        ("-1 .5 .5 .5 .5", ':2: class: found "-1", expected a whole number below 2'),
        ("0.5 .5 .5 .5 .5", ':2: class: found "0.5", expected a whole number below 2'),
        ("cat .5 .5 .5 .5", ':2: class: found "cat", expected a whole number below 2'),
        ("nan .5 .5 .5 .5", ':2: class: found "nan", expected a whole number below 2'),
    ],
)
def test_a_malformed_line_is_an_error_with_its_place(make, line, problem):
    files = {"labels/a.txt": f"0 .5 .5 .5 .5\n{line}\n", "images/a.png": (8, 8), "data.yaml": NAMES}
    assert refusal(make(files)).startswith(f"/labels/a.txt{problem}")


def test_a_little_beyond_the_image_is_rounding(make):
    files = {"labels/a.txt": "0 0.5 0.5 1.000001 1", "images/a.png": (100, 100), "data.yaml": NAMES}
    [row] = read_format("yolo", make(files), None, None).rows
    assert row["bbox"] == pytest.approx([-0.00005, 0, 100.0001, 100])


# Layouts

LINE = "0 .5 .5 .5 .5"
LAYOUTS = {
    "labels beside images": ({"labels/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": NAMES}, ""),
    "the folder of labels": ({"labels/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": NAMES}, "labels"),
    "a split": ({"labels/val/a.txt": LINE, "images/val/a.png": (8, 8), "data.yaml": NAMES}, "labels/val"),
    "one split": ({"labels/val/a.txt": LINE, "images/val/a.png": (8, 8), "data.yaml": NAMES}, ""),
    "the folder of splits": ({"labels/val/a.txt": LINE, "images/val/a.png": (8, 8), "data.yaml": NAMES}, "labels"),
    "names in a configuration": ({"labels/a.txt": LINE, "images/a.png": (8, 8), "config.yaml": NAMES}, ""),
    "names in the second file": (
        {
            "labels/a.txt": LINE,
            "images/a.png": (8, 8),
            "data.yaml": "path: .",
            "config.yml": "a: 1",
            "classes.txt": "cat\ndog",
        },
        "",
    ),
    "another program's configuration": (
        {"labels/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": NAMES, "config.yaml": "names: run 7"},
        "",
    ),
    "splits outside": ({"valid/labels/a.txt": LINE, "valid/images/a.png": (8, 8), "data.yaml": NAMES}, ""),
    "a split that has labels": (
        {"valid/labels/a.txt": LINE, "valid/images/a.png": (8, 8), "data.yaml": NAMES},
        "valid",
    ),
    "side by side": ({"a.txt": LINE, "a.png": (8, 8), "classes.txt": "cat\ndog"}, ""),
    "images below": ({"a.txt": LINE, "images/a.png": (8, 8), "classes.txt": "cat\ndog"}, ""),
    "darknet": (
        {"obj_train_data/a.txt": LINE, "obj_train_data/a.png": (8, 8), "obj.names": "cat\ndog", "train.txt": "x/a.png"},
        "",
    ),
    "darknet's data": (
        {"obj_train_data/a.txt": LINE, "obj_train_data/a.png": (8, 8), "obj.names": "cat\ndog"},
        "obj_train_data",
    ),
    "notes beside": (
        {"labels/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": NAMES, "README.roboflow.txt": "hi", ".x.txt": "hi"},
        "",
    ),
    "hidden files": (
        {
            "labels/a.txt": LINE,
            "labels/._a.txt": b"\0",
            "images/a.png": (8, 8),
            "images/._a.png": b"",
            "data.yaml": NAMES,
        },
        "",
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_data_sets_are_found_as_they_are_laid_out(make, name):
    files, inside = LAYOUTS[name]
    folder = os.path.join(make(files), inside)
    assert looks_like(folder)
    found = read_format("yolo", folder, None, None)
    assert [os.path.basename(image["file_name"]) for image in found.images] == ["a.png"]
    assert [row["bbox"] for row in found.rows] == [[2, 2, 4, 4]]
    assert [each["name"] for each in found.categories] == ["cat", "dog"]
    assert found.warnings == []


def test_of_several_splits_validation_is_read_and_this_is_said(make):
    files = {f"labels/{split}/{split}1.txt": LINE for split in ("train", "val", "test")}
    files |= {f"images/{split}/{split}1.png": (8, 8) for split in ("train", "val", "test")}
    folder = make(files | {"data.yaml": NAMES})
    found = read_format("yolo", folder, None, None)
    assert [image["file_name"] for image in found.images] == ["val1.png"]
    assert found.warnings == [f"{folder}/labels: only val was read, not test, train"]
    found = read_format("yolo", f"{folder}/labels/test", None, None)
    assert [image["file_name"] for image in found.images] == ["test1.png"]
    assert found.warnings == []
    shutil.rmtree(f"{folder}/labels/val")
    assert refusal(folder) == "/labels: found the splits test, train, expected one of them, as /labels/test"


def test_splits_with_a_year_are_splits(make):
    """As COCO's own are laid out for YOLO; to read both as one set gave figures of nobody's data."""
    files = {f"labels/{split}/{split}1.txt": LINE for split in ("train2017", "val2017")}
    files |= {f"images/{split}/{split}1.png": (8, 8) for split in ("train2017", "val2017")}
    folder = make(files | {"data.yaml": NAMES, "train2017.txt": "images/a.jpg", "val2017.txt": "images/b.jpg"})
    found = read_format("yolo", folder, None, None)
    assert [image["file_name"] for image in found.images] == ["val20171.png"]
    assert found.warnings == [f"{folder}/labels: only val2017 was read, not train2017"]
    found = read_format("yolo", f"{folder}/labels/train2017", None, None)
    assert [image["file_name"] for image in found.images] == ["train20171.png"]
    assert [each["name"] for each in found.categories] == ["cat", "dog"]


def test_images_may_be_elsewhere(make, tmp_path):
    images = make({"a.png": (8, 8), "deep/b.png": (4, 4)}, "pictures")
    labels = make({"a.txt": LINE, "b.txt": LINE, "classes.txt": "cat"})
    found = read_format("yolo", labels, None, images)
    assert [(image["file_name"], image["width"]) for image in found.images] == [("a.png", 8), ("deep/b.png", 4)]
    assert [row["bbox"] for row in found.rows] == [[2, 2, 4, 4], [1, 1, 2, 2]]
    assert refusal(labels, None, str(tmp_path / "no")).endswith("no: no such folder, expected the one with the images")
    assert "no images in this folder" in refusal(labels, None, make({}, "empty"))


def test_of_images_elsewhere_only_the_split_counts(make):
    images = make({"train/x.png": (8, 8), "val/a.png": (8, 8)}, "pictures")
    folder = make({"labels/val/a.txt": LINE, "data.yaml": NAMES})
    assert [image["file_name"] for image in read_format("yolo", folder, None, images).images] == ["a.png"]


def test_without_images_the_option_is_named(make):
    problem = refusal(make({"labels/a.txt": LINE, "data.yaml": NAMES}))
    assert problem.startswith("/labels: no images for these labels: ")
    assert "`images=DIR`" in problem


def test_labels_without_an_image_are_an_error(make):
    folder = make({"labels/a.txt": LINE, "labels/b.txt": "", "images/a.png": (8, 8), "data.yaml": NAMES})
    assert refusal(folder) == '/labels/b.txt: no image of /images is called "b", expected the name of one, as "a.png"'


def test_two_files_for_one_image_are_an_error_that_names_both(make):
    folder = make({"labels/a.txt": LINE, "labels/b/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": NAMES})
    assert refusal(folder) == '/labels/a.txt and /labels/b/a.txt: two files for the image "a.png"'


def test_two_images_for_one_file_are_an_error_that_names_both(make):
    folder = make({"labels/a.txt": LINE, "images/a.png": (8, 8), "images/a.jpg": (8, 8), "data.yaml": NAMES})
    assert refusal(folder) == '/labels/a.txt: "a" may be "a.jpg" and "a.png" of /images, expected one image'


def test_one_name_in_two_folders_are_two_images(make):
    files = {"labels/1/a.txt": LINE, "labels/2/a.txt": "1 .5 .5 .5 .5", "data.yaml": NAMES}
    found = read_format("yolo", make(files | {"images/1/a.png": (8, 8), "images/2/a.png": (8, 8)}), None, None)
    assert [(row["image_id"], row["category_id"]) for row in found.rows] == [(1, 1), (2, 2)]


def test_an_image_that_is_broken_is_an_error(make):
    folder = make({"labels/a.txt": LINE, "images/a.png": b"not an image", "data.yaml": NAMES})
    assert refusal(folder).startswith("/images/a.png: found 12 bytes, expected a PNG")


def test_a_label_may_be_called_like_a_list(make):
    files = {"labels/train.txt": LINE, "images/train.png": (8, 8), "labels/classes.txt": "cat"}
    assert len(read_format("yolo", make(files), None, None).rows) == 1


def test_without_names_classes_go_by_number(make):
    folder = make({"labels/a.txt": "2 .5 .5 .5 .5", "images/a.png": (8, 8)})
    found = read_format("yolo", folder, None, None)
    assert [each["name"] for each in found.categories] == ["0", "1", "2"]
    assert found.rows[0]["category_id"] == 3
    assert found.warnings == [f"{folder}: no data.yaml, classes.txt or obj.names: classes go by number"]
    folder = make({"labels/a.txt": "1e12 .5 .5 .5 .5", "images/a.png": (8, 8)})
    assert "expected a whole number below 100000" in refusal(folder)


def test_names_that_cannot_be_read_are_an_error(make):
    folder = make({"labels/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": "names: cat"})
    assert refusal(folder).startswith('/data.yaml: line 1: names: found "cat", expected')


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, ": no images for these labels"),
        ({"images/a.png": (8, 8)}, ": no labels in this folder, expected *.txt with lines like class cx cy w h"),
    ],
)
def test_folders_without_labels_are_refused(make, files, problem):
    assert refusal(make(files)).startswith(problem)


def test_what_is_no_folder_is_refused(make):
    folder = make({"a.txt": LINE})
    assert refusal(f"{folder}/a.txt") == ": found a file, expected a folder of *.txt"
    assert refusal(f"{folder}/b") == ": no such folder"


def test_links_that_lead_back_are_no_trap(make):
    folder = make({"labels/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": NAMES})
    os.symlink(f"{folder}/labels", f"{folder}/labels/again")
    assert len(read_format("yolo", folder, None, None).rows) == 1


def test_names_of_files_are_only_text(make):
    name = "a\n=1 \x1b[31m"
    folder = make({f"labels/{name}.txt": LINE, f"images/{name}.png": (8, 8), "data.yaml": "names: ['<b>\\u001b']"})
    found = read_format("yolo", folder, None, None)
    assert (found.images[0]["file_name"], found.categories[0]["name"]) == (f"{name}.png", "<b>\\u001b")
    with open(os.fsencode(folder) + b"/labels/\xff.txt", "w") as file:
        file.write(LINE)
    shutil.copy(f"{folder}/images/{name}.png", os.fsencode(folder) + b"/images/\xff.png")
    found = read_format("yolo", folder, None, None)
    assert [image["file_name"] for image in found.images] == [f"{name}.png", "\ufffd.png"]
    assert found.places == [f"labels/{name}.txt:1", "labels/\ufffd.txt:1"]


def test_the_digest_is_of_labels_and_names(make):
    files = {"labels/a.txt": LINE, "images/a.png": (8, 8), "data.yaml": NAMES}
    digests = set()
    for change in ({}, {"labels/a.txt": LINE + "\n"}, {"data.yaml": "names: [cat]"}, {"images/a.png": (8, 8)}):
        [given] = read_format("yolo", make(files | change), None, None).inputs
        digests.add(given.sha256)
    assert len(digests) == 3


# Predictions


def test_predictions_have_a_confidence_at_the_end(make):
    text = "0 .5 .5 .2 .4 0.9\n1 .1 .2 .5 .2 .5 .8 0.8\n0 .5 .5 .2 .4\n1 .1 .2 .5 .2 .5 .8"
    found = read_format("yolo", make({"labels/a.txt": text, "classes.txt": "cat\ndog"}), KNOWN, None)
    assert [row.get("score") for row in found.rows] == [0.9, 0.8, None, None]
    assert [row["bbox"] for row in found.rows] == [pytest.approx([40, 15, 20, 20]), pytest.approx([10, 10, 40, 30])] * 2
    assert ["segmentation" in row for row in found.rows] == [False, True, False, True]
    assert [(row["image_id"], row["category_id"]) for row in found.rows] == [(7, 17), (7, 18)] * 2
    assert (found.images, found.categories) == (KNOWN.images, KNOWN.categories)
    assert (found.problems, found.warnings) == ({}, [])
    assert found.inputs[0].records == 1


def test_without_names_numbers_count_the_known_categories_in_the_order_of_ids(make):
    folder = make({"a.txt": "0 .5 .5 .2 .4 0.9\n1 .5 .5 .2 .4 0.9\n"})
    found = read_format("yolo", folder, KNOWN, None)
    assert [row["category_id"] for row in found.rows] == [17, 18]
    [warning] = found.warnings
    assert warning.startswith(f"{folder}: no names of classes beside the predictions")
    assert 'in the order of ids, 0 is "cat"' in warning
    assert "classes.txt" in warning
    folder = make({"a.txt": "2 .5 .5 .2 .4 0.9"})
    assert (
        refusal(folder, KNOWN)
        == '/a.txt:1: class: found "2", expected a whole number below 2, counted from 0, a class of the ground truth'
    )


def test_without_names_numbers_are_those_of_ground_truth_that_is_yolo_too(make):
    found = read_format("yolo", make({"a.txt": "1 .5 .5 .2 .4 0.9"}), KNOWN._replace(format="yolo"), None)
    assert ([row["category_id"] for row in found.rows], found.warnings) == ([18], [])


@pytest.mark.parametrize("kind", ["voc", "labelme"])
def test_without_names_numbers_mean_nothing_where_classes_only_have_names(make, kind):
    known = KNOWN._replace(format=kind)
    assert refusal(make({"a.txt": "\n1 .5 .5 .2 .4 0.9"}), known) == (
        "/a.txt:2: class: found 1, but the classes of the ground truth have names and no numbers, "
        "expected classes.txt beside the predictions, with a name a line"
    )
    assert read_format("yolo", make({"a.txt": ""}), known, None).rows == []
    folder = make({"a.txt": "1 .5 .5 .2 .4 0.9", "classes.txt": "dog\ncat"})
    assert read_format("yolo", folder, known, None).rows[0]["category_id"] == 17


def test_a_folder_that_begins_with_nan_is_one_of_labels(make):
    assert looks_like(make({"a.txt": "0 nan .5 .5 .5 .9"}))


def test_with_names_numbers_go_by_name(make):
    folder = make({"a.txt": "0 .5 .5 .2 .4 0.9\n2 .5 .5 .2 .4 0.9", "data.yaml": "names: [dog, bird, cat]"})
    assert [row["category_id"] for row in read_format("yolo", folder, KNOWN, None).rows] == [18, 17]
    folder = make({"a.txt": "\n1 .5 .5 .2 .4 0.9", "data.yaml": "names: [dog, bird, cat]"})
    assert refusal(folder, KNOWN) == (
        '/a.txt:2: found the class "bird", expected one of the ground truth\'s: "dog", "cat"; '
        "one without objects can be added to the categories of COCO, which calipers convert writes"
    )


def test_classes_of_one_name_are_told_apart_only_by_number(make):
    known = ImagesAndCategories(KNOWN.images, [{"id": 1, "name": "cat"}, {"id": 2, "name": "cat"}])
    folder = make({"a.txt": "1 .5 .5 .2 .4 0.9", "data.yaml": "names: [cat, cat]"})
    assert read_format("yolo", folder, known, None).rows[0]["category_id"] == 2
    folder = make({"a.txt": "0 .5 .5 .2 .4 0.9", "data.yaml": "names: [cat]"})
    assert refusal(folder, known) == '/a.txt:1: "cat" names the categories 1 and 2, expected one'


@pytest.mark.parametrize(
    ("line", "words", "score"),
    [
        ("0 .5 .5 .5", "line: neither a box nor a polygon", None),
        ("0", "line: neither a box nor a polygon", None),
        ("0 nan .5 .5 .5 .9", "bbox: not finite", 0.9),
        ("0 .5 .5 -inf .5 .9", "bbox: not finite", 0.9),
        ("0 .5 .5 1e999 .5 .9", "bbox: not finite", 0.9),
        ("0 .5 .5 .5 x .9", "bbox: not 4 numbers", 0.9),
        ("0 .5 .5 -.5 .5 .9", "bbox: negative width or height", 0.9),
        ("0 .5 .5 .5 .5 nan", "score: not finite", None),
        ("0 .5 .5 .5 .5 x", "score: not a number", None),
        ("0 .1 .1 .2 inf .3 .1 .8", "segmentation: not finite", 0.8),
        ("0 .1 .1 .2 x .3 .1 .8", "segmentation: not numbers", 0.8),
    ],
)
def test_a_malformed_prediction_keeps_its_row(make, line, words, score):
    folder = make({"a.txt": f"{line}\n1 .5 .5 .2 .4 .5\n", "classes.txt": "cat\ndog"})
    found = read_format("yolo", folder, KNOWN, None)
    expected = {"image_id": 7, "category_id": 17, "bbox": None} | ({} if score is None else {"score": score})
    assert found.rows[0] == expected
    assert found.problems == {0: words}
    assert found.rows[1]["bbox"] is not None
    assert found.places == ["a.txt:1", "a.txt:2"]


def test_a_prediction_of_no_class_belongs_nowhere(make):
    folder = make({"a.txt": "cat .5 .5 .5 .5 .9", "classes.txt": "cat\ndog"})
    expected = "a whole number below 2, counted from 0, a class of /classes.txt"
    assert refusal(folder, KNOWN) == f'/a.txt:1: class: found "cat", expected {expected}'


def test_predictions_in_pixels_are_suspected(make):
    folder = make({"a.txt": "0 50 25 10 10 .9\n0 .9 .9 1.5 1.5 .9", "classes.txt": "cat\ndog"})
    found = read_format("yolo", folder, KNOWN, None)
    assert found.problems == {}
    [warning] = found.warnings
    assert (
        warning
        == f"{folder}: 1 objects lie far outside of their images, expected fractions from 0 to 1 (are these pixels?)"
    )


@pytest.mark.parametrize(
    ("names", "file", "place"),
    [
        (["a.jpg", "b.jpg"], "b", 1),
        (["val/a.jpg", "val/b.jpg"], "b", 1),
        (["cam1/a.jpg", "cam2/a.jpg"], "cam2/a", 1),
        (["cam1/a.jpg", "cam2/a.jpg"], "x/cam2/a", 1),
        (["x/cam1/a.jpg", "x/cam2/a.jpg"], "cam2/a", 1),
        (["cam1\\a.jpg", "cam2\\a.jpg"], "cam2/a", 1),
        (["a.jpg", "sub/a.jpg"], "a", 0),
        (["a.jpg", "sub/a.jpg"], "sub/a", 1),
        (["a.jpg", "a.png"], "a.png", 1),
        (["frame.1.jpg", "frame.2.jpg"], "frame.2", 1),
        (["frame.1", "frame.2"], "frame.2", 1),
        (["a", "b"], "b", 1),
        (["../data/a.jpg", "C:\\data\\b.jpg"], "b", 1),
    ],
)
def test_images_are_found_by_name(make, names, file, place):
    known = ImagesAndCategories(
        [{"id": number, "file_name": name, "width": 8, "height": 8} for number, name in enumerate(names)],
        KNOWN.categories,
    )
    found = read_format("yolo", make({f"labels/{file}.txt": LINE, "classes.txt": "cat"}), known, None)
    assert [row["image_id"] for row in found.rows] == [place]


@pytest.mark.parametrize(
    ("names", "file", "problem"),
    [
        (
            ["cam1/a.jpg", "cam2/a.jpg"],
            "a",
            '"a" may be "cam1/a.jpg" and "cam2/a.jpg" of the ground truth, expected one',
        ),
        (["a.jpg", "a.png"], "a", '"a" may be "a.jpg" and "a.png" of the ground truth, expected one image'),
        (["a.jpg", "b.jpg"], "c", 'no image of the ground truth is called "c", expected the name of one, as "a.jpg"'),
        ([], "c", 'no image of the ground truth is called "c", expected the name of one, but it has none'),
    ],
)
def test_images_that_are_not_found_are_errors(make, names, file, problem):
    known = ImagesAndCategories(
        [{"id": number, "file_name": name, "width": 8, "height": 8} for number, name in enumerate(names)],
        KNOWN.categories,
    )
    assert refusal(make({f"{file}.txt": LINE, "classes.txt": "cat"}), known).startswith(f"/{file}.txt: {problem}")


def test_two_files_of_predictions_for_one_image_are_an_error(make):
    folder = make({"x/a.txt": LINE, "y/a.txt": "", "classes.txt": "cat"})
    assert refusal(folder, KNOWN) == '/x/a.txt and /y/a.txt: two files for the image "a.jpg"'


def test_sizes_that_the_ground_truth_does_not_know_are_read_from_images(make):
    known = ImagesAndCategories(
        [{"id": 1, "file_name": "val/a.png"}, {"id": 2, "file_name": "val/b.png"}], KNOWN.categories
    )
    pred = make({"labels/a.txt": LINE + " .9", "labels/b.txt": "", "classes.txt": "cat"}, "pred")
    problem = refusal(pred, known)
    assert problem.startswith('/labels/a.txt: no size of the image "val/a.png": ')
    assert "`images=DIR`" in problem
    images = make({"a.png": (8, 8)}, "pictures")
    assert read_format("yolo", pred, known, images).rows[0]["bbox"] == [2, 2, 4, 4]
    for width in (0, None, "8", True, float("nan")):
        known.images[0].update(width=width, height=8)
        assert read_format("yolo", pred, known, images).rows[0]["bbox"] == [2, 2, 4, 4]
    os.rename(images, f"{pred}/images")
    assert read_format("yolo", pred, known, None).rows[0]["bbox"] == [2, 2, 4, 4]


def test_no_predictions_at_all_are_said(make):
    folder = make({"classes.txt": "cat"})
    found = read_format("yolo", folder, KNOWN, None)
    assert found.rows == []
    assert found.warnings == [f"{folder}: no *.txt in this folder, so there are no predictions"]


# Is it YOLO?


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.txt": LINE}, True),
        ({"labels/val/a.txt": LINE}, True),
        ({"a.txt": "", "b.txt": "\n"}, True),
        ({"a.txt": "", "b.txt": LINE + " 0.9"}, True),
        ({"a.txt": "hello world"}, False),
        ({"a.txt": "0 .5 .5 x .5"}, False),
        ({"classes.txt": "cat"}, False),
        ({"a.xml": "<annotation/>", "a.json": "{}"}, False),
        ({}, False),
    ],
)
def test_whether_a_folder_looks_like_it(make, files, expected):
    assert looks_like(make(files)) is expected


def test_files_do_not_look_like_it(make):
    folder = make({"a.txt": LINE})
    assert not looks_like(f"{folder}/a.txt")
    assert not looks_like(f"{folder}/b")


def test_a_split_is_known_by_its_name():
    assert all(map(yolo_folders.is_label, ("labels/a.txt", "test_001.txt", "val7.txt", "train20171.txt")))
    assert not any(
        map(yolo_folders.is_label, ("classes.txt", "Train.txt", "val2017.txt", "README.md.txt", "a.xml", "a.txt.bak"))
    )
