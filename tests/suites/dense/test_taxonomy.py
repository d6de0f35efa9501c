"""The built-in taxonomy, mapping files, and what is said about broken ones."""

import hashlib
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.errors import ConfigError
from calipers.suites.dense import taxonomy as taxonomy_module
from calipers.suites.dense.taxonomy import KEYS, Taxonomy, built_in, load

SHIPPED = Path(taxonomy_module.__file__).with_name("mapping.json")


@pytest.fixture
def saved(tmp_path: Path):
    def save(mapping: object) -> Path:
        file = tmp_path / "mapping.json"
        file.write_text(mapping if isinstance(mapping, str) else json.dumps(mapping), encoding="utf-8")
        return file

    return save


def kind(*attributes: object, label: str = "门") -> dict[str, object]:
    return {"object_types": {"door": {"chinese_label": label, "attributes": list(attributes)}}}


class TestBuiltIn:
    def test_it_knows_one_umbrella_with_five_types(self) -> None:
        assert built_in().umbrellas == {
            "螺丝、光纤插头": ("BBU安装螺丝", "机柜处接地螺丝", "地排处接地螺丝", "ODF端光纤插头", "BBU端光纤插头")
        }

    def test_it_knows_the_twenty_keys_of_the_domain(self) -> None:
        listed = (
            "类别, 品牌, 可见性, 挡风板需求, 挡风板符合性, 安装方向, 符合性, 问题, 保护措施, 保护细节, "
            "弯曲半径, 捆扎, 文本, 可读性, 站点距离, 组, 安装状态, 标签, 套管保护, 备注"
        )
        assert built_in().keys == set(listed.split(", "))
        assert len(built_in().keys) == 20

    def test_it_says_what_the_shipped_file_says(self) -> None:
        shipped = load(SHIPPED)
        assert built_in().umbrellas == shipped.umbrellas
        assert built_in().keys == shipped.keys
        assert built_in().sha256 == shipped.sha256

    def test_its_hash_is_of_the_shipped_bytes(self) -> None:
        assert built_in().sha256 == hashlib.sha256(SHIPPED.read_bytes()).hexdigest()

    def test_its_hash_waits_until_asked_for(self) -> None:
        unasked = Taxonomy({}, KEYS)
        assert unasked._sha256 is None
        assert unasked.sha256 == built_in().sha256

    def test_it_is_made_once(self) -> None:
        assert built_in() is built_in()

    def test_it_travels_between_processes(self) -> None:
        arrived = pickle.loads(pickle.dumps(built_in()))
        assert (arrived.umbrellas, arrived.keys, arrived.sha256) == (
            built_in().umbrellas,
            built_in().keys,
            built_in().sha256,
        )


class TestMappingFile:
    def test_it_replaces_the_umbrellas(self, saved) -> None:
        assert load(saved(kind({"name": "type", "values": ["木门", "铁门"]}))).umbrellas == {"门": ("木门", "铁门")}
        assert load(saved({"object_types": {}})).umbrellas == {}

    def test_it_extends_the_known_keys(self, saved) -> None:
        mapping = kind({"name": "颜色", "values": ["红"]}, {"name": " width ", "values": {}})
        assert load(saved(mapping)).keys == KEYS | {"颜色", "width"}

    @pytest.mark.parametrize("field", ["chinese_name", "chinese_label"])
    def test_chinese_names_of_attributes_are_known_too(self, saved, field: str) -> None:
        assert load(saved(kind({"name": "color", field: " 颜色 "}))).keys == KEYS | {"color", "颜色"}

    def test_the_attribute_type_is_known_by_its_chinese_name_if_it_has_one(self, saved) -> None:
        assert load(saved(kind({"name": "type"}))).keys == KEYS | {"type"}
        assert load(saved(kind({"name": "type", "chinese_name": "种类"}))).keys == KEYS | {"种类"}

    def test_of_an_object_of_values_the_types_are_what_descriptions_say(self, saved) -> None:
        values = {"种类/木门": "木门", "种类/旧木门": "木门", "种类/铁门": " 铁门 "}
        assert load(saved(kind({"name": "type", "values": values}))).umbrellas == {"门": ("木门", "铁门")}

    def test_only_types_with_an_attribute_named_type_are_umbrellas(self, saved) -> None:
        mapping = {
            "object_types": {
                "door": {
                    "chinese_label": "门",
                    "attributes": [{"name": "color"}, {"name": "type", "values": ["木门"]}],
                },
                "wall": {"chinese_label": "墙", "attributes": [{"name": "types", "values": ["砖墙"]}]},
                "roof": {"chinese_label": "屋顶", "attributes": []},
                "floor": {"chinese_label": "地面"},
                "unnamed": {"attributes": [{"name": "size"}]},
            }
        }
        loaded = load(saved(mapping))
        assert loaded.umbrellas == {"门": ("木门",)}
        assert loaded.keys == KEYS | {"color", "type", "types", "size"}

    def test_two_object_types_with_one_label_are_one_umbrella(self, saved) -> None:
        mapping = {
            "object_types": {
                "a": {"chinese_label": "门", "attributes": [{"name": "type", "values": ["木门", "铁门"]}]},
                "b": {"chinese_label": " 门", "attributes": [{"name": "type", "values": ["铁门", "玻璃门"]}]},
            }
        }
        assert load(saved(mapping)).umbrellas == {"门": ("木门", "铁门", "玻璃门")}

    def test_what_is_not_needed_may_be_anything(self, saved) -> None:
        mapping = kind({"name": "text", "values": 5, "level": [], "chinese_label": 7}, {"name": "type"})
        mapping["metadata"] = {"version": "5.0"}
        loaded = load(saved(mapping))
        assert loaded.umbrellas == {"门": ()}
        assert loaded.keys == KEYS | {"text", "type"}

    def test_its_hash_is_of_the_bytes_read(self, saved) -> None:
        file = saved('{"object_types": {}}')
        loaded = load(file)
        file.unlink()
        assert loaded.sha256 == hashlib.sha256(b'{"object_types": {}}').hexdigest()

    def test_a_byte_order_mark_is_ignored_but_hashed(self, saved) -> None:
        file = saved("\ufeff" + json.dumps(kind({"name": "type"})))
        assert load(str(file)).umbrellas == {"门": ()}
        assert load(str(file)).sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


class TestBrokenMappingFile:
    @pytest.mark.parametrize(
        ("mapping", "message"),
        [
            ([], ": found a list, expected an object"),
            (7, ": found 7, expected an object"),
            ({}, ": object_types: found nothing, expected an object"),
            ({"object_types": None}, ": object_types: found null, expected an object"),
            ({"object_types": ["door"]}, ": object_types: found a list, expected an object"),
            ({"object_types": {"door": "门"}}, ": object_types.door: found '门', expected an object"),
            (
                {"object_types": {"door": {"attributes": {"name": "type"}}}},
                ": object_types.door.attributes: found an object, expected a list",
            ),
            (kind("type"), ": object_types.door.attributes[0]: found 'type', expected an object"),
            (
                kind({"name": "color"}, {"values": []}),
                ": object_types.door.attributes[1].name: found nothing, expected a string that is not empty",
            ),
            (
                kind({"name": True}),
                ": object_types.door.attributes[0].name: found true, expected a string that is not empty",
            ),
            (
                kind({"name": " "}),
                ": object_types.door.attributes[0].name: found ' ', expected a string that is not empty",
            ),
            (
                kind({"name": "type", "values": 1.5}),
                ": object_types.door.attributes[0].values: found 1.5, expected a list or an object of strings",
            ),
            (
                kind({"name": "type", "values": ["木门", 3]}),
                ": object_types.door.attributes[0].values[1]: found 3, expected a string that is not empty",
            ),
            (
                kind({"name": "type", "values": {"木": []}}),
                ": object_types.door.attributes[0].values.木: found a list, expected a string that is not empty",
            ),
            (
                {"object_types": {"door": {"attributes": [{"name": "type"}]}}},
                ": object_types.door.chinese_label: found nothing, expected a string that is not empty",
            ),
            (
                kind({"name": "type"}, label=""),
                ": object_types.door.chinese_label: found '', expected a string that is not empty",
            ),
        ],
    )
    def test_the_message_says_where_what_was_found_and_what_was_expected(self, saved, mapping, message: str) -> None:
        file = saved(mapping)
        with pytest.raises(ConfigError) as caught:
            load(file)
        assert str(caught.value) == f"{file}{message}"

    def test_a_long_value_is_shown_in_short(self, saved) -> None:
        with pytest.raises(ConfigError) as caught:
            load(saved({"object_types": "x" * 1000}))
        assert f"found '{'x' * 60}', expected" in str(caught.value)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError) as caught:
            load(tmp_path / "none.json")
        assert str(caught.value).startswith(f"{tmp_path / 'none.json'}: cannot be read (No such file")

    @pytest.mark.parametrize("name", ["", "a\0b"])
    def test_a_folder_or_an_impossible_name_cannot_be_read(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(ConfigError, match=r"cannot be read .*, expected a mapping file"):
            load(f"{tmp_path}/{name}")

    @pytest.mark.parametrize("content", [b"", b"{", b"types: 1", b'{"a": NaN}', b'"\xff"', b"[" * 100_000])
    def test_what_is_not_json_is_refused_as_that(self, tmp_path: Path, content: bytes) -> None:
        file = tmp_path / "mapping.json"
        file.write_bytes(content)
        with pytest.raises(ConfigError, match=r"is not JSON .*, expected a mapping file"):
            load(file)

    def test_the_command_line_ends_with_a_usage_error(self) -> None:
        assert ConfigError.exit_code == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.sampled_from(["", "type", "门"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["object_types", "attributes", "name", "values", "chinese_label"]), inner)
    ),
)


@given(JSON | st.fixed_dictionaries({"object_types": st.dictionaries(st.sampled_from("ab"), JSON)}))
def test_any_json_is_either_a_taxonomy_or_refused_with_its_file(tmp_path_factory, mapping: object) -> None:
    file = tmp_path_factory.getbasetemp() / "any.json"
    file.write_text(json.dumps(mapping), encoding="utf-8")
    try:
        loaded, refusal = load(file), None
    except ConfigError as error:
        loaded, refusal = built_in(), str(error)
    assert refusal is None or refusal.startswith(f"{file}: ")
    assert loaded.keys >= KEYS
    assert all(label == label.strip() != "" for label in loaded.umbrellas)
