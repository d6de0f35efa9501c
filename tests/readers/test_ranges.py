"""Ranges that workers count: whatever the bytes and the size, the lines and numbers that one process finds."""

import pickle
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.errors import InputError
from calipers.files import ranges
from calipers.files.lines import Source
from calipers.files.ranges import Lines, Range, WholeFile, count_lines, cut_ranges, ranges_of

PIECES = st.sampled_from([b"\n", b"\n", b"\r\n", b"a", b"bcd", b"x" * 9, "标签".encode(), b"\xef\xbb\xbf", b"\0"])
CONTENTS = st.lists(PIECES, max_size=40).map(b"".join)
SMALL = st.integers(1, 20)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("ranges") / "dump.jsonl"


def shards_of(path, chunk_bytes, block=1 << 18):
    spans = ranges_of(3, str(path), path.stat().st_size, chunk_bytes)
    with patch.object(ranges, "BLOCK", block):
        return list(cut_ranges((span, count_lines(span)) for span in spans))


@given(content=CONTENTS | st.binary(max_size=60), chunk_bytes=SMALL, block=SMALL)
def test_shards_cover_the_file_with_the_lines_and_numbers_of_one_process(path, content, chunk_bytes, block):
    path.write_bytes(content)
    shards = shards_of(path, chunk_bytes, block)
    one = [line for shard in Source(3, str(path), 1 << 20) for line in shard.lines()]
    assert [line for shard in shards for line in shard.lines()] == one
    position = 0
    for shard in shards:
        assert (shard.source, shard.offset, shard.data) == (3, position, None)
        assert shard.first_line == content.count(b"\n", 0, position) + 1
        position += shard.size
    assert position == len(content)


def test_a_line_belongs_to_the_range_it_begins_in(path):
    # |ab.c|de.f|gh..|   dots are breaks; ranges of four bytes
    path.write_bytes(b"ab\ncde\nfgh\n\n")
    spans = ranges_of(0, str(path), 12, 4)
    assert [count_lines(span) for span in spans] == [Lines(1, 0), Lines(1, 7), Lines(2, 11)]
    shards = shards_of(path, 4)
    assert [(shard.first_line, shard.offset, shard.size) for shard in shards] == [(1, 0, 7), (3, 7, 4), (4, 11, 1)]


def test_a_range_that_begins_with_a_line_and_one_in_which_none_begins(path):
    # |a..|bcd|efg|h..|
    path.write_bytes(b"a\n\nbcdefgh\n\n")
    assert [count_lines(span).first for span in ranges_of(0, str(path), 12, 3)] == [0, 3, None, 11]
    assert [(shard.first_line, shard.size) for shard in shards_of(path, 3)] == [(1, 3), (3, 8), (4, 1)]


def test_nothing_has_no_ranges(path):
    path.write_bytes(b"")
    assert ranges_of(0, str(path), 0, 10) == []
    assert shards_of(path, 10) == []


def test_a_file_that_is_gone_is_an_input_error(tmp_path):
    gone = str(tmp_path / "gone.jsonl")
    with pytest.raises(InputError, match=r"gone\.jsonl: cannot be read: No such file"):
        count_lines(Range(0, gone, 0, 10))


def test_a_file_that_has_become_shorter_ends_where_it_ends(path):
    path.write_bytes(b"a\nb\n")
    assert count_lines(Range(0, str(path), 2, 100)) == Lines(1, 2)
    assert count_lines(Range(0, str(path), 50, 100)) == Lines(0, None)


def test_what_is_sent_to_workers_is_small_and_says_where_it_comes_from():
    span, whole = Range(0, "a.jsonl", 5, 9), WholeFile(1, "b.gz", 100, 8, measured=True)
    assert (str(span), str(whole)) == ("a.jsonl: bytes 5 to 9", "b.gz")
    assert pickle.loads(pickle.dumps([span, whole])) == [span, whole]
    assert len(pickle.dumps([span, whole])) < 300
    assert [whole.weight, whole._replace(measured=False).weight] == [100, 0]
