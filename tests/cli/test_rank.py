"""`calipers rank`: what it reads, prints and writes, and what it refuses."""

import csv
import json
import shutil
from pathlib import Path

import jsonschema
import pytest

import calipers

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
FAR = {"type": "bbox_2d", "points": [500, 500, 600, 600], "desc": "类别=标签"}
KINDS = ("json", "csv", "md", "tex", "html")


def model(missed, count=60, **options):
    """Records with one object each, of which some are missed."""
    preds = [[FAR] if k in missed else [BOX] for k in range(count)]
    records = [{"id": f"r{k}", "gt_norm1000": [BOX], "pred": pred} for k, pred in enumerate(preds)]
    return calipers.dense(records, modes="category", **options)


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """Three results: an artifact, a folder, and one that finds much less."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "runs" / "tuned").mkdir(parents=True)
    model(range(6)).save(folder / "runs" / "base.json")
    model(range(1, 6)).save(folder / "runs" / "tuned" / "result.json")
    model(range(30)).save(folder / "runs" / "small.json")
    return folder / "runs"


@pytest.fixture
def runs(kept):
    shutil.copytree(kept, "runs")
    return ["runs/base.json", "runs/tuned", "runs/small.json"]


def test_the_table(run, runs):
    ended = run("rank", *runs, "--figure", "recall")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.decode().splitlines() == [
        "3 results   dense · 60 records · paired, 1,000 replicates · 3 pairs, Holm at 5 %",
        "",
        " category recall",
        " #  result  value           95 %  group  best",
        # 55, 54 and 30 of 60; where record 0 has no weight, the first two tie: in e⁻¹ = 37 % of replicates
        " 1  tuned   0.917  0.839 … 0.982  a      82 %",
        " 2  base    0.900  0.818 … 0.968  a      18 %",
        " 3  small   0.500  0.368 … 0.629  b       0 %",
        "",
        " group                results that share a letter cannot be told apart",
        " best                 share of replicates in which it is the best of all",
        " next                 -o page.html for the page · --baseline NAME for differences",
    ]


def test_json_fits_its_schema(run, runs):
    tree = run("rank", *runs, "--json").artifact()
    assert list(tree) == ["rank", "suite", "figures"]
    assert (tree["rank"], tree["suite"], list(tree["figures"])) == (
        "rank/1",
        "dense",
        ["category.precision", "category.recall", "category.f1", "category.mean_f1"],
    )
    jsonschema.validate(tree, json.loads(run("schema", "rank").out))


def test_the_same_bytes_in_any_order_of_results(run, runs):
    assert run("rank", *runs, "--json").out == run("rank", *runs[::-1], "--json").out


def test_a_folder_stands_for_the_results_in_it(run, runs):
    assert run("rank", "runs", "--json").out == run("rank", *runs, "--json").out
    assert run("rank", "runs/", "--json").out == run("rank", *runs, "--json").out


def test_a_file_in_the_folder_that_is_no_artifact_is_passed_over_and_said(run, runs):
    Path("runs/config.json").write_text('{"lr": 0.1}')
    ended = run("rank", "runs", "--figure", "f1")
    assert " passed over          runs/config.json: no artifact" in ended.out.decode()
    run("rank", "runs", "runs/config.json").refused(3, "runs/config.json: no field protocol")


@pytest.mark.parametrize("content", ["{", '{"suite": "dense", "protocol": "dense/1", "params": {}}'])
def test_a_damaged_artifact_in_the_folder_is_an_error(run, runs, content):
    Path("runs/small.json").write_text(content)
    run("rank", "runs").refused(3, "runs/small.json: ")


def test_names(run, runs):
    rows = run("rank", "a b=runs/base.json", "runs/tuned/result.json", "runs/small.json", "--json").artifact()
    assert {row["name"] for row in rows["figures"]["category.f1"]} == {"a b", "tuned", "small"}


def test_a_path_may_hold_an_equals_sign(run, runs):
    Path("lr=0.1.json").write_bytes(Path("runs/base.json").read_bytes())
    rows = run("rank", "lr=0.1.json", "low=lr=0.1.json", "--json").artifact()["figures"]["category.f1"]
    assert [row["name"] for row in rows] == ["low", "lr=0.1"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a=runs/base.json", "a=runs/tuned"], "two results are called 'a': runs/base.json and runs/tuned"),
        (["runs/tuned", "runs/tuned/result.json"], "two results are called 'tuned'"),
        (["a=runs", "runs/tuned"], "a=runs: is a folder of 3 results, expected one to name"),
        (["=runs/base.json", "runs/tuned"], "has no name, expected NAME=PATH"),
        (["a=", "runs/tuned"], "has no path, expected NAME=PATH"),
        (["runs/tuned"], "found 1 result, expected 2 to 100"),
    ],
)
def test_names_and_counts_that_are_refused(run, runs, names, said):
    run("rank", *names).refused(2, said)


def test_nothing_to_rank(run):
    run("rank").refused(2, "Missing argument")
    Path("empty").mkdir()
    run("rank", "empty").refused(3, "empty: has no results, expected folders with result.json, or artifacts *.json")
    run("rank", "a.json", "b.json").refused(3, "a.json: is not there")


# Outputs


@pytest.mark.parametrize(("flag", "kind"), [("json", "json"), ("csv", "csv"), ("markdown", "md"), ("latex", "tex")])
def test_a_file_receives_what_the_flag_prints(run, runs, flag, kind):
    printed = run("rank", *runs, f"--{flag}").out
    ended = run("rank", *runs, "-o", f"found.{kind}")
    assert Path(f"found.{kind}").read_bytes() == printed
    assert ended.out.decode().splitlines()[-1] == f" written              found.{kind}"


@pytest.mark.parametrize("folder", ["out", "out/"])
def test_a_folder_receives_all_of_them(run, runs, folder):
    assert run("rank", *runs, "-o", folder).code == 0
    assert {path.name for path in Path("out").iterdir()} == {f"rank.{kind}" for kind in KINDS}
    assert run("rank", *runs, "-o", folder).code == 0


def test_csv_has_a_row_for_each_result_and_figure(run, runs):
    rows = list(csv.DictReader(run("rank", *runs, "--baseline", "base", "--csv").out.decode().splitlines()))
    assert len(rows) == 12
    last = rows[-1]
    assert (last["figure"], last["name"], last["position"], last["group"]) == ("category.mean_f1", "small", "3", "b")
    assert (last["difference"], last["verdict"]) == ("-0.4", "worse")


def test_markdown(run, runs):
    out = run("rank", *runs, "--figure", "f1", "--markdown").out.decode()
    assert "### category f1\n\n| position | name | value | low | high | group | best_probability |\n" in out
    assert "| 3 | small | 0.500 | " in out


def test_latex(run, runs):
    out = run("rank", *runs, "--figure", "f1", "--latex").out.decode()
    assert out.startswith("% category.f1\n% Needs \\usepackage{booktabs}")
    assert "\nposition & name & value & low & high & group & best\\_probability \\\\\n" in out


def test_a_baseline_and_an_order(run, runs):
    out = run("rank", *runs, "--figure", "f1", "--baseline", "tuned", "--order", "given").out.decode()
    rows = [line.split() for line in out.splitlines()[4:7]]
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("2", "base", "tell"),
        ("1", "tuned", "—"),
        ("3", "small", "worse"),
    ]
    assert " Δ                    difference to tuned" in out
    assert " first sure change    category f1: small is worse than tuned, −0.417 (" in out


def test_options_from_the_file(run, runs):
    Path("calipers.toml").write_text('[rank]\nfigure = ["f1"]\nbaseline = "base"\norder = "name"\n')
    tree = run("rank", *runs, "--json").artifact()
    assert list(tree["figures"]) == ["category.f1"]
    assert tree["history"]["results"] == ["base", "small", "tuned"]
    Path("calipers.toml").write_text('[rank]\nfigures = ["f1"]\n')
    run("rank", *runs).refused(2, "did you mean 'figure'?")
    Path("calipers.toml").write_text("[rank]\nfigure = 1\n")
    run("rank", *runs).refused(2, "figure: found 1, expected a name, or a list of names")


@pytest.mark.parametrize("output", ["runs/base.json", "runs/tuned/result.json"])
def test_a_result_is_not_written_over(run, runs, output):
    before = Path(output).read_bytes()
    run("rank", *runs, "-o", output).refused(2, "is an input, expected another place to write to")
    assert Path(output).read_bytes() == before


def test_a_ranking_in_the_folder_of_results_is_none_of_them(run, runs):
    for _ in range(2):
        assert run("rank", "runs", "-o", "runs/rank.json").code == 0
    assert len(json.loads(Path("runs/rank.json").read_bytes())["figures"]["category.f1"]) == 3


def test_another_ending_is_refused(run, runs):
    run("rank", *runs, "-o", "found.txt").refused(
        2, "found.txt: ends in '.txt', expected .json, .csv, .md, .tex, .html"
    )
    assert not Path("found.txt").exists()


def test_two_kinds_at_once_are_refused(run, runs):
    run("rank", *runs, "--json", "--csv").refused(2, "json and csv: were asked for together, expected one of them")


# What cannot be ranked


def test_other_records_are_refused_with_which_and_why(run, runs):
    model(range(3), count=50).save("few.json")
    said = run("rank", *runs, "few.json").refused(2, "base and few cannot be ranked together:")
    assert "records read: 60 in base, 50 in few" in said


def test_another_protocol_is_refused(run, runs):
    video = {"a.mp4": {"outside": [[0, 9]], "inside": [[10, 19]]}}
    calipers.timeline(video, {"a.mp4": {"fps": 10, "states": {"inside": [[10, 19]]}}}).save("videos.json")
    run("rank", *runs, "videos.json").refused(2, "protocol: dense/1 in base, timeline/1 in videos")


def test_results_without_replicates(run):
    model(range(3), bootstrap=0).save("a.json")
    model(range(9), bootstrap=0).save("b.json")
    run("rank", "a.json", "b.json").refused(
        2, "a, b: bootstrap: found 0", "run calipers dense again with --bootstrap N"
    )


def test_an_unknown_figure_baseline_or_order(run, runs):
    run("rank", *runs, "--figure", "mean_f2").refused(2, "did you mean 'mean_f1'?")
    run("rank", *runs, "--baseline", "tunde").refused(2, "did you mean 'tuned'?")
    run("rank", *runs, "--order", "time").refused(2, "order: found 'time', expected one of given, name")


def test_names_that_would_move_the_cursor_are_spelled_out(run, runs):
    Path("a\x1b[2Jb.json").write_bytes(Path("runs/base.json").read_bytes())
    ended = run("rank", "a\x1b[2Jb.json", *runs, "--baseline", "a\x1b[2Jb", "--order", "name")
    assert ended.code == 0
    assert b"\x1b" not in ended.out
    ended = run("rank", "a\x1b[2Jb.json", "other=a\x1b[2Jb.json", "--figure", "x")
    assert "\x1b" not in ended.err
