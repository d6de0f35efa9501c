"""What is claimed about the speed of looking at results, measured.

    python benchmarks/results.py [--records 50000] [--quick] [--data FOLDER]

Two results of the dense suite over the same records, the second without every 20th prediction. Times are those of the
command, from start to exit. Exit status 1 when a claim does not hold. `--quick` runs little data, to see that
everything works, and judges nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from shutil import which

import orjson

from make_dump import make_dump
from measure import MEGABYTE, Claim, calipers_command, command_sec, in_turn, made, report

DATA = Path(__file__).parent.parent / ".benchmarks"
RANKED = 20  # results
CLICK = """() => new Promise((done) => {
  const start = performance.now();
  document.querySelector("thead button, thead th").click();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""


def compare(folder: Path, records: int) -> list[Claim]:
    old, new = (folder / name for name in ("old", "new"))
    artifacts = [old / "result.json", new / "result.json"]
    best = in_turn(
        {
            "help": partial(command_sec, calipers_command("--help")),
            "compare": partial(command_sec, calipers_command("compare", *artifacts)),
            "gate": partial(command_sec, gate_command(*artifacts)),
            "rank": partial(command_sec, rank_command(*artifacts)),
        }
    )
    objects = command_sec(calipers_command("compare", old, new))
    text = f"calipers compare, two artifacts of {records:,} records"
    return [
        Claim("calipers --help", best["help"], "s"),
        Claim(text, best["compare"], "s", at_most=1.0),
        Claim("calipers gate, the same two", best["gate"], "s", at_most=1.0),
        Claim(f"calipers rank, {RANKED} artifacts of as many", best["rank"], "s", at_most=2.0),
        Claim("calipers compare, their folders: with objects fixed and broken", objects, "s"),
    ]


def page(folder: Path, records: int) -> list[Claim]:
    """The page of a folder, from reading it to the file, and how fast it answers in a browser."""
    target = folder / "page.html"
    best = in_turn({"page": partial(command_sec, calipers_command("report", folder / "old", "-o", target))})
    of = f"of {records:,} records"
    return [
        Claim(f"calipers report, the page {of} from its folder", best["page"], "s", at_most=3.0),
        Claim(f"the page {of}", target.stat().st_size / MEGABYTE, "MB", at_most=5.0),
        *first_sort(target),
    ]


def first_sort(target: Path) -> list[Claim]:
    """From a click on the head of a table to the next picture on the screen."""
    program = which("chromium") or which("chromium-browser") or which("google-chrome")
    if find_spec("playwright") is None or program is None:
        print("no figures of a browser: playwright or Chromium is missing", file=sys.stderr)
        return []
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        shown = browser.new_page()
        shown.goto(target.as_uri())
        taken = shown.evaluate(CLICK)
        browser.close()
    return [Claim("the first sort of a table in Chromium", taken, "ms", at_most=200.0)]


def gate_command(old: Path, new: Path) -> list[str]:
    """A gate that passes: the new result has lost a little recall, and gained precision."""
    return calipers_command("gate", new, "--baseline", old, "--max-drop", "mean_f1=0.5", "--floor", "recall=0.1")


def rank_command(old: Path, new: Path) -> list[str]:
    """Each of the two under ten names: as much to read and to tell apart as of twenty that differ."""
    named = [f"{place.parent.name}-{k}={place}" for place in (old, new) for k in range(RANKED // 2)]
    return calipers_command("rank", *named)


def make_results(folder: Path, records: int) -> None:
    """Both results, as the suite writes them; their dumps are large, and not kept."""
    first, second = folder / "old.jsonl", folder / "new.jsonl"
    make_dump(first, records)
    thin_out(first, second)
    for source in (first, second):
        evaluate(source, source.with_suffix(""))
        source.unlink()


def evaluate(source: Path, folder: Path) -> None:
    subprocess.run(calipers_command("dense", source, "-o", folder), check=True, stdout=subprocess.DEVNULL)


def thin_out(source: Path, target: Path) -> None:
    """The same records without every 20th prediction."""
    numbers = count(1)
    with open(source, "rb") as lines, open(target, "wb") as out:
        for line in lines:
            record = orjson.loads(line)
            record["pred"] = [each for each in record["pred"] if next(numbers) % 20]
            out.write(orjson.dumps(record) + b"\n")


def sections(data: Path, records: int) -> Iterator[Callable[[], list[Claim]]]:
    folder = made(data / f"results-{records}", partial(make_results, records=records))
    yield partial(compare, folder, records)
    yield partial(page, folder, records)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    records = 1000 if given.quick else given.records
    return report(sections(given.data, records), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
