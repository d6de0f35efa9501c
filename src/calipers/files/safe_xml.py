"""XML from untrusted files, parsed element by element.

A DOCTYPE, and with it any declared entity, is refused; depth has a limit. Who takes the elements decides what stays in
memory. Names come without their prefixes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from calipers.core.errors import InputError
from calipers.files.problems import shown

DEEPEST = 100


class SafeXml:
    """A parser that calls `start`, `end` and `text` in the order of the document.

    >>> events = []
    >>> SafeXml("XML", lambda name, _: events.append(name), events.append, events.append).parse(b"<a>1<x:b/></a>")
    >>> events
    ['a', '1', 'b', 'b', 'a']
    """

    def __init__(
        self,
        kind: str,
        start: Callable[[str, dict[str, str]], object],
        end: Callable[[str], object],
        text: Callable[[str], object],
    ) -> None:
        self._kind, self._start, self._end, self._depth = kind, start, end, 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse  # there are no entities without one
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.CharacterDataHandler = text

    def parse(self, data: bytes) -> None:
        """Parse the whole document, or raise an error that names the line at fault."""
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            at = self._parser.ErrorByteIndex
            excerpt = shown(data[max(at - 30, 0) : at + 30].decode("utf-8", "replace"))
            problem = expat.ErrorString(error.code)
            raise InputError(f"line {error.lineno}: not XML: {problem}, found around {excerpt}") from None
        except (LookupError, ValueError) as error:  # the encoding that the document says it has
            raise InputError(f"{self.line()}: not XML: {error}") from None

    def line(self) -> str:
        """The number of the line that is being parsed."""
        return f"line {self._parser.CurrentLineNumber}"

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        if self._depth == DEEPEST:
            raise InputError(f"{self.line()}: found elements nested more than {DEEPEST} deep")
        self._start(tag.rpartition(":")[2], attributes)
        self._depth += 1

    def _close(self, tag: str) -> None:
        self._depth -= 1
        self._end(tag.rpartition(":")[2])

    def _refuse(self, *_: Any) -> None:
        raise InputError(f"{self.line()}: found a DOCTYPE, expected {self._kind} without one: entities are not read")
