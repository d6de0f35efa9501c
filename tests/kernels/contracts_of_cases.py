"""The contracts of the kernels that write cases, find the worst and read them back."""

from collections.abc import Callable
from typing import Any

from calipers.kernels.scan.caselines import CaseLines, CaseSide
from calipers.kernels.scan.casescan import CaseScanner
from calipers.kernels.scan.weave import end_numbers

from .contracts import Contract, b, i, q

BOX = b'{"type":"bbox_2d","points":[0,0,9,9],"desc":"a"}'
SIDE = {  # one record: an object with a partner, and one without, whose best pair is the second
    "offsets": q(0, 2),
    "reasons": b(0, 0),
    "outcomes": b(0, 1),
    "labels": i(0, 0),
    "places": i(0, -1),
    "best": i(0, 1),
    "theirs": i(0, 0),
    "scores": q(5, 5),
    "partners": i(0, -1),
    "partner_scores": q(5, -1),
}


def side(**changes: Any) -> CaseSide:
    return CaseSide(**SIDE | changes)


def number(value: float) -> bytes:
    return b"%g" % value


LINES: dict[str, Any] = {
    "truth": side(),
    "pred": side(),
    "path": b'"p"',
    "names": [b'"a"'],
    "outcomes": [b"matched", b"missed"],
    "write_number": number,
}


def add_lines(theirs: Any, partners: Any, write_number: Callable[[float], Any], **given: Any) -> None:
    """The case of the first of two records, each with one object a side."""
    two = {"offsets": q(0, 1, 2), "outcomes": b(1, 1), "theirs": theirs, "partners": partners}
    sides = {"truth": side(**two), "pred": side(offsets=q(0, 1, 2)), "write_number": write_number}
    CaseLines(**LINES | sides).add_lines(**given)


ONE = b'{"gt_norm1000":[' + BOX + b'],"pred":[' + BOX + b"]}\n"
CASE = (
    b'{"key":"k","path":"p","line":1,"fields":{},"unmatched_gt":[{"index":0,"object":' + BOX + b',"cause":"missed",'
    b'"partner":null,"best":null}],"unmatched_pred":[],"matched":[],"labels":{"names":["a"],"gt":[0],"pred":[]},'
    b'"unmatched":1}'
)
WORDS: dict[str, Any] = {
    "causes": [b'"missed"'],
    "forms": [b'"bbox_2d"', b'"poly"', b'"line"'],
    "read_label": bytes.decode,
    "code_error": lambda *error: 0,
    "loads": bytes.decode,
}


def scan(line: bytes, code: Any = 0) -> tuple[Any, Any]:
    """The errors of a case, and what it draws."""
    scanner = CaseScanner(**WORDS | {"code_error": lambda *error: code})
    return scanner.listed(line), scanner.drawn(line)


CONTRACTS: dict[str, Contract] = {
    "caselines.CaseSide": Contract(
        CaseSide,
        SIDE,
        {
            "fewer outcomes than objects": {"outcomes": b(0)},
            **{f"fewer {name} than objects": {name: i(0)} for name in ("labels", "places", "best", "partners")},
            "fewer overlaps of partners than objects": {"partner_scores": q(5)},
            "fewer overlaps than pairs": {"scores": q(5)},
            "records beyond the last object": {"offsets": q(0, 3)},
            "a pair beyond the last": {"places": i(2, -1)},
            "a pair below none": {"places": i(-2, -1)},
            "a best pair beyond the last": {"best": i(0, 2)},
            "outcomes of another type": {"outcomes": i(0, 1)},
        },
    ),
    "weave.end_numbers": Contract(
        end_numbers,
        {"text": b'{"n":1}\n', "name": b"n"},
        {"a text that is no bytes": {"text": "a"}, "no name": {"name": None}},
    ),
    "caselines.CaseLines": Contract(
        CaseLines,
        LINES,
        {
            "other records": {"pred": side(offsets=q(0, 1, 2))},
            "a label without a name": {"names": []},
            "an outcome without a name": {"outcomes": [b"matched"]},
            "an object beyond the last": {"truth": side(theirs=i(0, 2))},
            "an object below the first": {"truth": side(theirs=i(-1, 0))},
            "a partner beyond the last": {"truth": side(partners=i(2, -1))},
            "no side": {"truth": None},
            "no numbers": {"write_number": None},
        },
    ),
    "caselines.CaseLines.add_lines": Contract(
        add_lines,
        {
            "record": 0,
            "numbers": [7],
            "keys": ["k"],
            "text": ONE,
            "ends": q(0, len(ONE)),
            "first": 7,
            "write_key": str.encode,
            "write_case": lambda record: b"",
            "theirs": i(0, 0),
            "partners": i(0, -1),
            "write_number": number,
        },
        {
            "a record beyond the last": {"record": 2},
            "a record below the first": {"record": -1},
            "more records than there are": {"numbers": [7] * 3, "keys": ["k"] * 3},
            "fewer keys than lines": {"keys": []},
            "a line before the first": {"numbers": [6]},
            "a line behind the last": {"numbers": [8]},
            "a line that has no number": {"numbers": ["a"]},
            "a key that is written as text": {"write_key": str},
            "a case that is written as text": {"write_case": str, "text": b"[]\n", "ends": q(0, 3)},
            "no text": {"text": None},
            "a number that is text": {"write_number": repr},
            "a line that begins before its text": {"ends": q(-1, len(ONE))},
            "a line that ends behind its text": {"ends": q(0, len(ONE) + 1)},
            "a line that ends before it begins": {"ends": q(9, 8)},
            "no ends": {"ends": q()},
            "a pair with an object of another record": {"theirs": i(1, 0)},
            "a partner in another record": {"partners": i(1, -1)},
        },
    ),
    "casescan.CaseScanner": Contract(
        CaseScanner,
        WORDS,
        {
            "more causes than codes have room for": {"causes": [b'"a"'] * 16},
            "more forms than codes have room for": {"forms": [b'"a"'] * 16},
            "causes that are no bytes": {"causes": ["missed"]},
            "forms that are no list": {"forms": b"box"},
            "nothing that reads labels": {"read_label": None},
            "nothing that numbers errors": {"code_error": None},
            "nothing that reads JSON": {"loads": None},
        },
    ),
    "casescan.CaseScanner.listed": Contract(
        scan,
        {"line": CASE},
        {
            "no line": {"line": None},
            "a line of text": {"line": CASE.decode()},
            "a code beyond the next": {"code": 1},
            "a code below 0": {"code": -1},
            "a code that is no number": {"code": None},
        },
    ),
    "casescan.CaseScanner.drawn": Contract(CaseScanner(**WORDS).drawn, {"line": CASE}, {"no line": {"line": None}}),
}
