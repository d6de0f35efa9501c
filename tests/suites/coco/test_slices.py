"""Slices of the detection suite: fields of images, attributes by id or name, AP of a slice."""

import json

import pytest

from calipers import CocoMeter, ConfigError, coco, gate
from calipers.results.merging import merge
from calipers.suites.coco import slices


def made():
    """60 images, of which those at night are missed more often."""
    images, truth, pred = [], [], []
    for k in range(60):
        images.append({"id": k + 1, "file_name": f"{k}.jpg", "light": "night" if k % 3 == 0 else "day", "alt": k})
        for place in range(k % 5):
            side = 10 + 7 * place + k % 3
            entry = {"image_id": k + 1, "category_id": 1 + place % 2, "bbox": [100 * place, 0, side, side]}
            truth.append(entry | {"id": len(truth) + 1, "area": side * side, "iscrowd": 0})
            if (k + place) % (2 if k % 3 == 0 else 6):
                pred.append(entry | {"score": ((7 * k + 3 * place) % 97) / 97})
        if k % 8 == 0:
            pred.append({"image_id": k + 1, "category_id": 1, "bbox": [0, 300, 20, 20], "score": 0.55})
    return {
        "images": images,
        "annotations": truth,
        "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}],
    }, pred


GT, PRED = made()


def by_value(report, field):
    return {row["value"]: row for row in report["slices"] if row["field"] == field}


def test_a_slice_has_the_numbers_of_its_images_alone(tmp_path):
    for name, tree in (("gt", GT), ("pred", PRED)):
        (tmp_path / f"{name}.json").write_text(json.dumps(tree), encoding="utf-8")
    paths = str(tmp_path / "gt.json"), str(tmp_path / "pred.json")
    rows = by_value(coco(*paths, slice="light", bootstrap=100), "light")
    for light, other in (("night", "day"), ("day", "night")):
        names = [image["file_name"] for image in GT["images"] if image["light"] == light]
        (tmp_path / "only").write_text("\n".join(names), encoding="utf-8")
        alone = coco(*paths, only=tmp_path / "only", bootstrap=100)
        figures, of_other = rows[light]["figures"], rows[other]["figures"]
        assert figures["AP_50"]["value"] == pytest.approx(alone["coco"]["AP_50"], abs=1e-12)
        assert figures["sweep.f1"]["value"] == alone["sweep"]["primary"]["f1"]
        assert figures["sweep.mean_f1"]["value"] == alone["sweep"]["mean_f1"]
        assert figures["AP_50"]["rest"] == of_other["AP_50"]["value"]
        assert rows[light]["records"] == alone["images"]["evaluated"]
        assert figures["AP_50"]["interval"] == pytest.approx(alone["intervals"]["AP_50"], abs=1e-12)  # less its bias
        assert figures["sweep.f1"]["interval"] == alone["sweep"]["primary"]["interval"]["f1"]
        low, high = figures["AP_50"]["difference_interval"]
        assert low <= figures["AP_50"]["difference"] <= high
    assert rows["night"]["sure"]
    night, day = (rows[light]["figures"]["AP_50"] for light in ("night", "day"))
    assert night["difference"] == -day["difference"]
    assert night["difference_interval"] == pytest.approx([-end for end in reversed(day["difference_interval"])])
    # the same replicates; night has 16 images with something on them, so 15 degrees of freedom rather than 38
    assert 0 < day["p"] < night["p"] < 0.05


def test_many_slices_have_no_replicates_of_the_rest(monkeypatch):
    monkeypatch.setattr(slices, "MANY_SLICES", 1)
    figure = by_value(coco(GT, PRED, slice="light", bootstrap=40), "light")["night"]["figures"]["AP_50"]
    assert figure["difference"] == figure["value"] - figure["rest"]
    assert (figure["difference_interval"], figure["p"]) == (None, None)


def test_attributes_go_by_name_or_id(tmp_path):
    path = tmp_path / "a.csv"
    lines = [f"{k + 1 if k % 2 else f'{k}.jpg'},{'left' if k < 30 else 'right'}" for k in range(60)]
    path.write_text("key,camera\n" + "\n".join(lines), encoding="utf-8")
    rows = by_value(coco(GT, PRED, slice="camera", attributes=path, bootstrap=0), "camera")
    assert set(rows) == {"left", "right"}
    path.write_text("key,camera\n1,left\n0.jpg,left\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="are the same record"):
        coco(GT, PRED, slice="camera", attributes=path)


def test_keys_of_no_image_that_was_evaluated_are_named_as_the_file_has_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("key,camera\n6,left\n2,right\n", encoding="utf-8")  # nothing is on the image 6, which is 5.jpg
    report = coco(GT, PRED, slice="camera", attributes=path, bootstrap=0)
    assert any("1 of 2 keys are of no record that was evaluated, such as '6'" in note for note in report.notes)


def test_objects_and_sizes_add_up():
    report = coco(GT, PRED, slice=["objects", "size", "light×alt"], bootstrap=50)
    objects = report["sweep"]["primary"]["gt"]
    for field in ("objects", "size", "light×alt"):
        assert sum(row["objects"] for row in by_value(report, field).values()) == objects
    assert set(by_value(report, "size")) == {"small", "medium", "large"}
    assert by_value(report, "size")["small"]["figures"]["AP_50"]["value"] is None


def test_merged_parts_and_meters_have_the_same_slices(tmp_path):
    whole = coco(GT, PRED, slice=["light", "alt"], bootstrap=50)["slices"]
    (tmp_path / "gt.json").write_text(json.dumps(GT), encoding="utf-8")
    (tmp_path / "pred.json").write_text(json.dumps(PRED), encoding="utf-8")
    options = {"slice": ["light", "alt"], "bootstrap": 50}
    kept = coco(str(tmp_path / "gt.json"), str(tmp_path / "pred.json"), tally=tmp_path / "kept", **options)
    assert kept["slices"] == merge([str(tmp_path / "kept")])["slices"] == whole
    meter = CocoMeter(GT, **options)
    meter.update(PRED)
    assert meter.compute()["slices"] == whole


def test_gates_and_unknown_fields():
    report = coco(GT, PRED, slice="light", bootstrap=50)
    rules = {"AP_50@light=day": 0.1, "f1@light=day": 0.1}
    assert gate(report, floor=rules).state == "pass"
    assert gate(report, report, max_drop={"AP_50@light=day": 0.1}).state == "investigate"  # it has no replicates
    with pytest.raises(ConfigError, match="the fields there are: alt, file_name, id, light, objects, size"):
        coco(GT, PRED, slice="weather")
