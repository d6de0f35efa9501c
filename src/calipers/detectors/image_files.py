"""The files of images: which is whose, and their pixels.

An image of the ground truth is the file of its name under the folder; else the one file below the folder with that
name, whatever folder it is in; else the one image file with that name but for the ending.

Pixels are taken as they are stored. Only where that does not give the size that the ground truth says, and turning
them as their EXIF orientation asks does, they are turned.
"""

from __future__ import annotations

import os
import struct
import warnings
import zlib
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calipers.core.errors import ConfigError, InputError
from calipers.core.text import whole_text
from calipers.detectors.targets import TruthImage

if TYPE_CHECKING:
    from PIL.Image import Image

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif", ".ppm", ".pgm", ".jp2", ".avif")
ORIENTATION = 0x0112  # tag of EXIF
UPRIGHT = 1
DAMAGED = (OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError, struct.error, zlib.error)  # Pillow's


class ImageFile(NamedTuple):
    """An image of the ground truth, and its file."""

    picture: TruthImage
    path: Path
    name: str  # within the folder, with slashes
    bytes: int


def find_files(folder: str | os.PathLike[str], pictures: list[TruthImage]) -> list[ImageFile]:
    """The file of each image, in the order of the ground truth."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{folder}: {'is not a folder' if root.exists() else 'no such folder'}, expected images in it")
    paths = {picture: path for picture in pictures if (path := _directly(root, picture.name))}
    rest = [picture for picture in pictures if picture not in paths]
    if rest:
        paths |= _elsewhere(root, rest, set(paths.values()))
    missing = [picture.name for picture in pictures if picture not in paths]
    if missing:
        count = f"{len(missing):,} of {len(pictures):,} images of the ground truth are"
        raise InputError(f"{folder}: {count} not in this folder, the first is {missing[0]!r}")
    return [_image_file(picture, paths[picture], root) for picture in pictures]


def _image_file(picture: TruthImage, path: Path, root: Path) -> ImageFile:
    return ImageFile(picture, path, whole_text(path.relative_to(root).as_posix()), path.stat().st_size)


def _directly(root: Path, name: str) -> Path | None:
    """The file of that name; a name that leads out of the folder has none."""
    for text in (name, name.replace("\\", "/")):
        parts = PurePosixPath(text)
        if not parts.is_absolute() and ".." not in parts.parts and os.path.isfile(root / parts):
            return root / parts
    return None


def _elsewhere(root: Path, pictures: list[TruthImage], taken: set[Path]) -> dict[TruthImage, Path]:
    """Files in other folders, or with another ending."""
    files = [path for path in _files_below(root) if path not in taken]
    by_name, by_stem = _grouped(files, "name"), _grouped([file for file in files if _is_image(file)], "stem")
    paths: dict[TruthImage, Path] = {}
    owners: dict[Path, TruthImage] = {}
    for picture in pictures:
        last = picture.name.replace("\\", "/").rpartition("/")[2]
        meant = by_name.get(last) or by_stem.get(PurePosixPath(last).stem) or []
        if len(meant) > 1:
            raise InputError(f"{root}: the image {picture.name!r} may be {meant[0]} or {meant[1]}, expected one file")
        if meant:
            other = owners.setdefault(meant[0], picture)
            if other.name != picture.name:
                raise InputError(f"{meant[0]}: may be the image {other.name!r} or {picture.name!r}, expected one")
            paths[picture] = meant[0]
    return paths


def _files_below(root: Path) -> Iterable[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(names))


def _grouped(files: Iterable[Path], part: str) -> dict[str, list[Path]]:
    groups: dict[str, list[Path]] = {}
    for file in files:
        groups.setdefault(getattr(file, part), []).append(file)
    return groups


def _is_image(file: Path) -> bool:
    return file.suffix.lower() in ENDINGS and not file.name.startswith(".")


def check_pillow() -> None:
    """Raise an error that says how to install Pillow, if it is missing."""
    try:
        import_module("PIL.Image")
    except ImportError as error:
        raise ConfigError('images are opened by Pillow, which is missing: pip install "calipers[detect]"') from error


def open_image(file: ImageFile) -> tuple[Image, bool]:
    """The pixels of an image as RGB; and whether it asks to be turned and was not."""
    from PIL import Image as Images

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # large, or with odd EXIF; what is too large or damaged is an error
            with Images.open(file.path) as image:
                image.load()
                turned = _turned(image, file)
                return _as_rgb(turned, file), turned is image and _orientation(image) != UPRIGHT
    except Images.DecompressionBombError as error:
        raise InputError(f"{file.path}: {error}") from error
    except DAMAGED as error:
        raise InputError(f"{file.path}: is not an image that can be read: {error}") from error


def _turned(image: Image, file: ImageFile) -> Image:
    """The image in the size that the ground truth says."""
    from PIL import ImageOps

    expected = file.picture.size
    if expected is None or image.size == expected:
        return image
    if _orientation(image) != UPRIGHT:
        turned = ImageOps.exif_transpose(image)
        if turned.size == expected:
            return turned
    actual, wanted = (f"{width} x {height}" for width, height in (image.size, expected))
    raise InputError(f"{file.path}: has {actual} pixels, expected {wanted} as the ground truth says")


def _orientation(image: Image) -> int:
    """How the image asks to be turned or mirrored; nothing can be made of damaged EXIF."""
    try:
        orientation = image.getexif().get(ORIENTATION, UPRIGHT)
    except DAMAGED:
        return UPRIGHT
    return int(orientation) if orientation in range(1, 9) else UPRIGHT


def _as_rgb(image: Image, file: ImageFile) -> Image:
    """Three bytes a pixel; of 16 bits the upper 8."""
    from PIL import Image as Images

    if image.mode == "F":
        raise InputError(f"{file.path}: its pixels are fractions, expected whole numbers of 8 or 16 bits")
    if image.mode.startswith("I"):
        image = Images.fromarray((np.asarray(image).astype(np.int64).clip(0, 65535) >> 8).astype(np.uint8))
    return image.convert("RGB")
