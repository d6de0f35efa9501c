"""The colours of all pictures: few, quiet, and told apart also by eyes that lack one kind of cone.

What a colour stands for is the same everywhere: a method has one colour in all pictures of a run, and so has a cause of
errors. What stands in the place of a false positive (of scenes) has the colour of the cause that is most like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from colorsys import hls_to_rgb
from itertools import chain, count

INK, QUIET, FAINT = "#22262a", "#686e74", "#e2e5e8"
SERIES = ("#7845c4", "#9ad373", "#18184e", "#ab9873", "#9292dd", "#804d4d", "#424c8a", "#3b161b")
METHODS = ("#424c8a", "#f0ae35", "#2b8294", "#c23b1e", "#9292dd", "#9ad373", "#804d4d", "#18184e")
CAUSE_COLOURS = {
    "wrong_label": "#424c8a",
    "misplaced": "#f0ae35",
    "wrong_label_and_place": "#9292dd",
    "duplicate": "#ab9873",
    "spurious": "#c23b1e",
    "missed": QUIET,
}
FALSE_POSITIVE_COLOURS = {
    "unresolved_label": CAUSE_COLOURS["wrong_label_and_place"],
    "no_overlap": CAUSE_COLOURS["spurious"],
    "low_iou": CAUSE_COLOURS["misplaced"],
    "wrong_label": CAUSE_COLOURS["wrong_label"],
    "duplicate": CAUSE_COLOURS["duplicate"],
}
MATCHED = "#2b8294"


def more_colours() -> Iterator[str]:
    """Colours without end, for what has none of its own."""
    for step in count():  # turning by the golden angle, hues never repeat
        rgb = hls_to_rgb(step * 0.618034 % 1, (0.42, 0.62, 0.3)[step % 3], 0.45)
        yield "#" + "".join(f"{round(255 * part):02x}" for part in rgb)


def method_colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each method, in their order.

    >>> method_colours(["ours", "theirs"])
    {'ours': '#424c8a', 'theirs': '#f0ae35'}
    """
    return dict(zip(names, chain(METHODS, more_colours()), strict=False))


def cause_colours(causes: Iterable[str]) -> dict[str, str]:
    """A colour for each cause of a false positive: those known first, then any other in sorted order.

    >>> cause_colours(["haste", "low_iou", "no_overlap"])
    {'no_overlap': '#c23b1e', 'low_iou': '#f0ae35', 'haste': '#9b3b3b'}
    """
    present = set(causes)
    others = dict(zip(sorted(present - set(FALSE_POSITIVE_COLOURS)), more_colours(), strict=False))
    return {cause: colour for cause, colour in FALSE_POSITIVE_COLOURS.items() if cause in present} | others
