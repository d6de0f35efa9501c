"""What is shown is what runs: the examples byte by byte, the summaries in the README, names in the docs."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import calipers
from calipers.core.causes import OUTCOMES
from calipers.judge import asserting, hosts, kinds, options, rulers
from calipers.suites.coco import config as coco_config
from calipers.suites.dense import measure as dense
from calipers.suites.scene import config as scene_config
from calipers.suites.scene import eval_config
from calipers.suites.timeline import config as timeline_config

from .engine_versions import without_versions
from .profiles import share

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/command.txt"))
DATA = Path(calipers.__file__).parent / "data"
SESSION = r"```console\n\$ (.+)\n([\s\S]*?)```"
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXCERPTS = re.findall(SESSION, README)  # shortened: a line … stands for lines that are left out
PATHS = sorted((ROOT / "docs").glob("path-*.md"))
SESSIONS = [found for path in PATHS for found in re.findall(SESSION, path.read_text(encoding="utf-8"))]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*/*.md"))]
HOSTS = {"agentv", "inspect", "promptfoo", "pytest"}  # of the judge; these are run in tests/judge/test_adapters.py
ELSEWHERE = {"plugin", "ci"}  # run in tests/results/test_ci_example.py
CONFIGS = {
    "dense": dense.Config,
    "timeline": timeline_config.Config,
    "scene": scene_config.Config,
    "coco": coco_config.Config,
}
# Plots, which are not compared, are drawn in a full run only
WITHOUT_PLOTS = "import sys; sys.modules['matplotlib'] = None; from calipers.cli.start import main; main()"


@cache
def run(command: str, folder: Path) -> bytes:
    """What a `calipers` command prints in a folder; most are shown in two places, and run once."""
    program, *arguments = shlex.split(command)
    assert program == "calipers"
    environment = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    call = [sys.executable, *(["-m", "calipers"] if share() == 1 else ["-c", WITHOUT_PLOTS]), *arguments]
    return subprocess.run(call, cwd=folder, env=environment, capture_output=True, check=True).stdout


@pytest.fixture(params=EXAMPLES, ids=lambda folder: folder.name)
def example(request, tmp_path) -> tuple[Path, Path]:
    """An example, and a copy of it without its output."""
    copy = tmp_path / request.param.name
    shutil.copytree(request.param, copy, ignore=shutil.ignore_patterns("out", "summary.txt"))
    return request.param, copy


def test_there_are_examples():
    assert [folder.name for folder in EXAMPLES] == ["coco", "dense", "scene", "timeline"]
    folders = {path.parent for path in (ROOT / "examples").glob("*/README.md")}
    assert folders - set(EXAMPLES) == {ROOT / "examples" / host for host in HOSTS | ELSEWHERE}


def test_an_example_prints_its_summary_and_writes_its_files_byte_by_byte(example):
    expected, copy = example
    printed = run((expected / "command.txt").read_text(encoding="utf-8"), copy)
    assert printed.decode() == (expected / "summary.txt").read_text(encoding="utf-8")
    left_out = {".png", ".html"}  # matplotlib's differ, also an SVG beside a PNG, and a page is mostly its script
    files = [path for path in (copy / "out").iterdir() if path.suffix not in left_out]
    written = sorted(path.name for path in files if path.suffix != ".svg" or not path.with_suffix(".png").exists())
    assert written == sorted(path.name for path in (expected / "out").iterdir())
    for path in (expected / "out").iterdir():
        found, kept = ((folder / path.name).read_bytes() for folder in (copy / "out", expected / "out"))
        assert without_versions(found) == without_versions(kept), path.name


def test_an_example_shows_its_command_in_its_readme(example):
    expected, _ = example
    command = (expected / "command.txt").read_text(encoding="utf-8").strip()
    assert f"\n{command}\n" in (expected / "README.md").read_text(encoding="utf-8")


def test_the_readme_fits_on_few_screens():
    assert len(README.splitlines()) <= 150


def test_the_readme_has_an_excerpt_and_a_path_has_a_session_of_each_suite_and_of_the_judge():
    assert [command.split()[1] for command, _ in EXCERPTS] == ["coco", "dense", "timeline", "scene", "demo"]
    assert [command.split()[1] for command, _ in SESSIONS] == ["demo", "coco", "scene", "timeline", "dense"]


def test_the_path_of_agents_shows_the_payload_that_the_judge_is_shown_with():
    sample = (DATA / "judge" / "boxes.json").read_text(encoding="utf-8")
    assert f"```json\n{sample}```" in (ROOT / "docs" / "path-agents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("command", "printed"), SESSIONS, ids=[command.split()[1] for command, _ in SESSIONS])
def test_a_summary_in_a_path_is_what_the_sample_data_gives(command, printed):
    assert run(command, DATA).decode() == printed


@pytest.mark.parametrize(("command", "shown"), EXCERPTS, ids=[command.split()[1] for command, _ in EXCERPTS])
def test_an_excerpt_in_the_readme_is_part_of_what_the_sample_data_gives(command, shown):
    parts = [re.escape(part) for part in f"\n{shown}".split("\n…")]
    assert re.fullmatch("(?:\n[^\n]*)+".join(parts), "\n" + run(command, DATA).decode())


def manual(suite: str) -> str:
    return (ROOT / "docs" / f"{suite}.md").read_text(encoding="utf-8")


def test_the_manual_of_timelines_names_every_field_of_the_artifact():
    tree = json.loads((ROOT / "examples" / "timeline" / "out" / "result.json").read_bytes())
    evaluated = [video for video in tree["videos"].values() if "error" not in video]
    fields_of_videos = {name for video in evaluated for name in (*video, *video["counts"])}
    named = set(re.findall(r"`([\w<>*]+)(?:\[\])?`", manual("timeline")))
    assert {*tree, *tree["records"], *tree["params"], *map(in_general, fields_of_videos)} <= named
    assert {name for name in tree["pooled"] if not name.startswith(("transition_", "segmental_f1_"))} <= named


def in_general(name: str) -> str:
    """The name under which the manual has it, where a state is part of it."""
    return re.sub("_(inside|approaching)_start_", "_<state>_start_", name).replace("iou_paused", "iou_<state>")


def test_the_manual_of_scenes_names_every_field_of_the_artifact():
    tree = json.loads((ROOT / "examples" / "scene" / "out" / "result.json").read_bytes())
    method, pair = tree["methods"]["ours"], tree["comparison"][0]
    tables = [method["per_class"].values(), method["scenes"].values(), pair["metrics"].values(), method["inputs"]]
    lists = ("range", "unresolved_labels", "matches", "unmatched_gt", "unmatched_pred")
    rows = [row for table in (*tables, *(method[name] for name in lists)) for row in table]
    parts = ("counts", "fp_breakdown", "ap", "label_resolution", "detection_metrics", "geometry_metrics")
    fields_of_parts = {name for part in parts for name in method[part]} | {*method["benchmark_compat"], *pair}
    fields_of_rows = {name for row in rows for name in row}
    named = set(re.findall(r"`([\w.]+)(?:\[\])?`", manual("scene")))
    assert {*tree, *method, *tree["records"], *tree["params"], *fields_of_rows} <= named
    assert {name for name in fields_of_parts if not name.endswith("_interval")} <= named


@pytest.mark.parametrize("heading", ["Plain", "Supervisely", "Scene graph", "Clio GraphML"])
def test_the_formats_in_the_manual_of_scenes_hold_the_same_chair(heading, tmp_path):
    kind, text = re.search(rf"### {heading}\n[\s\S]*?```(json|xml)\n([\s\S]*?)```", manual("scene")).groups()
    (tmp_path / f"room.{kind}").write_text(text, encoding="utf-8")
    chair = {"label": "chair", "center": [0.4, 1.2, 0.45], "size": [0.5, 0.5, 0.9], "rotation": {"yaw": 0.52}}
    report = calipers.scene([chair], tmp_path / f"room.{kind}")
    assert [match["pred_index"] for match in report["matches"]] == [0]
    assert report["matches"][0]["iou"] > 0.999  # a quaternion of three decimals is not quite that yaw


def test_the_manual_of_scenes_names_every_key_of_eval_config():
    named = set(re.findall(r"`([\w.]+)`", manual("scene")))
    assert {f"{section}.{key}" for section, keys in eval_config.KEYS.items() for key in keys} <= named


def test_the_eval_config_in_the_manual_of_scenes_is_one(tmp_path):
    text = manual("scene").partition("## `eval_config.json`")[2].partition("```json\n")[2].partition("```")[0]
    (tmp_path / "eval_config.json").write_text(text, encoding="utf-8")
    options, warnings = eval_config.read_eval_config(str(tmp_path / "eval_config.json"))
    assert (options["ignore_raw_labels"], warnings) == (["floor", "ceiling"], [])


def test_the_manual_of_scenes_names_every_column_and_file():
    folder = ROOT / "examples" / "scene" / "out"
    columns = {
        name for path in folder.glob("*.csv") for name in path.read_text(encoding="utf-8").splitlines()[0].split(",")
    }
    stems = re.sub(r"(ours|other)(?=[_.])", "METHOD", " ".join(path.name for path in folder.iterdir()))
    assert set(stems.split()) <= set(re.findall(r"`([\w.]+)`", manual("scene")))
    assert {name.removeprefix("ap_") for name in columns} <= set(re.findall(r"`([\w.]+)`", manual("scene")))


def test_the_manual_of_detections_names_every_field_of_the_artifact():
    tree = json.loads((ROOT / "examples" / "coco" / "out" / "result.json").read_bytes())
    parts = ("params", "images", "objects", "coco", "intervals", "confusion", "errors", "sweep", "counts", "bootstrap")
    rows = [*tree["inputs"], *tree["per_class"], *tree["absent_classes"], *tree["sweep"]["thresholds"]]
    fields_of_parts = {name for part in parts for name in tree[part]} | {*tree["bootstrap"]["sums"]}
    named = set(re.findall(r"`([\w.]+)(?:\[\])?`", manual("coco")))
    assert {*tree, *fields_of_parts, *(name for row in rows for name in row), *tree["sweep"]["primary"]} <= named


def test_the_manual_of_detections_names_every_column_file_and_cause():
    folder = ROOT / "examples" / "coco" / "out"
    headers = [path.read_text(encoding="utf-8").splitlines()[0] for path in folder.glob("*.csv")]
    cases = [json.loads(line) for line in (folder / "cases.jsonl").read_bytes().splitlines()]
    named = set(re.findall(r"`([\w.]+)`", manual("coco")))
    assert {name for header in headers for name in header.split(",")} <= named
    assert {path.name for path in folder.iterdir()} <= named
    assert {name for case in cases for name in case} <= named
    assert {*OUTCOMES, "crowd", "in_crowd", "below_min_score", "not_labelled"} <= named


@pytest.mark.parametrize("name", ["COCO.json", "YOLO.txt", "Pascal VOC.xml", "LabelMe.json"])
def test_the_formats_in_the_manual_of_detections_hold_the_same_cone(name, tmp_path):
    heading, _, ending = name.rpartition(".")
    section = manual("coco").partition(f"### {heading}\n")[2].partition("\n### ")[0]
    blocks = re.findall(r"```\w*\n([\s\S]*?)```", section)
    truth = json.loads(manual("coco").partition("### COCO\n\n```json\n")[2].partition("```")[0])
    path = tmp_path / f"a.{ending}"
    path.write_text(blocks[-1], encoding="utf-8")
    report = calipers.coco(truth, tmp_path if ending == "txt" else path, bootstrap=0)
    assert (report["coco"]["AP"], report["objects"]["pred"]) == (1.0, 1)
    assert [row["score"] for row in report.matches()] == [None, 0.9]


@pytest.mark.parametrize("suite", ["timeline", "scene", "coco"])
def test_the_summary_in_a_manual_is_that_of_the_example(suite):
    excerpt = manual(suite).partition("## How to read the console summary\n\n```\n")[2].partition("```")[0]
    printed = (ROOT / "examples" / suite / "summary.txt").read_text(encoding="utf-8").splitlines()
    assert excerpt
    for line in excerpt.splitlines():  # what is left out is an ellipsis
        assert any(whole.startswith(line.partition("…")[0]) for whole in printed), line


def rows_of(heading: str) -> list[list[str]]:
    """The cells of the table that begins with these, in the manual of the judge."""
    table = manual("judge").partition(f"| {heading} |")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def names_in(cells: list[str]) -> list[str]:
    return [name for cell in cells for name in re.findall(r"`([\w-]+)(?:\[\])?`", cell)]


def test_the_manual_of_the_judge_has_every_ruler_option_and_source():
    assert sorted(names_in([row[0] for row in rows_of("ruler | compares")])) == sorted(rulers.KINDS)
    assert names_in([row[0] for row in rows_of("option | of")]) == list(options.NAMES)
    text = manual("judge")
    for choices in options.CHOICES.values():
        assert all(f"`{choice}`" in text for choice in choices)
    for names in (hosts.ANSWERS, hosts.REFERENCES):
        listed = re.search(r"the first (?:that is there )?of (`" + names[0] + r"`[^.;]*)", text.replace("\n", " "))[1]
        assert [name for name in names_in([listed]) if name != "output_path"] == list(names)


@pytest.mark.parametrize("kind", kinds.NAMES)
def test_the_manual_of_the_judge_has_every_name_of_a_shape(kind):
    [row] = [row for row in rows_of("kind | of the rulers") if row[0] == kind]
    assert set(names_in([row[1]])) == {ruler for ruler, its in rulers.KINDS.items() if its == kind}
    assert {kinds.plain(name) for name in names_in([row[2]])} == kinds.NAMES[kind] | kinds.SHARED_NAMES.get(kind, set())


def test_the_manual_of_the_judge_names_every_field_of_a_verdict():
    verdicts = [json.loads(path.read_bytes()) for path in (ROOT / "examples" / "agentv" / "verdicts").iterdir()]
    fields_of_verdicts = {name for verdict in verdicts for name in (*verdict, *verdict["checks"][0])}
    assert fields_of_verdicts <= set(names_in([cell for row in rows_of("field | read by") for cell in row]))
    details = {name for verdict in verdicts for name in verdict["details"]}
    assert details <= set(names_in([row[0] for row in rows_of("field of `details` | of")]))


def test_the_manual_of_the_judge_lists_every_assertion():
    listed = {row[0].strip("`"): row[1].strip("`") for row in rows_of("function | ruler")}
    assert sorted(listed) == sorted(name for name in vars(asserting) if name.startswith("assert_"))
    assert set(listed.values()) == set(rulers.KINDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
