"""Pairs as `--resume` keeps them: rows and cases made of them are those of the run that kept them."""

import json

import numpy as np
import pytest

from calipers.core.config import make_config
from calipers.core.matching import UNIT
from calipers.core.parts import from_bytes, to_bytes
from calipers.files.lines import Shard
from calipers.suites.dense.config import Config
from calipers.suites.dense.kept_pairs import KeptPairs, PairsAgain, pack_pairs, unpack_pairs
from calipers.suites.dense.measure import MatchedBatch
from calipers.suites.dense.part import DensePart
from calipers.suites.dense.read import read_records
from calipers.suites.dense.shards import WantedRows, measure_shard, restore_shard

from ...contracts.dumps import make_lines
from .records import box, record
from .test_limits import flood

WANTED = WantedRows(as_csv=True, keeps_pairs=True)


def config_of(**options):
    return make_config(Config, {"bootstrap": 20, **options})


def batch_of(*records):
    return read_records(records, frame="norm1000").batch


def kept_of(*records):
    batch = batch_of(*records)
    return KeptPairs.of(batch, MatchedBatch(batch, config_of(), all_pairs=True).pairs)


def again(part):
    """The part as a file gives it back."""
    packed = from_bytes(to_bytes(part.pack()))
    return packed, DensePart.unpack(packed)


def shard_of(lines):
    data = b"\n".join(lines)
    return Shard(0, "dump.jsonl", 1, len(data), data=data)


def texts_of(part):
    return [bytes(text) for text in part.matches], [bytes(text) for text in part.cases]


def test_pairs_are_counted_by_record_and_placed_in_it():
    """The second record has two truths and two predictions; only its second truth overlaps one, the first, by half."""
    near, half, far = box(0, 0, 10, 10), box(0, 0, 10, 5), box(500, 500, 510, 510)
    kept = kept_of(record([near], [near]), record([far, near], [half, box(800, 800, 810, 810)]))
    assert [column.tolist() for column in kept] == [[1, 1], [0, 1], [0, 0], [UNIT, UNIT // 2]]
    assert (kept.truth.dtype, kept.pred.dtype) == (np.uint8, np.uint8)


def test_places_beyond_a_byte_are_kept():
    apart = [box(3 * at, 0, 3 * at + 2, 2) for at in range(300)]
    kept = kept_of(record(apart, apart))
    assert sorted(kept.truth.tolist()) == list(range(300))
    assert kept.truth.dtype == np.int32


@pytest.mark.parametrize("options", [{}, {"chunk_bytes": 4000}])
@pytest.mark.parametrize("seed", range(3))
def test_rows_and_cases_are_those_of_the_run_that_kept_the_pairs(seed, options):
    """Also where batches are cut elsewhere than then."""
    lines, config = make_lines(seed, 60), config_of(max_bad_records=99)
    whole = measure_shard(shard_of(lines), config=config, rows=WANTED)
    packed, kept = again(whole)
    assert not kept.matches
    assert not kept.cases
    other = config_of(max_bad_records=99, **options)
    restored = restore_shard(shard_of(lines), packed, "shards.cal", config=other, rows=WANTED)
    assert b"".join(texts_of(restored)[0]) == b"".join(texts_of(whole)[0])
    assert b"".join(texts_of(restored)[1]) == b"".join(texts_of(whole)[1])
    assert restored.tally.pack().plain == whole.tally.pack().plain
    assert not restored.pairs


def test_records_that_were_too_heavy_are_left_out_again():
    lines = [*make_lines(1, 20), json.dumps(flood()).encode(), *make_lines(2, 20)]
    config = config_of(max_bad_records=99, max_work=100)
    whole = measure_shard(shard_of(lines), config=config, rows=WANTED)
    assert any("steps for each of their numbers" in bad.problem for bad in whole.bad)
    restored = restore_shard(shard_of(lines), again(whole)[0], "shards.cal", config=config, rows=WANTED)
    assert texts_of(restored) == texts_of(whole)


def test_a_run_that_allows_fewer_bad_records_reads_as_far_as_the_one_before():
    lines = [*make_lines(1, 20), b"oops", b"7", *make_lines(2, 20)]
    whole = measure_shard(shard_of(lines), config=config_of(max_bad_records=5), rows=WANTED)
    restored = restore_shard(shard_of(lines), again(whole)[0], "shards.cal", config=config_of(), rows=WANTED)
    assert texts_of(restored) == texts_of(whole)
    assert len(restored.bad) >= 2


def test_parts_without_pairs_have_no_arrays_for_them():
    assert pack_pairs([]) == {}
    assert unpack_pairs({}) == []


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("counts", [2], "found 2 of records, expected 1"),
        ("counts", [-1], "expected a column of whole numbers, none below 0"),
        ("counts", [[1]], "expected a column of whole numbers, none below 0"),
        ("score", [0.5], "expected a column of whole numbers, none below 0"),
        ("score", [UNIT + 1], "expected at most 1000000000000"),
        ("truth", [1], "found an object that its record does not have"),
        ("pred", [7], "found an object that its record does not have"),
        ("pred", [0, 0], "pairs: found 1 of records"),
    ],
)
def test_pairs_of_someone_else_are_refused(column, value, problem):
    pair = record([box(0, 0, 10, 10)], [box(0, 0, 10, 10)])
    kept = kept_of(pair)._replace(**{column: np.array(value)})
    with pytest.raises(ValueError, match=problem):
        PairsAgain(kept).take(batch_of(pair))


def test_pairs_of_fewer_or_more_records_are_refused():
    one = record([box(0, 0, 10, 10)], [box(0, 0, 10, 10)])
    with pytest.raises(ValueError, match="pairs of 1 records, expected those of more"):
        PairsAgain(kept_of(one)).take(batch_of(one, one))
    pairs = PairsAgain(kept_of(one, one))
    pairs.take(batch_of(one))
    with pytest.raises(ValueError, match="pairs of 2 records, expected those of 1"):
        pairs.check_end()
