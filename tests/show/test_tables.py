"""Tables: cells that spreadsheets leave alone, and text that comes out as it went in."""

import csv
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.files.output import json_line
from calipers.show.tables import CsvTable, ParquetTable, csv_text, csv_texts, safe_cell

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
CELLS = TEXT | st.text("=+-@\t\r\n\"',; a", max_size=6)


def written(columns, rows):
    file = io.BytesIO()
    table = CsvTable(file, columns)
    table.add([dict(zip(columns, row, strict=True)) for row in rows])
    return file.getvalue().decode("utf-8")


def test_rows_are_written_some_at_a_time(monkeypatch):
    rows = [[f"{k}", "a\rb" if k % 3 else '"'] for k in range(7)]
    whole = written(["a", "b"], rows)
    monkeypatch.setattr("calipers.show.tables.ROWS_AT_ONCE", 2)
    assert written(["a", "b"], rows) == whole
    assert len(read(whole)) == 8


def read(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("\n=1", "'\n=1"),
        ("\x00=1", "'\x00=1"),
        ("\x0b=1", "'\x0b=1"),
        ("\x85=1", "'\x85=1"),
        ("\ufeff=1", "'\ufeff=1"),
        ("＝1+1", "'＝1+1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠SUM(A1)", "'＠SUM(A1)"),
        ("=", "'="),
        ("a=1", "a=1"),
        (" =1", " =1"),
        ("'=1", "'=1"),
        ("", ""),
        ("标签", "标签"),
        (None, ""),
        (-1, -1),
        (-0.5, -0.5),
        (0, 0),
    ],
)
def test_trap_38_text_that_begins_like_a_formula_gets_an_apostrophe_and_numbers_do_not(value, cell):
    assert safe_cell(value) == cell
    assert type(safe_cell(value)) is type(cell)


@given(CELLS)
def test_trap_38_no_text_begins_like_a_formula_and_nothing_else_changes(text):
    cell = safe_cell(text)
    assert not cell.startswith((*"=+-@＝＋－＠\t\r\n\x00\x0b\ufeff",))
    assert cell in (text, "'" + text)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=4))
def test_cells_come_out_as_they_went_in(rows):
    assert read(written(["a", "b"], rows)) == [["a", "b"], *[[safe_cell(cell) for cell in row] for row in rows]]


def test_the_first_line_names_the_columns_and_lines_end_alike():
    assert written(["key", "n"], [["a", 1], ["b", None], ["c", -0.25]]) == "key,n\na,1\nb,\nc,-0.25\n"
    assert written(["key", "n"], []) == "key,n\n"


@pytest.mark.parametrize(
    "text", ["a,b", 'say "x"', "two\nlines", "two\r\nlines", "old\rmac", "标签，é\U0001f600", "a\x00b"]
)
def test_commas_quotes_and_line_breaks_stay_inside_their_cell(text):
    assert read(written(["a", "b"], [[text, "next"], ["last", text]])) == [["a", "b"], [text, "next"], ["last", text]]


def test_rows_added_in_parts_make_the_same_table():
    rows = [{"a": str(number), "b": number} for number in range(5)]
    file = io.BytesIO()
    table = CsvTable(file, ["a", "b"])
    for row in rows:
        table.add([row])
    table.add([])
    assert file.getvalue().decode() == written(["a", "b"], [row.values() for row in rows])


@pytest.mark.parametrize("group", [7, 64, 1000])
def test_a_parquet_table_has_the_same_bytes_however_many_rows_come_at_a_time(group, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("calipers.show.tables.GROUP_ROWS", group)
    overlaps = [at / 3 if at % 2 else None for at in range(200)]
    rows = [{"key": "图" * (at % 5) or None, "index": at, "box_overlap": each} for at, each in enumerate(overlaps)]
    found = set()
    for count in (1, 7, 64, 65, 200):
        file = io.BytesIO()
        table = ParquetTable(file, ["key", "index", "box_overlap"])
        for first in range(0, len(rows), count):
            table.add(rows[first : first + count])
        table.add([])
        table.close()
        found.add(file.getvalue())
        assert parquet.read_table(file).to_pylist() == rows
        assert parquet.ParquetFile(file).num_row_groups == -(-200 // group)
    assert len(found) == 1


def test_a_parquet_table_may_have_no_rows():
    parquet = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    ParquetTable(file, ["key", "index"]).close()
    assert parquet.read_table(file).to_pydict() == {"key": [], "index": []}


# ---------------------------------------------------------------- lines of JSON


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": "标签\n\u2028"}, {"a": "标签\n\u2028"}),
        ({"a": math.nan, "b": math.inf}, {"a": None, "b": None}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({"a": 10**400}, {"a": str(10**400)}),
        ({"a": -(2**63), "b": 2**64 - 1}, {"a": -(2**63), "b": 2**64 - 1}),
        ({"a": {"b": 10**30, "c": math.nan, "d": None}}, {"a": {"b": str(10**30), "c": None, "d": None}}),
    ],
)
def test_a_row_is_one_line_of_strict_json(value, expected):
    line = json_line(value)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line, parse_constant=lambda name: pytest.fail(name)) == expected


@pytest.mark.parametrize("depth", [10, 99, 101, 254, 255, 300, 900])
def test_a_row_may_be_nested_and_is_cut_where_it_gets_deep(depth):
    line = json_line({"a": nested(depth), "b": 10**30})
    assert json.loads(line)["b"] == str(10**30)
    assert ("…".encode() in line) == (depth > 100)


@given(CELLS | st.text("aZ09_ ./:-", max_size=8))
def test_a_text_is_the_same_cell_alone_and_in_a_row(text):
    if "\r" not in text:
        assert csv_text(text) + b",\n" == written(["a", "b"], [[text, ""]]).encode().partition(b"\n")[2]


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["a.jpg", "b/c 1.jpg"],
        ["a\nb", "c"],
        ["a\nb", ""],
        ["a", "=1"],
        ["a", "", "b"],
        ["图", "a"],
        ["a,b", "a"],
    ],
)
def test_cells_of_many_texts_are_those_of_each(texts):
    assert csv_texts(texts) == list(map(csv_text, texts))
