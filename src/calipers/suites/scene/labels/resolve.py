"""What the objects of scenes are called: raw labels to classes, and which predictions are left out for theirs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.cuboids import Boxes
from calipers.core.errors import keyword
from calipers.core.similarity import rapidfuzz_version
from calipers.core.versions import Engines
from calipers.core.words import LONGEST, normalise
from calipers.suites.scene.config import Config
from calipers.suites.scene.labels.canonical import Resolved, Resolver
from calipers.suites.scene.labels.label_files import Aliases, load_aliases, load_canonical

Codes = NDArray[np.int32]


class ResolvedClasses:
    """The classes, and which of them each label is; enough to measure scenes that have no other labels."""

    __slots__ = ("_labels", "classes", "tasks")

    def __init__(self, classes: list[str], labels: dict[str, str | None], tasks: set[str]) -> None:
        self.classes, self._labels = classes, labels
        self.tasks = tasks  # the classes that the ground truth has, in these scenes or others

    def label(self, text: str) -> str | None:
        """The class of a label."""
        return self._labels[text]

    def codes(self, boxes: Boxes) -> Codes:
        """The class of each box; -1 is none."""
        place = {label: code for code, label in enumerate(self.classes)}
        by_text = {text: place.get(label or "", -1) for text, label in self._labels.items()}
        return np.array([by_text[text] for text in boxes.labels], dtype=np.int32)

    def similarity(self, boxes: Boxes) -> dict[int, dict[int, float]]:
        """Similarities to classes; of two tasks that are one class the larger counts."""
        place = {label: code for code, label in enumerate(self.classes)}
        by_class: dict[int, dict[int, float]] = {}
        for index, by_task in boxes.similarity.items():
            row = by_class[index] = {}
            for task, value in by_task.items():
                label = self._labels[task]
                if label is not None:
                    row[place[label]] = max(value, row.get(place[label], value))
        return by_class

    def is_task(self) -> NDArray[np.bool_]:
        """(classes,) whether the ground truth has an object of the class."""
        return np.array([label in self.tasks for label in self.classes], dtype=bool)

    def of_texts(self, texts: Iterable[str]) -> ResolvedClasses:
        """Restrict to some labels, with no more classes than these are, in their order."""
        labels = {text: self._labels[text] for text in texts}
        used = set(labels.values())
        return ResolvedClasses([label for label in self.classes if label in used], labels, self.tasks & used)

    def to_text(self) -> str:
        """A text that is the same for the same labels and classes."""
        return json.dumps([self.classes, sorted(self._labels.items()), sorted(self.tasks)])


class Naming(ResolvedClasses):
    """The classes, and how every label that occurs resolves to one of them."""

    __slots__ = ("_resolved", "resolver", "warnings")

    def __init__(self, resolver: Resolver, distinct: DistinctLabels) -> None:
        ordered = sorted(distinct.texts | distinct.tasks)
        self.resolver = resolver
        self._resolved: dict[str, Resolved] = dict(zip(ordered, resolver.resolve_all(ordered), strict=True))
        labels = {text: resolved.label for text, resolved in self._resolved.items()}
        super().__init__(resolver.classes, labels, {labels[text] or "" for text in distinct.truth} - {""})
        self.warnings = list(resolver.warnings)
        self._warn_of_tasks(distinct.tasks)

    def _warn_of_tasks(self, tasks: set[str]) -> None:
        """Add a warning about tasks of similarities that name no class."""
        lost = sorted(task for task in tasks if self._resolved[task].label is None)
        if lost:
            self.warnings.append(f"similarity: no class is called {', '.join(map(repr, lost[:5]))}, so it is left out")

    def unsuggested(self, config: Config) -> list[str]:
        """Warnings about labels that were not compared with all names."""
        warnings = []
        if long := self.resolver.too_long:
            notes = f"{long:,} labels of more than {LONGEST} characters have no suggestions"
            warnings.append(f"unresolved_labels: {notes}; {keyword('aliases')} can name them")
        if left := self.resolver.unsuggested:
            notes = f"{left:,} labels have no suggestions, as {config.max_comparisons:,} comparisons were made"
            warnings.append(f"unresolved_labels: {notes}; {keyword('max_comparisons')} lifts this limit")
        return warnings

    def engines(self) -> Engines:
        """Versions of what labels were compared with so far: for suggestions by spelling, for classes by meaning."""
        from calipers.suites.scene.labels.embedding import model_version

        spelling = rapidfuzz_version() if self.resolver.spelling_used else {}
        return spelling | model_version(self.resolver.embedder_used)

    def of(self, text: str) -> Resolved:
        """What a label resolved to."""
        return self._resolved[text]


class DistinctLabels(NamedTuple):
    """The distinct labels of some scenes."""

    truth: set[str]  # of the ground truth
    texts: set[str]  # of all sides
    tasks: set[str]  # that similarities name

    @classmethod
    def of(cls, truth: Boxes, preds: Iterable[Boxes]) -> DistinctLabels:
        """The labels of some boxes."""
        sides = [truth, *preds]
        texts = {text for side in sides for text in side.labels}
        tasks = {task for side in sides for by_task in side.similarity.values() for task in by_task}
        return cls(set(truth.labels), texts, tasks)

    def add(self, other: DistinctLabels) -> None:
        """Add the labels of other scenes."""
        for mine, theirs in zip(self, other, strict=True):
            mine.update(theirs)


class LabelRules(NamedTuple):
    """The canonical labels and aliases of the label files."""

    canonical: list[str] | None  # None is the labels of the ground truth
    aliases: Aliases

    def to_text(self) -> str:
        """The rules as text, which `rules_from` reads."""
        return json.dumps([self.canonical, *self.aliases])  # ASCII: also half of a surrogate pair comes back


def rules_from(text: str) -> LabelRules:
    """The rules that `to_text` wrote.

    >>> rules = LabelRules(["seat"], Aliases({"chair": "seat"}, {}, "a.json", ("note",)))
    >>> rules_from(rules.to_text()) == rules
    True
    """
    canonical, aliases, rules, where, unread = json.loads(text)
    return LabelRules(canonical, Aliases(aliases, rules, where, tuple(unread)))


def load_rules(config: Config) -> LabelRules:
    """The label files of the options."""
    return LabelRules(None if config.labels is None else load_canonical(config.labels), _aliases(config))


def make_naming(config: Config, distinct: DistinctLabels, rules: LabelRules) -> Naming:
    """Classes as the label files give them, or else the labels of the ground truth."""
    resolver = Resolver(
        _own_labels(distinct.truth) if rules.canonical is None else rules.canonical,
        rules.aliases,
        embed=_embedder(config.embed),
        embed_min=config.embed_min,
        max_comparisons=config.max_comparisons,
    )
    return Naming(resolver, distinct)


def _own_labels(truth: set[str]) -> list[str]:
    """The labels of the ground truth, one spelling each."""
    labels: dict[str, str] = {}
    for label in sorted(truth):
        if key := normalise(label):
            labels.setdefault(key, label)
    return sorted(labels.values())


def _aliases(config: Config) -> Aliases:
    own = Aliases({}, {}) if config.aliases is None else load_aliases(config.aliases)
    learned = Aliases({}, {}) if config.learned_aliases is None else load_aliases(config.learned_aliases)
    own_names = {normalise(raw) for raw in own.aliases}
    further = {raw: target for raw, target in learned.aliases.items() if normalise(raw) not in own_names}
    own_names = {normalise(words) for words in own.contains_rules}
    rules = {words: target for words, target in learned.contains_rules.items() if normalise(words) not in own_names}
    rules |= own.contains_rules
    return own._replace(aliases=own.aliases | further, contains_rules=rules, unread=own.unread + learned.unread)


def _embedder(embed: Any) -> Any:
    if embed is True:
        from calipers.suites.scene.labels.embedding import sentence_embedder

        return sentence_embedder()
    if isinstance(embed, str):
        from calipers.suites.scene.labels.named_models import named_model

        return named_model(embed)
    return embed or None


def ignored(boxes: Boxes, naming: ResolvedClasses, config: Config) -> NDArray[np.bool_]:
    """Which predictions are left out of all counts, by what they are called."""
    raw = {normalise(text) for text in config.ignore_raw_labels}
    inside = [normalise(text) for text in config.ignore_raw_contains]
    classes = {normalise(text) for text in config.ignore_canonical_labels}
    by_text = {
        text: normalise(text) in raw
        or any(part and part in normalise(text) for part in inside)
        or normalise(naming.label(text) or "") in classes - {""}
        for text in set(boxes.labels)
    }
    return np.array([by_text[text] for text in boxes.labels], dtype=bool)


def label_tree(naming: Naming, truth: Boxes, pred: Boxes, counted: Any) -> dict[str, Any]:
    """How labels were resolved, by the number of objects, and those that were not, with what they may mean."""
    sides = Counter(truth.labels), Counter(np.array(pred.labels, dtype=object)[counted].tolist())
    counts: dict[str, int] = dict.fromkeys(
        ("canonical", "alias", "contains", "embedding", "unresolved", "unlabelled"), 0
    )
    for side in sides:
        for text, count in side.items():
            counts[naming.of(text).how or ("unresolved" if text.strip() else "unlabelled")] += count
    left = sorted(text for text in {*sides[0], *sides[1]} if text.strip() and naming.of(text).label is None)
    often = sorted(left, key=lambda text: -sides[0][text] - sides[1][text])  # they come first to suggestions
    suggestions = {text: naming.resolver.suggest(text) for text in often}
    unresolved = [
        {"label": text, "gt": sides[0][text], "pred": sides[1][text], "suggestions": suggestions[text]} for text in left
    ]
    meant = _by_meaning(naming, sides)
    return {
        "label_resolution": counts,
        "unresolved_labels": unresolved,
        **({"resolved_by_meaning": meant} if meant else {}),
    }


def _by_meaning(naming: Naming, sides: tuple[Counter[str], Counter[str]]) -> list[dict[str, Any]]:
    """Labels that a sentence model resolved, to be looked at: the least sure first."""
    labels = [(text, naming.of(text)) for text in sorted({*sides[0], *sides[1]})]
    meant = sorted((item for item in labels if item[1].how == "embedding"), key=lambda item: item[1].score or 0.0)
    return [
        {"label": text, "class": resolved.label, "score": resolved.score, "gt": sides[0][text], "pred": sides[1][text]}
        for text, resolved in meant
    ]
