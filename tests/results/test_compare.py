"""Comparisons from Python: verdicts, objects that were fixed and broken, and what can be made of a comparison."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.cli.main import calipers as command
from calipers.core.errors import InputError, OutputError
from calipers.core.figures import Figure
from calipers.results.artifacts import Result
from calipers.results.changed_objects import changed_objects
from calipers.results.compare import change, compare

from .conftest import DATA

pytestmark = pytest.mark.usefixtures("without_plots")

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
FAR = {"type": "bbox_2d", "points": [500, 500, 600, 600], "desc": "类别=标签"}


def figure(value, draws, *, better=True, n=100, moved=False) -> Figure:
    return Figure("x", value, None, None if draws is None else np.array(draws, dtype=float), better, n, moved)


# verdicts


@pytest.mark.parametrize(
    ("low", "high", "better", "verdict"),
    [
        (0.01, 0.03, True, "better"),
        (-0.03, -0.01, True, "worse"),
        (0.01, 0.03, False, "worse"),
        (-0.03, -0.01, False, "better"),
        (-0.01, 0.03, True, "cannot tell"),
        (0.0, 0.03, True, "cannot tell"),  # an end that is 0 does not exclude it
        (-0.03, 0.0, False, "cannot tell"),
        (0.0, 0.0, True, "cannot tell"),
        (0.01, 0.03, None, "cannot tell"),  # neither direction is good
    ],
)
def test_a_verdict_needs_an_interval_that_excludes_zero(low, high, better, verdict):
    found = change(figure(0.0, [0.0] * 1000), figure(high, [low] * 500 + [high] * 500, better=better))
    assert (found.interval, found.verdict) == ([low, high], verdict)


def test_what_is_undefined_on_one_side_has_no_difference():
    for old, new in ((None, 0.5), (0.5, None), (None, None)):
        found = change(figure(old, [0.5] * 1000), figure(new, [0.5] * 1000))
        assert (found.difference, found.interval, found.verdict) == (None, None, "cannot tell")


def test_without_replicates_there_is_a_difference_and_no_interval():
    found = change(figure(0.5, None), figure(0.75, [0.75] * 1000))
    assert (found.difference, found.interval, found.verdict) == (0.25, None, "cannot tell")


def test_replicates_that_are_undefined_on_one_side_stay_out():
    draws = [np.nan] * 500 + [0.5] * 500
    found = change(figure(0.5, [0.25] * 1000), figure(0.5, draws))
    assert found.interval == [0.25, 0.25]
    assert change(figure(0.5, [0.25] * 1000), figure(0.5, [np.nan] * 961 + [0.5] * 39)).interval is None


def test_one_record_has_no_interval():
    assert change(figure(0.5, [0.5] * 1000, n=1), figure(0.6, [0.6] * 1000, n=1)).interval is None


# what a comparison is


def test_a_comparison_is_a_mapping_of_its_tree(runs):
    comparison = calipers.compare(*runs["dense"])
    assert isinstance(comparison, Mapping)
    assert len(comparison) == len(list(comparison)) == len(comparison.tree)
    assert comparison["suite"] == "dense"
    assert re.fullmatch(r"<Comparison dense/1: (\d+ \w+( \w+)?(, )?)+>", repr(comparison))
    assert json.loads(comparison.to_json()) == comparison.tree


def test_reports_trees_and_files_give_the_same(runs, trees, tmp_path):
    for report, name in zip(runs["dense"], ("old", "new"), strict=True):
        report.save(tmp_path / f"{name}.json")
    expected = compare(*runs["dense"]).tree
    assert compare(*trees["dense"]).tree == expected
    found = compare(tmp_path / "old.json", str(tmp_path / "new.json")).tree
    assert found["old"].pop("name") == str(tmp_path / "old.json")
    assert found["new"].pop("name") == str(tmp_path / "new.json")
    assert found == expected | {
        side: {k: v for k, v in expected[side].items() if k != "name"} for side in ("old", "new")
    }


def test_the_rows_have_every_figure(pair):
    comparison = compare(*pair)
    fields = ["metric", "old", "new", "difference", "interval", "verdict", "higher_is_better", "n"]
    assert all(list(row) == fields for row in comparison["metrics"])
    assert {row["verdict"] for row in comparison["metrics"]} <= {"better", "worse", "cannot tell"}
    for row in comparison["metrics"]:
        if row["difference"] is not None:
            assert row["difference"] == row["new"] - row["old"]


def test_comparing_leaves_the_trees_as_they_are(pair):
    before = json.dumps(pair)
    compare(*pair)
    assert json.dumps(pair) == before


def test_backwards_the_differences_have_the_other_sign(trees):
    there, back = compare(*trees["dense"]), compare(*reversed(trees["dense"]))
    opposite = {"better": "worse", "worse": "better", "cannot tell": "cannot tell"}
    for a, b in zip(there["metrics"], back["metrics"], strict=True):
        assert (a["difference"], a["verdict"]) == (-b["difference"], opposite[b["verdict"]])
        assert a["interval"] == [-b["interval"][1], -b["interval"][0]]


@pytest.mark.parametrize("ending", ["json", "md", "html"])
def test_it_is_saved_as_what_its_ending_says(pair, tmp_path, ending):
    comparison = compare(*pair)
    comparison.save(tmp_path / f"found.{ending}")
    expected = {"json": comparison.to_json, "md": lambda: comparison.to_markdown().encode(), "html": comparison.to_html}
    assert (tmp_path / f"found.{ending}").read_bytes() == expected[ending]()


def test_the_page_is_a_page(runs):
    assert compare(*runs["dense"]).to_html().lower().startswith(b"<!doctype html>")


@pytest.mark.parametrize("name", ["found.txt", "found", ".json.gz"])
def test_other_endings_are_refused(runs, tmp_path, name):
    with pytest.raises(OutputError, match=r"expected \.json, \.md, \.html"):
        compare(*runs["dense"]).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


# objects


def records(*found: bool) -> list[dict]:
    """One record for each, with two objects: the first is found or not, the second never; a false box in all."""
    return [
        {"id": f"r{k}", "gt_norm1000": [BOX, BOX | {"points": [0, 100, 10, 110]}], "pred": [FAR] + [BOX] * yes}
        for k, yes in enumerate(found)
    ]


@pytest.fixture
def folder(tmp_path):
    """The folder that a suite writes of these arguments."""

    def write(name: str, *arguments, tables: str = "") -> str:
        path = tmp_path / name
        extra = ["--tables", tables] if tables else []
        with pytest.raises(SystemExit) as ended:
            command([*map(str, arguments), "-o", str(path), *extra])
        assert not ended.value.code
        return str(path)

    return write


def dump(tmp_path, name: str, rows: list[dict]) -> str:
    path = tmp_path / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("tables", ["csv", "parquet"])
def test_objects_of_a_dump_that_were_fixed_and_broken(folder, tmp_path, capsys, tables):
    if tables == "parquet":
        pytest.importorskip("pyarrow")
    old = folder("old", "dense", dump(tmp_path, "a", records(True, False, False, True)), tables=tables)
    new = folder("new", "dense", dump(tmp_path, "b", records(False, True, True, True)), tables=tables)
    objects = compare(old, new)["objects"]
    expected = {"index": 0, "type": "bbox_2d", "label": "标签"}
    assert objects == {
        "fixed": 2,
        "broken": 1,
        "false_positives_gone": 0,
        "false_positives_new": 0,
        "fixed_objects": [{"record": "r1", **expected}, {"record": "r2", **expected}],
        "broken_objects": [{"record": "r0", **expected}],
        "false_positives_gone_records": [],
        "false_positives_new_records": [],
    }


def test_false_positives_are_counted_by_record(folder, tmp_path, capsys):
    """Record 0 has two fewer, record 1 one more."""
    old, new = records(True, True), records(True, True)
    old[0]["pred"] += [FAR, FAR]
    new[1]["pred"] += [FAR]
    first, second = (folder(f"out{k}", "dense", dump(tmp_path, f"{k}", rows)) for k, rows in enumerate((old, new)))
    objects = compare(first, second)["objects"]
    assert (objects["false_positives_gone"], objects["false_positives_new"]) == (2, 1)
    assert objects["false_positives_gone_records"] == [{"record": "r0", "n": 2}]
    assert objects["false_positives_new_records"] == [{"record": "r1", "n": 1}]
    assert (objects["fixed"], objects["broken"]) == (0, 0)


def test_keys_that_a_spreadsheet_would_run_are_told_as_they_are(folder, tmp_path, capsys):
    names = ["=1+1", "@x", "plain", "-"]
    rows = [record | {"id": name} for name, record in zip(names, records(False, False, False, False), strict=True)]
    better = [record | {"id": name} for name, record in zip(names, records(True, True, True, True), strict=True)]
    objects = compare(
        folder("a", "dense", dump(tmp_path, "a", rows)), folder("b", "dense", dump(tmp_path, "b", better))
    )
    assert [each["record"] for each in objects["objects"]["fixed_objects"]] == sorted(names)


def test_in_another_mode_when_the_category_is_not_reported(folder, tmp_path, capsys):
    """The label is wrong, so only the category is; located it is in both."""
    wrong = records(False)
    wrong[0]["pred"] = [BOX | {"desc": "类别=光纤"}]
    a, b = dump(tmp_path, "a", wrong), dump(tmp_path, "b", records(True))
    both = compare(folder("1", "dense", a), folder("2", "dense", b))["objects"]
    options = ("--modes", "localization")
    located = compare(folder("3", "dense", a, *options), folder("4", "dense", b, *options))["objects"]
    assert (both["fixed"], located["fixed"]) == (1, 0)


def test_objects_of_images(folder, tmp_path, capsys):
    truth = json.loads((DATA / "coco" / "instances.json").read_bytes())
    counted = [each for each in truth["annotations"] if not each.get("iscrowd")]
    results = [
        {
            "image_id": each["image_id"],
            "category_id": each["category_id"],
            "bbox": each["bbox"],
            "score": 0.5 + k / 5000,
        }
        for k, each in enumerate(counted)
    ]
    for name, rows in (("all", results), ("some", results[3:])):
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    ran = {
        name: folder(name, "coco", "--gt", DATA / "coco" / "instances.json", "--pred", tmp_path / f"{name}.json")
        for name in ("all", "some")
    }
    objects = compare(ran["all"], ran["some"])["objects"]
    assert (objects["fixed"], objects["broken"], objects["false_positives_new"]) == (0, 3, 0)
    assert list(objects["broken_objects"][0]) == ["record", "index", "label"]
    assert compare(ran["some"], ran["all"])["objects"]["fixed"] == 3


def test_events_of_videos(folder, tmp_path, capsys):
    #         0         1         2
    # truth   oooooIIIIIoooooIIIIIooooo
    # old     oooooIIIIIooooooooooooooo
    # new     oooooooooooooooIIIIIoIIII   the last one is false
    truth = {"a.mp4": {"outside": [[0, 4], [10, 14], [20, 24]], "inside": [[5, 9], [15, 19]]}}
    sides = {"old": [[5, 9]], "new": [[15, 19], [21, 24]]}
    (tmp_path / "gt.json").write_text(json.dumps(truth))
    ran = []
    for name, inside in sides.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"a.mp4": {"fps": 10, "states": {"inside": inside}}}))
        ran.append(folder(name, "timeline", "--gt", tmp_path / "gt.json", "--pred", tmp_path / f"{name}.json"))
    objects = compare(*ran)["objects"]
    assert (objects["fixed"], objects["broken"], objects["false_positives_new"]) == (2, 2, 2)  # advisories as well
    fixed = {"record": "a.mp4", "kind": "event", "state": "inside", "start": 15, "end": 19}
    assert fixed in objects["fixed_objects"]


def test_objects_of_scenes_come_from_the_artifact_alone(runs):
    objects = compare(*runs["scene"])["objects"]
    missed = [{(row["scene"], row["index"]) for row in run["unmatched_gt"]} for run in runs["scene"]]
    assert (objects["fixed"], objects["broken"]) == (len(missed[0] - missed[1]), len(missed[1] - missed[0]))
    assert objects["fixed"] + objects["broken"] > 0
    assert objects["fixed_objects"][0]["method"] == "clio"


def test_only_methods_that_both_have_are_compared(runs):
    scene = DATA / "scene"
    both = calipers.scene(scene / "gt", [scene / "pipeline", scene / "clio"])
    comparison = compare(runs["scene"][0], both)
    assert {row["metric"].partition(".")[0] for row in comparison["metrics"]} == {"pipeline"}
    assert (comparison["objects"]["fixed"], comparison["objects"]["broken"]) == (0, 0)


def test_without_matches_nothing_is_said_of_objects(trees):
    assert compare(*trees["dense"])["objects"] is None


def test_a_damaged_table_is_an_input_error(folder, tmp_path, capsys):
    old = folder("old", "dense", dump(tmp_path, "a", records(True)))
    table = tmp_path / "old" / "matches.csv"
    good = table.read_text(encoding="utf-8")
    for text in ("", "a,b\n1,2\n", good + "only one cell\n", good.replace(",gt,1,", ",gt,one,")):
        table.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"old"):
            compare(old, old)
    table.write_bytes(good.encode() + b"\xff\xfe,gt")
    with pytest.raises(InputError, match=r"matches\.csv: cannot be read"):
        compare(old, old)


def test_only_so_many_are_listed():
    def result(missed: int) -> Result:
        rows = [{"scene": "a", "index": k} for k in range(missed)]
        method = {"unmatched_gt": rows, "unmatched_pred": [], "geometry_metrics": {"mean_iou_3d": None}}
        records = {"read": 1, "evaluated": 1, "rejected": 0}
        return Result("x", {"suite": "scene", "records": records, "methods": {"m": method}})

    objects = changed_objects(result(1000), result(0))
    assert (objects["fixed"], len(objects["fixed_objects"])) == (1000, 200)


def test_a_method_that_only_one_result_has_is_said_to_be_left_out():
    both = json.loads((Path(__file__).parents[1] / "golden" / "scene.json").read_bytes())
    alone, names = both["methods"]["clio"], list(both["methods"])
    assert len(names) == 2
    [other] = [name for name in names if name != "clio"]
    for old, new, side in ((alone, both, "new"), (both, alone, "old")):
        comparison = compare(old, new)
        assert comparison["left_out"] == [f"method {other}: only in the {side} result"]
        assert {row["metric"].partition(".")[0] for row in comparison["metrics"]} == {"clio"}
        assert f"method {other}: only in the {side} result" in str(comparison)
        assert f"method {other}: only in the {side} result" in comparison.to_markdown()
    assert compare(both, both)["left_out"] == []
