"""Modules that are made from others are as they would be made now; if not: `python -m tests.generated.regenerate`."""

import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from typing import get_type_hints

import pytest

from calipers.suite import built_in, suite_of

from .regenerate import PACKAGE, artifact_modules, option_modules

MODULES = option_modules() | artifact_modules()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_is_what_would_be_made(path):
    assert path.read_text(encoding="utf-8") == MODULES[path]


@pytest.mark.parametrize("name", built_in())
def test_options_have_the_names_of_the_config_and_none_has_to_be_given(name):
    options = getattr(import_module(f"calipers.suites.{name}.option_types"), f"{name.capitalize()}Options")
    names = [(item.name, item.metadata["alias"]) for item in fields(suite_of(name).config)]
    assert list(get_type_hints(options)) == [each for both in names for each in both if each]
    assert options.__required_keys__ == frozenset()


def test_importing_and_running_loads_no_types():
    program = "import sys, calipers; calipers.dense([], bootstrap=0); calipers.judge.iou({}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if name.endswith("_types") and name.startswith("calipers.")] == []
