"""What `make wheel` looks at: files that have to be in an sdist and a wheel, and an environment without a compiler."""

import sys

import pytest
from release.fresh import COMPILERS, FreshEnvironment

from release import wheel

KERNEL = "calipers/kernels/scan/column"


def sdist_names() -> set[str]:
    return {*wheel.BESIDE, *(f"src/{name}" for name in wheel.tree_files())}


def wheel_names() -> set[str]:
    names = wheel.tree_files()
    compiled = {
        f"{name.removesuffix('.pyx')}.cpython-313-x86_64-linux-gnu.so" for name in names if name.endswith("pyx")
    }
    return {name for name in names if not wheel.is_source(name)} | compiled | {"calipers-0.1.0.dist-info/METADATA"}


def test_the_tree_is_known_without_what_building_leaves_there():
    names = wheel.tree_files()
    assert {f"{KERNEL}.pyx", f"{KERNEL}.pyi", "calipers/py.typed", "calipers/data/dense.jsonl"} <= names
    assert not {name for name in names if name.endswith((".so", ".c", ".pyc"))}


def test_what_is_complete_has_no_faults():
    assert wheel.sdist_faults(sdist_names()) == []
    assert wheel.wheel_faults(wheel_names()) == []


@pytest.mark.parametrize("name", [f"src/{KERNEL}.pyx", "src/calipers/py.typed", "setup.py", "docs/compare.md"])
def test_an_sdist_without_a_file_is_told(name):
    assert wheel.sdist_faults(sdist_names() - {name}) == [f"{name}: missing in the sdist"]


def test_an_sdist_with_generated_files_is_told():
    assert wheel.sdist_faults(sdist_names() | {f"src/{KERNEL}.c"}) == [f"src/{KERNEL}.c: generated, and in the sdist"]


@pytest.mark.parametrize(
    "name", ["calipers/py.typed", "calipers/suites/dense/schema.json", "calipers/data/dense.jsonl"]
)
def test_a_wheel_without_a_file_is_told(name):
    assert wheel.wheel_faults(wheel_names() - {name}) == [f"{name}: missing in the wheel"]


def test_a_wheel_without_a_kernel_is_told():
    names = {name for name in wheel_names() if not name.startswith(f"{KERNEL}.cpython")}
    assert wheel.wheel_faults(names) == [f"{KERNEL}: missing in the wheel"]


@pytest.mark.parametrize("suffix", [".c", ".pyx", ".pxi", ".pxd"])
def test_a_wheel_with_source_of_a_kernel_is_told(suffix):
    assert wheel.wheel_faults(wheel_names() | {KERNEL + suffix}) == [f"{KERNEL}{suffix}: source, and in the wheel"]


def test_a_fresh_environment_reaches_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    environment = FreshEnvironment(tmp_path / "env", sys.executable, with_pip=False)
    program = (
        "import os, shutil, sys; print(*[shutil.which(name) for name in sys.argv[1:]], os.environ.get('PYTHONPATH'))"
    )
    printed = environment.run(["python", "-c", program, *COMPILERS])
    assert printed.split() == ["None"] * (len(COMPILERS) + 1)
    with pytest.raises(SystemExit, match=r"^python -c .*: exit code 3\n"):
        environment.run(["python", "-c", "raise SystemExit(3)"])
