"""The golden files, written anew: `python tests/golden/regenerate.py`, with calipers installed.

They are what the bundled demo gives. Look at the difference before keeping it: a golden that changes is a number that
moved, and needs a line in CHANGELOG.md that says which one and why.
"""

from contextlib import chdir
from pathlib import Path

import calipers

DATA = Path(calipers.__file__).parent / "data"
GOLDEN = Path(__file__).parent


def goldens(**options) -> dict[str, bytes]:
    """File name -> content. The dump is named from inside its folder, so that no path of this machine gets in."""
    with chdir(DATA):
        report = calipers.dense("dense.jsonl", **options)
    return {"dense.json": report.to_json(), "dense.txt": f"{report}\n".encode()}


def timeline_goldens() -> dict[str, bytes]:
    """The same for the videos, with the sweep of the demo."""
    with chdir(DATA / "timeline"):
        report = calipers.timeline("annotations.json", "predictions.json", transition_tolerance_frames="0,5,15,30")
    return {"timeline.json": report.to_json(), "timeline.txt": f"{report}\n".encode()}


if __name__ == "__main__":
    for name, content in (goldens() | timeline_goldens()).items():
        (GOLDEN / name).write_bytes(content)
