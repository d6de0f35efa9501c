r"""Label tracks of Audacity: a line for each label, its start and end in seconds and its text, with tabs between.

A line that begins with a backslash holds the frequencies of the label before it, and is not read. A label of a point in
time has no length, and covers no frame.
"""

from __future__ import annotations

from collections.abc import Mapping

from calipers.core.errors import InputError
from calipers.files.encodings import decoded
from calipers.files.problems import shown
from calipers.suites.timeline.formats.spans import TimedStates, is_number, seconds_of


def looks_like(head: bytes) -> bool:
    r"""Whether the first line is two numbers and a text, and no more: rows of YOLO begin with two numbers too.

    >>> looks_like(b"0.5\t1.25\tinside\n"), looks_like(b"0.5,1.25,inside\n"), looks_like(b"1\t0.4\t0.5\t0.2\t0.3\n")
    (True, False, False)
    """
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").partition(b"\n")[0]
    cells = first.decode("utf-8", "replace").rstrip("\r").split("\t")
    return 2 <= len(cells) <= 3 and is_number(cells[0]) and is_number(cells[1])


def read_audacity(data: bytes, name: str, spelling: Mapping[str, str]) -> tuple[TimedStates, list[str]]:
    r"""One file as states in seconds, and warnings.

    >>> read_audacity(b"0.0\t2.5\toutside\n2.5\t4\tInside\n", "a.txt", {"inside": "inside"})[0].states
    {'outside': [(0.0, 2.5)], 'inside': [(2.5, 4.0)]}
    """
    timed = TimedStates(name, spelling)
    for number, line in enumerate(decoded(data, name).split("\n"), 1):
        if line.strip() and not line.startswith("\\"):
            _add_label(timed, line.rstrip("\r"), f"{name}:{number}")
    return timed, []


def _add_label(timed: TimedStates, line: str, place: str) -> None:
    cells = line.split("\t")
    if len(cells) < 3:
        raise InputError(f"{place}: found {shown(line)}, expected start, end and label with tabs between")
    timed.add(place, " ".join(cells[2:]), seconds_of(cells[0], place, "start"), seconds_of(cells[1], place, "end"))
