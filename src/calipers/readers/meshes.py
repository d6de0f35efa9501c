"""Meshes to boxes, with trimesh and scipy: what `pip install 'calipers[mesh]'` brings.

A mesh is a file that another file names, and both may come from anyone. So only formats are read that hold everything
in one file and need no unpacking; nothing is fetched, and neither materials nor pictures are looked at.
"""

from __future__ import annotations

import io
import json
import logging
import re
import stat
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.errors import ConfigError, InputError
from calipers.kernels.boxes import LARGEST
from calipers.readers.problems import shown

FORMATS = ("glb", "obj", "off", "ply", "stl")
NEEDED = "trimesh 4.6 or later and scipy: pip install 'calipers[mesh]'"
LARGEST_FILE = 1_000_000_000  # bytes
MOST_VERTICES = 50_000_000
DEEPEST = 100  # nodes within nodes: the time trimesh takes grows with the cube of their depth
LONGEST_HEAD = 100_000  # bytes
FLATTEST = 1e-6  # of the length: flat meshes whose numbers are of single precision are about 1e-7 thick
ANGLE_DIGITS = 6  # faces whose directions agree in so many decimals of a radian are tried once
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
    """Center, size and rotation of the smallest box around corners that a 4 x 4 matrix places."""
    placed = corners @ np.array(matrix)[:3, :3].T + np.array(matrix)[:3, 3]
    if not _are_finite(placed):
        raise InputError("placed, a vertex of it is not finite")
    unit, middle, length = _to_unit(placed)
    if _is_flat(unit):
        raise InputError("placed, it is flat; expected a mesh with a volume")
    with np.errstate(all="ignore"):
        to_origin, size = _packages()[0].bounds.oriented_bounds(unit, angle_digits=ANGLE_DIGITS)
    axes = to_origin[:3, :3].T  # its columns are the axes of the box
    center = middle - length * (axes @ to_origin[:3, 3])
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    return {"center": center.tolist(), "size": (length * size).tolist(), "rotation": axes.tolist()}


# Points


def _hull(vertices: Points) -> Points:
    """The corners of the convex hull, and nothing twice."""
    spatial = _packages()[1]
    try:
        hull = spatial.ConvexHull(_to_unit(vertices)[0])
    except spatial.QhullError:
        raise InputError("it is flat; expected a mesh with a volume") from None
    return np.unique(vertices[hull.vertices], axis=0)


def _to_unit(points: Points) -> tuple[Points, Points, float]:
    """Points moved to the origin and made one long, where they were, and how long: so sizes and places far off do not
    matter to tolerances of others."""
    least, most = points.min(axis=0), points.max(axis=0)
    middle, length = least + (most - least) / 2, float((most - least).max())
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
        if about.st_size > LARGEST_FILE:
            raise InputError(f"found {about.st_size:,} bytes, expected at most {LARGEST_FILE:,}")
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
            vertices = _placed(scene)
    except GARBLED as error:
        text = re.sub(r" at 0x[0-9a-f]+", "", str(error))  # an address in memory is another one each time
        raise InputError(f"trimesh cannot read this as {kind}: {type(error).__name__} {shown(text)}") from None
    if kind == "ply":
        _check_ply(data, vertices)
    return vertices


def _placed(scene: Any) -> Points:
    nodes = [scene.graph[name] for name in scene.graph.nodes_geometry]  # (matrix, name of its geometry)
    parts = [(np.asarray(scene.geometry[name].vertices, np.float64), matrix) for matrix, name in nodes]
    if sum(len(vertices) for vertices, _ in parts) > MOST_VERTICES:
        raise InputError(f"found too many vertices in it, expected at most {MOST_VERTICES:,}")
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
    if sum(abs(accessor["count"]) for accessor in accessors) > MOST_VERTICES:
        raise InputError(f"found more than {MOST_VERTICES:,} of something in it")
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


def _check_ply(data: bytes, vertices: Points) -> None:
    """trimesh is content with fewer vertices than the head of a file says, if they are written as text."""
    said = re.search(rb"^element vertex ([0-9]+)\s*$", data[:LONGEST_HEAD], re.MULTILINE)
    if said and len(vertices) < int(said[1]):
        raise InputError(f"found {len(vertices)} vertices in it where its head says {int(said[1])}: it is cut short")


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
