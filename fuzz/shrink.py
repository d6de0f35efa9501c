"""The smallest case with the same outcome: files, lines and pieces go as long as it stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from fuzz.case import Case

Same = Callable[[Case], bool]


def shrink(case: Case, same: Same, seconds: float = 20.0) -> Case:
    """A smaller case that is still the same to `same`."""
    end = time.monotonic() + seconds
    found = True
    while found and time.monotonic() < end:
        found = False
        for smaller in _smaller(case):
            if time.monotonic() > end:
                break
            if same(smaller):
                case, found = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with less in them, those with much less first."""
    for name in case.files:
        yield case._replace(files={other: content for other, content in case.files.items() if other != name})
    for name, content in sorted(case.files.items(), key=lambda item: -len(item[1])):
        for less in _less(content):
            yield case._replace(files=case.files | {name: less})


def _less(content: bytes) -> Iterator[bytes]:
    lines = content.splitlines(keepends=True)
    if 1 < len(lines) < 300:
        for place in range(len(lines)):
            yield b"".join(lines[:place] + lines[place + 1 :])
    size = len(content) // 2
    while size:
        for start in range(0, len(content), size):
            yield content[:start] + content[start + size :]
        size //= 2 if len(content) < 3000 or size > 64 else 65
