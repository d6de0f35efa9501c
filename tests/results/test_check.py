"""What a check tells apart: kinds of inputs, sides, and readings that fit from those that do not."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.core.interpretations import Interpretation, Trial, fits, ranked
from calipers.core.survey import SidesCheck
from calipers.results.check import Check, check
from calipers.results.check_kinds import find_kind
from calipers.results.check_text import NO_LABEL
from calipers.results.outcome import hint
from calipers.suites.dense import check as check_dense

DATA = Path(calipers.__file__).parent / "data"
GT, RESULTS = DATA / "coco" / "instances.json", DATA / "coco" / "results.json"
ANNOTATIONS, STATES = DATA / "timeline" / "annotations.json", DATA / "timeline" / "predictions.json"
BOX = {"type": "bbox_2d", "points": [10, 20, 110, 220], "desc": "类别=标签"}
SAME = SidesCheck("a", "a", "localization F1", "mean best IoU")


# Kinds


@pytest.mark.parametrize(
    ("path", "name", "suite", "side"),
    [
        ("dense.jsonl", "dense dump, JSON lines", "dense", "both"),
        ("timeline/annotations.json", "timeline annotations, JSON", "timeline", "gt"),
        ("timeline/predictions.json", "timeline predictions, JSON", "timeline", "pred"),
        ("timeline/csv/fusion", "folder of timeline CSVs", "timeline", "pred"),
        ("timeline/csv/sota/sota_foxglove_lane_0018.csv", "timeline CSV", "timeline", "pred"),
        ("scene/gt", "folder of scenes, Supervisely annotation", "scene", None),
        ("scene/gt/office.json", "scene, Supervisely annotation", "scene", None),
        ("scene/pipeline/office.json", "scene, scene graph", "scene", None),
        ("scene/clio/office.graphml", "scene, Clio GraphML", "scene", None),
        ("coco/instances.json", "COCO data set", "coco", "gt"),
        ("coco/results.json", "COCO results", "coco", "pred"),
    ],
)
def test_the_sample_is_told_apart(path, name, suite, side):
    assert find_kind(DATA / path)[:3] == (name, suite, side)


VOC = "<annotation><filename>a.jpg</filename><size><width>9</width><height>9</height></size></annotation>"
LABELME = {"imagePath": "a.jpg", "imageHeight": 9, "imageWidth": 9, "shapes": []}


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("voc/a.xml", VOC, "folder of Pascal VOC"),
        ("labelme/a.json", json.dumps(LABELME), "folder of LabelMe"),
        ("yolo/labels/a.txt", "0 0.5 0.5 0.1 0.1\n", "folder of YOLO labels"),
        ("scenes/a.json", json.dumps({"objects": [{"center": [0, 0, 0]}]}), "folder of scenes, plain objects"),
        ("videos/a.csv", "frame,state\n0,in\n", "folder of timeline CSVs"),
    ],
)
def test_folders_are_told_by_what_is_in_them(tmp_path, file, text, name):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert find_kind(tmp_path / file.partition("/")[0]).name == name


def test_a_dump_needs_no_ending_of_its_own(tmp_path):
    path = tmp_path / "dump.txt"
    path.write_bytes((DATA / "dense.jsonl").read_bytes())
    assert find_kind(path).suite == "dense"


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_artifacts_are_known(suite, tmp_path):
    runs = {
        "dense": lambda: calipers.dense(DATA / "dense.jsonl", bootstrap=0),
        "timeline": lambda: calipers.timeline(ANNOTATIONS, STATES, bootstrap=0),
        "scene": lambda: calipers.scene(DATA / "scene" / "gt", DATA / "scene" / "clio", bootstrap=0),
        "coco": lambda: calipers.coco(GT, RESULTS, bootstrap=0),
    }
    runs[suite]().save(tmp_path / "result.json")
    found = check(tmp_path / "result.json")
    assert found["ok"]
    assert found["files"][0]["kind"] == f"artifact of Calipers, {suite}/1"
    assert found["files"][0]["warnings"] == []


def test_a_folder_that_a_suite_wrote_is_its_artifact(tmp_path):
    report = calipers.dense([{"id": "a", "gt_norm1000": [BOX], "pred": [BOX]}])
    report.save(tmp_path / "result.json")
    (tmp_path / "matches.csv").write_text("key,side\na,gt\n")
    [file] = check(tmp_path)["files"]
    assert (file["path"], file["kind"]) == (str(tmp_path), "artifact of Calipers, dense/1")
    assert file["counts"]["contents"]["read"] == 1


@pytest.mark.parametrize(
    "text", ["", "   \n", "{", "[1, 2]", "7", '"text"', "{}", '{"a": 1}', "\x00\xff", "<html></html>"]
)
def test_what_is_none_of_these_is_refused_and_no_accident(tmp_path, text):
    path = tmp_path / "strange.json"
    path.write_text(text)
    found = check(path)
    assert found.exit_code == 3
    assert found["files"][0]["refused"]["first"][0].startswith(f"{path}: ")


def test_what_is_not_there_is_refused():
    found = check("nowhere.json")
    assert found["files"][0]["refused"] == {
        "n": 1,
        "first": ["nowhere.json: cannot be read: No such file or directory"],
    }


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "notes.md").write_text("hello")
    assert "none of these files" in check(tmp_path)["files"][0]["refused"]["first"][0]


def test_the_suite_can_be_said_where_it_cannot_be_told(tmp_path):
    path = tmp_path / "empty.json"
    path.write_text("{}")
    assert check(path)["files"][0]["kind"] == "unknown"
    found = check(gt=path, suite="timeline")
    assert found["files"][0]["kind"] == "timeline annotations, JSON"
    with pytest.raises(ConfigError, match="suite: found 'boxes', expected dense or timeline or scene or coco"):
        check(path, suite="boxes")


def test_nothing_to_check_is_an_error():
    with pytest.raises(ConfigError, match="nothing to check"):
        check()


def test_standard_input_cannot_be_checked():
    assert "a check reads it more than once" in check("-")["files"][0]["refused"]["first"][0]


# Sides


@pytest.mark.parametrize(("gt", "pred"), [(RESULTS, GT), (STATES, ANNOTATIONS)])
def test_swapped_sides_are_told(gt, pred):
    found = check(gt=gt, pred=pred)
    assert found.exit_code == 3
    assert found["warnings"][-1] == "the two sides seem to be swapped"
    assert check(gt=pred, pred=gt)["warnings"] == []


def test_files_are_put_together_by_what_they_are():
    found = check(RESULTS, GT)
    [sides] = found["comparisons"]
    assert (sides["gt"], sides["pred"]) == (str(GT), str(RESULTS))


def test_files_of_several_suites_are_looked_at_each():
    found = check(DATA / "dense.jsonl", GT, ANNOTATIONS, STATES)
    assert [file["suite"] for file in found["files"]] == ["dense", "coco", "timeline", "timeline"]
    assert len(found["comparisons"]) == 2


# Readings


def test_a_reading_fits_only_if_it_is_clearly_better():
    now = Trial(0.5, 0.5)
    assert not fits(now, Trial(0.55, 0.55))
    assert not fits(now, Trial(0.7, 0.5))  # not by half
    assert fits(now, Trial(0.8, 0.5))
    assert fits(now, Trial(0.5, 0.7))  # no worse, and much closer
    assert not fits(now, Trial(0.4, 0.9))
    assert not fits(Trial(None, None), Trial(0.05, 0.05))  # nothing is made of almost nothing
    assert fits(Trial(None, None), Trial(0.5, None))


def test_of_equals_the_simpler_reading_is_likely():
    now, good = Trial(0.0, 0.0), Trial(0.9, 0.8)
    found = ranked(
        now,
        [
            Interpretation("simple", "", good),
            Interpretation("twisted", "", good),
            Interpretation("poor", "", Trial(0.2, 0.1)),
        ],
    )
    assert [(entry["name"], entry["likely"]) for entry in found] == [("simple", True), ("twisted", False)]
    assert ranked(now, []) == []


# The result


def test_a_check_is_a_mapping_a_text_and_json():
    found = check(DATA / "dense.jsonl")
    assert isinstance(found, Check)
    assert list(found) == ["ok", "files", "comparisons", "warnings"]
    assert len(found) == 4
    assert json.loads(found.to_json()) == json.loads(json.dumps(found.tree))
    verdict = "everything can be read · 8 invalid predictions matching nothing · 3 to look at"
    assert f"verdict              {verdict}" in str(found)
    assert repr(found).endswith("dense.jsonl is dense dump, norm1000; 3 warnings>")
    assert repr(check([{"gt_norm1000": [BOX], "pred": [BOX]}])).endswith("; no warnings>")


def test_text_that_no_suite_reads_is_shown(tmp_path):
    path = tmp_path / "drive_07.txt"
    path.write_text("0,5\t2,0\toutside\n")  # Audacity's, with commas for points
    (file,) = check(path)["files"]
    assert file["refused"]["first"][0].startswith(f'{path}: found text that begins with "0,5\\t2,0\\toutside"')


def screws(label):
    return [{"gt_norm1000": [BOX | {"desc": "类别=screw"}], "pred": [BOX | {"desc": f"类别={label}"}]}]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("SCREW", "everything can be read · labels differ in spelling alone: SCREW for screw"),
        ("screw", "everything can be read"),
        ("screws", f"everything can be read · {NO_LABEL}"),
    ],
)
def test_labels_that_differ_in_case_are_in_the_verdict(label, words):
    assert str(check(screws(label))).splitlines()[-1] == f" verdict              {words}"


def test_the_verdict_names_a_few_of_many_labels():
    names = [f"part {k:02}" for k in range(30)]
    truth = [BOX | {"desc": f"类别={name}"} for name in names]
    pred = [BOX | {"desc": f"类别={name.upper()}"} for name in names]
    last = str(check([{"gt_norm1000": truth, "pred": pred}])).splitlines()[-1]
    assert last.endswith("PART 00 for part 00, PART 01 for part 01, PART 02 for part 02 and 27 more")


def test_figures_that_are_all_undefined_are_not_perfect():
    found = check(screws("screw")).tree
    found["files"][0]["itself"]["figures"] = {"F1": None}
    assert " against itself       F1 — · nothing to measure\n" in str(Check(found))


def test_checks_are_deterministic():
    texts = {check(GT, RESULTS).to_json() for _ in range(2)}
    assert len(texts) == 1


# Hints


def test_a_good_headline_needs_no_hint():
    assert hint(calipers.dense(DATA / "dense.jsonl", bootstrap=0), [str(DATA / "dense.jsonl")]) == []
    assert hint(calipers.coco(GT, RESULTS, bootstrap=0), GT, RESULTS) == []
    assert hint(calipers.timeline(ANNOTATIONS, STATES, bootstrap=0), ANNOTATIONS, STATES) == []
    scene = calipers.scene(DATA / "scene" / "gt", DATA / "scene" / "clio", bootstrap=0)
    assert hint(scene, DATA / "scene" / "gt", {"clio": DATA / "scene" / "clio"}) == []


def low_dense(tmp_path, pred, **beside):
    record = {"width": 4000, "height": 2000, "gt_norm1000": [BOX], "pred": pred, **beside}
    return hinted(tmp_path, [{**record, "id": k} for k in range(5)])


def hinted(tmp_path, records, **options):
    path = tmp_path / "dump.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return hint(calipers.dense(path, bootstrap=0, **options), [str(path)])


def test_a_hint_names_the_reading_that_fits(tmp_path):
    pred = [{**BOX, "points": [40, 40, 440, 440]}]  # pixels of 4000 by 2000; 70 * 180 of 167400 are shared
    assert low_dense(tmp_path, pred, gt=[]) == [
        "warning: almost nothing overlaps (mean best IoU 0.08). Other readings of the predictions:",
        '           pixels -> norm1000 by width/height   1.00   <- likely: rerun with `frame="pixel"`',
        "         Nothing was changed.",
    ]


def test_a_hint_says_when_nothing_fits(tmp_path):
    pred = [{**BOX, "points": [600, 700, 900, 990]}]
    [line] = low_dense(tmp_path, pred)
    assert line.startswith("warning: almost nothing overlaps (mean best IoU 0.00), and no other reading")
    assert line.endswith("fits better (calipers check says more)")


def boxes(count, *, sizes):
    """Records of two boxes and a line that is right; with `sizes` boxes are written as [x, y, width, height]."""
    for k in range(count):
        corners = [[100 + k, 200, 180 + k, 290], [500, 400 + k, 620, 480 + k]]
        line = {"type": "line", "points": [10, 10, 300, 40 + k], "desc": "类别=光纤"}
        said = [[x, y, right - x, bottom - y] if sizes else [x, y, right, bottom] for x, y, right, bottom in corners]
        truth, pred = ([BOX | {"points": each} for each in some] + [line] for some in (corners, said))
        yield {"id": str(k), "gt_norm1000": truth, "pred": pred}


def test_a_poor_headline_has_one_line_if_another_reading_fits_far_better(tmp_path):
    #   one object of three is right: F1 1/3
    [line] = hinted(tmp_path, list(boxes(300, sizes=True)))
    assert line == (
        "hint: predictions would fit far better read otherwise: boxes as [x, y, w, h] (F1 1.00 instead of 0.33,"
        " in the first 200 records); calipers check says more"
    )


def test_a_poor_model_has_no_line(tmp_path):
    records = list(boxes(30, sizes=False))
    for record in records:
        record["pred"] = [record["pred"][2], BOX | {"points": [700, 700, 800, 800]}]
    assert hinted(tmp_path, records) == []


def test_the_readings_of_a_poor_headline_are_tried_on_few_objects(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(check_dense, "compare_sides", lambda path, sample, *_: seen.append(len(sample)) or SAME)
    record = next(boxes(1, sizes=True))
    many = {"gt_norm1000": record["gt_norm1000"] * 20, "pred": record["pred"] * 20}  # 120 objects
    assert hinted(tmp_path, [many | {"id": str(k)} for k in range(30)]) == []
    assert seen == [12]  # of 1,500 objects
    monkeypatch.undo()
    vast = {name: objects * 13 for name, objects in many.items()}  # 1,560 objects in one record
    assert hinted(tmp_path, [vast | {"id": "a"}], max_work=100_000) == []  # all of them in one place


def test_no_hint_where_nothing_was_predicted_or_nothing_is_there_to_find(tmp_path):
    assert low_dense(tmp_path, []) == []
    assert low_dense(tmp_path, [{"type": "blob"}]) == []
    assert hint(calipers.dense([{"gt_norm1000": [BOX], "pred": []}], bootstrap=0), ["-"]) == []


def test_an_input_that_is_gone_is_no_error(tmp_path):
    path = tmp_path / "dump.jsonl"
    path.write_text(json.dumps({"gt_norm1000": [BOX], "pred": [{**BOX, "points": [600, 700, 900, 990]}]}))
    report = calipers.dense(path, bootstrap=0)
    path.unlink()
    assert hint(report, [str(path)]) == []


def test_hints_of_the_other_suites():
    late = {"a": {"states": {"IN": [[0, 99]]}}}
    lines = hint(calipers.timeline({"a": {"inside": [[0, 99]]}}, late), {"a": {"inside": [[0, 99]]}}, late)
    assert lines[0].startswith("warning: almost nothing is right (frame accuracy 0.00). Other readings")
    assert "states by other words: IN -> inside" in lines[1]
    seat = {"label": "seat", "center": [1, 2, 0.5], "size": [1, 1, 1]}
    gt, pred = {"objects": [seat]}, {"objects": [{**seat, "center": [1000, 2000, 500], "size": [1000, 1000, 1000]}]}
    lines = hint(calipers.scene(gt, pred), gt, {"pred": pred})
    assert "millimetres -> metres" in lines[1]
    cone = {"image_id": 1, "category_id": 7, "bbox": [50, 60, 10, 10]}
    truth = {"images": [{"id": 1, "width": 200, "height": 100}], "categories": [{"id": 7, "name": "cone"}]}
    truth["annotations"] = [{**cone, "id": 1}]
    wrong = [{**cone, "bbox": [50, 60, 60, 70], "score": 0.9}]
    lines = hint(calipers.coco(truth, wrong), truth, wrong)
    assert lines[1].split("   ")[-1] == "<- likely: write boxes as [x, y, width, height]"


@pytest.mark.parametrize(
    ("name", "states", "reading"),
    [
        ("/videos/a.mp4", {"inside": [[0, 99]]}, "videos by file name alone: /videos/a.mp4 -> a.mp4   1.00"),
        ("a.mp4", {"inside": [[0.0, 9.9]]}, "seconds -> frames (× fps)              "),
    ],
)
def test_a_run_that_can_compare_nothing_names_the_reading_that_fits(name, states, reading):
    """It ended with "no other reading of the predictions was tried", though one had been, and fits."""
    gt, pred = {"a.mp4": {"inside": [[0, 99]]}}, {name: {"fps": 10, "states": states}}
    lines = hint(calipers.timeline(gt, pred), gt, pred)
    assert lines[0] == "warning: nothing can be compared as it is written. Other readings of the predictions:"
    assert reading in lines[1]


def test_unknown_predictions_are_pointed_to_the_suite_of_the_ground_truth():
    gt, pred = {"a.mp4": {"inside": [[0, 9]]}}, {"a.mp4": {"fps": 30, "intervals": {"inside": [[0, 9]]}}}
    [problem] = check(gt=gt, pred=pred)["files"][1]["refused"]["first"]
    assert problem.endswith('(`suite="timeline"` checks it as predictions for this ground truth)')
    [problem] = check(gt=gt, pred=pred, suite="timeline")["files"][1]["refused"]["first"]
    assert "nothing was evaluated" in problem
    assert check(pred)["files"][0]["refused"]["first"][0].endswith("or an artifact of Calipers")


def test_errors_of_reading_are_not_swallowed_elsewhere():
    with pytest.raises(InputError):
        find_kind("nowhere")


def test_a_verdict_says_when_no_label_is_on_both_sides(tmp_path):
    """Why is the score zero: boxes agree, and no name does."""
    box = {"type": "bbox_2d", "points": [0, 0, 100, 100]}
    record = {"id": 1, "gt_norm1000": [box | {"desc": "screw"}], "pred": [box | {"desc": "bolt"}]}
    assert NO_LABEL in str(check([record]))
    assert NO_LABEL not in str(check([record | {"pred": [box | {"desc": "screw"}]}]))
