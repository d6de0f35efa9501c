"""`calipers explain`, `calipers formats` and `calipers completion`: what they print, and what they refuse."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from calipers.cli.explain import _matching
from calipers.cli.main import PURPOSES, all_commands
from calipers.core.figures import ABSENT, expanded, find
from calipers.show.causes import MEANINGS
from calipers.show.summary_words import MEANINGS as WORDS
from calipers.suite import suite_of, suites


def test_a_figure_is_explained_from_its_declaration(run):
    ended = run("explain", "category.f1", "--suite", "dense")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.decode().splitlines() == [
        "*.f1  (dense: F1 · headline)",
        "  definition  2 · matched / (true + predicted objects) at the primary threshold",
        "  direction   higher is better",
        "  unit        share, 0 to 1",
        "  artifact    modes.*.primary.f1",
        "  interval    modes.*.primary.interval.f1",
        "  manual      docs/dense.md",
    ]


@pytest.mark.parametrize(
    "words", [["AP_50"], ["ap_50"], ["AP", "at", "IoU", "0.50"], ["AP_50", "--suite", "coco"], ["ap", "50"]]
)
def test_names_in_any_case_and_words_lead_to_a_figure(run, words):
    [tree] = json.loads(run("explain", *words, "--json").out)
    assert (tree["suite"], tree["figure"], tree["artifact"]) == ("coco", "AP_50", "coco.AP_50")
    assert tree["direction"] == "higher is better"


def test_a_part_of_a_name_is_explained_for_every_suite_that_has_it(run):
    trees = json.loads(run("explain", "f1", "--json").out)
    assert [(tree["suite"], tree["figure"]) for tree in trees] == [
        ("dense", "*.f1"),
        ("scene", "*.f1"),
        ("coco", "sweep.f1"),
    ]


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("strict_accuracy", "matched pairs"),
        ("relaxed_accuracy", "matched pairs"),
        ("strict_precision", "predicted boxes"),
        ("osR_strict", "true boxes with a class"),
        ("osP_relaxed", "relevant predictions"),
    ],
)
def test_rates_of_scenes_are_explained_with_what_they_are_divided_by(run, name, whole):
    [tree] = json.loads(run("explain", name, "--json").out)
    assert tree["definition"].rpartition(" / ")[2] == whole


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        ("osP", ["*.osP_relaxed"]),
        ("osR", ["*.osR_relaxed"]),
        ("strict", ["*.strict_accuracy"]),
        ("relaxed", ["*.relaxed_accuracy"]),
        ("error m", ["*.mean_centroid_error_m"]),
        ("false alarms a minute", ["false_activations_per_minute"]),
        ("missed zones", ["event_recall"]),
        ("lead time, s before the zone", ["event_lead_time_sec_mean"]),
        ("ECE", ["ece"]),
        ("sweep precision", ["sweep.precision"]),
        ("mean F1 0.50:0.95", ["*.mean_f1", "sweep.mean_f1"]),
        ("Open set f1", ["*.F1_os"]),
        ("IoU of inside", ["iou_*"]),
        ("pipeline f1_relaxed", ["*.f1_relaxed"]),
        ("category f1@weather=fog ↓", ["*.f1", "*.f1"]),
    ],
)
def test_names_that_summaries_and_comparisons_print_are_explained(run, words, figures):
    trees = json.loads(run("explain", words, "--json").out)
    assert [tree["figure"] for tree in trees] == figures


@pytest.mark.parametrize(
    ("words", "figures"),
    [("mAP", ["AP"]), ("ap50", ["AP_50"]), ("ap75", ["AP_75"]), ("sweep.f1", ["sweep.f1"]), ("AP", ["AP"])],
)
def test_other_spellings_and_exact_names_lead_to_one_figure(run, words, figures):
    trees = json.loads(run("explain", words, "--json").out)
    assert [tree["figure"] for tree in trees] == figures


@pytest.mark.parametrize("word", ["worth", "Fix first", "ties", "counts", "MAE", "absent classes", "group", "interval"])
def test_words_beside_figures_are_explained(run, word):
    text = run("explain", word).out.decode()
    assert next(meaning for known, meaning in WORDS.items() if known.casefold() == word.casefold()) in text


def test_every_name_of_a_line_in_the_summary_of_detections_is_explained(run):
    golden = Path(__file__).parents[1] / "golden" / "coco.txt"
    behind = golden.read_text(encoding="utf-8").partition("\n class ")[0]
    lines = [line for line in behind.splitlines() if line.startswith(" ")]
    names = {line[1:22].strip() for line in lines if line[1:2] != " " and line[20:22] in ("  ", "g ")}
    assert {"fix first", "counts", "ties", "where it goes wrong", "mean F1 0.50:0.95"} <= names
    for name in names - {"IoU 0.50"}:
        assert run("explain", name).code == 0, name


def test_every_name_in_the_summary_of_videos_is_explained():
    timeline = suite_of("timeline")
    printed = import_module("calipers.suites.timeline.summary")
    for label, name in (*printed.MEANS, *((label, f"{name}_frames") for label, name in printed.TIMES)):
        assert name in [spec.name for spec in _matching(timeline, label)], label


def test_causes_of_errors_are_explained(run):
    for cause, meaning in MEANINGS.items():
        assert meaning in run("explain", cause).out.decode()


def test_every_figure_is_listed_and_has_a_definition(run):
    listed = run("explain").out.decode()
    for suite in suites():
        for spec in suite.figures:
            assert spec.definition
            assert f"  {spec.name.replace('{}', '*')} " in listed


def test_a_figure_that_is_unknown_is_an_error_that_names_the_nearest(run):
    run("explain", "frmae_accuracy").refused(2, "no figure is called 'frmae_accuracy', did you mean frame_accuracy")
    run("explain", "foo").refused(2, "no figure is called 'foo' (calipers explain lists all)")
    run("explain", "lead").refused(2, "no figure is called 'lead', did you mean lead time or")
    run("explain", "zzzz").refused(2, "no figure is called 'zzzz' (calipers explain lists all)")
    run("explain", "f1", "--suite", "dens").refused(2, "'dense'")


def test_paths_lead_to_the_figures_of_an_artifact(run):
    tree = json.loads(run("demo", "dense", "--json").out)
    dense = next(suite for suite in suites() if suite.name == "dense")
    assert all(find(tree, spec.place(spec.path, group)) is not ABSENT for spec, group in expanded(tree, dense.figures))


def test_formats_of_every_suite_are_listed(run):
    listed = run("formats").out.decode()
    for suite in suites():
        assert suite.formats
        assert all(f"  {form.name} " in listed and form.layout in listed for form in suite.formats)


def test_formats_of_one_suite(run):
    [(name, forms)] = json.loads(run("formats", "coco", "--json").out).items()
    assert name == "coco"
    names = ["COCO data set", "COCO results", "YOLO labels", "Pascal VOC", "LabelMe"]
    assert {*names} <= {form["name"] for form in forms}
    run("formats", "cocoo").refused(2, "did you mean 'coco'?")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_the_shell(run, shell):
    ended = run("completion", shell)
    assert (ended.code, ended.err) == (0, "")
    assert f"{shell}_complete" in ended.out.decode()


def test_completion_of_another_shell_is_refused(run):
    run("completion").refused(2, "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish")
    run("completion", "tcsh").refused(2, "'tcsh' is not one of")


def completions(*words):
    """What bash would offer for the last word."""
    environment = {
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_CALIPERS_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-m", "calipers"],
        env={**environment, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        capture_output=True,
        check=True,
    )
    return [line.partition(",")[2] for line in done.stdout.decode().splitlines()]


def test_commands_and_options_are_completed():
    assert completions("calipers", "sc") == ["scene", "schema"]
    assert completions("calipers", "dense", "--primary") == ["--primary-threshold"]


def test_help_groups_every_command_by_its_purpose(run):
    text = run("--help").out.decode()
    places = [text.index(f"\n{purpose}:\n") for purpose in PURPOSES]
    assert places == sorted(places)
    assert all(f"\n  {name} " in text for name in all_commands())
