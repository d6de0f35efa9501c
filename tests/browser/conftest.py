"""Pages in a real browser, without a window. Whatever a page does that it must not do fails the test that opened it."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from calipers.show.page.shell import page as page_bytes

from ..debian import unable
from ..profiles import share
from .chromium import find_chromium

HERE = Path(__file__).parent
VARIABLE = "CALIPERS_BROWSER"
WINDOW = {"width": 1440, "height": 900}
PATIENCE_SEC = 300  # after which something hangs, however busy the machine
MOTION = "no-preference" if share() == 1 else "reduce"  # colours that fade are drawn again and again
# None is imitated either: pages here need none
NO_GRAPHICS_CARD = ("--disable-gpu", "--disable-gpu-rasterization", "--disable-software-rasterizer")
# Counts what runs though it must not, and keeps what the policy stopped
WATCH = """
window.hits = 0;
window.hit = () => { window.hits++; };
window.alert = window.confirm = window.prompt = window.hit;
window.stopped = [];
addEventListener("securitypolicyviolation", (event) => window.stopped.push(event.violatedDirective));
"""


RUNNING = ExitStack()  # the browser, from the first test of this folder to the last


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """After the last test of this folder the browser is closed."""
    try:
        return (yield)
    finally:
        if nextitem is None or HERE not in nextitem.path.parents:
            RUNNING.close()
            WINDOWS.clear()
            _browser.cache_clear()


@pytest.fixture(scope="session")
def program() -> str:
    """Where Chromium is, looked for once."""
    if find_spec("playwright") is None:
        unable("pages are not tested in a browser: pip install playwright", VARIABLE)
    try:
        return find_chromium()
    except LookupError as error:
        unable(f"pages are not tested in a browser: {error}", VARIABLE)


@pytest.fixture
def chromium(program: str) -> Any:
    """One browser for all tests of this folder."""
    return _browser(program)


@cache
def _browser(path: str) -> Any:
    from playwright.sync_api import sync_playwright

    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # which Chromium refuses to start as root
    driver = RUNNING.enter_context(sync_playwright())
    browser = driver.chromium.launch(
        executable_path=path, args=[*NO_GRAPHICS_CARD, *sandbox], timeout=1000 * PATIENCE_SEC
    )
    RUNNING.callback(browser.close)
    return browser


class Watched:
    """A window of the browser, the page in it, and all that the page said and asked for."""

    def __init__(self, browser: Any) -> None:
        self.context = browser.new_context()
        self.context.set_default_timeout(1000 * PATIENCE_SEC)
        self.path, self.said, self.asked = Path(), list[str](), list[str]()
        self.page = self.context.new_page()
        self.page.add_init_script(WATCH)
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("a dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open(
        self, path: Path, fragment: str = "", viewport: dict[str, int] = WINDOW, color_scheme: str = "light"
    ) -> Any:
        """Load a file as if nothing had been here before; `fragment` begins with #."""
        if self.path == path:
            self.page.goto("about:blank")  # or only the fragment would change
        self.path = path
        self.said.clear()
        self.asked.clear()
        self.page.mouse.move(0, 0)
        self.page.emulate_media(media="null", color_scheme=color_scheme, reduced_motion=MOTION)
        if self.page.viewport_size != viewport:  # or what was here before is laid out again
            self.page.set_viewport_size(viewport)
        self.page.goto(path.as_uri() + fragment)
        return self.page

    def check(self) -> None:
        """Nothing said, nothing run, nothing asked for but the file itself and pictures inside it."""
        assert self.said == []
        assert self.page.evaluate("[window.hits, window.stopped]") == [0, []]
        own = (self.path.as_uri(), "about:blank", "data:image/")
        assert [url for url in self.asked if not url.startswith(own)] == []


WINDOWS: list[Watched] = []  # of the browser: a new one takes more than all that a test does in it


@pytest.fixture
def windows(chromium: Any) -> Iterator[Iterator[Watched]]:
    """Windows for a test, which the next one uses again; in a full run each test has new ones."""

    def one_by_one() -> Iterator[Watched]:
        for place in count():
            if place == len(WINDOWS):
                WINDOWS.append(Watched(chromium))
            yield WINDOWS[place]

    yield one_by_one()
    if share() == 1:
        while WINDOWS:
            WINDOWS.pop().context.close()


# After a frame, in which places are drawn to their width, and after what the frame found to be in sight was told.
# Evaluating has no limit of time: a browser that draws no frame any more must not be waited for without end
SETTLED = """() => new Promise((done) => {
    setTimeout(() => requestAnimationFrame(() => setTimeout(() => setTimeout(done))));
    setTimeout(done, 60_000);
})"""
DOES = {  # names of what changes a page, by the class of the driver that has it
    "Page": ("goto", "go_back", "reload", "set_viewport_size", "emulate_media"),
    "Locator": ("hover", "fill", "scroll_into_view_if_needed"),
    "Keyboard": ("press", "type"),
    "Mouse": ("move", "down", "up"),
}
READS = {  # and of what looks at it, or does something to a thing where it is
    "Page": ("evaluate", "pdf"),
    "Locator": (
        *("inner_text", "all_inner_texts", "text_content", "all_text_contents", "get_attribute", "input_value"),
        *("count", "all", "evaluate", "evaluate_all", "bounding_box", "is_visible", "is_hidden", "is_disabled"),
        *("hover", "focus"),
    ),
}


@pytest.fixture(autouse=True)
def _pages_settle(chromium: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is looked at once it has had its turn after what was done to it, however busy the machine."""
    from playwright import sync_api

    evaluate, settled = sync_api.Page.evaluate, set[Any]()  # pages to which nothing was done since they had their turn

    def settle(page: Any) -> None:
        if page not in settled:
            evaluate(page, SETTLED)
            settled.add(page)

    def settling(method: Callable[..., Any], *, does: bool, reads: bool) -> Callable[..., Any]:
        def call(self: Any, *arguments: Any, **options: Any) -> Any:
            if reads:
                settle(getattr(self, "page", self))
            if does:
                settled.clear()
            return method(self, *arguments, **options)

        return call

    def click(self: Any, method: Any = sync_api.Locator.click, **options: Any) -> None:
        settle(self.page)
        settled.clear()
        method(self, **options)
        settle(self.page)  # also before a key is pressed: a link within a page is followed by an event that comes later

    for name, doing in DOES.items():
        kind, reading = getattr(sync_api, name), READS.get(name, ())
        for method in {*doing, *reading}:
            patched = settling(getattr(kind, method), does=method in doing, reads=method in reading)
            monkeypatch.setattr(kind, method, patched)
    monkeypatch.setattr(sync_api.Locator, "click", click)


@pytest.fixture
def show(windows: Iterator[Watched], tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """`show(data)` opens the page of this data from disk; further names are options of the window."""
    opened: list[Watched] = []

    def show_page(data: dict[str, Any], fragment: str = "", **options: Any) -> Any:
        path = tmp_path / f"report {len(opened)}.html"
        path.write_bytes(page_bytes(data))
        opened.append(next(windows))
        return opened[-1].open(path, fragment, **options)

    yield show_page
    for watched in opened:
        watched.check()
