"""Floods of exports: folders of many small files, tables of many classes, data sets that name more than they have."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flood import Flood

Write = Callable[[Path, bool], None]  # into a folder, as predictions or not


def both(kind: str, write: Write) -> Callable[[Path], list[str]]:
    """An export on both sides."""

    def make(folder: Path) -> list[str]:
        for name, is_pred in (("gt", False), ("pred", True)):
            (folder / name).mkdir()
            write(folder / name, is_pred)
        return ["coco", "--gt", "{}/gt", "--pred", "{}/pred", "--gt-format", kind, "--pred-format", kind]

    return make


def voc_object(label: str, is_pred: bool) -> str:
    score = "<score>0.5</score>" * is_pred
    box = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox>"
    return f"<object><name>{label}</name>{score}{box}</object>"


def voc(files: int, objects: int) -> Write:
    def write(folder: Path, is_pred: bool) -> None:
        for k in range(files):
            inside = "".join(voc_object(f"c{k}-{j}", is_pred) for j in range(objects))
            head = f"<filename>{k}.jpg</filename><size><width>99</width><height>99</height></size>"
            (folder / f"{k}.xml").write_text(f"<annotation>{head}{inside}</annotation>")

    return write


def supervisely(files: int, objects: int) -> Write:
    def write(folder: Path, is_pred: bool) -> None:
        (folder / "ann").mkdir()
        (folder / "meta.json").write_text('{"classes": []}')
        tags = [{"name": "confidence", "value": 0.5}] if is_pred else []
        for k in range(files):
            inside = [
                {
                    "classTitle": f"c{k}-{j}",
                    "geometryType": "rectangle",
                    "tags": tags,
                    "points": {"exterior": [[1, 2], [9, 8]], "interior": []},
                }
                for j in range(objects)
            ]
            tree = {"size": {"height": 99, "width": 99}, "tags": [], "objects": inside}
            (folder / "ann" / f"{k}.jpg.json").write_text(json.dumps(tree))

    return write


def roboflow_csv(rows: int, classes: int) -> Write:
    def write(folder: Path, is_pred: bool) -> None:
        head = "filename,width,height,class,xmin,ymin,xmax,ymax" + ",score" * is_pred
        lines = (f"{k // 9}.jpg,99,99,c{k % classes},1,2,9,8{',0.5' * is_pred}\n" for k in range(rows))
        (folder / "_annotations.csv").write_text(head + "\n" + "".join(lines))

    return write


def createml(images: int, classes: int) -> Write:
    def write(folder: Path, is_pred: bool) -> None:
        place = {"coordinates": {"x": 5, "y": 5, "width": 4, "height": 4}} | ({"confidence": 0.5} if is_pred else {})
        tree = [{"image": f"{k}.jpg", "annotations": [{"label": f"c{k % classes}"} | place]} for k in range(images)]
        (folder / "_annotations.createml.json").write_text(json.dumps(tree, separators=(",", ":")))

    return write


def yolo(files: int, lines: int, classes: int) -> Callable[[Path], list[str]]:
    """Labels in YOLO's form for predictions; ground truth knows the sizes of images."""

    def make(folder: Path) -> list[str]:
        (folder / "gt.json").write_text(json.dumps(named(files, classes), separators=(",", ":")))
        (folder / "pred" / "labels").mkdir(parents=True)
        (folder / "pred" / "classes.txt").write_text("".join(f"c{k}\n" for k in range(classes)))
        for k in range(files):
            text = "".join(f"{(k * lines + j) % classes} .5 .5 .2 .2 .9\n" for j in range(lines))
            (folder / "pred" / "labels" / f"{k}.txt").write_text(text)
        return ["coco", "--gt", "{}/gt.json", "--pred", "{}/pred", "--pred-format", "yolo"]

    return make


def named(images: int, classes: int, objects: int = 100) -> dict[str, Any]:
    """A data set that names more classes and images than it has objects of."""
    some = [
        {"id": k + 1, "image_id": k % images, "category_id": k % classes, "bbox": [1, 2, 8, 6], "area": 48}
        for k in range(objects)
    ]
    return {
        "images": [{"id": k, "file_name": f"{k}.jpg", "width": 99, "height": 99} for k in range(images)],
        "categories": [{"id": k, "name": f"c{k}"} for k in range(classes)],
        "annotations": [row | {"iscrowd": 0} for row in some],
    }


def data_set(command: str, tree: Callable[[], dict[str, Any]], *options: str) -> Callable[[Path], list[str]]:
    """A data set, and a prediction for each of its annotations up to 10,000."""

    def make(folder: Path) -> list[str]:
        truth = tree()
        rows = truth["annotations"][:10_000]
        kept = ("image_id", "category_id", "bbox")
        pred = [{name: row[name] for name in kept} | {"score": k % 97 / 97} for k, row in enumerate(rows)]
        for name, side in (("gt", truth), ("pred", pred)):
            (folder / f"{name}.json").write_text(json.dumps(side, separators=(",", ":")))
        return [command, "--gt", "{}/gt.json", "--pred", "{}/pred.json", *options]

    return make


def held(classes: int) -> dict[str, Any]:
    """As many classes of an object as 5 MB hold, few of them detected."""
    rows = [{"id": k + 1, "image_id": 1, "category_id": k, "bbox": [1, 2, 8, 6], "area": 48} for k in range(classes)]
    names = [{"id": k, "name": f"{k}"} for k in range(classes)]
    return {"images": [{"id": 1, "width": 99, "height": 99}], "categories": names, "annotations": rows}


def sliced(values: int, classes: int) -> dict[str, Any]:
    """Images of one object, each with a value of its own."""
    tree = named(values, classes, values)
    return tree | {"images": [{"id": k, "width": 99, "height": 99, "v": f"w{k}"} for k in range(values)]}


FLOODS = (
    Flood("voc 3,000 files", both("voc", voc(3_000, 4))),
    Flood("voc 15,000 classes in a file", both("voc", voc(1, 15_000))),
    Flood("supervisely 3,000 files", both("supervisely", supervisely(3_000, 4))),
    Flood("supervisely 15,000 classes in a file", both("supervisely", supervisely(1, 15_000))),
    Flood("roboflow csv 60,000 rows", both("roboflow_csv", roboflow_csv(60_000, 3))),
    Flood("roboflow csv 30,000 classes", both("roboflow_csv", roboflow_csv(60_000, 30_000))),
    Flood("createml 15,000 classes", both("createml", createml(20_000, 15_000))),
    Flood("yolo 10,000 files", yolo(10_000, 3, 80)),
    Flood("yolo 100,000 lines of a file", yolo(1, 100_000, 80)),
    Flood("yolo 50,000 classes", yolo(10, 5_000, 50_000)),
    Flood("coco 150,000 classes, few with objects", data_set("coco", lambda: named(10, 150_000))),
    Flood("coco 150,000 classes, with a folder", data_set("coco", lambda: named(10, 150_000), "-o", "{}/out")),
    Flood("check 150,000 classes, few with objects", data_set("check", lambda: named(10, 150_000))),
    Flood("coco 60,000 images, few with objects", data_set("coco", lambda: named(60_000, 10))),
    Flood("coco 40,000 classes of an object", data_set("coco", lambda: held(40_000))),
    Flood("coco 40,000 classes, with a folder", data_set("coco", lambda: held(40_000), "-o", "{}/out")),
    Flood("coco 12,000 slices, 6,000 classes", data_set("coco", lambda: sliced(12_000, 6_000), "--slice", "v")),
)
