"""Scene graphs: labels, poses and dimensions to plain objects; meshes to boxes; and meshes that cannot be read."""

import json
import math
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers
from calipers.kernels.scan.boxes import BoxColumns
from calipers.suites.scene.formats import meshes
from calipers.suites.scene.formats.plain import ObjectWithoutBox
from calipers.suites.scene.formats.scene_graph import plain_object, plain_objects

from ...profiles import examples, seeds

PREFER = "prefer_retrieved_else_label"
CHAIR = {"id": 4, "label": "seat", "position": [1, 2, 0.5], "orientation": [0, 0, 0, 1], "dimensions": [1, 2, 3]}
TURN = [0.3, -0.5, 0.7]  # radians about x, y, z
TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.fixture(scope="session")
def trimesh():
    return pytest.importorskip("trimesh", minversion="4.6", reason="meshes are read with trimesh (the extra mesh)")


@pytest.fixture
def box(trimesh, tmp_path):
    """Writes a box of 1 x 2 x 3 whose center is the origin, and names it."""

    def write(kind: str = "ply") -> str:
        trimesh.creation.box((1, 2, 3)).export(tmp_path / f"box.{kind}")
        return f"box.{kind}"

    return write


def chair(**other) -> dict:
    return {name: value for name, value in (CHAIR | other).items() if value is not ...}


def convert(folder=".", source=PREFER, **other):
    return plain_object(chair(**other), folder, source)


def from_mesh(folder, name, **other):
    return convert(folder, dimensions=..., data_path=name, **other)


def problem(folder=".", **other) -> str:
    item = convert(folder, **other)
    assert type(item) is ObjectWithoutBox
    assert "center" not in item
    assert (item["id"], item["label"]) == (4, "seat")
    return item.problem


def mesh_problem(folder, name, **other) -> str:
    found = problem(folder, dimensions=..., data_path=name, **other)
    start = f"data_path {json.dumps(name, ensure_ascii=False)}: "
    assert found.startswith(start)
    return found.removeprefix(start)


def corners(item: dict) -> list[list[float]]:
    """The corners of a plain object's box, sorted."""
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    rotation = np.eye(3) if item["rotation"] is None else np.array(item["rotation"])
    found = (signs * np.array(item["size"]) / 2) @ rotation.T + np.array(item["center"])
    return found[np.lexsort(found.round(6).T)].tolist()


def corners_of(size, matrix) -> list[list[float]]:
    """The same for a box at the origin that a matrix places."""
    matrix = np.array(matrix)
    scale = np.linalg.norm(matrix[:3, 0])
    item = {"center": matrix[:3, 3], "size": np.array(size) * scale, "rotation": matrix[:3, :3] / scale}
    return corners(item)


def near(rows) -> list:
    return [pytest.approx(row, abs=1e-6) for row in rows]


def pose(turn=TURN, at=(5, 6, 7), scale=1.0) -> list[list[float]]:
    matrix = np.eye(4)
    matrix[:3, :3] = scale * scipy.spatial.transform.Rotation.from_euler("xyz", turn).as_matrix()
    matrix[:3, 3] = at
    return matrix.tolist()


def quaternion(turn=TURN) -> list[float]:
    return scipy.spatial.transform.Rotation.from_euler("xyz", turn).as_quat().tolist()


# Poses and dimensions


def test_an_object_with_dimensions_becomes_a_plain_object():
    assert convert() == {
        "id": 4,
        "label": "seat",
        "center": [1, 2, 0.5],
        "size": [1, 2, 3],
        "rotation": [0, 0, 0, 1],
    }


def test_vectors_may_be_objects():
    item = convert(
        position={"x": 1, "y": 2, "z": 3},
        orientation={"w": 1, "x": 0, "y": 0, "z": 0},
        dimensions={"x": 4, "y": 5, "z": 6},
    )
    assert (item["center"], item["size"], item["rotation"]) == ([1, 2, 3], [4, 5, 6], [0, 0, 0, 1])


def test_vectors_of_python_may_be_tuples_and_arrays():
    item = convert(position=(1, 2, 3), dimensions=np.array([4.0, 5.0, 6.0]))
    assert (item["center"], item["size"]) == ([1, 2, 3], [4.0, 5.0, 6.0])


def test_without_orientation_a_box_is_not_turned():
    assert convert(orientation=...)["rotation"] is None
    assert convert(orientation=None)["rotation"] is None


def test_score_and_similarity_pass_through():
    item = convert(score=0.5, similarity={"seat": 0.9}, job_id="x")
    assert (item["score"], item["similarity"]) == (0.5, {"seat": 0.9})
    assert "job_id" not in item
    assert not {"score", "similarity"} & convert().keys()


def test_numbers_are_left_to_be_checked_with_all_others():
    item = convert(position=[1, "a", None], dimensions=[0, -1, 2])
    assert (item["center"], item["size"]) == ([1, "a", None], [0, -1, 2])
    assert BoxColumns().add_scene([convert(dimensions=[0, 1, 2])], True) == 0


@pytest.mark.parametrize(
    ("retrieved", "source", "label"),
    [
        ("chair", PREFER, "chair"),
        ("chair", "label", "seat"),
        ("", PREFER, "seat"),
        (" \n", PREFER, "seat"),
        (None, PREFER, "seat"),
        (..., PREFER, "seat"),
        (..., "label", "seat"),
        (5, PREFER, 5),  # not a text: a malformed label, not a reason to take the other
    ],
)
def test_the_retrieved_label_goes_first_if_it_is_asked_for(retrieved, source, label):
    assert convert(source=source, retrieved_object_label=retrieved)["label"] == label


def test_an_object_without_label_has_none():
    assert convert(label=...)["label"] is None
    assert convert(label=..., retrieved_object_label="chair")["label"] == "chair"


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({"dimensions": ...}, "neither dimensions nor data_path, expected one of them"),
        ({"dimensions": None, "data_path": None}, "neither dimensions nor data_path, expected one of them"),
        ({"dimensions": [1, 2]}, "dimensions: found [1, 2], expected [x, y, z]"),
        ({"dimensions": {"x": 1, "y": 2}}, 'dimensions: found {"x": 1, "y": 2}, expected [x, y, z]'),
        ({"position": ...}, "position: found null, expected [x, y, z]"),
        ({"position": "here"}, 'position: found "here", expected [x, y, z]'),
        ({"orientation": [0, 0, 1]}, "orientation: found [0, 0, 1], expected [x, y, z, w]"),
        ({"dimensions": ..., "data_path": 3}, "data_path: found 3, expected the path of a mesh"),
    ],
)
def test_an_object_whose_box_cannot_be_had_says_why(other, expected):
    assert problem(**other) == expected


def test_what_is_no_object_stays_what_it_is():
    assert plain_objects({"objects": [None, 3, []]}, ".", PREFER).objects == [None, 3, []]


@pytest.mark.parametrize(("tree", "found"), [({}, "null"), ({"objects": {}}, "{}"), ({"objects": "a"}, '"a"')])
def test_there_has_to_be_a_list_of_objects(tree, found):
    with pytest.raises(calipers.InputError, match=f"^objects: found {found}, expected a list$"):
        plain_objects(tree, ".", PREFER)


def test_places_are_named_as_in_the_file():
    items = [chair(), chair(retrieved_object_label="x", dimensions=..., data_path="a.txt"), None]
    where = plain_objects({"objects": items}, ".", PREFER).where
    fields = ("center", "size", "rotation", "label", "score", "similarity", "id")
    names = ("position", "dimensions", "orientation", "label", "score", "similarity", "id")
    assert [where(0, field) for field in fields] == [f"objects[0].{name}" for name in names]
    assert [where(1, field) for field in ("size", "label", "")] == [
        "objects[1].data_path",
        "objects[1].retrieved_object_label",
        "objects[1]",
    ]
    assert where(2, "") == "objects[2]"


# Meshes


@pytest.mark.parametrize("kind", meshes.FORMATS)
def test_a_mesh_is_placed_by_the_pose(box, tmp_path, kind):
    item = from_mesh(tmp_path, box(kind), position=[5, 6, 7], orientation=quaternion())
    assert corners(item) == near(corners_of((1, 2, 3), pose()))
    assert (item["id"], item["label"]) == (4, "seat")


@pytest.mark.parametrize("kind", meshes.FORMATS)
def test_a_mesh_is_placed_by_its_transform_rather_than_by_the_pose(box, tmp_path, kind):
    item = from_mesh(tmp_path, box(kind), transform_odom_from_raw=pose())
    assert corners(item) == near(corners_of((1, 2, 3), pose()))


def test_a_transform_may_scale_and_mirror(box, tmp_path):
    item = from_mesh(tmp_path, box(), transform_odom_from_raw=pose(scale=2.5))
    assert sorted(item["size"]) == pytest.approx([2.5, 5, 7.5])
    assert corners(item) == near(corners_of((1, 2, 3), pose(scale=2.5)))
    mirror = [[-1, 0, 0, 5], [0, 1, 0, 6], [0, 0, 1, 7], [0, 0, 0, 1]]
    assert corners(from_mesh(tmp_path, box(), transform_odom_from_raw=mirror)) == near(
        corners_of((1, 2, 3), pose((0, 0, 0)))
    )


def test_without_orientation_a_mesh_is_only_moved(box, tmp_path):
    item = from_mesh(tmp_path, box(), position={"x": 5, "y": 6, "z": 7}, orientation=...)
    assert corners(item) == near(corners_of((1, 2, 3), pose((0, 0, 0))))


def test_a_quaternion_is_normalised(box, tmp_path):
    twice = [2 * part for part in quaternion()]
    item = from_mesh(tmp_path, box(), position=[5, 6, 7], orientation=twice)
    assert corners(item) == near(corners_of((1, 2, 3), pose()))


def test_dimensions_go_before_a_mesh(tmp_path):
    assert convert(tmp_path, data_path="is not there.ply")["size"] == [1, 2, 3]


def test_rotations_are_right_handed_and_taken_by_the_kernel(box, tmp_path):
    items = [from_mesh(tmp_path, box(), orientation=quaternion([a, 2 * a, -a])) for a in (0, 0.1, 1, 2)]
    assert [np.linalg.det(item["rotation"]) for item in items] == pytest.approx([1, 1, 1, 1])
    assert BoxColumns().add_scene([item | {"id": None} for item in items], True) == -1


def test_the_nodes_of_a_glb_place_its_parts(trimesh, tmp_path):
    # two cubes of side 1, their centers 3 apart along x: together 4 x 1 x 1 around (1.5, 0, 0)
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), node_name="a")
    moved = trimesh.transformations.translation_matrix([3, 0, 0])
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), node_name="b", transform=moved)
    scene.export(tmp_path / "two.glb")
    item = from_mesh(tmp_path, "two.glb", position=[0, 0, 0])
    assert corners(item) == near(corners_of((4, 1, 1), pose((0, 0, 0), (1.5, 0, 0))))


def test_the_box_is_smaller_than_bounds_along_the_axes(trimesh, tmp_path):
    # a long thin box turned by 45 degrees: volume 4 * 0.1 * 0.1; its bounds are 2.9 x 2.9 x 0.1
    thin = trimesh.creation.box((4, 0.1, 0.1))
    thin.apply_transform(trimesh.transformations.rotation_matrix(math.pi / 4, [0, 0, 1]))
    thin.export(tmp_path / "thin.ply")
    assert math.prod(from_mesh(tmp_path, "thin.ply")["size"]) == pytest.approx(0.04, abs=1e-6)


def test_points_without_faces_have_a_box(trimesh, tmp_path):
    trimesh.PointCloud([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)]).export(tmp_path / "cloud.ply")
    item = from_mesh(tmp_path, "cloud.ply", position=[0, 0, 0])
    assert corners(item) == near(corners_of((1, 2, 3), pose((0, 0, 0), (0.5, 1, 1.5))))


def test_paths_start_at_the_scene_or_at_the_root(box, tmp_path):
    name = box()
    (tmp_path / "scenes").mkdir()
    item = from_mesh(tmp_path, name)
    assert from_mesh(tmp_path / "scenes", f"../{name}") == item
    assert from_mesh(tmp_path / "scenes", str(tmp_path / name)) == item


def test_endings_may_be_in_capitals(box, tmp_path):
    os.rename(tmp_path / box(), tmp_path / "BOX.PLY")
    assert sorted(from_mesh(tmp_path, "BOX.PLY")["size"]) == pytest.approx([1, 2, 3])


def test_each_mesh_is_read_once(box, tmp_path, monkeypatch):
    reads = []
    monkeypatch.setattr(meshes, "_read", lambda folder, name: reads.append(name) or (folder / name).read_bytes())
    (tmp_path / "bad.ply").write_bytes(b"ply")
    names = [box(), "bad.ply", "box.ply", "bad.ply"]
    items = [chair(dimensions=..., data_path=name, position=[at, 0, 0]) for at, name in enumerate(names)]
    found = plain_objects({"objects": items}, tmp_path, PREFER).objects
    assert reads == ["box.ply", "bad.ply"]
    assert [item["center"][0] for item in found if "center" in item] == pytest.approx([0, 2])
    assert found[1].problem == found[3].problem


def test_the_order_of_vertices_does_not_matter(trimesh, tmp_path):
    points = np.random.default_rng(4).normal(size=(300, 3)).round(3)
    trimesh.PointCloud(points).export(tmp_path / "a.ply")
    trimesh.PointCloud(points[::-1]).export(tmp_path / "b.ply")
    assert from_mesh(tmp_path, "a.ply") == from_mesh(tmp_path, "b.ply")


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.floats(1e-6, 1e6), st.integers(0, 1000))
def test_a_box_holds_its_mesh_however_large_and_wherever_it_is(trimesh, turn, scale, seed):
    points = np.random.default_rng(seed).uniform(-1, 1, (20, 3))
    item = meshes.box_around(points, pose(turn, (1000, -1000, 1000), scale))
    placed = points @ np.array(pose(turn, scale=scale))[:3, :3].T + [1000, -1000, 1000]
    inside = (placed - item["center"]) @ np.array(item["rotation"])
    slack = 1e-9 * max(scale, 1)
    assert (abs(inside) <= np.array(item["size"]) / 2 + slack).all()


def volumes_on(normal, points):
    """Volumes of boxes with two faces across a normal, turned about it in steps of half a degree."""
    across = np.cross(normal, np.eye(3)[abs(normal).argmin()])
    across /= np.linalg.norm(across)
    along = np.cross(normal, across)
    for angle in np.radians(np.arange(0, 90, 0.5)):
        first = math.cos(angle) * across + math.sin(angle) * along
        axes = np.array([normal, first, np.cross(normal, first)])
        yield math.prod(np.ptp(points @ axes.T, axis=0))


@pytest.mark.parametrize("seed", seeds(5))
def test_no_box_with_a_face_on_the_hull_is_smaller(trimesh, seed):
    points = np.random.default_rng(seed).uniform(-1, 1, (12, 3))
    normals = scipy.spatial.ConvexHull(points).equations[:, :3]
    volume = math.prod(meshes.box_around(points, pose())["size"])
    assert volume <= min(min(volumes_on(normal, points)) for normal in normals) * (1 + 1e-9)
    assert volume <= math.prod(trimesh.bounds.oriented_bounds(points)[1]) * (1 + 1e-9)


def test_of_hulls_with_very_many_faces_the_largest_are_tried(trimesh, monkeypatch):
    # a tent: a floor of 2 x 1 and a ridge 1 above it; its floor is the largest face, and the ends are the smallest
    tent = np.array([[0, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0.5, 0.5, 1], [1.5, 0.5, 1]])
    monkeypatch.setattr(meshes, "MAX_DIRECTIONS", 1)
    item = meshes.box_around(tent, pose((0, 0, 0), (0, 0, 0)))
    assert corners(item) == near(corners_of((2, 1, 1), pose((0, 0, 0), (1, 0.5, 0.5))))


# Meshes that cannot be had


def ply(*vertices) -> bytes:
    head = f"ply\nformat ascii 1.0\nelement vertex {len(vertices)}\n"
    return (head + "".join(f"property float {axis}\n" for axis in "xyz") + "end_header\n").encode() + b"".join(
        b" ".join(str(part).encode() for part in vertex) + b"\n" for vertex in vertices
    )


FLAT = "it is flat; expected a mesh with a volume"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.ply", ply(*TETRAHEDRON[:3], [1, 1, 0]), FLAT),
        ("a.ply", ply(*TETRAHEDRON[:3]), FLAT),
        ("a.ply", ply([0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]), FLAT),
        ("a.ply", ply(*[[1, 2, 3]] * 5), FLAT),
        ("a.ply", ply([0, 0, 0]), FLAT),
        ("a.ply", ply([0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-8]), f"placed, {FLAT}"),
        ("a.ply", ply(*TETRAHEDRON, ["nan", 0, 0]), "found a vertex in it that is not finite"),
        ("a.ply", ply(*TETRAHEDRON, ["inf", 0, 0]), "found a vertex in it that is not finite"),
        ("a.obj", b"# nothing\n", "found no vertices in it"),
        ("a.stl", b"solid nothing\nendsolid\n", "found no vertices in it"),
        ("a.ply", ply(*TETRAHEDRON)[:-6], "found 3 vertices in it where its head says 4: it is cut short"),
        ("a.txt", b"", 'found the ending "txt", expected one of glb, obj, off, ply, stl'),
        ("a", b"", 'found the ending "", expected one of glb, obj, off, ply, stl'),
        ("a.zip", b"PK", 'found the ending "zip", expected one of glb, obj, off, ply, stl'),
    ],
)
def test_a_mesh_without_a_box_says_why(trimesh, tmp_path, name, data, expected):
    (tmp_path / name).write_bytes(data)
    assert mesh_problem(tmp_path, name) == expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.ply", b""),
        ("a.ply", b"not a mesh"),
        ("a.ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nend_header\n\0"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n"),
        ("a.obj", b"v 0 zero 0\n"),
        ("a.off", b"OFF\n9 0 0\n0 0 0\n"),
        ("a.off", b"\xff\xfe\x00"),
        ("a.stl", b"solid a\nfacet\nvertex 1 one 1\nendfacet\nendsolid\n"),
        ("a.glb", b"glTF"),
        ("a.glb", b'glTF\2\0\0\0\x20\0\0\0\x0c\0\0\0JSON{"asset":1'),
        ("a.glb", b"\xff" * 100),
    ],
)
def test_a_garbled_mesh_is_a_problem_and_no_crash(trimesh, tmp_path, name, data, capfd):
    (tmp_path / name).write_bytes(data)
    assert mesh_problem(tmp_path, name).startswith(f"trimesh cannot read this as {name[2:]}: ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", [*meshes.FORMATS, "text ply"])
def test_a_mesh_cut_anywhere_has_the_whole_box_or_none(box, trimesh, tmp_path, kind):
    data = (tmp_path / box(kind.removeprefix("text "))).read_bytes()
    if kind == "text ply":
        data, kind = trimesh.creation.box((1, 2, 3)).export(file_type="ply", encoding="ascii"), "ply"
    whole = from_mesh(tmp_path, f"box.{kind}")
    for end in range(0, len(data), 1 + len(data) // 400):
        (tmp_path / f"cut.{kind}").write_bytes(data[:end])
        item = from_mesh(tmp_path, f"cut.{kind}")
        if kind != "obj":  # nothing in such a file says how much of it there should be
            assert type(item) is ObjectWithoutBox or item == whole


def test_text_in_another_encoding_does_not_matter(trimesh, tmp_path):
    lines = ["# Stühle\n", *(f"v {x} {y} {z}\n" for x, y, z in TETRAHEDRON), "f 1 2 3\nf 1 2 4\n"]
    (tmp_path / "a.obj").write_bytes("".join(lines).encode("latin-1"))
    assert "center" in from_mesh(tmp_path, "a.obj")


def test_nothing_is_fetched_or_waited_for(trimesh, tmp_path):
    assert mesh_problem(tmp_path, "http://localhost:1/a.ply") == "found an address, expected the path of a file"
    assert mesh_problem(tmp_path, "file:///a.ply") == "found an address, expected the path of a file"
    (tmp_path / "folder.ply").mkdir()
    assert mesh_problem(tmp_path, "folder.ply") == "found something that is not a file"
    os.mkfifo(tmp_path / "pipe.ply")
    assert mesh_problem(tmp_path, "pipe.ply") == "found something that is not a file"


def test_files_that_cannot_be_opened_are_a_problem(tmp_path):
    assert mesh_problem(tmp_path, "none.ply") == "cannot be read: No such file or directory"
    item = from_mesh(tmp_path, "nul\0.ply")
    assert item.problem.endswith("no file can have this name")
    item = from_mesh(tmp_path, "half\ud800.ply")
    assert item.problem.endswith("no file can have this name")


def test_files_have_a_limit(tmp_path):
    with open(tmp_path / "huge.ply", "wb") as file:
        file.truncate(meshes.MAX_FILE_BYTES + 1)
    assert mesh_problem(tmp_path, "huge.ply") == "found 1,000,000,001 bytes, expected at most 1,000,000,000"


def test_a_transform_has_to_be_one(tmp_path):
    rows = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    for transform, expected in [
        (rows, "found [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], expected 4 rows of 4 numbers"),
        ([1] * 16, f"found {[1] * 16}, expected 4 rows of 4 numbers"),
        ("one", 'found "one", expected 4 rows of 4 numbers'),
        ([*rows, [0, 0, 0, 2]], "found [0, 0, 0, 2] as the last row, expected [0, 0, 0, 1]"),
        ([[1, 0, 0, math.nan], *rows[1:], [0, 0, 0, 1]], "found NaN, expected finite numbers"),
        ([[1, 0, 0, 10**400], *rows[1:], [0, 0, 0, 1]], f"found 1{'0' * 159} …, expected finite numbers"),
        ([[1, 0, 0, True], *rows[1:], [0, 0, 0, 1]], "found true, expected finite numbers"),
    ]:
        found = problem(tmp_path, dimensions=..., data_path="a.ply", transform_odom_from_raw=transform)
        assert found == f"transform_odom_from_raw: {expected}"


def test_a_pose_has_to_be_one(tmp_path):
    for other, expected in [
        ({"position": ...}, "position: found null, expected [x, y, z]"),
        ({"position": [0, "a", 0]}, 'position: found "a", expected finite numbers'),
        (
            {"orientation": [0, 0, 0, 0]},
            "orientation: found [0.0, 0.0, 0.0, 0.0], expected a quaternion that is not zero",
        ),
        ({"orientation": [0, 0, math.inf, 1]}, "orientation: found Infinity, expected finite numbers"),
    ]:
        assert problem(tmp_path, dimensions=..., data_path="a.ply", **other) == expected


def test_a_transform_that_flattens_or_overflows_is_a_problem(box, tmp_path):
    flat = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert mesh_problem(tmp_path, box(), transform_odom_from_raw=flat) == f"placed, {FLAT}"
    nothing = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert mesh_problem(tmp_path, box(), transform_odom_from_raw=nothing) == f"placed, {FLAT}"
    huge = [[1e100, 0, 0, 1e100], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert mesh_problem(tmp_path, box(), transform_odom_from_raw=huge) == "placed, a vertex of it is not finite"


# glTF that trimesh would take for something else


def glb(**changes) -> bytes:
    """Four points, with another header."""
    positions = np.array(TETRAHEDRON, "<f4").tobytes()
    header = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]}],
        "accessors": [{"bufferView": 0, "count": 4, "componentType": 5126, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 48}],
        "buffers": [{"byteLength": 48}],
    } | changes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", 48) + b"BIN\0" + positions
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


POSITIONS = {"bufferView": 0, "count": 4, "componentType": 5126, "type": "VEC3"}
WITHOUT_VIEW = {name: value for name, value in POSITIONS.items() if name != "bufferView"}
NOT_READ = "its positions are compressed, sparse or normalized, which is not read here"


def test_a_glb_written_by_hand_is_read(trimesh, tmp_path):
    (tmp_path / "a.glb").write_bytes(glb())
    assert "center" in from_mesh(tmp_path, "a.glb")
    (tmp_path / "a.glb").write_bytes(glb(extensionsRequired=["KHR_materials_unlit"]))
    assert "center" in from_mesh(tmp_path, "a.glb")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"extensionsRequired": ["KHR_draco_mesh_compression"]},
            'it needs the glTF extension "KHR_draco_mesh_compression", which is not read here',
        ),
        ({"accessors": [WITHOUT_VIEW]}, NOT_READ),
        ({"accessors": [POSITIONS | {"sparse": {}}]}, NOT_READ),
        ({"accessors": [POSITIONS | {"normalized": True}]}, NOT_READ),
        ({"bufferViews": [{"buffer": 0, "byteLength": 48, "extensions": {"EXT_meshopt_compression": {}}}]}, NOT_READ),
        (
            {"buffers": [{"byteLength": 48, "uri": "../../etc/passwd"}]},
            "its data lie in other files, expected one file with all of them",
        ),
        (
            {"buffers": [{"byteLength": 48, "uri": "http://localhost:1/a.bin"}]},
            "its data lie in other files, expected one file with all of them",
        ),
        ({"accessors": [POSITIONS, WITHOUT_VIEW | {"count": 10**9}]}, "found more than 50,000,000 of something in it"),
        (
            {"nodes": [{"children": [place + 1]} for place in range(2000)] + [{"mesh": 0}]},
            "found nodes nested in each other more than 100 deep",
        ),
        ({"nodes": [{"mesh": 0, "children": [0]}]}, "found nodes nested in each other more than 100 deep"),
    ],
)
def test_a_glb_that_would_be_misread_is_refused(trimesh, tmp_path, changes, expected):
    (tmp_path / "a.glb").write_bytes(glb(**changes))
    assert mesh_problem(tmp_path, "a.glb") == expected


def test_vertices_have_a_limit(trimesh, tmp_path, monkeypatch):
    monkeypatch.setattr(meshes, "MAX_VERTICES", 5)
    (tmp_path / "a.glb").write_bytes(glb(scenes=[{"nodes": [0, 1]}], nodes=[{"mesh": 0}, {"mesh": 0}]))
    assert mesh_problem(tmp_path, "a.glb") == "found too many vertices in it, expected at most 5"


# Without the extra


@pytest.mark.parametrize("package", ["trimesh", "scipy"])
def test_a_missing_package_is_named_with_its_cure(tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "a.ply").write_bytes(ply(*TETRAHEDRON))
    with pytest.raises(
        calipers.ConfigError, match=r"^data_path: meshes need trimesh .* pip install 'calipers\[mesh\]'$"
    ):
        from_mesh(tmp_path, "a.ply")
    assert convert(tmp_path)["size"] == [1, 2, 3]


def test_trimesh_is_loaded_only_for_meshes():
    program = (
        "import sys; from pathlib import Path; from calipers.suites.scene.formats.scene_graph import plain_object;"
        "plain_object({'position': [0, 0, 0], 'dimensions': [1, 1, 1]}, Path(), 'label');"
        "print(sorted({'trimesh', 'scipy', 'calipers.suites.scene.formats.meshes'} & set(sys.modules)))"
    )
    environment = os.environ | {"PYTHONPATH": os.path.dirname(os.path.dirname(calipers.__file__))}
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert found.stdout.strip() == "[]"
