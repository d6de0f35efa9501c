"""Groups of several fields that are drawn together, so that the weights of a record are drawn once for all of them.

A cell is what one group of each field have in common. Sums of cells are whole numbers, and add up to those of groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.slice_fields import Groups

MOST_CELLS = 256  # of a bundle: each has sums in all replicates
WIDEST = 1 << 16  # cells that may be looked for


class Bundle(NamedTuple):
    """Some fields: the cell of every record, and of each field the group that every cell is in."""

    codes: NDArray[np.int64]  # (records,)
    fields: list[Groups]
    places: list[NDArray[np.int64]]  # of each field (cells,)


def bundle_fields(fields: list[Groups]) -> list[Bundle]:
    """Neighbouring fields together, as long as there are not too many cells.

    >>> sex, age = Groups(["f", "m"], np.array([0, 1, 1])), Groups(["old", "young"], np.array([1, 0, 1]))
    >>> bundle_fields([sex, age])[0].codes.tolist()
    [0, 1, 2]
    """
    bundles: list[Bundle] = []
    for groups in fields:
        joined = _joined(bundles[-1], groups) if bundles else None
        if joined is not None:
            bundles[-1] = joined
        else:
            bundles.append(Bundle(groups.codes, [groups], [np.arange(len(groups.names))]))
    return bundles


def _joined(bundle: Bundle, groups: Groups) -> Bundle | None:
    """A bundle with one field more, unless that has too many cells."""
    count = len(groups.names)
    if len(bundle.places[0]) * count > WIDEST:
        return None
    codes = bundle.codes * count + groups.codes
    cells = np.flatnonzero(np.bincount(codes, minlength=len(bundle.places[0]) * count))
    if len(cells) > MOST_CELLS:
        return None
    place = np.zeros(len(bundle.places[0]) * count, dtype=np.int64)
    place[cells] = np.arange(len(cells))
    places = [own[cells // count] for own in bundle.places]
    return Bundle(place[codes], [*bundle.fields, groups], [*places, cells % count])
