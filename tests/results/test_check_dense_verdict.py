"""Dense dumps: ranges as written, and whether a check agrees with the run."""

import json

import pytest

from calipers.results.check import check
from calipers.suites.dense import check as check_dense
from calipers.suites.dense.measure import Config

BOX = {"type": "bbox_2d", "points": [10, 20, 110, 220], "desc": "类别=标签"}


def ranges_of(file):
    return {row["what"]: (row["min"], row["max"]) for row in file["ranges"]}


@pytest.mark.parametrize("in_file", [False, True])
def test_ranges_are_of_the_numbers_as_written(tmp_path, in_file):
    far, near = {**BOX, "points": [-50, 20, 2450, 220]}, {**BOX, "type": "poly", "points": [[5, 5], [7, 5], [7, 1500]]}
    records = [
        {"id": "a", "gt_norm1000": [BOX], "pred": [BOX]},
        {"id": "b", "gt_norm1000": [BOX], "pred": [{"type": "blob"}, far, near]},
    ]
    path = tmp_path / "dump.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    [file] = check(path if in_file else records)["files"]
    assert ranges_of(file)["predicted x"] == (-50, 2450)
    assert ranges_of(file)["predicted y"] == (5, 1500)
    assert ranges_of(file)["predicted width"] == (2, 2500)  # of 7 - 5 and 2450 + 50
    assert ranges_of(file)["ground truth x"] == (10, 110)


def test_ranges_of_pixels_are_pixels():
    pred = {**BOX, "points": [0, 0, 5000, 400]}
    records = [
        {"id": "a", "width": 4000, "height": 2000, "gt": [{**BOX, "points": [400, 200, 3600, 300]}], "pred": [pred]}
    ]
    [file] = check(records)["files"]
    assert ranges_of(file)["ground truth x"] == (400, 3600)
    assert ranges_of(file)["predicted x"] == (0, 5000)


# The verdict of the run


def test_nothing_to_evaluate_is_refused(tmp_path):
    empty = {"gt_norm1000": [], "pred": []}
    found = check([empty, empty])
    assert found.exit_code == 3
    [file] = found["files"]
    told = "nothing was evaluated: 0 of 2 records: there is nothing to compare in them"
    assert file["refused"] == {"n": 1, "first": [told]}
    paths = [tmp_path / "empty.jsonl", tmp_path / "full.jsonl"]
    for path, record in zip(paths, (empty, {"gt_norm1000": [BOX], "pred": []}), strict=True):
        path.write_text(json.dumps(record))
    assert check(paths[0]).exit_code == 3
    assert check(*paths).exit_code == 0  # dumps are measured together


def test_records_too_hard_to_measure_are_refused_as_the_run_does():
    zigzag = [value for k in range(60) for value in (k * 16 % 1000, 990 * (k % 2))]
    comb = {"type": "poly", "points": zigzag, "desc": "类别=标签"}
    records = [{"id": "a", "gt_norm1000": [comb] * 60, "pred": [comb] * 60}]
    config = Config(bootstrap=0, max_work=1)
    file, _ = check_dense.examine(records, config)
    assert file.refused == 1
    assert "takes more than 1 steps" in file.tree()["refused"]["first"][0]


@pytest.mark.parametrize("truth", [[], [{**BOX, "points": [10, 20, 10, 220]}]])
def test_nothing_that_could_match_itself_is_not_called_perfect(truth):
    found = check([{"id": 1, "gt_norm1000": truth, "pred": [BOX]}])
    assert found["ok"]
    assert found["files"][0]["itself"] is None
    assert "against itself" not in str(found)
