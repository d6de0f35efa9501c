"""The images that an interrupted run has finished, so that the next one can go on from there.

Beside the results that a run will write lies a file of the same name and `.part`, while it runs: a line of JSON that
says what was run, then a line for each finished image. A run with the same first line takes these images as done,
unless their files have changed; one that was run otherwise is an error that says what differs. A last line that was cut
short is dropped. The file goes away when the results are written.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import orjson

from calipers.core.errors import ConfigError, OutputError, keyword
from calipers.detectors.image_files import ImageFile
from calipers.files.output import make_folder
from calipers.files.problems import shown

Entry = dict[str, Any]  # of a finished image: detections, counts
FORMAT = 1


class PartFile:
    """Entries of finished images; without a path they are kept nowhere."""

    def __init__(self, path: Path | None, header: dict[str, Any], *, restart: bool) -> None:
        self.path = path
        self._header = {"calipers_detect": FORMAT, **header}
        self._file: IO[bytes] | None = None
        self._done: dict[int, Entry] = {}
        self._length = 0  # of the whole lines
        if path is not None and not restart and path.exists():
            self._read(path)

    def entry(self, file: ImageFile, make: Callable[[], Entry]) -> Entry:
        """The entry of an image: as it was left, else made now and kept."""
        image = {"image_id": file.picture.id, "file": file.name, "bytes": file.bytes}
        finished = self._done.get(file.picture.id)
        if finished is not None and all(finished[name] == value for name, value in image.items()):
            return finished
        entry = {**image, **make()}
        if self.path is not None:
            self._append(self.path, entry)
        return entry

    def close(self) -> None:
        """Close the file and keep it for the next run."""
        if self._file is not None:
            self._file.close()

    def remove(self) -> None:
        """Remove the file, once the results are written."""
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _read(self, path: Path) -> None:
        try:
            lines = path.read_bytes().splitlines(keepends=True)
        except OSError as error:
            raise OutputError(f"{path}: cannot be read: {error.strerror or error}") from error
        entries = []
        for line in lines:
            entry = _parsed(line)
            if entry is None:
                break
            entries.append(entry)
            self._length += len(line)
        if lines and lines[0].endswith(b"\n"):
            self._check(entries[0] if entries else {}, path)
        self._done = {entry["image_id"]: entry for entry in entries[1:] if "image_id" in entry}

    def _check(self, header: Any, path: Path) -> None:
        again = f"{keyword('restart', True)} begins anew"
        if header.get("calipers_detect") != FORMAT:
            raise ConfigError(f"{path}: is not what an interrupted run leaves, expected that or no file ({again})")
        for name, value in _flat(self._header).items():
            earlier = _flat(header).get(name)
            if earlier != value:
                difference = f"{name}: it had {shown(earlier)}, this one has {shown(value)}"
                raise ConfigError(f"{path}: was left by a run that differs\n{difference}\n({again})")

    def _append(self, path: Path, entry: Entry) -> None:
        try:
            if self._file is None:
                make_folder(path.absolute().parent)
                self._file = path.open("r+b" if self._length else "wb", buffering=0)
                self._file.truncate(self._length)
                self._file.seek(self._length)
                if not self._length:
                    self._file.write(orjson.dumps(self._header) + b"\n")
            self._file.write(orjson.dumps(entry) + b"\n")
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _parsed(line: bytes) -> Any:
    """The entry of a complete line, None if the line was cut off or holds something else."""
    if not line.endswith(b"\n"):
        return None
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    good = isinstance(entry, dict) and (
        "calipers_detect" in entry or {"image_id", "detections", "counts"} <= set(entry)
    )
    return entry if good else None


def _flat(header: dict[str, Any]) -> dict[str, Any]:
    """The header of a run as flat names and values."""
    options = header.get("options")
    return {**{name: value for name, value in header.items() if name != "options"}, **(options or {})}


def part_path(output: str | os.PathLike[str]) -> Path:
    """Where a run that writes there keeps what it has done."""
    return Path(f"{os.fspath(output)}.part")
