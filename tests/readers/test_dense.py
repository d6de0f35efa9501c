"""The dense reader: most lines go straight to columns, others by way of JSON objects, and nobody sees a difference."""

from pathlib import Path

import pytest

from calipers.readers.dense import DenseReading, read_shard
from calipers.readers.lines import Source

BOX = '{"type":"bbox_2d","points":[1,2,3,4],"desc":"类别=标签"}'
POLY = '{"type":"poly","points":[0,0,9.5,0,9,1000],"desc":"光纤"}'
LINES = f"""\
{{"image_path":"plain.jpg","gt_norm1000":[{BOX}],"pred":[{POLY},{BOX}]}}
{{"image_path":"escapes\\u002ejpg","gt_norm1000":[{BOX}],"pred":[]}}
{{"id":7,"gt_norm":[],"pred_norm1000":[{BOX.replace("4", "4e3")}]}}
{{"gt_norm1000":[{BOX}],"pred":[{BOX},{{"type":"circle"}}]}}

{{"image":"empty.jpg","gt_norm1000":[],"pred":[]}}
{{"gt_norm1000":[{POLY}],"pred":[{POLY.replace("9.5", "-9.5")}]}}
{{"image_path":"both.jpg","gt_norm1000":[{POLY}],"gt_norm":[],"pred":[],"pred_norm1000":[{POLY}]}}
{{"gt_norm1000":[{BOX.replace("4", "4000")}],"pred":[]}}
{{"gt_norm1000":[{BOX}],"pred":[{BOX}],"coord_mode":"pixel"}}
{{"gt_norm1000":[{BOX}],"pred":[{BOX}]
"""


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "dump.jsonl"
    file.write_text(LINES, encoding="utf-8")
    return file


def reading(path: Path, *, keep: bool) -> DenseReading:
    [shard] = Source(0, str(path), 1 << 20)
    return read_shard(shard, frame="norm1000", keep=keep, most_bad=9)


def content(found: DenseReading) -> list:
    sides = [
        {name: getattr(side, name).tolist() for name in ("offsets", "kind", "reason", "flags", "starts", "points")}
        | {"texts": [list(side.descs)[code] for code in side.desc]}
        for side in (found.batch.truth, found.batch.pred)
    ]
    bad = [(record.line, record.problem, record.found) for record in found.bad]
    return [sides, found.batch.keys, found.read, found.skipped, bad]


def test_keeping_the_records_changes_nothing_else(path):
    assert content(reading(path, keep=False)) == content(reading(path, keep=True))


def test_keys_and_counts_of_records_read_in_either_way(path):
    found = reading(path, keep=False)
    assert found.batch.keys == ["plain.jpg", "escapes.jpg", "7", f"{path}:4", f"{path}:7", "both.jpg"]
    assert (found.read, found.skipped, [record.line for record in found.bad]) == (10, 1, [9, 10, 11])
    assert found.batch.truth.offsets.tolist() == [0, 1, 2, 2, 3, 4, 5]
    assert found.batch.pred.offsets.tolist() == [0, 2, 2, 3, 5, 6, 7]
