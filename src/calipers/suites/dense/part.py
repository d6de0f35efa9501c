"""The part of some records: counts, the bad ones, and rows of objects and lines of cases when asked for.

Rows and cases are not packed. A run that will want them again keeps pairs of objects instead, of which both are made
anew (`kept_pairs`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pickle import PickleBuffer
from typing import Any

from calipers.core.parts import Packed
from calipers.core.slice_table import SliceTable, join_tables, pack_table, unpack_table
from calipers.core.tally import Tally
from calipers.core.versions import Engines, engines_from, join_engines
from calipers.files.placed_texts import StoredText
from calipers.files.problems import BadRecord
from calipers.report import Rows
from calipers.suites.dense.kept_pairs import KeptPairs, pack_pairs, unpack_pairs
from calipers.suites.dense.stored_rows import StoredRows, Text

CaseEnds = tuple[Any, Any]  # where lines end, and how many objects of each have no partner
OUT_OF_BAND = 5  # the first protocol of pickles that has it


class DensePart:
    """The result of some records."""

    __slots__ = (
        "bad",
        "case_ends",
        "cases",
        "digests",
        "engines",
        "first_invalid",
        "inputs",
        "matches",
        "pairs",
        "read",
        "slices",
        "stored",
        "stored_entry",
        "tally",
    )

    def __init__(self, tally: Tally | None = None, bad: Iterable[BadRecord] = ()) -> None:
        self.tally, self.bad = tally or Tally(), list(bad)
        self.inputs: list[dict[str, Any]] = []
        self.read: dict[int, int] = {}  # source -> records
        self.digests: dict[int, str] = {}  # source -> SHA-256, of files that were measured whole by workers
        self.engines: Engines = {}
        self.first_invalid = ""  # the first prediction that cannot be read: where it is, and why
        self.matches: Rows | list[Text] = []  # rows, or lines of CSV, many to a text
        self.cases: list[Text] = []  # lines, many to a text
        self.case_ends: list[CaseEnds] = []  # of each of these texts, in the process that made it
        self.pairs: list[KeptPairs] = []  # of batches, where a run that goes on later will make rows of them
        self.stored: StoredRows | None = None  # rows and cases, where these are in their files already
        self.stored_entry: StoredText | None = None  # all of it, where that is in the file of `resume` already
        self.slices: SliceTable | None = None  # what slices are made of, when they are asked for

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Texts may travel beside the pickle, and become views of bytes."""
        reduced: Any = super().__reduce_ex__(protocol)
        state = reduced[2][1]  # by slot
        wrap = PickleBuffer if protocol >= OUT_OF_BAND else bytes
        state["case_ends"] = []
        for name in ("matches", "cases"):
            state[name] = [wrap(row) if isinstance(row, Text) else row for row in state[name]]
        return reduced

    def add(self, later: DensePart) -> None:
        """Add the part that follows this one."""
        self.engines = join_engines(self.engines, later.engines)
        self.tally += later.tally
        self.bad += later.bad
        self.inputs += later.inputs
        self.digests |= later.digests
        self.first_invalid = self.first_invalid or later.first_invalid
        for source, records in later.read.items():
            self.read[source] = self.read.get(source, 0) + records
        self.matches += later.matches  # type: ignore[operator]
        self.cases += later.cases
        self.case_ends += later.case_ends
        self.pairs += later.pairs
        if later.slices is not None:
            self.slices = join_tables(self.slices, later.slices)

    def pack(self) -> Packed:
        """The part as plain values and arrays, with its pairs instead of rows and cases."""
        counted = self.tally.pack()
        plain = {
            "tally": counted.plain,
            "bad": [[bad.path, bad.line, bad.problem, bad.found] for bad in self.bad],
            "inputs": self.inputs,
            "read": list(self.read.items()),
            "engines": self.engines,
            "first_invalid": self.first_invalid,
        }
        return pack_table(Packed(plain, counted.arrays | pack_pairs(self.pairs)), self.slices)

    @classmethod
    def unpack(cls, packed: Packed) -> DensePart:
        """The part that was packed."""
        plain = packed.plain
        part = cls(Tally.unpack(Packed(plain["tally"], packed.arrays)), [BadRecord(*fault) for fault in plain["bad"]])
        part.inputs, part.read = plain["inputs"], dict(plain["read"])
        part.first_invalid = str(plain.get("first_invalid", ""))  # older files have none
        part.engines = engines_from(plain)
        part.pairs, part.slices = unpack_pairs(packed.arrays), unpack_table(packed)
        return part
