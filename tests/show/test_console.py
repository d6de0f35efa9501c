"""The console summary on results small enough to check by hand."""

import copy
import re

import pytest

import calipers
from calipers.show.text import between, printable, rate, share, short
from calipers.suites.dense.summary import summary


def box(x, label, **changes):
    return {"type": "bbox_2d", "points": [x, 0, x + 10, 10], "desc": f"类别={label}"} | changes


# Record "one": box a is found; box b is found with the wrong label; the third prediction is no object.
# Record "two": box a is missed. Record "three" is empty.
RECORDS = [
    {"id": "one", "gt_norm1000": [box(0, "a"), box(100, "b")], "pred": [box(0, "a"), box(100, "a"), 5]},
    {"id": "two", "gt_norm1000": [box(0, "a")], "pred": []},
    {"id": "three", "gt_norm1000": [], "pred": []},
]


def lines_of(records, **options):
    return str(calipers.dense(records, bootstrap=0, **options)).split("\n")


def test_the_summary_says_what_was_read_how_good_it_is_and_where_it_goes_wrong():
    # 3 true, 3 predicted: 2 pairs without labels, 1 with. Of the boxes 2 are readable predictions: P 2/2, R 2/3.
    # F1 is 2/6; 4/6 with the right label, 4/7 if all is found, 2/5 without what is no object.
    assert lines_of(RECORDS) == [
        "<records>   norm1000 · tube ±8 · greedy 1-1",
        "records   3 read · 2 evaluated · 1 empty · 0 rejected",
        "objects   3 ground truth · 3 predicted (1 invalid, counted as unmatched)",
        "invalid   1 not an object",
        "",
        " IoU 0.50          localization            phase                   category",
        "                       P     R    F1           P     R    F1           P     R    F1",
        " all               0.667 0.667 0.667       0.333 0.333 0.333       0.333 0.333 0.333",
        " bbox_2d           1.000 0.667 0.800       0.500 0.333 0.400       0.500 0.333 0.400",
        " poly                  —     —     —           —     —     —           —     —     —",
        " line                  —     —     —           —     —     —           —     —     —",
        " mean F1 0.50:0.95 0.667                   0.333                   0.333",
        "",
        " fix first            wrong label +0.333 · missed +0.238 · spurious +0.067",
        (
            " where it goes wrong  1 wrong label · 0 misplaced · 0 wrong label and place"
            " · 0 duplicate · 1 spurious · 1 missed"
        ),
        " counts               MAE 1 · over 50 % · under 50 %",
        " attributes           F1 —",
        " by phase             a 0.500 (n 2) · b 0.000 (n 1)",
        " by category          a 0.500 (n 2) · b 0.000 (n 1)",
    ]


def test_whatever_is_undefined_prints_as_a_dash():
    assert lines_of(RECORDS[2:]) == [
        "<records>   norm1000 · tube ±8 · greedy 1-1",
        "records   1 read · 0 evaluated · 1 empty · 0 rejected",
        "objects   0 ground truth · 0 predicted",
        "",
        " IoU 0.50          localization            phase                   category",
        "                       P     R    F1           P     R    F1           P     R    F1",
        " all                   —     —     —           —     —     —           —     —     —",
        " bbox_2d               —     —     —           —     —     —           —     —     —",
        " poly                  —     —     —           —     —     —           —     —     —",
        " line                  —     —     —           —     —     —           —     —     —",
        " mean F1 0.50:0.95 —                       —                       —",
        "",
        " fix first            —",
        (
            " where it goes wrong  0 wrong label · 0 misplaced · 0 wrong label and place"
            " · 0 duplicate · 0 spurious · 0 missed"
        ),
        " counts               MAE — · over — · under —",
        " attributes           —",
        " by phase             —",
        " by category          —",
    ]


def test_a_side_without_objects_leaves_its_rate_undefined():
    found = {line.split()[0]: line.split()[1:4] for line in lines_of([RECORDS[1]])[6:8]}
    assert found == {"all": ["—", "0.000", "0.000"], "bbox_2d": ["—", "0.000", "0.000"]}
    found = lines_of([{"gt_norm1000": [], "pred": [box(0, "a")]}])[6].split()
    assert found[1:4] == ["0.000", "—", "0.000"]


def test_only_the_modes_asked_for_are_shown_and_only_the_threshold_asked_for():
    lines = lines_of(RECORDS, modes="category", primary_threshold=0.555, thresholds="0.5,0.75")
    assert lines[5:12] == [
        " IoU 0.555         category",
        "                       P     R    F1",
        " all               0.333 0.333 0.333",
        " bbox_2d           0.500 0.333 0.400",
        " poly                  —     —     —",
        " line                  —     —     —",
        " mean F1 0.50:0.75 0.333",
    ]
    assert not any(line.startswith(" by phase") for line in lines)


@pytest.mark.parametrize(
    ("top", "shown"),
    [
        (0, "4 more"),
        (1, "a 0.000 (n 2) · 3 more"),
        (3, "a 0.000 (n 2) · b 0.000 (n 1) · c 0.000 (n 1) · 1 more"),
        (4, "a 0.000 (n 2) · b 0.000 (n 1) · c 0.000 (n 1) · d 0.000 (n 1)"),
        (25, "a 0.000 (n 2) · b 0.000 (n 1) · c 0.000 (n 1) · d 0.000 (n 1)"),
    ],
)
def test_the_labels_of_most_objects_are_shown_up_to_the_number_asked_for(top, shown):
    record = {"gt_norm1000": [box(0, label) for label in "dbcaa"], "pred": []}
    lines = lines_of([record], top=top)
    assert lines[-2:] == [f" by phase             {shown}", f" by category          {shown}"]


def test_many_labels_go_to_further_lines_of_bounded_length():
    record = {"gt_norm1000": [box(0, f"label number {number}") for number in range(20)], "pred": []}
    lines = lines_of([record])
    assert all(len(line) <= 130 for line in lines)
    said = " ".join(line.strip() for line in lines[lines.index("", 3) + 1 :])
    assert all(f"label number {number} 0.000 (n 1)" in said for number in range(20))


def test_intervals_stand_below_and_behind_their_numbers():
    tree = copy.deepcopy(calipers.dense(RECORDS, bootstrap=0).tree)
    mode = tree["modes"]["phase"]
    mode["primary"]["interval"]["f1"], mode["mean_f1_interval"] = [0.25, 0.35], [0.3, 0.4125]
    lines = summary(tree).split("\n")
    assert lines[8] == " " * 54 + "±0.050"  # below the F1 of the second mode, half of its width
    assert lines[8].index("±") == lines[7].rindex("0.333", 0, 60) - 1
    assert lines[12] == " mean F1 0.50:0.95 0.667                   0.333 (0.300–0.412)     0.333"


def test_large_counts_are_grouped_and_what_happened_to_objects_is_told():
    tree = copy.deepcopy(calipers.dense(RECORDS, bootstrap=0).tree)
    tree["records"] = {"read": 51200, "evaluated": 50000, "skipped_empty": 1000, "rejected": 200}
    tree["objects"] = {
        "gt": 1234567, "pred": 987654, "invalid_pred": 6543, "clamped": 3, "repaired": 2, "degenerate": 1000
    }  # fmt: skip
    tree["inputs"] = [{"path": "a.jsonl"}, {"path": "b.jsonl"}, {"path": "c.jsonl"}]
    tree["params"] |= {"frame": "pixel", "tube_tolerance": 4.5}
    notes = "6,543 invalid, counted as unmatched; 3 clamped; 2 repaired; 1,000 degenerate"
    assert summary(tree).split("\n")[:3] == [
        "a.jsonl and 2 more   pixel · tube ±4.5 · greedy 1-1",
        "records   51,200 read · 50,000 evaluated · 1,000 empty · 200 rejected",
        f"objects   1,234,567 ground truth · 987,654 predicted ({notes})",
    ]


def test_texts_distances_and_lines_have_their_own_figures():
    def described(desc):
        return {"type": "line", "points": [0, 0, 500, 0], "desc": desc}

    record = {
        "gt_norm1000": [described("类别=x,品牌=华为,文本=abcd,站点距离=10")],
        "pred": [described("类别=x,品牌=中兴,文本=abcx,站点距离=12")],
    }
    lines = lines_of([record])
    # 品牌 differs and 站点距离 differs: nothing of 2 agrees. 3 of 4 letters agree. |10 - 12| = 2.
    assert " attributes           F1 0.000 · 文本 exact 0.000, similarity 0.750 · 站点距离 exact 0.000, MAE 2" in lines
    covered = "of true lines 1.000 covered, of their best predictions 1.000 on them"
    assert f" coverage             {covered} · matched lines F1 1.000" in lines


HOSTILE = {
    "\x1b[2J": "\\x1b[2J",
    "a\nb\r\tc": "a\\x0ab\\x0d\\x09c",
    "\u202egnp.exe": "\\u202egnp.exe",
    "\u200f\u2066x\u2069": "\\u200f\\u2066x\\u2069",
    "\x9b31mred\x07\x7f": "\\x9b31mred\\x07\\x7f",
    "\u2028\u2029\ufeff\u200b": "\\u2028\\u2029\\ufeff\\u200b",
    "标签 · é ±": "标签 · é ±",
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.items())
def test_hostile_text_is_shown_and_not_obeyed(text, shown):
    assert printable(text) == shown
    tree = copy.deepcopy(calipers.dense(RECORDS, bootstrap=0).tree)
    tree["inputs"][0]["path"] = text
    for mode in ("phase", "category"):
        tree["modes"][mode]["by_label"][0]["label"] = text
    tree["attributes"] |= {"pairs": 1, "text": {text: {"n": 1, "exact": 1.0, "similarity": 1.0}}}
    told = summary(tree)
    assert told.count(shown) == 4
    assert all(char.isprintable() for line in told.split("\n") for char in line)
    assert len(told.split("\n")) == len(summary(calipers.dense(RECORDS, bootstrap=0).tree).split("\n"))


def test_characters_beyond_the_first_plane_are_escaped_too():
    assert printable("\U000e0041") == "\\ue0041"
    assert printable("\U0001f600") == "\U0001f600"


def test_numbers_are_short():
    assert [rate(value) for value in (None, 0.0, 1.0, 0.12345)] == ["—", "0.000", "1.000", "0.123"]
    assert [share(value) for value in (None, 0.0, 1.0, 0.305)] == ["—", "0 %", "100 %", "30 %"]
    assert [short(value) for value in (None, 0.0, 2.0, 11.666, 123456.0)] == ["—", "0", "2", "11.7", "1.23e+05"]
    assert [between(value) for value in (None, [0.0, 1.0])] == ["", " (0.000–1.000)"]


def test_no_line_ends_in_blanks():
    for records in (RECORDS, RECORDS[1:], RECORDS[2:]):
        assert not re.search(r"[ \t]+$", str(calipers.dense(records)), re.MULTILINE)
