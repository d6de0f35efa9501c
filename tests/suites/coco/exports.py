"""The same annotations as tools export them: two images, one of them with a car and a cone, the other with nothing.

a.png has 100 x 50 pixels and b.png 40 x 40. The car is the box x 10, y 20, 30 wide, 10 high; the cone is the triangle
(50, 10), (70, 10), (70, 40) where a format has outlines, else its box x 50, y 10, 20 wide, 30 high. Predicted, the car
has a score of 0.75 and the cone one of 0.5.
"""

import json
from pathlib import Path, PurePosixPath

from PIL import Image

from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.pieces import SHARD_BYTES, until_error
from calipers.suites.coco.formats.roboflow import COCO_FILE, find_export
from calipers.suites.coco.formats.table import open_folder, read_shard
from calipers.suites.coco.read import find_format

SIZES = {"a.png": (100, 50), "b.png": (40, 40)}
CAR = ("a", "car", [10, 20, 30, 10], None)
CONE = ("a", "cone", [50, 10, 20, 30], [[50, 10, 70, 10, 70, 40]])
CONE_BOX = ("a", "cone", [50, 10, 20, 30], None)

COCO = {
    "info": {"year": 2024},
    "images": [
        {"id": 4, "file_name": "a.png", "width": 100, "height": 50, "weather": "rain"},
        {"id": 9, "file_name": "b.png", "width": 40, "height": 40},
    ],
    "categories": [{"id": 3, "name": "car", "supercategory": "vehicle"}, {"id": 7, "name": "cone"}],
    "annotations": [
        {"id": 1, "image_id": 4, "category_id": 3, "bbox": [10, 20, 30, 10], "area": 300, "iscrowd": 0, "by": "me"},
        {
            "id": 2,
            "image_id": 4,
            "category_id": 7,
            "bbox": [50, 10, 20, 30],
            "area": 300,
            "iscrowd": 0,
            "segmentation": CONE[3],
        },
    ],
}
CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <image id="0" name="a.png" width="100" height="50">
    <box label="car" occluded="0" xtl="10.00" ytl="20.00" xbr="40.00" ybr="30.00" z_order="0"></box>
    <polygon label="cone" occluded="0" points="50.00,10.00;70.00,10.00;70.00,40.00" z_order="0"></polygon>
  </image>
  <image id="1" name="b.png" width="40" height="40"></image>
</annotations>
"""
VOC = """<annotation>
  <filename>{name}</filename><size><width>{width}</width><height>{height}</height><depth>3</depth></size>{objects}
</annotation>
"""
VOC_OBJECT = (
    "<object><name>{}</name><bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox></object>"
)
LABELME = {"version": "5.4.1", "flags": {}, "imageData": None}


def _labelme(name, shapes):
    width, height = SIZES[name]
    return json.dumps({**LABELME, "shapes": shapes, "imagePath": name, "imageHeight": height, "imageWidth": width})


def _labelme_shape(label, points, kind):
    return {"label": label, "points": points, "group_id": None, "shape_type": kind, "flags": {}}


def _studio(number, image, result):
    annotation = {"id": number, "completed_by": 1, "result": result, "was_cancelled": False, "ground_truth": False}
    return {"id": number, "annotations": [annotation], "data": {"image": image}, "predictions": []}


def _studio_shape(kind, **value):
    size = {"original_width": 100, "original_height": 50, "image_rotation": 0}
    return {**size, "value": value, "id": "k3", "from_name": "label", "to_name": "image", "type": kind}


STUDIO = [
    _studio(
        1,
        "/data/upload/3/1a2b3c4d-a.png",
        [
            _studio_shape("rectanglelabels", x=10, y=40, width=30, height=20, rotation=0, rectanglelabels=["car"]),
            _studio_shape("polygonlabels", points=[[50, 20], [70, 20], [70, 80]], polygonlabels=["cone"]),
        ],
    ),
    _studio(2, "/data/upload/3/5e6f7a8b-b.png", []),
]
YOLO = "0 0.25 0.5 0.3 0.2\n1 0.5 0.2 0.7 0.2 0.7 0.8\n"

ROBOFLOW = {
    "info": {"year": "2024", "version": "1", "description": "Exported from roboflow.com", "contributor": ""},
    "licenses": [{"id": 1, "url": "https://creativecommons.org/licenses/by/4.0/", "name": "CC BY 4.0"}],
    "categories": [
        {"id": 0, "name": "road", "supercategory": "none"},
        {"id": 1, "name": "car", "supercategory": "road"},
        {"id": 2, "name": "cone", "supercategory": "road"},
    ],
    "images": [
        {"id": 0, "license": 1, "file_name": "a.png", "height": 50, "width": 100, "date_captured": "2024-05-02"},
        {"id": 1, "license": 1, "file_name": "b.png", "height": 40, "width": 40, "date_captured": "2024-05-02"},
    ],
    "annotations": [
        {
            "id": 0,
            "image_id": 0,
            "category_id": 1,
            "bbox": [10, 20, 30, 10],
            "area": 300,
            "segmentation": [],
            "iscrowd": 0,
        },
        {
            "id": 1,
            "image_id": 0,
            "category_id": 2,
            "bbox": [50, 10, 20, 30],
            "area": 300,
            "segmentation": CONE[3],
            "iscrowd": 0,
        },
    ],
}
ROBOFLOW_YAML = """train: ../train/images
val: ../valid/images
test: ../test/images

nc: 2
names: ['car', 'cone']

roboflow:
  workspace: road
  project: cones
  version: 1
"""
ROBOFLOW_CSV = """filename,width,height,class,xmin,ymin,xmax,ymax
a.png,100,50,car,10,20,40,30
a.png,100,50,cone,50,10,70,40
"""
CREATEML = [
    {
        "image": "a.png",
        "annotations": [
            {"label": "car", "coordinates": {"x": 25, "y": 25, "width": 30, "height": 10}},
            {"label": "cone", "coordinates": {"x": 60, "y": 25, "width": 20, "height": 30}},
        ],
    },
    {"image": "b.png", "annotations": []},
]
SUPERVISELY_META = {
    "classes": [
        {"title": "car", "shape": "rectangle", "color": "#F38DC3", "geometry_config": {}, "id": 1, "hotkey": ""},
        {"title": "cone", "shape": "polygon", "color": "#1E90FF", "geometry_config": {}, "id": 2, "hotkey": ""},
    ],
    "tags": [],
    "projectType": "images",
}


def _supervisely(name, objects):
    width, height = SIZES[name]
    size = {"height": height, "width": width}
    return json.dumps({"description": "", "tags": [], "size": size, "objects": objects})


def supervisely_object(label, kind, exterior):
    """An object as Supervisely writes it."""
    points = {"exterior": exterior, "interior": []}
    known = {"id": 7, "classId": 1, "description": "", "geometryType": kind, "labelerLogin": "me", "tags": []}
    return {**known, "classTitle": label, "points": points}


# By format: what is given to a command ("" is the folder itself), its files, and what they hold
EXPORTS = {
    "coco": ("instances.json", {"instances.json": json.dumps(COCO)}, [CAR, CONE]),
    "yolo": ("", {"labels/a.txt": YOLO, "labels/b.txt": "", "classes.txt": "car\ncone\n", "images/": ""}, [CAR, CONE]),
    "voc": (
        "",
        {
            "a.xml": VOC.format(
                name="a.png",
                width=100,
                height=50,
                objects=VOC_OBJECT.format("car", 10, 20, 40, 30) + VOC_OBJECT.format("cone", 50, 10, 70, 40),
            ),
            "b.xml": VOC.format(name="b.png", width=40, height=40, objects=""),
        },
        [CAR, CONE_BOX],
    ),
    "cvat": ("annotations.xml", {"annotations.xml": CVAT}, [CAR, CONE]),
    "label_studio": ("tasks.json", {"tasks.json": json.dumps(STUDIO)}, [CAR, CONE]),
    "roboflow coco": (
        "",
        {
            "README.roboflow.txt": "cones - v1",
            "train/_annotations.coco.json": json.dumps({**ROBOFLOW, "annotations": []}),
            "valid/_annotations.coco.json": json.dumps(ROBOFLOW),
        },
        [CAR, CONE],
    ),
    "roboflow yolo": (
        "",
        {
            "README.roboflow.txt": "cones - v1",
            "data.yaml": ROBOFLOW_YAML,
            "train/labels/z.txt": "0 0.5 0.5 0.1 0.1\n",
            "valid/labels/a.txt": YOLO,
            "valid/labels/b.txt": "",
            "valid/images/": "",
        },
        [CAR, CONE],
    ),
    "roboflow_csv": ("", {"valid/_annotations.csv": ROBOFLOW_CSV, "README.dataset.txt": "cones"}, [CAR, CONE_BOX]),
    "createml": ("", {"valid/_annotations.createml.json": json.dumps(CREATEML)}, [CAR, CONE_BOX]),
    "supervisely": (
        "",
        {
            "meta.json": json.dumps(SUPERVISELY_META),
            "ds0/ann/a.png.json": _supervisely(
                "a.png",
                [
                    supervisely_object("car", "rectangle", [[10, 20], [40, 30]]),
                    supervisely_object("cone", "polygon", [[50, 10], [70, 10], [70, 40]]),
                ],
            ),
            "ds0/ann/b.png.json": _supervisely("b.png", []),
        },
        [CAR, CONE],
    ),
    "labelme": (
        "",
        {
            "a.json": _labelme(
                "a.png",
                [
                    _labelme_shape("car", [[10, 20], [40, 30]], "rectangle"),
                    _labelme_shape("cone", [[50, 10], [70, 10], [70, 40]], "polygon"),
                ],
            ),
            "b.json": _labelme("b.png", []),
        },
        [CAR, CONE],
    ),
}


RESULTS = [
    {"image_id": 4, "category_id": 3, "bbox": [10, 20, 30, 10], "score": 0.75},
    {"image_id": 4, "category_id": 7, "bbox": [50, 10, 20, 30], "segmentation": CONE[3], "score": 0.5},
]
KNOWN = ImagesAndCategories(COCO["images"], COCO["categories"])  # the ground truth that predictions belong to


def _scored(name, *texts):
    """An export whose objects have scores: each text of it is followed by one, or replaced by a text with one."""
    given, files, objects = EXPORTS[name]
    for old, new in texts:
        files = {path: text.replace(old, new, 1) for path, text in files.items()}
    return given, files, [(*item, score) for item, score in zip(objects, (0.75, 0.5), strict=True)]


def _scored_voc(label, score):
    return f"<name>{label}</name>", f"<name>{label}</name><score>{score}</score>"


def _scored_supervisely(label, score):
    tag = json.dumps([{"name": "confidence", "value": score, "labelerLogin": "model"}])
    return f'"tags": [], "classTitle": "{label}"', f'"tags": {tag}, "classTitle": "{label}"'


STUDIO_PREDICTIONS = [
    {
        **task,
        "annotations": [],
        "predictions": [
            {
                "model_version": "v1",
                "score": 0.5,
                "result": [
                    shape | ({"score": 0.75} if at == 0 else {})
                    for at, shape in enumerate(task["annotations"][0]["result"])
                ],
            }
        ],
    }
    for task in STUDIO
]
YOLO_PREDICTIONS = {"a.txt": "0 0.25 0.5 0.3 0.2 0.75\n1 0.5 0.2 0.7 0.2 0.7 0.8 0.5\n", "b.txt": ""}
SCORED = [(*CAR, 0.75), (*CONE, 0.5)]
# The same with scores, as predictions
PREDICTIONS = {
    "coco": ("results.json", {"results.json": json.dumps(RESULTS)}, SCORED),
    "yolo": ("", YOLO_PREDICTIONS, SCORED),
    "voc": _scored("voc", _scored_voc("car", 0.75), _scored_voc("cone", 0.5)),
    "cvat": _scored(
        "cvat",
        ("></box>", '><attribute name="score">0.75</attribute></box>'),
        ("></polygon>", '><attribute name="score">0.5</attribute></polygon>'),
    ),
    "label_studio": ("tasks.json", {"tasks.json": json.dumps(STUDIO_PREDICTIONS)}, SCORED),
    "roboflow_csv": _scored(
        "roboflow_csv", ("ymax\n", "ymax,confidence\n"), ("40,30\n", "40,30,0.75\n"), ("70,40\n", "70,40,0.5\n")
    ),
    "createml": _scored(
        "createml",
        ('"label": "car"', '"label": "car", "confidence": 0.75'),
        ('"label": "cone"', '"label": "cone", "confidence": 0.5'),
    ),
    "supervisely": _scored("supervisely", _scored_supervisely("car", 0.75), _scored_supervisely("cone", 0.5)),
    "labelme": _scored(
        "labelme",
        ('"label": "car"', '"label": "car", "score": 0.75'),
        ('"label": "cone"', '"label": "cone", "score": 0.5'),
    ),
}


def read_objects(path, images=None, known=None):
    """Image, class, box, outline and, where there is one, score of every object of a file or a folder."""
    kind = find_format(str(path))
    if kind == "coco":
        path = export.path if (export := find_export(str(path), COCO_FILE)) else path
        tree = json.loads(Path(path).read_bytes())
        rows, parts = (
            (tree, known) if known else (tree["annotations"], ImagesAndCategories(tree["images"], tree["categories"]))
        )
    else:
        folder = open_folder(kind, str(path), known, images)
        made = folder.converted(until_error(folder.shards(SHARD_BYTES), read_shard), known)
        rows, parts = made.rows, known or ImagesAndCategories(made.images, made.categories)
    names = {image["id"]: PurePosixPath(image["file_name"]).stem for image in parts.images}
    classes = {category["id"]: category["name"] for category in parts.categories}
    return sorted(
        (
            names[row["image_id"]],
            classes[row["category_id"]],
            [round(value, 9) for value in row["bbox"]],
            [[round(value, 9) for value in part] for part in row["segmentation"]] if row.get("segmentation") else None,
            *([row["score"]] if "score" in row else []),
        )
        for row in rows
    )


def write_export(name: str, folder: Path, exports: dict = EXPORTS) -> str:
    """Write the files of a format into a folder; what a command would be given."""
    given, files, _ = exports[name]
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            write_images(folder / path)
        else:
            (folder / path).write_text(text)
    return str(folder / given) if given else str(folder)


def write_images(folder: Path) -> str:
    """Write the two images into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        Image.new("L", size).save(folder / name)
    return str(folder)
