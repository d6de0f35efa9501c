"""Slices in a summary: the worst groups of each field, and how many more there are."""

from calipers.show.slices import slices_lines


def group(field, number):
    figure = {"value": number / 10, "rest": 0.5, "difference": None, "interval": None}
    return {"field": field, "value": f"{number}\n", "records": 1000, "figures": {"a.f1": figure}, "sure": False}


def test_a_field_has_its_eight_worst_groups():
    slices = [*(group("site", number) for number in range(10)), group("light", 1)]
    lines = list(slices_lines(slices, "a.f1", "ours: "))
    assert lines[0] == " worst slices         ours: none is surely worse than the rest"
    assert lines[1] == " slices               ours: a f1 by site, the worst 8"
    assert lines[2] == " " * 22 + "0\\x0a  0.000  n 1,000"
    assert lines[9].strip() == "7\\x0a  0.700  n 1,000"
    assert lines[10].strip() == "2 more in the artifact"
    assert lines[11:] == [
        " slices               ours: a f1 by light, the worst first",
        " " * 22 + "1\\x0a  0.100  n 1,000",
    ]
