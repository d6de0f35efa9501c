"""Fresh environments in which no compiler can be found."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

COMPILERS = ("gcc", "cc", "clang", "c++", "g++", "x86_64-linux-gnu-gcc", "aarch64-linux-gnu-gcc")
PASSED_ON = ("HOME", "LANG", "LC_ALL", "SSL_CERT_FILE", "TMPDIR")


class FreshEnvironment:
    """A virtual environment whose programs find nothing but each other."""

    def __init__(self, folder: Path, python: str, *, with_pip: bool = True) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", *([] if with_pip else ["--without-pip"]), str(folder)], check=True)
        self.programs = folder / "bin"
        self.variables = _variables(self.programs)
        reachable = [name for name in COMPILERS if shutil.which(name, path=str(self.programs))]
        if reachable:
            raise SystemExit(f"{', '.join(reachable)} in {self.programs}: expected no compiler within reach")

    def install(self, wheel: Path) -> None:
        """Install a wheel with its dependencies, from wheels alone."""
        self.run(["pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", str(wheel)])

    def run(self, command: Sequence[str], folder: Path | None = None) -> str:
        """What a program of the environment prints; one that fails ends everything, with what it said."""
        call = [str(self.programs / command[0]), *command[1:]]
        ended = subprocess.run(call, cwd=folder, env=self.variables, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {ended.returncode}\n{ended.stdout}{ended.stderr}")
        return ended.stdout


def _variables(programs: Path) -> dict[str, str]:
    """The variables of an environment; settings of pip are passed on, those of Python and compilers are not."""
    passed_on = {name: value for name, value in os.environ.items() if name in PASSED_ON or name.startswith("PIP_")}
    return passed_on | {"PATH": str(programs), "CC": "/nonexistent/cc", "PYTHONDONTWRITEBYTECODE": "1"}
