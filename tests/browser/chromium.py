"""A Chromium to look at pages with: the one on this machine, or Debian's, installed when that is allowed.

`python -m tests.browser.chromium` prints where it is. The tests drive it through the package `playwright`, which brings
a driver of its own and needs no browser download when it is told where the browser is.
"""

import shutil
import sys

from ..debian import install

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str:
    """Where Chromium is; looks for it, then installs it. LookupError says what to do."""
    return _installed() or _from_debian()


def _installed() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _from_debian() -> str:
    try:
        install("chromium")
    except LookupError as error:
        raise LookupError(f"no Chromium here, and {error}") from error
    if path := _installed():
        return path
    raise LookupError("Debian's package chromium brought no program of a known name")


if __name__ == "__main__":
    try:
        print(find_chromium())
    except LookupError as error:
        sys.exit(str(error))
