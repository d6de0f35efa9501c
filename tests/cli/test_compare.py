"""`calipers compare`: what it prints, what it writes, and what it refuses."""

import json
import shutil
from contextlib import chdir
from pathlib import Path

import pytest

from calipers.cli.suite_command import run_suite
from calipers.suite import suite_of

from ..conftest import plots_left_out

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
FAR = {"type": "bbox_2d", "points": [500, 500, 600, 600], "desc": "类别=标签"}


def dump(name, share, count=60):
    """Records with one object each; every `share`-th is missed."""
    records = [{"id": f"r{k}", "gt_norm1000": [BOX], "pred": [FAR if k % share == 0 else BOX]} for k in range(count)]
    Path(name).write_text("\n".join(map(json.dumps, records)))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two results and one with another tolerance, made once."""
    with chdir(tmp_path_factory.mktemp("results")), plots_left_out():
        dump("old.jsonl", 10)
        dump("new.jsonl", 3)
        for name in ("old", "new"):
            run_suite(suite_of("dense"), {"dumps": [f"{name}.jsonl"], "output": name})
        run_suite(suite_of("dense"), {"dumps": ["new.jsonl"], "tube_tolerance": 4, "output": "other.json"})
        return Path.cwd()


@pytest.fixture(autouse=True)
def _results(results, tmp_path):
    shutil.copytree(results, tmp_path, dirs_exist_ok=True)


def test_the_table(run):
    ended = run("compare", "old", "new")
    lines = ended.out.decode().splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert lines[0] == "old → new   dense · 60 records · paired, 1,000 replicates"
    assert lines[2].split() == ["metric", "old", "new", "Δ", "95", "%", "of", "Δ", "verdict"]
    [row] = [line for line in lines if line.startswith(" category mean_f1 ")]
    assert row.split()[2:5] == ["0.900", "0.667", "−0.233"]  # 54 and 40 of 60
    assert row.split()[-1] == "worse"
    # every tenth was missed, now every third: 30 would be in both, so 6 - 2 are fixed and 20 - 2 broken
    assert " objects              4 fixed · 18 broken · 4 false positives gone · 18 new ones" in lines


def test_artifacts_alone_say_nothing_of_objects(run):
    out = run("compare", "old/result.json", "new/result.json").out.decode()
    assert "fixed ·" not in out
    assert (
        out.splitlines()[-1] == " next                 of folders (-o DIR), also the objects that were fixed and broken"
    )


def test_json(run):
    tree = run("compare", "old", "new", "--json").artifact()
    assert (tree["comparison"], tree["suite"], tree["paired"]) == ("compare/1", "dense", True)
    assert tree["objects"]["broken"] == 18
    assert [row["verdict"] for row in tree["metrics"]] == ["worse"] * 12


def test_markdown(run):
    out = run("compare", "old", "new", "--markdown").out.decode()
    assert out.startswith("### old → new\n\ndense · 60 records")
    assert out.endswith(" more\n- #: the place in the ground truth of the record, from 0\n")


def test_the_same_bytes_every_time(run):
    assert run("compare", "old", "new", "--json").out == run("compare", "old", "new", "--json").out


@pytest.mark.parametrize(("name", "flag"), [("found.json", "--json"), ("found.md", "--markdown")])
def test_a_file_receives_what_the_flag_prints(run, name, flag):
    printed = run("compare", "old", "new", flag).out
    ended = run("compare", "old", "new", "-o", name)
    assert Path(name).read_bytes() == printed
    assert ended.out.decode().splitlines()[-1] == f" written              {name}"


def test_a_file_in_the_folder_of_a_result_can_be_written_again(run):
    for _ in range(2):
        assert run("compare", "old", "new", "-o", "new/comparison.md").code == 0


@pytest.mark.parametrize("output", ["old/result.json", "new/result.json"])
def test_a_result_is_not_written_over(run, output, listing):
    before = listing(".")
    run("compare", "old", "new", "-o", output).refused(2, "is an input, expected another place to write to")
    assert listing(".") == before


@pytest.mark.parametrize("output", ["found.txt", "found", "out/"])
def test_another_ending_is_refused(run, output, listing):
    before = listing(".")
    run("compare", "old", "new", "-o", output).refused(2, "expected .json, .md, .html")
    assert listing(".") == before


def test_a_file_that_cannot_be_written(run):
    run("compare", "old", "new", "-o", "other.json/found.json").refused(2, "cannot be created")


def test_other_parameters_are_refused_with_what_differs(run):
    said = run("compare", "old", "other.json").refused(2, "old and other.json cannot be compared in pairs:")
    assert "tube_tolerance: 8.0 in the old one, 4.0 in the new one" in said
    assert "--force" in said


def test_force_compares_and_says_that_it_is_not_in_pairs(run):
    ended = run("compare", "old", "other.json", "--force")
    assert ended.code == 0
    assert "not paired" in ended.out.decode().splitlines()[0]
    assert " not the same         tube_tolerance: 8.0 in the old one, 4.0 in the new one" in ended.out.decode()


def test_other_records_are_refused(run):
    dump("few.jsonl", 3, 50)
    run("dense", "few.jsonl", "-o", "few")
    run("compare", "old", "few").refused(2, "records read: 60 in the old one, 50 in the new one")


def test_another_suite_is_refused(run):
    video = {"a.mp4": {"outside": [[0, 9]], "inside": [[10, 19]]}}
    Path("gt.json").write_text(json.dumps(video))
    Path("pred.json").write_text(json.dumps({"a.mp4": {"fps": 10, "states": {"inside": [[10, 19]]}}}))
    assert run("timeline", "--gt", "gt.json", "--pred", "pred.json", "-o", "videos").code == 0
    run("compare", "old", "videos").refused(2, "protocol: dense/1 in the old one, timeline/1 in the new one")
    run("compare", "old", "videos", "--force").refused(2, "have no figure in common")
    ended = run("compare", "old", "videos")
    assert (ended.code, "--force" in ended.err) == (2, False)  # which would compare nothing


def test_an_input_of_a_suite_is_told_to_be_measured_first(run):
    Path("gt.json").write_text('{"images": [], "categories": [], "annotations": []}')
    said = "gt.json: no field protocol, expected an artifact of one of dense/1, timeline/1, scene/1, coco/1; "
    said += "this looks like an input (COCO data set): measure it first, calipers coco … -o DIR"
    run("compare", "gt.json", "old").refused(3, said)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "bad.json: is not there"),
        (b"", "bad.json: is not JSON"),
        (b"{", "bad.json: is not JSON"),
        (b"[" * 100_000, "bad.json: is not JSON"),
        (b"\xff\xfe", "bad.json: is not JSON"),
        (b"[]", "bad.json: no field protocol, expected an artifact"),
        (b'{"protocol": "dense/7"}', "bad.json: protocol 'dense/7', expected an artifact of one of dense/1"),
        (
            b'{"protocol": "dense/1", "suite": "dense"}',
            "bad.json: is not a whole artifact of dense/1: field 'calipers'",
        ),
    ],
)
def test_what_is_no_artifact_is_an_input_error(run, content, part):
    if content is not None:
        Path("bad.json").write_bytes(content)
    run("compare", "bad.json", "new").refused(3, part)
    run("compare", "new", "bad.json").refused(3, part)


def test_a_folder_without_a_result_is_an_input_error(run):
    Path("empty").mkdir()
    run("compare", "old", "empty").refused(3, "result.json: is not there, expected a folder that a suite wrote")


def test_wrong_usage(run):
    run("compare", "old").refused(2, "Missing argument 'NEW'")
    run("compare", "old", "new", "--json", "--markdown").refused(2, "expected one of them")
    run("compare", "old", "new", "--forced").refused(2, "--forced", "--force")


def test_options_from_a_file(run):
    Path("calipers.toml").write_text("[compare]\nforce = true\njson = true\n")
    assert run("compare", "old", "other.json").artifact()["paired"] is False
    Path("calipers.toml").write_text("[compare]\nforced = true\n")
    run("compare", "old", "new").refused(2, "[compare] 'forced' is not an option, did you mean 'force'?")
    Path("calipers.toml").write_text('[compare]\nforce = "yes"\n')
    run("compare", "old", "new").refused(2, "force: found 'yes', expected true or false")
