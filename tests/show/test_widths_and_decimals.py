"""Lines that are exactly as wide as they may be, and numbers at the edge of another decimal."""

import pytest

from calipers.show.markdown import escaped
from calipers.show.numbers import decimals
from calipers.show.text import LINE_WIDTH, SEPARATOR, named_line, width


@pytest.mark.parametrize(("wide", "lines"), [(40, 1), (41, 2)])
def test_items_stay_on_a_line_up_to_its_width(wide, lines):
    # separators do not count: 60 columns and 40 fit in 100
    text = named_line("labels", SEPARATOR.join(["a" * (LINE_WIDTH - 40), "b" * wide]))
    assert len(text.splitlines()) == lines


@pytest.mark.parametrize(("text", "columns"), [("A", 1), ("Ａ", 2), ("设", 2), ("ｱ", 1)])
def test_wide_and_full_width_characters_take_two_columns(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("interval", "digits"), [([-0.001, 0.001], 3), ([-0.0009, 0.0009], 5), ([-0.002, 0.0], 3), ([0.0, 0.0], 3)]
)
def test_an_interval_of_a_thousandth_needs_no_further_decimals(interval, digits):
    assert decimals(0.5, 0.5, interval) == digits


def test_an_address_without_a_scheme_is_no_link_in_markdown():
    assert escaped("www.example.org") == "www&#46;example.org"
