"""Calipers measures predictions against ground truth. The public names, each loaded on first use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.errors import CalipersError, ConfigError, InputError, OutputError
    from calipers.rulers.region import region_iou
    from calipers.rulers.tube import line_coverage, tube_iou

__version__ = "0.1.0"

_HOMES = {
    "CalipersError": "errors",
    "ConfigError": "errors",
    "InputError": "errors",
    "OutputError": "errors",
    "line_coverage": "rulers.tube",
    "region_iou": "rulers.region",
    "tube_iou": "rulers.tube",
}

__all__ = [
    "CalipersError",
    "ConfigError",
    "InputError",
    "OutputError",
    "__version__",
    "line_coverage",
    "region_iou",
    "tube_iou",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'calipers' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"calipers.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
