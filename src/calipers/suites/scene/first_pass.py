"""The first of two passes over scenes in shards: the labels they have, so that these are resolved once, for all.

What a label means depends on all of them: classes are those of the ground truth unless they are listed, and a sentence
model is asked once. So each shard first gives its distinct labels, and then goes out again with what these mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.limits import pairs_allowed
from calipers.core.text import whole_text
from calipers.suites.scene.config import Config
from calipers.suites.scene.labels.resolve import DistinctLabels, LabelRules, Naming, ResolvedClasses, make_naming
from calipers.suites.scene.measure import check_methods
from calipers.suites.scene.read import BadScene, SceneReading
from calipers.suites.scene.shards import SceneShard, read_shard


class ShardLabels(NamedTuple):
    """What the first pass finds in a shard."""

    distinct: DistinctLabels
    objects: list[int]  # (1 + methods,) boxes
    scored: list[bool]  # (methods,) whether a prediction has a score
    digest: str
    bad: list[BadScene]


class KnownLabels(NamedTuple):
    """What the labels of a shard mean, and what else is known from other shards."""

    names: ResolvedClasses
    scored: list[bool]  # (methods,) whether any prediction has a score, of these scenes or others
    most_pairs: list[int]  # (methods,) that the run may compare
    digest: str  # of what the files of the shard held

    def to_text(self) -> str:
        """A text that is the same if the shard, measured with it, gives the same."""
        return f"{self.digest} {self.scored} {self.names.to_text()}"


def find_labels(shard: SceneShard, *, methods: list[str], label_source: str, max_bad: int) -> ShardLabels:
    """The distinct labels of a shard."""
    reading = read_shard(shard, methods, label_source=label_source, max_bad=max_bad)
    return ShardLabels(
        DistinctLabels.of(reading.truth, reading.preds.values()),
        [len(side.boxes) for side in reading.sides],
        [not np.isnan(boxes.scores).all() for boxes in reading.preds.values()],
        files_digest(reading),
        reading.bad,
    )


def files_digest(reading: SceneReading) -> str:
    """A digest of everything that was read."""
    lines = [
        f"{at}\t{scene}\t{file.sha256}\n"
        for at, side in enumerate(reading.sides)
        for scene, file in side.scenes.items()
    ]
    return sha256(whole_text("".join(lines)).encode()).hexdigest()


class FirstPass:
    """The labels of all shards."""

    def __init__(self, methods: Sequence[str]) -> None:
        self._methods = list(methods)
        self._distinct = DistinctLabels(set(), set(), set())
        self._objects = np.zeros(1 + len(self._methods), dtype=np.int64)
        self._scored = np.zeros(len(self._methods), dtype=bool)
        self._places: dict[str, int] = {}  # of texts
        self._texts: list[NDArray[np.int32]] = []  # (shards,) places of the texts of each
        self._digests: list[str] = []

    def add(self, shard: ShardLabels) -> None:
        """Add the labels of the next shard."""
        self._distinct.add(shard.distinct)
        self._objects += shard.objects
        self._scored |= shard.scored
        texts = sorted(shard.distinct.texts | shard.distinct.tasks)
        places = [self._places.setdefault(text, len(self._places)) for text in texts]
        self._texts.append(np.array(places, dtype=np.int32))
        self._digests.append(shard.digest)

    def resolve(self, config: Config, rules: LabelRules) -> Naming:
        """Resolve all labels to classes."""
        check_methods(self._methods, config)
        return make_naming(config, self._distinct, rules)

    def known_labels(self, naming: Naming, config: Config) -> Iterator[KnownLabels]:
        """The resolved labels of each shard, in the order of shards."""
        texts = list(self._places)
        truth, *preds = self._objects.tolist()
        most_pairs = [pairs_allowed(config.max_pairs, truth + pred) for pred in preds]
        for places, digest in zip(self._texts, self._digests, strict=True):
            names = naming.of_texts(texts[place] for place in places.tolist())
            yield KnownLabels(names, self._scored.tolist(), most_pairs, digest)


def shards_with_labels(shards: Iterable[SceneShard], known_labels: Iterable[KnownLabels]) -> Iterator[SceneShard]:
    """The shards, each with its resolved labels."""
    return (shard._replace(labels=labels) for shard, labels in zip(shards, known_labels, strict=True))
