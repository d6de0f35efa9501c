"""Pascal VOC: documents to rows of COCO, objects that are wrong, and documents that mean harm."""

import random
import time
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calipers
from calipers.suites.coco.formats import voc
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.voc import looks_like

from ...profiles import seeds
from .converters import read_format

WRITTEN = """<?xml version="1.0"?>
<annotation verified="yes">
  <folder>VOC2007</folder>
  <filename>000005.jpg</filename>
  <source><database>The VOC2007 Database</database></source>
  <size><width>500</width><height>375</height><depth>3</depth></size>
  <segmented>0</segmented>
  <object>
    <name>chair</name>
    <pose>Rear</pose>
    <truncated>0</truncated>
    <difficult>0</difficult>
    <bndbox><xmin>263</xmin><ymin>211</ymin><xmax>324</xmax><ymax>339</ymax></bndbox>
    <part><name>leg</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox></part>
  </object>
  <object>
    <name>bottle</name>
    <difficult>1</difficult>
    <bndbox><xmin>5</xmin><ymin>244.5</ymin><xmax>67</xmax><ymax>374</ymax></bndbox>
  </object>
</annotation>
"""

KNOWN = ImagesAndCategories(
    [{"id": 7, "file_name": "a.jpg"}, {"id": 9, "file_name": "b.jpg"}],
    [{"id": 18, "name": "dog"}, {"id": 17, "name": "cat"}],
)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def thing(name="cat", box=(1, 2, 5, 8), more=""):
    corners = "".join(
        f"<{tag}>{number}</{tag}>" for tag, number in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    )
    return f"<object><name>{escaped(name)}</name>{more}<bndbox>{corners}</bndbox></object>"


def annotation(*things, name="a.jpg", size="<width>10</width><height>20</height>"):
    return f"<annotation><filename>{escaped(name)}</filename><size>{size}</size>{''.join(things)}</annotation>"


@pytest.fixture
def make(tmp_path):
    """A folder with these documents."""

    def call(files):
        root = tmp_path / f"set{len(list(tmp_path.iterdir()))}"
        root.mkdir()
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(root)

    return call


def refusal(folder, known=None):
    with pytest.raises(calipers.InputError) as raised:
        read_format("voc", folder, known)
    assert type(raised.value) is calipers.InputError
    return str(raised.value).replace(folder, "")


# Ground truth


def test_a_document_of_the_challenge(make):
    folder = make({"Annotations/000005.xml": WRITTEN})
    found = read_format("voc", folder, None)
    assert found.images == [{"id": 1, "file_name": "000005.jpg", "width": 500, "height": 375}]
    assert found.categories == [{"id": 1, "name": "bottle"}, {"id": 2, "name": "chair"}]
    assert found.rows == [
        # 324 - 263 and 339 - 211, without the 1 of the first challenge
        {"id": 1, "image_id": 1, "category_id": 2, "iscrowd": 0, "bbox": [263, 211, 61, 128]},
        {"id": 2, "image_id": 1, "category_id": 1, "iscrowd": 1, "bbox": [5, 244.5, 62, 129.5]},
    ]
    assert found.places == ["Annotations/000005.xml: object 1", "Annotations/000005.xml: object 2"]
    assert found.warnings == [
        f"{folder}: difficult objects are neither demanded nor punished: they are crowd regions here (1)"
    ]
    assert (found.problems, found.inputs[0].path, found.inputs[0].records) == ({}, folder, 1)


def test_one_file_is_enough(make):
    path = make({"a.xml": annotation(thing())}) + "/a.xml"
    found = read_format("voc", path, None)
    assert [row["bbox"] for row in found.rows] == [[1, 2, 4, 6]]
    assert found.places == ["object 1"]
    assert found.images[0]["file_name"] == "a.jpg"


def test_corners_may_be_given_in_any_order(make):
    corners = [(1, 2, 5, 8), (5, 8, 1, 2), (1, 8, 5, 2), (5, 2, 1, 8)]
    found = read_format("voc", make({"a.xml": annotation(*(thing(box=box) for box in corners))}), None)
    assert [row["bbox"] for row in found.rows] == [[1, 2, 4, 6]] * 4


@pytest.mark.parametrize("seed", seeds(5))
def test_boxes_written_and_read_are_the_same(make, seed):
    numbers = random.Random(seed)
    rows = []
    for _ in range(20):
        x, y, w, h = (numbers.choice((numbers.random() * 100, numbers.randrange(100))) for _ in range(4))
        rows.append((numbers.choice(["a", "b"]), [x, y, w, h]))
    things = [thing(name, numbers.choice([(x, y, x + w, y + h), (x + w, y + h, x, y)])) for name, (x, y, w, h) in rows]
    found = read_format("voc", make({"a.xml": annotation(*things)}), None)
    for row, (name, box) in zip(found.rows, rows, strict=True):
        assert row["bbox"] == pytest.approx(box, abs=1e-9)
        assert found.categories[row["category_id"] - 1]["name"] == name


def test_images_and_classes_are_numbered_in_the_order_of_their_names(make):
    files = {
        "1.xml": annotation(thing("b"), name="z.jpg"),
        "2.xml": annotation(thing("a"), name="y.jpg"),
        "3.xml": annotation(name="x.jpg"),
        "sub/4.xml": annotation(thing("C"), name="x.jpg"),
    }
    found = read_format("voc", make(files), None)
    assert [image["file_name"] for image in found.images] == ["sub/x.jpg", "x.jpg", "y.jpg", "z.jpg"]
    assert [image["id"] for image in found.images] == [1, 2, 3, 4]
    assert [category["name"] for category in found.categories] == ["C", "a", "b"]
    assert [(row["image_id"], row["category_id"]) for row in found.rows] == [(4, 3), (3, 2), (1, 1)]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("b.jpg", "b.jpg"),
        ("pictures\\b.jpg", "pictures/b.jpg"),
        ("../pictures/b.jpg", "pictures/b.jpg"),
        ("C:\\pictures\\b.jpg", "pictures/b.jpg"),
        ("/pictures/b.jpg", "pictures/b.jpg"),
        (" b.jpg\n", "b.jpg"),
        ("", "a"),
    ],
)
def test_an_image_is_named_by_its_document(make, given, name):
    assert read_format("voc", make({"a.xml": annotation(name=given)}), None).images[0]["file_name"] == name


@pytest.mark.parametrize(
    ("text", "crowd"),
    [("0", 0), ("1", 1), ("", 0), (" 1\n", 1), ("True", 1), ("false", 0), ("Unspecified", 0)],
)
def test_difficult_objects_are_crowd_regions(make, text, crowd):
    more = f"<difficult>{text}</difficult>"
    assert read_format("voc", make({"a.xml": annotation(thing(more=more))}), None).rows[0]["iscrowd"] == crowd


def test_polygons_are_not_read_and_this_is_said(make):
    more = "<polygon><x1>1</x1><y1>1</y1></polygon>"
    folder = make({"a.xml": annotation(thing(more=more), thing()), "b.xml": annotation(thing(more=more), name="b.jpg")})
    found = read_format("voc", folder, None)
    assert not any("segmentation" in row for row in found.rows)
    assert found.warnings == [f"{folder}: polygons of Pascal VOC objects were not read, only their boxes (2)"]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (
            annotation(thing(), "<object><name>a</name></object>"),
            ": object 2: bndbox: missing, expected <xmin>, <ymin>",
        ),
        (annotation(thing(name="")), ": object 1: name: missing, expected the name of its class"),
        (annotation("<object/>"), ": object 1: name: missing, expected the name of its class"),
        (annotation(thing(box=(1, "x", 3, 4))), ': object 1: bndbox.ymin: found "x", expected a number'),
        (annotation(thing(box=(1, "nan", 3, 4))), ': object 1: bndbox.ymin: found "nan", expected a number'),
        (annotation(thing(box=(1, "1e999", 3, 4))), ': object 1: bndbox.ymin: found "1e999", expected a number'),
        (annotation(thing(box=(1, "1_0", 3, 4))), ': object 1: bndbox.ymin: found "1_0", expected a number'),
        (annotation(thing(box=(1, "５", 3, 4))), ': object 1: bndbox.ymin: found "５", expected a number'),
        (annotation(thing(box=(1, "", 3, 4))), ': object 1: bndbox.ymin: found "", expected a number'),
        (annotation(thing().replace("<xmax>5</xmax>", "")), ": object 1: bndbox.xmax: missing, expected a number"),
        (annotation(thing(more="<bndbox/>")), ": object 1: bndbox: there 2 times, expected once"),
        (
            annotation(thing().replace("<xmax>5</xmax>", "<xmax>5</xmax><xmax>6</xmax>")),
            ": object 1: bndbox.xmax: there 2 times, expected once",
        ),
        (annotation(thing(more="<difficult>2</difficult>")), ': object 1: difficult: found "2", expected 0 or 1'),
        (annotation(size="<width>1</width>"), ": size.height: missing, expected a number"),
        (annotation(size="<width>x</width><height>1</height>"), ': size.width: found "x", expected a number'),
        (annotation(size="<width>0</width><height>1</height>"), ": size: found 0 x 1, expected positive numbers"),
        ("<annotation><object/></annotation>", ": object 1: name: missing"),
        (annotation().replace("</annotation>", "<size><width>1</width></size></annotation>"), ": size: there 2 times"),
        ("<html/>", ": found <html>, expected <annotation>"),
        ("", ": line 1: not XML: no element found"),
        ("<annotation>\n<a></b>", ": line 2: not XML: mismatched tag"),
        ('{"a": 1}', ": line 1: not XML: not well-formed"),
    ],
)
def test_what_is_wrong_with_ground_truth_is_an_error_with_its_place(make, document, problem):
    assert refusal(make({"a.xml": document})).startswith(f"/a.xml{problem}")


def test_two_documents_of_one_image_are_an_error_that_names_both(make):
    folder = make({"a.xml": annotation(), "b.xml": annotation()})
    assert refusal(folder) == '/a.xml and /b.xml: two files for the image "a.jpg"'


def test_folders_without_documents_are_refused(make):
    folder = make({"a.txt": ""})
    assert refusal(folder) == ": no annotations in this folder, expected files that end in .xml"
    assert refusal(f"{folder}/b.xml") == ": cannot be read: No such file or directory"


def test_labels_are_only_text(make):
    name = "=1 </script> & \u2028 ${x} 猫"
    assert read_format("voc", make({"a.xml": annotation(thing(name))}), None).categories == [{"id": 1, "name": name}]


def test_the_digest_is_of_the_documents(make):
    first, same, other = (make({"a.xml": annotation(thing()) + tail}) for tail in ("", "", "\n"))
    digests = [read_format("voc", folder, None).inputs[0].sha256 for folder in (first, same, other)]
    assert digests[0] == digests[1] != digests[2]


# Predictions


@pytest.mark.parametrize("name", ["score", "confidence"])
def test_ground_truth_with_scores_may_be_the_predictions(make, name):
    folder = make({"a.xml": annotation(thing(more=f"<{name}>0.9</{name}>"), thing("dog"))})
    assert read_format("voc", folder, None).warnings == [
        f"{folder}: objects of the ground truth have scores: are the sides swapped? (1)"
    ]


@pytest.mark.parametrize("size", ["", "<size/>", "<size></size>"])
def test_boxes_need_no_size_of_the_image(make, size):
    document = f"<annotation><filename>a.jpg</filename>{size}{thing()}</annotation>"
    folder = make({"a.xml": document})
    assert read_format("voc", folder, None).images == [{"id": 1, "file_name": "a.jpg"}]
    assert calipers.coco(folder, folder, bootstrap=0)["sweep"]["primary"]["f1"] == 1.0


def test_predictions_may_be_none(make):
    folder = make({})
    found = read_format("voc", folder, KNOWN)
    assert (found.rows, found.warnings) == ([], [f"{folder}: no *.xml in this folder, so there are no predictions"])


def test_predictions_have_scores(make):
    things = [thing("cat", more="<score>0.9</score>"), thing("dog", more="<confidence>8e-1</confidence>"), thing("cat")]
    found = read_format(
        "voc", make({"x.xml": annotation(*things, thing("cat", more="<difficult>1</difficult>"))}), KNOWN
    )
    assert [row.get("score") for row in found.rows] == [0.9, 0.8, None, None]
    assert found.rows[0] == {"image_id": 7, "category_id": 17, "score": 0.9, "bbox": [1, 2, 4, 6]}
    assert [row["category_id"] for row in found.rows] == [17, 18, 17, 17]
    assert (found.images, found.categories, found.warnings) == (KNOWN.images, KNOWN.categories, [])


def test_predictions_need_no_size(make):
    assert len(read_format("voc", make({"a.xml": f"<annotation>{thing()}</annotation>"}), KNOWN).rows) == 1


@pytest.mark.parametrize(
    ("text", "words", "score"),
    [
        (thing(box=("nan", 2, 3, 4), more="<score>0.5</score>"), "bbox: not finite", 0.5),
        (thing(box=(1, "-Infinity", 3, 4)), "bbox: not finite", None),
        (thing(box=(1, 2, 3, "1e999")), "bbox: not finite", None),
        (thing(box=(1, 2, 3, "x"), more="<score>0.5</score>"), "bbox: not 4 numbers", 0.5),
        (thing(more="<score>nan</score>"), "score: not finite", None),
        (thing().replace("<xmax>5</xmax>", ""), "bbox: not 4 numbers", None),
        ("<object><name>cat</name><score>0.5</score></object>", "bbox: missing", 0.5),
        (thing(more="<score>high</score>"), "score: not a number", None),
    ],
)
def test_a_malformed_prediction_keeps_its_row(make, text, words, score):
    found = read_format("voc", make({"a.xml": annotation(text, thing("dog"))}), KNOWN)
    expected = {"image_id": 7, "category_id": 17, "bbox": None} | ({} if score is None else {"score": score})
    assert found.rows[0] == expected
    assert found.problems == {0: words}
    assert found.rows[1]["bbox"] == [1, 2, 4, 6]


def test_the_image_is_the_one_that_is_named_else_the_one_called_like_the_document(make):
    found = read_format("voc", make({"b.xml": annotation(thing(), name="a.png")}), KNOWN)
    assert found.rows[0]["image_id"] == 7
    found = read_format("voc", make({"b.xml": annotation(thing(), name="unknown.jpg")}), KNOWN)
    assert found.rows[0]["image_id"] == 9


def test_what_the_ground_truth_does_not_know_is_an_error(make):
    folder = make({"y.xml": annotation(thing(), name="x.jpg")})
    assert refusal(folder, KNOWN) == (
        '/y.xml: no image of the ground truth is called "x.jpg" nor "y", expected the name of one, as "a.jpg"'
    )
    folder = make({"a.xml": annotation(thing(), thing("Cat"))})
    assert refusal(folder, KNOWN) == (
        '/a.xml: object 2: found the class "Cat", expected one of the ground truth\'s: "dog", "cat"; '
        "one without objects can be added to the categories of COCO, which calipers convert writes"
    )
    folder = make({"a.xml": annotation(), "sub/a.xml": annotation()})
    assert refusal(folder, KNOWN) == '/a.xml and /sub/a.xml: two files for the image "a.jpg"'


# Documents that mean harm

LAUGHS = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 20))
BOMBS = {
    "billion laughs": f"<!DOCTYPE annotation [{LAUGHS}]>\n<annotation><filename>&a19;</filename></annotation>",
    "quadratic blowup": f'<!DOCTYPE a [<!ENTITY a "{"a" * 100_000}">]><annotation>{"&a;" * 100_000}</annotation>',
    "a file": '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><annotation><filename>&a;</filename></annotation>',
    "an address": '<!DOCTYPE a SYSTEM "http://localhost:1/a.dtd"><annotation/>',
    "parameters": "<!DOCTYPE a [<!ENTITY % a \"<!ENTITY b 'c'>\"> %a;]><annotation>&b;</annotation>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_documents_with_entities_are_refused_at_once(make, name):
    folder = make({"a.xml": "<?xml version='1.0'?>\n" + BOMBS[name]})
    tracemalloc.start()
    start = time.thread_time()
    try:
        found = refusal(folder)
        assert time.thread_time() - start < 20
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert found == "/a.xml: line 2: found a DOCTYPE, expected Pascal VOC without one: entities are not read"


def test_depth_and_size_have_limits(make, monkeypatch):
    folder = make({"a.xml": "<annotation>\n" + "<a>" * 100_000})
    assert refusal(folder) == "/a.xml: line 2: found elements nested more than 100 deep"
    monkeypatch.setattr(voc, "MAX_DOCUMENT_BYTES", 10)
    assert refusal(folder) == "/a.xml: found 300,013 bytes of XML, expected at most 10"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(tmp_path, tail):
    data = WRITTEN.encode()
    cut = len(tail) * 7 % len(data)
    (tmp_path / "a.xml").write_bytes(data[:cut] + tail + data[cut:])
    with suppress(calipers.InputError):
        read_format("voc", str(tmp_path / "a.xml"), None)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.xml": WRITTEN}, True),
        ({"Annotations/a.xml": WRITTEN, "a.txt": "0 1 1 1 1"}, True),
        ({"a.xml": "<graphml/>"}, False),
        ({"a.txt": WRITTEN}, False),
        ({}, False),
    ],
)
def test_whether_it_looks_like_it(make, files, expected):
    folder = make(files)
    assert looks_like(folder) is expected
    assert all(looks_like(f"{folder}/{name}") is (expected and name.endswith(".xml")) for name in files)
    assert not looks_like(f"{folder}/b.xml")
