"""What holds for all tests: no deadlines, interrupts that are heard, and tests that share a cluster or a browser stay
in one process.

Examples of property tests have no deadline: how long one takes is up to the machine and who else uses it.
"""

import signal
from pathlib import PurePath

import pytest
from hypothesis import settings

from calipers.engines import local

settings.register_profile("calipers", deadline=None)
settings.load_profile("calipers")

SHARED = {"browser", "engines"}  # folders whose tests share something that is slow to start


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config, log):
    """Keep the tests of a file in one process, and those of a folder that starts a cluster or a browser."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            folder = PurePath(file).parent.name
            return folder if folder in SHARED else file

    return ByFile(config, log)


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
