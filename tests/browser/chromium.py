"""A Chromium to look at pages with: the one on this machine, or Debian's, installed when that is allowed.

Run as a program it prints where it is. The tests drive it through the package `playwright`, which brings a driver of
its own and needs no browser download when it is told where the browser is.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_SEC = 600


def required() -> bool:
    """Whether a missing browser is a failure: on a build machine, or when asked for."""
    return os.environ.get("CI") == "true" or os.environ.get("CALIPERS_BROWSER") == "require"


def find_chromium() -> str:
    """Where Chromium is; looks for it, then installs it. LookupError says what to do."""
    return _installed() or _from_debian()


def _installed() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _from_debian() -> str:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise LookupError("no Chromium here, and installing one needs root and apt-get: apt-get install chromium")
    for step in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        command, env = ["apt-get", "--quiet", *step], os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        ended = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE_SEC)
        if ended.returncode:
            raise LookupError(f"no Chromium here, and {' '.join(command)} failed: {ended.stderr.strip()[-300:]}")
    if path := _installed():
        return path
    raise LookupError("Debian's package chromium brought no program of a known name")


if __name__ == "__main__":
    try:
        print(find_chromium())
    except LookupError as error:
        sys.exit(str(error))
