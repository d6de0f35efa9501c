"""Label files: what they may look like, and what is said about broken ones."""

import json
from collections import OrderedDict
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.errors import ConfigError
from calipers.core.words import normalise
from calipers.suites.scene.labels.label_files import Aliases, load_aliases, load_canonical


@pytest.fixture
def saved(tmp_path: Path):
    def save(content: object) -> Path:
        file = tmp_path / "labels.json"
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return file

    return save


class TestCanonical:
    @pytest.mark.parametrize("form", [lambda labels: labels, lambda labels: {"canonical_labels": labels, "version": 3}])
    def test_a_list_or_an_object_with_one(self, saved, form) -> None:
        labels = ["seat", "Dining Table", "门"]
        assert load_canonical(saved(form(labels))) == labels
        assert load_canonical(str(saved(form(labels)))) == labels
        assert load_canonical(form(labels)) == labels
        assert load_canonical(form(tuple(labels))) == labels

    def test_labels_are_trimmed_and_keep_their_order(self) -> None:
        assert load_canonical([" table", "Seat\n", "door"]) == ["table", "Seat", "door"]

    def test_unknown_is_read_like_any_other(self) -> None:
        assert load_canonical(["seat", "unknown"]) == ["seat", "unknown"]

    def test_none_is_a_list_too(self) -> None:
        assert load_canonical([]) == []

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_any_unicode_encoding_is_read(self, saved, encoding: str) -> None:
        assert load_canonical(saved('["门", "стул"]'.encode(encoding))) == ["门", "стул"]

    def test_half_a_character_is_replaced_so_that_the_label_can_be_written_out(self, saved) -> None:
        assert load_canonical(saved('["seat\\ud800"]')) == ["seat\ufffd"]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (7, ": found 7, expected a list of labels"),
            ("seats", ": found 'seats', expected a list of labels"),
            (None, ": found null, expected a list of labels"),
            ({}, ": canonical_labels: found nothing, expected a list of labels"),
            ({"labels": ["seat"]}, ": canonical_labels: found nothing, expected a list of labels"),
            ({"canonical_labels": {"seat": 1}}, ": canonical_labels: found an object, expected a list of labels"),
            ({"canonical_labels": "seat"}, ": canonical_labels: found 'seat', expected a list of labels"),
            (["seat", 3], ": [1]: found 3, expected a label with a letter or a number"),
            (["seat", True], ": [1]: found true, expected a label with a letter or a number"),
            ([["seat"]], ": [0]: found a list, expected a label with a letter or a number"),
            (
                {"canonical_labels": ["seat", " "]},
                ": canonical_labels[1]: found ' ', expected a label with a letter or a number",
            ),
            (["?!"], ": [0]: found '?!', expected a label with a letter or a number"),
            (["seat", "seat"], ": [1]: found 'seat', the same label as [0], expected it once"),
            (
                {"canonical_labels": ["Tv-Stand", "door", "tv_stand "]},
                ": canonical_labels[2]: found 'tv_stand ', the same label as canonical_labels[0], expected it once",
            ),
            (["x" * 100, "X" * 100], f": [1]: found '{'X' * 59}…, the same label as [0], expected it once"),
        ],
    )
    def test_what_is_wrong_is_said(self, saved, content: object, message: str) -> None:
        file = saved(json.dumps(content))
        with pytest.raises(ConfigError) as refused:
            load_canonical(file)
        assert str(refused.value) == f"{file}{message}"
        if not isinstance(content, str):
            with pytest.raises(ConfigError) as refused:
                load_canonical(content)  # type: ignore[arg-type]
            assert str(refused.value) == f"canonical labels{message}"


class TestAliases:
    def test_a_flat_map_is_aliases(self, saved) -> None:
        flat = {"chair": "seat", "Tisch": "table"}
        file = saved(flat)
        assert load_aliases(file) == Aliases(flat, {}, str(file))
        assert load_aliases(flat) == Aliases(flat, {}, "label aliases")

    @pytest.mark.parametrize("section", ["aliases", "contains_rules"])
    def test_either_section_may_be_missing(self, section: str) -> None:
        assert getattr(load_aliases({section: {"a": "seat"}}), section) == {"a": "seat"}
        assert load_aliases({section: {}}) == Aliases({}, {})

    def test_both_sections(self, saved) -> None:
        tree = {"aliases": {"chair": "seat"}, "contains_rules": {"coffee table": "table"}}
        found = load_aliases(saved(tree))
        assert (found.aliases, found.contains_rules, found.unread) == (tree["aliases"], tree["contains_rules"], ())

    def test_nothing_is_no_aliases(self) -> None:
        assert load_aliases({}) == Aliases({}, {})

    def test_a_label_may_be_called_aliases(self) -> None:
        assert load_aliases({"aliases": "seat"}).aliases == {"aliases": "seat"}

    @pytest.mark.parametrize("kind", [dict, OrderedDict, MappingProxyType])
    def test_any_mapping_is_one(self, kind) -> None:
        assert load_aliases(kind({"aliases": kind({"chair": "seat"})})).aliases == {"chair": "seat"}

    def test_what_was_loaded_can_be_loaded_again(self, saved) -> None:
        found = load_aliases(saved({"aliases": {"chair": "seat"}, "note": "by hand"}))
        assert load_aliases(found) == found
        assert found.unread == ("note",)

    def test_spellings_may_repeat_each_other(self) -> None:
        flat = {"Arm-Chair": "seat", "arm chair": "Seat", "arm_chair": "seat"}
        assert load_aliases(flat).aliases == flat

    def test_a_key_given_twice_with_the_same_target_is_no_harm(self, saved) -> None:
        assert load_aliases(saved('{"a": "seat", "a": "seat"}')).aliases == {"a": "seat"}

    def test_unknown_targets_and_circles_are_not_asked_about_here(self) -> None:
        flat = {"a": "b", "b": "a", "c": "c", "d": "nowhere"}
        assert load_aliases(flat).aliases == flat

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ([], ": found a list, expected an object of labels and what they stand for"),
            (1.5, ": found 1.5, expected an object of labels and what they stand for"),
            ({"a": 3}, ": 'a': found 3, expected the canonical label that it stands for"),
            ({"a": None}, ": 'a': found null, expected the canonical label that it stands for"),
            ({"a": ""}, ": 'a': found '', expected the canonical label that it stands for"),
            ({"seat": ["chair"]}, ": 'seat': found a list, expected the canonical label that it stands for"),
            (
                {"contain_rules": {}},
                ": 'contain_rules': found an object, expected the canonical label that it stands for",
            ),
            ({"": "seat"}, ": a key: found '', expected a label with a letter or a number"),
            ({"aliases": []}, ": aliases: found a list, expected an object of labels and what they stand for"),
            ({"aliases": None}, ": aliases: found null, expected an object of labels and what they stand for"),
            (
                {"aliases": {}, "contains_rules": "door"},
                ": contains_rules: found 'door', expected an object of labels and what they stand for",
            ),
            (
                {"aliases": {"a": {"b": "c"}}},
                ": aliases: 'a': found an object, expected the canonical label that it stands for",
            ),
            (
                {"aliases": {}, "contains_rules": {"--": "door"}},
                ": contains_rules: a key: found '--', expected a label with a letter or a number",
            ),
            (
                {"aliases": {}, "contain_rules": {"door": "door"}},
                ": found an object under 'contain_rules', expected one under aliases and contains_rules only",
            ),
            (
                {"aliases": {"ab c": "seat", "AB_c": "table"}},
                ": aliases: 'AB_c': found 'table', but 'seat' for 'ab c', which is the same label, expected one target",
            ),
        ],
    )
    def test_what_is_wrong_is_said(self, saved, content: object, message: str) -> None:
        file = saved(content)
        with pytest.raises(ConfigError) as refused:
            load_aliases(file)
        assert str(refused.value) == f"{file}{message}"
        with pytest.raises(ConfigError) as refused:
            load_aliases(content)  # type: ignore[arg-type]
        assert str(refused.value) == f"label aliases{message}"

    def test_keys_are_text(self) -> None:
        with pytest.raises(ConfigError, match="label aliases: a key: found 3, expected a label"):
            load_aliases({3: "seat"})  # type: ignore[dict-item]

    def test_what_was_made_by_hand_is_checked_too(self) -> None:
        with pytest.raises(ConfigError, match="label aliases: contains_rules: 'a': found 5"):
            load_aliases(Aliases({}, {"a": 5}))  # type: ignore[dict-item]

    @given(st.dictionaries(st.text().filter(normalise), st.sampled_from(["seat", "Seat!", "SEAT"])))
    def test_any_map_to_one_target_is_taken_as_it_is(self, flat: dict[str, str]) -> None:
        assert load_aliases({"aliases": flat, "contains_rules": flat}) == Aliases(flat, flat)


@pytest.mark.parametrize("load", [load_canonical, load_aliases])
class TestFiles:
    def test_one_that_is_not_there(self, load, tmp_path: Path) -> None:
        with pytest.raises(
            ConfigError, match=r"none\.json: cannot be read \(No such file or directory\), expected a file"
        ):
            load(tmp_path / "none.json")

    def test_a_name_that_cannot_be_one(self, load) -> None:
        with pytest.raises(ConfigError, match="cannot be read"):
            load("a\0b")

    @pytest.mark.parametrize("content", ["", "{", "['seat']", '["seat",]', b'["\xff"]'])
    def test_one_that_is_not_json(self, load, saved, content) -> None:
        with pytest.raises(ConfigError, match=r"labels\.json: is not JSON \(.+\), expected a file of "):
            load(saved(content))

    def test_one_that_is_too_deep(self, load, saved) -> None:
        with pytest.raises(ConfigError, match=r"labels\.json: is nested too deeply"):
            load(saved("[" * 100_000))

    def test_a_number_that_is_too_long(self, load, saved) -> None:
        with pytest.raises(ConfigError, match=r"labels\.json: is not JSON"):
            load(saved("9" * 5000))

    def test_a_key_given_twice(self, load, saved) -> None:
        content = '{"canonical_labels": [], "x": {"chair": "seat", "chair": "table"}}'
        with pytest.raises(ConfigError, match="'chair': found twice, with 'seat' and 'table', expected it once"):
            load(saved(content))
