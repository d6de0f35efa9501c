"""Sentence models by name or folder, with stand-ins for the packages that read them."""

import json
import sys
from types import ModuleType, SimpleNamespace

import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.suites.scene.labels import named_models
from calipers.suites.scene.labels.named_models import named_model

PLANE = {"stool": [0.8, 0.6], "seat": [1, 0], "table": [0, 1]}
SEAT = {"label": "seat", "center": [0, 0, 0.5], "size": [1, 1, 1]}


class Encoder:
    """A model of any of the three packages."""

    def __init__(self, name, **options):
        if name == "missing":
            raise OSError("missing is not here\nand more")
        self.name, self.options = name, options

    def encode(self, texts, **options):
        return [PLANE[text] for text in texts]

    def embed(self, texts):
        return iter(self.encode(texts))


@pytest.fixture
def installed(monkeypatch):
    """Says which of the packages are installed."""

    def put(*modules):
        known = {
            "sentence_transformers": {"SentenceTransformer": Encoder},
            "fastembed": {"TextEmbedding": Encoder},
            "model2vec": {"StaticModel": SimpleNamespace(from_pretrained=Encoder)},
        }
        for name in modules:
            module = ModuleType(name)
            vars(module).update(known[name])
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setattr(named_models, "find_spec", lambda name: name in modules or None)

    return put


@pytest.mark.parametrize(
    ("modules", "given", "library"),
    [
        (["sentence_transformers", "fastembed", "model2vec"], "all-MiniLM-L6-v2", "sentence-transformers"),
        (["fastembed", "model2vec"], "BAAI/bge-small-en-v1.5", "fastembed"),
        (["sentence_transformers", "fastembed"], "fastembed:BAAI/bge-small-en-v1.5", "fastembed"),
    ],
)
def test_the_package_that_reads_a_model(installed, modules, given, library):
    installed(*modules)
    model = named_model(given)
    assert (model.library, model.name) == (library, given.rpartition(":")[2])
    assert model(["stool", "seat"]).tolist() == [[0.8, 0.6], [1.0, 0.0]]
    assert list(model.version()) == [library]


def test_a_folder_of_model2vec_is_told_by_its_config(installed, tmp_path):
    installed("sentence_transformers", "model2vec")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "model2vec"}))
    assert named_model(str(tmp_path)).library == "model2vec"
    (tmp_path / "config.json").write_text("{")
    assert named_model(str(tmp_path)).library == "sentence-transformers"


def test_what_is_missing_is_named(installed):
    installed()
    with pytest.raises(ConfigError, match="expected a package that reads sentence models: pip install sentence-transf"):
        named_model("some/model")
    with pytest.raises(ConfigError, match="expected model2vec to read it: pip install model2vec"):
        named_model("minishlab/potion-base-8M")
    installed("fastembed")
    with pytest.raises(ConfigError, match=r"fastembed cannot load 'missing' \(missing is not here\), expected a model"):
        named_model("missing")


def test_scenes_are_resolved_by_a_named_model_and_it_is_listed(installed):
    installed("fastembed")
    report = calipers.scene(
        [SEAT], [SEAT | {"label": "stool"}], labels=["seat", "table"], embed="my/model", bootstrap=0
    )
    assert report["detection_metrics"]["recall"] == 1.0
    assert report["params"]["embed"] == "my/model"
    assert report["engines"]["fastembed"]
    [meant] = report["resolved_by_meaning"]
    assert meant == {"label": "stool", "class": "seat", "score": 0.8, "gt": 0, "pred": 1}


def test_a_name_has_to_be_one():
    with pytest.raises(ConfigError, match="embed: found ' ', expected true, false, the name or folder of a model"):
        calipers.scene([SEAT], [SEAT], embed=" ")
