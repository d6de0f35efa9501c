"""From a number to the objects behind it, and through them by keyboard and by link."""

import re

import pytest

from calipers.show.page import sections as made

from ..show.page.samples import photographs, picture, rooms
from .conftest import SETTLED

DATA = photographs(12)
KEYS = [case["key"] for case in DATA["cases"]]


def with_tag(tag):
    return [case["key"] for case in DATA["cases"] if tag in case["tags"]]


def opened(page):
    return page.locator(".viewer h3").inner_text() if page.locator(".viewer").is_visible() else None


def listed(page):
    return page.locator(".gallery .name").all_inner_texts()


def test_cases_are_listed_worst_first(show):
    page = show(DATA)
    assert listed(page) == KEYS
    assert [case["score"] for case in DATA["cases"]] == sorted((c["score"] for c in DATA["cases"]), reverse=True)
    assert opened(page) is None


@pytest.mark.parametrize(
    ("find", "tag"),
    [
        (".bar:has-text('duplicate')", "duplicate"),
        (".card:has-text('recall')", "missed"),
        ("tbody tr:has-text('机柜空间') td:nth-child(3)", "机柜空间"),
        ("tbody tr:has-text('机柜空间') a", "机柜空间"),
    ],
)
def test_a_click_on_a_number_opens_the_first_case_behind_it(show, find, tag):
    page = show(DATA)
    page.locator(find).first.click()
    assert listed(page) == with_tag(tag)
    assert opened(page) == with_tag(tag)[0]
    assert page.get_by_label("Filter cases").input_value() == f"tag:{tag}"
    assert page.locator(".chip.on").inner_text().startswith(f"tag:{tag}")
    assert page.locator(".viewer").evaluate("node => node.getBoundingClientRect().top < innerHeight / 2")
    shapes = next(case for case in DATA["cases"] if case["key"] == opened(page))["shapes"]
    carrying = [k for k, shape in enumerate(shapes) if tag in (shape.get("cause"), shape["label"])]
    bright = page.locator(".canvas .shape:not(.dim)").all()
    assert sorted(int(node.get_attribute("data-shape")) for node in bright) == carrying


def test_a_cell_of_the_matrix_tells_its_count_and_leads_to_its_cases(show):
    page = show(DATA)
    cell = page.locator(".matrix .goes").first
    tag = cell.get_attribute("data-find").removeprefix("tag:")
    cell.hover()
    assert re.search(r"\d+ · \d+\.\d % of the row", page.locator(".tip").inner_text())
    cell.click()
    assert listed(page) == with_tag(tag)


def test_the_matrix_works_by_keyboard(show):
    page = show(DATA)
    page.locator(".matrix").focus()
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert "BBU安装螺丝 → 光纤" in page.locator(".tip").inner_text()


def test_keys_open_step_and_close(show):
    page = show(DATA)
    seen = []
    for key in ("j", "j", "ArrowRight", "k", "ArrowLeft", "Escape", "j"):
        page.keyboard.press(key)
        seen.append(opened(page))
    assert seen == [KEYS[0], KEYS[1], KEYS[2], KEYS[1], KEYS[0], None, KEYS[0]]


def test_the_ends_of_the_list_stay(show):
    page = show(DATA)
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert opened(page) == KEYS[0]
    assert page.get_by_role("button", name="Previous case").is_disabled()
    for _ in range(20):
        page.keyboard.press("j")
    assert opened(page) == KEYS[-1]
    assert page.get_by_role("button", name="Next case").is_disabled()


def test_closing_returns_the_focus_to_the_case(show):
    page = show(DATA)
    page.locator(".case").nth(3).click()
    assert opened(page) == KEYS[3]
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.querySelector('.name').textContent") == KEYS[3]
    page.keyboard.press("Enter")
    page.evaluate(SETTLED)
    assert opened(page) == KEYS[3]


def test_slash_goes_to_the_filter_and_letters_typed_there_are_letters(show):
    page = show(DATA)
    page.locator(".gallery").scroll_into_view_if_needed()
    page.locator(".kind-cases").evaluate("node => node.scrollIntoView()")
    page.keyboard.press("/")
    page.keyboard.type("jk?0003")
    assert page.get_by_label("Filter cases").input_value() == "jk?0003"
    assert opened(page) is None
    page.get_by_label("Filter cases").fill("img_0003")
    assert listed(page) == ["tower/IMG_0003.jpg"]
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert opened(page) == "tower/IMG_0003.jpg"


def test_the_question_mark_lists_the_keys(show):
    page = show(DATA)
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    assert "next case" in page.get_by_role("dialog").inner_text()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()


def test_the_address_keeps_case_and_filter_and_opens_them_again(show):
    page = show(DATA)
    page.locator(".bar:has-text('spurious')").click()
    page.keyboard.press("j")
    link, case = page.evaluate("location.hash"), opened(page)
    assert link.startswith("#find=tag%3Aspurious&case=tower")
    again = show(DATA, link)
    assert opened(again) == case == with_tag("spurious")[1]
    assert listed(again) == with_tag("spurious")
    assert again.locator(".viewer").evaluate("node => node.getBoundingClientRect().top < innerHeight / 2")


def test_a_link_to_a_tag_alone_shows_the_gallery(show):
    page = show(DATA, "#tag=duplicate")
    assert opened(page) is None
    assert listed(page) == with_tag("duplicate")
    assert page.locator(".kind-cases").evaluate("node => node.getBoundingClientRect().top < innerHeight / 2")


def test_the_button_back_of_the_browser_goes_back(show):
    page = show(DATA)
    page.locator(".bar:has-text('missed')").click()
    page.locator(".case").nth(2).click()
    assert opened(page) == with_tag("missed")[2]
    page.go_back()
    assert opened(page) == with_tag("missed")[0]
    page.go_back()
    assert opened(page) is None
    assert listed(page) == KEYS


def test_a_link_to_what_is_not_there_shows_that(show):
    page = show(DATA, "#case=gone&tag=unheard-of")
    assert opened(page) is None
    assert "None of the cases on this page fits." in page.locator(".gallery").inner_text()
    page.get_by_role("button", name="Show all").click()
    assert listed(page) == KEYS


def test_chips_add_up(show):
    page = show(DATA)
    page.locator(".chip", has_text="missed").click()
    page.locator(".chip", has_text="spurious").click()
    both = [key for key in with_tag("missed") if key in with_tag("spurious")]
    assert listed(page) == both
    page.locator(".chip.on", has_text="missed").click()
    assert listed(page) == with_tag("spurious")


def shapes(page, kind=""):
    return page.locator(f".canvas .shape{kind}").count()


def test_layers_are_turned_off_and_on(show):
    page = show(DATA)
    page.keyboard.press("j")
    drawn = DATA["cases"][0]["shapes"]
    truth = sum(shape["side"] == "gt" for shape in drawn)
    matched = sum("partner" in shape for shape in drawn)
    assert (shapes(page), shapes(page, ".gt")) == (len(drawn), truth)
    page.get_by_role("button", name="ground truth", exact=True).click()
    assert (shapes(page), shapes(page, ".gt")) == (len(drawn) - truth, 0)
    page.keyboard.press("g")
    page.keyboard.press("m")
    assert (shapes(page), shapes(page, ".right")) == (len(drawn) - matched, 0)
    page.keyboard.press("j")
    assert shapes(page, ".right") == 0  # the choice holds for the next case
    assert page.locator(".label:visible").count() > 0
    page.keyboard.press("n")
    assert page.locator(".label").count() == 0


def test_pointing_at_an_object_tells_label_and_cause_and_lights_its_partner(show):
    page = show(DATA)
    page.keyboard.press("j")
    drawn = DATA["cases"][0]["shapes"]
    k = next(k for k, shape in enumerate(drawn) if "partner" in shape)
    names = page.locator(".objects .object")
    assert names.count() == len(drawn)
    page.locator(".objects .object.right").first.focus()
    told = page.locator(".tip").inner_text()
    assert told.startswith(drawn[k]["label"])
    assert "ground truth · matched · overlap 0." in told
    assert page.locator(".canvas .shape.lit").get_attribute("data-shape") == str(k)
    assert page.locator(".canvas .shape.partner").get_attribute("data-shape") == str(drawn[k]["partner"])


def test_wrong_objects_are_listed_first(show):
    page = show(DATA)
    page.keyboard.press("j")
    states = [node.get_attribute("class").split()[2] for node in page.locator(".objects .object").all()]
    assert states == sorted(states, key=["wrong", "right", "aside"].index)


def window(page):
    return [float(part) for part in page.locator(".canvas svg").get_attribute("viewBox").split()]


def test_zoom_by_key_and_back(show):
    page = show(DATA)
    page.keyboard.press("j")
    assert window(page) == [0, 0, 1000, 1000]
    page.keyboard.press("+")
    assert window(page) == [200, 200, 600, 600]
    page.keyboard.press("-")
    page.keyboard.press("+")
    page.keyboard.press("0")
    assert window(page) == [0, 0, 1000, 1000]


def test_a_drag_moves_and_stays_inside(show):
    page = show(DATA)
    page.keyboard.press("j")
    page.keyboard.press("+")
    box = page.locator(".canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + box["width"] / 6, y)
    assert window(page)[:2] == pytest.approx([100, 200], abs=2)
    page.mouse.move(x + 2 * box["width"], y)
    page.mouse.up()
    assert window(page)[0] >= 0


def test_footprints_have_y_up_and_a_scale_in_metres(show):
    page = show(rooms())
    page.keyboard.press("j")
    assert page.locator(".scalebar").inner_text() == "2 m"
    width = page.locator(".canvas").evaluate("node => node.clientWidth")
    bar = page.locator(".scalebar").evaluate("node => node.getBoundingClientRect().width")
    assert bar == pytest.approx(width * 2 / 9, abs=1.5)  # the canvas is nine metres wide


def test_y_up_flips_and_a_box_is_where_it_should_be(show):
    box = made.shape("pred", "box", [1, 4, 2, 5], "top left", "spurious")
    case = made.case("a", "a", [box], (0, 0, 10, 5), y_up=True)
    page = show(made.page_data("t", "scene", [], cases=[case]), "#case=a")
    stage, shape = (page.locator(f).bounding_box() for f in (".canvas svg", ".canvas .shape"))
    assert (shape["x"] - stage["x"]) / stage["width"] == pytest.approx(0.1, abs=0.01)
    assert (shape["y"] - stage["y"]) / stage["height"] == pytest.approx(0, abs=0.01)


def test_a_photograph_lies_under_the_shapes(show):
    case = made.case("a", "a", [made.shape("gt", "box", [1, 1, 2, 2], "x", "missed")], (10, 10), image=picture())
    page = show(made.page_data("t", "dense", [], cases=[case]), "#case=a")
    assert page.locator(".canvas image").bounding_box()["width"] > 300
    assert page.locator(".canvas.photo > svg > *").evaluate_all("all => all.map(n => n.tagName)") == ["image", "path"]


def test_a_page_with_cases_and_no_place_for_them_makes_one(show):
    page = show(made.page_data("t", "dense", [], cases=[made.case("a", "a", [], (1, 1))]))
    assert page.locator("h2").all_inner_texts()[0] == "Cases"


def test_a_page_without_cases_says_that_nothing_went_wrong(show):
    page = show(made.page_data("t", "dense", [made.cases("Failures", 0, 0)]))
    assert page.locator(".kind-cases .note:visible").inner_text() == "No case: nothing went wrong."
    page.keyboard.press("j")
    assert opened(page) is None


def test_the_page_says_how_many_cases_it_left_out(show):
    page = show(DATA)
    note = page.locator(".kind-cases .cut").inner_text()
    assert note == "12 of 108 cases are in this page; the cases file has all of them."


def test_everything_to_press_can_be_reached_by_tab(show):
    page = show(photographs(3))
    page.keyboard.press("j")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    wanted = page.evaluate(
        "[...document.querySelectorAll('a[href], button:not(:disabled), input, [tabindex=\"0\"]')]"
        ".filter((node) => node.checkVisibility()).length"
    )
    page.evaluate("window.reached = new Set(); addEventListener('focusin', (event) => reached.add(event.target))")
    for _ in range(wanted + 3):
        page.keyboard.press("Tab")
    assert page.evaluate("reached.size") >= wanted
    names = page.evaluate("[...reached].filter((n) => !(n.getAttribute('aria-label') || n.textContent.trim())).length")
    assert names == 0


def test_the_skip_link_comes_first(show):
    page = show(DATA)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'content'")


def test_a_confused_pair_is_picked_out_together_and_its_names_win_the_space(show):
    #   four boxes in one place, whose names cannot all be shown; the filter looks for what was said of one of them
    places = [[400, 400, 440 + k, 440 + k] for k in range(4)]
    shapes = [
        made.shape("gt", "box", places[3], "worker", "missed", state="wrong", partner=1, overlap=0.8),
        made.shape("pred", "box", places[2], "sign", "wrong class", state="wrong", partner=0, overlap=0.8),
        made.shape("gt", "box", places[1], "cone", "missed", state="wrong"),
        made.shape("pred", "box", places[0], "barrel", "background", state="wrong"),
    ]
    shapes[1]["tags"] = ["worker taken for sign"]
    case = made.case("a", "a", shapes, (1000, 1000), tags=["worker taken for sign"])
    page = show(made.page_data("t", "coco", [], cases=[case]), "#tag=worker+taken+for+sign&case=a")
    bright = page.locator(".canvas .shape:not(.dim)").all()
    assert sorted(node.get_attribute("data-shape") for node in bright) == ["0", "1"]
    assert sorted(page.locator(".canvas .label:visible").all_inner_texts()) == ["sign", "worker"]
    page.locator(".chip.on").click()
    page.locator(".case").first.click()
    assert sorted(page.locator(".canvas .label:visible").all_inner_texts()) == ["barrel", "cone"]  # the small ones
