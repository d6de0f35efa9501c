"""From labels as written to classes: a table over many scripts, each rule of resolving, and the laws."""

import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.words import normalise
from calipers.suites.scene.labels import canonical as canonical_module
from calipers.suites.scene.labels.canonical import UNRESOLVED, Resolved, Resolver

CLASSES = ["seat", "table", "door"]
NAMES = {
    "aliases": {
        "Chair": "seat",
        "coffee table": "table",
        "椅子": "seat",
        "桌子": "table",
        "门": "door",
        "стул": "seat",
        "письменный стол": "table",
        "कुर्सी": "seat",
        "दरवाज़ा": "door",
        "ประตู": "door",
        "โต๊ะทำงาน": "table",
        "كرسي": "seat",
        "باب": "door",
        "דלת": "door",
        "의자": "seat",
        "ドア": "door",
        "τραπέζι": "table",
        "Tür": "door",
        "Straßentür": "door",
        "door mat": "unknown",
    },
    "contains_rules": {"door": "door", "chair": "seat", "high chair table": "table", "стул": "seat", "门": "door"},
}


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    return Resolver(CLASSES, NAMES)


class TestTable:
    @pytest.mark.parametrize(
        ("raw", "label", "how"),
        [
            ("seat", "seat", "canonical"),
            (" SEAT ", "seat", "canonical"),
            ("Se.at", "seat", "canonical"),
            ("chair", "seat", "alias"),
            ("coffee_table", "table", "alias"),
            ("Coffee-Table!", "table", "alias"),
            ("coffee  table", "table", "alias"),
            ("coffeetable", None, None),
            ("椅子", "seat", "alias"),
            ("桌子。", "table", "alias"),
            ("СТУЛ", "seat", "alias"),
            ("Письменный_стол", "table", "alias"),
            ("कुर्सी!", "seat", "alias"),
            ("दरवाज\u093cा", "door", "alias"),  # ज and its dot, given apart
            ("दरवाजा", None, None),  # without the dot: another spelling
            ("ประตู", "door", "alias"),
            ("โต๊ะทำงาน", "table", "alias"),
            ("โต๊ะท\u0e4d\u0e32งาน", "table", "alias"),  # the vowel am in two parts
            ("كرسي", "seat", "alias"),
            ("«باب»", "door", "alias"),
            ("דלת", "door", "alias"),
            ("의자", "seat", "alias"),
            ("\u110b\u1174\u110c\u1161", "seat", "alias"),  # the same as single jamo
            ("ﾄﾞｱ", "door", "alias"),
            ("ΤΡΑΠΈΖΙ", "table", "alias"),
            ("TÜR", "door", "alias"),
            ("tu\u0308r", "door", "alias"),
            ("STRASSENTÜR", "door", "alias"),
            ("door frame", "door", "contains"),
            ("sliding-door", "door", "contains"),
            ("Office Chair", "seat", "contains"),
            ("старый стул", "seat", "contains"),
            ("木 门", "door", "contains"),
            ("木门", None, None),  # one word
            ("门把手", None, None),
            ("table lamp", None, None),  # a canonical label is no rule
            ("chairs", None, None),
            ("lamp", None, None),
            ("door mat", None, None),
            ("unknown", None, None),
            ("", None, None),
        ],
    )
    def test_a_label_resolves(self, resolver: Resolver, raw: str, label: str | None, how: str | None) -> None:
        assert resolver.resolve(raw) == Resolved(label, how, None)  # type: ignore[arg-type]

    def test_labels_come_out_as_the_file_has_them(self) -> None:
        resolver = Resolver([" Arm Chair ", "TÜR"], {"sessel": "arm_chair"})
        assert resolver.classes == ["Arm Chair", "TÜR"]
        assert [found.label for found in resolver.resolve_all(["arm-chair", "tür", "Sessel"])] == [
            "Arm Chair",
            "TÜR",
            "Arm Chair",
        ]


class TestContainsRules:
    @pytest.mark.parametrize("raw", ["indoor plant", "in.door plant", "doorway", "outdoor", "doors", "Indoor-Plant"])
    def test_trap_28_a_word_inside_a_word_is_none(self, resolver: Resolver, raw: str) -> None:
        assert resolver.resolve(raw) == UNRESOLVED

    @pytest.mark.parametrize("raw", ["door", "door frame", "old door", "an old door frame", "door/frame", "DOOR!"])
    def test_a_word_is_one_anywhere(self, raw: str) -> None:
        assert Resolver(["entry"], {"contains_rules": {"door": "entry"}}).resolve(raw) == ("entry", "contains", None)

    def test_several_words_have_to_stand_in_a_row(self) -> None:
        resolver = Resolver(CLASSES, {"contains_rules": {"night stand": "table"}})
        labels = {"small night stand lamp": "table", "stand night": None, "night blue stand": None, "nightstand": None}
        assert {raw: resolver.resolve(raw).label for raw in labels} == labels

    def test_the_longest_rule_counts(self) -> None:
        rules = {"door": "door", "door table": "table", "doorstep": "seat"}
        resolver = Resolver(CLASSES, {"contains_rules": rules})
        assert resolver.resolve("old door table").label == "table"  # two words before one
        assert resolver.resolve("doorstep door").label == "seat"  # 8 characters before 4
        assert resolver.resolve("doorstep door table").label == "table"  # words count before characters

    def test_of_equally_long_rules_the_first_in_the_alphabet_counts(self) -> None:
        for order in permutations({"lamp": "seat", "desk": "table", "gate": "door"}.items()):
            resolver = Resolver(CLASSES, {"contains_rules": dict(order)})
            assert resolver.resolve("lamp gate desk").label == "table"
            assert resolver.resolve("lamp gate").label == "door"

    def test_an_alias_comes_before_a_rule(self) -> None:
        names = {"aliases": {"door handle": "seat"}, "contains_rules": {"door": "door"}}
        assert Resolver(CLASSES, names).resolve("Door_Handle") == ("seat", "alias", None)

    def test_a_rule_may_say_that_something_is_of_no_class(self) -> None:
        rules = {"door": "door", "door mat": "unknown"}
        resolver = Resolver(CLASSES, {"contains_rules": rules}, embed=never)
        assert resolver.resolve("red door mat") == UNRESOLVED
        [warning] = resolver.warnings
        assert "'unknown' is not a canonical label and resolves nothing (target of 'door mat')" in warning

    def test_compounds_in_one_are_one_word_in_every_script(self) -> None:
        rules = {"门": "door", "tür": "door", "ประตู": "door", "ドア": "door"}
        resolver = Resolver(CLASSES, {"contains_rules": rules})
        for raw in ["木门", "门把手", "阀门", "Holztür", "ประตูไม้", "木製ドア"]:
            assert resolver.resolve(raw) == UNRESOLVED
            assert resolver.suggest(raw) == ([] if raw == "Holztür" else ["door"])
        for raw in ["木 门", "门", "Tür aus Holz", "ประตู ไม้", "木製 ドア"]:
            assert resolver.resolve(raw).label == "door"


def never(texts: list[str]) -> list[list[float]]:
    raise AssertionError(f"asked about {texts}")


class TestNoClass:
    @pytest.mark.parametrize("raw", ["unknown", "Unknown", "UNLABELED", "unlabelled ", "", " \t", "?", "-"])
    def test_what_is_not_known_goes_to_no_step(self, raw: str) -> None:
        names = {
            "aliases": {"unlabeled": "door"},
            "contains_rules": {"unknown": "seat", "unlabelled": "door"},
        }
        resolver = Resolver([*CLASSES, "unknown"], names, embed=never)
        assert resolver.resolve(raw) == UNRESOLVED
        assert resolver.suggest(raw) == []

    def test_listed_as_canonical_it_is_left_out_with_a_warning(self) -> None:
        resolver = Resolver(["seat", "Unknown", "door", "unlabelled"])
        assert resolver.classes == ["seat", "door"]
        assert resolver.warnings == [
            "canonical labels: 'Unknown' is never a class and is left out",
            "canonical labels: 'unlabelled' is never a class and is left out",
        ]

    @pytest.mark.parametrize("labels", [[], ["unknown"]])
    def test_without_a_class_there_is_a_warning(self, labels: list[str]) -> None:
        resolver = Resolver(labels, embed=never)
        assert resolver.warnings[-1] == "canonical labels: there is no class, so no label resolves"
        assert resolver.resolve("seat") == UNRESOLVED


class TestTargetsThatAreNotCanonical:
    def test_they_resolve_nothing_and_are_named(self) -> None:
        names = {"aliases": {"couch": "sofa", "desk": "tabel"}, "contains_rules": {"gate": "portal"}}
        resolver = Resolver(CLASSES, names)
        what = "is not a canonical label and resolves nothing"
        assert resolver.warnings == [
            f"label aliases: aliases: 'sofa' {what} (target of 'couch')",
            f"label aliases: aliases: 'tabel' {what}, did you mean 'table'? (target of 'desk')",
            f"label aliases: contains_rules: 'portal' {what} (target of 'gate')",
        ]
        assert resolver.resolve_all(["couch", "sofa", "desk", "gate", "old gate"]) == [UNRESOLVED] * 5

    def test_many_of_one_target_are_one_warning(self) -> None:
        [warning] = Resolver(CLASSES, dict.fromkeys("abcde", "sofa")).warnings
        assert warning.endswith("resolves nothing (target of 'a', 'b', 'c' and 2 more)")

    def test_later_steps_go_on_as_if_they_were_not_there(self) -> None:
        names = {"aliases": {"arm chair": "sofa"}, "contains_rules": {"arm chair": "sofa", "chair": "seat"}}
        assert Resolver(CLASSES, names).resolve("arm chair") == ("seat", "contains", None)

    def test_an_alias_of_an_alias_resolves_nothing_and_the_end_is_suggested(self) -> None:
        resolver = Resolver(CLASSES, {"stool": "chair", "chair": "seat"})
        assert resolver.resolve("stool") == UNRESOLVED
        assert resolver.resolve("chair").label == "seat"
        assert "'chair' is not a canonical label and resolves nothing, did you mean 'seat'?" in resolver.warnings[0]

    def test_circles_end(self) -> None:
        resolver = Resolver(CLASSES, {"a1": "b2", "b2": "c3", "c3": "a1", "self": "self"})
        assert resolver.resolve_all(["a1", "b2", "c3", "self"]) == [UNRESOLVED] * 4
        assert len(resolver.warnings) == 4

    def test_an_alias_of_what_is_canonical_has_no_effect(self) -> None:
        resolver = Resolver(CLASSES, {"seat": "table", "SEAT.": "table", "door": "Door", "unknown": "door"})
        assert resolver.resolve("seat").label == "seat"
        assert resolver.warnings == [
            "label aliases: aliases: 'seat' is a canonical label itself, so its alias has no effect",
            "label aliases: aliases: 'SEAT.' is a canonical label itself, so its alias has no effect",
            "label aliases: aliases: 'unknown' is never a class, so its alias has no effect",
        ]

    def test_an_alias_of_no_class_ends_the_search_and_is_warned_about_too(self) -> None:
        resolver = Resolver(CLASSES, {"misc": "Unknown", "unknown": "unlabelled"}, embed=never)
        assert [warning.split(" is not")[0] for warning in resolver.warnings] == [
            "label aliases: aliases: 'Unknown'",
            "label aliases: aliases: 'unlabelled'",
        ]
        assert resolver.resolve("misc") == UNRESOLVED

    def test_labels_cannot_reach_the_terminal_unescaped(self) -> None:
        [warning] = Resolver(CLASSES, {"a": "\x1b[31mred"}).warnings
        assert "\x1b" not in warning


class TestSuggestions:
    @pytest.mark.parametrize(
        ("raw", "near"),
        [
            ("chiar", ["seat"]),  # 8 of 10 characters of "chiar" and "chair" are in common order
            ("chairs", ["seat"]),
            ("office chairs", ["seat"]),
            ("tabel", ["table"]),
            ("table lamp", ["table"]),
            ("dooor", ["door"]),
            ("tables or chairs", ["seat", "table"]),
            ("木椅子", ["seat"]),
            ("indoor plant", []),
            ("floor", []),
            ("lamp", []),
            ("refrigerator", []),
            ("x", []),
        ],
    )
    def test_only_what_is_spelled_alike(self, resolver: Resolver, raw: str, near: list[str]) -> None:
        assert resolver.suggest(raw) == near

    def test_at_most_n_the_likeliest_first_and_each_once(self) -> None:
        resolver = Resolver(["chair a", "chair b", "chair", "chair c"], {"cha1r": "chair"})
        assert resolver.suggest("chairs", 2) == ["chair", "chair a"]
        assert resolver.suggest("chairs", 9) == ["chair", "chair a", "chair b", "chair c"]
        assert resolver.suggest("chairs", 0) == []

    def test_what_stands_for_no_class_is_not_suggested(self) -> None:
        assert Resolver(CLASSES, {"lamp": "unknown"}).suggest("lamps") == []


# Laws

texts = st.text(alphabet="ab AB_-!é门й", min_size=1, max_size=6)
canonical_lists = st.lists(texts.filter(normalise), min_size=1, max_size=5, unique_by=normalise)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Canonical labels, and names that do not contradict each other."""
    labels = draw(canonical_lists)
    target = st.one_of(st.sampled_from(labels), texts.filter(str.strip))
    keys = st.lists(texts.filter(normalise), max_size=6, unique_by=normalise)
    sections = {name: {key: draw(target) for key in draw(keys)} for name in ("aliases", "contains_rules")}
    return labels, sections


@given(cases())
def test_canonical_labels_resolve_to_themselves(case) -> None:
    labels, names = case
    resolver = Resolver(labels, names)
    for label in labels:
        assert resolver.resolve(label) == (label.strip(), "canonical", None)
        assert resolver.resolve(f"--{label.upper()}  ").label == label.strip()


@given(cases(), st.lists(texts), st.randoms(use_true_random=False))
def test_the_order_of_entries_and_of_labels_asked_does_not_matter(case, wanted, random) -> None:
    labels, names = case
    first = Resolver(labels, names)
    shuffled = {name: dict(random.sample(list(section.items()), len(section))) for name, section in names.items()}
    second = Resolver(labels, shuffled)
    found = first.resolve_all(wanted)
    assert [second.resolve(text) for text in reversed(wanted)] == found[::-1]
    assert len(first.warnings) == len(second.warnings)


@given(cases(), texts)
def test_what_resolves_is_a_class_and_says_how(case, raw) -> None:
    resolver = Resolver(*case)
    found = resolver.resolve(raw)
    assert (found.label in resolver.classes) if found.how else found == UNRESOLVED
    assert set(resolver.suggest(raw)) <= set(resolver.classes)


@given(st.text())
def test_every_text_has_an_answer(raw) -> None:
    resolver = Resolver(CLASSES, NAMES)
    assert resolver.resolve(raw) == resolver.resolve(normalise(raw))
    resolver.suggest(raw)


PROGRAM = """
import json, sys
from calipers.suites.scene.labels.canonical import Resolver
aliases, rules = {"b a": "seat", "c": "nowhere", "d": "elsewhere"}, {"x": "seat", "y": "door", "z": "table"}
names = {"aliases": aliases, "contains_rules": rules}
resolver = Resolver(["seat", "table", "door"], names, embed=lambda texts: [[len(text), 1] for text in texts])
raws = ["z y", "y x", "B_A", "tabel", "seats door", "q", "w q e r t"]
print(json.dumps([resolver.resolve_all(raws), resolver.learned(), resolver.warnings]))
print(json.dumps([resolver.suggest(raw) for raw in raws]))
"""


def run_python(program: str, seed: str = "0") -> str:
    env = {"PYTHONPATH": str(Path(canonical_module.__file__).parents[4]), "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout


def test_hash_seeds_do_not_matter() -> None:
    assert len({run_python(PROGRAM, seed) for seed in ("1", "2", "3")}) == 1


def test_importing_loads_nothing_heavy() -> None:
    heavy = "{'rapidfuzz', 'numpy', 'orjson', 'json', 'click'}"
    program = f"import sys, calipers.suites.scene.labels.canonical; print(sorted({heavy} & set(sys.modules)))"
    assert run_python(program).strip() == "[]"


def test_resolving_without_embedding_loads_no_numpy() -> None:
    program = (
        "import sys; from calipers.suites.scene.labels.canonical import Resolver;"
        " Resolver(['a'], {'b': 'a'}).resolve('b c');"
    )
    assert run_python(program + "print({'numpy', 'rapidfuzz'} & set(sys.modules))").strip() == "set()"


def test_a_label_seen_before_is_a_lookup() -> None:
    resolver = Resolver([f"class {number}" for number in range(100)], NAMES["aliases"] | {"a": "class 1"})
    wanted = [f"label number {number}" for number in range(300)] * 334
    resolver.resolve_all(wanted)
    start = time.thread_time()
    for raw in wanted:
        resolver.resolve(raw)
    assert time.thread_time() - start < 20  # 100,200 of them; some 0.02 s on a laptop
