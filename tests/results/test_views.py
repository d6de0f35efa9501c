"""What comparisons and gates look like: tables, Markdown, JUnit XML; and foreign text in all of them."""

import re
from xml.etree import ElementTree

import pytest

from calipers.results import compare_text as comparison
from calipers.results import gate_text as gate_views
from calipers.results.compare import compare
from calipers.results.gate import gate

from ..hostile import HALF_PAIR, HOSTILE

TEXTS = [*HOSTILE, HALF_PAIR]


def metric(name="category.mean_f1", old=0.553, new=0.531, interval=(-0.034, -0.010), verdict="worse", up=True) -> dict:
    return {
        "metric": name,
        "old": old,
        "new": new,
        "difference": None if old is None or new is None else new - old,
        "interval": interval and list(interval),
        "verdict": verdict,
        "higher_is_better": up,
        "n": 512,
    }


def tree(*metrics: dict, **fields) -> dict:
    """A comparison, as `compare` gives it."""
    return {
        "suite": "dense",
        "protocol": "dense/1",
        "old": {"name": "main/result.json"},
        "new": {"name": "new/result.json"},
        "paired": True,
        "differs": [],
        "engines_differ": [],
        "left_out": [],
        "records": 512,
        "replicates": 1000,
        "metrics": list(metrics),
        "objects": None,
    } | fields


def rule(name="category.mean_f1", kind="max_drop", limit=0.01, state="fail", **fields) -> dict:
    return {
        "metric": name,
        "asked": name.rpartition(".")[2],
        "rule": kind,
        "limit": limit,
        "baseline": 0.553,
        "new": 0.531,
        "difference": -0.022,
        "interval": [-0.034, -0.010],
        "new_interval": [0.51, 0.55],
        "higher_is_better": True,
        "n": 512,
        "detectable_drop": 0.014 if kind == "max_drop" else None,
        "state": state,
        "reason": None if state == "pass" else "because",
    } | fields


def gated(*rows: dict, baseline: str | None = "main/result.json", state="fail") -> dict:
    return {"suite": "dense", "new": "new/result.json", "baseline": baseline, "state": state, "rows": list(rows)}


def test_a_drop_that_no_share_can_make_is_not_told_as_detectable():
    high, low = rule(detectable_drop=2.955), rule(detectable_drop=0.5, higher_is_better=False)
    notes = [next(gate_views.notes(gated(row))) for row in (high, low, rule("category.unknown", detectable_drop=3.0))]
    assert notes[0].endswith(": mean_f1 none, as it can drop by 0.553 at most")
    assert notes[1].endswith(": mean_f1 none, as it can rise by 0.447 at most")
    assert notes[2].endswith(": unknown 3.000")


# the table of a comparison


def test_the_table_of_a_comparison():
    rows = (
        metric(),
        metric("category.recall", 0.78, 0.776, (-0.015, 0.007), "cannot tell"),
        metric("category.precision", None, 0.5, None, "cannot tell"),
    )
    assert comparison.table(tree(*rows)).splitlines() == [
        "main/result.json → new/result.json   dense · 512 records · paired, 1,000 replicates",
        "",
        " metric                old    new       Δ        95 % of Δ  verdict",
        " category mean_f1    0.553  0.531  −0.022  −0.034 … −0.010  worse",
        " category recall     0.780  0.776  −0.004  −0.015 … +0.007  cannot tell",
        " category precision      —  0.500       —                —  no interval",
    ]


def test_what_is_said_under_the_table():
    objects = {
        "fixed": 1200,
        "broken": 1,
        "false_positives_gone": 0,
        "false_positives_new": 3,
        "fixed_objects": [{"record": f"{k}.jpg", "index": k, "type": "line", "label": "光纤"} for k in range(200)],
        "broken_objects": [{"record": "a.jpg", "index": 0, "type": "line", "label": ""}],
    }
    found = tree(metric(up=False), paired=False, differs=["seed: 0 in the old one, 1 in the new one"], objects=objects)
    assert [line.split(maxsplit=1) for line in comparison.table(found).splitlines()[5:]] == [
        ["↓", "lower is better"],
        ["not", "the same         seed: 0 in the old one, 1 in the new one"],
        ["not", "paired           intervals are of independent replicates: wider than those of pairs"],
        ["objects", "1,200 fixed · 1 broken · 0 false positives gone · 3 new ones"],
        ["fixed", "0.jpg #0 光纤 · 1.jpg #1 光纤 · 2.jpg #2 光纤 · 3.jpg #3 光纤 · 1,196 more"],
        ["broken", "a.jpg #0"],
        ["#", "the place in the ground truth of the record, from 0"],
    ]


def test_few_records_are_said_to_be_few():
    assert "few                  3 records are so few" in comparison.table(tree(metric(), records=3))
    assert "\n few" not in comparison.table(tree(metric(), records=10))


def test_small_differences_have_digits_enough():
    line = comparison.table(tree(metric(old=0.55512, new=0.55561, interval=(0.00013, 0.00085)))).splitlines()[3]
    assert line.split()[2:8] == ["0.55512", "0.55561", "+0.00049", "+0.00013", "…", "+0.00085"]


@pytest.mark.parametrize(
    ("interval", "low", "high"),
    [
        ((-0.05, 0.0002), "−0.050", "+0.0002"),
        ((-0.00003, 0.05), "−0.00003", "+0.050"),
        ((-1e-17, 0.05), "0.000", "+0.050"),
        ((-0.0, 0.05), "0.000", "+0.050"),
    ],
)
def test_what_is_not_0_does_not_look_like_it_and_0_has_no_sign(interval, low, high):
    row = metric(old=0.50004, new=0.5, interval=interval)
    line = comparison.table(tree(row)).splitlines()[3]
    assert line.split()[2:8] == ["0.500", "0.500", "−0.00004", low, "…", high]
    assert f"| −0.00004 | {low} … {high} |" in comparison.markdown(tree(row))


def test_large_numbers_have_fewer():
    line = comparison.table(tree(metric("time_in_error_frames", 120.25, 99.5, (-30.123, -10.0)))).splitlines()[3]
    assert line.split()[1:7] == ["120.2", "99.5", "−20.8", "−30.1", "…", "−10.0"]


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_real_tables_fit_and_have_what_changed(trees, suite):
    found = compare(*trees[suite])
    lines = str(found).splitlines()
    changed = [row["metric"].replace(".", " ") for row in found["metrics"] if row["verdict"] != "cannot tell"]
    assert changed
    assert all(any(line.startswith(f" {name} ") for line in lines) for name in changed)
    assert all(len(line) <= 120 for line in lines)


def test_long_tables_leave_out_what_did_not_change(trees):
    found = compare(*trees["timeline"])
    assert len(str(found).splitlines()) < 60
    assert "further figures are in the JSON" in str(found)
    assert "\n frame_accuracy " in str(compare(trees["timeline"][0], trees["timeline"][0]))
    assert "fps_estimate" not in str(found)


def test_markdown_of_a_comparison():
    found = comparison.markdown(tree(metric(), metric("category.recall", 0.78, 0.776, (-0.015, 0.007), "cannot tell")))
    assert found == (
        "### main/result.json → new/result.json\n"
        "\n"
        "dense · 512 records · paired, 1,000 replicates\n"
        "\n"
        "| metric | old | new | Δ | 95 % of Δ | verdict |\n"
        "| --- | ---: | ---: | ---: | ---: | --- |\n"
        "| category mean_f1 | 0.553 | 0.531 | −0.022 | −0.034 … −0.010 | worse |\n"
        "| category recall | 0.780 | 0.776 | −0.004 | −0.015 … +0.007 | cannot tell |\n"
    )


# a gate


def test_the_table_of_a_gate():
    rows = (
        rule(),
        rule(
            "category.recall",
            "floor",
            0.75,
            "pass",
            baseline=0.78,
            new=0.776,
            difference=-0.004,
            interval=[-0.015, 0.007],
        ),
    )
    assert gate_views.table(gated(*rows)).splitlines() == [
        "  metric             base    new       Δ        95 % of Δ  rule           state",
        "! category mean_f1  0.553  0.531  −0.022  −0.034 … −0.010  drop <= 0.010  FAIL",
        "  category recall   0.780  0.776  −0.004  −0.015 … +0.007  >= 0.750       pass",
        "  smallest drop this set can detect (80 % power): mean_f1 0.014",
        "  FAIL: 1 of 2 rules fails · category mean_f1: because",
    ]


def test_an_undecided_rule_is_marked_and_explained():
    lines = gate_views.table(gated(rule(state="investigate", detectable_drop=None), state="investigate")).splitlines()
    assert lines[1].startswith("? category mean_f1")
    assert lines[1].endswith("drop <= 0.010  investigate")
    assert lines[2:] == ["  INVESTIGATE: the rule cannot be decided · category mean_f1: because"]


def test_the_closing_line_names_the_first_rules_that_decide():
    rows = [rule(f"category.m{k}", state="fail" if k else "investigate", detectable_drop=None) for k in range(6)]
    lines = gate_views.table(gated(*rows)).splitlines()
    named = "category m1: because · category m2: because · category m3: because · 2 more"
    assert lines[7:] == ["  investigate category m0: because", f"  FAIL: 5 of 6 rules fail · {named}"]
    passing = [rule(state="pass", detectable_drop=None, reason=None)] * 2
    assert gate_views.table(gated(*passing, state="pass")).splitlines()[-1] == "  PASS: all 2 rules pass"
    assert gate_views.table(gated(passing[0], state="pass")).splitlines()[-1] == "  PASS: the rule passes"


def test_without_a_baseline_there_are_no_differences():
    lines = gate_views.table(gated(rule(kind="ceiling", limit=0.4), baseline=None)).splitlines()
    assert lines == [
        "  metric              new     95 % of it  rule      state",
        "! category mean_f1  0.531  0.510 … 0.550  <= 0.400  FAIL",
        "  FAIL: the rule fails · category mean_f1: because",
    ]


@pytest.mark.parametrize(
    ("value", "limit", "shown"),
    [(0.7496, 0.75, "0.7496"), (0.74999999, 0.75, "0.74999999"), (0.75, 0.75, "0.750"), (0.76, 0.75, "0.760")],
)
def test_a_value_that_misses_its_limit_never_looks_like_it(value, limit, shown):
    line = gate_views.table(gated(rule(kind="floor", limit=limit, new=value), baseline=None)).splitlines()[1]
    assert line.split()[3] == shown


@pytest.mark.parametrize(
    ("kind", "limit", "up", "text"),
    [
        ("max_drop", 0.01, True, "drop <= 0.010"),
        ("max_drop", 0.01, False, "rise <= 0.010"),
        ("floor", 0.75, True, ">= 0.750"),
        ("ceiling", 12.0, False, "<= 12.000"),
        ("floor", 0.00025, True, ">= 0.00025"),
    ],
)
def test_rules_in_words(kind, limit, up, text):
    assert gate_views.limit({"rule": kind, "limit": limit, "higher_is_better": up}) == text


def test_markdown_of_a_gate():
    assert gate_views.markdown(gated(rule())) == (
        "### Gate: ❌ FAIL\n"
        "\n"
        "new/result.json against main/result.json\n"
        "\n"
        "| metric | base | new | Δ | 95 % of Δ | rule | state |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
        "| category mean_f1 | 0.553 | 0.531 | −0.022 | −0.034 … −0.010 | drop &lt;= 0.010 | ❌ FAIL |\n"
        "\n"
        "- smallest drop this set can detect (80 % power): mean_f1 0.014\n"
        "- FAIL: the rule fails · category mean_f1: because\n"
    )


def test_junit_has_a_case_for_each_rule():
    root = ElementTree.fromstring(
        gate_views.junit(gated(rule(), rule("category.f1", "floor", 0.5, "pass"), rule("AP", state="investigate")))
    )
    suite = root.find("testsuite")
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    cases = [(case.get("name"), [child.tag for child in case]) for case in suite]
    assert cases == [
        ("category mean_f1 drop <= 0.010", ["failure"]),
        ("category f1 >= 0.500", []),
        ("AP drop <= 0.010", ["skipped"]),
    ]
    assert suite[0][0].get("message") == "because"


# text that nobody vouches for


def objects_called(text: str) -> dict:
    entry = {"record": text, "index": 0, "type": text, "label": text}
    counts = dict.fromkeys(("fixed", "broken", "false_positives_gone", "false_positives_new"), 1)
    records = {f"false_positives_{name}_records": [{"record": text, "n": 1}] for name in ("gone", "new")}
    return {**counts, "fixed_objects": [entry], "broken_objects": [entry], **records}


@pytest.fixture(params=TEXTS, ids=range(len(TEXTS)))
def hostile(request) -> tuple[dict, dict]:
    """A comparison and a gate in which everything is called that."""
    text = request.param
    names = {"old": {"name": text}, "new": {"name": text}}
    rows = (
        rule(f"{text}.f1", asked=text, reason=text),
        rule(f"{text}.f1", asked=text, reason=text, state="investigate"),
    )
    compared = tree(metric(f"{text}.f1"), differs=[text], objects=objects_called(text), **names)
    return compared, gated(*rows, baseline=text) | {"new": text}


def test_trap_40_nothing_that_moves_the_cursor_gets_into_a_table(hostile):
    for text in (comparison.table(hostile[0]), gate_views.table(hostile[1])):
        assert all(char.isprintable() for line in text.split("\n") for char in line), ascii(text)


def test_trap_37_nothing_in_markdown_is_markup_a_link_or_a_name_to_call(hostile):
    for text in (comparison.markdown(hostile[0]), gate_views.markdown(hostile[1])):
        assert "\u2028" not in text
        assert not re.search(r"<|(?<!\\)[`*\[\]]|://|www\.|@", text)
        tables = [line for line in text.split("\n") if line.startswith("|")]
        cells = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in tables}
        assert cells in ({7}, {8})
        assert text.encode()


def test_junit_is_well_formed_whatever_a_metric_is_called(hostile):
    text = gate_views.junit(hostile[1])
    root = ElementTree.fromstring(text)
    assert len(root.findall(".//testcase")) == 2
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", text)


def test_a_gate_of_a_method_with_such_a_name(trees):
    old = trees["scene"][0]
    name = "<script>\x1b[2J=1+1"
    new = old | {"methods": {name: old["methods"]["pipeline"] | {"method": name}}}
    found = gate(new, old, max_drop={"f1": 0.1})
    assert found.rows[0]["metric"] == f"{name}.f1"
    assert found.state == "pass"
    assert "\x1b" not in str(found)
    assert ElementTree.fromstring(found.to_junit()) is not None


def test_markdown_sees_no_markup_in_names():
    found = comparison.markdown(tree(metric("__bold__ $x$ ~~y~~.mean_f1")))
    assert r"| \_\_bold\_\_ \$x\$ \~\~y\~\~ mean_f1 |" in found
