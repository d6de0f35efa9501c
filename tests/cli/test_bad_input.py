"""Input that is wrong: the message says where, what was found and what was expected, and nothing is written.

`refuses` checks that every file is as it was.
"""

import errno
import json
import os
from pathlib import Path

import pytest

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
GOOD = {"gt_norm1000": [BOX], "pred": [BOX]}
TOO_BIG = "1" + "0" * 400


def as_line(record):
    return record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()


def write(*records, name="dump.jsonl"):
    Path(name).write_bytes(b"".join(as_line(record) + b"\n" for record in records))
    return name


def box(**changes):
    return BOX | changes


def without(name):
    return {key: value for key, value in BOX.items() if key != name}


def truth(item):
    """A record whose second ground-truth object is `item`."""
    return {"gt_norm1000": [BOX, item], "pred": []}


def points(text, side="gt_norm1000"):
    """A record with numbers that Python would not write like that."""
    other = "pred" if side == "gt_norm1000" else "gt_norm1000"
    item = f'{{"type": "bbox_2d", "points": {text}, "desc": "a"}}'
    return f'{{"{side}": [{item}], "{other}": []}}'.encode()


# ---------------------------------------------------------------- records


@pytest.mark.parametrize(
    ("record", "parts"),
    [
        (b"oops", ["not JSON", '"oops"']),
        (b"{'gt_norm1000': []}", ["not JSON"]),
        (b"\x00\x00", ["not JSON"]),
        (as_line(GOOD) + as_line(GOOD), ["not JSON"]),
        (as_line(GOOD)[:-3], ["not JSON", "ends with"]),
        ([], ["not a JSON object", "found []"]),
        ([GOOD], ["not a JSON object"]),
        (42, ["not a JSON object", "found 42"]),
        ("text", ["not a JSON object", 'found "text"']),
        (None, ["not a JSON object", "found null"]),
        (True, ["not a JSON object", "found true"]),
    ],
)
def test_a_line_that_is_no_json_object_is_named_with_its_number(refuses, record, parts):
    refuses([write(GOOD, b"", GOOD, record, GOOD)], "dump.jsonl:4: ", *parts, "--max-bad-records")


@pytest.mark.parametrize(
    ("record", "parts"),
    [
        ({}, ["no ground truth", "expected gt_norm1000 (or gt_norm)"]),
        ({"pred": []}, ["no ground truth", "expected gt_norm1000 (or gt_norm)"]),
        ({"gt": [BOX], "pred": [BOX]}, ["only gt in pixels", "expected gt_norm1000", "--frame pixel"]),
        (GOOD | {"coord_mode": "pixel"}, ["coord_mode", 'found "pixel"', "expected norm1000", "--frame pixel"]),
        ({"gt_norm1000": []}, ["no predictions", "expected pred_norm1000 or pred"]),
        ({"gt_norm": []}, ["no predictions", "expected pred_norm1000 or pred"]),
    ],
)
def test_a_record_without_both_sides_is_refused_with_the_fields_that_were_expected(refuses, record, parts):
    refuses([write(GOOD, record)], "dump.jsonl:2: ", *parts)


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "[]", {}, {"object_1": BOX}])
@pytest.mark.parametrize("side", ["gt_norm1000", "gt_norm", "pred_norm1000", "pred"])
def test_a_side_that_is_not_a_list_is_refused(refuses, side, value):
    record = ({"gt_norm1000": [], "pred": []} if side != "gt_norm" else {"pred": []}) | {side: value}
    shown = f"found {json.dumps(value, ensure_ascii=False)}"
    refuses([write(record)], f"dump.jsonl:1: {side}: not a list, expected a list of objects", shown)


@pytest.mark.parametrize(
    ("item", "field", "parts"),
    [
        (5, "", ["not an object", "expected {type, points, desc}", "found 5"]),
        ([0, 0, 10, 10], "", ["not an object", "found [0, 0, 10, 10]"]),
        (None, "", ["not an object", "found null"]),
        (without("type"), ".type", ["missing", "expected bbox_2d or poly or line"]),
        (box(type="bbox"), ".type", ["expected bbox_2d or poly or line", 'found "bbox"']),
        (box(type=None), ".type", ["expected bbox_2d or poly or line", "found null"]),
        (box(type=["line"]), ".type", ["expected bbox_2d or poly or line", 'found ["line"]']),
        (without("points"), ".points", ["missing", "expected [x1, y1, x2, y2, …]"]),
        (box(points=None), ".points", ["not a list", "found null"]),
        (box(points="0,0,10,10"), ".points", ["not a list", 'found "0,0,10,10"']),
        (box(points={"x": 1}), ".points", ["not a list", 'found {"x": 1}']),
        (box(points=["0", "0", "9", "9"]), ".points", ["expected numbers", 'found ["0", "0", "9", "9"]']),
        (box(points=[True, False, 9, 9]), ".points", ["expected numbers", "found [true, false, 9, 9]"]),
        (box(points=[0, 0, None, 9]), ".points", ["expected numbers", "found [0, 0, null, 9]"]),
        (box(points=[0, 0, [9], 9]), ".points", ["expected numbers", "found [0, 0, [9], 9]"]),
        (box(points=[[0, 0], 9, 9]), ".points", ["expected numbers", "found [[0, 0], 9, 9]"]),
        (box(points=[[0, 0], [9]]), ".points", ["3 numbers", "expected", "found [[0, 0], [9]]"]),
        (box(points=[]), ".points", ["0 numbers, expected 4 for a bbox_2d", "found []"]),
        (box(points=[0, 0, 9]), ".points", ["3 numbers, expected 4 for a bbox_2d"]),
        (box(points=[12, 40, 88, 90, 3, 4, 5]), ".points", ["7 numbers, expected 4 for a bbox_2d", "found [12, 40"]),
        (box(points=[0, 0, 9, 0, 9, 9]), ".points", ["6 numbers, expected 4 for a bbox_2d"]),
        (box(type="poly", points=[0, 0, 9, 0, 9, 9, 5]), ".points", ["7 numbers", "pairs", "poly"]),
        (box(type="poly", points=[0, 0, 9, 9]), ".points", ["4 numbers, expected at least 3 points for a poly"]),
        (box(type="line", points=[0, 0]), ".points", ["2 numbers, expected at least 2 points for a line"]),
        (box(type="line", points=[0, 0, 5]), ".points", ["3 numbers", "pairs", "line"]),
        (without("desc"), ".desc", ["missing", "expected a string"]),
        (box(desc=None), ".desc", ["expected a string", "found null"]),
        (box(desc=5), ".desc", ["expected a string", "found 5"]),
        (box(desc=["a"]), ".desc", ["expected a string", 'found ["a"]']),
        (box(points=[-1, 0, 9, 9]), ".points", ["outside [0, 1000]", "found [-1, 0, 9, 9]"]),
        (box(points=[0, 0, 9, 1000.5]), ".points", ["outside [0, 1000]", "found [0, 0, 9, 1000.5]"]),
        (box(points=[0, 0, 1e308, 9]), ".points", ["outside [0, 1000]", "1e+308"]),
    ],
)
def test_a_malformed_ground_truth_object_is_named_by_index_and_field(refuses, item, field, parts):
    refuses([write(GOOD, truth(item))], f"dump.jsonl:2: gt_norm1000[1]{field}: ", "expected ", *parts)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", TOO_BIG, "-" + TOO_BIG])
def test_a_number_in_ground_truth_that_is_not_finite_is_refused(refuses, number):
    record = points(f"[0, 0, 9, {number}]")
    refuses([write(record)], "dump.jsonl:1: gt_norm1000[0].points: ", "expected finite numbers", "found [0, 0, 9, ")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", TOO_BIG, "1" * 5000])
def test_a_number_in_a_prediction_that_is_not_finite_only_spoils_that_object(run, number):
    ended = run("dense", write(GOOD, points(f"[0, 0, 9, {number}]", side="pred")), "--json", "-o", "out")
    tree = ended.artifact()
    assert tree["records"] == {"read": 2, "evaluated": 2, "skipped_empty": 0, "rejected": 0}
    assert tree["objects"]["pred"] == 2
    assert tree["objects"]["invalid_pred"] == 1
    assert tree["errors"]["spurious"] == 1
    case = json.loads(Path("out/cases.jsonl").read_bytes())
    assert case["unmatched_pred"][0]["invalid"] == "points: a number is not finite, expected finite numbers"


@pytest.mark.parametrize(
    "item",
    [
        5,
        None,
        [0, 0, 10, 10],
        {},
        box(type="bbox"),
        box(type=["line"]),
        without("points"),
        box(points="0,0,10,10"),
        box(points=["0", "0", "9", "9"]),
        box(points=[True, False, 9, 9]),
        box(points=[[0, 0], 9, 9]),
        box(points=[0, 0, 9]),
        box(type="poly", points=[0, 0, 9, 9]),
        box(type="line", points=[0, 0]),
    ],
)
def test_a_malformed_prediction_counts_as_one_that_matches_nothing(run, item):
    tree = run("dense", write({"gt_norm1000": [BOX], "pred": [item, BOX]}), "--json").artifact()
    assert (tree["objects"]["pred"], tree["objects"]["invalid_pred"]) == (2, 1)
    for mode in tree["modes"].values():
        assert (mode["primary"]["pred"], mode["primary"]["matched"]) == (2, 1)


@pytest.mark.parametrize("desc", [None, 5, True, ["a"], {}])
def test_a_prediction_whose_desc_is_no_text_is_valid_and_has_no_label(run, desc):
    tree = run("dense", write({"gt_norm1000": [BOX], "pred": [box(desc=desc)]}), "--json").artifact()
    assert tree["objects"]["invalid_pred"] == 0
    assert [mode["primary"]["matched"] for mode in tree["modes"].values()] == [1, 0, 0]


@pytest.mark.parametrize("number", ["-1", "1000.5", "1e308", "-1e308", "1" + "0" * 300])
def test_a_predicted_number_outside_the_frame_is_clamped_and_counted(run, number):
    tree = run("dense", write(points(f"[0, 0, 9, {number}]", side="pred")), "--json").artifact()
    assert (tree["objects"]["clamped"], tree["objects"]["invalid_pred"]) == (1, 0)


@pytest.mark.parametrize("name", ["width", "height"])
@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("0", "0"),
        ("-640", "-640"),
        ('"640"', '"640"'),
        ("true", "true"),
        ("null", "null"),
        ("[]", "[]"),
        ("NaN", "NaN"),
        ("1e400", "Infinity"),
        (TOO_BIG, "1000"),
    ],
)
def test_pixels_need_a_positive_finite_size(refuses, name, size, found):
    sizes = {"width": "640", "height": "480"} | {name: size}
    record = f'{{"gt": [], "pred": [], "width": {sizes["width"]}, "height": {sizes["height"]}}}'
    refuses([write(record.encode()), "--frame", "pixel"], f"dump.jsonl:1: {name}: found {found}", "expected a positive")


def test_pixels_without_a_size_or_ground_truth_are_refused(refuses):
    refuses(
        [write({"gt": [], "pred": []}), "--frame", "pixel"], "dump.jsonl:1: width: missing, expected a positive number"
    )
    refuses([write({"gt_norm1000": [], "pred": []}), "--frame", "pixel"], "no ground truth", "expected gt")
    refuses([write({"gt": []}), "--frame", "pixel"], "no predictions", "expected pred")


def test_ground_truth_outside_the_image_is_refused_in_pixels(refuses):
    record = {"gt": [box(points=[0, 0, 641, 480])], "pred": [], "width": 640, "height": 480}
    refuses([write(record), "--frame", "pixel"], "gt[0].points", "[0, 640] for x and [0, 480] for y", "641")


# ---------------------------------------------------------------- text


def test_bytes_that_are_not_utf8_are_named_with_their_position(refuses):
    refuses([write(GOOD, b'{"gt_norm1000": "\xff"}')], "dump.jsonl:2: not UTF-8", "0xff", "position 17")
    refuses([write(json.dumps(GOOD).encode("utf-16"))], "dump.jsonl:1: not UTF-8", "0xff", "position 0")


def test_a_last_line_that_was_cut_off_anywhere_is_named(run):
    line = as_line(GOOD)
    for length in range(1, len(line), 7):
        Path("dump.jsonl").write_bytes(line + b"\n" + line[:length])
        run("dense", "dump.jsonl").refused(3, "dump.jsonl:2: not ")


@pytest.mark.parametrize("text", [rb"\ud800", rb"\udc00", rb"\ud800\ud800", rb"a\udfffb"])
def test_half_of_a_surrogate_pair_is_refused(refuses, text):
    line = b'{"gt_norm1000": [], "pred": [], "image_path": "%s"}' % text
    refuses([write(GOOD, line)], "dump.jsonl:2: not JSON", "surrogate")


def test_line_ends_blank_lines_and_a_byte_order_mark_change_no_number(run):
    lines = [as_line(GOOD), as_line({"gt_norm1000": [BOX], "pred": []})]
    expected = run("dense", write(*lines), "--json").artifact()
    for content in (
        b"\xef\xbb\xbf" + b"\n".join(lines),
        b"\r\n".join([*lines, b""]),
        b"\n \n" + b"\n\t\r\n\n".join(lines) + b"\n\n",
    ):
        Path("dump.jsonl").write_bytes(content)
        tree = run("dense", "dump.jsonl", "--json").artifact()
        assert tree.pop("inputs")[0]["records"] == 2
        assert tree["modes"]["category"]["primary"]["recall"] == 0.5
        if content[:1] != b"\n":  # without an id the key is file:line, and the intervals go by the key
            assert tree == {name: value for name, value in expected.items() if name != "inputs"}


def test_a_byte_order_mark_changes_no_number_of_a_file_that_is_read_in_parts(answer):
    lines = b"".join(as_line(GOOD | {"id": number, "note": "x" * 200}) + b"\n" for number in range(3000))
    for name, content in {"plain.jsonl": lines, "marked.jsonl": b"\xef\xbb\xbf" + lines}.items():
        Path(name).write_bytes(content)
        tree = answer("dense", name, "--json", "--chunk-bytes", 100_000, "--jobs", 1).artifact()
        assert tree["records"] == {"read": 3000, "evaluated": 3000, "skipped_empty": 0, "rejected": 0}


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("content", [b"", b"\n", b"\n \r\n\t\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_file_without_any_record_is_refused(refuses, content):
    Path("empty.jsonl").write_bytes(content)
    refuses(["empty.jsonl"], "empty.jsonl: no records", "expected one JSON object a line")
    refuses([write(GOOD), "empty.jsonl"], "empty.jsonl: no records")


def test_records_without_objects_give_a_result_without_rates_and_a_warning(run):
    ended = run("dense", write({"gt_norm1000": [], "pred": []}), "--json")
    assert (ended.code, "warning: nothing was evaluated: 0 of 1 record: there is" in ended.err) == (0, True)
    tree = json.loads(ended.out)
    assert tree["records"] == {"read": 1, "evaluated": 0, "skipped_empty": 1, "rejected": 0}
    assert tree["modes"]["category"]["primary"]["f1"] is None


def test_a_file_that_cannot_be_opened_is_named(refuses):
    Path("folder").mkdir()
    refuses(["missing.jsonl"], "missing.jsonl: cannot be read", "No such file")
    refuses(["missing.jsonl.gz"], "missing.jsonl.gz: cannot be read", "No such file")
    refuses(["folder"], "folder: cannot be read", "Is a directory")
    refuses([write(GOOD) + "/inner"], "dump.jsonl/inner: cannot be read", "Not a directory")
    refuses([write(GOOD), "missing.jsonl"], "missing.jsonl: cannot be read")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_second_file_that_is_missing_is_named_however_long_the_first_is(finish, jobs):
    Path("long.jsonl").write_bytes((as_line(GOOD) + b"\n") * 8000)
    ended = finish("dense", "long.jsonl", "missing.jsonl", "--jobs", jobs, "--chunk-bytes", 300_000)
    ended.refused(3, "missing.jsonl: cannot be read", "No such file")


@pytest.mark.parametrize("name", ["dump.jsonl", "dump.jsonl.gz"])
def test_a_file_one_may_not_read_is_named(refuses, monkeypatch, name):
    write(GOOD, name=name)

    def guarded(path, *args, _open=open, **options):
        if str(path) == name:
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return _open(path, *args, **options)

    monkeypatch.setattr("builtins.open", guarded)
    refuses([name, "--jobs", 1], f"{name}: cannot be read", "Permission denied")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_the_permission_is_named(refuses):
    Path(write(GOOD)).chmod(0)
    refuses(["dump.jsonl"], "dump.jsonl: cannot be read", "Permission denied")
    Path("dump.jsonl").chmod(0o600)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["pipe", "/dev/stdin"])
def test_a_pipe_under_a_name_reads_like_standard_input(finish, name):
    lines = b"".join(as_line(GOOD | {"id": number}) + b"\n" for number in range(40))
    if name == "pipe":
        os.mkfifo(name)
        if os.fork() == 0:  # nobody can write to a pipe before somebody reads
            Path(name).write_bytes(lines)
            os._exit(0)
    ended = finish("dense", name, "--json", "--jobs", 2, "--chunk-bytes", 500, given=lines)
    assert ended.artifact()["records"]["evaluated"] == 40


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_file_name_that_is_not_text_is_no_obstacle(finish):
    name = os.fsdecode(b"dump-\xff.jsonl")
    write(GOOD, name=name)
    assert finish("dense", name).code == 0
    tree = finish("dense", name, "--json", "-o", "out").artifact()
    assert tree["inputs"][0]["path"].startswith("dump-")


# ---------------------------------------------------------------- how many bad records are too many


def some_bad():
    """Bad are lines 2, 4 and 6; good is line 1, empty line 3, and blank line 5."""
    return write(GOOD, b"oops", {"gt_norm1000": [], "pred": []}, [1], b"", {"gt_norm1000": 7, "pred": []})


@pytest.mark.parametrize(("most", "line"), [(0, 2), (1, 4), (2, 6)])
def test_one_bad_record_more_than_allowed_ends_the_run_and_is_named(refuses, most, line):
    refuses([some_bad(), "--max-bad-records", most], f"dump.jsonl:{line}: ")


@pytest.mark.parametrize("most", [3, 4, 1000])
def test_as_many_bad_records_as_allowed_are_rejected_counted_and_listed(run, most):
    ended = run("dense", some_bad(), "--max-bad-records", most, "--json")
    tree = ended.artifact()
    assert tree["records"] == {"read": 5, "evaluated": 1, "skipped_empty": 1, "rejected": 3}
    assert tree["inputs"][0]["records"] == 5
    assert [(entry["path"], entry["line"]) for entry in tree["rejected"]] == [("dump.jsonl", n) for n in (2, 4, 6)]
    assert [entry["found"] for entry in tree["rejected"]] == [None, "[1]", "7"]
    lines = ended.err.splitlines()
    assert [line.partition(": ")[2][:13] for line in lines] == ["dump.jsonl:2:", "dump.jsonl:4:", "dump.jsonl:6:"]
    for line, entry in zip(lines, tree["rejected"], strict=True):
        assert line == f"rejected: dump.jsonl:{entry['line']}: {entry['problem']}"


def test_bad_records_add_up_over_files(run, refuses):
    first, second = write(b"1", GOOD, name="a.jsonl"), write(GOOD, b"2", name="b.jsonl")
    refuses([first, second, "--max-bad-records", 1], "b.jsonl:2: not a JSON object")
    tree = run("dense", first, second, "--max-bad-records", 2, "--json").artifact()
    assert [(entry["path"], entry["line"]) for entry in tree["rejected"]] == [("a.jsonl", 1), ("b.jsonl", 2)]


def test_the_first_error_is_the_same_whatever_the_number_of_processes_and_the_chunk_size(finish):
    lines = b"".join(as_line(GOOD) + b"\n" if number % 50 else b"oops\n" for number in range(1, 1001))
    errors = {
        finish("dense", "-", "--jobs", jobs, "--chunk-bytes", chunk, "--max-bad-records", 2, given=lines).refused(3)
        for jobs, chunk in [(1, 1 << 20), (1, 1000), (2, 1000), (2, 3000), (2, 20_000)]
    }
    assert len(errors) == 1
    assert "-:150: not JSON" in errors.pop()


def test_rejected_records_are_the_same_whatever_the_number_of_processes(finish):
    lines = b"".join(as_line(GOOD) + b"\n" if number % 50 else b"oops\n" for number in range(1, 1001))
    results = {
        finish("dense", "-", "--jobs", jobs, "--chunk-bytes", 2000, "--max-bad-records", 20, "--json", given=lines).out
        for jobs in (1, 2)
    }
    assert len(results) == 1
    assert [entry["line"] for entry in json.loads(results.pop())["rejected"]] == list(range(50, 1001, 50))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_record_is_told_before_what_is_wrong_behind_it(finish, jobs):
    Path("bad.jsonl").write_bytes(b"oops\n" + (as_line(GOOD) + b"\n") * 8000)
    ended = finish("dense", "bad.jsonl", "missing.jsonl", "--jobs", jobs, "--chunk-bytes", 300_000)
    ended.refused(3, "bad.jsonl:1: not JSON")
