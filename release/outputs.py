"""What commands write, compared byte by byte: the examples, and larger inputs that are made up.

Whoever runs them differs: other Pythons (`make pythons`), other instructions (`make narrow`).
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from release.wheel import ROOT

EXAMPLES, BENCHMARKS = ROOT / "examples", ROOT / "benchmarks"
PICTURES = {".png", ".svg"}  # of matplotlib, which is no part of a core install
DETECTIONS = "from pathlib import Path; import make_detections as m; m.make_detections(Path({!r}), 300)"

Digests = dict[str, str]  # of files by example and name
Run = Callable[[Sequence[str], Path], Any]  # a command in a folder


def make_inputs(folder: Path) -> None:
    """Larger inputs than the examples are, each in a folder with its command, the same bytes each time."""
    shutil.rmtree(folder, ignore_errors=True)
    dump, images, videos, rooms = (folder / f"{name}-made" for name in ("dense", "coco", "timeline", "scene"))
    for made, command in (
        (dump, "dense gt_vs_pred.jsonl"),
        (images, "coco --gt gt.json --pred results.json"),
        (videos, "timeline --gt gt.json --pred pred.json"),
        (rooms, "scene --gt gt --pred pred"),
    ):
        made.mkdir(parents=True)
        (made / "command.txt").write_text(f"calipers {command} -o out\n", encoding="utf-8")
    _make("make_dump.py", str(dump / "gt_vs_pred.jsonl"), "--records", "2000")
    _make("-c", DETECTIONS.format(str(images)))
    _make("make_timelines.py", "--videos", "200", "--output", str(videos))
    _make("make_scenes.py", str(rooms), "10", "30")


def _make(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], cwd=BENCHMARKS, check=True, stdout=subprocess.DEVNULL)


def write_outputs(run: Run, inputs: Path, folder: Path) -> Digests:
    """Run the command of every example and of every input that was made, in a copy of it: what they write."""
    shutil.rmtree(folder, ignore_errors=True)
    for command in sorted([*EXAMPLES.glob("*/command.txt"), *inputs.glob("*/command.txt")]):
        copy = folder / command.parent.name
        shutil.copytree(command.parent, copy, ignore=shutil.ignore_patterns("out"))
        run(shlex.split(command.read_text(encoding="utf-8")), copy)
    return digests_of(folder)


def digests_of(folder: Path) -> Digests:
    """Digests of the files that commands wrote, without pictures."""
    files = sorted(path for path in folder.glob("*/out/**/*") if path.is_file() and path.suffix not in PICTURES)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def compare(digests: Mapping[str, Digests], what: str) -> None:
    """Say that all is the same, or end with what is not."""
    differences = find_differences(digests)
    if differences:
        raise SystemExit("\n".join(differences))
    print(f"{len(next(iter(digests.values())))} files are the same bytes on {len(digests)} {what}")


def find_differences(digests: Mapping[str, Digests]) -> list[str]:
    """A line for each file that is not the same everywhere.

    >>> find_differences({"3.11": {"a": "1", "b": "2"}, "3.12": {"a": "1", "b": "3"}, "3.13": {"a": "1"}})
    ['b: differs between 3.11 | 3.12, missing on 3.13']
    """
    names: Iterable[str] = sorted(set().union(*digests.values()))
    return [line for name in names if (line := _difference(name, digests))]


def _difference(name: str, digests: Mapping[str, Digests]) -> str:
    groups: dict[str | None, list[str]] = {}
    for runner, known in digests.items():
        groups.setdefault(known.get(name), []).append(runner)
    missing = groups.pop(None, [])
    differs = f"differs between {' | '.join(', '.join(runners) for runners in groups.values())}"
    notes = ([differs] if len(groups) > 1 else []) + ([f"missing on {', '.join(missing)}"] if missing else [])
    return f"{name}: {', '.join(notes)}" if notes else ""
