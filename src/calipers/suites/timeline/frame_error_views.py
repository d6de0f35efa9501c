"""Wrong frames by kind, to look at: lines of the summary, a table, and bars of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.tables import Table, Tree, make_table
from calipers.show.causes import fix_first_line
from calipers.show.page import sections as part
from calipers.show.page.sections import Part
from calipers.show.text import SEPARATOR

WORDS = {
    "insertion": "insertion",
    "merge": "merge",
    "overfill_start": "early start",
    "overfill_end": "late end",
    "deletion": "deletion",
    "fragmentation": "fragmentation",
    "underfill_start": "late start",
    "underfill_end": "early end",
    "substitution": "substitution",
}
MEANINGS = {
    "insertion": "active in the prediction only, touching no activation that is found",
    "merge": "predicted on through a pause between two activations",
    "overfill_start": "an activation is predicted before it begins",
    "overfill_end": "an activation is predicted on after its end",
    "deletion": "active in the truth only, touching no activation that is found",
    "fragmentation": "a pause is predicted within an activation",
    "underfill_start": "the beginning of an activation is not predicted",
    "underfill_end": "the end of an activation is not predicted",
    "substitution": "active on both sides, in different states",
}
IN_TRUTH = ("deletion", "fragmentation", "underfill_start", "underfill_end")


def error_lines(tree: Tree) -> Iterator[tuple[str, str]]:
    """Names and texts of lines for the summary: kinds by what they are worth, and how often they are."""
    gains = tree["worth"]["frame_accuracy"]
    yield "fix first", fix_first_line({WORDS[kind]: entry for kind, entry in gains.items()})
    errors = tree["pooled"]["frame_errors"]
    some = sorted((kind for kind in errors if errors[kind]["frames"]), key=lambda kind: -errors[kind]["frames"])
    if some:
        first, *others = (f"{errors[kind]['frames']:,} {WORDS[kind]} in {errors[kind]['stretches']:,}" for kind in some)
        yield "wrong frames", SEPARATOR.join((first + _noun(errors[some[0]]["stretches"]), *others))


def _noun(stretches: int) -> str:
    return " stretches" if stretches > 1 else " stretch"


def frame_errors_table(tree: Tree) -> Table:
    """One row for each kind of wrong frames: frames, stretches, and what it is worth in frame accuracy."""
    return make_table(["kind", "frames", "stretches", "gain", "low", "high"], _table_rows(tree))


def _table_rows(tree: Tree) -> Iterator[tuple[Any, ...]]:
    gains = tree["worth"]["frame_accuracy"]
    for kind, counts in tree["pooled"]["frame_errors"].items():
        low, high = gains[kind]["interval"] or (None, None)
        yield kind, counts["frames"], counts["stretches"], gains[kind]["gain"], low, high


def fix_first_bars(tree: Tree) -> list[Part]:
    """A bar for each kind that occurs, by what it is worth: a link to the videos that have it."""
    gains, errors = tree["worth"]["frame_accuracy"], tree["pooled"]["frame_errors"]
    some = [kind for kind in errors if errors[kind]["frames"]]
    bars = [_bar(kind, gains[kind], errors) for kind in sorted(some, key=lambda kind: -(gains[kind]["gain"] or 0))]
    about = "What mean frame accuracy would gain if every frame of a kind were right, with its 95 % interval."
    return [part.bars("Fix first", bars, about=about)] if bars else []


def _bar(kind: str, gain: Tree, errors: Tree) -> Part:
    frames, stretches = errors[kind]["frames"], errors[kind]["stretches"]
    note = f"{frames:,} frame{'s' if frames > 1 else ''} in {stretches:,}{_noun(stretches)}"
    return part.bar(
        WORDS[kind],
        gain["gain"],
        kind="difference",
        interval=gain["interval"],
        note=f"{note} · {MEANINGS[kind]}",
        tone="gt" if kind in IN_TRUTH else "wrong",
        goto=WORDS[kind],
    )


def error_tags(video: Tree) -> list[str]:
    """The kinds of wrong frames that a video has, as the bars link to them."""
    return [WORDS[kind] for kind, counts in video["frame_errors"].items() if counts["frames"]]
