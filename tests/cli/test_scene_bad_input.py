"""Scenes that are wrong: malformed ground truth ends the run, a malformed prediction counts and matches nothing.

`refuses` checks that every file is as it was.
"""

import json
import re
import time
from pathlib import Path

import pytest

MOST_CPU_SEC = 20  # far more than it takes, far less than reading on would
SEAT = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}
INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
ICONV = "iconv -f UTF-16 -t UTF-8 FILE > NEW"
FILE = '{"objects": […]}, a Supervisely annotation with figures, or GraphML'
THREE, POSITIVE = "expected three numbers", "expected three positive numbers"
MATRIX = "expected a rotation matrix: orthonormal and of determinant +1, to 1e-06"
ROTATION = 'expected a quaternion [x, y, z, w], {"yaw": radians} or a 3 x 3 matrix'


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())


def objects(*given):
    """A file with a good object and then some as they are written."""
    return '{"objects": [' + ", ".join([json.dumps(SEAT | {"id": 1}), *given]) + "]}"


def other(**fields):
    """Another object, far away, with some fields as they are written; None leaves one out."""
    plain = {"id": "2", "label": '"seat"', "center": "[9, 0, 0]", "size": "[1, 1, 1]"} | fields
    return "{" + ", ".join(f'"{name}": {value}' for name, value in plain.items() if value is not None) + "}"


@pytest.fixture(autouse=True)
def _good_files():
    for name in ("gt.json", "pred.json"):
        write(name, {"objects": [SEAT]})


@pytest.fixture
def refused(refuses):
    """The command refuses its usual inputs, or these, whatever it was asked to write."""

    def check(*parts, args=INPUTS, code=3):
        return refuses(args, *parts, code=code, command="scene")

    return check


@pytest.fixture
def one_is_wrong(refused, run):
    """The second object is refused in the ground truth, or rejected with its scene, and counts in a prediction."""

    def check(text, problem, cause="no_overlap"):
        write("gt.json", objects(text))
        refused(f"error: gt.json: {problem}\n", "--max-bad-records N")
        write("pred.json", objects(text))
        write("gt.json", {"objects": [SEAT]})
        ended = run("scene", *INPUTS, "--json")
        tree = ended.artifact()["methods"]["pred"]
        assert tree["counts"] == {"gt": 1, "pred": 2, "tp": 1, "fp": 1, "fn": 0, "invalid_pred": 1, "ignored": 0}
        assert tree["unmatched_pred"] == [{"scene": "gt", "index": 1, "cause": cause, "reason": problem}]
        assert (tree["detection_metrics"]["precision"], tree["fp_breakdown"][cause], ended.err) == (1 / 2, 1, "")
        assert re.search(rb"\n invalid  +1 .*counted as unmatched", run("scene", *INPUTS).out)

    return check


# ---------------------------------------------------------------- objects


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ("[1, 0, 1]", None),
        ("[1, -0.0, 1]", None),
        ("[1, -1, 1]", None),
        ("[1, true, 1]", None),
        ('[1, "1", 1]', None),
        ("[1, null, 1]", None),
        ("[[1], [1], [1]]", None),
        ("[1, 1]", None),
        ("[1, 1, 1, 1]", None),
        ("[]", None),
        ("5", None),
        ("null", None),
        ('{"x": 1, "y": 1, "z": 1}', None),
        ("[1, NaN, 1]", None),
        ("[1, Infinity, 1]", None),
        ("[1, 1e400, 1]", "[1, Infinity, 1]"),
        (f"[1, {2**70}, 1e300]", "[1, 1.1805916207174113e+21, 1e+300]"),
    ],
)
def test_a_size_is_three_positive_numbers(one_is_wrong, size, shown):
    most = " of at most 1e+100" if "e+300" in (shown or "") else ""
    one_is_wrong(other(size=size), f"objects[1].size: found {shown or size}, {POSITIVE}{most}")


@pytest.mark.parametrize("center", ["[0, 0]", '["0", 0, 0]', "[0, 0, false]", "[0, 0, NaN]", "null", '"0 0 0"'])
def test_a_center_is_three_numbers(one_is_wrong, center):
    one_is_wrong(other(center=center), f"objects[1].center: found {center}, {THREE}")


def test_center_and_size_have_to_be_there(one_is_wrong):
    one_is_wrong(other(center=None), f"objects[1].center: missing, {THREE}")
    one_is_wrong(other(size=None), f"objects[1].size: missing, {POSITIVE}")
    one_is_wrong("{}", f"objects[1].center: missing, {THREE}", cause="unresolved_label")


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [
        ("[[1, 0, 0], [0, -1, 0], [0, 0, 1]]", MATRIX),  # a reflection
        ("[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]", MATRIX),  # a shear
        ("[[2, 0, 0], [0, 2, 0], [0, 0, 2]]", MATRIX),  # twice as large
        ("[[0, 0, 0], [0, 0, 0], [0, 0, 0]]", MATRIX),
        ("[[1, 0, 0], [0, 1.00001, 0], [0, 0, 1]]", MATRIX),
        ("[[NaN, 0, 0], [0, 1, 0], [0, 0, 1]]", MATRIX),
        ("[[1, 0, 0], [0, 1, 0]]", ROTATION),
        ("[0, 0, 0, 0]", "expected a quaternion [x, y, z, w] that is finite and not zero"),
        ("[0, 0, NaN, 1]", "expected a quaternion [x, y, z, w] that is finite and not zero"),
        ("[0, 0, 0, true]", ROTATION),
        ("[0, 0, 1]", ROTATION),
        ('{"yaw": "1"}', 'expected {"yaw": radians} and nothing else'),
        ('{"yaw": 1, "pitch": 2}', 'expected {"yaw": radians} and nothing else'),
        ("{}", 'expected {"yaw": radians} and nothing else'),
        ("1.57", ROTATION),
    ],
)
def test_a_rotation_is_a_proper_rotation(one_is_wrong, rotation, expected):
    one_is_wrong(other(rotation=rotation), f"objects[1].rotation: found {rotation}, {expected}")


@pytest.mark.parametrize(
    "rotation", ["null", "[0, 0, 0, 1]", "[0, 0, 3, 0]", '{"yaw": 1.57}', "[[1, 0, 0], [0, 1.0000001, 0], [0, 0, 1]]"]
)
def test_a_rotation_may_be_left_out_scaled_or_a_hair_off(run, rotation):
    write("gt.json", objects(other(rotation=rotation)))
    write("pred.json", objects(other(rotation=rotation)))
    assert run("scene", *INPUTS, "--json").artifact()["methods"]["pred"]["counts"]["tp"] == 2


@pytest.mark.parametrize(
    ("text", "problem", "cause"),
    [
        ("5", "objects[1]: found 5, expected an object with center and size", "unresolved_label"),
        ("null", "objects[1]: found null, expected an object with center and size", "unresolved_label"),
        ("[]", "objects[1]: found [], expected an object with center and size", "unresolved_label"),
        (other(label="5"), "objects[1].label: found 5, expected a text", "unresolved_label"),
        (other(label='["seat"]'), 'objects[1].label: found ["seat"], expected a text', "unresolved_label"),
        (other(score='"high"'), 'objects[1].score: found "high", expected a number', "no_overlap"),
        (other(score="NaN"), "objects[1].score: found NaN, expected a number", "no_overlap"),
        (other(score="true"), "objects[1].score: found true, expected a number", "no_overlap"),
        (other(similarity="0.9"), "objects[1].similarity: found 0.9, expected {task: number}", "no_overlap"),
        (
            other(similarity='{"seat": "x"}'),
            'objects[1].similarity: found {"seat": "x"}, expected {task: number}',
            "no_overlap",
        ),
    ],
)
def test_what_else_can_be_wrong_with_an_object(one_is_wrong, text, problem, cause):
    one_is_wrong(text, problem, cause)


@pytest.mark.parametrize("given", ["1", "1.0"])
def test_an_id_is_there_once(one_is_wrong, given):
    problem = f"objects[1].id: found {given}, which objects[0] has too, expected an id that no other object has"
    one_is_wrong(other(id=given), problem)


def test_ids_that_look_alike_are_not_the_same(run):
    write(
        "gt.json", objects(other(id='"1"'), other(id="null", center="[20, 0, 0]"), other(id=None, center="[30, 0, 0]"))
    )
    assert run("scene", *INPUTS, "--json").artifact()["methods"]["pred"]["counts"]["gt"] == 4


def test_a_mesh_that_is_not_there_is_refused_or_counts(one_is_wrong):
    text = '{"id": 2, "label": "seat", "position": [9, 0, 0], "data_path": "no.ply"}'
    one_is_wrong(text, 'objects[1]: data_path "no.ply": cannot be read: No such file or directory')
    text = '{"id": 2, "label": "seat", "position": [9, 0, 0]}'
    one_is_wrong(text, "objects[1]: neither dimensions nor data_path, expected one of them")


def test_figures_without_their_object_are_refused_or_count(refused, run):
    box = {"position": {"x": 0, "y": 0, "z": 0}, "dimensions": {"x": 1, "y": 1, "z": 0}, "rotation": None}
    figures = [{"objectId": 3, "geometry": box}, {"objectId": 4, "geometry": box}]
    write("cloud.json", {"objects": [{"id": 3, "classTitle": "seat"}], "figures": figures})
    size = f"figures[0].geometry.dimensions: found [1, 1, 0], {POSITIVE}"
    refused(f"error: cloud.json: {size}\n", args=["--gt", "cloud.json", "--pred", "pred.json"])
    tree = run("scene", "--gt", "gt.json", "--pred", "cloud.json", "--json").artifact()["methods"]["cloud"]
    reasons = [size, "figures[1]: objectId: found 4, which names no object, expected one"]
    assert [row["reason"] for row in tree["unmatched_pred"]] == reasons
    assert tree["counts"]["invalid_pred"] == 2


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", f"not JSON: Input is a zero-length, empty document: line 1 column 1 (char 0); expected {FILE}"),
        (b"oops", "not JSON: "),
        (b"{'objects': []}", "not JSON: "),
        (b'{"objects": []} {}', "not JSON: "),
        (b'{"objects": [}', "not JSON: "),
        (b"\xff\xfe{\x00}\x00", f"not UTF-8: byte 0xff at position 0 (is it UTF-16? {ICONV}); expected {FILE}"),
        (b'{"objects": [{"label": "\xe9"}]}', "not UTF-8: byte 0xe9 at position 24"),
        (rb'{"objects": [{"label": "\ud800"}]}', "not JSON: "),
        (b"[]", f"found a list of 0, expected {FILE}"),
        (b"5", f"found 5, expected {FILE}"),
        (b"{}", f"found an object without keys, expected {FILE}"),
        (b'{"boxes": [], "b": 1}', f'found an object with "boxes", "b", expected {FILE}'),
        (b'{"objects": {}}', "objects: found an object without keys, expected a list"),
        (b'{"objects": [], "objects": []}', 'the key "objects" is there twice, expected each once'),
        (b'{"objects": [{"id": 1, "id": 2}]}', 'objects[0]: the key "id" is there twice, expected each once'),
        (b"[" * 100_000, "not JSON: depth limit exceeded"),
        (b'{"objects": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not JSON: depth limit exceeded"),
        (b"<", "line 1: not XML: unclosed token"),
        (b"<graphml><node></graphml>", "line 1: not XML: mismatched tag"),
        (b"<graphml>\n<node>&nbsp;</node></graphml>", "line 2: not XML: undefined entity"),
        (b"<graphml>\xff</graphml>", "line 1: not XML: not well-formed (invalid token)"),
        (b"<html><node/></html>", "line 1: found <html>, expected <graphml>"),
        (b"<graphml>" + b"<a>" * 100_000, "line 1: found elements nested more than 100 deep"),
    ],
    ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else "",
)
def test_a_file_that_is_no_scene_is_refused(refused, name, content, problem):
    write(name, content)
    refused(f"error: {name}: {problem}", "--max-bad-records N")


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
@pytest.mark.parametrize("start", [b"\0", b"<", b'{"objects": "', b"\x80"])
def test_trap_41_twenty_megabytes_of_garbage_are_refused_early(run, name, start):
    write(name, start + bytes(range(256)) * 80_000)
    began = time.thread_time()
    run("scene", *INPUTS).refused(3, f"error: {name}: ", "not ")
    assert time.thread_time() - began < MOST_CPU_SEC


@pytest.mark.parametrize("side", ["--gt", "--pred"])
def test_a_path_that_cannot_be_opened_is_named(refused, side):
    Path("empty").mkdir()
    given = {"--gt": "gt.json", "--pred": "pred.json"}

    def args(path):
        return [part for pair in (given | {side: path}).items() for part in pair]

    refused("error: no.json: cannot be read: No such file or directory\n", args=args("no.json"))
    endings = "expected files that end in .json, .graphml, .xml"
    refused(f"error: empty: no scenes in this folder, {endings}\n", args=args("empty"))


@pytest.mark.parametrize("side", ["--gt", "--pred"])
def test_two_files_of_one_stem_are_refused(refused, side):
    args = ["--gt", "rooms", "--pred", "pred.json"] if side == "--gt" else ["--gt", "gt.json", "--pred", "rooms"]
    for name in ("a.graphml", "a.json", "b.json"):
        write(f"rooms/{name}", {"objects": [SEAT]})
    problem = "error: rooms/a.graphml and rooms/a.json: two files for the scene 'a', expected one\n"
    refused(problem, args=args)
    Path("rooms/a.graphml").rename("rooms/a.pcd.json")
    refused("rooms/a.json and rooms/a.pcd.json: two files for the scene 'a'", args=args)


def test_what_is_no_scene_in_a_folder_is_left_alone(run):
    for name in ("a.json", ".hidden.json", "notes.txt", "mesh.ply", "deep/a.json"):
        write(f"rooms/{name}", {"objects": [SEAT]} if name == "a.json" else "oops")
    tree = run("scene", "--gt", "rooms", "--pred", "rooms", "--json").artifact()
    assert list(tree["methods"]["rooms"]["scenes"]) == ["a"]


def test_folders_without_a_scene_in_common_are_told(run):
    write("truth/a.json", {"objects": [SEAT]})
    write("found/b.json", {"objects": [SEAT]})
    ended = run("scene", "--gt", "truth", "--pred", "found", "--json")
    told = 'found: no scene is on both sides: "a" of the ground truth, "b" of the predictions'
    assert ended.err == f"warning: {told}\n"
    tree = ended.artifact()
    assert tree["warnings"] == [told]
    found = tree["methods"]["found"]
    assert (found["scenes_without_predictions"], found["scenes_without_ground_truth"]) == (["a"], ["b"])
    assert [found["counts"][name] for name in ("gt", "pred", "tp", "fp", "fn")] == [1, 1, 0, 1, 1]


def test_an_empty_prediction_is_no_error(run):
    write("pred.json", {"objects": []})
    tree = run("scene", *INPUTS, "--json").artifact()["methods"]["pred"]
    assert tree["counts"] == {"gt": 1, "pred": 0, "tp": 0, "fp": 0, "fn": 1, "invalid_pred": 0, "ignored": 0}
    assert [tree["detection_metrics"][name] for name in ("precision", "recall", "f1")] == [None, 0, 0]


# ---------------------------------------------------------------- how many bad scenes are too many


def test_one_bad_scene_more_than_allowed_ends_the_run_and_is_named(refused, run):
    bad = {"objects": [SEAT | {"size": [1, 1, 0]}]}
    good = {"objects": [SEAT]}
    for name, truth, pred in (("a", bad, good), ("b", good, bad), ("c", good, "oops"), ("d", "oops", bad)):
        write(f"truth/{name}.json", truth)
        write(f"found/{name}.json", pred)
    folders = ["--gt", "truth", "--pred", "found"]
    for most, name in enumerate(("truth/a", "found/c", "truth/d")):
        refused(f"error: {name}.json: ", "(--max-bad-records N", args=[*folders, "--max-bad-records", most])
    ended = run("scene", *folders, "--max-bad-records", 3, "--json")
    tree = ended.artifact()
    assert tree["records"] == {"read": 4, "evaluated": 1, "skipped": 0, "rejected": 3}
    assert [(entry["path"], entry["scene"]) for entry in tree["rejected"]] == [
        ("truth/a.json", "a"),
        ("found/c.json", "c"),
        ("truth/d.json", "d"),
    ]
    *rejected, warning = ended.err.splitlines()
    assert [line.partition(": ")[2] for line in rejected] == [
        f"{entry['path']}: {entry['problem']}" for entry in tree["rejected"]
    ]
    assert warning.startswith("warning: found: all 1 predictions are invalid and match nothing: b: objects[0].size")
    found = tree["methods"]["found"]
    assert list(found["scenes"]) == ["b"]  # a rejected scene counts on no side
    assert found["counts"] == {"gt": 1, "pred": 1, "tp": 0, "fp": 1, "fn": 1, "invalid_pred": 1, "ignored": 0}


def test_all_scenes_may_be_bad(run):
    write("gt.json", {"objects": [SEAT | {"size": [1, 1, 0]}]})
    ended = run("scene", *INPUTS, "--max-bad-records", 1, "--json")
    tree = ended.artifact()
    assert tree["records"] == {"read": 1, "evaluated": 0, "skipped": 0, "rejected": 1}
    assert [tree["methods"]["pred"]["detection_metrics"][name] for name in ("precision", "recall", "f1")] == [None] * 3
    told = "warning: nothing was evaluated: 0 of 1 scene: gt.json: objects[0].size: found [1, 1, 0], expected three"
    assert told in ended.err


# ---------------------------------------------------------------- usage


def test_ground_truth_and_a_method_have_to_be_given(refused):
    refused("error: --gt is missing, expected a path", args=["--pred", "pred.json"], code=2)
    refused("error: --pred is missing, expected a path", args=["--gt", "gt.json"], code=2)
    refused("--gt: found '', expected a path", args=["--gt", "", "--pred", "pred.json"], code=2)
    refused(
        "pred: found '=pred.json', expected ", "NAME=PATH", args=["--gt", "gt.json", "--pred", "=pred.json"], code=2
    )
    refused("pred: found 'ours=', expected ", "NAME=PATH", args=["--gt", "gt.json", "--pred", "ours="], code=2)


@pytest.mark.parametrize(
    ("first", "second"), [("a=pred.json", "a=gt.json"), ("pred.json", "./pred.json"), ("pred.json", "pred=gt.json")]
)
def test_a_method_named_twice_is_refused(refused, first, second):
    args = ["--gt", "gt.json", "--pred", first, "--pred", second]
    refused("error: pred: two methods are called '", "pred.json and ", "expected NAME=PATH\n", args=args, code=2)


# ---------------------------------------------------------------- label files


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("oops", "is not JSON (Expecting value: line 1 column 1 (char 0)), expected a file of canonical labels"),
        (b'["\xff"]', "is not JSON ("),
        ("[" * 100_000, "is nested too deeply, expected a file of canonical labels"),
        ("{}", "canonical_labels: found nothing, expected a list of labels"),
        ('{"canonical_labels": "seat"}', "canonical_labels: found 'seat', expected a list of labels"),
        ('["seat", 5]', "[1]: found 5, expected a label with a letter or a number"),
        ('["seat", "!"]', "[1]: found '!', expected a label with a letter or a number"),
        ('{"canonical_labels": ["seat", "Seat "]}', "canonical_labels[1]: found 'Seat ', the same label as"),
    ],
)
def test_canonical_labels_that_are_none_are_refused(refused, content, problem):
    write("labels.json", content)
    refused(f"error: labels.json: {problem}", args=[*INPUTS, "--labels", "labels.json"], code=2)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("oops", "is not JSON ("),
        ("[]", "found a list, expected an object of labels and what they stand for"),
        ('{"chair": 5}', "'chair': found 5, expected the canonical label that it stands for"),
        ('{"aliases": {"chair": ["seat"]}}', "aliases: 'chair': found a list, expected the canonical label"),
        ('{"aliases": {}, "contains_rules": []}', "contains_rules: found a list, expected an object"),
        ('{"aliases": {}, "rules": {"x": "seat"}}', "found an object under 'rules', expected one under aliases and"),
        ('{"Chair": "seat", "chair": "table"}', "'chair': found 'table', but 'seat' for 'Chair', which is the same"),
        ('{"chair": "seat", "chair": "table"}', "'chair': found twice, with 'seat' and 'table', expected it once"),
    ],
)
@pytest.mark.parametrize("name", ["--aliases", "--learned-aliases"])
def test_aliases_that_are_none_are_refused(refused, name, content, problem):
    write("aliases.json", content)
    refused(f"error: aliases.json: {problem}", args=[*INPUTS, name, "aliases.json"], code=2)


def test_label_files_that_are_not_there_are_refused(refused):
    for name, what in (("--labels", "canonical labels"), ("--aliases", "label aliases")):
        problem = f"error: no.json: cannot be read (No such file or directory), expected a file of {what}\n"
        refused(problem, args=[*INPUTS, name, "no.json"], code=2)


def test_aliases_that_go_in_circles_or_nowhere_are_told_and_resolve_nothing(run):
    write("pred.json", {"objects": [SEAT | {"label": name} for name in ("chair", "couch", "sofa")]})
    write("aliases.json", {"chair": "couch", "couch": "chair", "sofa": "saet", "seat": "seat"})
    ended = run("scene", *INPUTS, "--aliases", "aliases.json", "--json")
    nothing = "is not a canonical label and resolves nothing"
    assert ended.err.splitlines() == [
        f"warning: aliases.json: aliases: 'couch' {nothing} (target of 'chair')",
        f"warning: aliases.json: aliases: 'chair' {nothing} (target of 'couch')",
        f"warning: aliases.json: aliases: 'saet' {nothing}, did you mean 'seat'? (target of 'sofa')",
    ]
    tree = ended.artifact()["methods"]["pred"]
    assert tree["label_resolution"]["alias"] == 0
    assert [row["label"] for row in tree["unresolved_labels"]] == ["chair", "couch", "sofa"]


# ---------------------------------------------------------------- eval_config.json


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("oops", "is not JSON ("),
        ("[" * 100_000, "is not JSON (depth limit exceeded"),
        ("[]", "found [], expected an object with matching, prediction, label_resolution, paths"),
        ('{"matchin": {}}', "'matchin' is not a section, did you mean 'matching'?"),
        ('{"matching": {"iou_treshold": 1}}', "matching: 'iou_treshold' is not a key, did you mean 'iou_threshold'?"),
        ('{"matching": {"range_buckets": [1]}}', "'range_buckets' is not a key, did you mean 'range_buckets_m'?"),
        ('{"paths": {"canonical": "x"}}', "paths: 'canonical' is not a key, did you mean 'canonical_labels'?"),
        ('{"matching": 5}', "matching: found 5, expected an object"),
        ('{"matching": {"method": "hungarian"}}', "matching.method: found 'hungarian', expected greedy"),
        ('{"matching": {"iou_threshold": 2}}', "iou_threshold: found 2, expected a number above 0 and at most 1"),
        ('{"matching": {"require_label_match": 1}}', "require_label_match: found 1, expected true or false"),
        ('{"label_resolution": {"learn_new_aliases": 2}}', "learn_new_aliases: found 2, expected true or false"),
    ],
)
def test_an_eval_config_that_is_none_is_refused(refused, content, problem):
    write("eval_config.json", content)
    refused("error: eval_config.json: ", problem, args=[*INPUTS, "--config", "eval_config.json"], code=2)
    refused("error: no.json: cannot be read: No such file", args=[*INPUTS, "--config", "no.json"], code=2)
