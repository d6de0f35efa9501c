"""The sentence model all-MiniLM-L6-v2, run from its files with numpy alone.

The model turns a text into a vector of 384 numbers such that texts of like meaning point the same way. It is a small
BERT: words are cut into pieces of a fixed vocabulary; each piece becomes a vector; six layers let the pieces of a text
look at each other; their mean, scaled to length 1, is the vector of the text.

Labels are a few words, so nothing faster is needed, and two things are gained over the library the model was made for
(sentence-transformers): it runs without gigabytes of that, and in float64, so that vectors are the same on every
machine to some 14 digits, whatever other texts are asked about. The library works in float32; the two agree to 2e-7.

One thing differs on purpose. The model was taught English. It spells words of other scripts letter by letter, or takes
them all for one and the same "unknown": 桌子 (table) and 椅子 (chair) are equal to it, стол (table) and стул (chair)
nearly so. Here a text with such a word has the vector 0, which is like nothing.
"""

from __future__ import annotations

import json
import unicodedata
from math import erf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAYERS, HEADS, WIDTH = 6, 12, 384
MAX_PIECES = 256  # of a text, with the two that mark its ends; what is beyond is cut
LONGEST_WORD = 100  # in characters; a longer one is not known
MAX_TEXTS = 64  # at a time
EPSILON = 1e-12

Floats = NDArray[np.float64]


class MiniLM:
    """The model in a folder, which has its `vocab.txt` and `model.safetensors`. Called with texts, it gives vectors."""

    def __init__(self, folder: Path) -> None:
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self._codes = {piece: code for code, piece in enumerate(lines)}
        self._tensors = read_tensors(folder / "model.safetensors")

    def __call__(self, texts: list[str]) -> Floats:
        """A vector for each text, of length 1, or 0 if there is no word or one that the model does not know."""
        coded = [self._coded(text) for text in texts]
        vectors = np.zeros((len(texts), WIDTH))
        for rows in _of_equal_length(coded):
            vectors[rows] = self._vectors(np.array([coded[row] for row in rows]))
        return vectors

    def pieces(self, text: str) -> list[str]:
        """The text as pieces of the vocabulary, those inside a word with ## before; [] if a word is not known."""
        words = [self._pieces_of_word(word) for word in split_words(text)]
        return [piece for pieces in words for piece in pieces] if all(words) else []

    def _pieces_of_word(self, word: str) -> list[str]:
        """The word from left to right, always the longest piece there is; [] if there is none somewhere."""
        pieces: list[str] = []
        start = 0 if len(word) <= LONGEST_WORD and all(map(_is_taught, word)) else len(word)
        while start < len(word):
            prefix = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in self._codes), None)
            if end is None:
                return []
            pieces.append(prefix + word[start:end])
            start = end
        return pieces

    def _coded(self, text: str) -> list[int]:
        pieces = self.pieces(text)[: MAX_PIECES - 2]
        return [self._codes[piece] for piece in ("[CLS]", *pieces, "[SEP]")] if pieces else []

    def _vectors(self, codes: NDArray[np.int_]) -> Floats:
        """Vectors of texts of equally many pieces, which are given as (texts, pieces)."""
        tensors = self._tensors
        x = tensors["embeddings.word_embeddings.weight"][codes].astype(np.float64)  # (texts, pieces, WIDTH)
        x += tensors["embeddings.position_embeddings.weight"][: codes.shape[1]]
        x += tensors["embeddings.token_type_embeddings.weight"][0]
        x = self._scaled(x, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            x = self._layer(x, f"encoder.layer.{layer}")
        mean = x.mean(axis=1)
        unit: Floats = mean / np.sqrt((mean * mean).sum(axis=1, keepdims=True))
        return unit

    def _layer(self, x: Floats, at: str) -> Floats:
        seen = self._linear(self._attention(x, f"{at}.attention.self"), f"{at}.attention.output.dense")
        x = self._scaled(x + seen, f"{at}.attention.output.LayerNorm")
        thought = self._linear(gelu(self._linear(x, f"{at}.intermediate.dense")), f"{at}.output.dense")
        return self._scaled(x + thought, f"{at}.output.LayerNorm")

    def _attention(self, x: Floats, at: str) -> Floats:
        """Each piece as a mean of all, weighted by how well its query meets their keys; in HEADS parts apart."""
        parts = (*x.shape[:2], HEADS, WIDTH // HEADS)
        query, key, value = (  # (texts, HEADS, pieces, WIDTH / HEADS)
            self._linear(x, f"{at}.{name}").reshape(parts).swapaxes(1, 2) for name in ("query", "key", "value")
        )
        meeting = query @ key.swapaxes(2, 3) / np.sqrt(WIDTH / HEADS)  # (texts, HEADS, pieces, pieces)
        weights = np.exp(meeting - meeting.max(axis=3, keepdims=True))
        weights /= weights.sum(axis=3, keepdims=True)
        seen: Floats = (weights @ value).swapaxes(1, 2).reshape(x.shape)
        return seen

    def _linear(self, x: Floats, at: str) -> Floats:
        weight: Floats = self._tensors[f"{at}.weight"]  # (numbers out, numbers in)
        rows: Floats = x.reshape(-1, x.shape[2]) @ weight.T + self._tensors[f"{at}.bias"]
        return rows.reshape(*x.shape[:2], -1)

    def _scaled(self, x: Floats, at: str) -> Floats:
        """Each vector with mean 0 and variance 1, then stretched and moved as the model has learned."""
        x = x - x.mean(axis=2, keepdims=True)
        x /= np.sqrt((x * x).mean(axis=2, keepdims=True) + EPSILON)
        scaled: Floats = x * self._tensors[f"{at}.weight"] + self._tensors[f"{at}.bias"]
        return scaled


def gelu(x: Floats) -> Floats:
    """Each number times the share of a standard normal distribution that lies below it.

    >>> gelu(np.array([-9.0, 0.0, 9.0])).round(6).tolist()
    [-0.0, 0.0, 9.0]
    """
    errors = list(map(erf, (x / np.sqrt(2.0)).ravel().tolist()))  # numpy has no erf
    return x * (0.5 + 0.5 * np.array(errors).reshape(x.shape))


def split_words(text: str) -> list[str]:
    """The words of a text, in small letters without accents; a punctuation mark is a word of its own.

    >>> split_words("Café-Tür 2")
    ['cafe', '-', 'tur', '2']
    """
    return "".join(map(_spaced, unicodedata.normalize("NFD", text.lower()))).split()


def _spaced(char: str) -> str:
    """A character as it stands in a line of words: left out, with spaces around, or itself."""
    category = unicodedata.category(char)
    if category in ("Mn", "Cc", "Cf") and not char.isspace():
        return ""
    is_own_word = category.startswith("P") or (char.isascii() and not char.isalnum())
    return f" {char} " if is_own_word else char


def _is_taught(char: str) -> bool:
    """Whether a character is none of a script other than the Latin one."""
    return char.isascii() or not char.isalpha() or unicodedata.name(char, "").startswith("LATIN ")


def _of_equal_length(coded: list[list[int]]) -> list[list[int]]:
    """Places of lists of equal length, at most MAX_TEXTS together; empty lists are in none."""
    places: dict[int, list[int]] = {}
    for place, codes in enumerate(coded):
        places.setdefault(len(codes), []).append(place)
    places.pop(0, None)
    return [same[start : start + MAX_TEXTS] for same in places.values() for start in range(0, len(same), MAX_TEXTS)]


def read_tensors(file: Path) -> dict[str, NDArray[Any]]:
    """The float32 tensors of a safetensors file: the size of a header, the header (JSON), then the numbers.

    Those of the layers are widened to float64 once; the large table of words stays in the file until it is looked up.
    """
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        header: dict[str, Any] = json.loads(stream.read(size))
    content = np.memmap(file, np.uint8, "r", offset=8 + size)
    tensors: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            start, end = entry["data_offsets"]
            tensor = content[start:end].view("<f4").reshape(entry["shape"])
            tensors[name] = tensor.astype(np.float64) if name.startswith("encoder.") else tensor
    return tensors
