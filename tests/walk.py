"""How far a reader walks through the sources to follow one run: `python -m tests.walk [REPOSITORY …]`.

For each suite, `calipers demo SUITE` runs in one process, and functions are noted in the order of their first call.
Along that order the table counts the files passed and how often the next function is in another folder, with the lines
of those files and the modules that were imported. Several repositories, such as worktrees of two commits, are shown one
after the other; their kernels must be compiled.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

SUITES = ("dense", "timeline", "scene", "coco")
HERE = Path(__file__).resolve().parents[1]
CO_OPTIMIZED = 1  # flag of the code of functions; bodies of modules and classes lack it
INNER = "<"  # begins the name of comprehensions and lambdas, which are read with the function around them
HEADER = f"{'suite':10}{'files':>7}{'folder changes':>16}{'lines':>8}{'modules':>9}{'of other suites':>17}"


class Walk(NamedTuple):
    """One run of a suite, followed through the sources."""

    suite: str
    files: list[str]  # of functions in the order of their first call, below src/calipers
    modules: list[str]  # of the package, that were imported

    @property
    def files_passed(self) -> set[str]:
        """The files in which a function was called."""
        return set(self.files)

    @property
    def folder_changes(self) -> int:
        """How often the next function is in another folder."""
        return sum(1 for _ in groupby(os.path.dirname(file) for file in self.files)) - 1

    @property
    def foreign_modules(self) -> list[str]:
        """Imported modules that belong to another suite, by the first suite that their names mention."""
        return [name for name in self.modules if _suite_mentioned(name) not in (self.suite, None)]


def _suite_mentioned(module: str) -> str | None:
    return next((word for word in re.split(r"[._]", module) if word in SUITES), None)


def walk(suite: str, repository: Path = HERE) -> Walk:
    """Run the demo of a suite with the sources of a repository, in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", suite, str(repository / "src")]
    result = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    return Walk(suite, **json.loads(result.stdout.splitlines()[-1]))


def report(repository: Path) -> Iterator[str]:
    """The lines of the table of one repository."""
    sources, tests = _lines_of(repository / "src", "py", "pyx", "pxi", "pxd"), _lines_of(repository / "tests", "py")
    yield f"{repository}: {sources} lines of source, {tests} lines of tests"
    yield HEADER
    for suite in SUITES:
        path = walk(suite, repository)
        package = repository / "src" / "calipers"
        lines = sum(_count_lines(package / file) for file in path.files_passed)
        yield (
            f"{suite:10}{len(path.files_passed):>7}{path.folder_changes:>16}{lines:>8}{len(path.modules):>9}"
            f"{len(path.foreign_modules):>17}"
        )


def _lines_of(folder: Path, *endings: str) -> int:
    return sum(_count_lines(path) for ending in endings for path in folder.rglob(f"*.{ending}"))


def _count_lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


# In the process of one run


def _record_run(suite: str, source: str) -> dict[str, list[str]]:
    """Run the demo of a suite; the files of its functions in the order of their first call, and what it imported."""
    sys.path[0] = source
    package = os.path.join(source, "calipers") + os.sep
    calls: dict[CodeType, None] = {}

    def note_call(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith(INNER)
        if event == "call" and is_function and code.co_filename.startswith(package):
            calls.setdefault(code)

    _run_demo(suite, note_call)
    files = [code.co_filename.removeprefix(package) for code in calls]
    return {"files": files, "modules": sorted(name for name in sys.modules if name.split(".")[0] == "calipers")}


def _run_demo(suite: str, profile: Any) -> None:
    from calipers.cli.start import main

    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])  # one core: one process
    sys.argv = ["calipers", "demo", suite]
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        main()
    except SystemExit as ending:
        if ending.code:
            raise
    finally:
        sys.setprofile(None)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        record = _record_run(*sys.argv[2:])
        sys.stdout.write("\n" + json.dumps(record) + "\n")
    else:
        for place in [Path(name).resolve() for name in sys.argv[1:]] or [HERE]:
            sys.stdout.write("\n".join(report(place)) + "\n\n")
