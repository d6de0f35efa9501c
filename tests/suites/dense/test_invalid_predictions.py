"""Which invalid prediction is told as the first, and how many reasons the summary names."""

import json

from calipers import dense

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
NO_TYPE, NO_POINTS = BOX | {"type": "circle"}, {"type": "bbox_2d", "desc": ""}
REASONS = [
    *[NO_TYPE] * 6,
    *[NO_POINTS] * 5,
    *[BOX | {"points": [1, 2, 3]}] * 4,
    *[{"type": "line", "points": [1, 2], "desc": ""}] * 3,
    *[{"type": "poly", "points": [1, 2, 3, 4], "desc": ""}] * 2,
]


def test_the_first_invalid_prediction_is_that_of_the_first_line(tmp_path):
    # a line is a shard of its own, so that parts are added
    dump = tmp_path / "dump.jsonl"
    preds = ([BOX], [BOX, NO_TYPE], [NO_POINTS], [BOX])
    dump.write_text("".join(json.dumps({"gt_norm1000": [BOX], "pred": pred}) + "\n" for pred in preds))
    report = dense([str(dump)], chunk_bytes=1, jobs=1)
    assert report["objects"]["invalid_pred"] == 2
    assert report.first_invalid == f"{dump}:2: pred[1]: type missing or unknown, expected bbox_2d or poly or line"


def test_the_summary_names_three_reasons_and_sums_up_the_others():
    lines = str(dense([{"gt_norm1000": [BOX], "pred": REASONS}])).splitlines()
    [line] = [line for line in lines if line.startswith("invalid")]
    assert line == (
        "invalid   6 type missing or unknown · 5 points missing or not a list · 4 a bbox_2d without exactly 4 numbers"
        " · 5 for other reasons"
    )
