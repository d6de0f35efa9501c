"""KITTI's labels: boxes in the frame of the camera to boxes with z up, lines that are wrong, and folders of frames."""

import json
import math

import pytest

import calipers
from calipers.suites.scene.formats import kitti
from calipers.suites.scene.read import read_scenes

# As the object benchmark has them: training/label_2/000008.txt, shortened
WRITTEN = """\
Car 0.88 3 -0.69 0.00 192.37 402.31 374.00 1.60 1.57 3.23 -2.70 1.74 3.68 -1.29
Pedestrian 0.00 0 2.04 334.85 178.94 624.50 372.04 1.57 1.50 3.68 -1.17 1.65 7.86 1.90
DontCare -1 -1 -10 800.38 163.67 825.45 184.07 -1 -1 -1 -1000 -1000 -1000 -10
"""
CAR = "Car 0 0 0 0 0 1 1 2 1 4 3 1.5 10 0"


def test_the_camera_looks_along_x_and_z_points_up():
    """The camera is at the origin: x of it is to the right, y down, z forward.

    A car 10 m ahead and 3 m to the right, its bottom 1.5 m below the camera, 2 m high: its middle is 0.5 m below.
    At ry = 0 its length lies along x of the camera, which is -y here: a yaw of -90 degrees.
    """
    [car] = kitti.plain_objects(CAR.encode()).objects
    assert car["center"] == [10.0, -3.0, -0.5]
    assert car["size"] == [4.0, 1.0, 2.0]
    assert car["rotation"] == {"yaw": -math.pi / 2}


def test_a_car_that_drives_away_from_the_camera_faces_along_x():
    """KITTI: ry = -90 degrees turns the length to z of the camera, which is forward."""
    [car] = kitti.plain_objects(CAR.removesuffix(" 0").encode() + f" {-math.pi / 2}".encode()).objects
    assert car["rotation"]["yaw"] == 0.0


def test_a_file_as_the_benchmark_has_it(tmp_path):
    path = tmp_path / "000008.txt"
    path.write_text(WRITTEN)
    reading = read_scenes(str(path), {}, label_source="label", max_bad=0)
    assert reading.truth.labels == ["Car", "Pedestrian"]
    # 3.68 forward, 2.70 to the left, and 1.60 / 2 - 1.74 up
    assert reading.truth.center.tolist()[:3] == [3.68, 2.7, pytest.approx(-0.94)]
    assert reading.warnings == [f"{path}: DontCare regions have no box in space and were left out (1)"]


def test_predictions_have_a_score_and_what_else_a_line_says_stays():
    [car] = kitti.plain_objects(f"{CAR} 0.75\n".encode()).objects
    assert car["score"] == 0.75
    assert (car["truncated"], car["occluded"], car["bbox_2d"]) == (0.0, 0.0, [0.0, 0.0, 1.0, 1.0])


def folder(tmp_path, name, frames):
    place = tmp_path / name
    place.mkdir(parents=True)
    for frame, text in frames.items():
        (place / f"{frame}.txt").write_text(text)
    return place


def test_a_data_set_is_read_from_its_folder_of_labels(tmp_path):
    """Empty files are frames without objects; other texts are none."""
    folder(tmp_path, "training/label_2", {"000001": CAR, "000002": ""})
    (tmp_path / "training" / "label_2" / "readme.txt").write_text("see the devkit")
    pred = folder(tmp_path, "pred", {"000001": f"{CAR} 0.9\n", "000002": f"{CAR} 0.1\n"})
    report = calipers.scene(tmp_path / "training", pred, bootstrap=0)
    assert (report["counts"]["tp"], report["counts"]["fp"], report["counts"]["fn"]) == (1, 1, 0)
    found = calipers.check(tmp_path / "training")
    assert [(file["kind"], file["suite"]) for file in found["files"]] == [("folder of scenes, KITTI labels", "scene")]
    assert found["ok"]


def test_check_names_one_file(tmp_path):
    path = tmp_path / "000001.txt"
    path.write_text(CAR)
    assert calipers.check(path)["files"][0]["kind"] == "scene, KITTI labels"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Car 0 0", "line 2: found 3 fields, expected type, 14 numbers, and of predictions a score"),
        (f"{CAR} 0.5 7", "line 2: found 17 fields, expected type, 14 numbers"),
        (CAR.replace(" 10 ", " far "), 'line 2: z: found "far", expected a number'),
        (CAR.replace(" 10 ", " nan "), 'line 2: z: found "nan", expected a number'),
        (CAR.replace(" 10 ", " 1_0 "), 'line 2: z: found "1_0", expected a number'),
        (
            CAR.replace(" 2 1 4 ", " 2 -1 4 "),
            "line 2: h, w, l: found [4.0, -1.0, 2.0], expected three",
        ),
    ],
)
def test_a_malformed_line_is_an_error_of_ground_truth_and_an_invalid_prediction(tmp_path, line, message):
    gt, pred = tmp_path / "gt.txt", tmp_path / "pred.txt"
    gt.write_text(f"{CAR}\n{line}\n")
    pred.write_text(f"{CAR}\n")
    with pytest.raises(calipers.InputError) as raised:
        calipers.scene(gt, pred)
    assert str(raised.value).startswith(f"{gt}: {message}")
    report = calipers.scene(pred, gt, bootstrap=0)
    assert report["counts"]["invalid_pred"] == 1
    assert report["unmatched_pred"][0]["reason"].startswith(message)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"Car " * 100_000, b"\n" * 100_000, b"x" * 1_000_000])
def test_no_text_harms(tmp_path, data):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    calipers.check(path, suite="scene")


def test_kitti_becomes_plain(tmp_path):
    path = tmp_path / "000008.txt"
    path.write_text(WRITTEN)
    made = calipers.convert(path, to="plain", output=tmp_path / "out.json", side="gt")
    again = read_scenes(str(tmp_path / "out.json"), {}, label_source="label", max_bad=0).truth
    first = read_scenes(str(path), {}, label_source="label", max_bad=0).truth
    assert [again.labels, again.center.tolist(), again.axes.tolist()] == [
        first.labels,
        first.center.tolist(),
        first.axes.tolist(),
    ]
    assert made.notes == [f"{path}: DontCare regions have no box in space and were left out (1)"]
    assert json.loads(made.files[""])["objects"][0]["occluded"] == 3.0
