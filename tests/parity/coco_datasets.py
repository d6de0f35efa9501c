"""Made-up COCO data sets, small and full of borders. The same seed gives the same data set.

Overlaps fall exactly on thresholds, areas exactly on the borders of small, medium and large, scores are tied, images
and classes have odd ids and may be empty on either side, and now and then an image has more detections than count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from pycocotools import mask as masks

IMAGE_IDS = (0, 3, 42, 139, 1000, 581929, 2**31, 2**40)
CLASS_IDS = (0, 1, 2, 7, 18, 90, 1000, 2**31 - 1, 2**40)
CLASSES = ("barrel", "cone", "sign", "worker", "路锥")
AREAS = (100, 1023.5, 1024, 1024.5, 5000, 9215.5, 9216, 9217, 20000)
VAST = 2e10
SHORTER = (
    1,
    0.95,
    0.9,
    0.85,
    0.8,
    0.75,
    0.7,
    0.65,
    0.6,
    0.55,
    0.5,
    0.45,
    0.1,
)  # overlaps when one side is so much shorter
POINTS = 17


class Dataset(NamedTuple):
    """What the two files hold, and what is to be compared."""

    truth: dict[str, Any]
    results: list[dict[str, Any]]
    iou_type: str = "bbox"


def coco_json(
    *annotations: dict[str, Any], images: int = 1, names: tuple[str, ...] = ("cone", "sign")
) -> dict[str, Any]:
    """A ground truth file by hand: images and classes are counted from 1, and so are annotations without an id."""
    return {
        "images": [{"id": k, "file_name": f"{k}.jpg", "width": 640, "height": 480} for k in range(1, images + 1)],
        "annotations": [{"id": k, **row} for k, row in enumerate(annotations, 1)],
        "categories": [{"id": k, "name": name} for k, name in enumerate(names, 1)],
    }


def annotation(box: list[float], kind: int = 1, image: int = 1, **more: Any) -> dict[str, Any]:
    """An object, with all that most files say about it."""
    plain = {"image_id": image, "category_id": kind, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
    return plain | more


def detection(
    box: list[float], score: float | None = None, kind: int = 1, image: int = 1, **more: Any
) -> dict[str, Any]:
    """A result, with a score or without."""
    return {"image_id": image, "category_id": kind, "bbox": box} | ({} if score is None else {"score": score}) | more


def draw(seed: int, iou_type: str = "bbox", **chosen: Any) -> Dataset:
    """A data set of the type. `chosen` fixes what is otherwise drawn: see `Style`."""
    rng = np.random.default_rng([seed, len(iou_type)])
    style = Style(rng, **chosen)
    images = _images(rng, style, iou_type)
    categories = _categories(rng)
    make = {"bbox": _Boxes, "segm": _Masks, "keypoints": _People}[iou_type](rng, style)
    truth = [row for image in images for row in _image_truth(rng, style, make, image, categories)]
    results = _results(rng, style, make, images, categories, truth)
    rng.shuffle(truth)
    first = style.first_id
    ids = rng.permutation(len(truth)) + first if rng.random() < 0.5 else np.arange(len(truth)) + first
    annotations = [{"id": int(number), **row} for number, row in zip(ids, truth, strict=True)]
    rng.shuffle(images)
    rng.shuffle(results)
    given = {"images": images, "annotations": annotations, "categories": categories}
    return Dataset(given, results, iou_type)


class Style:
    """The ways in which one data set differs from another."""

    def __init__(self, rng: Any, *, first_id: int = 1, **chosen: Any) -> None:
        self.first_id = first_id
        self.whole = chosen.get("whole", bool(rng.random() < 0.6))  # coordinates on integers
        self.levels = chosen.get("levels", int(rng.choice([0, 0, 3, 10])))  # of scores; 0 is no two alike
        self.crowd = chosen.get("crowd", float(rng.choice([0, 0.15, 0.4])))
        self.own_area = chosen.get("own_area", float(rng.choice([0, 0.5])))
        self.many = chosen.get("many", bool(rng.random() < 0.1))
        self.left_out = chosen.get("left_out", bool(rng.random() < 0.3))  # area and iscrowd are not always given
        self.images = chosen.get("images", int(rng.integers(1, 13)))
        self.boxed = chosen.get("boxed", bool(rng.random() < 0.3))  # results of other types come with a box too
        self.vast = chosen.get("vast", True)  # some objects are beyond every size, which leaves them out


def _images(rng: Any, style: Style, iou_type: str) -> list[dict[str, Any]]:
    odd = rng.random() < 0.5 and style.images <= len(IMAGE_IDS)
    ids = rng.choice(IMAGE_IDS, style.images, replace=False) if odd else np.arange(1, style.images + 1)
    sizes = (40, 130) if iou_type == "segm" else (500, 640)
    return [
        {"id": int(number), "file_name": f"{number}.jpg", "width": _whole(rng, *sizes), "height": _whole(rng, *sizes)}
        for number in ids
    ]


def _categories(rng: Any) -> list[dict[str, Any]]:
    count = int(rng.integers(1, len(CLASSES) + 1))
    ids = rng.choice(CLASS_IDS, count, replace=False)
    return [{"id": int(number), "name": name} for number, name in zip(ids, CLASSES, strict=False)]


def _image_truth(rng: Any, style: Style, make: Any, image: dict[str, Any], categories: Any) -> list[dict[str, Any]]:
    if rng.random() < 0.2:
        return []
    known = categories[: max(1, len(categories) - 1)] if rng.random() < 0.9 else categories  # one is often never there
    return [_annotation(rng, style, make, image, known) for _ in range(rng.integers(1, 7))]


def _annotation(rng: Any, style: Style, make: Any, image: dict[str, Any], categories: Any) -> dict[str, Any]:
    crowd = bool(rng.random() < style.crowd)
    row = {"image_id": image["id"], "category_id": _class(rng, categories), "iscrowd": int(crowd)}
    row |= make.truth(image, crowd)
    if rng.random() < style.own_area:
        row["area"] = float(rng.choice((*AREAS, VAST) if style.vast else AREAS))
    if rng.random() < 0.1:
        row["ignore"] = int(rng.integers(0, 2))  # which nobody obeys: iscrowd decides
    if style.left_out and not crowd and rng.random() < 0.5:
        del row["iscrowd"]
    if style.left_out and rng.random() < 0.5:
        del row["area"]
    return row


def _results(rng: Any, style: Style, make: Any, images: Any, categories: Any, truth: Any) -> list[dict[str, Any]]:
    found = []
    for image in images:
        if rng.random() < 0.15:
            continue
        own = [row for row in truth if row["image_id"] == image["id"]]
        for row in own:
            found += [_found(rng, make, row, image, categories) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
        found += [_invented(rng, make, image, categories) for _ in range(rng.integers(0, 4))]
    if style.many:
        found += _crush(rng, make, images[0], categories, truth)
    if style.levels:
        for row in found:
            row["score"] = int(rng.integers(1, style.levels + 1)) / 10
    else:
        for row, place in zip(found, rng.permutation(len(found)), strict=True):
            row["score"] = float((place + rng.random()) / len(found))
    return found


def _crush(rng: Any, make: Any, image: dict[str, Any], categories: Any, truth: Any) -> list[dict[str, Any]]:
    """More detections of a class in an image than count."""
    kind = categories[0]["id"]
    own = [row for row in truth if row["image_id"] == image["id"]]
    rows = [_invented(rng, make, image, categories) for _ in range(rng.integers(60, 130))]
    rows += [_found(rng, make, row, image, categories) for row in own for _ in range(5)]
    return [row | {"category_id": kind} for row in rows]


def _found(rng: Any, make: Any, row: dict[str, Any], image: dict[str, Any], categories: Any) -> dict[str, Any]:
    kind = _class(rng, categories) if rng.random() < 0.15 else row["category_id"]
    return {"image_id": image["id"], "category_id": kind, **make.near(row, image)}


def _invented(rng: Any, make: Any, image: dict[str, Any], categories: Any) -> dict[str, Any]:
    return {"image_id": image["id"], "category_id": _class(rng, categories), **make.anywhere(image)}


def _class(rng: Any, categories: Any) -> int:
    return int(categories[rng.integers(len(categories))]["id"])


def _whole(rng: Any, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def ties_only_between_images(dataset: Dataset) -> Dataset:
    """The same data set, with no two equal scores of one class on one image."""
    seen: set[tuple[int, int, float]] = set()
    results = []
    for row in dataset.results:
        score = row["score"]
        while (row["image_id"], row["category_id"], score) in seen:
            score += 0.001953125  # 1 / 512: sums of it are exact
        seen.add((row["image_id"], row["category_id"], score))
        results.append(row | {"score": score})
    return dataset._replace(results=results)


# Shapes: what an annotation holds, and what a detection near it or anywhere does


class _Boxes:
    def __init__(self, rng: Any, style: Style) -> None:
        self.rng, self.style = rng, style

    def truth(self, image: dict[str, Any], crowd: bool) -> dict[str, Any]:
        box = self.box(image, wide=3 if crowd else 1)
        return {"bbox": box, "area": box[2] * box[3]}

    def anywhere(self, image: dict[str, Any]) -> dict[str, Any]:
        return {"bbox": self.box(image)}

    def near(self, row: dict[str, Any], image: dict[str, Any]) -> dict[str, Any]:
        x, y, width, height = row["bbox"]
        way = self.rng.integers(4)
        if way == 0:
            return {"bbox": [x, y, width, height]}
        if way == 1:
            return {"bbox": [x, y, round(width * self.shorter(), 9), height]}
        if way == 2:
            return {"bbox": [x, y, width, round(height * self.shorter(), 9)]}
        return {"bbox": [x + self.step(), y + self.step(), width, height]}

    def shorter(self) -> float:
        return float(self.rng.choice(SHORTER))

    def step(self) -> float:
        return _whole(self.rng, -6, 6) if self.style.whole else float(self.rng.normal(0, 4))

    def box(self, image: dict[str, Any], wide: int = 1) -> list[float]:
        rng = self.rng
        if not self.style.whole:
            x, y = rng.uniform(-5, image["width"]), rng.uniform(0, image["height"])
            return [float(x), float(y), *(float(side) for side in rng.gamma(2, 25 * wide, 2))]
        x, y = 10 * _whole(rng, 0, image["width"] // 30), 10 * _whole(rng, 0, image["height"] // 30)
        special = rng.random()
        if special < 0.02 and self.style.vast:
            return [x, y, 200_000, 100_000]
        if special < 0.1:
            return [x, y, 32, 32]
        if special < 0.2:
            return [x, y, 96, 96]
        if special < 0.23:
            return [x, y, 0, 20]
        return [x, y, *(20 * _whole(rng, 1, 5 * wide) for _ in range(2))]


class _Masks(_Boxes):
    def truth(self, image: dict[str, Any], crowd: bool) -> dict[str, Any]:
        shape = self.shape(self.box(image, wide=2 if crowd else 1))
        coded = rle(shape, image)
        given = runs(coded) if crowd else self.written(shape, coded)
        return {"segmentation": given, "area": float(masks.area(coded)), "bbox": masks.toBbox(coded).tolist()}

    def anywhere(self, image: dict[str, Any]) -> dict[str, Any]:
        return self.detection(self.shape(self.box(image)), image)

    def near(self, row: dict[str, Any], image: dict[str, Any]) -> dict[str, Any]:
        seen = masks.decode(rle(row["segmentation"], image))
        way = self.rng.integers(3)
        if way == 1:
            seen[: int(self.rng.integers(seen.shape[0]))] = 0
        if way == 2:
            seen = np.roll(seen, self.rng.integers(-3, 4, 2), axis=(0, 1))
        coded = masks.encode(np.asfortranarray(seen))
        return self.boxed({"segmentation": compressed(coded) if self.rng.random() < 0.5 else runs(coded)}, coded)

    def detection(self, shape: Any, image: dict[str, Any]) -> dict[str, Any]:
        coded = rle(shape, image)
        return self.boxed({"segmentation": self.written(shape, coded)}, coded)

    def boxed(self, row: dict[str, Any], coded: Any) -> dict[str, Any]:
        return row | {"bbox": masks.toBbox(coded).tolist()} if self.style.boxed else row

    def written(self, shape: Any, coded: Any) -> Any:
        return (shape, compressed(coded), runs(coded))[self.rng.choice([0, 0, 1, 2])]

    def shape(self, box: list[float]) -> list[list[float]]:
        x, y, width, height = box
        way = self.rng.integers(3)
        if way == 0:
            return [[x, y, x, y + height, x + width, y + height, x + width, y]]
        if way == 1:
            return [self.star(x, y, width, height)]
        return [self.star(x, y, width, height / 2), self.star(x, y + height / 2, width / 2, height / 2)]

    def star(self, x: float, y: float, width: float, height: float) -> list[float]:
        turns = np.sort(self.rng.uniform(0, 2 * np.pi, self.rng.integers(3, 9)))
        reach = self.rng.uniform(0.5, 1, len(turns))
        across, down = x + width * (0.5 + reach * np.cos(turns) / 2), y + height * (0.5 + reach * np.sin(turns) / 2)
        return [float(value) for point in zip(across, down, strict=True) for value in point]

    def box(self, image: dict[str, Any], wide: int = 1) -> list[float]:
        """Inside the image but for a little, and with an area now and then."""
        width, height = image["width"], image["height"]
        if self.style.whole and width >= 96 <= height and self.rng.random() < 0.3:
            return [0, 0, 96, 96]
        x, y = self.rng.uniform(-3, width * 0.7), self.rng.uniform(-3, height * 0.7)
        box = [x, y, *self.rng.uniform(6, 0.6 * min(width, height), 2)]
        return [float(round(value) if self.style.whole else value) for value in box]


class _People(_Boxes):
    def truth(self, image: dict[str, Any], crowd: bool) -> dict[str, Any]:
        box = self.body(image)
        seen = (
            self.rng.choice([0, 1, 2], POINTS, p=[0.2, 0.3, 0.5]) if self.rng.random() < 0.85 else np.zeros(POINTS, int)
        )
        places = self.places(box) * (seen > 0)[:, None]
        points = [value for (x, y), v in zip(places.tolist(), seen.tolist(), strict=True) for value in (x, y, v)]
        return {"bbox": box, "area": box[2] * box[3], "keypoints": points, "num_keypoints": int((seen > 0).sum())}

    def anywhere(self, image: dict[str, Any]) -> dict[str, Any]:
        return self.detection(self.places(self.body(image)))

    def near(self, row: dict[str, Any], image: dict[str, Any]) -> dict[str, Any]:
        places = np.reshape(row["keypoints"], (POINTS, 3))[:, :2]
        away = float(self.rng.choice([0, 0.03, 0.06, 0.12])) * np.sqrt(row["bbox"][2] * row["bbox"][3])
        return self.detection(places + self.rng.normal(0, 1, places.shape) * away)

    def detection(self, places: Any) -> dict[str, Any]:
        points = [value for x, y in np.asarray(places, float).tolist() for value in (x, y, 1)]
        low, high = places.min(axis=0), places.max(axis=0)
        box = {"bbox": [float(value) for value in (*(low - 9), *(high - low + 18))]} if self.style.boxed else {}
        return {"keypoints": points, **box}

    def places(self, box: list[float]) -> Any:
        x, y, width, height = box
        return np.round(self.rng.random((POINTS, 2)) * (width, height) + (x, y), 1)

    def body(self, image: dict[str, Any]) -> list[float]:
        x, y = self.rng.uniform(0, image["width"] / 2, 2).round(1).tolist()
        return [x, y, *self.rng.choice([20.0, 32.0, 50.5, 96.0, 150.0], 2).tolist()]


# Masks in their three spellings


def rle(segmentation: Any, image: dict[str, Any]) -> dict[str, Any]:
    """A mask as pycocotools keeps it, however it was written."""
    height, width = image["height"], image["width"]
    if isinstance(segmentation, list):
        return masks.merge(masks.frPyObjects(segmentation, height, width))
    if isinstance(segmentation["counts"], list):
        return masks.frPyObjects(segmentation, height, width)
    return segmentation


def compressed(coded: dict[str, Any]) -> dict[str, Any]:
    """As results are written: the counts are text."""
    counts = coded["counts"]
    return {"size": list(coded["size"]), "counts": counts.decode() if isinstance(counts, bytes) else counts}


def runs(coded: dict[str, Any]) -> dict[str, Any]:
    """As crowds are written: the counts are a list, empty pixels first."""
    flat = masks.decode(coded).flatten(order="F")
    edges = np.flatnonzero(np.diff(flat)) + 1
    counts = np.diff(np.concatenate([[0], edges, [len(flat)]])).tolist()
    return {"size": list(coded["size"]), "counts": [0, *counts] if len(flat) and flat[0] else counts}
