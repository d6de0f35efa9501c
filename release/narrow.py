"""`make narrow`: kernels that use no instructions which only some machines have write the same bytes as the usual ones.

The usual kernels ask the processor whether it has AVX2; those in the folder that is given are told that it has not
(CALIPERS_NARROW=1, setup.py). Both run examples and made-up inputs on this Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from release.outputs import Run, compare, make_inputs, write_outputs
from release.wheel import ROOT

FOLDER = ROOT / "build" / "narrow"
WHICH = "import calipers.kernels.count.sums as kernel; print(kernel.__file__)"


def main() -> None:
    """Run all with both kinds of kernels, and compare."""
    folders = {"usual kernels": ROOT / "src", "kernels without AVX2": FOLDER / "lib"}
    make_inputs(FOLDER / "inputs")
    digests = {}
    for name, packages in folders.items():
        check_kernels(packages)
        digests[name] = write_outputs(runner(packages), FOLDER / "inputs", FOLDER / "outputs" / packages.name)
    compare(digests, "kinds of kernels")


def check_kernels(packages: Path) -> None:
    """End everything unless the kernels of a folder are those that are imported from it."""
    command = [sys.executable, "-c", WHICH]
    loaded = subprocess.run(command, env=variables(packages), check=True, capture_output=True, text=True).stdout
    if not loaded.startswith(f"{packages}{os.sep}"):
        raise SystemExit(f"found kernels in {loaded.strip()}, expected them in {packages}")


def runner(packages: Path) -> Run:
    """How a command runs with the packages of a folder; one that fails ends everything, with what it said."""

    def run(command: Sequence[str], folder: Path) -> None:
        call = [sys.executable, "-m", *command]
        ended = subprocess.run(call, cwd=folder, env=variables(packages), capture_output=True, text=True, check=False)
        if ended.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {ended.returncode}\n{ended.stdout}{ended.stderr}")

    return run


def variables(packages: Path) -> dict[str, str]:
    """The variables of this process, with the packages of a folder before all others."""
    return os.environ | {"PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"}


if __name__ == "__main__":
    main()
