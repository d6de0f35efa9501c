"""The list of mutants keeps up with the package: snippets occur once, and every pattern names a file of tests.

A change of the code may leave a mutant behind; `python -m tests.mutants --check` names these, and a tenth is too many.
"""

from fnmatch import fnmatch
from pathlib import Path

import pytest

from . import mutants

ROOT = Path(__file__).parents[1]
TESTS = sorted(file.relative_to(ROOT / "tests").as_posix() for file in (ROOT / "tests").rglob("test_*.py"))


@pytest.fixture(scope="module")
def text():
    """All sources of the package."""
    return "\n".join(file.read_text(encoding="utf-8") for file in mutants._sources(ROOT / mutants.PACKAGE))


def test_there_are_mutants_of_every_suite():
    names = [mutant.name for mutant in mutants.read_mutants()]
    assert len(names) == len(set(names)) >= 149
    assert {"dense", "timeline", "scene", "coco", "judge", "kernel"} <= {name.partition("-")[0] for name in names}


def test_every_snippet_occurs_once(text):
    counts = {mutant.name: len(mutants._pattern(mutant.old).findall(text)) for mutant in mutants.read_mutants()}
    assert [name for name, count in counts.items() if count != 1] == []


def test_every_pattern_names_a_file():
    patterns = {pattern for mutant in mutants.read_mutants() for pattern in mutant.tests}
    assert {pattern for pattern in patterns if not any(fnmatch(file, pattern) for file in TESTS)} == set()
