"""Groups as a compact letter display: two results share a letter if and only if their pair is not separated.

Letters are found by insertion and absorption (Piepho 2004). All results begin with one letter in common; every
separated pair splits each letter that both have into two, one without the first and one without the second; a letter
whose results all have another one in common as well is dropped, and at the end one that no pair needs. Where this would
take too many letters on the way, pairs that are not separated are covered one after the other, each by as large a group
as has no separated pair.

The 27th letter is aa, then come ab, ac …; where there are so many, a space stands between the letters of a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

Pair = tuple[int, int]
Group = int  # a bit for each result
MAX_GROUPS = 1000  # while splitting
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters(count: int, separated: Iterable[Pair]) -> list[str]:
    """The letters of `count` results, best first.

    >>> letters(3, [(0, 2)]), letters(3, []), letters(3, [(0, 1), (0, 2), (1, 2)])
    (['a', 'ab', 'b'], ['a', 'a', 'a'], ['a', 'b', 'c'])
    >>> letters(4, [(0, 2), (0, 3), (1, 3)])
    ['a', 'ab', 'bc', 'c']
    """
    pairs = sorted({(min(pair), max(pair)) for pair in separated})
    groups = _absorbed(count, pairs) or _covering(count, pairs)
    ordered = _needed(sorted([place for place in range(count) if group >> place & 1] for group in groups))
    between = " " if len(ordered) > len(ALPHABET) else ""
    owned = [[letter(k) for k, group in enumerate(ordered) if place in group] for place in range(count)]
    return [between.join(own) for own in owned]


def split_letters(groups: Sequence[str | None]) -> list[set[str]]:
    """The letters of each result one by one; a result without a value has none.

    >>> [sorted(each) for each in split_letters(["a", "ab", None])], split_letters(["z aa", "aa"])[1]
    ([['a'], ['a', 'b'], []], {'aa'})
    """
    many = any(group == letter(len(ALPHABET)) or " " in group for group in groups if group)
    return [set((group.split(" ") if many else group) if group else ()) for group in groups]


def letter(number: int) -> str:
    """The name of a group by its place.

    >>> letter(0), letter(25), letter(26), letter(27), letter(52)
    ('a', 'z', 'aa', 'ab', 'ba')
    """
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, len(ALPHABET))
        name = ALPHABET[rest] + name
    return name


def _absorbed(count: int, pairs: list[Pair]) -> list[Group]:
    """All largest groups without a separated pair; an empty list where splitting makes too many."""
    groups = [(1 << count) - 1]
    for first, second in pairs:
        both = 1 << first | 1 << second
        halves = [group & ~(1 << place) for group in groups if group & both == both for place in (first, second)]
        groups = _with_largest([group for group in groups if group & both != both], halves)
        if len(groups) > MAX_GROUPS:
            return []
    return groups


def _with_largest(groups: list[Group], more: list[Group]) -> list[Group]:
    """The groups, and those of the others that are not part of any."""
    for group in sorted(set(more), key=lambda group: (-group.bit_count(), group)):
        if not any(group & other == group for other in groups):
            groups.append(group)
    return groups


def _needed(groups: list[list[int]]) -> list[list[int]]:
    """The groups without those of which every pair is in another one as well, from the last to the first."""
    held = Counter(pair for group in groups for pair in combinations_with_replacement(group, 2))
    needed = []
    for group in reversed(groups):
        pairs = list(combinations_with_replacement(group, 2))
        if all(held[pair] > 1 for pair in pairs):
            held.subtract(pairs)
        else:
            needed.append(group)
    return needed[::-1]


def _covering(count: int, pairs: list[Pair]) -> list[Group]:
    """Groups without a separated pair that hold every other pair: few of them, not all."""
    separated = [0] * count
    for first, second in pairs:
        separated[first] |= 1 << second
        separated[second] |= 1 << first
    groups: list[Group] = []
    for first in range(count):
        for second in range(first, count):
            both = 1 << first | 1 << second
            if not separated[first] >> second & 1 and not any(group & both == both for group in groups):
                groups.append(_grown(both, separated))
    return _with_largest([], groups)


def _grown(group: Group, separated: list[Group]) -> Group:
    """The group, extended one by one by every result that is separated from none of its members."""
    for place, others in enumerate(separated):
        if not others & group:
            group |= 1 << place
    return group
