"""Supervisely annotations: figures and their objects to plain objects, and what is wrong with the others."""

import math

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.kernels.scan.boxes import BoxColumns
from calipers.suites.scene.formats.plain import ObjectWithoutBox
from calipers.suites.scene.formats.supervisely import left_out, plain_objects


def xyz(x: float, y: float, z: float) -> dict:
    return {"x": x, "y": y, "z": z}


def cuboid(**other) -> dict:
    """A figure two long and one wide that stands at (1, 2, 0.5) and belongs to object 3."""
    geometry = {"position": xyz(1, 2, 0.5), "dimensions": xyz(2, 1, 1), "rotation": xyz(0, 0, 0)}
    return {"id": 7, "objectId": 3, "geometryType": "cuboid_3d", "geometry": geometry} | other


def turned(x: float, y: float, z: float) -> dict:
    return cuboid(geometry=cuboid()["geometry"] | {"rotation": xyz(x, y, z)})


def annotation(*figures, objects=({"id": 3, "classTitle": "table"},)) -> dict:
    return {"description": "", "tags": [], "objects": list(objects), "figures": list(figures)}


def convert(*figures, **other) -> list:
    return plain_objects(annotation(*figures, **other)).objects


def problem(figure, **other) -> str:
    [item] = convert(figure, **other)
    assert type(item) is ObjectWithoutBox
    assert "center" not in item
    return item.problem


# What an annotation says


def test_a_figure_becomes_a_plain_object():
    assert convert(cuboid()) == [
        {"id": 7, "label": "table", "center": [1, 2, 0.5], "size": [2, 1, 1], "rotation": {"yaw": 0}}
    ]


def test_objects_and_figures_are_joined_by_key_too():
    figure = {"key": "f1", "objectKey": "b", "geometry": cuboid()["geometry"]}
    [item] = convert(figure, objects=[{"key": "a", "classTitle": "door"}, {"key": "b", "classTitle": "seat"}])
    assert (item["id"], item["label"], item["size"]) == ("f1", "seat", [2, 1, 1])


def test_a_key_counts_where_objects_have_no_such_id():
    [item] = convert(cuboid(objectKey="a"), objects=[{"key": "a", "classTitle": "door"}])
    assert item["label"] == "door"


def test_an_object_may_have_several_figures():
    assert [item["label"] for item in convert(cuboid(), cuboid(id=8))] == ["table", "table"]


def test_an_object_without_a_title_has_no_label():
    assert convert(cuboid(), objects=[{"id": 3}])[0]["label"] is None


def test_a_figure_without_rotation_is_not_turned():
    figure = cuboid(geometry={"position": xyz(1, 2, 3), "dimensions": xyz(4, 5, 6)})
    assert convert(figure)[0]["rotation"] is None


def test_other_geometry_is_no_box_and_is_counted():
    tree = annotation(cuboid(geometryType="point_cloud"), cuboid(), cuboid(geometryType="bitmap_3d"))
    assert len(plain_objects(tree).objects) == 1
    assert left_out(tree) == "figures that are no cuboids were left out (2)"
    assert plain_objects(tree).where(0, "size") == "figures[1].geometry.dimensions"


def test_a_figure_without_geometry_type_is_a_cuboid():
    tree = annotation(cuboid(geometryType=None))
    assert (len(plain_objects(tree).objects), left_out(tree)) == (1, "")


def test_nothing_is_read_that_is_not_a_figure():
    assert convert() == []
    assert convert(None, "chair", 3) == [None, "chair", 3]


# Rotations


def test_a_turn_about_z_stays_upright_to_the_bit():
    assert convert(turned(0, 0, 0.3))[0]["rotation"] == {"yaw": 0.3}
    assert convert(turned(-0.0, 0.0, 4))[0]["rotation"] == {"yaw": 4}
    columns = BoxColumns()
    assert columns.add_scene(convert(turned(0, 0, 0.3)), True) == -1
    assert list(columns.upright) == [1]


def test_a_quarter_turn_about_x_lifts_y_to_z():
    # x stays, y becomes z, z becomes -y: the columns of the matrix
    [item] = convert(turned(math.pi / 2, 0, 0))
    expected = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    assert item["rotation"] == [pytest.approx(row, abs=1e-15) for row in expected]


def test_the_axes_of_the_world_do_not_turn_along():
    # first y to z, then about the world's z: x to y, y to -x
    # x -> x -> y;  y -> z -> z;  z -> -y -> x
    [item] = convert(turned(math.pi / 2, 0, math.pi / 2))
    expected = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert item["rotation"] == [pytest.approx(row, abs=1e-15) for row in expected]


ANGLES = st.floats(-10, 10)


@given(ANGLES, ANGLES, ANGLES)
def test_rotations_are_those_of_scipy(x, y, z):
    [item] = convert(turned(x, y, z))
    turn = item["rotation"]
    if isinstance(turn, dict):
        turn = scipy.spatial.transform.Rotation.from_euler("z", turn["yaw"]).as_matrix().tolist()
    expected = scipy.spatial.transform.Rotation.from_euler(
        "xyz", [x, y, z]
    ).as_matrix()  # small letters: about fixed axes
    assert turn == [pytest.approx(row, abs=1e-12) for row in expected.tolist()]


@given(ANGLES, ANGLES, ANGLES)
def test_every_rotation_is_taken(x, y, z):
    assert BoxColumns().add_scene(convert(turned(x, y, z)), True) == -1


# What is wrong


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        (cuboid(objectId=4), "objectId: found 4, which names no object, expected one"),
        (cuboid(objectId="3"), 'objectId: found "3", which names no object, expected one'),
        (cuboid(objectId=[3]), "objectId: found [3], which names no object, expected one"),
        (cuboid(objectId=None, objectKey="x"), 'objectKey: found "x", which names no object, expected one'),
        (cuboid(objectId=None), "neither objectId nor objectKey, expected the id or key of one of the objects"),
        (cuboid(geometry=None), "geometry: found null, expected {position, dimensions, rotation}"),
        (cuboid(geometry=[1]), "geometry: found [1], expected {position, dimensions, rotation}"),
        (cuboid(geometry={}), "geometry.position: found null, expected {x, y, z}"),
        (
            cuboid(geometry={"position": xyz(1, 2, 3), "dimensions": {"x": 1, "y": 2}}),
            'geometry.dimensions: found {"x": 1, "y": 2}, expected {x, y, z}',
        ),
        (
            cuboid(geometry=cuboid()["geometry"] | {"rotation": {"z": 1}}),
            'geometry.rotation: found {"z": 1}, expected {x, y, z}',
        ),
        (turned(0, "a", 0), 'geometry.rotation: found [0, "a", 0], expected three angles in radians'),
        (turned(0, True, 0), "geometry.rotation: found [0, true, 0], expected three angles in radians"),
        (turned(0, 0, None), "geometry.rotation: found [0, 0, null], expected three angles in radians"),
        (turned(0, math.nan, 0), "geometry.rotation: found [0, NaN, 0], expected three angles in radians"),
        (turned(0, math.inf, 0), "geometry.rotation: found [0, Infinity, 0], expected three angles in radians"),
    ],
)
def test_a_figure_whose_box_cannot_be_had_says_why(figure, expected):
    assert problem(figure) == expected


def test_a_number_beyond_floats_is_no_angle():
    assert "expected three angles in radians" in problem(turned(0, 10**400, 0))


def test_two_objects_of_one_id_leave_it_open_which_is_meant():
    objects = [{"id": 3, "classTitle": "table"}, {"id": 3, "classTitle": "door"}]
    assert problem(cuboid(), objects=objects) == "objectId: found 3, which names 2 objects, expected one"


def test_an_id_and_a_key_must_not_name_two_objects():
    objects = [{"id": 3, "classTitle": "table"}, {"key": "a", "classTitle": "door"}]
    assert "names 2 objects" in problem(cuboid(objectKey="a"), objects=objects)


def test_what_is_known_of_a_broken_figure_is_kept():
    [item] = convert(cuboid(geometry=None))
    assert item == {"id": 7, "label": "table"}
    [item] = convert(cuboid(objectId=4))
    assert item == {"id": 7}


def test_numbers_are_left_to_be_checked_with_all_others():
    figure = cuboid(geometry={"position": xyz(1, None, 3), "dimensions": xyz(0, -1, "a")})
    [item] = convert(figure)
    assert (item["center"], item["size"]) == ([1, None, 3], [0, -1, "a"])


def test_objects_that_are_none_name_nothing():
    assert "names no object" in problem(cuboid(), objects=[None, 3, {"id": None}, {"id": [3]}])


@pytest.mark.parametrize("name", ["objects", "figures"])
@pytest.mark.parametrize(("value", "found"), [(None, "null"), ({}, "{}"), (3, "3")])
def test_lists_have_to_be_there(name, value, found):
    with pytest.raises(calipers.InputError, match=f"^{name}: found {found}, expected a list$"):
        plain_objects(annotation() | {name: value})


# Places


def test_places_are_named_as_in_the_file():
    figures = [
        cuboid(geometryType="bitmap"),
        {"key": "a", "objectId": 3, "geometry": None},
        cuboid(),
        cuboid(objectId=9),
    ]
    where = plain_objects(annotation(*figures, objects=[{"id": 1}, {"id": 3}])).where
    assert [where(1, field) for field in ("center", "size", "rotation", "label", "id", "")] == [
        "figures[2].geometry.position",
        "figures[2].geometry.dimensions",
        "figures[2].geometry.rotation",
        "objects[1].classTitle",
        "figures[2].id",
        "figures[2]",
    ]
    assert where(0, "id") == "figures[1].key"
    assert where(2, "label") == "figures[3]"
