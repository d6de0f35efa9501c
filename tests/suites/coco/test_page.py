"""The page of the detection suite: COCO's numbers, what they hide, and images that went wrong."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.show.folder import write_folder
from calipers.show.page.build import report_page, result_page

from ...hostile import HALF_PAIR, HOSTILE
from ...show.page.reading import cards, column, data_of, section, tags_without_cases, titles

pytestmark = pytest.mark.usefixtures("blank_plots")


def annotation(number, image, category, bbox, **more):
    area = bbox[2] * bbox[3]
    return {"id": number, "image_id": image, "category_id": category, "bbox": bbox, "area": area, "iscrowd": 0} | more


def detection(image, category, bbox, score):
    return {"image_id": image, "category_id": category, "bbox": bbox, "score": score}


#   a.jpg   cone found, car found as a cone, a board where nothing is
#   b.jpg   a car that nobody found; one detection that cannot be read
GT = {
    "images": [
        {"id": 1, "file_name": "a.jpg", "width": 200, "height": 100},
        {"id": 2, "file_name": "b.jpg"},
    ],
    "categories": [{"id": 1, "name": "cone"}, {"id": 2, "name": "car"}, {"id": 3, "name": "board"}],
    "annotations": [
        annotation(1, 1, 1, [0, 0, 10, 10]),
        annotation(2, 1, 2, [50, 50, 40, 20]),
        annotation(3, 2, 2, [10, 20, 30, 40]),
    ],
}
PRED = [
    detection(1, 1, [0, 0, 10, 8], 0.9),
    detection(1, 1, [50, 50, 40, 20], 0.8),
    detection(1, 3, [150, 10, 20, 20], 0.7),
    detection(2, 2, [1, 2, 3], 0.6),
]


@pytest.fixture(scope="module")
def report():
    return calipers.coco(GT, PRED, bootstrap=100)


@pytest.fixture(scope="module")
def data(report):
    return data_of(report_page(report))


def test_the_headline_is_that_of_coco(data, report):
    found = cards(data, "Headline")
    assert found["AP"] == pytest.approx(report["coco"]["AP"], rel=1e-6)
    assert found["AP 50"] == 0.5  # cone 1.0, car 0.0
    assert data["subtitle"] == "2 images · 3 objects · 4 detections"


def test_what_ap_hides_is_next_to_it(data):
    found = cards(data, "What AP hides")
    assert found["detections of classes without ground truth"] == 1
    assert found["invalid detections"] == 1
    assert column(data, "Classes without ground truth", "class") == ["board"]


def test_curves_are_those_of_the_classes_and_their_mean(data):
    curves = section(data, "Precision over recall")
    assert [each["name"] for each in curves["series"]] == ["mean of classes", "car", "cone"]
    assert curves["series"][0]["y"][0] == 0.5


def test_causes_are_counted(data):
    bars = section(data, "Fix first")["bars"]
    assert {bar["name"]: bar["note"].split(" ")[0] for bar in bars} == {
        "wrong label": "1",
        "missed": "1",
        "spurious": "2",
    }
    #   F1 is 2 / 7; wrong label 4 / 7, missed 4 / 8, spurious 2 / 5
    assert [bar["value"] for bar in bars] == pytest.approx([4 / 7 - 2 / 7, 4 / 8 - 2 / 7, 2 / 5 - 2 / 7], rel=1e-5)


def test_the_confusion_matrix_leads_to_pairs(data):
    matrix = section(data, "Confusion")
    assert matrix["rows"] == ["cone", "car", "board", "(nothing there)"]
    found = {(row, at): (n, goto) for (row, at, n), goto in zip(matrix["cells"], matrix["goto"], strict=True)}
    assert found == {
        (0, 0): (1, None),
        (1, 0): (1, {"tag": "car taken for cone"}),
        (1, 3): (1, {"tag": "missed car"}),
        (3, 1): (1, {"tag": "background car"}),
        (3, 2): (1, {"tag": "background board"}),
    }


def test_what_can_be_clicked_leads_to_an_image(data):
    assert tags_without_cases(data) <= {'{"tag": "background car"}'}


def test_images_are_drawn_in_their_own_size(data):
    first, second = data["cases"]
    assert (first["key"], first["canvas"]) == ("a.jpg", [200, 100])
    assert (second["key"], second["canvas"]) == ("b.jpg", [40, 60])  # nobody says; what its boxes reach to
    assert second["note"] == "image 2 · 1 cannot be drawn"


def test_an_image_says_its_size_where_the_data_set_does_not(report, tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    for name in ("a.jpg", "b.jpg"):
        pillow.new("RGB", (300, 120)).save(tmp_path / name)
    first, second = data_of(report_page(report, images=tmp_path))["cases"]
    assert [first["canvas"], second["canvas"]] == [[200, 100], [300, 120]]
    assert second["image"].startswith("data:image/jpeg;base64,")


def test_masks_and_keypoints_are_drawn_as_the_boxes_around_them():
    square = [[0, 0, 10, 0, 10, 10, 0, 10]]
    truth = GT | {"annotations": [annotation(1, 1, 1, [0, 0, 10, 10], segmentation=square)]}
    pred = [{"image_id": 1, "category_id": 1, "segmentation": [[50, 50, 60, 50, 60, 60, 50, 60]], "score": 0.5}]
    [case] = data_of(report_page(calipers.coco(truth, pred, iou_type="segm", bootstrap=0)))["cases"]
    assert [each["points"] for each in case["shapes"]] == [[0, 0, 10, 10], [50, 50, 60, 60]]
    points = {"keypoints": [5, 5, 2] * 17, "num_keypoints": 17}
    truth = GT | {"annotations": [annotation(1, 1, 1, [0, 0, 10, 10], **points)]}
    pred = [{"image_id": 1, "category_id": 1, "keypoints": [90, 90, 2] * 17, "score": 0.5}]
    [case] = data_of(report_page(calipers.coco(truth, pred, iou_type="keypoints", bootstrap=0)))["cases"]
    assert [each["side"] for each in case["shapes"]] == ["gt", "pred"]


def test_shapes_are_corners_with_partners_and_scores(data):
    shapes = data["cases"][0]["shapes"]
    assert [(each["side"], each["label"], each["points"]) for each in shapes] == [
        ("gt", "cone", [0, 0, 10, 10]),
        ("pred", "cone", [0, 0, 10, 8]),
        ("gt", "car", [50, 50, 90, 70]),
        ("pred", "cone", [50, 50, 90, 70]),
        ("pred", "board", [150, 10, 170, 30]),
    ]
    assert [each.get("partner") for each in shapes] == [1, 0, 3, 2, None]
    assert [each.get("score") for each in shapes] == [None, 0.9, None, 0.8, 0.7]
    assert [each.get("cause") for each in shapes] == [None, None, "wrong label", "wrong label", "spurious"]


def test_without_an_order_the_page_says_why_there_is_no_ap():
    data = data_of(report_page(calipers.coco(GT, [dict(row, score=1.0) for row in PRED[:3]], bootstrap=0)))
    assert cards(data, "Headline")["AP"] is None
    assert section(data, "Headline")["about"].startswith("There is no AP: ")
    assert "Precision over recall" not in titles(data)


def test_a_folder_gives_the_page_of_the_run(report, tmp_path):
    write_folder(str(tmp_path / "out"), report)
    assert (tmp_path / "out" / "report.html").read_bytes() == report_page(report)
    assert result_page(str(tmp_path / "out")) == report_page(report)


def test_an_artifact_alone_says_how_to_get_the_drawings(report, tmp_path):
    report.save(tmp_path / "alone.json")
    [said] = section(data_of(result_page(str(tmp_path / "alone.json"))), "Failures")["lines"]
    assert "calipers coco … -o FOLDER" in said


def test_hostile_classes_and_file_names_are_only_text():
    texts = dict(enumerate([*HOSTILE, HALF_PAIR], 1))
    truth = {
        "images": [{"id": number, "file_name": text} for number, text in texts.items()],
        "categories": [{"id": number, "name": text} for number, text in texts.items()],
        "annotations": [annotation(number, number, number, [0, 0, 9, 9]) for number in texts],
    }
    data = data_of(report_page(calipers.coco(truth, [], bootstrap=0)))
    found = {shape["label"] for case in data["cases"] for shape in case["shapes"]}
    assert found == {text.replace("\ud800", "\ufffd") for text in texts.values()}


def test_a_cell_of_the_confusion_leads_to_exactly_the_objects_it_counts():
    folder = Path(calipers.__file__).parent / "data" / "coco"
    every = calipers.coco(folder / "instances.json", folder / "results.json", bootstrap=0)
    unread = {row["index"] for row in every.matches() if row["invalid"]}  # such cannot be drawn
    results = json.loads((folder / "results.json").read_bytes())
    found = calipers.coco(
        folder / "instances.json", [row for k, row in enumerate(results) if k not in unread], bootstrap=0
    )
    data = data_of(report_page(found, cases=10_000))
    shapes = [shape for case in data["cases"] for shape in case["shapes"]]
    matrix = section(data, "Confusion")
    counts = {goto["tag"]: cell[2] for cell, goto in zip(matrix["cells"], matrix["goto"], strict=True) if goto}
    drawn = {tag: [each["side"] for each in shapes if tag in each.get("tags", ())] for tag in counts}
    for tag, n in counts.items():
        sides = ("gt", "pred") if " taken for " in tag else ("gt",) if tag.startswith("missed ") else ("pred",)
        assert sorted(drawn[tag]) == sorted(sides * n), tag
