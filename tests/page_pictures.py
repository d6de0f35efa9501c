"""Pictures of the page in README.md and docs/page.md, made with Chromium: `python -m tests.page_pictures`.

The page is that of the sample of the coco suite. Call-outs are numbers on the picture, each beside an element that is
named here; docs/page.md says what they mean.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright

import calipers

from .browser.chromium import find_chromium

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
SAMPLE = Path(calipers.__file__).parent / "data" / "coco"
WINDOW = {"width": 1280, "height": 1400}
SCALE = 0.8  # of a picture to the page
COLOURS = 96  # flat areas and little text: more are not seen, and weigh
MARGIN = 18  # around what is shown; numbers stand in it
RADIUS, MARK, INK = 12, (66, 76, 138), (255, 255, 255)
CASE = "works_057.jpg"
BARS, CARD, CASES = "#s0 .bars", ".cards .card", ".kind-cases .cases"


@dataclass(frozen=True)
class Picture:
    """A part of the page: its first and last element, the case that is open, and the elements that get a number."""

    file: str
    first: str
    last: str
    case: str = ""
    marked: tuple[str, ...] = ()


TOP = ("h1", ".facts", f"{BARS} li:nth-child(1) .name", f"{BARS} li:nth-child(2) .value", "#s1 h2", CARD)
FAILURES = (f"{CASES} .tools input", "#facet-cause", ".gallery", ".viewtitle", ".layers", ".canvas", ".objects")
PICTURES = (
    Picture("page.png", "header", CARD),
    Picture("page_top.png", "header", CARD, marked=TOP),
    Picture("page_failures.png", f"{CASES} .tools", f"{CASES} .objects li:nth-child(9)", CASE, FAILURES),
)


def main() -> None:
    """Make the page, look at it, and write the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder, "report.html")
        calipers.coco(SAMPLE / "instances.json", SAMPLE / "results.json").to_html(path)
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=find_chromium(), args=sandbox)
        page = browser.new_page(viewport=WINDOW)
        page.goto(path.as_uri())
        for picture in PICTURES:
            _write(page, picture)
        browser.close()


def _write(page: Any, picture: Picture) -> None:
    if picture.case:
        page.locator(f"{CASES} .case", has_text=picture.case).click()
    page.locator(picture.first).first.evaluate("(element) => scrollTo(0, element.offsetTop - 40)")
    page.wait_for_timeout(500)  # drawings come when they are in sight
    clip = _clip(page, picture)
    image = Image.open(BytesIO(page.screenshot(clip=clip))).convert("RGB")
    image = image.resize([round(side * SCALE) for side in image.size], Image.Resampling.LANCZOS)
    for number, element in enumerate(picture.marked, start=1):
        _draw_number(image, number, _place(page, element, clip))
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(IMAGES / picture.file, optimize=True)


def _clip(page: Any, picture: Picture) -> dict[str, float]:
    """From above the first element to below the last, as wide as the content."""
    first, last = (page.locator(name).first.bounding_box() for name in (picture.first, picture.last))
    content = page.locator(CASES if picture.case else "main header").bounding_box()
    top = first["y"] - MARGIN
    width, height = content["width"] + 3 * MARGIN, last["y"] + last["height"] + MARGIN - top
    return {"x": content["x"] - 2 * MARGIN, "y": top, "width": width, "height": height}


def _place(page: Any, element: str, clip: dict[str, float]) -> tuple[float, float]:
    """Where the number of an element stands in the picture: left of it, at its upper edge."""
    box = page.locator(element).first.bounding_box()
    x, y = box["x"] - clip["x"], box["y"] + min(box["height"] / 2, MARGIN) - clip["y"]
    return max(x * SCALE - RADIUS - 4, RADIUS + 1), y * SCALE


def _draw_number(image: Image.Image, number: int, place: tuple[float, float]) -> None:
    draw, (x, y) = ImageDraw.Draw(image), place
    draw.ellipse([x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS], fill=MARK)
    draw.text(place, str(number), fill=INK, font=ImageFont.load_default(size=16), anchor="mm")


if __name__ == "__main__":
    main()
