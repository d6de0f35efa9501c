"""What hosts send: every generation's fields, the forms an answer comes in, and what goes before what.

A generation is a way to wrap the two sides; a ruler has one pair of sides with a score worked out by hand. Every ruler
must find the same score in every generation.
"""

import json
import os
from math import sqrt

import pytest

from calipers import judge

from .verdicts import asked, is_error, judged_payload

CORNERS = [0, 0, 10, 10]

# ruler: (key, answer, reference, score)
SIDES = {
    "iou": ("bbox", [0, 0, 10, 10], [0, 0, 10, 5], 0.5),  # 50 of 100
    "boxes": ("boxes", [[0, 0, 10, 10], [90, 0, 99, 9]], [[0, 0, 10, 8]], 2 / 3),  # 1 of 2 found 1 of 1
    "polygon": ("polygon", [0, 0, 10, 0, 10, 10, 0, 10], [[0, 0], [10, 0], [0, 10]], 0.5),  # half of a square
    "rotated": (
        "rotated",
        [5, 5, 2, 2, 45],
        [5, 5, 2, 2, 0],
        sqrt(0.5),
    ),  # an octagon of 8 (√2 - 1) in two squares of 4
    "line": ("line", [[0, 0], [100, 0]], [[100, 0], [0, 0]], 1.0),  # the same line, from its other end
    "point": ("point", [0, 0], [9, 12], 0.5),  # 15 away: half-way from 10 to 20
    "box3d": ("cuboid", {"center": [0, 0, 0], "size": [1, 1, 1]}, [0.5, 0, 0, 1, 1, 1], 1 / 3),  # 0.5 of 1.5
    "intervals": ("intervals", [[0, 9], [50, 59]], [[0, 4], [20, 29]], 0.5),  # 5 frames of 10 match; 1 of 2, 1 of 2
    "map": ("boxes", [[0, 0, 10, 10], [90, 0, 99, 9]], [[0, 0, 10, 8], [40, 0, 50, 10]], 51 / 101),  # recall 1/2
}
SCORES = {"map": {"scores": [0.9, 0.8]}}


def say(content):
    """A conversation that ends with this."""
    return [{"role": "user", "content": "Find it."}, {"role": "assistant", "content": content}]


def parts(text):
    return [{"type": "text", "text": text}]


# name: (the answer's fields, the reference's fields), each from an object
GENERATIONS = {
    "seed text": (lambda said: {"candidate_answer": said}, lambda due: {"reference_answer": due}),
    "0.7, texts": (
        lambda said: {"candidate_answer": json.dumps(said), "question": "Where?", "guideline_paths": []},
        lambda due: {"reference_answer": json.dumps(due)},
    ),
    "2.6, expected messages": (
        lambda said: {"candidate_answer": json.dumps(said), "output_messages": say(json.dumps(said))},
        lambda due: {"expected_messages": say(due), "reference_answer": None},
    ),
    "2.6, expected messages as text": (
        lambda said: {"candidate_answer": json.dumps(said), "candidate_trace_summary": None},
        lambda due: {"expected_messages": [{"role": "assistant", "content": json.dumps(due)}]},
    ),
    "2.10": (
        lambda said: {"answer": json.dumps(said), "output": say("The boxes are in the answer."), "criteria": "found"},
        lambda due: {"reference_answer": json.dumps(due), "expected_output": say(due)},
    ),
    "3.1": (
        lambda said: {"answer": json.dumps(said), "output": say(json.dumps(said))},
        lambda due: {"expected_output": say(json.dumps(due))},
    ),
    "3.4": (
        lambda said: {"output_text": json.dumps(said), "input_text": "Where?", "trace": {"event_count": 0}},
        lambda due: {"expected_output": say(due)},
    ),
    "3.14": (
        lambda said: {"output_text": json.dumps(said), "output": say(json.dumps(said))},
        lambda due: {"expected_output": say(parts(json.dumps(due)))},
    ),
    "4.0": (lambda said: {"output": say(json.dumps(said))}, lambda due: {"expected_output": say(due)}),
    "4.35, parts": (lambda said: {"output": say(parts(json.dumps(said)))}, lambda due: {"expected_output": due}),
    "4.35, an object said": (lambda said: {"output": say(said)}, lambda due: {"expected_output": json.dumps(due)}),
    "4.38": (lambda said: {"output": json.dumps(said), "messages": []}, lambda due: {"expected_output": say(due)}),
    "5.3": (
        lambda said: {"output": json.dumps(said), "output_path": None, "config": None},
        lambda due: {"expected_output": say(json.dumps(due)), "input": say("")[:1]},
    ),
}


def sides_of(ruler):
    key, answer, reference, score = SIDES[ruler]
    return {key: answer} | SCORES.get(ruler, {}), {key: reference}, score


def payload_of(generation, ruler):
    answer, reference, score = sides_of(ruler)
    wrap_answer, wrap_reference = GENERATIONS[generation]
    return wrap_answer(answer) | wrap_reference(reference), score


@pytest.mark.parametrize("ruler", SIDES)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_ruler_reads_every_generation(generation, ruler):
    payload, score = payload_of(generation, ruler)
    verdict = judged_payload(ruler, payload)
    assert verdict["score"] == pytest.approx(score, abs=1e-12)
    assert verdict["pass"] is (score >= 0.5 if ruler != "point" else False)


def test_the_payload_may_be_its_json():
    payload, score = payload_of("seed text", "iou")
    for text in (json.dumps(payload), json.dumps(payload).encode()):
        assert judged_payload("iou", text)["score"] == score


def test_a_payload_is_left_as_it_was():
    payload, _ = payload_of("4.35, an object said", "box3d")
    before = json.dumps(payload)
    judged_payload("box3d", payload)
    assert json.dumps(payload) == before


ROUND = list(zip(GENERATIONS, [*SIDES, *list(SIDES)[:4]], strict=True))  # each generation and each ruler at least once


@pytest.mark.parametrize(("generation", "ruler"), [*ROUND, *((name, "boxes") for name in GENERATIONS)])
def test_the_command_gives_the_same_verdict_as_python(generation, ruler):
    payload, _ = payload_of(generation, ruler)
    assert asked(ruler, payload) == judged_payload(ruler, payload)


# What an answer looks like

BOX = '{"bbox": [0, 0, 10, 10]}'
TEXTS = {
    "plain": BOX,
    "white space": f"\n\n  {BOX}\n ",
    "a list": "[0, 0, 10, 10]",
    "a list of lists": "[[0, 0, 10, 10]]",
    "a list of objects": f"[{BOX}]",
    "a fence": f"```json\n{BOX}\n```",
    "a fence without a language": f"```\n{BOX}\n```",
    "a fence in prose": f"Here is the box:\n\n```json\n{BOX}\n```\nTell me if you need more.",
    "prose before": f"The box is {BOX}",
    "prose after": f"{BOX} is what I found.",
    "prose around": f"I looked at {{the}} image [1].\n{BOX}\nThat is all.",
    "thinking": f"<think>maybe [5, 5, 6, 6]?</think>{BOX}",
    "a later answer": f'At first {{"bbox": [50, 50, 60, 60]}}, but rather {BOX}',
    "single quotes": "{'bbox': [0, 0, 10, 10]}",
    "a trailing comma": '{"bbox": [0, 0, 10, 10,],}',
    "numbers in prose": "It goes from top left to bottom right: (0, 0, 10, 10).",
    "JSON in a JSON string": json.dumps(BOX),
    "a byte order mark": "\ufeff" + BOX,
    "deeper": '{"result": {"objects": [{"label": "cat", "bbox": [0, 0, 10, 10]}]}}',
    "another case": '{"boundingBox": [0, 0, 10, 10]}',
    "yet another case": '{"Bounding-Box": [0, 0, 10, 10]}',
    "named numbers": '{"x1": 0, "y1": 0, "x2": 10, "y2": 10}',
    "corners the other way": '{"bbox": [10, 10, 0, 0]}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_box_is_found_in_a_text(text):
    reference = {"expected_output": [{"role": "assistant", "content": {"bbox": [0, 0, 10, 5]}}]}
    assert judged_payload("iou", {"output": text} | reference)["score"] == 0.5
    assert judged_payload("boxes", {"output": say(text)} | reference)["score"] == 1.0


@pytest.mark.parametrize("name", ["a fence in prose", "prose around", "a later answer", "single quotes", "thinking"])
def test_the_command_finds_it_too(name):
    assert asked("iou", {"output": TEXTS[name], "expected_output": {"bbox": [0, 0, 10, 5]}})["score"] == 0.5


@pytest.mark.parametrize("name", ["plain", "a fence", "prose before", "a fence in prose"])
def test_a_reference_may_be_such_a_text_as_well(name):
    assert judged_payload("iou", {"candidate_answer": [0, 0, 10, 5], "reference_answer": TEXTS[name]})["score"] == 0.5


def test_damage_is_said_in_notes():
    reference = {"reference_answer": {"bbox": [0, 0, 10, 5]}}
    [note] = judged_payload("iou", {"output": TEXTS["prose before"]} | reference)["details"]["notes"]
    assert note == "text around the answer"
    assert judged_payload("iou", {"output": BOX} | reference)["details"]["notes"] == []


# Messages

GOOD, BAD = {"bbox": [0, 0, 10, 5]}, {"bbox": [70, 70, 90, 90]}
MESSAGES = {
    "the last of the assistant": [*say(BAD), *say(GOOD)],
    "a tool has the last word": [*say(GOOD), {"role": "tool", "content": json.dumps(BAD)}],
    "the user has the last word": [*say(json.dumps(GOOD)), {"role": "user", "content": "Thank you [1, 2, 3, 4]"}],
    "no roles": [{"content": BAD}, {"content": GOOD}],
    "several parts": say([{"type": "text", "text": "It is at"}, {"type": "text", "text": json.dumps(GOOD)}]),
    "parts by value": say([{"type": "text", "value": json.dumps(GOOD)}]),
    "a file beside": say([{"type": "file", "value": "./a.png"}, {"type": "text", "value": json.dumps(GOOD)}]),
    "a list said": say([[0, 0, 10, 5]]),
    "objects said": say([{"label": "cat", "bbox": [0, 0, 10, 5]}]),
    "tools called on the way": [{"role": "assistant", "tool_calls": [{"tool": "crop"}]}, *say(json.dumps(GOOD))],
    "tools called last": [
        *say(json.dumps(GOOD)),
        {"role": "assistant", "content": None, "tool_calls": [{"tool": "end"}]},
    ],
}


@pytest.mark.parametrize("messages", MESSAGES.values(), ids=MESSAGES)
def test_what_messages_say(messages):
    assert judged_payload("iou", {"output": messages, "expected_output": {"bbox": [0, 0, 10, 10]}})["score"] == 0.5


@pytest.mark.parametrize("name", [name for name in MESSAGES if "last word" not in name and "called last" not in name])
def test_what_expected_messages_say(name):
    for field in ("expected_output", "expected_messages"):
        assert judged_payload("iou", {"output": TEXTS["plain"], field: MESSAGES[name]})["score"] == 0.5


# What goes before what


@pytest.mark.parametrize("first", ["candidate_answer", "output_text", "answer", "output"])
def test_of_several_answers_the_first_in_order_counts(first):
    order = ["candidate_answer", "output_text", "answer", "output", "output_path"]
    later = dict.fromkeys(order[order.index(first) + 1 :], json.dumps(BAD))
    earlier = dict.fromkeys(order[: order.index(first)])  # null is not there
    payload = later | {first: json.dumps(GOOD)} | earlier | {"reference_answer": GOOD}
    assert judged_payload("iou", payload)["score"] == 1.0


@pytest.mark.parametrize("first", ["reference_answer", "expected_output", "expected_messages"])
def test_of_several_references_the_first_in_order_counts(first):
    order = ["reference_answer", "expected_output", "expected_messages"]
    later = {name: say(BAD) for name in order[order.index(first) + 1 :]}
    earlier = dict.fromkeys(order[: order.index(first)])
    assert judged_payload("iou", {"output": GOOD} | later | {first: say(GOOD)} | earlier)["score"] == 1.0


@pytest.mark.parametrize("name", ["expected_output", "expected_messages"])
def test_an_empty_list_of_messages_is_no_reference(name):
    assert is_error(judged_payload("boxes", {"output": '{"boxes": []}', name: []}), "reference: nothing found")
    both = {"output": "[]", name: [], "reference_answer": []}  # a list of boxes may be empty
    assert judged_payload("boxes", both)["score"] == 1.0


@pytest.mark.parametrize("name", ["reference", "expected", "reference_answer", "expected_output"])
def test_a_reference_in_the_config_counts_and_is_no_option(name):
    for sent in ({"expected_output": []}, {"expected_output": [{"role": "assistant", "content": "[[7, 7, 8, 8]]"}]}):
        payload = {"output": "[[0, 0, 1, 1]]", "config": {name: {"boxes": [[0, 0, 1, 1]]}}, **sent}
        verdict = judged_payload("boxes", payload)
        assert (verdict["score"], verdict["details"]["ignored_config"]) == (1.0, [])


def test_fields_may_be_in_another_case_style():
    payload = {"candidateAnswer": GOOD, "expectedOutput": say(GOOD), "config": {"passAt": 1}}
    assert judged_payload("boxes", payload)["score"] == 1.0
    assert judged_payload("iou", {"outputText": json.dumps(GOOD), "referenceAnswer": GOOD})["score"] == 1.0


# Long answers in a file


def test_a_long_answer_is_in_a_file(tmp_path):
    path = tmp_path / "answer.txt"
    path.write_text("Thinking at length. " * 5_000 + f"\n```json\n{BOX}\n```", encoding="utf-8")
    payload = {"output": None, "output_path": str(path), "expected_output": say({"bbox": [0, 0, 10, 5]})}
    assert judged_payload("iou", payload)["score"] == 0.5
    assert asked("iou", payload)["score"] == 0.5
    assert judged_payload("iou", payload | {"output": ""})["score"] == 0.5  # an empty text says nothing


@pytest.mark.parametrize("path", ["missing.txt", ".", "a\0b", "not-utf-8.txt", 3, ["a"], ""], ids=repr)
def test_a_file_that_cannot_be_read_is_a_verdict(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "not-utf-8.txt").write_bytes(b"\xff\xfe\xfd")
    assert is_error(judged_payload("iou", {"output_path": path, "expected_output": GOOD}), "output_path")


# What is not there


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({}, "reference"),
        ({"question": "Where?"}, "reference"),
        ({"candidate_answer": GOOD}, "reference"),
        ({"reference_answer": GOOD}, "answer"),
        ({"candidate_answer": None, "reference_answer": GOOD}, "answer"),
        ({"candidate_answer": GOOD, "reference_answer": None}, "reference"),
        ({"candidate_answer": {}, "reference_answer": GOOD}, "answer: no box found"),
        ({"candidate_answer": GOOD, "reference_answer": {}}, "reference: no box found"),
        ({"candidate_answer": "", "reference_answer": GOOD}, "answer: no box found"),
        ({"candidate_answer": "I see no box.", "reference_answer": GOOD}, "answer: no box found"),
        ({"candidate_answer": 3, "reference_answer": GOOD}, "answer"),
        ({"candidate_answer": GOOD, "reference_answer": True}, "reference"),
        ({"candidate_answer": GOOD, "reference_answer": GOOD, "config": [1]}, "config"),
        ({"candidate_answer": GOOD, "reference_answer": GOOD, "config": "fast"}, "config"),
        ([GOOD, GOOD], "payload: found a list"),
        (3, "payload: found a number"),
        (None, "payload: found null"),
        (True, "payload: found true"),
    ],
)
@pytest.mark.parametrize("ruler", ["iou", "boxes"])
def test_what_is_missing_is_named(ruler, payload, words):
    assert is_error(judged_payload(ruler, payload), words)


@pytest.mark.parametrize(
    "payload",
    [
        {"candidate_answer": [{"role": "button", "bbox": CORNERS}], "reference_answer": [CORNERS]},
        {"candidate_answer": [CORNERS], "reference_answer": [{"bbox": CORNERS, "content": "Invoice"}]},
        {
            "output": [CORNERS],
            "expected_output": [{"role": "assistant", "content": [{"type": "t", "text": "", "box": CORNERS}]}],
        },
        {"output": [CORNERS], "expectedOutput": [{"role": "assistant", "content": {"boxes": [CORNERS]}}]},
        {"answer": [CORNERS], "reference_answer": "", "expected_output": [CORNERS]},
        {"output": {"role": "assistant", "content": str([CORNERS])}, "expected_output": [CORNERS]},
        {
            "output": [{"role": "assistant", "content": [{"type": "image"}, {"type": "text", "text": str([CORNERS])}]}],
            "expected_output": [CORNERS],
        },
    ],
)
def test_detections_are_no_messages_and_messages_are_found(payload):
    assert judge.boxes(payload)["score"] == 1.0


def test_an_output_path_that_is_no_file_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    verdict = judge.boxes({"output_path": str(tmp_path / "pipe"), "reference_answer": [CORNERS]})
    assert "Not a regular file" in verdict["reason"]
