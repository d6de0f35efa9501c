"""The meters: records or videos come in, a report comes out at any time. Any grouping is in the contracts."""

import copy

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.files.output import to_json

BOX = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "类别=标签,组=1"}
LINE = {"type": "line", "points": [[0, 500], [900, 500]], "desc": "光纤/有遮挡"}
FOUND = {"image_path": "a.jpg", "gt_norm1000": [BOX], "pred": [BOX]}
MISSED = {"image_path": "b.jpg", "gt_norm1000": [BOX, LINE], "pred": [LINE]}
EMPTY = {"image_path": "c.jpg", "gt_norm1000": [], "pred": []}
BAD = {"image_path": "d.jpg", "gt_norm1000": [{**BOX, "points": [0, 0, 1]}], "pred": []}
GOOD = [FOUND, MISSED, EMPTY]


def meter_of(*records, **options) -> calipers.DenseMeter:
    meter = calipers.DenseMeter(**options)
    for record in records:
        meter.update(record)
    return meter


def recall(meter) -> float | None:
    return meter.compute()["modes"]["category"]["primary"]["recall"]


def test_a_meter_adds_up_records_to_the_report_of_one_evaluation():
    meter = meter_of(*GOOD)
    assert recall(meter) == 2 / 3
    assert meter.compute()["records"] == {"read": 3, "evaluated": 2, "skipped_empty": 1, "rejected": 0}
    assert meter.compute()["inputs"] == [{"path": "<records>", "sha256": None, "records": 3}]
    assert meter.compute().to_json() == calipers.dense(GOOD).to_json()


@pytest.mark.parametrize(
    "groups",
    [[FOUND, MISSED, EMPTY], [[FOUND, MISSED, EMPTY]], [[FOUND], [], [MISSED, EMPTY]], [(FOUND, MISSED), EMPTY]],
    ids=["one by one", "all at once", "with an empty list", "a tuple and a dict"],
)
def test_records_may_come_one_by_one_or_in_lists(groups):
    assert meter_of(*groups).compute().to_json() == calipers.dense(GOOD).to_json()


def test_records_may_come_from_a_generator():
    meter = calipers.DenseMeter()
    meter.update(record for record in GOOD)
    assert meter.compute().to_json() == calipers.dense(GOOD).to_json()


def test_records_without_a_key_are_numbered_through_all_updates():
    nameless = [{name: value for name, value in record.items() if name != "image_path"} for record in GOOD * 3]
    meter = meter_of(nameless[:4], nameless[4], nameless[5:])
    assert meter.compute().to_json() == calipers.dense(nameless).to_json()


def test_a_meter_that_saw_nothing_has_undefined_numbers():
    report = calipers.DenseMeter().compute()
    assert report["records"] == {"read": 0, "evaluated": 0, "skipped_empty": 0, "rejected": 0}
    primary = report["modes"]["category"]["primary"]
    assert [primary[name] for name in ("gt", "pred", "matched")] == [0, 0, 0]
    assert [primary[name] for name in ("precision", "recall", "f1")] == [None, None, None]
    assert report["counts"] == {"mae": None, "over_rate": None, "under_rate": None, "equal_rate": None}


def test_the_callers_records_are_left_as_they_are():
    records = copy.deepcopy([FOUND, MISSED, {**FOUND, "pred": [{**BOX, "points": (2000, -5, 3, 3)}, None]}])
    before = copy.deepcopy(records)
    meter_of(records)
    assert records == before
    assert list(records[0]) == list(before[0])


def test_reset_forgets_everything():
    meter = meter_of(*GOOD, BAD, max_bad_records=1)
    meter.reset()
    assert meter.compute().to_json() == calipers.DenseMeter(max_bad_records=1).compute().to_json()
    meter.update([MISSED])
    assert meter.compute().to_json() == calipers.dense([MISSED], max_bad_records=1).to_json()


# Bad records


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (BAD, r"<records>:2: gt_norm1000\[0\]\.points: 3 numbers, expected 4 for a bbox_2d"),
        ({"gt_norm1000": []}, "<records>:2: no predictions"),
        ({"pred": []}, "<records>:2: no ground truth"),
        ({"gt": [], "pred": []}, "<records>:2: only gt in pixels"),
        ({"gt_norm1000": {}, "pred": []}, "<records>:2: gt_norm1000: not a list"),
        (7, "<records>:2: not a JSON object"),
    ],
)
def test_a_bad_record_is_an_error_that_says_where_and_leaves_the_meter_unchanged(bad, message):
    meter = meter_of(FOUND)
    before = meter.compute().to_json()
    with pytest.raises(InputError, match=message):
        meter.update([bad, MISSED])
    with pytest.raises(InputError):
        meter.update([MISSED, bad])
    assert meter.compute().to_json() == before
    meter.update(MISSED)
    assert meter.compute().to_json() == calipers.dense([FOUND, MISSED]).to_json()


def test_up_to_max_bad_records_are_rejected_and_listed_over_all_updates():
    meter = meter_of(FOUND, BAD, [MISSED, 7], max_bad_records=2)
    report = meter.compute()
    assert report["records"] == {"read": 4, "evaluated": 2, "skipped_empty": 0, "rejected": 2}
    assert [(entry["path"], entry["line"]) for entry in report["rejected"]] == [("<records>", 2), ("<records>", 4)]
    before = report.to_json()
    with pytest.raises(InputError, match="<records>:6"):
        meter.update([FOUND, BAD])
    assert meter.compute().to_json() == before


def test_a_rejected_record_leaves_no_trace_but_its_entry():
    """Also where some of its objects were read before the bad one, with attributes nobody else has."""
    half_good = {**BAD, "gt_norm1000": [{**BOX, "desc": "类别=甲,品牌=华为,备注=无"}, *BAD["gt_norm1000"]]}
    with_bad = meter_of(FOUND, half_good, max_bad_records=1).compute()
    without = meter_of(FOUND, max_bad_records=1).compute()
    different = ("inputs", "records", "rejected")
    assert {k: v for k, v in with_bad.items() if k not in different} == {
        k: v for k, v in without.items() if k not in different
    }


# Merging


def test_merging_adds_rejected_records_too():
    one, two = meter_of(FOUND, [7], max_bad_records=2), meter_of(BAD, max_bad_records=2)
    one.merge(two)
    assert one.compute()["records"] == {"read": 3, "evaluated": 1, "skipped_empty": 0, "rejected": 2}
    assert len(one.compute()["rejected"]) == 2


def test_merging_beyond_max_bad_records_is_refused_and_changes_nothing():
    one, two = meter_of(FOUND, [7], max_bad_records=1), meter_of(BAD, max_bad_records=1)
    before = one.compute().to_json()
    with pytest.raises(InputError):
        one.merge(two)
    assert one.compute().to_json() == before


@pytest.mark.parametrize("options", [{"tube_tolerance": 4}, {"seed": 1}, {"thresholds": "0.5"}, {"modes": "phase"}])
def test_meters_with_different_parameters_do_not_merge(options):
    one = meter_of(FOUND)
    before = one.compute().to_json()
    with pytest.raises(ConfigError, match="different parameters"):
        one.merge(calipers.DenseMeter(**options))
    assert one.compute().to_json() == before


@pytest.mark.parametrize("records", [3, None, "dump.jsonl", b"{}"])
def test_what_is_no_record_nor_several_is_refused(records):
    one = meter_of(FOUND)
    before = one.compute().to_json()
    with pytest.raises(ConfigError, match=r"records: found .*, expected a record or several"):
        one.update(records)
    assert one.compute().to_json() == before


def test_jobs_are_no_parameter_of_a_result():
    one = meter_of(FOUND)
    one.merge(meter_of(MISSED, jobs=3))
    assert recall(one) == 2 / 3


def test_options_are_those_of_the_suite():
    meter = meter_of({**FOUND, "pred": [{**BOX, "points": [0, 0, 100, 62]}]}, primary_threshold=0.7, bootstrap=0)
    report = meter.compute()
    assert report["modes"]["category"]["primary"]["f1"] == 0.0
    assert report["modes"]["category"]["mean_f1"] == 0.3
    assert report["bootstrap"]["replicates"] == 0
    assert to_json(report.tree) == report.to_json()


# Videos

EARLY = {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}
LATE = {"fps": 10, "states": {"inside": [[12, 19]], "exiting": [[20, 29]]}}
TRUTH = {"a.mp4": EARLY, "b.mp4": {"inside": [[0, 4]]}, "c.mp4": {"inside": []}, "d.mp4": {"inside": [[0, 9]]}}
PRED = {"a.mp4": LATE, "b.mp4": {"states": {"inside": [[0, 4]]}}, "e.mp4": LATE}
REVERSED = {"f.mp4": {"outside": [[0, 4]], "inside": [[9, 5]]}}
VIDEOS = ("a.mp4", "b.mp4", "c.mp4", "d.mp4", "e.mp4")


def videos_of(*names, **options) -> calipers.TimelineMeter:
    """A meter that saw these videos, one at a time."""
    meter = calipers.TimelineMeter(**options)
    for name in names:
        meter.update(*({name: side[name]} if name in side else {} for side in (TRUTH, PRED)))
    return meter


def numbers(report) -> dict:
    """An artifact but for the names of its inputs."""
    return {name: value for name, value in report.items() if name != "inputs"}


def same_numbers(meter, truth, pred, **options) -> bool:
    return to_json(numbers(meter.compute())) == to_json(numbers(calipers.timeline(truth, pred, **options)))


def test_a_meter_adds_up_videos_to_the_report_of_one_evaluation():
    as_given = copy.deepcopy((TRUTH, PRED))
    meter = videos_of(*VIDEOS)
    report = meter.compute()
    assert same_numbers(meter, TRUTH, PRED)
    assert as_given == (TRUTH, PRED)
    # a: 2 frames late, 10 exiting for outside, 18 of 30 right; b: all 5 right
    assert report["summary"]["frame_accuracy_mean"] == 0.8
    assert report["pooled"]["frame_accuracy"] == 23 / 35
    assert report["records"] == {"read": 4, "evaluated": 2, "skipped": 2, "rejected": 0}
    assert report["videos_without_ground_truth"] == ["e.mp4"]
    assert report["inputs"] == [{"path": "<videos>", "sha256": None, "records": 4}]
    assert str(report)


def test_videos_may_come_from_files(tmp_path):
    for name, tree in (("gt", TRUTH), ("pred", PRED)):
        (tmp_path / f"{name}.json").write_bytes(to_json(tree))
    (tmp_path / "f_timeline.csv").write_text("frame,state\n0,out\n3,in\n5,in\n")
    meter = calipers.TimelineMeter()
    meter.update(tmp_path / "gt.json", str(tmp_path / "pred.json"))
    assert same_numbers(meter, TRUTH, PRED)
    meter.update({"f": {"inside": [[3, 5]]}}, tmp_path / "f_timeline.csv")
    assert meter.compute()["videos"]["f"]["frame_accuracy"] == 1.0


def test_a_meter_that_saw_no_video_has_undefined_numbers():
    report = calipers.TimelineMeter(transition_tolerance_frames="0,5").compute()
    assert report["records"] == {"read": 0, "evaluated": 0, "skipped": 0, "rejected": 0}
    assert report["videos"] == {}
    assert report["summary"]["frame_accuracy_mean"] is None
    assert report["summary"]["event_recall_n"] == 0
    assert report["pooled"]["frame_accuracy"] is None
    assert str(report)
    assert same_numbers(calipers.TimelineMeter(), {}, {})


@pytest.mark.parametrize("name", ["a.mp4", "c.mp4", "d.mp4"], ids=["evaluated", "empty", "without prediction"])
def test_a_video_added_twice_is_refused_and_changes_nothing(name):
    meter = videos_of(name)
    before = meter.compute().to_json()
    for again in (
        lambda: meter.update({"z.mp4": EARLY, name: EARLY}, {"z.mp4": LATE, name: LATE}),
        lambda: meter.merge(videos_of(name)),
        lambda: meter.merge(meter),
    ):
        with pytest.raises(InputError, match=f"the video '{name}' was added before"):
            again()
    assert meter.compute().to_json() == before
    meter.update({"z.mp4": EARLY}, {"z.mp4": LATE})
    assert meter.compute()["records"]["read"] == 2


def test_malformed_ground_truth_is_an_error_and_adds_none_of_the_videos():
    meter = videos_of("a.mp4")
    before = meter.compute().to_json()
    message = r'<gt>: "f\.mp4": inside\[0\]: found \[9, 5\], expected \[first, last\]'
    with pytest.raises(InputError, match=message):
        meter.update({"b.mp4": TRUTH["b.mp4"], **REVERSED}, PRED)
    for truth, pred in ((7, {}), ({}, []), ({1: EARLY}, {}), ("no such file.json", {})):
        with pytest.raises(InputError):
            meter.update(truth, pred)
    assert meter.compute().to_json() == before
    meter.update({"b.mp4": TRUTH["b.mp4"], "f.mp4": EARLY}, {})
    assert meter.compute()["records"]["read"] == 3


def test_up_to_max_bad_records_videos_are_rejected_over_updates_and_merges():
    one, two = (videos_of(name, max_bad_records=1) for name in ("a.mp4", "b.mp4"))
    one.update(REVERSED, {})
    problem = one.compute()["videos"]["f.mp4"]["error"].removeprefix("invalid ground truth: ")
    assert one.compute()["rejected"] == [{"path": "<gt>", "video": "f.mp4", "problem": problem}]
    before = one.compute().to_json()
    two.update({"g.mp4": {"inside": 5}}, {})
    for more in (lambda: one.update({"h.mp4": []}, {}), lambda: one.merge(two), lambda: one.update(REVERSED, {})):
        with pytest.raises(InputError):
            more()
    assert one.compute().to_json() == before
    assert one.compute()["records"] == {"read": 2, "evaluated": 1, "skipped": 0, "rejected": 1}


@pytest.mark.parametrize(
    "options",
    [{"transition_tolerance_frames": 5}, {"idle": "exiting"}, {"fps": 30}, {"extent": "gt"}, {"seed": 1}],
    ids=lambda options: next(iter(options)),
)
def test_timeline_meters_with_different_parameters_do_not_merge(options):
    one = videos_of("a.mp4")
    before = one.compute().to_json()
    with pytest.raises(ConfigError, match="different parameters"):
        one.merge(videos_of("b.mp4", **options))
    assert one.compute().to_json() == before


def test_a_meter_keeps_numbers_and_no_videos():
    report = videos_of("a.mp4").compute()
    for ask in (report.matches, lambda: report.cases_of(["a.mp4"])):
        with pytest.raises(calipers.CalipersError, match="kept"):
            ask()


def test_options_of_videos_are_those_of_the_suite():
    meter = videos_of("a.mp4", "b.mp4", transition_tolerance_frames="2,0", extent="gt", fps=5, bootstrap=0)
    report = meter.compute()
    assert report["params"]["transition_tolerance_frames"] == [2, 0]
    assert report["sweep"]["2"]["transition_recall_mean"] == 0.5  # outside → inside is 2 frames late
    assert report["sweep"]["0"]["transition_recall_mean"] == 0.0
    with pytest.raises(ConfigError, match="did you mean 'focus'"):
        calipers.TimelineMeter(focuss="inside")


def test_a_video_of_another_update_is_not_without_ground_truth():
    pred = {name: {"states": {"inside": [[0, 4]]}} for name in ("a", "b", "c")}
    meter = calipers.TimelineMeter()
    meter.update({"a": {"inside": [[0, 4]]}}, pred)
    meter.update({"b": {"inside": [[0, 4]]}}, pred)
    assert meter.compute()["videos_without_ground_truth"] == ["c"]


def test_a_meter_says_how_much_it_was_given():
    assert repr(calipers.DenseMeter()) == "<DenseMeter: 0 records so far>"
    assert repr(calipers.TimelineMeter()) == "<TimelineMeter: 0 videos so far>"
    assert repr(calipers.SceneMeter()) == "<SceneMeter: 0 scenes so far>"
    assert repr(calipers.CocoMeter()) == "<CocoMeter: 0 detections so far, 0 images>"
