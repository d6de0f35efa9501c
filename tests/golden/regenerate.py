"""The golden files, written anew: `python tests/golden/regenerate.py`, with calipers installed.

They are what the bundled demo gives, and so is the picture of rooms in the docs. Look at the difference before keeping
it: a golden that changes is a number that moved, and needs a line in CHANGELOG.md that says which one and why.
"""

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import calipers
from calipers.cli.streams import with_flags
from calipers.show.folder import write_folder

DATA = Path(calipers.__file__).parent / "data"
GOLDEN = Path(__file__).parent
PICTURE = GOLDEN.parents[1] / "docs" / "images" / "scene.svg"


def goldens(**options) -> dict[str, bytes]:
    """File name -> content. The dump is named from inside its folder, so that no path of this machine gets in."""
    with chdir(DATA):
        report = calipers.dense("dense.jsonl", **options)
    return {"dense.json": report.to_json(), "dense.txt": with_flags(f"{report}\n").encode()}


def timeline_goldens() -> dict[str, bytes]:
    """The same for the videos, with the sweep of the demo."""
    with chdir(DATA / "timeline"):
        report = calipers.timeline("annotations.json", "predictions.json", transition_tolerance_frames="0,5,15,30")
    return {"timeline.json": report.to_json(), "timeline.txt": with_flags(f"{report}\n").encode()}


def scene_goldens() -> dict[str, bytes]:
    """The same for the rooms, with both methods."""
    with chdir(DATA / "scene"):
        report = calipers.scene("gt", ["pipeline", "clio"], config="eval_config.json")
    return {"scene.json": report.to_json(), "scene.txt": with_flags(f"{report}\n").encode()}


def coco_goldens() -> dict[str, bytes]:
    """The same for the detections."""
    with chdir(DATA / "coco"):
        report = calipers.coco("instances.json", "results.json")
    return {"coco.json": report.to_json(), "coco.txt": with_flags(f"{report}\n").encode()}


def scene_picture() -> bytes:
    """The first of these methods from above."""
    with chdir(DATA / "scene"), TemporaryDirectory() as folder:
        write_folder(folder, calipers.scene("gt", "pipeline", config="eval_config.json", bootstrap=0))
        return Path(folder, "pipeline_overlay_xy.svg").read_bytes()


if __name__ == "__main__":
    for name, content in (goldens() | timeline_goldens() | scene_goldens() | coco_goldens()).items():
        (GOLDEN / name).write_bytes(content)
    PICTURE.write_bytes(scene_picture())
