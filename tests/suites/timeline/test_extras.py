"""Detections, signs and runtime beside the states of videos, worked out by hand.

Unless a test says otherwise, a video has 600 frames and 10 of them a second: one minute.
"""

import random
from math import inf, nan

import numpy as np
import pytest

import calipers
from calipers.core.errors import InputError

MINUTE = {"inside": [[0, 599]]}
SQUARE = [0, 0, 10, 10]
FAR = [500, 500, 510, 510]
OCR = ("ocr_exact_accuracy", "ocr_similarity")


def box(frame=0, label="cone", corners=SQUARE, **score):
    return {"frame": frame, "label": label, "box": list(corners), **score}


def sign(frame, text, corners=None):
    return {"frame": frame, "text": text} | ({} if corners is None else {"box": list(corners)})


def evaluate(videos, **options):
    """`videos` are {name: (extras of the truth, extras of the prediction)}."""
    truth = {name: MINUTE | extras for name, (extras, _) in videos.items()}
    pred = {name: {"fps": 10, "states": MINUTE} | extras for name, (_, extras) in videos.items()}
    return calipers.timeline(truth, pred, bootstrap=0, **options)


def one(truth, pred, **options):
    """The metrics of a single video."""
    return evaluate({"a": (truth, pred)}, **options)["videos"]["a"]


def detect(truth, pred, **options):
    return one({"detections": truth}, {"detections": pred}, **options)


def false_positives(truth, pred, **options):
    return detect(truth, pred, **options)["detection_false_positives_per_minute"]


def read(truth, pred, **options):
    """Exact accuracy and similarity of signs."""
    found = one({"ocr": truth}, {"ocr": pred}, **options)
    return tuple(found[name] for name in OCR)


# Detections: which find their object


def test_ground_truth_as_prediction_is_perfect_when_scores_differ():
    rng = random.Random(1)
    truth = [box(rng.randrange(9), rng.choice("abc"), [n, n, n + 5, n + 7]) for n in range(60)]
    pred = [each | {"score": place / 60} for place, each in enumerate(truth)]
    rng.shuffle(pred)
    found = detect(truth, pred)
    assert (found["map_50"], found["precision_at_recall"]) == (1.0, 1.0)
    assert found["detection_false_positives_per_minute"] == 0


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (box(), 0),
        (box(corners=[10, 10, 0, 0]), 0),  # two corners in any order
        (box(corners=[0, 10, 10, 0]), 0),
        (box(corners=[0, 0, 10, 5]), 0),  # exactly half
        (box(corners=[0, 0, 10, 4.99]), 1),
        (box(corners=[0, 0, 10, 20]), 0),  # half as well, from the other side
        (box(corners=[5, 0, 15, 10]), 1),  # a third
        (box(label="Cone"), 1),
        (box(frame=1), 1),
        (box(corners=[3, 3, 3, 9]), 1),  # no area
    ],
)
def test_a_detection_finds_an_object_of_its_class_and_frame_by_half_of_the_area(pred, expected):
    assert false_positives([box()], [pred | {"score": 0.9}]) == expected
    assert detect([box()], [pred | {"score": 0.9}])["map_50"] == 1 - expected


def test_boxes_without_area_find_each_other_neither():
    found = detect([box(corners=[3, 3, 3, 9])], [box(corners=[3, 3, 3, 9], score=0.9)])
    assert (found["map_50"], found["detection_false_positives_per_minute"]) == (0.0, 1)


def test_an_object_is_found_once_by_the_higher_score():
    # The first by score takes it though the second is closer: hit, then miss. AP 1, and one false positive.
    pred = [box(score=0.6), box(corners=[0, 0, 10, 6], score=0.7)]
    found = detect([box()], pred)
    assert (found["map_50"], found["detection_false_positives_per_minute"]) == (1.0, 1)


def test_a_detection_takes_the_closest_object():
    # Rows 0-10 and 4-14. The first detection, rows 3-13, is closer to the second object and leaves the first.
    truth = [box(), box(corners=[0, 4, 10, 14])]
    pred = [box(corners=[0, 3, 10, 13], score=0.9), box(score=0.8)]
    assert detect(truth, pred)["map_50"] == 1.0


@pytest.mark.parametrize("first", [0, 2])
def test_of_objects_equally_close_the_last_is_taken_as_in_pycocotools(first):
    # Rows 0-4 and 2-6; the first detection, rows 1-5, has 3/5 of both; the second, rows -1-3, has 3/5 of the upper one.
    upper, lower = box(corners=[0, 0, 1, 4]), box(corners=[0, 2, 1, 6])
    truth = [upper, lower] if first == 0 else [lower, upper]
    pred = [box(corners=[0, 1, 1, 5], score=0.9), box(corners=[0, -1, 1, 3], score=0.8)]
    # Upper first: the detections find the lower and the upper. Else only the upper is found: recall 1/2.
    assert detect(truth, pred)["map_50"] == (1.0 if first == 0 else pytest.approx(51 / 101, abs=1e-15))


# Detections that could not be read


MALFORMED = [
    None,
    [],
    [0, 0, 10],
    [0, 0, 10, 10, 10],
    [0, 0, 10, "10"],
    [0, 0, nan, 10],
    [0, 0, inf, 10],
    [0, 0, 10, True],
]


@pytest.mark.parametrize("corners", MALFORMED, ids=str)
def test_trap_20_a_box_that_cannot_be_read_is_a_false_positive_and_has_its_place_in_ap(corners):
    broken = {"frame": 0, "label": "cone", "box": corners, "score": 0.9}
    report = evaluate({"a": ({"detections": [box()]}, {"detections": [broken, box(score=0.8)]})})
    assert report["videos"]["a"]["map_50"] == 0.5  # miss, then hit
    assert report["videos"]["a"]["detection_false_positives_per_minute"] == 1
    assert report["pooled"]["invalid_detections"] == 1


def test_a_box_that_cannot_be_read_and_has_no_score_is_a_false_positive_and_nothing_else():
    found = detect([box()], [{"frame": 0, "label": "cone"}, box(score=0.8), box(score=0.3)])
    assert (found["map_50"], found["detection_false_positives_per_minute"]) == (1.0, 1)


def test_one_below_the_score_is_no_false_positive_whether_it_can_be_read_or_not():
    assert false_positives([box()], [{"frame": 0, "label": "cone", "box": None, "score": 0.49}]) == 0


# Detections: undefined or zero


def test_objects_without_detections_score_0():
    found = detect([box()], [])
    assert (found["map_50"], found["precision_at_recall"]) == (0.0, 0.0)
    assert found["detection_false_positives_per_minute"] == 0


def test_without_objects_there_is_no_ap_but_there_are_false_positives():
    found = detect([], [box(score=0.9), box(score=0.8)])
    assert (found["map_50"], found["precision_at_recall"]) == (None, None)
    assert found["detection_false_positives_per_minute"] == 2


@pytest.mark.parametrize("nothing", [{}, {"detections": None}])
def test_detections_on_one_side_only_are_not_measured(nothing):
    given = {"detections": [box(score=0.9)]}
    for found in (one(given, nothing), one(nothing, given)):
        assert found["map_50"] is found["detection_false_positives_per_minute"] is None


@pytest.mark.parametrize("score", [{}, {"score": 0.7}])
def test_trap_5_without_scores_or_with_equal_ones_only_false_positives_are_defined(score):
    found = detect([box()], [box(**score), box(1, **score)])
    assert (found["map_50"], found["precision_at_recall"]) == (None, None)
    assert found["detection_false_positives_per_minute"] == 1


def test_where_none_has_a_score_detections_are_certain():
    assert false_positives([box()], [box(), box(9)]) == 1


def test_one_without_a_score_beside_others_is_invalid_and_takes_no_object():
    assert false_positives([box()], [box(score=0.9), box()]) == 1
    video = MINUTE | {"detections": [box()]}
    pred = {"states": MINUTE, "fps": 10, "detections": [box(score=0.9), box(9, score=0.2), box()]}
    found = calipers.timeline({"a": video}, {"a": pred})["pooled"]
    assert (found["map_50"], found["precision_at_target"], found["invalid_detections"]) == (1.0, 1.0, 1)


# Detections: false positives a minute


@pytest.mark.parametrize(("score", "expected"), [(0.5, 2), (0.50001, 1), (0.7, 1), (0.70001, 0), (0, 3)])
def test_a_score_that_is_exactly_met_counts(score, expected):
    pred = [box(score=0.9), box(1, score=0.7), box(2, score=0.5), box(3, score=0.1)]
    assert false_positives([box()], pred, detection_score=score) == expected


def test_false_positives_by_hand_for_each_video_and_all_together():
    # a: 3 in one minute. b: 1 in two minutes. Mean of 3 and 1/2; all together 4 in 3 minutes.
    truth = {"a": MINUTE | {"detections": []}, "b": {"inside": [[0, 1199]], "detections": [box()]}}
    pred = {
        "a": {"fps": 10, "states": {}, "detections": [box(frame, score=0.8) for frame in (1, 1, 7)]},
        "b": {"fps": 10, "states": {}, "detections": [box(score=0.8), box(score=0.9), box(label="x", score=0.4)]},
    }
    report = calipers.timeline(truth, pred, bootstrap=0)
    name = "detection_false_positives_per_minute"
    assert [report["videos"][video][name] for video in "ab"] == [3.0, 0.5]
    assert (report["summary"][f"{name}_mean"], report["summary"][f"{name}_n"]) == (1.75, 2)
    assert report["pooled"][name] == pytest.approx(4 / 3, abs=1e-15)


def test_without_fps_nothing_is_counted_by_minute_and_others_stand_for_all():
    name = "detection_false_positives_per_minute"
    wrong = {"detections": [box(score=0.9)]}
    videos = {"a": ({"detections": []}, wrong), "b": ({"detections": []}, wrong | {"fps": 0})}
    report = evaluate(videos)
    assert [report["videos"][video][name] for video in "ab"] == [1.0, None]
    assert (report["summary"][f"{name}_n"], report["pooled"][name]) == (1, 1.0)
    given = evaluate(videos, fps=20)  # b: one in half a minute; together two in one and a half
    assert [given["videos"][video][name] for video in "ab"] == [1.0, 2.0]
    assert given["pooled"][name] == pytest.approx(4 / 3, abs=1e-15)


def test_with_the_extent_of_the_ground_truth_what_lies_beyond_is_cut_off():
    truth = {"detections": [box(599), box(600)], "ocr": [sign(599, "STOP"), sign(600, "SLOW")]}
    pred = {
        "states": {"inside": [[0, 1199]]},
        "detections": [box(599, score=0.9), box(601, score=0.8), box(900, score=0.7)],
        "ocr": [sign(599, "STOP")],
    }
    whole, cut = (one(truth, pred, extent=extent) for extent in ("union", "gt"))
    # Two minutes, two false positives, one of two objects and of two signs; or one minute, none, and all.
    assert (whole["detection_false_positives_per_minute"], cut["detection_false_positives_per_minute"]) == (1.0, 0.0)
    assert (whole["map_50"], cut["map_50"]) == (pytest.approx(51 / 101, abs=1e-15), 1.0)
    assert (whole["ocr_exact_accuracy"], cut["ocr_exact_accuracy"]) == (0.5, 1.0)


# Detections of all videos together


def test_classes_of_all_videos_together_by_hand():
    # cone: a has a hit of 0.9 and a miss of 0.6, b a hit of 0.7. Hit, hit, miss, of 3 objects: recall 2/3, 67 steps.
    # sign: b has a miss of 0.8 and a hit of 0.5, of one object: 1/2 everywhere. barrel is never found.
    a = [box(), box(1)], [box(score=0.9), box(2, score=0.6)]
    b = (
        [box(), box(label="sign"), box(label="barrel")],
        [box(score=0.7), box(1, "sign", score=0.8), box(label="sign", score=0.5), box(label="worker", score=0.1)],
    )
    videos = {name: ({"detections": truth}, {"detections": pred}) for name, (truth, pred) in {"a": a, "b": b}.items()}
    pooled = evaluate(videos)["pooled"]
    cone = pytest.approx(67 / 101, abs=1e-15)
    assert pooled["map_50_by_class"] == {"barrel": 0.0, "cone": cone, "sign": 0.5}
    assert pooled["precision_at_recall_by_class"] == {"barrel": 0.0, "cone": 0.0, "sign": 0.5}
    assert pooled["map_50"] == pytest.approx((67 / 101 + 1 / 2) / 3, abs=1e-15)
    assert pooled["precision_at_recall"] == pytest.approx(1 / 6, abs=1e-15)


def test_each_video_has_its_own_mean_and_the_summary_the_mean_of_these():
    videos = {
        "a": ({"detections": [box()]}, {"detections": [box(score=0.9)]}),
        "b": ({"detections": [box()]}, {"detections": [box(2, score=0.8), box(score=0.7)]}),
        "c": ({}, {}),
    }
    report = evaluate(videos)
    assert [report["videos"][video]["map_50"] for video in "abc"] == [1.0, 0.5, None]
    assert (report["summary"]["map_50_mean"], report["summary"]["map_50_n"]) == (0.75, 2)
    # hit of 0.9, miss of 0.8, hit of 0.7: 51 steps of 1, 50 of 2/3
    assert report["pooled"]["map_50"] == pytest.approx((51 + 50 * 2 / 3) / 101, abs=1e-15)


def test_trap_4_classes_that_are_only_predicted_are_named_beside_ap():
    invented = [box(frame, "ghost", score=0.9) for frame in range(20)]
    report = evaluate({"a": ({"detections": [box()]}, {"detections": [box(score=0.8), *invented]})})
    assert report["pooled"]["map_50"] == 1.0
    assert report["pooled"]["classes_without_ground_truth"] == {"ghost": 20}
    assert report["pooled"]["detection_false_positives_per_minute"] == 20


def test_trap_5_the_order_of_the_file_decides_nothing_while_scores_differ():
    rng = random.Random(4)
    truth = [box(rng.randrange(5), rng.choice("ab"), [n, n, n + 9, n + 9]) for n in range(0, 80, 2)]
    pred = [each | {"score": rng.random()} for each in truth] + [box(n, "a", FAR, score=rng.random()) for n in range(9)]
    expected = detect(truth, pred)
    for _ in range(5):
        assert detect(rng.sample(truth, len(truth)), rng.sample(pred, len(pred))) == expected


def test_videos_may_come_one_by_one_and_in_any_order():
    videos = {
        name: ({"detections": [box(), box(1)], "ocr": [sign(3, "STOP")], "runtime": None},
               {"detections": [box(score=0.5), box(2, score=score)], "ocr": [sign(3, "TOP")],
                "runtime": {"frames": 7, "seconds": score}})
        for name, score in (("a", 0.5), ("b", 0.1), ("c", 0.7))
    }  # fmt: skip
    together, meter = evaluate(videos), calipers.TimelineMeter(bootstrap=0)
    for name in "cab":
        truth, pred = videos[name]
        meter.update({name: MINUTE | truth}, {name: {"fps": 10, "states": MINUTE} | pred})
    assert {name: meter.compute()[name] for name in ("videos", "summary", "pooled")} == {
        name: together[name] for name in ("videos", "summary", "pooled")
    }


# Signs


def test_signs_read_exactly_are_perfect_in_any_order():
    rng = random.Random(2)
    place = [0, 0, 8, 8]
    signs = [sign(0, "EXIT", place), sign(0, "CLOSED", place), sign(5, "EXIT", place), sign(5, "45")]
    signs += [sign(frame, rng.choice(["STOP", "SLOW", ""])) for frame in range(0, 60, 3)]
    for _ in range(5):
        assert read(signs, rng.sample(signs, len(signs))) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("SPEED LIMIT 45", 1),
        (" SPEEDLIMIT\t45\n", 1),
        ("SPEED\u3000LIMIT 45", 1),
        ("Speed Limit 45", 0),
        ("SPEED-LIMIT 45", 0),
    ],
)
def test_exact_is_apart_from_white_space_only(text, exact):
    assert read([sign(0, "SPEED LIMIT 45")], [sign(0, text)])[0] == exact


def test_similarity_by_hand():
    # SPEEDLIMIT45 has 12 letters, one of them is wrong: 11/12. KEEPRIGHT lacks 5 of its 9: 4/9.
    truth = [sign(0, "SPEED LIMIT 45"), sign(100, "KEEP RIGHT")]
    exact, similarity = read(truth, [sign(0, "SPEED LIMIT 46"), sign(100, "KEEP")])
    assert (exact, similarity) == (0.0, pytest.approx((11 / 12 + 4 / 9) / 2, abs=1e-12))


def test_a_sign_without_a_partner_counts_as_0():
    assert read([sign(0, "STOP"), sign(300, "STOP")], [sign(0, "STOP")]) == (0.5, 0.5)


def test_a_text_is_the_partner_of_one_sign_only():
    assert read([sign(0, "STOP"), sign(1, "STOP")], [sign(0, "STOP")]) == (0.5, 0.5)


def test_texts_that_no_sign_has_cost_nothing():
    assert read([sign(0, "STOP")], [sign(0, "STOP"), sign(0, "TOP"), sign(9, "NOISE")]) == (1.0, 1.0)


@pytest.mark.parametrize(("frame", "exact"), [(84, 0), (85, 1), (115, 1), (116, 0)])
@pytest.mark.parametrize("corners", [None, SQUARE])
def test_the_edge_of_the_window_is_within_it(frame, exact, corners):
    assert read([sign(100, "STOP", corners)], [sign(frame, "STOP", corners)])[0] == exact


def test_a_window_of_0_is_the_same_frame():
    signs = [sign(100, "STOP"), sign(200, "SLOW")]
    assert read(signs, [sign(100, "STOP"), sign(201, "SLOW")], ocr_window_frames=0)[0] == 0.5


@pytest.mark.parametrize(
    ("corners", "expected"),
    [(SQUARE, 0.75), ([10, 10, 0, 0], 0.75), ([0, 0, 10, 5], 0.75), ([0, 0, 10, 4.99], 0), (FAR, 0)],
)
def test_boxes_make_partners_when_they_overlap_by_half(corners, expected):
    assert read([sign(0, "STOP", SQUARE)], [sign(0, "STOR", corners)]) == (0, expected)


def test_with_boxes_on_both_the_place_decides_and_not_the_text():
    # What was read at the first sign is what stands on the second, and the other way round.
    truth = [sign(0, "STOP", SQUARE), sign(0, "SLOW", FAR)]
    assert read(truth, [sign(0, "SLOW", SQUARE), sign(0, "STOP", FAR)]) == (0.0, 0.5)  # S and O agree in both


def test_partners_by_place_may_have_nothing_in_common():
    assert read([sign(0, "STOP", SQUARE)], [sign(0, "45", SQUARE)]) == (0.0, 0.0)


@pytest.mark.parametrize("corners", [(SQUARE, None), (None, SQUARE), (None, None)])
def test_with_a_box_on_one_side_only_the_text_decides(corners):
    truth = [sign(0, "STOP", corners[0]), sign(0, "SLOW", corners[0])]
    assert read(truth, [sign(0, "SLOW", corners[1]), sign(0, "STOP", corners[1])]) == (1.0, 1.0)


def test_a_sign_read_exactly_keeps_its_text_though_more_partners_could_be_had():
    # STOP-STOP 1, STOP-TOP 3/4, SPEED-STOP 1/5, SPEED-TOP 0. Two pairs would leave no sign read exactly.
    assert read([sign(0, "STOP"), sign(0, "SPEED")], [sign(0, "STOP"), sign(0, "TOP")]) == (0.5, 0.5)


def test_of_texts_equally_close_the_nearer_in_time_is_the_partner():
    # One sign shows two texts in turn, at one place. By time EXIT-EXIT and CLOSED-CLOSED; by order it would be crossed.
    truth = [sign(0, "EXIT", SQUARE), sign(10, "CLOSED", SQUARE)]
    assert read(truth, [sign(11, "CLOSED", SQUARE), sign(2, "EXIT", SQUARE)]) == (1.0, 1.0)


def test_at_one_place_what_is_read_at_that_time_is_what_was_read_of_the_sign():
    # The better reading is five frames late: 3/4 and not 1.
    assert read([sign(10, "STOP", SQUARE)], [sign(10, "STOR", SQUARE), sign(15, "STOP", SQUARE)]) == (0.0, 0.75)


def test_no_text_read_is_0_and_none_given_or_no_sign_is_undefined():
    assert read([sign(0, "STOP")], []) == (0.0, 0.0)
    assert read([sign(0, "STOP")], None) == read(None, [sign(0, "STOP")]) == (None, None)
    assert read([], [sign(0, "STOP")]) == (None, None)


def test_signs_of_all_videos_together():
    # a reads one of one, b one of three: mean of 1 and 1/3; together two of four.
    videos = {
        "a": ({"ocr": [sign(0, "STOP")]}, {"ocr": [sign(0, "STOP")]}),
        "b": ({"ocr": [sign(frame, "STOP") for frame in (0, 100, 200)]}, {"ocr": [sign(0, "STOP")]}),
    }
    report = evaluate(videos)
    for name in OCR:
        assert report["pooled"][name] == 0.5
        assert report["summary"][f"{name}_mean"] == pytest.approx(2 / 3, abs=1e-12)


# Runtime


def test_runtime_is_frames_by_seconds_and_apart_from_the_fps_of_the_video():
    videos = {
        "a": ({}, {"runtime": {"frames": 600, "seconds": 20}}),
        "b": ({}, {"runtime": {"frames": 100, "seconds": 0.5}}),
        "c": ({}, {"runtime": None}),
    }
    report = evaluate(videos)
    assert [report["videos"][video]["runtime_fps"] for video in "abc"] == [30.0, 200.0, None]
    assert (report["summary"]["runtime_fps_mean"], report["summary"]["runtime_fps_n"]) == (115.0, 2)
    assert report["pooled"]["runtime_fps"] == pytest.approx(700 / 20.5, abs=1e-12)
    assert report["summary"]["fps_estimate_mean"] == 10.0


@pytest.mark.parametrize("seconds", [0, 0.0, 5e-324])
def test_no_time_at_all_is_no_measurement_and_stays_out_of_the_whole(seconds):
    runtimes = {"a": {"frames": 600, "seconds": seconds}, "b": {"frames": 30, "seconds": 2}}
    report = evaluate({name: ({}, {"runtime": runtime}) for name, runtime in runtimes.items()})
    assert [report["videos"][video]["runtime_fps"] for video in "ab"] == [None, 15.0]
    assert report["pooled"]["runtime_fps"] == 15.0


def test_no_frames_in_some_time_are_0_a_second():
    assert one({}, {"runtime": {"frames": 0, "seconds": 2}})["runtime_fps"] == 0.0


def test_runtime_of_the_ground_truth_is_no_measurement_of_the_prediction():
    assert one({"runtime": {"frames": 1, "seconds": 1}}, {})["runtime_fps"] is None


# Timeline CSV


def from_csv(tmp_path, text, **truth):
    path = tmp_path / "a_timeline_fusion.csv"
    path.write_text(text, encoding="utf-8")
    return calipers.timeline({"a.mp4": MINUTE | truth}, path, bootstrap=0)["videos"]["a.mp4"]


def test_runtime_from_milliseconds_in_a_csv(tmp_path):
    # 40 + 10 ms for two frames; the row without a time does not count.
    rows = "frame,time_sec,state,runtime_ms\n0,0.0,inside,40\n1,0.1,inside,\n2,0.2,inside,10\n"
    found = from_csv(tmp_path, rows)
    assert (found["runtime_fps"], found["fps_estimate"]) == (pytest.approx(40.0, abs=1e-12), pytest.approx(10.0))


def test_a_csv_without_runtimes_has_none(tmp_path):
    assert from_csv(tmp_path, "frame,state\n0,inside\n")["runtime_fps"] is None
    assert from_csv(tmp_path, "frame,state,runtime_ms\n0,inside,0\n")["runtime_fps"] is None


def test_signs_from_a_csv(tmp_path):
    rows = "frame,state,ocr_text\n0,inside,\n10,inside,STOP\n20,inside,\n30,inside,SLOV\n"
    found = from_csv(tmp_path, rows, ocr=[sign(25, "STOP"), sign(30, "SLOW")], detections=[box()])
    assert tuple(found[name] for name in OCR) == (0.5, pytest.approx(7 / 8, abs=1e-12))
    assert found["map_50"] is None


# What cannot be read


@pytest.mark.parametrize(
    ("extras", "problem"),
    [
        ({"detections": {}}, "detections: found {}, expected a list"),
        ({"detections": [box(), 7]}, "detections[1]: found 7, expected an object"),
        ({"detections": [box(1.5)]}, "detections[0].frame: found 1.5, expected a whole frame"),
        ({"detections": [box(-1)]}, "detections[0].frame: found -1, expected a whole frame"),
        ({"detections": [box(True)]}, "detections[0].frame: found true, expected a whole frame"),
        ({"detections": [box(label=3)]}, "detections[0].label: found 3, expected a text"),
        ({"ocr": "STOP"}, 'ocr: found "STOP", expected a list'),
        ({"ocr": [sign(0, None)]}, "ocr[0].text: found null, expected a text"),
        ({"ocr": [sign(0, "a"), sign(0, "b", [1, 2])]}, "ocr[1].box: found [1, 2], expected [x1, y1, x2, y2]"),
    ],
)
def test_malformed_ground_truth_ends_the_run_and_a_malformed_prediction_is_the_error_of_its_video(extras, problem):
    with pytest.raises(InputError) as caught:
        one(extras, {})
    assert str(caught.value) == f'<gt>: "a": {problem}'
    assert one({}, extras) == {"error": f"invalid prediction: {problem}"}


def test_ground_truth_needs_boxes_that_can_be_read():
    with pytest.raises(InputError) as caught:
        one({"detections": [box(corners=[0, 0, 10])]}, {})
    assert str(caught.value) == '<gt>: "a": detections[0].box: found [0, 0, 10], expected [x1, y1, x2, y2]'


@pytest.mark.parametrize(
    ("extras", "problem"),
    [
        ({"detections": [box(score="high")]}, 'detections[0].score: found "high", expected a number'),
        ({"runtime": 3}, "runtime: found 3, expected {frames, seconds}"),
        ({"runtime": {"frames": 3}}, "runtime.seconds: found null, expected a number of at least 0"),
        ({"runtime": {"frames": -1, "seconds": 1}}, "runtime.frames: found -1, expected a number of at least 0"),
    ],
)
def test_scores_and_runtimes_have_to_be_numbers(extras, problem):
    assert one({}, extras) == {"error": f"invalid prediction: {problem}"}


def test_numbers_and_boxes_may_be_those_of_numpy():
    truth = [box(np.int64(3), corners=np.array(SQUARE, dtype=np.int32))]
    pred = [{"frame": np.int32(3), "label": "cone", "box": np.array(SQUARE, np.float32), "score": np.float32(0.5)}]
    found = detect(truth, pred)
    assert (found["map_50"], found["detection_false_positives_per_minute"]) == (1.0, 0)
