"""How long an extension may be that a video's name goes with or without."""

import pytest

from calipers import timeline

STATES = {"inside": [[0, 9]]}


@pytest.mark.parametrize(
    ("name", "matches"), [("drive.ts", True), ("drive.mpeg4", True), ("drive.rawvid", False), ("drive.2024", False)]
)
def test_an_extension_has_up_to_five_letters_and_digits(name, matches):
    report = timeline({name: STATES}, {"drive": {"states": STATES}})
    assert (report["records"]["evaluated"], report["videos_without_ground_truth"]) == (
        (1, []) if matches else (0, ["drive"])
    )
