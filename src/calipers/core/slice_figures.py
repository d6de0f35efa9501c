"""Figures of slices: ratios of sums over records, with their intervals, against those of everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from calipers.core.bootstrap import Floats, defined, middles, standard_deviation, standard_deviations
from calipers.core.slice_table import Ints
from calipers.core.student import two_sided

Weights = Mapping[str, int]  # of columns
COMPARED_TOGETHER = 16  # slices
KEYS = "value", "interval", "rest", "difference", "difference_interval", "p"


class RatioFigure(NamedTuple):
    """A figure that is a ratio of sums over records: whole numbers of columns, above and below."""

    name: str
    above: Weights
    below: Weights
    is_mean: bool = False  # of fractions, which were cut to whole numbers of a unit
    known: str | None = None  # the column of how many records have a value, if not all have


UNIT = 1 << 40  # that fractions are cut to: 12 digits of a share


def mean_figure(name: str, n: str) -> RatioFigure:
    """The mean of a column of fractions, in units, over the records that another column counts."""
    return RatioFigure(name, {name: 1}, {n: UNIT}, is_mean=True, known=n)


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

    def value(self, figure: RatioFigure) -> float | None:
        """A figure, None where undefined."""
        below = self.total(figure.below)
        return _told(self.total(figure.above) / below, figure) if below else None

    def records_of(self, figure: RatioFigure) -> int:
        """How many records a figure rests on."""
        return self.total({figure.known: 1}) if figure.known else self.records


def compared_figures(
    figures: Sequence[RatioFigure], owns: Sequence[Drawn], rests: Sequence[Drawn]
) -> list[dict[str, dict[str, Any]]]:
    """The figures of slices by name, each against that of everything else; some slices at a time."""
    compared: list[dict[str, dict[str, Any]]] = []
    for first in range(0, len(owns), COMPARED_TOGETHER):
        some = slice(first, first + COMPARED_TOGETHER)
        sides = DrawnSlices([*owns[some], *rests[some]])
        columns = [_compared(figure, sides) for figure in figures]
        names = [figure.name for figure in figures]
        compared += [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return compared


def _compared(figure: RatioFigure, sides: DrawnSlices) -> list[dict[str, Any]]:
    """One figure of several slices, whose rests come after them; `p` is the deviate until its chance is known."""
    count = len(sides.parts) // 2
    known, records = zip(*((part.value(figure), part.records_of(figure)) for part in sides.parts), strict=True)
    values, others = known[:count], known[count:]
    differences = [None if a is None or b is None else a - b for a, b in zip(values, others, strict=True)]
    both = sides.values(figure)
    np.subtract(both[:count], both[count:], out=both[count:])  # how far the values of slices are from the rest
    fewest = list(map(min, records, records[count:]))  # one record on either side says nothing about others
    ends = middles(both, [*records[:count], *fewest])
    told = [pair and [_told(end, figure) for end in pair] for pair in ends]
    columns = values, told[:count], others, differences, told[count:], deviates(differences, both[count:], fewest)
    return [dict(zip(KEYS, row, strict=True)) for row in zip(*columns, strict=True)]


class DrawnSlices:
    """The sums of several slices."""

    def __init__(self, parts: Sequence[Drawn]) -> None:
        self.parts = parts
        self._draws = np.stack([drawn.draws for drawn in parts], axis=1)  # (columns, slices, replicates)
        self._below: dict[tuple[tuple[str, int], ...], tuple[Floats, bool]] = {}  # figures share them

    def values(self, figure: RatioFigure) -> Floats:
        """The values of a figure in replicates, (slices, replicates), NaN where undefined."""
        key = tuple(figure.below.items())
        if key not in self._below:
            sums = self._drawn(figure.below)
            self._below[key] = sums.astype(np.float64), bool((sums > 0).all())
        below, is_defined = self._below[key]
        above = self._drawn(figure.above)
        if is_defined:
            return np.asarray(above / below)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(below > 0, above / below, np.nan)

    def _drawn(self, weights: Weights) -> Ints:
        """A whole number of columns, in replicates."""
        names = self.parts[0].names
        columns = ((self._draws[names.index(name)], times) for name, times in weights.items())
        first, *others = (draws if times == 1 else times * draws for draws, times in columns)
        total: Ints = sum(others, start=first)
        return total


def set_chances(figures: list[tuple[dict[str, Any], int]]) -> None:
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
    return _over(difference, standard_deviation(known), records)


def deviates(differences: Sequence[float | None], rows: Floats, records: Sequence[int]) -> list[float | None]:
    """Several differences, each over the standard deviation of its row of replicates, as `deviate` has it."""
    columns = zip(differences, rows, records, strict=True)
    if rows.shape[1] < 2 or np.isnan(rows).any():
        return [deviate(difference, row, n) for difference, row, n in columns]
    spreads = standard_deviations(rows)
    return [_over(difference, spread, n) for (difference, _, n), spread in zip(columns, spreads, strict=True)]


def _over(difference: float | None, deviation: float, records: int) -> float | None:
    if difference is None or records < 2:
        return None
    if deviation == 0:
        return 0.0 if difference == 0 else float("inf")
    return difference / deviation
