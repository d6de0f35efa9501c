"""Lines out of columns: each row has its own texts, in order, whatever they hold."""

import numpy as np
import pytest

from calipers.core.cells import CellTexts, RowTexts, csv_numbers, joined, json_numbers
from calipers.kernels.scan.weave import Cells, comma_offsets, weave

TEXTS = [b"", b"a", b"null", b"a,b", b"\x00", "Straße".encode(), b"x" * 300]


def test_rows_are_the_texts_of_their_codes_with_what_stands_between_them():
    rng = np.random.default_rng(5)
    for count in (0, 1, 2, 999):
        codes = [rng.integers(0, len(TEXTS), count) for _ in range(3)]
        table = CellTexts(TEXTS)
        text, begins = weave([b"<", table.cells(codes[0]), table.cells(codes[1]), b"|", table.cells(codes[2])], count)
        rows = [b"<" + TEXTS[a] + TEXTS[b] + b"|" + TEXTS[c] for a, b, c in zip(*codes, strict=True)]
        assert text == b"".join(rows)
        assert np.asarray(begins).tolist() == np.cumsum([0, *map(len, rows)]).tolist()


def test_a_code_below_0_says_nothing():
    cells = Cells(b"ab", np.array([0, 1, 2]), codes=np.array([1, -1, 0, -7], np.int32), nothing=b"null")
    assert weave([cells, b","], 4)[0] == b"b,null,a,null,"


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.float64])
def test_numbers_are_those_of_the_column(kind):
    values = np.arange(200).astype(kind)
    assert joined([json_numbers(values), b"\n"], 200).decode().split() == [repr(each) for each in values.tolist()]
    assert joined([csv_numbers(values), b"\n"], 200).decode().split() == [repr(each) for each in values.tolist()]


def test_numbers_of_any_size_are_as_python_writes_them():
    rng = np.random.default_rng(6)
    values = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    values[::7] = np.round(rng.random(len(values[::7])) * 10.0 ** rng.integers(-8, 20, len(values[::7])), 5)
    values = np.where(np.isfinite(values), values, np.nan)
    known = rng.random(len(values)) < 0.9
    expected = ["" if np.isnan(value) else repr(value) for value in values.tolist()]
    assert joined([csv_numbers(values), b"\n"], len(values)).decode().split("\n")[:-1] == expected
    expected = [cell if is_known else "" for cell, is_known in zip(expected, known.tolist(), strict=True)]
    assert joined([csv_numbers(values, known), b"\n"], len(values)).decode().split("\n")[:-1] == expected


def test_texts_of_rows_are_cells_again():
    texts = RowTexts([json_numbers(np.array([1.5, np.nan])), b";"], 2)
    assert texts.between(0, 2) == b"1.5;null;"
    assert texts.between(1, 1) == b""
    assert joined([b"[", texts.cells(np.array([False, True]), b"?"), b"]"], 2) == b"[?][null;]"


def test_commas_part_texts():
    assert np.asarray(comma_offsets(b"", 0)).tolist() == [0]
    assert np.asarray(comma_offsets(b"", 1)).tolist() == [0, 1]
    assert np.asarray(comma_offsets(b",", 2)).tolist() == [0, 1, 2]
    assert np.asarray(comma_offsets(b"10,,2", 3)).tolist() == [0, 3, 4, 6]
