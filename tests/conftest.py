"""What holds for all tests: no deadlines, and tests that share a cluster or a browser stay in one process.

Examples of property tests have no deadline: how long one takes is up to the machine and who else uses it.
"""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("calipers", deadline=None)
settings.load_profile("calipers")

SHARED = {"browser", "engines"}  # folders whose tests share something that is slow to start


def pytest_collection_modifyitems(items):
    """Keep the tests of a file in one process, and those of a folder that starts a cluster or a browser."""
    for item in items:
        folder = Path(item.path).parent.name
        item.add_marker(pytest.mark.xdist_group(folder if folder in SHARED else str(item.path)))
