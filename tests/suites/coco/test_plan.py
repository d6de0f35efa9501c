"""Detections in shards: the same bytes however files were cut, kept, sent or added up by hand."""

import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.core.config import make_config
from calipers.core.errors import ConfigError, InputError, OutputError
from calipers.core.parts import Packed, from_bytes, to_bytes
from calipers.files.part_files import read_tally, write_tally
from calipers.suites.coco import plan
from calipers.suites.coco.config import Config
from calipers.suites.coco.evaluate import evaluate as evaluate_detections
from calipers.suites.coco.formats.pieces import FileOf, Piece
from calipers.suites.coco.kept import keep_images
from calipers.suites.coco.measure import measure
from calipers.suites.coco.plan import CocoPart, measure_shard
from calipers.suites.coco.read import SidesReader, read_detections

NAMES = {1: "cone", 2: "sign", 5: "路锥"}
FEW = {"bootstrap": 20}
KINDS = ("coco", "yolo", "voc", "labelme")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def dataset(seed, images=12, names=None):
    """A ground truth, and detections of which some are right, in whole pixels so that every format can say them."""
    numbers, names = random.Random(seed), names or NAMES
    ids = range(10, 10 + images)
    rows = [
        {"image_id": image, "category_id": numbers.choice(list(names)), "bbox": [8 * k, 16, 8, 16]}
        for image in ids
        for k in range(numbers.randrange(5))
    ]
    gt = {
        "images": [{"id": image, "file_name": f"day/{image}.jpg", "width": 64, "height": 64} for image in ids],
        "categories": [{"id": ident, "name": name} for ident, name in names.items()],
        "annotations": [{"id": k, "area": 128, "iscrowd": 0, **row} for k, row in enumerate(rows, 1)],
    }
    shifted = [row | {"bbox": [row["bbox"][0], numbers.choice([16, 16, 20, 24]), 8, 16]} for row in rows]
    others = [row | {"category_id": numbers.choice(list(names))} for row in shifted if numbers.random() < 0.5]
    return gt, [row | {"score": numbers.randrange(1, 20) / 20} for row in shifted + others]


def write(kind, name, gt, rows):
    """One side as files of a format: ground truth, or results."""
    if kind == "coco":
        Path(f"{name}.json").write_text(json.dumps(gt if rows is gt["annotations"] else rows))
        return f"{name}.json"
    classes = {each["id"]: each["name"] for each in gt["categories"]}
    for image in gt["images"]:
        path = Path(name, image["file_name"])
        path.parent.mkdir(parents=True, exist_ok=True)
        mine = [row for row in rows if row["image_id"] == image["id"]]
        WRITERS[kind](path, image, mine, classes)
    if kind == "yolo":
        Path(name, "classes.txt").write_text("\n".join(classes.values()))
    return name


def write_yolo(path, image, rows, classes):
    lines = []
    for row in rows:
        x, y, w, h = (each / 64 for each in row["bbox"])
        code = list(classes).index(row["category_id"])
        lines.append(f"{code} {x + w / 2} {y + h / 2} {w} {h} {row.get('score', '')}")
    path.with_suffix(".txt").write_text("\n".join(lines))
    path.with_suffix(".bmp").write_bytes(b"BM" + bytes(16) + (64).to_bytes(4, "little") * 2 + bytes(40))


def write_voc(path, image, rows, classes):
    things = ""
    for row in rows:
        x, y, w, h = row["bbox"]
        corners = zip(("xmin", "ymin", "xmax", "ymax"), (x, y, x + w, y + h), strict=True)
        box = "".join(f"<{name}>{value}</{name}>" for name, value in corners)
        score = f"<score>{row['score']}</score>" if "score" in row else ""
        things += f"<object><name>{classes[row['category_id']]}</name><bndbox>{box}</bndbox>{score}</object>"
    size = "<size><width>64</width><height>64</height></size>"
    path.with_suffix(".xml").write_text(f"<annotation><filename>{path.name}</filename>{size}{things}</annotation>")


def write_labelme(path, image, rows, classes):
    shapes = []
    for row in rows:
        x, y, w, h = row["bbox"]
        corners = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
        more = {"score": row["score"]} if "score" in row else {}
        label = classes[row["category_id"]]
        shapes.append({"label": label, "points": corners, "shape_type": "polygon"} | more)
    content = {"imagePath": path.name, "imageWidth": 64, "imageHeight": 64, "shapes": shapes}
    path.with_suffix(".json").write_text(json.dumps(content))


WRITERS = {"yolo": write_yolo, "voc": write_voc, "labelme": write_labelme}


def measured(gt, pred, **options):
    return calipers.coco(gt, pred, **(FEW | options)).to_json()


# Shards


@pytest.mark.parametrize("pred_kind", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_artifact_is_the_same_however_files_are_cut(kind, pred_kind):
    gt, results = dataset(1)
    paths = write(kind, "gt", gt, gt["annotations"]), write(pred_kind, "pred", gt, results)
    if pred_kind == "coco" and kind != "coco":  # ids of files are nobody else's, so names have to be given
        Path("pred.json").write_text(json.dumps(gt | {"annotations": results}))
    whole = measured(*paths, jobs=1)
    assert json.loads(whole)["objects"]["pred"] == len(results)
    for jobs, chunk_bytes in ((1, 1), (2, 1), (4, 900)):
        assert measured(*paths, jobs=jobs, chunk_bytes=chunk_bytes) == whole


@pytest.mark.parametrize("kind", ["yolo", "labelme"])
def test_masks_are_the_same_however_files_are_cut(kind):
    gt, results = dataset(2)
    paths = write("labelme", "gt", gt, gt["annotations"]), write(kind, "pred", gt, results)
    whole = measured(*paths, jobs=1, iou_type="segm")
    assert measured(*paths, jobs=2, chunk_bytes=1, iou_type="segm") == whole
    assert json.loads(whole)["coco"]["AP"] is not None


def test_every_format_gives_the_same_numbers():
    gt, results = dataset(3)
    found = []
    for kind in KINDS:
        path = write(kind, f"pred_{kind}", gt, results)
        report = calipers.coco(write("coco", "gt", gt, gt["annotations"]), path, chunk_bytes=1, jobs=1, **FEW)
        found.append((report["coco"], report["bootstrap"], report["per_class"], report["confusion"]))
    assert found == [found[0]] * len(KINDS)


def test_shards_are_small_and_know_their_bytes():
    gt, results = dataset(4)
    paths = write("voc", "gt", gt, gt["annotations"]), write("voc", "pred", gt, results)
    reading = SidesReader(*paths, "bbox", (None, None), None)
    shards = reading.shards(1)
    assert [(shard.side, len(shard.files)) for shard in shards] == [("gt", 1)] * 12 + [("pred", 1)] * 12
    assert sum(shard.bytes for shard in shards) == sum(p.stat().st_size for p in Path().rglob("*.xml"))
    assert str(shards[0]) == "gt/day/10.xml"
    assert len(reading.shards(10**6)) == 2


def test_progress_is_told_over_all_files():
    gt, results = dataset(5)
    paths = write("coco", "gt", gt, gt["annotations"]), write("voc", "pred", gt, results)
    told = []
    evaluate_detections(*paths, Config(jobs=1, chunk_bytes=1, **FEW), progress=lambda *each: told.append(each))
    total = sum(path.stat().st_size for path in Path("pred").rglob("*.xml"))
    assert told[-1] == (total, total)
    assert told == sorted(told)


# What is wrong is told in the order of reading


def broken(*wrong):
    """Both sides as VOC, and what is wrong with some files."""
    gt, results = dataset(6)
    paths = write("voc", "gt", gt, gt["annotations"]), write("voc", "pred", gt, results)
    for path, old, new in wrong:
        text = Path(path).read_text()
        assert old in text
        Path(path).write_text(text.replace(old, new))
    return paths


NO_XML = ("<annotation>", "<annotation")
ELSEWHERE = ("<filename>", "<filename>no")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ([("gt/day/13.xml", *NO_XML), ("pred/day/10.xml", *NO_XML)], "gt/day/13.xml: line 1: not XML"),
        ([("gt/day/12.xml", "12.jpg", "11.jpg"), ("gt/day/15.xml", *NO_XML)], "two files for the image"),
        ([("gt/day/12.xml", *NO_XML), ("gt/day/15.xml", "15.jpg", "11.jpg")], "gt/day/12.xml: line 1: not XML"),
        ([("gt/day/12.xml", "<width>", "<width>-")], "gt/day/12.xml: size: found -64 x 64"),
        ([("pred/day/12.xml", *NO_XML), ("pred/day/15.xml", *NO_XML)], "pred/day/12.xml: line 1: not XML"),
        ([("pred/day/21.xml", *NO_XML), ("gt/day/20.xml", *NO_XML)], "gt/day/20.xml: line 1: not XML"),
        ([("pred/day/12.xml", "<name>", "<name>un"), ("pred/day/13.xml", *NO_XML)], "pred/day/12.xml: object 1: found"),
    ],
)
def test_the_first_error_is_the_same_however_files_are_cut(wrong, told):
    paths = broken(*wrong)
    texts = set()
    for jobs, chunk_bytes in ((1, 1), (2, 1), (1, 10**6), (2, 700)):
        with pytest.raises(InputError, match=told.replace("(", r"\(")) as raised:
            measured(*paths, jobs=jobs, chunk_bytes=chunk_bytes)
        texts.add(str(raised.value))
    assert len(texts) == 1


def test_an_error_of_predictions_waits_for_the_ground_truth():
    gt, _ = dataset(7)
    write("voc", "gt", gt, gt["annotations"])
    Path("gt/day/21.xml").write_text("<annotation")
    Path("pred").mkdir()
    with pytest.raises(InputError, match=r"gt/day/21\.xml: line 1"):
        measured("gt", "pred", pred_format="yolo", jobs=1)
    Path("gt/day/21.xml").unlink()
    Path("labels").mkdir()
    Path("labels/nobody.txt").write_text("0 .5 .5 1 1 .5")
    with pytest.raises(InputError, match="no image of the ground truth is called"):
        measured("gt", "labels", jobs=2, chunk_bytes=1)


def test_a_number_beyond_floats_stays_one():
    gt, results = dataset(8)
    paths = write("coco", "gt", gt, gt["annotations"]), write("labelme", "pred", gt, results)
    file = next(path for path in sorted(Path("pred").rglob("*.json")) if json.loads(path.read_text())["shapes"])
    content = json.loads(file.read_text())
    content["shapes"][0]["points"] = [[-1.7e308, 0], [1.7e308, 0], [0, 5]]
    file.write_text(json.dumps(content))
    assert json.loads(measured(*paths))["invalid_reasons"] == {"bbox: not finite": 1}


# Parts as bytes


@pytest.mark.parametrize("kind", ["yolo", "voc", "labelme"])
def test_pieces_survive_packing(kind):
    gt, results = dataset(9)
    paths = write(kind, "gt", gt, gt["annotations"]), write(kind, "pred", gt, results)
    whole = measured(*paths, jobs=1)
    reading = SidesReader(*paths, "bbox", (None, None), None)
    pieces = [
        piece
        for shard in reading.shards(500)
        for piece in again(measure_shard(shard, config=make_config(Config, FEW))).pieces
    ]
    assert plan.report_of(CocoPart(detections=reading.detections(pieces)), make_config(Config, FEW)).to_json() == whole


def again(part):
    return plan.unpack(from_bytes(to_bytes(part.pack())))


def test_odd_names_of_files_survive_packing():
    name = os.fsdecode(b"b\xff")
    piece = Piece("pred")
    piece.open(FileOf(f"x/{name}.txt", name), b"")
    piece.close()
    [found] = again(CocoPart([piece])).pieces
    assert (found.files, found.places, found.text, len(found)) == (piece.files, [], b"", 0)


def kept_of(gt, results, **options):
    config = make_config(Config, FEW | options)
    return keep_images(measure(read_detections(gt, results, iou_type=config.iou_type), config))


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
def test_what_is_kept_survives_packing(iou_type):
    kept = kept_of(*shaped(), iou_type=iou_type, slice=["size"])
    [other] = again(CocoPart(kept=[kept])).kept
    for side in ("truth", "pred"):
        mine, theirs = getattr(kept, side), getattr(other, side)
        assert list(mine.columns) == [name for name in mine.columns if name in theirs.columns]
        for name, column in {"image": mine.image, "category": mine.category, **mine.columns}.items():
            found = theirs.columns.get(name, getattr(theirs, name, None))
            np.testing.assert_array_equal(column, found)
            assert column.dtype == found.dtype
    assert kept.pred.columns["area"].shape == (len(kept.pred),)
    np.testing.assert_array_equal(kept.causes, other.causes)
    assert (kept.problems, kept.warnings, kept.total) == (other.problems, other.warnings, other.total)


def test_a_detection_takes_24_bytes_and_one_with_partners_36_more():
    # score 8, class 4, flags 12; a partner without scores 4 + 4 + 8, its overlap 8, an object to be had 4 + 4
    gt, results = dataset(11)
    far = [
        {"image_id": row["image_id"], "category_id": row["category_id"], "bbox": [9e5, 9e5, 9, 9]} for row in results
    ]
    few, many = (
        sum(array.nbytes for array in CocoPart(kept=[kept_of(gt, rows)]).pack().arrays.values())
        for rows in (results, [*results, *(row | {"score": 0.5 / (k + 2)} for k, row in enumerate(far))])
    )
    assert many - few == 24 * len(far)


def shaped():
    """A data set with masks and keypoints, one of the detections invalid."""
    gt, results = dataset(10)
    gt["categories"] = [each | {"keypoints": [str(k) for k in range(17)]} for each in gt["categories"]]
    for row in [*gt["annotations"], *results]:
        x, y, w, h = row["bbox"]
        row["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h]]
        row["keypoints"] = [x, y, 2, x + w, y + h, 1] + [x, y, 0] * 15
    results[3]["segmentation"], results[3]["keypoints"], results[3]["bbox"] = [[1]], [1], [0, 0, -1, 1]
    return gt, results


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("truth.counts", lambda column: column + 1),
        ("pred.counts", lambda column: -column),
        ("pred.category", lambda column: column * 0 - 7),
        ("truth.flags", lambda column: column[:-1]),
        ("pred.second", lambda column: column[:-1]),
        ("pred.match_at", lambda column: column + 1000),
        ("truth.pair_at", lambda column: column - 7),
        ("truth.outcome", lambda column: column + 9),
        ("causes", lambda column: column[:, 1:]),
    ],
)
def test_columns_that_do_not_belong_together_are_refused(name, change):
    packed = CocoPart(kept=[kept_of(*dataset(11))]).pack()
    packed.arrays[name] = change(packed.arrays[name])
    with pytest.raises((ValueError, IndexError)):
        plan.unpack(packed)


# Going on


def test_a_run_goes_on_from_the_files_that_were_read(monkeypatch):
    gt, results = dataset(12)
    paths = write("yolo", "gt", gt, gt["annotations"]), write("voc", "pred", gt, results)
    whole = measured(*paths)
    kept = {"resume": "kept", "jobs": 1, "chunk_bytes": 1}
    file = Path("pred/day/20.xml")
    text = file.read_text()
    file.write_text("<annotation")
    with pytest.raises(InputError, match=r"20\.xml: line 1"):
        measured(*paths, **kept)
    file.write_text(text)
    read = []
    monkeypatch.setattr(plan, "read_shard", lambda shard, old=plan.read_shard: read.append(str(shard)) or old(shard))
    assert measured(*paths, **kept) == whole
    assert read == ["pred/day/20.xml", "pred/day/21.xml"]
    assert measured(*paths, **kept) == whole
    assert len(read) == 2
    os.utime("gt/day/11.txt", ns=(1, 1))
    assert measured(*paths, **kept) == whole
    assert read[2:] == ["gt/day/11.txt"]


def test_an_image_that_has_to_be_asked_for_its_size_counts_as_well(monkeypatch):
    gt, results = dataset(13)
    gt["images"] = [{"id": each["id"], "file_name": each["file_name"]} for each in gt["images"]]
    paths, kept = (write("coco", "gt", gt, gt["annotations"]), write("yolo", "pred", gt, results)), {"resume": "kept"}
    whole = measured(*paths, **kept)
    file = Path("pred/day/12.bmp")
    file.write_bytes(file.read_bytes().replace(b"@", b"P"))  # 80 pixels instead of 64
    os.utime(file, ns=(1, 1))
    assert measured(*paths, **kept) == measured(*paths) != whole


def test_coco_files_are_read_anew():
    gt, results = dataset(13)
    paths = write("coco", "gt", gt, gt["annotations"]), write("coco", "pred", gt, results)
    assert measured(*paths, resume="kept") == measured(*paths, resume="kept") == measured(*paths)


# Adding up by hand


def without_inputs(report):
    return {name: value for name, value in report.tree.items() if name not in ("inputs", "warnings")}


def in_pieces(rows, gt, count):
    """Rows by the images they are on, in the order of these."""
    ids = [image["id"] for image in gt["images"]]
    return [
        [row for row in rows if row["image_id"] in ids[at * len(ids) // count : (at + 1) * len(ids) // count]]
        for at in range(count)
    ]


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
def test_predictions_in_pieces_give_the_numbers_of_all(iou_type):
    gt, results = shaped()
    results.sort(key=lambda row: row["image_id"])
    truth = write("coco", "gt", gt, gt["annotations"])
    whole = calipers.coco(truth, write("coco", "all", gt, results), iou_type=iou_type, **FEW)
    for at, piece in enumerate(in_pieces(results, gt, 3)):
        path = write("coco", f"pred{at}", gt, piece)
        calipers.coco(truth, path, tally=f"{at}.cal", iou_type=iou_type, **FEW)
    merged = calipers.merge(["2.cal", "0.cal", "1.cal"])
    assert without_inputs(merged) == without_inputs(whole)
    assert (merged.has_matches, merged.has_cases) == (False, False)
    assert [each["path"] for each in merged["inputs"]] == ["gt.json", "pred0.json", "pred1.json", "pred2.json"]
    assert calipers.merge(["0.cal", "1.cal", "2.cal"]).to_json() == merged.to_json()


def test_a_detection_is_named_by_its_place_among_those_of_all_pieces():
    gt, results = dataset(14, images=30)
    results.sort(key=lambda row: row["image_id"])
    first, second = in_pieces(results, gt, 2)
    results[len(first) + 1]["score"] = 87.5  # the second one of the second piece
    truth = write("coco", "gt", gt, gt["annotations"])
    whole = calipers.coco(truth, write("coco", "all", gt, results), **FEW)
    for name, piece in (("a", first), ("b", second)):
        calipers.coco(truth, write("coco", name, gt, piece), tally=f"{name}.cal", **FEW)
    merged = calipers.merge(["b.cal", "a.cal"])
    assert f"(the first is [{len(first) + 1}], with 87.5)" in merged["calibration_undefined_reason"]
    assert without_inputs(merged) == without_inputs(whole)


@pytest.mark.parametrize("kind", KINDS)
def test_other_images_on_both_sides_give_the_numbers_of_all(kind):
    gt, results = dataset(14, images=30)
    results.sort(key=lambda row: row["image_id"])
    whole = calipers.coco(write(kind, "gt", gt, gt["annotations"]), write(kind, "all", gt, results), **FEW)
    cut = zip(in_pieces(gt["annotations"], gt, 3), in_pieces(results, gt, 3), range(0, 30, 10), strict=True)
    for rows, found, first in cut:
        piece = gt | {"images": gt["images"][first : first + 10], "annotations": rows}
        paths = write(kind, f"gt{first:02}", piece, rows), write(kind, f"pred{first:02}", piece, found)
        calipers.coco(*paths, tally=f"{first}.cal", **FEW)
    merged = calipers.merge(["10.cal", "0.cal", "20.cal"])
    assert without_inputs(merged) == without_inputs(whole)
    assert (merged.has_matches, merged.has_cases) == (False, False)
    assert len(merged["inputs"]) == 6


def test_classes_of_folders_go_by_name_when_pieces_know_some_of_them():
    rows = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 8, 8]}]
    for name, classes in (("a", {1: "zebra"}), ("b", {1: "ant"})):
        images = [{"id": 1, "file_name": f"{name}.jpg"}]
        gt = {"images": images, "categories": [{"id": k, "name": v} for k, v in classes.items()], "annotations": rows}
        found = [row | {"score": 0.5 if name == "a" else 0.25} for row in rows]
        calipers.coco(write("voc", f"{name}g", gt, rows), write("voc", f"{name}p", gt, found), tally=f"{name}.cal")
    merged = calipers.merge(["a.cal", "b.cal"])
    assert [(row["category_id"], row["name"], row["AP"]) for row in merged["per_class"]] == [
        (1, "ant", 1.0),
        (2, "zebra", 1.0),
    ]


def test_bad_annotations_count_once_over_one_ground_truth():
    gt, results = dataset(15)
    gt["annotations"][0]["bbox"] = None
    truth, options = write("coco", "gt", gt, gt["annotations"]), FEW | {"max_bad_records": 1}
    whole = calipers.coco(truth, write("coco", "all", gt, results), **options)
    for at, piece in enumerate(in_pieces(results, gt, 2)):
        calipers.coco(truth, write("coco", f"pred{at}", gt, piece), tally=f"{at}.cal", **options)
    merged = calipers.merge(["0.cal", "1.cal"])
    assert (merged["rejected"], merged["images"]) == (whole["rejected"], whole["images"])
    assert merged["images"]["rejected"] == 1
    assert merged["coco"] == whole["coco"]


def part(name, gt, results):
    """The tally of a data set."""
    paths = write("coco", f"gt_{name}", gt, gt["annotations"]), write("coco", f"pred_{name}", gt, results)
    calipers.coco(*paths, tally=f"{name}.cal", **FEW)
    return f"{name}.cal"


def test_an_image_has_detections_in_one_part_only():
    gt, results = dataset(16)
    image = results[0]["image_id"]
    parts = part("a", gt, results[:1]), part("b", gt, [row for row in results if row["image_id"] == image][-1:])
    words = f'pred_a.json and pred_b.json: both have detections on the image "day/{image}.jpg"'
    with pytest.raises(InputError, match=words):
        calipers.merge(parts)


def test_an_image_is_in_one_ground_truth_only():
    gt, results = dataset(17)
    other = gt | {"annotations": gt["annotations"][1:]}
    with pytest.raises(InputError, match=r"gt_a\.json and gt_b\.json: both have the image 10, expected each image in"):
        calipers.merge([part("a", gt, results[:1]), part("b", other, [])])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({1: "cone", 2: "barrel", 5: "路锥"}, 'the category 2 is "barrel", expected "sign" as in gt_a.json'),
        ({1: "cone", 3: "sign"}, 'the category 3 is "sign", expected the id 2 for that name'),
    ],
)
def test_categories_agree_by_id_and_name(names, words):
    other, results = dataset(18, names=names)
    for each in [*other["images"], *other["annotations"]]:
        each["id"] += 1000
    for row in [*other["annotations"], *results]:
        row["image_id"] += 1000
    with pytest.raises(InputError, match=f"gt_b.json: {words}"):
        calipers.merge([part("a", *dataset(18)), part("b", other, results)])


def test_ground_truth_of_two_formats_is_not_added_up():
    gt, results = dataset(19)
    calipers.coco(write("voc", "v", gt, gt["annotations"]), write("voc", "w", gt, results), tally="v.cal", **FEW)
    with pytest.raises(InputError, match="found ground truth in the format voc, expected coco as gt_a"):
        calipers.merge([part("a", gt, results), "v.cal"])


def test_images_of_one_name_go_by_their_ids():
    """Their names are keys of the bootstrap: with other ones replicates would be others."""
    parts, rows, images = [], [], [{"id": image, "file_name": "a.jpg"} for image in (1, 2)]
    gt = {"categories": [{"id": 1, "name": "c"}]}
    for image in images:
        row = {"id": image["id"], "image_id": image["id"], "category_id": 1, "bbox": [0, 0, 8, 8 + image["id"]]}
        found = row | {"bbox": [0, 0, 8, 8], "score": image["id"] / 4}
        parts.append(part(str(image["id"]), gt | {"images": [image], "annotations": [row]}, [found]))
        rows.append((row, found))
    truth = gt | {"images": images, "annotations": [row for row, _ in rows]}
    whole = calipers.coco(truth, [found for _, found in rows], **FEW)
    assert without_inputs(calipers.merge(parts)) == without_inputs(whole)


def test_a_part_without_detections_is_a_part():
    gt, results = dataset(20)
    whole = calipers.coco(write("coco", "gt_a", gt, gt["annotations"]), write("coco", "pred_a", gt, results), **FEW)
    truth = write("coco", "gt_a", gt, gt["annotations"])
    calipers.coco(truth, write("coco", "none", gt, []), tally="none.cal", **FEW)
    merged = calipers.merge([part("a", gt, results), "none.cal"])
    assert without_inputs(merged) == without_inputs(whole)


# Elsewhere


def test_coco_files_may_be_anywhere():
    fsspec = pytest.importorskip("fsspec")
    gt, results = dataset(23)
    write("coco", "gt", gt, gt["annotations"])
    fsspec.filesystem("memory").pipe("/bucket/pred.json", json.dumps(results).encode())
    report = calipers.coco("gt.json", "memory://bucket/pred.json", **FEW)
    assert report["inputs"][1]["path"] == "memory://bucket/pred.json"
    assert report["coco"] == calipers.coco(gt, results, **FEW)["coco"]
    with pytest.raises(InputError, match=r"memory://bucket/no\.json: cannot be read"):
        calipers.coco("gt.json", "memory://bucket/no.json")


# What cannot be


@pytest.mark.parametrize("names", [[], ["a"], "x", {}])
@pytest.mark.parametrize("what", ["names", "categories"])
def test_names_that_do_not_belong_to_their_ids_are_refused(what, names):
    """The engine would look for those of images that are not there."""
    gt, results = dataset(24)
    paths = write("coco", "gt", gt, gt["annotations"]), write("coco", "pred", gt, results)
    calipers.coco(*paths, **FEW, tally="a.cal")
    made, packed = read_tally("a.cal")
    write_tally("odd.cal", made, Packed({"kept": packed.plain["kept"] | {what: names}}, packed.arrays))
    with pytest.raises(InputError, match=r"odd\.cal: holds a part that cannot be read"):
        calipers.merge(["odd.cal"])


@pytest.mark.parametrize("options", [{"tally": "x.cal"}, {"resume": "kept"}, {"engine": "dask"}])
def test_what_is_in_memory_is_read_here(options):
    with pytest.raises(ConfigError, match="instead of detections that are in memory"):
        calipers.coco(*dataset(21), **options)
    with pytest.raises(ConfigError, match=r"expected calipers\.coco for that"):
        calipers.coco_numbers(*dataset(21), **options)


@pytest.mark.parametrize("name", ["tally", "resume"])
def test_no_input_is_written_over(name):
    gt, results = dataset(22)
    paths = write("coco", "gt", gt, gt["annotations"]), write("voc", "pred", gt, results)
    Path("pred/kept").write_text("")
    before = Path("gt.json").read_bytes()
    for path in ("gt.json", "pred/kept"):
        with pytest.raises(OutputError, match="is an input"):
            calipers.coco(*paths, **{name: path})
    assert Path("gt.json").read_bytes() == before
