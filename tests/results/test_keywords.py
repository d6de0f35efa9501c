"""Misspelt keywords of functions over results are errors that name the nearest, as those of suites are."""

import pytest

import calipers


@pytest.mark.parametrize(
    ("name", "misspelt", "meant"),
    [
        ("compare", "forse", "force"),
        ("gate", "max_drp", "max_drop"),
        ("gate", "basline", "baseline"),
        ("rank", "figre", "figure"),
        ("suspects", "tops", "top"),
        ("check", "sute", "suite"),
        ("check", "image", "images"),
    ],
)
def test_a_misspelt_keyword_names_the_nearest(name, misspelt, meant):
    with pytest.raises(calipers.ConfigError, match=f"^'{misspelt}' is not an option, did you mean '{meant}'?"):
        getattr(calipers, name)("old.json", "new.json", **{misspelt: 1})


def test_a_keyword_that_is_near_none_lists_those_there_are():
    with pytest.raises(calipers.ConfigError, match=r"^'zzzz' is not an option \(known: baseline, figure, order\)$"):
        calipers.rank("a.json", "b.json", zzzz=1)
