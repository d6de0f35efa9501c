"""Detections on images: COCO, YOLO with the headers of images, Pascal VOC and LabelMe."""

from __future__ import annotations

from random import Random
from struct import pack
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.writers import write_bytes, write_json, write_table, write_text, write_xml

CLASSES = ("cone", "sign", "worker")
WIDTH, HEIGHT = 64, 48


def _box(rng: Random) -> list[float]:
    x, y = rng.randint(0, 40), rng.randint(0, 30)
    return [x, y, rng.randint(1, 20), rng.choice((rng.randint(1, 15), 7.5))]


def _outline(box: list[float]) -> list[list[float]]:
    x, y, w, h = box
    return [[x, y, x + w, y, x + w, y + h, x, y + h]]


def _mask(rng: Random, box: list[float]) -> Any:
    """A polygon, or runs of pixels, whose sum is the image."""
    if rng.random() < 0.7:
        return _outline(box)
    first = rng.randint(0, 500)
    return {"size": [HEIGHT, WIDTH], "counts": [first, 40, HEIGHT * WIDTH - first - 40]}


def _dataset(rng: Random, kind: str) -> dict[str, Any]:
    images = [
        {"id": k + 1, "file_name": f"{k}.png", "width": WIDTH, "height": HEIGHT} for k in range(rng.randint(1, 3))
    ]
    points = {"keypoints": ["a", "b"], "skeleton": [[1, 2]]} if kind == "keypoints" else {}
    categories = [{"id": k + 1, "name": name} | points for k, name in enumerate(CLASSES)]
    rows = [_annotation(rng, kind, number, len(images)) for number in range(rng.randint(0, 5))]
    return {"images": images, "categories": categories, "annotations": rows}


def _annotation(rng: Random, kind: str, number: int, images: int) -> dict[str, Any]:
    box = _box(rng)
    row: dict[str, Any] = {
        "id": number,
        "image_id": rng.randint(1, images),
        "category_id": rng.randint(1, 3),
        "bbox": box,
    }
    row |= rng.choice([{"area": box[2] * box[3], "iscrowd": 0}, {"iscrowd": int(rng.random() < 0.2)}, {}])
    if kind == "segm" or rng.random() < 0.2:
        row["segmentation"] = _mask(rng, box)
    if kind == "keypoints":
        row |= {"keypoints": _keypoints(rng), "num_keypoints": 2}
    return row


def _keypoints(rng: Random) -> list[float]:
    return [value for _ in range(2) for value in (rng.randint(0, 60), rng.randint(0, 40), 2)]


def _result(rng: Random, kind: str, images: int) -> dict[str, Any]:
    row: dict[str, Any] = {"image_id": rng.randint(1, images), "category_id": rng.randint(1, 3)}
    box = _box(rng)
    row |= {"segmentation": _mask(rng, box)} if kind == "segm" and rng.random() < 0.8 else {"bbox": box}
    row |= {"keypoints": _keypoints(rng)} if kind == "keypoints" else {}
    return row | {"score": round(rng.random(), rng.choice((1, 3)))}


def _options(rng: Random) -> dict[str, Any]:
    return {"bootstrap": rng.choice((0, 5)), "max_bad_records": rng.choice((0, 0, 9)), "jobs": 1}


def coco(rng: Random) -> Draft:
    """A data set and results, plain or compressed."""
    kind = rng.choice(("bbox", "bbox", "segm", "keypoints"))
    truth = _dataset(rng, kind)
    results = [_result(rng, kind, len(truth["images"])) for _ in range(rng.randint(0, 6))]
    packed = rng.choice(("", "", "", "gz", "zst"))
    options = _options(rng) | {"iou_type": kind} | ({"sigmas": [0.05, 0.1]} if kind == "keypoints" else {})
    docs = {"gt.json": Doc(truth, write_json, packed), "pred.json": Doc(results, write_json)}
    return Draft("coco", {"gt": "gt.json", "pred": "pred.json", **options}, docs)


def _fractions(rng: Random, number: int, score: bool) -> list[Any]:
    if number == 4:
        shape = [
            round(rng.uniform(0.3, 0.6), 4),
            round(rng.uniform(0.3, 0.6), 4),
            0.2,
            round(rng.uniform(0.05, 0.3), 4),
        ]
    else:
        shape = [round(rng.random(), 5) for _ in range(number)]
    return [rng.randrange(3), *shape, *([round(rng.random(), 3)] if score else [])]


def _labels(rng: Random, score: bool, *, every_class: bool = False) -> Doc:
    """Some objects; with `every_class` also the last class, so that all have a number."""
    rows = [_fractions(rng, rng.choice((4, 4, 6, 10)), score) for _ in range(rng.randint(0, 4))]
    return Doc(rows + [[2, 0.5, 0.5, 0.1, 0.1]] * every_class, write_table)


def yolo(rng: Random) -> Draft:
    """A data set of YOLO with images, and a folder of predictions."""
    docs: dict[str, Doc] = {}
    named = rng.random() < 0.8
    for number in range(rng.randint(1, 2)):
        ending, header = rng.choice(HEADERS)
        docs[f"data/images/{number}.{ending}"] = Doc(header, write_bytes)
        docs[f"data/labels/{number}.txt"] = _labels(rng, False, every_class=not named)
        docs[f"pred/{number}.txt"] = _labels(rng, True)
    if named:
        docs["data/data.yaml"] = Doc(_names(rng), write_text)
        docs |= {"pred/classes.txt": Doc([f"{name}\n" for name in CLASSES], write_text)} if rng.random() < 0.4 else {}
    formats = {"gt_format": "yolo", "pred_format": "yolo"} if rng.random() < 0.5 else {}
    return Draft("coco", {"gt": "data", "pred": "pred", **formats, **_options(rng)}, docs)


def _names(rng: Random) -> list[str]:
    forms = ["names: [cone, 'sign', \"worker\"]\n", "names:\n  0: cone\n  1: sign\n  2: worker\n"]
    forms += ["names:\n- cone\n- sign  # plate\n- worker\n", "names: {0: cone, 1: sign, 2: worker}\n"]
    return ["path: ../data\n", "nc: 3\n", rng.choice(forms)]


_JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 10 + b"\xff\xc0\x00\x11\x08" + pack(">HH", HEIGHT, WIDTH) + b"\x03" * 9
)
_PNG = b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", WIDTH, HEIGHT) + b"\x08\x02\0\0\0\0\0\0\0"
_GIF = b"GIF89a" + pack("<HH", WIDTH, HEIGHT) + b"\0" * 30
_BMP = b"BM" + b"\0" * 12 + pack("<Iii", 40, WIDTH, -HEIGHT) + b"\0" * 30
_LOSSY = b"RIFF\x40\0\0\0WEBPVP8 \x20\0\0\0\0\0\0\x9d\x01\x2a" + pack("<HH", WIDTH, HEIGHT) + b"\0" * 20
_LOSSLESS = b"RIFF\x40\0\0\0WEBPVP8L\x20\0\0\0\x2f" + pack("<I", (WIDTH - 1) | (HEIGHT - 1) << 14) + b"\0" * 20
_EXTENDED = b"RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + bytes([WIDTH - 1, 0, 0, HEIGHT - 1, 0, 0]) + b"\0" * 20
HEADERS = [("jpg", _JPEG), ("png", _PNG), ("gif", _GIF), ("bmp", _BMP), ("webp", _LOSSY), ("webp", _LOSSLESS)]
HEADERS += [("webp", _EXTENDED), ("jpeg", _JPEG), ("png", _PNG)]


def _tag(name: str, *children: Any) -> list[Any]:
    return [name, {}, list(children)]


def _voc_document(rng: Random, number: int, score: bool) -> Doc:
    size = _tag("size", _tag("width", str(WIDTH)), _tag("height", str(HEIGHT)), _tag("depth", "3"))
    objects = []
    for _ in range(rng.randint(0, 4)):
        x, y, w, h = _box(rng)
        corners = {"xmin": x, "ymin": y, "xmax": x + w, "ymax": y + h}
        box = _tag("bndbox", *(_tag(name, str(value)) for name, value in corners.items()))
        more = [_tag("score", str(round(rng.random(), 2)))] if score else [_tag("difficult", rng.choice("01"))]
        objects.append(_tag("object", _tag("name", rng.choice(CLASSES)), box, *more))
    return Doc(_tag("annotation", _tag("filename", f"{number}.jpg"), size, *objects), write_xml)


def _all_classes(number: int) -> Doc:
    """Ground truth that has every class, so that predictions may."""
    boxes = [_tag(corner, str(at)) for corner, at in zip(("xmin", "ymin", "xmax", "ymax"), (1, 2, 9, 8), strict=True)]
    objects = [_tag("object", _tag("name", name), _tag("bndbox", *boxes)) for name in CLASSES]
    size = _tag("size", _tag("width", "64"), _tag("height", "48"))
    return Doc(_tag("annotation", _tag("filename", f"{number}.jpg"), size, *objects), write_xml)


def voc(rng: Random) -> Draft:
    """Documents of Pascal VOC on both sides."""
    count = rng.randint(1, 3)
    docs = {f"gt/Annotations/{number}.xml": _voc_document(rng, number, False) for number in range(count)}
    docs["gt/Annotations/all.xml"] = _all_classes(99)
    docs |= {f"pred/{number}.xml": _voc_document(rng, number, True) for number in range(count)}
    return Draft("coco", {"gt": "gt", "pred": "pred", **_options(rng)}, docs)


KINDS = {  # what LabelMe draws; only outlines are masks
    "bbox": ("rectangle", "polygon", "circle", "point", "mask", "rotation", "linestrip"),
    "segm": ("polygon", "circle", "rotation", "point"),
}


def _labelme_file(rng: Random, number: int, score: bool, classes: tuple[str, ...], iou_type: str) -> Doc:
    shapes = []
    for name in classes:
        x, y, w, h = _box(rng)
        kind = rng.choice(KINDS[iou_type])
        corners = {"rectangle": 2, "mask": 2, "circle": 2, "point": 1, "linestrip": 2}
        points = [[x, y], [x + w, y + h], [x, y + h], [x + w, y]][: corners.get(kind, 4)]
        shape: dict[str, Any] = {"label": name, "points": points, "shape_type": kind, "group_id": None, "flags": {}}
        shapes.append(shape | ({"score": round(rng.random(), 2)} if score else {}))
    tree = {"version": "5.0", "shapes": shapes, "imagePath": f"{number}.jpg", "imageData": None}
    return Doc(tree | {"imageHeight": HEIGHT, "imageWidth": WIDTH}, write_json)


def _outlines_of_all(rng: Random) -> Doc:
    """Ground truth that has every class, so that predictions may."""
    doc = _labelme_file(rng, 99, False, CLASSES, "segm")
    shapes = [shape | {"shape_type": "polygon", "points": [[1, 2], [9, 8], [1, 8]]} for shape in doc.tree["shapes"]]
    return doc._replace(tree=doc.tree | {"shapes": shapes})


def labelme(rng: Random) -> Draft:
    """Files of LabelMe on both sides."""
    count, kind = rng.randint(1, 3), rng.choice(("bbox", "segm"))
    some = [tuple(rng.choices(CLASSES, k=rng.randint(0, 3))) for _ in range(2 * count)]
    docs = {f"gt/{number}.json": _labelme_file(rng, number, False, some[number], kind) for number in range(count)}
    docs["gt/all.json"] = _outlines_of_all(rng)
    docs |= {
        f"pred/{number}.json": _labelme_file(rng, number, True, some[-1 - number], kind) for number in range(count)
    }
    formats = {"gt_format": "labelme", "pred_format": "labelme"}
    return Draft("coco", {"gt": "gt", "pred": "pred", "iou_type": kind, **formats, **_options(rng)}, docs)


GRAMMARS = {"coco": coco, "yolo": yolo, "voc": voc, "labelme": labelme}
