"""The options of a verdict: from flags or keywords, then from the payload's `config`, then defaults.

Hosts forward every key of their YAML, so a key of `config` that is no option is only listed; but one that nearly is an
option was meant to be it, and is an error.
"""

from __future__ import annotations

from calipers.core.errors import ConfigError
from calipers.judge.hosts import snake
from calipers.judge.kinds import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAMES = ("threshold", "match", "labels", "metric", "format", "unit", "at", "tolerance", "pass_at", "max_work")
MAX_WORK = 1000  # steps for each number of the shapes
ALSO = {"iou_threshold": "threshold", "io_u_threshold": "threshold", "matching": "match"}
CHOICES = {
    "match": ("greedy", "optimal", "gt-order"),
    "labels": ("ignore", "exact"),
    "metric": ("euclidean", "manhattan", "chebyshev", "cosine"),
    "format": ("xyxy", "xywh", "cxcywh"),
    "unit": ("frames", "seconds"),
}
MATCHING = ("boxes", "polygon", "rotated", "line", "box3d", "intervals", "map")
ONLY = {  # options that say nothing to other rulers
    "match": MATCHING,
    "labels": (*MATCHING, "iou", "count"),
    "pass_at": MATCHING,
    "metric": ("point",),
    "tolerance": ("line",),
    "format": ("iou", "boxes", "map", "click", "count"),
    "unit": ("intervals",),
}


class Options:
    """The options of a verdict; `ignored` are keys of the host's config that are no options."""

    __slots__ = (
        "at",
        "format",
        "ignored",
        "labels",
        "match",
        "max_work",
        "metric",
        "pass_at",
        "threshold",
        "tolerance",
        "unit",
    )

    at: str | None
    format: str
    ignored: list[str]
    labels: str
    match: str
    max_work: int
    metric: str
    pass_at: float
    threshold: float
    tolerance: float
    unit: str


def make_options(ruler: str, keywords: Mapping[str, Any], config: dict[str, Any]) -> Options:
    """All options of a ruler; ConfigError for a value that cannot be meant."""
    values, ignored = _from_config(config)
    values |= keywords
    options = Options()
    options.ignored = ignored + [name for name in sorted(values) if name in ONLY and ruler not in ONLY[name]]
    for name, choices in CHOICES.items():
        value = values.get(name, choices[0])
        if value not in choices:
            raise ConfigError(f"{name}: found {shown(value)}, expected {' or '.join(choices)}")
        setattr(options, name, value)
    options.threshold = _threshold(ruler, values.get("threshold"), options.metric)
    options.pass_at = _number("pass_at", values.get("pass_at", 0.5), 0, 1)
    options.tolerance = _number("tolerance", values.get("tolerance", 8), 0, 1_000_000)
    options.max_work = int(_number("max_work", values.get("max_work", MAX_WORK), 1, 1e12))
    options.at = values.get("at")
    if options.at is not None and (not isinstance(options.at, str) or not options.at):
        raise ConfigError(f"at: found {shown(options.at)}, expected a path such as result.boxes")
    return options


def _threshold(ruler: str, value: Any, metric: str) -> float:
    if ruler == "point":
        default, maximum = (0.5, 2.0) if metric == "cosine" else (10.0, float("inf"))
        return _number("threshold", default if value is None else value, 0, maximum)
    if ruler in ("click", "count"):
        return _number("threshold", 0.0 if value is None else value, 0, float("inf"))
    return _number("threshold", 0.5 if value is None else value, 0, 1, above=ruler != "iou")


def _number(name: str, value: Any, minimum: float, maximum: float, *, above: bool = False) -> float:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and minimum <= value <= maximum
    if not good or value == float("inf") or (above and value == minimum):
        span = f"above {minimum}" if above else f"from {minimum}"
        limit = "" if maximum == float("inf") else f" {'and at most' if above else 'to'} {maximum:g}"
        raise ConfigError(f"{name}: found {shown(value)}, expected a number {span}{limit}")
    return float(value)


def _from_config(config: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Options among the keys of a host's config, and the other keys."""
    values: dict[str, Any] = {}
    ignored = []
    for key, value in config.items():
        name = snake(key)
        name = ALSO.get(name, name)
        if name not in NAMES:
            if meant := near(name):
                raise ConfigError(f"config: {key!r:.80} is not an option, did you mean {meant!r}?")
            ignored.append(str(key))
        elif value is not None:
            if name in values and values[name] != value:
                raise ConfigError(f"config: {name} is given twice: {shown(values[name])} and {shown(value)}")
            values[name] = value
    return values, ignored


def near(name: str) -> str | None:
    """The option that a name nearly is.

    >>> near("treshold"), near("metrik"), near("mtach"), near("weight"), near("id")
    ('threshold', 'metric', 'match', None, None)
    >>> near("thresh"), near("iou_thresh"), near("tol"), near("form")
    ('threshold', 'threshold', None, None)
    """
    options = (*NAMES, *ALSO)
    close = (option for option in options if _is_close(name, option))
    nearest = next((option for option in close if len(option) > 5 or not _is_another_word(name, option)), None)
    return None if nearest is None else ALSO.get(nearest, nearest)


def _is_close(name: str, option: str) -> bool:
    """Whether a name is an option with a letter or, if that is long, two wrong, or its first five letters or more.

    Options of 3 letters are near none.
    """
    if len(name) > 4 and option.startswith(name):
        return True
    return len(option) > 3 and _edit_distance(name, option) <= (1 if len(option) < 8 else 2)


def _is_another_word(name: str, option: str) -> bool:
    """Whether a name differs from a short one in its first letter alone, as batch, patch and watch from match."""
    return name[:1] != option[:1] and name[1:] == option[1:]


def _edit_distance(a: str, b: str) -> int:
    """Letters to add, drop, change or swap with their neighbour; 3 stands for more."""
    if abs(len(a) - len(b)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]
