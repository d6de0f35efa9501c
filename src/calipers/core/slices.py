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

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from calipers.core.slice_draws import Members, Resampling, Sums, draw_fields, draw_sizes, summed_parts
from calipers.core.slice_fields import SIZE, SliceSpec
from calipers.core.slice_figures import Drawn, RatioFigure, SliceFigures, compared_figures, set_chances
from calipers.core.slice_table import SliceTable
from calipers.core.student import discoveries

MANY_SLICES = 100  # beyond which only the replicates of the headline are kept


class Slice(NamedTuple):
    """Some records or objects of a run, and the sums of everything else."""

    field: str
    value: str
    figures: SliceFigures
    own: Drawn
    rest: Drawn
    members: Members  # the records, in the order of the table
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
    drawn = draw_fields(table, [spec for spec in specs if spec not in sized], resampling, sums)
    slices: list[Slice] = []
    for spec in specs:
        told = object_figures if spec in sized and object_figures else figures
        groups = draw_sizes(table, spec, resampling, sums) if spec in sized else drawn[spec]
        whole = summed_parts([group.own for group in groups])._replace(records=len(table.columns()[0]))
        rows = [Slice(spec.name, name, told, own, whole.minus(own), members) for name, members, own in groups]
        if spec in sized:  # records have objects of several sizes, so that those of the rest may be all
            rows = [part._replace(rest=part.rest._replace(records=whole.records)) for part in rows]
        slices += sorted(rows, key=_badness)
    return slices


def slice_rows(slices: Sequence[Slice]) -> list[dict[str, Any]]:
    """The entries of the artifact; which are sure is decided over all of them."""
    rows = [_row(part, compared) for part, compared in zip(slices, _compare(slices), strict=True)]
    set_chances([(figure, row["records"]) for row in rows for figure in row["figures"].values()])
    headlines = [row["figures"][part.figures.headline] for row, part in zip(rows, slices, strict=True)]
    sure = discoveries([headline["p"] for headline in headlines])
    return [row | {"sure": own, "worth": row["worth"]} for row, own in zip(rows, sure, strict=True)]


def _compare(slices: Sequence[Slice]) -> list[dict[str, Any]]:
    """The figures of every slice; neighbours that have the same are compared together."""
    compared: list[dict[str, Any]] = []
    for _, some in groupby(slices, key=lambda part: (id(part.figures), part.own.names)):
        parts = list(some)
        figures, owns, rests = parts[0].figures.figures, [part.own for part in parts], [part.rest for part in parts]
        compared += compared_figures(figures, owns, rests)
    return [{**own, **part.further} for own, part in zip(compared, slices, strict=True)]


def _row(part: Slice, compared: dict[str, Any]) -> dict[str, Any]:
    figures, own = part.figures, part.own
    return {
        "field": part.field,
        "value": part.value,
        "records": own.records,
        "objects": None if figures.objects is None else own.total(figures.objects),
        "figures": compared,
        "sure": False,
        "worth": _worth(compared[figures.headline], part),
    }


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
