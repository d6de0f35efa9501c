"""Rooms to try the scene suite on, and the geometry of their boxes.

A room is two lists of plain objects, ground truth and predictions. Predictions are true boxes moved a little, some of
them twice, some under another name, some broken, and boxes that have nothing to do with the ground truth.
"""

from fractions import Fraction
from math import cos, fsum, pi, sin, sqrt

UNIT = 10**12
SLACK = 1e-9  # in metres: rounding, and no more than that
CLASSES = ["table", "seat", "door", "lamp"]  # as given, and not by the alphabet; no lamp is ever there
ALIASES = {"chair": "seat", "desk": "table"}
NAMED = {label: label for label in CLASSES} | {"chair": "seat", "Desk": "table", "SEAT": "seat"}
LABELS = ("seat", "seat", "chair", "SEAT", "table", "Desk", "door")
UNKNOWN = ("gizmo", "", None, "missing")
SIMILARITIES = (-0.25, 0.0, 0.3, 0.5, 0.9, 0.9, 0.95, 1.0)
BROKEN = (
    {"size": [1.0, 0.0, 1.0]},
    {"size": [1.0, -2.0, 1.0]},
    {"center": [0.0, float("nan"), 0.0]},
    {"center": [0.0, 0.0]},
    {"rotation": [0.0, 0.0, 0.0, 0.0]},
    {"size": None},
)


# Boxes


class Box:
    """A place, a size, and the directions of its edges."""

    def __init__(self, center, size, rotation=None):
        self.center, self.size = center, size
        self.edges = edges_of(rotation)

    def reach(self):
        """How far the box goes from its center along x, y and z."""
        sides = list(zip(self.edges, self.size, strict=True))
        return [sum(abs(edge[j]) * length / 2 for edge, length in sides) for j in range(3)]

    def contains(self, point, oriented):
        """Whether a point is in the box, or in its axis-aligned bounds; a face belongs to both."""
        away = [a - b for a, b in zip(point, self.center, strict=True)]
        if oriented:
            along = [abs(sum(a * e for a, e in zip(away, edge, strict=True))) for edge in self.edges]
            return all(a <= side / 2 + SLACK for a, side in zip(along, self.size, strict=True))
        return all(abs(a) <= far + SLACK for a, far in zip(away, self.reach(), strict=True))


def edges_of(rotation):
    """Unit vectors along the edges: of a yaw, a quaternion x y z w, a 3 x 3 (its columns), or nothing."""
    if rotation is None:
        return [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    if isinstance(rotation, dict):
        c, s = cos(rotation["yaw"]), sin(rotation["yaw"])
        return [[c, s, 0], [-s, c, 0], [0, 0, 1]]
    if len(rotation) == 3:
        return [list(column) for column in zip(*rotation, strict=True)]
    norm = sqrt(fsum(q * q for q in rotation))
    x, y, z, w = (q / norm for q in rotation)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ]


def bounds_overlap(a, b):
    """IoU of the axis-aligned bounds, exactly, in units of 1e-12."""
    shared, volumes = Fraction(1), [Fraction(1), Fraction(1)]
    for spans in zip(spans_of(a), spans_of(b), strict=True):
        shared *= max(min(end for _, end in spans) - max(start for start, _ in spans), 0)
        volumes = [volume * (end - start) for volume, (start, end) in zip(volumes, spans, strict=True)]
    return round(shared / (sum(volumes) - shared) * UNIT)


def spans_of(box):
    """From where to where it goes along x, y and z."""
    places = [(Fraction(at), Fraction(far)) for at, far in zip(box.center, box.reach(), strict=True)]
    return [(at - far, at + far) for at, far in places]


# Drawing


def lattice(rng):
    """On so small a lattice that many overlaps are equal, many meet a threshold exactly, and many only touch."""
    center = [rng.randrange(5) / 2 for _ in range(2)] + [0.5]
    return {"center": center, "size": [rng.choice((1.0, 2.0)), rng.choice((1.0, 2.0)), 1.0]}


def row(rng):
    """Boxes of four metres half a metre apart: neighbours are equally close to both sides."""
    return {"center": [rng.randrange(8) / 2, 0.0, 0.0], "size": [4.0, 1.0, 1.0]}


def turned_lattice(rng):
    """The same lattice with boxes turned by eighths of a circle: diagonals, and sides that swap."""
    return lattice(rng) | {"rotation": {"yaw": rng.randrange(8) * pi / 4}}


def free(rng):
    """Anywhere in a room, turned in any way."""
    turn = rng.choice((None, {"yaw": rng.uniform(-4, 4)}, quaternion(rng), matrix(rng)))
    center = [rng.uniform(-4, 4), rng.uniform(-4, 4), rng.uniform(0, 2)]
    return {"center": center, "size": [rng.uniform(0.3, 3) for _ in range(3)]} | ({"rotation": turn} if turn else {})


def quaternion(rng):
    return [rng.gauss(0, 1) for _ in range(4)]


def matrix(rng):
    return [list(row) for row in zip(*edges_of(quaternion(rng)), strict=True)]


def moved(rng, given):
    """A little, or so far that a centroid comes to lie outside; at times the size is wrong as well."""
    far, scale = rng.choice((0.1, 0.3)), rng.choice((1.0, 1.0, 0.5, 1.5))
    away = [rng.gauss(0, far * length) for length in given["size"]]
    center = [a + b for a, b in zip(given["center"], away, strict=True)]
    return given | {"center": center, "size": [scale * length for length in given["size"]]}


def kept(_, given):
    return dict(given)


def draw_label(rng, among):
    return {"label": label} if (label := rng.choice(among)) != "missing" else {}


def draw_similarity(rng):
    tasks = rng.sample((*CLASSES, "chair", "gizmo"), rng.randint(0, 5))
    return {"similarity": {task: rng.choice(SIMILARITIES) for task in tasks}}


def draw_side(rng, draw_box, count, labels):
    return [draw_box(rng) | draw_label(rng, labels) for _ in range(count)]


def draw_scene(rng, draw_box, most, extras):
    """Hits, misses, doubles, other labels, broken boxes, and things that are nothing at all."""
    score, similarity = extras
    truth = draw_side(rng, draw_box, rng.randint(0, most), (*LABELS, *LABELS, *UNKNOWN))
    again = [each for each in truth for _ in range(rng.choice((0, 1, 1, 1, 2)))]
    near_by = [rng.choice((moved, kept))(rng, each) for each in again]
    relabelled = [each | draw_label(rng, (*LABELS, "lamp")) if rng.random() < 0.3 else each for each in near_by]
    pred = relabelled + draw_side(rng, draw_box, rng.randint(0, most // 2), (*LABELS, *UNKNOWN, "lamp"))
    pred = [each | rng.choice(BROKEN) if rng.random() < 0.06 else each for each in pred]
    pred = [each | score(rng) | similarity(rng) for each in pred]
    pred += ["not an object"] * (rng.random() < 0.1)
    rng.shuffle(pred)
    return truth, pred


def draw_extras(rng):
    """Scores for all, for some or for none, of many values or of few; similarities for all, some or none."""
    few = (0.25, 0.5, 0.75)[: rng.randint(1, 3)]
    scores = [
        lambda rng: {"score": rng.random()},
        lambda rng: {"score": rng.choice(few)},
        lambda rng: {"score": 0.5} if rng.random() < 0.9 else {},
        lambda rng: {},
    ]
    similarities = [draw_similarity, lambda rng: draw_similarity(rng) if rng.random() < 0.5 else {}, lambda rng: {}]
    return rng.choice(scores), rng.choice(similarities)


def draw_scenes(rng, draw_box, most):
    extras, sides = draw_extras(rng), {}
    for name in rng.sample("abcdefgh", rng.randint(1, 4)):
        truth, pred = draw_scene(rng, draw_box, most, extras)
        shape = rng.random()
        sides[name] = (None, pred) if shape < 0.05 else (truth, None) if shape < 0.1 else (truth, pred)
    return sides


def draw_options(rng):
    """Any of the options that can change a number."""
    some = {
        "iou_mode": ("obb", "obb", "aabb"),
        "iou_threshold": (0.1, 0.1, 0.25, 0.5),
        "require_label_match": (False, True),
        "containment": ("aabb", "obb"),
        "range_buckets": ((2.0, 4.0), (1.0,), (0.5, 1.0, 1.5, 8.0)),
        "os_similarity_threshold": (0.9, 0.9, 0.5, 1.0),
        "os_min_iou": (0.0, 0.0, 0.1, 0.5),
        "protocol": ("calipers", "calipers", "clio"),
    }
    leave_out = {
        "ignore_raw_labels": ("gizmo", "chair"),
        "ignore_raw_contains": ("es",),
        "ignore_canonical_labels": ("lamp", "seat"),
    }
    found = {name: rng.choice(values) for name, values in some.items()}
    if rng.random() < 0.25:
        name = rng.choice(list(leave_out))
        found[name] = leave_out[name]
    return found
