"""Attributes, free texts and distances of matched pairs."""

from math import isnan
from random import Random

import numpy as np
import pytest

from calipers.core.matching import Pairs
from calipers.core.similarity import text_similarity
from calipers.core.tally import Tally, weighted_sum
from calipers.suites.dense import attributes
from calipers.suites.dense.desc import Desc, parse_desc
from calipers.suites.dense.read import read_records
from calipers.suites.dense.taxonomy import built_in


def tree(*said):
    """What is reported of pairs that say this: (attributes of the truth, attributes of the prediction)."""
    return described(*((Desc("", "", truth), Desc("", "", pred)) for truth, pred in said))


def described(*said):
    """What is reported of pairs of descriptions that were read."""
    # Every object has a description of its own: a number, by which its attributes are known.
    line = {"type": "line", "points": [0, 0, 1, 1]}
    truth, pred = ([{**line, "desc": str(2 * index + side)} for index in range(len(said))] for side in (0, 1))
    batch = read_records([{"gt_norm1000": truth, "pred": pred}], frame="norm1000").batch
    known = [said[int(desc) // 2][int(desc) % 2] for desc in batch.truth.descs]
    index, tally = np.arange(len(said), dtype=np.int32), Tally()
    attributes.count_attributes(Pairs(index, index, index), batch, known, "类别", ("文本",), tally)
    return attributes.attributes_tree(tally)


def test_micro_rates_are_over_all_keys_of_all_pairs():
    # Meant: 品牌, 组, 品牌; said: 品牌, 组, 问题; agreed: 品牌 once. P 1/3, R 1/3, F1 2/6.
    found = tree(
        ({"类别": "甲", "品牌": "a", "组": "1"}, {"类别": "乙", "品牌": "a", "组": "2"}),
        ({"品牌": "a"}, {"问题": "a"}),
    )
    assert (found["pairs"], found["precision"], found["recall"], found["f1"]) == (2, 1 / 3, 1 / 3, 1 / 3)
    assert list(found["by_key"].items()) == [
        ("品牌", {"gt": 2, "pred": 1, "matched": 1, "accuracy": 1 / 2}),
        ("组", {"gt": 1, "pred": 1, "matched": 0, "accuracy": 0.0}),
        ("问题", {"gt": 0, "pred": 1, "matched": 0, "accuracy": None}),
    ]


def read(*texts):
    """Pairs of descriptions, as they are written."""
    return described(*((parse_desc(truth, built_in()), parse_desc(pred, built_in())) for truth, pred in texts))


def test_unnamed_attributes_are_compared_as_sets():
    # {华为, 完整} against {完整, 免装, 新}: 2, 3, 1 alike; twice the same in another order: 2, 2, 2 each.
    same = ("BBU设备/华为/完整", "BBU设备/完整,华为")
    found = read(("BBU设备/华为/完整", "BBU设备/完整/免装,新"), same, same)
    assert found["by_key"] == {attributes.UNNAMED: {"gt": 6, "pred": 7, "matched": 5, "accuracy": 5 / 6}}
    assert (found["precision"], found["recall"], found["f1"]) == (5 / 7, 5 / 6, 10 / 13)


def test_unnamed_attributes_match_none_that_have_a_key():
    found = read(("BBU设备/华为", "类别=BBU设备,品牌=华为"))
    assert found["by_key"] == {
        attributes.UNNAMED: {"gt": 1, "pred": 0, "matched": 0, "accuracy": 0.0},
        "品牌": {"gt": 0, "pred": 1, "matched": 0, "accuracy": None},
    }
    assert found["f1"] == 0.0


def test_no_key_of_a_description_is_that_of_unnamed_attributes():
    assert attributes.UNNAMED not in parse_desc(f"类别=甲,{attributes.UNNAMED}=1", built_in()).attributes


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ("站点距离/98", "站点距离/98"),
        ("类别=站点距离,站点距离=98", "站点距离/98米"),
        ("站点距离/98 米", "站点距离=98.0"),
    ],
)
def test_distances_of_both_forms_are_numbers(truth, pred):
    assert read((truth, pred))["distance"] == {"n": 1, "exact": 1.0, "mae": 0.0}


def test_what_is_no_number_after_the_distance_label_leaves_the_pair_out():
    assert read(("站点距离/98", "站点距离/看不清"))["distance"] == {"n": 0, "exact": None, "mae": None}


def test_texts_of_both_forms_are_compared():
    # 4G-RRU3 against 4G-RRU5: one of 7 differs; then nothing against a text of 2.
    found = read(("标签/4G-RRU3", "类别=标签,文本=4G-RRU5"), ("标签/4G", "标签"), ("标签", "标签/4G"))
    assert found["text"] == {"文本": {"n": 2, "exact": 0.0, "similarity": pytest.approx((6 / 7) / 2)}}
    assert read(("标签/A/1,光纤=2", "类别=标签,文本=A/1,光纤=2"))["text"]["文本"]["exact"] == 1.0


def test_a_text_counts_where_the_truth_has_one_and_silence_is_the_empty_text():
    # ab against "": 0; "" against "": 1; nothing against ab does not count.
    found = tree(({"文本": "ab"}, {}), ({"文本": ""}, {}), ({}, {"文本": "ab"}))
    assert found["text"] == {"文本": {"n": 2, "exact": 1 / 2, "similarity": 1 / 2}}
    assert found["by_key"] == {}


def test_equal_texts_of_many_pairs_are_weighed_by_how_often_they_come():
    # abcd against abce three times: 3/4; once exactly right. (3 * 3/4 + 1) / 4.
    wrong = ({"文本": "abcd"}, {"文本": "abce"})
    found = tree(wrong, wrong, wrong, ({"文本": "abcd"}, {"文本": "ab cd"}))
    assert found["text"] == {"文本": {"n": 4, "exact": 1 / 4, "similarity": 3.25 / 4}}


def test_distances_count_where_both_are_numbers():
    said = [("98", " 98.0 "), ("10", "7.5"), ("远", "1"), ("1", "1_0"), ("nan", "nan")]
    found = tree(*(({"站点距离": a}, {"站点距离": b}) for a, b in said))
    assert found["distance"] == {"n": 2, "exact": 1 / 2, "mae": 2.5 / 2}


def test_without_pairs_all_is_undefined():
    found = tree()
    assert (found["pairs"], found["precision"], found["recall"], found["f1"]) == (0, None, None, None)
    assert found["distance"] == {"n": 0, "exact": None, "mae": None}


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        ("kitten", "sitting", 1 - 3 / 7),
        ("4G-RRU3", "4G - RRU5", 1 - 1 / 7),
        ("甲乙", "乙", 1 / 2),
        ("甲", "", 0.0),
        ("", "", 1.0),
        ("\u3000", " \t\n", 1.0),
    ],
)
def test_text_similarity_is_one_minus_edits_over_the_longer_length(a, b, similarity):
    assert text_similarity(a, b) == text_similarity(b, a) == pytest.approx(similarity)


@pytest.mark.parametrize(
    ("text", "number"), [("98", 98), (" -1.5 ", -1.5), ("1e3", 1000), ("98米", 98), (" 98 米 ", 98)]
)
def test_a_number_reads_as_one(text, number):
    assert attributes.read_number(text) == number


@pytest.mark.parametrize("text", ["", "远", "米", "98公里", "98米米", "1_0", "nan", "nan米", "inf", "1e999", "1,5"])
def test_anything_else_is_no_number(text):
    assert isnan(attributes.read_number(text))


def test_counts_are_those_of_every_pair_by_itself():
    """Pairs of descriptions are counted each once, and many keys at a time: to what a loop over all pairs finds."""
    rng = Random(5)
    values = [{key: str(rng.randrange(3)) for key in rng.sample(["品牌", "组", "问题", "类别"], 2)} for _ in range(9)]
    unnamed = [frozenset(rng.sample("甲乙丙丁", rng.randrange(4))) for _ in range(9)]
    descs = [Desc("", "", said, more) for said in values for more in unnamed]
    said = [(rng.choice(descs), rng.choice(descs)) for _ in range(500)]
    found = described(*said)["by_key"]
    for key in ("品牌", "组", "问题"):
        meant = [(truth.attributes.get(key), pred.attributes.get(key)) for truth, pred in said]
        both = sum(truth is not None and truth == pred for truth, pred in meant)
        each = [sum(side is not None for side in sides) for sides in zip(*meant, strict=True)]
        assert (found[key]["gt"], found[key]["pred"], found[key]["matched"]) == (*each, both)
    shared = sum(len(truth.unnamed & pred.unnamed) for truth, pred in said)
    sizes = [sum(len(side.unnamed) for side in sides) for sides in zip(*said, strict=True)]
    row = found.pop(attributes.UNNAMED)
    assert (row["gt"], row["pred"], row["matched"]) == (*sizes, shared)
    assert list(found) == ["品牌", "组", "问题"]


def test_a_book_that_is_full_is_begun_anew(monkeypatch):
    """What is kept of descriptions from batch to batch does not show."""
    said = [({"品牌": str(k % 3), "文本": f"a {k % 2}"}, {"品牌": str(k % 2), "文本": "a 1"}) for k in range(12)]
    found = []
    for most in (0, 7, 10_000):
        monkeypatch.setattr(attributes, "MAX_DESCS", most)
        found.append([tree(*said[begin : begin + 3]) for begin in range(0, 12, 3)])
    assert found[0] == found[1] == found[2]
    assert found[0][0]["text"]["文本"] == {"n": 3, "exact": 1 / 3, "similarity": pytest.approx(2 / 3)}


def test_other_free_text_keys_have_a_book_of_their_own():
    texts = [("品牌=甲,文本=a b", "品牌=甲,文本=ab")]
    assert read(*texts)["text"]["文本"]["exact"] == 1
    tally, descs = Tally(), [parse_desc(text, built_in(), free_text_keys=("品牌",)) for text in texts[0]]
    line = {"type": "line", "points": [0, 0, 1, 1]}
    sides = ([{**line, "desc": text}] for text in texts[0])
    batch = read_records([dict(zip(("gt_norm1000", "pred"), sides, strict=True))], frame="norm1000").batch
    first = np.zeros(1, dtype=np.int32)
    attributes.count_attributes(Pairs(first, first, first), batch, descs, "类别", ("品牌",), tally)
    assert list(attributes.attributes_tree(tally)["text"]) == ["品牌"]


@pytest.mark.parametrize("most_texts", [0, 3, 500])
def test_texts_that_meet_again_in_another_batch_are_as_alike_as_before(monkeypatch, most_texts):
    """Remembered or not, also while the book learns more texts than it remembers."""
    monkeypatch.setattr(attributes, "MAX_TEXTS", most_texts)
    monkeypatch.setattr(attributes, "_KEPT", type("Kept", (), {})())
    rng = Random(5)
    words = ["", "甲", "甲乙", "4G-RRU3", "4G - RRU5", "x" * 40]
    for size in (2, 4, 6, 6):
        said = [(rng.choice(words[:size]), rng.choice(words[:size])) for _ in range(30)]
        found = tree(*(({"文本": truth}, {"文本": pred}) for truth, pred in said))["text"]["文本"]
        assert found["similarity"] == pytest.approx(np.mean([text_similarity(*pair) for pair in said]), abs=1e-11)


def test_a_sum_of_similarities_may_outgrow_64_bits():
    # 2e12 * 9e9 + 1 * 3
    assert weighted_sum(np.array([2 * 10**12, 1]), np.array([9 * 10**9, 3])) == 18 * 10**21 + 3
