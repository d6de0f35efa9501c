"""A result in a notebook: a small table, and nothing in it but text."""

from html.parser import HTMLParser

import pytest

from calipers.report import Report
from calipers.show.text import printable

from .sample_reports import SUITES, hostile, hostile_names, report, tree

TAGS = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre", "p", "code"}


class Reader(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], set(), set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


@pytest.mark.parametrize("suite", SUITES)
def test_the_headline_and_the_summary_are_there(suite):
    read = Reader(report(suite)._repr_html_())
    assert not read.open
    assert read.tags <= TAGS
    assert read.attributes <= {"class", "style"}
    assert str(report(suite)) in "".join(read.texts)
    assert Report(tree(suite))._repr_html_() == report(suite)._repr_html_()


def test_numbers_come_with_their_intervals():
    html, primary = report("dense")._repr_html_(), tree("dense")["modes"]["category"]["primary"]
    low, high = primary["interval"]["f1"]
    right = ' style="text-align: right"'
    row = f"<th>category f1</th><td{right}>{primary['f1']:.3f}</td><td{right}>{low:.3f} – {high:.3f}</td>"
    assert row in html
    assert "dense/1 · 198 records" in html


def test_an_undefined_number_is_a_dash():
    found = tree("dense")
    found["modes"]["category"]["mean_f1"] = found["modes"]["category"]["mean_f1_interval"] = None
    texts = Reader(Report(found)._repr_html_()).texts
    place = texts.index("category mean_f1")
    assert texts[place + 1 : place + 3] == ["—", "—"]


def test_many_methods_are_cut_and_that_is_said():
    found = tree("scene")
    found["methods"] = {f"method {at}": found["methods"]["clio"] for at in range(30)}
    html = Report(found)._repr_html_()
    assert html.count("<tr>") == 25
    assert "186 more rows in <code>report.table()</code>" in html  # 30 * 7 - 24


def test_one_method_alone_is_shown_too():
    assert "clio f1" in Report(tree("scene")["methods"]["clio"])._repr_html_()


@pytest.mark.parametrize("suite", SUITES)
def test_hostile_names_are_text(suite):
    for name in hostile_names(suite):
        html = hostile(suite, name)._repr_html_()
        read = Reader(html)
        assert not read.open
        assert read.tags <= TAGS
        assert read.attributes <= {"class", "style"}
        html.encode()
        assert printable(name)[:20].encode("utf-16", "surrogatepass").decode("utf-16", "replace") in "".join(read.texts)


def test_no_formula_is_set():
    assert report("coco")._repr_html_().startswith('<div class="tex2jax_ignore mathjax_ignore">')
