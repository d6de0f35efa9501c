"""`make pythons`: examples and made-up inputs on every supported Python of this machine write the same bytes.

Pythons are those on the path, and those that pyenv and uv installed, one for each version. Each gets a wheel of its
own, all of one copy of the sources, and an environment without a compiler. `--reuse` takes wheels of an earlier run.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

from release.fresh import FreshEnvironment
from release.outputs import Digests, compare, make_inputs, write_outputs
from release.wheel import ROOT, build_sdist, build_wheel

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
HOMES = (".pyenv/versions/{}*/bin", ".local/share/uv/python/cpython-{}*/bin")
FOLDER = ROOT / "build" / "pythons"
SOURCES, INPUTS = FOLDER / "sources", FOLDER / "inputs"


def main() -> None:
    """Run all on each Python, and compare."""
    parser = argparse.ArgumentParser(description="Compare what is written on the Pythons of this machine.")
    parser.add_argument("--reuse", action="store_true", help="take wheels of an earlier run")
    reuse = parser.parse_args().reuse
    pythons = find_pythons(Path.home())
    print(f"Pythons: {', '.join(pythons)}")
    if len(pythons) < 2:
        print("skipped: one Python alone has nothing to differ from")
        return
    make_inputs(INPUTS)
    if not reuse:
        unpack_sources(SOURCES)
    compare({version: digests_on(version, python, reuse=reuse) for version, python in pythons.items()}, "Pythons")


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


def unpack_sources(folder: Path) -> None:
    """One copy of the sources for all Pythons; the C files that the first leaves there serve the others too."""
    shutil.rmtree(folder, ignore_errors=True)
    sdist = build_sdist(folder / "dist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")


def digests_on(version: str, python: str, *, reuse: bool) -> Digests:
    """Digests of all that is written on one Python."""
    folder = FOLDER / version
    wheels = list((folder / "dist").glob("*.whl")) if reuse else []
    if not wheels:
        shutil.rmtree(folder / "dist", ignore_errors=True)
        [sources] = SOURCES.glob("calipers-*/")
        wheels = [build_wheel(sources, folder / "dist", python)]
    environment = FreshEnvironment(folder / "env", python)
    environment.install(wheels[0])
    return write_outputs(environment.run, INPUTS, folder / "outputs")


if __name__ == "__main__":
    main()
