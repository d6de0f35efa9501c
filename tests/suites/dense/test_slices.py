"""Slices of the dense suite: by hand, from fields and attributes, in pieces, and what is refused."""

import gzip
import json

import pytest
from click.testing import CliRunner

import calipers
from calipers import ConfigError, DenseMeter, compare, dense, gate
from calipers.cli.main import calipers as program
from calipers.core.bootstrap import middle
from calipers.results.merging import merge
from calipers.results.slice_changes import SlicedResult, SliceKey

from ...show.page.reading import data_of

pytestmark = pytest.mark.usefixtures("blank_plots")


def box(place, size=10, label="灯"):
    return {"type": "bbox_2d", "points": [100 * place, 0, 100 * place + size, size], "desc": f"类别={label}"}


# night: 3 true, 2 predicted, 2 matched; day: 3 true, 4 predicted, 3 matched
RECORDS = [
    {"id": "a", "light": "night", "gt_norm1000": [box(0), box(1)], "pred": [box(0)]},
    {"id": "b", "light": "night", "gt_norm1000": [box(0)], "pred": [box(0)]},
    {"id": "c", "light": "day", "gt_norm1000": [box(0), box(1)], "pred": [box(0), box(1)]},
    {"id": "d", "light": "day", "gt_norm1000": [box(0)], "pred": [box(0), box(5)]},
]


def made(records):
    """Records by the hundred, of which those at night are missed more often."""
    rows = []
    for k in range(records):
        night = k % 3 == 0
        truth = [box(place, 10 + 3 * (k % 5) + place) for place in range(1 + k % 4)]
        pred = [item for place, item in enumerate(truth) if (k + place) % (2 if night else 7)]
        row = {"id": f"{k}.jpg", "light": "night" if night else "day", "speed": k % 11, "gt_norm1000": truth}
        rows.append(row | {"pred": pred + [box(8, 40)] * (k % 9 == 0)})
    return rows


def written(path, records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return str(path)


def by_value(report, field=None):
    return {row["value"]: row for row in report["slices"] if field in (None, row["field"])}


def test_an_example_by_hand():
    report = dense(RECORDS, slice=["light"])
    assert [(row["field"], row["value"], row["records"], row["objects"]) for row in report["slices"]] == [
        ("light", "night", 2, 3),
        ("light", "day", 2, 3),
    ]
    figures = by_value(report)["night"]["figures"]
    f1 = figures["category.f1"]
    assert f1["value"] == 2 * 2 / (3 + 2)
    assert f1["rest"] == 2 * 3 / (3 + 4)
    assert f1["difference"] == f1["value"] - f1["rest"]
    assert figures["category.precision"]["value"] == 1
    assert figures["category.recall"]["rest"] == 1
    assert by_value(report)["night"]["worth"] == pytest.approx((6 / 7 - 0.8) * 5 / 12)
    assert set(figures) == {
        f"{mode}.{name}" for mode in report["modes"] for name in ("precision", "recall", "f1", "mean_f1")
    }


def test_without_slices_nothing_changes():
    report = dense(RECORDS)
    assert "slices" not in report
    assert "slices" not in report["bootstrap"]
    assert "slice" not in report["params"]


def test_objects_of_a_record_are_a_field():
    report = dense(RECORDS, slice="objects:2")
    assert {value: row["records"] for value, row in by_value(report).items()} == {"< 2": 2, ">= 2": 2}


def test_by_size_a_matched_prediction_goes_with_its_truth():
    # truths of side 10, 20 and 40; the second is predicted with side 22, the third is missed, one of 11 is spurious
    record = {"id": "a", "gt_norm1000": [box(0, 10), box(1, 20), box(2, 40)]}
    record |= {"pred": [box(0, 10), box(1, 22), box(5, 11), {"type": "line"}]}
    rows = by_value(dense([record, {"id": "b", "gt_norm1000": [], "pred": [box(0, 90)]}], slice="size"))
    f1 = {value: row["figures"]["category.f1"]["value"] for value, row in rows.items()}
    # terciles of 10, 20, 40 are 16 2/3 and 26 2/3
    assert f1 == {"small": 2 / 3, "medium": 1.0, "large": 0.0, "(missing)": 0.0}
    assert {value: row["objects"] for value, row in rows.items()} == {
        "small": 1,
        "medium": 1,
        "large": 1,
        "(missing)": 0,
    }
    assert {value: row["records"] for value, row in rows.items()} == {
        "small": 1,
        "medium": 1,
        "large": 2,
        "(missing)": 1,
    }


@pytest.mark.parametrize("field", ["size", "objects"])
def test_without_replicates_figures_of_slices_are_the_same(field):
    rows, drawn = (by_value(dense(RECORDS, slice=field, bootstrap=replicates)) for replicates in (0, 20))
    assert {name: row["figures"]["category.f1"]["value"] for name, row in rows.items()} == {
        name: row["figures"]["category.f1"]["value"] for name, row in drawn.items()
    }


def test_of_a_line_the_length_is_its_size():
    line = {"type": "line", "points": [0, 0, 30, 40, 30, 100], "desc": "类别=缆"}  # 50 + 60
    square = box(5, 100)
    short = {"type": "line", "points": [0, 500, 120, 500], "desc": "类别=缆"}
    rows = by_value(dense([{"id": "a", "gt_norm1000": [line, square, short], "pred": []}], slice="size:105,115"))
    assert {value: row["objects"] for value, row in rows.items()} == {"< 105": 1, "105 – 115": 1, ">= 115": 1}


@pytest.mark.parametrize(("texts", "is_noted"), [(100, False), (101, True)])
def test_a_field_of_which_most_records_are_other_is_warned_about(texts, is_noted):
    records = [RECORDS[0] | {"id": str(k), "site": f"s{k}"} for k in range(texts)]  # 50 of 100 are (other), 51 of 101
    notes = [note for note in dense(records, slice=["site"]).notes if "different values" in note]
    expected = "warning: slice: 'site' has 101 different values, and 51 of 101 records have none of the 50 most"
    assert [note.startswith(expected) for note in notes] == [True] * is_noted


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_attributes_win_over_fields_and_strangers_are_noted(tmp_path, name):
    rows = [("a", "wet"), ("b", "dry"), ("zz", "dry")]
    path = tmp_path / name
    if name.endswith(".csv"):
        path.write_text("key,light,road\n" + "".join(f"{key},any,{road}\n" for key, road in rows), encoding="utf-8")
    else:
        lines = [json.dumps({"key": key, "light": "any", "road": road}) for key, road in rows]
        path.write_text("\n".join(lines), encoding="utf-8")
    report = dense(RECORDS, slice=["road", "light"], attributes=path)
    assert {value: row["records"] for value, row in by_value(report, "road").items()} == {
        "wet": 1,
        "dry": 1,
        "(missing)": 2,
    }
    assert set(by_value(report, "light")) == {"any", "(missing)"}
    assert report["inputs"][-1]["path"] == str(path)
    assert report["inputs"][-1]["records"] == 3
    assert any("1 of 3 keys are of no record that was evaluated, such as 'zz'" in note for note in report.notes)


def test_the_same_bytes_in_whatever_pieces(tmp_path, workers_only):
    records, options = made(90), {"slice": ["light", "speed", "light×size", "objects:2,3"], "bootstrap": 120}
    path = written(tmp_path / "a.jsonl", records)
    whole = dense(path, jobs=1, **options).to_json()
    assert dense(path, jobs=2, chunk_bytes=4096, **options).to_json() == whole
    kept = dict(options, resume=tmp_path / "kept", tally=tmp_path / "tally")
    assert dense(path, **kept).to_json() == whole
    assert dense(path, **kept).to_json() == whole
    assert merge([str(tmp_path / "tally")]).to_json() == whole
    slices = json.loads(whole)["slices"]
    with gzip.open(tmp_path / "b.jsonl.gz", "wb") as file:
        file.write((tmp_path / "a.jsonl").read_bytes())
    assert dense(str(tmp_path / "b.jsonl.gz"), chunk_bytes=2000, jobs=2, **options)["slices"] == slices
    assert dense(records[::-1], **options)["slices"] == slices


def test_parts_merge_in_any_order(tmp_path):
    records, options = made(60), {"slice": ["light", "speed", "size"], "bootstrap": 80}
    whole = dense(records, **options)["slices"]
    tallies = []
    for name, some in (("a", records[:13]), ("b", records[13:])):
        dense(written(tmp_path / f"{name}.jsonl", some), tally=tmp_path / name, **options)
        tallies.append(str(tmp_path / name))
    assert merge(tallies)["slices"] == merge(tallies[::-1])["slices"] == whole


def test_a_meter_has_the_same_slices():
    meter, other = (DenseMeter(slice=["light", "size"], bootstrap=50) for _ in range(2))
    meter.update(RECORDS[:1])
    other.update(RECORDS[1:])
    meter.merge(other)
    assert meter.compute()["slices"] == dense(RECORDS, slice=["light", "size"], bootstrap=50)["slices"]


def test_fields_are_read_alike_from_usual_and_unusual_lines(tmp_path):
    lines = [
        '{"id": "a", "gt_norm1000": [], "pred": [%s], "light": "n\\u0069ght", "speed": -1.5}',
        '{"id": "b", "gt_norm1000": [], "pred": [%s], "light": null, "speed": 2}',
        '{"id": "c", "gt_norm1000": [], "pred": [%s], "l\\u0069ght": "night", "speed": 3e0, "speed": 4}',
    ]
    shape = json.dumps(box(0))
    (tmp_path / "a.jsonl").write_text("\n".join(line % shape for line in lines), encoding="utf-8")
    rows = by_value(dense(str(tmp_path / "a.jsonl"), slice=["light", "speed:0,3"]), None)
    assert {value: row["records"] for value, row in rows.items()} == {
        "night": 2,
        "(missing)": 1,
        "< 0": 1,
        "0 – 3": 1,
        ">= 3": 1,
    }


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"slice": "wether"}, "no record has the field 'wether'; the fields there are: id, light, objects, size$"),
        ({"slice": "lihgt"}, "'lihgt', did you mean 'light'[?] the fields there are: id, light, objects, size$"),
        ({"slice": "light:1,x"}, "found the edges '1,x' of 'light', expected numbers that ascend: light:10,20,50"),
        ({"slice": ["light:1,2"]}, "'light' is text, expected numbers for the edges 1,2"),
        ({"slice": ["light", "light:1"]}, "found 'light' with different edges"),
        ({"slice": 3}, "expected names of fields"),
        ({"attributes": "a.csv"}, "attributes: found 'a.csv', expected a field to slice by"),
    ],
)
def test_what_cannot_be_sliced_is_refused(options, problem):
    with pytest.raises(ConfigError, match=problem):
        dense(RECORDS, **options)


def test_a_field_that_is_null_in_every_record_is_refused_as_such():
    with pytest.raises(ConfigError, match="found 'rain' without a value in every record, expected one in some"):
        dense([record | {"rain": None} for record in RECORDS], slice="rain")


def test_a_column_that_is_text_because_of_a_few_cells_is_told(tmp_path):
    file = tmp_path / "k.csv"
    keys = [record["id"] for record in RECORDS[:4]]
    cells = dict(zip(keys, ("1", "n/a", "3", "4"), strict=True))
    file.write_text("key,load,line\n" + "".join(f"{key},{cell},{cell}A\n" for key, cell in cells.items()))
    report = dense(RECORDS, slice=["load", "line"], attributes=str(file), bootstrap=0)
    found = f"warning: {file}: 'load' is text, as 1 of 4 cells are no numbers, such as 'n/a'"
    assert report.notes == [f"{found}; leave such cells empty, and it is in quartiles"]


def test_attributes_of_no_record_are_told_by_their_keys(tmp_path):
    file = tmp_path / "k.csv"
    file.write_text("key,road\nnobody.jpg,wet\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"a value of 'road', which .*k.csv has for keys such as 'nobody.jpg'"):
        dense(RECORDS, slice="road", attributes=str(file))


def test_the_command_takes_several_slices_and_a_file_of_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.jsonl", made(40))
    (tmp_path / "k.csv").write_text("key,road\n0.jpg,wet\n", encoding="utf-8")
    run = CliRunner().invoke
    flags = ["--slice", "light", "--slice", "road", "--attributes", "k.csv", "--bootstrap", "60"]
    assert run(program, ["dense", "a.jsonl", *flags, "-o", "one.json"]).exit_code == 0
    (tmp_path / "calipers.toml").write_text(
        '[dense]\nslice = ["light", "road"]\nattributes = "k.csv"\nbootstrap = 60\n', encoding="utf-8"
    )
    assert run(program, ["dense", "a.jsonl", "-o", "two.json"]).exit_code == 0
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    refused = run(program, ["dense", "a.jsonl", "--slice", "nope"])
    assert refused.exception.exit_code == 2
    assert "the fields there are: id, light, objects" in str(refused.exception)
    folder = run(program, ["dense", "a.jsonl", "-o", "out"])
    assert folder.exit_code == 0
    assert "worst slices" in folder.output
    head, *lines = (tmp_path / "out" / "slices.csv").read_text(encoding="utf-8").splitlines()
    assert head.startswith("field,value,records,objects,figure,figure_value,")
    assert len(lines) == 4 * 12
    told = [line.split(",") for line in lines if line.split(",")[-2]]  # `sure`, which is about the headline
    assert [line[4] for line in told] == ["category.f1"] * 4


def test_an_empty_list_has_no_slices():
    assert dense([], slice="light")["slices"] == []


def improved(records):
    """All of day is found, and of night hardly anything."""
    rows = []
    for k, record in enumerate(records):
        night = record["light"] == "night"
        rows.append(record | {"pred": record["gt_norm1000"][: k % 2] if night else record["gt_norm1000"]})
    return rows


def test_a_comparison_says_first_that_a_slice_got_worse():
    records = [record | {"pred": record["pred"][: 1 + (record["light"] == "night")]} for record in made(150)]
    old = dense(records, slice=["light", "speed"], bootstrap=200)
    new = dense(improved(records), slice=["light", "objects"], bootstrap=200)
    comparison = compare(old, new)
    rows = {row["value"]: row for row in comparison["slices"]}
    assert set(rows) == {"night", "day"}
    assert rows["night"]["sure"]
    assert rows["night"]["difference"] < 0
    assert rows["day"]["verdict"] == "better"
    assert rows["day"]["metric"] == "category.f1"
    whole = next(row for row in comparison["metrics"] if row["metric"] == "category.f1")
    assert whole["difference"] > 0
    second = str(comparison).splitlines()[1]
    assert "category f1 improved" in second
    assert "light = night" in second
    assert "but slices surely got worse" in comparison.to_markdown()
    assert any("only in the old result" in line for line in comparison["left_out"])
    first = data_of(comparison.to_html())["sections"][0]
    assert first["title"] == "Not better everywhere"
    assert "but slices surely got worse: light = night" in first["lines"][0]
    assert data_of(compare(old, old).to_html())["sections"][0]["title"] == "What changed"


def without_every_third_prediction(records):
    return [record | {"pred": record["pred"][k % 3 == 0 :]} for k, record in enumerate(records)]


def test_slices_with_records_that_only_one_result_has_are_paired_all_the_same():
    """Records count in a slice by size if they have an object of it, and one may be a prediction without a truth."""
    records = [*made(90), {"id": "empty", "light": "day", "gt_norm1000": [], "pred": []}]
    more = [*records[:-1], records[-1] | {"pred": [records[0]["gt_norm1000"][0]]}]
    options = {"slice": ["light", "size"], "bootstrap": 200}
    old, new = dense(more, **options), dense(without_every_third_prediction(records), **options)
    counts = [{(row["field"], row["value"]): row["records"] for row in report["slices"]} for report in (old, new)]
    assert counts[0] != counts[1]
    figures = [SlicedResult(report.tree).figures for report in (old, new)]
    for row in compare(old, new)["slices"]:
        key = SliceKey("", row["field"], row["value"])
        before, after = (of[key]["category.f1"] for of in figures)
        assert row["interval"] == middle(after.replicates - before.replicates, records=min(before.n, after.n))


def test_without_slices_a_comparison_has_none():
    assert "slices" not in compare(dense(RECORDS), dense(RECORDS, slice="light")).tree


def test_gates_take_figures_of_slices():
    records = made(150)
    old = dense(records, slice=["light", "speed:5"], bootstrap=200)
    new = dense(improved(records), slice=["light", "speed:5"], bootstrap=200)
    outcome = gate(new, old, max_drop={"f1@light=night": 0.02, "category.recall@light=day": 0.02})
    assert [(row["metric"], row["state"]) for row in outcome.rows] == [
        ("category.f1@light=night", "fail"),
        ("category.recall@light=day", "pass"),
    ]
    assert gate(new, floor=["f1@light=day=0.9", "f1@speed=>= 5=0.1"]).state == "pass"
    for metric, problem in (
        ("f1@light=dusk", "the slices there are: light=night, light=day"),
        ("f1@light", "expected METRIC@FIELD=VALUE"),
        ("f2@light=day", "is not a metric"),
    ):
        with pytest.raises(ConfigError, match=problem):
            gate(new, floor={metric: 0.5})
    with pytest.raises(ConfigError, match="the result has no slices"):
        gate(dense(RECORDS), floor={"f1@light=day": 0.5})


def test_an_artifact_whose_slices_do_not_fit_is_refused(tmp_path):
    tree = json.loads(dense(RECORDS, slice="light", bootstrap=50).to_json())
    (tmp_path / "a.json").write_text(json.dumps(tree), encoding="utf-8")
    assert calipers.load(tmp_path / "a.json")["slices"] == tree["slices"]
    tree["slices"][0]["figures"]["category.f1"]["difference"] = 0.5
    (tmp_path / "a.json").write_text(json.dumps(tree), encoding="utf-8")
    with pytest.raises(calipers.InputError, match="expected value - rest"):
        calipers.load(tmp_path / "a.json")


def test_the_page_charts_slices_and_cases_say_theirs(tmp_path):
    path = written(tmp_path / "a.jsonl", made(30))
    run = CliRunner().invoke(
        program, ["dense", path, "--slice", "light", "--bootstrap", "50", "-o", str(tmp_path / "o")]
    )
    assert run.exit_code == 0
    page = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert '"title":"Slices by light"' in page
    assert '"slice":["light=night"]' in page


def test_one_record_against_many_says_nothing_for_either_side():
    rows = made(12)
    for row in rows:
        row["light"] = "night" if row["id"] == "1.jpg" else "day"
    night, day = sorted(dense(rows, slice="light", bootstrap=100)["slices"], key=lambda row: row["records"])
    assert [row["records"] for row in (night, day)] == [1, 11]
    for row in (night, day):
        figure = row["figures"]["category.f1"]
        assert (figure["difference_interval"], figure["p"], row["sure"]) == (None, None, False)
    # both objects of 1.jpg are found, which is told all the same
    assert (night["figures"]["category.f1"]["value"], day["figures"]["category.f1"]["rest"]) == (1.0, 1.0)
    assert day["figures"]["category.f1"]["interval"] is not None
