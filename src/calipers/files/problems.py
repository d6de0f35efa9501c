"""What is wrong with a record, in words: where, what was found, what was expected."""

from __future__ import annotations

import json
from typing import Any

import orjson

from calipers.core.errors import RecordError, keyword
from calipers.files.encodings import encoding_hint, has_zeros
from calipers.files.output import json_line
from calipers.kernels.scan.flatten import KINDS, REASONS

LONGEST_SHOWN = 160
FROM_ARRAY = "jq -c '.[]' FILE makes lines of an array"


REASON_WORDS = {
    "type": "type missing or unknown",
    "points": "points missing or not a list",
    "not a number": "points hold something that is not a number",
    "not finite": "points hold a number that is not finite",
    "bbox_2d count": "a bbox_2d without exactly 4 numbers",
    "odd count": "an odd number of numbers",
    "poly count": "a poly of fewer than 3 points",
    "line count": "a line of fewer than 2 points",
}


class BadRecord:
    """A record that cannot be read, and why."""

    __slots__ = ("found", "line", "path", "problem")

    def __init__(self, path: str, line: int, problem: str, found: str = "") -> None:
        self.path, self.line, self.problem, self.found = path, line, problem, found

    def error(self) -> RecordError:
        """The error that a run ends with."""
        lines = [f"{self.path}:{self.line}: {self.problem}"]
        if self.found:
            lines.append(f"found {self.found}")
        return RecordError("\n".join(lines))

    def entry(self) -> dict[str, Any]:
        """The entry that the artifact lists it by."""
        return {"path": self.path, "line": self.line, "problem": self.problem, "found": self.found or None}


def in_order(bad: list[BadRecord]) -> list[BadRecord]:
    """Bad records by line, as some are found when they are read and others when they are measured."""
    return sorted(bad, key=lambda record: record.line)


class BadVideo:
    """A video with malformed ground truth, and what is wrong with it."""

    __slots__ = ("path", "problem", "video")

    def __init__(self, path: str, video: str, problem: str) -> None:
        self.path, self.video, self.problem = path, video, problem

    def error(self) -> RecordError:
        """The error that a run ends with."""
        return RecordError(f"{self.path}: {shown(self.video)}: {self.problem}")

    def entry(self) -> dict[str, Any]:
        """The entry that the artifact lists it by."""
        return {"path": self.path, "video": self.video, "problem": self.problem}


class BadAnnotation:
    """An annotation of the ground truth that cannot be used, and why; with its image, if that is known."""

    __slots__ = ("id", "image", "name", "path", "problem")

    def __init__(self, path: str, name: str, ident: int | None, problem: str, image: str | None = None) -> None:
        self.path, self.name, self.id, self.problem, self.image = path, name, ident, problem, image

    def error(self) -> RecordError:
        """The error that a run ends with."""
        name = self.name if self.path in self.name else f"{self.path}: {self.name}"
        named = "" if self.id is None else f" (id {self.id})"
        return RecordError(f"{name}{named}: {self.problem}")

    def entry(self) -> dict[str, Any]:
        """The entry that the artifact lists it by."""
        place = self.name.removeprefix(f"{self.path}: ")
        return {"path": self.path, "place": place, "id": self.id, "image": self.image, "problem": self.problem}


def shown(value: Any) -> str:
    """A value as a message shows it: JSON, cut short."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = json_line(value).decode().rstrip()
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …"


def json_problem(text: bytes) -> str:
    """Why a line is not JSON."""
    message = ""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        message = str(error).partition(": line ")[0]
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as problem:
        return f"not UTF-8: byte 0x{text[problem.start]:02x} at position {problem.start}{encoding_hint(text)}"
    if has_zeros(text):
        return f"not JSON: {message}{encoding_hint(text)}; expected one JSON object a line"
    end = shown(decoded[-40:])
    array = ", not an array (jq -c '.[]' FILE makes lines of one)" if decoded.startswith("[") else ""
    return f"not JSON: {message}; expected one JSON object a line{array}, and this one ends with {end}"


def explain_object(
    item: Any, reason: int, frame: str, width: float, height: float, advice: str = ""
) -> tuple[str, str, str]:
    """(place inside the object, problem, value found) for a reason of the flattening kernel.

    `advice` is for coordinates that may be pixels, where there is no option that reads them.
    """
    name = REASONS[reason]
    if name == "not an object":
        return "", "not an object, expected {type, points, desc}", shown(item)
    if name in ("type", "desc"):
        expected = " or ".join(KINDS) if name == "type" else "a string (it may be empty)"
        if name not in item:
            return f".{name}", f"missing, expected {expected}", shown(item)
        return f".{name}", f"expected {expected}", shown(item[name])
    if "points" not in item:
        return ".points", "missing, expected [x1, y1, x2, y2, …]", shown(item)
    points = item["points"]
    norm1000 = frame == "norm1000"
    span = "[0, 1000]" if norm1000 else f"[0, {width:g}] for x and [0, {height:g}] for y"
    hint = f" (are these pixels? {advice or keyword('frame', 'pixel') + ' reads them'})" if norm1000 else ""
    return ".points", _points_problem(name, item["type"], points, span, hint), shown(points)


def _points_problem(name: str, kind: str, points: Any, span: str, hint: str) -> str:
    count = _count(points)
    return {
        "points": "not a list, expected [x1, y1, x2, y2, …]",
        "not a number": "expected numbers only",
        "not finite": "a number is not finite, expected finite numbers",
        "bbox_2d count": f"{count} numbers, expected 4 for a bbox_2d",
        "odd count": f"{count} numbers, expected pairs of x and y for a {kind}",
        "poly count": f"{count} numbers, expected at least 3 points for a poly",
        "line count": f"{count} numbers, expected at least 2 points for a line",
        "outside the frame": f"a number lies outside {span}, expected all of them inside{hint}",
    }[name]


def _count(points: Any) -> int:
    if not isinstance(points, (list, tuple)):
        return 0
    return sum(len(item) if isinstance(item, (list, tuple)) else 1 for item in points)
