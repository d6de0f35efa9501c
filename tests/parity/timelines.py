"""Videos to try the timeline suite on, and what a frame-by-frame look at them finds.

A video is {state: [[first, last], …]}. Strategies draw tilings, as annotators and models make them, and heaps of
intervals that overlap, touch, nest and repeat. `painted` settles frame by frame who wins, by the rule as it is told.
"""

from importlib.util import module_from_spec, spec_from_file_location
from itertools import groupby, pairwise
from pathlib import Path

from hypothesis import strategies as st

import calipers

SEED_STATES = ("outside", "approaching", "inside", "exiting")
FURTHER = ("paused", "Inside", "入口", "a")
States = dict[str, list[list[int]]]
Run = tuple[str, int, int]  # state, first frame, last frame


def load_oracle():
    """The evaluator that goes through all frames, which is kept beside the benchmarks."""
    path = Path(__file__).parents[2] / "benchmarks" / "straightforward_timeline.py"
    spec = spec_from_file_location("straightforward_timeline", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Strategies

names = st.sampled_from((*SEED_STATES * 3, *FURTHER))
lengths = st.one_of(st.integers(1, 4), st.integers(1, 15))


@st.composite
def tilings(draw, least=0, most=9, states=names, lengths=lengths) -> States:
    """Intervals without gaps from frame 0 on, or from a few frames later; neighbours may be of one state."""
    at, video = draw(st.sampled_from((0, 0, 0, 1, 7))), {}
    for state, length in draw(st.lists(st.tuples(states, lengths), min_size=least, max_size=most)):
        video.setdefault(state, []).append([at, at + length - 1])
        at += length
    return video


@st.composite
def heaps(draw, least=0, most=9, states=names, last=40) -> States:
    """Intervals of any kind, in any order."""
    frames, video = st.integers(0, last), {}
    for state, a, b in draw(st.lists(st.tuples(states, frames, frames), min_size=least, max_size=most)):
        video.setdefault(state, []).append(sorted((a, b)))
    return video


def truths(most=9):
    """A ground truth: one interval at least."""
    return st.one_of(tilings(1, most), heaps(1, most))


def predictions(most=9):
    return st.one_of(tilings(0, most), heaps(0, most))


@st.composite
def near(draw, truth: States, off=3) -> States:
    """A ground truth as a model may see it: ends moved, something missed, something under another name."""
    video = {}
    for state, (a, b) in ((state, interval) for state, given in truth.items() for interval in given):
        said = draw(st.sampled_from((state, state, state, state, None, *SEED_STATES)))
        ends = sorted((max(0, a + draw(st.integers(-off, off))), max(0, b + draw(st.integers(-off, off)))))
        if said is not None:
            video.setdefault(said, []).append(ends)
    return video


@st.composite
def pairs(draw, most=9) -> tuple[States, States]:
    """Both sides of a video; often the prediction follows the truth."""
    truth = draw(truths(most))
    return truth, draw(st.one_of(near(truth), predictions(most)))


# Frame by frame


def last_frame(*sides: States) -> int:
    return max((end for side in sides for given in side.values() for _, end in given), default=-1)


def painted(states: States, frames: int, idle: str = "outside") -> list[str]:
    """The state of each frame: the interval that starts later, then the one that ends earlier, then the first name."""
    spans = [(start, min(end, frames - 1), name) for name, given in states.items() for start, end in given]
    labels = []
    for frame in range(frames):
        here = [(-start, end, name) for start, end, name in spans if start <= frame <= end]
        labels.append(min(here)[2] if here else idle)
    return labels


def runs_of(labels: list[str]) -> list[Run]:
    found, at = [], 0
    for state, group in groupby(labels):
        end = at + len(list(group))
        found.append((state, at, end - 1))
        at = end
    return found


def changes_of(labels: list[str]) -> dict[tuple[str, str], list[int]]:
    """First frames after a change, by what changes into what."""
    found: dict[tuple[str, str], list[int]] = {}
    for (a, _, _), (b, start, _) in pairwise(runs_of(labels)):
        found.setdefault((a, b), []).append(start)
    return found


# Through the suite


def evaluate(*sides: tuple[States, States], read_fps=None, **options):
    """A report of these videos, named "0", "1", … and predicted with this fps."""
    truth = {str(number): truth for number, (truth, _) in enumerate(sides)}
    pred = {str(number): {"fps": read_fps, "states": pred} for number, (_, pred) in enumerate(sides)}
    return calipers.timeline(truth, pred, **{"bootstrap": 0, **options})


def metrics_of(truth: States, pred: States, **options) -> dict:
    return evaluate((truth, pred), **options)["videos"]["0"]
