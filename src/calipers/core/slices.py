"""Where it fails: the figures of a run for groups of its records, against all other records.

For each slice and figure: `value`, its 95 % `interval`, `rest` (the figure over all other records), `difference` =
value - rest with its interval, and `p`, two-sided: the difference over the standard deviation of its replicates,
against Student's t with records - 1 degrees of freedom. `sure` holds the headline of all slices of a run to a false-
discovery rate of 5 % (Benjamini and Hochberg). `worth` is what the headline would gain over everything if the slice
were as good as the rest: (rest - value) times the slice's share.

Slices by `size` are of objects: an object is small, medium or large by the terciles of the sizes of all ground truth.
A prediction that is matched goes with its truth, any other by its own size. The rest are then all other objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.bootstrap import defined, middle, standard_deviation
from calipers.core.slice_cells import bundle_fields
from calipers.core.slice_fields import (
    CROSS,
    SIZE,
    Groups,
    SliceSpec,
    cross,
    group_field,
    size_edges,
)
from calipers.core.slice_objects import ObjectRows, SummedObjects
from calipers.core.slice_table import Ints, SliceTable
from calipers.core.student import discoveries, two_sided
from calipers.kernels.count.sums import weighted_sums

Weights = Mapping[str, int]  # of columns
Sums = Mapping[str, Ints]  # of columns, in replicates
Pieces = Iterator[tuple[NDArray[np.intp], Any]]  # records, and their numbers (columns, records)
MIDDLE = 1  # of sizes: one that most records have
MANY_SLICES = 100  # beyond which only the replicates of the headline are kept


class RatioFigure(NamedTuple):
    """A figure that is a ratio of sums over records: whole numbers of columns, above and below."""

    name: str
    above: Weights
    below: Weights
    is_mean: bool = False  # of fractions, which were cut to whole numbers of a unit


UNIT = 1 << 40  # that fractions are cut to: 12 digits of a share


def mean_figure(name: str, n: str) -> RatioFigure:
    """The mean of a column of fractions, in units, over the records that another column counts."""
    return RatioFigure(name, {name: 1}, {n: UNIT}, is_mean=True)


class SliceFigures(NamedTuple):
    """The figures of a slice, as ratios of the columns of a table."""

    figures: tuple[RatioFigure, ...]
    headline: str
    share: Weights | None = None  # of columns: what a slice's share of everything is counted in; None for records
    objects: Weights | None = None  # of columns: the objects of a slice

    def named(self, name: str) -> RatioFigure:
        """One of the figures."""
        return next(figure for figure in self.figures if figure.name == name)


class Drawn(NamedTuple):
    """Sums of some records: in all (columns,), and in replicates (columns, replicates)."""

    names: tuple[str, ...]
    records: int
    whole: Ints
    draws: Ints

    def minus(self, part: Drawn) -> Drawn:
        """What is left without a part of it."""
        return Drawn(self.names, self.records - part.records, self.whole - part.whole, self.draws - part.draws)

    def total(self, weights: Weights) -> int:
        """A whole number of columns, in all."""
        return sum(times * int(self.whole[self.names.index(name)]) for name, times in weights.items())

    def drawn(self, weights: Weights) -> Ints:
        """A whole number of columns, in replicates."""
        columns = ((self.draws[self.names.index(name)], times) for name, times in weights.items())
        first, *others = (draws if times == 1 else times * draws for draws, times in columns)
        total: Ints = sum(others, start=first)
        return total

    def value(self, figure: RatioFigure) -> float | None:
        """A figure, None where undefined."""
        below = self.total(figure.below)
        return _told(self.total(figure.above) / below, figure) if below else None

    def values(self, figure: RatioFigure) -> Any:
        """The values of a figure in replicates, NaN where undefined."""
        above, below = self.drawn(figure.above), self.drawn(figure.below)
        if (below > 0).all():
            return above / below
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(below > 0, above / below, np.nan)


class Resampling(NamedTuple):
    """How replicates are drawn."""

    seed: int
    replicates: int


def draw(names: tuple[str, ...], hashes: Ints, columns: Any, resampling: Resampling) -> Drawn:
    """Sums of some records."""
    values = np.ascontiguousarray(columns, dtype=np.int64)
    return Drawn(names, len(hashes), values.sum(axis=1), drawn_sums(hashes, values, resampling))


def drawn_sums(hashes: Ints, values: Ints, resampling: Resampling) -> Ints:
    """Sums of (columns, records) in replicates, (columns, replicates)."""
    keys = np.ascontiguousarray(hashes).view(np.uint64)
    sums = weighted_sums(keys, values.reshape(-1), len(values), resampling.seed, resampling.replicates)
    return np.asarray(sums).reshape(len(values), -1)


class Slice(NamedTuple):
    """Some records or objects of a run, and the sums of everything else."""

    field: str
    value: str
    figures: SliceFigures
    own: Drawn
    rest: Drawn
    members: NDArray[np.intp]  # the records, in the order of the table
    further: Mapping[str, Any] = {}  # figures that are no ratios of sums, as the artifact has them


def _badness(part: Slice) -> tuple[bool, float]:
    """The headline, by which slices are put in order, the worst first and undefined ones last."""
    value = part.own.value(part.figures.named(part.figures.headline))
    return value is None, value or 0.0


def find_slices(
    table: SliceTable,
    specs: Sequence[SliceSpec],
    figures: SliceFigures,
    resampling: Resampling,
    object_figures: SliceFigures | None = None,
    sums: Sums | None = None,
) -> list[Slice]:
    """Every slice of a run: field by field, the worst first. Those by size have figures of their own columns.

    `sums` are those of all records in replicates, by column, where they are known: then less is to be drawn.
    """
    sized = [spec for spec in specs if object_figures and any(field.name == SIZE for field in spec.fields)]
    drawn = _draw_fields(table, [spec for spec in specs if spec not in sized], resampling, sums)
    slices: list[Slice] = []
    for spec in specs:
        told = object_figures if spec in sized and object_figures else figures
        groups = _draw_sizes(table, spec, resampling, sums) if spec in sized else drawn[spec]
        whole = _summed([group.own for group in groups])._replace(records=len(table.columns()[0]))
        rows = [Slice(spec.name, name, told, own, whole.minus(own), members) for name, members, own in groups]
        slices += sorted(rows, key=_badness)
    return slices


class _DrawnGroup(NamedTuple):
    name: str
    members: NDArray[np.intp]
    own: Drawn


def _draw_fields(
    table: SliceTable, specs: list[SliceSpec], resampling: Resampling, sums: Sums | None
) -> dict[SliceSpec, list[_DrawnGroup]]:
    """The groups of records by each field, and the sums of each."""
    drawn: list[list[_DrawnGroup]] = []
    for bundle in bundle_fields([_record_groups(table, spec) for spec in specs]):
        cells = _draw_cells(table, _members(bundle.codes, len(bundle.places[0])), resampling, sums)
        for groups, place in zip(bundle.fields, bundle.places, strict=True):
            members = _members(groups.codes, len(groups.names))
            owns = [_summed([cells[cell] for cell in np.flatnonzero(place == code)]) for code in range(len(members))]
            drawn.append([_DrawnGroup(*group) for group in zip(groups.names, members, owns, strict=True)])
    return dict(zip(specs, drawn, strict=True))


def _draw_cells(
    table: SliceTable, cells: list[NDArray[np.intp]], resampling: Resampling, sums: Sums | None
) -> list[Drawn]:
    """The sums of each cell; those of the largest are what is left of all records, where these are known."""
    hashes, columns = table.columns()
    largest = -1 if sums is None else max(range(len(cells)), key=lambda cell: len(cells[cell]))
    pieces = ((here, columns[:, here]) for cell, here in enumerate(cells) if cell != largest)
    drawn = _drawn_pieces(table.names, hashes, pieces, resampling)
    if sums is not None:
        draws = np.stack([sums[name] for name in table.names])
        left = Drawn(table.names, len(hashes), columns.sum(axis=1, dtype=np.int64), draws)
        for other in drawn:
            left = left.minus(other)
        drawn.insert(largest, left)
    return drawn


def _members(codes: Ints, count: int) -> list[NDArray[np.intp]]:
    """The records of each group."""
    ends = np.cumsum(np.bincount(codes, minlength=count))
    short = codes.astype(np.min_scalar_type(count))  # few bits are sorted sooner
    return np.split(np.argsort(short, kind="stable"), ends[:-1])


def _draw_sizes(table: SliceTable, spec: SliceSpec, resampling: Resampling, sums: Sums | None) -> list[_DrawnGroup]:
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
    return [_DrawnGroup(name, *drawn.group(*group)) for name, group in zip(named, order, strict=True)]


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
        whole = sums.sum(axis=1)
        sums[self._left] = 0  # a column of zeros costs nothing
        draws = drawn_sums(hashes[members], sums, self._resampling)
        piece = Drawn(self._names, len(members), whole, draws)
        self._drawn[code] = _summed([self._drawn[code], piece]) if code in self._drawn else piece
        for size in np.flatnonzero(summed.rows.any(axis=1)).tolist():
            self.groups.setdefault((code, size), []).append(members[summed.rows[size] > 0])

    def set_left(self, sums: Ints) -> None:
        """Give the size that was left out its sums in replicates, out of those of all objects of the only group."""
        for own in self._drawn.values():
            sizes = len(own.draws) // len(sums)
            own.draws[self._left] = sums - own.draws.reshape(sizes, *sums.shape).sum(axis=0)

    def group(self, code: int, size: int) -> tuple[NDArray[np.intp], Drawn]:
        """The records of a group that have an object of a size, and the sums of these objects."""
        members, own, here = np.concatenate(self.groups[code, size]), self._drawn[code], self._of_size(size)
        return members, Drawn(self._names, len(members), own.whole[here], own.draws[here])


def _drawn_pieces(names: tuple[str, ...], hashes: Ints, pieces: Pieces, resampling: Resampling) -> list[Drawn]:
    with ThreadPoolExecutor(2) as threads:  # the kernel holds no lock
        return list(threads.map(lambda piece: draw(names, hashes[piece[0]], piece[1], resampling), pieces))


def _summed(parts: list[Drawn]) -> Drawn:
    """The sums of several parts together."""
    first, *others = parts
    whole, draws, records = first.whole, first.draws, first.records
    for other in others:
        whole, draws, records = whole + other.whole, draws + other.draws, records + other.records
    return Drawn(first.names, records, whole, draws)


def _record_groups(table: SliceTable, spec: SliceSpec) -> Groups:
    first, *others = (group_field(field, table.fields[field.name]) for field in spec.fields)
    return cross(first, others[0]) if others else first


def slice_rows(slices: Sequence[Slice]) -> list[dict[str, Any]]:
    """The entries of the artifact; which are sure is decided over all of them."""
    rows = [_row(part) for part in slices]
    _set_chances([(figure, row["records"]) for row in rows for figure in row["figures"].values()])
    headlines = [row["figures"][part.figures.headline] for row, part in zip(rows, slices, strict=True)]
    sure = discoveries([headline["p"] for headline in headlines])
    return [row | {"sure": own, "worth": row["worth"]} for row, own in zip(rows, sure, strict=True)]


def _row(part: Slice) -> dict[str, Any]:
    figures, own = part.figures, part.own
    compared = {figure.name: compared_figure(figure, own, part.rest) for figure in figures.figures}
    compared |= part.further
    return {
        "field": part.field,
        "value": part.value,
        "records": own.records,
        "objects": None if figures.objects is None else own.total(figures.objects),
        "figures": compared,
        "sure": False,
        "worth": _worth(compared[figures.headline], part),
    }


def compared_figure(figure: RatioFigure, own: Drawn, rest: Drawn) -> dict[str, Any]:
    """A figure of a slice against that of everything else."""
    value, draws = own.value(figure), own.values(figure)
    other = rest.value(figure)
    apart = draws - rest.values(figure)
    difference = None if value is None or other is None else value - other
    ends, apart_ends = (middle(values, records=own.records) for values in (draws, apart))
    return {
        "value": value,
        "interval": ends and [_told(end, figure) for end in ends],
        "rest": other,
        "difference": difference,
        "difference_interval": apart_ends and [_told(end, figure) for end in apart_ends],
        "p": deviate(difference, apart, own.records),  # until its chance is known
    }


def _set_chances(figures: list[tuple[dict[str, Any], int]]) -> None:
    """Put the chances of all figures, which are computed together, in the place of their deviates."""
    told = [(figure, records - 1) for figure, records in figures if figure["p"] is not None]
    chances = difference_chances([figure["p"] for figure, _ in told], [freedom for _, freedom in told])
    for (figure, _), p in zip(told, chances, strict=True):
        figure["p"] = p


def difference_chances(deviates: Sequence[float], freedom: Sequence[int]) -> list[float]:
    """How likely differences as large are by chance, with as many digits as any machine gives the same."""
    return [float(f"{p:.10g}") for p in two_sided(np.array(deviates, dtype=np.float64), freedom).tolist()]


def _told(value: float, figure: RatioFigure) -> float:
    """A number with as many digits as it has: fractions were cut."""
    return float(f"{value:.12g}") if figure.is_mean else value


def deviate(difference: float | None, draws: Any, records: int) -> float | None:
    """A difference over the standard deviation of its replicates; None where that cannot be said."""
    known = defined(draws)
    if difference is None or records < 2 or len(known) < 2:
        return None
    deviation = standard_deviation(known)
    if deviation == 0:
        return 0.0 if difference == 0 else float("inf")
    return difference / deviation


def _worth(headline: dict[str, Any], part: Slice) -> float | None:
    """What everything would gain if the slice were as good as the rest."""
    if headline["difference"] is None:
        return None
    share = part.figures.share
    sides = part.own, part.rest
    own, rest = (side.records if share is None else side.total(share) for side in sides)
    return -float(headline["difference"]) * own / (own + rest)


def slice_replicates(slices: Sequence[Slice]) -> list[dict[str, Any]]:
    """The sums of every slice in each replicate, so that slices of two results can be compared in pairs.

    Field by field: how figures are made of sums, and the sums of each value.
    """
    rows: list[dict[str, Any]] = []
    for part in slices:
        figures = _kept_figures(part.figures, len(slices))
        kept = {name for figure in figures for name in (*figure.above, *figure.below)}
        if not rows or rows[-1]["field"] != part.field:
            made = {figure.name: {"above": dict(figure.above), "below": dict(figure.below)} for figure in figures}
            rows.append({"field": part.field, "figures": made, "values": []})
        sums = {name: own.tolist() for name, own in zip(part.own.names, part.own.draws, strict=True) if name in kept}
        rows[-1]["values"].append({"value": part.value, "sums": sums})
    return rows


def _kept_figures(figures: SliceFigures, slices: int) -> tuple[RatioFigure, ...]:
    return figures.figures if slices <= MANY_SLICES else (figures.named(figures.headline),)
