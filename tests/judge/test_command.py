"""`calipers judge` as a host meets it: one strict JSON object on standard output whatever it is given.

Hosts take any other text, with exit code 0, for a full score. So every test here looks at the bytes of a real process.
"""

import json
import os
import select
import subprocess
import sys
from contextlib import contextmanager
from itertools import pairwise

import pytest

from ..profiles import size
from .verdicts import (
    ENVIRONMENT,
    PATIENCE_SEC,
    PROGRAM,
    RULERS,
    asked,
    case,
    is_error,
    judged_payload,
    only_verdict,
    run,
    strictly,
)

SIDES = case({"bbox": [0, 0, 10, 10]}, {"bbox": [0, 0, 10, 5]})  # IoU 0.5
GOOD = json.dumps(SIDES).encode()
MEGABYTE = 1_000_000
HUGE = size(50 * MEGABYTE)


def around(answer: bytes, reference: bytes = b'{"bbox": [0, 0, 10, 5]}') -> bytes:
    return b'{"candidate_answer": ' + answer + b', "reference_answer": ' + reference + b"}"


@pytest.mark.parametrize(
    "text",
    [
        '{"bbox": [0, 0, 10, 10],}',
        "{'bbox': [0, 0, 10, 10]}",
        '{"bbox": [0, 0, 10, 10]',
        "{bbox: [0, 0, 10, 10]}",
        "[0 0 10 10]",
    ],
)
def test_a_damaged_answer_is_read_in_a_process_that_has_not_loaded_json(text):
    for flags in ([], ["--serve"]):
        ended = run("iou", *flags, given=json.dumps(case(text, {"bbox": [0, 0, 10, 5]})).encode())
        verdict = only_verdict(ended.out)
        assert (ended.code, verdict["score"], verdict["pass"]) == (0, 0.5, True), verdict["reason"]


@pytest.mark.parametrize("text", ["{", "{bad", '{"a": 1,}', '"abc', "[1 2]", '{"a" 1}', '"\t"'])
def test_a_payload_that_is_no_json_is_told_in_the_words_of_json(text):
    with pytest.raises(ValueError) as refused:
        json.loads(text)
    verdict = only_verdict(run("iou", given=text.encode()).out)
    assert verdict["reason"] == f"payload: not JSON: {refused.value}"
    assert (verdict["score"], verdict["pass"]) == (0, False)


# Whatever it is given

UNREADABLE = {
    "nothing": b"",
    "white space": b" \n\t\n",
    "no JSON": b"hello",
    "half of a payload": GOOD[:-9],
    "two payloads": GOOD + b"\n" + GOOD,
    "not UTF-8": b'{"candidate_answer": "\xff\xfe"}',
    "a NUL": b"\0",
    "random bytes": bytes(range(256)) * 9,
    "UTF-16 that breaks off": '{"a": 1}'.encode("utf-16")[:-1],
    "depth 10,000": b"[" * 10_000 + b"]" * 10_000,
    "depth 10,000, never closed": b'{"a":' * 10_000,
    "an answer of depth 10,000": around(b"[" * 10_000 + b"]" * 10_000),
    "an integer of 5,000 digits": around(b'{"bbox": [0, 0, 10, 1' + b"0" * 5_000 + b"]}"),
    "a list": b"[1, 2, 3, 4]",
    "a list of payloads": b"[" + GOOD + b"]",
    "a number": b"4",
    "a text": b'"box"',
    "null": b"null",
    "true": b"true",
    "NaN": b"NaN",
    "an empty object": b"{}",
}
UNMEASURABLE = {
    "no reference": b'{"candidate_answer": {"bbox": [0, 0, 10, 5]}}',
    "no answer": b'{"reference_answer": {"bbox": [0, 0, 10, 5]}}',
    "no box": around(b'{"label": "cat"}'),
    "an empty text": around(b'""'),
    "prose": around(b'"I am sorry, I cannot see the image."'),
    "NaN": around(b'{"bbox": [0, 0, NaN, 5]}'),
    "Infinity": around(b'{"bbox": [0, 0, -Infinity, 5]}'),
    "1e400": around(b'{"bbox": [0, 0, 1e400, 5]}'),
    "1e300": around(b'{"bbox": [0, 0, 1e300, 5]}'),
    "10^400": around(b'{"bbox": [0, 0, 1' + b"0" * 400 + b", 5]}"),
    "booleans": around(b'{"bbox": [false, false, true, true]}'),
    "texts": around(b'{"bbox": ["0", "0", "10", "5"]}'),
    "nulls": around(b'{"bbox": [null, null, null, null]}'),
    "three numbers": around(b'{"bbox": [0, 0, 10]}'),
    "a lone surrogate": around(rb'{"bbox": [0, 0, "\ud800", 5]}'),
    "a text of depth 10,000": around(b'"' + b"[" * 10_000 + b"]" * 10_000 + b'"'),
    "a text of objects of depth 10,000": around(b'"' + rb"{\"bbox\":" * 10_000 + b'"'),
    "a reference with NaN": around(b'{"bbox": [0, 0, 10, 5]}', b'{"bbox": [0, 0, NaN, 5]}'),
    "a reference with texts": around(b'{"bbox": [0, 0, 10, 5]}', b'{"bbox": ["0", 0, 10, 5]}'),
    "a config that is a list": GOOD[:-1] + b', "config": [1]}',
    "a threshold of NaN": GOOD[:-1] + b', "config": {"threshold": NaN}}',
    "a threshold of 1e400": GOOD[:-1] + b', "config": {"threshold": 1e400}}',
}


@pytest.mark.parametrize("given", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_payload_is_a_verdict(given):
    assert is_error(asked("boxes", given))


@pytest.mark.parametrize("given", UNMEASURABLE.values(), ids=UNMEASURABLE)
def test_what_cannot_be_measured_is_a_verdict(given):
    assert is_error(asked("iou", given))


@pytest.mark.parametrize("ruler", RULERS)
def test_every_ruler_survives_all_of_it(ruler):
    given = [line for line in (*UNREADABLE.values(), *UNMEASURABLE.values()) if line.strip() and b"\n" not in line]
    ended = run(ruler, "--serve", given=b"\n".join(given))
    verdicts = [only_verdict(line) for line in ended.out.splitlines(keepends=True)]
    assert (ended.code, len(verdicts)) == (0, len(given))
    assert not any(verdict["pass"] for verdict in verdicts)


@pytest.mark.parametrize(
    "text",
    ["x" * HUGE, "[" * HUGE, "see [1] " * (MEGABYTE // 8), '{"a": [[1, 2], ' * (MEGABYTE // 15)],
    ids=["prose", "brackets", "citations", "never closed"],
)
def test_a_huge_answer_is_a_verdict(text):
    assert is_error(asked("boxes", {"output": text, "expected_output": {"bbox": [0, 0, 10, 5]}}), "no box found")


def test_a_huge_payload_with_the_answer_at_its_end():
    text = "thinking " * (HUGE // 9) + '{"bbox": [0, 0, 10, 10]}'
    assert (
        asked("iou", {"trace": "x" * MEGABYTE, "output": text, "expected_output": {"bbox": [0, 0, 10, 5]}})["score"]
        == 0.5
    )


def test_many_boxes():
    boxes = [[x, y, x + 9, y + 9] for x in range(0, 500, 10) for y in range(0, 400, 10)]
    assert asked("boxes", case({"boxes": boxes}, {"boxes": boxes[::-1]}))["score"] == 1.0


def test_of_equal_keys_the_last_counts():
    assert asked("iou", around(b'{"bbox": [5, 5, 6, 6], "bbox": [0, 0, 10, 10]}'))["score"] == 0.5


def test_characters_of_any_kind_come_back_as_ascii():
    payload = SIDES | {"config": {"größe 🦊 \x1b[31m \u2028": 1}}
    ended = run("iou", given=json.dumps(payload, ensure_ascii=False).encode())
    assert ended.out.isascii()
    assert only_verdict(ended.out)["details"]["ignored_config"] == list(payload["config"])


def test_a_lone_surrogate_in_a_key_does_no_harm():
    verdict = asked("iou", GOOD[:-1] + rb', "config": {"\ud800": 1}}')
    assert verdict["score"] == 0.5
    assert len(verdict["details"]["ignored_config"]) == 1


def test_a_payload_in_another_unicode_encoding():
    assert asked("iou", json.dumps(SIDES).encode("utf-16"))["score"] == 0.5
    assert asked("iou", b"\xef\xbb\xbf" + GOOD)["score"] == 0.5


# Trap 31: nothing else on standard output

DRIVER = """
import sys, calipers.judge.command as command
real = command.measure
def noisy(*given):
    {noise}
    return real(*given)
command.measure = noisy
sys.exit(command.run(sys.argv[1:]))
"""
NOISES = {
    "print": "print('loading …')",
    "write": "sys.stdout.write('50 %')",
    "a warning": "import warnings; warnings.warn('deprecated')",
    "a log": "import logging; logging.basicConfig(level=0); logging.info('here')",
    "an exception that prints": "import traceback; traceback.print_exc(file=sys.stdout)",
}
ACCIDENTS = {
    "a key": "raise KeyError('bbox')",
    "a division": "1 / 0",
    "no more memory": "raise MemoryError",
    "recursion": "noisy(*given)",
    "a message that is no text": "raise ValueError(b'\\xff', float('nan'))",
    "a surrogate": "raise ValueError('\\ud800')",
    "a long message": "raise ValueError('x' * 10**7)",
    "NaN": "return real(*given) | {'score': float('nan')}",
    "no JSON": "return real(*given) | {'score': {1}}",
}


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("serve", [[], ["--serve"]], ids=["once", "serve"])
def test_trap_31_what_prints_does_not_reach_standard_output(noise, serve):
    ended = run("iou", *serve, given=GOOD + b"\n", program=(sys.executable, "-c", DRIVER.replace("{noise}", noise)))
    assert ended.code == 0
    assert only_verdict(ended.out) == judged_payload("iou", SIDES)
    assert ended.err != ""


@pytest.mark.parametrize("noise", ACCIDENTS.values(), ids=ACCIDENTS)
def test_trap_31_an_accident_inside_is_a_verdict(noise):
    ended = run("iou", given=GOOD, program=(sys.executable, "-c", DRIVER.replace("{noise}", noise)))
    assert ended.code == 0
    assert is_error(only_verdict(ended.out))
    assert len(ended.out) < 10_000


# Usage


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "ruler"),
        (["nope"], "nope"),
        (["boxs"], "boxs"),
        (["iou", "boxes"], "iou boxes"),
        (["iou", "--treshold", "0.5"], "threshold"),
        (["iou", "--threshold"], "--threshold"),
        (["iou", "--threshold", "half"], "half"),
        (["iou", "--colour", "red"], "colour"),
        (["iou", "-x"], "-x"),
        (["--serve"], "ruler"),
        ([""], "ruler"),
    ],
)
def test_wrong_usage_exits_2_with_nothing_on_standard_output(arguments, words):
    ended = run(*arguments, given=GOOD)
    assert (ended.code, ended.out) == (2, b"")
    assert ended.err.startswith("error: ")
    assert words in ended.err
    assert "--help" in ended.err


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["iou", "--help"], ["boxes", "--threshold", "0.4", "-h"]])
def test_help(arguments):
    ended = run(*arguments)
    assert (ended.code, ended.err) == (0, "")
    text = ended.out.decode()
    for word in (
        *RULERS,
        "--threshold",
        "--metric",
        "--match",
        "--pass-at",
        "--format",
        "--at",
        "--tolerance",
        "--serve",
    ):
        assert word in text
    assert max(map(len, text.splitlines())) <= 120


def test_options_may_come_before_the_ruler():
    assert is_error(asked("--threshold=0.6", GOOD, "boxes"))


def test_the_commands_name_the_judge():
    ended = run("--help", program=PROGRAM[:3])
    assert b"judge" in ended.out


# Many cases


@contextmanager
def serving(*arguments):
    """A process that serves; it does not outlive the test."""
    command = [*PROGRAM, *arguments, "--serve"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT}
    with subprocess.Popen(command, bufsize=0, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def answer_to(process, line: bytes) -> dict:
    """What comes back at once, with standard input still open."""
    process.stdin.write(line + b"\n")
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE_SEC)
    assert ready, "no verdict"
    return only_verdict(os.read(process.stdout.fileno(), 65_536))


def test_a_line_in_a_line_out_at_once():
    with serving("iou") as process:
        for height in (1, 5, 10):
            payload = case([0, 0, 10, height], [0, 0, 10, 10])
            assert answer_to(process, json.dumps(payload).encode())["score"] == height / 10
        process.stdin.close()
        assert process.wait(PATIENCE_SEC) == 0
        assert process.stdout.read() == b""


def test_a_broken_line_does_not_end_it():
    with serving("boxes") as process:
        for line in (b"{", b"[" * 10_000, b"\xff", b"NaN", b"{}"):
            assert is_error(answer_to(process, line))
            assert answer_to(process, GOOD)["score"] == 1.0


def test_lines_come_in_pieces_and_several_at_once():
    with serving("iou") as process:
        process.stdin.write(GOOD[:9])
        assert select.select([process.stdout], [], [], 0.3)[0] == []
        assert answer_to(process, GOOD[9:])["score"] == 0.5
        process.stdin.write(GOOD + b"\n" + GOOD[:9])
        assert only_verdict(process.stdout.readline())["score"] == 0.5
        assert answer_to(process, GOOD[9:])["score"] == 0.5


def test_a_line_may_be_long():
    long = json.dumps(SIDES | {"trace": "x" * 3 * MEGABYTE}).encode() + b"\n"
    assert [verdict["score"] for verdict in served(long, GOOD + b"\n", long)] == [0.5] * 3


def served(*lines: bytes, flags=()) -> list[dict]:
    ended = run("iou", "--serve", *flags, given=b"".join(lines))
    assert ended.code == 0
    return [only_verdict(line) for line in ended.out.splitlines(keepends=True)]


def test_verdicts_are_those_of_single_runs():
    assert served(GOOD + b"\n") == [asked("iou", GOOD)] == [judged_payload("iou", SIDES)]


def test_blank_lines_are_passed_over():
    assert len(served(b"\n", GOOD + b"\n", b"  \n", b"\r\n", GOOD + b"\r\n", b"\n\n")) == 2
    assert served(b"") == served(b"\n\n") == []


def test_the_last_line_needs_no_end():
    assert [verdict["score"] for verdict in served(GOOD + b"\n", GOOD)] == [0.5, 0.5]


def test_only_a_line_feed_ends_a_line():
    payload = SIDES | {"question": "a\u2028b\u0085c\x0b"}
    assert len(served(json.dumps(payload, ensure_ascii=False).replace("\\u000b", "\x7f").encode() + b"\n")) == 1


def test_a_config_is_that_of_its_line():
    strict = json.dumps(SIDES | {"config": {"threshold": 0.9}}).encode()
    assert [verdict["pass"] for verdict in served(GOOD, b"\n", strict, b"\n", GOOD)] == [True, False, True]
    assert [verdict["pass"] for verdict in served(GOOD, b"\n", strict, flags=["--threshold", "0.2"])] == [True, True]


def test_ten_thousand_lines_keep_their_order():
    count = size(10_000)
    payloads = [case([0, 0, 10, k % 10 + 1], [0, 0, 10, 10], number=k) for k in range(count)]
    ended = run("iou", "--serve", given=b"".join(json.dumps(each).encode() + b"\n" for each in payloads))
    scores = [strictly(line)["score"] for line in ended.out.splitlines()]
    assert scores == [(k % 10 + 1) / 10 for k in range(count)]
    assert all(a != b for a, b in pairwise(scores))


# Streams that are closed, full or gone


@pytest.mark.parametrize("serve", [[], ["--serve"]], ids=["once", "serve"])
def test_closed_standard_input(serve):
    ended = shell("<&-", *serve)
    assert (ended.code, "Traceback" in ended.err) == (0, False)
    if not serve:
        assert is_error(only_verdict(ended.out))
    else:
        assert ended.out == b""


def shell(redirection: str, *arguments: str):
    """The command as a shell starts it, with something done to its streams."""
    line = f'exec "$0" -m calipers judge iou {" ".join(arguments)} {redirection}'
    return run(given=GOOD + b"\n", program=("/bin/sh", "-c", line, sys.executable))


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
@pytest.mark.parametrize("serve", [[], ["--serve"]], ids=["once", "serve"])
def test_a_verdict_that_cannot_be_written_is_an_error(redirection, serve):
    ended = shell(redirection, *serve)
    assert ended.code != 0
    assert ended.err.startswith("error: ")
    assert "Traceback" not in ended.err


def test_closed_standard_error_does_no_harm():
    assert only_verdict(shell("2>&-").out)["score"] == 0.5


@pytest.mark.parametrize("serve", [[], ["--serve"]], ids=["once", "serve"])
def test_a_reader_that_is_gone_is_no_reason_for_a_traceback(serve):
    reading, writing = os.pipe()
    os.close(reading)
    ended = run("iou", *serve, given=(GOOD + b"\n") * 1_000 if serve else GOOD, stdout=writing)
    os.close(writing)
    assert "Traceback" not in ended.err
    assert "Exception ignored" not in ended.err
