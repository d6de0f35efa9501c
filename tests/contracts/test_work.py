"""Work grows with the input, not with its square: four times the input takes about four times the calls of functions.

What is counted are calls, of Python's functions and of compiled ones, which are the same on any machine and however
busy it is. `benchmarks/floods.py` measures seconds and memory of inputs of up to 5 MB.
"""

import json
import sys

import pytest

import calipers
from calipers import judge

SMALL, TIMES, AT_MOST = 60, 4, 4.6
BOX = {"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "a"}
FAMILIES = {
    "json": '{{"bbox_2d": [{0}, {0}, 900, 900], "label": "cat"}},',
    "qwen2": "<|object_ref_start|>cat<|object_ref_end|><|box_start|>({0},{0}),(900,900)<|box_end|>",
    "gemini": '{{"box_2d": [{0}, {0}, 900, 900], "label": "cat"}},',
    "internvl": "<ref>cat</ref><box>[[{0}, {0}, 900, 900]]</box>",
    "paligemma": "<loc0{0:03}><loc0{0:03}><loc0900><loc0900> cat ; ",
    "florence": "cat<loc_{0}><loc_{0}><loc_900><loc_900>",
    "kosmos": "<phrase>cat</phrase><object><patch_index_0{0:03}><patch_index_0900></object>",
    "deepseek": "<|ref|>cat<|/ref|><|det|>[[{0}, {0}, 900, 900]]<|/det|>",
    "molmo": '<point x="{0}" y="{0}" alt="cat">cat</point>',
}


def calls_of(function):
    """How many functions are called, directly or not."""
    count = 0

    def on_event(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(on_event)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def grows_in_proportion(make):
    """`make` gives what is done with an input of a size; it is done once before, to have everything imported."""
    make(2)()
    small, large = (calls_of(make(size)) for size in (SMALL, TIMES * SMALL))
    assert large <= AT_MOST * small, (small, large)


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_of_many_objects(family):
    def make(count):
        text = "".join(FAMILIES[family].format(k % 800) for k in range(count))
        return lambda: calipers.parse_objects(text, "auto", width=1000, height=1000)

    grows_in_proportion(make)


@pytest.mark.parametrize("slices", [["v"], ["v×w"]], ids=str)
def test_slices_of_many_values(slices):
    def make(count):
        some = [{"id": k, "v": f"v{k}", "w": f"w{k % 9}", "gt_norm1000": [BOX], "pred": []} for k in range(count)]
        return lambda: calipers.dense(some, slice=slices, bootstrap=0)

    grows_in_proportion(make)


def test_suspects_of_many_objects(tmp_path):
    def make(count):
        truth = [{**BOX, "points": [k, k, k + 99, k + 99]} for k in range(count)]
        record = {"id": "a", "gt_norm1000": truth, "pred": [{**each, "desc": "b"} for each in truth]}
        (tmp_path / "dump.jsonl").write_text(json.dumps(record) + "\n")
        from calipers.cli.suite_command import run_suite
        from calipers.suite import suite_of

        options = {"dumps": [str(tmp_path / "dump.jsonl")], "output": str(tmp_path / str(count)), "bootstrap": 0}
        run_suite(suite_of("dense"), options)
        return lambda: calipers.suspects(tmp_path / str(count))

    grows_in_proportion(make)


def test_rank_of_many_records():
    def make(count):
        truth = [{"id": k, "gt_norm1000": [BOX], "pred": [BOX] if k % 2 else []} for k in range(count)]
        results = {name: calipers.dense(truth, bootstrap=50) for name in "ab"}
        return lambda: calipers.rank(results)

    grows_in_proportion(make)


@pytest.mark.parametrize("sides", [(1, 40_000), (40_000, 1), (2000, 2000)], ids=str)
def test_readings_are_tried_on_some_objects(sides):
    """Each of some twenty readings takes every object once more."""
    from calipers.suites.dense.interpretations import MAX_OF_RECORD, MAX_SAMPLED, Sampled

    record = dict(zip(("gt_norm1000", "pred"), ([BOX] * count for count in sides), strict=True))
    sampled = Sampled([record] * 50, "norm1000")
    assert max(map(len, sampled.truth + sampled.pred)) == min(max(sides), MAX_OF_RECORD)
    objects = sum(map(len, sampled.truth + sampled.pred))
    assert MAX_SAMPLED <= objects < MAX_SAMPLED + 2 * MAX_OF_RECORD


def each_takes(make, most):
    """What is done with an input takes at most so many calls for each of its items."""
    make(2)()
    small, large = (calls_of(make(size)) for size in (100, 400))
    assert (large - small) / 300 <= most


def test_each_class_takes_few_calls():
    def make(count):
        places = [{"image_id": k // 10, "category_id": k} for k in range(count)]
        truth = {
            "images": [{"id": k, "width": 99, "height": 99} for k in range(count // 10 + 1)],
            "categories": [{"id": k, "name": f"{k}"} for k in range(count)],
            "annotations": [place | {"id": k, "bbox": [0, 0, 9, 9], "area": 81} for k, place in enumerate(places, 1)],
        }
        pred = [place | {"bbox": [0, 0, 9, 8], "score": k % 97 / 97} for k, place in enumerate(places)]
        return lambda: calipers.coco(truth, pred, bootstrap=10, jobs=1)

    each_takes(make, 430)


def test_a_class_without_anything_takes_hardly_any_calls():
    def make(count):
        truth = {
            "images": [{"id": 1, "width": 99, "height": 99}],
            "categories": [{"id": k, "name": f"{k}"} for k in range(count)],
            "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81, "iscrowd": 0}],
        }
        pred = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 8], "score": 0.5}]
        return lambda: calipers.coco(truth, pred, bootstrap=10, jobs=1)

    each_takes(make, 60)


# Files of annotation tools


def cvat(count, score):
    sure = '<attribute name="score">0.5</attribute>' if score else ""
    boxes = f'<box label="a" xtl="1" ytl="2" xbr="9" ybr="8">{sure}</box>' * count
    return f'<annotations><image id="0" name="a.jpg" width="90" height="90">{boxes}</image></annotations>'


def label_studio(count, score):
    value = {"x": 1, "y": 2, "width": 10, "height": 10}
    size = {"original_width": 640, "original_height": 480, "type": "rectanglelabels"}
    tasks = []
    for k in range(count):
        entries = [{"result": [{"value": value | {"rectanglelabels": [f"l{k}"]}, **size}], "score": 0.5}]
        sides = {"annotations": [] if score else entries, "predictions": entries if score else []}
        tasks.append({"id": k, "data": {"image": f"{k}.jpg"}, **sides})
    return json.dumps(tasks)


@pytest.mark.parametrize(("kind", "text"), [("cvat", cvat), ("label_studio", label_studio)])
def test_images_of_annotation_tools(tmp_path, kind, text):
    def make(count):
        paths = [tmp_path / f"{side}{count}.{'xml' if kind == 'cvat' else 'json'}" for side in ("gt", "pred")]
        for path, score in zip(paths, (False, True), strict=True):
            path.write_text(text(count, score))
        return lambda: calipers.coco(*paths, gt_format=kind, pred_format=kind, bootstrap=0, jobs=1)

    grows_in_proportion(make)


def elan(count):
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{k}" TIME_VALUE="{k * 100}"/>' for k in range(count + 1))
    head = '<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a" TIME_SLOT_REF1="t{}" TIME_SLOT_REF2="t{}">'
    tail = "<ANNOTATION_VALUE>s{}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
    spans = "".join(head.format(k, k + 1) + tail.format(k % 2) for k in range(count))
    tier = f'<TIME_ORDER>{slots}</TIME_ORDER><TIER TIER_ID="d">{spans}</TIER>'
    return f'<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/>{tier}</ANNOTATION_DOCUMENT>'


VIDEOS = {
    "drive.eaf": elan,
    "drive.txt": lambda count: "".join(f"{k / 10}\t{k / 10 + 0.1}\ts{k % 2}\n" for k in range(count)),
    "drive.csv": lambda count: "start,end,label\n" + "".join(f"{k},{k + 1},s{k % 2}\n" for k in range(count)),
}


@pytest.mark.parametrize("name", VIDEOS)
def test_spans_of_annotation_tools(tmp_path, name):
    def make(count):
        path = tmp_path / str(count) / name
        path.parent.mkdir()
        path.write_text(VIDEOS[name](count))
        pred = {"drive": {"states": {"s0": [[0, 9]]}}}
        return lambda: calipers.timeline(path, pred, fps=10, bootstrap=0, jobs=1)

    grows_in_proportion(make)


def test_frames_of_a_csv(tmp_path):
    def make(count):
        path = tmp_path / f"drive{count}.csv"
        path.write_text("frame,state\n" + "".join(f"{k},s{k % 2}\n" for k in range(count)))
        return lambda: calipers.timeline({f"drive{count}": {"s0": [[0, 9]]}}, path, bootstrap=0, jobs=1)

    grows_in_proportion(make)


# The judge


@pytest.mark.parametrize(
    ("ruler", "reference", "answer"),
    [
        ("click", lambda count: {"boxes": [[k, 0, k + 1, 1] for k in range(count)]}, lambda count: [9000, 9000]),
        ("click", lambda count: {"bbox": [0, 0, 9, 9]}, lambda count: "click(5, 5) " * count),
        ("count", lambda count: 3, lambda count: [{"label": f"l{k}"} for k in range(count)]),
        ("count", lambda count: {"count": {f"l{k}": 1 for k in range(count)}}, lambda count: "1 " * count),
    ],
    ids=["boxes", "clicks", "objects", "labels"],
)
def test_clicks_and_counts(ruler, reference, answer):
    def make(count):
        payload = {"reference_answer": reference(count), "candidate_answer": answer(count)}
        return lambda: getattr(judge, ruler)(payload)

    grows_in_proportion(make)


@pytest.mark.parametrize("item", [{"label": "a"}, ["a"], []], ids=str)
def test_a_count_is_not_looked_for_in_every_kind_of_shape(item):
    def make(count):
        payload = {"reference_answer": {"count": 3}, "candidate_answer": [item] * count}
        return lambda: judge.count(payload)

    each_takes(make, 100)
