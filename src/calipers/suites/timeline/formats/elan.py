"""ELAN's `.eaf`: annotations that are aligned with time, on tiers.

The value of an annotation is the state, its two time slots are where it starts and ends, in milliseconds. Annotations
that refer to others have no time of their own and are not read. Where several tiers hold annotations with times, the
one that is called `states` (or `state`, in any case) counts; without one it cannot be told which is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.files.safe_xml import SafeXml
from calipers.suites.timeline.formats.spans import MAX_SECONDS, TimedStates, is_number

ROOT = "ANNOTATION_DOCUMENT"
UNITS = "milliseconds"
TIERS = ("states", "state")
MAX_DOCUMENT_BYTES = 500_000_000  # bytes


class _Annotation(NamedTuple):
    """An annotation as the document has it."""

    tier: str
    place: str  # its line
    slots: tuple[str, str]  # ids of time slots
    value: str


def looks_like(head: bytes) -> bool:
    """Whether the first element is that of ELAN.

    >>> looks_like(b'<?xml version="1.0"?><ANNOTATION_DOCUMENT>'), looks_like(b"<annotations>")
    (True, False)
    """
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and f"<{ROOT}".encode() in head


def read_elan(data: bytes, name: str, spelling: Mapping[str, str]) -> tuple[TimedStates, list[str]]:
    """One file as states in seconds, and warnings."""
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"{name}: found {len(data):,} bytes of XML, expected at most {MAX_DOCUMENT_BYTES:,}")
    document, timed = _ElanDocument(), TimedStates(name, spelling)
    try:
        document.parse(data)
        annotations, warnings = _chosen_tier(document.annotations, name)
        for annotation in annotations:
            start, end = (document.seconds(slot, annotation.place) for slot in annotation.slots)
            timed.add(annotation.place, annotation.value, start, end)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return timed, warnings


def _chosen_tier(annotations: list[_Annotation], name: str) -> tuple[list[_Annotation], list[str]]:
    """The annotations of the tier that is meant, and a warning about others."""
    tiers = sorted({annotation.tier for annotation in annotations})
    if len(tiers) < 2:
        return annotations, []
    meant = [tier for tier in tiers if tier.strip().lower() in TIERS]
    if len(meant) != 1:
        raise InputError(f"found annotations on the tiers {shown(tiers)}, expected one tier, or one called states")
    others = [tier for tier in tiers if tier not in meant]
    warning = f"{name}: the tier {meant[0]!r:.80} is read, others are not: {shown(others)}"
    return [annotation for annotation in annotations if annotation.tier == meant[0]], [warning]


class _ElanDocument:
    """A document as expat tells it, element by element."""

    def __init__(self) -> None:
        self.annotations: list[_Annotation] = []
        self._times: dict[str, str | None] = {}  # by time slot
        self._tier, self._is_root = "", True
        self._open: tuple[str, tuple[str, str]] | None = None  # an aligned annotation: line, slots
        self._value: list[str] | None = None  # pieces of its text
        self._parser = SafeXml("ELAN", self._start, self._end, self._add_text)

    def parse(self, data: bytes) -> None:
        """Parse the whole document, or raise an error that names the line at fault."""
        self._parser.parse(data)

    def seconds(self, slot: str, place: str) -> float:
        """The time of a slot."""
        if slot not in self._times:
            raise InputError(f"{place}: found the time slot {shown(slot)}, expected one of TIME_ORDER")
        text = self._times[slot]
        value = float(text) / 1000 if text is not None and is_number(text) else -1.0
        if not 0 <= value <= MAX_SECONDS:
            problem = f"found {shown(text)}" if text is not None else "missing"
            raise InputError(f"{place}: TIME_VALUE of {shown(slot)}: {problem}, expected milliseconds from 0 on")
        return value

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._is_root and name != ROOT:
            raise InputError(f"{self._parser.line()}: found <{name}>, expected <{ROOT}>")
        self._is_root = False
        if name == "HEADER" and attributes.get("TIME_UNITS", UNITS) != UNITS:
            units = shown(attributes["TIME_UNITS"])
            raise InputError(f"{self._parser.line()}: TIME_UNITS: found {units}, expected {UNITS}")
        if name == "TIME_SLOT":
            self._times[self._attribute(attributes, "TIME_SLOT_ID")] = attributes.get("TIME_VALUE")
        elif name == "TIER":
            self._tier = self._attribute(attributes, "TIER_ID")
        elif name == "ALIGNABLE_ANNOTATION":
            slots = tuple(self._attribute(attributes, f"TIME_SLOT_REF{end}") for end in (1, 2))
            self._open = self._parser.line(), (slots[0], slots[1])
        elif name == "ANNOTATION_VALUE" and self._open:
            self._value = []

    def _attribute(self, attributes: dict[str, str], name: str) -> str:
        if name not in attributes:
            raise InputError(f"{self._parser.line()}: {name}: missing, expected as ELAN writes it")
        return attributes[name]

    def _end(self, name: str) -> None:
        if name == "ANNOTATION_VALUE" and self._open and self._value is not None:
            self.annotations.append(_Annotation(self._tier, *self._open, "".join(self._value)))
            self._value = None
        elif name == "ALIGNABLE_ANNOTATION":
            self._open = None

    def _add_text(self, text: str) -> None:
        if self._value is not None:
            self._value.append(text)
