"""Scenes from above as one SVG: where the boxes of the ground truth are, and where those of a method.

One panel a scene, y up, the same scale both ways, a grid in metres. Ground truth is an outline: solid where it was
found, dashed where it was missed. Predictions are filled: plain where matched, hatched by cause where false. A thin
line joins the centres of a matched pair. What lies outside a panel is an arrow at its edge and is counted above it.
Point at a box or an arrow to read about it.

The file opens alone in a browser, holds no script, and is the same for the same input. Foreign text stays text.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from calipers.show.charts.palette import FAINT, INK, MATCHED, QUIET, cause_colours
from calipers.show.text import printable, width
from calipers.suites.scene.footprints import Footprint, Point, SceneView, area, clipped, footprint, window, within_reach

__all__ = ["MAX_PANELS", "Footprint", "SceneView", "footprint", "overlay_svg"]

Look = dict[str, str | float]

MAX_PANELS = 24
PAGE, MARGIN, GAP = 960, 24, 20  # in pixels
AXIS, HEAD, FOOT = 34, 56, 18  # room to the left of a panel, above it and under it
TITLE, TEXT, SMALL, LABEL = 18, 12, 10, 9
LETTER = 0.56  # the usual width of a letter in ems
ARROW, SLOT, TOLD = 7, 18, 6  # size of an arrow, the room it takes, and how many boxes its tooltip tells about
HATCHES = {
    "unresolved_label": "M1 1h1M4 4h1",
    "no_overlap": "M-1 1L1 -1M0 6L6 0M5 7L7 5",
    "low_iou": "M-1 5L1 7M0 0L6 6M5 -1L7 1",
    "wrong_label": "M3 0V6",
    "duplicate": "M0 3H6",
}
OTHER_HATCH = "M3 0V6M0 3H6"


def overlay_svg(
    name: str, scenes: Sequence[SceneView], *, total: int | None = None, counts: Mapping[str, int] | None = None
) -> bytes:
    """All scenes of a method, the first ones if there are very many; the counts in the legend are of all.

    Of very many scenes the first MAX_PANELS are enough, with the `total` of scenes and the `counts` of all states.
    """
    counts = _counts(scenes) if counts is None else counts
    looks = StateStyles(name, counts)
    shown = [within_reach(scene) for scene in scenes[:MAX_PANELS]]
    legend, top = _legend(counts, looks, 78)
    panels, foot = _panels(shown, looks, top)
    content = [
        _tag("title", escape(printable(name))),
        looks.patterns(),
        _tag("rect", width=PAGE, height=foot, fill="white"),
        _text(MARGIN, 34, _fit(name, PAGE - 2 * MARGIN, TITLE), font_size=TITLE),
        _text(MARGIN, 54, _note(len(scenes) if total is None else total), fill=QUIET),
        *legend,
        *panels,
    ]
    size: Look = {"width": PAGE, "height": foot, "viewBox": f"0 0 {PAGE} {_number(foot)}"}
    fonts: Look = {"font_family": "sans-serif", "font_size": TEXT, "fill": INK}
    whole = _tag("svg", "\n".join(content), xmlns="http://www.w3.org/2000/svg", **size, **fonts)
    return (whole + "\n").encode("utf-8")


def _counts(scenes: Sequence[SceneView]) -> Counter[str]:
    return Counter(footprint.state for scene in scenes for side in (scene.truth, scene.pred) for footprint in side)


def _note(scenes: int) -> str:
    words = "seen from above, x to the right, y up, in metres · a line joins the centres of a matched pair"
    more = f" · the first {MAX_PANELS} scenes; {scenes - MAX_PANELS:,} more are not drawn"
    return words + (more if scenes > MAX_PANELS else "" if scenes else " · no scenes")


class StateStyles:
    """How each state is drawn."""

    def __init__(self, name: str, states: Iterable[str]) -> None:
        self.causes = cause_colours(set(states) - {"found", "missed", "matched"})
        self._salt = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    def of(self, state: str) -> Look:
        """Attributes of an outline. What is not filled can be pointed at all the same."""
        if state in self.causes:
            return {"fill": f"url(#{self._hatch(state)})", "stroke": self.causes[state]}
        if state == "matched":
            return {"fill": MATCHED, "fill_opacity": 0.25, "stroke": MATCHED}
        dashes: Look = {"stroke_dasharray": "5 3"} if state == "missed" else {}
        return {"fill": "white", "fill_opacity": 0, "stroke": INK, "stroke_width": 1.5, **dashes}

    def colour(self, state: str) -> str:
        """The colour of a state."""
        return self.causes.get(state, MATCHED if state == "matched" else INK)

    def patterns(self) -> str:
        """The hatches; their names differ from file to file, so that many can stand in one page."""
        return _tag("defs", *map(self._pattern, self.causes))

    def _hatch(self, cause: str) -> str:
        return f"hatch-{list(self.causes).index(cause)}-{self._salt}"

    def _pattern(self, cause: str) -> str:
        colour, tile = self.causes[cause], {"width": 6, "height": 6}
        ground = _tag("rect", **tile, fill=colour, fill_opacity=0.14)
        lines = _tag("path", d=HATCHES.get(cause, OTHER_HATCH), stroke=colour, stroke_width=1, stroke_opacity=0.75)
        return _tag("pattern", ground, lines, id=self._hatch(cause), patternUnits="userSpaceOnUse", **tile)


def _legend(counts: Mapping[str, int], looks: StateStyles, top: float) -> tuple[list[str], float]:
    """Samples with names and counts, line by line; and where they end."""
    names = {"found": "ground truth, found", "missed": "ground truth, missed", "matched": "prediction, matched"}
    names |= {cause: cause.replace("_", " ").replace("iou", "IoU") for cause in looks.causes}
    parts, left = [], float(MARGIN)
    for state, words in names.items():
        words = f"{words}: {counts.get(state, 0):,}"
        room = 26 + _wide(words, TEXT) + 14
        if left + room > PAGE - MARGIN and left > MARGIN:
            left, top = float(MARGIN), top + 20
        parts.append(_tag("rect", x=left, y=top - 10, width=20, height=12, **looks.of(state)))
        parts.append(_text(left + 26, top, _fit(words, PAGE - 2 * MARGIN - 44, TEXT)))
        left += room
    return parts, top + 12


# Panels


def _panels(scenes: Sequence[SceneView], looks: StateStyles, top: float) -> tuple[list[str], float]:
    """Panels from left to right, then down; and where they end. Few are large, many are small."""
    columns = 1 if len(scenes) < 2 else 2 if len(scenes) < 5 else 3
    wide = (PAGE - 2 * MARGIN + GAP) / columns - GAP - AXIS
    parts = []
    for first in range(0, len(scenes), columns):
        line = scenes[first : first + columns]
        tall = wide * max(map(_shape, line))
        for column, scene in enumerate(line):
            place = f"translate({_number(MARGIN + AXIS + column * (wide + AXIS + GAP))} {_number(top + HEAD)})"
            parts.append(_tag("g", *Panel(scene, looks, wide, tall).drawn(), transform=place))
        top += HEAD + tall + FOOT
    return parts, top + MARGIN


def _shape(scene: SceneView) -> float:
    """Height over width of a panel that suits a scene: neither a ribbon nor a tower."""
    seen = window(scene)
    return min(0.8, max(0.3, seen.height / seen.width)) if scene.truth or scene.pred else 0.3


class Panel:
    """One scene, in pixels from its upper left corner."""

    def __init__(self, scene: SceneView, looks: StateStyles, wide: float, tall: float) -> None:
        self.scene, self.looks, self.wide, self.tall = scene, looks, wide, tall
        self.frame = window(scene).shaped(wide / tall)
        self.scale = wide / self.frame.width  # pixels a metre
        self.boxes = [*scene.truth, *scene.pred]

    def drawn(self) -> Iterator[str]:
        """All parts, from the ground up."""
        yield from self._heading()
        if self.boxes:
            yield from self._scale_bar()
            yield from self._grid()
            inside = [*self._outlines(), *self._pairs(), *self._labels()]
            yield _tag("svg", *inside, width=self.wide, height=self.tall)  # cuts off what reaches beyond it
            yield from self._arrows()
        else:
            yield _text(self.wide / 2, self.tall / 2, "no boxes", fill=QUIET, text_anchor="middle")
        yield _tag("rect", width=self.wide, height=self.tall, fill="none", stroke=QUIET, stroke_width=0.7)

    def place(self, point: Point) -> Point:
        """Where a point on the ground is drawn."""
        return (point[0] - self.frame.left) * self.scale, (self.frame.high - point[1]) * self.scale

    def _heading(self) -> Iterator[str]:
        numbers = _counts([self.scene])
        false = len(self.scene.pred) - numbers["matched"]
        unplaced = f" · {self.scene.unplaced:,} without a box" if self.scene.unplaced else ""
        counts = f"{numbers['found']:,} found · {numbers['missed']:,} missed · {false:,} false{unplaced}"
        title = _fit(self.scene.name, self.wide * 0.55, TEXT)
        yield _text(0, -38, title, _title(self.scene.name), font_weight="bold")
        for base, words in ((-23, counts), (-9, self._beyond())):
            yield _text(0, base, _fit(words, self.wide, SMALL), _title(words), font_size=SMALL, fill=QUIET)

    def _beyond(self) -> str:
        """The objects that the panel does not show."""
        away = [self._outside(footprint.center) for footprint in self._absent()]
        seen = [box for box in self.boxes if self.frame.holds(box.center)]
        cut = sum(not all(map(self.frame.holds, footprint.corners)) for footprint in seen)
        parts = [f"{len(away):,} outside (arrows), up to {_metres(max(away))} m"] if away else []
        return " · ".join(parts + ([f"{cut:,} cut off"] if cut else []))

    def _absent(self) -> list[Footprint]:
        return [box for box in self.boxes if not self.frame.holds(box.center)]

    def _outside(self, point: Point) -> float:
        """Metres from the edge of the panel."""
        over = (self.frame.left - point[0], point[0] - self.frame.right)
        up = (self.frame.low - point[1], point[1] - self.frame.high)
        return math.hypot(max(0.0, *over), max(0.0, *up))

    def _grid(self) -> Iterator[str]:
        quiet: Look = {"font_size": SMALL, "fill": QUIET}
        step = _round_step(self.frame.width / (5 if self.wide < 400 else 10))
        for value in _multiples(step, self.frame.left, self.frame.right):
            x, _ = self.place((value, 0))
            yield _tag("path", d=f"M{_number(x)} 0v{_number(self.tall)}", stroke=FAINT, stroke_width=1)
            yield _text(x, self.tall + 13, _tick(value, step), text_anchor="middle", **quiet)
        for value in _multiples(step, self.frame.low, self.frame.high):
            _, y = self.place((0, value))
            yield _tag("path", d=f"M0 {_number(y)}h{_number(self.wide)}", stroke=FAINT, stroke_width=1)
            yield _text(-5, y + 3.5, _tick(value, step), text_anchor="end", **quiet)

    def _outlines(self) -> Iterator[str]:
        """Boxes, the largest first, so that the small ones on them can be pointed at."""
        edge = self.frame.grown(self.frame.width / 20, self.frame.height / 20)
        for box in sorted(self.boxes, key=lambda box: -area(box.corners)):
            corners = [self.place(corner) for corner in clipped(box.corners, edge)]
            if corners:
                path = "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in corners) + "Z"
                yield _tag("path", _title(box.tooltip), d=path, **self.looks.of(box.state))

    def _pairs(self) -> Iterator[str]:
        for truth in self.scene.truth:
            pred = None if truth.partner is None else self.scene.pred[truth.partner]
            if pred and self.frame.holds(truth.center) and self.frame.holds(pred.center):
                (a, b), (c, d) = self.place(truth.center), self.place(pred.center)
                yield _tag("line", x1=a, y1=b, x2=c, y2=d, stroke=INK, stroke_width=0.8)
                yield _tag("circle", cx=a, cy=b, r=1.6, fill=INK)
                yield _tag("circle", cx=c, cy=d, r=1.6, fill=MATCHED)

    def _labels(self) -> Iterator[str]:
        """Labels of ground truth and of false predictions, over their centres, where they touch no other label."""
        taken: list[tuple[float, float, float, float]] = []
        named = [box for box in self.boxes if box.state != "matched" and self.frame.holds(box.center)]
        for drawn in sorted(named, key=lambda drawn: -area(drawn.corners)):
            x, y = self.place(drawn.center)
            words = _fit(drawn.label, 90, LABEL)
            half, room = _wide(words, LABEL) / 2, self.scale * max(_extents(drawn.corners))
            bounds = (x - half, y - LABEL - 2, x + half, y - 2)
            fits = 2 * half <= 1.1 * room and bounds[0] > 0 and bounds[2] < self.wide
            if words and fits and _is_free(bounds, taken):
                taken.append(bounds)
                look: Look = {"font_size": LABEL, "text_anchor": "middle", "pointer_events": "none"}
                yield _text(x, y - 4, words, **look)

    def _scale_bar(self) -> Iterator[str]:
        """A length in metres, above the right end of the panel."""
        metres = _round_step(self.frame.width / 8)
        start = self.wide - metres * self.scale
        yield _tag("path", d=f"M{_number(start)} -41v3H{_number(self.wide)}v-3", stroke=INK, fill="none")
        yield _text(start - 6, -37, f"{_tick(metres, metres)} m", font_size=SMALL, text_anchor="end")

    def _arrows(self) -> Iterator[str]:
        """What lies outside, as arrows on the edge; those of one kind at one place are one arrow, with their number."""
        slots: dict[tuple[int, int, str], list[Footprint]] = defaultdict(list)
        for box in self._absent():
            x, y = self._on_edge(box.center)
            slots[round(x / SLOT), round(y / SLOT), box.state].append(box)
        for (_, _, state), boxes in slots.items():
            yield self._arrow(state, boxes)

    def _arrow(self, state: str, outside: Sequence[Footprint]) -> str:
        (x, y), (across, down) = self._on_edge(outside[0].center), self._towards(outside[0].center)
        tip, foot = (x + ARROW * across, y + ARROW * down), (x - ARROW * across, y - ARROW * down)
        wings = [(foot[0] - side * down * 5, foot[1] + side * across * 5) for side in (1, -1)]
        path = "M" + "L".join(f"{_number(a)} {_number(b)}" for a, b in (tip, *wings)) + "Z"
        is_truth = state in ("found", "missed")
        colour, dashes = self.looks.colour(state), {"stroke_dasharray": "2 1.5"} if state == "missed" else {}
        look: Look = {"fill": "white" if is_truth else colour, "stroke": colour, **dashes}
        tooltips = [f"{box.tooltip}\n{_metres(self._outside(box.center))} m outside" for box in outside[:TOLD]]
        more = [f"and {len(outside) - TOLD:,} more"] if len(outside) > TOLD else []
        number = f"{len(outside):,}" if len(outside) > 1 else ""
        words = _text(foot[0] - across * 9, foot[1] - down * 9 + 3, number, font_size=LABEL, text_anchor="middle")
        return _tag("g", _title("\n".join(tooltips + more)), _tag("path", d=path, **look), words)

    def _towards(self, point: Point) -> Point:
        """The direction from the middle of the panel, one pixel long."""
        x, y = self.place(point)
        across, down = x - self.wide / 2, y - self.tall / 2
        return across / math.hypot(across, down), down / math.hypot(across, down)

    def _on_edge(self, point: Point) -> Point:
        """Where the way from the middle to a point outside comes close to the edge."""
        across, down = self._towards(point)
        inset = ARROW + 2
        distances = [(self.wide / 2 - inset) / abs(across)] if across else []
        distances += [(self.tall / 2 - inset) / abs(down)] if down else []
        return self.wide / 2 + across * min(distances), self.tall / 2 + down * min(distances)


def _extents(corners: Sequence[Point]) -> tuple[float, float]:
    xs, ys = zip(*corners, strict=True)
    return max(xs) - min(xs), max(ys) - min(ys)


def _is_free(bounds: tuple[float, float, float, float], taken: Iterable[tuple[float, float, float, float]]) -> bool:
    left, top, right, foot = bounds
    return all(right < a or c < left or foot < b or d < top for a, b, c, d in taken)


# Numbers


def _round_step(min_step: float) -> float:
    """The smallest of 1, 2, 5, 10, … that is not less.

    >>> [_round_step(min_step) for min_step in (0.3, 1.0, 2.1, 70)]
    [0.5, 1.0, 5.0, 100.0]
    """
    power = 10.0 ** math.floor(math.log10(min_step))
    return next((times * power for times in (1, 2, 5) if min_step <= times * power), 10 * power)


def _multiples(step: float, start: float, end: float) -> list[float]:
    return [step * times for times in range(math.ceil(start / step), math.floor(end / step) + 1)]


def _tick(value: float, step: float) -> str:
    """A number on the grid, with as many decimals as the step has."""
    decimals = max(0, -math.floor(math.log10(step)))
    return f"{value + 0.0:.{decimals}f}" if abs(value) < 1e6 else f"{value:.7g}"


def _metres(value: float) -> str:
    return f"{value:,.1f}" if value < 1e6 else f"{value:.1e}"


def _number(value: float) -> str:
    """Pixels, to a hundredth.

    >>> _number(12.0), _number(0.25), _number(-3.999)
    ('12', '0.25', '-4')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


# Text and tags


def _wide(text: str, size: float) -> float:
    return width(text) * LETTER * size


def _fit(text: str, room: float, size: float) -> str:
    """A text as it is shown, without its middle where that takes more than the room."""
    shown = whole = printable(text)
    length = len(whole)
    while length > 1 and _wide(shown, size) > room:
        length = length * 19 // 20
        shown = f"{whole[: length - length // 2]}…{whole[len(whole) - length // 2 :]}"
    return shown


def _title(text: str) -> str:
    """What appears when one points at something; it may have several lines."""
    return _tag("title", escape("\n".join(printable(line) for line in text.split("\n"))))


def _text(x: float, y: float, words: str, *inside: str, **look: str | float) -> str:
    return _tag("text", *inside, escape(words), x=x, y=y, **look) if words else ""


def _tag(name: str, *inside: str, **attributes: str | float) -> str:
    values = {key: value if isinstance(value, str) else _number(value) for key, value in attributes.items()}
    listed = "".join(f' {key.replace("_", "-")}="{escape(value)}"' for key, value in values.items())
    return f"<{name}{listed}>{''.join(inside)}</{name}>" if inside else f"<{name}{listed}/>"
