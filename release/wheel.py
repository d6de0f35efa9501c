"""`make wheel`: an sdist, a wheel made from it, and every demo from that wheel where no compiler can be found.

The wheel holds compiled kernels and no source of them; the sdist holds all that the wheel is made from. The core
install has at most 8 packages and 200 MB, and importing Calipers takes less than 50 ms.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from release.fresh import FreshEnvironment

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PACKAGE = ROOT / "src" / "calipers"
SOURCES = {".pyx", ".pxi", ".pxd"}  # of kernels: in the sdist alone
BUILT = {".c", ".so", ".pyc"}  # what building leaves in the tree: in neither, but for new .so files in the wheel
BESIDE = (
    "LICENSE",
    "MANIFEST.in",
    "Makefile",
    "README.md",
    "pyproject.toml",
    "setup.py",
    "tests/conftest.py",
    "docs/compare.md",
)
MAX_PACKAGES = 8
MAX_BYTES = 200_000_000
MAX_IMPORT_SEC = 0.05
SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
IMPORT = "import time; start = time.perf_counter(); import calipers; print(time.perf_counter() - start)"
SUITES = "from calipers.suite import suite_names; print(*suite_names())"


def main() -> None:
    """Build, look inside, install and run."""
    shutil.rmtree(DIST, ignore_errors=True)
    sdist = build_sdist(DIST)
    wheel = build_wheel(sdist, DIST)
    faults = [*sdist_faults(names_in_sdist(sdist)), *wheel_faults(names_in_wheel(wheel))]
    if faults:
        raise SystemExit("\n".join(faults))
    print(f"{sdist.name}, {wheel.name}: complete, {wheel.stat().st_size / 1e6:.1f} MB")
    environment = FreshEnvironment(ROOT / "build" / "wheel" / "env", sys.executable)
    environment.install(wheel)
    run_demos(environment, ROOT / "build" / "wheel" / "demos")
    check_size(environment)
    check_import(environment)


def build_sdist(folder: Path) -> Path:
    """An sdist of the tree, made with the tools of this environment."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", SDIST, str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    [sdist] = folder.glob("*.tar.gz")
    return sdist


def build_wheel(sdist: Path, folder: Path, python: str | None = None) -> Path:
    """A wheel from the sdist; another Python than this one gets its tools from pip."""
    isolated = [] if python else ["--no-build-isolation"]
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", *isolated, "--wheel-dir", str(folder)]
    subprocess.run([python or sys.executable, "-m", "pip", "wheel", *options, str(sdist)], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def names_in_sdist(path: Path) -> set[str]:
    """The files of an sdist, without its folder."""
    with tarfile.open(path) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def names_in_wheel(path: Path) -> set[str]:
    """The files of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def sdist_faults(names: set[str]) -> list[str]:
    """What is missing in an sdist, and what should not be there."""
    needed = {*BESIDE, *(f"src/{name}" for name in tree_files())}
    missing = [f"{name}: missing in the sdist" for name in sorted(needed - names)]
    return missing + [f"{name}: generated, and in the sdist" for name in sorted(names) if Path(name).suffix in BUILT]


def wheel_faults(names: set[str]) -> list[str]:
    """What is missing in a wheel, and what should not be there."""
    needed = {name for name in tree_files() if Path(name).suffix not in SOURCES}
    compiled = {name.partition(".")[0] for name in names if name.endswith(".so")}
    kernels = {name.removesuffix(".pyx") for name in tree_files() if name.endswith(".pyx")}
    missing = [f"{name}: missing in the wheel" for name in sorted((needed - names) | (kernels - compiled))]
    return missing + [f"{name}: source, and in the wheel" for name in sorted(names) if is_source(name)]


def is_source(name: str) -> bool:
    """Whether a file is source of a kernel, written or generated."""
    return Path(name).suffix in SOURCES | {".c"}


def tree_files() -> set[str]:
    """The files of the package, as `calipers/…`, without what building left there."""
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in BUILT)
    return {path.relative_to(PACKAGE.parent).as_posix() for path in files}


def run_demos(environment: FreshEnvironment, folder: Path) -> None:
    """Run every demo; suites write their files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    suites = environment.run(["python", "-c", SUITES]).split()
    for name in suites:
        environment.run(["calipers", "demo", name, "-o", name], folder)
        if not (folder / name / "result.json").exists():
            raise SystemExit(f"calipers demo {name} -o {name}: wrote no result.json")
    environment.run(["calipers", "demo", "judge"], folder)
    print(f"demos without a compiler: {', '.join([*suites, 'judge'])}")


def check_size(environment: FreshEnvironment) -> None:
    """The core install, apart from what every environment has."""
    listed = json.loads(environment.run(["pip", "list", "--format", "json", "--disable-pip-version-check"]))
    packages = sorted(entry["name"] for entry in listed if entry["name"] not in ("pip", "setuptools"))
    [site] = environment.programs.parent.glob("lib/python*/site-packages")
    own = [path for path in site.rglob("*") if path.is_file() and path.relative_to(site).parts[0] != "pip"]
    size = sum(path.stat().st_size for path in own)
    print(f"{len(packages)} packages ({', '.join(packages)}), {size / 1e6:.0f} MB")
    if len(packages) > MAX_PACKAGES or size >= MAX_BYTES:
        raise SystemExit(f"expected at most {MAX_PACKAGES} packages and less than {MAX_BYTES / 1e6:.0f} MB")


def check_import(environment: FreshEnvironment) -> None:
    """How long importing takes, the best of five."""
    fastest = min(float(environment.run(["python", "-c", IMPORT])) for _ in range(5))
    print(f"import calipers: {fastest * 1000:.1f} ms")
    if fastest >= MAX_IMPORT_SEC:
        raise SystemExit(f"expected less than {MAX_IMPORT_SEC * 1000:.0f} ms")


if __name__ == "__main__":
    main()
