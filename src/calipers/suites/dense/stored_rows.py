"""What the worker of a shard writes into its place of a file: rows and cases, and the part as `--resume` keeps it.

That can be done where everything before it has its place; if not, all of it is sent along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.core.text import whole_text
from calipers.files.part_files import entry_of
from calipers.files.placed_texts import StoredLines, StoredText, store_texts

if TYPE_CHECKING:
    from calipers.suites.dense.part import DensePart

Text = bytes | memoryview
StoredRows = tuple[StoredText, StoredLines]


class StoreIn(NamedTuple):
    """Where a worker stores what it makes of shards: numbers of `files.placed_texts`."""

    rows: int | None = None  # and cases
    parts: int | None = None
    named: str = ""  # what the names of shards end with
    max_bad: int = 0  # records of a part that is whole


NOWHERE = StoreIn()


def shard_name(shard: Any, kept: str) -> str:
    """A text of the shard's input, its place in that, a digest of its bytes, and what its part has beside counts."""
    place = f"{shard.source}:{whole_text(shard.path)}:{shard.first_line}:{shard.offset}:{shard.size}"
    return f"{place}:{shard.digest}{kept}"


def store_part(part: DensePart, shard: Any, places: StoreIn) -> None:
    """Store the part as it is kept, if that is wanted, and then its rows and cases, which it is sent without."""
    if places.parts is not None:
        entry = entry_of(shard_name(shard, places.named), part.pack()) if len(part.bad) <= places.max_bad else None
        begins = entry and store_texts(places.parts, shard.number, [entry])
        if not entry or not begins:
            return
        part.stored_entry, part.pairs = StoredText(begins[0], sum(map(len, entry))), []
    store_rows(part, shard.number, places.rows)


def store_rows(part: DensePart, number: int, places: int | None) -> None:
    """Write lines of rows and cases into their files, if they are a text each, as those of a shard mostly are."""
    if places is None or len(part.matches) != 1 or len(part.cases) != 1:
        return
    rows, cases = part.matches[0], part.cases[0]
    if isinstance(rows, Text) and (begins := store_texts(places, number, [[rows], [cases]])) is not None:
        text, lines = StoredText(begins[0], len(rows)), StoredLines(begins[1], len(cases), *part.case_ends[0])
        part.stored, part.matches, part.cases, part.case_ends = (text, lines), [], [], []
