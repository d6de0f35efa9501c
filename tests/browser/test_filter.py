"""The filter of the cases: terms that combine, over all cases of the page, and chips and bars that write it."""

import pytest

from calipers.show.page import sections as made
from calipers.show.page.folded import Folded, TextTable, fold
from calipers.show.page.listing import ErrorFacets, listing

from ..profiles import share

#   key        objects that are wrong              slice   drawn
#   dock       screw missed, bolt spurious         night   yes
#   harbour    bolt missed, screw spurious         day     yes
#   lighthouse screw missed (2), "wing nut" missed night   no
#   many 000…  washer misplaced                            no
WRONG = {
    "dock": [("missed", "screw"), ("spurious", "bolt")],
    "harbour": [("missed", "bolt"), ("spurious", "screw")],
    "lighthouse": [("missed", "screw"), ("missed", "screw"), ("missed", "wing nut")],
}
SLICES = {"dock": ["light=night"], "harbour": ["light=day"], "lighthouse": ["light=night"]}
SCORES = {"dock": 200, "harbour": 199, "lighthouse": 198}


def listed(key):
    errors = [ErrorFacets(cause, label, ("line",) if label == "bolt" else ()) for cause, label in WRONG[key]]
    return listing(key, key, errors, facets={"slice": SLICES[key]}, score=SCORES[key], note=f"line of {key}")


def drawn(key):
    shapes = [
        made.shape("gt" if cause == "missed" else "pred", "box", [10 * k, 10, 10 * k + 8, 20], label, cause)
        for k, (cause, label) in enumerate(WRONG[key])
    ]
    return made.drawn_case(listed(key), shapes, (100, 100))


MANY = [listing(f"many {k:03}", f"many {k:03}", [ErrorFacets("misplaced", "washer")], score=1) for k in range(120)]
WASHER = made.shape("gt", "poly", [10, 10, 40, 10, 25, 40], "washer", "misplaced", overlap=0.3, note="a note")
BOLT = made.shape("pred", "line", [50, 50, 90, 90], "bolt", score=0.9, partner=0, state="right", tags=["line"])
BARS = made.bars(
    "Fix first",
    [
        made.bar("missed", 0.2, goto={"cause": "missed"}),
        made.bar("misplaced", 0.1, goto={"cause": "misplaced"}),
        made.bar("duplicate", 0.1, goto={"cause": "duplicate"}),
    ],
)
CASES = [drawn("dock"), drawn("harbour"), listed("lighthouse"), *MANY]
DATA = made.page_data("t", "dense", [BARS, made.cases("Failures", len(CASES), 3000)], cases=CASES)


def box(page):
    return page.get_by_label("Filter cases")


def names(page):
    return page.locator(".gallery .name").all_inner_texts()


def count(page):
    return page.locator(".kind-cases .tools .count").inner_text()


def test_terms_combine_and_look_through_cases_that_are_not_drawn(show):
    page = show(DATA)
    found = {
        "label:screw cause:missed": ["dock", "lighthouse"],  # of one and the same object
        "label:screw cause:missed slice:light=night": ["dock", "lighthouse"],
        "label:screw cause:spurious": ["harbour"],
        "cause:missed cause:spurious": ["dock", "harbour"],  # of one object each
        'label:"wing nut"': ["lighthouse"],
        "label:wing": ["lighthouse"],  # no label is called so: part of one
        "slice:night -key:dock": ["lighthouse"],
        "-label:screw": [case["key"] for case in MANY][:24],
        "tag:line": ["dock", "harbour"],
        "KEY:Dock": ["dock"],
        "nut night": ["lighthouse"],  # plain words, wherever they stand
        '"line of"': ["dock", "harbour"],  # the note of a drawn case
        "nofacet:x": [],
        'label:"': ["dock", "harbour", "lighthouse", *[case["key"] for case in MANY][:21]],  # not yet finished
    }
    for text, keys in found.items():
        box(page).fill(text)
        assert (text, names(page)) == (text, keys)
    box(page).fill("cause:missed")
    assert count(page) == "3 of 123 cases"


def test_a_bar_writes_the_filter_and_opens_the_first_case_that_is_drawn(show):
    page = show(DATA)
    page.locator(".bar", has_text="missed").first.click()
    assert box(page).input_value() == "cause:missed"
    assert page.locator(".viewer h3").inner_text() == "dock"
    assert page.evaluate("location.hash") == "#find=cause%3Amissed&case=dock"
    assert page.locator("a.bar").count() == 2  # no case has a duplicate
    page.keyboard.press("Escape")
    page.locator(".bar", has_text="misplaced").click()
    assert box(page).input_value() == "cause:misplaced"
    assert page.locator(".viewer h3").inner_text() == "many 000"


def test_chips_write_the_box_and_leave_it(show):
    page = show(DATA)
    page.locator(".facets .chip", has_text="light=night").click()
    assert box(page).input_value() == "slice:light=night"
    page.locator(".facets .chip", has_text="wing nut").click()
    assert box(page).input_value() == 'slice:light=night label:"wing nut"'
    assert names(page) == ["lighthouse"]
    chosen = page.locator(".chip.on")
    assert [chip.get_attribute("aria-pressed") for chip in chosen.all()] == ["true", "true"]
    chosen.first.click()
    assert box(page).input_value() == 'label:"wing nut"'
    chosen.first.click()
    assert (box(page).input_value(), count(page)) == ("", "123 cases")


def test_chips_count_cases_that_would_be_left(show):
    page = show(DATA, "#find=label:screw")
    chips = page.locator(".facets[aria-labelledby=facet-cause] .chip").all_inner_texts()
    assert [" ".join(chip.split()) for chip in chips] == ["missed 2", "spurious 1"]


def test_a_case_that_is_not_drawn_says_its_errors(show):
    page = show(DATA, "#case=lighthouse")
    assert "Not drawn on this page" in page.locator(".undrawn").inner_text()
    assert page.locator(".undrawn li").all_inner_texts() == ["2 missed: screw", "1 missed: wing nut"]
    for key in ("+", "0", "g", "g"):  # no drawing to look at, and no error
        page.keyboard.press(key)
    page.keyboard.press("k")
    assert page.locator(".viewer h3").inner_text() == "harbour"
    assert page.locator(".canvas .shape").count() == 2


def test_a_listed_case_is_drawn_when_it_comes_into_sight_or_is_opened(show):
    table = TextTable()
    drawings = [made.drawn_case(case, [WASHER, BOLT], (100, 100), note="line 7") for case in MANY]
    folded = [
        case | {"folded": Folded.of(fold(drawing, table), table)} for case, drawing in zip(MANY, drawings, strict=True)
    ]
    cases = [drawn("dock"), *folded]
    data = made.page_data("t", "dense", [made.cases("Failures", len(cases), len(cases))], cases=cases)
    page = show(data, viewport={"width": 390, "height": 300})
    last = page.locator(".gallery .case").last
    assert page.locator(".gallery .nodrawing").count() == 0
    assert last.locator(".still").count() == 0  # far below what is in sight
    last.scroll_into_view_if_needed()
    last.locator(".still .shape.wrong.gt").first.wait_for(state="attached")
    box(page).fill("key:many 119")
    page.locator(".gallery .case").first.click()
    assert page.locator(".viewer h3").inner_text() == "many 119"
    assert page.locator(".viewer .note").first.inner_text() == "1 of 1 \u00b7 1 misplaced \u00b7 line 7"
    assert page.locator(".undrawn").count() == 0
    assert page.locator(".canvas path.shape.gt.wrong.poly.c-misplaced").count() == 1
    assert page.locator(".canvas path.shape.pred.right.line").count() == 1
    told = page.locator(".objects .object").all_inner_texts()
    assert [" ".join(text.split()) for text in told] == [
        "\u2194 washer ground truth \u00b7 misplaced \u00b7 overlap 0.300 a note",
        "bolt prediction \u00b7 score 0.900",
    ]


def test_more_cases_are_listed_on_demand(show):
    page = show(DATA)
    assert (len(names(page)), page.locator(".gallery .nodrawing").count()) == (24, 22)
    more = page.locator(".kind-cases .more")
    assert more.inner_text() == "Show 48 more of 123"
    more.click()
    assert len(names(page)) == 72
    more.click()
    more.click()
    assert (len(names(page)), more.is_visible()) == (123, False)


def test_of_many_cases_only_the_neighbours_of_the_open_one_are_listed(show):
    page = show(DATA, "#case=many+060")
    assert names(page)[30] == "many 060"
    assert len(names(page)) == 61
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.querySelector('.name').textContent") == "many 060"


def test_the_page_says_that_it_does_not_have_all_cases(show):
    page = show(DATA)
    note = page.locator(".kind-cases .cut").inner_text()
    assert note == "123 of 3,000 cases are in this page; the cases file has all of them."


def test_the_filter_works_by_keyboard_alone(show):
    page = show(DATA)
    page.keyboard.press("/")
    page.keyboard.type("cause:missed slice:night")
    page.keyboard.press("Escape")
    assert box(page).input_value() == "cause:missed slice:night"  # left, not emptied: it says what is shown
    page.keyboard.press("j")
    assert page.locator(".viewer h3").inner_text() == "dock"
    page.keyboard.press("j")
    assert page.locator(".viewer h3").inner_text() == "lighthouse"
    page.keyboard.press("Escape")
    assert page.locator(".viewer").is_hidden()
    assert box(page).input_value() == "cause:missed slice:night"


def test_objects_that_the_filter_looks_for_stand_out(show):
    page = show(DATA, "#find=label:screw+cause:missed&case=dock")
    assert page.locator(".canvas .shape:not(.dim)").get_attribute("data-shape") == "0"


LABELS = ['a"b', "a\\b", "two words", "-minus", "x:y", "cause:missed", "", "\u202e"]


@pytest.mark.parametrize("texts", [[each] for each in LABELS] if share() == 1 else [LABELS])
def test_whatever_a_label_is_a_click_on_it_finds_it(show, texts):
    """In a full run each label has a page with one other, otherwise all of them are on one."""
    cases = [
        made.case(str(k), str(k), [made.shape("gt", "box", [0, 0, 5, 5], label, "missed")], (9, 9))
        for k, label in enumerate((*texts, "other"))
    ]
    bars = made.bars("B", [made.bar("b", 1, goto={"label": text, "cause": "missed"}) for text in texts])
    page = show(made.page_data("t", "dense", [bars], cases=cases))
    for k, text in enumerate(texts):
        page.locator(".bar").nth(k).click()
        found = [str(k)] if text else [case["key"] for case in cases]  # no label cannot be asked for
        assert page.locator(".viewer h3").inner_text() == found[0]
        assert names(page) == found


def test_strips_are_filtered_by_kind_and_name(show):
    runs = {"ground truth": [("outside", 0, 9)], "prediction": [("inside", 0, 9)]}
    films = [
        made.video(f"{k}.mp4", 10, runs, tags=[f"{k}.mp4", *(["late start"] if k % 2 else []), "deletion"])
        for k in range(8)
    ]
    bars = made.bars("Fix first", [made.bar("late start", 0.1, goto="late start")])
    page = show(made.page_data("t", "timeline", [bars, made.strips("Videos", films, ["outside", "inside"])]))
    shown = page.locator(".strips strong")
    page.locator(".bar").click()
    assert page.get_by_label("Filter Videos").input_value() == 'tag:"late start"'
    assert shown.all_inner_texts() == ["1.mp4", "3.mp4", "5.mp4", "7.mp4"]
    page.get_by_label("Filter Videos").fill('tag:"late start" -key:3')
    assert shown.all_inner_texts() == ["1.mp4", "5.mp4", "7.mp4"]
    page.locator(".chip.on").first.click()
    page.locator(".chip.on").first.click()
    assert shown.count() == 8
    page.locator(".facets .chip", has_text="late start").click()
    assert shown.count() == 4


def test_slices_of_videos_have_chips_of_their_own(show):
    runs = {"ground truth": [("outside", 0, 9)], "prediction": [("inside", 0, 9)]}
    films = [
        made.video(f"{k}.mp4", 10, runs, tags=["deletion"]) | {"slices": [f"light={'night' if k % 2 else 'day'}"]}
        for k in range(8)
    ]
    page = show(made.page_data("t", "timeline", [made.strips("Videos", films, ["outside", "inside"])]))
    groups = page.locator(".facets").all_inner_texts()
    assert [text.split() for text in groups] == [
        ["kind", "deletion", "8"],
        ["slice", "light=day", "4", "light=night", "4"],
    ]
    page.locator(".facets .chip", has_text="light=night").click()
    assert page.get_by_label("Filter Videos").input_value() == "slice:light=night"
    assert page.locator(".strips strong").all_inner_texts() == ["1.mp4", "3.mp4", "5.mp4", "7.mp4"]
    page.get_by_label("Filter Videos").fill("tag:deletion slice:night -key:3")
    assert page.locator(".strips strong").all_inner_texts() == ["1.mp4", "5.mp4", "7.mp4"]
