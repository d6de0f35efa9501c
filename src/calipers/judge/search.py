"""Where the shapes are in a value, and which of what is there they are.

They are found by their names (`kinds.NAMES`, in any case style): at the top first, then in the objects inside, nearest
first, in order of appearance. In one object a name of the kind comes before one that several kinds share. A shared name
that holds no such shape (`points` that are no polygon), and a name with an object, a text or a number that is none (a
label, for all we know), count only when nothing else is found. A place is one shape or a list of them; a list of
objects is the list of their shapes, and so are `object_1`, `object_2`, …; a value that is itself a list is that list.
An object that names its numbers (`x1`, `y1`, `x2`, `y2`) is a shape. null is nothing. A malformed shape keeps its
place, as `Unread`.

Of a value that a text broke off, complete shapes count. A shape that was being written does not, nor does the last
object of a list that was; and where none is complete there is nothing.
"""

from __future__ import annotations

from calipers.judge import kinds
from calipers.judge.kinds import AnswerShapes, Unread, by_plain_name, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Entry = tuple[Any, Any, str]  # a list or object in a tree, the entry of the one it is in, and the step from there

SCORE_NAMES = {"score", "scores", "confidence", "confidences"}
LABEL_NAMES = {  # the first that an object has counts
    name: rank
    for rank, name in enumerate(
        ("label", "labels", "class", "classes", "classname", "category", "categories", "categoryname", "name", "names")
    )
}
_DEEPEST = 8  # objects around a shape, each under a name of its kind
_LISTS = (list, tuple)
_CONTAINERS = (dict, list, tuple)
_NESTED = {dict, list, tuple}
_WHOLE = _NESTED | {int, float, str}
_NOTHING = object()  # where there is no value, not even null


class ShapeSearch:
    """Finds the shapes of one value, and their scores and labels by place in `shapes`.

    `dropped` is true once a shape was left out.
    """

    __slots__ = ("dropped", "format", "kind", "label_by_place", "notes", "read", "score_by_place", "shapes", "telling")

    def __init__(self, kind: str, form: str) -> None:
        self.kind, self.format, self.read, self.telling = kind, form, kinds.READERS[kind], kinds.TELLING_NAMES[kind]
        self.shapes: list[Any] = []
        self.score_by_place: dict[int, Any] = {}
        self.label_by_place: dict[int, str] = {}
        self.notes: list[str] = []
        self.dropped = False

    def find(self, value: Any, at: str | None) -> AnswerShapes:
        """The shapes in a value, or at a place in it."""
        path = self.gather_at(value, at) if at else self.search(value)
        if path is None or (self.dropped and not self.shapes):
            return AnswerShapes([], self.notes, None)
        return AnswerShapes(self.shapes, self.notes, path, self.scores(), self.labels())

    def gather_at(self, root: Any, at: str) -> str | None:
        """Take what a path leads to; the path to the shapes, which may be further inside, or None."""
        steps = at.split(".")
        parents = follow([root], steps[:-1])
        places = follow(parents, steps[-1:])
        if all(place is None or place is _NOTHING for place in places):
            self.notes.append(f"nothing at {at}")
            return None
        inside: str | None = ""
        if len(places) == 1 and isinstance(places[0], _CONTAINERS):
            inside = self.search(places[0])
        else:
            for place in places:
                self.gather(place, 1)
        if inside is None:
            self.notes.append(f"no {self.kind} at {at}")
            return None
        if len(parents) == 1 and isinstance(parents[0], dict):
            beside = by_plain_name(parents[0])
            if not self.score_by_place:
                self.gather_scores(beside, 0)
            self.gather_labels(beside, 0)
        return f"{at}.{inside}" if inside else at

    def search(self, root: Any) -> str | None:
        """Take what is found by its name; the path to it, or None."""
        if isinstance(root, _LISTS):
            self.gather(root)
            if self.is_readable() or not (self.shapes or self.dropped):
                return ""
        elif not isinstance(root, dict):
            return None
        entry = self.locate(root)
        if entry is None:
            return "" if self.shapes else None
        self.shapes, self.score_by_place, self.label_by_place, self.dropped = [], {}, {}, False
        steps = _steps(entry)
        if "*" not in steps:
            self.gather_object(entry[0], 0)
        else:
            for place in follow([root], steps):
                self.gather_item(place, 1)
        return ".".join(steps[:-1] if steps[-1:] == ["*"] else steps + self.keys_in(entry[0]))

    def keys_in(self, node: Any) -> list[str]:
        """The key that an object holds its shapes by, if there is one, as it is written."""
        name = self.name_in(by_plain_name(node))
        return [key for key in node if isinstance(key, str) and kinds.plain(key) == name][:1]

    def locate(self, root: Any) -> Entry | None:
        """The nearest object that holds shapes, or else the nearest that might."""
        spare, level = None, [(root, None, "")]
        while level:
            for place, entry in enumerate(level):
                holds = isinstance(entry[0], dict) and self.is_held_by(entry)
                if holds:
                    self.note_another(entry, level[place + 1 : place + 100])
                    return entry
                spare = entry if holds is None and spare is None else spare
            level = [inside for entry in level for inside in _inside(entry)]
        return spare

    def note_another(self, entry: Entry, others: list[Entry]) -> None:
        """Add a note if another object at the same depth holds a shape too."""
        for other in others:
            beside = other[1] is entry[1] and other[2] == entry[2]
            if not beside and isinstance(other[0], dict) and self.is_held_by(other) and _steps(other) != _steps(entry):
                self.notes.append(f"another {self.kind} at {'.'.join(_steps(other))} does not count, the first does")
                return

    def is_held_by(self, entry: Entry) -> bool | None:
        """Whether an object holds shapes; None if it might, but there is nothing to measure where its name says."""
        named = by_plain_name(entry[0])
        if self.telling.isdisjoint(named):
            return False
        name = self.name_in(named)
        if _is_cut(entry[0]) and (name is None or entry[2] == "*"):
            return False
        if name is None:
            return self.parts_in(named) is not None
        if name in kinds.NAMES[self.kind] and type(named[name]) in (list, tuple):
            return True
        probe = ShapeSearch(self.kind, self.format)
        probe.gather(named[name], 1)
        if probe.is_readable() or not (probe.shapes or probe.dropped):
            return True
        return None if probe.shapes else False

    def is_readable(self) -> bool:
        """Whether there is something to measure."""
        return any(type(shape) is not Unread for shape in self.shapes)

    def name_in(self, named: dict[str, Any]) -> str | None:
        """The name that an object holds its shapes by; None if it has none, or names the numbers of one.

        A name of the kind comes first, then a shared one; last comes one whose value is no list or object.
        """
        own = kinds.NAMES[self.kind]
        for name in named:
            if name in own and isinstance(named[name], _CONTAINERS):
                return name
        if self.parts_in(named) is not None:
            return None
        shared = kinds.SHARED_NAMES.get(self.kind, ())
        names = [name for name in named if name in shared and isinstance(named[name], _CONTAINERS)]
        names += [name for name in named if name in own and named[name] is not None]
        return names[0] if names else None

    def parts_in(self, named: dict[str, Any]) -> tuple[list[Any], str] | None:
        """The numbers of a shape that an object names, and their format."""
        for names, form in kinds.PARTS.get(self.kind, {}).items():
            if names[0] in named and all(name in named for name in names):
                return [named[name] for name in names], form or self.format.replace("xyxy", "xywh")
        return None

    def gather(self, value: Any, depth: int = 0) -> None:
        """Take what is in the place of shapes: one, or a list of them."""
        cut = _is_cut(value)
        self.dropped = self.dropped or cut
        if not isinstance(value, _LISTS):
            self.gather_item(value, depth)
        elif value and not self.is_one(value):
            for item in value:
                self.gather_item(item, depth + 1)
        elif value and not cut:
            self.shapes.append(self.read(value, self.format))

    def is_one(self, value: Any) -> bool:
        """Whether a list is one shape, not a list of shapes."""
        if isinstance(value[0], _CONTAINERS):
            return self.kind in ("polygon", "line") and all(kinds.point_in(item) is not None for item in value)
        return _NESTED.isdisjoint(map(type, value))

    def gather_item(self, item: Any, depth: int) -> None:
        """Take what is in the place of one shape."""
        if type(item) is list:
            self.shapes.append(self.read(item, self.format))
        elif _is_cut(item):
            self.dropped = True
        elif isinstance(item, dict):
            self.gather_object(item, depth)
        elif isinstance(item, _LISTS):
            self.shapes.append(self.read(item, self.format))
        else:
            self.shapes.append(Unread(f"found {shown(item)}, expected one {self.kind}"))

    def gather_object(self, item: Any, depth: int) -> None:
        """Take the shapes that an object holds, and their scores."""
        start, named = len(self.shapes), by_plain_name(item)
        has_shape_name = not self.telling.isdisjoint(named)
        name = self.name_in(named) if has_shape_name else None
        parts = self.parts_in(named) if has_shape_name and name is None else None
        if name is not None and depth < _DEEPEST:
            self.gather(named[name], depth + 1)
            if depth and len(self.shapes) == start and not self.dropped and name[-1] != "s":
                self.shapes.append(Unread(f"found an empty list, expected one {self.kind}"))
        elif parts is not None:
            self.shapes.append(self.read(*parts))
        else:
            self.shapes.append(Unread(f"found an object with no {self.kind} in it"))
        self.gather_scores(named, start)
        self.gather_labels(named, start)

    def gather_scores(self, named: dict[str, Any], start: int) -> None:
        """Take the scores beside the shapes since `start`."""
        count = len(self.shapes) - start
        for name in named:
            if name in SCORE_NAMES and named[name] is not None:
                rows = named[name] if isinstance(named[name], _LISTS) else [named[name]]
                if len(rows) == count or (self.dropped and len(rows) > count):
                    for place, score in enumerate(rows[:count], start):
                        self.score_by_place[place] = score
                else:
                    self.notes.append(f"found {len(rows)} scores for {count} shapes")
                return

    def scores(self) -> list[float] | None:
        """The scores, if each shape has one."""
        if not self.score_by_place:
            return None
        scores = [self.score_by_place.get(place, _NOTHING) for place in range(len(self.shapes))]
        wrong = next((place for place, score in enumerate(scores) if not kinds.is_number(score)), None)
        if wrong is not None:
            self.notes.append(f"score of {self.kind} {wrong}: found {shown(scores[wrong])}, expected a number")
            return None
        return [float(score) for score in scores]

    def gather_labels(self, named: dict[str, Any], start: int) -> None:
        """Take the labels beside the shapes since `start`: a list of them, or one for all; those inside count first."""
        names = [name for name in named if name in LABEL_NAMES and named[name] is not None]
        if not names:
            return
        name = min(names, key=LABEL_NAMES.__getitem__)
        value, count = named[name], len(self.shapes) - start
        if not isinstance(value, _LISTS):
            if count > 1 and name in ("name", "names"):  # that of a picture, for all we know
                return
            value = [value] * count
        if len(value) != count and not (self.dropped and len(value) > count):
            self.notes.append(f"found {len(value)} labels for {count} shapes")
            return
        for place, label in enumerate(value[:count], start):
            if isinstance(label, (str, int)) and not isinstance(label, bool):
                self.label_by_place.setdefault(place, str(label).strip())

    def labels(self) -> list[str | None] | None:
        """The labels, if any shape has one."""
        return [self.label_by_place.get(place) for place in range(len(self.shapes))] if self.label_by_place else None


# Around in trees


def _is_cut(value: Any) -> bool:
    """Whether the text stopped in this list or object."""
    return type(value) not in _WHOLE and getattr(value, "is_cut", False)


def _is_numbered(key: str) -> bool:
    return key == "*" or (key.startswith("object_") and key[7:].isdecimal())


def _inside(entry: Entry) -> list[Entry]:
    """The lists and objects in a list or an object; the step to an item of a list is `*`."""
    node = entry[0]
    if not isinstance(node, dict):
        return [(child, entry, "*") for child in node if isinstance(child, _CONTAINERS)]
    inside = [(key, child) for key, child in node.items() if isinstance(child, _CONTAINERS) and isinstance(key, str)]
    return [(child, entry, "*" if _is_numbered(key) else key) for key, child in inside]


def _steps(entry: Entry | None) -> list[str]:
    steps = []
    while entry is not None and entry[1] is not None:
        steps.append(entry[2])
        entry = entry[1]
    return steps[::-1]


def names_in(values: list[Any]) -> set[str]:
    """The names of all that objects in some values hold, without case and separators.

    >>> sorted(names_in([{"myBox": [{"label": 1}]}, 3]))
    ['label', 'mybox']
    """
    keys: set[Any] = set()
    level = values
    while level:
        level = [node for node in level if isinstance(node, _CONTAINERS)]
        for node in level:
            if isinstance(node, dict):
                keys.update(node)
        level = [item for node in level for item in (node.values() if isinstance(node, dict) else node)]
    return {kinds.plain(key) for key in keys if isinstance(key, str)}


def follow(nodes: list[Any], steps: list[str]) -> list[Any]:
    """Every value that a path leads to from some nodes; nothing where it leads nowhere."""
    for step in steps:
        if step == "*":
            nodes = [item for node in nodes for item in _items(node)]
        else:
            nodes = [_child(node, step) for node in nodes]
    return nodes


def _items(node: Any) -> Any:
    if isinstance(node, dict):
        return [value for key, value in node.items() if isinstance(key, str) and _is_numbered(key)]
    return node if isinstance(node, _LISTS) else ()


def _child(node: Any, step: str) -> Any:
    if isinstance(node, _LISTS):
        place = int(step) if step.isdecimal() and len(step) < 10 else len(node)
        return node[place] if place < len(node) else _NOTHING
    if not isinstance(node, dict):
        return _NOTHING
    return node[step] if step in node else by_plain_name(node).get(kinds.plain(step), _NOTHING)
