"""The formats of annotations on images besides COCO's JSON, one line for each.

A format is one module beside this one, called like it, with three functions: `looks_like(path)`, whether a file or a
folder holds it; `open_folder(path, known, images)`, a `Folder` whose files are cut into shards; and
`read_shard(shard)`, what some of the files hold. Formats with documents have the last two from a `Reader`. Everything
else that the suite has to know stands in the table.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from calipers.suites.coco.formats.conversion import Folder
    from calipers.suites.coco.formats.converted import ImagesAndCategories
    from calipers.suites.coco.formats.pieces import FileShard, Piece

PEEKED = 4096  # bytes


class ImageFormat(NamedTuple):
    """What the suite knows of a format without loading its module."""

    name: str  # as `--gt-format` takes it
    title: str  # of its files, in words
    layout: str  # files and their main fields, on one line
    iou_types: tuple[str, ...]
    file_endings: tuple[str, ...] = ()  # of a file that is a source by itself
    file_marks: tuple[bytes, ...] = ()  # one of them is among the first bytes of every such file
    numbers_classes: bool = False  # whether files hold numbers of classes, not names
    needs_sizes: bool = False  # whether predictions can be read only with the sizes of the images
    lists_images: bool = False  # whether images and their sizes are known before any file of annotations is read
    unread: str = ""  # what its files may say beside classes, shapes and scores, which a conversion loses

    def module(self) -> Any:
        """The module that reads it."""
        return import_module(f"calipers.suites.coco.formats.{self.name}")

    def is_file(self, path: str) -> bool:
        """Whether one file is of this format; its module is loaded only where the first bytes speak for it."""
        if not path.lower().endswith(self.file_endings or "/"):
            return False
        return not self.file_marks or (_has_mark(path, self.file_marks) and self.module().looks_like(path))


# The most particular last: folders are tried from the end
FORMATS = (
    ImageFormat(
        name="yolo",
        title="YOLO labels",
        layout="a .txt per image: class x y w h (or a polygon) in shares, confidence last; classes.txt or data.yaml",
        iou_types=("bbox", "segm"),
        numbers_classes=True,
        needs_sizes=True,
        lists_images=True,
    ),
    ImageFormat(
        name="voc",
        title="Pascal VOC",
        layout="an .xml per image: annotation, object, bndbox",
        iou_types=("bbox",),
        file_endings=(".xml",),
        unread="pose, truncated, occluded, parts and polygons",
    ),
    ImageFormat(
        name="cvat",
        title="CVAT for images",
        layout="an .xml of many images: annotations, image, box (xtl, ytl, xbr, ybr) and polygon (points)",
        iou_types=("bbox", "segm"),
        file_endings=(".xml",),
        file_marks=(b"<annotations",),
        unread="attributes, occluded, z_order and groups",
    ),
    ImageFormat(
        name="label_studio",
        title="Label Studio",
        layout="a .json of many tasks: data, annotations, result with rectanglelabels or polygonlabels in percent",
        iou_types=("bbox", "segm"),
        file_endings=(".json",),
        file_marks=(b'"original_width"', b'"rectanglelabels"', b'"polygonlabels"', b'"completed_by"'),
        unread="meta and relations",
    ),
    ImageFormat(
        name="supervisely",
        title="Supervisely images",
        layout="meta.json and ann/*.json per image: size, objects with classTitle, geometryType and points",
        iou_types=("bbox", "segm"),
        file_endings=(".json",),
        file_marks=(b'"geometryType"', b'"objects"'),
        unread="tags, descriptions and ids",
    ),
    ImageFormat(
        name="createml",
        title="CreateML",
        layout="a .json of many images: image, annotations with label and coordinates (middle, size); Roboflow's too",
        iou_types=("bbox",),
        file_endings=(".json",),
        file_marks=(b'"coordinates"', b'"annotations"'),
        unread="further fields",
    ),
    ImageFormat(
        name="roboflow_csv",
        title="Roboflow CSV",
        layout="_annotations.csv of many images: filename,width,height,class,xmin,ymin,xmax,ymax",
        iou_types=("bbox",),
        file_endings=(".csv",),
        file_marks=(b"filename",),
        unread="further columns",
    ),
    ImageFormat(
        name="labelme",
        title="LabelMe",
        layout="a .json per image: shapes, imagePath",
        iou_types=("bbox", "segm"),
        file_endings=(".json",),
        file_marks=(b'"shapes"', b'"imagePath"', b'"imageData"'),
        unread="flags, groups, descriptions and pictures",
    ),
)
BY_NAME = {kind.name: kind for kind in FORMATS}


def _has_mark(path: str, marks: tuple[bytes, ...]) -> bool:
    """Whether a mark is among the first bytes of a file. What can be read only once is left alone."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(PEEKED)
    except OSError:  # said when the file is read
        return False
    return any(mark in head for mark in marks)


def find_folder_format(path: str) -> ImageFormat | None:
    """The format of the files in a folder, None if they are of no format of the table."""
    return next((kind for kind in reversed(FORMATS) if kind.module().looks_like(path)), None)


def find_file_format(path: str) -> ImageFormat | None:
    """The format of one file, None if it is of no format of the table: COCO's, then."""
    return next((kind for kind in reversed(FORMATS) if kind.is_file(path)), None)


def folder_words() -> str:
    """What folders may hold, for messages."""
    *others, last = (kind.title for kind in FORMATS)
    return f"{', '.join(others)} or {last}"


def open_folder(name: str, path: str, known: ImagesAndCategories | None, images: str | None) -> Folder:
    """A side in some format, before its files are read; `known` is what the ground truth has, for predictions."""
    return BY_NAME[name].module().open_folder(path, known, images)  # type: ignore[no-any-return]


def read_shard(shard: FileShard) -> Piece:
    """Files of any format to what they hold."""
    return BY_NAME[shard.format].module().read_shard(shard)  # type: ignore[no-any-return]
