"""Dot charts in a browser: a row for each result, letters beside it, marks, narrow windows, and values to be read."""

import pytest

from calipers.show.page import sections as made

from ..hostile import HOSTILE
from .conftest import SETTLED

ROWS = [
    made.dot("large", 0.8, (0.75, 0.85), group="a", top=True, note="best in 93 % of replicates"),
    made.dot("tuned", 0.7, (0.6, 0.78), group="ab", top=True),
    made.dot("small", 0.4, (0.3, 0.5), group="b", mark="worse than tuned", tone="wrong"),
    made.dot("silent", None),
]


def opened(show, rows=ROWS, **options):
    data = made.page_data("t", "rank · dense", [made.dots("f1", rows), made.dots("recall", rows)])
    page = show(data, **options)
    page.locator(".dots svg").first.wait_for()
    page.evaluate(SETTLED)  # it is drawn anew when its place gets wider
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_every_result_has_a_row_within_the_page(show, scheme, width):
    page = opened(show, color_scheme=scheme, viewport={"width": width, "height": 800})
    chart = page.locator(".dots").first
    assert chart.locator(".dot").count() == 4
    assert chart.locator("circle").count() == 3
    assert chart.locator(".dot.top").count() == 2
    assert chart.locator(".group").all_text_contents() == ["a", "ab", "b", "—"]
    assert chart.locator(".axes text").count() >= 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


OUTSIDE = """chart => { const room = chart.getBoundingClientRect();
  return [...chart.querySelectorAll("text")].filter((text) => { const box = text.getBoundingClientRect();
    return box.left < room.left || box.right > room.right; }).map((text) => text.textContent); }"""


@pytest.mark.parametrize("width", [1280, 360])
def test_names_of_wide_letters_stay_inside(show, width):
    rows = [made.dot(name, 0.5, (0.4, 0.6), group="cdm") for name in ("medium", "m4b", "MMM")]
    page = opened(show, rows, viewport={"width": width, "height": 800})
    assert page.locator(".dots").first.evaluate(OUTSIDE) == []


def test_a_whisker_spans_the_interval_around_the_dot(show):
    chart = opened(show).locator(".dots").first
    for k in range(3):
        dot, line = chart.locator("circle").nth(k).bounding_box(), chart.locator(".whisker").nth(k).bounding_box()
        assert line["x"] < dot["x"] + dot["width"] / 2 < line["x"] + line["width"]


def test_a_mark_stands_above_its_row(show):
    chart = opened(show).locator(".dots").first
    assert chart.locator("text.change").text_content() == "worse than tuned"
    mark, dots = chart.locator("path.change").bounding_box(), chart.locator("circle")
    assert dots.nth(1).bounding_box()["y"] < mark["y"] < dots.nth(2).bounding_box()["y"]


def test_arrows_and_the_pointer_read_values(show):
    page = opened(show)
    page.locator(".dots svg").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".tip").inner_text().split("\n") == [
        "large",
        "0.800 (0.750 – 0.850)",
        "group a",
        "best in 93 % of replicates",
    ]
    page.keyboard.press("ArrowDown")
    assert page.locator(".tip strong").inner_text() == "tuned"
    page.locator(".dots circle").nth(2).hover()
    assert page.locator(".tip strong").inner_text() == "small"


def test_hostile_names_are_text(show):
    rows = [made.dot(text, 0.5, (0.4, 0.6), group="a", note=text, mark=text) for text in HOSTILE]
    page = opened(show, rows)
    assert page.locator(".dots").first.locator(".dot").count() == len(rows)
    page.locator(".dots svg").first.focus()
    for _ in rows:
        page.keyboard.press("ArrowDown")


def test_a_click_on_a_dot_leads_to_its_cases(show):
    box = made.shape("gt", "box", (1, 1, 5, 5), "plug", "missed")
    cases = [made.case(name, name, [box], (10, 10), tags=[f"light={name}"]) for name in ("day", "night")]
    rows = [made.dot(name, 0.5, (0.4, 0.6), group="", goto=f"light={name}") for name in ("night", "dusk")]
    page = show(
        made.page_data("t", "dense", [made.dots("Slices by light", rows), made.cases("Failures", 2, 2)], cases=cases)
    )
    page.locator(".dots svg").first.wait_for()
    assert page.locator(".dot.goes").count() == 1  # of dusk there is no case
    page.locator(".dot.goes").click()
    assert "find=tag%3Alight%3Dnight" in page.evaluate("location.hash")
