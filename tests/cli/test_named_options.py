"""Messages name options as keywords in Python and in artifacts, and as flags on the command line."""

import ast
import json
import pickle
import re
from pathlib import Path

import click
import pytest

import calipers
from calipers.cli.main import calipers as group
from calipers.cli.streams import with_flags
from calipers.core.errors import OPTIONS, RecordError, keyword

from ..profiles import share

PACKAGE = Path(calipers.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z]")
BOX = {"type": "bbox_2d", "points": [1, 1, 20, 20], "desc": "a"}
CUBE = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}
VOC = "<annotation><filename>a.jpg</filename><size><width>9</width><height>9</height></size></annotation>"
WORDY = [{"gt_norm1000": [BOX | {"desc": "ab"}], "pred": []}]
IMAGES = {"images": [{"id": 1, "neg_category_ids": []}], "categories": [{"id": 1, "name": "cone"}]}


def record(points):
    return {"gt_norm1000": [BOX | {"points": points}], "pred": []}


def voc():
    Path("voc").mkdir()
    Path("voc", "a.xml").write_text(VOC)
    return calipers.coco("voc", "voc", iou_type="segm")


def parts_of_two_methods():
    for name in ("a", "b"):
        Path(f"{name}.json").write_text(json.dumps({"objects": [CUBE | {"id": name}]}))
        calipers.scene(f"{name}.json", f"{name}.json", tally=f"{name}.cal")
    calipers.merge(["a.cal", "b.cal"])


def too_many_methods():
    Path("a.json").write_text(json.dumps({"objects": [CUBE]}))
    calipers.scene("a.json", {"a": "a.json", "b": "a.json"}, max_methods=1)


def gate_without_baseline():
    calipers.gate(calipers.dense([record([1, 1, 20, 20])]), max_drop={"recall": 0.1})


def compare_unlike():
    records = [record([1, 1, 20, 20])]
    calipers.compare(calipers.dense(records), calipers.dense(records, tube_tolerance=3))


def tally_of_something_else():
    Path("a.cal").write_text("{}")
    calipers.merge(["a.cal"])


def yolo_without_sizes():
    Path("labels").mkdir()
    Path("labels", "a.txt").write_text("0 0.5 0.5 0.1 0.1\n")
    calipers.coco("labels", "labels", gt_format="yolo", pred_format="yolo")


def unknown_folder():
    Path("empty").mkdir()
    calipers.coco(IMAGES | {"annotations": []}, "empty")


REFUSED = [
    (lambda: calipers.dense([{"gt": [], "pred": []}]), '`frame="pixel"` reads gt and pred'),
    (lambda: calipers.dense([{"coord_mode": "pixel"}]), '`frame="pixel"` reads gt and pred'),
    (lambda: calipers.dense([record([1, 1, 2000, 20])]), '`frame="pixel"` reads them'),
    (lambda: calipers.dense(WORDY, max_text=1), "`max_text=N`"),
    (voc, 'expected `iou_type="bbox"`'),
    (yolo_without_sizes, "`images=DIR`"),
    (unknown_folder, "`pred_format=…`"),
    (lambda: calipers.coco(IMAGES | {"annotations": []}, [], iou_type="keypoints"), "`ignore_federated=True`"),
    (too_many_methods, "`max_methods=…`"),
    (parts_of_two_methods, '`pred="NAME=PATH"`'),
    (tally_of_something_else, "written by `tally=…`"),
    (lambda: calipers.merge([]), "written by `tally=…`"),
    (gate_without_baseline, "(`baseline=OLD`)"),
    (compare_unlike, "`force=True`"),
]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("call", "named"), REFUSED, ids=[named for _, named in REFUSED])
def test_an_error_raised_in_python_names_the_keyword(call, named):
    with pytest.raises(calipers.CalipersError) as refused:
        call()
    assert named in str(refused.value)
    assert not FLAG.search(str(refused.value))
    assert FLAG.search(with_flags(str(refused.value)))


BAD = {
    "dense": lambda: calipers.dense([5]),
    "timeline": lambda: calipers.timeline({"a": {"inside": [[9, 0]]}}, {}),
    "scene": lambda: calipers.scene([{"label": "seat"}], [CUBE]),
    "coco": lambda: calipers.coco(IMAGES | {"annotations": [{"id": 1, "image_id": 9, "category_id": 1}]}, []),
}


@pytest.mark.parametrize("suite", BAD)
def test_a_bad_record_says_with_which_keyword_to_go_on_without_it(suite):
    with pytest.raises(RecordError) as refused:
        BAD[suite]()
    told = ["(`max_bad_records=N` rejects such records and counts them)"]
    assert refused.value.__notes__ == told
    assert pickle.loads(pickle.dumps(refused.value)).__notes__ == told
    assert not FLAG.search(str(refused.value))


def test_warnings_of_an_artifact_name_keywords():
    cone = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}
    points = {"image_id": 1, "category_id": 1, "keypoints": [1, 1, 2], "score": 0.5}
    report = calipers.coco(IMAGES | {"images": [{"id": 1}], "annotations": [cone]}, [points])
    assert any('keypoints are measured by `iou_type="keypoints"`' in each for each in report["warnings"])
    assert not FLAG.search(report.to_json().decode())


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (keyword("max_bad_records", "N"), "--max-bad-records N"),
        (keyword("frame", "pixel"), "--frame pixel"),
        (keyword("pred", "NAME=PATH"), "--pred NAME=PATH"),
        (keyword("resume", "a b/`c`.cal"), "--resume a b/`c`.cal"),
        (keyword("ignore_federated", True), "--ignore-federated"),
        (keyword("fps"), "--fps"),
        ('`x="1"` ``` `frame` frame="pixel"', '`x="1"` ``` `frame` frame="pixel"'),
    ],
)
def test_the_command_line_shows_flags(written, shown):
    assert with_flags(f"({written} helps)") == f"({shown} helps)"


def test_an_option_that_nothing_has_cannot_be_named():
    with pytest.raises(KeyError):
        keyword("max_bad_record", "N")


def test_every_option_that_messages_name_is_a_flag():
    context = click.Context(group)
    commands = [group.get_command(context, name) for name in group.list_commands(context) if name != "judge"]
    flags = {flag for command in commands for parameter in command.params for flag in parameter.opts}
    assert {f"--{name.replace('_', '-')}" for name in OPTIONS} <= flags


# What check advises is a command to type; pip has flags of its own
SPARED = {"suites/scene/labels/embedding.py"}


def texts(path):
    """Every string of a file, docstrings apart; a full run also looks where no two hyphens are."""
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source))) if "--" in source or share() == 1 else []
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node.value


def test_no_message_of_the_library_names_a_flag():
    sources = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    library = {name: path for name, path in sources.items() if not name.startswith("cli/")}
    library = {name: path for name, path in library.items() if not name.endswith("/suite.py")}  # help of commands
    del library["judge/command.py"]
    del library["pytest_plugin.py"]  # declares a flag of pytest
    found = {name for name, path in library.items() if any(FLAG.search(text) for text in texts(path))}
    assert found <= SPARED
