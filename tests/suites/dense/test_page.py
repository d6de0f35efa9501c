"""The page of the dense suite: numbers of the artifact, and records that went wrong as they are."""

import json

import pytest

import calipers
from calipers.show.page import cases as page_cases
from calipers.show.page.build import report_page, result_page

from ...hostile import HALF_PAIR, HOSTILE
from ...show.page.reading import cards, column, data_of, section, tags_without_cases, titles, unfolded

pytestmark = pytest.mark.usefixtures("blank_plots")


def box(x1, y1, x2, y2, label, **changes):
    return {"type": "bbox_2d", "points": [x1, y1, x2, y2], "desc": f"类别={label}"} | changes


#   one    gt 0 |----a----|   gt 1 |----b----|          gt 2: a line over the image
#          p 0  |----a----|   p 2  |----c----|   p 4 |-|     p 5: three numbers
#          p 1  |---a---|     p 3  |-b-|
#   two    gt 0 a, nobody predicts it
ONE = {
    "image_path": "site/一.jpg",
    "width": 640,
    "height": 320,
    "gt_norm1000": [
        box(0, 0, 100, 100, "a"),
        box(200, 0, 300, 100, "b"),
        {"type": "line", "points": [[0, 500], [1000, 500]], "desc": "光纤/有遮挡"},
    ],
    "pred": [
        box(100, 100, 0, 0, "a"),  # corners the other way round
        box(0, 0, 100, 80, "a"),
        box(200, 0, 300, 100, "c"),
        box(200, 0, 230, 100, "b"),
        box(900, 900, 950, 1200, "a"),  # beyond the frame
        box(0, 0, 9, 0, "a", points=[1, 2, 3]),
    ],
}
TWO = {"id": "two", "gt_norm1000": [box(0, 0, 10, 10, "a")], "pred": []}
PERFECT = {"id": 7, "gt_norm1000": [box(0, 0, 9, 9, "a")], "pred": [box(0, 0, 9, 9, "a")]}
RECORDS = [TWO, PERFECT, ONE]


@pytest.fixture(scope="module")
def report():
    return calipers.dense(RECORDS, bootstrap=100)


@pytest.fixture(scope="module")
def data(report):
    return data_of(report_page(report))


def test_the_page_begins_with_the_headline_and_ends_with_the_rules(data):
    assert titles(data)[:5] == [
        "Fix first",
        "Headline",
        "F1 over the threshold",
        "Labels by cause",
        "By category",
    ]
    assert titles(data)[-2:] == ["Inputs", "Parameters"]
    assert (data["title"], data["suite"]) == ("<records>", "dense")
    assert data["subtitle"] == "3 records · 5 objects · 7 predicted"


def test_the_headline_is_that_of_the_artifact(data, report):
    category = report["modes"]["category"]
    found = cards(data, "Headline")
    #   at 0.5: two pairs of a and a, of 5 objects and 7 predictions
    assert (found["precision"], found["recall"], found["F1"]) == (0.2857143, 0.4, 0.3333333)
    assert found["mean F1, category"] == pytest.approx(category["mean_f1"], rel=1e-6)
    [recall] = [card for card in section(data, "Headline")["cards"] if card["name"] == "recall"]
    assert recall["goto"] == {"cause": "missed"}
    assert recall["interval"] == pytest.approx(category["primary"]["interval"]["recall"], rel=1e-6)


def test_curves_have_a_point_for_every_threshold(data, report):
    curves = section(data, "F1 over the threshold")
    assert [each["name"] for each in curves["series"]] == ["localization", "phase", "category"]
    assert [each.get("bold", False) for each in curves["series"]] == [False, False, True]
    assert curves["series"][0]["x"] == report["params"]["thresholds"]
    assert [each["name"] for each in section(data, "Precision and recall, phase")["series"]] == [
        "precision",
        "recall",
        "f1",
    ]


def test_bars_count_the_causes_and_lead_to_them(data):
    bars = section(data, "Fix first")["bars"]
    assert {bar["name"]: int(bar["note"].split(" ")[0]) for bar in bars} == {
        "missed": 2,
        "spurious": 3,
        "wrong label": 1,
        "duplicate": 1,
    }
    #   F1 is 4 / 12; missed 8 / 14, wrong label 6 / 12, spurious 4 / 9, duplicate 4 / 11
    gains = [8 / 14 - 4 / 12, 6 / 12 - 4 / 12, 4 / 9 - 4 / 12, 4 / 11 - 4 / 12]
    assert [bar["value"] for bar in bars] == pytest.approx(gains, rel=1e-5)
    assert [bar["goto"]["cause"] for bar in bars] == [bar["name"] for bar in bars]


def test_tables_have_a_row_for_every_label_and_type(data):
    assert column(data, "By category", "category") == ["a", "b", "光纤", "c"]
    assert column(data, "By category", "ground truth") == [3, 1, 1, 0]
    assert column(data, "By type", "type") == ["bbox_2d", "poly", "line"]
    assert column(data, "By type", "F1") == [0.3636364, None, 0.0]
    assert column(data, "Invalid predictions", "predictions") == [1]


def test_everything_that_can_be_clicked_leads_to_a_case(data):
    assert tags_without_cases(data) == {'{"tag": "poly"}'}  # of which there is none


def test_cases_come_worst_first_and_perfect_records_not_at_all(data):
    assert [(case["key"], case["score"]) for case in data["cases"]] == [("site/一.jpg", 7), ("two", 1)]
    assert section(data, "Failures") | {"about": ""} == {
        "kind": "cases",
        "title": "Failures",
        "shown": 2,
        "total": 2,
        "about": "",
    }


def test_a_case_holds_every_object_that_can_be_drawn(data):
    shapes = data["cases"][0]["shapes"]
    assert [(shape["side"], shape["form"], shape["points"]) for shape in shapes] == [
        ("gt", "box", [0, 0, 100, 100]),
        ("pred", "box", [0, 0, 100, 100]),
        ("gt", "box", [200, 0, 300, 100]),
        ("gt", "line", [0, 500, 1000, 500]),
        ("pred", "box", [0, 0, 100, 80]),
        ("pred", "box", [200, 0, 300, 100]),
        ("pred", "box", [200, 0, 230, 100]),
        ("pred", "box", [900, 900, 950, 1000]),
    ]
    assert data["cases"][0]["note"] == "<records>:3 · 1 cannot be drawn"


def test_shapes_know_their_partners_and_the_others_their_causes(data):
    shapes = data["cases"][0]["shapes"]
    assert [shape.get("cause", "") for shape in shapes] == [
        "",
        "",
        "wrong label",
        "missed",
        "duplicate",
        "wrong label",
        "spurious",
        "spurious",
    ]
    assert [shape.get("partner") for shape in shapes] == [1, 0, 5, None, 0, 2, 2, None]
    assert [shape.get("overlap") for shape in shapes] == [1, 1, 1, None, 0.8, 1, 0.3, None]
    assert [shape.get("state") for shape in shapes] == [None, None, *["wrong"] * 6]
    assert [shape["label"] for shape in shapes] == ["a", "a", "b", "光纤", "a", "c", "b", "a"]


def test_a_case_is_shown_in_the_proportions_of_its_image(data):
    assert [case["canvas"] for case in data["cases"]] == [[1000, 1000], [1000, 1000]]
    assert [case.get("aspect") for case in data["cases"]] == [2.0, None]


def test_pixels_are_drawn_as_pixels():
    record = {"id": 1, "width": 640, "height": 480, "gt": [box(10, 10, 600, 470, "a")], "pred": []}
    [case] = data_of(report_page(calipers.dense([record], frame="pixel", bootstrap=0)))["cases"]
    assert (case["canvas"], case["shapes"][0]["points"]) == ([640, 480], [10, 10, 600, 470])
    assert "aspect" not in case


def test_two_records_of_one_key_are_two_cases():
    data = data_of(report_page(calipers.dense([TWO, TWO, TWO], bootstrap=0)))
    assert [case["key"] for case in data["cases"]] == ["two", "two (2)", "two (3)"]
    assert {case["title"] for case in data["cases"]} == {"two"}


def test_a_page_of_many_cases_says_how_many_there_are_and_has_some_of_every_kind():
    common = [TWO | {"id": f"{k:03}"} for k in range(60)]
    rare = {"id": "rare", "gt_norm1000": [], "pred": [box(0, 0, 9, 9, "z")]}
    data = data_of(report_page(calipers.dense([*common, rare], bootstrap=0), cases=20))
    assert [case["key"] for case in data["cases"] if "shapes" in case] == [*(f"{k:03}" for k in range(19)), "rare"]
    assert [case["key"] for case in data["cases"]] == [*(f"{k:03}" for k in range(60)), "rare"]
    failures = section(data, "Failures")
    assert (failures["shown"], failures["total"]) == (61, 61)
    kept = "20 of 61 records with failures are drawn, the worst and some of every kind; the others are listed."
    assert failures["about"] == kept


def test_a_case_that_is_not_drawn_says_what_is_wrong_in_it():
    records = [TWO | {"id": f"{k:03}"} for k in range(3)]
    data = data_of(report_page(calipers.dense(records, bootstrap=0), cases=1))
    drawn, listed, _ = data["cases"]
    assert listed["errors"] == drawn["errors"]
    errors = [
        (data["errors"][place]["cause"], count) for place, count in zip(*[iter(listed["errors"])] * 2, strict=True)
    ]
    causes = [shape["cause"] for shape in drawn["shapes"] if shape.get("state") == "wrong"]
    assert sorted(cause for cause, count in errors for _ in range(count)) == sorted(causes)
    assert ("shapes" in listed, "canvas" in listed) == (False, False)


def test_a_list_of_cases_ends_where_it_grows_too_long(monkeypatch):
    monkeypatch.setattr(page_cases, "LARGEST_LIST", 200)
    records = [TWO | {"id": f"{k:03}"} for k in range(20)]
    data = data_of(report_page(calipers.dense(records, bootstrap=0), cases=2))
    failures = section(data, "Failures")
    assert 2 < failures["shown"] == len(data["cases"]) < 20 == failures["total"]
    assert failures["about"].endswith(f"{failures['shown'] - 2} more are listed, and cases.jsonl has all of them.")


def test_the_usual_page_stays_small_and_one_that_was_asked_for_does_not():
    crowd = [box(x, y, x + 9, y + 9, "a" * 40) for x in range(0, 1000, 20) for y in range(0, 1000, 100)]
    records = [{"id": k, "gt_norm1000": crowd, "pred": []} for k in range(12)]
    report = calipers.dense(records, bootstrap=0)
    usual, asked = (data_of(report_page(report, cases=n)) for n in (None, 12))
    assert len(json.dumps([case for case in usual["cases"] if "shapes" in case])) < 700_000
    drawn = [sum("shapes" in case for case in data["cases"]) for data in (usual, asked)]
    assert (drawn[0] < 12, drawn[1]) == (True, 12)


def test_listed_cases_have_the_same_drawings_to_unfold(monkeypatch):
    records = [TWO | {"id": f"{k:03}", "width": 300, "height": 200} for k in range(6)]
    report = calipers.dense(records, bootstrap=0)
    whole = {case["key"]: case for case in data_of(report_page(report))["cases"]}
    monkeypatch.setattr(page_cases.Limit, "of", lambda cases: page_cases.Limit(200, 1))
    data = data_of(report_page(report))
    first, *others = data["cases"]
    assert ("shapes" in first, sum("folded" in case for case in others)) == (True, 5)
    for case in others:
        drawing = unfolded(data, case)
        assert drawing == {name: whole[case["key"]][name] for name in drawing}
        assert set(whole[case["key"]]) - set(drawing) == {"key", "title", "tags", "errors", "score"}
    assert section(data, "Failures").get("about") is None  # all of them are drawn
    monkeypatch.setattr(page_cases, "LARGEST_FOLDED", 1)
    data = data_of(report_page(report))
    assert sum("folded" in case for case in data["cases"]) == 1
    assert section(data, "Failures")["about"].startswith("2 of 6 records with failures are drawn")


def test_drawings_to_unfold_are_the_same_on_a_page_with_a_text_that_is_none(monkeypatch):
    monkeypatch.setattr(page_cases.Limit, "of", lambda cases: page_cases.Limit(200, 1))
    report = calipers.dense([TWO | {"id": f"{k:03}"} for k in range(6)], bootstrap=0)
    expected = data_of(report_page(report))
    report.tree["inputs"][0]["path"] = "\ud800.jsonl"
    data = data_of(report_page(report))
    assert (data["title"], data["cases"]) == ("\ufffd.jsonl", expected["cases"])


def test_no_cases_can_be_asked_for(report):
    data = data_of(report_page(report, cases=0))
    assert data["cases"] == []
    assert section(data, "Failures")["total"] == 2


def test_a_perfect_result_has_a_page_without_cases():
    data = data_of(report_page(calipers.dense([PERFECT], bootstrap=0)))
    assert cards(data, "Headline")["mean F1, category"] == 1
    assert (data["cases"], section(data, "Failures")["total"]) == ([], 0)


def test_an_empty_result_has_a_page_of_dashes():
    data = data_of(report_page(calipers.dense([{"gt_norm1000": [], "pred": []}])))
    assert set(cards(data, "Headline").values()) == {None}


def test_a_report_without_its_records_says_so():
    meter = calipers.DenseMeter()
    meter.update(RECORDS)
    data = data_of(report_page(meter.compute()))
    [said] = section(data, "Failures")["lines"]
    assert said.startswith("An artifact holds numbers alone. To see the failures, run calipers dense")


def test_only_one_mode_and_one_threshold_are_enough():
    data = data_of(report_page(calipers.dense(RECORDS, modes="localization", thresholds="0.5", bootstrap=0)))
    assert "F1 over the threshold" not in titles(data)
    assert list(cards(data, "Headline")) == ["mean F1, localization", "precision", "recall", "F1"]


def test_hostile_labels_and_keys_are_only_text(tmp_path):
    texts = [*HOSTILE, HALF_PAIR]
    records = [
        {"id": text, "gt_norm1000": [box(0, 0, 9, 9, text)], "pred": [box(500, 0, 509, 9, text)], "more": text}
        for text in texts
    ]
    calipers.dense(records, bootstrap=0).to_html(tmp_path / "page.html")
    data = data_of((tmp_path / "page.html").read_bytes())
    assert {case["title"] for case in data["cases"]} == {text.replace("\ud800", "\ufffd") for text in texts}


@pytest.mark.parametrize("value", [["line"], {"line": 1}, None, 1.5, [[]], True])
@pytest.mark.parametrize("field", ["type", "points", "desc"])
def test_whatever_a_model_wrote_into_an_object_has_a_page(field, value):
    invalid = {"type": "line", "points": [1, 2, 3, 4], "desc": "类别=a"} | {field: value}
    truth = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=a"}
    report = calipers.dense([{"gt_norm1000": [truth], "pred": [invalid]}], bootstrap=0)
    [case] = data_of(report_page(report))["cases"]
    assert case["score"] == 2


def test_the_page_of_a_folder_is_that_of_the_run(tmp_path):
    from calipers.cli.suite_command import run_suite
    from calipers.suite import suite_of

    (tmp_path / "dump.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    run_suite(suite_of("dense"), {"dumps": [str(tmp_path / "dump.jsonl")]} | {"output": str(tmp_path / "out")})
    written = (tmp_path / "out" / "report.html").read_bytes()
    assert result_page(str(tmp_path / "out")) == written
    assert result_page(str(tmp_path / "out" / "result.json")) == written
    assert report_page(calipers.dense(tmp_path / "dump.jsonl")) == written
