"""The tables of a result, by name: rows as dicts, which a dataframe takes as they are, and files of them.

`summary` is in every suite: one row for each number, with its 95 % interval and the count it rests on. The others are
those that the suite declares. All rows of a table have the same keys in the same order, and an undefined value is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.core.errors import ConfigError, require
from calipers.core.tables import Table, make_table
from calipers.show.figures import figures
from calipers.show.latex import latex_table
from calipers.show.markdown import markdown_table
from calipers.show.tables import csv_table
from calipers.suite import suite_of_tree

Tree = Mapping[str, Any]
SUMMARY = "summary"
FORMATS = ("csv", "md", "tex")


def table_names(tree: Tree) -> list[str]:
    """The tables that a result has, the summary first.

    >>> table_names({"suite": "coco"})[:6]
    ['summary', 'classes', 'thresholds', 'errors', 'label_errors', 'ap_worth']
    """
    suite = suite_of_tree(tree)
    whole = suite.in_usual_form(tree)
    return [SUMMARY, *(name for name, spec in suite.tables.items() if spec.is_there(whole))]


def table(tree: Tree, name: str | None = None) -> Table:
    """A table by its name or that of its file, the summary without one; any other is an error that says the nearest."""
    known, name = table_names(tree), _table_name(tree, name)
    if name == SUMMARY:
        return summary_table(tree)
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(str(name), known, n=1, cutoff=0.5)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise ConfigError(f"{name!r} is not a table of this {tree['suite']} result{hint} (known: {', '.join(known)})")
    suite = suite_of_tree(tree)
    return suite.tables[name].make(suite.in_usual_form(tree))


def _table_name(tree: Tree, name: str | None) -> str:
    """What a table is called; some have another name as a file, which names it as well."""
    tables = suite_of_tree(tree).tables
    if name is None or name == SUMMARY or name in tables:
        return name or SUMMARY
    return next((known for known, spec in tables.items() if spec.file == f"{name}.csv"), name)


def summary_table(tree: Tree) -> Table:
    """One row for each figure."""
    rows = figures(tree, replicates=False).values()
    lines = ((figure.name, figure.value, *(figure.interval or (None, None)), figure.n) for figure in rows)
    return make_table(["metric", "value", "low", "high", "n"], lines)


def write_table(tree: Tree, name: str | None, format: str) -> bytes:  # noqa: A002
    """A table of a result as the bytes of a file: `csv`, `md` or `tex`."""
    require(format in FORMATS, "format", format, f"one of {', '.join(FORMATS)}")
    if format == "csv" and (written := _written(tree, name)) is not None:
        return written
    columns, rows = table(tree, name)
    if format == "csv":
        return csv_table(columns, rows)
    return (markdown_table if format == "md" else latex_table)(columns, rows).encode()


def _written(tree: Tree, name: str | None) -> bytes | None:
    """The CSV of a table that has a way of its own to be written."""
    suite = suite_of_tree(tree)
    spec = suite.tables.get(_table_name(tree, name))
    whole = suite.in_usual_form(tree)
    return spec.write_csv(whole) if spec and spec.write_csv and spec.is_there(whole) else None
