"""Time, memory and verdicts: what the benchmarks share.

Times of things to be compared are taken in turn, in the same run, and the smallest of the rounds counts. Memory is
sampled in a run of its own, since looking at a process slows it down. CPU time also tells on a busy machine. Programs
may leave their modules compiled, as an installation does: the first round pays for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from unicodedata import east_asian_width

HERE = Path(__file__).parent
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
SAMPLE_SEC = 0.02
CPU_SAMPLE_SEC = 0.05
MEGABYTE = 1e6


@dataclass(frozen=True)
class Claim:
    """One line of the table. Without a limit it is there to be read, not judged."""

    text: str
    measured: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def holds(self) -> bool:
        return not (
            (self.at_most is not None and self.measured > self.at_most)
            or (self.at_least is not None and self.measured < self.at_least)
        )

    @property
    def limit(self) -> str:
        if self.at_most is not None:
            return f"<= {figure(self.at_most)}"
        return "" if self.at_least is None else f">= {figure(self.at_least)}"

    @property
    def verdict(self) -> str:
        return "" if not self.limit else "OK" if self.holds else "MISS"

    def __str__(self) -> str:
        return f"{padded(self.text, 68)} {figure(self.measured):>12} {self.unit:6} {self.limit:>14}  {self.verdict}"


def report(sections: Iterable[Callable[[], list[Claim]]], *, judged: bool) -> int:
    """Print the claims of every section as it is measured; the exit status, 1 when one that is judged does not hold."""
    missed = 0
    for section in sections:
        for claim in section():
            print(claim if judged else replace(claim, at_most=None, at_least=None), flush=True)
            missed += judged and not claim.holds
    return int(missed > 0)


def made(folder: Path, make: Callable[[Path], object]) -> Path:
    """A folder of inputs, made once and kept."""
    if not folder.exists():
        print(f"making {folder}", file=sys.stderr)
        part = folder.with_suffix(".part")
        part.mkdir(parents=True, exist_ok=True)
        make(part)
        part.rename(folder)
    return folder


def figure(value: float) -> str:
    """Three digits that matter; large numbers with thousands."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def padded(text: str, width: int) -> str:
    return text + " " * (width - sum(2 if east_asian_width(char) in "WF" else 1 for char in text))


def in_turn(cases: dict[str, Callable[[], float]], rounds: int = 3) -> dict[str, float]:
    """The smallest figure of each case."""
    figures = in_rounds(cases, rounds)
    return {name: min(taken[name] for taken in figures) for name in cases}


def in_rounds(cases: dict[str, Callable[[], float]], rounds: int) -> list[dict[str, float]]:
    """All figures; every round runs every case once, forwards and backwards in turn."""
    orders = [list(cases), list(reversed(cases))]
    return [{name: cases[name]() for name in orders[at % 2]} for at in range(rounds)]


def calipers_command(*arguments: str | Path) -> list[str]:
    """The installed program, as a user would start it."""
    program = Path(sys.executable).with_name("calipers")
    if not program.exists():
        raise SystemExit(f"{program} not found; expected calipers installed beside this interpreter: pip install -e .")
    return [str(program), *map(str, arguments)]


def command_sec(command: list[str]) -> float:
    """Wall time from start to exit."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=HERE, env=ENVIRONMENT)
    return time.perf_counter() - start


def reported(code: str, *arguments: str | Path) -> float:
    """What a fresh interpreter prints last when it runs `code`: a time it took itself."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=HERE, env=ENVIRONMENT)
    return float(run.stdout.split()[-1])


@dataclass
class Peak:
    """The most a process and its descendants held at once. PSS counts shared pages once, RSS in every process."""

    pss_mb: float = 0.0
    rss_mb: float = 0.0
    processes: int = 0

    def see(self, pids: list[int]) -> None:
        sizes = [memory_kb(pid) for pid in pids]
        self.pss_mb = max(self.pss_mb, sum(size["Pss"] for size in sizes) * 1024 / MEGABYTE)
        self.rss_mb = max(self.rss_mb, sum(size["Rss"] for size in sizes) * 1024 / MEGABYTE)
        self.processes = max(self.processes, len(pids))


def peak_memory(command: list[str]) -> Peak:
    """Run the command to its end, looking every 20 ms."""
    peak = Peak()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=HERE, env=ENVIRONMENT) as process:
        while process.poll() is None:
            peak.see(family(process.pid))
            time.sleep(SAMPLE_SEC)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak


def all_cpu_sec(command: list[str]) -> float:
    """CPU time of the command and all its descendants, each as it was last seen.

    Clusters are ended all at once, so that nobody waits for their processes and no sum of the system has them.
    """
    used: dict[int, float] = {}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=HERE, env=ENVIRONMENT) as process:
        while process.poll() is None:
            used |= {pid: sec for pid in family(process.pid) if (sec := own_cpu_sec(pid)) is not None}
            time.sleep(CPU_SAMPLE_SEC)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return sum(used.values())


def own_cpu_sec(pid: int) -> float | None:
    """CPU time of a process so far, without that of its children; None when it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def family(root: int) -> list[int]:
    """The process and all its descendants."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents():
        children.setdefault(parent, []).append(pid)
    found = [root]
    for pid in found:  # grows while it is read
        found += children.get(pid, [])
    return found


def parents() -> Iterable[tuple[int, int]]:
    """(pid, parent pid) of every process there is."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except OSError:  # it ended meanwhile
            continue
        yield int(folder.name), int(stat.rpartition(")")[2].split()[1])


def memory_kb(pid: int) -> dict[str, int]:
    """Pss and Rss of a process; nothing when it has ended."""
    sizes = {"Pss": 0, "Rss": 0}
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return sizes
    for line in lines:
        key, _, rest = line.partition(":")
        if key in sizes:
            sizes[key] = int(rest.split()[0])
    return sizes
