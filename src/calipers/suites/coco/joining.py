"""Images of several runs as those of one: predictions in pieces over the same ground truth, or other images.

Ground truth is the same if its digest is. An image that is in several ground truths is an error, and so is one with
detections in two parts. Where ids are a user's, images and classes go by them, and have to be called the same; where
they were given here, to files that have none, images go by name and are numbered anew, and so are classes that are
known by their names alone. Rows stand as if everything had been measured at once: image by image. What became of the
objects of an image is told by the part that has its detections. Places of detections count on from part to part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.suites.coco.columns import Categories, Codes, FewRows, Images, Whole
from calipers.suites.coco.formats.table import BY_NAME, FORMATS
from calipers.suites.coco.kept import KeptImages, KeptSide, join_few

NUMBERED = tuple(BY_NAME)  # formats in which images have no ids
NAMED = tuple(kind.name for kind in FORMATS if not kind.numbers_classes)  # classes have none either
SIZES = ("width", "height")


class Moved(NamedTuple):
    """Rows of one part, and what becomes of their codes."""

    rows: KeptSide
    image: Codes  # (images of the part,) where each is among all
    category: Codes


def join_kept(parts: Sequence[KeptImages]) -> KeptImages:
    """Join the images of several parts, in the order of their inputs."""
    if len(parts) == 1:
        return parts[0]
    groups = _groups(sorted(parts, key=lambda part: [(entry.path, entry.sha256 or "") for entry in part.inputs]))
    firsts = [group[0] for group in groups]
    categories, images = _join_categories(firsts), _join_images(groups)
    codes = list(zip(_places(images, firsts), _classes(categories, firsts), strict=True))
    ordered = [(part, own_codes) for group, own_codes in zip(groups, codes, strict=True) for part in group]
    pred = [Moved(part.pred, *own_codes) for part, own_codes in ordered]
    owner = _owners([part for part, _ in ordered], pred, images)
    truth = [_owned(Moved(part.truth, *own_codes), owner, at) for at, (part, own_codes) in enumerate(ordered)]
    last_places = np.array([part.last_place for part, _ in ordered])
    pred_rows, order = join_rows(pred)
    pred_rows.columns["place"] = counted_on([move.rows.columns["place"] for move in pred], last_places)[order]
    return KeptImages(
        images,
        categories,
        join_rows(truth)[0],
        pred_rows,
        _join_causes([part for part, _ in ordered], pred, owner),
        _problems([part for part, _ in ordered], order),
        int((last_places + 1).sum()) - 1,
        firsts[0].truth_digest,
        next((part.engines for part, _ in ordered if part.engines), {}),
        list(dict.fromkeys(entry for part, _ in ordered for entry in part.inputs)),
        list(dict.fromkeys(warning for part, _ in ordered for warning in part.warnings)),
        [bad for first in firsts for bad in first.bad],
        sum(first.total for first in firsts),
        firsts[0].format,
    )


def _groups(parts: Iterable[KeptImages]) -> list[list[KeptImages]]:
    """Parts by their ground truth, in the order of the first of each."""
    groups: dict[str, list[KeptImages]] = {}
    for part in parts:
        groups.setdefault(part.inputs[0].sha256, []).append(part)
    joined = list(groups.values())
    expected = joined[0][0]
    for group in joined:
        _check_comparable(group)
        if group[0].format != expected.format:
            raise InputError(
                f"{_path(group[0])}: found ground truth in the format {group[0].format}, "
                f"expected {expected.format} as {_path(expected)}"
            )
    return joined


def _path(part: KeptImages) -> str:
    """The path of the ground truth."""
    return str(part.inputs[0].path)


def _check_comparable(group: list[KeptImages]) -> None:
    """Whether ground truth with one digest is the same: sizes of YOLO's images are in other files."""
    first = group[0]
    for part in group[1:]:
        same = part.images.names == first.images.names and part.categories.names == first.categories.names
        same &= part.truth_digest == first.truth_digest
        pairs = [(part.images.ids, first.images.ids), (part.categories.ids, first.categories.ids)]
        if not same or not all(np.array_equal(a, b) for a, b in pairs):
            raise InputError(f"{_path(part)}: the same files were read as other ground truth, expected the same images")


# Images and classes


def _join_categories(firsts: list[KeptImages]) -> Categories:
    """The categories of all ground truths: by id, with the same name everywhere; by name, where they have no ids."""
    if firsts[0].format in NAMED:
        names = sorted({name for first in firsts for name in first.categories.names})
        return Categories(np.arange(1, len(names) + 1), names)
    by_id: dict[int, tuple[str, str]] = {}
    ids: dict[str, int] = {}
    for first in firsts:
        for ident, name in zip(first.categories.ids.tolist(), first.categories.names, strict=True):
            known, path = by_id.setdefault(ident, (name, _path(first)))
            if known != name or ids.setdefault(name, ident) != ident:
                problem = f"the category {ident} is {shown(name)}"
                other = f"{shown(known)} as in {path}" if known != name else f"the id {ids[name]} for that name"
                raise InputError(f"{_path(first)}: {problem}, expected {other}")
    chosen = sorted(by_id)
    return Categories(np.array(chosen, np.int64), [by_id[ident][0] for ident in chosen])


def _classes(categories: Categories, firsts: list[KeptImages]) -> list[Codes]:
    place = {name: code for code, name in enumerate(categories.names)}
    return [np.array([place[name] for name in first.categories.names], np.int32) for first in firsts]


def _join_images(groups: list[list[KeptImages]]) -> Images:
    """The images of all ground truths; each may be in only one of them."""
    firsts = [group[0] for group in groups]
    keys = [key for first in firsts for key in _keys(first)]
    owners = [first for first in firsts for _ in range(len(first.images))]
    _refuse_twice(keys, owners)
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    names = [name for first in firsts for name in first.images.names]
    ids = np.concatenate([first.images.ids for first in firsts])[order]
    if firsts[0].format in NUMBERED:
        ids = np.arange(1, len(ids) + 1)
    width, height = (np.concatenate([_sizes(group, side) for group in groups])[order] for side in SIZES)
    told = {
        name: [value for first in firsts for value in first.images.fields[name]] for name in firsts[0].images.fields
    }
    fields = {name: [values[at] for at in order.tolist()] for name, values in told.items()}
    joined = Images(ids, _distinct([names[at] for at in order.tolist()], ids.tolist()), width, height, fields)
    joined.known = tuple(sorted({name for first in firsts for name in first.images.known}))
    return joined


def _keys(part: KeptImages) -> list[Any]:
    """The keys that tell images apart."""
    return part.images.names if part.format in NUMBERED else part.images.ids.tolist()


def _refuse_twice(keys: list[Any], owners: list[KeptImages]) -> None:
    seen: dict[Any, KeptImages] = {}
    for key, owner in zip(keys, owners, strict=True):
        if (other := seen.setdefault(key, owner)) is not owner:
            raise InputError(
                f"{_path(other)} and {_path(owner)}: both have the image {shown(key)}, "
                "expected each image in one ground truth"
            )


def _sizes(group: list[KeptImages], side: str) -> NDArray[np.float64]:
    """Widths or heights; where the ground truth has none, that of a mask which was predicted there."""
    sizes: NDArray[np.float64] = getattr(group[0].images, side).copy()
    for part in group[1:]:
        unknown = np.isnan(sizes)
        sizes[unknown] = getattr(part.images, side)[unknown]
    return sizes


def _distinct(names: list[str], ids: list[int]) -> list[str]:
    """Names of images; those that several have give way to ids."""
    counts = Counter(names)
    if len(counts) == len(names):
        return names
    taken = {name for name, count in counts.items() if count == 1}
    free = [f"{ident} (id)" if str(ident) in taken else str(ident) for ident in ids]
    return [name if counts[name] == 1 else free[at] for at, name in enumerate(names)]


def _places(images: Images, firsts: list[KeptImages]) -> list[Codes]:
    """Of each ground truth (images,) where its images are among all."""
    if firsts[0].format in NUMBERED:
        place = {name: at for at, name in enumerate(images.names)}
        return [np.array([place[name] for name in first.images.names], np.int32) for first in firsts]
    return [np.searchsorted(images.ids, first.images.ids).astype(np.int32) for first in firsts]


# Rows


def _owners(parts: list[KeptImages], pred: list[Moved], images: Images) -> Whole:
    """(images,) the part that has an image's detections, else the first that has the image; an error where two have."""
    owner = np.full(len(images), -1)
    for number, moved in enumerate(pred):
        own_images = np.unique(moved.image[moved.rows.image])
        if (claimed_before := own_images[owner[own_images] >= 0]).size:
            image = int(claimed_before[0])
            paths = [parts[at].inputs[1].path for at in (int(owner[image]), number)]
            raise InputError(
                f"{paths[0]} and {paths[1]}: both have detections on the image {shown(images.names[image])}, "
                "expected those of an image in one part"
            )
        owner[own_images] = number
    for number, moved in enumerate(pred):
        owner[moved.image[owner[moved.image] < 0]] = number
    return owner


def _owned(moved: Moved, owner: Whole, number: int) -> Moved:
    """The rows that are on images of a part's own."""
    rows = moved.rows
    is_own = owner[moved.image[rows.image]] == number
    columns = {name: column[is_own] for name, column in rows.columns.items()}
    return moved._replace(rows=KeptSide(rows.image[is_own], rows.category[is_own], columns, {}))


def join_rows(moved: list[Moved]) -> tuple[KeptSide, Whole]:
    """Rows of all parts, image by image, and where each comes from among all rows."""
    image = np.concatenate([move.image[move.rows.image] for move in moved])
    order = np.argsort(image, kind="stable")
    category = np.concatenate([move.category[move.rows.category] for move in moved])[order]
    names = [name for name in moved[0].rows.columns if all(name in move.rows.columns for move in moved)]
    columns = {name: np.concatenate([move.rows.columns[name] for move in moved])[order] for name in names}
    few = join_few([move.rows for move in moved])
    if few:
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        few = {name: _moved_few(column, places) for name, column in few.items()}
    return KeptSide(image[order], category, columns, few), order


def _moved_few(column: FewRows, places: Codes) -> FewRows:
    """A column of few rows, each of which has another place now."""
    rows = places[column.rows]
    order = np.argsort(rows, kind="stable")
    return FewRows(rows[order], column.values[order])


def counted_on(places: list[Any], last_places: Whole) -> Any:
    """Places of several lists as those of one."""
    before = np.cumsum(last_places + 1) - (last_places + 1)
    return np.concatenate([place + first for place, first in zip(places, before.tolist(), strict=True)])


def _join_causes(parts: list[KeptImages], moved: list[Moved], owner: Whole) -> Whole:
    """(rows, images) of each image what its owner counted."""
    causes = np.zeros((len(parts[0].causes), len(owner)), np.int64)
    for number, (part, move) in enumerate(zip(parts, moved, strict=True)):
        own_images = np.flatnonzero(owner[move.image] == number)
        causes[:, move.image[own_images]] = part.causes[:, own_images]
    return causes


def _problems(parts: list[KeptImages], order: Whole) -> dict[int, str]:
    """What is wrong with rows, by where they are now."""
    first, words = 0, dict[int, str]()
    for part in parts:
        words |= {first + row: text for row, text in part.problems.items()}
        first += len(part.pred)
    return {row: words[at] for row, at in enumerate(order.tolist()) if at in words} if words else {}
