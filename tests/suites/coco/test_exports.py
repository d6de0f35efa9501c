"""Exports of Roboflow and Supervisely: told apart by content, measured against results, and what is wrong with them."""

import base64
import json
import zlib
from io import BytesIO

import pytest
from PIL import Image

import calipers
from calipers.suites.coco.formats.converted import ImagesAndCategories

from .converters import read_format
from .exports import CREATEML, EXPORTS, ROBOFLOW, ROBOFLOW_CSV, SUPERVISELY_META, supervisely_object, write_export

KINDS = {
    "roboflow coco": "COCO data set, Roboflow's",
    "roboflow yolo": "folder of YOLO labels",
    "roboflow_csv": "folder of Roboflow CSV",
    "createml": "folder of CreateML",
    "supervisely": "folder of Supervisely images",
}
KNOWN = ImagesAndCategories([{"id": 7, "file_name": "a.png"}], [{"id": 3, "name": "car"}, {"id": 4, "name": "cone"}])


@pytest.mark.parametrize("name", KINDS)
def test_check_names_what_it_took_it_for(name, tmp_path):
    found = calipers.check(write_export(name, tmp_path))
    assert [(file["kind"], file["suite"]) for file in found["files"]] == [(KINDS[name], "coco")]
    assert found["ok"], found


@pytest.mark.parametrize(("name", "kind"), [("roboflow_csv", "Roboflow CSV"), ("createml", "CreateML")])
def test_check_names_a_file_by_itself(name, kind, tmp_path):
    write_export(name, tmp_path)
    [file] = [path for path in (tmp_path / "valid").iterdir() if path.is_file()]
    assert calipers.check(file)["files"][0]["kind"] == kind


@pytest.mark.parametrize("name", KINDS)
def test_every_export_measures_itself_as_perfect(name, tmp_path):
    path = write_export(name, tmp_path)
    gt_only = name == "roboflow coco"  # whose annotations are no results
    pred = [row | {"score": 1} for row in ROBOFLOW["annotations"]] if gt_only else path
    report = calipers.coco(path, pred, bootstrap=0)
    assert report["sweep"]["primary"]["f1"] == 1.0


def test_the_group_of_roboflow_is_no_class(tmp_path):
    path = write_export("roboflow coco", tmp_path)
    report = calipers.coco(path, [], bootstrap=0)
    group = 'the category 0, "road", is the group of the others, as Roboflow has it, and was left out'
    assert f"{tmp_path}/valid/_annotations.coco.json: {group}" in report["warnings"]
    assert f"{tmp_path}: only valid was read, not train" in report["warnings"]
    # numbers of YOLO count the classes from 0: without the group 0 is car
    (tmp_path / "pred").mkdir()
    (tmp_path / "pred" / "a.txt").write_text("0 0.25 0.5 0.3 0.2 0.9\n")
    assert calipers.coco(path, tmp_path / "pred", bootstrap=0)["sweep"]["primary"]["recall"] == 0.5


def test_a_group_that_has_annotations_is_a_class(tmp_path):
    rows = [ROBOFLOW["annotations"][0] | {"category_id": 0}]
    report = calipers.coco(ROBOFLOW | {"annotations": rows}, [], bootstrap=0)
    assert not any("is the group of the others" in warning for warning in report["warnings"])


SCORED = {
    "roboflow_csv": ("x.csv", ROBOFLOW_CSV.replace("ymax\n", "ymax,score\n").replace("0\n", "0,0.75\n")),
    "createml": ("x.json", json.dumps(CREATEML[:1]).replace('"label"', '"confidence": 0.75, "label"')),
    "supervisely": (
        "a.png.json",
        EXPORTS["supervisely"][1]["ds0/ann/a.png.json"].replace(
            '"labelerLogin": "me", "tags": []', '"tags": [{"name": "confidence", "value": 0.75}]'
        ),
    ),
}


@pytest.mark.parametrize("name", SCORED)
def test_predictions_have_scores(name, tmp_path):
    file, text = SCORED[name]
    (tmp_path / file).write_text(text)
    assert [row["score"] for row in read_format(name, str(tmp_path / file), KNOWN).rows] == [0.75, 0.75]


def refusal(path, **options):
    with pytest.raises(calipers.InputError) as raised:
        calipers.coco(path, [], **options)
    return str(raised.value).splitlines()[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.png,100,50,car,x,20,40,30", ':2: xmin: found "x", expected a number'),
        ("a.png,100,50,car,10,20,5,30", ':2: xmax: found "5", expected no less than xmin'),
        ("a.png,100,50,,10,20,40,30", ":2: class: found nothing, expected the name of its class"),
        (",100,50,car,10,20,40,30", ":2: filename: found nothing, expected the name of an image"),
        ("a.png,100,50,car,10,20", ":2: found 6 cells, expected 8"),
        ("a.png,0,50,car,10,20,40,30", ": line 2: found 0 x 50, expected positive numbers of pixels"),
    ],
)
def test_a_malformed_row_is_an_error_with_its_line(tmp_path, line, message):
    path = tmp_path / "_annotations.csv"
    path.write_text(ROBOFLOW_CSV.splitlines()[0] + f"\n{line}\n")
    assert refusal(path) == f"{path}{message}"


CREATEML_FAULTS = {
    "name": ([{"image": 3, "annotations": []}], "[0].image: found 3, expected the name of an image"),
    "list": ([{"image": "a", "annotations": 3}], "[0].annotations: found 3, expected a list"),
    "label": (
        [{"image": "a", "annotations": [{}]}],
        "[0].annotations[0].label: found null, expected the name",
    ),
    "box": (
        [{"image": "a", "annotations": [{"label": "x", "coordinates": {"x": 1}}]}],
        '[0].annotations[0]: coordinates: found {"x": 1}, expected {x, y, width, height}',
    ),
}


@pytest.mark.parametrize("case", CREATEML_FAULTS)
def test_a_malformed_image_of_createml_is_an_error_with_its_place(tmp_path, case):
    tree, message = CREATEML_FAULTS[case]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(tree))
    assert refusal(path, gt_format="createml").startswith(f"{path}: {message}")


def project(tmp_path, *objects, size=None):
    """A project of Supervisely with one image."""
    (tmp_path / "ds" / "ann").mkdir(parents=True)
    (tmp_path / "meta.json").write_text(json.dumps(SUPERVISELY_META))
    tree = {"description": "", "tags": [], "size": size or {"height": 50, "width": 100}, "objects": list(objects)}
    path = tmp_path / "ds" / "ann" / "a.png.json"
    path.write_text(json.dumps(tree))
    return path


def bitmap(width, height):
    """A bitmap as Supervisely packs it."""
    png = BytesIO()
    Image.new("1", (width, height), 1).save(png, "PNG")
    return base64.b64encode(zlib.compress(png.getvalue())).decode()


def test_bitmaps_are_their_boxes_and_holes_are_filled(tmp_path):
    mask = {"classTitle": "car", "geometryType": "bitmap", "bitmap": {"origin": [10, 20], "data": bitmap(30, 10)}}
    ring = supervisely_object("cone", "polygon", [[50, 10], [70, 10], [70, 40]])
    ring["points"]["interior"] = [[[60, 12], [62, 12], [62, 14]]]
    point = supervisely_object("cone", "point", [[1, 1]])
    project(tmp_path, mask, ring, point)
    made = read_format("supervisely", str(tmp_path), None)
    assert [row["bbox"] for row in made.rows] == [[10.0, 20.0, 30.0, 10.0], [50.0, 10.0, 20.0, 30.0]]
    assert made.images == [{"id": 1, "file_name": "ds/img/a.png", "width": 100.0, "height": 50.0}]
    assert [warning.removeprefix(f"{tmp_path}: ") for warning in made.warnings] == [
        "holes of polygons were filled (1)",
        'objects of the geometryType "point" were left out (1)',
        "objects of the geometryType bitmap were read as their boxes (1)",
    ]


FAULTS = {
    "size": (
        [],
        {"size": {"width": 0, "height": 5}},
        ': size: found {"width": 0, "height": 5}, expected {width, height}',
    ),
    "corners": (
        [supervisely_object("car", "rectangle", [[1, 2]])],
        {},
        ": objects[0]: points.exterior: found 1",
    ),
    "points": (
        [supervisely_object("car", "polygon", [[1]])],
        {},
        ": objects[0]: points.exterior: found [[1]]",
    ),
    "label": ([supervisely_object(3, "polygon", [])], {}, ": objects[0].classTitle: found 3, expected the name"),
    "bitmap": (
        [{"classTitle": "car", "geometryType": "bitmap", "bitmap": {"origin": [1, 2], "data": "!"}}],
        {},
        ': objects[0]: bitmap.data: found "!", expected a PNG as base64 of zlib',
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_malformed_object_of_supervisely_is_an_error_with_its_place(tmp_path, case):
    objects, more, message = FAULTS[case]
    path = project(tmp_path, *objects, **more)
    assert refusal(tmp_path, gt_format="supervisely").startswith(f"{path}{message}")


def test_a_bitmap_that_would_fill_memory_is_not_unpacked(tmp_path):
    data = base64.b64encode(zlib.compress(b"\0" * 50_000_000)).decode()
    project(tmp_path, {"classTitle": "car", "geometryType": "bitmap", "bitmap": {"origin": [1, 2], "data": data}})
    assert "expected a PNG as base64 of zlib" in refusal(tmp_path)


@pytest.mark.parametrize("kind", ["roboflow_csv", "createml", "supervisely"])
@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"[]", b"{}", b"[" * 10_000, b"filename," * 10_000, b'[{"image": {}}]']
)
def test_nothing_but_an_error_comes_of_other_files(tmp_path, kind, data):
    path = tmp_path / ("x.csv" if kind == "roboflow_csv" else "x.json")
    path.write_bytes(data)
    with pytest.raises(calipers.InputError):
        calipers.coco(path, [], gt_format=kind)


def test_classes_of_a_supervisely_project_are_classes_also_without_objects(tmp_path):
    project(tmp_path, supervisely_object("car", "rectangle", [[10, 20], [40, 30]]))
    meta = {"classes": [*SUPERVISELY_META["classes"], {"title": "lane", "shape": "line"}, {"title": 3}]}
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    made = read_format("supervisely", str(tmp_path), None)
    assert [category["name"] for category in made.categories] == ["car", "cone"]  # no box is a line
    digest = made.inputs[0].sha256
    (tmp_path / "meta.json").write_text("{}")
    made = read_format("supervisely", str(tmp_path), None)
    assert [category["name"] for category in made.categories] == ["car"]
    assert made.inputs[0].sha256 != digest  # as what is read has changed
