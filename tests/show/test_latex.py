"""Tables as LaTeX: one tabular, in which names only print."""

import re

import pytest

from calipers.show.latex import latex_table

from ..hostile import HALF_PAIR, HOSTILE
from .sample_reports import SUITES, hostile

EDGE = re.compile(r"(?<!\\)&")


def lines_of(text):
    return text.split("\n")[3:-3]


def test_a_table():
    rows = [{"label": "R&D_50%", "n": 3, "d": -0.25}, {"label": "[x]", "n": None, "d": None}]
    assert latex_table(["label", "n", "d"], rows).split("\n")[1:] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"label & n & d \\",
        r"\midrule",
        r"R\&D\_50\% & 3 & $-$0.250 \\",
        r"{[}x{]} & — & — \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ]


def test_names_of_columns_are_text_too():
    assert r"mean\_f1 \\" in latex_table(["mean_f1"], [])


@pytest.mark.parametrize("name", [*HOSTILE, HALF_PAIR, "", r"\input{/etc/passwd}", "% & \\\\ }", "$x^2$", "^^5c"])
def test_a_hostile_name_stays_in_its_cell(name):
    lines = latex_table(["label", "n"], [{"label": name, "n": 1}]).split("\n")
    assert len(lines) == 9
    cell = lines[5].removesuffix(r" & 1 \\")
    assert not EDGE.search(cell)
    commands = set(re.findall(r"\\([a-z]+)", cell))
    assert commands <= {
        "textbackslash",
        "textasciitilde",
        "textasciicircum",
        "textless",
        "textgreater",
        "textbar",
        "symbol",
    }
    lines[5].encode()


@pytest.mark.parametrize("suite", SUITES)
def test_rows_have_as_many_cells_as_the_head(suite):
    for name in HOSTILE:
        found = hostile(suite, name)
        for table in found.tables():
            rows = [line for line in found.to_latex(table).split("\n") if line.endswith(r" \\")]
            assert len({len(EDGE.findall(row)) for row in rows}) == 1
