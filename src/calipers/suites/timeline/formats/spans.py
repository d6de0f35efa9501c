"""Labelled spans of seconds, as annotation tools write them, collected for one video.

A span is `start <= end` in seconds. What it is in frames is known only where fps is: frame i lasts from i / fps to
(i + 1) / fps, and a span covers the frames from the one nearest to its start up to the one before the nearest to its
end, halves up. So spans that touch share no frame and leave none out; one too short for any frame is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from calipers.core.errors import InputError
from calipers.files.problems import shown

MAX_SECONDS = 1_000_000_000
LONGEST_NUMBER = 100  # characters
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
Frames = dict[str, list[list[int]]]  # inclusive intervals by state


@dataclass
class TimedStates:
    """The states of one video in seconds, and the file that they come from."""

    file: str
    spelling: Mapping[str, str] = field(default_factory=dict)  # states by their lower-cased form
    states: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, place: str, label: str, start: float, end: float) -> None:
        """Add a span; `place` says where in the file it stands."""
        label = label.strip()
        if not label:
            raise InputError(f"{place}: label: found nothing, expected the name of a state")
        if end < start:
            raise InputError(f"{place}: found a span from {start:g} to {end:g} s, expected start <= end")
        self.states.setdefault(self.spelling.get(label.lower(), label), []).append((start, end))

    def in_frames(self, fps: float) -> tuple[Frames, int]:
        """Inclusive intervals of frames by state, and how many spans were too short for any.

        >>> timed = TimedStates("a.txt", states={"inside": [(0.5, 1.0), (1.0, 2.0), (3.0, 3.01)]})
        >>> timed.in_frames(10)
        ({'inside': [[5, 9], [10, 19]]}, 1)
        """
        frames: Frames = {}
        dropped = 0
        for state, spans in self.states.items():
            rounded = [(_nearest(start * fps), _nearest(end * fps) - 1) for start, end in spans]
            frames[state] = [[first, last] for first, last in rounded if first <= last]
            dropped += len(spans) - len(frames[state])
        return frames, dropped


def _nearest(value: float) -> int:
    return math.floor(value + 0.5)


def is_number(text: str) -> bool:
    """Whether a text is a decimal number.

    >>> is_number("1.5e3"), is_number("1_000"), is_number("nan"), is_number(" 1")
    (True, False, False, False)
    """
    return len(text) <= LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def seconds_of(text: str, place: str, name: str) -> float:
    """A time in seconds, or an error that says where it stands and what it is called."""
    value = float(text) if is_number(text) else math.nan
    if not 0 <= value <= MAX_SECONDS:
        raise InputError(f"{place}: {name}: found {shown(text)}, expected seconds from 0 to {MAX_SECONDS}")
    return value
