"""Records and files that would take too long are refused with the limit and the option that lifts it."""

import gzip
import json

import pytest

import calipers
from calipers.files import lines

SMALL = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
GOOD = {"id": "good", "gt_norm1000": [SMALL], "pred_norm1000": [SMALL]}


def flood(count: int = 600) -> dict:
    boxes = [{**SMALL, "points": [k % 50, k % 40, 1000 - k % 60, 1000 - k % 30]} for k in range(count)]
    return {"id": "flood", "gt_norm1000": boxes, "pred_norm1000": boxes}


def wordy(count: int) -> dict:
    return {
        "id": "wordy",
        "gt_norm1000": [SMALL],
        "pred_norm1000": [{**SMALL, "desc": "类别=标签,文本=" + "字" * count}],
    }


def test_a_flood_of_shapes_is_a_bad_record():
    with pytest.raises(
        calipers.InputError, match=r"<records>:2: .* more than 100 steps .*\(`max_work=N` allows more\)"
    ):
        calipers.dense([GOOD, flood()], max_work=100)
    assert calipers.dense([flood()], max_work=200, bootstrap=0)["objects"]["gt"] == 600


def test_the_others_are_measured_without_it():
    report = calipers.dense([GOOD, flood(), GOOD, wordy(300)], max_bad_records=2, max_text=200, max_work=100)
    assert report["records"] == {"read": 4, "evaluated": 2, "skipped_empty": 0, "rejected": 2}
    assert [(entry["line"], entry["found"]) for entry in report["rejected"]] == [
        (2, "600 objects with 4800 numbers in gt and 600 objects with 4800 numbers in pred"),
        (4, "309 characters"),
    ]
    assert report["modes"]["category"]["primary"]["f1"] == 1.0


def test_a_long_description_is_a_bad_record():
    with pytest.raises(
        calipers.InputError, match=r"a desc is longer than 100000 characters \(`max_text=N` allows more\)"
    ):
        calipers.dense([wordy(100_000)])


def test_a_flood_of_shapes_scores_nothing():
    record = flood()
    limited = calipers.reward(record["pred_norm1000"], record["gt_norm1000"], mode="localization", max_work=100)
    assert limited == 0.0
    lifted = calipers.reward(record["pred_norm1000"], record["gt_norm1000"], mode="localization", max_work=200)
    assert lifted == 1.0


def test_the_ruler_names_its_limit():
    boxes = [item["points"] for item in flood()["gt_norm1000"]]
    with pytest.raises(calipers.InputError, match="more than max_work = 100 steps"):
        calipers.region_iou(boxes, boxes, max_work=100)
    assert calipers.region_iou(boxes, boxes, max_work=200).shape == (600, 600)
    tangled = [number for k in range(2000) for number in (k * 7919 % 1000, k * 104_729 % 1000)]
    for ruler in (calipers.tube_iou, calipers.line_coverage):
        with pytest.raises(calipers.InputError, match="more than max_work = 1 steps"):
            ruler(tangled, tangled, max_work=1)


@pytest.mark.parametrize("ruler", ["boxes", "map", "intervals", "rotated", "box3d", "line"])
def test_the_judge_fails_an_answer_that_floods(ruler):
    shapes = {
        "intervals": ("intervals", [[k % 9, 1000 + k] for k in range(600)]),
        "rotated": ("rotated", [[500, 500, 300, 200 + k % 9, k % 180] for k in range(400)]),
        "box3d": ("cuboids", [[0, 0, 0, 1 + k % 9, 1, 1] for k in range(600)]),
        "line": ("lines", [[0, k, 1000, 999 - k] for k in range(200)]),
    }
    name, several = shapes.get(ruler, ("boxes", [item["points"] for item in flood()["gt_norm1000"]]))
    scores = {"scores": [k / 600 for k in range(600)]} if ruler == "map" else {}
    payload = {"reference_answer": {name: several}, "candidate_answer": {name: several, **scores}}
    verdict = getattr(calipers.judge, ruler)(payload, max_work=100)
    assert not verdict["pass"]
    assert "more than max_work = 100 steps" in verdict["reason"]


def test_compressed_input_may_not_grow_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "ALWAYS_ALLOWED", 1 << 20)
    bomb = tmp_path / "bomb.jsonl.gz"
    bomb.write_bytes(gzip.compress(b"\n" * 5_000_000 + json.dumps(GOOD).encode()))
    with pytest.raises(
        calipers.InputError, match=r"bomb.*expected at most 100 times .*\(`max_expansion=N` allows more\)"
    ):
        calipers.dense(bomb, chunk_bytes=1 << 20)
    assert calipers.dense(bomb, max_expansion=2000, chunk_bytes=1 << 20)["records"]["read"] == 1


def test_lines_keep_their_numbers_after_blank_ones(tmp_path):
    text = b"\n \n\n" + json.dumps(GOOD).encode() + b"\n\n\t\n[]\n"
    for name, content in (("plain.jsonl", text), ("packed.jsonl.gz", gzip.compress(text))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(calipers.InputError, match=f"{name}:7: not a JSON object"):
            calipers.dense(tmp_path / name)
