"""`calipers check`, and what the suites say when almost nothing matches."""

import json
from pathlib import Path

import pytest

import calipers

DATA = Path(calipers.__file__).parent / "data"
BOX = {"type": "bbox_2d", "points": [10, 20, 110, 220], "desc": "类别=标签"}
UNSEEN = "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200b\x9b31m\x7f\u2028"


def write(name, value):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return name


SAMPLES = {
    "dense": [DATA / "dense.jsonl"],
    "timeline": ["--gt", DATA / "timeline" / "annotations.json", "--pred", DATA / "timeline" / "predictions.json"],
    "scene": ["--gt", DATA / "scene" / "gt", "--pred", DATA / "scene" / "pipeline", "--pred", DATA / "scene" / "clio"],
    "coco": ["--gt", DATA / "coco" / "instances.json", "--pred", DATA / "coco" / "results.json"],
}


@pytest.mark.parametrize("suite", SAMPLES)
def test_the_samples_are_fine(run, suite):
    ended = run("check", *SAMPLES[suite])
    assert (ended.code, ended.err) == (0, "")
    text = ended.out.decode()
    assert "perfect" in text
    assert "everything can be read" in text
    assert "other readings" not in text
    assert max(map(len, text.splitlines())) < 260
    tree = run("check", *SAMPLES[suite], "--json").artifact()
    assert tree["ok"]
    assert [sides["readings"] for sides in tree["comparisons"]] == [[]] * len(tree["comparisons"])


def test_the_summary_reads_well(run):
    write("dump.jsonl", json.dumps({"id": "a", "gt_norm1000": [BOX], "pred": [{**BOX, "points": [20, 10, 220, 110]}]}))
    assert run("check", "dump.jsonl").out.decode().splitlines() == [
        "dump.jsonl   dense dump, norm1000 · ground truth and predictions",
        " records              1 read · 1 with objects",
        " ground truth         1 object · 1 bbox_2d · 1 label",
        " predictions          1 object · 1 bbox_2d · 1 label",
        " ranges                                               min     median        max          n",
        "                      ground truth x                   10         60        110          2",
        "                      ground truth y                   20        120        220          2",
        "                      ground truth width              100        100        100          1",
        "                      ground truth height             200        200        200          1",
        "                      predicted x                      20        120        220          2",
        "                      predicted y                      10         60        110          2",
        "                      predicted width                 200        200        200          1",
        "                      predicted height                100        100        100          1",
        " against itself       localization F1 1.000 · phase F1 1.000 · category F1 1.000 · perfect",
        "",
        "predictions against ground truth",
        " labels               1 on both sides · 0 only true · 0 only predicted",
        " how they fit         localization F1 0.000 · mean best IoU 0.254   (all records)",
        " other readings       x and y swapped    1.000   1.000   <- likely: write x before y",
        "                      Nothing was changed.",
        "",
        " verdict              everything can be read · predictions fit when read otherwise: x and y swapped",
    ]


def test_what_would_be_refused_ends_with_3_and_is_told_without_stopping(run):
    write("dump.jsonl", '{"gt_norm1000": []}\n{"gt_norm1000": [], "pred": []}\n{oops\n')
    ended = run("check", "dump.jsonl", "missing.json")
    assert (ended.code, ended.err) == (3, "")
    text = ended.out.decode()
    assert "would be refused     dump.jsonl:1: no predictions" in text
    assert "dump.jsonl:3: not JSON" in text
    assert "missing.json: cannot be read: No such file or directory" in text
    assert "not everything can be read: 3 would be refused" in text


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "nothing to check"),
        (["--suite", "boxes", "a.json"], "suite: found 'boxes', expected dense or timeline or scene or coco"),
        (["--gt", "", "--pred", "a"], "gt: found '', expected a path"),
        (["--pred", ""], "pred: found [''], expected paths"),
        (["--gt", "a", "--gt", "b"], "Option '--gt' is given 2 times"),
        (["--sweet", "dense"], "No such option"),
    ],
)
def test_wrong_usage(run, args, words):
    run("check", *args).refused(2, words)


BAD_FILES = {
    "dump.jsonl": "[1, 2]",
    "gt.json": {"a.mp4": {"inside": [[9, 1]]}},
    "pred.csv": "frame,colour\n0,red\n",
    "scene.json": {"objects": [{"center": [0, 0]}]},
    "scene.graphml": "<graphml><node>",
    "dataset.json": {"images": [{"id": 1}, {"id": 1}], "annotations": [], "categories": []},
    "results.json": [{"image_id": None}],
    "voc/a.xml": "<annotation><object></annotation>",
    "labelme/a.json": {"imagePath": "a.jpg", "imageHeight": 9, "shapes": [3]},
    "yolo/labels/a.txt": "0 0.5 0.5 0.1 0.1\n0 nan\n",
    "artifact.json": {"suite": "dense", "protocol": "dense/1"},
    "half.json": '{"gt_norm1000": ["\\ud800',
    "zip.json.gz": "no gzip",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_of_every_kind_end_with_3_and_without_a_traceback(run, name):
    write(name, BAD_FILES[name])
    ended = run("check", name.rpartition("/")[0].removesuffix("/labels") or name)
    assert (ended.code, ended.err) == (3, ""), ended
    assert b"would be refused" in ended.out


def hostile_inputs(text):
    item = {**BOX, "desc": f"类别={text}"}
    other = {**BOX, "desc": f"类别=a{text}", "points": [0.01, 0.02, 0.11, 0.22]}
    record = {"id": text, "image_path": text, "gt_norm1000": [item], "pred": [other, text]}
    write("dump.jsonl", "\n".join(json.dumps(each) for each in (record, record, {text: text}, [text])))
    write("gt.json", {text: {text: [[0, 9]]}, f"b{text}": {"inside": [[9, 1]]}})
    write("pred.json", {f"c/{text}": {"states": {text.upper() + "x": [[0, 9]]}}})
    seat = {"id": text, "label": text, "center": [0, 0, 0], "size": [1, 1, 1]}
    write("truth/a.json", {"objects": [seat, seat, {**seat, "id": [text], "size": text}]})
    write("found/b.json", {"objects": [{**seat, "label": f"x{text}", "size": text}]})
    row = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5]}
    truth = {"images": [{"id": 1, "file_name": text}, {"id": 2, "file_name": text}], "annotations": [row]}
    write("instances.json", {**truth, "categories": [{"id": 1, "name": text}, {"id": 2, "name": f"y{text}"}]})
    write("results.json", [{**row, "image_id": text}, {**row, "category_id": text, "score": 0.5}, text])
    return [
        ["dump.jsonl"],
        ["--gt", "gt.json", "--pred", "pred.json"],
        ["--gt", "truth", "--pred", "found"],
        ["--gt", "instances.json", "--pred", "results.json"],
    ]


@pytest.mark.parametrize("text", [UNSEEN, "=1+1", "<script>", "x" * 5000, "half \ud800 of a pair", "", "\n"])
def test_trap_40_hostile_text_stays_text(run, text):
    for args in hostile_inputs(text):
        for flags in ([], ["--json"]):
            ended = run("check", *args, *flags)
            assert ended.code == 3, ended
            shown = ended.out.decode()
            if flags:
                json.loads(shown)
            else:
                assert all(char.isprintable() for line in shown.split("\n") for char in line), ascii(shown)
                assert max(map(len, shown.split("\n"))) < 1000


def test_a_hostile_name_of_a_file(run):
    name = "dump\x1b[31m\n\u202e.jsonl"
    write(name, json.dumps({"gt_norm1000": [BOX], "pred": [BOX]}))
    shown = run("check", name).out.decode()
    assert all(char.isprintable() for line in shown.split("\n") for char in line), ascii(shown)


def test_options_come_from_the_options_file_too(run):
    write("empty.json", {})
    write("options.toml", '[check]\nsuite = "timeline"\ngt = "empty.json"\n')
    ended = run("check", "--config", "options.toml", "--json")
    assert json.loads(ended.out)["files"][0]["kind"] == "timeline annotations, JSON"


# The suites


def test_a_suite_says_what_would_fit_and_its_result_stays_as_it_is(run):
    pixels = {**BOX, "points": [40, 40, 440, 440]}
    record = {"width": 4000, "height": 2000, "gt_norm1000": [BOX], "pred": [pixels]}
    write("qwen_pixels.jsonl", "\n".join(json.dumps({**record, "id": k}) for k in range(5)))
    ended = run("dense", "qwen_pixels.jsonl", "--json")
    assert ended.artifact()["modes"]["localization"]["mean_f1"] == 0
    lines = ended.err.splitlines()
    assert lines[0] == "warning: almost nothing overlaps (mean best IoU 0.08). Other readings of the predictions:"
    assert lines[1].startswith(
        "           pixels -> norm1000 by width/height   1.00   <- likely: rerun with --frame pixel"
    )
    assert lines[2] == "         Nothing was changed."


def test_a_warning_of_the_frame_claims_nothing_that_the_readings_deny(run):
    """Boxes as [x, y, w, h] in thousandths of a wider frame reach outside; they are no pixels."""
    record = {"gt_norm1000": [BOX] * 6, "pred": [{**BOX, "points": [900, 900, 1500, 1400]}] * 6}
    write("wide.jsonl", "\n".join(json.dumps({**record, "id": k}) for k in range(5)))
    first, second = run("dense", "wide.jsonl").err.splitlines()
    assert first == "warning: 30 predictions reach outside the frame, and are cut to it"
    assert second.startswith("warning: almost nothing overlaps (mean best IoU 0.00), and no other reading")
    record["pred"][3:] = [BOX] * 3
    write("half.jsonl", "\n".join(json.dumps({**record, "id": k}) for k in range(5)))
    assert run("dense", "half.jsonl").err.splitlines() == [
        "warning: 15 predictions reach outside the frame, and are cut to it (calipers check tells what they may be)"
    ]


def test_the_other_suites_say_it_too(run):
    write("gt.json", {"a": {"inside": [[0, 99]]}})
    write("pred.json", {"a": {"states": {"In": [[0, 99]]}}})
    assert "states by other words: In -> inside   1.00   <- likely" in run("timeline", *INPUTS).err
    seat = {"label": "seat", "center": [1, 2, 0.5], "size": [1, 1, 1]}
    write("gt.json", {"objects": [seat]})
    write("pred.json", {"objects": [{**seat, "center": [1000, 2000, 500], "size": [1000, 1000, 1000]}]})
    assert "millimetres -> metres   1.00   <- likely" in run("scene", *INPUTS).err
    cone = {"image_id": 1, "category_id": 7, "bbox": [50, 60, 10, 10]}
    dataset = {"images": [{"id": 1}], "categories": [{"id": 7, "name": "cone"}], "annotations": [{**cone, "id": 1}]}
    write("gt.json", dataset)
    write("pred.json", [{**cone, "bbox": [50, 60, 60, 70], "score": 0.9}])
    assert "boxes as [x1, y1, x2, y2]   1.00   <- likely" in run("coco", *INPUTS).err


INPUTS = ("--gt", "gt.json", "--pred", "pred.json")


def test_standard_input_is_not_read_again(finish):
    record = {"width": 4000, "height": 2000, "gt_norm1000": [BOX], "pred": [{**BOX, "points": [600, 600, 800, 800]}]}
    ended = finish("dense", "-", given=json.dumps(record).encode())
    assert (ended.code, ended.err) == (0, "")


# One image of 2,000 by 1,000 pixels, with boxes in its pixels, all below 1,000: as norm1000 they lie somewhere else.
WIDE = {"id": 1, "file_name": "a.jpg", "width": 2000, "height": 1000}
CORNERS = ([100, 100, 300, 300], [500, 600, 700, 800], [800, 100, 960, 300])
PIXEL_TRUTH = {
    "images": [WIDE],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [
        {"id": at, "image_id": 1, "category_id": 1, "bbox": [x, y, right - x, low - y], "area": 1, "iscrowd": 0}
        for at, (x, y, right, low) in enumerate(CORNERS, 1)
    ],
}
PIXEL_ANSWER = json.dumps([{"bbox_2d": corners, "label": "cat"} for corners in CORNERS])


@pytest.mark.parametrize("args", [["dense"], ["coco"], ["dense", "--answers", "auto"], ["coco", "--answers", "qwen3"]])
def test_answers_of_the_wrong_family_are_told_the_right_one(run, args):
    inputs = ["--gt", write("gt.json", PIXEL_TRUTH), "--pred", "answers.jsonl"]
    write("answers.jsonl", json.dumps({"image": "a.jpg", "pred": PIXEL_ANSWER}))
    ended = run(*args, *inputs, "--bootstrap", "0")
    assert "<- likely: rerun with --answers qwen2.5" in ended.err
    assert "answers as qwen2.5 writes them" in ended.err
    assert "calipers check" not in ended.err
    assert run(args[0], *inputs, "--answers", "qwen2.5", "--bootstrap", "0").err == ""


def test_check_tells_answers_from_a_dump(run):
    write("answers.jsonl", json.dumps({"image": "a.jpg", "response": PIXEL_ANSWER}))
    ended = run("check", "answers.jsonl")
    text = " ".join(ended.out.decode().split())
    assert ended.code == 3
    assert "answers.jsonl: answers that name their image, without ground truth, expected a dump" in text
    assert "calipers dense --gt FILE --pred FILE (or calipers coco) measures them" in text
    assert "no ground truth: expected" not in text


def test_results_one_on_each_line_are_told_to_be_one_list(run):
    row = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}
    write("lines.jsonl", json.dumps(row) + "\n" + json.dumps(row))
    words = "found COCO results, one on each line, expected all of them in one list, [{…}, {…}], in a .json file"
    inputs = ["--gt", write("gt.json", PIXEL_TRUTH), "--pred", "lines.jsonl"]
    assert f"lines.jsonl:1: {words}" in run("coco", *inputs).err
    assert f"lines.jsonl: {words}" in run("coco", *inputs, "--pred-format", "coco").err
    assert f"lines.jsonl: {words}" in run("check", "--suite", "coco", *inputs).out.decode()
    for command in (["check", "lines.jsonl"], ["check", *inputs]):
        assert f"lines.jsonl: {words}" in run(*command).out.decode()


def check_answers(run, *answers, args=(), gt=PIXEL_TRUTH):
    write("answers.jsonl", "\n".join(map(json.dumps, answers)))
    ended = run("check", "--gt", write("gt.json", gt), "--pred", "answers.jsonl", *args)
    return ended.code, ended.out.decode()


@pytest.mark.parametrize("args", [[], ["--suite", "dense"]])
def test_check_looks_at_answers_beside_their_ground_truth(run, args):
    code, text = check_answers(
        run, {"image": "a.jpg", "response": PIXEL_ANSWER}, args=[*args, "--pred-field", "response"]
    )
    assert code == 0
    assert "answers              1 answer · 1 ok\n taken for            1 as json\n" in text
    assert "images               1 with an answer" in text
    assert "labels               1 on both sides · 0 only true · 0 only predicted" in text
    assert "<- likely: rerun with --answers qwen2.5" in text
    assert "against itself       localization F1 1.000" in text
    family = [*args, "--pred-field", "response", "--answers", "qwen2.5"]
    code, text = check_answers(run, {"image": "a.jpg", "response": PIXEL_ANSWER}, args=family)
    assert code == 0
    assert "1 as qwen2.5" in text
    assert "localization F1 1.000 · mean best IoU 1.000   (all images with predictions)" in text


@pytest.mark.parametrize("family", [[], ["--answers", "qwen2.5"]])
def test_check_looks_at_answers_as_detections_where_that_is_asked_for(run, family):
    args = ["--suite", "coco", "--pred-field", "response", *family]
    code, text = check_answers(run, {"image": "a.jpg", "response": PIXEL_ANSWER.replace("cat", "Cat")}, args=args)
    assert code == 0
    assert "answers.jsonl   answers of a model · predictions" in text
    assert f"taken for            1 as {'qwen2.5' if family else 'json'}" in text
    assert "contents             3 detections · 1 image · 1 category" in text
    assert "labels               1 on both sides · 0 only true · 0 only predicted" in text
    assert 'but for case and white space, read as that class: 3 ("Cat" 3)' in " ".join(text.split())
    assert ("<- likely: rerun with --answers qwen2.5" in text) == (not family)
    assert ("F1 at IoU 0.50 1.000 · mean best IoU 1.000" in text) == bool(family)


def test_check_of_answers_as_detections_refuses_what_a_run_refuses(run):
    code, text = check_answers(run, {"image": "z.jpg", "pred": "[]"}, args=["--suite", "coco"])
    assert code == 3
    assert 'answers.jsonl:1: image: found "z.jpg", expected an image of gt.json' in text
    no_ids = PIXEL_TRUTH | {"annotations": [{"bbox": [0, 0, 1, 1]}]}
    code, text = check_answers(run, {"image": "a.jpg", "pred": "[]"}, args=["--suite", "coco"], gt=no_ids)
    assert code == 3
    assert "gt.json: annotations[0]" in text


def test_options_of_answers_are_refused_for_detections(run):
    results = write("pred.json", [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}])
    inputs = ["--gt", write("gt.json", PIXEL_TRUTH), "--pred", results]
    ended = run("check", "--suite", "coco", *inputs, "--answers", "json")
    assert (ended.code, "answers: no input holds answers of models" in ended.err) == (2, True)


def test_check_of_answers_refuses_what_a_run_refuses(run):
    answers = {"image": "a.jpg", "response": PIXEL_ANSWER}, {"image": "z.jpg", "response": "[]"}
    code, text = check_answers(run, *answers)
    assert code == 3
    assert "answers.jsonl:1: no predictions" in text
    assert "name the one that holds the answer: --pred-field response" in text
    code, text = check_answers(run, *answers, args=["--pred-field", "response"])
    assert code == 3
    assert 'answers.jsonl:2: image: found "z.jpg", expected an image of gt.json' in text
    code, text = check_answers(run, {"image": "a.jpg", "pred": "no idea"}, gt={**PIXEL_TRUTH, "annotations": []})
    assert code == 3
    assert "nothing was evaluated: 0 of 1 record" in text
    code, text = check_answers(run, {"image": "a.jpg", "pred": "[]"}, gt={**PIXEL_TRUTH, "images": [{"id": 1}]})
    assert code == 3
    assert "gt.json: images[0]: found" in text


def test_check_reads_answers_in_a_dump(run):
    record = {"gt_norm1000": [BOX], "said": json.dumps([{"bbox_2d": BOX["points"], "label": BOX["desc"]}])}
    ended = run("check", write("dump.jsonl", json.dumps(record)), "--pred-field", "said")
    assert ended.code == 0
    assert b"answers              1 answer \xc2\xb7 1 ok" in ended.out
    assert b"localization F1 1.000" in ended.out


def test_options_for_answers_need_answers(run):
    ended = run("check", "--gt", write("gt.json", PIXEL_TRUTH), "--answers", "qwen3")
    assert ended.code == 2
    assert "answers: no input holds answers of models" in ended.err
    ended = run("check", "--gt", "gt.json", "--pred", "missing.jsonl", "--pred-field", "text")
    assert ended.code == 3
    assert b"missing.jsonl" in ended.out


def test_answers_are_joined_with_files_alone():
    write("answers.jsonl", json.dumps({"image": "a.jpg", "pred": PIXEL_ANSWER}))
    found = calipers.check(gt=PIXEL_TRUTH, pred="answers.jsonl")
    assert not found["ok"]
    assert "without ground truth, expected a dump" in str(found)


def test_answers_in_a_dump_are_told_the_right_family(run):
    truth = [{**BOX, "points": [x / 2, y, right / 2, low]} for x, y, right, low in CORNERS]
    record = {"gt_norm1000": truth, "said": PIXEL_ANSWER, "width": 2000, "height": 1000}
    write("dump.jsonl", json.dumps(record))
    ended = run("dense", "dump.jsonl", "--pred-field", "said", "--bootstrap", "0")
    assert "answers as qwen2.5 writes them       1.00   <- likely: rerun with --answers qwen2.5" in ended.err
    record = {**record, "said": PIXEL_ANSWER.replace("[100, 100, 300, 300]", "[50, 100, 150, 300]")}
    write("poor.jsonl", json.dumps(record))  # one box of three is in norm1000
    ended = run("dense", "poor.jsonl", "--pred-field", "said", "--bootstrap", "0")
    assert "hint: predictions would fit far better read otherwise: answers as qwen2.5 writes them (F1 0.67" in ended.err


def test_poor_answers_that_are_joined_name_the_option(run):
    some = PIXEL_ANSWER.replace("[100, 100, 300, 300]", "[50, 100, 150, 300]")
    write("answers.jsonl", json.dumps({"image": "a.jpg", "pred": some}))
    for suite in ("dense", "coco"):
        ended = run(suite, "--gt", write("gt.json", PIXEL_TRUTH), "--pred", "answers.jsonl", "--bootstrap", "0")
        hint = "hint: predictions would fit far better read otherwise: answers as qwen2.5 writes them"
        assert hint in ended.err
        assert ended.err.endswith("; rerun with --answers qwen2.5\n")


# Answers that nearly fit


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            '{"image": "a", "pred": "[]"}',
            'answers.jsonl:1: image: found "a", expected an image of gt.json, did you mean "a.jpg"?',
        ),
        ('{"image": "x/a.png", "pred": "[]"}', 'did you mean "a.jpg"?'),
        (
            '[{"image": "a.jpg", "pred": "[]"}]',
            "answers.jsonl:1: not a JSON object, expected one a line (jq -c '.[]' FILE",
        ),
        (
            '[\n{"image": "a.jpg", "pred": "[]"}\n]',
            "answers.jsonl:1: not JSON: unexpected end of data; expected one JSON object a line, not an array (jq",
        ),
        (
            '{"image": "a.jpg", "pred": [{"role": "assistant", "content": "[]"}]}',
            "answers.jsonl:1: pred: found chat messages with role and content, expected the answer: the content",
        ),
    ],
)
def test_answers_that_nearly_fit_are_told_how_to(run, lines, message):
    inputs = ["--gt", write("gt.json", PIXEL_TRUTH), "--pred", write("answers.jsonl", lines)]
    ended = run("dense", *inputs)
    assert ended.code == 3
    assert message in ended.err
    assert run("check", *inputs).code == 3


def test_labels_that_are_never_true_are_named(run):
    answer = [
        {"bbox_2d": corners, "label": label} for corners, label in zip(CORNERS, ("cat", "cats", "cats"), strict=True)
    ]
    write("answers.jsonl", json.dumps({"image": "a.jpg", "pred": json.dumps(answer)}))
    ended = run("dense", "--gt", write("gt.json", PIXEL_TRUTH), "--pred", "answers.jsonl", "--answers", "qwen2.5")
    assert "warning: predicted, and never in the ground truth: cats 2\n" in ended.err
    assert ended.out.decode().startswith("gt.json · answers.jsonl   norm1000")
