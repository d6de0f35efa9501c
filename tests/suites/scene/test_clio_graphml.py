"""Clio's GraphML: nodes to plain objects, texts that are not numbers, and documents that mean harm."""

import time
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.kernels.scan.boxes import BoxColumns
from calipers.suites.scene.formats import clio_graphml
from calipers.suites.scene.formats.clio_graphml import plain_objects
from calipers.suites.scene.formats.plain import ObjectWithoutBox

LAMP = {"node_type": "object", "name": "find the lamp", "position": "[1.0, 2.0, 3.0]", "bbox_dim": "[0.5, 0.5, 1.5]"}

WRITTEN = b"""<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d6" for="edge" attr.name="weight" attr.type="double" />
  <key id="d5" for="node" attr.name="bbox_orientation" attr.type="string" />
  <key id="d4" for="node" attr.name="bbox_dim" attr.type="string" />
  <key id="d3" for="node" attr.name="position" attr.type="string" />
  <key id="d2" for="node" attr.name="obj_id" attr.type="long" />
  <key id="d1" for="node" attr.name="name" attr.type="string" />
  <key id="d0" for="node" attr.name="node_type" attr.type="string" />
  <graph edgedefault="undirected">
    <node id="room">
      <data key="d0">place</data>
      <data key="d3">[0, 0, 0]</data>
    </node>
    <node id="n1">
      <data key="d0">object</data>
      <data key="d1">find the red chair</data>
      <data key="d2">12</data>
      <data key="d3">[1.5, -2.0, 4e-1]</data>
      <data key="d4">[0.5, 0.6, 0.9]</data>
      <data key="d5">[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]</data>
    </node>
    <edge source="room" target="n1">
      <data key="d6">1.0</data>
    </edge>
  </graph>
</graphml>
"""


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def node(texts: dict, name: str = "n0") -> str:
    return f'<node id="{name}">' + "".join(f'<data key="{k}">{escaped(v)}</data>' for k, v in texts.items()) + "</node>"


def convert(*texts: dict) -> list:
    nodes = "".join(node(each, f"n{place}") for place, each in enumerate(texts))
    return plain_objects(f"<graphml><graph>{nodes}</graph></graphml>".encode()).objects


def lamp(**other) -> dict:
    """A plain object, or a broken one, of a lamp with other data; None takes some away."""
    [item] = convert({name: text for name, text in (LAMP | other).items() if text is not None})
    return item


def problem(**other) -> str:
    item = lamp(**other)
    assert type(item) is ObjectWithoutBox
    assert "center" not in item
    return item.problem


def refusal(document: bytes) -> str:
    with pytest.raises(calipers.InputError) as raised:
        plain_objects(document)
    assert type(raised.value) is calipers.InputError
    return str(raised.value)


# What a document says


def test_a_document_of_networkx_gives_its_objects():
    assert plain_objects(WRITTEN).objects == [
        {
            "id": "12",
            "label": "red chair",
            "center": [1.5, -2.0, 0.4],
            "size": [0.5, 0.6, 0.9],
            "rotation": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        }
    ]


def test_places_are_named_by_nodes():
    where = plain_objects(WRITTEN).where
    assert [where(0, field) for field in ("center", "size", "rotation", "label", "score", "id", "")] == [
        "node n1: position",
        "node n1: bbox_dim",
        "node n1: bbox_orientation",
        "node n1: name",
        "node n1: score",
        "node n1: obj_id",
        "node n1",
    ]
    document = b"<graphml><node id='a'/><node><data key='type'>object</data></node></graphml>"
    assert [plain_objects(document).where(0, field) for field in ("id", "size")] == ["nodes[1]", "nodes[1]: bbox_dim"]


def test_type_is_another_name_of_node_type():
    assert lamp(node_type=None, type="object")["label"] == "lamp"
    assert convert(LAMP | {"node_type": "place"}, {"name": "a"}) == []
    assert convert(LAMP | {"node_type": " object\n"})[0]["label"] == "lamp"


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("find the lamp", "lamp"),
        ("Find The Lamp", "Lamp"),
        ("FIND THE\n  lamp ", "lamp"),
        ("lamp", "lamp"),
        ("a lamp to find the door", "a lamp to find the door"),
        ("find the find the lamp", "find the lamp"),
        ("find them", "find them"),
        ("寻找 灯", "寻找 灯"),
        ("", None),
        (None, None),
    ],
)
def test_the_label_is_the_name_without_the_task(name, label):
    assert lamp(name=name)["label"] == label


def test_without_obj_id_the_node_gives_the_id():
    assert lamp()["id"] == "n0"
    assert lamp(obj_id="7")["id"] == "7"
    assert lamp(obj_id=" ")["id"] == "n0"


def test_without_orientation_a_box_is_upright():
    assert lamp()["rotation"] is None
    assert lamp(bbox_orientation="")["rotation"] is None


@pytest.mark.parametrize(
    "text",
    [
        "[1.0, 2.0, 3.0]",
        "(1, 2, 3)",
        "[1. 2. 3.]",
        "[ 1.  2.\n 3. ]",
        "  [1,2,3]  ",
        "(1e0, +2, .3E+1)",
        "[1, 2, 3,]",
    ],
)
def test_numbers_are_read_as_python_and_numpy_write_them(text):
    assert lamp(position=text)["center"] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "text",
    [
        "[[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "((0, -1, 0), (1, 0, 0), (0, 0, 1))",
        "[[ 0. -1.  0.]\n [ 1.  0.  0.]\n [ 0.  0.  1.]]",
        "[(0, -1, 0), (1, 0, 0), (0, 0, 1)]",
    ],
)
def test_rows_are_read_too(text):
    assert lamp(bbox_orientation=text)["rotation"] == [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FINITE, min_size=3, max_size=3))
def test_what_python_writes_is_read_to_the_bit(numbers):
    assert lamp(position=str(numbers))["center"] == numbers
    assert lamp(position=str(tuple(numbers)))["center"] == numbers


def test_score_and_similarity_are_read_where_they_are():
    item = lamp(score="0.75", similarity='{"lamp": 0.9, "door": 0.1}')
    assert (item["score"], item["similarity"]) == (0.75, {"lamp": 0.9, "door": 0.1})
    assert not {"score", "similarity"} & lamp().keys()
    item = lamp(score="high", similarity="{")
    assert (item["score"], item["similarity"]) == ("high", "{")
    columns = BoxColumns()
    assert columns.add_scene([item, lamp(similarity="{")], False) == -1
    assert list(columns.reason) == [6, 7]  # of score, of similarity


def test_a_default_stands_for_data_that_are_not_there():
    keys = (
        '<key id="d0" for="node" attr.name="node_type"><default>object</default></key>'
        '<key id="d1" for="edge" attr.name="name"><default>edge</default></key>'
    )
    document = f"<graphml>{keys}<node id='a'/><node id='b'><data key='d0'>place</data></node></graphml>"
    assert [(item["id"], item["label"]) for item in plain_objects(document.encode()).objects] == [("a", None)]


def test_prefixes_and_nested_graphs_do_not_matter():
    inner = node(LAMP, "inner").replace("<node", "<g:node").replace("</node", "</g:node")
    document = (
        f'<g:graphml xmlns:g="x"><g:graph><g:node id="outer"><g:graph>{inner}</g:graph></g:node></g:graph></g:graphml>'
    )
    assert [item["id"] for item in plain_objects(document.encode()).objects] == ["inner"]


def test_only_text_directly_in_data_counts():
    document = node(LAMP).replace("find the lamp", "find <b>not</b>the <![CDATA[lamp]]><!-- no -->")
    [item] = plain_objects(f"<graphml>{document}</graphml>".encode()).objects
    assert item["label"] == "lamp"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "cp1252"])
def test_a_document_may_say_how_it_is_encoded(encoding):
    says = encoding.removesuffix("-sig")
    document = f'<?xml version="1.0" encoding="{says}"?><graphml>{node(LAMP | {"name": "Tür"})}</graphml>'
    [item] = plain_objects(document.encode(encoding)).objects
    assert item["label"] == "Tür"


# Objects whose box cannot be had


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        "[1, 2, 3, 4]",
        "[1,, 2, 3]",
        "[1, 2, 3",
        "[1, 2, 3)",
        "1, 2, 3",
        "[nan, 0, 0]",
        "[1, 2, inf]",
        "[1, 2, '3']",
        "[1_0, 2, 3]",
        "[0x1, 2, 3]",
        "[1, 2, ３]",
        "[[1, 2, 3]]",
        "[1, 2, 3] + [4]",
        "__import__('os').abort()",
        "[1, 2, __import__('os').abort()]",
        "None",
        "[" * 100_000,
        "[" + "1" * 2000 + ", 2, 3]",
    ],
)
def test_what_is_not_three_numbers_is_a_problem(text):
    start = time.thread_time()
    assert problem(position=text).startswith("position: found ")
    assert problem(bbox_dim=text).endswith("expected three numbers like [1.0, 2.0, 3.0]")
    assert problem(bbox_orientation=text).endswith("expected three rows of three numbers")
    assert time.thread_time() - start < 20


def test_an_orientation_that_cannot_be_read_is_not_taken_for_upright():
    expected = 'bbox_orientation: found "[[1, 0, 0], [0, 1, 0]]", expected three rows of three numbers'
    assert problem(bbox_orientation="[[1, 0, 0], [0, 1, 0]]") == expected


def test_what_is_known_of_a_broken_object_is_kept():
    item = lamp(position=None, score="0.5")
    assert item == {"id": "n0", "label": "lamp", "score": 0.5}
    assert item.problem == "position: missing, expected three numbers like [1.0, 2.0, 3.0]"


def test_a_number_beyond_floats_is_left_to_be_checked_with_all_others():
    assert lamp(position="[1e999, 0, 0]")["center"] == [float("inf"), 0.0, 0.0]


def test_data_of_one_name_given_twice_are_a_problem():
    document = node(LAMP).replace("</node>", '<data key="d9">[9, 9, 9]</data></node>')
    key = '<key id="d9" for="node" attr.name="position"/>'
    [item] = plain_objects(f"<graphml>{key}{document}</graphml>".encode()).objects
    assert item.problem == "position is there twice, expected each once"


# Documents that cannot be read


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b"", 'line 1: not XML: no element found, found around ""'),
        (b"chair", 'line 1: not XML: syntax error, found around "chair"'),
        (b"<graphml>\n<node>\n", 'line 3: not XML: no element found, found around "<graphml>\\n<node>\\n"'),
        (b"<graphml>\r<a></b>", "line 2: not XML: mismatched tag"),
        (b"<graphml>&nbsp;</graphml>", "line 1: not XML: undefined entity"),
        (b"<graphml>\xff</graphml>", "line 1: not XML: not well-formed (invalid token)"),
        (b"<graphml/><graphml/>", "line 1: not XML: junk after document element"),
        (b"<?xml version='1.0' encoding='klingon'?><graphml/>", "line 1: not XML: unknown encoding: klingon"),
        (b"<?xml version='1.0' encoding='rot13'?><graphml/>", "line 1: not XML: 'rot13' is not a text encoding"),
        (b"<?xml version='1.0' encoding='gbk'?><graphml/>", "line 1: not XML: multi-byte encodings are not supported"),
        (b"<html>\n</html>", "line 1: found <html>, expected <graphml>"),
        (b"<graphml/>", "found GraphML without any node, expected a node for each object"),
    ],
)
def test_what_is_not_graphml_is_refused_with_its_line(document, expected):
    assert refusal(document).startswith(expected)


LAUGHS = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 20))
BOMBS = {
    "billion laughs": f"<!DOCTYPE graphml [{LAUGHS}]>\n<graphml><node id='&a19;'>&a19;</node></graphml>",
    "quadratic blowup": f'<!DOCTYPE graphml [<!ENTITY a "{"a" * 100_000}">]><graphml>{"&a;" * 100_000}</graphml>',
    "a file": '<!DOCTYPE graphml [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>',
    "an address": '<!DOCTYPE graphml SYSTEM "http://localhost:1/a.dtd"><graphml/>',
    "parameters": "<!DOCTYPE graphml [<!ENTITY % a \"<!ENTITY b 'c'>\"> %a;]><graphml>&b;</graphml>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_documents_with_entities_are_refused_at_once(name):
    document = b"<?xml version='1.0'?>\n" + BOMBS[name].encode()
    tracemalloc.start()
    start = time.thread_time()
    try:
        found = refusal(document)
        assert time.thread_time() - start < 20
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert found == "line 2: found a DOCTYPE, expected GraphML without one: entities are not read"


def test_depth_has_a_limit():
    assert refusal(b"<graphml>\n" + b"<a>" * 1_000_000) == "line 2: found elements nested more than 100 deep"
    inside = b"<a>" * 99 + b"</a>" * 99
    assert plain_objects(b"<graphml><node/>" + inside + b"</graphml>").objects == []


def test_size_has_a_limit(monkeypatch):
    monkeypatch.setattr(clio_graphml, "MAX_DOCUMENT_BYTES", 10)
    assert refusal(b"<graphml>" * 2) == "found 18 bytes of XML, expected at most 10"


def test_many_data_and_attributes_take_time_in_proportion():
    start = time.thread_time()
    attributes = " ".join(f'a{place}=""' for place in range(10_000))
    document = f"<graphml><node {attributes}>{'<data/>' * 20_000}</node></graphml>"
    assert plain_objects(document.encode()).objects == []
    assert time.thread_time() - start < 20


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tail):
    cut = len(tail) * 7 % len(WRITTEN)
    with suppress(calipers.InputError):
        plain_objects(WRITTEN[:cut] + tail + WRITTEN[cut:])


def test_defaults_are_kept_once_however_many_nodes_there_are():
    keys = "".join(f'<key id="k{k}" for="node" attr.name="a{k}"><default>x</default></key>' for k in range(2000))
    nodes = "".join(f'<node id="{k}"/>' for k in range(20000))
    tracemalloc.start()
    plain_objects(f"<graphml>{keys}<graph>{nodes}</graph></graphml>".encode())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100e6
