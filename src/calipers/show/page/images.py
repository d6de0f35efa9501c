"""Pictures under drawings: found by name in a folder, never outside of it, and put into the page as data.

With Pillow a picture is made at most 1024 pixels wide or high; without, it is taken as it is up to 300 kB. All pictures
of a page together take 20 MB at most.
"""

from __future__ import annotations

import os
import struct
import warnings
import zlib
from base64 import b64encode
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from calipers.core.errors import InputError
from calipers.files.image_size import ImageSize, image_size

WIDEST = 1024  # pixels
MAX_UNCHANGED_BYTES = 300_000  # bytes
MAX_TOTAL_BYTES = 20_000_000  # bytes
MAX_PIXELS = 100_000_000
QUALITY = 80
STARTS = {b"\xff\xd8\xff": "jpeg", b"\x89PNG": "png", b"GIF8": "gif", b"RIFF": "webp"}
DAMAGED = (OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError, struct.error, zlib.error)  # Pillow's


class EmbeddedImage(NamedTuple):
    """A picture as data, and the size of its file in pixels."""

    uri: str
    size: ImageSize

    @property
    def aspect(self) -> float:
        """Width divided by height."""
        return self.size.width / self.size.height


class Pictures:
    """The pictures of a folder, by the names of images."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._root = Path(folder).resolve()
        if not self._root.is_dir():
            problem = "is not a folder" if self._root.exists() else "no such folder"
            raise InputError(f"{folder}: {problem}, expected images in it")
        self._files: dict[str, list[Path]] | None = None
        self._shrinks = find_spec("PIL") is not None
        self._asked = self._found = self._size = 0
        self._unfit: dict[str, int] = {}

    @property
    def remarks(self) -> list[str]:
        """Notes about pictures that were not found or not embedded."""
        lost = self._asked - self._found
        notes = [f"{lost:,} of {self._asked:,} drawn cases have no image under them."] if lost else []
        return notes + [f"{n:,} images {why}" for why, n in self._unfit.items()]

    def find(self, *names: str) -> EmbeddedImage | None:
        """The picture of the first of these names that has one."""
        self._asked += 1
        path = next((path for name in names if (path := self._path(name))), None)
        picture = self._read(path) if path else None
        self._found += picture is not None
        return picture

    def _path(self, name: str) -> Path | None:
        """The file of that name in the folder, or the one file below it with the same last part."""
        relative = PurePosixPath(name.replace("\\", "/"))
        last = relative.name
        if not last or "\0" in name or len(last) > 255:
            return None
        inside = [part for part in relative.parts if part not in ("/", "..", ".")]
        for at in range(len(inside)):
            path = self._inside(self._root.joinpath(*inside[at:]))
            if path:
                return path
        below = [path for candidate in self._below().get(last, []) if (path := self._inside(candidate))]
        return below[0] if len(below) == 1 else None

    def _inside(self, path: Path) -> Path | None:
        """The file, if it is one and lies in the folder, wherever links lead."""
        try:
            real = path.resolve()
            return real if real.is_relative_to(self._root) and real.is_file() else None
        except OSError:  # a name that the system does not take
            return None

    def _below(self) -> dict[str, list[Path]]:
        if self._files is None:
            self._files = {}
            for folder, _, names in os.walk(self._root):
                for name in names:
                    self._files.setdefault(name, []).append(Path(folder, name))
        return self._files

    def _read(self, path: Path) -> EmbeddedImage | None:
        try:
            size = image_size(str(path))
            if size.width * size.height > MAX_PIXELS:
                self._refuse("have more than 100 million pixels and are left out.")
                return None
            kind, content = self._content(path)
        except (InputError, *DAMAGED):
            self._refuse("cannot be read as pictures.")
            return None
        if content is None:
            self._refuse("are larger than 300 kB, and without Pillow they are not made smaller.")
            return None
        if self._size + len(content) > MAX_TOTAL_BYTES:
            self._refuse("are left out: the page would hold more than 20 MB of them.")
            return None
        self._size += len(content)
        return EmbeddedImage(f"data:image/{kind};base64,{b64encode(content).decode('ascii')}", size)

    def _refuse(self, why: str) -> None:
        self._unfit[why] = self._unfit.get(why, 0) + 1

    def _content(self, path: Path) -> tuple[str, bytes | None]:
        if self._shrinks:
            return "jpeg", _shrunk(path)
        content = path.read_bytes() if path.stat().st_size <= MAX_UNCHANGED_BYTES else None
        kinds = [kind for start, kind in STARTS.items() if content is not None and content.startswith(start)]
        if content is not None and not kinds:
            raise InputError("not a picture that a browser shows")
        return (kinds or [""])[0], content


def _shrunk(path: Path) -> bytes:
    """The picture as a JPEG of moderate size; pixels as they are stored, as everywhere."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd EXIF; what is damaged is an error
        with Image.open(path) as image:
            image.draft("RGB", (WIDEST, WIDEST))
            flat = image.convert("RGB")
    flat.thumbnail((WIDEST, WIDEST))
    out = BytesIO()
    flat.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()
