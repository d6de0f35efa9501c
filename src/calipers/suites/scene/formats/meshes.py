"""Meshes to boxes, with trimesh and scipy: what `pip install 'calipers[mesh]'` brings.

A mesh is a file that another file names, and both may come from anyone. So only formats are read that hold everything
in one file and need no unpacking; nothing is fetched, and neither materials nor pictures are looked at.
"""

from __future__ import annotations

import io
import json
import logging
import math
import re
import stat
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError, InputError
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import LARGEST

FORMATS = ("glb", "obj", "off", "ply", "stl")
NEEDED = "trimesh 4.6 or later and scipy: pip install 'calipers[mesh]'"
MAX_FILE_BYTES = 1_000_000_000  # bytes
MAX_VERTICES = 50_000_000
DEEPEST = 100  # nodes within nodes: the time trimesh takes grows with the cube of their depth
LONGEST_HEAD = 100_000  # bytes
FLATTEST = 1e-6  # of the length: flat meshes whose numbers are of single precision are about 1e-7 thick
MAX_DIRECTIONS = 2000  # of faces; only hulls of round things have more, and theirs hardly differ
SHORTEST = 1e-9  # of the length: edges below that have no direction
EQUAL = 1e-9  # volumes and areas that differ by less of themselves are equal
DECIMALS = 9  # directions that agree in so many are the same
HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_mesh_quantization")

# What trimesh has been seen to raise for files that are cut short, garbled or not what their name says. It has no error
# of its own for that: a bad file ends in whatever its parsers trip over.
GARBLED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    DeprecationWarning,  # numpy before 2.3, on text that is not a number
    ImportError,  # for rare contents it wants one more package
    LookupError,
    MemoryError,
    NameError,
    RuntimeError,
    TypeError,
    ValueError,
)

logging.getLogger("trimesh").addHandler(logging.NullHandler())  # else its warnings are printed
Points = NDArray[np.float64]  # (points, 3)
Corners = NDArray[np.int64]  # (edges, 2) places among points, or among faces


def read_corners(folder: Path, name: str) -> Points:
    """The corners of a mesh's convex hull, in order of their coordinates."""
    kind = Path(name).suffix[1:].lower()
    if kind not in FORMATS:
        raise InputError(f"found the ending {shown(kind)}, expected one of {', '.join(FORMATS)}")
    vertices = _vertices(_read(folder, name), kind)
    if not len(vertices):
        raise InputError("found no vertices in it")
    if not _are_finite(vertices):
        raise InputError("found a vertex in it that is not finite")
    return _hull(vertices)


def box_around(corners: Points, matrix: list[list[float]]) -> dict[str, Any]:
    """Center, size and rotation of the box around corners that a 4 x 4 matrix places: of all that have a face on a face
    of the hull, the smallest."""
    placed = corners @ np.array(matrix)[:3, :3].T + np.array(matrix)[:3, 3]
    if not _are_finite(placed):
        raise InputError("placed, a vertex of it is not finite")
    unit, middle, length = _to_unit(placed)
    if _is_flat(unit):
        raise InputError("placed, it is flat; expected a mesh with a volume")
    axes = _tightest_axes(unit)
    low, high = (unit @ axes).min(axis=0), (unit @ axes).max(axis=0)
    center = middle + length * (axes @ (low + (high - low) / 2))
    return {"center": center.tolist(), "size": (length * (high - low)).tolist(), "rotation": axes.tolist()}


# Boxes


def _tightest_axes(points: Points) -> Points:
    """The axes, as columns, of the smallest box with a face on a face of the hull; of equal ones, the most upright.

    Seen along a face's normal, the hull has an outline, and the smallest rectangle around that has a side on one of its
    edges. (trimesh.bounds.oriented_bounds goes the same way but leaves out corners of the outline: for a dozen points
    its box can be a quarter too large.)
    """
    hull = _convex(points)
    faces, (edges, beside) = hull.equations[:, :3], _edges(hull)
    areas = np.linalg.norm(np.cross(*np.diff(points[hull.simplices], axis=1).transpose(1, 0, 2)), axis=1) / 2
    best, axes = math.inf, np.eye(3)
    for normal in _directions(faces, areas):
        facing, height = faces @ normal, np.ptp(points @ normal)
        if areas @ abs(facing) / 2 * height >= best:  # no rectangle is smaller than what it is around
            continue
        outline = edges[(facing > 0)[beside[:, 0]] != (facing > 0)[beside[:, 1]]]
        turned, area = _tightest_around(points, outline, normal)
        if area * height < best * (1 - EQUAL):
            best, axes = area * height, turned
    return axes


def _tightest_around(points: Points, outline: Corners, normal: Points) -> tuple[Points, float]:
    """The axes of the smallest box around an outline that is seen along a normal, and the area it has from there."""
    first = np.cross(normal, np.eye(3)[abs(normal).argmin()])
    first /= np.linalg.norm(first)
    plane = np.array([first, np.cross(normal, first)])  # (2, 3)
    seen = points @ plane.T  # (points, 2)
    sides = seen[outline[:, 1]] - seen[outline[:, 0]]
    lengths = np.linalg.norm(sides, axis=1)
    sides = sides[lengths > SHORTEST] / lengths[lengths > SHORTEST, None]  # (sides, 2)
    round_about = seen[np.unique(outline)].T
    areas = np.ptp(sides @ round_about, axis=1) * np.ptp(sides[:, ::-1] * [-1, 1] @ round_about, axis=1)
    side = sides[areas <= areas.min() * (1 + EQUAL)][0] @ plane
    return np.column_stack([side, np.cross(normal, side), normal]), float(areas.min())


def _edges(hull: Any) -> tuple[Corners, Corners]:
    """The two ends of each edge of a hull, and the two faces beside it."""
    ends = hull.simplices[:, [[1, 2], [0, 2], [0, 1]]].reshape(-1, 2)  # neighbor k is across from corner k
    beside = np.column_stack([np.repeat(np.arange(len(hull.simplices)), 3), hull.neighbors.ravel()])
    once = beside[:, 0] < beside[:, 1]
    return ends[once], beside[once]


def _directions(normals: Points, areas: Points) -> Points:
    """Directions of the largest faces without their opposites and doubles, from the most upright one on."""
    upward = np.where(normals[:, 2:] < 0, -normals, normals)
    _, places, same = np.unique(upward.round(DECIMALS), axis=0, return_index=True, return_inverse=True)
    largest = np.argsort(-np.bincount(same.ravel(), areas), kind="stable")[:MAX_DIRECTIONS]
    directions = upward[places[np.sort(largest, kind="stable")]]
    return directions[np.argsort(-directions[:, 2], kind="stable")]


# Points


def _hull(vertices: Points) -> Points:
    """The corners of the convex hull, each once."""
    return np.unique(vertices[_convex(_to_unit(vertices)[0]).vertices], axis=0)


def _convex(unit: Points) -> Any:
    spatial = _packages()[1]
    try:
        return spatial.ConvexHull(unit)
    except spatial.QhullError:
        raise InputError("it is flat; expected a mesh with a volume") from None


def _to_unit(points: Points) -> tuple[Points, Points, float]:
    """Points moved to the origin and made one long, where they were, and how long: so sizes and places far off do not
    matter to tolerances of others."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, length = low + (high - low) / 2, float((high - low).max())
    return (points - middle) / (length or 1.0), middle, length


def _is_flat(unit: Points) -> bool:
    """Whether points are thinner, in the direction in which they spread least, than can be told from nothing."""
    spread = unit - unit.mean(axis=0)
    directions = np.linalg.svd(spread, full_matrices=False)[2]
    return bool(np.ptp(spread @ directions.T, axis=0).min() < FLATTEST)


def _are_finite(points: Points) -> bool:
    return bool((abs(points) <= LARGEST).all())


# Files


def _read(folder: Path, name: str) -> bytes:
    if "://" in name:
        raise InputError("found an address, expected the path of a file")
    path = folder / name
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise InputError("found something that is not a file")
        if about.st_size > MAX_FILE_BYTES:
            raise InputError(f"found {about.st_size:,} bytes, expected at most {MAX_FILE_BYTES:,}")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from None
    except ValueError:  # a NUL, or half of a surrogate pair
        raise InputError("no file can have this name") from None


def _vertices(data: bytes, kind: str) -> Points:
    """All vertices, where the nodes of a mesh's own scene place them."""
    trimesh = _packages()[0]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", "string or file could not be read", DeprecationWarning)
            data = _made_safe(data, kind)
            scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False, skip_materials=True)
            if kind in ("off", "ply"):
                _check_whole(data[:LONGEST_HEAD], kind, scene)
            return _placed(scene)
    except GARBLED as error:
        text = re.sub(r" at 0x[0-9a-f]+", "", str(error))  # an address in memory is another one each time
        raise InputError(f"trimesh cannot read this as {kind}: {type(error).__name__} {shown(text)}") from None


def _placed(scene: Any) -> Points:
    nodes = [scene.graph[name] for name in scene.graph.nodes_geometry]  # (matrix, name of its geometry)
    parts = [(np.asarray(scene.geometry[name].vertices, np.float64), matrix) for matrix, name in nodes]
    if sum(len(vertices) for vertices, _ in parts) > MAX_VERTICES:
        raise InputError(f"found too many vertices in it, expected at most {MAX_VERTICES:,}")
    placed = [vertices @ matrix[:3, :3].T + matrix[:3, 3] for vertices, matrix in parts]
    return np.concatenate([np.empty((0, 3)), *placed])


def _made_safe(data: bytes, kind: str) -> bytes:
    """Data that trimesh will not take for something else."""
    if kind == "glb":
        _check_glb(json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")]))
    if kind in ("obj", "off") or (kind == "stl" and len(data) != 84 + 50 * int.from_bytes(data[80:84], "little")):
        return _in_utf8(data)
    return data


def _check_glb(header: Any) -> None:
    """Refuse what trimesh would look for elsewhere, take for other numbers, or spend all time or memory on."""
    needed = [name for name in header.get("extensionsRequired", []) if not name.startswith(HARMLESS)]
    if needed:
        raise InputError(f"it needs the glTF extension {shown(needed[0])}, which is not read here")
    if not all(buffer.get("uri", "data:").startswith("data:") for buffer in header.get("buffers", [])):
        raise InputError("its data lie in other files, expected one file with all of them")
    accessors, views = header.get("accessors", []), header.get("bufferViews", [])
    if sum(abs(accessor["count"]) for accessor in accessors) > MAX_VERTICES:
        raise InputError(f"found more than {MAX_VERTICES:,} of something in it")
    primitives = [primitive for mesh in header.get("meshes", []) for primitive in mesh["primitives"]]
    for positions in (accessors[primitive["attributes"]["POSITION"]] for primitive in primitives):
        written = "bufferView" in positions and "extensions" not in views[positions["bufferView"]]
        if not written or "sparse" in positions or positions.get("normalized"):
            raise InputError("its positions are compressed, sparse or normalized, which is not read here")
    _check_depth(header.get("nodes", []))


def _check_depth(nodes: list[Any]) -> None:
    below = set(range(len(nodes)))
    for _ in range(DEEPEST):
        below = {child for node in below for child in nodes[node].get("children", [])}
    if below:
        raise InputError(f"found nodes nested in each other more than {DEEPEST} deep")


def _check_whole(head: bytes, kind: str, scene: Any) -> None:
    """Refuse less than a head promises: in text that is cut short, trimesh takes half a number for a whole one."""
    shapes = scene.geometry.values()
    actual = sum(len(shape.vertices) for shape in shapes), sum(len(getattr(shape, "faces", ())) for shape in shapes)
    for name, count, promised in zip(("vertices", "faces"), actual, _promised(head, kind), strict=True):
        if count < promised:
            raise InputError(f"found {count} {name} in it where its head says {promised}: it is cut short")


def _promised(head: bytes, kind: str) -> tuple[int, int]:
    """How many vertices and faces a head says there are, as far as it does."""
    if kind == "off":
        counts = re.search(rb"OFF(?:\s|#[^\n]*\n)*([0-9]+)\s+([0-9]+)", head)
        return (int(counts[1]), int(counts[2])) if counts else (0, 0)
    vertices, faces = (
        re.search(rb"^element %b ([0-9]+)\s*$" % name, head, re.MULTILINE) for name in (b"vertex", b"face")
    )
    return int(vertices[1]) if vertices else 0, int(faces[1]) if faces else 0


def _in_utf8(text: bytes) -> bytes:
    """Text of any encoding that writes numbers as ASCII does."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1").encode()
    return text


def _packages() -> tuple[Any, Any]:
    """trimesh and scipy.spatial."""
    try:
        import trimesh
        from scipy import spatial
    except ImportError:
        raise ConfigError(f"data_path: meshes need {NEEDED}") from None
    if not hasattr(trimesh, "load_scene"):
        raise ConfigError(f"data_path: found trimesh {trimesh.__version__}, meshes need {NEEDED}")
    return trimesh, spatial
