"""Cases straight from the lines of their records: the same bytes as from records that were parsed."""

import json
import random

import orjson
import pytest

from calipers.core.config import make_config
from calipers.files.lines import Shard
from calipers.kernels.scan.weave import end_numbers
from calipers.suites.dense import cases
from calipers.suites.dense.cases import case_lines
from calipers.suites.dense.config import Config
from calipers.suites.dense.measure import MatchedBatch
from calipers.suites.dense.originals import KeptShard
from calipers.suites.dense.read import read_shard

from .records import box, line, poly, record
from .test_match_lines import some_records

NEAR, FAR = box(0, 0, 10, 10), box(500, 500, 510, 510)
PLAIN = '{"image_path":"a","gt_norm1000":[OBJECT],"pred":[]}'


def lines_of(data):
    """The cases of some lines both ways, from their texts and from records that were parsed."""
    config = make_config(Config, {"bootstrap": 0})
    found = []
    for keeps_texts in (True, False):
        shard = Shard(0, "dump.jsonl", 1, len(data), data=data)
        kept = KeptShard(shard)
        reading = read_shard(kept if keeps_texts else shard, frame="norm1000", keep=not keeps_texts, max_bad=999)
        matched = MatchedBatch(reading.batch, config, all_pairs=True)
        written = case_lines(reading.batch, matched, config, kept.texts if keeps_texts else None)
        text = bytes(written.text)
        ends, numbers = end_numbers(text, b"unmatched")
        assert (written.ends.tolist(), written.unmatched.tolist()) == (ends.tolist(), numbers.tolist())
        found.append(text)
    return found


@pytest.fixture
def parsed(monkeypatch):
    """The records that are parsed to write them."""
    seen = []
    write = cases._ParsedCases.line
    monkeypatch.setattr(cases._ParsedCases, "line", lambda self, record: seen.append(record) or write(self, record))
    return seen


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_lines_are_those_of_parsed_records(seed, ascii_only, separators):
    texts = [json.dumps(tree, ensure_ascii=ascii_only, separators=separators) for tree in some_records(seed)]
    texts += [orjson.dumps(tree).decode() for tree in some_records(seed + 100)]
    random.Random(seed).shuffle(texts)
    kernel, expected = lines_of("\n".join(texts).encode())
    assert kernel == expected
    assert expected


def test_a_case_by_hand(parsed):
    fields = {"image_path": "a", "width": 8, "note": 'é "x"\n'}
    text = orjson.dumps(record([NEAR, line(0, 900, 90, 900)], [NEAR, FAR], **fields))
    kernel, _ = lines_of(text + b"\n")
    assert orjson.loads(kernel) == {
        "key": "a",
        "path": "dump.jsonl",
        "line": 1,
        "fields": fields,
        "unmatched_gt": [
            {"index": 1, "object": line(0, 900, 90, 900), "cause": "missed", "partner": None, "best": None}
        ],
        "unmatched_pred": [{"index": 1, "object": FAR, "cause": "spurious", "partner": None, "best": None}],
        "matched": [
            {
                "gt": {"index": 0, "type": "bbox_2d", "points": [0, 0, 10, 10]},
                "pred": {"index": 0, "type": "bbox_2d", "points": [0, 0, 10, 10]},
                "overlap": 1.0,
            }
        ],
        "labels": {"names": ["甲", "线"], "gt": [0, 1], "pred": [0, 0]},
        "unmatched": 2,
    }
    assert parsed == [0]  # once, by the other way


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("OBJECT", 'OBJECT,{"type":"line","points":[0,0.5,1.25,1000.0],"desc":"a\\n\\"\\\\"}'),
        PLAIN.replace('"a"', '"a","meta":{"b":[1,-2,{"c":null}],"d":{}},"gt":[],"e":-0.5,"f":0.0001'),
        PLAIN.replace("OBJECT", '{"desc":"","points":[5,5,6,6],"type":"bbox_2d","score":0.5}'),
        PLAIN + " \r",
    ],
)
def test_what_is_written_as_usual_is_not_parsed(text, parsed):
    kernel, expected = lines_of(text.replace("OBJECT", orjson.dumps(NEAR).decode()).encode())
    assert kernel == expected
    assert parsed == [0]


ODD_VALUES = ["1e2", "-0", "-0.0", "1.50", "0.00001", "12345678901234567890", "0.1234567890123456", "1.0E1", "[1, 2]"]
ODD_VALUES += ['"\\u0041"', '"\\/"', '{"a":1,"a":2}', "[" * 17 + "]" * 17]


@pytest.mark.parametrize("value", ODD_VALUES)
def test_what_may_be_written_differently_is_parsed(value, parsed):
    text = PLAIN.replace('"a"', f'"a","odd":{value}').replace("OBJECT", orjson.dumps(NEAR).decode())
    kernel, expected = lines_of(text.encode())
    assert kernel == expected
    assert parsed == [0, 0]


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ([NEAR], [{"bbox_2d": [1, 2, 30, 40], "label": "甲"}]),  # named by its geometry
        ([NEAR], [box(1, 2, 3, "4")]),  # invalid
        ([NEAR], [poly(*[[1, 2], [30, 4], [5, 60]])]),
        ([NEAR], [box(-5, 0, 2000, 9)]),
        ([NEAR], [box(9.999999, 9.999999, 400, 400)]),  # an overlap that is written with an exponent
    ],
)
def test_odd_objects_are_written_the_same(truth, pred):
    kernel, expected = lines_of(orjson.dumps(record(truth, pred, image_path="a")))
    assert kernel == expected
    assert kernel.count(b"\n") == 1


def test_a_record_that_names_a_side_twice_is_parsed(parsed):
    text = orjson.dumps({"gt_norm1000": [NEAR], "gt_norm": [FAR, FAR], "pred": []})
    kernel, expected = lines_of(text)
    assert kernel == expected
    assert parsed == [0, 0]


LISTS = [
    "[1,2,3,4]",
    "[0,0,10,1000]",
    "[0,10,0,100]",
    "[5,6,7,0]",
    "[0.5,1,2,3]",
    "[1.0,2,3,4]",
    "[-0,1,2,3]",
    "[-5,1,2,3]",
    "[1e2,2,3,4]",
    "[1, 2,3,4]",
    "[[1,2],[3,4]]",
    "[999999999999999,2,3,4]",
    "[9999999999999999,2,3,4]",
    "[1234567890123456789,2,3,4]",
    "[12345678901234567890123,2,3,4]",
    *(f"[{','.join(str(number) for number in range(100, 100 + count))}]" for count in range(4, 40, 2)),
    *(f"[{','.join(str(7 * number) for number in range(count))}]" for count in range(4, 40, 2)),
]


@pytest.mark.parametrize("numbers", LISTS)
def test_numbers_are_written_as_a_library_writes_them(numbers):
    """Of lines of any number of points, at the end of their record and with more behind them."""
    drawn = f'{{"type":"line","points":{numbers},"desc":"类别=线"}}'
    texts = [
        f'{{"image_path":"a","gt_norm1000":[{json.dumps(FAR, ensure_ascii=False)}],"pred":[{drawn}]}}',
        f'{{"image_path":"b","pred":[{drawn},{drawn}],"gt_norm1000":[],"width":8,"prompt":"{"x" * 80}"}}',
    ]
    kernel, expected = lines_of("\n".join(texts).encode())
    assert kernel == expected
    assert expected.count(b"\n") == 2
