"""Mutation testing: does a test notice when the package computes something else?

`mutants.toml` lists mutants: a snippet that occurs once in the package ($1, $2, … stand for any names), what stands
there instead, what that breaks, and the test files that may notice, as patterns of their names. For each one the
snippet is replaced, the doctests of its module and these files are run up to the first failure, and the module is put
back. A mutant that no test notices has survived, and a test is missing. In the end the tests that noticed are run once
on the package as it is: they have to pass there.

    python -m tests.mutants                          all of them, with a table at the end
    python -m tests.mutants --only causes            those with this in their name
    python -m tests.mutants --check                  whether every snippet occurs once and has tests; runs nothing
    python -m tests.mutants --tree DIR --json FILE   of another checkout, with its kernels built; results to a file
    python -m tests.mutants --known FILE             of an earlier run: what noticed a mutant then is tried first
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

LIST = Path(__file__).with_suffix(".toml")
PACKAGE = Path("src", "calipers")
TIMEOUT_SEC = 900
FIRST_FILES = 3  # that are run before the others are looked at: most mutants are noticed by one of them
KILLED, SURVIVED, UNSURE = "killed", "survived", "unsure"
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
NAME, NAME_OR_TEXT = re.compile(r"\$(\d)"), re.compile(r"\$\d|(?:(?!\$\d).)+", re.DOTALL)
PYTEST = ("-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0")
BUILD = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
name, path = sys.argv.pop(1), sys.argv.pop(1)
flags = ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-O1", "-g0"]
directives = {"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True}
kernel = Extension(name, [path], extra_compile_args=flags)
setup(ext_modules=cythonize([kernel], compiler_directives=directives | {"initializedcheck": False}))
"""


class Mutant(NamedTuple):
    """A change of the package that a test should notice."""

    name: str
    breaks: str
    old: str
    new: str
    tests: list[str]  # patterns of paths below tests/


class Edited(NamedTuple):
    """A file of the package with a mutant in it."""

    file: Path
    content: str


class Outcome(NamedTuple):
    """What became of a mutant."""

    name: str
    breaks: str
    file: str
    state: str
    by: str  # the test that noticed
    seconds: float


class MissingSnippetError(Exception):
    """The snippet of a mutant does not occur exactly once."""


def read_mutants() -> list[Mutant]:
    """All mutants of the list; `tests` may name groups of patterns."""
    tree = tomllib.loads(LIST.read_text(encoding="utf-8"))
    groups: dict[str, list[str]] = tree["groups"]
    mutants = []
    for entry in tree["mutant"]:
        patterns = [pattern for name in entry["tests"] for pattern in groups.get(name, [name])]
        mutants.append(Mutant(entry["name"], entry["breaks"], entry["old"], entry["new"], patterns))
    return mutants


def edit(tree: Path, mutant: Mutant) -> Edited:
    """The file that a mutant changes, changed."""
    pattern = _pattern(mutant.old)
    places = []
    for file in _sources(tree / PACKAGE):
        text = file.read_text(encoding="utf-8")
        places += [(file, text, place) for place in pattern.finditer(text)]
    if len(places) != 1:
        raise MissingSnippetError(f"{mutant.name}: its snippet occurs {len(places)} times in {tree / PACKAGE}")
    [(file, text, place)] = places
    new = NAME.sub(lambda name: place[f"name{name[1]}"], mutant.new)
    return Edited(file, text[: place.start()] + new + text[place.end() :])


def _pattern(snippet: str) -> re.Pattern[str]:
    """A snippet to look for; a name that it leaves open is the same each time."""
    found, known = "", set()
    for piece in NAME_OR_TEXT.findall(snippet):
        if NAME.fullmatch(piece):
            found += f"(?P=name{piece[1]})" if piece in known else rf"(?P<name{piece[1]}>\w+)"
            known.add(piece)
        else:
            found += re.escape(piece)
    return re.compile(found)


def _sources(package: Path) -> list[Path]:
    return sorted(file for file in package.rglob("*") if file.suffix in (".py", ".pyx", ".pxi"))


def select(tree: Path, mutant: Mutant, edited: Edited) -> list[str]:
    """The doctests of the module, then test files in the order of the patterns."""
    tests = tree / "tests"
    files = sorted(file.relative_to(tests).as_posix() for file in tests.rglob("test_*.py"))
    chosen = [file for pattern in mutant.tests for file in files if fnmatch(file, pattern)]
    own = [str(edited.file.relative_to(tree))] if edited.file.suffix == ".py" else []
    return own + [f"tests/{file}" for file in dict.fromkeys(chosen)]


def noticed_before(tree: Path, by: str, edited: Edited) -> list[str]:
    """The test that noticed a mutant in an earlier run, wherever it stands now; nothing if that is not clear."""
    file, _, test = without_case(by).partition("::")
    if file.startswith("src/"):
        return [str(edited.file.relative_to(tree))]
    function = test.rpartition("::")[2]
    places = [each for each in (tree / "tests").rglob("test_*.py") if f"def {function}(" in each.read_text("utf-8")]
    return [f"{places[0].relative_to(tree)}::{test}"] if test and len(places) == 1 else []


@contextmanager
def applied(tree: Path, edited: Edited) -> Iterator[None]:
    """The mutant in its place, and the file as it was afterwards, whatever happens."""
    file, before, times = edited.file, edited.file.read_bytes(), edited.file.stat()
    source = kernel_source(file)
    kernel = built_kernel(source) if source else None
    compiled = kernel.read_bytes() if kernel else b""
    try:
        file.write_text(edited.content, encoding="utf-8")
        if source and kernel:
            replace(kernel, compile_kernel(tree, source))
        yield
    finally:
        replace(file, before)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # what was compiled from it before is good again
        if kernel:
            replace(kernel, compiled)


def replace(file: Path, content: bytes) -> None:
    """A file with other content, never half of it: someone may have it open."""
    beside = file.with_name(f".{file.name}.new")
    beside.write_bytes(content)
    os.replace(beside, file)


def kernel_source(file: Path) -> Path | None:
    """The file that a kernel is compiled from: the file itself, or the one that includes it; None for Python."""
    if file.suffix != ".pxi":
        return file if file.suffix == ".pyx" else None
    including = f'include "{file.name}"\n'
    (source,) = (path for path in file.parent.glob("*.pyx") if including in path.read_text(encoding="utf-8"))
    return source


def built_kernel(source: Path) -> Path:
    """The compiled module of a kernel."""
    (kernel,) = source.parent.glob(f"{source.stem}.*.so")
    return kernel


def compile_kernel(tree: Path, source: Path) -> bytes:
    """A kernel built by itself, in a folder of its own, so that nothing of it is left behind."""
    with tempfile.TemporaryDirectory() as folder:
        keep = {".pyx", ".pxi", ".pxd", ".h", ""}
        shutil.copytree(
            tree / PACKAGE,
            Path(folder, "calipers"),
            ignore=lambda _, names: [n for n in names if Path(n).suffix not in keep and n != "__init__.py"],
        )
        inside = source.relative_to(tree / PACKAGE.parent)
        arguments = [".".join(inside.with_suffix("").parts), str(inside), "-q", "build_ext", "--inplace"]
        subprocess.run([sys.executable, "-c", BUILD, *arguments], cwd=folder, check=True, capture_output=True)
        return built_kernel(Path(folder, inside)).read_bytes()


def run_tests(tree: Path, chosen: list[str], *options: str) -> tuple[int | None, str]:
    """Exit code of pytest, None if it took too long, and what it printed."""
    scratch = Path(tempfile.gettempdir(), "calipers-mutants")
    env = os.environ | {"PYTHONPATH": str(tree / PACKAGE.parent), "HYPOTHESIS_STORAGE_DIRECTORY": str(scratch)}
    command = [sys.executable, "-m", "pytest", *PYTEST, *options, *chosen]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=tree, env=env, text=True, start_new_session=True, **pipes) as process:
        try:
            printed, _ = process.communicate(timeout=TIMEOUT_SEC)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                return None, ""
            raise
    return process.returncode, printed


def examine(tree: Path, mutant: Mutant, known: str) -> Outcome:
    """Whether a test notices a mutant."""
    edited = edit(tree, mutant)
    chosen, start = select(tree, mutant, edited), time.monotonic()
    code: int | None = 0
    printed = ""
    with applied(tree, edited):
        for some in (noticed_before(tree, known, edited), chosen[:FIRST_FILES], chosen[FIRST_FILES:]):
            if some and code != 1:
                code, printed = run_tests(tree, some)
    state = {0: SURVIVED, 1: KILLED, 2: KILLED, None: KILLED}.get(code, UNSURE)
    by = FAILED.search(printed)
    words = by[1] if by else {0: "", None: "timeout"}.get(code, f"pytest ended with {code}: {printed[-300:]}")
    file = str(edited.file.relative_to(tree / PACKAGE))
    return Outcome(mutant.name, mutant.breaks, file, state, words, round(time.monotonic() - start, 1))


def failing_unchanged(tree: Path, outcomes: list[Outcome]) -> set[str]:
    """Tests that noticed a mutant, and fail without one as well."""
    tests = sorted({without_case(outcome.by) for outcome in outcomes if "::" in outcome.by})
    code, printed = run_tests(tree, tests, "--maxfail=1000") if tests else (0, "")
    if code not in (0, 1):
        raise RuntimeError(f"pytest ended with {code}: {printed[-2000:]}")
    return {without_case(test) for test in FAILED.findall(printed)}


def without_case(test: str) -> str:
    """The name of a test, whatever the case it was run for: cases may have spaces in their names."""
    return test.partition("[")[0]


def table(outcomes: list[Outcome]) -> str:
    """Survivors, and how many were noticed."""
    killed = sum(outcome.state == KILLED for outcome in outcomes)
    lines = [f"{each.state:<9} {each.name:<32} {each.file:<40} {each.breaks}" for each in outcomes]
    left = [line for line, each in zip(lines, outcomes, strict=True) if each.state != KILLED]
    return "\n".join([*left, f"{killed} of {len(outcomes)} mutants were noticed by a test"])


def save(path: Path | None, outcomes: list[Outcome]) -> None:
    """What is known so far: a run may be ended."""
    if path:
        path.write_text(json.dumps([each._asdict() for each in outcomes], indent=1, ensure_ascii=False) + "\n")


def check(tree: Path, mutants: list[Mutant]) -> int:
    """Say which mutants cannot be made, or have no tests."""
    wrong = 0
    for mutant in mutants:
        try:
            edited = edit(tree, mutant)
            chosen = select(tree, mutant, edited)
        except MissingSnippetError as error:
            wrong += 1
            print(error)
            continue
        if not any(file.startswith("tests/") for file in chosen):
            wrong += 1
            print(f"{mutant.name}: no test file fits {mutant.tests}")
    print(f"{len(mutants) - wrong} of {len(mutants)} mutants can be made")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Which mutants does no test notice?")
    parser.add_argument("--only", default="", help="mutants with this in their name, several with commas between")
    parser.add_argument("--tree", type=Path, default=LIST.parents[1], help="the checkout to change and test")
    parser.add_argument("--json", type=Path, help="file for all outcomes")
    parser.add_argument("--known", type=Path, help="outcomes of an earlier run")
    parser.add_argument("--check", action="store_true", help="only check the list against the package")
    given = parser.parse_args()
    tree, wanted = given.tree.resolve(), given.only.split(",")
    mutants = [mutant for mutant in read_mutants() if any(part in mutant.name for part in wanted)]
    if given.check:
        return check(tree, mutants)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that files are put back
    known = {each["name"]: each["by"] for each in json.loads(given.known.read_text())} if given.known else {}
    outcomes: list[Outcome] = []
    for mutant in mutants:
        outcomes.append(examine(tree, mutant, known.get(mutant.name, "")))
        last = outcomes[-1]
        print(f"{last.state:<9} {last.seconds:7.1f} s  {last.name:<32} {last.by}", flush=True)
        save(given.json, outcomes)
    broken = failing_unchanged(tree, outcomes)
    outcomes = [each._replace(state=UNSURE) if without_case(each.by) in broken else each for each in outcomes]
    save(given.json, outcomes)
    print(table(outcomes))
    return 0 if all(each.state == KILLED for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
