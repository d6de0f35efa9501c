"""Scenes from above: outlines by hand, a picture of what matters, arrows for the rest, and text that stays text."""

import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.show.charts import palette
from calipers.suites.scene import footprints
from calipers.suites.scene.footprints import Window, clipped, window
from calipers.suites.scene.overlay import MAX_PANELS, Footprint, SceneView, footprint, overlay_svg

from .scene_trees import CAUSES

SVG = "{http://www.w3.org/2000/svg}"
UPRIGHT = (1, 0, 0, 0, 1, 0, 0, 0, 1)
SQUARE = 1 / math.sqrt(2)


def box(x, y, size=1.0, label="seat", partner=None, state="missed", tooltip="about it"):
    """A square footprint around a place."""
    corners = footprint((x, y, 0), (size / 2, size / 2, 1), UPRIGHT)
    return Footprint(corners, label, (x, y), partner, state, tooltip)


#   truth   a at (0, 0) found by p at (0.5, 0), b at (4, 0) missed;  a false prediction q at (4, 3)
TRUTH = [box(0, 0, label="seat", partner=0, state="found", tooltip="seat 7\nIoU 0.333"), box(4, 0, label="door")]
PRED = [box(0.5, 0, label="chair", partner=0, state="matched"), box(4, 3, label="ghost", state="no_overlap")]
SCENE = SceneView("office", TRUTH, PRED)


def drawn(*scenes, name="ours"):
    return ET.fromstring(overlay_svg(name, list(scenes)))


def every(root, tag):
    return list(root.iter(SVG + tag))


def texts(root):
    return [element.text or element[0].tail for element in every(root, "text")]


def tooltips(root):
    return [element.text for element in every(root, "title")]


def told(root, text):
    """The elements with this tooltip."""
    return [
        element
        for element in root.iter()
        if any(child.tag == SVG + "title" and child.text == text for child in element)
    ]


def corners_of(path):
    return [tuple(map(float, pair.split())) for pair in path.get("d")[1:-1].split("L")]


# Outlines


@pytest.mark.parametrize(
    ("center", "half", "axes", "corners"),
    [
        ((1, 2, 5), (1, 0.5, 9), UPRIGHT, [(0, 1.5), (2, 1.5), (2, 2.5), (0, 2.5)]),
        # a quarter turn: the first axis is y, the second is -x
        ((0, 0, 0), (2, 1, 1), (0, 1, 0, -1, 0, 0, 0, 0, 1), [(-1, -2), (1, -2), (1, 2), (-1, 2)]),
        # an eighth turn of a square with half a side of 1: its corners are sqrt 2 away
        (
            (0, 0, 0),
            (1, 1, 1),
            (SQUARE, SQUARE, 0, -SQUARE, SQUARE, 0, 0, 0, 1),
            [(-2 * SQUARE, 0), (0, -2 * SQUARE), (2 * SQUARE, 0), (0, 2 * SQUARE)],
        ),
        # lying on its side: the third axis is x, so the third length is seen across
        ((0, 0, 0), (1, 2, 3), (0, 1, 0, 0, 0, 1, 1, 0, 0), [(-3, -1), (3, -1), (3, 1), (-3, 1)]),
        # tilted about x by an eighth: y reaches (2 + 1) / sqrt 2
        (
            (0, 0, 0),
            (1, 2, 1),
            (1, 0, 0, 0, SQUARE, SQUARE, 0, -SQUARE, SQUARE),
            [(-1, -3 * SQUARE), (1, -3 * SQUARE), (1, 3 * SQUARE), (-1, 3 * SQUARE)],
        ),
    ],
    ids=["upright", "quarter turn", "eighth turn", "on its side", "tilted"],
)
def test_the_outline_of_a_box_from_above(center, half, axes, corners):
    found = footprint(center, half, axes)
    assert [pytest.approx(corner, abs=1e-12) for corner in found] == corners


def test_a_cube_standing_on_its_corner_is_a_hexagon():
    #   the space diagonal is upright; the six other corners lie on a circle of radius sqrt(8/3) for a half side of 1
    a, b, c = 1 / math.sqrt(6), 1 / math.sqrt(2), 1 / math.sqrt(3)
    found = footprint((0, 0, 0), (1, 1, 1), (2 * a, 0, c, -a, b, c, -a, -b, c))
    assert len(found) == 6
    assert [math.hypot(*corner) for corner in found] == pytest.approx([math.sqrt(8 / 3)] * 6)


def turned(yaw, pitch):
    c, s, d, t = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    return (c, s, 0, -s * d, c * d, t, s * t, -c * t, d)


ANGLE = st.floats(-math.pi, math.pi)
LENGTH = st.floats(0.01, 100)


@given(st.tuples(LENGTH, LENGTH, LENGTH), ANGLE, ANGLE)
def test_an_outline_is_as_large_as_the_three_faces_seen(half, yaw, pitch):
    """From above one sees at most three faces, each smaller by the slant of its normal."""
    axes = turned(yaw, pitch)
    faces = [4 * half[(k + 1) % 3] * half[(k + 2) % 3] * abs(axes[3 * k + 2]) for k in range(3)]
    assert footprints.area(footprint((0, 0, 0), half, axes)) == pytest.approx(sum(faces))


@given(st.tuples(LENGTH, LENGTH, LENGTH), ANGLE, ANGLE)
def test_an_outline_turns_left_at_every_corner_and_begins_leftmost(half, yaw, pitch):
    found = footprint((1, -2, 3), half, turned(yaw, pitch))
    around = zip(found, found[1:] + found[:1], found[2:] + found[:2], strict=True)
    turns = [(b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) for a, b, c in around]
    assert min(turns) > -1e-9  # rounding of numbers up to 300
    assert found[0] == min(found)
    assert 4 <= len(found) <= 8


def test_clipping_keeps_what_is_inside():
    square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    assert clipped(square, Window(-1, -1, 3, 3)) == square
    assert clipped(square, Window(1, 1, 3, 3)) == [(1, 1), (2, 1), (2, 2), (1, 2)]
    assert clipped(square, Window(3, 3, 4, 4)) == []
    assert footprints.area(clipped(square, Window(0.5, -9, 1, 9))) == 1


# What a picture shows


def test_the_window_holds_all_boxes_with_a_margin():
    seen = window(SCENE)
    #   from (-0.5, -0.5) to (4.5, 3.5), 5 wide, and 4 % of that around
    assert seen == pytest.approx((-0.7, -0.7, 4.7, 3.7))
    assert window(SceneView("", [], [])) == (-1, -1, 1, 1)
    assert window(SCENE._replace(truth=[])) == pytest.approx((-0.7 + 0.7 - 0.18, -0.68, 4.68, 3.68))


def test_predictions_far_from_the_ground_truth_lie_outside_however_many():
    room = [box(x, y) for x in range(4) for y in range(4)]
    lost = [box(1000 + x, 0, state="no_overlap") for x in range(50)]
    near = [box(4.5, 0, state="no_overlap")]
    assert window(SceneView("", room, lost)) == window(SceneView("", room, []))
    assert window(SceneView("", room, near)).right > 5


def test_a_few_objects_far_from_all_others_lie_outside_and_a_second_room_does_not():
    room = [box(x, y) for x in range(4) for y in range(4)]
    assert window(SceneView("", [*room, box(1e6, 0)], [])) == window(SceneView("", room, []))
    other = [box(60 + x, y) for x in range(2) for y in range(3)]
    assert window(SceneView("", room + other, [])).right > 61


def test_one_enormous_box_does_not_shrink_the_others():
    room = [box(x, y) for x in range(4) for y in range(4)]
    assert window(SceneView("", [*room, box(1, 1, size=1e5)], [])).width < 40
    assert window(SceneView("", room, [box(1, 1, size=1e5, state="low_iou")])).width < 40


# Panels


def test_ground_truth_is_outlined_and_predictions_are_filled():
    root = drawn(SCENE)
    [found], [missed] = (
        told(root, "seat 7\nIoU 0.333"),
        [each for each in told(root, "about it") if "stroke-dasharray" in each.attrib],
    )
    assert found.get("fill-opacity") == missed.get("fill-opacity") == "0"
    assert "stroke-dasharray" not in found.attrib
    [matched] = [each for each in told(root, "about it") if each.get("fill") == palette.MATCHED]
    assert matched.get("fill-opacity") == "0.25"
    [false] = [each for each in told(root, "about it") if each.get("fill", "").startswith("url(#")]
    assert false.get("stroke") == palette.FALSE_POSITIVE_COLOURS["no_overlap"]
    assert false.get("fill")[5:-1] in [pattern.get("id") for pattern in every(root, "pattern")]


def test_y_is_up_and_the_scale_is_the_same_both_ways():
    root = drawn(SCENE)
    [seat] = told(root, "seat 7\nIoU 0.333")
    [ghost] = [each for each in told(root, "about it") if each.get("fill", "").startswith("url(#")]
    (left, low), (right, _), (_, high), _ = corners_of(seat)
    assert right - left == pytest.approx(low - high, abs=0.02)  # pixels: a square is a square
    one = right - left
    (ghost_left, ghost_low), *_ = corners_of(ghost)
    assert (ghost_left - left, low - ghost_low) == pytest.approx((4 * one, 3 * one), abs=0.05)


def test_a_line_joins_the_centres_of_a_matched_pair():
    root = drawn(SCENE)
    [line], [seat] = every(root, "line"), told(root, "seat 7\nIoU 0.333")
    one = corners_of(seat)[1][0] - corners_of(seat)[0][0]
    ends = [float(line.get(name)) for name in ("x1", "y1", "x2", "y2")]
    assert ends[2] - ends[0] == pytest.approx(one / 2, abs=0.02)
    assert ends[1] == ends[3]


def test_legend_and_panels_count():
    others = [box(9, k, state=cause, label="x") for k, cause in enumerate(CAUSES)]
    found = texts(drawn(SCENE, SceneView("hall", [], others, unplaced=2)))
    assert "ground truth, found: 1" in found
    assert "ground truth, missed: 1" in found
    assert "prediction, matched: 1" in found
    assert [text for text in found if re.fullmatch(r"(unresolved|no|low|wrong|duplicate).*: \d", text)] == [
        "unresolved label: 1",
        "no overlap: 2",
        "low IoU: 1",
        "wrong label: 1",
        "duplicate: 1",
    ]
    assert {"office", "hall", "1 found · 1 missed · 1 false", "0 found · 0 missed · 5 false · 2 without a box"} <= set(
        found
    )


def test_labels_stand_at_the_centres_of_ground_truth_and_of_false_predictions():
    found = texts(drawn(SCENE))
    assert {"seat", "door", "ghost"} <= set(found)
    assert "chair" not in found  # its partner's label stands there


def test_labels_do_not_stand_on_each_other_nor_beside_specks():
    crowd = SceneView(
        "", [box(0, 0, label="seat"), box(0.01, 0, label="door"), box(5, 0, size=0.01, label="speck")], []
    )
    found = texts(drawn(crowd))
    assert ("seat" in found) + ("door" in found) == 1
    assert "speck" not in found


def test_the_grid_is_labelled_in_metres_and_there_is_a_scale():
    found = texts(drawn(SCENE))
    #   5.4 m across a large panel: every metre; and a scale of 1 m, an eighth of the width or more
    assert [text for text in found if re.fullmatch(r"-?\d", text)] == ["0", "1", "2", "3", "4", "0", "1", "2", "3"]
    assert "1 m" in found


def test_what_lies_outside_is_an_arrow_with_its_distance():
    far = box(104.75, 0, label="far", state="no_overlap", tooltip="far one")
    root = drawn(SCENE._replace(pred=[*PRED, far]))  # 5.5 m wide with a middle at x = 2, so it ends at 4.75
    [arrow] = told(root, "far one\n100.0 m outside")
    assert arrow[1].get("fill") == palette.FALSE_POSITIVE_COLOURS["no_overlap"]
    assert "1 outside (arrows), up to 100.0 m" in texts(root)
    right = max(float(point.split()[0]) for point in arrow[1].get("d")[1:-1].split("L"))
    assert 850 < right < 878  # the width of the panel


def test_many_arrows_at_one_place_are_one_with_their_number():
    far = [box(100.75 + k, 0, state="no_overlap", tooltip=f"far {k}") for k in range(9)]
    root = drawn(SCENE._replace(pred=[*PRED, *far]))
    [words] = [text for text in tooltips(root) if text.startswith("far 0\n")]
    assert words.splitlines()[::2] == ["far 0", "far 1", "far 2", "far 3", "far 4", "far 5", "and 3 more"]
    assert "9" in texts(root)
    assert "9 outside (arrows), up to 104.0 m" in texts(root)


def test_a_box_cut_by_the_edge_is_counted():
    root = drawn(SCENE._replace(pred=[*PRED, box(1, 1, size=1e5, state="low_iou", tooltip="hall")]))
    assert "1 cut off" in texts(root)
    assert len(told(root, "hall")) == 1


@given(
    st.lists(st.tuples(*[st.floats(-1e308, 1e308) | st.floats(-20, 20)] * 2, st.floats(1e-300, 1e308)), max_size=6),
    st.lists(st.tuples(*[st.floats(-1e308, 1e308) | st.floats(-20, 20)] * 2, st.floats(1e-300, 1e308)), max_size=6),
)
def test_nothing_is_dropped_wherever_it_lies(truth, pred):
    """Every box has a tooltip in the picture, as an outline or as an arrow, and no number is absurd."""
    sides = [box(*place, tooltip=f"t{k}") for k, place in enumerate(truth)]
    others = [box(*place, state="low_iou", tooltip=f"p{k}") for k, place in enumerate(pred)]
    picture = overlay_svg("x", [SceneView("s", sides, others)]).decode()
    assert not re.search(r"\b(nan|inf)\b", picture)
    shown = "\n".join(tooltips(ET.fromstring(picture)))
    assert {f"t{k}" for k in range(len(truth))} | {f"p{k}" for k in range(len(pred))} <= set(shown.split("\n"))
    pixels = [
        abs(float(number)) for path in re.findall(' d="([^"]+)"', picture) for number in re.findall(r"[\d.]+", path)
    ]
    assert max(pixels, default=0) < 2000


def test_very_many_scenes_are_cut_and_that_is_said():
    root = drawn(*[SCENE._replace(name=f"scene {k}") for k in range(30)])
    found = texts(root)
    assert "scene 23" in found
    assert "scene 24" not in found
    assert any("the first 24 scenes; 6 more are not drawn" in text for text in found)
    assert "ground truth, found: 30" in found


def test_of_very_many_scenes_the_first_are_enough_with_the_counts_of_all():
    scenes = [SCENE._replace(name=f"scene {k}") for k in range(30)]
    counts = {"found": 30, "missed": 30, "matched": 30, "no_overlap": 30}
    assert overlay_svg("ours", scenes[:MAX_PANELS], total=30, counts=counts) == overlay_svg("ours", scenes)


def test_scenes_and_methods_without_anything_can_be_drawn():
    assert any("no scenes" in text for text in texts(drawn()))
    assert "no boxes" in texts(drawn(SceneView("void", [], [])))


def test_a_long_corridor_has_a_flat_panel():
    corridor = SceneView("", [box(x, 0) for x in range(40)], [])
    flat, square = drawn(corridor), drawn(SceneView("", [box(x, x) for x in range(40)], []))
    assert float(flat.get("height")) < 520 < float(square.get("height"))


# Foreign text


HOSTILE = [
    "</title><script>alert(1)</script>",
    '"><b onload="x">',
    "a & b",
    "\x1b[2J\x00",
    "]]>",
    "城市😀",
    "\ud800",
    "&lt;",
]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_trap_37_names_are_text_and_nothing_else(name):
    scene = SceneView(name, [box(0, 0, label=name[:8], tooltip=name)], [box(3, 3, state=name, tooltip=name)])
    picture = overlay_svg(name, [scene])
    root = ET.fromstring(picture)
    shown = re.sub("[\x00\x1b]", lambda found: f"\\x{ord(found[0]):02x}", name).replace("\ud800", "\\ud800")
    assert texts(root)[0] == shown
    assert shown in tooltips(root)
    allowed = {"svg", "title", "defs", "pattern", "rect", "path", "text", "g", "line", "circle"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on") or "href" in key]


def test_long_names_lose_their_middle_and_are_whole_in_the_tooltip():
    name = "first" + "x" * 300 + "last"
    root = drawn(SCENE._replace(name=name), name=name)
    cut = [text for text in texts(root) if "…" in text]
    assert len(cut) == 2
    assert all(re.fullmatch("first.+last", text) for text in cut)
    assert tooltips(root).count(name) == 2


def test_two_overlays_can_stand_in_one_page():
    ids = [pattern.get("id") for name in ("a", "b") for pattern in every(drawn(SCENE, name=name), "pattern")]
    assert len(set(ids)) == 2


# The same bytes


PROGRAM = """
import hashlib
from calipers.suites.scene.overlay import Footprint, SceneView, overlay_svg
square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
causes = ("wrong_label", "haste", "low_iou", "no_overlap", "waste")
boxes = [Footprint(square, "x", (0.5, 0.5), None, cause, cause) for cause in causes]
print(hashlib.sha256(overlay_svg("ours", [SceneView("a", [], boxes)])).hexdigest())
"""


def printed(**environment):
    env = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])} | environment
    return subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=env, check=True).stdout


def test_bytes_depend_on_nothing_but_the_input():
    assert printed(PYTHONHASHSEED="1") == printed(PYTHONHASHSEED="2", TZ="Asia/Tokyo", LC_ALL="C")
    assert overlay_svg("ours", [SCENE]) == overlay_svg("ours", [SCENE])
