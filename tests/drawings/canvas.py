"""A small canvas for the drawings of the manual: shapes with one look for each meaning, written as SVG.

Ground truth is an outline in blue, a prediction is filled in yellow, what both have is teal, what is wrong is red and
dashed, as on the page of a result. A drawing has a white ground of its own, so that it reads the same on any page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from calipers.show.charts.palette import FAINT, INK, MATCHED, METHODS, QUIET

TRUTH, PRED, WRONG = METHODS[0], METHODS[1], METHODS[3]
DARK_PRED = "#9a6406"  # for lines and text in the colour of predictions
STYLE = f"""
text {{ font: 13px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: {INK}; }}
.quiet {{ fill: {QUIET}; font-size: 12px; }} .strong {{ font-weight: 600; }}
.truth {{ fill: none; stroke: {TRUTH}; stroke-width: 2; }} text.truth {{ fill: {TRUTH}; stroke: none; }}
.pred {{ fill: {PRED}; fill-opacity: 0.3; stroke: {DARK_PRED}; stroke-width: 1.5; }}
text.pred {{ fill: {DARK_PRED}; fill-opacity: 1; stroke: none; }}
.predline {{ fill: none; stroke: {DARK_PRED}; stroke-width: 2; }}
.both {{ fill: {MATCHED}; fill-opacity: 0.55; stroke: none; }} text.both {{ fill: {MATCHED}; fill-opacity: 1; }}
.bothline {{ fill: none; stroke: {MATCHED}; stroke-width: 4; }}
.wrong {{ fill: {WRONG}; fill-opacity: 0.2; stroke: {WRONG}; stroke-width: 1.5; stroke-dasharray: 5 3; }}
text.wrong {{ fill: {WRONG}; fill-opacity: 1; stroke: none; }}
.missed {{ fill: none; stroke: {WRONG}; stroke-width: 2; stroke-dasharray: 5 3; }}
.wrongline {{ fill: none; stroke: {WRONG}; stroke-width: 4; }}
.axis {{ fill: none; stroke: {QUIET}; stroke-width: 1; }} .faint {{ fill: none; stroke: {FAINT}; stroke-width: 1; }}
.dash {{ fill: none; stroke: {QUIET}; stroke-width: 1; stroke-dasharray: 4 3; }}
.band {{ fill: {TRUTH}; fill-opacity: 0.12; stroke: none; }} .bar {{ fill: {TRUTH}; }} .light {{ fill: {FAINT}; }}
.dot {{ fill: {TRUTH}; stroke: white; }} .reddot {{ fill: {WRONG}; stroke: white; }} .inkdot {{ fill: {INK}; }}
""".strip()
Point = tuple[float, float]


def num(value: float) -> str:
    """A coordinate with one decimal at most, so that no last bit shows.

    >>> num(3.0), num(2.449), num(-0.001)
    ('3', '2.4', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


class Canvas:
    """Shapes in the order they are drawn."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.parts: list[str] = []

    def box(self, left: float, top: float, width: float, height: float, look: str) -> None:
        """A rectangle."""
        place = f'x="{num(left)}" y="{num(top)}" width="{num(width)}" height="{num(height)}"'
        self.parts.append(f'<rect class="{look}" {place}/>')

    def area(self, points: Iterable[Point], look: str) -> None:
        """A closed outline."""
        self.parts.append(f'<polygon class="{look}" points="{_pairs(points)}"/>')

    def line(self, points: Iterable[Point], look: str) -> None:
        """An open line."""
        self.parts.append(f'<polyline class="{look}" points="{_pairs(points)}"/>')

    def dot(self, x: float, y: float, look: str = "dot", radius: float = 4) -> None:
        """A disc."""
        self.parts.append(f'<circle class="{look}" cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"/>')

    def text(self, x: float, y: float, words: str, look: str = "", anchor: str = "start") -> None:
        """Words on one line; `anchor` is what x is: start, middle or end."""
        attributes = f' class="{look}"' if look else ""
        attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{num(x)}" y="{num(y)}"{attributes}>{escape(words)}</text>')

    def arrow(self, start: Point, end: Point, look: str = "axis") -> None:
        """A level line with a head at its end."""
        (x, y), (to, _) = start, end
        back = -5 if to > x else 5
        self.line([start, end], look)
        self.line([(to + back, y - 4), end, (to + back, y + 4)], look)

    def svg(self) -> str:
        """The file."""
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        ground = f'<rect width="{self.width}" height="{self.height}" fill="white"/>'
        head = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f"<title>{escape(self.title)}</title>"]
        return "\n".join([*head, f"<style>\n{STYLE}\n</style>", ground, *self.parts, "</svg>\n"])


def _pairs(points: Iterable[Point]) -> str:
    return " ".join(f"{num(x)},{num(y)}" for x, y in points)


class Frame:
    """A plot of numbers from 0 to 1 (or to others): its edges on the canvas, and where values fall."""

    def __init__(
        self, canvas: Canvas, left: float, top: float, width: float, height: float, x: Point = (0, 1), y: Point = (0, 1)
    ) -> None:
        self.canvas, self.x, self.y = canvas, x, y
        self.left, self.top, self.width, self.height = left, top, width, height

    def at(self, x: float, y: float) -> Point:
        """The place of a pair of values."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return self.left + across * self.width, self.top + self.height - up * self.height

    def axes(self, across: str, up: str, xs: Iterable[float], ys: Iterable[float]) -> None:
        """Both axes with names and ticks."""
        canvas, foot = self.canvas, self.top + self.height
        for y in ys:
            place = self.at(self.x[0], y)[1]
            canvas.line([(self.left, place), (self.left + self.width, place)], "faint")
            canvas.text(self.left - 6, place + 4, f"{y:g}", "quiet", "end")
        for x in xs:
            canvas.text(self.at(x, self.y[0])[0], foot + 16, f"{x:g}", "quiet", "middle")
        canvas.line([(self.left, self.top), (self.left, foot), (self.left + self.width, foot)], "axis")
        canvas.text(self.left + self.width, foot + 32, across, "quiet", "end")
        canvas.text(self.left - 30, self.top - 10, up, "quiet")
