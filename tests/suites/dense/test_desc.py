"""Descriptions: each rule on hand-written cases, then the laws that hold for any text."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calipers.suites.dense import desc as desc_module
from calipers.suites.dense.desc import Desc, parse_desc
from calipers.suites.dense.taxonomy import KEYS, Taxonomy, built_in

UMBRELLA = "螺丝、光纤插头"


def read(text: str) -> Desc:
    return parse_desc(text, built_in())


def labels(text: str) -> tuple[str, str]:
    parsed = read(text)
    return parsed.phase, parsed.category


def attributes(text: str) -> dict[str, str]:
    return read(text).attributes


class TestKeyValueForm:
    @pytest.mark.parametrize(
        ("text", "label", "expected"),
        [
            (
                "类别=BBU设备,品牌=华为,可见性=部分,挡风板需求=免装,备注=无法判断品牌",
                "BBU设备",
                {"类别": "BBU设备", "品牌": "华为", "可见性": "部分", "挡风板需求": "免装", "备注": "无法判断品牌"},
            ),
            ("类别=标签,文本=4G-RRU3,光纤=2", "标签", {"类别": "标签", "文本": "4G-RRU3,光纤=2"}),
            ("类别=站点距离,站点距离=98", "站点距离", {"类别": "站点距离", "站点距离": "98"}),
            (
                "类别=尾纤,标签=有标签,套管保护=有套管,组=1",
                "尾纤",
                {"类别": "尾纤", "标签": "有标签", "套管保护": "有套管", "组": "1"},
            ),
        ],
    )
    def test_domain_samples_read_as_written(self, text: str, label: str, expected: dict[str, str]) -> None:
        assert labels(text) == (label, label)
        assert list(attributes(text).items()) == list(expected.items())

    @pytest.mark.parametrize("comma", [",", "，"])
    @pytest.mark.parametrize("equals", ["=", "＝"])
    def test_ascii_and_full_width_separators_mean_the_same(self, comma: str, equals: str) -> None:
        text = f"类别{equals}光纤{comma}组{equals}1{comma}捆扎{equals}整齐"
        assert attributes(text) == {"类别": "光纤", "组": "1", "捆扎": "整齐"}

    def test_keys_and_values_are_trimmed(self) -> None:
        assert attributes(" 类别 = 光纤 ,\t组\u3000=\u30001 \n") == {"类别": "光纤", "组": "1"}

    def test_spaces_within_a_value_stay(self) -> None:
        assert attributes("类别=BBU  设备") == {"类别": "BBU  设备"}

    def test_the_value_goes_on_after_its_first_equals_sign(self) -> None:
        assert attributes("类别=a=b＝c,组==") == {"类别": "a=b＝c", "组": "="}

    def test_the_label_need_not_come_first(self) -> None:
        assert labels("品牌=华为,类别=BBU设备") == ("BBU设备", "BBU设备")

    def test_the_first_of_a_repeated_key_counts(self) -> None:
        assert attributes("类别=甲,组=1,类别=乙,组=2") == {"类别": "甲", "组": "1"}
        assert labels("类别=甲,类别=乙") == ("甲", "甲")

    def test_an_empty_first_label_is_not_replaced_by_a_later_one(self) -> None:
        assert labels("类别=,类别=乙") == ("", "")

    @pytest.mark.parametrize("text", ["品牌=华为", "类别=", "类别＝ ，品牌=华为", "=", "=光纤", "标签,文本=a/b"])
    def test_without_a_label_both_are_empty(self, text: str) -> None:
        assert labels(text) == ("", "")

    @pytest.mark.parametrize("text", ["子类别=甲", "类别名=甲", "类 别=甲", "x类别=甲,品牌=乙"])
    def test_keys_match_whole(self, text: str) -> None:
        assert labels(text) == ("", "")

    def test_a_similar_key_does_not_hide_the_label(self) -> None:
        assert labels("子类别=甲,类别=乙") == ("乙", "乙")

    def test_a_field_without_equals_sign_is_dropped(self) -> None:
        assert attributes("前言,类别=光纤,有遮挡,组=1,,") == {"类别": "光纤", "组": "1"}

    def test_an_unknown_key_is_an_attribute_where_no_text_precedes(self) -> None:
        assert attributes("类别=光纤,颜色=红,组=1") == {"类别": "光纤", "颜色": "红", "组": "1"}

    def test_an_empty_key_is_a_key_like_any_other_unknown_one(self) -> None:
        assert attributes("类别=光纤,=红") == {"类别": "光纤", "": "红"}
        assert attributes("文本=a,=红") == {"文本": "a,=红"}

    def test_a_slash_in_a_value_is_plain_text(self) -> None:
        assert labels("类别=A/B,组=1/2") == ("A/B", "A/B")
        assert attributes("类别=A/B,组=1/2") == {"类别": "A/B", "组": "1/2"}

    def test_an_umbrella_as_label_is_both_labels(self) -> None:
        assert labels(f"类别={UMBRELLA}/BBU安装螺丝") == (f"{UMBRELLA}/BBU安装螺丝",) * 2
        assert labels(f"类别={UMBRELLA}") == (UMBRELLA, UMBRELLA)


class TestFreeText:
    def test_a_field_without_equals_sign_continues_it(self) -> None:
        assert attributes("类别=标签,文本=NR900,BBU,组=1") == {"类别": "标签", "文本": "NR900,BBU", "组": "1"}

    def test_an_unknown_key_continues_it(self) -> None:
        assert attributes("文本=a,光纤=2,b,端口=3,组=1") == {"文本": "a,光纤=2,b,端口=3", "组": "1"}

    def test_separators_and_spaces_within_it_stay_as_they_are(self) -> None:
        assert attributes("文本＝ a ， 光纤 ＝ 2 ,, b=＝c ，组=1") == {"文本": "a ， 光纤 ＝ 2 ,, b=＝c", "组": "1"}

    def test_separators_at_its_end_stay(self) -> None:
        assert attributes("文本=a,") == {"文本": "a,"}
        assert attributes("文本=a,，,组=1") == {"文本": "a,，", "组": "1"}

    @pytest.mark.parametrize("key", sorted(KEYS - {"文本"}))
    def test_every_known_key_ends_it(self, key: str) -> None:
        assert attributes(f"文本=a,b,{key}=v") == {"文本": "a,b", key: "v"}

    def test_a_known_key_with_spaces_around_it_ends_it(self) -> None:
        assert attributes("文本=a, 组 =1") == {"文本": "a", "组": "1"}

    def test_a_known_key_without_equals_sign_does_not_end_it(self) -> None:
        assert attributes("文本=a,组,类别") == {"文本": "a,组,类别"}
        assert labels("文本=a,组,类别") == ("", "")

    def test_a_key_that_only_contains_a_known_one_does_not_end_it(self) -> None:
        assert attributes("文本=a,子类别=b,类别=c") == {"文本": "a,子类别=b", "类别": "c"}

    def test_the_label_may_follow_it(self) -> None:
        assert labels("文本=4G,光纤=2,类别=标签") == ("标签", "标签")

    def test_one_free_text_ends_another(self) -> None:
        assert attributes("文本=a,b,备注=c,d,e=f") == {"文本": "a,b", "备注": "c,d,e=f"}

    def test_after_an_ordinary_key_nothing_continues(self) -> None:
        assert attributes("文本=a,组=1,b,光纤=2") == {"文本": "a", "组": "1", "光纤": "2"}

    def test_a_repeated_free_text_takes_its_continuation_with_it(self) -> None:
        assert attributes("文本=a,文本=b,光纤=2,组=1") == {"文本": "a", "组": "1"}

    def test_an_empty_start_can_be_continued(self) -> None:
        assert attributes("文本=,a") == {"文本": ",a"}
        assert attributes("文本=") == {"文本": ""}

    def test_slashes_within_it_stay(self) -> None:
        assert attributes("类别=标签,文本=1/2,3/4") == {"类别": "标签", "文本": "1/2,3/4"}


class TestSlashForm:
    @pytest.mark.parametrize(
        ("text", "phase", "category"),
        [
            (f"{UMBRELLA}/BBU安装螺丝,显示完整,符合要求", UMBRELLA, "BBU安装螺丝"),
            ("标签/4G-RRU3-光纤", "标签", "标签"),
            ("光纤/有遮挡,有保护,半径合理/蛇形管", "光纤", "光纤"),
        ],
    )
    def test_domain_samples_read_as_written(self, text: str, phase: str, category: str) -> None:
        assert labels(text) == (phase, category)
        assert attributes(text) == {}

    @pytest.mark.parametrize("end", ["", ",显示完整", "，显示完整", "/露铜", " , x", "/"])
    def test_the_type_under_an_umbrella_ends_at_a_comma_or_slash(self, end: str) -> None:
        assert labels(f" {UMBRELLA} / ODF端光纤插头{end}") == (UMBRELLA, "ODF端光纤插头")

    @pytest.mark.parametrize("rest", ["", " ", ",显示完整", "，显示完整", "/露铜", " / "])
    def test_an_umbrella_with_nothing_after_it_is_its_own_category(self, rest: str) -> None:
        assert labels(f"{UMBRELLA}/{rest}") == (UMBRELLA, UMBRELLA)

    def test_a_type_need_not_be_listed(self) -> None:
        assert labels(f"{UMBRELLA}/测试对象,显示完整") == (UMBRELLA, "测试对象")

    def test_the_phase_keeps_its_commas(self) -> None:
        assert labels("光纤,有遮挡/蛇形管") == ("光纤,有遮挡", "光纤,有遮挡")

    def test_only_the_whole_phase_is_an_umbrella(self) -> None:
        assert labels(f"{UMBRELLA},旧/BBU安装螺丝") == (f"{UMBRELLA},旧",) * 2

    def test_an_equals_sign_after_the_first_slash_is_plain_text(self) -> None:
        assert labels("标签/4G,光纤=2,类别=甲") == ("标签", "标签")
        assert attributes("标签/4G,光纤=2,类别=甲") == {}
        assert labels(f"{UMBRELLA}/a=b,c") == (UMBRELLA, "a=b")

    @pytest.mark.parametrize("text", ["光纤", " 光纤 ", "光纤,有遮挡", "光纤 ，有遮挡,x"])
    def test_without_a_slash_both_are_the_text_before_the_first_comma(self, text: str) -> None:
        assert labels(text) == ("光纤", "光纤")

    def test_an_umbrella_without_a_slash_is_both_labels(self) -> None:
        assert labels(f"{UMBRELLA},BBU安装螺丝") == (UMBRELLA, UMBRELLA)

    @pytest.mark.parametrize("text", ["", " ", ",", "，光纤", "/", " /光纤", "//"])
    def test_nothing_before_the_separator_is_the_empty_label(self, text: str) -> None:
        assert labels(text) == ("", "")


class TestUnnamedAttributes:
    @pytest.mark.parametrize(
        ("text", "unnamed"),
        [
            ("BBU设备/华为/完整", {"华为", "完整"}),
            ("光纤/有遮挡,有保护,半径合理/蛇形管", {"有遮挡", "有保护", "半径合理", "蛇形管"}),
            (f"{UMBRELLA}/BBU安装螺丝,显示完整,符合要求", {"显示完整", "符合要求"}),  # the type is the label
            (f"{UMBRELLA}/,显示完整", {"显示完整"}),
            ("光纤, rusty ，old", {"rusty", "old"}),
            ("标签/4G,光纤=2", {"4G", "光纤=2"}),
            ("光纤/a,a/ a ,,//", {"a"}),
            ("光纤", set()),
            ("光纤/", set()),
        ],
    )
    def test_they_are_what_follows_the_label_between_commas_and_slashes(self, text: str, unnamed: set[str]) -> None:
        assert read(text).unnamed == unnamed

    def test_the_other_form_has_none(self) -> None:
        assert read("类别=光纤,有遮挡,组=1/2").unnamed == frozenset()
        assert read("类别=标签,文本=4G").implied == {}

    @pytest.mark.parametrize(
        ("text", "implied"),
        [
            ("站点距离/98", {"站点距离": "98"}),
            ("站点距离/ 98米 ,看不清", {"站点距离": "98米"}),
            ("站点距离/", {}),
            ("标签/4G-RRU3-光纤", {"文本": "4G-RRU3-光纤"}),
            ("标签/ ODF-04/10 至 RRU2，光纤=2 ", {"文本": "ODF-04/10 至 RRU2，光纤=2"}),
            ("标签/ ", {}),
            ("光纤/98", {}),
        ],
    )
    def test_some_labels_say_what_follows_them(self, text: str, implied: dict[str, str]) -> None:
        assert read(text).implied == implied
        assert read(text).attributes == {}


class TestOptions:
    def test_the_label_key_can_be_renamed(self) -> None:
        parsed = parse_desc("类别=甲,class=乙", built_in(), label_key="class")
        assert (parsed.phase, parsed.category) == ("乙", "乙")
        assert parsed.attributes == {"类别": "甲", "class": "乙"}

    def test_a_renamed_label_key_ends_free_text(self) -> None:
        parsed = parse_desc("文本=a,class=乙", built_in(), label_key="class")
        assert parsed.attributes == {"文本": "a", "class": "乙"}

    def test_free_text_keys_can_be_replaced(self) -> None:
        parsed = parse_desc("note=a,x=1,文本=b,y=2,note2=c", built_in(), free_text_keys=("note", "note2"))
        assert parsed.attributes == {"note": "a,x=1", "文本": "b", "y": "2", "note2": "c"}

    def test_there_may_be_no_free_text(self) -> None:
        parsed = parse_desc("文本=a,b,光纤=2", built_in(), free_text_keys=())
        assert parsed.attributes == {"文本": "a", "光纤": "2"}

    def test_the_label_may_itself_be_free_text(self) -> None:
        assert parse_desc("文本=a,b,组=1", built_in(), label_key="文本").category == "a,b"

    def test_keys_and_umbrellas_come_from_the_taxonomy(self) -> None:
        taxonomy = Taxonomy({"门": ("木门",)}, KEYS | {"光纤"})
        assert parse_desc("文本=a,光纤=2", taxonomy).attributes == {"文本": "a", "光纤": "2"}
        assert parse_desc("门/木门,旧", taxonomy).category == "木门"
        assert parse_desc(f"{UMBRELLA}/BBU安装螺丝", taxonomy).category == UMBRELLA


# Texts rich in what has a meaning, and texts of anything at all.
TOKENS = st.sampled_from(
    [",", "，", "=", "＝", "/", " ", "\u3000", "类别", "子类别", "文本", "备注", "组", "光纤", UMBRELLA, "a"]
)
TEXTS = st.lists(TOKENS, max_size=30).map("".join) | st.text()
WORDS = st.text(st.characters(exclude_characters=",，=＝/"), max_size=8).map(str.strip)
# Free text as people write it: anything, as long as no field in it starts like a known key.
FREE = st.lists(st.sampled_from([",", "，", "=", "＝", "/", " ", "光纤", "a", "4G"]), max_size=20).map("".join)


@given(TEXTS)
@example("\ud800=\x00,/")
def test_every_text_has_trimmed_labels(text: str) -> None:
    parsed = read(text)
    for said in (parsed.phase, parsed.category, *parsed.attributes, *parsed.attributes.values()):
        assert said == said.strip()


@given(TEXTS)
def test_labels_differ_only_under_an_umbrella(text: str) -> None:
    parsed = read(text)
    assert parsed.phase == parsed.category or parsed.phase == UMBRELLA


@given(TEXTS)
def test_a_category_is_empty_exactly_when_the_phase_is(text: str) -> None:
    parsed = read(text)
    assert bool(parsed.phase) == bool(parsed.category)


@given(TEXTS)
def test_all_that_is_read_stands_in_the_text(text: str) -> None:
    parsed = read(text)
    for said in (parsed.phase, parsed.category, *parsed.attributes, *parsed.attributes.values()):
        assert said in text


@given(TEXTS)
def test_full_width_separators_change_no_label_beyond_their_own_characters(text: str) -> None:
    def narrow(value: str) -> str:
        return value.replace("，", ",").replace("＝", "=")

    assert tuple(map(narrow, labels(text))) == labels(narrow(text))
    assert {key: narrow(value) for key, value in attributes(text).items()} == attributes(narrow(text))


@given(st.dictionaries(st.sampled_from(sorted(KEYS)), WORDS, min_size=1), st.sampled_from([",", "，", " , "]))
def test_known_keys_come_back_in_order_with_their_values(fields: dict[str, str], comma: str) -> None:
    text = comma.join(f"{key}={value}" for key, value in fields.items())
    assert list(attributes(text).items()) == list(fields.items())
    assert labels(text) == (fields.get("类别", ""),) * 2


@given(FREE, st.sampled_from(["文本", "备注"]))
def test_free_text_survives_commas_and_equals_signs(free: str, key: str) -> None:
    assert attributes(f"类别=标签,{key}={free},组=1") == {"类别": "标签", key: free.strip(), "组": "1"}
    assert attributes(f"类别=标签,{key}={free}") == {"类别": "标签", key: free.strip()}


@given(st.lists(TOKENS, max_size=30).map("".join))
def test_renaming_the_label_key_in_text_and_option_changes_no_label(text: str) -> None:
    renamed = parse_desc(text.replace("类别", "class"), built_in(), label_key="class")
    was = read(text)
    assert renamed.phase == was.phase.replace("类别", "class")
    assert renamed.category == was.category.replace("类别", "class")


@given(st.lists(WORDS, max_size=6), st.lists(st.sampled_from([",", "，", "/"]), min_size=6, max_size=6), st.randoms())
def test_neither_order_nor_separators_of_unnamed_attributes_matter(
    words: list[str], separators: list[str], random: Random
) -> None:
    shuffled = random.sample(words, len(words))
    mixed = "".join(separator + word for separator, word in zip(separators, shuffled, strict=False))
    assert read("光纤/" + "/".join(words)).unnamed == read("光纤/" + mixed).unnamed == set(words) - {""}


def test_reading_descriptions_imports_nothing_slow() -> None:
    source = Path(desc_module.__file__).parents[3]
    program = (
        f"import os, sys; sys.path.insert(0, {str(source)!r}); import calipers; before = set(sys.modules)\n"
        "from calipers.suites.dense import desc, taxonomy\n"
        "desc.parse_desc('class=fibre', taxonomy.built_in())\n"
        "sys.stdout.write(' '.join(sorted(set(sys.modules) - before)))"
    )
    new = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, check=True, text=True).stdout
    assert set(new.split()) <= {
        "__future__",
        "calipers.core.errors",
        "calipers.core",
        "calipers.suites",
        "calipers.suites.dense",
        "calipers.suites.dense.desc",
        "calipers.suites.dense.taxonomy",
    }
