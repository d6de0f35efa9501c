"""Signals at random moments, from exec on, over all commands: each ends the command as it has to, and none is lost.

    python benchmarks/signals.py [--count 500] [--seed 1] [--at-once 2] [--only NAME,…]

A command is run once to know what it writes and how long it takes. Then it is run again and again over the files of an
earlier run, and gets SIGINT or SIGTERM at a random moment. It has to end with 130 or 143 and the old files (or, when
the signal came while they took their names, all of the new ones), or the result was there before the signal came. It
may leave no process, no temporary file and no traceback behind.

Before the first line of Calipers runs, the system or Python itself handles signals; those are counted apart: ended by
the signal (which a shell shows as 130 or 143 as well), or a traceback of Python's own start, in which no file of the
command occurs. Commands start as a module or, every other one, as the script does that an installer writes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import calipers

HANG_SEC = 300
GRACE_SEC = 60  # for processes to be gone, on a busy machine
DATA = Path(calipers.__file__).parent / "data"
START = "from calipers.__main__ import main; main()"
SCRIPT = "import re\nimport sys\nfrom calipers.__main__ import main\nsys.exit(main())"  # as installers write it
AT_ONCE = "import time, itertools; time.perf_counter = itertools.count().__next__; "  # workers after the first shard
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
OURS = re.compile(r'File "[^"]*/calipers/(?!__init__\.py")')  # in a traceback: Calipers has begun to run
PYTHONS_OWN = "traceback of Python's own start"
GOOD = ("stopped", "result was there before", "ended by the system")
BOX = '{"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}'
PAYLOAD = b'{"expected": {"bbox": [0, 0, 1, 1]}, "candidate_answer": "[0, 0, 1, 1]"}\n'
RUN = ("--bootstrap", "200")
TIMELINE = ("timeline", "--gt", DATA / "timeline/annotations.json", "--pred", DATA / "timeline/csv")
SCENE = ("scene", "--gt", DATA / "scene/gt", "--pred", DATA / "scene/pipeline")
COCO = ("coco", "--gt", DATA / "coco/instances.json", "--pred", DATA / "coco/results.json")


@dataclass(frozen=True)
class Command:
    """A command with its inputs, and what it is written to: files under `out`, else standard output."""

    name: str
    arguments: tuple[object, ...]
    jobs: int = 1
    serves: bool = False
    installed: bool = False

    def line(self) -> list[str]:
        jobs = ["--jobs", str(self.jobs)] if self.arguments[0] in ("dense", "timeline", "scene", "coco") else []
        alone = ["-c", SCRIPT] if self.installed else ["-m", "calipers"]
        program = alone if self.jobs == 1 else ["-c", AT_ONCE + START]
        return [sys.executable, *program, *map(str, self.arguments), *jobs]


COMMANDS = [
    *(Command("dense", ("dense", "dump.jsonl", "--chunk-bytes", 20_000, *RUN, "-o", "out"), jobs) for jobs in (1, 2)),
    *(Command("timeline", (*TIMELINE, "--chunk-bytes", 1, *RUN, "-o", "out"), jobs) for jobs in (1, 2)),
    *(Command("scene", (*SCENE, "--chunk-bytes", 1, *RUN, "-o", "out"), jobs) for jobs in (1, 2)),
    *(Command("coco", (*COCO, *RUN, "-o", "out"), jobs) for jobs in (1, 2)),
    Command("judge", ("judge", "iou"), installed=True),
    Command("judge --serve", ("judge", "iou", "--serve"), serves=True),
    Command(
        "compare", ("compare", "a/result.json", "b/result.json", "--force", "-o", "out/compared.json"), installed=True
    ),
    Command("gate", ("gate", "b/result.json", "--baseline", "a/result.json", "--max-drop", "mean_f1=1")),
    Command("check", ("check", "dump.jsonl"), installed=True),
    Command("report", ("report", "a", "-o", "out/report.html")),
    Command("merge", ("merge", "a.cal", "b.cal", "-o", "out/merged.json"), installed=True),
    Command("rank", ("rank", "a", "c", "-o", "out/ranked.json")),
    Command("suspects", ("suspects", "a", "-o", "out/suspects.csv"), installed=True),
    Command("demo", ("demo", "dense", "-o", "out")),
]


@dataclass
class Usual:
    """How a command ends when nobody disturbs it."""

    code: int
    stdout: bytes
    files: dict[str, bytes]
    seconds: float


def make_inputs(folder: Path, commands: Iterable[Command]) -> None:
    """What these commands read, made by Calipers itself."""
    records = [f'{{"id": {k}, "gt_norm1000": [{BOX}], "pred": [{BOX}]}}\n' for k in range(1500)]
    (folder / "dump.jsonl").write_text("".join(records), encoding="utf-8")
    read = {str(each).partition("/")[0].removesuffix(".cal") for command in commands for each in command.arguments}
    for name, part in (("a", records[:40]), ("b", records[40:80]), ("c", records[:40])):
        if name not in read:
            continue
        (folder / f"{name}.jsonl").write_text("".join(part), encoding="utf-8")
        options = ("--bootstrap", "50", "-o", name, "--tally", f"{name}.cal")
        command = [sys.executable, "-m", "calipers", "dense", f"{name}.jsonl", *options]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (folder / "payload.json").write_bytes(PAYLOAD)


def files_in(folder: Path) -> dict[str, bytes]:
    """What is in a folder, also while a command writes there: temporary files may be gone before they are read."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file():
            with suppress(FileNotFoundError):
                files[str(path.relative_to(folder))] = path.read_bytes()
    return files


class Run:
    """One run in a folder of its own, with files of an earlier run in it."""

    def __init__(self, command: Command, inputs: Path, old: dict[str, bytes]) -> None:
        self.command, self.old = command, old
        self.folder = Path(tempfile.mkdtemp(prefix="calipers-signals-"))
        for path in inputs.iterdir():
            (self.folder / path.name).symlink_to(path)
        for name, content in old.items():
            (self.folder / "out" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "out" / name).write_bytes(content)
        (self.folder / "out").mkdir(exist_ok=True)
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        given = subprocess.PIPE if self.command.serves else open(self.folder / "payload.json", "rb")  # noqa: SIM115
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            process = subprocess.Popen(
                self.command.line(), cwd=self.folder, stdin=given, stdout=out, stderr=err, start_new_session=True
            )
        if process.stdin is not None:
            process.stdin.write(PAYLOAD * 3)
            process.stdin.flush()
        return process

    @property
    def stdout(self) -> bytes:
        return (self.folder / "stdout").read_bytes()

    @property
    def stderr(self) -> str:
        return (self.folder / "stderr").read_text(encoding="utf-8", errors="replace")

    @property
    def files(self) -> dict[str, bytes]:
        return files_in(self.folder / "out")

    def close(self) -> None:
        for pid in group_of(self.process.pid):
            with suppress(ProcessLookupError):  # it has ended since
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def group_of(leader: int) -> list[int]:
    """The living processes of a group."""
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(group) == leader and state != "Z":
            pids.append(int(entry.name))
    return pids


def usual(command: Command, inputs: Path) -> Usual:
    """Run a command to its end."""
    begun = time.monotonic()
    run = Run(command, inputs, {})
    try:
        if command.serves:
            while run.stdout.count(b"\n") < 3:
                time.sleep(0.01)
            return Usual(0, run.stdout, {}, time.monotonic() - begun)
        code = run.process.wait(timeout=HANG_SEC)
        return Usual(code, run.stdout, run.files, time.monotonic() - begun)
    finally:
        run.close()


def signalled(
    command: Command, inputs: Path, expected: Usual, number: signal.Signals, moment_sec: float, *, later: bool
) -> str:
    """Send a signal at a moment, counted from exec or, `later`, from when the command handles signals."""
    old = dict.fromkeys(expected.files, b"before")
    run = Run(command, inputs, old)
    try:
        while later and run.process.poll() is None and not handles_termination(run.process.pid):
            time.sleep(0.001)
        time.sleep(moment_sec)
        if run.process.poll() is not None:
            return "had ended"
        run.process.send_signal(number)
        was_there = run.files == expected.files and run.stdout == expected.stdout and not command.serves
        try:
            code = run.process.wait(timeout=HANG_SEC)
        except subprocess.TimeoutExpired:
            return "HANGS"
        return judged(run, expected, number, code, was_there=was_there)
    finally:
        run.close()


def handles_termination(pid: int) -> bool:
    """Whether a process has a handler for SIGTERM, which Python itself has not."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return False
    caught = next((line.split()[1] for line in lines if line.startswith("SigCgt:")), "0")
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def judged(run: Run, expected: Usual, number: signal.Signals, code: int, *, was_there: bool) -> str:
    files, stderr = run.files, run.stderr
    if not wait_for_end(run.process.pid):
        return "LEAVES A PROCESS"
    if files not in (run.old, expected.files):
        return f"FILES ARE MIXED: {sorted(name for name in files if files[name] != run.old.get(name))}"
    if "Traceback" in stderr or "Fatal Python error" in stderr:
        return f"TRACEBACK: {stderr}" if OURS.search(stderr) else PYTHONS_OWN
    if code == CODES[number]:
        return "stopped"
    if code == -number and files == run.old and not stderr:
        return "ended by the system"
    if code == expected.code and was_there:
        return "result was there before"
    return "LOST" if code == expected.code else f"EXIT CODE {code}: {stderr}"


def wait_for_end(leader: int) -> bool:
    end = time.monotonic() + GRACE_SEC
    while group_of(leader):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def moments(count: int, seed: int, names: set[str]) -> Iterator[tuple[Command, signal.Signals, float]]:
    """Commands in turn, signals in turn, and when: as a share of the time the command takes."""
    rng, commands = Random(seed), [each for each in COMMANDS if not names or each.name in names]
    for at in range(count):
        number = list(CODES)[(at // len(commands)) % 2]
        yield commands[at % len(commands)], number, rng.uniform(0, 1)


def send_signals(
    count: int, seed: int, at_once: int, names: set[str], *, later: bool = False
) -> dict[tuple[str, int], Counter[str]]:
    """Send so many signals. Returns what became of them, by command and jobs."""
    outcomes: dict[tuple[str, int], Counter[str]] = {}
    with tempfile.TemporaryDirectory(prefix="calipers-signals-") as folder, ThreadPoolExecutor(at_once) as threads:
        inputs = Path(folder)
        cases = list(moments(count, seed, names))
        make_inputs(inputs, [command for command, *_ in cases])
        expected = {command: usual(command, inputs) for command in dict.fromkeys(command for command, *_ in cases)}

        def one(case: tuple[Command, signal.Signals, float]) -> str:
            command, number, share = case
            for _ in range(20):  # until it is in time
                moment_sec = share * expected[command].seconds
                outcome = signalled(command, inputs, expected[command], number, moment_sec, later=later)
                if outcome != "had ended":
                    return outcome
                share *= 0.8
            return outcome

        for at, ((command, *_), outcome) in enumerate(zip(cases, threads.map(one, cases), strict=True), 1):
            print(f"{at} of {count}", end="\r", file=sys.stderr, flush=True)
            outcomes.setdefault((command.name, command.jobs), Counter())[outcome] += 1
            if outcome not in GOOD:
                print(f"{command.name} --jobs {command.jobs}: {outcome}", file=sys.stderr, flush=True)
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # commands would ignore it if a shell had this one ignore it
    outcomes = send_signals(given.count, given.seed, given.at_once, set(filter(None, given.only.split(","))))
    total: Counter[str] = Counter()
    for (name, jobs), counted in outcomes.items():
        total += counted
        print(f"{name:16} jobs {jobs}  {json.dumps(counted)}")
    print(f"{'all':16}         {json.dumps(total)}")
    return int(any(outcome.isupper() or outcome.partition(":")[0].isupper() for outcome in total))


if __name__ == "__main__":
    sys.exit(main())
