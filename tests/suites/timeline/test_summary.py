"""The console summary of timelines on results small enough to check by hand."""

import copy
import re

import pytest

import calipers
from calipers.suites.timeline.summary import summary

#              0         10        20        30        39
#   a  truth   |outside  |approach |inside   |outside  |
#      pred    |outside    |approach |inside   |outside|      two frames late, 10 frames a second
#   b  truth   |outside  |inside   |
#      pred    |outside            |                          nobody knows how fast
TRUTH = {
    "a.mp4": {"outside": [[0, 9], [30, 39]], "approaching": [[10, 19]], "inside": [[20, 29]]},
    "b.mp4": {"outside": [[0, 9]], "inside": [[10, 19]]},
    "c.mp4": {},
    "d.mp4": {"inside": [[0, 5]]},
    "e.mp4": {"inside": [[0, 5]]},
}
PRED = {
    "a.mp4": {"fps": 10, "states": {"outside": [[0, 11], [32, 39]], "approaching": [[12, 21]], "inside": [[22, 31]]}},
    "b.mp4": {"states": {"outside": [[0, 19]]}},
    "e.mp4": {"states": {"inside": [[5, 1]]}},
    "z.mp4": {"states": {}},
}
MEANS = " mean over videos                        95 % interval   videos   all videos as one"
SWEEP = " Tolerance (frames)   Videos Evaluated   Frame Acc   Event Prec/Rec    Transition Prec/Rec/Acc"


def lines_of(*names, truth=TRUTH, pred=PRED, **options):
    """The summary of some of the videos, without intervals unless they are asked for."""
    some = {name: truth[name] for name in names or truth}
    return str(calipers.timeline(some, pred, **({"bootstrap": 0} | options))).split("\n")


def test_the_summary_says_what_was_read_how_good_it_is_and_where_it_goes_wrong():
    # accuracy       a 34/40, b 10/20; of all frames 44/60
    # IoU            a outside 18/22, approaching 8/12, inside 8/12; b outside 10/20, inside 0/10
    # F1             a 36/40, 16/20, 16/20; b 20/30, 0
    # events         a found, b missed and nothing predicted
    # transitions    a 0 of 3 and 3; b 0 of 1 and none
    # coverage       a 18/20, b 0/10;  late  a 2/20, b all;  false  a frames 30 and 31 of 20, b 0 of 10
    # edit           a the same 4 runs, b 1 of 2;  segments  a 4 of 4 and 4, b 1 of 2 and 1: (2·5) / 11 of all
    assert lines_of() == [
        "<gt> · <pred>   transitions ±0 frames · idle outside · focus inside",
        (
            "videos    5 in the ground truth · 2 evaluated · 1 empty_ground_truth · 1 invalid prediction"
            " · 1 missing predictions or states"
        ),
        "fps       known for 1 of 2 videos; times are of those (`fps=…` gives one to the others)",
        "ignored   1 predicted without ground truth: z.mp4",
        "",
        MEANS,
        # a has 4 seconds and one stretch of false activation, 15 a minute; its zone is found, that of b is missed
        " lead time, s before the zone      0.80        —              1   0.80",
        " false alarms a minute            15.00        —              1",
        " missed zones                     0.500        —              2   0.500",
        " frame accuracy                   0.675        —              2   0.733",
        " mean IoU of states               0.484        —              2",
        " macro F1 of states               0.583        —              2",
        " event recall                     0.500        —              2   0.500",
        " event precision                  1.000        —              1   1.000",
        " advisory event recall            0.500        —              2   0.500",
        " advisory event precision         1.000        —              1   1.000",
        " transition recall                0.000        —              2   0.000",
        " transition precision             0.000        —              1   0.000",
        " advisory coverage                0.450        —              2",
        " late advisory rate               0.550        —              2",
        " false activation rate            0.050        —              2",
        " edit score                       0.750        —              2",
        " segmental F1 at 0.50             0.833        —              2   0.909",
        "",
        # every transition of a is 2 frames late, 0.2 s
        " transitions          recall 0.000, precision 0.000 within ±0 frames",
        "                      recall 1.000, precision 1.000 within 0.5 s (1 of 2 videos)",
        "                      recall 1.000, precision 1.000 within 1 s (1 of 2 videos)",
        # a begins 2 frames late (10, 11), is approaching for 2 more (20, 21), ends 2 late (30, 31): 2/40 each, b 10/20
        " fix first            deletion +0.250 · late end +0.025 · late start +0.025 · substitution +0.025",
        " wrong frames         10 deletion in 1 stretch · 2 late end in 1 · 2 late start in 1 · 2 substitution in 1",
        # a has 4 seconds: 15 of it are a minute; the advisory begins 8 frames before frame 20
        " first entry, off     2 frames (0.2 s)",
        " first warning, late  2 frames (0.2 s)",
        " time in error        8 frames (0.6 s in 1 of 2 videos)",
        " found events         warned of 2 frames late · 0.8 s before the zone itself",
        " in a minute          15 stretches of false activation · 45 state changes predicted",
        " worst videos         b.mp4  accuracy 0.500, event recall 0.000, late 1.000",
        "                      a.mp4  accuracy 0.850, event recall 1.000, late 0.100",
        " not evaluated        c.mp4: empty_ground_truth",
        "                      d.mp4: missing predictions or states",
        (
            "                      e.mp4: invalid prediction: states.inside[0]: found [5, 1], expected [first, last], "
            "whole frames with 0 <= first <= last <= 1000000000000"
        ),
    ]


def test_a_sweep_has_a_row_for_each_tolerance():
    lines = lines_of("a.mp4", "b.mp4", "c.mp4", transition_tolerance_frames="0,1,2")
    assert lines[0] == "<gt> · <pred>   transitions ±0, 1, 2 frames · idle outside · focus inside"
    start = lines.index(SWEEP)
    # all transitions of a are two frames late; b has one that is missed
    assert lines[start - 1 : start + 9] == [
        "",
        SWEEP,
        "                  0              2 / 3      0.6750   1.0000 / 0.5000   0.0000 / 0.0000 / 0.0000",
        "                  1              2 / 3      0.6750   1.0000 / 0.5000   0.0000 / 0.0000 / 0.0000",
        "                  2              2 / 3      0.6750   1.0000 / 0.5000   1.0000 / 0.5000 / 0.5000",
        "",
        " transitions          recall 0.000, precision 0.000 within ±0 frames",
        "                      recall 1.000, precision 1.000 within 0.5 s (1 of 2 videos)",
        "                      recall 1.000, precision 1.000 within 1 s (1 of 2 videos)",
        " fix first            deletion +0.250 · late end +0.025 · late start +0.025 · substitution +0.025",
    ]


def test_rows_of_a_sweep_stand_in_the_order_they_were_asked_for():
    lines = lines_of("a.mp4", transition_tolerance_frames=[30, 0, 5])
    start = lines.index(SWEEP)
    assert [line.split()[0] for line in lines[start + 1 : start + 4]] == ["30", "0", "5"]


def test_what_is_undefined_in_a_sweep_is_a_dash():
    lines = lines_of("b.mp4", transition_tolerance_frames="0,5")
    row = "              1 / 1      0.5000   — / 0.0000        — / 0.0000 / 0.0000"
    assert [line for line in lines if " / " in line and "Prec" not in line] == [
        "                  0" + row,
        "                  5" + row,
    ]


def test_one_tolerance_makes_no_table():
    assert not any("Tolerance" in line for line in lines_of(transition_tolerance_frames=5))
    assert lines_of(transition_tolerance_frames=5)[0].startswith("<gt> · <pred>   transitions ±5 frames")


def test_intervals_stand_beside_their_means():
    tree = copy.deepcopy(calipers.timeline(TRUTH, PRED, bootstrap=0).tree)
    tree["summary"]["frame_accuracy_interval"] = [0.5, 0.85]
    assert " frame accuracy                   0.675   0.500–0.850         2   0.733" in summary(tree).split("\n")
    assert any(re.search(r"0\.\d{3}–0\.\d{3}", line) for line in lines_of(bootstrap=200))


def test_without_fps_nothing_is_said_by_second_or_minute():
    lines = lines_of("b.mp4", pred={"b.mp4": PRED["b.mp4"]})
    assert lines[-3:] == [
        " time in error        10 frames",
        " in a minute          — (no fps is known, so nothing by second or minute; `fps=…` gives one)",
        " worst videos         b.mp4  accuracy 0.500, event recall 0.000, late 1.000",
    ]
    lines = lines_of("b.mp4", fps=5)
    # 4 seconds, 15 of them a minute, and no alarm in them
    assert " time in error        10 frames (2 s)" in lines
    assert " in a minute          0 stretches of false activation · 0 state changes predicted" in lines


def test_when_nothing_was_evaluated_it_says_why():
    assert lines_of("c.mp4", "d.mp4", pred={}) == [
        "<gt> · <pred>   transitions ±0 frames · idle outside · focus inside",
        "videos    2 in the ground truth · 0 evaluated · 1 empty_ground_truth · 1 missing predictions or states",
        "",
        " not evaluated        c.mp4: empty_ground_truth",
        "                      d.mp4: missing predictions or states",
    ]


def test_perfect_predictions_have_no_worst_video():
    pred = {"a.mp4": {"fps": 10, "states": TRUTH["a.mp4"]}}
    lines = lines_of("a.mp4", pred=pred)
    assert not any("worst" in line for line in lines)
    assert " frame accuracy                   1.000        —              1   1.000" in lines
    assert " in a minute          0 stretches of false activation · 45 state changes predicted" in lines


def test_detections_and_signs_are_told_when_there_are_some():
    sign, box = {"frame": 5, "text": "STOP"}, {"frame": 5, "label": "cone", "box": [0, 0, 9, 9]}
    truth = {"a": TRUTH["a.mp4"] | {"detections": [box, box | {"frame": 7}], "ocr": [sign]}}
    found = [box | {"score": 0.9}, box | {"frame": 7, "score": 0.8}]
    pred = {"a": PRED["a.mp4"] | {"detections": found, "ocr": [sign | {"text": "STEP"}]}}
    lines = lines_of(truth=truth, pred=pred)
    assert " detections, mAP at 0.50          1.000        —              1   1.000" in lines
    assert " signs read exactly               0.000        —              1   0.000" in lines
    assert not any(line.startswith((" detections", " signs")) for line in lines_of("a.mp4"))


# How much is shown


@pytest.mark.parametrize(("top", "shown"), [(0, []), (1, ["b"]), (2, ["b", "a"]), (5, ["b", "a"])])
def test_the_worst_videos_are_named_up_to_the_number_asked_for(top, shown):
    lines = [line for line in lines_of("a.mp4", "b.mp4", top=top) if "accuracy 0" in line]
    assert [line[22] for line in lines] == shown
    assert all(line.startswith(" worst videos" if place == 0 else " " * 22) for place, line in enumerate(lines))


def test_equally_bad_videos_stand_in_the_order_of_their_names():
    truth, pred = dict.fromkeys("cab", TRUTH["b.mp4"]), dict.fromkeys("bca", PRED["b.mp4"])
    lines = [line for line in lines_of(truth=truth, pred=pred, top=2) if "accuracy 0" in line]
    assert [line[22] for line in lines] == ["a", "b"]


def test_more_videos_that_were_not_evaluated_are_counted():
    truth = {f"{number:04}": {} for number in range(1500)}
    lines = lines_of(truth=truth, pred={}, top=2)
    assert lines[1] == "videos    1,500 in the ground truth · 0 evaluated · 1,500 empty_ground_truth"
    assert lines[-3:] == [
        " not evaluated        0000: empty_ground_truth",
        "                      0001: empty_ground_truth",
        "                      1,498 more in the artifact",
    ]


def test_rejected_videos_are_counted_and_told_with_their_problem():
    lines = lines_of(truth={"x": {"inside": [[5, 2]]}}, pred={}, max_bad_records=1)
    assert lines[1] == "videos    1 in the ground truth · 0 evaluated · 1 invalid ground truth"
    assert lines[3].startswith(" not evaluated        x: invalid ground truth: inside[0]: found [5, 2], expected ")


def test_of_many_predictions_without_ground_truth_three_are_named():
    pred = {f"{number}": {} for number in range(2005)}
    line = lines_of("c.mp4", pred=pred)[2]
    assert line == "ignored   2,005 predicted without ground truth: 0, 1, 10 and 2,002 more"


def test_long_names_and_problems_are_cut():
    name = "x" * 500
    pred = {name: {"states": {"s" * 500: 5}}, "y" * 500: {}}
    lines = lines_of(truth={name: TRUTH["b.mp4"]}, pred=pred)
    assert all(len(line) <= 300 for line in lines)
    assert any(f"{'x' * 59}…" in line for line in lines)


# What comes from elsewhere


HOSTILE = {
    "\x1b[2J": "\\x1b[2J",
    "a\nb\r\tc": "a\\x0ab\\x0d\\x09c",
    "\u202egnp.exe": "\\u202egnp.exe",
    "\x9b31mred\x07\x7f": "\\x9b31mred\\x07\\x7f",
    "\u2028\u2029\ufeff\u200b": "\\u2028\\u2029\\ufeff\\u200b",
    "标签 é ±": "标签 é ±",
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.items())
def test_trap_40_hostile_text_is_shown_and_not_obeyed(text, shown):
    truth = {text: TRUTH["b.mp4"], f"{text} 2": TRUTH["b.mp4"]}
    pred = {text: PRED["b.mp4"], f"{text} 2": {"states": {text: 5}}, f"{text} 3": {}}
    report = calipers.timeline(truth, pred, bootstrap=0, idle=f"{text} 4", focus=f"{text} 5")
    tree = copy.deepcopy(report.tree)
    tree["inputs"][0]["path"] = text
    told = summary(tree)
    # once each as input, idle and focus state, prediction without truth and worst video; twice in a problem
    assert told.count(shown) == 7
    assert all(char.isprintable() for line in told.split("\n") for char in line)


def test_no_line_ends_in_blanks():
    for names in ((), ("a.mp4",), ("b.mp4",), ("c.mp4",)):
        for options in ({}, {"transition_tolerance_frames": "0,5", "bootstrap": 100}):
            assert not re.search(r"[ \t]+$", "\n".join(lines_of(*names, **options)), re.MULTILINE)


def test_false_boxes_and_runtime_are_told_where_they_exist():
    box = {"frame": 1, "label": "cone", "box": [0, 0, 9, 9]}
    truth = {"a": {"inside": [[0, 59]], "detections": [box]}}
    guess = {"fps": 1, "states": {"inside": [[0, 59]]}, "detections": [box | {"frame": 5, "score": 0.9}]}
    tree = calipers.timeline(truth, {"a": guess | {"runtime": {"frames": 60, "seconds": 2}}}, bootstrap=0).tree
    line = " detector             1 false boxes a minute (1 video) · 30 frames a second of runtime (1 video)"
    assert line in summary(tree).split("\n")
    assert not any(line.startswith(" detector") for line in lines_of())
