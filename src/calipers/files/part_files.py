"""Files of parts: the total of a run for `calipers merge`, and the finished shards of one for `--resume`.

Both begin with a line that says what they are and one of a SHA-256 and the JSON it is of: the suite, its protocol, the
version, every parameter that can change a number, and the options they come from. Then come entries: the length of the
bytes, their SHA-256, the bytes. In a file of shards an entry that is not whole, cut off by the end of a run, is dropped
with all that follows it, and a file that ends within its first two lines is begun anew. A head that does not fit its
digest is damaged; one that does, and was made by other options, is a mistake of whoever gave the file. A head may lack
the digest, and is then taken as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from calipers.core.errors import ConfigError, InputError, OutputError, changed_during_run, keyword
from calipers.core.parts import Packed, from_bytes, pieces_of
from calipers.files.output import make_folder, write_file, write_in_steps
from calipers.files.placed_texts import PlacedTexts, StoredText

MAGIC = b"calipers parts 1\n"
LONGEST_HEAD = 1 << 24  # bytes
DIGEST_BYTES, LENGTH_BYTES = 32, 8
MAY_DIFFER = {"max_bad_records"}  # how many records may be rejected changes no part that was whole
NAMED = 8  # differences that a message names
TALLY, SHARDS = "tally", "shards"


class Provenance(NamedTuple):
    """Suite, protocol, version and parameters of parts: only parts where these are equal can be added."""

    suite: str
    protocol: str
    calipers: str
    params: dict[str, Any]  # as in the artifact
    options: dict[str, Any]  # from which the suite's Config can be made again

    def check_comparable(self, other: Provenance, what: str) -> None:
        """Refuse parts of another suite, version or parameters, saying what differs."""
        self.check_version(other, what)
        unlike = [
            f"{name} = {theirs!r:.80}, expected {mine!r:.80}" for name, (mine, theirs) in self.differing(other).items()
        ]
        if unlike:
            more = [f"and {len(unlike) - NAMED} more"] if len(unlike) > NAMED else []
            raise ConfigError(f"{what}: made with {'; '.join([*unlike[:NAMED], *more])}")

    def check_version(self, other: Provenance, what: str) -> None:
        """Refuse parts of another suite or version."""
        for name in ("suite", "protocol", "calipers"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ConfigError(f"{what}: {name}: found {theirs!r:.80}, expected {mine!r:.80}")

    def differing(self, other: Provenance) -> dict[str, tuple[Any, Any]]:
        """Options and parameters that are not the same, here and there, by name; options first."""
        unlike: dict[str, tuple[Any, Any]] = {}
        for mine, theirs in ((self.options, other.options), (self.params, other.params)):
            for name in sorted({*mine, *theirs} - MAY_DIFFER):
                if _plain(mine.get(name)) != _plain(theirs.get(name)):
                    unlike.setdefault(name, (mine.get(name), theirs.get(name)))
        return unlike


def _plain(value: Any) -> Any:
    """A value as JSON has it, so that it stays equal when written and read back."""
    return orjson.loads(orjson.dumps(value))


def write_tally(path: str, made: Provenance, total: Packed) -> None:
    """The total of a run, whole or not at all."""
    write_file(path, b"".join([_head(TALLY, made), *_entry(total)]))


def read_tally(path: str) -> tuple[Provenance, Packed]:
    """Read a total that a run wrote with `tally`."""
    try:
        with open(path, "rb") as file:
            provenance, data = _read_head(file, path, TALLY), _next_entry(file)
            if data is None or file.read(1):
                raise InputError(f"{path}: is damaged or cut off, expected {_expected(TALLY)}")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    with blaming(path):
        return provenance, from_bytes(data)


class FinishedShards:
    """The shards of a run that are done, in a file: those of an earlier run that ended early, and new ones."""

    def __init__(self, path: str, file: IO[bytes]) -> None:
        self._path, self._file = path, file
        self._places: dict[str, int] = {}  # shard -> where its entry begins
        self._end = self._passed = 0  # of what is kept; shards of this run so far
        self.room: PlacedTexts | None = None  # in which workers may write entries
        self.found = 0
        self.was_cut = False  # in its head, before anything was kept in it

    def load(self) -> None:
        """Find the entries that are whole; a torn end is cut off."""
        good = self._file.tell()
        while (data := _next_entry(self._file)) is not None:
            with blaming(self._path):
                self._places[from_bytes(data).plain["shard"]] = good
            good = self._file.tell()
        self._end = self._file.seek(good)
        self._file.truncate()
        self.found, self.room = len(self._places), PlacedTexts([self._file])

    def __contains__(self, shard: str) -> bool:
        return shard in self._places

    def get(self, shard: str) -> Packed:
        """The part of a finished shard."""
        self._file.seek(self._places[shard])
        data = _next_entry(self._file)
        if data is None:
            raise changed_during_run(str(self._path))
        with blaming(self._path):
            packed = from_bytes(data)
            return Packed(packed.plain["part"], packed.arrays)

    def add(self, shard: str, part: Packed) -> None:
        """Store the part of a finished shard."""
        self._places[shard] = self._file.seek(self._end)
        write_in_steps(self._file, entry_of(shard, part))
        self._file.flush()
        self._end = self._file.tell()

    def add_stored(self, shard: str, entry: StoredText) -> None:
        """Know the part of a finished shard that a worker has stored here."""
        if entry.begin != self._end:
            raise ValueError(f"{shard}: its entry was stored from byte {entry.begin} on, expected {self._end}")
        self._places[shard], self._end = entry.begin, entry.begin + entry.size

    def go_on(self) -> None:
        """One more shard has its entry, or needs none: let workers know where the next one goes."""
        self._passed += 1
        if self.room is not None:
            self.room.note(self._passed, [self._end])


@contextmanager
def finished_shards(path: str, made: Provenance) -> Iterator[FinishedShards]:
    """The file of a run that may be resumed; one that is not there begins empty."""
    make_folder(Path(path).absolute().parent)
    try:
        with open(path, "r+b" if os.path.exists(path) else "x+b") as file:
            _lock(file, path)
            shards = FinishedShards(path, file)
            shards.was_cut = _is_cut_in_head(file)
            if shards.was_cut or not file.read(1):
                _begin(file, made)
            else:
                file.seek(0)
                made.check_comparable(_read_head(file, path, SHARDS), path)
            shards.load()
            yield shards
    except KeyboardInterrupt:
        again = keyword("resume", path)
        raise KeyboardInterrupt(f"what was finished is kept in {path}: {again} goes on from there") from None
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _begin(file: IO[bytes], made: Provenance) -> None:
    """Write the head of a file in which nothing is kept yet."""
    file.seek(0)
    file.truncate()
    file.write(_head(SHARDS, made))
    file.flush()


def _is_cut_in_head(file: IO[bytes]) -> bool:
    """Whether a run ended while it wrote the head, so that no shard is in the file; it is then read from its start."""
    start = file.read(len(MAGIC) + LONGEST_HEAD)
    file.seek(0)
    if len(start) < len(MAGIC):
        return bool(start) and MAGIC.startswith(start)
    return start.startswith(MAGIC) and b"\n" not in start[len(MAGIC) :] and len(start) < len(MAGIC) + LONGEST_HEAD


def _lock(file: IO[bytes], path: str) -> None:
    """Lock the file for this process, as long as it is open; workers that outlive the process do not hold the lock."""
    try:
        import fcntl
    except ImportError:  # not everywhere; then two runs must not be given the same file
        return
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as error:
        raise ConfigError(f"{path}: is in use by another run, expected a file of its own for each") from error


def _head(kind: str, made: Provenance) -> bytes:
    head = orjson.dumps({"kind": kind, **made._asdict()})
    return MAGIC + sha256(head).hexdigest().encode() + b" " + head + b"\n"


def _expected(kind: str) -> str:
    return (
        f"a file written by {keyword('tally')}"
        if kind == TALLY
        else f"a file written by {keyword('resume')}, or none yet"
    )


def _read_head(file: IO[bytes], path: str, kind: str) -> Provenance:
    problem = InputError(f"{Path(path)}: found something else, expected {_expected(kind)}")
    if file.read(len(MAGIC)) != MAGIC:
        raise problem
    text = file.readline(LONGEST_HEAD)
    if not text.startswith(b"{"):
        digest, _, text = text.removesuffix(b"\n").partition(b" ")
        if digest != sha256(text).hexdigest().encode():
            raise InputError(f"{Path(path)}: its head is damaged, expected {_expected(kind)}")
    try:
        head = orjson.loads(text)
        if head.pop("kind") != kind:
            raise problem
        provenance = Provenance(**_plain(head))  # what is nested too deeply cannot be written again
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
        raise problem from error
    if [type(value) for value in provenance] != [str, str, str, dict, dict]:
        raise problem
    return provenance


def entry_of(shard: str, part: Packed) -> list[bytes | memoryview]:
    """The part of a finished shard as an entry of a file, piece by piece."""
    return _entry(Packed({"shard": shard, "part": part.plain}, part.arrays))


def _entry(packed: Packed) -> list[bytes | memoryview]:
    """A part as an entry, piece by piece."""
    pieces, digest = pieces_of(packed), sha256()
    for piece in pieces:
        digest.update(piece)
    return [sum(map(len, pieces)).to_bytes(LENGTH_BYTES, "little"), digest.digest(), *pieces]


def _next_entry(file: IO[bytes]) -> bytes | None:
    """The bytes of an entry, None if it is not whole."""
    lead = file.read(LENGTH_BYTES + DIGEST_BYTES)
    length = int.from_bytes(lead[:LENGTH_BYTES], "little")
    here = file.tell()
    if len(lead) < LENGTH_BYTES + DIGEST_BYTES or here + length > os.fstat(file.fileno()).st_size:
        return None
    data = file.read(length)
    return data if sha256(data).digest() == lead[LENGTH_BYTES:] else None


@contextmanager
def blaming(what: str) -> Iterator[None]:
    """A block whose failures are errors of a file of parts: it is whole, by its digests, but anyone may have written
    it."""
    try:
        yield
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        StopIteration,
    ) as error:
        kind = type(error).__name__
        raise InputError(f"{what:.200}: holds a part that cannot be read: {kind}: {error!s:.200}") from error
