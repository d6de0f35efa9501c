"""Rows and cases of a shard that its worker writes into their files, where all before them have their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.files.placed_texts import StoredLines, StoredText, store_texts
from calipers.kernels.scan.weave import end_numbers

if TYPE_CHECKING:
    from calipers.suites.dense.plan import DensePart

Text = bytes | memoryview
StoredRows = tuple[StoredText, StoredLines]
LAST = b"unmatched"  # field of a case


def store_rows(part: DensePart, number: int, places: int | None) -> None:
    """Write lines of rows and cases into their files, if they are a text each, as those of a shard mostly are."""
    if places is None or len(part.matches) != 1 or len(part.cases) != 1:
        return
    rows, cases = part.matches[0], part.cases[0]
    if isinstance(rows, Text) and (begins := store_texts(places, number, [rows, cases])) is not None:
        text, lines = StoredText(begins[0], len(rows)), StoredLines(begins[1], len(cases), *end_numbers(cases, LAST))
        part.stored, part.matches, part.cases = (text, lines), [], []
