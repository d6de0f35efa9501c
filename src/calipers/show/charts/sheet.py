"""What every drawn picture stands on: a page in points, letters that are there, and files that are always the same.

The same input gives the same bytes, whatever others have set. Names are text and nothing else: without their middle
when they are long, with characters that do not print spelled out, and in a PNG also those that its fonts lack: DejaVu
Sans and, for Chinese, Japanese and Korean, one that is installed (see `cjk`). Needs matplotlib (extra `plots`), which
is loaded when something is drawn.
"""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from calipers.core.errors import ConfigError, require
from calipers.core.stopping import Deferred
from calipers.core.sums import add_in_order
from calipers.show.charts.cjk import cjk_font, is_cjk, note_missing_font
from calipers.show.charts.palette import INK, QUIET
from calipers.show.charts.png import png_of
from calipers.show.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Entry = tuple[str, str | None, float, int]  # of a legend: text, colour, left edge, line

DPI = 144  # everything is measured in points, which are two pixels
TITLE, TEXT, TICK, LEGEND_LINE = 12, 8.5, 8, 15

_DRAWING = RLock()
_FORMATS: list[str] = []  # that are being drawn, each within the one before
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": TEXT,
    "svg.fonttype": "none",
    "svg.hashsalt": "calipers",
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign is a dollar sign
}
OF_THE_PROCESS = frozenset(  # settings that no look depends on, which matplotlib's own styles leave alone as well
    {
        "backend",
        "backend_fallback",
        "date.epoch",
        "docstring.hardcopy",
        "figure.max_open_warning",
        "figure.raise_window",
        "interactive",
        "savefig.directory",
        "timezone",
        "tk.window_focus",
        "toolbar",
        "webagg.address",
        "webagg.open_in_browser",
        "webagg.port",
        "webagg.port_retries",
    }
)


def round_numbers(end: float, most: int = 8, whole: bool = False) -> list[float]:
    """A few round numbers from 0 to the end."""
    from matplotlib.ticker import MaxNLocator

    places = MaxNLocator(nbins=most, steps=[1, 2, 5, 10], integer=whole).tick_values(0, end)
    return [float(place) for place in places if 0 <= place <= end * (1 + 1e-9)]


class Sheet:
    """A page measured in points from its upper left corner."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.figure import Figure

        self.width, self.height = width, height
        self.figure = Figure(figsize=(width / 72, height / 72), dpi=DPI, facecolor="white")

    def write(self, left: float, top: float, text: str, **look: Any) -> None:
        """Put a text at a place; it stands on it unless told otherwise."""
        self.figure.text(left / self.width, 1 - top / self.height, text, **{"va": "baseline"} | look)

    def heading(self, title: str, note: str, left: float, lettering: Lettering) -> None:
        """The title and, quietly, what goes with it."""
        room = self.width - left - 12
        self.write(left, 22, lettering.fit(title, room, TITLE), fontsize=TITLE)
        self.write(left, 37, lettering.fit(note, room, TEXT), color=QUIET)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes without a frame."""
        foot = self.height - top - height
        box = (left / self.width, foot / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(box, facecolor="none")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=3, width=0.6, pad=3, colors=QUIET, labelsize=TICK)
        axes.tick_params(axis="y", length=0)
        return axes

    def block(self, left: float, foot: float, width: float, height: float, colour: str) -> None:
        """A rectangle of one colour that stands on a place."""
        from matplotlib.patches import Rectangle

        corner = (left / self.width, 1 - foot / self.height)
        size = width / self.width, height / self.height
        self.figure.add_artist(Rectangle(corner, *size, facecolor=colour, linewidth=0))

    def legend(self, entries: Sequence[Entry], start: float, top: float) -> None:
        """Swatches and names, beside and under each other from a place on."""
        for text, colour, left, line in entries:
            base = top + LEGEND_LINE * line
            if colour:
                self.block(start + left, base, 10, 7, colour)
            self.write(start + left + (14 if colour else 0), base, text)

    def picture(self, format: str, title: str) -> bytes:  # noqa: A002
        """The bytes of a file that does not say when or by what it was made."""
        return picture_of(self.figure, format, title)


def picture_of(figure: Figure, format: str, title: str) -> bytes:  # noqa: A002
    """The bytes of a file of a figure; it does not say when or by what it was made. Call it while `drawing`.

    A signal waits until the figure is drawn: compiled parts of matplotlib turn one into an error of their own.
    """
    _measure_names_once(figure)
    with Deferred():
        return _png(figure, title) if format == "png" else _vectors(figure, format, title)


def _measure_names_once(figure: Figure) -> None:
    """Have names of rows measured when they are drawn, and not before to place a name of the axis that is not there."""
    for axes in figure.axes:
        if not axes.get_ylabel():
            for tick in axes.yaxis.majorTicks:
                tick.label1.set_in_layout(False)


def _vectors(figure: Figure, format: str, title: str) -> bytes:  # noqa: A002
    file = io.BytesIO()
    untold = dict.fromkeys(["Creator", "Date", "Format", "Type"])
    figure.savefig(file, format=format, dpi=DPI, metadata={**untold, "Title": title})
    return file.getvalue()


def _png(figure: Figure, title: str) -> bytes:
    """A PNG, without a channel for what shows through where nothing does: it takes half as long, and no more space."""
    import numpy as np
    from PIL.Image import frombuffer

    file = io.BytesIO()
    figure.savefig(file, format="rgba", dpi=DPI)
    (width, height), pixels = figure.canvas.get_width_height(), file.getvalue()
    if int(np.frombuffer(pixels, "<u4").min()) >> 24 == 255:  # the last byte of each pixel is how opaque it is
        pixels = frombuffer("RGBA", (width, height), pixels, "raw", "RGBA", 0, 1).tobytes("raw", "RGB")
    return png_of(pixels, width, height, DPI, title)


class Lettering:
    """What the fonts can show and how wide that is: DejaVu Sans, as matplotlib brings it, and one for CJK letters."""

    def __init__(self, format: str) -> None:  # noqa: A002
        from matplotlib import get_data_path

        paths = [str(Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))]
        if format == "png" and (installed := cjk_font()):
            paths.append(installed.path)
        self._fonts = tuple(map(_opened_font, paths))
        self._spells = format == "png"  # whoever opens an SVG may have a font for what this one lacks

    def brings(self, text: str) -> bool:
        """Whether DejaVu Sans, which is everywhere, has all that prints of a text."""
        return all(self._fonts[0].get_char_index(ord(char)) for char in text if char.isprintable())

    def ems(self, text: str) -> float:
        """The width of a text in letters of size 1."""
        return add_in_order(times * self._advance(ord(char)) for char, times in Counter(text).items())

    def fit(self, text: str, room: float, size: float) -> str:
        """A text as it is shown, without its middle where that takes more than the room."""
        parts = [self._shown(char) for char in text]
        shown, kept = "".join(parts), len(parts)
        while size * self.ems(shown) > room:
            kept = kept * 19 // 20
            shown = "".join([*parts[: kept - kept // 2], "…", *parts[len(parts) - kept // 2 :]])
        return shown

    def _shown(self, char: str) -> str:
        lacking = self._spells and char.isprintable() and _font_with(self._fonts, ord(char)) is None
        if lacking and is_cjk(char) and len(self._fonts) == 1:
            note_missing_font()
        return char.encode("ascii", "backslashreplace").decode() if lacking else printable(char)

    def _advance(self, code: int) -> float:
        font = _font_with(self._fonts, code)
        return 1.0 if font is None else _advance_in(font, code)


@cache
def _opened_font(path: str) -> Any:
    """A font in letters of size 100, opened once: every page, gutter and row of names asks for its letters."""
    from matplotlib.ft2font import FT2Font

    font = FT2Font(path)
    font.set_size(100, 72)
    return font


@lru_cache(maxsize=1 << 16)
def _font_with(fonts: tuple[Any, ...], code: int) -> Any:
    """The first font that has a character, or None."""
    return next((font for font in fonts if font.get_char_index(code)), None)


@lru_cache(maxsize=1 << 16)
def _advance_in(font: Any, code: int) -> float:
    """The width of a character that a font has, in letters of size 1."""
    return float(font.load_char(code).linearHoriAdvance / 65536 / 100)


def _families(format: str) -> dict[str, Any]:  # noqa: A002
    """Families of a PNG by name, so that its texts keep them; an SVG names none of this machine."""
    installed = cjk_font() if format == "png" else None
    return {} if installed is None else {"font.family": ["DejaVu Sans", installed.family]}


def _changed_settings(format: str) -> Any:  # noqa: A002
    """Settings of a picture that are not made already: each that is made has to be checked, and most are at default."""
    from matplotlib import rcParams, rcParamsDefault

    now, default = _values(rcParams), _values(rcParamsDefault)
    styled = {name: value for name, value in default.items() if name not in OF_THE_PROCESS}
    wanted = styled | STYLE | _families(format)
    return {name: value for name, value in wanted.items() if _differ(now[name], value)}


def _differ(setting: Any, wanted: Any) -> bool:
    try:
        return bool(setting != wanted)
    except ValueError:  # of arrays, such as colours of a map, which whoever else is here may have set
        return True


def _values(settings: Any) -> dict[str, Any]:
    """Settings as they are: to ask for them one by one would warn of some, and choose a backend."""
    return dict(dict.items(settings))


@contextmanager
def drawing(format: str) -> Iterator[None]:  # noqa: A002
    """The settings of every picture, whatever others have set; they end with it.

    Settings of matplotlib are those of the whole process, and its modules import each other: one thread draws at a
    time. Within a drawing of the same format they are made already.
    """
    require(format in ("png", "svg"), "format", format, "png or svg")
    with _DRAWING:
        if _FORMATS and _FORMATS[-1] == format:
            yield
            return
        try:
            from matplotlib import rc_context
        except ImportError:
            raise ConfigError("plots: pictures need matplotlib: pip install 'calipers[plots]'") from None
        with rc_context(_changed_settings(format)), warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from", UserWarning)  # an SVG keeps the character
            _FORMATS.append(format)
            try:
                yield
            finally:
                _FORMATS.pop()
