"""Texts that leave predictions out by their labels, where they say nothing."""

import calipers

SEAT = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}
GHOST = {"label": "ghost of a seat", "center": [5, 0, 0], "size": [1, 1, 1]}


def counts(**options):
    report = calipers.scene([SEAT], {"objects": [SEAT, GHOST]}, labels=["seat"], bootstrap=0, **options)
    return report["counts"]["pred"], report["counts"]["ignored"]


def test_a_text_within_a_label_leaves_it_out():
    assert counts(ignore_raw_contains=["Ghost"]) == (1, 1)


def test_a_text_of_punctuation_alone_is_within_no_label():
    # as words it is the empty text, which every label contains
    assert counts(ignore_raw_contains=["???"]) == (2, 0)
    assert counts(ignore_raw_labels=["???"]) == (2, 0)
    assert counts(ignore_canonical_labels=["???"]) == (2, 0)
