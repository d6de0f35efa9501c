"""Means over videos: undefined values stay out, sums are exact, and each metric has the fields that belong to it."""

import random
from math import fsum, isnan, nan
from statistics import fmean, pstdev

import numpy as np
import pytest

import calipers
from calipers.kernels.count.inference import column_means
from calipers.suites.timeline.states import NEVER_UNDEFINED
from calipers.suites.timeline.summarize import Averages, summary_tree

NONE = frozenset[str]()


def column(*values: float | None) -> np.ndarray:
    return np.array([nan if value is None else value for value in values], dtype=np.float64)


def means_of(*columns: np.ndarray) -> list[tuple[int, float, float]]:
    """Count, mean and spread of each."""
    found = column_means(np.ascontiguousarray(np.stack(columns)))
    return list(zip(*(each.tolist() for each in found), strict=True))


# Numbers


def test_nothing_is_lost_where_large_and_small_numbers_meet():
    values = [1e16, 1.0, -1e16, 1.0]  # added one by one: 1e16 + 1 is 1e16, so that one of the two is lost
    assert sum(values) == 1.0
    assert means_of(column(*values))[0][:2] == (4, 0.5)


def test_the_mean_is_that_of_the_exact_sum():
    rng = random.Random(1)
    for size in (1, 2, 3, 10, 1000):
        values = [rng.uniform(-1, 1) * 10 ** rng.randint(-9, 9) for _ in range(size)]
        assert means_of(column(*values))[0][1] == pytest.approx(fsum(values) / size, rel=1e-15)
    assert means_of(column(*[0.1] * 10))[0][1] == 0.1


def test_undefined_values_stay_out():
    # (2 + 4) / 2 = 3, both 1 away
    assert means_of(column(None, 2, None, 4), column(1, 1, 1, 1)) == [(2, 3.0, 1.0), (4, 1.0, 0.0)]
    [(count, mean, spread)] = means_of(column(None, None))
    assert count == 0
    assert isnan(mean)
    assert isnan(spread)


def test_the_spread_is_that_of_these_values():
    # mean 5; squares of the distances 9 1 1 1 0 0 4 16 add up to 32; 32 / 8 = 4
    assert means_of(column(2, 4, 4, 4, 5, 5, 7, 9)) == [(8, 5.0, 2.0)]
    assert means_of(column(7.5)) == [(1, 7.5, 0.0)]
    rng = random.Random(2)
    values = [rng.uniform(0, 100) for _ in range(50)]
    [(_, mean, spread)] = means_of(column(*values))
    assert mean == pytest.approx(fmean(values), rel=1e-15)
    assert spread == pytest.approx(pstdev(values), rel=1e-14)


# Fields


def tree_of(columns: dict[str, np.ndarray], intervals=None, always=NONE) -> dict:
    averages = Averages(columns.values())
    averages.intervals = intervals or averages.intervals
    return summary_tree(columns, averages, always)


def test_a_metric_has_its_mean_the_count_it_rests_on_and_its_interval():
    columns = {"frame_accuracy": column(0.5, 1.0), "event_recall": column(0.25, None)}
    assert list(tree_of(columns, [[0.5, 1.0], None], frozenset({"frame_accuracy"})).items()) == [
        ("frame_accuracy_mean", 0.75),
        ("frame_accuracy_interval", [0.5, 1.0]),
        ("event_recall_mean", 0.25),
        ("event_recall_n", 1),
        ("event_recall_interval", None),
    ]


def test_times_have_a_spread_and_rates_have_none():
    # (0 + 4) / 2 = 2, both 2 away
    assert tree_of({"entry_timing_mae_sec": column(0, None, 4)}) == {
        "entry_timing_mae_sec_mean": 2.0,
        "entry_timing_mae_sec_std": 2.0,
        "entry_timing_mae_sec_n": 2,
        "entry_timing_mae_sec_interval": None,
    }


def test_a_column_that_several_metrics_share_is_looked_at_once():
    shared, other = column(1, 2), column(1, 2)
    averages = Averages([shared, other, shared])
    assert averages.table.shape == (2, 2)
    averages.intervals = [[1.0, 2.0], None]
    assert averages.of(shared) == (2, 1.5, 0.5, [1.0, 2.0])
    assert averages.of(other) == (2, 1.5, 0.5, None)


@pytest.mark.parametrize(
    ("name", "spread"),
    [
        ("entry_timing_mae_frames", True),
        ("advisory_timing_mae_sec", True),
        ("advisory_start_error_frames", True),
        ("advisory_start_error_sec", True),
        ("lead_time_sec", True),
        ("gt_inside_start_frame", True),
        ("pred_minus_gt_inside_start_frame", True),
        ("pred_approaching_start_matched_frame", True),
        ("pred_minus_gt_approaching_start_matched_frame", True),
        ("event_lead_time_sec_mean", False),
        ("time_in_error_sec", False),
        ("late_advisory_rate", False),
        ("fps_estimate", False),
        ("event_delay_frames_mean", False),
    ],
)
def test_which_metrics_have_a_spread(name, spread):
    assert (f"{name}_std" in tree_of({name: column(1, 2)})) is spread


def test_a_metric_that_is_undefined_everywhere_is_null():
    assert tree_of({"lead_time_sec": column(None, None)}) == {
        "lead_time_sec_mean": None,
        "lead_time_sec_std": None,
        "lead_time_sec_n": 0,
        "lead_time_sec_interval": None,
    }
    no_videos = {"event_recall_mean": None, "event_recall_n": 0, "event_recall_interval": None}
    assert tree_of({"event_recall": column()}) == no_videos


# In a report


def report(**options) -> calipers.Report:
    """Three videos: one without an event, one without fps."""
    truth = {"a": {"inside": [[10, 19]]}, "b": {"outside": [[0, 9]]}, "c": {"inside": [[4, 9]]}}
    pred = {
        "a": {"fps": 10, "states": {"inside": [[12, 19]]}},
        "b": {"fps": 30, "states": {}},
        "c": {"states": {"inside": [[8, 9]]}},
    }
    return calipers.timeline(truth, pred, **options)


def test_the_summary_is_over_the_videos_where_a_metric_is_defined():
    summary = report()["summary"]
    assert (summary["videos_evaluated"], summary["videos_total"]) == (3, 3)
    # 18 of 20, 10 of 10, 6 of 10 frames
    assert summary["frame_accuracy_mean"] == pytest.approx((0.9 + 1 + 0.6) / 3, rel=1e-15)
    # starts 2 and 4 frames late; only the first has a time
    assert (summary["entry_timing_mae_frames_mean"], summary["entry_timing_mae_frames_n"]) == (3.0, 2)
    assert summary["entry_timing_mae_frames_std"] == 1.0
    assert (summary["entry_timing_mae_sec_mean"], summary["entry_timing_mae_sec_n"]) == (0.2, 1)
    assert summary["entry_timing_mae_sec_std"] == 0.0
    assert (summary["fps_estimate_mean"], summary["fps_estimate_n"]) == (20.0, 2)
    assert (summary["event_precision_mean"], summary["event_precision_n"]) == (1.0, 2)
    # nothing was seen in b, so its false activation rate is 0 of 10 frames
    assert (summary["false_activation_rate_mean"], summary["false_activation_rate_n"]) == (0.0, 3)


def test_every_metric_of_a_video_is_in_the_summary():
    found, videos = report()["summary"], report()["videos"]
    metrics = {name for video in videos.values() for name in video} - {"confusion", "frame_errors", "counts"}
    parts = {name.rpartition("_")[::2] for name in found if name not in ("videos_evaluated", "videos_total")}
    assert {name for name, part in parts if part == "mean"} == metrics
    assert {name for name, part in parts if part == "interval"} == metrics
    assert {name for name, part in parts if part == "n"} == metrics - NEVER_UNDEFINED
    assert {part for _, part in parts} == {"mean", "interval", "n", "std"}


def test_what_is_never_undefined_is_never_null():
    for video in report()["videos"].values():
        assert all(video[name] is not None for name in NEVER_UNDEFINED)


def test_counts_say_how_many_videos_have_a_value():
    found, videos = report()["summary"], list(report()["videos"].values())
    for name in set(videos[0]) - NEVER_UNDEFINED - {"confusion", "frame_errors", "counts"}:
        assert found[f"{name}_n"] == sum(video[name] is not None for video in videos)


def test_a_further_state_has_the_mean_of_the_videos_where_it_occurs():
    # paused: 5 of 10 frames in a, none of 5 in b; c has none
    truth = {"a": {"paused": [[0, 4]]}, "b": {"paused": [[0, 4]]}, "c": {"inside": [[0, 4]]}}
    pred = {"a": {"states": {"paused": [[0, 9]]}}, "b": {"states": {}}, "c": {"states": {}}}
    summary = calipers.timeline(truth, pred)["summary"]
    assert (summary["iou_paused_mean"], summary["iou_paused_n"]) == (0.25, 2)


def test_a_mean_lies_in_its_interval():
    truth = {name: {"inside": [[0, 9]]} for name in "abc"}
    pred = {name: {"fps": 3, "states": {"inside": [[0, 6]]}} for name in "abc"}
    summary = calipers.timeline(truth, pred)["summary"]
    low, high = summary["frame_accuracy_interval"]
    assert low <= summary["frame_accuracy_mean"] <= high
    assert summary["frame_accuracy_mean"] == 0.7
