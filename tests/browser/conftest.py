"""Pages in a real browser, without a window. Whatever a page does that it must not do fails the test that opened it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calipers.show.page.shell import page as page_bytes

from .chromium import find_chromium, required

# Counts what runs though it must not, and keeps what the policy stopped
WATCH = """
window.hits = 0;
window.hit = () => { window.hits++; };
window.alert = window.confirm = window.prompt = window.hit;
window.stopped = [];
addEventListener("securitypolicyviolation", (event) => window.stopped.push(event.violatedDirective));
"""


def _unable(reason: str) -> Any:
    if required():
        pytest.fail(f"{reason} (needed: CI=true or CALIPERS_BROWSER=require)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """One browser for all tests of this folder."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _unable("pages are not tested in a browser: pip install playwright")
    try:
        path = find_chromium()
    except LookupError as error:
        _unable(f"pages are not tested in a browser: {error}")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # which Chromium refuses to start as root
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=sandbox)
        yield browser
        browser.close()


class Watched:
    """A page in the browser and all it said and asked for."""

    def __init__(self, context: Any, path: Path) -> None:
        self.path, self.said, self.asked = path, list[str](), list[str]()
        self.page = context.new_page()
        self.page.add_init_script(WATCH)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("a dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def go(self, fragment: str = "") -> Any:
        """Load the file; `fragment` begins with #."""
        self.page.goto("about:blank")
        self.page.goto(self.path.as_uri() + fragment)
        return self.page

    def check(self) -> None:
        """Nothing said, nothing run, nothing asked for but the file itself and pictures inside it."""
        assert self.said == []
        assert self.page.evaluate("[window.hits, window.stopped]") == [0, []]
        own = (self.path.as_uri(), "about:blank", "data:image/")
        assert [url for url in self.asked if not url.startswith(own)] == []


SETTLED = "() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done))))"


@pytest.fixture(autouse=True)
def _clicks_settle(chromium: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a click the page has its turn: a link within a page is followed by an event that comes later."""
    from playwright.sync_api import Locator

    click = Locator.click

    def click_and_wait(self: Any, **options: Any) -> None:
        click(self, **options)
        self.page.evaluate(SETTLED)

    monkeypatch.setattr(Locator, "click", click_and_wait)


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """`show(data)` opens the page of this data from disk; further names are options of the window."""
    opened: list[tuple[Any, Watched]] = []

    def show_page(data: dict[str, Any], fragment: str = "", **options: Any) -> Any:
        path = tmp_path / f"report {len(opened)}.html"
        path.write_bytes(page_bytes(data))
        context = chromium.new_context(**({"viewport": {"width": 1440, "height": 900}} | options))
        opened.append((context, Watched(context, path)))
        return opened[-1][1].go(fragment)

    yield show_page
    for context, watched in opened:
        watched.check()
        context.close()
