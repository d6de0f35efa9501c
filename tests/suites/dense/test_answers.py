"""Answers in the words of each family, with numbers worked out by hand."""

import time

import pytest

from calipers import ConfigError, InputError, dense, parse_objects

from ...profiles import length

MOST_CPU_SEC = 60  # far more than it takes, far less than work that grows with the square of the length


def box(points, desc="", kind="bbox_2d"):
    return {"type": kind, "points": points, "desc": desc}


def read(text, family, **size):
    parsed = parse_objects(text, family, **size)
    assert parsed.family == family
    return parsed.status, [
        item | {"points": pytest.approx(item["points"])} if isinstance(item, dict) else item for item in parsed.objects
    ]


TWO_PATCHES = "<patch_index_0000><patch_index_0033></delimiter_of_multi_objects/><patch_index_1023><patch_index_1023>"
CLEAN = [
    # x and y change places
    ("gemini", '[{"box_2d": [100, 200, 300, 400], "label": "cat"}]', [box([200, 100, 400, 300], "cat")]),
    ("gemini", '```json\n[{"point": [10, 20], "label": "nose"}]\n```', [box([20, 10, 20, 10], "nose")]),
    # 256 / 1024 = 1/4, 512 / 1024 = 1/2, 768 / 1024 = 3/4; y comes first
    ("paligemma", "<loc0256><loc0512><loc0768><loc1023> cat", [box([500, 250, 999.0234375, 750], "cat")]),
    (
        "paligemma",
        "<loc0000><loc0256><loc0512><loc0768> a cat ; <loc0256><loc0000><loc0512><loc0256> dog",
        [box([250, 0, 750, 500], "a cat"), box([0, 250, 250, 500], "dog")],
    ),
    # middles of 1000 cells
    ("florence", "car<loc_0><loc_10><loc_499><loc_999>", [box([0.5, 10.5, 499.5, 999.5], "car")]),
    (
        "florence",
        "</s><s>car<loc_1><loc_2><loc_3><loc_4><loc_5><loc_6><loc_7><loc_8>a door<loc_9><loc_9><loc_10><loc_10></s>",
        [
            box([1.5, 2.5, 3.5, 4.5], "car"),
            box([5.5, 6.5, 7.5, 8.5], "car"),
            box([9.5, 9.5, 10.5, 10.5], "a door"),
        ],
    ),
    (
        "florence",
        "leaf<loc_0><loc_0><loc_9><loc_0><loc_9><loc_9>",
        [box([0.5, 0.5, 9.5, 0.5, 9.5, 9.5], "leaf", "poly")],
    ),
    (
        "florence",
        "leaf<poly><loc_0><loc_0><loc_9><loc_0><loc_9><loc_9><loc_0><loc_9></poly>",
        [box([0.5, 0.5, 9.5, 0.5, 9.5, 9.5, 0.5, 9.5], "leaf", "poly")],
    ),
    (
        "internvl",
        "<ref>cat</ref><box>[[1, 2, 30, 40], [5, 6, 70, 80]]</box>",
        [box([1, 2, 30, 40], "cat"), box([5, 6, 70, 80], "cat")],
    ),
    ("internvl", "Of (2, 3) [1, 2, 3] see <ref>cat</ref><box>[1, 2, 30, 40]</box>.", [box([1, 2, 30, 40], "cat")]),
    ("internvl", "The <ref>cat</ref><box>[1, 2, 30, 40]</box> sleeps.", [box([1, 2, 30, 40], "cat")]),
    (
        "qwen2",
        "<|object_ref_start|>the cat<|object_ref_end|><|box_start|>(1,2),(30,40)<|box_end|>",
        [box([1, 2, 30, 40], "the cat")],
    ),
    (
        "qwen2",
        "<ref>cats</ref><box>(1,2),(30,40)</box><box>(5,6),(70,80)</box> and <box>(0,0),(9,9)</box>",
        [box([1, 2, 30, 40], "cats"), box([5, 6, 70, 80], "cats"), box([0, 0, 9, 9], "")],
    ),
    ("qwen2", "<ref>sign</ref><quad>(0,0),(9,0),(9,9),(0,9)</quad>", [box([0, 0, 9, 0, 9, 9, 0, 9], "sign", "poly")]),
    ("qwen3", '[{"bbox_2d": [1, 2, 30, 40], "label": "cat"}]', [box([1, 2, 30, 40], "cat")]),
    ("qwen3", '[{"point_2d": [5, 6], "label": "nose"}]', [box([5, 6, 5, 6], "nose")]),
    # 44 = 1 * 32 + 12 and 863 = 26 * 32 + 31; a cell is 31.25
    (
        "kosmos",
        "<grounding> An image of<phrase> a snowman</phrase><object><patch_index_0044><patch_index_0863></object>.",
        [box([12.5 * 31.25, 1.5 * 31.25, 31.5 * 31.25, 26.5 * 31.25], "a snowman")],
    ),
    # one row: cells 2 and 5 of row 0, all of both
    (
        "kosmos",
        "<phrase>a</phrase><object><patch_index_0002><patch_index_0005></object>",
        [box([62.5, 0, 187.5, 31.25], "a")],
    ),
    (
        "kosmos",
        f"<phrase>a</phrase><object>{TWO_PATCHES}</object>",
        [box([15.625, 15.625, 46.875, 46.875], "a"), box([968.75, 968.75, 1000, 1000], "a")],
    ),
    ("deepseek", "<|ref|>cat<|/ref|><|det|>[[0, 333, 666, 999]]<|/det|>", [box([0, 1000 / 3, 2000 / 3, 1000], "cat")]),
    # as published with the model: an end of sentence follows
    (
        "deepseek",
        "<|ref|>The giraffe at the back<|/ref|><|det|>[[0, 270, 999, 999]]<|/det|><|end▁of▁sentence|>",
        [box([0, 270000 / 999, 1000, 1000], "The giraffe at the back")],
    ),
    ("molmo", '<point x="63.5" y="44.2" alt="a dog">a dog</point>', [box([635, 442, 635, 442], "a dog")]),
    (
        "molmo",
        'Counting the <points x1="10.0" y1="20.0" x2="30.5" y2="40" alt="x1=5">dogs</points> shows 2.',
        [box([100, 200, 100, 200], "x1=5"), box([305, 400, 305, 400], "x1=5")],
    ),
]


@pytest.mark.parametrize(("family", "text", "objects"), CLEAN)
def test_what_a_family_writes_is_read(family, text, objects):
    assert read(text, family) == ("ok", objects)


@pytest.mark.parametrize(("family", "text", "objects"), [case for case in CLEAN if case[0] != "qwen3"])
def test_auto_tells_families_by_their_signs_and_says_so(family, text, objects):
    parsed = parse_objects(text, "auto")
    expected = family if '"point"' not in text else "json"  # a point alone could be anybody's
    assert (parsed.family, parsed.notes[0]) == (expected, f"taken for {expected}")


@pytest.mark.parametrize("text", ["", "a cat", '[{"bbox_2d": [1, 2, 3, 4], "label": "<loc_1>"}]', "[]"])
def test_auto_takes_what_cannot_be_told_for_json(text):
    assert parse_objects(text, "auto").family == "json"
    assert parse_objects(text, "auto").objects == parse_objects(text).objects


def test_qwen_2_5_writes_pixels_of_the_image_it_was_given():
    text = '[{"bbox_2d": [64, 48, 320, 240], "label": "cat"}, {"poly": [[0, 0], [640, 0], [640, 480]], "label": "p"}]'
    objects = [
        box([100, 100, 500, 500], "cat"),
        {"type": "poly", "points": [[0, 0], [1000, 0], [1000, 1000]], "desc": "p"},
    ]
    assert parse_objects(text, "qwen2.5", width=640, height=480).objects == objects
    with pytest.raises(InputError, match=r"qwen2\.5: width and height missing, expected those of the image"):
        parse_objects(text, "qwen2.5", width=640)
    with pytest.raises(ConfigError, match="width: found 0, expected a positive number"):
        parse_objects(text, "qwen2.5", width=0, height=1)


def test_an_unknown_family_is_an_error_that_names_all():
    with pytest.raises(ConfigError, match=r"family: found 'gpt', expected one of auto, json, qwen2, qwen2\.5, "):
        parse_objects("[]", "gpt")


@pytest.mark.parametrize(
    ("family", "text", "objects"),
    [
        ("gemini", '[{"box_2d": [1, 2, 3, 4], "label": "a"}, {"box_2d": [1, 2', [box([2, 1, 4, 3], "a")]),
        ("paligemma", "<loc0256><loc0256><loc0512><loc0512> a ; <loc0256><loc0", [box([250, 250, 500, 500], "a")]),
        ("paligemma", "<loc0256><loc0256><loc0512><loc0512> a ; <loc0256>", [box([250, 250, 500, 500], "a")]),
        ("florence", "a<loc_1><loc_1><loc_2><loc_2><loc_3><loc_3><loc_4><lo", [box([1.5, 1.5, 2.5, 2.5], "a")]),
        ("florence", "a<loc_1><loc_1><loc_2><loc_2>dog", [box([1.5, 1.5, 2.5, 2.5], "a")]),
        ("internvl", "<ref>a</ref><box>[[1, 2, 3, 4], [5, 6, 7", [box([1, 2, 3, 4], "a")]),
        ("internvl", "<ref>a</ref><box>[[1, 2, 3, 4]]</box><ref>b", [box([1, 2, 3, 4], "a")]),
        ("qwen2", "<ref>a</ref><box>(1,2),(3,4)</box><ref>b</ref><box>(1,2),(3", [box([1, 2, 3, 4], "a")]),
        (
            "kosmos",
            "<phrase>a</phrase><object><patch_index_0000><patch_index_0033></obj",
            [box([15.625, 15.625, 46.875, 46.875], "a")],
        ),
        (
            "deepseek",
            "<|ref|>a<|/ref|><|det|>[[0, 0, 999, 999]]<|/det|><|ref|>b<|/ref|>",
            [box([0, 0, 1000, 1000], "a")],
        ),
        ("molmo", '<points x1="1" y1="2" x2="3" y2="', [box([10, 20, 10, 20], "")]),
    ],
)
def test_of_a_text_that_stops_complete_objects_count(family, text, objects):
    assert read(text, family) == ("truncated", objects)


@pytest.mark.parametrize(
    ("family", "text", "objects"),
    [
        (
            "paligemma",
            "<loc0256><loc0256><loc0512> a ; <loc0256><loc0256><loc0512><loc0512> b",
            ["[256, 256, 512] a", box([250, 250, 500, 500], "b")],
        ),
        ("paligemma", "<loc9999><loc0256><loc0512><loc0512> a", ["[9999, 256, 512, 512] a"]),
        (
            "florence",
            "a<loc_1><loc_1><loc_2>b<loc_1><loc_1><loc_2><loc_2>",
            ["a [1, 1, 2]", box([1.5, 1.5, 2.5, 2.5], "b")],
        ),
        ("florence", "a<loc_1000><loc_1><loc_2><loc_2>", ["a [1000, 1, 2, 2]"]),
        (
            "internvl",
            "<ref>a</ref><box>[[1, 2, 3], [1, 2, 3, 4]]</box>",
            ["[[1, 2, 3], [1, 2, 3, 4]]", box([1, 2, 3, 4], "a")],
        ),
        ("internvl", "<ref>a</ref><ref>b</ref><box>[[1, 2, 3, 4]]</box>", ["a", box([1, 2, 3, 4], "b")]),
        (
            "internvl",
            "<ref>a</ref>[[1, 2, 3, 4]]</box><ref>b</ref><box>[[1, 2, 3, 4]]</box>",
            ["[[1, 2, 3, 4]]", box([1, 2, 3, 4], "b")],
        ),
        ("qwen2", "<ref>a</ref><box>(1,2),(x,4)</box>", ["(1,2),(x,4)"]),
        (
            "kosmos",
            "<phrase>a</phrase><object><patch_index_0000><patch_index_1024></object>",
            ["<patch_index_0000><patch_index_1024>"],
        ),
        ("molmo", '<points x1="1" x2="3" y2="4" alt="a">a</points>', ["{'x': '1'} a", box([30, 40, 30, 40], "a")]),
    ],
)
def test_what_cannot_be_read_stays_as_its_text(family, text, objects):
    assert read(text, family) == ("repaired", objects)
    assert "1 objects cannot be read" in parse_objects(text, family).notes


@pytest.mark.parametrize(
    "family", ["paligemma", "florence", "internvl", "qwen2", "kosmos", "deepseek", "molmo", "gemini"]
)
@pytest.mark.parametrize("text", ["", " ", "I see nothing.", "<", "<>"])
def test_text_without_objects_has_failed(family, text):
    assert (parse_objects(text, family).status, parse_objects(text, family).objects) == ("failed", [])


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "9" * 29, "-5"])
def test_numbers_that_no_image_has_are_predictions_that_a_run_counts(value):
    objects = parse_objects(f"<ref>a</ref><box>[[0, 0, 9, {value}]]</box>", "internvl").objects
    counts = dense([{"gt_norm1000": [box([0, 0, 9, 9])], "pred": objects}], bootstrap=0)["objects"]
    assert counts["pred"] == counts["invalid_pred"] + counts["clamped"] == 1


@pytest.mark.parametrize(
    ("family", "piece"),
    [
        *(
            ("internvl", piece)
            for piece in ("<ref>", "<box>", "[[1,", "<box>[[1,2,3],", "[1,2,3],", "(", "</box>", "<ref>a</ref>")
        ),
        *(("paligemma", piece) for piece in ("<loc0001>", "a<pad>", ";", "<seg001>", "<loc0001> a ", "<")),
        *(("florence", piece) for piece in ("<loc_1>", "<poly>", "1>", "a<loc_1>", "<sep>", "<loc_1><")),
        *(
            ("kosmos", piece)
            for piece in ("<patch_index_0001>", "<object>", "</delimiter_of_multi_objects/>", "<phrase>")
        ),
        *(("molmo", piece) for piece in ("<point ", "x1=", 'x="1" ', "alt='", "<points x", "x1='1' ")),
        *(("gemini", piece) for piece in ('{"box_2d":', "[", '"')),
    ],
)
def test_time_is_in_proportion_to_the_text(family, piece):
    began = time.thread_time()
    for text in (piece * (length(400_000) // len(piece)), f"<box>[[{piece * 9999}", f"<points {piece * 9999}"):
        parse_objects(text, family)
        parse_objects(text, "auto")
    assert time.thread_time() - began < MOST_CPU_SEC
