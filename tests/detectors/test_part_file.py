"""What an interrupted run leaves behind is gone on with, and never mixed with something else."""

from pathlib import Path

import pytest

from calipers.core.errors import ConfigError, OutputError
from calipers.detectors.image_files import ImageFile
from calipers.detectors.part_file import PartFile
from calipers.detectors.targets import TruthImage

HEADER = {"weights": "aa", "engine": "onnxruntime 1", "options": {"conf": 0.25, "imgsz": None}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.json.part"


def image(number, size=100, name=None):
    name = name or f"{number}.png"
    return ImageFile(TruthImage(number, name, None), Path(name), name, size)


def entry(number):
    row = {"category_id": 1, "bbox": [0.1, 0.2, 3.25, 4.5], "score": number / 8}
    return {"detections": [row], "counts": {"left_out": number}}


def go_on(path, *images, header=HEADER, restart=False):
    """A run over these images: what it gives, and which it had to look at."""
    part, looked = PartFile(path, header, restart=restart), []

    def look(file):
        looked.append(file.picture.id)
        return entry(file.picture.id)

    entries = [part.entry(file, lambda file=file: look(file)) for file in images]
    part.close()
    return entries, looked


def test_finished_images_are_not_looked_at_again(path):
    first = go_on(path, image(1), image(2))
    second = go_on(path, image(1), image(2), image(3))
    assert first == (second[0][:2], [1, 2])
    assert second[1] == [3]
    assert go_on(path, image(1), image(2), image(3)) == (second[0], [])


def test_the_file_has_a_line_that_says_what_was_run_and_a_line_an_image(path):
    go_on(path, image(7))
    header, line = path.read_text().splitlines()
    assert header == (
        '{"calipers_detect":1,"weights":"aa","engine":"onnxruntime 1","options":{"conf":0.25,"imgsz":null}}'
    )
    assert line == (
        '{"image_id":7,"file":"7.png","bytes":100,"detections":[{"category_id":1,"bbox":[0.1,0.2,3.25,4.5],"score":0.875}],'
        '"counts":{"left_out":7}}'
    )


def test_nothing_is_left_by_a_run_that_finished_no_image(path):
    part = PartFile(path, HEADER, restart=False)
    with pytest.raises(ZeroDivisionError):
        part.entry(image(1), lambda: 1 / 0)
    part.close()
    assert not path.exists()


def test_a_run_that_is_done_takes_it_away(path):
    go_on(path, image(1))
    part = PartFile(path, HEADER, restart=False)
    part.remove()
    part.remove()
    assert not path.exists()


def test_without_a_path_nothing_is_kept(tmp_path):
    assert go_on(None, image(1))[1] == [1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_last_line_that_was_cut_short_is_dropped(path, cut):
    whole = go_on(path, image(1), image(2), image(3))[0]
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    assert go_on(path, image(1), image(2), image(3)) == (whole, [3])
    assert path.read_bytes() == content


@pytest.mark.parametrize("rest", [b"", b'{"calipers_det', b'{"calipers_detect":1}'])
def test_a_first_line_that_was_cut_short_is_nothing(path, rest):
    path.write_bytes(rest)
    assert go_on(path, image(1))[1] == [1]
    assert go_on(path, image(1))[1] == []


@pytest.mark.parametrize("damage", [b"\0" * 30 + b"\n", b"[]\n", b'{"image_id": 2}\n', b"\xff\n"])
def test_what_follows_damage_is_dropped(path, damage):
    go_on(path, image(1))
    good = path.read_bytes()
    go_on(path, image(1), image(2))
    path.write_bytes(good + damage + path.read_bytes()[len(good) :])
    assert go_on(path, image(1), image(2))[1] == [2]


@pytest.mark.parametrize("changed", [image(1, size=101), image(1, name="other.png")])
def test_an_image_whose_file_has_changed_is_looked_at_again(path, changed):
    go_on(path, image(1), image(2))
    assert go_on(path, changed, image(2))[1] == [1]
    assert go_on(path, changed, image(2))[1] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": "bb"}, 'weights: it had "aa", this one has "bb"'),
        ({"engine": "onnxruntime 2"}, "engine: it had"),
        ({"options": {"conf": 0.5, "imgsz": None}}, "conf: it had 0.25, this one has 0.5"),
        ({"options": {"conf": 0.25, "imgsz": 640}}, "imgsz: it had null, this one has 640"),
    ],
)
def test_a_run_that_differs_is_an_error_that_says_in_what(path, change, message):
    go_on(path, image(1))
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught:
        go_on(path, image(1), header=HEADER | change)
    text = str(caught.value)
    assert text.startswith(f"{path}: was left by a run that differs\n{message}")
    assert text.endswith("(`restart=True` begins anew)")
    assert path.read_bytes() == before


def test_a_restart_begins_anew(path):
    go_on(path, image(1), image(2))
    assert go_on(path, image(1), header=HEADER | {"weights": "bb"}, restart=True)[1] == [1]
    assert len(path.read_bytes().splitlines()) == 2


@pytest.mark.parametrize("content", [b"half of a download\n", b'{"image_id":1,"detections":[],"counts":{}}\n', b"{}\n"])
def test_a_file_of_somebody_else_is_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="is not what an interrupted run leaves"):
        go_on(path, image(1))
    assert path.read_bytes() == content


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_bytes(b"no folder")
    with pytest.raises(OutputError, match="file: cannot be created: File exists"):
        go_on(tmp_path / "file" / "results.json.part", image(1))


def test_a_folder_that_is_not_there_is_made(tmp_path):
    path = tmp_path / "new" / "results.json.part"
    go_on(path, image(1))
    assert path.exists()
