"""How large tests are: `dev` for a look, `ci` for `make test`, `nightly` for `make test-all`, which leaves nothing out.

The environment variable CALIPERS_TESTS names one of them. All run the same tests; they differ in how many examples
a property test tries, how many seeds a random case is drawn with, how long hostile texts are, whether verdicts are
asked for in a process of their own, and whether options are tried in every combination or only every two of them
together.
"""

import os
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

from hypothesis import HealthCheck, settings

SHARES = {"dev": 0.1, "ci": 0.15, "nightly": 1.0}  # of the examples of a full run
FEWEST = 5  # examples of a property test, in any profile
PROFILE = os.environ.get("CALIPERS_TESTS", "ci")


def share() -> float:
    """How much of a full run this one is, from 0 to 1."""
    return SHARES[PROFILE]


def examples(full: int) -> int:
    """How many examples to try, of those of a full run."""
    return min(full, max(FEWEST, round(full * share())))


def size(full: int) -> int:
    """How long an input is that shows whether time grows as it should: a fifth at least, for squares to be told."""
    return round(full * max(0.2, share()))


def length(full: int) -> int:
    """How long a text is that shows whether reading takes time in proportion: at a tenth, squares take a minute."""
    return full if share() == 1 else full // 10


def seeds(full: int, fewest: int = 2) -> range:
    """Seeds of random cases: the first ones of a full run."""
    return range(min(full, max(fewest, round(full * share()))))


def combined(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Values of all axes together: every combination in a full run, otherwise every two values of two axes once."""
    lists = [list(axis) for axis in axes]
    rows = covering(list(product(*(range(len(axis)) for axis in lists)))) if share() < 1 else []
    return [at(lists, row) for row in rows] or list(product(*lists))


def covered(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """All of these combinations in a full run, otherwise as few as show every two values that occur together."""
    rows = list(rows)
    lists = [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    places = [tuple(axis.index(value) for axis, value in zip(lists, row, strict=True)) for row in rows]
    return rows if share() == 1 else [at(lists, row) for row in covering(places)]


def at(axes: list[list[Any]], places: tuple[int, ...]) -> tuple[Any, ...]:
    """The values at these places of the axes."""
    return tuple(axis[place] for axis, place in zip(axes, places, strict=True))


def covering(rows: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Combinations that hold every two values of two axes that occur together in any; greedy, always the same.

    >>> covering(list(product([0, 1], repeat=3)))
    [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    """
    missing = set().union(*map(pairs_of, rows))
    chosen = []
    while missing:
        row = max(rows, key=lambda row: len(pairs_of(row) & missing))
        missing -= pairs_of(row)
        chosen.append(row)
    return sorted(chosen)


def pairs_of(row: tuple[int, ...]) -> set[tuple[int, int, int, int]]:
    """Every two axes of a combination, with their values."""
    return {(a, b, row[a], row[b]) for a, b in combinations(range(len(row)), 2)}


def load_profile() -> None:
    """Tell Hypothesis. Examples have no deadline: how long one takes is up to the machine and who else uses it.

    Processes that tests start load numpy without threads of its own, which take a quarter of what loading it does.
    """
    if share() < 1:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in SHARES:
        settings.register_profile(
            name,
            deadline=None,
            derandomize=name == "ci",
            max_examples=int(100 * SHARES[name]),
            suppress_health_check=[HealthCheck.too_slow],  # a busy machine draws slowly
        )
    settings.load_profile(PROFILE)
