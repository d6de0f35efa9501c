"""Sentence models that the user has, by name or folder: of sentence-transformers, fastembed or model2vec.

Which package reads a model: the one that stands before a colon (`fastembed:BAAI/bge-small-en-v1.5`); else model2vec for
its own (a folder whose `config.json` says so, a name with "model2vec", "m2v" or "potion" in it); else the first that is
installed of sentence-transformers, fastembed and model2vec. Models are taken from this machine, nothing is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from calipers.core.errors import ConfigError

MODULES = {"sentence-transformers": "sentence_transformers", "fastembed": "fastembed", "model2vec": "model2vec"}
OF_MODEL2VEC = ("model2vec", "m2v", "potion")
Encode = Callable[[list[str]], Any]


class NamedModel:
    """A model of another library, as a function from texts to vectors."""

    def __init__(self, library: str, name: str, encode: Encode) -> None:
        self.library, self.name, self._encode = library, name, encode

    def __call__(self, texts: list[str]) -> NDArray[np.float64]:
        """A vector for each text."""
        return np.asarray(self._encode(texts), np.float64)

    def version(self) -> dict[str, str]:
        """The version of the library, by its name."""
        try:
            return {self.library: version(self.library)}
        except PackageNotFoundError:  # a folder on the path, without what pip knows of it
            return {self.library: "unknown"}


def named_model(model: str) -> NamedModel:
    """The model of a name or folder; a ConfigError where its package is not installed, or it is not on this machine."""
    library, name = _library(model)
    if find_spec(MODULES[library]) is None:
        raise ConfigError(f"embed: found {model!r:.120}, expected {library} to read it: pip install {library}")
    try:
        return NamedModel(library, name, LOADERS[library](name))
    except (OSError, ValueError, KeyError) as error:
        words = (str(error).splitlines() or [type(error).__name__])[0]
        problem = f"{library} cannot load {name!r:.120} ({words:.200})"
        raise ConfigError(f"embed: {problem}, expected a model of it that is on this machine") from error


def _library(model: str) -> tuple[str, str]:
    """Which package reads a model, and what the model is called."""
    before, colon, after = model.partition(":")
    if colon and before in MODULES:
        return before, after
    if _is_model2vec(model):
        return "model2vec", model
    installed = [library for library, module in MODULES.items() if find_spec(module)]
    if not installed:
        packages = " or ".join(f"pip install {library}" for library in MODULES)
        raise ConfigError(f"embed: found {model!r:.120}, expected a package that reads sentence models: {packages}")
    return installed[0], model


def _is_model2vec(model: str) -> bool:
    if not os.path.isdir(model):
        return any(word in model.lower() for word in OF_MODEL2VEC)
    try:
        with open(os.path.join(model, "config.json"), "rb") as file:
            config = orjson.loads(file.read())
    except (OSError, orjson.JSONDecodeError):  # one of another kind, which its package reads
        return False
    return isinstance(config, dict) and config.get("model_type") == "model2vec"


def _sentence_transformers(name: str) -> Encode:
    from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found,unused-ignore]

    model = SentenceTransformer(name, device="cpu", local_files_only=True)
    return lambda texts: model.encode(texts, show_progress_bar=False, convert_to_numpy=True)


def _fastembed(name: str) -> Encode:
    from fastembed import TextEmbedding  # type: ignore[import-not-found,unused-ignore]

    model = TextEmbedding(name, local_files_only=True)
    return lambda texts: list(model.embed(texts))


def _model2vec(name: str) -> Encode:
    from model2vec import StaticModel  # type: ignore[import-not-found,unused-ignore]

    folder = name
    if not os.path.isdir(name):
        from huggingface_hub import snapshot_download  # type: ignore[import-not-found,unused-ignore]

        folder = snapshot_download(name, local_files_only=True)
    model = StaticModel.from_pretrained(folder, force_download=False)
    return lambda texts: model.encode(texts, use_multiprocessing=False)


LOADERS = {"sentence-transformers": _sentence_transformers, "fastembed": _fastembed, "model2vec": _model2vec}
