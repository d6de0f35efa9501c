"""`calipers timeline`: every option by flag, key and keyword; what it prints, and what it says about itself."""

import json
import os
from dataclasses import fields
from pathlib import Path

import pytest

import calipers
from calipers.suites.timeline.config import Config

#              0         10        20        30                 59        69
#   a  truth   |outside  |approach |inside   |outside            |
#      pred    |outside    |approach  |inside  |outside                    |       no fps
#   b  truth   |outside                                          |                 one frame a second: a minute
BOX = {"label": "cone", "box": [0, 0, 9, 9]}
TRUTH = {
    "a.mp4": {
        "outside": [[0, 9], [30, 59]],
        "approaching": [[10, 19]],
        "inside": [[20, 29]],
        "ocr": [{"frame": 20, "text": "STOP"}],
    },
    "b.mp4": {"outside": [[0, 59]], "detections": [BOX | {"frame": 1}, BOX | {"frame": 2}]},
}
PRED = {
    "a.mp4": {
        "states": {"outside": [[0, 11], [32, 69]], "approaching": [[12, 22]], "inside": [[23, 31]]},
        "ocr": [{"frame": 25, "text": "STOP"}],
    },
    "b.mp4": {
        "fps": 1,
        "states": {"outside": [[0, 59]]},
        "detections": [  # two found, two false
            BOX | {"frame": 1, "score": 0.9},
            BOX | {"frame": 3, "score": 0.8},
            BOX | {"frame": 2, "score": 0.7},
            BOX | {"frame": 4, "score": 0.4},
        ],
    },
}
INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
A, B = ("videos", "a.mp4"), ("videos", "b.mp4")

# name: (as a flag, as a key and keyword, a place in the artifact, what is there without it and with it)
GIVEN = {
    "transition_tolerance_frames": ("3", 3, (*A, "transition_recall"), 0, 1),
    "min_event_overlap_frames": ("8", 8, (*A, "event_recall"), 1, 0),  # they share 23..29
    "fps": ("10", 10.0, (*A, "time_in_error_sec"), None, 0.7),  # 10, 11, 20, 21, 22, 30, 31
    "compliance_gain": ("0.5", 0.5, (*A, "simulated_speed_violation_reduction"), 0.9 * 0.4, 0.45),  # 18 of 20 covered
    "idle": ("approaching", "approaching", (*A, "false_activation_rate"), 2 / 50, 12 / 20),  # 10, 11 and 60..69 of 20
    "focus": ("approaching", "approaching", (*A, "entry_timing_mae_frames"), 3, 2),
    "extent": ("gt", "gt", (*A, "frame_accuracy"), 63 / 70, 53 / 60),
    "ignore_states": ("outside", ["outside"], (*A, "counts", "gt_segments"), 4, 2),
    "detection_score": ("0.3", 0.3, (*B, "detection_false_positives_per_minute"), 1, 2),
    "recall_target": ("0.5", 0.5, (*B, "precision_at_recall"), 2 / 3, (1 + 50 * 2 / 3) / 51),
    "ocr_window_frames": ("4", 4, (*A, "ocr_exact_accuracy"), 1, 0),
    "top": ("1", 1, ("params", "top"), 5, 1),
    "max_bad_records": ("2", 2, ("params", "max_bad_records"), 0, 2),
    "bootstrap": ("0", 0, ("summary", "frame_accuracy_interval"), [0.9, 1.0], None),
    "seed": ("7", 7, ("params", "seed"), 0, 7),
}


def write(name, content):
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.fixture(autouse=True)
def _files():
    write("gt.json", TRUTH)
    write("pred.json", PRED)


def flag(name):
    return "--" + name.replace("_", "-")


def at(tree, place):
    for key in place:
        tree = tree[key]
    return tree


# ---------------------------------------------------------------- options


def test_every_option_is_tried_below():
    elsewhere = ("slice", "attributes")  # in the suite's own test_slices
    names = [item.name for item in fields(Config) if item.metadata["artifact"]]
    assert list(GIVEN) == [name for name in names if name not in elsewhere]


@pytest.mark.parametrize("name", GIVEN)
def test_an_option_does_what_it_says_and_is_told_in_the_artifact(run, name):
    text, value, place, without, given = GIVEN[name]
    plain = run("timeline", *INPUTS, "--json").artifact()
    tree = run("timeline", *INPUTS, "--json", flag(name), text).artifact()
    assert (plain["params"][name], tree["params"][name]) != (value, value)
    assert tree["params"][name] == value
    assert at(plain, place) == (without if without is None else pytest.approx(without, abs=1e-9))
    assert at(tree, place) == (given if given is None else pytest.approx(given, abs=1e-9))


@pytest.mark.parametrize("name", GIVEN)
def test_an_option_means_the_same_as_flag_key_and_keyword(run, name):
    text, value, *_ = GIVEN[name]
    by_flag = run("timeline", *INPUTS, "--json", flag(name), text).out
    results = {by_flag, calipers.timeline("gt.json", "pred.json", **{name: value}).to_json()}
    for key in (name, name.replace("_", "-")):
        write("calipers.toml", f"[timeline]\n{key} = {json.dumps(value)}\n")
        results.add(run("timeline", *INPUTS, "--json").out)
    assert len(results) == 1


@pytest.mark.parametrize("name", GIVEN)
def test_a_flag_wins_over_the_file(run, name):
    write("calipers.toml", f"[timeline]\n{name} = {json.dumps(GIVEN[name][1])}\n")
    other = {"fps": "3", "idle": "outside", "focus": "inside", "extent": "union"}.get(name, "1")
    tree = run("timeline", *INPUTS, "--json", flag(name), other).artifact()
    found = tree["params"][name]
    assert str(found[0] if isinstance(found, list) else found).removesuffix(".0") == other


@pytest.mark.parametrize("written", ["[0, 5]", '"0,5"', '"0, 5"', '["0", "5"]'])
def test_several_tolerances_are_a_list_or_a_text_with_commas(run, written):
    write("calipers.toml", f"[timeline]\ntransition-tolerance-frames = {written}\n")
    tree = run("timeline", *INPUTS, "--json").artifact()
    assert tree["params"]["transition_tolerance_frames"] == [0, 5]
    assert list(tree["sweep"]) == ["0", "5"]


def test_the_flags_of_the_command_are_keys_too(run):
    expected = run("timeline", *INPUTS, "--json").out
    write("calipers.toml", '[timeline]\ngt = "gt.json"\npred = "pred.json"\njson = true\noutput = "out.json"\n')
    assert run("timeline").out == expected
    assert Path("out.json").read_bytes() == expected
    write("other.json", {"a.mp4": {"states": {}}})
    assert run("timeline", "--pred", "other.json").artifact()["inputs"][1]["path"] == "other.json"  # the flag wins
    write("calipers.toml", '[timeline]\ngt = "gt.json"\npred = "pred.json"\noutput = "out"\nplot-videos = 1\n')
    pytest.importorskip("matplotlib")
    assert run("timeline").code == 0
    assert len(os.listdir("out/plots")) == 2


def test_another_options_file_is_used_when_it_is_named(run):
    write("calipers.toml", "[timeline]\nseed = 1\n")
    write("mine.toml", "[timeline]\nseed = 2\n[dense]\ntop = 1\n")
    assert run("timeline", *INPUTS, "--json").artifact()["params"]["seed"] == 1
    assert run("timeline", *INPUTS, "--json", "--config", "mine.toml").artifact()["params"]["seed"] == 2


def test_a_seed_changes_intervals_and_nothing_else(run):
    write("gt.json", {f"{n}": {"inside": [[0, 99]]} for n in range(30)})
    write("pred.json", {f"{n}": {"states": {"inside": [[n * n % 37, 99]]}} for n in range(30)})
    trees = [run("timeline", *INPUTS, "--json", "--seed", seed).artifact() for seed in (0, 0, 1)]
    assert trees[0] == trees[1]
    first, other = trees[0]["summary"], trees[2]["summary"]
    assert first["frame_accuracy_interval"] != other["frame_accuracy_interval"]
    assert {k: v for k, v in first.items() if "interval" not in k} == {
        k: v for k, v in other.items() if "interval" not in k
    }


# ---------------------------------------------------------------- misspelt, missing, wrong


@pytest.mark.parametrize("name", ["gt", "pred"])
def test_both_inputs_have_to_be_named(run, name):
    other = {"gt": ["--pred", "pred.json"], "pred": ["--gt", "gt.json"]}[name]
    run("timeline", *other).refused(2, f"--{name} is missing", "expected a path")
    run("timeline", *other, f"--{name}", "").refused(2, f"--{name}: found ''", "expected a path")
    run("timeline", *other, f"--{name}").refused(2, f"--{name}")
    write("calipers.toml", f"[timeline]\n{name} = 5\n")
    run("timeline", *other).refused(2, f"--{name}: found 5, expected a path")


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("transition_tolerance_frames", ["-1", "1.5", "", ",", "x", "0,x", "0,-5", "5,5"], "whole numbers"),
        ("min_event_overlap_frames", ["0", "-1"], "a whole number of at least 1"),
        ("fps", ["0", "-30", "nan", "inf", "1e-310", "1e7"], "a number from 0.001 to 1000000"),
        ("compliance_gain", ["nan", "inf", "-inf"], "a number"),
        ("idle", ["", "  "], "a name"),
        ("focus", ["", "  "], "a name"),
        ("extent", ["", "both", "GT"], "union or gt"),
        ("detection_score", ["nan", "inf"], "a number"),
        ("recall_target", ["-0.1", "1.1", "nan"], "a number from 0 to 1"),
        ("ocr_window_frames", ["-1"], "a whole number of at least 0"),
        ("top", ["-1"], "a whole number of at least 0"),
        ("max_bad_records", ["-1", str(2**63)], "a whole number of at least 0"),
        ("bootstrap", ["-1", "1000001"], "a whole number from 0 to 1000000"),
        ("seed", ["-1", str(2**63)], "a whole number of at least 0"),
        ("plot_videos", ["-1"], "a whole number of at least 0"),
    ],
)
def test_a_wrong_value_is_refused_with_what_was_found_and_expected(run, listing, name, values, expected):
    before = listing(".")
    for value in values:
        for args in (INPUTS, ["--gt", "missing.json", "--pred", "missing.json"]):  # known before anything is read
            run("timeline", *args, f"{flag(name)}={value}", "-o", "out").refused(2, f"{name}: found ", expected)
    assert listing(".") == before


@pytest.mark.parametrize("name", [n for n, given in GIVEN.items() if not isinstance(given[1], str | list)])
@pytest.mark.parametrize("value", ["x", "", "1.5.5", "0x10"])
def test_a_flag_that_is_no_number_is_refused(run, name, value):
    said = run("timeline", *INPUTS, f"{flag(name)}={value}").refused(2, repr(value))
    assert name in said.replace("-", "_")


@pytest.mark.parametrize("name", ["top", "max_bad_records", "ocr_window_frames", "min_event_overlap_frames"])
def test_an_absurd_count_is_no_reason_to_crash(run, name):
    assert run("timeline", *INPUTS, flag(name), 2**63 - 1, "-o", "out").code == 0


def test_an_absurd_tolerance_matches_every_transition_of_its_kind(run):
    tree = run("timeline", *INPUTS, "--json", "--transition-tolerance-frames", 2**62).artifact()
    assert tree["videos"]["a.mp4"]["transition_recall"] == 1


# ---------------------------------------------------------------- what it prints


def test_a_sweep_prints_one_row_a_tolerance_and_says_what_single_runs_say(run):
    # transitions at 100, 200, 300, 400 are found 0, 4, 10 and 20 frames late: 34 of 500 frames are wrong
    truth = {
        "outside": [[0, 99], [400, 499]],
        "approaching": [[100, 199]],
        "inside": [[200, 299]],
        "exiting": [[300, 399]],
    }
    pred = {
        "outside": [[0, 99], [420, 499]],
        "approaching": [[100, 203]],
        "inside": [[204, 309]],
        "exiting": [[310, 419]],
    }
    write("gt.json", {"a": truth, "b": {}})
    write("pred.json", {"a": {"states": pred}})
    text = run("timeline", *INPUTS, "--transition-tolerance-frames", "0,5,15,30").out.decode()
    start = text.index(" Tolerance (frames)")
    assert text[start:].split("\n\n")[0].split("\n") == [
        " Tolerance (frames)   Videos Evaluated   Frame Acc   Event Prec/Rec    Transition Prec/Rec/Acc",
        "                  0              1 / 2      0.9320   1.0000 / 1.0000   0.2500 / 0.2500 / 0.2500",
        "                  5              1 / 2      0.9320   1.0000 / 1.0000   0.5000 / 0.5000 / 0.5000",
        "                 15              1 / 2      0.9320   1.0000 / 1.0000   0.7500 / 0.7500 / 0.7500",
        "                 30              1 / 2      0.9320   1.0000 / 1.0000   1.0000 / 1.0000 / 1.0000",
    ]
    swept = run("timeline", *INPUTS, "--json", "--transition-tolerance-frames", "15,0,30,5").artifact()
    assert list(swept["sweep"]) == ["15", "0", "30", "5"]
    for tolerance, summary in swept["sweep"].items():
        single = run("timeline", *INPUTS, "--json", "--transition-tolerance-frames", tolerance).artifact()
        assert "sweep" not in single
        assert single["summary"] == summary
        if tolerance == "15":
            assert (single["videos"], single["pooled"]) == (swept["videos"], swept["pooled"])
            assert swept["summary"] == summary


def test_the_worst_videos_are_named(run):
    pred = {name: {"states": {"inside": [[start, 99]]}} for name, start in (("a", 50), ("b", 0), ("c", 90), ("d", 10))}
    write("gt.json", {name: {"inside": [[0, 99]]} for name in pred})
    write("pred.json", pred)
    lines = run("timeline", *INPUTS, "--top", 2).out.decode().splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith(" worst videos"))
    assert [line[22:41] for line in lines[place : place + 3]] == [
        "c  accuracy 0.100, ",
        "a  accuracy 0.500, ",
        "-o out/ for the pag",
    ]


@pytest.mark.parametrize(("name", "state"), [("focus", "Inside"), ("idle", "parked")])
def test_a_state_that_never_occurs_is_told(run, name, state):
    write("gt.json", {"a.mp4": {"outside": [[0, 9]], "inside": [[10, 19]]}})
    write("pred.json", {"a.mp4": {"states": {"outside": [[0, 18]], "inside": [[19, 19]]}}})
    ended = run("timeline", *INPUTS, flag(name), state, "--json")
    told = f"{name}: no frame is in the state {state!r}; states found: inside, outside"
    assert (ended.artifact()["warnings"], ended.err) == ([told], f"warning: {told}\n")


def test_a_gap_of_a_few_frames_does_not_silence_the_doubt_about_idle(run):
    """Frames 200 and 201 have no state, so they are idle: 4 of 2 · 402 frames, less than 1 %."""
    states = {"parked": [[0, 199]], "inside": [[202, 401]]}
    write("gt.json", {"a.mp4": states})
    write("pred.json", {"a.mp4": {"states": states}})
    told = "idle: only 4 of 804 frames of both sides are in the state 'outside'"
    more = "states found: inside, outside, parked; is one of them idle?"
    assert run("timeline", *INPUTS, "--json").artifact()["warnings"] == [f"{told}; {more}"]


def test_nothing_evaluated_is_a_warning_beside_the_summary(run):
    write("pred.json", {})
    ended = run("timeline", *INPUTS)
    told = "warning: nothing was evaluated: 0 of 2 videos: a.mp4: missing predictions or states"
    assert (ended.code, ended.err) == (0, f"{told} (calipers check tells more)\n")
    assert b"missing predictions or states" in ended.out


# ---------------------------------------------------------------- what it says about itself


def test_help_names_every_option_with_its_default(run):
    ended = run("timeline", "--help")
    text = " ".join(ended.out.decode().split())
    assert (ended.code, ended.err) == (0, "")
    for item in fields(Config):
        assert f"{flag(item.name)} " in text
        assert " ".join(item.metadata["help"].split()) in text
    for part in ("--gt ", "--pred ", "-o, --out, --output ", "--plot-videos ", "--json ", "--config ", "0,5,15,30"):
        assert part in text
    for default in ("0", "1", "0.4", "outside", "inside", "union", "0.5", "0.9", "15", "5", "1000", "calipers.toml"):
        assert f"[default: {default}" in text
    assert run("timeline", "-h").out == ended.out


def test_the_demo_gives_the_same_states_as_csv(answer):
    data = Path(calipers.__file__).parent / "data" / "timeline"
    trees = [
        answer("timeline", "--gt", data / "annotations.json", "--pred", data / pred, "--json").artifact()
        for pred in ("predictions.json", "csv/fusion")
    ]
    both = [name for name in trees[0]["videos"] if all("error" not in tree["videos"][name] for tree in trees)]
    assert len(both) >= 15
    for name in both:
        first, second = (tree["videos"][name] for tree in trees)
        assert first["confusion"] == second["confusion"]
        assert first["fps_estimate"] == pytest.approx(second["fps_estimate"], rel=1e-3)


def test_the_library_prints_nothing(finish):
    script = (
        "import calipers\n"
        "truth = {'a': {'inside': [[5, 2]]}, 'b': {}, 'c': {'inside': [[0, 9]]}, 'd': {'inside': [[0, 9]]}}\n"
        "pred = {'c': {'states': 5}, 'd': {'fps': 0, 'states': {'inside': [[3, 9]]}}, 'e': {}}\n"
        "report = calipers.timeline(truth, pred, max_bad_records=1)\n"
        "report.to_json(), report.matches(), str(report)\n"
    )
    assert finish(program=("-c", script)) == (0, b"", "")


def test_second_names_of_flags_are_keys_too(run):
    expected = run("timeline", *INPUTS, "--json", "--simulated-compliance-gain", "0.5").out
    write("calipers.toml", '[timeline]\nsimulated-compliance-gain = 0.5\njson = true\nout = "out.json"\n')
    assert run("timeline", *INPUTS).out == expected
    assert Path("out.json").read_bytes() == expected
    tree = run("timeline", *INPUTS, "--compliance-gain", "0.25").artifact()
    assert tree["params"]["compliance_gain"] == 0.25  # the flag wins
    write("calipers.toml", '[timeline]\nout = "a.json"\noutput = "b.json"\n')
    run("timeline", *INPUTS).refused(2, "[timeline] 'out' and 'output' are one option, expected one of them")
