"""Files with a scheme (`https://…`, `s3://…`), read by way of fsspec: whole or not at all.

A server can fail in ways that a disk does not: refuse, stop in the middle of a body, send less than it announced, or
stay silent. Every request therefore has a time limit of its own, whatever the client library thinks; what may be
temporary is tried again; and every body is compared with the length that was announced, so that a shorter body never
looks like a shorter file. What still fails is an `InputError` that names the file and says what the server did. This
is the only place that knows the exceptions of client libraries.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedReader, RawIOBase
from threading import Thread
from typing import IO, Any, Generic, Protocol, TypeVar

from calipers.core.errors import ConfigError, InputError

BLOCK = 2 << 20  # bytes of one request
TIMEOUT_VARIABLE, TIMEOUT_SEC = "CALIPERS_REMOTE_TIMEOUT_SEC", 30.0
WAITS_SEC = (0.2, 1.0)  # before the second and the third attempt
HTTP_SCHEMES = ("http", "https")
TEMPORARY_4XX = frozenset({408, 425, 429})
PERMANENT = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
CLIENT_ERRORS = (  # what clients of fsspec raise beside OSError; only those of modules that are loaded can come up
    ("aiohttp", "ClientError"),
    ("azure.core.exceptions", "AzureError"),
    ("botocore.exceptions", "BotoCoreError"),
    ("botocore.exceptions", "ClientError"),
    ("gcsfs.retry", "HttpError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("paramiko.ssh_exception", "SSHException"),
    ("requests.exceptions", "RequestException"),
)
T = TypeVar("T")


class CutOffError(OSError):
    """A server sent another number of bytes than it announced."""


class NoRangesError(OSError):
    """A server sends a file only from its beginning."""


def client_errors() -> tuple[type[BaseException], ...]:
    """Every exception by which a file system of fsspec may say that a request failed."""
    loaded = [(sys.modules[module], name) for module, name in CLIENT_ERRORS if module in sys.modules]
    return (OSError, EOFError, *(getattr(module, name) for module, name in loaded))


def file_system(path: str) -> tuple[Any, str]:
    """The file system of a scheme, and the path within it."""
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError as error:
        raise ConfigError(f"{path}: needs fsspec: pip install 'calipers[remote]'") from error
    try:
        return fsspec.core.url_to_fs(path)  # type: ignore[no-any-return]
    except (ImportError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be opened: {error}") from error


def open_remote(path: str) -> IO[bytes]:
    """A file to read, in any order of its bytes."""
    return BufferedReader(RemoteFile(path), BLOCK)


def remote_size(path: str) -> int:
    """Bytes of a file, as the server tells them."""
    return RemoteFile(path).size


def has_ranges(path: str) -> bool:
    """Whether a file can be read from any place on; some servers of HTTP send all of it or nothing."""
    return RemoteFile(path).has_ranges()


def remote_glob(path: str) -> list[str]:
    """Names of the files that fit a pattern, with their scheme."""
    system, inside = file_system(path)
    scheme = path.partition("://")[0]
    names = request(path, lambda: system.glob(inside))
    return [f"{scheme}://{str(name).removeprefix(f'{scheme}://')}" for name in names]


# Files


class _Transfer(Protocol):
    """A way to get bytes of a file: as many as were asked for, or an error."""

    def fetch(self, start: int, count: int) -> bytes:
        """Read bytes from a position on."""

    def close(self) -> None:
        """Close the connection: no more bytes will be read."""


class RemoteFile(RawIOBase):
    """A file on a server, of the length that the server announced."""

    def __init__(self, path: str) -> None:
        self._path, self._position, self._is_checked = path, 0, False
        self._system, self._inside = file_system(path)
        self._transfer: _Transfer = _Ranges(self._system, self._inside)
        details = request(path, self._details)
        self.size = _announced(path, details)
        self._is_http = path.partition("://")[0] in HTTP_SCHEMES
        self._may_have_ranges = bool(details.get("partial", True))
        if not self._may_have_ranges:
            self._transfer = _Stream(self._system, self._inside)
        elif self._is_http:
            self._transfer = _Http(self._system, self._inside, self.size)

    def _details(self) -> dict[str, Any]:
        """Details of a file, asked from the server anew: a cached size may be that of an older file."""
        self._system.invalidate_cache(self._inside)
        return self._system.info(self._inside)  # type: ignore[no-any-return]

    def has_ranges(self) -> bool:
        """Whether a byte can be asked for alone."""
        if not self._is_http or self.size < 2 or not self._may_have_ranges:
            return self._may_have_ranges
        return request(self._path, _Http(self._system, self._inside, self.size).has_ranges)

    def readable(self) -> bool:
        """Always true: the file is open for reading."""
        return True

    def seekable(self) -> bool:
        """Always true: reading can go on from any byte."""
        return True

    def tell(self) -> int:
        """The position of the next byte."""
        return self._position

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Move to another position."""
        self._position = {SEEK_SET: 0, SEEK_CUR: self._position, SEEK_END: self.size}[whence] + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; returns how many bytes came, 0 at the end."""
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        """All bytes from the current position to the end."""
        pieces = []
        while piece := self._read(BLOCK):
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the connection: no more bytes will be read."""
        if not self.closed:
            self._transfer.close()
        super().close()

    def _read(self, max_bytes: int) -> bytes:
        start, count = self._position, min(max_bytes, BLOCK, self.size - self._position)
        if count <= 0:
            self._check_end()
            return b""
        data = request(self._path, lambda: self._transfer.fetch(start, count))
        self._position += count
        return data

    def _check_end(self) -> None:
        """A server that announced too little has more: then its file was not read to the end."""
        if self._is_checked or not self._is_http or not self._may_have_ranges:
            return
        self._is_checked = True
        beyond = _Http(self._system, self._inside, self.size + 1)
        if request(self._path, lambda: beyond.has_byte(self.size)):
            raise InputError(f"{self._path}: cannot be read: the server announced {self.size} bytes and has more")


def _announced(path: str, details: dict[str, Any]) -> int:
    if details.get("type") == "directory":
        raise InputError(f"{path}: cannot be read: is a folder, expected a file")
    size = details.get("size")
    if size is None:
        raise InputError(f"{path}: cannot be read: the server does not tell its length, so it may be cut off unseen")
    return int(size)


class _Ranges:
    """Bytes of any file system, request by request."""

    def __init__(self, system: Any, inside: str) -> None:
        self._system, self._inside = system, inside

    def fetch(self, start: int, count: int) -> bytes:
        """Read bytes from a position on."""
        return _whole(self._system.cat_file(self._inside, start=start, end=start + count), start, count)

    def close(self) -> None:
        """Nothing to close: no connection is open between requests."""


class _Http:
    """Bytes of an HTTP server, by ranges if it knows them.

    The file object of fsspec is used, which stops reading when a server sends everything instead of a range.
    """

    def __init__(self, system: Any, inside: str, size: int) -> None:
        self._system, self._inside, self._size = system, inside, size
        self._stream: _Stream | None = None

    def fetch(self, start: int, count: int) -> bytes:
        """Read bytes from a position on."""
        if self._stream is None:
            try:
                return _whole(self._range(start, count), start, count)
            except NoRangesError:
                self._stream = _Stream(self._system, self._inside)
        return self._stream.fetch(start, count)

    def has_ranges(self) -> bool:
        """Whether the second byte can be asked for alone."""
        try:
            return bool(_whole(self._range(1, 1), 1, 1))
        except NoRangesError:
            return False

    def has_byte(self, place: int) -> bool:
        """Whether there is a byte at a place; a server that refuses the range has none."""
        try:
            return bool(self._range(place, 1))
        except NoRangesError:
            return False

    def close(self) -> None:
        """Close the connection: the remaining bytes are not read."""
        if self._stream is not None:
            self._stream.close()

    def _range(self, start: int, count: int) -> bytes:
        with self._system.open(self._inside, "rb", cache_type="none", size=self._size) as file:
            file.seek(start)
            try:
                return file.read(count)  # type: ignore[no-any-return]
            except ValueError as error:  # by which fsspec says so
                raise NoRangesError(str(error)) from error


class _Stream:
    """Bytes of an HTTP server that knows no ranges: always from the beginning, so the order should be ascending."""

    def __init__(self, system: Any, inside: str) -> None:
        self._system, self._inside = system, inside
        self._file: Any = None
        self._position = 0

    def fetch(self, start: int, count: int) -> bytes:
        """Read bytes from a position on."""
        if self._file is None or self._position > start:
            self.close()
            self._file, self._position = self._system.open(self._inside, "rb", block_size=0), 0
        while self._position < start:
            self._read_bytes(min(BLOCK, start - self._position))
        return self._read_bytes(count)

    def _read_bytes(self, count: int) -> bytes:
        pieces, left = [], count
        try:
            while left and (piece := self._file.read(left)):
                pieces.append(piece)
                left -= len(piece)
            data = _whole(b"".join(pieces), self._position, count)
        except client_errors():
            self.close()  # the next attempt begins anew
            raise
        self._position += count
        return data

    def close(self) -> None:
        """Close the connection: the remaining bytes are not read."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _whole(data: bytes, start: int, count: int) -> bytes:
    if len(data) != count:
        raise CutOffError(f"the server sent {len(data)} bytes from byte {start} on, expected {count}")
    return data


# Requests


def request(path: str, call: Callable[[], T]) -> T:
    """The result of a client's call: within a time limit, tried again where that may help, else an `InputError`."""
    limit_sec = _time_limit()
    for wait_sec in WAITS_SEC:
        try:
            return _within(call, limit_sec)
        except client_errors() as error:
            if not is_temporary(_cause(error)):
                raise InputError(f"{path}: cannot be read: {_words(_cause(error))}") from error
            time.sleep(wait_sec)
    try:
        return _within(call, limit_sec)
    except client_errors() as error:
        words = f"{_words(_cause(error))} ({len(WAITS_SEC) + 1} attempts)"
        raise InputError(f"{path}: cannot be read: {words}") from error


def _time_limit() -> float:
    text = os.environ.get(TIMEOUT_VARIABLE)
    try:
        seconds = TIMEOUT_SEC if text is None else float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise ConfigError(f"{TIMEOUT_VARIABLE}: found {text!r:.80}, expected seconds, above 0 and at most 3600")
    return seconds


class _Call(Thread, Generic[T]):
    """A call in a thread of its own, which may be abandoned."""

    def __init__(self, call: Callable[[], T]) -> None:
        super().__init__(name="calipers asks a server", daemon=True)
        self._call = call
        self.result: list[T] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result.append(self._call())
        except client_errors() as error:
            self.error = error
        except (InputError, ConfigError) as error:
            self.error = error


def _within(call: Callable[[], T], limit_sec: float) -> T:
    """The result of a call, or a `TimeoutError`: not every client has time limits, and some wait for minutes."""
    thread = _Call(call)
    thread.start()
    thread.join(limit_sec)
    if thread.is_alive():
        raise TimeoutError(f"no answer within {limit_sec:g} s")
    if thread.error is not None:
        raise thread.error
    if not thread.result:  # its traceback is on standard error
        raise RuntimeError("a request ended in an exception that is no error of a client")
    return thread.result[0]


def _cause(error: BaseException) -> BaseException:
    """The error of the server itself: fsspec's HTTP says of anything that it does not find a file."""
    inner = error.__cause__
    return inner if isinstance(error, FileNotFoundError) and isinstance(inner, client_errors()) else error


def is_temporary(error: BaseException) -> bool:
    """Whether the same request may succeed a moment later."""
    status = getattr(error, "status", None)
    if isinstance(status, int) and 400 <= status < 500:
        return status in TEMPORARY_4XX
    return not isinstance(error, PERMANENT)


def _words(error: BaseException) -> str:
    status = getattr(error, "status", None)
    if isinstance(status, int) and status:
        return f"HTTP {status} {getattr(error, 'message', '')}".strip()
    if isinstance(error, FileNotFoundError):
        return "not found"
    text = getattr(error, "strerror", None) or str(error)
    return f"{text:.300}" if isinstance(error, OSError) and text else f"{type(error).__name__}: {text:.300}"
