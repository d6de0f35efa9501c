"""A table as a dataframe of pandas or polars, which are loaded when asked for and are no part of Calipers."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from calipers.core.errors import ConfigError
from calipers.core.text import whole_text
from calipers.report import Rows


def pandas_frame(columns: list[str], rows: Rows) -> Any:
    """A DataFrame of pandas; it has its columns also without rows."""
    return _library("pandas").DataFrame(rows, columns=columns)


def polars_frame(columns: list[str], rows: Rows) -> Any:
    """A DataFrame of polars; a column of whole and broken numbers is one of broken ones."""
    whole = {name: _of_one_kind([row[name] for row in rows]) for name in columns}
    return _library("polars").DataFrame(whole, strict=True)


def _of_one_kind(values: list[Any]) -> list[Any]:
    broken = any(isinstance(value, float) for value in values)
    return [
        whole_text(value) if isinstance(value, str) else float(value) if broken and value is not None else value
        for value in values
    ]


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ConfigError(f"to_{name}: needs {name}: pip install {name}") from None
