"""Sums of slices in replicates: weights of records are drawn once more, from the hashes of their keys.

Neighbouring fields are drawn together, so that a record's weights are drawn once for all of them. Where the sums of all
records are known, the largest cell is not drawn: what the others leave of them is the same whole number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.slice_cells import MOST_CELLS, Bundle, bundle_fields
from calipers.core.slice_fields import CROSS, SIZE, Groups, SliceSpec, cross, group_field, size_edges
from calipers.core.slice_figures import Drawn
from calipers.core.slice_objects import ObjectRows, SummedObjects
from calipers.core.slice_table import Ints, SliceTable
from calipers.kernels.count.sums import grouped_sums, small_weighted_sums, weighted_sums

Sums = Mapping[str, Ints]  # of columns, in replicates
Members = NDArray[np.intp]  # records
MIDDLE = 1  # of sizes: one that most records have
DRAWN_TOGETHER = 1 << 16  # records, more of which are worth a second thread


class Resampling(NamedTuple):
    """How replicates are drawn."""

    seed: int
    replicates: int


class DrawnGroup(NamedTuple):
    """A group of records or objects: its name, its records in the order of the table, and its sums."""

    name: str
    members: Members
    own: Drawn


class GroupSums(NamedTuple):
    """Sums of groups: in all (groups, columns), and in replicates (groups, columns, replicates)."""

    whole: Ints
    draws: Ints


def draw_fields(
    table: SliceTable, specs: Sequence[SliceSpec], resampling: Resampling, sums: Sums | None
) -> dict[SliceSpec, list[DrawnGroup]]:
    """The groups of records by each field, and the sums of each."""
    drawn: list[list[DrawnGroup]] = []
    for bundle in bundle_fields([_record_groups(table, spec) for spec in specs]):
        summed = draw_bundle(table, bundle, resampling, sums)
        rows = zip(summed.whole, summed.draws, strict=True)
        for groups in bundle.fields:
            pairs = zip(groups.names, _members(groups.codes, len(groups.names)), strict=True)
            drawn.append([DrawnGroup(name, own, Drawn(table.names, len(own), *next(rows))) for name, own in pairs])
    return dict(zip(specs, drawn, strict=True))


def draw_bundle(table: SliceTable, bundle: Bundle, resampling: Resampling, sums: Sums | None) -> GroupSums:
    """The sums of the groups of all fields, field after field."""
    _, columns = table.columns()
    cells = _members(bundle.codes, len(bundle.places[0]))
    firsts = np.cumsum([0, *(len(groups.names) for groups in bundle.fields)])
    places = np.stack(bundle.places, axis=1) + firsts[:-1]  # (cells, fields) into groups
    left = -1 if sums is None else max(range(len(cells)), key=lambda cell: len(cells[cell]))
    most = DRAWN_TOGETHER if firsts[-1] <= MOST_CELLS else len(bundle.codes)  # each piece has sums of all groups
    draw_one = partial(_draw_piece, table, cells, places, int(firsts[-1]), resampling)
    drawn = _draw_pieces(_pieces(cells, left, most), draw_one) or draw_one([])
    if sums is not None:
        everything = GroupSums(columns.sum(axis=1, dtype=np.int64), np.stack([sums[name] for name in table.names]))
        for group, first, end in zip(places[left].tolist(), firsts.tolist(), firsts[1:].tolist(), strict=False):
            for own, whole in zip(drawn, everything, strict=True):
                own[group] += whole - own[first:end].sum(axis=0)
    return drawn


def _pieces(cells: Sequence[Members], left: int, together: int) -> list[list[int]]:
    """Neighbouring cells together, but for the one that is left out: what a draw costs by itself is paid seldom."""
    pieces: list[list[int]] = []
    drawn = together
    for cell, members in enumerate(cells):
        if cell != left:
            if drawn >= together:
                pieces.append([])
                drawn = 0
            pieces[-1].append(cell)
            drawn += len(members)
    return pieces


def _draw_pieces(pieces: list[list[int]], draw_one: Callable[[list[int]], GroupSums]) -> GroupSums | None:
    """The sums of all pieces together; None of none."""
    if len(pieces) <= 1:
        return draw_one(pieces[0]) if pieces else None
    from concurrent.futures import ThreadPoolExecutor

    total: GroupSums | None = None
    with ThreadPoolExecutor(2) as threads:  # the kernel holds no lock
        for drawn in threads.map(draw_one, pieces):
            for own, more in zip(total or (), drawn, strict=False):
                own += more
            total = total or drawn
    return total


def _draw_piece(
    table: SliceTable, cells: Sequence[Members], places: Ints, groups: int, resampling: Resampling, some: list[int]
) -> GroupSums:
    """The sums of groups over some of the cells."""
    hashes, columns = table.columns()
    members = np.concatenate([np.empty(0, np.intp), *(cells[cell] for cell in some)])
    ends = np.cumsum([len(cells[cell]) for cell in some], dtype=np.int64)
    values = np.ascontiguousarray(columns[:, members], dtype=np.int64)
    own = np.ascontiguousarray(places[some], dtype=np.int64)
    keys = hashes[members].view(np.uint64)
    drawn = grouped_sums(keys, values.reshape(-1), len(values), ends, own.reshape(-1), groups, *resampling)
    whole = np.zeros((groups, len(values)), np.int64)
    if some:
        np.add.at(whole, own, np.add.reduceat(values, ends - np.diff(ends, prepend=0), axis=1).T[:, None])
    return GroupSums(whole, np.asarray(drawn).reshape(groups, len(values), -1))


def draw(names: tuple[str, ...], hashes: Ints, columns: Any, resampling: Resampling) -> Drawn:
    """Sums of some records."""
    values = np.ascontiguousarray(columns, dtype=np.int64)
    return Drawn(names, len(hashes), values.sum(axis=1), drawn_sums(hashes, values, resampling))


def drawn_sums(hashes: Ints, values: NDArray[Any], resampling: Resampling) -> Ints:
    """Sums of (columns, records) in replicates, (columns, replicates)."""
    keys = np.ascontiguousarray(hashes).view(np.uint64)
    add = small_weighted_sums if values.dtype == np.uint16 else weighted_sums
    sums = add(keys, values.reshape(-1), len(values), resampling.seed, resampling.replicates)
    return np.asarray(sums).reshape(len(values), -1)


def _members(codes: Ints, count: int) -> list[NDArray[np.intp]]:
    """The records of each group."""
    ends = np.cumsum(np.bincount(codes, minlength=count))
    short = codes.astype(np.min_scalar_type(count))  # few bits are sorted sooner
    return np.split(np.argsort(short, kind="stable"), ends[:-1])


def _record_groups(table: SliceTable, spec: SliceSpec) -> Groups:
    first, *others = (group_field(field, table.fields[field.name]) for field in spec.fields)
    return cross(first, others[0]) if others else first


def draw_sizes(table: SliceTable, spec: SliceSpec, resampling: Resampling, sums: Sums | None) -> list[DrawnGroup]:
    """The groups of objects by size, or by size and another field: the records that have some, and the sums of each."""
    sizes = next(field for field in spec.fields if field.name == SIZE)
    others = [group_field(field, table.fields[field.name]) for field in spec.fields if field.name != SIZE]
    objects, (hashes, _) = table.objects or ObjectRows(["gt"]), table.columns()
    other = others[0] if others else Groups([""], np.zeros(len(hashes), dtype=np.int64))
    edges = size_edges(sizes, objects.truth_sizes())
    is_left = not others and sums is not None and set(objects.names) <= set(sums)
    drawn = SizeDraws(objects.names, len(edges.names), resampling, left=MIDDLE if is_left else None)
    start = 0
    for summed in objects.sums(edges.edges):
        stop = start + summed.rows.shape[1]
        for code, members in enumerate(_members(other.codes[start:stop], len(other.names))):
            if len(members):
                drawn.add(code, start + members, hashes, summed.of(members))
        start = stop
    if sums is not None and is_left:
        drawn.set_left(np.stack([sums[name] for name in objects.names]))
    is_first = spec.fields[0].name == SIZE
    order = sorted(drawn.groups, key=lambda group: group[::-1] if is_first else group)
    both = [(edges.names[size], other.names[code]) for code, size in order]
    named = [CROSS.join(pair if is_first else pair[::-1]) if others else pair[0] for pair in both]
    return [DrawnGroup(name, *drawn.group(*group)) for name, group in zip(named, order, strict=True)]


class SizeDraws:
    """Sums of objects by size and by the group of their record, in all and in replicates; grows piece by piece.

    One size may be left out of the draws: its sums are what is left of those of all objects, where these are known.
    """

    def __init__(self, names: tuple[str, ...], sizes: int, resampling: Resampling, *, left: int | None = None) -> None:
        self.groups: dict[tuple[int, int], list[NDArray[np.intp]]] = {}  # by group and size: records that have some
        self._names, self._resampling = names, resampling
        self._left = self._of_size(-1 if left is None else left)
        self._drawn: dict[int, Drawn] = {}  # by group: (sizes * columns) sums

    def _of_size(self, size: int) -> slice:
        """The columns of a size; of -1, none."""
        return slice(max(size, 0) * len(self._names), (size + 1) * len(self._names))

    def add(self, code: int, members: NDArray[np.intp], hashes: Ints, summed: SummedObjects) -> None:
        """Some records of a group; their weights are drawn once for all sizes."""
        sums = summed.sums.reshape(-1, len(members))  # (sizes * columns, records)
        whole = summed.whole()
        sums[self._left] = 0  # a column of zeros costs nothing
        draws = drawn_sums(hashes[members], sums, self._resampling)
        piece = Drawn(self._names, len(members), whole, draws)
        self._drawn[code] = _added_to(self._drawn[code], piece) if code in self._drawn else piece
        for size in np.flatnonzero(summed.rows.any(axis=1)).tolist():
            self.groups.setdefault((code, size), []).append(members[np.flatnonzero(summed.rows[size])])

    def set_left(self, sums: Ints) -> None:
        """Give the size that was left out its sums in replicates, out of those of all objects of the only group."""
        for own in self._drawn.values():
            sizes = len(own.draws) // len(sums)
            own.draws[self._left] = sums - own.draws.reshape(sizes, *sums.shape).sum(axis=0)

    def group(self, code: int, size: int) -> tuple[NDArray[np.intp], Drawn]:
        """The records of a group that have an object of a size, and the sums of these objects."""
        members, own, here = np.concatenate(self.groups[code, size]), self._drawn[code], self._of_size(size)
        return members, Drawn(self._names, len(members), own.whole[here], own.draws[here])


def _added_to(own: Drawn, more: Drawn) -> Drawn:
    """The sums of both, in the place of the first ones."""
    np.add(own.whole, more.whole, out=own.whole)
    np.add(own.draws, more.draws, out=own.draws)
    return own._replace(records=own.records + more.records)


def summed_parts(parts: list[Drawn]) -> Drawn:
    """The sums of several parts together."""
    first, *others = parts
    whole, draws, records = first.whole, first.draws, first.records
    for other in others:
        whole, draws, records = whole + other.whole, draws + other.draws, records + other.records
    return Drawn(first.names, records, whole, draws)
