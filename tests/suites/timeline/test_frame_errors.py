"""Wrong frames by kind; every case is drawn, one letter a frame.

Letters are active states, a dot is a frame that no interval covers: idle. A third line says of what kind each wrong
frame is, in the letters of LETTERS.
"""

import json
import re

import pytest

import calipers
from calipers.suites.timeline.frame_errors import KIND, KINDS, error_stretches

LETTERS = {
    "i": "insertion",
    "m": "merge",
    "s": "overfill_start",
    "e": "overfill_end",
    "d": "deletion",
    "f": "fragmentation",
    "S": "underfill_start",
    "E": "underfill_end",
    "x": "substitution",
}


def intervals(drawing):
    """{state: [[first, last], …]}; the last frame has an interval even if it is idle, so that it is compared."""
    found = {}
    for run in re.finditer(r"(\w)\1*", drawing):
        found.setdefault(run[1], []).append([run.start(), run.end() - 1])
    if drawing.endswith("."):
        found["idle"] = [[len(drawing) - 1, len(drawing) - 1]]
    return found


def evaluate(*drawn, **options):
    """The report of videos that are drawn as (truth, prediction)."""
    truth = {f"v{place}": intervals(one) for place, (one, _) in enumerate(drawn)}
    pred = {f"v{place}": {"states": intervals(other)} for place, (_, other) in enumerate(drawn)}
    return calipers.timeline(truth, pred, **{"idle": "idle", "focus": "A", "bootstrap": 0, **options})


def plain(errors):
    """{kind: (frames, stretches)} of the kinds that occur."""
    assert list(errors) == list(KINDS)
    return {kind: (each["frames"], each["stretches"]) for kind, each in errors.items() if each["frames"]}


def errors_of(truth, pred, **options):
    return plain(evaluate((truth, pred), **options)["videos"]["v0"]["frame_errors"])


@pytest.mark.parametrize(
    ("truth", "pred", "expected"),
    [
        # active in the prediction only
        (
            "..........",
            "...AAA....",  #   iii
            {"insertion": (3, 1)},
        ),
        (
            "AAA...AAA.",
            "AAAAAAAAA.",  #   mmm
            {"merge": (3, 1)},
        ),
        (
            "....AAAA..",
            ".AAAAAAA..",  # sss
            {"overfill_start": (3, 1)},
        ),
        (
            "..AAAA....",
            "..AAAAAA..",  #      ee
            {"overfill_end": (2, 1)},
        ),
        # active in the truth only
        (
            "...AAA....",
            "..........",  #   ddd
            {"deletion": (3, 1)},
        ),
        (
            "AAAAAAAAA.",
            "AAA...AAA.",  #   fff
            {"fragmentation": (3, 1)},
        ),
        (
            ".AAAAAAA..",
            "....AAAA..",  # SSS
            {"underfill_start": (3, 1)},
        ),
        (
            "..AAAAAA..",
            "..AAAA....",  #      EE
            {"underfill_end": (2, 1)},
        ),
        # active in both, in different states
        (
            "..AAABBB..",
            "..BBBBCC..",  # xxx xx: A taken for B, B taken for C
            {"substitution": (5, 2)},
        ),
        # all of it right
        ("..AABB..", "..AABB..", {}),
        ("....", "....", {}),
    ],
    ids=[*KINDS, "right", "nothing"],
)
def test_each_kind_alone(truth, pred, expected):
    assert errors_of(truth, pred) == expected


@pytest.mark.parametrize(
    ("truth", "pred", "kinds"),
    [
        # a stretch is as long as both sides stay active or idle, whatever states there are in it
        ("............", "..AABBAA....", "  iiiiii    "),
        ("..AABBAA....", "............", "  dddddd    "),
        ("AAA.....BBB.", "AAABBBAABBB.", "   mmmmm    "),
        # activations that touch without a frame in both: neither neighbour is active in both
        ("...AAA......", "......AAA...", "   dddiii   "),
        ("......AAA...", "...AAA......", "   iiiddd   "),
        # the neighbour is active in both also where its states differ
        ("....AAA.....", "..BBBBB.....", "  ssxxx     "),
        ("..AAA.......", "..BBBBB.....", "  xxxee     "),
        # one neighbour active in both, the other active in one
        ("..AAAA......", "....AAAA....", "  SS  ee    "),
        ("....AAAA....", "..AAAA......", "  ss  EE    "),
        ("..AAA...AAA.", "..AAAAA...A.", "     ee SS  "),
        ("..AAAA...AA.", "..AAA.AA.AA.", "     Eii    "),
        # a pause that is predicted on both of its sides is two errors
        ("..AAAAAAAA..", "..AA.AA.AA..", "    f  f    "),
        # beyond the ends of a video neither side is active
        ("AAAA........", "............", "dddd        "),
        ("............", "AAAA........", "iiii        "),
        ("........AAAA", "............", "        dddd"),
        ("............", "........AAAA", "        iiii"),
        ("AAAAAA......", "..AAAA......", "SS          "),
        ("..AAAA......", "AAAAAA......", "ss          "),
        ("......AAAAAA", "......AAAA..", "          EE"),
        ("......AAAA..", "......AAAAAA", "          ee"),
        ("AAAAAAAAAAAA", "............", "d" * 12),
        ("............", "AAAAAAAAAAAA", "i" * 12),
        ("AAAAAAAAAAAA", "BBBBBBBBBBBB", "x" * 12),
        # a substitution ends where either state changes
        ("AAAABBBBBBBB", "CCCCCCAABBBB", "xxxxxxxx    "),
        # everything at once
        ("..AAAA....II", ".EEAA.AAA.II", " sx  Eiii   "),
    ],
)
def test_where_they_are(truth, pred, kinds):
    report = evaluate((truth, pred))
    stretches = report.cases_of(["v0"])["v0"]["frame_errors"]
    shown = [" "] * len(truth)
    letter = {kind: letter for letter, kind in LETTERS.items()}
    for kind, first, last in stretches:
        shown[first : last + 1] = letter[kind] * (last + 1 - first)
    assert "".join(shown) == kinds
    assert plain(report["videos"]["v0"]["frame_errors"]) == counted(stretches)


def counted(stretches):
    found = {}
    for kind, first, last in stretches:
        frames, count = found.get(kind, (0, 0))
        found[kind] = frames + last + 1 - first, count + 1
    return {kind: found[kind] for kind in KINDS if kind in found}


def test_a_substitution_has_a_stretch_for_every_two_states():
    # truth  AAAABBBBBBBB     A as C, B as C, B as A: three stretches of 4, 2 and 2 frames
    # pred   CCCCCCAABBBB
    assert errors_of("AAAABBBBBBBB", "CCCCCCAABBBB") == {"substitution": (8, 3)}


def test_idle_is_the_state_that_the_option_names():
    # truth  AAAABBBB     with B idle: a late end of 2 frames, and A is active from the first frame on
    # pred   AAAAAABB
    assert errors_of("AAAABBBB", "AAAAAABB", idle="B") == {"overfill_end": (2, 1)}
    assert errors_of("AAAABBBB", "AAAAAABB", idle="A") == {"underfill_start": (2, 1)}
    assert errors_of("AAAABBBB", "AAAAAABB") == {"substitution": (2, 1)}


def test_frames_beyond_the_ground_truth_count_if_they_are_compared():
    # truth  ..AAAA
    # pred   ..AAAAAAAA     four frames of a late end; by --extent gt they are cut off
    assert errors_of("..AAAA", "..AAAAAAAA") == {"overfill_end": (4, 1)}
    assert errors_of("..AAAA", "..AAAAAAAA", extent="gt") == {}


def test_states_that_are_no_segments_are_compared_as_any_other():
    assert errors_of("..AAAA..", "..BBBBB.", ignore_states=["B"]) == {"overfill_end": (1, 1), "substitution": (4, 1)}


def test_videos_add_up_and_means_weigh_them_alike():
    # v0  truth  ..AAAA..      2 of 8 frames late end
    #     pred   ..AAAAAA
    # v1  truth  AAAA          1 of 4 frames substitution, 1 of 4 late start
    #     pred   .BAA
    # v2  truth  AA..          right
    #     pred   AA..
    report = evaluate(("..AAAA..", "..AAAAAA"), ("AAAA", ".BAA"), ("AA..", "AA.."))
    assert plain(report["pooled"]["frame_errors"]) == {
        "overfill_end": (2, 1),
        "underfill_start": (1, 1),
        "substitution": (1, 1),
    }
    gains = report["worth"]["frame_accuracy"]
    assert list(gains) == list(KINDS)
    third = pytest.approx(0.25 / 3, abs=1e-15)  # a quarter in one of three videos
    assert {kind: each["gain"] for kind, each in gains.items() if each["gain"]} == {
        "overfill_end": third,
        "underfill_start": third,
        "substitution": third,
    }
    assert report["summary"]["frame_accuracy_mean"] == 0.75


def test_intervals_are_those_of_a_mean_over_videos():
    # 20 videos of 10 frames, of which each has 0 or 2 frames of a late end, else all right: accuracy is 1 - the share
    drawn = [("..AAAA....", "..AAAA...." if place % 2 else "..AAAAAA..") for place in range(20)]
    report = evaluate(*drawn, bootstrap=200)
    entry = report["worth"]["frame_accuracy"]["overfill_end"]
    assert entry["gain"] == pytest.approx(0.1)
    low, high = report["summary"]["frame_accuracy_interval"]
    assert entry["interval"] == pytest.approx([1 - high, 1 - low])
    assert report["worth"]["frame_accuracy"]["merge"] == {"gain": 0.0, "interval": [0.0, 0.0]}


def test_of_nothing_worth_is_undefined():
    report = calipers.timeline({"a": {}}, {})
    assert report["worth"]["frame_accuracy"] == {kind: {"gain": None, "interval": None} for kind in KINDS}
    assert plain(report["pooled"]["frame_errors"]) == {}
    assert "fix first" not in str(report)


def test_one_video_has_no_interval():
    gains = evaluate((".AA.", ".AAA"), bootstrap=100)["worth"]["frame_accuracy"]
    assert gains["overfill_end"] == {"gain": 0.25, "interval": None}


def test_a_right_result_has_nothing_to_fix():
    lines = str(evaluate(("..AA..", "..AA.."))).split("\n")
    assert " fix first            no cause is worth 0.001 or more" in lines
    assert not any(line.startswith(" wrong frames") for line in lines)


def test_long_videos_are_exact():
    # 10¹² frames of which all but the last are inserted: whole numbers, not floats
    most = 10**12
    truth, pred = {"a": {"outside": [[most, most]]}}, {"a": {"states": {"inside": [[0, most - 1]]}}}
    report = calipers.timeline(truth, pred, bootstrap=0)
    assert plain(report["videos"]["a"]["frame_errors"]) == {"insertion": (most, 1)}


def test_the_kinds_of_the_kernel_are_those_of_the_rule():
    assert sorted([*KIND.values(), "substitution"]) == sorted(KINDS) == sorted(LETTERS.values())


def test_nothing_has_no_stretches():
    assert error_stretches([], [], "idle") == []


def test_a_video_is_as_in_the_artifact():
    report = evaluate(("..AAAA....II", ".EEAA.AAA.II"))
    saved = json.loads(report.to_json())
    assert saved["videos"]["v0"]["frame_errors"] == report["videos"]["v0"]["frame_errors"]
    assert list(saved["worth"]) == ["frame_accuracy"]


# Tables


def test_the_table_has_a_row_for_each_kind():
    report = evaluate(("..AAAA..", "..AAAAAA"), ("AAAA", ".BAA"))
    assert report.to_csv("frame_errors").splitlines() == [
        "kind,frames,stretches,gain,low,high",
        "insertion,0,0,0.0,,",
        "merge,0,0,0.0,,",
        "overfill_start,0,0,0.0,,",
        "overfill_end,2,1,0.125,,",
        "deletion,0,0,0.0,,",
        "fragmentation,0,0,0.0,,",
        "underfill_start,1,1,0.125,,",
        "underfill_end,0,0,0.0,,",
        "substitution,1,1,0.125,,",
    ]
