"""Ground truth to look at: places where the annotation is more likely wrong than the models, most likely first.

It proposes and never edits: what is read stays as it is, and what is written are lists and a page.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from calipers.core.config import checked_keywords
from calipers.core.errors import require
from calipers.core.suspects import COLUMNS, Suspect, one_each
from calipers.files.output import json_line, to_json
from calipers.results import suspects_text as views
from calipers.results.saved_files import Contents, files_at, write_files
from calipers.results.suspect_inputs import SuspectInputs, malformed_refused, read_inputs
from calipers.results.tree_mapping import TreeMapping
from calipers.show.tables import csv_table

FILES = "suspects"  # the stem of files in a folder


class SuspectFacts(NamedTuple):
    """Facts about suspects that views show beside their rows."""

    record: str  # what the suite calls a record
    records: int
    found: int  # all of them, also those that `top` leaves out
    notes: list[str]


class Suspects(TreeMapping):
    """Places to look at: `suspects["rows"][0]["key"]`. `str(suspects)` is the console's table."""

    def __init__(self, tree: dict[str, Any], facts: SuspectFacts, listed: list[Suspect], inputs: SuspectInputs) -> None:
        self.tree, self.facts = tree, facts
        self._listed, self._inputs = listed, inputs

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each place, the most likely first."""
        rows: list[dict[str, Any]] = self.tree["rows"]
        return rows

    def __str__(self) -> str:
        return views.table(self.tree, self.facts)

    def __repr__(self) -> str:
        return f"<Suspects {self.tree['suite']}: {len(self.rows):,} places>"

    def to_json(self) -> bytes:
        """The whole list, as canonical JSON."""
        return to_json(self.tree)

    def to_jsonl(self) -> bytes:
        """The rows as JSON lines."""
        return b"".join(map(json_line, self.rows))

    def to_csv(self) -> str:
        """One row for each place, as CSV in which no cell is taken for a formula."""
        return csv_table(list(COLUMNS), self.rows).decode()

    def to_html(self) -> bytes:
        """The page: the list, and the places drawn."""
        from calipers.results.suspects_page import suspects_page

        with malformed_refused(self._inputs.runs):
            return suspects_page(self.tree, self.facts, self._listed, self._inputs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file by its ending (.csv, .jsonl, .html), or all of them into a folder."""
        write_files(self.files_at(path))

    def files_at(self, path: str | os.PathLike[str]) -> Contents:
        """The files that `save` writes, by path, with what makes each; a name of another kind is refused."""
        kinds = {".csv": lambda: self.to_csv().encode(), ".jsonl": self.to_jsonl, ".html": self.to_html}
        return files_at(path, FILES, kinds)


@checked_keywords
def suspects(*results: Any, top: int | None = None) -> Suspects:
    """List places where the annotation is more likely wrong than the model, most likely first.

    Args:
        *results: 1 to 100 folders of runs of one suite over the same records, as `-o DIR` writes them: paths,
            "NAME=PATH", lists of these, or a dict of them by name.
        top: How many places are listed at most; without a number all of them.

    Returns:
        One row for each place: `key`, `side`, `index`, `result`, `reason`, `label`, `suggested` and `score`. `str` of
            it is the table of the console.

    Raises:
        ConfigError: A result is no folder with cases, results are over different records or of different protocols,
            or the suite does not say where its annotations may be wrong.
        InputError: A result cannot be read.

    Examples:
        >>> for row in suspects("examples/dense/out", top=1)["rows"]:
        ...     print(row["reason"], row["key"], row["index"], row["label"], "->", row["suggested"])
        wrong_label 4-wrong-label-and-duplicate.jpg 0 标签 -> 紧固件
    """
    return search(read_inputs(results), top=top)


def search(inputs: SuspectInputs, *, top: int | None = None) -> Suspects:
    """Search results that were read."""
    require(top is None or (type(top) is int and top >= 1), "top", top, "a whole number from 1 on")
    with malformed_refused(inputs.runs):
        findings = inputs.spec.find(inputs.runs)
    listed = one_each(findings.suspects)
    shown = listed[:top]
    rows = [dict(zip(COLUMNS, suspect, strict=False)) for suspect in shown]
    tree = {"suspects": "suspects/1", "suite": inputs.suite.name, "results": sorted(run.name for run in inputs.runs)}
    notes = [*findings.notes, *(f"{path}: no artifact, passed over" for path in inputs.passed_over)]
    facts = SuspectFacts(inputs.suite.record, inputs.records, len(listed), notes)
    return Suspects(tree | {"rows": rows}, facts, shown, inputs)
