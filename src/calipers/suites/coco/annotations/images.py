"""Images and categories of a data set, and where ids are among theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.problems import shown
from calipers.suites.coco.columns import Categories, Codes, Floats, Images, Whole
from calipers.suites.coco.formats.rows import LARGEST, plain

WIDEST_TABLE = 1 << 20
MAX_SIDE = 2**31  # pixels; what is larger is no size


class Dataset(NamedTuple):
    """The images and categories that ground truth and predictions share."""

    path: str
    images: Images
    categories: Categories
    points: list[int | None]  # (categories,) how many keypoints it names, None if it does not
    warnings: list[str]


def read_dataset(lists: Mapping[str, Any], path: str) -> Dataset:
    """The images and the categories, in the order of their ids."""
    images = by_id(lists["images"], f"{path}: images", "an image")
    if not images:
        raise InputError(f"{path}: images: found an empty list, expected images")
    categories = by_id(lists["categories"], f"{path}: categories", "a category")
    ids = np.array(list(categories), np.int64)
    names = [read_name(entry, ident, path) for ident, entry in categories.items()]
    distinct = distinct_names(names, list(categories))
    points = [
        len(category["keypoints"]) if isinstance(category.get("keypoints"), list) else None
        for category in categories.values()
    ]
    twice = [name for name, count in Counter(names).items() if count > 1]
    warnings = [f"{path}: category names given twice: {len(twice)} (first {shown(twice[0])})"] if twice else []
    return Dataset(path, _images(images), Categories(ids, distinct), points, warnings)


def by_id(entries: Any, place: str, entry_name: str) -> dict[int, Mapping[str, Any]]:
    """Objects of a list by their ids, ascending."""
    if not isinstance(entries, (list, tuple)):
        raise InputError(f"{place}: found {shown(entries)}, expected a list")
    ids = _plain_ids(entries) or [read_id(entry, f"{place}[{at}]", entry_name) for at, entry in enumerate(entries)]
    items = dict(zip(ids, entries, strict=True))
    if len(items) < len(ids):
        _refuse_twice(ids, place)
    return dict(sorted(items.items(), key=itemgetter(0)))


def _plain_ids(entries: Sequence[Any]) -> list[int]:
    """The ids of objects that have nothing but whole numbers for them, else none."""
    try:
        ids = [entry["id"] for entry in entries]
    except (TypeError, LookupError):
        return []
    return ids if set(map(type, ids)) == {int} and min(ids) >= -LARGEST and max(ids) < LARGEST else []


def _refuse_twice(ids: list[int], place: str) -> None:
    places: dict[int, int] = {}
    for index, ident in enumerate(ids):
        if places.setdefault(ident, index) != index:
            raise InputError(f"{place}[{places[ident]}] and [{index}]: both have the id {ident}, expected each id once")


def read_id(item: Any, place: str, entry_name: str) -> int:
    """The id of an image or a category."""
    if not isinstance(item, Mapping):
        raise InputError(f"{place}: found {shown(item)}, expected {entry_name}: an object with an id")
    value = plain(item.get("id"))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and -LARGEST <= value < LARGEST:
        return value
    if value is None:
        raise InputError(f"{place}: id: missing, expected a whole number")
    hint = " (ids that are texts are not supported)" if isinstance(value, str) else ""
    raise InputError(f"{place}: id: found {shown(value)}, expected a whole number{hint}")


def _images(images: dict[int, Mapping[str, Any]]) -> Images:
    file_names = [image.get("file_name") for image in images.values()]
    counts = Counter(name for name in file_names if isinstance(name, str))
    names = [name if isinstance(name, str) and name and counts[name] == 1 else "" for name in file_names]
    taken = set(names)
    texts = [name or _free_name(str(ident), taken) for name, ident in zip(names, images, strict=True)]
    width, height = (_sizes([image.get(side) for image in images.values()]) for side in ("width", "height"))
    return Images(np.array(list(images), np.int64), texts, width, height)


def _free_name(name: str, taken: set[str]) -> str:
    """An id as a name, unless a file is called so."""
    return f"{name} (id)" if name in taken else name


def _sizes(values: list[Any]) -> Floats:
    """Widths or heights; NaN for a value that cannot be one."""
    quick = set(map(type, values)) <= {int, float} and min(values) > -MAX_SIDE and max(values) < MAX_SIDE
    sizes = np.array(values if quick else [_number(plain(value)) for value in values], np.float64)
    return np.where(sizes > 0, sizes, np.nan)


def _number(value: Any) -> float:
    fine = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < MAX_SIDE
    return float(value) if fine else np.nan


def read_name(category: Mapping[str, Any], ident: int, path: str) -> str:
    """The name of a category."""
    name = category.get("name")
    if isinstance(name, str):
        return whole_text(name)
    problem = "missing" if name is None else f"found {shown(name)}"
    raise InputError(f"{path}: categories (id {ident}): name: {problem}, expected a text")


def distinct_names(names: list[str], ids: list[int]) -> list[str]:
    """Distinct names: every name that occurs more than once gets its id added.

    >>> distinct_names(["cone", "sign", "cone"], [7, 8, 9])
    ['cone (id 7)', 'sign', 'cone (id 9)']
    """
    counts = Counter(names)
    while len(counts) < len(names):
        names = [f"{name} (id {ident})" if counts[name] > 1 else name for name, ident in zip(names, ids, strict=True)]
        counts = Counter(names)
    return names


def find_ids(known: Whole, ids: Whole) -> tuple[Codes, NDArray[np.bool_]]:
    """(ids,) where each is among the known ones, which ascend, and whether it is.

    >>> [column.tolist() for column in find_ids(np.array([3, 5]), np.array([5, 4, 3]))]
    [[1, -1, 0], [True, False, True]]
    """
    if not len(known) or not len(ids):
        return np.full(len(ids), -1, np.int32), np.zeros(len(ids), np.bool_)
    low, high = int(known[0]), int(known[-1])
    inside = ids.min() >= low and ids.max() <= high
    if high - low <= WIDEST_TABLE:
        table = np.full(high - low + 2, -1, np.int32)  # the last for those that are outside
        table[known - low] = np.arange(len(known))
        at = table[ids - low if inside else np.where((ids >= low) & (ids <= high), ids - low, -1)]
    else:
        at = np.searchsorted(known, ids).clip(max=len(known) - 1).astype(np.int32)
        at[known[at] != ids] = -1
    return at, at >= 0
