"""The bundled samples, copied to a folder: every suite has one."""

import shutil
from pathlib import Path
from typing import Any

import calipers
from calipers.suite import Suite

PACKAGE = Path(calipers.__file__).parent


def sample_inputs(suite: Suite, folder: Path = Path()) -> dict[str, Any]:
    """Inputs by name, as the command has them: paths in the folder, into which the files are copied."""
    assert suite.sample
    inputs = {}
    for name, given in suite.sample.inputs.items():
        copies = [_copied(path, suite.sample.folder, folder) for path in ([given] if isinstance(given, str) else given)]
        inputs[name] = copies[0] if isinstance(given, str) else copies
    return inputs


def sample_args(suite: Suite, folder: Path = Path()) -> list[str]:
    """The same as words of a command line."""
    inputs = sample_inputs(suite, folder)
    words = []
    for item in suite.inputs:
        given = inputs.get(item.name, [])
        for path in [given] if isinstance(given, str) else given:
            words += [path] if item.positional else [f"--{item.name}", path]
    return words


def _copied(path: str, sample: str, folder: Path) -> str:
    """The name of a copy; a method's name stays before it."""
    method, equals, source = path.rpartition("=")
    original, name = PACKAGE / source.replace("{}", sample), Path(source).name
    if original.is_dir():
        shutil.copytree(original, folder / name, dirs_exist_ok=True)
    else:
        shutil.copyfile(original, folder / name)
    return f"{method}{equals}{name}"
