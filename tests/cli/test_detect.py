"""`calipers detect`: a detector over images, start to end, interrupted and resumed."""

import json
import signal
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed, and the models are built with it")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed, and it runs the models")
Images = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

from ..detectors import toy  # noqa: E402  needs onnx
from ..profiles import share  # noqa: E402
from .conftest import HANG_SEC  # noqa: E402

USUAL = ("detect", "--weights", "model.onnx", "--images", "images", "--gt", "gt.json", "-o", "results.json")


@pytest.fixture(autouse=True)
def _scenes(_own_folder):
    toy.write_scenes(".")
    toy.write_model("model.onnx")


def results(path="results.json"):
    return json.loads(Path(path).read_bytes())


# What it does


def test_the_summary_says_what_was_done_and_what_comes_next(run):
    ended = run(*USUAL)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.decode() == (
        "results.json  5 images · 7 detections · 3 classes · 0 left out\n"
        " next                 calipers coco --gt gt.json --pred results.json"
        "   (AP needs low scores too: --conf 0.001)\n"
    )


@pytest.mark.parametrize("layout", toy.LAYOUTS)
def test_detections_lie_on_what_was_drawn(run, layout):
    toy.write_model("model.onnx", layout, windows=(160,) if layout in toy.SUPPRESSED else (160, 320))
    assert run(*USUAL).code == 0
    rows = results()
    truth = toy.ground_truth()["annotations"]
    assert len(rows) == len(truth)
    for each in truth:
        [row] = [r for r in rows if all(r[name] == each[name] for name in ("image_id", "category_id"))]
        assert toy.iou(row["bbox"], each["bbox"]) > 0.9


def test_the_next_step_works(run):
    run(*USUAL)
    ended = run("coco", "--gt", "gt.json", "--pred", "results.json", "--bootstrap", 0, "--json")
    assert ended.artifact()["coco"]["AP_50"] == 1.0


def test_flags_are_options(run):
    flags = ("--conf", 0.9, "--iou", 0.5, "--max-det", 1, "--device", "cpu", "--agnostic-nms", "--layout", "yolov8")
    assert run(*USUAL, *flags).code == 0
    assert [row["image_id"] for row in results()] == [10, 11, 12, 14]


def test_options_may_stand_in_a_file(run):
    Path("calipers.toml").write_text(
        '[detect]\nweights = "model.onnx"\nimages = "images"\ngt = "gt.json"\noutput = "from-file.json"\nmax-det = 1\n'
    )
    assert run("detect").code == 0
    assert len(results("from-file.json")) == 4
    assert run("detect", "--max-det", 5).code == 0
    assert len(results("from-file.json")) == 7


def test_what_is_left_out_is_said(run):
    tree = toy.ground_truth()
    tree["categories"] = [{"id": 1, "name": "Blue"}, {"id": 2, "name": "traffic cone"}]
    Path("gt.json").write_text(json.dumps(tree))
    ended = run(*USUAL)
    assert ended.out.startswith(b"results.json  5 images \xc2\xb7 3 detections \xc2\xb7 1 class \xc2\xb7 4 left out\n")
    assert ended.err == (
        "warning: classes of the model without a category: red, green; detections left out: 4\n"
        "warning: categories that the model has no class for: traffic cone\n"
    )
    assert {row["category_id"] for row in results()} == {1}


def test_a_size_that_is_not_used_is_said(run):
    ended = run(*USUAL, "--imgsz", 640)
    assert ended.err == "warning: imgsz 640 is not used: the model's input is fixed to 320 x 320\n"


def test_an_orientation_that_was_not_applied_is_said(run):
    exif = Images.Exif()
    exif[0x0112] = 6
    with Images.open("images/square.png") as image:
        image.save("images/square.png", exif=exif)
    ended = run(*USUAL)
    assert ended.err == "warning: images with an EXIF orientation that was not applied, as sizes fit: 1\n"


def test_trap_40_names_cannot_move_the_cursor(run):
    tree = toy.ground_truth()
    tree["categories"].append({"id": 77, "name": "\x1b[2Jgone"})
    Path("gt.json").write_text(json.dumps(tree))
    assert "no class for: \\x1b[2Jgone" in run(*USUAL).err


def test_paths_in_the_next_step_are_quoted(run):
    Path("gt.json").rename("my gt.json")
    args = ["my gt.json" if arg == "gt.json" else "my results.json" if arg == "results.json" else arg for arg in USUAL]
    assert b"calipers coco --gt 'my gt.json' --pred 'my results.json'" in run(*args).out


def test_help_is_shown_without_loading_the_runtime(finish):
    script = (
        "import sys; from calipers.cli.main import calipers; calipers(['detect', '--help'], standalone_mode=False); "
        "print(sorted({'onnxruntime', 'PIL', 'ultralytics'} & set(sys.modules)))"
    )
    ended = finish(program=("-c", script))
    assert ended.code == 0
    assert ended.out.decode().splitlines()[-1] == "[]"


def test_notes_and_warnings_about_the_model_are_said(run):
    toy.write_model("model.onnx", "rtdetr", windows=(160,))
    ended = run(*USUAL)
    assert ended.err == (
        "note: boxes of the model are from 0 to 1: taken as shares of its input, in the layout rtdetr\n"
    )
    toy.write_model("model.onnx", "end2end", windows=(160,), metadata=toy.METADATA | {"args": "{'nms': True}"})
    assert "so conf 0.001 can only remove more" in run(*USUAL, "--conf", 0.001).err


# What it refuses


# On to the numbers


def test_a_folder_receives_detections_and_numbers(run):
    ended = run("detect", "images", "--model", "model.onnx", "--gt", "gt.json", "-o", "out", "--conf", 0.1)
    assert ended.code == 0
    assert "Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 1.000" in ended.out.decode()
    assert ended.err.splitlines()[:2] == [
        "out/detections.json  5 images · 7 detections · 3 classes · 0 left out",
        "note: AP needs low scores too: --conf 0.001",
    ]
    assert {"detections.json", "result.json", "report.html", "per_class.csv"} <= {
        path.name for path in Path("out").iterdir()
    }
    tree = json.loads(Path("out/result.json").read_bytes())
    assert [entry["path"] for entry in tree["inputs"]] == ["gt.json", "out/detections.json"]
    assert run(*USUAL, "--conf", 0.1).code == 0
    assert results("out/detections.json") == results()


def test_the_numbers_may_have_a_place_of_their_own(run):
    """The flags of the script that this command stands for: predictions to one file, metrics to another."""
    flags = ("--gt", "gt.json", "--images", "images", "--weights", "model.onnx")
    files = ("--out", "results/preds.json", "--summary", "results/metrics.json")
    ended = run("detect", *flags, *files, "--imgsz", 320, "--conf", 0.25, "--iou", 0.45, "--device", "cpu")
    assert ended.code == 0
    assert "Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 1.000" in ended.out.decode()
    assert sorted(path.name for path in Path("results").iterdir()) == ["metrics.json", "preds.json"]
    tree = json.loads(Path("results/metrics.json").read_bytes())
    assert (tree["suite"], tree["map_50"], tree["objects"]["pred"]) == ("coco", 1.0, 7)
    assert len(results("results/preds.json")) == 7


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (
            ("-o", "out", "--summary", "m.json"),
            "--summary: found 'm.json' beside the folder 'out', expected -o FILE.json",
        ),
        (("-o", "a.json", "--summary", "./a.json"), "--summary: found './a.json', which receives the results"),
        (("-o", "a.json", "--summary", "gt.json"), "gt.json: is an input"),
        (("-o", "a.json", "--summary", ""), "--summary: found '', expected a file or folder to write to"),
    ],
)
def test_a_place_that_cannot_have_the_numbers_is_an_error(run, places, message):
    run("detect", "images", "--model", "model.onnx", "--gt", "gt.json", *places).refused(2, message)
    assert not Path("out").exists()
    assert not Path("a.json").exists()


def test_numbers_follow_the_options_of_their_suite(run):
    Path("calipers.toml").write_text("[coco]\nrecall_target = 0.5\nbootstrap = 0\n")
    assert run("detect", "images", "--model", "model.onnx", "--gt", "gt.json", "-o", "out").code == 0
    assert json.loads(Path("out/result.json").read_bytes())["params"]["recall_target"] == 0.5


def test_a_folder_that_nothing_was_written_to_goes_away(run):
    ended = run("detect", "images", "--model", "none.onnx", "--gt", "gt.json", "-o", "out/deep")
    ended.refused(3, "none.onnx: cannot be read")
    assert not Path("out").exists()
    run("detect", "images", "--images", "images", "--model", "model.onnx", "--gt", "gt.json", "-o", "out").refused(
        2, "--images: found 'images' beside 'images', expected the folder once"
    )


def refused(ended, code, *parts):
    ended.refused(code, *parts)
    assert not Path("results.json").exists()
    assert not Path("results.json.part").exists()


@pytest.mark.parametrize("flag", ["--weights", "--images", "--gt", "-o"])
def test_everything_has_to_be_given(run, flag):
    place = USUAL.index(flag)
    args = USUAL[:place] + USUAL[place + 2 :]
    refused(run(*args), 2, f"{flag} is missing, expected ", "(see calipers detect --help)")


def with_value(flag, value):
    place = USUAL.index(flag)
    return (*USUAL[: place + 1], value, *USUAL[place + 2 :])


@pytest.mark.parametrize(
    ("flag", "value", "code", "message"),
    [
        ("--weights", "none.onnx", 3, "none.onnx: cannot be read: No such file"),
        ("--weights", "gt.json", 2, "weights: found 'gt.json', expected a file that ends in .onnx"),
        ("--images", "none", 3, "none: no such folder"),
        ("--images", "images/deep", 3, "images/deep: 4 of 5 images of the ground truth are not in this folder"),
        ("--gt", "none.json", 3, "none.json: cannot be read"),
        ("--gt", "model.onnx", 3, "model.onnx: not"),
    ],
)
def test_a_wrong_place_is_an_error(run, flag, value, code, message):
    refused(run(*with_value(flag, value)), code, message)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--conf", "2"), "conf: found 2.0, expected a number from 0 to 1"),
        (("--imgsz", "big"), "'big' is not a valid integer"),
        (("--device", "abacus"), "device: found 'abacus', expected one that onnxruntime has here: cpu"),
        (("--layout", "v8"), "layout: found 'v8', expected auto or yolov8"),
        (("--class-names", "none.txt"), "none.txt: cannot be read"),
        (("--confidence", "0.5"), "No such option"),
    ],
)
def test_a_wrong_flag_is_an_error(run, flags, message):
    refused(run(*USUAL, *flags), 2, message)


def test_no_class_that_is_a_category_is_an_error(run):
    tree = toy.ground_truth()
    tree["categories"] = [{"id": 1, "name": "cone"}]
    Path("gt.json").write_text(json.dumps(tree))
    refused(run(*USUAL), 3, "no class of the model is a category", "classes: red, green, blue", "categories: cone")


def test_a_model_that_was_misread_is_an_error(run):
    """It puts out centres and sizes, as no model with six numbers a box does in pixels."""
    output = np.tile(np.float32([160, 160, 40, 30, 0.9, 0]), (1, 30, 1))
    toy.write_constant_model("model.onnx", output)
    refused(run(*USUAL), 3, "model.onnx: of 150 boxes that the model found, 0 have area inside their image", "--layout")


def test_an_image_of_another_size_is_an_error(run):
    Images.new("RGB", (50, 60)).save("images/wide.png")
    refused(run(*USUAL), 3, "images/wide.png: has 50 x 60 pixels, expected 640 x 360 as the ground truth says")


def test_a_failing_run_leaves_the_old_results(run):
    Path("results.json").write_bytes(b"before")
    Path("images/wide.png").write_bytes(b"no image")
    run(*USUAL).refused(3, "images/wide.png: is not an image that can be read")
    assert Path("results.json").read_bytes() == b"before"


def test_an_error_in_the_middle_says_how_to_go_on(run):
    good = Path("images/square.png").read_bytes()
    Path("images/square.png").write_bytes(b"no image")
    part = "(finished images are in results.json.part: run the same command again to go on)"
    run(*USUAL).refused(3, "images/square.png: is not an image that can be read", part)
    Path("images/square.png").write_bytes(good)
    assert run(*USUAL).code == 0
    assert len(results()) == 7


# Interrupted


IMAGES = 8
# The last image takes for ever, so that a run is never done before somebody ends it
ENDLESS = f"""
import time
from calipers.detectors import detect

look_at = detect._look_at

def look_for_ever(file, *others):
    time.sleep({HANG_SEC} if file.name == "{IMAGES - 1:03}.png" else 0)
    return look_at(file, *others)

detect._look_at = look_for_ever
from calipers.cli.start import main
main()
"""


@pytest.fixture
def many():
    """Some images, and in a full run a model large enough for a run to be in the middle of one."""
    toy.write_scenes(".", {f"{number:03}.png": toy.SCENES["wide.png"] for number in range(IMAGES)})
    toy.write_model("model.onnx", **({"side": 640, "windows": (320, 640)} if share() == 1 else {}))


def started(start):
    """A run in the middle of its work."""
    process, part = start(*USUAL, program=("-c", ENDLESS)), Path("results.json.part")
    end = time.monotonic() + HANG_SEC
    while not (part.exists() and part.read_bytes().count(b"\n") > 3) and time.monotonic() < end:
        time.sleep(0.005)
    assert process.poll() is None
    return process


@pytest.fixture(scope="module")
def whole():
    """The result of a run from its beginning, once one was made."""
    return []


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_ended_is_gone_on_with_to_the_same_bytes(start, run, number, whole):
    process = started(start)
    process.send_signal(number)
    out, err = process.communicate(timeout=HANG_SEC)
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert (out, b"Traceback" in err) == (b"", False)
    if number == signal.SIGINT:
        said = b"interrupted; finished images are in results.json.part: run the same command again to go on\n"
        assert err == said
    done = Path("results.json.part").read_bytes().count(b"\n") - 1
    assert 3 <= done < IMAGES
    assert not Path("results.json").exists()
    assert run(*USUAL).code == 0
    assert not Path("results.json.part").exists()
    resumed = Path("results.json").read_bytes()
    if not whole:
        assert run(*USUAL, "--restart").code == 0
        whole.append(Path("results.json").read_bytes())
    assert whole == [resumed]
    assert len(results()) == 2 * IMAGES


@pytest.mark.usefixtures("many")
def test_a_run_that_differs_is_refused_until_it_begins_anew(start, run):
    started(start).kill()
    message = run(*USUAL, "--conf", 0.5).refused(2, "conf: it had 0.25, this one has 0.5", "(--restart begins anew)")
    assert "run the same command again" not in message
    assert run(*USUAL, "--conf", 0.5, "--restart").code == 0
    assert not Path("results.json.part").exists()


def test_an_interrupt_before_the_first_image_leaves_nothing(run, monkeypatch):
    from calipers.cli import detect as module

    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_detector", interrupted)
    ended = run(*USUAL)
    assert (ended.code, ended.out, ended.err) == (130, b"", "interrupted; nothing was written\n")
