"""A prediction that says how similar it is to a task under two spellings of its name."""

import pytest

import calipers

SEAT = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}


@pytest.mark.parametrize("similarity", [{"seat": 0.95, "Seat!": 0.4}, {"seat": 0.4, "Seat!": 0.95}])
def test_of_two_tasks_that_are_one_class_the_larger_similarity_counts(similarity):
    pred = SEAT | {"label": "thing", "similarity": similarity}
    report = calipers.scene([SEAT], {"objects": [pred]}, labels=["seat"], bootstrap=0, open_set=True)
    assert report["params"]["os_similarity_threshold"] == 0.9  # 0.95 is relevant, 0.4 would not be
    assert report["benchmark_compat"]["osP_strict"] == 1.0
