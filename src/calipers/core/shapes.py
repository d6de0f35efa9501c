"""Records as columns: what the rest of the house works on. What exists here is valid.

`Objects` holds one side of many records. Objects of record r are `offsets[r]:offsets[r + 1]`; numbers of object i are
`points[starts[i]:starts[i + 1]]`. An object that could not be read keeps its place, with a `reason` and no points, so
that it can count as a prediction that matches nothing.

This module and the kernels import no numpy; columns are buffers that numpy reads without a copy.
"""

from __future__ import annotations

from calipers.kernels.scan.flatten import KINDS, ObjectColumns
from calipers.kernels.shape.plane import FLAGS, Shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from calipers.kernels.scan.column import Column

    class Side(Protocol):
        """One side as counting needs it: objects of record r are `offsets[r]:offsets[r + 1]`."""

        @property
        def offsets(self) -> Any: ...
        @property
        def kind(self) -> Any: ...
        def __len__(self) -> int: ...

    class Sides(Protocol):
        """Both sides of some records."""

        @property
        def truth(self) -> Side: ...
        @property
        def pred(self) -> Side: ...
        def __len__(self) -> int: ...


__all__ = ["FLAGS", "KINDS", "Batch", "Objects"]

COLUMNS = ("offsets", "kind", "reason", "flags", "starts", "points", "area", "bounds", "desc")


class Objects:
    """One side of many records, in columns."""

    __slots__ = ("area", "bounds", "desc", "descs", "flags", "kind", "offsets", "points", "reason", "starts")

    offsets: Column  # (records + 1,) into objects
    kind: Column  # (objects,) index into KINDS; 3 is a type that could not be read
    reason: Column  # (objects,) 0 is valid, else what is wrong with it
    flags: Column  # (objects,) bits of FLAGS
    starts: Column  # (objects + 1,) into points
    points: Column  # x, y, x, y, …
    area: Column  # (objects,)
    bounds: Column  # (objects * 4,) x1, y1, x2, y2
    desc: Column  # (objects,) code of the text
    descs: dict[str, int]  # text -> code, shared by both sides

    def __init__(self, raw: ObjectColumns) -> None:
        shapes = Shapes(raw)
        self.offsets, self.kind, self.reason = raw.offsets, raw.kind, raw.reason
        self.desc, self.descs = raw.desc, raw.descs
        self.starts, self.points, self.flags = shapes.starts, shapes.points, shapes.flags
        self.area, self.bounds = shapes.area, shapes.bounds

    def __len__(self) -> int:
        return len(self.kind)

    def without(self, records: Iterable[int]) -> Objects:
        """The objects of all records except some."""
        from calipers.kernels.shape.plane import without_records

        rest = Objects.__new__(Objects)
        rest.descs = self.descs
        for name, column in zip(COLUMNS, without_records(self, records), strict=True):
            setattr(rest, name, column)
        return rest


class Batch:
    """Some thousand records: their keys and both sides, aligned."""

    __slots__ = ("_hashes", "fields", "keys", "lines", "path", "pred", "raw", "truth")

    def __init__(
        self,
        truth: Objects,
        pred: Objects,
        *,
        keys: Sequence[str],
        path: str = "",
        lines: Sequence[int] = (),
        raw: Sequence[dict[str, Any]] = (),
        fields: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.truth, self.pred = truth, pred
        self.keys = keys
        self.path = path
        self.lines = lines
        self.raw = raw  # the records as read, when someone wants to write them out again
        self.fields = fields or {}  # by name: the value in each record, of fields that are asked for
        self._hashes: Column | None = None

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def hashes(self) -> Column:
        """(records,) What the weights of records are drawn from: 64 bits of each key."""
        if self._hashes is None:
            from calipers.kernels.count.sums import key_hashes

            self._hashes = key_hashes(self.keys)
        return self._hashes

    def without(self, records: Iterable[int]) -> Batch:
        """Both sides of all records except some."""
        left_out = set(records)
        keys, lines, raw = (
            [item for record, item in enumerate(items) if record not in left_out]
            for items in (self.keys, self.lines, self.raw)
        )
        fields = {
            name: [value for record, value in enumerate(values) if record not in left_out]
            for name, values in self.fields.items()
        }
        sides = self.truth.without(left_out), self.pred.without(left_out)
        return Batch(*sides, keys=keys, path=self.path, lines=lines, raw=raw, fields=fields)  # type: ignore[arg-type]
