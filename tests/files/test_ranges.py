"""Files that workers cut: whatever the bytes and the size, the lines and numbers that one process finds."""

import pickle
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.errors import InputError
from calipers.files.lines import LineSource
from calipers.files.ranges import WholeFile, cut_file, join_shards

PIECES = st.sampled_from([b"\n", b"\n", b"\r\n", b"a", b"bcd", b"x" * 9, "标签".encode(), b"\xef\xbb\xbf", b"\0"])
CONTENTS = st.lists(PIECES, max_size=40).map(b"".join)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("ranges") / "dump.jsonl"


def cut(path, chunk_bytes):
    return cut_file(WholeFile(3, str(path), path.stat().st_size, chunk_bytes))


@given(content=CONTENTS | st.binary(max_size=60), chunk_bytes=st.integers(1, 20))
def test_shards_cover_the_file_with_the_lines_and_numbers_of_one_process(path, content, chunk_bytes):
    path.write_bytes(content)
    shards, digest = cut(path, chunk_bytes)
    one = [line for shard in LineSource(3, str(path), 1 << 20) for line in shard.lines()]
    assert [line for shard in shards for line in shard.lines()] == one
    position = 0
    for shard in shards:
        assert (shard.source, shard.offset, shard.data) == (3, position, None)
        assert shard.first_line == content.count(b"\n", 0, position) + 1
        position += shard.size
    assert (position, digest) == (len(content), sha256(content).hexdigest())


@given(content=CONTENTS, chunk_bytes=st.integers(1, 20), most=st.integers(1, 60))
def test_joined_shards_are_what_they_are_made_of(path, content, chunk_bytes, most):
    path.write_bytes(content)
    shards = list(LineSource(3, str(path), chunk_bytes))
    joined = list(join_shards(shards, len(content), most))
    assert [line for shard in joined for line in shard.lines()] == [line for shard in shards for line in shard.lines()]
    ends = {shard.offset + shard.size: shard.digest for shard in shards}
    assert sum(shard.size for shard in joined) == len(content)
    assert all(ends[shard.offset + shard.size] == shard.digest for shard in joined)
    longest = max((shard.size for shard in shards), default=0)
    assert all(shard.size < most + longest for shard in joined)
    assert len(joined) <= len(shards)


def test_a_shard_ends_with_the_last_line_that_ends_in_its_bytes(path):
    # |ab.c|de.f|gh..|   dots are breaks; blocks of four bytes
    path.write_bytes(b"ab\ncde\nfgh\n\n")
    shards = cut(path, 4).shards
    assert [(shard.first_line, shard.offset, shard.size) for shard in shards] == [(1, 0, 3), (2, 3, 4), (3, 7, 5)]


def test_nothing_has_no_shards(path):
    path.write_bytes(b"")
    assert cut(path, 10) == ([], sha256(b"").hexdigest())


def test_a_file_that_is_gone_is_an_input_error(tmp_path):
    gone = str(tmp_path / "gone.jsonl")
    with pytest.raises(InputError, match=r"gone\.jsonl: cannot be read: No such file"):
        cut_file(WholeFile(0, gone, 10, 10))


def test_what_is_sent_to_workers_is_small_and_says_where_it_comes_from():
    whole = WholeFile(1, "b.gz", 100, 8)
    assert str(whole) == "b.gz"
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert len(pickle.dumps(whole)) < 200
