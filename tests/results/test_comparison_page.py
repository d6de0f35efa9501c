"""The page of a comparison: differences with intervals, and what was fixed and broken, drawn."""

import json

import pytest

import calipers
from calipers.cli.suite_command import run_suite
from calipers.results.compare import compare
from calipers.results.compare_page import comparison_page
from calipers.show.folder import write_folder
from calipers.suite import suite_of

from ..show.page.reading import cards, column, data_of, section, tags_without_cases, titles

pytestmark = pytest.mark.usefixtures("without_plots")


def box(x, label):
    return {"type": "bbox_2d", "points": [x, 0, x + 90, 90], "desc": f"类别={label}"}


#            truth   old      new
#   one      a b     a        b        b fixed, a broken
#   two      a       a        a
#   three    c                c        c fixed
TRUTH = {"one": [box(0, "a"), box(500, "b")], "two": [box(0, "a")], "three": [box(0, "c")]}
OLD = {"one": [box(0, "a")], "two": [box(0, "a")], "three": []}
NEW = {"one": [box(500, "b")], "two": [box(0, "a")], "three": [box(0, "c")]}


def write(folder, name, preds):
    lines = [json.dumps({"id": key, "gt_norm1000": TRUTH[key], "pred": pred}) + "\n" for key, pred in preds.items()]
    (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    run_suite(suite_of("dense"), {"dumps": [str(folder / f"{name}.jsonl")]} | {"output": str(folder / name)})
    return folder / name


@pytest.fixture
def folders(tmp_path, capsys):
    return write(tmp_path, "monday", OLD), write(tmp_path, "today", NEW)


def test_differences_have_their_intervals_and_verdicts(folders):
    comparison = compare(*folders)
    data = data_of(comparison.to_html())
    assert (data["title"], data["suite"]) == ("monday → today", "compare · dense")
    #   recall 2/4 and 3/4
    assert cards(data, "What changed")["category recall"] == 0.25
    assert column(data, "All figures", "metric")[-1] == "category mean_f1"
    assert column(data, "All figures", "verdict") == [row["verdict"] for row in comparison["metrics"]]


def test_what_broke_comes_first_and_is_drawn_as_it_is_now(folders):
    data = data_of(compare(*folders).to_html())
    assert [(case["title"], case["tags"]) for case in data["cases"]] == [
        ("one · broken", ["broken", "one", "a"]),
        ("one · fixed", ["fixed", "one", "b"]),
        ("three · fixed", ["fixed", "three", "c"]),
    ]
    broken, fixed, _ = data["cases"]
    assert [(each["side"], each["label"], each.get("cause"), each["state"]) for each in broken["shapes"]] == [
        ("gt", "b", None, "right"),
        ("pred", "b", None, "right"),
        ("gt", "a", "broken", "wrong"),
    ]
    assert [(each["side"], each["label"], each.get("cause"), each["state"]) for each in fixed["shapes"]] == [
        ("gt", "a", None, "right"),
        ("pred", "a", None, "right"),
        ("gt", "b", "fixed", "right"),
    ]
    assert tags_without_cases(data) == set()


def test_objects_are_counted_and_listed(folders):
    data = data_of(compare(*folders).to_html())
    bars = {bar["name"]: bar["value"] for bar in section(data, "Objects")["bars"]}
    assert (bars["broken"], bars["fixed"]) == (1, 2)
    assert column(data, "Objects fixed", "record") == ["one", "three"]
    assert column(data, "Objects fixed", "#") == [1, 0]  # in the record
    assert column(data, "Objects fixed", "label") == ["b", "c"]


def test_only_what_is_drawn_can_be_clicked(folders):
    data = data_of(compare(*folders).to_html())
    bars = {bar["name"]: bar.get("goto") for bar in section(data, "Objects")["bars"]}
    assert bars == {
        "broken": {"tag": "broken"},
        "fixed": {"tag": "fixed"},
        "false positives, new": None,  # there are none
        "false positives, gone": None,
    }
    links = {card["name"]: card.get("goto") for card in section(data, "What changed")["cards"]}
    #   precision stays 1, the others rise
    fixed = {"tag": "fixed"}
    assert links == {
        "category precision": None,
        "category recall": fixed,
        "category f1": fixed,
        "category mean_f1": fixed,
    }


def test_records_with_more_and_fewer_false_positives_are_drawn(tmp_path, capsys):
    #            old    new    beside the right ones
    #   one      x y    x      one is gone
    #   two             x y    two are new
    extra = [box(300, "x"), box(700, "y")]
    old = write(tmp_path, "old", TRUTH | {"one": TRUTH["one"] + extra})
    new = write(tmp_path, "new", TRUTH | {"one": TRUTH["one"] + extra[:1], "two": TRUTH["two"] + extra})
    data = data_of(compare(old, new).to_html())
    assert [(case["title"], case["note"]) for case in data["cases"]] == [
        ("two · false positives, new", "2 more than before, as in the new result"),
        ("one · false positives, gone", "1 fewer by now, as in the old result"),
    ]
    looks = [(each["side"], each["label"], each.get("cause"), each["state"]) for each in data["cases"][0]["shapes"]]
    assert looks == [
        ("gt", "a", None, "right"),
        ("pred", "a", None, "right"),
        ("pred", "x", "unmatched", "wrong"),
        ("pred", "y", "unmatched", "wrong"),
    ]
    links = {card["name"]: card.get("goto") for card in section(data, "What changed")["cards"]}
    assert links["category precision"] == {"tag": "false positives, new"}  # 4/6, now 4/7
    assert links["category recall"] is None
    assert tags_without_cases(data) == set()


def test_artifacts_alone_have_a_page_of_numbers(folders):
    trees = [json.loads((folder / "result.json").read_bytes()) for folder in folders]
    data = data_of(comparison_page(compare(*trees).tree))
    assert data["cases"] == []
    assert section(data, "Objects")["kind"] == "text"


def test_a_folder_that_holds_another_result_by_now_is_not_drawn_from(folders):
    tree = compare(*folders).tree
    write(folders[1].parent, "today", OLD)
    data = data_of(comparison_page(tree))
    assert [case["title"] for case in data["cases"]] == ["one · fixed", "three · fixed"]


def test_videos_are_strips_with_both_predictions(tmp_path):
    truth = {"a.mp4": {"outside": [[0, 9]], "inside": [[10, 19]]}, "b.mp4": {"outside": [[0, 9]]}}
    found = {"a.mp4": {"states": {"inside": [[10, 19]]}}, "b.mp4": {"states": {"outside": [[0, 9]]}}}
    for name, pred in (("old", found | {"a.mp4": {"states": {"outside": [[0, 19]]}}}), ("new", found)):
        write_folder(str(tmp_path / name), calipers.timeline(truth, pred))
    data = data_of(compare(tmp_path / "old", tmp_path / "new").to_html())
    [strip] = section(data, "Videos whose events changed")["videos"]
    assert (strip["name"], strip["tags"]) == ("a.mp4", ["fixed"])
    assert [lane["name"] for lane in strip["rows"]] == ["ground truth", "old prediction", "new prediction"]
    assert data["subtitle"].startswith("2 videos · ")
    said = dict(zip(column(data, "All figures", "metric"), column(data, "All figures", "verdict"), strict=True))
    assert (said["fps_estimate"], said["frame_accuracy"]) == (None, "cannot tell")  # a description has no verdict


def test_scenes_are_drawn_too(tmp_path):
    truth = {"objects": [{"label": "seat", "center": [k * 3, 0, 0.5], "size": [1, 1, 1]} for k in range(3)]}
    (tmp_path / "room.json").write_text(json.dumps(truth))
    for name, some in (("old", truth["objects"][:2]), ("new", truth["objects"][1:])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"objects": some}))
        report = calipers.scene(tmp_path / "room.json", [f"ours={tmp_path / name}.json"])
        write_folder(str(tmp_path / name), report)
    data = data_of(compare(tmp_path / "old", tmp_path / "new").to_html())
    assert [case["title"] for case in data["cases"]] == ["room · ours · broken", "room · ours · fixed"]
    assert "Objects that changed, drawn" in titles(data)
    assert column(data, "Objects broken", "#") == [0]
