"""The formats of scenes besides `{"objects": […]}`, one line for each.

A format is one module beside this one, called like it, with `plain_objects(content)`, which gives a `PlainScene`: the
content is the bytes of a file that is no JSON, or else what its JSON holds. A module may have `left_out(content)` as
well, a note on what it does not read, `looks_like(head)`, whether the first bytes of a text are of it, and
`fits(tree)`, whether an object of JSON with its key is. Files are told apart by their content: how the bytes begin, or
a key of the JSON object. (Objects of a scene graph stand among plain ones, so they are told one by one, not here.) A
file of a format that `holds_scenes` may hold many: its module has `read_samples(data, path)`, the scenes by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from calipers.suites.scene.formats.plain import Scene


class SceneFormat(NamedTuple):
    """What the suite knows of a format without loading its module."""

    name: str
    title: str
    layout: str  # files and their main fields, on one line
    expected: str = ""  # what its files hold, for messages about a file that is called like one of them
    begins: bytes = b""  # how the bytes of a file that is no JSON begin
    key: str = ""  # the key by which an object of JSON is told
    file_endings: tuple[str, ...] = (".json",)
    usual_side: str = "gt"  # what a file is taken for where nobody says
    is_text: bool = False  # whether files are texts that are told by their first line
    holds_scenes: bool = False  # whether a file may hold many scenes
    unread: str = ""  # what its files may say beside boxes, labels and scores, which a conversion loses

    def module(self) -> Any:
        """The module that reads it."""
        return import_module(f"calipers.suites.scene.formats.{self.name}")

    def read(self, content: Any) -> Scene:
        """The objects of a file, or of what its JSON holds."""
        from calipers.suites.scene.formats.plain import Scene

        module = self.module()
        left_out = getattr(module, "left_out", None)
        return Scene(module.plain_objects(content), left_out(content) if left_out else "")


FORMATS = (
    SceneFormat(
        name="supervisely",
        title="Supervisely annotation",
        layout="room.pcd.json: objects with classTitle, figures with geometry (cuboid_3d)",
        expected="a Supervisely annotation with figures",
        key="figures",
        unread="tags, descriptions and figures of other frames",
    ),
    SceneFormat(
        name="clio_graphml",
        title="Clio GraphML",
        layout="room.graphml: nodes of type object with name, position, bbox_dim, bbox_orientation",
        expected="GraphML",
        begins=b"<",
        file_endings=(".graphml", ".xml"),
        usual_side="pred",
        unread="edges, and nodes and data that are no objects",
    ),
    SceneFormat(
        name="kitti",
        title="KITTI labels",
        layout="a .txt per frame: type truncated occluded alpha bbox(4) h w l x y z ry [score]; camera axes",
        is_text=True,
        file_endings=(".txt",),
    ),
    SceneFormat(
        name="nuscenes",
        title="nuScenes boxes",
        layout="results or sample_annotation.json, many samples: translation, size [w, l, h], rotation [w, x, y, z]",
        key="results",
        holds_scenes=True,
    ),
)
ENDINGS = tuple(dict.fromkeys((".json", *(ending for kind in FORMATS for ending in kind.file_endings))))
TEXTS = tuple(ending for kind in FORMATS if kind.is_text for ending in kind.file_endings)  # which may hold anything
_FILES = [kind.expected for kind in FORMATS if kind.expected]
EXPECTED = f'{{"objects": […]}}, {", ".join(_FILES[:-1])}, or {_FILES[-1]}'
KEYS = ("objects", *(kind.key for kind in FORMATS if kind.key))
PEEKED = 1 << 16  # bytes


def format_of_bytes(data: bytes) -> SceneFormat | None:
    """The format of a file that is no JSON, by how it begins."""
    begun = next((kind for kind in FORMATS if kind.begins and data.startswith(kind.begins)), None)
    if begun or data[:1] in b"{[":
        return begun
    return next((kind for kind in FORMATS if kind.is_text and kind.module().looks_like(data[:PEEKED])), None)


def format_of_tree(tree: Mapping[str, Any]) -> SceneFormat | None:
    """The format of an object of JSON, by its keys; None if it is the plain one, or none at all."""
    named = (kind for kind in FORMATS if kind.key and kind.key in tree)
    return next((kind for kind in named if not kind.holds_scenes or kind.module().fits(tree)), None)


def format_of_many(head: bytes) -> SceneFormat | None:
    """The format of a JSON file that may hold many scenes, by its first bytes."""
    return next((kind for kind in FORMATS if kind.holds_scenes and kind.module().looks_like(head[:PEEKED])), None)
