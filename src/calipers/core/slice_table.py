"""What a run keeps of each record so that its results can be sliced.

A `SliceTable` has, for every record that was evaluated, the 64 bits that its weights are drawn from, some whole numbers
that figures are made of, and the values of the fields it is sliced by. For slices by the size of objects it also has
`ObjectRows`: of every object its size, and what it adds to those numbers. Tables of shards add up by standing one
behind the other; everything else is computed once all records are there, so that no order and no cut can change it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.parts import Packed
from calipers.core.slice_fields import FieldValues
from calipers.core.slice_objects import SMALL, ObjectRows, smallest
from calipers.kernels.count.sums import key_hashes

Ints = NDArray[np.int64]
Attributes = Mapping[str, Mapping[str, Any]]  # by key of a record: fields


class SliceTable:
    """Every record: the hash of its key, whole numbers by column, and the values of fields."""

    __slots__ = ("_columns", "_hashes", "fields", "known", "names", "objects")

    def __init__(self, names: Sequence[str], fields: Iterable[str], object_names: Sequence[str] | None = None) -> None:
        self.names = tuple(names)
        self.fields = {field: FieldValues() for field in fields}
        self.objects = None if object_names is None else ObjectRows(object_names)
        self.known: set[str] = set()  # names of fields that records have, for messages
        self._hashes: list[Ints] = []
        self._columns: list[NDArray[Any]] = []  # each (columns, records)

    def extend(self, keys: Sequence[str], columns: Any, values: Mapping[str, Sequence[Any]]) -> None:
        """Take in some records; a field without values is missing in all of them."""
        self.extend_hashed(key_hashes(keys), columns, values)

    def extend_hashed(self, hashes: Any, columns: Any, values: Mapping[str, Sequence[Any]]) -> None:
        """Take in some records by the hashes of their keys."""
        self._hashes.append(np.asarray(hashes).view(np.int64))
        self._columns.append(smallest(np.asarray(columns), SMALL[2:]))
        for field, own in self.fields.items():
            own.extend(field, values.get(field) or [None] * len(hashes))

    def add(self, later: SliceTable) -> None:
        """Take in the records that come after it."""
        self._hashes += later._hashes
        self._columns += later._columns
        self.known |= later.known
        for field, own in self.fields.items():
            own.add(later.fields[field])
        if self.objects and later.objects:
            self.objects.add(later.objects)

    def columns(self) -> tuple[Ints, NDArray[Any]]:
        """Hashes (records,) and numbers (columns, records) of all records."""
        if len(self._hashes) != 1:
            empty = np.empty((len(self.names), 0), np.int32)
            self._hashes = [np.concatenate([np.empty(0, np.int64), *self._hashes])]
            self._columns = [np.concatenate([empty, *self._columns], axis=1)]
        return self._hashes[0], self._columns[0]

    def set_attributes(self, attributes: Attributes, built_in: set[str]) -> list[str]:
        """Give records further fields by their keys, which win over their own; returns the keys of no record."""
        keys, (hashes, _) = list(attributes), self.columns()
        wanted = np.asarray(key_hashes(keys)).view(np.int64)
        order = np.argsort(wanted, kind="stable")
        at = np.searchsorted(wanted[order], hashes).clip(max=max(len(keys) - 1, 0))
        is_known = wanted[order][at] == hashes if keys else np.zeros(len(hashes), dtype=bool)
        places = np.where(is_known, order[at] if keys else -1, -1).tolist()  # (records,) into keys
        names = {name for row in attributes.values() for name in row}
        for field in names.intersection(self.fields) - built_in:
            values = [attributes[key].get(field) for key in keys]
            self.fields[field] = FieldValues()
            self.fields[field].extend(field, [None if place < 0 else values[place] for place in places])
        is_there = np.isin(wanted, hashes).tolist()
        return [key for key, there in zip(keys, is_there, strict=True) if not there]

    def pack(self) -> Packed:
        """The table as plain values and arrays."""
        hashes, columns = self.columns()
        plain: dict[str, Any] = {"names": list(self.names), "fields": {}, "known": sorted(self.known)}
        arrays: dict[str, Any] = {"slices/hashes": hashes, "slices/columns": columns}
        for at, (field, values) in enumerate(self.fields.items()):
            packed = values.pack()
            plain["fields"][field] = packed.plain
            arrays |= {f"slices/{at}/{name}": array for name, array in packed.arrays.items()}
        if self.objects:
            rows = self.objects.pack()
            plain["objects"] = rows.plain
            arrays |= {f"slices/objects/{name}": array for name, array in rows.arrays.items()}
        return Packed(plain, arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> SliceTable:
        """The table that was packed."""
        plain, arrays = packed
        table = cls(plain["names"], ())
        table.known = set(plain["known"])
        table._hashes, table._columns = [arrays["slices/hashes"]], [arrays["slices/columns"]]
        for at, (field, own) in enumerate(plain["fields"].items()):
            named = {name: arrays[f"slices/{at}/{name}"] for name in ("codes", "numbers")}
            table.fields[field] = FieldValues.unpack(Packed(own, named))
        if "objects" in plain:
            named = {name: arrays[f"slices/objects/{name}"] for name in ("counts", "sizes", "kinds", "table")}
            table.objects = ObjectRows.unpack(Packed(plain["objects"], named))
        return table


def join_tables(first: SliceTable | None, later: SliceTable | None) -> SliceTable | None:
    """The table of two parts, each of which may have none."""
    if first and later:
        first.add(later)
    return first or later


def pack_table(packed: Packed, table: SliceTable | None) -> Packed:
    """A part that was packed, with its table if there is one."""
    if table is None:
        return packed
    own = table.pack()
    return Packed(packed.plain | {"slices": own.plain}, packed.arrays | own.arrays)


def unpack_table(packed: Packed) -> SliceTable | None:
    """The table of a part that was packed, if it has one."""
    return SliceTable.unpack(Packed(packed.plain["slices"], packed.arrays)) if "slices" in packed.plain else None
