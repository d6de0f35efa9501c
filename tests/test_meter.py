"""The meter: records come in, a report comes out whenever it is asked for. Any grouping is in the contracts."""

import copy
import pickle

import pytest

import calipers
from calipers.errors import ConfigError, InputError
from calipers.output import to_json

BOX = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "类别=标签,组=1"}
LINE = {"type": "line", "points": [[0, 500], [900, 500]], "desc": "光纤/有遮挡"}
FOUND = {"image_path": "a.jpg", "gt_norm1000": [BOX], "pred": [BOX]}
MISSED = {"image_path": "b.jpg", "gt_norm1000": [BOX, LINE], "pred": [LINE]}
EMPTY = {"image_path": "c.jpg", "gt_norm1000": [], "pred": []}
BAD = {"image_path": "d.jpg", "gt_norm1000": [{**BOX, "points": [0, 0, 1]}], "pred": []}
GOOD = [FOUND, MISSED, EMPTY]


def meter_of(*records, **options) -> calipers.Dense:
    meter = calipers.Dense(**options)
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
    meter = calipers.Dense()
    meter.update(record for record in GOOD)
    assert meter.compute().to_json() == calipers.dense(GOOD).to_json()


def test_records_without_a_key_are_numbered_through_all_updates():
    nameless = [{name: value for name, value in record.items() if name != "image_path"} for record in GOOD * 3]
    meter = meter_of(nameless[:4], nameless[4], nameless[5:])
    assert meter.compute().to_json() == calipers.dense(nameless).to_json()


def test_a_meter_that_saw_nothing_has_undefined_numbers():
    report = calipers.Dense().compute()
    assert report["records"] == {"read": 0, "evaluated": 0, "skipped_empty": 0, "rejected": 0}
    primary = report["modes"]["category"]["primary"]
    assert [primary[name] for name in ("gt", "pred", "matched")] == [0, 0, 0]
    assert [primary[name] for name in ("precision", "recall", "f1")] == [None, None, None]
    assert report["counts"] == {"mae": None, "over_rate": None, "under_rate": None, "equal_rate": None}


def test_a_report_can_be_asked_for_at_any_time_and_changes_nothing():
    meter = meter_of(FOUND)
    early = meter.compute()
    before = early.to_json()
    assert meter.compute().to_json() == before
    meter.update(MISSED)
    assert early.to_json() == before
    assert recall(meter) == 2 / 3


def test_what_is_done_to_a_report_does_not_reach_the_meter():
    meter = meter_of(FOUND)
    before = meter.compute().to_json()
    meter.compute()["modes"]["category"]["primary"]["f1"] = 0
    meter.compute().tree.clear()
    meter.compute()["params"]["thresholds"].append(2)
    assert meter.compute().to_json() == before


def test_the_callers_records_are_left_as_they_are():
    records = copy.deepcopy([FOUND, MISSED, {**FOUND, "pred": [{**BOX, "points": (2000, -5, 3, 3)}, None]}])
    before = copy.deepcopy(records)
    meter_of(records)
    assert records == before
    assert list(records[0]) == list(before[0])


def test_reset_forgets_everything():
    meter = meter_of(*GOOD, BAD, max_bad_records=1)
    meter.reset()
    assert meter.compute().to_json() == calipers.Dense(max_bad_records=1).compute().to_json()
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


def test_merging_adds_the_other_meter_and_leaves_it_as_it_was():
    one, two = meter_of(FOUND), meter_of(MISSED, EMPTY)
    before = two.compute().to_json()
    one.merge(two)
    assert one.compute().to_json() == calipers.dense(GOOD).to_json()
    assert two.compute().to_json() == before
    one.update({**FOUND, "image_path": "e.jpg"})
    two.update({**MISSED, "image_path": "f.jpg"})
    assert recall(one) == 3 / 4
    assert recall(two) == 2 / 4


def test_merging_with_a_meter_that_saw_nothing_changes_nothing():
    one = meter_of(FOUND, MISSED)
    before = one.compute().to_json()
    one.merge(calipers.Dense())
    assert one.compute().to_json() == before
    nothing = calipers.Dense()
    nothing.merge(one)
    assert nothing.compute().to_json() == before


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
        one.merge(calipers.Dense(**options))
    assert one.compute().to_json() == before


def test_jobs_are_no_parameter_of_a_result():
    one = meter_of(FOUND)
    one.merge(meter_of(MISSED, jobs=3))
    assert recall(one) == 2 / 3


def test_a_meter_can_be_sent_to_another_process_and_merged_there():
    one, two = meter_of(FOUND), pickle.loads(pickle.dumps(meter_of(MISSED, EMPTY)))
    one.merge(two)
    assert one.compute().to_json() == calipers.dense(GOOD).to_json()


def test_options_are_those_of_the_suite():
    meter = meter_of({**FOUND, "pred": [{**BOX, "points": [0, 0, 100, 62]}]}, primary_threshold=0.7, bootstrap=0)
    report = meter.compute()
    assert report["modes"]["category"]["primary"]["f1"] == 0.0
    assert report["modes"]["category"]["mean_f1"] == 0.3
    assert report["bootstrap"]["replicates"] == 0
    assert to_json(report.tree) == report.to_json()
