"""Columns: growing arrays that others read without a copy, and that never move under a reader's feet."""

import copy
import gc
import pickle

import numpy as np
import pytest

from calipers.kernels.scan.column import Column, reserve_in_file, take_rows
from calipers.kernels.scan.flatten import ObjectColumns

FORMATS = {"d": np.float64, "f": np.float32, "q": np.int64, "i": np.int32, "h": np.int16, "B": np.uint8}


def filled(letter: str, values) -> Column:
    """A column with these values, written through numpy."""
    column = Column(letter, len(values))
    np.asarray(column)[:] = values
    return column


def add_boxes(columns: ObjectColumns, count: int) -> None:
    columns.add_record([{"type": "bbox_2d", "points": [1, 2, 3, 4], "desc": "a"}] * count, False)


@pytest.mark.parametrize("letter", FORMATS)
def test_a_new_column_holds_zeros(letter):
    assert Column(letter).tolist() == []
    assert Column(letter, 3).tolist() == [0, 0, 0]
    assert Column(letter, 10_000).tolist() == [0] * 10_000
    assert (len(Column(letter)), len(Column(letter, 3))) == (0, 3)


def test_only_the_formats_it_knows_are_taken():
    for wrong in ("e", "", "dd", "l"):
        with pytest.raises(ValueError):
            Column(wrong)
    with pytest.raises(TypeError):
        Column(b"d")


@pytest.mark.parametrize("letter", FORMATS)
@pytest.mark.parametrize("size", [0, 1, 5])
def test_numpy_reads_a_column_without_a_copy(letter, size):
    column = Column(letter, size)
    array = np.asarray(column)
    assert (array.dtype, array.shape, array.flags.c_contiguous) == (FORMATS[letter], (size,), True)
    array += 7
    assert column.tolist() == [7] * size
    assert not size or np.shares_memory(array, np.asarray(column))


@pytest.mark.parametrize("letter", FORMATS)
def test_a_memoryview_says_what_it_holds(letter):
    view = memoryview(Column(letter, 3))
    assert (view.format, view.shape, view.ndim) == (letter, (3,), 1)
    assert view.itemsize == np.dtype(FORMATS[letter]).itemsize
    assert view.strides == (view.itemsize,)
    assert (view.nbytes, view.readonly, view.contiguous) == (3 * view.itemsize, False, True)


def test_items_are_read_by_index_by_slice_and_in_turn():
    column = filled("q", [5, -6, 7])
    assert (column[0], column[-1], column[2]) == (5, 7, 7)
    assert column[1:].tolist() == [-6, 7]
    assert list(column) == [5, -6, 7]
    assert 7 in column
    with pytest.raises(IndexError):
        column[3]


@pytest.mark.parametrize(
    ("letter", "values"),
    [
        ("d", [0.1, -1e300, 5e-324, float("inf")]),
        ("q", [-(2**63), 2**63 - 1]),
        ("i", [-(2**31), 2**31 - 1]),
        ("h", [-(2**15), 2**15 - 1]),
        ("B", [0, 255]),
    ],
)
def test_every_number_of_the_format_is_kept_exactly(letter, values):
    assert filled(letter, values).tolist() == values
    assert pickle.loads(pickle.dumps(filled(letter, values))).tolist() == values


def test_the_data_lives_as_long_as_somebody_reads_it():
    array = np.asarray(filled("d", range(1000)))
    view = memoryview(filled("i", range(1000)))[10:20]
    gc.collect()
    assert array.tolist() == list(range(1000))
    assert view.tolist() == list(range(10, 20))


# Growing


def test_a_column_grows_and_keeps_what_it_holds():
    columns = ObjectColumns({})
    for count in (1, 15, 1, 500, 3000):
        add_boxes(columns, count)
    assert len(columns.kind) == 3517
    assert columns.points.tolist() == [1, 2, 3, 4] * 3517
    assert columns.starts.tolist() == list(range(0, 4 * 3517 + 1, 4))
    assert columns.offsets.tolist() == [0, 1, 16, 17, 517, 3517]


@pytest.mark.parametrize("read", [memoryview, np.asarray])
def test_a_column_that_is_being_read_cannot_grow(read):
    columns = ObjectColumns({})
    add_boxes(columns, 10)
    held = read(columns.points)
    with pytest.raises(BufferError, match="a column that is being read cannot grow"):
        add_boxes(columns, 10_000)
    assert held.tolist() == [1, 2, 3, 4] * 10


def test_a_column_can_grow_again_once_nobody_reads_it():
    columns = ObjectColumns({})
    add_boxes(columns, 10)
    view, array = memoryview(columns.kind), np.asarray(columns.points)
    view.release()
    del array
    gc.collect()
    add_boxes(columns, 10_000)
    assert len(columns.kind) == 10_010


def test_reading_items_holds_nothing():
    columns = ObjectColumns({})
    add_boxes(columns, 10)
    assert columns.points[3] == 4
    assert columns.points.tolist()[:2] == [1, 2]
    assert sum(columns.points) == 100
    add_boxes(columns, 10_000)
    assert len(columns.kind) == 10_010


# Copies


@pytest.mark.parametrize("letter", FORMATS)
@pytest.mark.parametrize("size", [0, 1, 1000])
def test_a_column_survives_a_pickle(letter, size):
    column = filled(letter, np.arange(size) % 100)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        twin = pickle.loads(pickle.dumps(column, protocol))
        assert memoryview(twin).format == letter
        assert twin.tolist() == column.tolist()


def test_a_copy_has_its_own_data():
    column = filled("q", [1, 2])
    for twin in (copy.copy(column), copy.deepcopy(column), pickle.loads(pickle.dumps(column))):
        np.asarray(twin)[0] = 9
        assert column.tolist() == [1, 2]
        assert twin.tolist() == [9, 2]


def test_rows_are_taken_in_the_order_asked_for():
    column = np.array([5, 6, 7], np.int32)
    assert take_rows(column, [2, 0, 0]).tolist() == [7, 5, 5]
    assert memoryview(take_rows(column, [])).format == "i"
    wide = take_rows(np.array([2**62, -1], np.int64), [1, 0])
    assert (wide.tolist(), memoryview(wide).format) == ([-1, 2**62], "q")


# Files


def test_what_is_reserved_in_a_file_changes_neither_its_size_nor_what_is_in_it(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(b"head\n")
    with open(path, "r+b") as file:
        assert reserve_in_file(file.fileno(), 3, 1 << 20) in (True, False)  # as the file system has it
        file.seek(5)
        file.write(b"rows\n")
    assert path.read_bytes() == b"head\nrows\n"


@pytest.mark.parametrize(("begin", "size"), [(-1, 9), (0, 0), (0, -1), (2**62, 2**62)])
def test_what_cannot_be_reserved_is_told_and_no_error(tmp_path, begin, size):
    with open(tmp_path / "rows", "wb") as file:
        assert not reserve_in_file(file.fileno(), begin, size)
    assert not reserve_in_file(-1, 0, 9)
