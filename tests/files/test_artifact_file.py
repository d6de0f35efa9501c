"""An artifact that is written in two steps has the bytes of one that is written at once."""

from pathlib import Path

import pytest

from calipers.core.errors import OutputError
from calipers.files.artifact_file import artifact_file
from calipers.files.output import to_json

HEAD = {"suite": "a", "params": {"x": [1, 2]}}


class Table:
    """Writes itself."""

    def __init__(self, text=b'{"v": {}}'):
        self.text = text

    def spread_json(self, depth):
        return [self.text] if self.text else None

    def as_dict(self):
        return {"v": {}}


def written(path, begun, tree):
    with artifact_file(path) as file:
        if begun is not None:
            file.begin(begun)
        file.finish(tree)
    return Path(path).read_bytes()


@pytest.mark.parametrize("text", [b'{"v": {}}', b'{"v": {}' + b" " * (1 << 20) + b"}", b""])
def test_a_table_and_what_follows_it(tmp_path, text):
    head = HEAD | {"videos": Table(text)}
    tree = head | {"summary": {"b": {"c": 1}}, "warnings": []}
    assert written(tmp_path / "r.json", head, tree) == to_json(tree)


@pytest.mark.parametrize(
    "tree",
    [
        HEAD,  # nothing is left
        {"suite": "b", "params": {"x": [1, 2]}, "more": 1},
        {"params": {"x": [1, 2]}, "suite": "a", "more": 1},
        {"suite": "a", "more": {"d": {}}},
        {"suite": "a", "params": {"x": [1, 2, 3]}, "warnings": ["a"]},
    ],
)
def test_where_the_first_fields_became_others_all_is_written(tmp_path, tree):
    assert written(tmp_path / "r.json", HEAD, tree) == to_json(tree)


def test_another_table_is_another_field(tmp_path):
    tree = HEAD | {"videos": Table(b'{"w": {}}'), "more": 1}
    assert written(tmp_path / "r.json", HEAD | {"videos": Table()}, tree) == to_json(tree)


def test_names_that_are_no_text(tmp_path):
    tree = HEAD | {"name": "\ud800", "more": {"e": {"f": "\ud800"}}}
    assert written(tmp_path / "r.json", {name: tree[name] for name in (*HEAD, "name")}, tree) == to_json(tree)


def test_nothing_was_begun(tmp_path):
    assert written(tmp_path / "r.json", None, HEAD) == to_json(HEAD)


def test_a_run_that_fails_leaves_what_was_there(tmp_path):
    (tmp_path / "r.json").write_text("old")
    with pytest.raises(AttributeError), artifact_file(tmp_path / "r.json") as file:
        file.finish(file.begin(HEAD))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("r.json", "old")]


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"), artifact_file(tmp_path):
        pass
