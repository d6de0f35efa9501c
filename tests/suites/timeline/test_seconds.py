"""Transitions within 0.5 and 1 seconds, by the frame rate of each video."""

import calipers

#          0         1         2         3
#          0123456789012345678901234567890123456789
#  truth   oooooooooooooooooooIIIIIIIIIIIIIIIIIIIIo    changes at 19 and 39
TRUTH = {"inside": [[19, 38]], "outside": [[0, 18], [39, 60]]}


def late(frames):
    return {"inside": [[19 + frames, 38 + frames]], "outside": [[0, 18 + frames], [39 + frames, 60]]}


def within(*videos, **options):
    """Recall within 0.5 s and 1 s, and the number of videos; each video is its fps and how late all of it is."""
    truth = {f"{place}.mp4": TRUTH for place in range(len(videos))}
    pred = {
        f"{place}.mp4": {"states": late(frames)} | ({"fps": fps} if fps else {})
        for place, (fps, frames) in enumerate(videos)
    }
    tree = calipers.timeline(truth, pred, bootstrap=0, **options)["transitions_within_sec"]
    return [(tree[key]["transition_recall_mean"], tree[key]["transition_recall_n"]) for key in ("0.5", "1")]


def test_a_second_is_as_many_frames_as_the_video_has():
    assert within((10, 5)) == [(1.0, 1), (1.0, 1)]  # 5 frames are 0.5 s
    assert within((10, 6)) == [(0.0, 1), (1.0, 1)]
    assert within((10, 11)) == [(0.0, 1), (0.0, 1)]
    assert within((30, 15)) == [(1.0, 1), (1.0, 1)]
    assert within((29.97, 15)) == [(0.0, 1), (1.0, 1)]  # 14.985 frames


def test_each_video_has_its_own_frame_rate():
    assert within((10, 6), (20, 6)) == [(0.5, 2), (1.0, 2)]


def test_a_video_without_a_frame_rate_is_left_out_unless_one_is_given():
    assert within((None, 1)) == [(None, 0), (None, 0)]
    assert within((None, 6), (20, 6)) == [(1.0, 1), (1.0, 1)]
    assert within((None, 6), (20, 6), fps=10) == [(0.5, 2), (1.0, 2)]
