"""CVAT for images: one document of many images, with boxes and polygons."""

import json

import pytest

import calipers
from calipers.core.errors import InputError

HEAD = """<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta>
    <task>
      <id>7</id>
      <name>road</name>
      <labels>
        <label><name>cone</name><color>#ff0000</color><type>any</type><attributes></attributes></label>
      </labels>
      <image><name>not one of the images</name></image>
    </task>
    <dumped>2024-05-02 10:21:33.123456+00:00</dumped>
  </meta>
"""
FIRST = """  <image id="0" name="day1/a.jpg" width="640" height="480">
    <box label="cone" source="manual" occluded="0" xtl="128.00" ytl="96.00" xbr="160.00" ybr="144.00" z_order="0">
    </box>
    <polygon label="car" source="manual" occluded="0" points="10.00,10.00;30.00,10.00;30.00,20.00" z_order="0">
      <attribute name="colour">red</attribute>
    </polygon>
    <points label="cone" source="manual" occluded="0" points="1.00,2.00" z_order="0"></points>
  </image>
"""
SECOND = """  <image id="1" name="day1/b.jpg" width="640" height="480">
  </image>
"""
TAIL = "</annotations>\n"
TRUTH = HEAD + FIRST + SECOND + TAIL
RESULTS = [
    {"image_id": 1, "category_id": 2, "bbox": [128, 96, 32, 48], "score": 0.9},
    {"image_id": 2, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5},
]


@pytest.fixture
def write(tmp_path):
    """Writes a file, and returns its path."""

    def call(text, name="annotations.xml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    return call


def scored(text, score="0.9"):
    """Ground truth as predictions: every shape has a score."""
    return text.replace("    </box>", f'      <attribute name="score">{score}</attribute>\n    </box>').replace(
        '<attribute name="colour">red', '<attribute name="Confidence">0.8'
    )


def test_boxes_and_polygons_are_read_with_their_images_and_classes(write):
    """The cone is found, the car is not: cone has AP 1, car 0."""
    gt, pred = write(TRUTH), write(scored(HEAD + FIRST.partition("<polygon")[0] + "</image>" + TAIL), "p/pred.xml")
    report = calipers.coco(gt, pred, bootstrap=0)
    assert report["images"] == {"total": 2, "evaluated": 1, "skipped_empty": 1, "rejected": 0, "without_pred": 0}
    assert {entry["name"]: entry["AP_50"] for entry in report["per_class"]} == {"car": 0.0, "cone": 1.0}
    assert report["inputs"][0]["records"] == 2
    assert any("shapes of the type points were left out (1)" in warning for warning in report["warnings"])


def test_a_polygon_has_the_box_of_its_bounds_and_keeps_its_outline(write):
    gt, pred = write(TRUTH), write(scored(TRUTH), "p/pred.xml")
    assert calipers.coco(gt, pred, bootstrap=0)["coco"]["AP"] == 1
    outline = [text.partition("<box")[0] + text.partition("</box>")[2] for text in (TRUTH, scored(TRUTH))]
    gt, pred = write(outline[0]), write(outline[1], "p/pred.xml")
    assert calipers.coco(gt, pred, bootstrap=0, iou_type="segm")["coco"]["AP"] == 1


def test_the_digest_is_that_of_the_file(write):
    from hashlib import sha256

    path = write(TRUTH)
    report = calipers.coco(path, write(scored(TRUTH), "p/pred.xml"), bootstrap=0)
    assert report["inputs"][0]["sha256"] == sha256(path.read_bytes()).hexdigest()


def test_a_box_that_is_turned_by_a_quarter_has_width_and_height_exchanged(write):
    """128 … 160 by 96 … 144 around (144, 120): 120 … 168 by 104 … 136."""
    turned = FIRST.replace('ybr="144.00"', 'ybr="144.00" rotation="90.00"')
    straight = FIRST.replace("128.00", "120.00").replace("160.00", "168.00").replace("96.00", "104.00")
    straight = straight.replace("144.00", "136.00")
    gt, pred = write(HEAD + turned + TAIL), write(scored(HEAD + straight + TAIL), "p/pred.xml")
    assert calipers.coco(gt, pred, bootstrap=0)["coco"]["AP"] == 1


def test_check_names_it_as_a_file_and_as_a_folder(write):
    path = write(TRUTH, "some/annotations.xml")
    files = calipers.check(path, path.parent)["files"]
    assert [file["kind"] for file in files] == ["CVAT for images", "folder of CVAT for images"]
    assert [file["refused"]["n"] for file in files] == [0, 0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('xtl="128.00"', "", "annotations.xml: line 16: box: xtl: missing, expected a number"),
        ('xtl="128.00"', 'xtl="left"', 'line 16: box: xtl: found "left", expected a number'),
        ('xtl="128.00"', 'xtl="1e999"', 'line 16: box: xtl: found "1e999", expected a number'),
        ('label="cone" source', "source", "line 16: box: label: missing, expected the name of its class"),
        (' name="day1/a.jpg"', "", "line 15: image: name: missing, expected the name of a file"),
        ('width="640"', 'width="0"', "line 15: image: found 0 x 480, expected positive numbers"),
        ('width="640"', 'width="wide"', 'width: found "wide", expected a number'),
        ("10.00,10.00;30.00,10.00;", "10.00,10.00;", "line 18: polygon: points: found"),
        ("10.00,10.00;30", "10.00,x;30", 'line 18: polygon: points: found "x", expected a number'),
        ("<points", "<blob/><points", "line 21: found <blob>, expected one of box, polygon"),
        ("</annotations>", "", "not XML: no element found"),
        ("</meta>", '</meta><track id="0"/>', "found <track>, expected <image>: the export CVAT for images 1.1"),
        ("<annotations>", "<!DOCTYPE a><annotations>", "line 2: found a DOCTYPE"),
        (FIRST + SECOND, "", "annotations.xml: found no <image>, expected one for each image"),
        ("day1/b.jpg", "day1/a.jpg", 'two files for the image "day1/a.jpg"'),
    ],
)
def test_what_is_wrong_is_named_with_line_and_field(write, old, new, message):
    assert old in TRUTH
    with pytest.raises(InputError) as refused:
        calipers.coco(write(TRUTH.replace(old, new, 1)), write(RESULTS, "pred.json"))
    assert message in str(refused.value)


def test_a_predicted_box_that_cannot_be_read_matches_nothing(write):
    pred = scored(HEAD + FIRST + TAIL).replace('xtl="128.00"', 'xtl="left"')
    report = calipers.coco(write(TRUTH), write(pred, "p/pred.xml"), bootstrap=0)
    assert {entry["name"]: entry["AP_50"] for entry in report["per_class"]} == {"car": 1.0, "cone": 0.0}


def test_labels_of_the_task_are_classes_also_without_objects(write):
    """A detector knows more classes than a few images show: what it finds of them is wrong, and no error."""
    listed = "<labels><label><name> sign </name><attributes/></label><label><name></name></label>"
    gt = write(TRUTH.replace("<labels>", listed))
    pred = write(scored(TRUTH).replace('label="cone"', 'label="sign"'), "pred.xml")
    report = calipers.coco(gt, pred, bootstrap=0)
    assert [(row["name"], row["gt"], row["pred"]) for row in report["per_class"]] == [
        ("car", 1, 1),
        ("cone", 1, 0),
        ("sign", 0, 1),
    ]
    assert report["coco"]["AP"] == 0.5  # of car and cone; nothing is known of signs
    with pytest.raises(InputError, match=r'found the class "tree", expected one of .*: "car", "cone", "sign"; one'):
        calipers.coco(gt, write(scored(TRUTH).replace('label="cone"', 'label="tree"'), "other.xml"))
