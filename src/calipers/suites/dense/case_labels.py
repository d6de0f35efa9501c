"""What the objects of a case are called: as codes of the labels that its record has, each written once.

`{"names": ["光纤", ["螺丝", "BBU安装螺丝"]], "gt": [0, 1, 0], "pred": [1]}`: for every object of a side a place in
`names`, where a text is both labels, a pair phase and category. Older folders have the labels themselves, as
`{"gt": {"phase": […], "category": […]}, "pred": …}`, and are still read.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple


class CaseLabel(NamedTuple):
    """The labels of an object."""

    phase: str
    category: str


def coded_labels(gt: Iterable[CaseLabel], pred: Iterable[CaseLabel]) -> dict[str, Any]:
    """The labels of the objects of a record.

    >>> coded_labels([CaseLabel("a", "a"), CaseLabel("a", "b")], [CaseLabel("a", "a")])
    {'names': ['a', ['a', 'b']], 'gt': [0, 1], 'pred': [0]}
    """
    known: dict[CaseLabel, int] = {}
    codes = {
        side: [known.setdefault(label, len(known)) for label in labels] for side, labels in (("gt", gt), ("pred", pred))
    }
    return {"names": [written_label(label) for label in known], **codes}


def written_label(label: CaseLabel) -> str | list[str]:
    """How both labels of an object stand in `names`.

    >>> written_label(CaseLabel("a", "a")), written_label(CaseLabel("a", "b"))
    ('a', ['a', 'b'])
    """
    return label.phase if label.phase == label.category else [label.phase, label.category]


def side_labels(case: dict[str, Any], side: str) -> list[CaseLabel]:
    """What all objects of one side of a case are called.

    >>> side_labels({"labels": {"names": ["a", ["a", "b"]], "gt": [0, 1], "pred": []}}, "gt")
    [CaseLabel(phase='a', category='a'), CaseLabel(phase='a', category='b')]
    >>> side_labels({"labels": {"gt": {"phase": ["a"], "category": ["b"]}}}, "gt")
    [CaseLabel(phase='a', category='b')]
    """
    labels = case["labels"]
    if "names" not in labels:
        return list(map(CaseLabel, labels[side]["phase"], labels[side]["category"]))
    known = list(map(label_of, labels["names"]))
    return [known[code] for code in labels[side]]


def label_of(name: str | list[str]) -> CaseLabel:
    """The labels of an object, as `names` has them.

    >>> label_of("a"), label_of(["a", "b"])
    (CaseLabel(phase='a', category='a'), CaseLabel(phase='a', category='b'))
    """
    return _both(name, name) if isinstance(name, str) else _both(*name)


@lru_cache(maxsize=1 << 16)
def _both(phase: str, category: str) -> CaseLabel:
    """Both labels of an object, made once for all that are alike."""
    return CaseLabel(phase, category)
