"""The page as a file: one block of data that cannot break out, a policy by hash, the same bytes every time."""

import html
import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest

from calipers.show.page import sections as made
from calipers.show.page.shell import SCRIPTS, json_block, page, policy

from ...hostile import HALF_PAIR, HOSTILE
from .samples import SAMPLES, many_rows

EMPTY = made.page_data("t", "dense", [])


def block(document: bytes) -> str:
    [found] = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', document.decode("utf-8"), re.DOTALL
    )
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_the_data_come_out_of_the_page_as_they_went_in(name):
    data = SAMPLES[name]()
    assert json.loads(block(page(data))) == json.loads(json.dumps(data))


def test_no_character_of_the_data_means_anything_to_html():
    texts = [*HOSTILE, HALF_PAIR]
    found = block(page(made.page_data(texts[0], "dense", [made.text(text, [text]) for text in texts])))
    assert not set("<>&\u2028\u2029") & set(found)
    read = [section["title"] for section in json.loads(found)["sections"]]
    assert read == [*HOSTILE, "half \ufffd of a pair"]


@pytest.mark.parametrize("text", [*HOSTILE, HALF_PAIR], ids=ascii)
def test_a_hostile_title_stays_in_its_place(text):
    document = page(made.page_data(text, "dense", [])).decode("utf-8")
    plain = page(EMPTY).decode("utf-8")
    tags = re.compile(r"<[/!]?[a-zA-Z]\w*")
    assert tags.findall(document) == tags.findall(plain)
    [title] = re.findall("<title>(.*?)</title>", document, re.DOTALL)
    assert html.unescape(title) == f"{text} · Calipers".replace("\ud800", "\ufffd")


@pytest.mark.parametrize("text", [*HOSTILE, HALF_PAIR, "$data"], ids=ascii)
def test_the_text_for_those_without_scripts_stays_in_its_place(text):
    document = page(EMPTY, text).decode("utf-8")
    tags = re.compile(r"<[/!]?[a-zA-Z]\w*")
    assert tags.findall(document) == tags.findall(page(EMPTY).decode("utf-8"))
    [shown] = re.findall("<noscript>.*?<pre>(.*?)</pre></noscript>", document, re.DOTALL)
    assert html.unescape(shown) == text.replace("\ud800", "\ufffd")


def hashes(kind: str, document: str) -> list[str]:
    bodies = re.findall(f"<{kind}>(.*?)</{kind}>", document, re.DOTALL)
    return [b64encode(sha256(body.encode("utf-8")).digest()).decode("ascii") for body in bodies]


def test_the_policy_names_the_only_script_and_the_only_style():
    document = page(EMPTY).decode("utf-8")
    [given] = re.findall('http-equiv="Content-Security-Policy" content="(.*?)"', document)
    rules = dict(rule.split(" ", 1) for rule in given.split("; "))
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'sha256-{hashes('script', document)[0]}'",
        "style-src": f"'sha256-{hashes('style', document)[0]}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert len(hashes("script", document)) == len(hashes("style", document)) == 1
    assert "unsafe" not in policy("", "")


def test_the_page_asks_for_nothing():
    document = page(EMPTY).decode("utf-8")
    assert re.findall(r"https?://[^\s\"']+", document) == ["http://www.w3.org/2000/svg"]  # a name, not a place
    assert not re.findall(r"\b(?:src|href)=|@import|url\(", document)


def test_the_script_never_reads_text_as_markup_or_code():
    document = page(EMPTY).decode("utf-8")
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|DOMParser|setHTML|srcdoc"
    assert not re.findall(ways, document)


def test_the_page_without_data_is_small():
    assert len(page(EMPTY)) < 125_000


def test_ten_thousand_rows_and_three_hundred_cases_stay_under_two_megabytes():
    assert len(page(many_rows())) < 2_000_000


def test_the_same_data_give_the_same_bytes():
    assert page(SAMPLES["rooms"]()) == page(SAMPLES["rooms"]())


def test_a_dollar_sign_is_nothing_special():
    document = page(made.page_data("$data $$ ${title}", "$script", []))
    assert b"<title>$data $$ ${title}" in document
    assert json.loads(block(document))["suite"] == "$script"


def test_every_script_is_in_the_page_once():
    document = page(EMPTY).decode("utf-8")
    assert len(set(SCRIPTS)) == len(SCRIPTS)
    assert document.count("function start()") == 1


def test_numbers_that_are_none_are_null_in_the_block():
    assert json_block([None, 0.1]) == b"[null,0.1]"


# Parts are checked when they are made


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: made.card("a", float("nan")), "a: nan, expected a finite number"),
        (lambda: made.card("a", 1, (0.5, float("inf"))), "a: inf, expected a finite number"),
        (lambda: made.card("a", 1, (0.6, 0.5)), "a: an interval begins above its end"),
        (lambda: made.card("a", 1, (0.6,)), "a: an interval has two ends"),
        (lambda: made.card("a", "0.5"), "a: '0.5', expected a finite number"),
        (lambda: made.series("a", [0, 1], [0]), "a: x, y, low and high differ in length"),
        (lambda: made.series("a", [0], [0], low=[0]), "a: a band needs low and high"),
        (lambda: made.series("a", [None], [0]), "a: None, expected a finite number"),
        (lambda: made.bar("a", float("-inf")), "a: -inf, expected a finite number"),
        (lambda: made.table("a", [made.column("x")], [["y", 1]]), "a: a row has 2 cells, expected 1"),
        (lambda: made.table("a", [made.column("x")], [[1]]), "a: 1, expected text"),
        (lambda: made.table("a", [made.column("x", "rate")], [["1"]]), "a: '1', expected a finite number"),
        (lambda: made.table("a", [made.column("x")], [["y"]], goto=[]), "a: goto needs one entry a row"),
        (lambda: made.table("a", [made.column("x")], [], sort=(1, "up")), "a: sort names no column"),
        (lambda: made.matrix("a", ["x"], ["y"], [(0, 1, 5)]), "a: a cell lies outside"),
        (lambda: made.matrix("a", ["x"], ["y"], [(0, 0, 5)], goto=[]), "a: goto needs one entry a cell"),
        (lambda: made.video("a", 3, {"t": [("s", 0, 3)]}), "a: a run from 0 to 3 of 3 frames"),
        (lambda: made.strips("a", [made.video("v", 3, {"t": [("s", 0, 2)]})], []), "a: a run has a state that is not"),
        (lambda: made.shape("gt", "box", [1, 2, 3], "a"), "a: 3 numbers do not make a box"),
        (lambda: made.shape("gt", "poly", [1, 2, 3, 4], "a"), "a: 4 numbers do not make a poly"),
        (lambda: made.shape("gt", "line", [1, 2, 3, 4, 5], "a"), "a: 5 numbers do not make a line"),
        (lambda: made.shape("gt", "box", [1, 2, 3, None], "a"), "a: None, expected a finite number"),
        (lambda: made.case("a", "a", [], (1, 0)), "a: a canvas has an area"),
        (lambda: made.case("a", "a", [], (1, 2, 3)), "a: a canvas has 2 or 4 numbers"),
        (lambda: made.case("a", "a", [], (1, 1), image="http://x/y.png"), "a: the image is no base64 data URI"),
        (lambda: made.case("a", "a", [], (1, 1), image="data:image/svg+xml;base64,"), "a: the image is no base64"),
        (lambda: made.case("a", "a", [], (1, 1), aspect=0.0), "a: an aspect is above 0"),
        (lambda: made.case("a", "a", [made.shape("gt", "box", [0, 0, 1, 1], "x", partner=1)], (1, 1)), "a: a partner"),
        (lambda: made.cases("a", 2, 1), "a: more are shown than there are"),
        (lambda: made.page_data("t", "s", [], cases=[made.case("a", "a", [], (1, 1))] * 2), "cases: two have the same"),
    ],
)
def test_what_cannot_be_shown_is_refused(make, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        make()


def test_zero_is_a_value_and_empty_is_not():
    found = made.shape("gt", "box", [0, 0, 1, 1], "x", partner=0, overlap=0.0, score=0)
    assert (found["partner"], found["overlap"], found["score"]) == (0, 0.0, 0)
    assert not {"cause", "note", "state", "tags"} & set(found)


def test_cases_are_sorted_worst_first_and_equals_keep_their_order():
    cases = [made.case(key, key, [], (1, 1), score=score) for key, score in (("a", 1), ("b", 3), ("c", 1), ("d", 3))]
    assert [case["key"] for case in made.page_data("t", "s", [], cases=cases)["cases"]] == ["b", "d", "a", "c"]


def test_numbers_keep_seven_digits():
    assert made.card("a", 2 / 3, (0.123456789, 1e9 / 7))["interval"] == [0.1234568, 142857100.0]
    assert made.card("a", 12345678901)["value"] == 12345678901
