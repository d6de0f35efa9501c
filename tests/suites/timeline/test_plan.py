"""Videos in shards: the same bytes, errors and warnings however they are cut, wherever they are measured."""

import json
import os
import pickle
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calipers
from calipers.core.errors import CalipersError, ConfigError, InputError, OutputError, RecordError
from calipers.core.parts import from_bytes, to_bytes
from calipers.engines.local import Local
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.plan import TimelinePlan, measure_shard, unpack
from calipers.suites.timeline.shards import CsvShard, Ranges, WholeInputs, cut_videos

from ...parity import timelines
from ...profiles import examples

SAMPLE = Path(calipers.__file__).parent / "data" / "timeline"
TRUTH = {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}
PRED = {"fps": 10, "states": {"inside": [[12, 19]]}}
CSV = "frame,time_sec,state\n0,0,out\n10,1,IN\n20,2,out\n29,2.9,out\n"
BACKWARDS = "frame,time_sec,state\n0,0,out\n10,1,in\n5,2,out\n"
WHOLE = 1 << 30
CUTS = (1, 200, 1000)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def outcome(gt, pred, **options):
    """The artifact, or the error as it is told."""
    try:
        return calipers.timeline(gt, pred, bootstrap=50, **options).to_json()
    except CalipersError as error:
        return type(error), str(error)


def same_however_cut(gt, pred, **options):
    """What comes out of one shard, after a look at smaller ones."""
    whole = outcome(gt, pred, chunk_bytes=WHOLE, jobs=1, **options)
    for size in CUTS:
        assert outcome(gt, pred, chunk_bytes=size, jobs=1, **options) == whole
    return whole


def shards(gt, pred, most=1, **options):
    return cut_videos(gt, pred, known=("inside",), most=most, identify=True, **options).shards


# Shards


def test_json_is_cut_by_video_in_the_order_of_names_into_byte_ranges_of_both_files():
    write("gt.json", {"b": TRUTH, "a.mp4": TRUTH, "c": TRUTH})
    write("pred.json", {"stranger": PRED, "a": PRED, "b": PRED})
    found = shards("gt.json", "pred.json")
    assert [type(shard) for shard in found] == [Ranges] * 3
    truth, pred = Path("gt.json").read_bytes(), Path("pred.json").read_bytes()
    texts = [
        [side[a:b] for a, b in part] for shard in found for side, part in zip((truth, pred), shard[2:4], strict=True)
    ]
    starts = [[text.partition(b":")[0] for text in some] for some in texts]
    assert starts == [[b'"a.mp4"'], [b'"a"'], [b'"b"'], [b'"b"'], [b'"c"'], []]
    assert str(found[0]) == "pred.json: 'a.mp4' and videos after it"
    assert len({shard.identity for shard in found}) == 3


def test_neighbours_in_a_file_are_one_range():
    write("gt.json", dict.fromkeys("abcdef", TRUTH))
    write("pred.json", dict.fromkeys("fdecba", PRED))
    [first, second] = shards("gt.json", "pred.json", most=300)
    assert [len(first.truth_ranges), len(second.truth_ranges)] == [1, 1]
    assert [len(first.pred_ranges), len(second.pred_ranges)] == [1, 1]
    [third] = shards("gt.json", write("other.json", dict.fromkeys("axbyczdef", PRED)), most=700)
    assert len(third.pred_ranges) == 4  # a, b, c, def


def test_csvs_are_cut_in_the_order_of_videos_and_those_of_no_video_come_last():
    write("gt.json", {"b.mp4": TRUTH, "a.mp4": TRUTH, "none": TRUTH})
    for name in ("x", "sota_a", "deep/b"):
        write(f"csv/{name}.csv", CSV)
    found = shards("gt.json", "csv")
    assert [type(shard) for shard in found] == [CsvShard] * 4
    assert [(list(shard.entries), [key for _, key, _ in shard.files]) for shard in found] == [
        (["a.mp4"], ["a.mp4"]),
        (["b.mp4"], ["b.mp4"]),
        (["none"], []),
        ([], ["x.mp4"]),
    ]
    assert [str(found[0]), str(found[2])] == ["csv/sota_a.csv and files after it", "gt.json: videos without a file"]


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf" + json.dumps({"a": TRUTH, "b": TRUTH}).encode(),
        b'{"a": {"inside": [[0, 1]]}, "a": {"inside": [[0, 1]]}}',
        b'{"a": {"inside": [[0, NaN]]}, "b": {"inside": [[0, 1]]}}',
        b'{"a": {"inside": [[0, 12345678901234567890]]}, "b": {"inside": [[0, 1]]}}',
        b'{"a": {"inside": [[0, 1]]}, "b": ',
        b"[]",
        b"{}",
        b"",
        b"\xff",
    ],
)
def test_unusual_json_is_one_shard_and_gives_what_it_gave(text):
    good, odd = write("good.json", {"a": TRUTH, "b": TRUTH}), write("odd.json", text)
    states = write("pred.json", {"a": PRED, "b": PRED})
    for sides in ((odd, states), (good, odd), (odd, odd)):
        assert [type(shard) for shard in shards(*sides)] == [WholeInputs]
        same_however_cut(*sides)
        same_however_cut(*sides, max_bad_records=1)


# The same bytes


@settings(max_examples=examples(60), derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(timelines.pairs(), min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_any_videos_in_any_cut(sides, rng):
    names = rng.sample(["a", "b.mp4", "c", "é", "入口.avi", "f.mp4", "g"], len(sides))
    truth = {name: sides[k][0] for k, name in enumerate(names)}
    pred = {name.removesuffix(".mp4"): {"fps": 10, "states": sides[k][1]} for k, name in enumerate(names) if k != 3}
    pred = {name: pred[name] for name in rng.sample(list(pred), len(pred))} | {"stranger": PRED}
    write("gt.json", json.dumps(truth, ensure_ascii=bool(rng.randrange(2))))
    write("pred.json", json.dumps(pred, ensure_ascii=bool(rng.randrange(2)), indent=rng.choice((None, 2))))
    same_however_cut("gt.json", "pred.json")


ODD = {
    "empty": ({}, PRED),
    "nothing predicted": (TRUTH, None),
    "no states": (TRUTH, {"fps": 3}),
    "reversed": (TRUTH, {"states": {"inside": [[5, 2]]}}),
    "fps": ({"fps": 25, **TRUTH}, {"states": {"inside": [[5, 9]]}}),
    "extras": (
        TRUTH
        | {
            "detections": [
                {"frame": 3, "label": "cone", "box": [0, 0, 4, 4]},
                {"frame": 5, "label": "a", "box": [0, 0, 1, 1]},
            ],
            "ocr": [{"frame": 9, "text": "Work Zone"}],
        },
        PRED
        | {
            "detections": [
                {"frame": 3, "label": "cone", "box": [0, 0, 4, 3], "score": 0.00012345678901234567},
                {"frame": 4, "label": "cone", "box": None, "score": 0.3},
                {"frame": 4, "label": "b", "box": [0, 0, 4, 4]},
            ],
            "ocr": [{"frame": 9, "text": "work zone"}],
            "runtime": {"frames": 30, "seconds": 1.5},
        },
    ),
}


def odd_files():
    write(
        "gt.json", {name: truth for name, (truth, _) in ODD.items()} | {"plain": TRUTH, "state": {"paused": [[0, 3]]}}
    )
    preds = {name: pred for name, (_, pred) in ODD.items() if pred is not None}
    return write("pred.json", preds | {"plain": PRED, "state": {"states": {"Paused": [[0, 3]]}}, "stranger": 7})


def test_videos_of_all_kinds_give_the_same_in_any_cut():
    odd_files()
    tree = json.loads(same_however_cut("gt.json", "pred.json", transition_tolerance_frames=(0, 3)))
    assert tree["records"] == {"read": 8, "evaluated": 4, "skipped": 4, "rejected": 0}
    assert tree["pooled"]["runtime_fps"] == 20.0
    assert tree["videos_without_ground_truth"] == ["stranger"]


def test_a_key_twice_in_one_video_is_that_videos_error_in_any_cut():
    truth = '{"a": %s, "b": {"inside": [[0, 1]], "inside": [[0, 1]]}, "c": %s}' % ((json.dumps(TRUTH),) * 2)
    write("gt.json", dict.fromkeys("abc", TRUTH))
    write("twice.json", truth)
    pred = '{"a": %s, "b": {"states": {}, "states": {}}, "c": %s}' % ((json.dumps(PRED),) * 2)
    write("pred.json", pred)
    tree = json.loads(same_however_cut("gt.json", "pred.json"))
    assert tree["videos"]["b"]["error"].startswith("invalid prediction: the key")
    kind, message = same_however_cut("twice.json", "pred.json")
    assert (kind, message) == (RecordError, 'twice.json: "b": the key "inside" is there twice, expected each once')
    assert json.loads(same_however_cut("twice.json", "pred.json", max_bad_records=1))["records"]["rejected"] == 1


def test_the_error_is_that_of_the_first_bad_video_too_many_by_name():
    bad = {"inside": [[3, 1]]}
    write("gt.json", {"d": bad, "b": bad, "c": TRUTH, "a": TRUTH, "e": bad})
    write("pred.json", dict.fromkeys("abcde", PRED))
    write("csv/a.csv", CSV)
    for pred in ("pred.json", "csv"):
        for most, video in ((0, "b"), (1, "d"), (2, "e")):
            kind, message = same_however_cut("gt.json", pred, max_bad_records=most)
            assert (kind, message.partition(": inside")[0]) == (RecordError, f'gt.json: "{video}"')
        assert json.loads(same_however_cut("gt.json", pred, max_bad_records=3))["records"]["rejected"] == 3


def test_names_that_mean_two_videos_are_the_same_error_in_any_cut():
    write("gt.json", {"a.mp4": TRUTH, "a.avi": TRUTH, "b": TRUTH})
    kind, message = same_however_cut("gt.json", write("pred.json", {"a": PRED}))
    assert (kind, message) == (InputError, "pred.json: 'a' may mean 'a.avi' or 'a.mp4' of the ground truth")
    kind, message = same_however_cut("gt.json", write("pred.json", {"b": PRED, "b.mp4": PRED}))
    assert (kind, message) == (InputError, "pred.json: 'b' and 'b.mp4' both are predictions of 'b'")


def test_csvs_give_the_same_bytes_and_warnings_in_any_cut():
    write("gt.json", {"z": TRUTH, "b.mp4": {"Outside": [[0, 3]]}, "a": TRUTH, "c": TRUTH})
    for name, text in (("z", BACKWARDS), ("b", CSV), ("deep/a", BACKWARDS), ("c", "frame\n1\n"), ("other", BACKWARDS)):
        write(f"csv/{name}_timeline.csv", text)
    write("csv/notes.csv", CSV)
    tree = json.loads(same_however_cut("gt.json", "csv"))
    told = [warning.partition(":")[0] for warning in tree["warnings"]]
    assert told[:4] == ["a_timeline.csv", "other_timeline.csv", "z_timeline.csv", "csv"]  # as files are sorted
    assert tree["inputs"][1]["records"] == 5
    assert tree["videos"]["c"]["error"].startswith("invalid prediction: c_timeline.csv:1")
    assert tree["videos"]["b.mp4"]["confusion"].keys() == {"Outside"} | tree["videos"]["b.mp4"]["confusion"].keys()


@pytest.mark.parametrize(
    ("gt", "pred", "said"),
    [
        ("missing.json", "csv", "missing.json: cannot be read"),
        ("broken.json", "nothing", "broken.json: not JSON"),
        ("broken.json", "missing.csv", "broken.json: not JSON"),
        ("gt.json", "missing.csv", "missing.csv: cannot be read"),
        ("gt.json", "missing.json", "missing.json: cannot be read"),
        ("gt.json", "nothing", "nothing: no CSV files in this folder"),
        ("none.json", "csv", "none.json: no videos"),
        ("none.json", "twice", "two files for the video"),
        ("gt.json", "twice", "two files for the video"),
    ],
)
def test_inputs_that_are_wrong_are_told_of_in_the_same_order(gt, pred, said):
    write("gt.json", {"a": TRUTH})
    write("broken.json", "{")
    write("none.json", "{}")
    write("csv/a.csv", CSV)
    for name in ("twice/a.csv", "twice/sota_a.csv"):
        write(name, CSV)
    Path("nothing").mkdir()
    kind, message = same_however_cut(gt, pred)
    assert kind is InputError
    assert said in message


@pytest.mark.parametrize("pred", ["predictions.json", "csv/fusion", "csv/sota"])
def test_the_sample_in_processes(pred):
    sides = str(SAMPLE / "annotations.json"), str(SAMPLE / pred)
    whole = outcome(*sides, chunk_bytes=WHOLE)
    for jobs, size in ((2, 500), (3, 1), (2, WHOLE)):
        assert outcome(*sides, jobs=jobs, chunk_bytes=size) == whole


def test_a_pipe_is_read_once():
    os.mkfifo("gt.json")
    write("pred.json", {"a": PRED})
    text = json.dumps({"a": TRUTH})
    writer = threading.Thread(target=lambda: Path("gt.json").write_text(text))
    writer.start()
    report = calipers.timeline("gt.json", "pred.json", chunk_bytes=1)
    writer.join()
    assert report["records"]["evaluated"] == 1
    assert len(report.matches()) == 5


def test_predictions_in_the_layout_of_ground_truth_are_missing_states_however_cut():
    names = [f"v{place}" for place in range(12)]
    write("gt.json", dict.fromkeys(names, TRUTH))
    write("pred.json", {name: TRUTH if name in ("v3", "v10") else PRED for name in reversed(names)})
    tree = json.loads(same_however_cut("gt.json", "pred.json"))
    assert tree["not_evaluated"] == dict.fromkeys(("v10", "v3"), "missing predictions or states")
    [warning] = tree["warnings"]  # one for both, about the first
    assert warning.startswith('"v10": its prediction has the layout of ground truth')
    assert warning.endswith("are the two sides swapped? (1 more like it)")


# Rows and pictures


def test_events_and_timelines_of_shards_are_read_again_and_are_the_same():
    odd_files()
    whole, cut = (calipers.timeline("gt.json", "pred.json", chunk_bytes=size, jobs=1) for size in (WHOLE, 1))
    assert cut.matches() == whole.matches()
    names = [name for name in whole["videos"] if "error" not in whole["videos"][name]]
    assert cut.cases_of(names) == whole.cases_of(names)
    Path("gt.json").unlink()
    assert cut.matches() == whole.matches()  # kept from now on


def test_one_shard_keeps_its_videos():
    write("gt.json", {"a": TRUTH})
    write("pred.json", {"a": PRED})
    report = calipers.timeline("gt.json", "pred.json")
    Path("gt.json").unlink()
    assert len(report.matches()) == 5


# Parts


def parts_of(gt, pred, **options):
    plan = TimelinePlan(gt, pred, Config(chunk_bytes=1, **options))
    return plan, [plan.measure(shard) for shard in plan.shards(Local(1))]


def test_a_part_is_the_same_after_it_was_packed_or_sent():
    odd_files()
    plan, parts = parts_of("gt.json", "pred.json")
    reports = []
    for change in (
        lambda p: p,
        lambda p: unpack(from_bytes(to_bytes(p.pack()))),
        lambda p: pickle.loads(pickle.dumps(p)),
    ):
        total = plan.empty()
        for part in parts:
            total.add(change(part))
        plan.add_inputs(total)
        assert to_bytes(unpack(total.pack()).pack()) == to_bytes(total.pack())
        reports.append(plan.report(total).to_json())
    assert reports[0] == reports[1] == reports[2]


def test_neighbours_may_be_added_first():
    odd_files()
    plan, parts = parts_of("gt.json", "pred.json")
    left, right = pickle.loads(pickle.dumps(parts)), pickle.loads(pickle.dumps(parts))
    one, two = plan.empty(), right[0]
    for part in left:
        one.add(part)
    for part in right[3:]:
        right[2].add(part)
    two.add(right[1])
    two.add(right[2])
    for total in (one, two):
        plan.add_inputs(total)
    assert plan.report(one).to_json() == plan.report(two).to_json()


def test_shards_are_small_and_hold_no_data():
    write("gt.json", {f"video {k}": TRUTH for k in range(500)})
    write("pred.json", {f"video {k}": PRED for k in range(500)})
    for shard in shards("gt.json", "pred.json", most=20_000):
        assert len(pickle.dumps(shard)) < 4000  # names in another order than the numbers make some ranges
        part = measure_shard(pickle.loads(pickle.dumps(shard)), config=Config())
        assert part.videos is not None
        assert pickle.loads(pickle.dumps(part)).videos is None


# Finished shards


def test_a_run_goes_on_from_its_finished_shards_and_measures_what_changed(monkeypatch):
    import calipers.suites.timeline.plan as plans

    write("gt.json", dict.fromkeys("abcd", TRUTH))
    for name in "abcd":
        write(f"csv/{name}.csv", CSV)
    write("pred.json", dict.fromkeys("abcd", PRED))
    measured = []
    original = plans.measure_reading
    monkeypatch.setattr(
        plans, "measure_reading", lambda reading, config: measured.append(1) or original(reading, config)
    )
    for pred, change in (("csv", lambda: write("csv/b.csv", BACKWARDS)), ("pred.json", change_one)):
        options = {"chunk_bytes": 1, "jobs": 1, "resume": f"{pred}.shards"}
        first = outcome("gt.json", pred, **options)
        measured.clear()
        assert outcome("gt.json", pred, **options) == first
        assert not measured
        change()
        measured.clear()
        assert outcome("gt.json", pred, **options) == outcome("gt.json", pred, jobs=1, chunk_bytes=WHOLE) != first
        assert len(measured) == 2  # the one that changed, and the whole


def change_one():
    write("pred.json", dict.fromkeys("abc", PRED) | {"d": {"states": {}}})


def test_a_file_to_be_kept_may_not_be_an_input():
    write("gt.json", {"a": TRUTH})
    write("csv/a.csv", CSV)
    for name in ("tally", "resume"):
        for path in ("gt.json", "csv/a.csv"):
            with pytest.raises(OutputError, match=f"{path}: is an input"):
                calipers.timeline("gt.json", "csv", **{name: path})


@pytest.mark.parametrize("option", [{"engine": "dask"}, {"resume": "r"}, {"tally": "t"}])
def test_what_is_in_memory_stays_here(option):
    write("gt.json", {"a": TRUTH})
    for gt in ({"a": TRUTH}, "gt.json"):
        with pytest.raises(ConfigError, match="expected files to read instead of videos that are in memory"):
            calipers.timeline(gt, {"a": PRED}, **option)


def test_progress_counts_all_shards():
    write("gt.json", dict.fromkeys("abcd", TRUTH))
    write("pred.json", dict.fromkeys("abcd", PRED))
    from calipers.suites.timeline.evaluate import evaluate as evaluate_timelines

    told = []
    evaluate_timelines("gt.json", "pred.json", Config(chunk_bytes=1, jobs=1), progress=lambda *each: told.append(each))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert len(told) == 4
    assert told[-1][0] == told[-1][1]
