"""Tables sort by every column, keep the order of equals, hold undefined last, filter, and are quick."""

import random

import pytest

from calipers.show.page import sections as made

from ..show.page.samples import many_rows, photographs

COLUMNS = [
    made.column("name"),
    made.column("n", "number"),
    made.column("rate", "rate"),
    made.column("95 %", "interval"),
]
ROWS = [
    ["b", 10, 0.5, (0.4, 0.6)],
    ["a10", 9, None, None],
    ["a9", 100, 0.25, (0.1, 0.2)],
    ["c", 9, 0.75, (0.7, 0.9)],
    [None, None, 0.5, (0.3, 0.5)],
]


def small(show):
    return show(made.page_data("t", "dense", [made.table("T", COLUMNS, ROWS)]))


def column(page, k):
    return page.locator(f"tbody tr[aria-rowindex] td:nth-child({k + 1})").all_inner_texts()


def press(page, name):
    page.get_by_role("columnheader", name=name, exact=True).get_by_role("button").click()


@pytest.mark.parametrize(
    ("head", "first", "second"),
    [
        ("name", ["a9", "a10", "b", "c", "—"], ["c", "b", "a10", "a9", "—"]),  # text: up first, numbers in it by size
        ("n", ["a9", "b", "a10", "c", "—"], ["a10", "c", "b", "a9", "—"]),  # a10 and c tie, and stay in order
        ("rate", ["c", "b", "—", "a9", "a10"], ["a9", "b", "—", "c", "a10"]),
        ("95 %", ["c", "b", "—", "a9", "a10"], ["a9", "—", "b", "c", "a10"]),  # by their middles
    ],
)
def test_every_column_sorts_both_ways(show, head, first, second):
    page = small(show)
    press(page, head)
    assert column(page, 0) == first
    press(page, head)
    assert column(page, 0) == second


def test_the_sorted_column_says_so(show):
    page = small(show)
    heads = page.get_by_role("columnheader")
    assert [head.get_attribute("aria-sort") for head in heads.all()] == ["none"] * 4
    press(page, "n")
    assert [head.get_attribute("aria-sort") for head in heads.all()] == ["none", "descending", "none", "none"]
    press(page, "n")
    assert heads.nth(1).get_attribute("aria-sort") == "ascending"


def test_a_table_begins_in_the_order_it_was_given_or_asked_for(show):
    page = small(show)
    assert column(page, 0) == ["b", "a10", "a9", "c", "—"]
    asked = made.table("T", COLUMNS, ROWS, sort=(1, "up"))
    page = show(made.page_data("t", "dense", [asked]))
    assert column(page, 1) == ["9", "9", "10", "100", "—"]


def test_the_filter_counts_what_it_leaves(show):
    page = show(photographs(2, rows=300))
    table = page.locator(".kind-table")
    assert table.locator(".count").inner_text() == "300 rows"
    page.get_by_label("Filter By label").fill("299 LABEL")
    assert table.locator(".count").inner_text() == "1 of 300 rows"
    assert column(page, 0) == ["label 299"]
    page.get_by_label("Filter By label").fill("nothing like it")
    assert table.locator(".count").inner_text() == "0 of 300 rows"
    page.get_by_label("Filter By label").fill("")
    assert table.locator(".count").inner_text() == "300 rows"


def test_scrolling_shows_the_other_rows(show):
    page = show(photographs(2, rows=2000))
    frame = page.locator(".frame")
    press(page, "label")
    press(page, "label")
    press(page, "label")
    frame.evaluate("frame => frame.scrollTop = frame.scrollHeight")
    page.locator("tbody tr[aria-rowindex='2001']").wait_for()
    assert page.locator("tbody tr[aria-rowindex]").count() < 100
    frame.evaluate("frame => frame.scrollTop = 0")
    page.locator("tbody tr[aria-rowindex='2']").wait_for()


@pytest.mark.parametrize("late", [False, True], ids=["as it scrolls", "before it scrolls"])
def test_tab_walks_down_the_links_of_a_long_table(show, late):
    names = [f"row {k:03d}" for k in range(120)]
    table = made.table("T", [made.column("name")], [[name] for name in names], goto=names)
    case = made.case("a", "a", [], (10, 10), tags=names)
    page = show(made.page_data("t", "dense", [table], cases=[case]))
    if late:  # a busy machine presses Tab before the table hears that it scrolled
        page.evaluate("addEventListener('scroll', (event) => event.stopImmediatePropagation(), true)")
    page.get_by_role("link", name="row 000").focus()
    for _ in range(80):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "row 080"


def test_a_filter_that_no_row_fits_says_so(show):
    rows = [[f"row {k}", k] for k in range(60)]
    table = made.table("T", [made.column("name"), made.column("n", "number")], rows)
    page = show(made.page_data("t", "dense", [table]))
    for words, fits in (("nowhere", False), ("row 7", True), ("nowhere", False), ("", True)):
        page.get_by_role("searchbox").fill(words)
        assert page.locator(".nomatch").all_inner_texts() == ([] if fits else ["No row matches the filter."])
    page.get_by_role("searchbox").fill("nowhere")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".nomatch").count() == 1


def test_a_row_without_cases_is_no_link(show):
    table = made.table("T", [made.column("name")], [["here"], ["nowhere"]], goto=["here", "nowhere"])
    bars = made.bars("B", [made.bar("fixed", 0, goto="fixed"), made.bar("broken", 1, goto="here")])
    page = show(made.page_data("t", "dense", [table, bars], cases=[made.case("a", "a", [], (9, 9), tags=["here"])]))
    assert page.locator("td a").all_inner_texts() == ["here"]
    assert page.locator("tr.goes, a.bar").count() == 2


def test_small_numbers_do_not_look_like_0_and_0_has_no_sign(show):
    columns = [made.column("rate", "rate"), made.column("Δ", "difference"), made.column("95 %", "differences")]
    rows = [
        [0.0002, -0.0004, (-0.0004, 0.05)],
        [0.0, -1e-17, (-0.0, 1e-17)],
        [-0.00004, 0.00004, (-3.25, 12.5)],
    ]
    page = show(made.page_data("t", "dense", [made.table("T", columns, rows)]))
    assert column(page, 0) == ["0.0002", "0.000", "−0.00004"]
    assert column(page, 1) == ["−0.0004", "0.000", "+0.00004"]
    assert column(page, 2) == ["−0.0004 – +0.050", "0.000 – 0.000", "−3.25 – +12.5"]


def test_ten_thousand_rows_are_sorted_and_few_of_them_are_in_the_page(show):
    """Only rows in view are drawn, which makes sorting fast; benchmarks/results.py measures how fast."""
    page = show(many_rows())
    page.locator("th button").nth(4).click()
    values = [float(text) for text in column(page, 4)]
    assert values == sorted(values, reverse=True)
    assert 20 < len(values) < 1000


def test_ten_thousand_texts_are_compared_a_few_times_each(show):
    """What sorting takes is counted, not timed: about n log n comparisons, each of two texts."""
    rng = random.Random(1)
    rows = [[f"标签 {rng.randrange(10**6)}"] for _ in range(10_000)]
    page = show(made.page_data("t", "dense", [made.table("T", [made.column("name")], rows)]))
    compared = page.evaluate(
        """() => {
            let count = 0;
            const sort = Array.prototype.sort;
            Array.prototype.sort = function (by) {
                return sort.call(this, (a, b) => { count++; return by(a, b); });
            };
            document.querySelector("th button").click();
            return count;
        }"""
    )
    assert 10_000 < compared < 20 * 10_000


def test_a_verdict_colours_the_difference(show):
    columns = [made.column("d", "difference"), made.column("v", "verdict")]
    rows = [[0.1, "better"], [-0.1, "worse"], [0.0, "cannot tell"]]
    page = show(made.page_data("t", "dense", [made.table("T", columns, rows)]))
    assert column(page, 0) == ["+0.100", "−0.100", "0.000"]
    classes = [cell.get_attribute("class") for cell in page.locator("[aria-rowindex] td:first-child").all()]
    assert classes == ["num good", "num bad", "num"]
