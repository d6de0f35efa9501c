"""Packages of Debian that tests need and this machine may lack: installed, or unpacked into a folder of the test.

Where that cannot be done a test is skipped; on a build machine (`CI=true`), or where a variable says `require`, it
fails.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

PATIENCE_SEC = 600
APT_GET = ("apt-get", "--quiet", "-o", "Acquire::Retries=3")
LOCK = Path(tempfile.gettempdir()) / "calipers-tests-apt.lock"


def required(variable: str) -> bool:
    """Whether what is missing is a failure: on a build machine, or where the variable asks for it."""
    return os.environ.get("CI") == "true" or os.environ.get(variable) == "require"


def unable(reason: str, variable: str) -> NoReturn:
    """Fail the test where what is missing is required, else skip it."""
    import pytest

    if required(variable):
        pytest.fail(f"{reason} (needed: CI=true or {variable}=require)", pytrace=False)
    pytest.skip(reason)


def install(package: str) -> None:
    """Install a package; LookupError says what to do where that cannot be done."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise LookupError(f"installing {package} needs root and apt-get: apt-get install {package}")
    with _one_at_a_time():
        _run(*APT_GET, "update")
        _run(*APT_GET, "install", "--yes", "--no-install-recommends", package)


def unpack(package: str, folder: Path) -> Path:
    """The files of a package below a folder, so that nothing on the machine changes; LookupError as for `install`.

    Only a list of packages that is missing or old needs root.
    """
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise LookupError(f"unpacking {package} needs apt-get and dpkg-deb: apt-get install {package}")
    with _one_at_a_time():
        try:
            _run(*APT_GET, "download", package, folder=folder)
        except LookupError:  # no list of packages yet, or an old one
            _run(*APT_GET, "update")
            _run(*APT_GET, "download", package, folder=folder)
    [archive] = folder.glob(f"{package}_*.deb")
    _run("dpkg-deb", "--extract", str(archive), str(folder / "files"))
    return folder / "files"


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Wait for other processes of the tests: apt-get refuses to run beside itself."""
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(*command: str, folder: Path | None = None) -> None:
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    ended = subprocess.run(command, capture_output=True, text=True, env=env, timeout=PATIENCE_SEC, cwd=folder)
    if ended.returncode:
        raise LookupError(f"{' '.join(command)} failed: {ended.stderr.strip()[-300:]}")
