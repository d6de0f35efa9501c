"""Lines in shards: whatever the content, the kind of input and the chunk size, the same lines with the same numbers."""

import gzip
import io
import os
import pickle
import sys
from hashlib import sha256
from itertools import cycle, takewhile
from types import SimpleNamespace
from unittest.mock import patch

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.files import lines
from calipers.files.lines import LineSource

MARK = b"\xef\xbb\xbf"
PIECES = st.sampled_from(
    [b"\n", b"\n", b"\r\n", b"\r", b"", b" ", b"a", b"bcd", b"x" * 9, "标签".encode(), MARK, b"\0"]
)
CONTENTS = st.lists(PIECES, max_size=40).map(b"".join)
SHORT_LINES = st.lists(st.sampled_from([b"\n", b"a\n", b"bc\n", b"d"]), max_size=40).map(b"".join)
SMALL = st.integers(1, 20)
KINDS = ["plain", "gz", "zst", "stdin", "gz under another name"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lines")


@pytest.fixture(autouse=True, scope="module")
def the_real_stdin():
    before = sys.stdin
    yield
    sys.stdin = before


def store(folder, kind, content):
    """Put the content where a Source finds it. Returns path and bytes as stored."""
    stored = content
    if kind.startswith("gz"):
        half = len(content) // 2
        stored = gzip.compress(content[:half], mtime=0) + gzip.compress(content[half:], mtime=0)  # two members
    if kind == "zst":
        half = len(content) // 2
        stored = zstandard.compress(content[:half]) + zstandard.compress(content[half:])  # two frames
    name = {"gz": "dump.jsonl.gz", "zst": "dump.jsonl.zst"}.get(kind, "dump.jsonl")
    (folder / name).write_bytes(stored)
    sys.stdin = SimpleNamespace(buffer=io.BytesIO(stored))
    return ("-" if kind == "stdin" else str(folder / name)), stored


def read(folder, kind, content, chunk_bytes, *, block=2, longest=1 << 20, at_once=1 << 20):
    """All lines, the shards, and the source."""
    before = sys.stdin
    try:
        path, _ = store(folder, kind, content)
        with (
            patch.object(lines, "BLOCK", max(block, 2)),
            patch.object(lines, "LONGEST_LINE", longest),
            patch.object(lines, "READ_AT_ONCE", at_once),
        ):
            source = LineSource(3, path, chunk_bytes)
            shards = list(source)
            return [line for shard in shards for line in shard.lines()], shards, source
    finally:
        sys.stdin = before


def expected(content):
    """Numbered lines that are not blank, with their line break, without a byte order mark."""
    return [(number, text) for number, text in numbered(content) if not text.isspace()]


def numbered(content):
    parts = content.removeprefix(MARK).split(b"\n")
    whole = [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
    return list(enumerate(whole, 1))


@pytest.mark.parametrize("kind", KINDS)
@given(content=CONTENTS, chunk_bytes=SMALL, block=SMALL, at_once=SMALL)
def test_shards_give_the_lines_back_with_their_numbers(folder, kind, content, chunk_bytes, block, at_once):
    found, shards, _ = read(folder, kind, content, chunk_bytes, block=block, at_once=at_once)
    assert found == expected(content)
    assert all(shard.source == 3 for shard in shards)


@given(content=SHORT_LINES, at_once=SMALL, counts=st.lists(st.integers(0, 9), min_size=1))
def test_lines_keep_their_numbers_where_some_are_taken_many_at_a_time(folder, content, at_once, counts):
    path, _ = store(folder, "plain", content)
    turns, taken = cycle(counts), []

    def take(block, at, number):
        texts = block[at:].splitlines(keepends=True)[: next(turns)]
        some = list(takewhile(lambda text: not text.isspace(), texts))
        taken.extend(enumerate(some, number))
        return at + sum(map(len, some)), len(some)

    with patch.object(lines, "READ_AT_ONCE", at_once), patch.object(lines, "BLOCK", 2):
        found = [line for shard in LineSource(0, path, 1 << 20) for line in shard.lines(take)]
    assert sorted(found + taken) == expected(content)


@given(content=CONTENTS, chunk_bytes=SMALL, block=SMALL)
def test_the_shards_of_a_plain_file_are_ranges_side_by_side(folder, content, chunk_bytes, block):
    _, shards, _ = read(folder, "plain", content, chunk_bytes, block=block)
    position = 0
    for shard in shards:
        assert (shard.offset, shard.data) == (position, None)
        assert shard.first_line == content.count(b"\n", 0, position) + 1
        position += shard.size
        assert position == len(content) or content[position - 1 : position] == b"\n"
    assert position == len(content)


@pytest.mark.parametrize("kind", KINDS)
@given(content=CONTENTS, chunk_bytes=SMALL, block=SMALL)
def test_the_digest_is_of_the_bytes_as_stored(folder, kind, content, chunk_bytes, block):
    _, _, source = read(folder, kind, content, chunk_bytes, block=block)
    before = sys.stdin
    _, stored = store(folder, kind, content)
    sys.stdin = before
    assert source.sha256 == sha256(stored).hexdigest()
    assert source.bytes_read == len(stored)
    assert source.size == (0 if kind == "stdin" else len(stored))


@pytest.mark.parametrize("kind", KINDS)
@given(content=CONTENTS, chunk_bytes=SMALL, longest=SMALL)
def test_a_line_that_is_too_long_is_left_out_wherever_a_shard_ends(folder, kind, content, chunk_bytes, longest):
    content = content.replace(MARK, b"")
    found, _, _ = read(folder, kind, content, chunk_bytes, longest=longest)
    blank = {number for number, text in numbered(content) if text.isspace()}  # which may be skipped, however long
    assert [(number, text) for number, text in found if number not in blank] == [
        (number, text if len(text.removesuffix(b"\n")) <= longest else None) for number, text in expected(content)
    ]


@given(content=CONTENTS, chunk_bytes=SMALL)
def test_a_shard_tells_the_same_lines_in_another_process_and_twice(folder, content, chunk_bytes):
    for kind in ("plain", "gz"):
        _, shards, _ = read(folder, kind, content, chunk_bytes)
        copies = [pickle.loads(pickle.dumps(shard)) for shard in shards]
        for shard, copy in zip(shards, copies, strict=True):
            assert list(copy.lines()) == list(shard.lines()) == list(shard.lines())


def test_a_shard_of_a_plain_file_travels_without_its_lines(folder):
    _, shards, _ = read(folder, "plain", b"x" * 100_000 + b"\n", 1 << 20)
    assert len(pickle.dumps(shards)) < 1000 + len(str(folder))


def test_a_shard_has_at_least_the_bytes_asked_for_but_for_the_last(folder):
    content = b"12345\n" * 1000
    for kind in KINDS:
        _, shards, _ = read(folder, kind, content, 100, block=64)
        assert all(100 <= shard.size < 100 + 64 + 6 for shard in shards[:-1])
        assert len(shards) > 30


def test_a_long_shard_is_read_in_blocks_of_whole_lines(folder):
    content = b"abc\n" * 5 + b"x" * 30 + b"\nd\n"
    path, _ = store(folder, "plain", content)
    (shard,) = LineSource(0, path, 1 << 20)
    with patch.object(lines, "READ_AT_ONCE", 10), patch.object(lines, "BLOCK", 4):
        blocks = list(shard._blocks())
    assert blocks == [b"abc\n" * 2, b"abc\n" * 2, b"abc\n", b"x" * 30 + b"\nd\n"]


def test_a_long_shard_whose_file_became_shorter_is_an_error(folder):
    path, stored = store(folder, "plain", b"abc\n" * 100)
    (shard,) = LineSource(0, path, 1 << 20)
    (folder / "dump.jsonl").write_bytes(stored[:202])
    with patch.object(lines, "READ_AT_ONCE", 40), pytest.raises(calipers.InputError, match="ends 198 bytes early"):
        list(shard.lines())


def test_nothing_gives_no_shards(folder):
    for kind in KINDS:
        found, shards, source = read(folder, kind, b"", 10)
        assert (found, shards) == ([], [])
        assert source.bytes_read == (len(gzip.compress(b"") * 2) if kind[:2] == "gz" else source.bytes_read)


def test_compressed_standard_input_is_known_by_its_first_bytes(folder):
    for pack in (gzip.compress, zstandard.compress):
        packed = pack(b"a\nb\n")  # once: gzip notes the second at which it was made
        found, _, source = read(folder, "stdin", packed, 10, block=64)
        assert found == [(1, b"a\n"), (2, b"b\n")]
        assert source.sha256 == sha256(packed).hexdigest()


def test_the_real_block_size_makes_no_difference(folder):
    content = MARK + b"".join(b"%d %s\n" % (number, b"x" * (number % 700)) for number in range(3000))
    for kind in KINDS:
        for chunk_bytes in (1000, 1 << 18, 1 << 30):
            assert read(folder, kind, content, chunk_bytes, block=lines.BLOCK)[0] == expected(content)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("missing", "No such file"), ("missing.gz", "No such file"), (".", "Is a directory"), ("cut.gz", "decompressed")],
)
def test_what_cannot_be_read_is_an_input_error_that_names_the_file(folder, name, problem):
    (folder / "cut.gz").write_bytes(gzip.compress(b"x" * 1000)[:-12])
    path = os.path.join(folder, name)
    with pytest.raises(calipers.InputError, match=problem) as raised:
        list(LineSource(0, path, 10))
    assert str(raised.value).startswith(f"{path}: cannot be ")


def test_a_file_that_is_gone_when_its_lines_are_wanted_is_an_input_error(folder):
    path = folder / "gone.jsonl"
    path.write_bytes(b"a\nb\n")
    (shard,) = LineSource(0, str(path), 100)
    path.unlink()
    with pytest.raises(calipers.InputError, match=r"gone.jsonl: cannot be read: No such file"):
        list(shard.lines())


def test_files_are_closed_when_their_shards_are_read_or_dropped(folder, recwarn):
    for kind in ("plain", "gz", "zst"):
        path, _ = store(folder, kind, b"a\nb\nc\n" * 1000)
        shards = iter(LineSource(0, path, 10))
        next(iter(next(shards).lines()))
        shards.close()
    assert not [warning for warning in recwarn if issubclass(warning.category, ResourceWarning)]


@given(content=CONTENTS, chunk=SMALL)
def test_shards_that_hold_their_lines_are_cut_in_the_same_places(folder, content, chunk):
    path, stored = store(folder, "plain", content)
    apart, held = (LineSource(0, path, chunk, repeatable=True, holds_lines=holds) for holds in (False, True))
    shards, with_lines = list(apart), list(held)
    assert [(s.first_line, s.offset, s.size, s.digest) for s in with_lines] == [
        (s.first_line, s.offset, s.size, s.digest) for s in shards
    ]
    assert b"".join(shard.data for shard in with_lines) == stored
    assert held.sha256 == apart.sha256 == sha256(stored).hexdigest()
    assert held.bytes_read == len(stored)


def test_a_shard_that_is_too_long_is_not_held(folder):
    path, _ = store(folder, "plain", b"a\n" + b"x" * 50 + b"\ny\n")
    with patch.object(lines, "LONGEST_LINE", 20):
        shards = list(LineSource(0, path, 10, holds_lines=True))
        assert [shard.data for shard in shards] == [b"a\n", None]
        assert [number for shard in shards for number, _ in shard.lines()] == [1, 2, 3]


def test_a_file_that_shrinks_while_lines_are_held_is_an_error(folder):
    path, stored = store(folder, "plain", b"abc\n" * 100)
    source = LineSource(0, path, 40, holds_lines=True)
    too_far = patch.object(source, "_find_cut", lambda file, start: len(stored) + 7)
    with too_far, pytest.raises(calipers.InputError) as error:
        list(source)
    assert "ends 7 bytes early" in str(error.value)


def test_lines_that_are_held_are_let_go_once_they_are_read_and_can_be_read_again(folder):
    path, _ = store(folder, "plain", b"a\nb\n")
    (shard,) = LineSource(0, path, 10, holds_lines=True)
    first = list(shard.lines())
    assert shard.data is None
    assert list(shard.lines()) == first == [(1, b"a\n"), (2, b"b\n")]
