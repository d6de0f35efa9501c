"""What the classes of a model are called, and which categories of the ground truth they are.

A class is the category of exactly its name; else the one whose name differs only in case, and in underscores, dashes
and spaces, of which any run counts as one space. A part of a name is never enough: a cone is no "traffic cone".
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError, InputError
from calipers.core.text import whole_text
from calipers.detectors.targets import Category
from calipers.files.encodings import encoding_hint
from calipers.files.inputs import BOM

LONGEST = 1_000_000  # characters of a model's metadata that are read
SHOWN = 6


class ClassMapping(NamedTuple):
    """Classes and categories, by name."""

    categories: list[int | None]  # (classes,) the id of each class's category
    strangers: list[str]  # classes without a category
    unseen: list[str]  # categories without a class

    @property
    def wanted(self) -> NDArray[np.bool_]:
        """(classes,) whether each class has a category."""
        return np.array([number is not None for number in self.categories])


def names_in(text: str, where: str) -> list[str]:
    """The names in the metadata of a model, written as Python writes a dict or a list.

    >>> names_in("{0: 'cone', 1: 'road sign'}", "model.onnx")
    ['cone', 'road sign']
    """
    names = literal(text)
    if isinstance(names, dict) and sorted(names, key=repr) == sorted(range(len(names)), key=repr):
        names = [names[number] for number in range(len(names))]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: names in the metadata are {shortened(text)}, expected {{0: 'name', 1: 'name', …}}")
    return [whole_text(name) for name in names]


def literal(text: str) -> Any:
    """The value a text is in Python, or None."""
    if len(text) > LONGEST:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def shortened(text: str) -> str:
    """A text as a message shows it."""
    return repr(text) if len(text) <= 80 else f"{text[:80]!r} …"


def read_names(path: str) -> list[str]:
    """The names in a file, one per line; empty lines at the end are none."""
    try:
        with open(path, "rb") as file:
            lines = file.read().removeprefix(BOM).decode("utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8{encoding_hint(error.object)}, expected one name per line") from error
    names = [line.strip() for line in lines]
    while names and not names[-1]:
        names.pop()
    if not all(names) or not names:
        place = f"line {names.index('') + 1} is empty" if names else "is empty"
        raise ConfigError(f"{path}: {place}, expected the name of a class on every line")
    return names


def match_classes(names: list[str], categories: list[Category]) -> ClassMapping:
    """The category of each class.

    >>> match_classes(["Traffic-Cone", "cone"], [Category(7, "traffic cone"), Category(9, "sign")])
    ClassMapping(categories=[7, None], strangers=['cone'], unseen=['sign'])
    """
    exact = _by_name(categories, str)
    case_folded = _by_name(categories, folded)
    candidates = [exact.get(name) or case_folded.get(folded(name)) or [] for name in names]
    for name, meant in zip(names, candidates, strict=True):
        if len(meant) > 1:
            both = " or ".join(f"{category.name!r} (id {category.id})" for category in meant[:2])
            raise InputError(f"the class {name!r} of the model may be {both} of the ground truth, expected one")
    if not any(candidates):
        raise InputError(
            f"no class of the model is a category of the ground truth\nclasses: {listed(names)}\n"
            f"categories: {listed([category.name for category in categories])}"
        )
    ids = [meant[0].id if meant else None for meant in candidates]
    strangers = [name for name, meant in zip(names, candidates, strict=True) if not meant]
    return ClassMapping(ids, strangers, [category.name for category in categories if category.id not in ids])


def folded(name: str) -> str:
    """A name without what does not tell names apart.

    >>> folded("Road__Work - SIGN ")
    'road work sign'
    """
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


def _by_name(categories: list[Category], key: Any) -> dict[str, list[Category]]:
    by_name: dict[str, list[Category]] = {}
    for category in categories:
        by_name.setdefault(key(category.name), []).append(category)
    return by_name


def listed(names: list[str], max_names: int = 100) -> str:
    """Names with commas, cut where there are too many.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    return ", ".join(names[:max_names]) + (f" and {len(names) - max_names} more" if len(names) > max_names else "")
