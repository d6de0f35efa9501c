"""What is wrong can be told by colour, by line and by sign, in thumbnails too; and pages fit a phone."""

import pytest

from calipers.show.page import sections as made

from .test_suites import data

CAUSES = {
    "missed": ["gt"],
    "misplaced": ["gt", "pred"],
    "wrong label": ["gt", "pred"],
    "wrong label and place": ["gt", "pred"],
    "spurious": ["pred"],
    "duplicate": ["pred"],
}
SHAPES = [
    made.shape(side, "box", [10 * k, 5, 10 * k + 8, 15], "seat", cause, state="wrong")
    for k, (cause, side) in enumerate((cause, side) for cause, sides in CAUSES.items() for side in sides)
]
SHAPES += [made.shape(side, "box", [5, 50, 20, 60], "seat", partner=k) for side, k in (("gt", 10), ("pred", 9))]
ROOM = made.case("room", "room", SHAPES, (100, 100))
LOOK = "node => { const s = getComputedStyle(node); return [s.stroke, s.strokeDasharray, s.fillOpacity].join() }"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_cause_has_a_colour_or_line_of_its_own_and_a_sign(show, scheme):
    page = show(made.page_data("t", "dense", [], cases=[ROOM]), color_scheme=scheme)
    looks = [node.evaluate(LOOK) for node in page.locator(".thumb .shape").all()]
    assert len(looks) == len(set(looks)) == 11  # nine kinds of wrong objects and the two of a pair
    signs = page.locator(".thumb .sign").all_inner_texts()
    assert sorted(signs) == sorted(["○", "↔", "◆", "◇", "×", "="])  # one for an error of two objects
    page.keyboard.press("j")
    large = {node.get_attribute("data-shape"): node.evaluate(LOOK) for node in page.locator(".canvas .shape").all()}
    assert len(set(large.values())) == 11
    assert page.locator(".canvas .sign:visible").count() == 6
    assert page.locator(".objects .sign").count() == 9


def test_the_legend_has_what_occurs_and_no_more(show):
    page = show(made.page_data("t", "dense", [], cases=[ROOM]))
    counted = " · ".join(f"1 {cause}" for cause in CAUSES)  # an error of two objects is one error
    assert page.locator(".case .causes").inner_text() == counted
    known = [*CAUSES, "matched ground truth", "matched prediction"]
    words = [text.split(maxsplit=1)[1] if text[0] in "○↔◆◇×=" else text for text in legend(page)]
    assert words == known
    page = show(made.page_data("t", "dense", [], cases=[ROOM | {"shapes": [SHAPES[0]]}]))
    assert legend(page)[0].endswith("missed")
    assert len(legend(page)) == 3


def legend(page):
    return [" ".join(text.split()) for text in page.locator(".looks li").all_inner_texts()]


def test_bars_have_the_colours_and_signs_of_their_causes(show):
    bars = made.bars("Fix first", [made.bar(cause, 0.1, goto={"cause": cause}) for cause in CAUSES])
    page = show(made.page_data("t", "dense", [bars], cases=[ROOM]))
    assert page.locator(".bar .sign").count() == 6
    fills = page.locator(".bar .fill").evaluate_all("all => all.map((n) => getComputedStyle(n).backgroundColor)")
    assert len(set(fills)) == 4  # the two label causes share one, and the two of predictions of nothing


def test_methods_of_a_room_stand_side_by_side_on_one_scale(show):
    windows = {"theirs": (-1, 0, 3, 5), "ours": (0, 0, 4, 3)}
    cases = [
        made.case(f"{name} · room", f"room · {name}", [made.shape("gt", "box", [1, 1, 2, 2], "seat", "missed")], window)
        | {"facets": {"key": ["room"], "method": [name]}}
        for name, window in windows.items()
    ]
    page = show(made.page_data("t", "scene", [], cases=cases), "#case=theirs+%C2%B7+room")
    panels = page.locator(".panel")
    assert [text.split()[0] for text in panels.locator("figcaption").all_inner_texts()] == [
        "theirs",
        "ours",
    ]  # as given
    views = {svg.get_attribute("viewBox") for svg in page.locator(".panel svg").all()}
    assert views == {"-1 0 5 5"}
    boxes = [panel.bounding_box() for panel in panels.all()]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    page.locator(".panel button", has_text="ours").click()
    assert page.locator(".viewer h3").inner_text() == "room · ours"


PLACED = "[...document.querySelectorAll('.cards')].every((node) => node.style.gridTemplateColumns !== '')"
# The width of each group of cards, and the upper edge and the width of each card in it
PLACES = """groups => groups.map((group) => [
  group.getBoundingClientRect().width,
  [...group.querySelectorAll(".card")].map((card) => card.getBoundingClientRect()).map((box) => [box.y, box.width]),
])"""


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_no_card_stands_alone_in_a_row(show, width):
    sections = [made.cards(f"{n}", [made.card(f"figure {k}", 0.5) for k in range(n)]) for n in range(2, 14)]
    page = show(made.page_data("t", "dense", sections), viewport={"width": width, "height": 800})
    page.wait_for_function(PLACED)
    places = page.locator(".cards").evaluate_all(PLACES)
    assert [len(cards) for _, cards in places] == list(range(2, 14))
    for width_of_all, cards in places:
        tops, wide = [round(top) for top, _ in cards], cards[-1][1] > width_of_all * 0.9
        assert tops.count(tops[-1]) > 1 or wide


def test_inputs_and_settings_are_folded_and_open_by_key(show):
    table = made.table("Parameters", [made.column("name")], [["a"], ["b"]]) | {"folded": True}
    page = show(made.page_data("t", "dense", [table], facts=[("frame", "norm1000")]))
    assert not page.get_by_text("norm1000").is_visible()
    page.locator(".facts summary").focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("norm1000").is_visible()
    assert not page.locator("td", has_text="a").is_visible()
    page.get_by_text("Show 2 rows").click()
    assert page.locator("td", has_text="a").is_visible()


def test_a_table_that_scrolls_sideways_shows_it_and_keeps_its_first_column(show):
    columns = [made.column(f"a column called {k}", "number") for k in range(12)]
    wide = made.table("Wide", columns, [[*range(12)]])
    narrow = made.table("Narrow", [made.column("a", "number"), made.column("b", "number")], [[1, 2]])
    page = show(made.page_data("t", "dense", [wide, narrow]), viewport={"width": 390, "height": 800})
    frame, other = page.locator(".frame").all()
    page.wait_for_function("node => node.classList.contains('more-right')", arg=frame.element_handle())
    assert "wider" not in other.get_attribute("class")
    frame.focus()
    assert frame.evaluate("node => document.activeElement === node")
    left = frame.locator("tr[aria-rowindex] td").first.bounding_box()["x"]
    frame.evaluate("node => node.scrollTo(10000, 0)")
    page.wait_for_function("node => !node.classList.contains('more-right')", arg=frame.element_handle())
    assert frame.locator("tr[aria-rowindex] td").first.bounding_box()["x"] == pytest.approx(left, abs=1)


def test_counts_fit_their_cells_and_numbers_what_their_interval_supports(show):
    counts = [(0, 0, 999), (0, 1, 1234), (1, 0, 123_456), (1, 1, 4_567_890)]
    heat = made.matrix("Confusion", ["a", "b"], ["a", "b"], counts)
    cards = made.cards(
        "Headline",
        [
            made.card("error", 0.04929, (0.046, 0.053), kind="number", unit="m"),
            made.card("off", 12.3815, (11.2345, 13.6), kind="number"),
            made.card("frames", 41, (36, 47), kind="number"),
        ],
    )
    page = show(made.page_data("t", "dense", [cards, heat]))
    assert page.locator(".matrix .cell text").evaluate_all("all => all.map((n) => n.textContent)") == [
        "999",
        "1,234",
        "123k",
        "4.6M",
    ]
    assert page.locator(".card .value").all_inner_texts() == ["0.0493m", "12.4", "41"]
    assert page.locator(".card .range").all_inner_texts() == [
        "95 % 0.046 – 0.053",
        "95 % 11.2 – 13.6",
        "95 % 36 – 47",
    ]


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_a_page_fits_a_phone(show, suite):
    page = show(data(suite), viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    first = page.locator("section").first
    assert first.locator("h2").inner_text().startswith("Fix first")
    assert first.bounding_box()["y"] < 420  # on the first screen
    page.keyboard.press("j")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_states_stand_in_their_natural_order():
    section = next(each for each in data("timeline")["sections"] if each["title"] == "Confusion of states")
    assert section["rows"] == ["outside", "approaching", "inside", "exiting", "paused"]
    strips = next(each for each in data("timeline")["sections"] if each["kind"] == "strips")
    assert strips["states"] == section["rows"]


CONTRAST = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = numbers(getComputedStyle(document.querySelector(".matrix .ground")).fill);
  return [...document.querySelectorAll(".matrix .cell")].map((cell) => {
    const [rect, text] = [cell.querySelector("rect"), cell.querySelector("text")];
    const share = Number(getComputedStyle(rect).fillOpacity);
    const fill = numbers(getComputedStyle(rect).fill).map((v, k) => share * v + (1 - share) * ground[k]);
    const [a, b] = [light(fill), light(numbers(getComputedStyle(text).fill))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_counts_of_heat_maps_can_be_read_on_every_shade(show, scheme):
    names = [str(k) for k in range(12)]
    cells = [(row, column, (12 * row + column) ** 2 + 1) for row in range(12) for column in range(12)]
    heat = made.matrix("Confusion", names, names, cells)
    page = show(made.page_data("t", "coco", [heat]), color_scheme=scheme)
    contrasts = page.evaluate(CONTRAST)
    assert len(contrasts) == 144
    assert min(contrasts) > 3.5


def test_the_word_at_a_mark_stands_out_from_curves_behind_it(show):
    line = made.series("precision", [0, 1], [1, 1])
    chart = made.curves("Cutting", "score", "share", [line], marks=[{"x": 0.5, "label": "best F1"}])
    page = show(made.page_data("t", "coco", [chart]))
    assert page.locator(".mark text").evaluate("node => getComputedStyle(node).paintOrder") == "stroke"


def test_tiles_on_a_phone_show_the_end_of_paths_which_tells_images_apart(show):
    short = [f"images/val/{number:06}.jpg" for number in (3, 37)]
    deep = [
        f"data/2026-04-11/site-north/level-2/camera-{side}/{number:06}.jpg" for side, number in (("a", 3), ("b", 37))
    ]
    cases = [made.case(name, name, SHAPES, (100, 100)) for name in short + deep]
    page = show(made.page_data("t", "dense", [], cases=cases), viewport={"width": 390, "height": 800})
    names = page.locator(".gallery .name")
    texts = names.all_inner_texts()
    assert set(short) <= set(texts)
    ends = {text.rpartition("…")[2] for text in texts} - set(short)  # 23 characters, the sign, and 22
    assert ends == {"-2/camera-a/000003.jpg", "-2/camera-b/000037.jpg"}
    cut = "nodes => nodes.filter((node) => node.scrollHeight > node.clientHeight + 1).length"
    assert names.evaluate_all(cut) == 0
