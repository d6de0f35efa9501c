"""Pictures of timelines: the right colour in the right place, the same bytes every time, and names that stay text."""

import hashlib
import itertools
import os
import re
import struct
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from functools import cache
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.core.errors import ConfigError
from calipers.suites.timeline import strips
from calipers.suites.timeline.strips import (
    COLUMNS,
    IDLE,
    WORK_ZONE,
    Strip,
    picture_name,
    strip_picture,
    tolerance_picture,
)

#   frames       0     100    200    300    400    499
#   truth        |outside     |inside       |outside |
#   prediction   |outside|inside     |outside        |
TRUTH = [("outside", 0, 199), ("inside", 200, 399), ("outside", 400, 499)]
PRED = [("outside", 0, 99), ("inside", 100, 299), ("outside", 300, 499)]
STRIP = Strip("drive.mp4", TRUTH, PRED, 25.0, {"frame_accuracy": 0.6, "event_recall": None, "delay_frames": -1234.5})
SWEEP = [(0, 0.003, 0.009, 0.013), (5, 0.033, 0.067, 0.043), (15, 0.097, 0.198, 0.104), (30, 0.177, 0.338, 0.181)]
HOSTILE = ["</script><script>alert(1)</script>", "$x$", "$", r"\$\frac{a}{b}$", "a\nb\tc", "\x1b[2J", "<!--", "]]>"]
FORMATS = ["png", "svg"]
INSIDE = WORK_ZONE["inside"]
SAME, DIFFER = strips.AGREEMENT["same"], strips.AGREEMENT["differ"]


def strip_named(name, **other):
    return STRIP._replace(name=name, **other)


def drawn(picture, *args, **options):
    """Bytes of a picture; a warning is an error."""
    pytest.importorskip("matplotlib.figure")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return picture(*args, **options)


def svg(picture, *args, **options):
    return ET.fromstring(drawn(picture, *args, "svg", **options))


def texts(root):
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def marks(root):
    """How many markers and ticks there are."""
    return sum(1 for _ in root.iter("{http://www.w3.org/2000/svg}use"))


@cache
def pixels_of_strip():
    """The strip above, drawn once."""
    return pixels(STRIP)


def pixels(strip, **options):
    image = pytest.importorskip("PIL.Image")
    return image.open(BytesIO(drawn(strip_picture, strip, "png", **options))).convert("RGB")


def colour_at(image, frame, down, frames=500):
    """The colour in the middle of a frame, so many points below the upper edge of the strips."""
    place = (2 * (strips.LEFT + (frame + 0.5) * COLUMNS / frames), 2 * (62 + down))
    return "#{:02x}{:02x}{:02x}".format(*image.getpixel((int(place[0]), int(place[1]))))


def runs_of(states):
    runs = []
    for frame, state in enumerate(states):
        first = runs.pop()[1] if runs and runs[-1][0] == state else frame
        runs.append((state, first, frame))
    return runs


# What is seen


@pytest.mark.parametrize(
    ("frame", "truth", "pred", "error"),
    [
        (50, IDLE, IDLE, SAME),
        (99, IDLE, IDLE, SAME),
        (100, IDLE, INSIDE, DIFFER),
        (199, IDLE, INSIDE, DIFFER),
        (250, INSIDE, INSIDE, SAME),
        (350, INSIDE, IDLE, DIFFER),
        (499, IDLE, IDLE, SAME),
    ],
)
def test_ground_truth_lies_over_prediction_over_errors(frame, truth, pred, error):
    image = pixels_of_strip()
    assert [colour_at(image, frame, down) for down in (15, 50, 74)] == [truth, pred, error]


def test_strips_have_the_size_of_a_page_column():
    png = drawn(strip_picture, STRIP, "png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (1296, 374)  # 9 x 2.6 inches at 144 dots


def test_a_strip_says_what_it_shows():
    found = texts(svg(strip_picture, STRIP))
    assert {"drive.mp4", "ground truth", "prediction", "in error", "frame", "seconds", "inside", "outside"} <= set(
        found
    )
    assert "frame accuracy 0.600 · event recall — · delay frames -1,234.5" in found
    assert "approaching" not in found


def test_states_stand_in_the_legend_in_the_order_of_a_drive():
    states = ["zebra", "exiting", "inside", "approaching", "outside", "alpha"]
    found = texts(svg(strip_picture, strip_named("a", truth=runs_of(states), pred=runs_of(states))))
    assert found[-6:] == ["outside", "approaching", "inside", "exiting", "alpha", "zebra"]


def test_a_legend_of_very_many_states_says_how_many_more():
    states = runs_of([f"state {number:03}" for number in range(100)])
    found = texts(svg(strip_picture, strip_named("a", truth=states, pred=states)))
    assert found[-2:] == ["state 023", "and 76 more"]


@pytest.mark.parametrize("runs", [[], [("", 0, 4)], [("inside", 0, 0)], [("outside", 0, 9)], [("outside", 0, 999_999)]])
@pytest.mark.parametrize("kind", FORMATS)
def test_any_length_can_be_drawn(runs, kind):
    assert drawn(strip_picture, strip_named("a", truth=runs, pred=runs, fps=None), kind)


def test_one_frame_in_a_million_can_be_seen():
    pred = [("outside", 0, 699_999), ("inside", 700_000, 700_000), ("outside", 700_001, 999_999)]
    image = pixels(strip_named("a", truth=[("outside", 0, 999_999)], pred=pred))
    seen = [colour_at(image, 700_000, down, frames=1_000_000) for down in (15, 50, 74)]
    assert seen == [IDLE, INSIDE, DIFFER]


def test_the_last_frame_of_a_million_can_be_seen():
    pred = [("outside", 0, 999_998), ("inside", 999_999, 999_999)]
    image = pixels(strip_named("a", truth=[("outside", 0, 999_999)], pred=pred))
    assert colour_at(image, 999_999 - 900, 50, frames=1_000_000) == INSIDE


def test_where_runs_crowd_every_state_keeps_its_share():
    #   a b b b a b b b ... on ten frames a column: a quarter of the columns is a's
    shown = strips.crowded_columns(runs_of("abbb" * 10 * COLUMNS), 40 * COLUMNS)
    assert len(shown) == COLUMNS == 552
    assert list(shown.values()).count("a") == 138


def test_a_crowd_does_not_pay_for_one_elsewhere():
    runs = [("a", 0, 6), ("b", 7, 9), ("b", 500, 500), ("a", 501, 502)]
    assert strips.crowded_columns(runs, 10 * COLUMNS) == {0: "a", 50: "a"}


def test_very_many_runs_do_not_make_a_large_file():
    flicker = runs_of(["outside", "inside", "exiting"] * 20_000)
    assert len(drawn(strip_picture, strip_named("a", truth=TRUTH, pred=flicker), "svg")) < 150_000


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=30))
def test_agreement_is_what_a_frame_by_frame_comparison_finds(frames):
    truth, pred = zip(*frames, strict=True)
    compared = ["same" if t == p else "differ" for t, p in frames]
    assert strips.agreement(runs_of(truth), runs_of(pred)) == runs_of(compared)


# Colours


def test_idle_is_grey_whatever_it_is_called():
    assert strips.state_colours(["none", "outside"], idle="none") == {"none": IDLE, "outside": strips.SERIES[0]}
    assert strips.state_colours(["inside"], idle="inside") == {"inside": IDLE}


def test_a_state_has_one_colour_in_all_pictures_of_a_run():
    alone = strip_named("a", truth=[("night", 0, 499)], pred=[("night", 0, 499)])
    assert colour_at(pixels(alone), 250, 15) == strips.SERIES[0]
    assert colour_at(pixels(alone, states=["closed", "night"]), 250, 15) == strips.SERIES[1]


def test_no_two_states_share_a_colour():
    colours = strips.state_colours([f"state {number}" for number in range(200)] + ["outside", *WORK_ZONE], "outside")
    assert len(set(colours.values())) == len(colours) == 204
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours.values())


# Linear light as eyes without long, middle or short cones see it (Machado, Oliveira and Fernandes 2009)
EYES = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no middle": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no short": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
TO_XYZ = ((0.4339, 0.3762, 0.1899), (0.2127, 0.7152, 0.0722), (0.0177, 0.1095, 0.8728))  # white is 1, 1, 1


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(colour, eye):
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    light = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    seen = [min(max(part, 0.0), 1.0) for part in times(EYES[eye], light)]
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in times(TO_XYZ, seen))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eye", EYES)
def test_colours_differ_for_every_eye(eye):
    places = [lab(colour, eye) for colour in (IDLE, *WORK_ZONE.values(), *strips.SERIES)]
    apart_by = [
        sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) ** 0.5 for pair in itertools.combinations(places, 2)
    ]
    assert min(apart_by) > 18  # 2.3 is a difference just noticed


# Axes


@pytest.mark.parametrize("fps", [None, 0, -30, float("nan"), float("inf")])
def test_without_a_speed_there_is_no_time_axis(fps):
    assert strips.time_ticks(500, fps) is None


@pytest.mark.parametrize("fps", [1e-9, 1e-3, 1e9])
def test_any_speed_can_be_drawn(fps):
    assert drawn(strip_picture, strip_named("a", fps=fps), "svg")


def test_time_is_in_seconds_then_minutes_then_hours():
    pytest.importorskip("matplotlib")
    assert strips.time_ticks(100, 25) == ("seconds", [(12.5 * n, f"{n / 2:g}") for n in range(9)])
    assert strips.time_ticks(25 * 130, 25) == (
        "min:s",
        [(0, "0"), (750, "0:30"), (1500, "1:00"), (2250, "1:30"), (3000, "2:00")],
    )
    assert strips.time_ticks(4 * 3600, 1) == (
        "h:min",
        [(1800 * n, f"{n // 2}:{n % 2 * 30:02}" if n else "0") for n in range(9)],
    )


def test_a_sweep_shows_its_tolerances_and_names_its_curves():
    found = texts(svg(tolerance_picture, SWEEP))
    assert {"0", "5", "15", "30", "precision", "recall", "accuracy", "tolerance in frames"} <= set(found)


def test_none_is_a_gap():
    gaps = [(0, 0.003, None, 0.013), (5, None, None, 0.043), (15, 0.097, None, 0.104), (30, 0.177, None, 0.181)]
    whole, holed = svg(tolerance_picture, SWEEP), svg(tolerance_picture, gaps)
    assert marks(whole) - marks(holed) == 5
    assert "recall —" in texts(holed)
    assert "precision" in texts(holed)


@pytest.mark.parametrize("points", [[], [(5, None, None, None)], [(5, 0.0, 0.0, 0.0)], [(5, 1.0, 1.0, None)] * 2])
@pytest.mark.parametrize("kind", FORMATS)
def test_any_sweep_can_be_drawn(points, kind):
    assert drawn(tolerance_picture, points, kind)


def test_a_sweep_in_any_order_is_the_same_picture():
    assert drawn(tolerance_picture, SWEEP[::-1], "svg") == drawn(tolerance_picture, SWEEP, "svg")


def test_labels_are_kept_apart():
    labels = [(0.25, "low", "blue"), (1.0, "high", "red"), (1.0, "same", "grey")]
    assert strips.apart(labels, gap=0.125) == [(1.0, "high", "red"), (0.875, "same", "grey"), (0.25, "low", "blue")]


# The same bytes


PROGRAM = """
import hashlib, sys
sys.path.insert(0, {tests!r})
import matplotlib
from test_strips import STRIP, SWEEP, strip_named, strip_picture, tolerance_picture
before = {{name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}}
crowd = strip_named("a", truth=[(name, at, at) for at, name in enumerate("abcdefghijkl")], pred=STRIP.truth)
for kind in ("png", "svg"):
    strips = [strip_picture(STRIP, kind), strip_picture(crowd, kind, states={{"x", "y", "z"}})]
    for picture in [*strips, tolerance_picture(SWEEP, kind)]:
        print(hashlib.sha256(picture).hexdigest())
print({{name: matplotlib.rcParams[name] for name in before}} == before, "matplotlib.pyplot" in sys.modules)
"""
RC = (
    "font.size: 30\nfont.family: serif\nsvg.fonttype: path\nsvg.hashsalt: x\naxes.facecolor: red\nsavefig.bbox: tight\n"
)


def printed(**environment):
    paths = os.pathsep.join([str(Path(calipers.__file__).parents[1]), *sys.path])
    program = PROGRAM.format(tests=str(Path(__file__).parent))
    env = os.environ | {"PYTHONPATH": paths} | environment
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_bytes_depend_on_nothing_but_the_input(tmp_path):
    pytest.importorskip("matplotlib")
    settings = tmp_path / "matplotlibrc"
    settings.write_text(RC)
    plain = printed(PYTHONHASHSEED="1")
    other = printed(
        PYTHONHASHSEED="2", MATPLOTLIBRC=str(settings), SOURCE_DATE_EPOCH="1", TZ="Asia/Tokyo", MPLBACKEND="pdf"
    )
    assert plain == other
    assert plain[0] == hashlib.sha256(drawn(strip_picture, STRIP, "png")).hexdigest()
    assert plain[-1] == "True False"  # settings are as they were, and no pyplot


@pytest.mark.parametrize("kind", FORMATS)
def test_two_calls_give_the_same_bytes(kind):
    assert drawn(strip_picture, STRIP, kind) == drawn(strip_picture, STRIP, kind)
    assert drawn(tolerance_picture, SWEEP, kind) == drawn(tolerance_picture, SWEEP, kind)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_picture_does_not_say_when_or_by_what_it_was_made(kind):
    for picture in (drawn(strip_picture, STRIP, kind), drawn(tolerance_picture, SWEEP, kind)):
        assert not re.search(rb"matplotlib v|matplotlib.org|software|creator|dc:date", picture, re.IGNORECASE)


# Foreign text


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_trap_37_names_are_text_and_nothing_else(name):
    strip = strip_named(name, truth=[(name, 0, 9)], pred=[("outside", 0, 9)], figures={name: 0.5})
    shown = name.replace("\n", "\\x0a").replace("\t", "\\x09").replace("\x1b", "\\x1b")
    written = drawn(strip_picture, strip, "svg")
    root = ET.fromstring(written)
    assert shown in texts(root)
    assert not [element.tag for element in root.iter() if "script" in element.tag]
    assert b"<script" not in written
    assert drawn(strip_picture, strip, "png")[:4] == b"\x89PNG"


def test_letters_the_font_lacks_are_kept_in_svg_and_spelled_in_png():
    pytest.importorskip("matplotlib")
    strip = strip_named("城市😀.mp4", truth=[("施工", 0, 9)], pred=[("outside", 0, 9)])
    assert {"城市😀.mp4", "施工"} <= set(texts(svg(strip_picture, strip)))
    assert strips.Lettering("png").fit("市\U00020000 é", 500, 12) == "\\u5e02\\U00020000 é"
    assert drawn(strip_picture, strip, "png")


def test_warnings_are_silenced_while_drawing_and_not_longer():
    pytest.importorskip("matplotlib.figure")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        strip_picture(strip_named("市"), "svg")
        with pytest.raises(UserWarning, match="Glyph 24066 missing from a font"):
            warnings.warn("Glyph 24066 missing from a font", UserWarning, stacklevel=1)


@pytest.mark.parametrize("name", ["x" * 300, "W" * 300, "\x00" * 300, "市" * 300, "a" * 299 + ".", "\ud800" * 300])
@pytest.mark.parametrize("kind", FORMATS)
def test_long_names_lose_their_middle(name, kind):
    pytest.importorskip("matplotlib")
    lettering = strips.Lettering(kind)
    shown = lettering.fit("first" + name + "last.mp4", 566, 12)
    assert 566 * 0.85 < 12 * lettering.ems(shown) <= 566
    assert re.fullmatch(r"first.+….+last\.mp4", shown)
    assert drawn(strip_picture, strip_named(name, truth=[(name, 0, 9)], pred=[(name, 0, 9)]), kind)


def test_short_names_stay_whole():
    pytest.importorskip("matplotlib")
    assert strips.Lettering("png").fit("drive.mp4", 566, 12) == "drive.mp4"


# File names


@pytest.mark.parametrize(
    ("video", "slug"),
    [
        ("drive.mp4", "drive-mp4"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\con", "C-con"),
        (".hidden", "hidden"),
        ("市", "video"),
        ("", "video"),
        ("a" * 300, "a" * 48),
        ("a\x00b\n", "a-b"),
    ],
)
def test_trap_39_a_name_becomes_a_file_in_the_folder(video, slug):
    assert picture_name(video, set()) == f"{slug}-{hashlib.sha256(video.encode()).hexdigest()[:8]}"


@given(st.lists(st.text(max_size=8) | st.sampled_from(["a/b", "a-b", "a b", "A-B", "\ud800"]), max_size=12))
def test_trap_39_names_never_clash_and_never_leave_the_folder(videos):
    taken = set()
    for video in videos:
        name = picture_name(video, taken)
        assert name == picture_name(video, set(taken))
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,47}-[0-9a-f]{8}", name)
        assert name.lower() not in {other.lower() for other in taken}
        taken.add(name)


def test_names_that_differ_only_in_what_a_file_name_cannot_hold_are_told_apart():
    assert len({picture_name(video, set()) for video in ("a/b", "a b", "a-b", "a:b", "a市b")}) == 5


# What is refused


@pytest.mark.parametrize(("picture", "subject"), [(strip_picture, STRIP), (tolerance_picture, SWEEP)])
def test_without_matplotlib_the_message_says_how_to_get_it(picture, subject, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=re.escape("pictures need matplotlib: pip install 'calipers[plots]'")):
        picture(subject, "png")


@pytest.mark.parametrize("kind", ["pdf", "PNG", ""])
def test_an_unknown_format_is_refused(kind):
    with pytest.raises(ConfigError, match=f"format: found '{kind}', expected png or svg"):
        strip_picture(STRIP, kind)


def test_importing_the_module_does_not_load_matplotlib():
    program = "import sys, calipers.suites.timeline.strips; print('matplotlib' in sys.modules)"
    env = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "False\n"
