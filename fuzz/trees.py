"""Mutations of what a file means: a value goes missing, is there twice, or is another one."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from fuzz.values import Pairs, Raw, deep, odd_number, odd_text, odd_value

Place = tuple[Any, int]  # a container and the position of an item in it


def mutate(tree: Any, rng: Random, times: int) -> Any:
    """The tree, changed in some places. Objects may come back as `Pairs`."""
    root = [_opened(deepcopy(tree))]
    for _ in range(times):
        places = _places(root)
        if not places:
            break
        mutation = rng.choices(MUTATIONS, WEIGHTS)[0]
        mutation(rng.choice(places), places, rng)
    return root[0] if root else None


def _opened(tree: Any) -> Any:
    """Objects as pairs, so that all of a tree is lists."""
    if isinstance(tree, dict):
        return Pairs([key, _opened(value)] for key, value in tree.items())
    return [_opened(value) for value in tree] if isinstance(tree, (list, tuple)) else tree


def _places(root: list[Any]) -> list[Place]:
    """Every item of every list and every value of every object, the whole first."""
    found: list[Place] = []
    rest: list[Any] = [root]
    while rest:
        container = rest.pop()
        for index, item in enumerate(container):
            found.append((container, index))
            value = item[1] if isinstance(container, Pairs) else item
            if isinstance(value, list):
                rest.append(value)
    return found


def _value(place: Place) -> Any:
    container, index = place
    return container[index][1] if isinstance(container, Pairs) else container[index]


def _set(place: Place, value: Any) -> None:
    container, index = place
    if isinstance(container, Pairs):
        container[index] = [container[index][0], value]
    else:
        container[index] = value


# The mutations: each changes one place; it may look at all places


def _replace(place: Place, _: list[Place], rng: Random) -> None:
    _set(place, odd_value(rng))


def _nudge(place: Place, places: list[Place], rng: Random) -> None:
    """Another value of the same type, at a leaf."""
    leaves = [each for each in places if isinstance(_value(each), (int, float, str))]
    if not leaves:
        return
    place = rng.choice(leaves)
    value = _value(place)
    if isinstance(value, str):
        _set(place, rng.choice([odd_text(rng), value.upper(), value + odd_text(rng), value * 2]))
    elif abs(value) < 1e100:
        _set(place, rng.choice([odd_number(rng), -value, value * 1000, value + 0.5, str(value), value + 1]))


def _remove(place: Place, _: list[Place], rng: Random) -> None:
    container, index = place
    del container[index]


def _double(place: Place, _: list[Place], rng: Random) -> None:
    container, index = place
    container.insert(rng.randint(0, len(container)), deepcopy(container[index]))


def _multiply(place: Place, _: list[Place], rng: Random) -> None:
    container, index = place
    container.extend(deepcopy(container[index]) for _ in range(rng.choice((2, 20, 60))))


def _rename(place: Place, places: list[Place], rng: Random) -> None:
    """Another key."""
    named = [each for each in places if isinstance(each[0], Pairs)]
    if not named:
        return
    container, index = rng.choice(named)
    key, value = container[index]
    others = [each[0][each[1]][0] for each in named]
    near = [key.upper(), f" {key}", key[:-1], f"{key}s", key.replace("_", "-"), rng.choice(others), odd_text(rng)]
    container[index] = [rng.choice(near), value]


def _wrap(place: Place, _: list[Place], rng: Random) -> None:
    value = _value(place)
    _set(place, rng.choice([[value], [[value]], Pairs([["a", value]]), [value, value]]))


def _unwrap(place: Place, places: list[Place], rng: Random) -> None:
    full = [each for each in places if isinstance(_value(each), list) and _value(each)]
    if full:
        place = rng.choice(full)
        inner = _value(place)
        _set(place, inner[0][1] if isinstance(inner, Pairs) else inner[0])


def _empty(place: Place, places: list[Place], rng: Random) -> None:
    full = [each for each in places if isinstance(_value(each), list)]
    if full:
        place = rng.choice(full)
        _set(place, type(_value(place))())


def _move(place: Place, places: list[Place], rng: Random) -> None:
    """What stands elsewhere in the tree."""
    _set(place, deepcopy(_value(rng.choice(places))))


def _shuffle(place: Place, _: list[Place], rng: Random) -> None:
    rng.shuffle(place[0])


def _nest(place: Place, _: list[Place], rng: Random) -> None:
    _set(place, deep(rng))


def _misspell(place: Place, _: list[Place], rng: Random) -> None:
    """Something that is no value at all."""
    _set(place, Raw(rng.choice([b"", b",", b"}", b"]", b'"', b"\x00", b"\xff", b"//", b"1 2", b'"\\ud800"', b'"\\x"'])))


Mutation = Callable[[Place, list[Place], Random], None]
MUTATIONS: list[Mutation] = [
    _replace,
    _nudge,
    _remove,
    _double,
    _multiply,
    _rename,
    _wrap,
    _unwrap,
    _empty,
    _move,
    _shuffle,
    _nest,
    _misspell,
]
WEIGHTS = [20, 22, 12, 8, 2, 7, 5, 5, 5, 9, 3, 1, 1]
