"""Tables of methods on scenes: the seed's columns, empty cells where undefined, and LaTeX that only prints names."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.show.latex import tex_text
from calipers.show.tables import CsvTable
from calipers.show.text import printable
from calipers.suites.scene.paper import summary_tex
from calipers.suites.scene.tables import per_class_table, summary_table

from .scene_trees import BOTH, FULL, HOSTILE, NOTHING, with_metrics

COUNTS = ["gt", "pred", "tp", "fp", "fn", "invalid_pred", "ignored"]
GENERAL = [
    "precision",
    "recall",
    "f1",
    "strict_accuracy",
    "relaxed_accuracy",
    "strict_precision",
    "relaxed_precision",
    "f1_relaxed",
    "mean_iou_3d",
    "mean_centroid_error_m",
]
MACRO = [
    "mean_strict_accuracy_per_class",
    "mean_relaxed_accuracy_per_class",
    "mean_iou_3d_per_class",
    "mean_centroid_error_m_per_class",
]
OPEN_SET = ["osR_strict", "osR_relaxed", "osP_strict", "osP_relaxed", "F1_os"]
PER_CLASS = ["tp", "fp", "fn", "precision", "recall", "f1", "mean_iou_3d", "strict_accuracy", "relaxed_accuracy"]


def csv_of(columns, rows):
    file = io.BytesIO()
    CsvTable(file, columns).add(rows)
    return file.getvalue().decode().splitlines()


def tex_rows(methods):
    """The cells of each line of the table between its rules, by method."""
    body = summary_tex(methods).decode().partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.splitlines()]


# summary.csv


def test_one_row_a_method_with_counts_then_general_macro_and_open_set_then_average_precision():
    columns, rows = summary_table(BOTH)
    assert columns == ["method", *COUNTS, *GENERAL, *MACRO, *OPEN_SET, "ap_iou_0.25", "ap_iou_0.50", "ap_distance_0.5"]
    assert [list(row) for row in rows] == [columns, columns]
    assert csv_of(columns, rows)[1:] == [
        (
            "ours,10,8,6,2,4,1,3,0.75,0.6,0.6666666666666666,0.5,1.0,0.375,0.75,0.75,0.6,0.3,"
            "0.5,1.0,0.7,0.25,0.25,0.5,0.5,0.75,0.6,0.5,0.25,0.125"
        ),
        "theirs,5,2,0,2,5,0,0,0.0,0.0,0.0,,,0.0,0.0,,,,,,,,,,,,,,,",
    ]


def test_columns_of_the_open_set_and_of_average_precision_are_there_when_a_method_has_them():
    assert summary_table({"theirs": NOTHING})[0] == ["method", *COUNTS, *GENERAL, *MACRO]
    assert summary_table({"a": FULL | {"ap": None}})[0] == ["method", *COUNTS, *GENERAL, *MACRO, *OPEN_SET]


def test_methods_stay_in_their_order():
    assert [row["method"] for row in summary_table({"z": FULL, "a": FULL, "m": FULL})[1]] == ["z", "a", "m"]


def test_no_methods_make_an_empty_table():
    assert summary_table({}) == (["method", *COUNTS, *GENERAL, *MACRO], [])
    assert per_class_table({}) == (["method", "label", *PER_CLASS, "mean_centroid_error_m"], [])


# per_class.csv


def test_one_row_for_each_class_of_each_method():
    columns, rows = per_class_table({"ours": FULL, "theirs": NOTHING, "again": FULL})
    assert columns == ["method", "label", *PER_CLASS, "mean_centroid_error_m"]
    assert csv_of(columns, rows)[1:] == [
        "ours,seat,4,1,2,0.8,0.6666666666666666,0.7272727272727273,0.7,0.5,1.0,0.25",
        "ours,door,0,1,2,0.0,0.0,0.0,,,,",
        "again,seat,4,1,2,0.8,0.6666666666666666,0.7272727272727273,0.7,0.5,1.0,0.25",
        "again,door,0,1,2,0.0,0.0,0.0,,,,",
    ]


def test_trap_38_names_of_methods_and_classes_are_no_formulas():
    tree = FULL | {"per_class": {"@x": FULL["per_class"]["door"]}}
    assert csv_of(*summary_table({"=1+1": tree}))[1].startswith("'=1+1,")
    assert csv_of(*per_class_table({"=1+1": tree}))[1].startswith("'=1+1,'@x,")


# summary.tex


def test_the_table_for_a_paper():
    tree = with_metrics(FULL, precision=0.5, recall=0.6, mean_centroid_error_m=0.1234, F1_os=0.6004)
    lines = summary_tex({"ours": FULL, "old_one": tree}).decode().splitlines()
    assert all(line.startswith("% ") for line in lines[:3])
    assert r"\usepackage{booktabs}" in lines[0]
    assert lines[3:9] == [
        r"\begin{tabular}{lrrrrrrrrrrrrrrr}",  # 3 + 7 + 3 + 2 numbers
        r"\toprule",
        (
            r"& \multicolumn{3}{c}{Detection} & \multicolumn{7}{c}{Localisation} & \multicolumn{3}{c}{Open set}"
            r" & \multicolumn{2}{c}{AP at IoU} \\"
        ),
        r"\cmidrule(lr){2-4} \cmidrule(lr){5-11} \cmidrule(lr){12-14} \cmidrule(lr){15-16}",
        (
            r"Method & P & R & F1 & Acc\textsubscript{s} & Acc\textsubscript{r} & Prec\textsubscript{s}"
            r" & Prec\textsubscript{r} & IoU & F1\textsubscript{r} & Err (m) $\downarrow$ & osR\textsubscript{r}"
            r" & osP\textsubscript{r} & F1\textsubscript{os} & 0.25 & 0.50 \\"
        ),
        r"\midrule",
    ]
    assert lines[9].startswith(r"ours & \textbf{0.750} & \textbf{0.600} & \textbf{0.667} & \textbf{0.500} & ")
    assert lines[10].startswith(r"old\_one & 0.500 & \textbf{0.600} & \textbf{0.667} & ")
    assert lines[11:] == [r"\bottomrule", r"\end{tabular}"]


def test_the_lowest_error_is_best_and_equal_to_three_decimals_is_equal():
    near = with_metrics(FULL, mean_centroid_error_m=0.2996, mean_iou_3d=0.6004)
    far = with_metrics(FULL, mean_centroid_error_m=0.2, mean_iou_3d=0.5996)
    rows = tex_rows({"a": FULL, "b": near, "c": far})
    assert [row[10] for row in rows] == ["0.300", "0.300", r"\textbf{0.200}"]
    assert [row[8] for row in rows] == [r"\textbf{0.600}"] * 3


def test_undefined_is_a_dash_and_nothing_is_best_alone():
    ours, theirs = tex_rows(BOTH)
    assert ours[1:4] == [r"\textbf{0.750}", r"\textbf{0.600}", r"\textbf{0.667}"]
    assert theirs[1:11] == ["0.000"] * 3 + ["—", "—", "0.000", "0.000", "—", "—", "—"]
    assert ours[4] == "0.500"
    assert "textbf" not in summary_tex({"ours": FULL}).decode()


def test_groups_that_no_method_has_are_left_out():
    text = summary_tex({"theirs": NOTHING}).decode()
    assert r"\begin{tabular}{lrrrrrrrrrr}" in text
    assert "Open set" not in text
    assert "AP" not in text


@pytest.mark.parametrize(
    ("name", "tex"),
    [
        ("a_b", r"a\_b"),
        ("100%", r"100\%"),
        ("R&D", r"R\&D"),
        ("#1", r"\#1"),
        ("$x$", r"\$x\$"),
        ("{x}", r"\{x\}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ('"a', r"\symbol{34}a"),
        ("[3pt] *", r"{[}3pt{]} {*}"),
        ("a--b", r"a-{}-b"),
        ("``x''", r"`{}`x'{}'"),
        ("?`", r"?{}`"),
        ("open-set", "open-set"),
        ("城市 é Ω", "城市 é Ω"),
        ("a\nb", r"a\textbackslash{}x0ab"),
        ("\ud800", r"\textbackslash{}ud800"),
        ("", ""),
    ],
)
def test_names_are_printed_as_they_are(name, tex):
    assert tex_text(name) == tex
    assert tex_rows({name: FULL})[0][0] == tex


COMMANDS = {"backslash": "\\", "asciitilde": "~", "asciicircum": "^", "less": "<", "greater": ">", "bar": "|"}
TOKEN = re.compile(
    r"""\\text(?P<command>[a-z]+)\{\} | (?P<quote>\\symbol\{34\}) | \\(?P<escaped>[_%&\#${}])
    | \{(?P<grouped>[\[\]*])\} | (?P<nothing>\{\}) | (?P<plain>[^\\{}$&\#%_^~\[\]*"<>|])""",
    re.VERBOSE,
)


def typeset(tex):
    """What TeX would print; fails on anything it would act on."""
    printed, place = "", 0
    while place < len(tex):
        token = TOKEN.match(tex, place)
        assert token, tex[place:]
        kind, text = token.lastgroup, token[token.lastgroup]
        printed += {"command": COMMANDS.get(text), "quote": '"', "nothing": ""}.get(kind, text)
        place = token.end()
    return printed


@given(st.text(max_size=20) | st.text("\\{}$&#%_^~[]*-`'\"<>|,?!\n\0ab", max_size=12))
def test_any_name_is_printed_and_never_acted_on(name):
    tex = tex_text(name)
    assert typeset(tex) == printable(name)
    assert not re.search("--|``|''|,,|[?!]`", tex)  # these would join


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_name_stays_in_its_cell_and_on_its_line(name):
    rows = tex_rows({name: FULL, "other": NOTHING})
    assert [len(row) for row in rows] == [16, 16]
