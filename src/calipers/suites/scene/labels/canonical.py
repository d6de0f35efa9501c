"""From what a thing is called to its class: labels as people and models write them -> the canonical labels.

A label is normalised (see `words`) and is then the first of these that it is:

1. a **canonical** label;
2. an **alias**, which stands for a canonical label;
3. a name that **contains** the words of a rule, whole and in a row: under a rule `door` a "door frame" is a door and an
   "indoor plant" is not. Of several rules the longest counts: most words, then most characters, then first in the
   alphabet;
4. by **embedding**, if a function for that is given: the class whose meaning is nearest, if its cosine is at least
   `embed_min`.

Otherwise it is unresolved, and of no class.

"unknown", "unlabeled", "unlabelled" and a label of which nothing is left are no class, whatever aliases, rules and
embedding say. An alias or a rule may lead to one of these: what it names is then of no class, and no further step is
asked. An alias or a rule that leads to any other label that is not canonical resolves nothing, as if it were not there.
There is a warning about either. Aliases are never followed from one to the next, so they cannot go in circles.

A label always resolves to the same, whatever was resolved before. Nothing is ever written.
"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any, Literal, NamedTuple

from calipers.core.errors import require
from calipers.core.words import normalise
from calipers.suites.scene.labels.label_files import SECTIONS, load_aliases, load_canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from calipers.suites.scene.labels.embedding import Embed, Vectors
    from calipers.suites.scene.labels.label_files import Aliases, AliasesSource, CanonicalSource
    from calipers.suites.scene.labels.spelling import Spelling

NO_CLASS = frozenset({"unknown", "unlabeled", "unlabelled"})
MAX_NAMED = 3  # entries in a warning
MAX_COMPARISONS = 50_000_000  # of labels with names, for suggestions; a text counts once for each 64 characters
WordTree = dict[str, Any]  # word -> the tree of the words that follow

How = Literal["canonical", "alias", "contains", "embedding"]


class Resolved(NamedTuple):
    """What a label resolves to, by which step, and at which cosine if by embedding; all None if it is unresolved."""

    label: str | None
    how: How | None
    score: float | None


UNRESOLVED = Resolved(None, None, None)


class Resolver:
    """Resolves labels to canonical ones, and remembers each distinct text.

    >>> names = {"aliases": {"chair": "seat"}, "contains_rules": {"door": "door"}}
    >>> resolver = Resolver(["seat", "table", "door"], names)
    >>> resolver.resolve("Chair"), resolver.resolve("door-frame").label, resolver.resolve("indoor plant").label
    (Resolved(label='seat', how='alias', score=None), 'door', None)
    """

    classes: list[str]  # the canonical labels in their order
    warnings: list[str]  # what in the label files has no effect
    unsuggested: int  # labels for which no suggestion was looked for, as `max_comparisons` were made
    too_long: int  # labels for which no suggestion was looked for, as they are longer than any label
    spelling_used: bool  # whether a suggestion was looked for

    def __init__(
        self,
        canonical: CanonicalSource,
        aliases: AliasesSource | None = None,
        *,
        embed: Embed | None = None,
        embed_min: float = 0.5,
        max_comparisons: int = MAX_COMPARISONS,
    ) -> None:
        require(_is_cosine(embed_min), "embed_min", embed_min, "a number from -1 to 1")
        listed = load_canonical(canonical)
        loaded = load_aliases({} if aliases is None else aliases)
        self.classes = [label for label in listed if normalise(label) not in NO_CLASS]
        self._canonical = {normalise(label): label for label in self.classes}
        self._aliases = self._leading_somewhere(loaded.aliases)
        self._rules = dict(sorted(self._leading_somewhere(loaded.contains_rules).items(), key=_longest_first))
        self._rule_tree = _word_tree(self._rules)
        self._comparisons_left, self.unsuggested, self.too_long = max_comparisons, 0, 0
        self.spelling_used = False
        self._embed, self._embed_min = embed, embed_min
        self._class_vectors: Vectors | None = None
        self._resolved: dict[str, Resolved] = {}
        self._suggested: dict[str, list[str]] = {}
        self.warnings = [*self._warnings_of_classes(listed), *self._warnings_of_aliases(loaded)]

    def _leading_somewhere(self, entries: dict[str, str]) -> dict[str, str | None]:
        """The entries with a target that is a class, or None for no class; the others resolve nothing."""
        targets: dict[str, str | None] = {**self._canonical, **dict.fromkeys(NO_CLASS)}
        target_by_key = {normalise(key): normalise(target) for key, target in entries.items()}
        return {key: targets[target] for key, target in target_by_key.items() if target in targets}

    # Resolving

    def resolve(self, raw: str) -> Resolved:
        """What a label resolves to."""
        return self._resolved.get(raw) or self.resolve_all([raw])[0]

    def resolve_all(self, texts: Iterable[str]) -> list[Resolved]:
        """What each of the labels resolves to. Embedding is asked once, about all that need it."""
        wanted = list(texts)
        self._learn([text for text in dict.fromkeys(wanted) if text not in self._resolved])
        return [self._resolved[text] for text in wanted]

    def _learn(self, texts: list[str]) -> None:
        words = {text: normalise(text) for text in texts}
        by_text = {text: self._by_words(text) for text in words.values()}
        unresolved = sorted(text for text, resolved in by_text.items() if resolved is None)
        by_text.update(self._by_embedding(unresolved))
        self._resolved.update((text, by_text[words[text]] or UNRESOLVED) for text in texts)

    def _by_words(self, text: str) -> Resolved | None:
        """The class that a text resolves to by its words; None if there is none."""
        if not text or text in NO_CLASS:
            return UNRESOLVED
        if text in self._canonical:
            return Resolved(self._canonical[text], "canonical", None)
        if text in self._aliases:
            return _named(self._aliases[text], "alias")
        rule = min(_rules_inside(text, self._rule_tree), key=lambda rule: _longest_first((rule, None)), default=None)
        return None if rule is None else _named(self._rules[rule], "contains")

    def _by_embedding(self, texts: list[str]) -> dict[str, Resolved]:
        """The classes of those texts whose embedding is near enough to one."""
        if self._embed is None or not texts or not self.classes:
            return {}
        from calipers.suites.scene.labels.embedding import nearest, vectors_of

        unasked = list(self._canonical) if self._class_vectors is None else []
        vectors = vectors_of(self._embed, unasked + texts)
        if self._class_vectors is None:
            self._class_vectors = vectors[: len(unasked)]
        neighbours = zip(texts, nearest(vectors[len(unasked) :], self._class_vectors), strict=True)
        enough = ((text, place, cosine) for text, (place, cosine) in neighbours if cosine >= self._embed_min)
        return {text: Resolved(self.classes[place], "embedding", cosine) for text, place, cosine in enough}

    @property
    def embedder_used(self) -> Embed | None:
        """The embedding function, if it was called."""
        return None if self._class_vectors is None else self._embed

    def learned(self) -> dict[str, str]:
        """The labels that embedding resolved so far, and to what; sorted. As aliases they would say the same."""
        return {
            raw: resolved.label
            for raw, resolved in sorted(self._resolved.items())
            if resolved.how == "embedding" and resolved.label is not None
        }

    # Suggesting

    def suggest(self, raw: str, n: int = 3) -> list[str]:
        """Canonical labels that an unresolved label may mean, by its spelling, the likeliest first; perhaps none.

        Each label is compared with every name. After `max_comparisons` of these no more are made, and `unsuggested`
        counts the labels that were left out; `too_long` counts those of more than 200 characters, which are compared
        with nothing.

        >>> resolver = Resolver(["seat", "table", "door"], {"chair": "seat"})
        >>> resolver.suggest("chiar"), resolver.suggest("chairs and a tabel"), resolver.suggest("indoor plant")
        (['seat'], ['seat'], [])
        """
        text = normalise(raw)
        if not text or text in NO_CLASS:
            return []
        if text not in self._suggested:
            self._suggested[text] = self._suggest(text)
        return self._suggested[text][:n]

    def _suggest(self, text: str) -> list[str]:
        if not self._may_compare(text):
            return []
        self.spelling_used = True
        best: dict[str | None, float] = {}
        for name, score in self._spelling.similar_names(text).items():
            label = self._names[name]
            best[label] = max(score, best.get(label, 0.0))
        near = sorted((self._order[label], label) for label in best if label is not None)
        return [label for _, label in sorted(near, key=lambda ranked: -best[ranked[1]])]

    def _may_compare(self, text: str) -> bool:
        """Whether a text is short enough, and the comparisons it takes are left; they are then spent."""
        from calipers.core.words import LONGEST

        if len(text) > LONGEST:
            self.too_long += 1
            return False
        self._comparisons_left -= self._spelling.work(text)
        self.unsuggested += self._comparisons_left < 0
        return self._comparisons_left >= 0

    @cached_property
    def _names(self) -> dict[str, str | None]:
        return {**self._rules, **self._aliases, **self._canonical}

    @cached_property
    def _spelling(self) -> Spelling:
        from calipers.suites.scene.labels.spelling import Spelling

        return Spelling(list(self._names))

    @cached_property
    def _order(self) -> dict[str, int]:
        return {label: place for place, label in enumerate(self.classes)}

    # Warning

    def _warnings_of_classes(self, listed: list[str]) -> Iterator[str]:
        classes = set(self.classes)
        for label in listed:
            if label not in classes:
                yield f"canonical labels: {label!r} is never a class and is left out"
        if not self.classes:
            yield "canonical labels: there is no class, so no label resolves"

    def _warnings_of_aliases(self, aliases: Aliases) -> Iterator[str]:
        for key in aliases.unread:
            yield f"{aliases.where}: {key!r} is not read (known: {', '.join(SECTIONS)})"
        for section, entries in zip(SECTIONS, (aliases.aliases, aliases.contains_rules), strict=True):
            for target, keys in self._leading_nowhere(entries).items():
                near = self.suggest(target, 1)
                hint = f", did you mean {near[0]!r}?" if near else ""
                problem = f"{target!r} is not a canonical label and resolves nothing{hint}"
                yield f"{aliases.where}: {section}: {problem} (target of {_listed(keys)})"
        for key in aliases.aliases:
            text = normalise(key)
            if text in self._aliases and self.resolve(text).label != self._aliases[text]:
                reason = "a canonical label itself" if text in self._canonical else "never a class"
                yield f"{aliases.where}: aliases: {key!r} is {reason}, so its alias has no effect"

    def _leading_nowhere(self, entries: dict[str, str]) -> dict[str, list[str]]:
        """Targets that are not canonical, and the entries that lead to them."""
        nowhere: dict[str, list[str]] = {}
        for key, target in entries.items():
            if normalise(target) not in self._canonical:
                nowhere.setdefault(target, []).append(key)
        return nowhere


def _named(label: str | None, how: How) -> Resolved:
    return UNRESOLVED if label is None else Resolved(label, how, None)


def _word_tree(rules: Iterable[str]) -> WordTree:
    """Rules word by word; where one ends, it stands under the empty word."""
    tree: WordTree = {}
    for rule in rules:
        branch: Any = tree
        for word in rule.split():
            branch = branch.setdefault(word, {})
        branch[""] = rule
    return tree


def _rules_inside(text: str, tree: WordTree) -> Iterator[str]:
    """Rules whose words stand in a text, whole and in a row.

    >>> list(_rules_inside("a door frame", _word_tree(["door", "door frame", "indoor", "frame door"])))
    ['door', 'door frame']
    """
    words = text.split()
    for start in range(len(words)):
        branch: Any = tree
        for word in itertools.islice(words, start, None):
            branch = branch.get(word)
            if branch is None:
                break
            if "" in branch:
                yield branch[""]


def _longest_first(rule: tuple[str, str | None]) -> tuple[int, int, str]:
    words, _ = rule
    return -len(words.split()), -len(words), words


def _is_cosine(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -1 <= value <= 1


def _listed(keys: list[str]) -> str:
    """The first few of some keys, and how many more there are."""
    more = f" and {len(keys) - MAX_NAMED} more" if len(keys) > MAX_NAMED else ""
    return ", ".join(map(repr, keys[:MAX_NAMED])) + more
