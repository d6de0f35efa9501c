"""Records as columns: what stands where."""

import subprocess
import sys
from pathlib import Path

import calipers
from calipers.core.shapes import FLAGS, KINDS, Batch, Objects
from calipers.kernels.scan.flatten import ObjectColumns

RECORDS = [
    [
        {"type": "bbox_2d", "points": [30, 20, 10, 5], "desc": "a"},
        {"type": "line", "points": [0, 0, 9, 9, 5, 5], "desc": "b"},
    ],
    [],
    [{"type": "poly", "points": [0, 0, 0, 4, 3, 0], "desc": "a"}, "no object"],
]


def objects() -> Objects:
    columns = ObjectColumns({})
    for record in RECORDS:
        columns.add_record(record, False)
    return Objects(columns)


def test_objects_of_a_record_are_between_its_offsets():
    side = objects()
    assert side.offsets.tolist() == [0, 2, 2, 4]
    assert len(side) == 4
    assert [KINDS[kind] if kind < 3 else None for kind in side.kind] == ["bbox_2d", "line", "poly", None]


def test_points_of_an_object_are_between_its_starts():
    side = objects()
    points = [side.points.tolist()[a:b] for a, b in zip(side.starts, side.starts.tolist()[1:], strict=False)]
    assert points == [[10, 5, 30, 5, 30, 20, 10, 20], [0, 0, 9, 9, 5, 5], [0, 0, 3, 0, 0, 4], []]


def test_an_object_that_could_not_be_read_keeps_its_place_without_points():
    side = objects()
    assert [bool(reason) for reason in side.reason] == [False, False, False, True]
    assert side.area.tolist() == [300, 0, 6, 0]
    assert side.bounds.tolist() == [10, 5, 30, 20, 0, 0, 9, 9, 0, 0, 3, 4, 0, 0, 0, 0]


def test_texts_are_codes_shared_by_all_records():
    side = objects()
    assert side.descs == {"a": 0, "b": 1, "": 2}
    assert side.desc.tolist() == [0, 1, 0, 2]


def test_flags_are_bits_of_their_own():
    assert sorted(FLAGS.values()) == [1, 2, 4, 8, 16, 32]


def test_a_batch_is_as_long_as_its_keys():
    batch = Batch(objects(), objects(), keys=["a", "b", "c"])
    assert len(batch) == 3
    assert (batch.path, list(batch.lines), list(batch.raw)) == ("", [], [])


def test_records_and_the_matcher_import_no_numpy():
    program = "import sys, calipers.core.shapes, calipers.core.matching; print('numpy' in sys.modules)"
    env = {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "False\n"
