"""Tables of the manual say what the code declares."""

import pytest

from calipers.suite import built_in

from .reference_tables import filled, pages

OF_SUITES = [f"{kind} {suite}" for kind in ("options", "flags", "formats", "tables", "plots") for suite in built_in()]
OF_OTHERS = [f"flags {command}" for command in ("compare", "gate", "rank", "suspects", "report", "convert")]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_tables_of_the_manual_are_those_of_the_declarations(page):
    """`python -m tests.reference_tables` writes them anew."""
    text = page.read_text(encoding="utf-8")
    assert text == filled(text)


@pytest.mark.parametrize("request_line", [*OF_SUITES, *OF_OTHERS, "options run", "options detect", "judge"])
def test_the_manual_has_each_table_once(request_line):
    comment = f"<!-- made from declarations: {request_line} -->"
    assert sum(page.read_text(encoding="utf-8").count(comment) for page in pages()) == 1
