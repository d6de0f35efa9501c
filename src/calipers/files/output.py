"""Writing results: canonical JSON, and files that appear whole or not at all.

Canonical JSON keeps the order of keys, writes floats in the shortest form that reads back the same and text as UTF-8.
A list or object that holds no other one stands on one line; the rest is indented by two.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from threading import current_thread, main_thread
from typing import IO, Any, NamedTuple

import orjson

from calipers.core.errors import OutputError
from calipers.core.stopping import Deferred, check_stop, is_listening, note_written
from calipers.core.text import whole_text
from calipers.files.placed_texts import STEP_BYTES, start_storing
from calipers.kernels.scan.jsontext import spread

DEEPEST = 100
LONGEST_INT = 13000  # bits
HEARD_LATER = (signal.SIGINT, signal.SIGTERM)
WRITTEN = "the result was written before that"
MAX_NAME_ATTEMPTS = 100  # that are tried for a temporary file
SENT = 1 << 20  # bytes of a piece that is large
SMALL = 1 << 24  # bytes of a file that may wait until the end before it is sent to disk
LAST = "result.json"  # takes its name after all others: where it is new, everything is


def to_json(value: Any) -> bytes:
    r"""Canonical JSON, with a line break at the end.

    >>> print(to_json({"a": [1, 2], "b": {"c": None, "d": {}}}).decode(), end="")
    {
      "a": [1, 2],
      "b": {
        "c": null,
        "d": {}
      }
    }
    """
    return b"".join(json_pieces(value))


def json_pieces(value: Any) -> Iterable[bytes]:
    """Canonical JSON, piece by piece: large tables that write themselves as such are never in memory as a whole."""
    try:
        return _with_tables(value) or [spread(orjson.dumps(value, default=_made_plain), b"\n")]
    except orjson.JSONEncodeError:  # half of a surrogate pair in a name
        return [spread(orjson.dumps(_plain(value, 0)), b"\n")]


def _made_plain(value: Any) -> Any:
    """A table that makes its entries when they are asked for."""
    return value.as_dict()


def _with_tables(value: Any) -> Iterable[bytes] | None:
    """Canonical JSON with tables that write themselves as such; None where one does not."""
    tables: list[Any] = []

    def named(table: Any) -> list[str]:
        if not hasattr(table, "spread_json"):
            raise TypeError
        tables.append(table)
        return [f"\0{len(tables)}"]

    text = spread(orjson.dumps(value, default=named), b"\n")
    pieces: list[Iterable[bytes]] = []
    for number, table in enumerate(tables, 1):
        before, *after = text.split(b'["\\u0000%d"]' % number)
        line = before.rpartition(b"\n")[2]
        written = table.spread_json((len(line) - len(line.lstrip(b" "))) // 2)
        if written is None or len(after) != 1:
            return None
        pieces += [[before], written]
        text = after[0]
    return chain.from_iterable([*pieces, [text]])


class WrittenJson(NamedTuple):
    """JSON that stands for what it says, wherever JSON is written by `json_line` or `json_text`."""

    text: bytes


def json_line(row: Any) -> bytes:
    """One row as a line of JSON; what JSON has no word for becomes null or text."""
    return json_text(row) + b"\n"


def json_text(value: Any) -> bytes:
    """A value as JSON on one line, which is not ended."""
    try:
        return orjson.dumps(value, default=_written)
    except TypeError:
        return orjson.dumps(_plain(value, 0))


def _written(value: Any) -> orjson.Fragment:
    if isinstance(value, WrittenJson):
        return orjson.Fragment(value.text)
    raise TypeError


def _plain(value: Any, depth: int) -> Any:
    """Nesting cut off where it gets deep, and whole numbers beyond 64 bits as text."""
    if depth > DEEPEST:
        return "…"
    if isinstance(value, WrittenJson):
        return _plain(orjson.loads(value.text), depth)
    if isinstance(value, Mapping):
        return {whole_text(str(key)): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value) if value.bit_length() < LONGEST_INT else "a number of more than 4,000 digits"
    return value if value is None or isinstance(value, (int, float, bool)) else whole_text(str(value))


def check_free(path: str | None, inputs: Iterable[Any]) -> None:
    """Refuse to write over an input: a file, or one in a folder that is an input."""
    if not path or not os.path.exists(path):
        return
    known = [entry for entry in inputs if isinstance(entry, (str, os.PathLike)) and os.path.exists(entry)]
    if any(os.path.samefile(place, entry) for entry in known for place in (path, Path(path).absolute().parent)):
        raise OutputError(f"{path}: is an input, expected another place to write to")


def check_place(path: str) -> None:
    """Raise an OutputError unless a file can be written there. Missing folders are made when it is written."""
    if os.path.isdir(path):
        raise OutputError(f"{path}: is a folder, expected a file to write to")
    check_folder(path, Path(path).absolute().parent)


def check_folder(path: str, folder: Path) -> None:
    """Raise an OutputError unless files can be written to a folder, which may not exist yet."""
    existing = next(above for above in (folder, *folder.parents) if above.exists())
    if not existing.is_dir():
        raise OutputError(f"{path}: {existing} is not a folder")
    if not os.access(existing, os.W_OK):
        raise OutputError(f"{path}: {existing} cannot be written to")


def make_folder(folder: Path) -> list[Path]:
    """Create the folder and the ones above it; returns those that were not there, the outermost first."""
    missing = [above for above in (folder, *folder.parents) if not above.exists()][::-1]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be created: {error.strerror or error}") from error
    return missing


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove the folders that `make_folder` created, if nothing was written into them."""
    for folder in reversed(list(folders)):
        if not any(folder.iterdir()):
            folder.rmdir()


class AtomicFiles:
    """Files that take their names together, when all of them are written and on disk; else nothing has changed."""

    def __init__(self) -> None:
        self._files: list[tuple[IO[bytes], Path, Path]] = []  # what is written, where, and the name it will take
        self._folders: list[Path] = []  # that were made for them

    def open(self, path: str | os.PathLike[str]) -> IO[bytes]:
        """A new file, beside the one it will replace; a folder that is missing is made."""
        check_stop()
        target = Path(path)
        with Deferred():
            self._folders += make_folder(target.parent)
        with _writing(target), Deferred():
            if target.is_dir():
                raise IsADirectoryError(21, "Is a directory")
            file = _new_file(target.parent)
            self._files.append((file, Path(file.name), target))
        return file

    def commit(self) -> None:
        """Rename the files, all of which are written, to their final names: all of them or none."""
        for file, _, target in self._files:
            with _writing(target):
                file.flush()
                if file.tell() <= SMALL:  # larger ones were sent as they were written, or wait for the rest of them
                    send_to_disk(file)
        for file, _, target in self._files:
            with _writing(target):
                os.fsync(file.fileno())
                file.close()
        check_stop()
        with _undisturbed(), _Renamed() as renamed:
            for _, temporary, target in sorted(self._files, key=lambda entry: entry[2].name == LAST):
                with _writing(target):
                    renamed.rename(temporary, target)
            for _, _, target in self._files[:1]:
                note_written(str(target if len(self._files) == 1 else target.parent))
        self._files, self._folders = [], []

    def discard(self) -> None:
        """Remove what was written and leave existing files as they were."""
        with Deferred():
            for file, temporary, _ in self._files:
                with suppress(OSError):  # what was left to write is not wanted
                    file.close()
                temporary.unlink(missing_ok=True)
            remove_empty(self._folders)
            self._files, self._folders = [], []


def write_in_steps(file: IO[bytes], pieces: Iterable[bytes | memoryview]) -> None:
    """Write pieces of any size, at most some of their bytes at a time (`STEP_BYTES` says why)."""
    for piece in pieces:
        if len(piece) <= STEP_BYTES:
            file.write(piece)
            continue
        view = memoryview(piece)
        for begin in range(0, len(view), STEP_BYTES):
            file.write(view[begin : begin + STEP_BYTES])


def send_to_disk(file: IO[bytes], start: int = 0) -> None:
    """Have the system begin to store what was written from a place on, without waiting for it.

    So less is left to wait for at the end, and not every file takes a step of the file system's journal of its own.
    """
    file.flush()
    start_storing(file.fileno(), start)


class _Renamed:
    """Files that took their names; what they replaced is kept until all have, and comes back if one cannot."""

    def __init__(self) -> None:
        self._done: list[tuple[Path, Path | None, bool]] = []  # a name, the file that had it, whether nobody had it

    def rename(self, temporary: Path, target: Path) -> None:
        """Rename a finished file to its final name."""
        is_new = not os.path.lexists(target)
        kept = None if is_new else _second_name(target)
        try:
            os.replace(temporary, target)
        except BaseException:
            if kept:
                kept.unlink()
            raise
        self._done.append((target, kept, is_new))

    def __enter__(self) -> _Renamed:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        for target, kept, is_new in reversed(self._done):
            with suppress(OSError):  # then both files lie there, and the error is told anyway
                if is_new and error:
                    target.unlink()
                elif kept is not None and error:
                    os.replace(kept, target)
                elif kept is not None:
                    kept.unlink()


def _second_name(target: Path) -> Path | None:
    """A second name for a file that is about to be replaced; None where no file may have two."""
    kept = target.with_name(f".calipers-{os.getpid()}-{target.name[:100]}.kept")
    try:
        kept.unlink(missing_ok=True)
        os.link(target, kept, follow_symlinks=False)
    except OSError:  # then the old file is gone once the new one has its name
        return None
    return kept


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A block that signals do not interrupt; a signal that came is handled afterwards."""
    if is_listening():
        with Deferred():
            yield
        return
    handlers = {number: signal.getsignal(number) for number in HEARD_LATER}
    if current_thread() is not main_thread() or None in handlers.values():  # no handler of Python's may break in
        yield
        return
    came: list[int] = []
    whole = False
    for number in HEARD_LATER:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
        whole = True
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _raise_deferred(came, whole=whole)


def _raise_deferred(came: list[int], *, whole: bool) -> None:
    try:
        for number in came[:1]:
            signal.raise_signal(number)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(WRITTEN if whole else "") from None


@contextmanager
def atomic_files() -> Iterator[AtomicFiles]:
    """Files that appear together at the end, or not at all."""
    files = AtomicFiles()
    try:
        yield files
        files.commit()
    except OSError as error:
        raise OutputError(f"a result cannot be written: {error.strerror or error}") from error
    finally:
        files.discard()


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error


def _new_file(folder: Path) -> IO[bytes]:
    """A file with a name that nobody has, and the permissions that the system gives to new files.

    The umask is never asked for: that would change it for a moment, for all threads.
    """
    for _ in range(MAX_NAME_ATTEMPTS):
        with suppress(FileExistsError):
            return open(folder / f".calipers-{os.urandom(8).hex()}.part", "xb")
    raise FileExistsError(17, "No free name for a temporary file")


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """One file that appears whole, or not at all."""
    with atomic_files() as files:
        file = files.open(path)
        with _writing(Path(path)):
            yield file


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write one whole file."""
    write_pieces(path, [content])


def write_pieces(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    """Write one whole file, piece by piece."""
    with atomic_file(path) as file:
        write_all(file, pieces)


def write_all(file: IO[bytes], pieces: Iterable[bytes]) -> None:
    """Write pieces to a file; large ones begin to go to disk while others are made."""
    for piece in pieces:
        write_in_steps(file, [piece])
        if len(piece) >= SENT:
            send_to_disk(file, file.tell() - len(piece))
