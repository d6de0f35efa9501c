"""`calipers report`: one page of a result, from a folder or from an artifact alone."""

import base64
import io
import json
from html import escape
from pathlib import Path
from types import SimpleNamespace

import pytest

from calipers.cli import report
from calipers.report import load
from calipers.show.page import images
from calipers.show.page.cases import Limit
from calipers.show.report_tables import write_table

from ..show.page.reading import data_of, section

RECORDS = [
    {
        "image_path": "site/a.png",
        "gt_norm1000": [{"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "类别=a"}],
        "pred": [],
    },
    {
        "image_path": "site/b.png",
        "gt_norm1000": [],
        "pred": [{"type": "line", "points": [0, 0, 9, 9], "desc": "类别=b"}],
    },
]


@pytest.fixture
def out(run):
    """The folder of an earlier run."""
    Path("dump.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    assert run("dense", "dump.jsonl", "-o", "out").code == 0
    return Path("out")


def picture(path, size=(8, 4), kind="PNG"):
    image = pytest.importorskip("PIL.Image").new("RGB", size, (200, 10, 10))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    image.save(path, kind)


def test_the_page_lies_beside_the_result(run, out):
    written = (out / "report.html").read_bytes()
    (out / "report.html").unlink()
    ended = run("report", "out")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.decode() == f"out/report.html   {round(len(written) / 1000)} kB\n"
    assert (out / "report.html").read_bytes() == written
    assert escape(str(load(out))) in written.decode()  # for those who run no scripts


def test_the_page_may_go_elsewhere(run, out):
    assert run("report", "out/result.json", "-o", "page.html").code == 0
    assert Path("page.html").read_bytes() == (out / "report.html").read_bytes()


def test_an_artifact_alone_has_a_page_that_says_how_to_draw(run, out):
    Path("alone.json").write_bytes((out / "result.json").read_bytes())
    assert run("report", "alone.json").code == 0
    data = data_of(Path("report.html").read_bytes())
    assert data["cases"] == []
    [said] = section(data, "Failures")["lines"]
    assert "calipers dense … -o FOLDER" in said


def test_fewer_cases_can_be_asked_for(run, out):
    assert run("report", "out", "--cases", "1", "-o", "page.html").code == 0
    cases = data_of(Path("page.html").read_bytes())["cases"]
    assert [(case["key"], "shapes" in case) for case in cases] == [("site/a.png", True), ("site/b.png", False)]
    run("report", "out", "--cases", "-1").refused(2, "--cases")


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("missing.json", None, ["missing.json: is not there"]),
        ("bad.json", b"{", ["bad.json", "is not JSON"]),
        ("list.json", b"[]", ["list.json: no field protocol, expected an artifact of one of dense/1"]),
        ("other.json", b'{"protocol": "judge/1"}', ["protocol 'judge/1'", "expected an artifact"]),
        ("half.json", b'{"protocol": "dense/1", "suite": "dense"}', ["half.json: is not a whole artifact of dense/1"]),
    ],
)
def test_what_is_no_artifact_is_refused(run, name, content, parts):
    if content is not None:
        Path(name).write_bytes(content)
    run("report", name).refused(3, *parts)
    assert not Path("report.html").exists()


def test_a_folder_without_a_result_is_refused(run):
    Path("empty").mkdir()
    run("report", "empty").refused(3, "empty/result.json: is not there, expected a folder that a suite wrote (-o DIR)")


@pytest.mark.parametrize(
    "line", [b"{}\n", b"not json\n", b'{"key": 1, "unmatched":3}\n', b'{"key":"a","unmatched":3}\n']
)
def test_cases_of_another_kind_are_refused(run, out, line):
    (out / "cases.jsonl").write_bytes(line)
    run("report", "out", "-o", "page.html").refused(3, "cases.jsonl: is not as this version of calipers writes cases")
    assert not Path("page.html").exists()


def test_the_page_cannot_go_where_a_folder_is(run, out):
    run("report", "out", "-o", "out").refused(2, "out: is a folder")
    run("report", "out", "-o", "out/result.json/page.html").refused(2, "cannot be created")


def test_the_page_cannot_take_the_name_of_an_artifact(run, out):
    before = (out / "result.json").read_bytes()
    for name in ("out/result.json", "page.json"):
        run("report", "out", "-o", name).refused(2, f"{name}: has the name of an artifact, expected that of a page")
    assert (out / "result.json").read_bytes() == before
    assert not Path("page.json").exists()


@pytest.mark.parametrize(("name", "what"), [("matches.csv", "a table"), ("cases.jsonl", "a file of cases")])
def test_the_page_cannot_take_the_name_of_another_file_of_its_folder(name, what, run, out):
    before = (out / name).read_bytes()
    run("report", "out", "-o", f"out/{name}").refused(2, f"out/{name}: has the name of {what}, expected that of a page")
    assert (out / name).read_bytes() == before


# ---------------------------------------------------------------- tables


@pytest.mark.parametrize("kind", ["md", "csv", "tex"])
def test_a_table_is_printed_and_nothing_is_written(run, out, listing, kind):
    before = listing(".")
    for result in ("out", "out/result.json"):
        ended = run("report", result, "--table", "errors", "--format", kind)
        assert (ended.code, ended.err, ended.out) == (0, "", write_table(load(out), "errors", kind))
    assert listing(".") == before


def test_a_table_is_markdown_unless_told_otherwise(run, out):
    assert run("report", "out", "--table", "summary").out.decode() == load(out).to_markdown()


def test_a_csv_on_a_terminal_has_nothing_that_a_terminal_acts_on(run, out, monkeypatch):
    tree = json.loads((out / "result.json").read_bytes())
    tree["modes"]["category"]["by_label"][0]["label"] = "\x1b[2J\u202e"
    (out / "result.json").write_text(json.dumps(tree))
    monkeypatch.setattr("calipers.cli.streams.sys.stdout", SimpleNamespace(isatty=lambda: True, encoding="utf-8"))
    table = report._table("out", "labels", "csv")
    assert b"\\x1b[2J\\u202e" in table
    assert b"\x1b" not in table
    assert table.count(b"\n") == load(out).to_csv("labels").count("\n")


def test_what_is_no_table_is_refused(run, out):
    run("report", "out", "--table", "lables").refused(2, "'lables' is not a table", "did you mean 'labels'?")
    run("report", "out", "--table", "errors", "--format", "xlsx").refused(2, "format: found 'xlsx'", "csv, md, tex")
    run("report", "out", "--table", "errors", "-o", "x").refused(2, "--table prints a table and writes no page")
    run("report", "out", "--format", "csv").refused(2, "--format: found 'csv', expected it only together with --table")
    run("report", "none.json", "--table", "errors").refused(3, "none.json: is not there")


# ---------------------------------------------------------------- options in a file


def test_flags_may_stand_in_the_options_file(run, out):
    Path("calipers.toml").write_text('[report]\noutput = "page.html"\ncases = 1\n')
    assert run("report", "out").out.decode().startswith("page.html ")
    cases = data_of(Path("page.html").read_bytes())["cases"]
    assert [(case["key"], "shapes" in case) for case in cases] == [("site/a.png", True), ("site/b.png", False)]
    assert run("report", "out", "--cases", "2", "-o", "other.html").code == 0
    assert all("shapes" in case for case in data_of(Path("other.html").read_bytes())["cases"])


def test_what_the_file_says_of_pages_is_not_for_tables_and_keys(run, out):
    Path("calipers.toml").write_text('[report]\noutput = "page.html"\nformat = "csv"\n')
    assert run("report", "out", "--table", "errors").out == write_table(load(out), "errors", "csv")
    assert (run("report", "out", "--failed").code, Path("page.html").exists()) == (0, False)
    Path("calipers.toml").write_text("[report]\nfailed = true\n")
    assert run("report", "out").out == b""
    assert run("report", "out", "--table", "errors").out == write_table(load(out), "errors", "md")
    Path("mine.toml").write_text('[report]\ntable = "errors"\n')
    assert run("report", "out", "--config", "mine.toml").out == write_table(load(out), "errors", "md")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("case = 1", "[report] 'case' is not an option, did you mean 'cases'?"),
        ("cases = -1", "cases: found -1, expected a whole number of at least 0"),
        ("cases = true", "cases: found True"),
        ('failed = "no"', "failed: found 'no', expected true or false"),
        ("images = 3", "images: found 3, expected a text"),
    ],
)
def test_a_wrong_option_in_the_file_is_refused(run, out, line, said):
    Path("calipers.toml").write_text(f"[report]\n{line}\n")
    run("report", "out").refused(2, said)


# ---------------------------------------------------------------- images


def page_with_images(run, folder="pictures"):
    ended = run("report", "out", "--images", folder, "-o", "page.html")
    assert ended.code == 0, ended.err
    return data_of(Path("page.html").read_bytes())


def test_images_are_put_under_the_drawings(run, out):
    picture("pictures/site/a.png")
    data = page_with_images(run)
    first, second = data["cases"]
    assert first["image"].startswith("data:image/jpeg;base64,")
    assert first["aspect"] == 2
    assert "image" not in second
    assert data["notes"] == ["1 of 2 drawn cases have no image under them."]


@pytest.mark.parametrize("place", ["pictures/a.png", "pictures/deep/er/a.png", "pictures/other/site/a.png"])
def test_images_are_found_by_their_last_part(run, out, place):
    picture(place)
    assert "image" in page_with_images(run)["cases"][0]


def test_one_of_two_images_of_a_name_is_not_guessed(run, out):
    picture("pictures/x/a.png")
    picture("pictures/y/a.png")
    assert "image" not in page_with_images(run)["cases"][0]


@pytest.mark.parametrize("name", ["../secret.png", "/secret.png", "a/../../secret.png", "..\\secret.png", "x\0y.png"])
def test_trap_39_no_image_outside_of_the_folder_is_read(run, name):
    picture("secret.png")
    Path("pictures").mkdir()
    record = RECORDS[0] | {"image_path": name}
    Path("dump.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    assert run("dense", "dump.jsonl", "-o", "out").code == 0
    assert "image" not in page_with_images(run)["cases"][0]


def test_a_link_out_of_the_folder_is_not_followed(run, out):
    picture("secret.png")
    Path("pictures/site").mkdir(parents=True)
    Path("pictures/site/a.png").symlink_to(Path("secret.png").resolve())
    assert "image" not in page_with_images(run)["cases"][0]


def test_large_images_are_made_smaller(run, out):
    from PIL import Image

    picture("pictures/a.png", (3000, 1500))
    uri = page_with_images(run)["cases"][0]["image"]
    content = base64.b64decode(uri.partition(",")[2])
    assert Image.open(io.BytesIO(content)).size == (1024, 512)


def test_without_pillow_small_images_are_taken_as_they_are(run, out, monkeypatch):
    picture("pictures/a.png")
    monkeypatch.setattr(images, "find_spec", lambda name: None)
    uri = page_with_images(run)["cases"][0]["image"]
    assert base64.b64decode(uri.removeprefix("data:image/png;base64,")) == Path("pictures/a.png").read_bytes()
    monkeypatch.setattr(images, "MAX_UNCHANGED_BYTES", 10)
    data = page_with_images(run)
    assert "image" not in data["cases"][0]
    assert any("larger than 300 kB" in note for note in data["notes"])


@pytest.mark.parametrize("content", [b"", b"<svg onload=hit()>", b"\x89PNG\r\n\x1a\n and then nothing", b"GIF89a"])
def test_what_is_no_picture_is_left_out_and_told(run, out, content):
    Path("pictures").mkdir()
    Path("pictures/a.png").write_bytes(content)
    data = page_with_images(run)
    assert "image" not in data["cases"][0]
    assert any("cannot be read as pictures" in note for note in data["notes"])


def test_images_take_no_room_from_the_cases(run, out, monkeypatch):
    picture("pictures/site/a.png", (900, 900))
    picture("pictures/site/b.png", (900, 900))
    monkeypatch.setattr(Limit, "of", lambda cases: Limit(200, 1500))
    assert ["image" in case for case in page_with_images(run)["cases"]] == [True, True]


def test_all_images_together_have_a_limit(run, out, monkeypatch):
    picture("pictures/a.png")
    monkeypatch.setattr(images, "MAX_TOTAL_BYTES", 10)
    assert any("more than 20 MB" in note for note in page_with_images(run)["notes"])


def test_a_folder_of_images_has_to_be_there(run, out):
    run("report", "out", "--images", "nowhere").refused(3, "nowhere: no such folder")
