"""Names of YOLO's classes: the ways in which tools write them, and what is refused."""

import struct
import sys
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.suites.coco.formats.yolo_names import read_list, read_yaml

CAT_DOG = ["cat", "traffic light"]


@pytest.mark.parametrize(
    "text",
    [
        "names: [cat, traffic light]",
        "names: ['cat', 'traffic light']",
        'names: ["cat", "traffic light"]',
        "names: ['cat','traffic light',]",
        "names:   [ cat  ,  traffic light ]   # the classes",
        "names: [\n  cat,  # first\n  # second\n  traffic light\n]\nnc: 2",
        "names: ['cat',\n        'traffic light']",
        "names:\n  [cat, traffic light]".replace("\n  ", " "),
        "names: {0: cat, 1: traffic light}",
        "names: {1: traffic light, 0: cat}",
        'names: {"0":"cat", "1":"traffic light"}',
        "names:\n- cat\n- traffic light",
        "names:\n  - cat\n  - traffic light\n",
        "names:\n  - 'cat'  # a comment\n\n  # another\n  - \"traffic light\"\nnc: 2\n",
        "names:\n  0: cat\n  1: traffic light\n",
        "names: # classes\n  0:   cat\n  1: 'traffic light' # yes\n\nval: images/val\n",
        "names:\n    '0': cat\n    '1': traffic light",
        "'names': [cat, traffic light]",
        "\ufeffnames: [cat, traffic light]",
        "names: [cat, traffic light]\r\nnc: 2\r\n",
        "---\npath: .  # names: [no]\nroboflow:\n  names: 3\nnc: 2\nnames:\n  - cat\n  - traffic light\n",
        "download: |\n  from a import b\n  names = [1]\nnames:\n  0: cat\n  1: traffic light\n",
    ],
)
def test_names_are_read_as_tools_write_them(text):
    assert read_yaml(text.encode()) == CAT_DOG


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("names: ['it''s', \"a \\\"b\\\" \\u00e9\"]", ["it's", 'a "b" é']),
        ("names:\n- it's\n- c#\n- a:b\n- 猫", ["it's", "c#", "a:b", "猫"]),
        ("names: [c#, a:b, 3, yes, null]", ["c#", "a:b", "3", "yes", "null"]),
        ("names: ['a, b', '[c]', 'd: e', '#f']", ["a, b", "[c]", "d: e", "#f"]),
        ("names:\n- 'a: b'\n- \"# c\"", ["a: b", "# c"]),
        ("names: ['']", [""]),
        ("names: [a, a]", ["a", "a"]),
    ],
)
def test_quotes_and_marks_in_names(text, names):
    assert read_yaml(text.encode()) == names


def test_both_parsers_of_pyyaml_read_the_same(monkeypatch):
    texts = [b"names: ['it''s', 3, yes]", b"names:\n  1: b\n  0: a:b\nnc: 2", b"names:\n- c#\n- ''"]
    quick = [read_yaml(text) for text in texts]
    monkeypatch.delattr("yaml.CSafeLoader", raising=False)
    assert [read_yaml(text) for text in texts] == quick == [["it's", "3", "yes"], ["a:b", "b"], ["c#", ""]]


def test_tags_and_aliases_elsewhere_mean_nothing():
    assert read_yaml(b"a: &a images\nb: *a\nc: !!python/object/apply:os.system [ls]\nnames: [!!int cat]") == ["cat"]


def test_without_pyyaml_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(
        calipers.ConfigError, match=r"pip install 'calipers\[yolo\]', or write a name a line to classes"
    ):
        read_yaml(b"names: [cat]")
    assert read_yaml(b"path: .") is None
    (tmp_path / "labels").mkdir()
    (tmp_path / "images").mkdir()
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII5B", 13, b"IHDR", 64, 48, 8, 2, 0, 0, 0)
    (tmp_path / "images" / "a.png").write_bytes(header)
    (tmp_path / "labels" / "a.txt").write_text("0 0.5 0.5 0.1 0.1\n")
    (tmp_path / "data.yaml").write_text("names: [cat]\n")
    with pytest.raises(calipers.ConfigError, match=r"data\.yaml: YAML is read by PyYAML, which is missing"):
        calipers.coco(str(tmp_path), str(tmp_path))


def test_without_names_there_are_none():
    assert read_yaml(b"- names") is None
    assert read_yaml(b"names") is None
    assert read_yaml(b"nc: 2\npath: .\n") is None
    assert read_yaml(b"") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("names: cat", 'line 1: names: found "cat", expected names: [a, b]'),
        ("nc: 1\nnames: *other", "line 2: names: found an alias, expected"),
        ("names:", "line 1: names: found none, expected"),
        ("names: []", "line 1: names: found none, expected"),
        ("names: [cat", "line 2: found no YAML: "),
        ("names: [cat dog", "line 2: found no YAML: "),
        ("names: [a, [b]]", "line 1: names: found a list, expected"),
        ("names: [a, {0: b}]", "line 1: names: found a map, expected"),
        ("names: [a,, b]", "line 1: found no YAML: "),
        ("names: ['a' b]", "line 1: found no YAML: "),
        ("names: [a: b]", "line 1: names: found a map, expected"),
        ("names: {0: a, b}", "line 1: names: found nothing, expected"),
        ("names: {0 a}", "line 1: names: found nothing, expected"),
        ("names: {0: a, 2: b}", "line 1: names: found the numbers 0, 2, expected 0 to 1, each once"),
        ("names: {0: a, 0: b}", "line 1: names: found the numbers 0, 0, expected 0 to 1, each once"),
        ("names: {cat: 0}", "line 1: names: found the numbers cat, expected 0 to 0, each once"),
        ("names:\n  1: a\n  2: b", "line 1: names: found the numbers 1, 2, expected 0 to 1, each once"),
        ("names:\n  - a\n  1: b", "line 3: found no YAML: "),
        ("names:\n  - a\n    - b", 'line 2: names: found "a - b", expected'),
        ("names:\n  cat: 0", "line 1: names: found the numbers cat, expected 0 to 0, each once"),
        ("names:\n  - name: cat", "line 2: names: found a map, expected"),
        ("names:\n  - |\n    cat", 'line 2: names: found "cat", expected'),
        ("names:\n  - &a cat", "line 2: names: found &a, expected"),
        ("names:\n  - 'cat", "line 2: found no YAML: "),
        ("names:\n  -\n", "line 2: names: found nothing, expected"),
        ('names: ["\\q"]', "line 1: found no YAML: found unknown escape character"),
        ("names: [a]\nnames: [b]", "line 2: names is there twice, expected once"),
        ("path: .\npath: .\nnames: [a]", "line 2: path is there twice, expected once"),
        ("names: [a]\n---\nnames: [b]", "line 2: found a second document, expected one"),
        ("a: &a\n  names: [b]\n<<: *a", "line 3: found keys of another map (<<), expected"),
        ("names: &a [b]", "line 1: names: found a list, expected"),
        ("names: [a, *b]", "line 1: names: found an alias, expected"),
        ("a: " + "[" * 30 + "names", "line 1: found more than 20 levels, expected"),
        ("names: [a\x00]", "found no YAML: "),
        ("names: [a]\nnc: 2", "line 2: nc: found 2, expected 1, as there are names"),
        ("kpt_shape: [17, 3]\nnames: [a]", "line 1: kpt_shape: found keypoints, expected boxes or polygons"),
    ],
)
def test_what_is_not_a_list_of_names_is_refused_with_its_line(text, problem):
    with pytest.raises(calipers.InputError) as raised:
        read_yaml(text.encode())
    assert str(raised.value).startswith(problem)


def test_a_name_a_line():
    assert read_list("\ufeffcat\r\n traffic light \r\n\r\n".encode()) == CAT_DOG
    assert read_list(b"") == []
    with pytest.raises(calipers.InputError, match="line 2: found nothing, expected the name of class 1"):
        read_list(b"cat\n\ndog")
    with pytest.raises(calipers.InputError, match="not UTF-8: byte 0xff at position 3"):
        read_list(b"cat\xff")


def test_too_much_is_refused():
    with pytest.raises(calipers.InputError, match="expected at most 100,000"):
        read_yaml(b"names: [" + b"a," * 100_001 + b"]")
    with pytest.raises(calipers.InputError, match="expected at most 10,000,000"):
        read_list(b"a" * 10_000_001)


@pytest.mark.parametrize(
    "text",
    [
        "names: [" + " " * 100_000,
        "names: ['" + "''" * 100_000,
        "names: [a" + " #" * 100_000,
        "names:\n- a" + " " * 100_000 + "x: y",
        "names:\n" + "- a\n" * 90_000 + "- [",
        "'" * 100_000,
        "names: [" + "\n#" * 100_000,
        "names: " + "[" * 100_000,
        "names: " + "{a: " * 100_000,
        "names:\n" + "- " * 100_000,
        "a: &a [x, x]\n" + "".join(f"b{k}: &b{k} [*a, *a]\n" for k in range(999)) + "names: [*b99]",
        'names: ["' + "\\" * 100_001,
    ],
)
def test_texts_that_mean_harm_take_no_time(text):
    start = time.thread_time()
    with suppress(calipers.InputError):
        read_yaml(text.encode())
    assert time.thread_time() - start < 20


PLAIN = st.text("abcXYZ019 _-+./éé猫", min_size=1).map(str.strip).filter(lambda text: text and text[0] not in "-?")


@given(st.lists(PLAIN, min_size=1, max_size=5))
def test_what_is_written_is_read_again(names):
    listed = "".join(f"  - {name}\n" for name in names)
    mapped = "".join(f"  {number}: {name}\n" for number, name in enumerate(names))
    for text in (f"[{', '.join(names)}]", str(names), f"\n{listed}", f"\n{mapped}"):
        assert read_yaml(f"path: .\nnames: {text}\nnc: {len(names)}\n".encode()) == names


@given(st.text("names: [],{}'\"#-\n ab01\\&*", max_size=80))
def test_any_text_is_read_or_refused(text):
    with suppress(calipers.InputError):
        read_yaml(b"names:" + text.encode())
