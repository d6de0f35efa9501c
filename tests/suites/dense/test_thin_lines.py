"""Coverage of lines whose tubes are so thin that neighbours share no cell."""

from calipers import dense


def line(y):
    return {"type": "line", "points": [100, y, 200, y], "desc": "类别=光纤"}


def test_lines_within_tolerance_cover_each_other_also_without_a_cell_in_common():
    # 0.4 apart; the centre of a cell at 10.5 is within 0.5 of the one line only, that at 9.5 of the other
    report = dense([{"gt_norm1000": [line(10.2)], "pred": [line(9.8)]}], tube_tolerance=0.5)
    assert report["modes"]["localization"]["primary"]["matched"] == 0
    assert report["coverage"]["best"] == {"n": 1, "recall": 1.0, "precision": 1.0, "f1": 1.0}
