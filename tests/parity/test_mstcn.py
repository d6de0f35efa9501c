"""Segments without a background against the evaluation of MS-TCN, written from its definition as plain loops.

Labels of frames become lists of segments, without those of the background. The edit score is that of the two lists of
labels; for F1 each predicted segment looks at the true one of its label with the highest IoU and hits it, if the IoU is
high enough and nobody has. Frame accuracy counts all frames.
"""

from itertools import groupby

import numpy as np
import pytest

import calipers

from ..profiles import seeds

STATES = ("background", "pour", "stir", "cut")


def segments(frames, background):
    found, start = [], 0
    for label, group in groupby(frames):
        end = start + len(list(group))
        if label not in background:
            found.append((label, start, end))  # the end is not in it
        start = end
    return found


def edit_score(truth, pred):
    table = np.zeros((len(pred) + 1, len(truth) + 1))
    table[:, 0], table[0, :] = range(len(pred) + 1), range(len(truth) + 1)
    for i in range(1, len(pred) + 1):
        for j in range(1, len(truth) + 1):
            change = table[i - 1, j - 1] + (pred[i - 1] != truth[j - 1])
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, change)
    longer = max(len(truth), len(pred))
    return None if not longer else 1 - table[-1, -1] / longer


def f1(truth, pred, least):
    taken = set()
    for label, start, end in pred:
        ious = [
            (min(end, e) - max(start, s)) / (max(end, e) - min(start, s)) if label == name else 0.0
            for name, s, e in truth
        ]
        best = int(np.argmax(ious)) if ious else -1
        if ious and ious[best] >= least and best not in taken:
            taken.add(best)
    everything = len(truth) + len(pred)
    return None if not everything else 2 * len(taken) / everything


def draw(rng):
    frames = []
    while len(frames) < 60:
        frames += [str(rng.choice(STATES))] * int(rng.integers(1, 15))
    return frames[:60]


def as_states(frames):
    found = {}
    for label, start, end in segments(frames, ()):
        found.setdefault(label, []).append([start, end - 1])
    return found


def near(value):
    return None if value is None else pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("ignored", [["background"], ["background", "cut"], []])
@pytest.mark.parametrize("seed", seeds(12))
def test_the_figures_are_those_of_mstcn(seed, ignored):
    rng = np.random.default_rng(seed)
    truth = draw(rng)
    pred = [label if rng.random() < 0.85 else str(rng.choice(STATES)) for label in truth]
    options = {"idle": "background", "focus": "pour", "bootstrap": 0}
    report = calipers.timeline(
        {"a": as_states(truth)}, {"a": {"states": as_states(pred)}}, ignore_states=ignored, **options
    )
    video, plain = (
        report["videos"]["a"],
        calipers.timeline({"a": as_states(truth)}, {"a": {"states": as_states(pred)}}, **options),
    )
    true, made = segments(truth, ignored), segments(pred, ignored)
    assert video["edit_score"] == near(edit_score([s[0] for s in true], [s[0] for s in made]))
    for percent in (10, 25, 50):
        expected = near(f1(true, made, percent / 100))
        assert video[f"segmental_f1_{percent}"] == report["pooled"][f"segmental_f1_{percent}"] == expected
    assert (video["counts"]["gt_segments"], video["counts"]["pred_segments"]) == (len(true), len(made))
    for name, value in plain["videos"]["a"].items():  # nothing else changes
        if name not in ("edit_score", "counts") and not name.startswith("segmental"):
            assert video[name] == value, name


def test_where_nothing_but_background_is_left_there_is_no_figure():
    states = {"background": [[0, 9]]}
    report = calipers.timeline(
        {"a": states}, {"a": {"states": states}}, idle="background", focus="pour", ignore_states="background"
    )
    assert (report["videos"]["a"]["edit_score"], report["summary"]["edit_score_n"]) == (None, 0)
    assert report["summary"]["segmental_f1_50_mean"] is report["pooled"]["segmental_f1_50"] is None
    assert report["summary"]["frame_accuracy_mean"] == 1.0


def test_a_state_that_never_occurs_is_doubted():
    states = {"inside": [[0, 9]]}
    report = calipers.timeline({"a": states}, {"a": {"states": states}}, ignore_states=["backgruond"])
    assert any("ignore_states: no frame is in the state 'backgruond'" in each for each in report["warnings"])
