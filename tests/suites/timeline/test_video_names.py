"""Names of videos: the key of a timeline CSV, and predictions matched to ground truth with or without extension."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.suites.timeline.video_names import match_names, video_key

# The key of a file


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("drive_timeline_fusion.csv", "drive.mp4"),
        ("drive_timeline.csv", "drive.mp4"),
        ("drive_calibrated.csv", "drive.mp4"),
        ("drive.csv", "drive.mp4"),
        ("sota_drive.csv", "drive.mp4"),
        ("sota_drive_timeline_fusion.csv", "drive.mp4"),
        ("out/batch/sota_drive_calibrated.csv", "drive.mp4"),
        ("施工_timeline.csv", "施工.mp4"),
    ],
)
def test_a_file_belongs_to_the_video_it_is_named_after(file, key):
    assert video_key(file) == key


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("drive_timeline_calibrated.csv", "drive_timeline.mp4"),
        ("drive_calibrated_timeline.csv", "drive_calibrated.mp4"),
        ("drive_timeline_timeline.csv", "drive_timeline.mp4"),
        ("sota_sota_drive.csv", "sota_drive.mp4"),
    ],
)
def test_one_beginning_and_one_ending_is_taken_off_and_no_more(file, key):
    assert video_key(file) == key


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("drive_timeline_fusion_v2.csv", "drive_timeline_fusion_v2.mp4"),
        ("my_sota_drive.csv", "my_sota_drive.mp4"),
        ("timeline.csv", "timeline.mp4"),
        ("drive.v1.csv", "drive.v1.mp4"),
        ("sota.csv", "sota.mp4"),
    ],
)
def test_what_only_looks_like_them_stays(file, key):
    assert video_key(file) == key


# Predictions and the ground truth


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ("a.mp4", "a.mp4"),
        ("a.mp4", "a"),
        ("a", "a.mp4"),
        ("a.avi", "a.mp4"),  # the key of a CSV always ends in .mp4
        ("a", "a"),
        ("north.cam.mp4", "north.cam"),
        ("north.cam", "north.cam.mp4"),
        ("clip.1", "clip.1.mp4"),
        ("clip.1.mp4", "clip.1"),
        (".mp4", ".mp4"),
        ("", ""),
        ("城 1.mp4", "城 1"),
    ],
)
def test_names_match_with_or_without_extension(truth, pred):
    assert match_names([truth], [pred], "pred.json") == ({truth: pred}, [])


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ("a.mp4", "b.mp4"),
        ("a.mp4", "A.mp4"),
        ("a.mp4", "a.mp4.backup"),
        ("a.mp4", "a "),
        ("v1.25 north", "v1.75 north"),  # what follows the dot is no extension
        ("clip.1", "clip.2"),
        ("clip.1", "clip"),
        ("2024.01.05", "2024.01.06"),
        ("a.original", "a.smoothed"),
        ("a.mp4", ".mp4"),
        (".mp4", ".avi"),
        ("", "a"),
    ],
)
def test_other_names_do_not_match(truth, pred):
    assert match_names([truth], [pred], "pred.json") == ({}, [pred])


def test_the_same_name_is_meant_before_one_that_differs_by_its_extension():
    assert match_names(["a", "a.mp4"], ["a", "a.mp4"], "") == ({"a": "a", "a.mp4": "a.mp4"}, [])
    assert match_names(["a", "a.mp4"], ["a"], "") == ({"a": "a"}, [])
    assert match_names(["a", "a.mp4"], ["a.mp4"], "") == ({"a.mp4": "a.mp4"}, [])


def test_a_name_without_extension_is_meant_before_one_that_would_lose_its_own():
    # "a.b" may be a.b.mp4 as it stands, or a.mp4 under another extension
    assert match_names(["a.b.mp4", "a.mp4"], ["a.b"], "") == ({"a.b.mp4": "a.b"}, [])


def test_predictions_of_no_video_are_listed_in_order():
    assert match_names(["a.mp4"], ["z", "b.mp4", "a", "c"], "") == ({"a.mp4": "a"}, ["b.mp4", "c", "z"])
    assert match_names([], ["b", "a"], "") == ({}, ["a", "b"])
    assert match_names(["a"], [], "") == ({}, [])


def test_a_name_that_may_mean_two_videos_is_refused_with_both():
    with pytest.raises(calipers.InputError, match=r"^pred.json: 'a' may mean 'a.avi' or 'a.mp4' of the ground truth"):
        match_names(["a.mp4", "a.avi"], ["a"], "pred.json")


@pytest.mark.parametrize("pred", [["a", "a.mp4"], ["a.mp4", "a"], ["a.mp4", "a.avi"], ["a", "a.avi"]])
def test_two_predictions_of_one_video_are_refused_with_both(pred):
    with pytest.raises(calipers.InputError, match=r"^pred.json: .* both are predictions of 'a.mp4'") as raised:
        match_names(["a.mp4"], pred, "pred.json")
    assert all(repr(name) in str(raised.value) for name in pred)


# Laws

NAMES = st.lists(st.text("ab.4 ", max_size=6), unique=True, max_size=5)


@given(NAMES, NAMES, st.randoms(use_true_random=False))
def test_no_prediction_is_lost_and_the_order_of_names_does_not_matter(truth, pred, random):
    def outcome():
        try:
            return match_names(truth, pred, "")
        except calipers.InputError as error:
            return str(error)

    first = outcome()
    if isinstance(first, tuple):
        partners, strangers = first
        assert sorted([*partners.values(), *strangers]) == sorted(pred)
        assert set(partners) <= set(truth)
        assert all(partners[name] == name for name in set(truth) & set(pred))
    random.shuffle(truth)
    random.shuffle(pred)
    assert outcome() == first


@given(NAMES)
def test_names_match_themselves(names):
    assert match_names(names, names, "") == ({name: name for name in names}, [])


@pytest.mark.parametrize("file", ["drive_Timeline.csv", "drive_TIMELINE_FUSION.CSV", "Sota_drive.csv"])
def test_the_case_of_a_file_name_does_not_matter(file):
    assert video_key(file) == "drive.mp4"
