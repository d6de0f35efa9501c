"""Which class of a ground truth the label of an answer means.

A label is the class with that name; else the only one whose name differs in case and white space alone, as models
write `Traffic Light` for `traffic light`. Where two classes do, it is none of them: nothing tells which is meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from calipers.files.problems import shown

MAX_NAMED = 5  # labels that a note names
RESPELLED = "objects whose labels are a class of the ground truth but for case and white space, read as that class"


class LabelClasses:
    """The names of all classes, and the labels that were taken for one of them though they are spelled otherwise."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = dict.fromkeys(names)
        folded: dict[str, list[str]] = {}
        for name in self._names:
            folded.setdefault(fold(name), []).append(name)
        self._folded = {key: same[0] for key, same in folded.items() if len(same) == 1}
        self.respelled: Counter[str] = Counter()

    def find(self, label: Any) -> str | None:
        """The name of the class that a label means; None if there is no such class.

        >>> names = LabelClasses(["cone", "Stop Sign", "stop sign"])
        >>> names.find(" Cone"), names.find("stop sign"), names.find("STOP SIGN"), names.find(3)
        ('cone', 'stop sign', None, None)
        >>> [note.partition(": ")[2] for note in names.notes()]
        ['1 (" Cone" 1)']
        """
        if not isinstance(label, str):
            return None
        if label in self._names:
            return label
        name = self._folded.get(fold(label))
        if name is not None:
            self.respelled[label] += 1
        return name

    def named(self, item: Any) -> Any:
        """An object under the name of its class; one of no class stays as it is."""
        if not isinstance(item, Mapping):
            return item
        field = "desc" if "desc" in item else "label"
        name = self.find(item.get(field))
        return item if name is None or name == item[field] else {**item, field: name}

    def notes(self) -> list[str]:
        """A note on labels that are spelled otherwise, if there are any."""
        return [f"{RESPELLED}: {commonest(self.respelled)}"] if self.respelled else []


def fold(name: Any) -> str:
    """A name without case and with single spaces.

    >>> fold(" Traffic  Cone")
    'traffic cone'
    """
    return " ".join(str(name).casefold().split())


def commonest(labels: Mapping[str, int]) -> str:
    """How often labels occur in all, and the commonest of them.

    >>> commonest({"cone": 1, "sign": 2})
    '3 ("sign" 2, "cone" 1)'
    """
    return f"{sum(labels.values()):,} ({', '.join(_named(labels))})"


def _named(labels: Mapping[str, int]) -> Iterator[str]:
    order = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
    yield from (f"{shown(label)} {count:,}" for label, count in order[:MAX_NAMED])
    if len(order) > MAX_NAMED:
        yield "…"
