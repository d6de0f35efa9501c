"""Where a data set of YOLO keeps its labels, images and names of classes.

Labels are the text files below `labels`, of the folder that was given or of a split in it (`labels/val`,
`valid/labels`; a year may follow, as in `val2017`), else below that folder itself. Of several splits the one for
validation is read. Images are in the
folder that was named for them, else where `images` stands for `labels` in the path, else in an `images` folder, else
beside the labels. The names of classes are looked for beside the labels, and above folders called labels or like a
split.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from calipers.core.errors import InputError
from calipers.files.folders import files_below
from calipers.suites.coco.formats.image_names import IMAGE_ENDINGS

SPLIT = re.compile(
    r"(?:train|training|test|test-dev|(?P<validation>val|valid|validation))(?:[-_]?(?:19|20)\d\d)?", re.IGNORECASE
)
NAME_FILES = (
    *("data.yaml", "data.yml", "dataset.yaml", "dataset.yml", "classes.txt", "obj.names"),
    *("config.yaml", "config.yml"),  # other programs have such files as well, so they come last
)
INSIDE = re.compile(r"labels|obj_\w+_data", re.IGNORECASE)  # folders that are part of a data set


class LabelFolder(NamedTuple):
    """The folder of the labels, which split of the data set they are, and warnings about it."""

    folder: str
    split: str  # "" if there are no splits
    warnings: list[str]


def find_labels(folder: str) -> LabelFolder:
    """The folder with the labels of a data set."""
    if not os.path.isdir(folder):
        problem = "found a file, expected a folder of *.txt" if os.path.exists(folder) else "no such folder"
        raise InputError(f"{folder}: {problem}")
    base = _inner(folder, "labels")
    splits = [name for name in _folders(base) if SPLIT.fullmatch(name)] if not _has_loose_labels(base) else []
    if not splits:
        return LabelFolder(base, _split_of(base), [])
    split, warnings = choose_split(splits, base)
    return LabelFolder(_inner(os.path.join(base, split), "labels"), split, warnings)


def choose_split(splits: list[str], base: str) -> tuple[str, list[str]]:
    """Of the splits of a data set the one that is read, that for validation, and a warning about the others."""
    split = _chosen(splits, base)
    others = [name for name in splits if name != split]
    return split, [f"{base}: only {split} was read, not {', '.join(others)}"] if others else []


def find_images(images: str | None, labels: LabelFolder, folder: str) -> tuple[str, list[str]]:
    """The folder with the images, and their paths in it; without images, the folder of the labels and an empty list."""
    if images is not None:
        place = _inner(images, labels.split) if labels.split else images
        if not os.path.isdir(place):
            raise InputError(f"{images}: no such folder, expected the one with the images")
        if not (files := files_below(place, IMAGE_ENDINGS)):
            raise InputError(f"{images}: no images in this folder, expected files like a.jpg or a.png")
        return place, files
    candidates = [_mirrored(labels.folder), os.path.join(labels.folder, "images"), os.path.join(folder, "images")]
    for place in [place for place in candidates if place and os.path.isdir(place)] + [labels.folder]:
        if files := files_below(place, IMAGE_ENDINGS):
            return place, files
    return labels.folder, []


def find_names(labels: LabelFolder, folder: str) -> Iterator[str]:
    """Files that may have the names of classes, the likeliest first."""
    for place in dict.fromkeys([*_around(labels.folder), folder]):
        for name in NAME_FILES:
            if os.path.isfile(path := os.path.join(place, name)):
                yield path


def _inner(folder: str, name: str) -> str:
    """The folder of this name in a folder, or that itself."""
    inner = os.path.join(folder, name)
    return inner if os.path.isdir(inner) else folder


def _folders(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name)))


def _has_loose_labels(folder: str) -> bool:
    return any(is_label(name) for name in os.listdir(folder))


def is_label(name: str) -> bool:
    """Whether a file may hold labels, by its name: lists of images, classes and readme files are texts too."""
    stem, ending = os.path.splitext(os.path.basename(name).lower())
    is_no_label = SPLIT.fullmatch(stem) or stem == "classes" or stem.startswith("readme")
    return ending == ".txt" and not is_no_label and not stem.startswith(".")


def _split_of(folder: str) -> str:
    """The split that a folder is, by its name."""
    name = os.path.basename(os.path.abspath(folder))
    return name if SPLIT.fullmatch(name) else ""


def _chosen(splits: list[str], base: str) -> str:
    validation = [name for name in splits if (match := SPLIT.fullmatch(name)) and match["validation"]]
    if len(validation) == 1 or len(splits) == 1:
        return (validation or splits)[0]
    example = os.path.join(base, splits[0])
    raise InputError(f"{base}: found the splits {', '.join(splits)}, expected one of them, as {example}")


def _mirrored(folder: str) -> str:
    """Where the images of a folder of labels are: the same path with `images` for the last `labels`."""
    parts = os.path.abspath(folder).split(os.sep)
    places = [place for place, part in enumerate(parts) if part.lower() == "labels"]
    return os.sep.join([*parts[: places[-1]], "images", *parts[places[-1] + 1 :]]) if places else ""


def _around(folder: str) -> list[str]:
    """A folder, and those above it that belong to the same data set."""
    place = os.path.abspath(folder)
    folders = [place]
    while INSIDE.fullmatch(name := os.path.basename(place)) or SPLIT.fullmatch(name):
        place = os.path.dirname(place)
        folders.append(place)
    return folders
