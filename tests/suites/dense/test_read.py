"""The dense reader: most lines go straight to columns, others by way of JSON objects, and nobody sees a difference."""

from pathlib import Path

import pytest

from calipers.core.shapes import FLAGS
from calipers.files.lines import LineSource
from calipers.suites.dense import read as dense
from calipers.suites.dense.read import DenseReading, read_shard

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
{{"gt_norm1000":[{BOX}],"pred":[{POLY},{BOX.replace("}", ',"desc":"类别=光纤"}')},{{"type":"line","type":"x"}}]}}
{{"gt_norm1000":[{BOX.replace("}", ',"score":1,"score":2}')}],"pred":[{BOX.replace("}", ',"a":{"b":1,"b":2}}')}]}}
"""


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "dump.jsonl"
    file.write_text(LINES, encoding="utf-8")
    return file


def reading(path: Path, *, keep: bool) -> DenseReading:
    [shard] = LineSource(0, str(path), 1 << 20)
    return read_shard(shard, frame="norm1000", keep=keep, max_bad=9)


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


def test_lines_read_by_way_of_json_objects_give_the_same(path, monkeypatch):
    straight = content(reading(path, keep=True))
    monkeypatch.setattr(dense, "_plain_lines", lambda truth, pred, fields: None)
    assert content(reading(path, keep=True)) == straight


@pytest.mark.parametrize("number", ["1", "NaN"])
def test_an_object_that_gives_a_key_twice_is_repaired_with_the_last_value(tmp_path, number):
    twice = BOX.replace("}", ',"desc":"类别=光纤","points":[5,6,7,8]}')
    other = f'{{"type":"line","points":[{number},0,9,9],"desc":""}}'
    file = tmp_path / "dump.jsonl"
    file.write_text(f'{{"gt_norm1000":[{BOX}],"pred":[{other},{twice},{BOX}]}}\n', encoding="utf-8")
    found = reading(file, keep=True).batch
    assert [flags & FLAGS["repaired"] for flags in found.pred.flags] == [0, FLAGS["repaired"], 0]
    assert found.truth.flags[0] & FLAGS["repaired"] == 0
    assert list(found.pred.descs)[found.pred.desc[1]] == "类别=光纤"
    assert found.raw[0]["pred"][1] == {"type": "bbox_2d", "points": [5, 6, 7, 8], "desc": "类别=光纤"}


def test_an_invalid_object_that_gives_a_key_twice_is_invalid_only(tmp_path):
    file = tmp_path / "dump.jsonl"
    file.write_text(f'{{"gt_norm1000":[{BOX}],"pred":[{{"type":"line","type":"line"}}]}}\n', encoding="utf-8")
    pred = reading(file, keep=False).batch.pred
    assert (pred.reason[0] > 0, pred.flags[0]) == (True, 0)


def test_a_key_twice_in_what_is_nested_too_deeply_is_a_bad_record(tmp_path):
    file = tmp_path / "dump.jsonl"
    deep = "[" * 1020 + "]" * 1020
    file.write_text(f'{{"gt_norm1000":[{BOX}],"pred":[],"a":1,"a":{deep}}}\n', encoding="utf-8")
    [bad] = reading(file, keep=False).bad
    assert bad.problem == "a key is there twice, and something is nested too deeply"


@pytest.mark.parametrize(
    ("fields", "lost"),
    [
        (f'"gt_norm1000":[{BOX}],"gt_norm1000":[],"pred":[]', "gt_norm1000"),
        (f'"gt_norm1000":[{BOX}],"pred":[{BOX}],"pred":[]', "pred"),
        (f'"a":1,"a":2,"gt_norm1000":[{BOX}],"pred_norm1000":[{BOX}],"pred_norm1000":[]', "pred_norm1000"),
        (f'"gt_norm":[NaN],"gt_norm":[{BOX}],"pred":[]', "gt_norm"),
    ],
)
def test_a_record_that_gives_a_list_of_objects_twice_is_bad(tmp_path, fields, lost):
    file = tmp_path / "dump.jsonl"
    file.write_text(f"{{{fields}}}\n", encoding="utf-8")
    [bad] = reading(file, keep=False).bad
    assert bad.problem == f"{lost}: is there twice, expected it once"


def test_a_field_that_is_only_carried_may_be_there_twice(tmp_path):
    file = tmp_path / "dump.jsonl"
    file.write_text(f'{{"note":1,"note":2,"gt_norm1000":[{BOX}],"pred":[NaN]}}\n', encoding="utf-8")
    found = reading(file, keep=True)
    assert (found.bad, found.batch.raw[0]["note"]) == ([], 2)


def test_keys_and_counts_of_records_read_in_either_way(path):
    found = reading(path, keep=False)
    named = ["plain.jpg", "escapes.jpg", "7", f"{path}:4", f"{path}:7", "both.jpg"]
    assert found.batch.keys == [*named, f"{path}:12", f"{path}:13"]
    assert (found.read, found.skipped, [record.line for record in found.bad]) == (12, 1, [9, 10, 11])
    assert found.batch.truth.offsets.tolist() == [0, 1, 2, 2, 3, 4, 5, 6, 7]
    assert found.batch.pred.offsets.tolist() == [0, 2, 2, 3, 5, 6, 7, 10, 11]


FIELDS = ["light", "speed"]
SLICED = [
    (',"light":"night","speed":2', ["night", 2]),
    (',"light":null,"speed":1e2', [None, 100.0]),  # an exponent
    (',"light":"a\\u002eb","speed":-0.5,"wind":3', ["a.b", -0.5]),
    (',"lig\\u0068t":"day","speed":"fast"', ["day", "fast"]),  # a name in another spelling
    (',"speed":true,"speed":[1]', [None, [1]]),  # the last of two counts
    ("", [None, None]),
]


def read_fields(path: Path, rows: list[str], most_bytes: int) -> list[DenseReading]:
    path.write_text("".join(f'{{"gt_norm1000":[{BOX}],"pred":[]{row}}}\n' for row in rows), encoding="utf-8")
    [shard] = LineSource(0, str(path), 1 << 20)
    return list(dense.read_batches(shard, frame="norm1000", most_bytes=most_bytes, fields=FIELDS))


def test_fields_of_lines_that_are_read_in_one_go_are_those_of_the_records(path):
    plain = ',"light":"day","speed":7.25'
    rows = [plain, plain, *(row for row, _ in SLICED), plain]
    expected = [["day", 7.25]] * 2 + [values for _, values in SLICED] + [["day", 7.25]]
    for most_bytes in (1, 150, 1 << 20):
        readings = read_fields(path, rows, most_bytes)
        found = [list(each) for part in readings for each in zip(*part.batch.fields.values(), strict=True)]
        assert found == expected
        assert [line for part in readings for line in part.batch.lines] == list(range(1, len(rows) + 1))


def test_records_with_fields_are_read_in_one_go(path, monkeypatch):
    monkeypatch.setattr(dense._Reader, "add_line", None)
    [part] = read_fields(path, [',"light":"day","speed":1', ',"speed":2.5'], 1 << 20)
    assert part.batch.fields == {"light": ["day", None], "speed": [1.0, 2.5]}
    assert part.known == set()  # nobody asks, as each field is there


def test_where_a_field_is_missing_the_first_records_say_which_there_are(path):
    rows = [',"wind":1', *[',"speed":1'] * dense.SAMPLED_RECORDS, ',"late":1']
    [part] = read_fields(path, rows, 1 << 20)
    assert part.known == {"wind", "speed"}
