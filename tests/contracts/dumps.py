"""Made-up dumps with everything in them that a dump may hold: all types, all ways to write points and descriptions,
predictions that are moved, relabelled, doubled, invented, malformed or missing. The same seed gives the same dump."""

import json
import random
from functools import cache
from math import cos, nan, pi, sin

DESCS = (
    "类别=BBU设备,品牌=华为,可见性=部分,挡风板需求=免装,备注=无法判断品牌",
    "类别=BBU设备,品牌=中兴,可见性=完整,挡风板需求=需要",
    "类别=标签,文本=4G-RRU3,光纤=2",
    "类别=标签,文本=5G - AAU1",
    "类别＝标签，可读性＝不可读",
    "类别=站点距离,站点距离=98",
    "类别=站点距离,站点距离=约100米",
    "类别=尾纤,标签=有标签,套管保护=有套管,组=1",
    "螺丝、光纤插头/BBU安装螺丝,显示完整,符合要求",
    "螺丝、光纤插头/,显示完整",
    "标签/4G-RRU3-光纤",
    "光纤/有遮挡,有保护,半径合理/蛇形管",
    "挡风板",
    "",
    "品牌=华为",
    "类别==1+1,备注=</script>\u2028\x1b[2J",
)

INVALID = (
    None,
    7,
    "object",
    [0, 0, 10, 10],
    {},
    {"type": "circle", "points": [5, 5, 3], "desc": DESCS[0]},
    {"type": "bbox_2d", "desc": DESCS[1]},
    {"type": "bbox_2d", "points": [1, 2, 3], "desc": DESCS[2]},
    {"type": "bbox_2d", "points": [1, 2, True, 4], "desc": DESCS[3]},
    {"type": "poly", "points": ["1", "2", "3", "4", "5", "6"], "desc": DESCS[4]},
    {"type": "poly", "points": [[1, 2], [3, 4, 5], [6, 7]], "desc": DESCS[5]},
    {"type": "poly", "points": [1, 2, 3, 4], "desc": DESCS[6]},
    {"type": "line", "points": [5, 5], "desc": DESCS[7]},
    {"type": "line", "points": [5, 5, nan, 9], "desc": DESCS[8]},
    {"type": "line", "points": "5, 5, 9, 9", "desc": DESCS[9]},
)

KEYS = ("image_path", "id", "image")


def make_lines(seed: int, count: int = 200) -> list[bytes]:
    """Lines of a dump, each with a key of its own."""
    return list(_made_lines(seed, count))


@cache
def _made_lines(seed: int, count: int) -> tuple[bytes, ...]:
    rng = random.Random(seed)
    return tuple(json.dumps(_record(rng, number), ensure_ascii=False).encode() for number in range(count))


def padded(lines: list[bytes], seed: int, longest: int = 20_000) -> list[bytes]:
    """The same records with a long field each, so that a few of them fill whatever is read at a time."""
    rng = random.Random(seed)
    return [b'{"raw_text": "%s", %s' % (b"x" * rng.randint(0, longest), line[1:]) for line in lines]


def _record(rng: random.Random, number: int) -> dict:
    truth = [] if rng.random() < 0.08 else [_object(rng) for _ in range(rng.randint(0, 9))]
    record = {rng.choice(KEYS): f"folder {number % 7}/图 {number}.jpg", "width": 1920, "height": 1080}
    record[rng.choice(("gt_norm1000", "gt_norm1000", "gt_norm"))] = truth
    record[rng.choice(("pred", "pred", "pred_norm1000"))] = _predicted(rng, truth)
    if rng.random() < 0.2:
        record |= {"raw_text": "…", "note": rng.random()}
    return record


def _predicted(rng: random.Random, truth: list[dict]) -> list:
    """Most of the truth, a little off, and some things that are not there."""
    said: list = []
    for each in truth:
        fate = rng.random()
        if fate > 0.15:
            said.append(_moved(rng, each))
        if fate > 0.9:
            said.append(_moved(rng, each))
        if fate > 0.97:
            said.append(each)
    said += [_object(rng) for _ in range(rng.choice((0, 0, 1, 2)) if truth else rng.choice((0, 3)))]
    if rng.random() < 0.25:
        said.append(rng.choice(INVALID))
    rng.shuffle(said)
    return said


def _object(rng: random.Random) -> dict:
    kind, points = rng.choice((_box, _box, _poly, _blob, _line, _line))(rng)
    if rng.random() < 0.2:
        points = list(map(list, zip(points[::2], points[1::2], strict=True)))
    return {"type": kind, "points": points, "desc": rng.choice(DESCS)}


def _box(rng: random.Random) -> tuple[str, list]:
    """By any two corners; now and then without area, or all of the frame."""
    x, y, w, h = rng.randint(0, 800), rng.randint(0, 800), rng.randint(20, 200), rng.choice((0, 30, 60, 90, 120, 200))
    corners = [[x, y, x + w, y + h], [x + w, y, x, y + h], [x + w, y + h, x, y], [0, 0, 1000, 1000]]
    return "bbox_2d", rng.choice(corners[:3] * 5 + corners[3:])


def _poly(rng: random.Random) -> tuple[str, list]:
    """Four corners in any order: convex, concave or crossing."""
    x, y = rng.randint(0, 800), rng.randint(0, 800)
    corners = [[x, y], [x + 150, y + rng.randint(0, 90)], [x + 140, y + 160], [x + rng.randint(0, 60), y + 150]]
    if rng.random() < 0.2:
        rng.shuffle(corners)
    points = [number for corner in corners for number in corner]
    return "poly", points + points[:2] if rng.random() < 0.2 else points


def _blob(rng: random.Random) -> tuple[str, list]:
    """A concave ring around a middle, in fractions."""
    rays, x, y = rng.randint(5, 12), rng.randint(150, 850), rng.randint(150, 850)
    ends = [(rng.uniform(30, 140), 2 * pi * (i + rng.uniform(0, 0.8)) / rays) for i in range(rays)]
    return "poly", [value for r, t in ends for value in (x + r * cos(t), y + r * sin(t))]


def _line(rng: random.Random) -> tuple[str, list]:
    x, y = rng.randint(0, 1000), rng.randint(0, 1000)
    points = [x, y]
    for _ in range(rng.randint(1, 5)):
        x, y = min(1000, max(0, x + rng.randint(-200, 200))), min(1000, max(0, y + rng.randint(-200, 200)))
        points += [x, y]
    return "line", points


def _moved(rng: random.Random, each: dict) -> dict:
    """The same thing as a model might see it: nudged, perhaps out of the frame, perhaps under another name."""
    flat = [n for item in each["points"] for n in (item if isinstance(item, list) else [item])]
    off = rng.choice((0, 0, 2, 5, 12, 40))
    said = {"type": each["type"], "points": [n + rng.randint(-off, off) for n in flat], "desc": each["desc"]}
    if each["type"] == "poly" and rng.random() < 0.2:
        x, y = said["points"][::2], said["points"][1::2]
        said |= {"type": "bbox_2d", "points": [min(x), min(y), max(x), max(y)]}
    if rng.random() < 0.2:
        said["desc"] = rng.choice((*DESCS, None, 5))
    return said
