"""A page opens from disk without a word, in both modes and on all screens, prints, and lets nothing else run."""

import pytest

from calipers.show.page.shell import page as page_bytes

from ..profiles import share
from ..show.page.samples import SAMPLES, many_rows, photographs, videos


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", SAMPLES)
def test_every_page_opens_from_disk_without_an_error(show, name, mode):
    data = SAMPLES[name]()
    page = show(data, color_scheme=mode)
    titles = page.locator("section > h2").all_inner_texts()
    assert titles == [section["title"] for section in data["sections"]]
    assert page.locator("h1").inner_text() == data["title"]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_page_is_wider_than_its_window(show, name):
    page = show(SAMPLES[name]())
    for key in ("", "j"):  # with no case open, and with one
        page.keyboard.press(key or "Escape")
        for width in (360, 768, 1100, 1380, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


ATTEMPTS = [
    "const n = document.createElement('script'); n.text = 'hit()'; document.body.append(n)",
    "document.body.setAttribute('onclick', 'hit()'); document.body.click()",
    "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=hit()>')",
    "setTimeout('hit()', 0)",
    "const n = new Image(); n.src = 'http://evil.invalid/x.png'",
    "fetch('http://evil.invalid/').catch(() => 0)",
    "const n = document.createElement('style'); n.textContent = '*{}'; document.head.append(n)",
]


@pytest.mark.parametrize("attempts", [[each] for each in ATTEMPTS] if share() == 1 else [ATTEMPTS])
def test_the_policy_stops_what_the_page_did_not_bring(windows, tmp_path, attempts):
    """In a full run each attempt has a page of its own, otherwise they are made one after the other on one."""
    path = tmp_path / "report.html"
    path.write_bytes(page_bytes(photographs(2)))
    page = next(windows).open(path)
    for attempt in attempts:
        page.evaluate("window.stopped = []")
        page.evaluate(f"() => {{ try {{ {attempt} }} catch (error) {{ window.refused = String(error) }} }}")
        page.wait_for_function("window.stopped.length > 0")
        assert page.evaluate("window.hits") == 0


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_dark_follows_the_system_and_can_be_turned(show):
    page = show(photographs(), color_scheme="light")
    light = background(page)
    page.emulate_media(color_scheme="dark")
    dark = background(page)
    assert light != dark
    page.get_by_role("button", name="Dark").click()
    assert background(page) == light
    page.keyboard.press("d")
    assert background(page) == dark
    assert page.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"


def test_it_prints_light_without_controls_and_with_whole_tables(show):
    page = show(photographs(4, rows=300), color_scheme="dark")
    assert page.locator("tbody tr[aria-rowindex]").count() < 300
    assert page.pdf().startswith(b"%PDF-")
    assert page.locator("tbody tr[aria-rowindex]").count() < 300
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("tbody tr[aria-rowindex]").count() == 300
    page.emulate_media(media="print")
    assert not page.locator("input[type=search]").first.is_visible()
    assert not page.get_by_role("button", name="Dark").is_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(34, 38, 42)"


def test_the_printed_page_holds_the_rows_the_screen_does_not(show):
    few, many = (len(show(photographs(2, rows=rows)).pdf()) for rows in (20, 400))
    assert many > few + 10_000


def test_the_largest_page_draws_only_what_is_in_view(show):
    """How fast it opens, benchmarks/results.py measures."""
    page = show(many_rows())
    assert page.locator("tbody tr").count() < 100
    assert page.locator(".gallery .case").count() == 24


def test_strips_are_drawn_when_they_come_into_sight_and_tell_the_states(show):
    page = show(videos())
    assert page.locator(".film svg").count() == 0
    page.locator(".striphead").first.scroll_into_view_if_needed()
    strip = page.locator(".film svg").first
    strip.hover(position={"x": 200, "y": 5})
    told = page.locator(".tip").inner_text()
    assert told.startswith("frame ")
    assert "ground truth: " in told
    assert "prediction: " in told
    before = page.locator(".scale").first.inner_text()
    strip.focus()
    for key in ("ArrowRight", "+", "+"):
        page.keyboard.press(key)
    assert page.locator(".scale").first.inner_text() != before
    page.keyboard.press("0")
    assert page.locator(".scale").first.inner_text() == before


def test_a_row_of_a_video_leads_to_its_strip(show):
    page = show(videos())
    page.get_by_role("link", name="boston_00005_snippet.mp4").click()
    assert page.locator(".strips li strong").all_inner_texts() == ["boston_00005_snippet.mp4"]
    page.locator(".stripbox .chip.on").click()
    assert page.locator(".strips li").count() == 12


def test_a_curve_reads_its_values_by_pointer_and_by_key(show):
    page = show(photographs())
    plot = page.locator(".plot svg").first
    plot.focus()
    page.keyboard.press("ArrowRight")
    told = page.locator(".tip > *").all_inner_texts()
    assert told[0] == "IoU threshold 0.5"
    values = [" ".join(line.split()) for line in told[1:]]
    assert values == ["localization 0.810", "phase 0.780", "category 0.720 (0.700 – 0.740)"]
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 80)
    assert page.locator(".tip > *").first.inner_text() == "IoU threshold 0.95"


def test_cards_say_undefined_as_a_dash(show):
    page = show(photographs())
    card = page.locator(".card", has_text="attribute F1")
    assert card.locator(".value").inner_text() == "—"
    assert page.locator(".card", has_text="mean F1").locator(".range").inner_text() == "95 % 0.543 – 0.580"
