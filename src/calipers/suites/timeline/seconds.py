"""Videos whose states are given in seconds, brought to frames once both sides are known.

How many frames a second there are is said by the other side of the video or, where it does not, by the option `fps`.
Without either it is an error: any number would give figures, and wrong ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from calipers.core.errors import InputError, keyword
from calipers.kernels.scan.intervals import BESIDE
from calipers.suites.timeline.formats.spans import TimedStates
from calipers.suites.timeline.read_extras import read_fps

Entries = dict[str, Any]
ANY_FPS = 1.0  # of ground truth without a prediction, which is not measured


class FramedSides(NamedTuple):
    """Both sides in frames, and warnings."""

    truths: Entries
    preds: Entries
    warnings: list[str]


def has_seconds(*sides: Mapping[str, Any]) -> bool:
    """Whether any video is given in seconds."""
    return any(TimedStates in set(map(type, side.values())) for side in sides)


def in_frames(
    truths: Entries, preds: Entries, partners: Mapping[str, str], names: Iterable[str], fps: float | None
) -> FramedSides:
    """The videos of these names with frames where they had seconds; `partners` names the prediction of a video."""
    sides = FramedSides(dict(truths), dict(preds), [])
    for name in names:
        partner = partners.get(name)
        truth, pred = truths[name], None if partner is None else preds[partner]
        if isinstance(truth, TimedStates):
            rate = _fps_of(pred) or fps or (ANY_FPS if pred is None else None)
            sides.truths[name] = frames_of(truth, _known(rate, truth, name, "predictions"), sides.warnings)
        if isinstance(pred, TimedStates) and partner is not None:
            rate = _known(_fps_of(truth) or fps, pred, name, "ground truth")
            sides.preds[partner] = {"fps": rate, "states": _frames(pred, rate, sides.warnings)}
    return sides


def _known(fps: float | None, timed: TimedStates, video: str, other: str) -> float:
    if fps is None:
        raise InputError(
            f"{timed.file}: its times are in seconds, and fps of {video!r:.80} is not known, "
            f"expected {keyword('fps', 'N')} or an fps in the {other}"
        )
    return fps


def frames_of(timed: TimedStates, fps: float, warnings: list[str]) -> Entries | InputError:
    """The entry of a video of the ground truth; an error stands for one that cannot be read."""
    if reserved := sorted(set(timed.states).intersection(BESIDE)):
        return InputError(f"label: found {reserved[0]!r}, expected a state: {', '.join(BESIDE)} are none")
    return {**_frames(timed, fps, warnings), "fps": fps}


def _frames(timed: TimedStates, fps: float, warnings: list[str]) -> Entries:
    frames, dropped = timed.in_frames(fps)
    if dropped:
        spans = "1 span is" if dropped == 1 else f"{dropped} spans are"
        warnings.append(f"{timed.file}: {spans} too short for a frame at {fps:g} frames a second, and left out")
    return dict(frames)


def _fps_of(entry: Any) -> float | None:
    """What an entry says; one that cannot be read says nothing here, and is refused where it is read."""
    if not isinstance(entry, Mapping):
        return None
    try:
        return read_fps(entry)
    except InputError:
        return None
