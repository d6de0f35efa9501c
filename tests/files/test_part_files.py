"""Files of parts: whole or refused, and what was cut off is measured again."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers
from calipers.core.errors import CalipersError, ConfigError, InputError, OutputError
from calipers.core.parts import Packed
from calipers.files.part_files import MAGIC, Provenance, finished_shards, read_tally, write_tally

from ..profiles import examples

MADE = Provenance("dense", "dense/1", "1.0", {"thresholds": [0.5], "seed": 3}, {"seed": 3})
PART = Packed({"bad": [], "名": "a"}, {"n": np.arange(4)})


def same(found, expected):
    return found.plain == expected.plain and {name: array.tolist() for name, array in found.arrays.items()} == {
        name: array.tolist() for name, array in expected.arrays.items()
    }


@pytest.fixture
def tally(tmp_path):
    path = tmp_path / "a.cal"
    write_tally(str(path), MADE, PART)
    return path


@pytest.fixture
def kept(tmp_path):
    """A file with three shards, and the length of the file after each."""
    path, lengths = tmp_path / "run.cal", []
    with finished_shards(str(path), MADE) as shards:
        lengths.append(path.stat().st_size)
        for name in ("one", "two", "three"):
            shards.add(name, Packed({"name": name}, PART.arrays))
            lengths.append(path.stat().st_size)
    return path, lengths


def names(path, made=MADE):
    with finished_shards(str(path), made) as shards:
        return [name for name in ("one", "two", "three") if name in shards]


# Totals


def test_a_total_is_read_as_it_was_written(tally):
    made, part = read_tally(str(tally))
    assert made == MADE
    assert same(part, PART)


def test_a_total_of_every_shorter_length_is_refused(tally):
    data = tally.read_bytes()
    for length in range(len(data)):
        tally.write_bytes(data[:length])
        with pytest.raises(InputError, match="expected a file written by `tally=…`"):
            read_tally(str(tally))


def test_a_total_with_more_behind_it_is_refused(tally):
    tally.write_bytes(tally.read_bytes() + b"\n")
    with pytest.raises(InputError, match="is damaged or cut off"):
        read_tally(str(tally))


@settings(max_examples=examples(60))
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_a_single_changed_bit_is_found_or_changes_what_it_was_made_by(tmp_path_factory, place, bit):
    path = tmp_path_factory.mktemp("bits") / "a.cal"
    write_tally(str(path), MADE, PART)
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= 1 << bit
    path.write_bytes(data)
    try:
        made, part = read_tally(str(path))
    except InputError:
        return
    assert made != MADE
    assert same(part, PART)


HEADS = [
    b"",
    b"{}",
    b"[]",
    b"5",
    b"nonsense",
    json.dumps({"kind": "shards", **MADE._asdict()}).encode(),
    json.dumps({"kind": "tally", **MADE._asdict(), "more": 1}).encode(),
    json.dumps({"kind": "tally", **MADE._asdict(), "params": []}).encode(),
    json.dumps({"kind": "tally", **MADE._asdict(), "options": None}).encode(),
    json.dumps({"kind": "tally", **MADE._asdict(), "suite": 5}).encode(),
]


@pytest.mark.parametrize("head", HEADS)
def test_a_file_of_another_kind_is_refused(tmp_path, head):
    path = tmp_path / "a.cal"
    for lead in (MAGIC + sha256(head).hexdigest().encode() + b" ", b"", b"\x89PNG\n"):
        path.write_bytes(lead + head + b"\n")
        with pytest.raises(InputError, match=r"a\.cal: found something else, expected a file written by `tally=…`"):
            read_tally(str(path))


def test_what_cannot_be_read_is_an_input_error(tmp_path):
    for path, problem in ((tmp_path, "Is a directory"), (tmp_path / "none", "No such file")):
        with pytest.raises(InputError, match=f"cannot be read: {problem}"):
            read_tally(str(path))


# Finished shards


def test_shards_are_there_in_the_next_run(kept):
    path, _ = kept
    with finished_shards(str(path), MADE) as shards:
        assert shards.found == 3
        assert "four" not in shards
        assert same(shards.get("two"), Packed({"name": "two"}, PART.arrays))
        shards.add("four", PART)
        assert same(shards.get("four"), PART)
        assert same(shards.get("one"), Packed({"name": "one"}, PART.arrays))
    with finished_shards(str(path), MADE) as shards:
        assert shards.found == 4


def test_a_torn_end_is_cut_off_wherever_it_is(kept):
    path, lengths = kept
    data = path.read_bytes()
    for length in range(lengths[0], len(data) + 1, 7):
        path.write_bytes(data[:length])
        whole = sum(length >= end for end in lengths[1:])
        assert names(path) == ["one", "two", "three"][:whole]
        assert path.stat().st_size == lengths[whole]


def test_after_a_torn_end_the_file_goes_on(kept):
    path, lengths = kept
    path.write_bytes(path.read_bytes()[: lengths[3] - 1])
    with finished_shards(str(path), MADE) as shards:
        shards.add("three", PART)
    assert names(path) == ["one", "two", "three"]


def test_damage_ends_what_is_taken_from_a_file(kept):
    path, lengths = kept
    data = bytearray(path.read_bytes())
    data[lengths[1] + 60] ^= 1
    path.write_bytes(data)
    assert names(path) == ["one"]


def test_a_length_beyond_the_file_is_not_believed(kept):
    path, lengths = kept
    data = path.read_bytes()
    path.write_bytes(data[: lengths[1]] + b"\xff" * 8 + data[lengths[1] + 8 :])
    assert names(path) == ["one"]


OTHERS = [
    (MADE._replace(suite="coco"), "suite: found 'dense', expected 'coco'"),
    (MADE._replace(protocol="dense/2"), "protocol: found 'dense/1', expected 'dense/2'"),
    (MADE._replace(calipers="2.0"), "calipers: found '1.0', expected '2.0'"),
    (MADE._replace(params={"thresholds": [0.5], "seed": 4}), "made with seed = 3, expected 4"),
    (MADE._replace(params={"thresholds": [0.5]}), "made with seed = 3, expected None"),
    (
        MADE._replace(params={"thresholds": [0.3], "seed": 4}),
        "made with seed = 3, expected 4; thresholds = [0.5], expected [0.3]",
    ),
    (
        MADE._replace(params={"thresholds": [0.5], "seed": 3} | {f"p{k}": k for k in range(10)}),
        "p6 = None, expected 6; p7 = None, expected 7; and 2 more",
    ),
]


@pytest.mark.parametrize(("other", "message"), OTHERS)
def test_shards_of_other_parameters_are_refused_and_kept(kept, other, message):
    path, _ = kept
    before = path.read_bytes()
    with pytest.raises(ConfigError) as raised, finished_shards(str(path), other):
        pass
    assert str(raised.value).endswith(message)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"x", b"{}\n", b"calipers\n", b"PK\x03\x04" * 100, MAGIC + b"[]\n", b"calipers notes"]
)
def test_a_file_that_is_not_ours_is_refused_and_kept(tmp_path, content):
    path = tmp_path / "thesis.doc"
    path.write_bytes(content)
    with pytest.raises(InputError, match="expected a file written by `resume=…`"), finished_shards(str(path), MADE):
        pass
    assert path.read_bytes() == content


def test_a_file_that_ends_within_its_head_begins_anew(tmp_path):
    path = tmp_path / "run.cal"
    names(path)
    whole = path.read_bytes()
    for length in (15, len(MAGIC) - 1, len(MAGIC), len(MAGIC) + 1, len(whole) - 1):
        path.write_bytes(whole[:length])
        with finished_shards(str(path), MADE) as shards:
            assert (shards.was_cut, shards.found) == (True, 0)
        assert path.read_bytes() == whole
    with finished_shards(str(path), MADE) as shards:
        assert not shards.was_cut


def test_an_empty_file_begins_anew(tmp_path):
    (tmp_path / "run.cal").touch()
    assert names(tmp_path / "run.cal") == []
    assert names(tmp_path / "run.cal") == []


def test_a_total_is_no_file_of_shards(tally):
    with pytest.raises(InputError, match="expected a file written by `resume=…`"), finished_shards(str(tally), MADE):
        pass


def test_a_file_that_cannot_be_written_is_an_output_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for path, problem in ((tmp_path, "cannot be written: "), (tmp_path / "file" / "run.cal", "cannot be created: ")):
        with pytest.raises(OutputError, match=problem), finished_shards(str(path), MADE):
            pass


def test_an_error_of_the_run_is_not_one_of_the_file(tmp_path):
    with pytest.raises(CalipersError, match=r"^mine$"), finished_shards(str(tmp_path / "run.cal"), MADE):
        raise CalipersError("mine")


HOLD = """
import sys
from calipers.files.part_files import Provenance, finished_shards
with finished_shards(sys.argv[1], Provenance("dense", "dense/1", "1.0", {"thresholds": [0.5], "seed": 3}, {"seed": 3})):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_file_belongs_to_one_run_at_a_time(kept):
    path, _ = kept
    command, env = [sys.executable, "-c", HOLD, str(path)], {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(ConfigError, match=r"run\.cal: is in use by another run"), finished_shards(str(path), MADE):
            pass
        process.kill()
    assert names(path) == ["one", "two", "three"]
