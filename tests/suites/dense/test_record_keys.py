"""What a record is called: by the first of its names that is one, or else by its place."""

import pytest

from calipers import dense

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}


@pytest.mark.parametrize(
    ("name", "key"),
    [("a.jpg", "a.jpg"), (7, "7"), (0, "0"), ("", "<records>:1"), (True, "<records>:1"), (1.5, "<records>:1")],
)
def test_texts_and_whole_numbers_are_names(name, key):
    rows = dense([{"id": name, "gt_norm1000": [BOX], "pred": [BOX]}]).matches()
    assert {row["key"] for row in rows} == {key}
