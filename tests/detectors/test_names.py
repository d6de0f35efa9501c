"""Classes are categories by name: exactly, or but for case and spacing; never by a part."""

import pytest

from calipers.core.errors import ConfigError, InputError
from calipers.detectors.names import folded, listed, literal, match_classes, names_in, read_names
from calipers.detectors.targets import Category


def match(names, *categories):
    return match_classes(names, [Category(number, name) for number, name in enumerate(categories, 1)])


# Names in a model


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{0: 'person', 1: 'stop sign'}", ["person", "stop sign"]),
        ("{1: 'b', 0: 'a'}", ["a", "b"]),
        ("['a', \"it's\"]", ["a", "it's"]),
        ("['a\\ud800']", ["a\ufffd"]),
        ('{"0": "a"}', None),
        ("{0: 'a', 2: 'b'}", None),
        ("{0: 1}", None),
        ("{}", None),
        ("[]", None),
        ("person,car", None),
        ("__import__('os').getcwd()", None),
        ("{0: 'a'", None),
        ("[" * 100_000, None),
        ("-" * 500_000 + "1", None),
        ("'" + "a" * 1_000_001 + "'", None),
        ("", None),
    ],
)
def test_names_are_read_as_python_writes_them_and_nothing_is_run(text, names):
    if names is not None:
        assert names_in(text, "m.onnx") == names
        return
    with pytest.raises(
        InputError, match=r"^m\.onnx: names in the metadata are .*, expected \{0: 'name', 1: 'name', …\}$"
    ):
        names_in(text, "m.onnx")


def test_a_literal_that_is_none_is_nothing():
    assert (literal("[640, 640]"), literal("640 +"), literal("x")) == ([640, 640], None, None)


# Names in a file


def test_a_file_has_a_name_a_line(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("\ufeffperson\r\n stop sign \n\n\n", encoding="utf-8")
    assert read_names(str(path)) == ["person", "stop sign"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty, expected the name of a class on every line"),
        (b"\n\n", "is empty"),
        (b"a\n\nb\n", "line 2 is empty"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_file_that_has_not_is_an_error(tmp_path, content, message):
    path = tmp_path / "names.txt"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_names(str(path))


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.txt: cannot be read: No such file"):
        read_names(str(tmp_path / "none.txt"))


# Classes and categories


def test_a_name_is_matched_exactly():
    assert match(["cone", "Cone"], "cone", "Cone").categories == [1, 2]


@pytest.mark.parametrize("name", ["Traffic Cone", "traffic_cone", "TRAFFIC-CONE", " traffic  _cone", "traffic cone"])
def test_case_and_spacing_do_not_tell_names_apart(name):
    assert match([name], "traffic cone").categories == [1]
    assert match(["traffic cone"], name).categories == [1]


@pytest.mark.parametrize("name", ["cone", "traffic", "trafficcone", "traffic cones", "traffic cone 2", ""])
def test_a_part_of_a_name_is_not_enough(name):
    found = match([name, "sign"], "traffic cone", "sign")
    assert found == ([None, 2], [name], ["traffic cone"])


def test_several_classes_may_be_one_category():
    assert match(["car", "Car", "van"], "car") == ([1, 1, None], ["van"], [])


@pytest.mark.parametrize("categories", [("CONE", "cone"), ("Cone ", "cone"), ("co ne", "co_ne")])
def test_a_class_that_may_be_two_categories_is_an_error(categories):
    name = "Co-ne" if " " in categories[0].strip() else "Cone"
    with pytest.raises(InputError, match=rf"the class '{name}' of the model may be '.*' \(id 1\) or '.*' \(id 2\)"):
        match([name], *categories)


def test_two_categories_of_the_same_name_matter_only_when_a_class_has_it():
    assert match(["sign"], "cone", "cone", "sign").categories == [3]
    with pytest.raises(InputError, match=r"may be 'cone' \(id 1\) or 'cone' \(id 2\)"):
        match(["cone"], "cone", "cone")


def test_no_class_that_is_a_category_is_an_error_with_both_sides():
    with pytest.raises(InputError) as caught:
        match(["person", "car"], "cone", "sign")
    assert str(caught.value) == (
        "no class of the model is a category of the ground truth\nclasses: person, car\ncategories: cone, sign"
    )


def test_folding_keeps_other_scripts():
    assert (folded("Straße"), folded("交通_锥")) == ("strasse", "交通 锥")


def test_a_long_list_is_cut():
    assert listed(["a"] * 3, 5) == "a, a, a"
    assert listed(["a"] * 8, 5) == "a, a, a, a, a and 3 more"
