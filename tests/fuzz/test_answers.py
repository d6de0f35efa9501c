"""Damaged answers of each family: none raises, and each object is read, repaired or counted.

An answer of some objects is written as its family writes it, and damaged in one place. Objects that the damage does not
touch have to be there as they were written; where one of them is not, the status must not say that all is well.
"""

import json
import random
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers import dense, parse_objects
from calipers.files.answers.families import FAMILIES, NAMES

from ..profiles import share

ANSWERS = round(1000 * max(0.2, share()))  # of each family
SIZE = {"width": 1000, "height": 1000}
STATUSES = {"ok", "repaired", "truncated", "failed"}
LABELS = ("cat", "a dog", "站点", "red car, parked", "x1", "B-52")
GARBAGE = (
    "",
    "x",
    "<",
    ">",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "(",
    ",",
    ";",
    "9",
    "\n",
    "</",
    "NaN",
    "\ud800",
    "\x00",
    "<loc",
    "|",
)


def boxes(seed: random.Random) -> list[tuple[list[int], str]]:
    """Some boxes in 0 to 999, with labels."""
    items = []
    for _ in range(seed.randint(1, 6)):
        (x0, x1), (y0, y1) = (sorted(seed.sample(range(1000), 2)) for _ in "xy")
        items.append(([x0, y0, x1, y1], seed.choice(LABELS)))
    return items


def patches(box: list[int]) -> str:
    x0, y0, x1, y1 = (value * 32 // 1000 for value in box)
    return f"<patch_index_{y0 * 32 + x0:04}><patch_index_{y1 * 32 + x1:04}>"


def keyed(key: str, order: tuple[int, ...] = (0, 1, 2, 3)):
    return lambda box, label: json.dumps({key: [box[at] for at in order], "label": label}, ensure_ascii=False)


WRITERS = {  # how an object is written, what parts objects, what is around them
    "json": (keyed("bbox_2d"), ", ", "[%s]"),
    "qwen2.5": (keyed("bbox_2d"), ",\n", "```json\n[%s]\n```"),
    "qwen3": (keyed("bbox_2d"), ", ", "[%s]"),
    "gemini": (keyed("box_2d", (1, 0, 3, 2)), ",\n", "```json\n[%s]\n```"),
    "qwen2": (
        lambda box, label: (
            f"<|object_ref_start|>{label}<|object_ref_end|>"
            f"<|box_start|>({box[0]},{box[1]}),({box[2]},{box[3]})<|box_end|>"
        ),
        "",
        "%s",
    ),
    "internvl": (lambda box, label: f"<ref>{label}</ref><box>[{box}]</box>", ", ", "%s"),
    "paligemma": (
        lambda box, label: "".join(f"<loc{box[at]:04}>" for at in (1, 0, 3, 2)) + f" {label}",
        " ; ",
        "%s",
    ),
    "florence": (lambda box, label: label + "".join(f"<loc_{value}>" for value in box), "", "%s"),
    "kosmos": (
        lambda box, label: f"<phrase>{label}</phrase><object>{patches(box)}</object>",
        " and ",
        "<grounding>%s.",
    ),
    "deepseek": (lambda box, label: f"<|ref|>{label}<|/ref|><|det|>[{box}]<|/det|>", "\n", "%s"),
    "molmo": (
        lambda box, label: f'<point x="{box[0] / 10}" y="{box[1] / 10}" alt="{label}">{label}</point>',
        "\n",
        "%s",
    ),
    "molmo 2": (lambda box, label: f'<points coords="1 1 {box[0]} {box[1]}">{label}</points>', "\n", "%s"),
    "florence quads": (
        lambda box, label: label + "".join(f"<loc_{box[at]}>" for at in (0, 1, 2, 1, 2, 3, 0, 3)),
        "",
        "%s",
    ),
}


def family_of(name: str) -> str:
    """A family may write in several ways."""
    return name.partition(" ")[0]


class Answer:
    """A clean answer, with the objects it is read as and where each of them stands."""

    def __init__(self, name: str, number: int) -> None:
        self.seed = random.Random(zlib.crc32(f"{name} {number}".encode()))
        family, (write, separator, around) = family_of(name), WRITERS[name]
        pieces = [write(*item) for item in boxes(self.seed)]
        self.text = around.replace("%s", separator.join(pieces))
        at = around.index("%s")
        self.spans = []
        for piece in pieces:
            self.spans.append((at, at + len(piece)))
            at += len(piece) + len(separator)
        clean = parse_objects(self.text, family, **SIZE)
        assert (clean.status, len(clean.objects)) == ("ok", len(pieces)), self.text
        self.objects = clean.objects

    def untouched(self, start: int, end: int) -> list[object]:
        """Objects that a change from `start` to `end` does not touch."""
        return [
            item for item, (first, last) in zip(self.objects, self.spans, strict=True) if last < start or first > end
        ]


def test_every_family_has_a_writer():
    assert set(map(family_of, WRITERS)) == set(FAMILIES)


@pytest.mark.parametrize("name", WRITERS)
def test_one_damaged_place_loses_nothing_in_silence(name):
    for number in range(ANSWERS):
        answer = Answer(name, number)
        start = answer.seed.randrange(len(answer.text))
        end = min(len(answer.text), start + answer.seed.choice((0, 1, 1, 1, 3)))
        text = answer.text[:start] + answer.seed.choice(GARBAGE) + answer.text[end:]
        parsed = parse_objects(text, family_of(name), **SIZE)
        assert parsed.status in STATUSES
        lost = [item for item in answer.untouched(start, end) if item not in parsed.objects]
        assert not lost or parsed.status != "ok", (text, parsed.objects)
        if parsed.status == "ok":
            assert len(parsed.objects) >= len(answer.objects), (text, parsed.objects)
        elif parsed.status == "repaired":
            assert len(parsed.objects) >= len(answer.objects) - 1, (text, parsed)
            assert len(lost) <= 1, (text, parsed.objects)


@pytest.mark.parametrize("name", WRITERS)
def test_an_answer_that_stops_has_its_complete_objects(name):
    for number in range(ANSWERS):
        answer = Answer(name, number)
        end = answer.seed.randrange(len(answer.text))
        parsed = parse_objects(answer.text[:end], family_of(name), **SIZE)
        whole = [item for item, (_, last) in zip(answer.objects, answer.spans, strict=True) if last < end]
        assert parsed.objects[: len(whole)] == whole
        assert len(parsed.objects) <= len(whole) + 1
        if len(parsed.objects) < len(answer.objects) and not re.search(r"[-\w\s>\]}.,;]\Z", answer.text[:end]):
            assert parsed.status in ("truncated", "failed"), answer.text[:end]


@pytest.mark.parametrize("name", WRITERS)
def test_answers_damaged_in_many_places_can_be_measured(name):
    answers = []
    for number in range(ANSWERS):
        answer = Answer(name, number)
        letters = list(answer.text)
        for _ in range(answer.seed.randint(1, 30)):
            letters[answer.seed.randrange(len(letters))] = answer.seed.choice(GARBAGE)
        answers.append(parse_objects("".join(letters), answer.seed.choice((family_of(name), "auto")), **SIZE).objects)
    truth = [{"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": ""}]
    records = [{"gt_norm1000": truth, "pred": objects} for objects in answers]
    assert dense(records, bootstrap=0)["objects"]["pred"] == sum(map(len, answers))


PIECES = {piece for name in WRITERS for piece in re.findall(r"<[^<>]*>|\w+|[^\w<>]+", Answer(name, 0).text)}
TOKENS = st.sampled_from([*GARBAGE, *sorted(PIECES)])


@given(st.one_of(st.text(), st.lists(TOKENS).map("".join)), st.sampled_from(NAMES))
def test_every_text_has_a_reading(text, family):
    parsed = parse_objects(text, family, **SIZE)
    assert parsed.status in STATUSES
    assert parsed.family in FAMILIES
    assert parsed.objects == [] or parsed.status != "failed"
