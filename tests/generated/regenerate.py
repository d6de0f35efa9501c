"""Modules that are made from others, written anew: `python -m tests.generated.regenerate`, with calipers installed.

Options become types from the dataclass that defines them, artifacts from their JSON Schema.
"""

from __future__ import annotations

import re
from pathlib import Path

import calipers
from calipers.detectors.options import DetectConfig
from calipers.judge.command import USAGE
from calipers.judge.options import NAMES, Options
from calipers.schemas import schema
from calipers.suite import built_in, suite_of

from . import artifact_types, option_types
from .option_types import class_options, config_options

PACKAGE = Path(calipers.__file__).parent


def option_modules() -> dict[Path, str]:
    """Content of every `option_types.py`, by path."""
    modules = {
        PACKAGE / "suites" / name / "option_types.py": option_types.source(
            f"{name.capitalize()}Options",
            f"the {name} suite",
            f"calipers.suites.{name}.config.Config",
            config_options(suite_of(name).config),
        )
        for name in built_in()
    }
    modules[PACKAGE / "detectors" / "option_types.py"] = option_types.source(
        "DetectOptions", "a run of a detector", "calipers.detectors.options.DetectConfig", config_options(DetectConfig)
    )
    modules[PACKAGE / "judge" / "option_types.py"] = option_types.source(
        "JudgeOptions", "a verdict", "calipers.judge.options.Options", class_options(Options, judge_help())
    )
    return modules


def judge_help() -> dict[str, str]:
    """What the usage of the judge says of each of its options."""
    texts = dict(re.findall(r"^  --([a-z-]+) [A-Z]+ +(.+)$", USAGE, flags=re.MULTILINE))
    return {name: texts[name.replace("_", "-")] for name in NAMES}


def artifact_modules() -> dict[Path, str]:
    """Content of every `artifact_types.py`, by path."""
    modules = artifact_types.sources({name: schema(name) for name in built_in()})
    shared = {PACKAGE / "core" / "artifact_types.py": modules.pop(artifact_types.SHARED)}
    return shared | {PACKAGE / "suites" / name / "artifact_types.py": text for name, text in modules.items()}


if __name__ == "__main__":
    for path, content in (option_modules() | artifact_modules()).items():
        path.write_text(content, encoding="utf-8")
        print(path.relative_to(PACKAGE))
