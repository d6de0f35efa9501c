"""The rules of a gate, from flags, keywords and TOML.

    [[rule]]
    metric = "category.mean_f1"
    max_drop = 0.01     # against the baseline
    floor = 0.5         # the new value is at least this
    ceiling = 0.9       # … at most this

A rule has one limit or several. `max_drop` of a figure for which lower is better limits its rise.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from calipers.core.config import check_names, read_toml
from calipers.core.errors import ConfigError, unexpected

KINDS = ("max_drop", "floor", "ceiling")
NUMBER = "a number"
DROP = "a number of at least 0"


class Rule(NamedTuple):
    """One limit of one figure."""

    metric: str
    kind: str
    limit: float


def make_rules(rules: Any, limits: Mapping[str, Any]) -> list[Rule]:
    """All rules: those of a file or list, then those given by kind."""
    all_rules = [*_listed(rules), *(rule for kind, limit in limits.items() for rule in _by_kind(kind, limit))]
    if not all_rules:
        raise ConfigError("no rule was given, expected at least one of max_drop, floor, ceiling, or a file of rules")
    return all_rules


def _listed(rules: Any) -> Iterator[Rule]:
    if rules is None:
        return
    if isinstance(rules, (str, os.PathLike)):
        yield from _tables(_read(Path(rules)), f"{os.fspath(rules)}: ")
    elif isinstance(rules, Iterable) and not isinstance(rules, Mapping):
        yield from _tables(list(rules), "rules: ")
    else:
        raise ConfigError(f"rules: found {rules!r:.80}, expected the path of a TOML file, or a list of tables")


def _read(path: Path) -> Any:
    tree = read_toml(path, "tables of rules")
    check_names(tree, ["rule"], f"{path}: ", "a table")
    return tree.get("rule", [])


def _tables(tables: Any, where: str) -> Iterator[Rule]:
    if not isinstance(tables, list) or not all(isinstance(table, (Mapping, Rule)) for table in tables):
        raise ConfigError(f"{where}rule: found {tables!r:.80}, expected tables, each under [[rule]]")
    for number, table in enumerate(tables, 1):
        yield from [table] if isinstance(table, Rule) else _limits(table, f"{where}rule {number}: ")


def _limits(table: Mapping[str, Any], where: str) -> Iterator[Rule]:
    check_names(table, ["metric", *KINDS], where, "a key of a rule")
    metric = table.get("metric")
    if not isinstance(metric, str) or not metric:
        raise ConfigError(f"{where}metric: found {metric!r:.80}, expected the name of a figure")
    kinds = [kind for kind in KINDS if kind in table]
    if not kinds:
        raise ConfigError(f"{where}no limit for {metric!r:.80}, expected at least one of {', '.join(KINDS)}")
    for kind in kinds:
        yield Rule(metric, kind, _limit(table[kind], kind, f"{where}{kind}"))


def _by_kind(kind: str, limit: Any) -> Iterator[Rule]:
    """Rules of one kind: limits by figure, as keywords and tables have them, or texts NAME=NUMBER, as flags do."""
    if isinstance(limit, Mapping):
        yield from (Rule(name, kind, _limit(value, kind, f"{kind} {name}")) for name, value in limit.items())
        return
    texts = [limit] if isinstance(limit, str) else () if limit is None else limit
    if not isinstance(texts, Iterable):
        raise unexpected(kind, limit, "limits by figure, or texts of NAME=NUMBER")
    for text in texts:
        metric, _, value = str(text).rpartition("=")
        if not metric:
            raise ConfigError(f"{kind}: found {text!r:.80}, expected NAME=NUMBER")
        yield Rule(metric.strip(), kind, _limit(_number(value), kind, f"{kind} {metric.strip()}"))


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _limit(value: Any, kind: str, where: str) -> float:
    largest = sys.float_info.max
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and -largest <= value <= largest
    if not good or (kind == "max_drop" and value < 0):
        raise ConfigError(f"{where}: found {value!r:.80}, expected {DROP if kind == 'max_drop' else NUMBER}")
    return float(value)
