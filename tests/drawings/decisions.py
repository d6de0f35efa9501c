"""Drawings of verdicts and decisions: the judge, paired differences, letters of a ranking, slices."""

from __future__ import annotations

from typing import Any

import calipers

from .canvas import Canvas, Frame

BOX = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "cone"}


def judge() -> Canvas:
    """A click, a count and intervals."""
    canvas = Canvas(700, 205, "Verdicts: click, count, intervals")
    click = {"output": '{"point": [130, 60]}', "expected_output": '{"box": [20, 40, 120, 100]}'}
    canvas.text(20, 26, "judge click", "strong")
    canvas.box(20, 40, 100, 60, "truth")
    for x, y, payload in ((80, 70, click | {"output": '{"point": [80, 70]}'}), (130, 60, click)):
        verdict = calipers.judge.click(payload)
        canvas.dot(x, y, "both" if verdict["pass"] else "wrong", 5)
        canvas.text(
            20,
            130 if verdict["pass"] else 150,
            f"({x}, {y}): score {verdict['score']:g}",
            "both" if verdict["pass"] else "wrong",
        )
    canvas.text(20, 176, "is the point in the box?", "quiet")
    canvas.text(220, 26, "judge count", "strong")
    for line, answer in enumerate((4, 5, 8)):
        verdict = calipers.judge.count({"output": f'{{"count": {answer}}}', "expected_output": '{"count": 4}'})
        look = "both" if verdict["pass"] else "wrong"
        canvas.text(220, 56 + 26 * line, f"{answer} where 4 are:  score {verdict['score']:.3f}", look)
    canvas.text(220, 150, "1 − difference / larger count;", "quiet")
    canvas.text(220, 168, "passes only when equal, unless", "quiet")
    canvas.text(220, 186, "a threshold allows more", "quiet")
    _intervals(canvas)
    return canvas


def _intervals(canvas: Canvas) -> None:
    truth, answer = [[0, 9], [20, 29]], [[2, 11], [24, 39]]
    verdict = calipers.judge.intervals(
        {"output": {"intervals": answer}, "expected_output": {"intervals": truth}}, threshold=0.5
    )
    canvas.text(450, 26, "judge intervals", "strong")
    for row, (spans, look) in enumerate(((truth, "truth"), (answer, "pred"))):
        for first, last in spans:
            canvas.box(450 + 5 * first, 44 + 30 * row, 5 * (last + 1 - first), 20, look)
    pairs = {pair["gt"]: pair["iou"] for pair in verdict["details"]["pairs"]}
    canvas.text(475, 120, f"IoU {pairs[0]:.3f}", "both strong", "middle")
    canvas.text(590, 120, "IoU 0.300", "wrong strong", "middle")
    canvas.text(450, 150, f"at IoU ≥ 0.5: F1 {verdict['score']:g}", "strong")
    canvas.text(450, 176, "frames, both ends included;", "quiet")
    canvas.text(450, 194, "seconds with --unit seconds", "quiet")


def point_score() -> Canvas:
    """The score of a point by its distance."""
    canvas = Canvas(660, 220, "The score of a point by distance")
    frame = Frame(canvas, 60, 40, 380, 120, (0, 30))
    frame.axes("distance from the reference (threshold 10)", "score", (0, 10, 20, 30), (0, 0.5, 1))
    scores = [
        (far, calipers.judge.point({"output": [far, 0], "expected_output": [0, 0]})["score"]) for far in range(31)
    ]
    canvas.box(frame.at(0, 1)[0], 40, frame.at(10, 0)[0] - frame.at(0, 0)[0], 120, "band")
    canvas.line([frame.at(*point) for point in scores], "truth")
    canvas.text(frame.at(5, 0)[0], 150, "passes", "truth", "middle")
    canvas.text(460, 70, "1 up to the threshold,", "")
    canvas.text(460, 90, "then down to 0 at twice that", "")
    return canvas


def _runs() -> dict[str, Any]:
    """Five results over the same 80 records that find less and less."""
    steps = {"e": 27, "d": 24, "c": 13, "b": 9, "a": 5}
    records = [{"id": f"{k}.jpg", "gt_norm1000": [BOX]} for k in range(80)]
    return {
        name: calipers.dense([record | {"pred": [BOX] * (k >= missed)} for k, record in enumerate(records)])
        for name, missed in steps.items()
    }


def letters() -> Canvas:
    """Results with intervals, and letters that say which can be told apart."""
    ranking = calipers.rank(_runs(), figure="category.recall")
    rows = ranking["figures"]["category.recall"]
    canvas = Canvas(700, 240, "A ranking: results that share a letter cannot be told apart")
    frame = Frame(canvas, 110, 30, 330, 160, (0.4, 1.0), (5, 0))
    frame.axes("recall, with 95 % intervals", "", (0.4, 0.6, 0.8, 1.0), ())
    for line, row in enumerate(rows):
        y = frame.at(0.5, line + 0.5)[1]
        canvas.text(100, y + 4, f"run {row['name']}", "", "end")
        canvas.line([(frame.at(row["interval"][0], 0)[0], y), (frame.at(row["interval"][1], 0)[0], y)], "axis")
        canvas.dot(frame.at(row["value"], 0)[0], y)
        for place, letter in enumerate("abcd"):
            if letter in row["group"]:
                canvas.text(470 + 24 * place, y + 4, letter, "strong", "middle")
    canvas.text(458, 24, "groups", "quiet")
    canvas.text(540, 80, "a shared letter:", "quiet")
    canvas.text(540, 98, "cannot be told apart", "quiet")
    return canvas


def paired() -> Canvas:
    """Two results whose own intervals overlap, and their difference, which excludes 0."""
    records = [{"id": f"{k}.jpg", "gt_norm1000": [BOX]} for k in range(80)]
    old, new = (
        calipers.dense([record | {"pred": [BOX] * (k % 4 > 0 or k in extra)} for k, record in enumerate(records)])
        for extra in ((), range(0, 40, 4))
    )
    row = next(item for item in calipers.compare(old, new)["metrics"] if item["metric"] == "category.recall")
    canvas = Canvas(680, 210, "A paired comparison")
    frame = Frame(canvas, 90, 30, 240, 110, (0.6, 1.0), (2, 0))
    frame.axes("recall", "", (0.6, 0.8, 1.0), ())
    for line, (name, report) in enumerate((("old", old), ("new", new))):
        primary, y = report["modes"]["category"]["primary"], frame.at(0.6, line + 0.5)[1]
        low, high = primary["interval"]["recall"]
        canvas.line([(frame.at(low, 0)[0], y), (frame.at(high, 0)[0], y)], "axis")
        canvas.dot(frame.at(primary["recall"], 0)[0], y)
        canvas.text(80, y + 4, name, "", "end")
    frame = Frame(canvas, 420, 30, 200, 110, (-0.1, 0.3), (1, 0))
    frame.axes("new − old, record by record", "", (-0.1, 0, 0.1, 0.2, 0.3), ())
    low, high = row["interval"]
    canvas.line([frame.at(0, 0), frame.at(0, 1)], "dash")
    canvas.line([(frame.at(low, 0)[0], 85), (frame.at(high, 0)[0], 85)], "truth")
    canvas.dot(frame.at(row["difference"], 0)[0], 85)
    canvas.text(90, 200, "each alone: the intervals overlap", "quiet")
    canvas.text(400, 200, f"{row['difference']:+.3f} ({low:+.3f} … {high:+.3f}): {row['verdict']}", "strong")
    return canvas


def slices() -> Canvas:
    """Groups of records beside all others, and what each is worth."""
    records = [
        {"id": f"{k}.jpg", "light": ("night", "dusk", "day", "day")[k % 4], "gt_norm1000": [BOX],
         "pred": [BOX] * (k % 12 not in (0, 4, 6, 7))} for k in range(240)
    ]  # fmt: skip
    report = calipers.dense(records, slice=["light"])
    canvas = Canvas(660, 210, "Slices: each group beside all other records")
    frame = Frame(canvas, 80, 40, 300, 110, (0.2, 1.0), (3, 0))
    frame.axes("F1, with 95 % intervals", "", (0.2, 0.4, 0.6, 0.8, 1.0), ())
    for x, name in ((400, "rest"), (460, "difference"), (548, "worth")):
        canvas.text(x, 30, name, "quiet")
    for line, row in enumerate(report["slices"]):
        f1, y = row["figures"]["category.f1"], frame.at(0.2, line + 0.5)[1]
        canvas.text(70, y + 4, row["value"], "", "end")
        canvas.line([(frame.at(f1["interval"][0], 0)[0], y), (frame.at(f1["interval"][1], 0)[0], y)], "axis")
        canvas.dot(frame.at(f1["value"], 0)[0], y, "reddot" if row["sure"] and f1["difference"] < 0 else "dot")
        canvas.text(400, y + 4, f"{f1['rest']:.3f}")
        canvas.text(
            460,
            y + 4,
            f"{f1['difference']:+.3f}{' sure' if row['sure'] else ''}",
            "wrong" if f1["difference"] < 0 else "",
        )
        canvas.text(548, y + 4, f"{row['worth']:+.3f}".replace("-0.000", "0.000"))
    canvas.text(80, 200, "worth: what F1 over everything would gain if the group were as good as the rest", "quiet")
    return canvas


DRAWINGS = {
    "judge": judge,
    "judge_point": point_score,
    "rank_letters": letters,
    "compare_paired": paired,
    "slices": slices,
}
