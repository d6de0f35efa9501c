"""Detections of several runs as those of one: predictions in pieces over the same ground truth, or other images.

Ground truth is the same if its digest is. An image that is in several ground truths is an error, and so is one with
detections in two parts. Where ids are a user's, images and classes go by them, and have to be called the same; where
they were given here, to files that have none, images go by name and are numbered anew, and so are classes that are
known by their names alone. Rows stand as if everything had been read at once: image by image. Their places count on
from part to part, and so do ids that were given here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.suites.coco.columns import Categories, Codes, Detections, Images, Instances

NUMBERED = ("yolo", "voc", "labelme")  # formats in which images have no ids
NAMED = ("voc", "labelme")  # those in which classes have none either
SIZES = ("width", "height")


class Moved(NamedTuple):
    """Rows of one part, and what becomes of their codes."""

    rows: Instances
    image: Codes  # (images of the part,) where each is among all
    category: Codes


def join_detections(found: Sequence[Detections]) -> Detections:
    """All of them, in the order of their inputs."""
    if len(found) == 1:
        return found[0]
    groups = _groups(sorted(found, key=lambda part: [(each.path, each.sha256 or "") for each in part.inputs]))
    firsts = [group[0] for group in groups]
    categories, images = _join_categories(firsts), _join_images(groups)
    codes = list(zip(_places(images, firsts), _classes(categories, firsts), strict=True))
    parts = [part for group in groups for part in group]
    truth = [Moved(first.truth, *each) for first, each in zip(firsts, codes, strict=True)]
    pred = [Moved(part.pred, *each) for group, each in zip(groups, codes, strict=True) for part in group]
    _check_apart(parts, pred, images)
    return Detections(
        images,
        categories,
        _join_rows(truth, len(images), count_ids=firsts[0].format in NUMBERED),
        _join_rows(pred, len(images), count_ids=True),
        list(dict.fromkeys(each for part in parts for each in part.inputs)),
        list(dict.fromkeys(each for part in parts for each in part.warnings)),
        [bad for first in firsts for bad in first.bad],
        sum(first.total for first in firsts),
        firsts[0].format,
    )


def _groups(parts: Iterable[Detections]) -> list[list[Detections]]:
    """Parts by their ground truth, in the order of the first of each."""
    groups: dict[str, list[Detections]] = {}
    for part in parts:
        groups.setdefault(part.inputs[0].sha256, []).append(part)
    found = list(groups.values())
    expected = found[0][0]
    for group in found:
        _check_alike(group)
        if group[0].format != expected.format:
            raise InputError(
                f"{_path(group[0])}: found ground truth in the format {group[0].format}, "
                f"expected {expected.format} as {_path(expected)}"
            )
    return found


def _path(part: Detections) -> str:
    """Of the ground truth."""
    return str(part.inputs[0].path)


def _check_alike(group: list[Detections]) -> None:
    """Whether ground truth with one digest is the same: sizes of YOLO's images are in other files."""
    first = group[0]
    for part in group[1:]:
        same = part.images.names == first.images.names and part.categories.names == first.categories.names
        columns = ("image", "category", "ids", "box", "area", "crowd")
        pairs = [(part.images.ids, first.images.ids), (part.categories.ids, first.categories.ids)]
        pairs += [(getattr(part.truth, name), getattr(first.truth, name)) for name in columns]
        if not same or not all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs):
            raise InputError(f"{_path(part)}: the same files were read as other ground truth, expected the same images")


# Images and classes


def _join_categories(firsts: list[Detections]) -> Categories:
    """Those of all ground truths: by id, with the same name everywhere; by name, where they have no ids."""
    if firsts[0].format in NAMED:
        names = sorted({name for first in firsts for name in first.categories.names})
        return Categories(np.arange(1, len(names) + 1), names)
    found: dict[int, tuple[str, str]] = {}
    ids: dict[str, int] = {}
    for first in firsts:
        for ident, name in zip(first.categories.ids.tolist(), first.categories.names, strict=True):
            known, path = found.setdefault(ident, (name, _path(first)))
            if known != name or ids.setdefault(name, ident) != ident:
                problem = f"the category {ident} is {shown(name)}"
                other = f"{shown(known)} as in {path}" if known != name else f"the id {ids[name]} for that name"
                raise InputError(f"{_path(first)}: {problem}, expected {other}")
    chosen = sorted(found)
    return Categories(np.array(chosen, np.int64), [found[ident][0] for ident in chosen])


def _classes(categories: Categories, firsts: list[Detections]) -> list[Codes]:
    place = {name: code for code, name in enumerate(categories.names)}
    return [np.array([place[name] for name in first.categories.names], np.int32) for first in firsts]


def _join_images(groups: list[list[Detections]]) -> Images:
    """Those of all ground truths, each in one of them."""
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
    return Images(ids, _distinct([names[at] for at in order.tolist()], ids.tolist()), width, height)


def _keys(part: Detections) -> list[Any]:
    """By what images are told apart."""
    return part.images.names if part.format in NUMBERED else part.images.ids.tolist()


def _refuse_twice(keys: list[Any], owners: list[Detections]) -> None:
    seen: dict[Any, Detections] = {}
    for key, owner in zip(keys, owners, strict=True):
        if (other := seen.setdefault(key, owner)) is not owner:
            raise InputError(
                f"{_path(other)} and {_path(owner)}: both have the image {shown(key)}, "
                "expected each image in one ground truth"
            )


def _sizes(group: list[Detections], side: str) -> NDArray[np.float64]:
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


def _places(images: Images, firsts: list[Detections]) -> list[Codes]:
    """Of each ground truth (images,) where its images are among all."""
    if firsts[0].format in NUMBERED:
        place = {name: at for at, name in enumerate(images.names)}
        return [np.array([place[name] for name in first.images.names], np.int32) for first in firsts]
    return [np.searchsorted(images.ids, first.images.ids).astype(np.int32) for first in firsts]


# Rows


def _check_apart(parts: list[Detections], pred: list[Moved], images: Images) -> None:
    """No image has detections in two parts."""
    owner = np.full(len(images), -1)
    for number, moved in enumerate(pred):
        mine = np.unique(moved.image[moved.rows.image])
        if (again := mine[owner[mine] >= 0]).size:
            image = int(again[0])
            paths = [parts[at].inputs[1].path for at in (int(owner[image]), number)]
            raise InputError(
                f"{paths[0]} and {paths[1]}: both have detections on the image {shown(images.names[image])}, "
                "expected those of an image in one part"
            )
        owner[mine] = number


def _join_rows(moved: list[Moved], images: int, *, count_ids: bool) -> Instances:
    """Rows of all parts, image by image; `count_ids` if their ids are places, from 1."""
    image = np.concatenate([each.image[each.rows.image] for each in moved])
    order = np.argsort(image, kind="stable")
    place = _counted_on([each.rows.place for each in moved])[order]
    ids = place + 1 if count_ids else np.concatenate([each.rows.ids for each in moved])[order]
    return Instances(
        image=image[order],
        category=np.concatenate([each.category[each.rows.category] for each in moved])[order],
        ids=ids,
        place=place,
        problems=_problems(moved, order),
        images=images,
        masks=_masks(moved, order),
        **{name: _column(moved, name, order) for name in ("box", "area", "crowd", "score", "keypoints", "visible")},
    )


def _counted_on(places: list[Any]) -> Any:
    """Places of several lists as those of one."""
    found, next_place = [], 0
    for each in places:
        found.append(each + next_place)
        next_place += int(each.max()) + 1 if len(each) else 0
    return np.concatenate(found)


def _column(moved: list[Moved], name: str, order: Any) -> Any:
    columns = [getattr(each.rows, name) for each in moved]
    if any(column is None for column in columns):
        return None
    columns = [column for column in columns if len(column)] or columns[:1]
    if len({column.shape[1:] for column in columns}) > 1:
        points = " and ".join(str(column.shape[1]) for column in columns)
        raise InputError(f"{name}: found {points} points, expected as many in each part")
    return np.concatenate(columns)[order]


def _masks(moved: list[Moved], order: Any) -> list[Any] | None:
    if any(each.rows.masks is None for each in moved):
        return None
    masks = [mask for each in moved for mask in each.rows.masks or ()]
    return [masks[at] for at in order.tolist()]


def _problems(moved: list[Moved], order: Any) -> dict[int, str]:
    """What is wrong with rows, by where they are now."""
    first, words = 0, dict[int, str]()
    for each in moved:
        words |= {first + row: text for row, text in each.rows.problems.items()}
        first += len(each.rows)
    return {row: words[at] for row, at in enumerate(order.tolist()) if at in words} if words else {}
