"""Slices of the scene suite: each method on its own, by attributes, objects and size."""

import json

import pytest

from calipers import ConfigError, gate, scene
from calipers.results.merging import merge


def seat(place, width=1.0):
    return {"label": "seat", "center": [3 * place, 0, 0.5], "size": [width, 1, 1]}


# hall: 3 true, 3 predicted, 3 found; kitchen: 3 true, 2 predicted, 1 found
TRUTH = {"h1": [seat(0), seat(1, 2)], "h2": [seat(0)], "k1": [seat(0), seat(1, 2)], "k2": [seat(0)]}
PRED = TRUTH | {"k1": [seat(0)], "k2": [seat(7)]}


@pytest.fixture
def folders(tmp_path):
    for name, scenes in (("gt", TRUTH), ("pred", PRED)):
        (tmp_path / name).mkdir()
        for key, boxes in scenes.items():
            (tmp_path / name / f"{key}.json").write_text(json.dumps({"objects": boxes}), encoding="utf-8")
    (tmp_path / "rooms.csv").write_text("key,room\nh1,hall\nh2,hall\nk1,kitchen\nk2,kitchen\n", encoding="utf-8")
    return tmp_path


def sliced(folders, *fields, **options):
    methods = {"a": str(folders / "pred"), "b": str(folders / "gt")}
    rooms = {"attributes": str(folders / "rooms.csv")} if "room" in fields else {}
    return scene(str(folders / "gt"), methods, slice=fields, bootstrap=60, **rooms, **options)


def test_an_example_by_hand(folders):
    report = sliced(folders, "room")
    kitchen, hall = report["methods"]["a"]["slices"]
    assert (kitchen["value"], kitchen["records"], kitchen["objects"], hall["value"]) == ("kitchen", 2, 3, "hall")
    f1 = kitchen["figures"]["f1"]
    assert (f1["value"], f1["rest"]) == (2 * 1 / (3 + 2), 1.0)
    assert kitchen["worth"] == pytest.approx(0.6 * 5 / 11)
    assert [row["figures"]["f1"]["value"] for row in report["methods"]["b"]["slices"]] == [1.0, 1.0]


def test_by_objects_and_size(folders):
    rows = sliced(folders, "objects:2", "size:1.5")["methods"]["a"]["slices"]
    by_value = {(row["field"], row["value"]): row for row in rows}
    # small boxes: 4 true, 3 found, one spurious; large ones: 2 true, 1 found
    assert by_value["size", "< 1.5"]["figures"]["f1"]["value"] == 2 * 3 / (4 + 4)
    assert by_value["size", ">= 1.5"]["figures"]["f1"]["value"] == 2 * 1 / (2 + 1)
    assert by_value["objects", ">= 2"]["records"] == 2


def test_terciles_are_those_of_the_ground_truth_alone():
    truth = [seat(place, width) for place, width in enumerate((1, 2, 3))]
    false = [seat(place, 0.1) for place in range(10, 16)]
    preds = {"good": truth, "bad": [seat(0, 1), *false]}
    slices = {name: scene(truth, boxes, slice=["size"], bootstrap=0)["slices"] for name, boxes in preds.items()}
    groups = {name: {row["value"]: row for row in rows} for name, rows in slices.items()}
    # volumes of the truth are 1, 2 and 3: edges at 1 2/3 and 2 1/3, whatever is predicted
    for rows in groups.values():
        assert {name: row["objects"] for name, row in rows.items()} == {"small": 1, "medium": 1, "large": 1}
    small = groups["bad"]["small"]["figures"]
    assert (small["recall"]["value"], small["precision"]["value"]) == (1.0, 1 / 7)


def test_merged_parts_have_the_same_slices(folders):
    whole = sliced(folders, "room", "size", tally=folders / "kept", chunk_bytes=1)
    assert merge([str(folders / "kept")]).to_json() == whole.to_json()


def test_gates_name_the_method(folders):
    report = sliced(folders, "room")
    assert gate(report, floor={"a.f1@room=kitchen": 0.5}).state == "fail"
    assert gate(report, report, max_drop={"b.recall@room=hall": 0.1}).state == "pass"


def test_an_unknown_field_names_those_there_are(folders):
    with pytest.raises(ConfigError, match="the fields there are: objects, room, size"):
        scene(str(folders / "gt"), str(folders / "pred"), slice="floor", attributes=str(folders / "rooms.csv"))
