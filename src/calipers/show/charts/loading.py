"""matplotlib for a process that does nothing but draw plots: loaded without what these do not take.

Parsers of formulas, dates and patterns of fonts, axes in space, and docstrings that are put together anew are half of
the time. A module that is left out is loaded once something is asked of it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from io import BytesIO
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

LOADED = (
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "PIL.PngImagePlugin",
)
WRITE_DOCSTRING = "_update_set_signature_and_docstring"  # of matplotlib's artists; with another name, it is written
FORMULAS, PATTERNS = "matplotlib.mathtext", "matplotlib._fontconfig_pattern"
DATES, SPACE, TEX = "dateutil.parser", "mpl_toolkits.mplot3d", "matplotlib.dviread"


def load_matplotlib() -> None:
    """Load what drawing takes."""
    with _without_docstrings(), _DEFERRED.in_use():
        _leave_out_docstrings_of_artists()
        for module in LOADED:
            import_module(module)
    _look_up_settings_at_once()
    _keep_fonts_in_memory()


@contextmanager
def _without_docstrings() -> Iterator[None]:
    """Have docstrings stay as they are written while modules are loaded: nobody reads them here."""
    cleandoc = inspect.cleandoc
    inspect.cleandoc = lambda doc: doc
    try:
        yield
    finally:
        inspect.cleandoc = cleandoc


def _leave_out_docstrings_of_artists() -> None:
    """Have none written for each class of artists: that is a third of the time."""
    from matplotlib import artist

    artist.kwdoc = lambda artist: ""
    if hasattr(artist.Artist, WRITE_DOCSTRING):
        setattr(artist.Artist, WRITE_DOCSTRING, classmethod(lambda _: None))


def _look_up_settings_at_once() -> None:
    """Have settings looked up as in a dictionary, 27,000 times for a few plots: they have no other names here, and no
    backend is chosen."""
    import matplotlib

    matplotlib.RcParams.__getitem__ = dict.__getitem__  # type: ignore[method-assign]


def _keep_fonts_in_memory() -> None:
    """Have fonts read as a whole: for every letter, matplotlib asks their files for a few bytes several times, which is
    a seventh of the time to draw."""
    from matplotlib import ft2font

    open_font = ft2font.FT2Font

    def open_in_memory(font: Any, *rest: Any, **options: Any) -> Any:
        is_path = isinstance(font, (str, PathLike))
        return open_font(BytesIO(Path(font).read_bytes()) if is_path else font, *rest, **options)

    ft2font.FT2Font = open_in_memory  # type: ignore[misc,assignment]  # which takes files that are open, too
    with suppress(TypeError):  # of versions that let none of it be changed
        _ask_fonts_once(open_font)


def _ask_fonts_once(fonts: Any) -> None:
    """Have sizes of fonts set where they change, and tables read once.

    Each letter is drawn in a size that is set anew, for which a program of the font is run, and each text is measured
    by tables of which a copy is made: a sixth of the time to draw.
    """
    set_size, table_of = fonts.set_size, fonts.get_sfnt_table
    last_set: tuple[Any, ...] = ()  # one alone, as a font sets those that stand in for it as well

    def set_new_size(font: Any, *size: float) -> None:
        nonlocal last_set
        if last_set != (font, *size):
            set_size(font, *size)
            last_set = (font, *size)

    fonts.set_size = set_new_size
    fonts.get_sfnt_table = cache(table_of)


# Modules that are loaded late


class _LateModule(ModuleType):
    """Stands for a module until something is asked of it that is not here."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by imports
            raise AttributeError(name)
        return getattr(_real(self.__name__), name)


class _Deferral:
    """Gives late modules in place of those of some names."""

    def __init__(self, contents: Mapping[str, Mapping[str, Any]]) -> None:
        self._contents = contents
        self.is_in_use = False

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Have late modules imported in the block, those that are not loaded yet."""
        finders: list[Any] = sys.meta_path
        finders.insert(0, self)
        self.is_in_use = True
        try:
            yield
        finally:
            self.is_in_use = False
            finders.remove(self)

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> ModuleSpec | None:
        """Find a late module."""
        loader: Any = self
        return ModuleSpec(name, loader) if self.is_in_use and name in self._contents else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Create a late module."""
        return _LateModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Give a late module what it has from the start."""
        vars(module).update(self._contents[module.__name__])


def _real(name: str) -> ModuleType:
    """The module that a late one stands for."""
    if isinstance(sys.modules.get(name), _LateModule):
        del sys.modules[name]
    was_in_use, _DEFERRED.is_in_use = _DEFERRED.is_in_use, False
    try:
        return import_module(name)
    finally:
        _DEFERRED.is_in_use = was_in_use


class _FormulaParser:
    """A parser of formulas, of which there are none in our plots."""

    def __init__(self, *args: Any) -> None:
        self._args = args

    def __getattr__(self, name: str) -> Any:
        return getattr(_real(FORMULAS).MathTextParser(*self._args), name)


class _Axes3D:
    """Axes in space, of which there are none either."""

    name = "3d"

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """Axes of matplotlib."""
        return _real(SPACE).Axes3D(*args, **options)


def _parse_pattern(pattern: str) -> Any:
    """What a pattern of fonts says; while settings are loaded, which are checked by it, nothing."""
    return {} if _DEFERRED.is_in_use else _real(PATTERNS).parse_fontconfig_pattern(pattern)


def _late(module: str, function: str) -> Callable[..., Any]:
    """A function of a module that is loaded when it is called."""
    return lambda *args, **options: getattr(_real(module), function)(*args, **options)


_DEFERRED = _Deferral(
    {
        "PIL.ExifTags": {},
        DATES: {"parse": _late(DATES, "parse")},
        "pyparsing": {"__version__": "999"},  # as new as matplotlib may ask for, of what it does not use here
        SPACE: {"Axes3D": _Axes3D},
        TEX: {"Dvi": _late(TEX, "Dvi")},
        FORMULAS: {"MathTextParser": _FormulaParser},
        PATTERNS: {
            "parse_fontconfig_pattern": _parse_pattern,
            "generate_fontconfig_pattern": _late(PATTERNS, "generate_fontconfig_pattern"),
        },
    }
)
