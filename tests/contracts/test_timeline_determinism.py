"""The same videos give the same bytes: in any order, in any parts, from JSON or CSV, and in every process.

Where the bytes of an input differ, or videos come in parts, `inputs`, which tells just that, is left out of the
comparison.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers
from calipers.files.output import to_json

from ..parity import timelines
from ..profiles import examples

laws = settings(max_examples=examples(60), derandomize=True, deadline=None)
SAMPLE = Path(calipers.__file__).parent / "data" / "timeline"
SOURCE = Path(calipers.__file__).parents[1]
SWEEP = "0,5,15,30"


def numbers(report) -> bytes:
    """An artifact without the names of its inputs."""
    return to_json({name: value for name, value in report.items() if name != "inputs"})


def shuffled(rng: random.Random, tree: dict) -> dict:
    """The same JSON with its keys in another order."""
    items = rng.sample(list(tree.items()), len(tree))
    return {key: shuffled(rng, value) if isinstance(value, dict) else value for key, value in items}


def shuffled_states(rng: random.Random, states: timelines.States) -> timelines.States:
    """States and their intervals in another order."""
    return {name: rng.sample(given, len(given)) for name, given in rng.sample(list(states.items()), len(states))}


@pytest.fixture(scope="module")
def sample() -> tuple[dict, dict]:
    return tuple(json.loads((SAMPLE / f"{name}.json").read_text()) for name in ("annotations", "predictions"))


@pytest.fixture(scope="module")
def expected(sample) -> bytes:
    return numbers(calipers.timeline(*sample, transition_tolerance_frames=SWEEP))


# Order


@laws
@given(st.lists(timelines.pairs(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_videos_states_and_intervals_does_not_matter(sides, rng):
    options = {"transition_tolerance_frames": [3, 0], "bootstrap": 50}
    reports = []
    for numbered in (list(enumerate(sides)), rng.sample(list(enumerate(sides)), len(sides))):
        truth = {f"{k}.mp4": shuffled_states(rng, truth) for k, (truth, _) in numbered}
        pred = {f"{k}.mp4": {"states": shuffled_states(rng, pred), "fps": 10} for k, (_, pred) in numbered[::-1]}
        reports.append(calipers.timeline(truth, pred, **options))
    assert reports[0].to_json() == reports[1].to_json()
    assert str(reports[0]) == str(reports[1])
    assert reports[0].matches() == reports[1].matches()


@laws
@given(st.lists(timelines.pairs(), min_size=1, max_size=4), st.sampled_from(("detections", "ocr", "runtime", "fps")))
def test_what_is_null_beside_the_states_changes_no_byte(sides, key):
    """Videos with anything beside their states are read one by one, the others together."""
    truth = {f"{k}.mp4": truth for k, (truth, _) in enumerate(sides)}
    pred = {f"{k}.mp4": {"states": pred, "fps": 10} for k, (_, pred) in enumerate(sides)}
    expected = calipers.timeline(truth, pred, bootstrap=0).to_json()
    some = {name: entry | {key: None} if name != "1.mp4" else entry for name, entry in truth.items()}
    assert calipers.timeline(some, pred, bootstrap=0).to_json() == expected


# Parts


def meter_of_parts(rng: random.Random, truth: dict, pred: dict, parts: int, **options) -> calipers.TimelineMeter:
    """Videos dealt out to meters, in several updates each; the meters are merged in any order."""
    meters = [calipers.TimelineMeter(**options) for _ in range(parts)]
    videos = rng.sample(sorted({*truth, *pred}), len({*truth, *pred}))
    while videos:
        some = [videos.pop() for _ in range(min(len(videos), rng.randint(1, 5)))]
        sides = ({name: side[name] for name in some if name in side} for side in (truth, pred))
        rng.choice(meters).update(*sides)
    while len(meters) > 1:
        other = meters.pop(rng.randrange(len(meters)))
        meters[rng.randrange(len(meters))].merge(other)
    return meters[0]


@pytest.mark.parametrize("parts", [1, 2, 3, 8])
def test_the_sample_in_parts_gives_the_same_bytes(sample, expected, parts):
    report = meter_of_parts(random.Random(parts), *sample, parts, transition_tolerance_frames=SWEEP).compute()
    assert numbers(report) == expected
    assert {name: report["videos"][name] for name in sample[0]} == json.loads(expected)["videos"]  # one by one, too


@laws
@given(st.lists(timelines.pairs(), max_size=7), st.randoms(use_true_random=False), st.integers(1, 4))
def test_any_videos_in_any_parts_give_the_same_bytes(sides, rng, parts):
    truth = {f"{k}.mp4": truth for k, (truth, _) in enumerate(sides)}
    pred = {f"{k}.mp4": {"fps": rng.choice((None, 10, 29.97)), "states": pred} for k, (_, pred) in enumerate(sides)}
    truth |= {"empty.mp4": {"inside": []}, "missing.mp4": {"inside": [[0, 3]]}}
    truth |= {f"bad {k}.mp4": {"inside": [[3, 0]]} for k in range(3)}
    pred |= {"empty.mp4": {"states": {}}, "stranger.mp4": {"states": {}}, "another.mp4": {"states": {}}}
    options = {"bootstrap": 50, "max_bad_records": 3, "transition_tolerance_frames": [2, 0]}
    whole = calipers.timeline(truth, pred, **options)
    assert whole["records"] == {"read": len(sides) + 5, "evaluated": len(sides), "skipped": 2, "rejected": 3}
    assert numbers(meter_of_parts(rng, truth, pred, parts, **options).compute()) == numbers(whole)


def test_a_video_has_the_same_numbers_alone_and_among_others(sample):
    truth, pred = sample
    together = calipers.timeline(truth, pred)["videos"]
    for name in ("alder_crossing_0127.mp4", "bellwether_street_0940.mp4", "quarry_spur_0365.mp4"):
        assert calipers.timeline({name: truth[name]}, pred)["videos"] == {name: together[name]}


# Files


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def csv_of(states: timelines.States) -> str:
    """A timeline of a video, a row a frame."""
    labels = timelines.painted(states, 1 + timelines.last_frame(states))
    rows = [f"{frame},{frame / 25},{label}\n" for frame, label in enumerate(labels)]
    return "frame,time_sec,state\n" + "".join(rows)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_keys_in_the_files_changes_no_number(sample, expected, folder, seed):
    rng = random.Random(seed)
    for name, tree in zip(("gt", "pred"), sample, strict=True):
        (folder / f"{name}.json").write_text(json.dumps(shuffled(rng, tree), indent=rng.choice((None, 2))))
    assert numbers(calipers.timeline("gt.json", "pred.json", transition_tolerance_frames=SWEEP)) == expected


def test_the_order_in_which_csv_files_are_created_changes_no_byte(sample, folder):
    truth, _ = sample
    rng, found = random.Random(4), set()
    names = [name for name in truth if truth[name].get("inside")]
    for turn in range(3):
        csvs = folder / "csvs"
        for name in rng.sample(names, len(names)):
            file = csvs / str(len(name) % 3) / f"{Path(name).stem}_timeline_fusion.csv"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(csv_of({"inside": truth[name]["inside"]}))
        found.add(calipers.timeline(SAMPLE / "annotations.json", "csvs").to_json())
        csvs.rename(folder / f"before {turn}")
    assert len(found) == 1


def test_the_bundled_csv_files_give_the_same_states_as_the_bundled_json():
    truth, preds = SAMPLE / "annotations.json", (SAMPLE / "predictions.json", SAMPLE / "csv" / "fusion")
    videos = [calipers.timeline(truth, pred)["videos"] for pred in preds]
    assert set(videos[0]) == set(videos[1])
    shared = [name for name in videos[0] if "error" not in videos[0][name] and "error" not in videos[1][name]]
    assert len(shared) == 19
    for name in shared:
        assert videos[0][name]["confusion"] == videos[1][name]["confusion"]
        assert videos[0][name]["counts"] == videos[1][name]["counts"]


# Processes


GT_AND_PRED = ("--gt", "annotations.json", "--pred", "predictions.json", "--transition-tolerance-frames", SWEEP)
GT_AND_CSVS = ("--gt", "annotations.json", "--pred", "csv/fusion", "--transition-tolerance-frames", SWEEP)


def command(*arguments: str, **environment: str) -> bytes:
    """What `calipers timeline` prints, run inside the folder of the sample."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE), **environment}
    program = [sys.executable, "-m", "calipers", "timeline", *arguments]
    done = subprocess.run(program, capture_output=True, env=env, check=False, cwd=SAMPLE)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("arguments", [GT_AND_PRED, GT_AND_CSVS], ids=["JSON", "CSV"])
def test_the_artifact_does_not_depend_on_the_hash_seed(arguments, monkeypatch):
    monkeypatch.chdir(SAMPLE)
    expected = calipers.timeline(arguments[1], arguments[3], transition_tolerance_frames=SWEEP).to_json()
    assert command(*arguments, "--json", PYTHONHASHSEED="0") == expected


def test_two_runs_print_the_same_summary():
    assert command(*GT_AND_PRED, PYTHONHASHSEED="5") == command(*GT_AND_PRED, PYTHONHASHSEED="6")


def test_a_second_evaluation_in_the_same_process_gives_the_same_bytes(sample, expected):
    calipers.timeline({"x": {"a": [[0, 9]]}}, {"x": {"states": {"b": [[5, 20]], "c": [[1, 2]]}}})
    assert numbers(calipers.timeline(*sample, transition_tolerance_frames=SWEEP)) == expected
