"""The page of suspects: reasons, the list, and the places drawn as the suite draws its records."""

import pytest

import calipers
from calipers.show.folder import write_folder

from .reading import column, data_of, section, titles

pytestmark = pytest.mark.usefixtures("without_plots")


def box(label, x, y=0, height=100):
    return {"type": "bbox_2d", "points": [x, y, x + 100, y + height], "desc": f"类别={label}"}


@pytest.fixture
def dense(tmp_path):
    def write(name, **records):
        listed = [{"id": key, "gt_norm1000": truth, "pred": pred} for key, (truth, pred) in records.items()]
        write_folder(str(tmp_path / name), calipers.dense(listed, bootstrap=0))
        return tmp_path / name

    return write


def marked(case):
    """The shapes of a drawing that stand out: side, label and cause."""
    shapes = [shape for shape in case["shapes"] if shape["state"] == "wrong"]
    return [(shape["side"], shape["label"], shape["cause"]) for shape in shapes]


TRUTH = [box("cat", 0), box("dog", 200), box("dog", 400)]


def test_reasons_places_and_the_list(dense):
    folder = dense("run", a=(TRUTH, [box("dog", 0), *TRUTH[1:]]), b=([*TRUTH, TRUTH[2]], TRUTH))
    data = data_of(calipers.suspects(folder).to_html())
    assert (data["title"], data["suite"]) == ("run", "suspects · dense")
    assert titles(data) == ["Reasons", "Places", "All places"]
    assert [(bar["name"], bar["value"]) for bar in section(data, "Reasons")["bars"]] == [
        ("wrong label", 1),
        ("near duplicate", 1),
    ]
    assert column(data, "All places", "key") == ["b", "a"]
    assert column(data, "All places", "suggested") == ["—", "dog"]
    assert section(data, "All places")["goto"] == [{"key": "b"}, {"key": "a"}]
    assert {tag for case in data["cases"] for tag in case["tags"]} == {"wrong label?", "near duplicate?"}  # no records
    assert data["subtitle"] == "2 places to look at · 2 records · 1 result"
    assert {case["title"]: marked(case) for case in data["cases"]} == {
        "a · run": [("gt", "cat", "wrong label?")],
        "b · run": [("gt", "dog", "near duplicate?")],
    }


def test_another_error_of_the_same_name_is_no_suspect(dense):
    preds = [box("dog", 0), box("cat", 200, height=60), TRUTH[2]]  # the second pair overlaps by 0.6 only
    data = data_of(calipers.suspects(dense("run", a=(TRUTH, preds))).to_html())
    [case] = data["cases"]
    assert marked(case) == [("gt", "cat", "wrong label?")]
    assert data["subtitle"] == "1 place to look at · 1 record · 1 result"


def test_a_record_without_a_failure_is_drawn_with_its_annotations(dense):
    twice = [TRUTH[0], TRUTH[0], TRUTH[1]]
    [case] = data_of(calipers.suspects(dense("run", a=(twice, twice))).to_html())["cases"]
    assert [shape["side"] for shape in case["shapes"]] == ["gt"] * 3
    assert marked(case) == [("gt", "cat", "near duplicate?")]


def test_a_suspect_with_a_partner_in_a_record_with_failures(dense):
    twice = [TRUTH[0], TRUTH[0], TRUTH[1]]
    [case] = data_of(calipers.suspects(dense("run", a=(twice, [*twice, box("cow", 800)]))).to_html())["cases"]
    assert marked(case) == [("gt", "cat", "near duplicate?")]
    assert len(case["shapes"]) == 7


def test_a_prediction_is_drawn_in_its_result(dense):
    folders = [dense(name, a=(TRUTH, [*TRUTH, box("cow", 700, 700)])) for name in ("one", "two")]
    [case] = data_of(calipers.suspects(*folders).to_html())["cases"]
    assert case["title"] == "a · one"
    assert marked(case) == [("pred", "cow", "not annotated?")]


def test_no_place_stands_out(dense):
    data = data_of(calipers.suspects(dense("run", a=(TRUTH, TRUTH))).to_html())
    assert titles(data) == ["Reasons"]
    assert section(data, "Reasons")["lines"] == ["No place stands out."]


def test_detections(tmp_path):
    gt = {
        "images": [{"id": n, "file_name": f"{n}.jpg", "width": 1000, "height": 1000} for n in (1, 2)],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
            {"id": k, "image_id": image, "category_id": label, "bbox": [x, 0, 100, 100]}
            for k, (image, label, x) in enumerate([(1, 1, 0), (2, 1, 0), (2, 1, 0), (1, 2, 300)], 1)
        ],
    }
    preds = [(1, 2, 0), (2, 1, 0), (2, 1, 0), (1, 2, 300), (1, 1, 800)]
    results = [
        {"image_id": image, "category_id": label, "bbox": [x, 0, 100, 100], "score": 0.5 + k / 10}
        for k, (image, label, x) in enumerate(preds)
    ]
    write_folder(str(tmp_path / "run"), calipers.coco(gt, results, bootstrap=0))
    cases = data_of(calipers.suspects(tmp_path / "run").to_html())["cases"]
    assert {case["title"]: sorted(marked(case)) for case in cases} == {
        "1.jpg · run": [("gt", "cat", "wrong label?"), ("pred", "cat", "not annotated?")],
        "2.jpg · run": [("gt", "cat", "near duplicate?")],
    }


def test_boxes_of_scenes(tmp_path):
    truth = [{"label": label, "center": [3 * k, 0, 0], "size": [1, 1, 1]} for k, label in enumerate(["chair", "table"])]
    pred = [truth[0] | {"label": "table"}, truth[1]]
    report = calipers.scene({"room": {"objects": truth}}, {"room": {"objects": pred}}, bootstrap=0)
    write_folder(str(tmp_path / "run"), report)
    [case] = data_of(calipers.suspects(tmp_path / "run").to_html())["cases"]
    assert marked(case) == [("gt", "chair", "wrong label?")]


def test_videos_are_drawn_with_all_results(tmp_path):
    gt = {"a.mp4": {"inside": [[10, 19]], "outside": [[0, 9], [20, 39]]}}
    pred = {"a.mp4": {"states": {"inside": [[13, 19]], "outside": [[0, 12], [20, 39]]}}}
    for name in ("one", "two"):
        write_folder(str(tmp_path / name), calipers.timeline(gt, pred, bootstrap=0))
    data = data_of(calipers.suspects(tmp_path / "one", tmp_path / "two").to_html())
    [video] = section(data, "Videos with boundaries to look at")["videos"]
    assert [lane["name"] for lane in video["rows"]] == ["ground truth", "one", "two"]
    assert video["note"] == "outside → inside: suggested 13"
