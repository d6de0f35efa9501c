"""`make pythons`: the examples on every supported Python of this machine write the same bytes.

Pythons are those on the path, and those that pyenv and uv installed, one for each version. Each gets a wheel of its own
and an environment without a compiler. `--reuse` takes wheels of an earlier run.
"""

from __future__ import annotations

import argparse
import hashlib
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from release.fresh import FreshEnvironment
from release.wheel import ROOT, build_sdist, build_wheel

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
HOMES = (".pyenv/versions/{}*/bin", ".local/share/uv/python/cpython-{}*/bin")
FOLDER = ROOT / "build" / "pythons"
PICTURES = {".png", ".svg"}  # of matplotlib, which is no part of a core install

Digests = dict[str, str]  # of files by example and name


def main() -> None:
    """Run the examples on each Python, and compare."""
    parser = argparse.ArgumentParser(description="Compare what the examples write on the Pythons of this machine.")
    parser.add_argument("--reuse", action="store_true", help="take wheels of an earlier run")
    reuse = parser.parse_args().reuse
    pythons = find_pythons(Path.home())
    print(f"Pythons: {', '.join(pythons)}")
    if len(pythons) < 2:
        print("skipped: one Python alone has nothing to differ from")
        return
    digests = {version: digests_on(version, python, reuse=reuse) for version, python in pythons.items()}
    differences = find_differences(digests)
    if differences:
        raise SystemExit("\n".join(differences))
    print(f"{len(next(iter(digests.values())))} files are the same bytes on {len(digests)} Pythons")


def find_pythons(home: Path) -> dict[str, str]:
    """An interpreter for each supported version: that on the path, else the newest of pyenv or uv."""
    choices = {version: next(_interpreters(version, home), None) for version in VERSIONS}
    return {version: path for version, path in choices.items() if path}


def _interpreters(version: str, home: Path) -> Iterator[str]:
    """Interpreters of a version that run; a placeholder for a version that is switched off does not."""
    kept = [path for pattern in HOMES for path in sorted(home.glob(pattern.format(version)), reverse=True)]
    for folder in (None, *map(str, kept)):
        path = shutil.which(f"python{version}", path=folder)
        if path and subprocess.run([path, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
            yield path


def digests_on(version: str, python: str, *, reuse: bool) -> Digests:
    """Digests of all that the examples write on one Python."""
    folder = FOLDER / version
    wheels = list((folder / "dist").glob("*.whl")) if reuse else []
    if not wheels:
        shutil.rmtree(folder / "dist", ignore_errors=True)
        wheels = [build_wheel(build_sdist(folder / "dist"), folder / "dist", python)]
    environment = FreshEnvironment(folder / "env", python)
    environment.install(wheels[0])
    return run_examples(environment, folder / "examples")


def run_examples(environment: FreshEnvironment, folder: Path) -> Digests:
    """Run the command of every example in a copy of it."""
    shutil.rmtree(folder, ignore_errors=True)
    for command in sorted((ROOT / "examples").glob("*/command.txt")):
        copy = folder / command.parent.name
        shutil.copytree(command.parent, copy, ignore=shutil.ignore_patterns("out"))
        environment.run(shlex.split(command.read_text(encoding="utf-8")), copy)
    return digests_of(folder)


def digests_of(folder: Path) -> Digests:
    """Digests of the files that examples wrote, without pictures."""
    files = sorted(path for path in folder.glob("*/out/**/*") if path.is_file() and path.suffix not in PICTURES)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def find_differences(digests: Mapping[str, Digests]) -> list[str]:
    """A line for each file that is not the same everywhere.

    >>> find_differences({"3.11": {"a": "1", "b": "2"}, "3.12": {"a": "1", "b": "3"}, "3.13": {"a": "1"}})
    ['b: differs between 3.11 | 3.12, missing on 3.13']
    """
    names: Iterable[str] = sorted(set().union(*digests.values()))
    return [line for name in names if (line := _difference(name, digests))]


def _difference(name: str, digests: Mapping[str, Digests]) -> str:
    groups: dict[str | None, list[str]] = {}
    for version, known in digests.items():
        groups.setdefault(known.get(name), []).append(version)
    missing = groups.pop(None, [])
    differs = f"differs between {' | '.join(', '.join(versions) for versions in groups.values())}"
    notes = ([differs] if len(groups) > 1 else []) + ([f"missing on {', '.join(missing)}"] if missing else [])
    return f"{name}: {', '.join(notes)}" if notes else ""


if __name__ == "__main__":
    main()
