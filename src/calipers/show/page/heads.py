"""The top of every page: what was measured, with which rules, and warnings about it."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from calipers.core.survey import counted
from calipers.show.page.sections import Part, column, table

Tree = dict[str, Any]
LONGEST_LIST = 12
MAX_ROWS = 1000  # of a table
MAX_PROBLEMS = 50
MAX_INPUTS = 4


def title_of(tree: Tree) -> str:
    """The title of a page: the names of the inputs without their folders."""
    names = [short_name(entry["path"]) for entry in tree["inputs"]]
    return " · ".join(dict.fromkeys(names[:3])) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


@lru_cache(maxsize=64)
def short_name(path: str) -> str:
    """The last part of a path.

    >>> short_name("runs/today/"), short_name("/")
    ('today', '/')
    """
    return os.path.basename(path.rstrip("/")) or path


def facts_of(tree: Tree, *names: str) -> list[tuple[str, str]]:
    """The inputs in short, the parameters a reader asks for first, and the protocol."""
    facts = [("input", _counted(entry)) for entry in tree["inputs"][:MAX_INPUTS]]
    facts += [(name.replace("_", " "), said(tree["params"][name])) for name in names if name in tree["params"]]
    return [*facts, ("protocol", tree["protocol"]), ("calipers", tree["calipers"])]


def _counted(entry: Tree) -> str:
    count = "" if entry.get("records") is None else f" · {counted(entry['records'], 'record')}"
    return f"{short_name(entry['path'])}{count}"


def rules(tree: Tree) -> list[Part]:
    """The section with inputs and every parameter, given or default."""
    inputs = [[entry["path"], entry.get("records"), entry.get("sha256")] for entry in tree["inputs"]]
    columns = [column("path"), column("records", "number"), column("sha256")]
    rows = [[name, said(value)] for name, value in tree["params"].items()]
    about = "Every parameter that can change a number, given or default."
    sections = [
        table("Inputs", columns, inputs[:MAX_ROWS], cut=more_rows(len(inputs))),
        table("Parameters", [column("parameter"), column("value")], rows, about=about),
    ]
    return [section | {"folded": True} for section in sections]


def said(value: Any) -> str:
    """A parameter and its value in words.

    >>> said([0.5, 0.75]), said(None), said({"region": "exact-area"})
    ('0.5, 0.75', 'none', 'region: exact-area')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return " · ".join(f"{name}: {said(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        more = f" and {len(value) - LONGEST_LIST:,} more" if len(value) > LONGEST_LIST else ""
        return ", ".join(said(item) for item in value[:LONGEST_LIST]) + more
    return str(value)


def more_rows(total: int) -> str:
    """The note under a table that does not hold all rows."""
    return f"{total - MAX_ROWS:,} more in the artifact" if total > MAX_ROWS else ""


def problems(tree: Tree) -> list[Part]:
    """Records that could not be used, one a row."""
    rejected = tree.get("rejected") or []
    if not rejected:
        return []
    rows = [[_place(entry), entry["problem"]] for entry in rejected[:MAX_PROBLEMS]]
    cut = f"{len(rejected) - MAX_PROBLEMS:,} more in the artifact" if len(rejected) > MAX_PROBLEMS else ""
    return [table("Rejected records", [column("where"), column("problem")], rows, cut=cut)]


def _place(entry: Tree) -> str:
    parts = (entry.get("path"), entry.get("line"), entry.get("video"))
    return ":".join(str(part) for part in parts if part is not None)
