"""Comma-separated rows: the cells of `csv.reader`, the floats of Python, and what a walk along the rows finds."""

import csv
import io
import math
import re
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.kernels.scan.csvrows import (
    AMOUNT,
    LARGEST_WHOLE,
    NAME,
    NUMBER,
    TEXT,
    WHOLE,
    RowError,
    count_steps,
    find_changes,
    first_row,
    median_rate,
    read_columns,
)

BLANKS = " \t\n\v\f\r"
PIECES = st.sampled_from(
    ["a", "1", ",", ",", '"', '"', '""', "\n", "\n", "\r", "\r\n", " ", "\t", "é", "\x85", "\u2028"]
)
CONTENTS = st.lists(PIECES, max_size=40).map("".join)


def rows_of(text: str) -> list[tuple[int, list[str]]] | None:
    """(first line, cells) of every row that is not blank, after Python; None if a quote is never closed."""
    reader = csv.reader(io.StringIO(text + "\nend", newline=""))
    found, line = [], 1
    for row in reader:
        if len(row) > 1 or (row and row[0].strip(BLANKS)):
            found.append((line, row))
        line = reader.line_num + 1
    return found[:-1] if found[-1][1] == ["end"] else None


def walked(data: bytes) -> list[tuple[int, list[str]]]:
    """The same, a row at a time."""
    found, start, before = [], 0, 0
    while True:
        cells, line, start, following = first_row(data, start)
        if not cells:
            return found
        found.append((before + line, [cell.decode() for cell in cells]))
        before += following - 1


def read(data: bytes, *kinds: int) -> list[list]:
    """The rows of a file whose columns hold these kinds, texts as texts."""
    columns, texts, _ = read_columns(data, 0, 1, list(enumerate(kinds)))
    values = [
        [texts[number][code] for code in column] if kinds[number] >= TEXT else column.tolist()
        for number, column in enumerate(columns)
    ]
    return [list(row) for row in zip(*values, strict=True)]


def number(text: str, kind: int = NUMBER) -> float | None:
    """The number in a cell, None if it holds something else."""
    try:
        return read(b'"%s",.' % text.encode(), kind)[0][0]
    except RowError:
        return None


# Rows and cells


@given(CONTENTS)
def test_rows_are_those_of_csv_reader(text):
    expected = rows_of(text)
    if expected is None:
        with pytest.raises(RowError) as raised:
            walked(text.encode())
        assert raised.value.problem == "quote"
    else:
        assert walked(text.encode()) == expected


@given(CONTENTS, st.sets(st.integers(0, 4), min_size=1))
def test_wanted_cells_are_those_of_csv_reader(text, positions):
    wanted = sorted(positions)
    expected = rows_of(text)
    short = next((line for line, row in expected or [] if len(row) <= wanted[-1]), None)
    if expected is None or short:
        with pytest.raises(RowError) as raised:
            read_columns(text.encode(), 0, 1, [(position, TEXT) for position in wanted])
        assert (raised.value.problem, raised.value.line) == ("cells", short) or expected is None
    else:
        columns, texts, lines = read_columns(text.encode(), 0, 1, [(position, TEXT) for position in wanted])
        assert lines.tolist() == [line for line, _ in expected]
        for position, column, names in zip(wanted, columns, texts, strict=True):
            assert [names[code] for code in column] == [row[position].strip() for _, row in expected]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ('a,"b,c",d', ["a", "b,c", "d"]),
        ('"say ""no""",b', ['say "no"', "b"]),
        ('"a\r\nb",c', ["a\r\nb", "c"]),
        ('"a"b"c,d', ['ab"c', "d"]),
        (' "a",b', [' "a"', "b"]),
        ('a"b,c', ['a"b', "c"]),
        ('"",', ["", ""]),
        ('"""",b', ['"', "b"]),
        ('"a""",b', ['a"', "b"]),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r", "\r\n"])
def test_quotes_are_read_as_spreadsheets_write_them(text, cells, end):
    assert walked((text + end).encode()) == [(1, cells)]
    assert rows_of(text + end) == [(1, cells)]


def test_lines_are_counted_over_every_kind_of_break():
    #       1      2      3     4    5    6   7    8 9    10
    data = b'a,b\nc,d\r\ne,f\r"g\nh",i\r\r\nj,k\n\nl,"m\r"'
    assert [line for line, _ in walked(data)] == [1, 2, 3, 4, 7, 9]
    assert read_columns(data, 0, 1, [(0, TEXT)])[2].tolist() == [1, 2, 3, 4, 7, 9]
    assert read_columns(data, 4, 2, [(1, TEXT)])[2].tolist() == [2, 3, 4, 7, 9]


def test_blank_lines_are_no_rows():
    assert walked(b'\n  \n\r\n""\n\t\r\na,\n,\n') == [(6, ["a", ""]), (7, ["", ""])]
    assert first_row(b" \n\n") == ([], 1, 3, 3)
    assert first_row(b"") == ([], 1, 0, 1)
    assert read_columns(b"\n \n", 0, 1, [(0, WHOLE)])[2].tolist() == []


def test_a_row_that_cannot_be_read_says_why_and_where():
    for data, wanted, problem, line, column, found in (
        (b"a,b\nc\n", [(1, TEXT)], "cells", 2, 0, 1),
        (b"1,b\nc,d\n", [(0, WHOLE), (1, TEXT)], "value", 2, 0, b"c"),
        (b"1,b\n2, \n", [(0, WHOLE), (1, NAME)], "value", 2, 1, b" "),
        (b'1,"b\n"\n2,\xff\n', [(0, WHOLE), (1, TEXT)], "utf-8", 3, 1, b"\xff"),
        (b'1,b\n2,c,"d\n\n', [(0, WHOLE)], "quote", 2, -1, b"d\n\n"),
        (b"1,b\n2\r\0,c\n", [(0, WHOLE)], "nul", 3, -1, b""),
    ):
        with pytest.raises(RowError) as raised:
            read_columns(data, 0, 1, wanted)
        error = raised.value
        assert (error.problem, error.line, error.column, error.found) == (problem, line, column, found)


def test_cells_that_are_not_wanted_may_hold_anything():
    assert read(b"1,\xff\n2,\xfe\n", WHOLE) == [[1], [2]]


def test_texts_have_one_code_each_and_blanks_around_them_are_left_out():
    columns, texts, _ = read_columns(b'a\n a\na\n"a"\n\xc2\xa0b\nA\nb\n', 0, 1, [(0, TEXT)])
    assert columns[0].tolist() == [0, 1, 0, 0, 2, 3, 4]
    assert texts == [["a", "a", "b", "A", "b"]]


def test_columns_are_wanted_by_rising_position_and_not_too_many():
    for wanted in ([(1, TEXT), (0, TEXT)], [(0, TEXT), (0, NAME)], [(position, TEXT) for position in range(9)]):
        with pytest.raises(ValueError, match="expected at most 8 columns by rising position"):
            read_columns(b"a,b", 0, 1, wanted)


# Numbers

DIGITS = st.text("0123456789", max_size=25)
DECIMALS = st.tuples(st.sampled_from(["", "", "-", "+"]), DIGITS, st.sampled_from(["", ".", "."]), DIGITS).map("".join)
NUMBERS = st.one_of(
    DECIMALS,
    st.tuples(DECIMALS, st.sampled_from("eE"), st.integers(-400, 400).map(str)).map("".join),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1e6).map(repr),
    st.integers(2**53 - 3, 2**64).map(str),
    st.text("0123456789.+-eE _infa", max_size=6),
)


@given(NUMBERS, st.sampled_from(["", " ", "\t"]))
def test_a_number_is_the_float_that_python_makes_of_it(text, blank):
    found = number(blank + text + blank)
    plain = text.strip(BLANKS)
    if not plain:
        assert math.isnan(found)
    elif re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", plain) and abs(float(plain)) <= 1e100:
        assert found == float(plain)
        assert math.copysign(1, found) == (-1 if float(plain) < 0 else 1)  # no negative zero
    else:
        assert found is None


@given(st.integers(2**53, 10**19 - 1), st.integers(0, 19))
def test_long_decimals_are_rounded_once(digits, decimals):
    text = f"{digits:020}"
    text = f"{text[: 20 - decimals]}.{text[20 - decimals :]}".lstrip("0")
    assert number(text) == float(text)


@pytest.mark.parametrize("tie", [2**53 + 1, 2**53 + 3, 2**54 + 2, 2**54 + 6, 2**63 + 2**10, 2**63 + 3 * 2**10])
def test_a_number_between_two_floats_goes_to_the_even_one(tie):
    assert number(str(tie)) == number(f"{tie}.0") == float(tie)
    assert number(f"{tie + 1}") == float(tie + 1)
    assert number(f"{tie - 1}") == float(tie - 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("0", 0), ("007", 7), ("12.0", 12), (" 12 ", 12), ("+3", 3), ("-0", 0), ("1e3", 1000), ("12.", 12)],
        *[(str(LARGEST_WHOLE), LARGEST_WHOLE), ("0" * 30 + "5", 5), ("1000000000000.000", LARGEST_WHOLE)],
    ],
)
def test_a_whole_number_may_be_written_as_a_float(text, value):
    assert number(text, WHOLE) == value


@pytest.mark.parametrize(
    "text",
    [
        *["", " ", "-1", "1.5", "1e-1", "1e13", str(LARGEST_WHOLE + 1), "9" * 30, "nan", "inf", "1e400"],
        *["1_0", "0x1", "١", "1 2", "12a", ".", "+", "1e", "--1", "1.2.3", "True"],
    ],
)
def test_anything_else_is_no_whole_number(text):
    assert number(text, WHOLE) is None


def test_an_amount_is_not_negative():
    assert [number(text, AMOUNT) for text in ("0", "-0", "2.5", "-0.001", "-1e-300")] == [0, 0, 2.5, None, None]
    assert math.isnan(number("", AMOUNT))


# Along the rows


@given(st.lists(st.integers(0, 5).map(float) | st.just(math.nan), max_size=20))
def test_steps_down_and_in_place_are_counted(values):
    falls = [row for row in range(1, len(values)) if values[row] < values[row - 1]]
    repeats = [row for row in range(1, len(values)) if values[row] == values[row - 1]]
    assert count_steps(np.array(values, float)) == (len(falls), falls[0] if falls else 0, len(repeats))


def test_changes_are_found_between_labels_and_not_between_codes():
    #         label   0  0  7
    labels = np.array([0, 0, 7], np.int32)
    codes = np.array([1, 0, 1, 2, 2, 0, 2], np.int32)
    assert find_changes(codes, labels) == [0, 3, 5, 6]
    assert find_changes(codes[:0], labels) == []


STEPS = st.tuples(st.integers(-1, 3), st.sampled_from([-0.1, 0.0, 0.03, 0.04, 0.0333, 0.05, 0.1, 1.0, math.nan]))


@given(st.lists(STEPS, max_size=60))
def test_the_rate_is_the_median_where_both_grow(steps):
    counts, times = [0.0], [0.0]
    for more, later in steps:
        counts.append(counts[-1] + more)
        times.append(later if math.isnan(later) or math.isnan(times[-1]) else times[-1] + later)
    rates = [
        (counts[row] - counts[row - 1]) / (times[row] - times[row - 1])
        for row in range(1, len(counts))
        if counts[row] > counts[row - 1] and times[row] > times[row - 1]
    ]
    assert median_rate(np.array(counts), np.array(times)) == (statistics.median(rates) if rates else None)


@pytest.mark.parametrize("size", [2, 3, 1000, 100_000])
def test_equal_sorted_and_reversed_rates_take_no_longer(size):
    counts = np.arange(size, dtype=float)
    for growth in (np.ones(size), 1 + counts, size - counts, 1 + counts % 2):
        times = np.cumsum(growth)
        assert median_rate(counts, times) == np.median(1 / np.diff(times))
