"""Tables as Markdown: numbers to the right, and names that are nothing but text."""

import re

import pytest

from calipers.show.markdown import markdown_table, markdown_text

from ..hostile import HALF_PAIR, HOSTILE
from .sample_reports import SUITES, hostile, report

CELL_EDGE = re.compile(r"(?<!\\)(?:\\\\)*\|")  # a bar that no backslash takes away


def test_a_table():
    rows = [
        {"label": "cone", "n": 3, "f1": 2 / 3, "frames": 123.456},
        {"label": None, "n": None, "f1": None, "frames": -12.5},
    ]
    assert markdown_table(["label", "n", "f1", "frames"], rows) == (
        "| label | n | f1 | frames |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| cone | 3 | 0.667 | 123.5 |\n"
        "| — | — | — | -12.50 |\n"
    )


def test_a_table_without_rows_has_a_head():
    assert markdown_table(["a", "b"], []) == "| a | b |\n| --- | --- |\n"


def test_rates_keep_their_decimals_beside_large_numbers():
    text = report("timeline").to_markdown()
    assert re.search(r"\| frame_accuracy \| 0\.\d{3} \|", text)
    assert re.search(r"\| time_in_error_frames \| \d+\.\d\d? \|", text)


@pytest.mark.parametrize(
    "name", [*HOSTILE, HALF_PAIR, "", "a|b", "a\\|b", "\\", "~~a~~", "_a_", "**a**", "`a`", "![a](b)"]
)
def test_a_hostile_name_stays_in_its_cell(name):
    head, rule, line = markdown_table(["label", "n"], [{"label": name, "n": 1}]).splitlines()
    assert len(CELL_EDGE.findall(line)) == len(CELL_EDGE.findall(head)) == len(CELL_EDGE.findall(rule)) == 3
    assert "<" not in line
    assert "://" not in line
    assert line.isprintable()
    line.encode()


@pytest.mark.parametrize("suite", SUITES)
def test_lines_have_as_many_cells_as_the_head(suite):
    for name in HOSTILE:
        found = hostile(suite, name)
        for table in found.tables():
            counts = {len(CELL_EDGE.findall(line)) for line in found.to_markdown(table).splitlines()}
            assert len(counts) == 1


@pytest.mark.parametrize("name", [*HOSTILE, "a|b", "a\\|b", "~~a~~", "_a_", "**a** __b__", "`a`", "![a](b)", "a_b_c"])
def test_a_reader_of_markdown_sees_the_name(name):
    """By an independent parser: one cell of plain text, the same text with what does not print spelled out."""
    markdown_it = pytest.importorskip("markdown_it")
    from calipers.show.text import printable

    found = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).parse(markdown_table(["label"], [{"label": name}]))
    inline = [token for token in found if token.type == "inline"]
    assert [token.content for token in inline][:1] == ["label"]
    kinds = {child.type for child in inline[1].children}
    assert kinds <= {"text", "text_special"}
    assert "".join(child.content for child in inline[1].children).strip() == printable(name).strip()


def test_underscores_within_names_stay_as_they_are():
    assert markdown_text("mean_f1") == "mean_f1"
    assert markdown_text("_mean_") == "\\_mean\\_"
