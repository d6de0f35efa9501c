"""A run that is refused writes nothing and changes nothing, whatever it was asked to write: for every suite."""

from pathlib import Path

import pytest

from calipers.suite import suites

from ..samples import sample_args
from .conftest import OUTPUTS


def files_of(path):
    return [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_a_refused_run_writes_nothing(suite, output, refuses):
    args = sample_args(suite, Path())
    options = {"command": suite.name, "outputs": [OUTPUTS[output]]}
    refuses([*args, "--seed=-1"], "seed: found -1", code=2, **options)
    refuses([*args, "--no-such-option"], "--no-such-option", code=2, **options)
    truth = Path(args[0] if suite.inputs[0].positional else args[1])
    for file in files_of(truth):
        file.write_bytes(b"oops")
    refuses(args, str(truth), code=3, **options)
    truth.rename("elsewhere")
    refuses(args, f"{truth}: ", code=3, **options)


def test_inputs_without_a_flag_are_told_the_flags(run):
    for suite in suites():
        flags = " ".join(f"--{item.name} {item.metavar}" for item in suite.inputs)
        if not any(item.positional for item in suite.inputs):
            run(suite.name, "gt.json", "pred.json").refused(
                2, f"found 'gt.json' without a flag, expected inputs by name: {flags}"
            )
