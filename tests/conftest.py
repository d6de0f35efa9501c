"""What holds for all tests: how large they are (`profiles`), how processes share them (`spread`), interrupts are heard,
and none hangs."""

import faulthandler
import gc
import os
import signal
import sys
import time
from contextlib import contextmanager

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from _pytest.runner import runtestprotocol

from calipers.engines import local
from calipers.files.output import to_json
from calipers.show import plots_apart
from calipers.show.charts import pieces

from . import spread
from .profiles import load_profile, share

load_profile()

RARELY = 100  # collections of young objects to one of all, which by default takes a twentieth of the time of all tests
HANG_SEC = 900  # after which a test hangs, however busy the machine
WATCH_SEC = 60  # between looks at the clock, as a watch for each test would cost more than most tests
WATCHED = [-float(WATCH_SEC)]  # when the watch was set last


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Set the watch again: a test that hangs ends its process with the traceback of every thread, and so fails."""
    if time.monotonic() - WATCHED[0] > WATCH_SEC:
        WATCHED[0] = time.monotonic()
        faulthandler.dump_traceback_later(HANG_SEC, file=item.config.stash[fault_handler_stderr_fd_key], exit=True)


def pytest_unconfigure():
    """The watch ends with the tests."""
    faulthandler.cancel_dump_traceback_later()


def pytest_configure(config):
    """What another package says a thousand times of numpy is no news of ours, and told by one process to another."""
    config.pluginmanager.register(spread)
    config.addinivalue_line("filterwarnings", "ignore:__array__ implementation:DeprecationWarning:pycocotools")


def pytest_runtest_protocol(item, nextitem):
    """Where several processes share the tests, each tells how a test ended: that it began and was set up is no news."""
    asked_for = item.config.option.durations or item.config.option.xmlpath  # of setups and ends as well
    if not hasattr(item.config, "workerinput") or asked_for:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests stay to the end: what they are made of is not searched for garbage again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(700, 10, RARELY)
        gc.enable()


@pytest.hookimpl(optionalhook=True, wrapper=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers():
    """A process more than cores: a test that waits, for a cluster or a browser, leaves its core to others."""
    return (yield) + 1


@pytest.fixture(autouse=True, scope="session")
def _interrupts_are_heard():
    """Processes that tests start hear interrupts, also where a shell has its background jobs ignore them."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def workers_only(monkeypatch):
    """With several jobs, worker processes do all the work, however little it is."""
    monkeypatch.setattr(local, "ALONE_SEC", None)


@pytest.fixture(autouse=True, scope="session")
def _plots_are_drawn_here():
    """Commands in this process draw in it, as where matplotlib is loaded; `test_plots_apart.py` has the other way."""
    before, plots_apart.is_loaded = plots_apart.is_loaded, lambda: True
    yield
    plots_apart.is_loaded = before


@pytest.fixture(autouse=True, scope="session")
def _files_may_stay_in_memory():
    """No machine fails while tests run: what they write need not reach the disk, for which a full run waits."""
    before = os.fsync
    if share() < 1:
        os.fsync = lambda descriptor: None
    yield
    os.fsync = before


BLANK = {"png": b"\x89PNG\r\n", "svg": b"<svg/>"}
DRAWN = {}  # files by what they were drawn from, since this process began


@pytest.fixture
def blank_plots(monkeypatch):
    """Every result is drawn once, and only a full run makes files of it, which takes longer than all else `-o` does."""
    if share() == 1:
        return
    files = pieces.files

    def files_once(stem, plot, tree, names=()):
        names = list(names)
        drawn_from = stem, plot.__module__, to_json({"tree": tree, "names": names})
        if drawn_from not in DRAWN or sys.modules.get("matplotlib", True) is None:  # where a test hides the library
            DRAWN[drawn_from] = files(stem, plot, tree, names)
        return DRAWN[drawn_from]

    monkeypatch.setattr(pieces, "file_of", lambda figure, kind: BLANK[kind])
    monkeypatch.setattr(pieces, "files", files_once)


@pytest.fixture
def named_plots(blank_plots, monkeypatch):
    """Folders have files with the names of plots, which only a full run draws: for tests of how files are written."""
    if share() == 1:
        return
    files = pieces.files

    def files_by_name(stem, plot, tree, names=()):
        names = list(names)
        if sys.modules.get("matplotlib", True) is None:  # where a test hides the library
            return files(stem, plot, tree, names)
        spelt = any(not name.isascii() for name in names) and pieces._needs_fonts(names)
        return {f"{stem}.{ending}": BLANK[ending] for ending in (("png", "svg") if spelt else ("png",))}

    monkeypatch.setattr(pieces, "files", files_by_name)


@contextmanager
def plots_left_out():
    """Within the block, folders have plots in a full run only."""
    with pytest.MonkeyPatch.context() as patch:
        if share() < 1:
            patch.setattr("calipers.show.folder.drawn", lambda suite, tree: ({}, []))
        yield


@pytest.fixture
def without_plots():
    """Folders have plots in a full run only: for tests of results, which are read from everything but plots."""
    with plots_left_out():
        yield


@pytest.fixture(autouse=True, scope="session")
def no_fonts_of_this_machine():
    """Pictures are drawn without the CJK fonts that happen to be installed; tests of these ask for them."""
    from calipers.show.charts import sheet

    before, sheet.cjk_font = (sheet.cjk_font, sheet.note_missing_font), lambda: None
    sheet.note_missing_font = lambda: None  # it comes once in a process, in whichever test draws such labels first
    yield
    sheet.cjk_font, sheet.note_missing_font = before
