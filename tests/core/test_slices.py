"""Groups that records fall into, by hand, and what adds up."""

import numpy as np
import pytest

from calipers.core import slice_draws
from calipers.core.errors import ConfigError
from calipers.core.parts import from_bytes, to_bytes
from calipers.core.slice_draws import Resampling, draw
from calipers.core.slice_fields import FieldSpec, FieldValues, cross, group_field, parse_slice, quantiles, size_edges
from calipers.core.slice_figures import RatioFigure, SliceFigures
from calipers.core.slice_table import ObjectRows, SliceTable
from calipers.core.slices import find_slices, slice_rows

F1 = RatioFigure("f1", {"matched": 2}, {"gt": 1, "pred": 1})
FIGURES = SliceFigures((F1,), "f1", {"gt": 1, "pred": 1}, {"gt": 1})


def grouped(values, edges=None):
    groups = groups_of(values, edges)
    return [groups.names[code] for code in groups.codes]


def test_numbers_become_quartiles_and_a_value_on_an_edge_goes_up():
    # of 0, 1, 2, 3, 4 the quantiles are 1, 2 and 3
    assert grouped([0, 1, 2, 3, 4]) == ["< 1", "1 – 2", "2 – 3", ">= 3", ">= 3"]


def test_edges_of_quartiles_lie_between_values_and_missing_ones_do_not_move_them():
    # 10, 20, 30, 40: 25 % lies at 10 + 0.75 * 10 = 17.5, the middle at 25, 75 % at 32.5
    assert grouped([10, None, 20, 30, 40]) == ["< 17.5", "(missing)", "17.5 – 25", "25 – 32.5", ">= 32.5"]


def test_edges_may_be_given():
    names = grouped([9.9, 10, 19, 20, 49, 50, None], (10.0, 20.0, 50.0))
    assert names == ["< 10", "10 – 20", "10 – 20", "20 – 50", "20 – 50", ">= 50", "(missing)"]


@pytest.mark.parametrize(
    "values",
    [
        ["sun", "rain", "sun"],
        [None, "rain", None],
        [None, None],
        [],
        [1, 2.5, -3],
        [2**70, 1],
        [1.0, None],
        [True, "sun", None],
        [7, "sun"],
    ],
)
def test_values_are_held_alike_whether_all_are_of_one_kind_or_not(values):
    held, one_by_one = FieldValues(), FieldValues()
    held.extend("x", ["rain"])
    held.extend("x", values)
    for value in ["rain", *values]:
        one_by_one._extend_any("x", [value])
    for mine, theirs in zip(held.columns(), one_by_one.columns(), strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.tolist() == theirs.tolist()
    assert held.texts == one_by_one.texts


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e300, 10**400])
def test_numbers_that_are_not_finite_are_refused(value):
    with pytest.raises(ConfigError, match=r"^slice: 'x' has the value .*, expected finite numbers$"):
        FieldValues().extend("x", [1.0, value])


def test_edges_that_coincide_are_one():
    assert grouped([0, 0, 0, 0, 7]) == [">= 0"] * 5
    assert grouped([3]) == [">= 3"]


def test_large_and_small_edges_are_written_as_one_would():
    assert grouped([1, 5_000_000], (1_250_000.0,)) == ["< 1250000", ">= 1250000"]
    assert grouped([0.1, 0.5], (0.25,)) == ["< 0.25", ">= 0.25"]
    assert grouped([0.1, 0.5], (0.3, 0.3000001)) == ["< 0.3", ">= 0.3000001"]


def test_texts_are_their_values_and_the_51st_most_frequent_is_other():
    values = [f"v{k:02}" for k in range(52) for _ in range(60 - k)]
    names = grouped(values)
    assert names[:60] == ["v00"] * 60
    assert set(names[-17:]) == {"(other)"}  # v50 and v51: 10 - 1 + 9 - 1
    assert len(set(names)) == 51


def test_groups_of_one_name_are_one():
    """Comparisons and gates know a slice by its name."""
    assert_each_name_once([None, "(missing)", "day"], ["(missing)", "(missing)", "day"])
    rare = [f"{k:02}" for k in range(60)]
    assert_each_name_once(["(other)", "(other)", *rare], ["(other)", "(other)", *rare[:49], *["(other)"] * 11])
    crossed = cross(groups_of(["a × b", "a", "a"]), groups_of(["c", "b × c", "c"]))
    assert [crossed.names[code] for code in crossed.codes] == ["a × b × c", "a × b × c", "a × c"]
    assert len(crossed.names) == 2


def assert_each_name_once(values, names):
    groups = groups_of(values)
    assert len(set(groups.names)) == len(groups.names)
    assert [groups.names[code] for code in groups.codes] == names


def groups_of(values, edges=None):
    held = FieldValues()
    held.extend("x", values)
    return group_field(FieldSpec("x", edges), held)


def test_true_and_false_are_texts():
    assert grouped([True, False, None]) == ["true", "false", "(missing)"]


@pytest.mark.parametrize(
    ("values", "edges", "problem"),
    [
        ([1, "a"], None, "is a number in 1 records and text in 1"),
        (["a"], (1.0,), "is text, expected numbers for the edges 1"),
        ([[1]], None, "is a list in a record"),
        ([{}], None, "is an object in a record"),
        ([float("nan")], None, "expected finite numbers"),
        ([None], None, "no record has a value"),
    ],
)
def test_what_cannot_be_grouped_is_an_error_that_says_what_to_do(values, edges, problem):
    with pytest.raises(ConfigError, match=problem):
        grouped(values, edges)


def test_of_very_many_texts_all_but_the_most_frequent_are_other():
    # 50 texts twice, and 100,000 once: of equally frequent ones the first by name
    values = [f"twice {k:02}" for k in range(50)] * 2 + [f"once {k}" for k in range(100_000)]
    groups = groups_of(values)
    assert groups.names == [*(f"twice {k:02}" for k in range(50)), "(other)"]
    assert np.bincount(groups.codes).tolist() == [2] * 50 + [100_000]


def test_fields_are_crossed():
    spec = parse_slice("light*speed:10")
    assert spec == parse_slice("light×speed:10")
    assert spec.name == "light×speed"
    held = {"light": FieldValues(), "speed": FieldValues()}
    held["light"].extend("light", ["day", "night", "day", None])
    held["speed"].extend("speed", [5, 10, None, 30])
    groups = cross(*(group_field(field, held[field.name]) for field in spec.fields))
    names = [groups.names[code] for code in groups.codes]
    assert names == ["day × < 10", "night × >= 10", "day × (missing)", "(missing) × >= 10"]


@pytest.mark.parametrize("text", ["", "a×", "a×a", "a×b×c", "a:2,1", "a:1,1", "a:nan"])
def test_a_slice_that_cannot_be_meant_is_refused(text):
    with pytest.raises(ConfigError, match=r"^slice: found"):
        parse_slice(text)


def test_a_colon_may_belong_to_a_name():
    assert parse_slice("exif:Model").fields == (FieldSpec("exif:Model"),)


def test_sizes_are_cut_at_the_terciles_of_ground_truth():
    # of truths 1, 4, 7 the quantiles at 1/3 and 2/3 are 3 and 5; predictions do not move them
    rows = ObjectRows(["gt", "pred"])
    rows.extend(1, [3, 2], [1.0, 4.0, 7.0, 100.0, np.nan], [1, 1, 1, 0, 0], [[0, 1], [1, 0]])
    edges = size_edges(FieldSpec("size"), rows.truth_sizes())
    names = [edges.names[code] for code in edges.codes(np.array([1.0, 3.0, 4.0, 5.0, 100.0, np.nan]))]
    assert names == ["small", "medium", "medium", "large", "large", "(missing)"]


@pytest.mark.parametrize("seed", range(50))
def test_quantiles_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    values = rng.gamma(2, 50, rng.integers(1, 40)).astype(np.float32)
    shares = [1 / 3, 2 / 3, 0.5, 0, 1]
    expected = np.quantile(values, shares, method="linear").astype(np.float64)
    assert quantiles(values, shares).tolist() == expected.tolist()


def test_sums_that_are_known_change_no_slice_by_size():
    table = made_table(np.random.default_rng(5), 300)
    hashes, columns = table.columns()
    known = dict(zip(table.names, draw(table.names, hashes, columns, Resampling(0, 50)).draws, strict=True))
    drawn, left = (
        find_slices(table, [parse_slice("size")], FIGURES, Resampling(0, 50), FIGURES, sums) for sums in (None, known)
    )
    assert [part.value for part in left] == [part.value for part in drawn]
    for one, other in zip(drawn, left, strict=True):
        assert np.array_equal(one.own.draws, other.own.draws)
        assert np.array_equal(one.rest.draws, other.rest.draws)


def made_table(rng, records):
    table = SliceTable(["gt", "pred", "matched"], ["light", "speed"], ["gt", "pred", "matched"])
    gt, pred = rng.integers(0, 5, records), rng.integers(0, 5, records)
    matched = np.minimum(gt, pred)
    lights = rng.choice(["day", "night", "dusk"], records).tolist()
    speeds = [None if value < 0.1 else float(value) for value in rng.random(records)]
    keys = [f"{rng.integers(0, 10**9)}.jpg" for _ in range(records)]
    table.extend(keys, np.stack([gt, pred, matched]), {"light": lights, "speed": speeds})
    counts = gt + pred - matched
    rows = []
    for true, found, guessed in zip(gt, matched, pred, strict=True):
        rows += [(1, 1, 1)] * found + [(1, 0, 0)] * (true - found) + [(0, 1, 0)] * (guessed - found)
    flat = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    table.objects.extend(records, counts, rng.random(flat.shape[1]), np.arange(flat.shape[1]), flat.T)
    return table


SPECS = tuple(map(parse_slice, ("light", "speed", "light×speed", "size", "light×size")))


def rows_of(table, replicates=60):
    return slice_rows(find_slices(table, SPECS, FIGURES, Resampling(0, replicates), FIGURES))


@pytest.mark.parametrize("seed", range(3))
def test_slices_of_one_field_add_up_to_everything(seed):
    table = made_table(np.random.default_rng(seed), 80)
    columns = table.columns()[1].sum(axis=1).tolist()
    for spec in SPECS:
        parts = find_slices(table, [spec], FIGURES, Resampling(0, 20), FIGURES)
        assert np.sum([part.own.whole for part in parts], axis=0).tolist() == columns
        for part in parts:
            assert (part.own.whole + part.rest.whole).tolist() == columns
        assert sum(part.own.records for part in parts) == 80 or "size" in spec.name


def test_tables_in_any_order_and_in_files_give_the_same_slices():
    rng = np.random.default_rng(5)
    parts = [made_table(rng, size) for size in (30, 1, 50)]
    whole = []
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        copies = [SliceTable.unpack(from_bytes(to_bytes(parts[place].pack()))) for place in order]
        for later in copies[1:]:
            copies[0].add(later)
        whole.append(rows_of(copies[0]))
    assert whole[0] == whole[1] == whole[2]


@pytest.mark.parametrize("names", [["light"], ["light", "speed", "light×speed"], ["size", "speed"], ["place"]])
def test_sums_of_all_records_save_the_draws_of_the_largest_cell(names, monkeypatch):
    table = made_table(np.random.default_rng(7), 80)
    table.fields["place"] = FieldValues()
    table.fields["place"].extend("place", ["here"] * 80)
    hashes, columns = table.columns()
    everything = draw(table.names, hashes, columns, Resampling(3, 60))
    specs, drawn = list(map(parse_slice, names)), []

    def find(sums=None):
        return slice_rows(find_slices(table, specs, FIGURES, Resampling(3, 60), FIGURES, sums))

    wanted = find()
    kernel = slice_draws.grouped_sums
    monkeypatch.setattr(slice_draws, "grouped_sums", lambda *given: drawn.append(len(given[0])) or kernel(*given))
    assert find(dict(zip(table.names, everything.draws, strict=True))) == wanted
    assert sum(drawn) < 80 + 80 * ("size" in names)
    assert drawn or names == ["place"]


@pytest.mark.parametrize("together", [1, 7, 30])
@pytest.mark.parametrize("is_known", [False, True])
def test_pieces_that_are_drawn_apart_add_up(together, is_known, monkeypatch):
    table = made_table(np.random.default_rng(11), 80)
    hashes, columns = table.columns()
    everything = draw(table.names, hashes, columns, Resampling(3, 60))
    sums = dict(zip(table.names, everything.draws, strict=True)) if is_known else None

    def find():
        specs = [parse_slice(name) for name in ("light", "speed", "light×speed")]
        return slice_rows(find_slices(table, specs, FIGURES, Resampling(3, 60), None, sums))

    wanted = find()
    monkeypatch.setattr(slice_draws, "DRAWN_TOGETHER", together)
    assert find() == wanted


def test_a_slice_that_is_everything_has_no_rest():
    table = SliceTable(["gt", "pred", "matched"], ["light"])
    table.extend(["a", "b"], [[1, 1], [1, 1], [1, 0]], {"light": ["day", "day"]})
    (row,) = slice_rows(find_slices(table, [parse_slice("light")], FIGURES, Resampling(0, 50)))
    assert (row["figures"]["f1"]["value"], row["figures"]["f1"]["rest"], row["worth"]) == (0.5, None, None)
    assert row["figures"]["f1"]["p"] is None
    assert not row["sure"]


def test_one_record_has_neither_interval_nor_p():
    table = SliceTable(["gt", "pred", "matched"], ["light"])
    table.extend(["a", "b", "c"], [[1, 1, 1], [1, 1, 1], [1, 0, 1]], {"light": ["day", "day", "night"]})
    rows = slice_rows(find_slices(table, [parse_slice("light")], FIGURES, Resampling(0, 50)))
    night = next(row for row in rows if row["value"] == "night")["figures"]["f1"]
    assert (night["value"], night["interval"], night["p"]) == (1.0, None, None)


def test_of_equal_groups_few_runs_have_a_discovery():
    rng, false = np.random.default_rng(11), 0
    for _ in range(60):
        table = SliceTable(["gt", "pred", "matched"], ["site"])
        gt = rng.integers(1, 8, 120)
        found = rng.binomial(gt, 0.7)
        sites = rng.choice(list("abcdef"), 120).tolist()
        table.extend([str(rng.integers(1 << 60)) for _ in gt], np.stack([gt, gt, found]), {"site": sites})
        rows = slice_rows(find_slices(table, [parse_slice("site")], FIGURES, Resampling(0, 200)))
        false += any(row["sure"] for row in rows)
    assert false <= 9  # 5 % are promised, 3 of 60; more than 9 would come once in 1,000 times


def test_records_that_are_worse_are_found():
    rng = np.random.default_rng(3)
    table = SliceTable(["gt", "pred", "matched"], ["site"])
    gt, sites = rng.integers(1, 8, 300), rng.choice(list("abcd"), 300)
    found = rng.binomial(gt, np.where(sites == "b", 0.45, 0.8))
    table.extend([f"{k}" for k in range(300)], np.stack([gt, gt, found]), {"site": sites.tolist()})
    rows = slice_rows(find_slices(table, [parse_slice("site")], FIGURES, Resampling(0, 300)))
    assert rows[0]["value"] == "b"
    assert rows[0]["sure"]
    assert rows[0]["worth"] > 0
