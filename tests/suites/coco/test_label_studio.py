"""Label Studio's JSON: tasks with rectangles and polygons in percent of their images."""

import copy
import json

import pytest

import calipers
from calipers.core.errors import InputError


def rectangle(x, y, width, height, label="cone", **more):
    value = {"x": x, "y": y, "width": width, "height": height, "rotation": more.pop("rotation", 0)}
    return {
        "original_width": 640,
        "original_height": 480,
        "image_rotation": 0,
        "value": value | {"rectanglelabels": [label]},
        "id": "k3Hd8",
        "from_name": "label",
        "to_name": "image",
        "type": "rectanglelabels",
        "origin": "manual",
    } | more


def task(number, image, result, **more):
    annotation = {"id": number, "completed_by": 1, "result": result, "was_cancelled": False, "ground_truth": False}
    return {"id": number, "annotations": [annotation], "data": {"image": image}, "predictions": []} | more


# 20 % of 640 and 480 is (128, 96), 5 % and 10 % are 32 by 48 pixels
CONE = rectangle(20, 20, 5, 10)
TASKS = [
    task(1, "/data/upload/3/1a2b3c4d-a.jpg", [CONE, {"type": "choices", "value": {"choices": ["rain"]}}]),
    task(2, "https://host/images/b.jpg", []),
]
IMAGES = [{"id": 4, "file_name": "a.jpg"}, {"id": 5, "file_name": "b.jpg"}]
COCO = {
    "images": IMAGES,
    "categories": [{"id": 7, "name": "cone"}],
    "annotations": [{"id": 1, "image_id": 4, "category_id": 7, "bbox": [128, 96, 32, 48], "area": 1536, "iscrowd": 0}],
}


@pytest.fixture
def write(tmp_path):
    """Writes JSON, and returns its path."""

    def call(tree, name="tasks.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(tree))
        return path

    return call


def predicted(*shapes, **more):
    return [task(1, "a.jpg", [], predictions=[{"model_version": "1", "score": 0.7, "result": list(shapes)} | more])]


def test_percent_become_pixels_and_uploads_their_names(write):
    """Predictions of Label Studio on the same box in COCO's JSON."""
    report = calipers.coco(write(COCO, "gt.json"), write(predicted(CONE)), bootstrap=0)
    assert report["coco"]["AP"] == 1
    report = calipers.coco(write(TASKS), write(predicted(CONE | {"score": 0.9}), "pred.json"), bootstrap=0)
    assert report["coco"]["AP"] == 1
    assert report["images"]["total"] == 2
    assert any('results of the type "choices" were left out (1)' in warning for warning in report["warnings"])


def test_a_rectangle_is_turned_around_its_upper_left_corner(write):
    """32 by 48 pixels at (128, 96), turned by 90° clockwise: 80 … 128 by 96 … 128."""
    turned, straight = rectangle(20, 20, 5, 10, rotation=90), rectangle(12.5, 20, 7.5, 100 * 32 / 480)
    gt = write([task(1, "a.jpg", [turned])])
    assert calipers.coco(gt, write(predicted(straight), "pred.json"), bootstrap=0)["coco"]["AP"] == 1


def test_a_polygon_keeps_its_outline(write):
    polygon = CONE | {"type": "polygonlabels"}
    polygon["value"] = {"points": [[0, 0], [50, 0], [50, 50]], "polygonlabels": ["cone"]}
    gt, pred = write([task(1, "a.jpg", [polygon])]), write(predicted(polygon), "pred.json")
    assert calipers.coco(gt, pred, bootstrap=0, iou_type="segm")["coco"]["AP"] == 1


def test_of_several_annotations_the_one_marked_as_ground_truth_counts(write):
    first = task(1, "a.jpg", [rectangle(0, 0, 1, 1)])
    first["annotations"] += [{"completed_by": 2, "result": [CONE], "ground_truth": True}]
    first["annotations"] += [{"completed_by": 3, "result": [], "was_cancelled": True}]
    report = calipers.coco(write([first]), write(predicted(CONE), "pred.json"), bootstrap=0)
    assert report["coco"]["AP"] == 1
    assert any("not those of further annotators" in warning for warning in report["warnings"])


def test_check_names_it(write):
    path = write(TASKS, "some/tasks.json")
    files = calipers.check(path, path.parent)["files"]
    assert [file["kind"] for file in files] == ["Label Studio", "folder of Label Studio"]
    assert [file["refused"]["n"] for file in files] == [0, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda shape: shape["value"].pop("x"), "result[0]: value.x: missing, expected a number of percent"),
        (lambda shape: shape["value"].update(x="left"), 'tasks[0].result[0]: value.x: found "left", expected a number'),
        (lambda shape: shape["value"].update(x=True), "value.x: found true, expected a number of percent"),
        (
            lambda shape: shape["value"].update(rectanglelabels=[]),
            "value.rectanglelabels: found [], expected a list of",
        ),
        (lambda shape: shape.pop("value"), "value.rectanglelabels: found null, expected a list of one class"),
        (lambda shape: shape.pop("original_width"), "tasks[0].result[0].original_width: missing, expected a positive"),
        (lambda shape: shape.update(original_height=0), "original_height: found 0, expected a positive number of"),
    ],
)
def test_what_is_wrong_with_a_shape_is_named(write, change, message):
    tree = copy.deepcopy(TASKS)
    change(tree[0]["annotations"][0]["result"][0])
    with pytest.raises(InputError) as refused:
        calipers.coco(write(tree), write(predicted(CONE), "pred.json"))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ([task(1, "a.jpg", {"completed_by": 1})], "tasks[0]: result: found"),
        ([task(1, None, [CONE])], "tasks[0]: data.image: found"),
        ([task(1, "a.jpg", [CONE]), 3], "tasks[1]: found 3, expected a task with data and annotations"),
        ([task(1, "a.jpg", [CONE], predictions=3)], "tasks[0].predictions: found 3, expected a list"),
        ([task(1, "a.jpg", [CONE])] * 2, 'two files for the image "a.jpg"'),
    ],
)
def test_a_file_that_is_wrong_is_named(write, tree, message):
    with pytest.raises(InputError) as refused:
        calipers.coco(write(tree), write(predicted(CONE), "pred.json"))
    assert message in str(refused.value)


def test_tasks_that_nobody_has_annotated_are_told(write):
    """A task that was skipped or never opened looks like an image without objects, and is none."""
    undone = task(2, "b.jpg", []) | {"annotations": []}
    skipped = task(3, "c.jpg", [CONE])
    skipped["annotations"][0]["was_cancelled"] = True
    report = calipers.coco(write([TASKS[0], undone, skipped, TASKS[1] | {"data": {"image": "d.jpg"}}]), [], bootstrap=0)
    assert any(
        warning.endswith("tasks without an annotation were read as having no objects (2)")
        for warning in report["warnings"]
    )


@pytest.mark.parametrize(
    "image",
    [
        "/data/upload/3/1a2b3c4d-%E5%9B%BE%201.jpg",
        "/data/local-files/?d=day%201/%E5%9B%BE%201.jpg",
        "https://host/x/%E5%9B%BE%201.jpg?key=a/b",
        "s3://bucket/x/图 1.jpg",
    ],
)
def test_places_of_the_web_and_of_uploads_are_names_of_files(image, write):
    pred = [task(1, "图 1.jpg", [], predictions=[{"score": 0.7, "result": [CONE]}])]
    report = calipers.coco(write([task(1, image, [CONE])]), write(pred, "pred.json"), bootstrap=0)
    assert report["coco"]["AP"] == 1


def test_an_image_without_objects_and_without_a_size_is_written_to_yolo(write):
    made = calipers.convert(write(TASKS), to="yolo", side="gt")
    assert made.files["labels/images/b.txt"] == b""
    number, *fractions = made.files["labels/data/upload/3/a.txt"].split()
    assert (number, [float(text) for text in fractions]) == (b"0", pytest.approx([0.225, 0.25, 0.05, 0.1]))
