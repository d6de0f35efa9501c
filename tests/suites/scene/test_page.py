"""The page of the scene suite: methods side by side, and every scene of each from above."""

import json

import pytest

import calipers
from calipers.show.folder import write_folder
from calipers.show.page.build import report_page, result_page

from ...hostile import HOSTILE
from ...show.page.reading import cards, column, data_of, section, tags_without_cases

pytestmark = pytest.mark.usefixtures("blank_plots")


def cube(label, x, y, **changes):
    return {"label": label, "center": [x, y, 0.5], "size": [1, 1, 1]} | changes


#   truth   seat at 0, 0   table at 3, 0   lamp (no class) at 6, 0
#   ours    seat at 0, 0   seat at 0.1, 0 (a duplicate)   box at 9, 9 (nothing there)
#   theirs  nothing
TRUTH = {"objects": [cube("seat", 0, 0), cube("table", 3, 0), cube("lamp", 6, 0)]}
OURS = {"objects": [cube("seat", 0, 0), cube("seat", 0.1, 0), cube("table", 9, 9), cube("seat", 0, 0, size=[1, 1, 0])]}
EMPTY = {"objects": []}


def measured(folder, truth, **methods):
    """Methods have names only as files."""
    paths = {}
    for at, (name, objects) in enumerate(methods.items()):
        paths[name] = folder / f"{at}.json"
        paths[name].write_text(json.dumps(objects), encoding="utf-8")
    (folder / "room.json").write_text(json.dumps(truth), encoding="utf-8")
    return calipers.scene(folder / "room.json", paths, bootstrap=100)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return measured(tmp_path_factory.mktemp("scene"), TRUTH, ours=OURS, theirs=EMPTY)


@pytest.fixture(scope="module")
def data(report):
    return data_of(report_page(report))


def test_every_method_has_its_headline(data):
    assert data["title"] == "ours · theirs"
    assert cards(data, "ours")["F1"] == 0.2857143  # 2 * 1 / (3 + 4)
    assert cards(data, "theirs")["recall"] == 0
    assert section(data, "ours")["about"] == "1 found · 2 missed · 3 false positives"
    assert column(data, "Methods", "fp") == [3, 0]


def test_what_to_fix_first_is_told_for_each_method(data):
    bars = {bar["name"]: bar["value"] for bar in section(data, "Fix first, ours")["bars"]}
    # F1 is 2/7: two missed found 6/9, two spurious gone 2/5, the duplicate gone 2/6
    assert bars == {"missed": 0.3809524, "spurious": 0.1142857, "duplicate": 0.04761905}
    [missed] = section(data, "Fix first, theirs")["bars"]
    assert (missed["name"], missed["value"], missed["note"][:4]) == ("missed", 1, "3 · ")  # F1 is 0


def test_classes_by_cause_of_each_method(data):
    heat = section(data, "Classes by cause, ours")
    cells = {(heat["rows"][row], heat["columns"][column]): n for row, column, n in heat["cells"]}
    expected = {("seat", "duplicate"): 1, ("seat", "spurious"): 1, ("table", "spurious"): 1, ("table", "missed"): 1}
    assert cells == expected | {("lamp", "missed"): 1}


def test_false_positives_are_told_by_what_is_in_their_place(data):
    bars = {bar["name"]: bar["value"] for bar in section(data, "False positives, ours")["bars"]}
    assert bars == {"no overlap": 2, "duplicate": 1}


def test_methods_stand_side_by_side_by_scene(data):
    assert column(data, "By scene", "scene") == ["room"]
    assert [column(data, "By scene", name)[0] for name in ("gt", "ours tp", "ours fn", "theirs fn")] == [3, 1, 2, 3]


def test_scenes_are_drawn_in_metres_with_y_up(data):
    worst, other = data["cases"]
    assert [worst["title"], other["title"]] == ["room · ours", "room · theirs"]
    assert (worst["score"], other["score"], worst["y_up"]) == (5, 5, True)  # of the scene, so that they stand together
    assert worst["shapes"][0] == {
        "side": "gt",
        "form": "poly",
        "points": [-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5],
        "label": "seat",
        "partner": 3,
        "overlap": 1,
    }
    assert worst["shapes"][3]["partner"] == 0
    assert worst["note"] == "1 without a box, not drawn"


def test_what_can_be_clicked_leads_to_a_scene(data):
    assert tags_without_cases(data) == set()


def test_one_method_is_not_named_at_every_step():
    data = data_of(report_page(calipers.scene(TRUTH, {"objects": []}, bootstrap=0)))
    assert section(data, "Headline")["kind"] == "cards"
    assert [bar["name"] for bar in section(data, "Fix first")["bars"]] == ["missed"]


def test_a_folder_gives_the_page_of_the_run(report, tmp_path):
    write_folder(str(tmp_path / "out"), report)
    assert (tmp_path / "out" / "report.html").read_bytes() == report_page(report)
    assert result_page(str(tmp_path / "out")) == report_page(report)


def test_an_artifact_alone_says_how_to_get_the_drawings(report, tmp_path):
    report.save(tmp_path / "alone.json")
    [said] = section(data_of(result_page(str(tmp_path / "alone.json"))), "Scenes from above")["lines"]
    assert "calipers scene … -o FOLDER" in said


def test_a_scene_without_any_box_is_drawn_empty():
    data = data_of(report_page(calipers.scene({"objects": []}, {"objects": []}, bootstrap=0)))
    assert [case["shapes"] for case in data["cases"]] == [[]]


def test_hostile_labels_and_methods_are_only_text(tmp_path):
    truth = {"objects": [cube(text, 3 * at, 0) for at, text in enumerate(HOSTILE)]}
    report = measured(tmp_path, truth, **{HOSTILE[0]: EMPTY, HOSTILE[1]: EMPTY})
    first, _ = data_of(report_page(report))["cases"]
    assert {shape["label"] for shape in first["shapes"]} == set(HOSTILE)


def test_methods_of_a_scene_stand_side_by_side_and_the_worst_scene_first(tmp_path):
    #              ours              theirs            so that by what is wrong it would be
    # hall         1 missed          2 missed          hall · theirs, room · ours, hall · ours, room · theirs
    # room         1 missed          nothing wrong
    # attic        nothing wrong     1 missed
    two, one = {"objects": [cube("seat", 0, 0), cube("table", 3, 0)]}, {"objects": [cube("seat", 0, 0)]}
    files = {
        "truth": {"hall": two, "room": one, "attic": two},
        "ours": {"hall": one, "room": EMPTY, "attic": two},
        "theirs": {"hall": EMPTY, "room": one, "attic": one},
    }
    for side, scenes in files.items():
        for scene, objects in scenes.items():
            path = tmp_path / side / f"{scene}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(objects), encoding="utf-8")
    methods = {name: tmp_path / name for name in ("theirs", "ours")}
    report = calipers.scene(tmp_path / "truth", methods, bootstrap=0)
    titles = [case["title"] for case in data_of(report_page(report))["cases"]]
    assert titles == [f"{scene} · {name}" for scene in ("hall", "attic", "room") for name in methods]
