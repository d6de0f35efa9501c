"""Timeline CSV files: what a row says about frames, what is refused, and what a slow reader makes of the same bytes."""

import csv
import io
import math
import re
import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.suites.timeline.formats.timeline_csv import read_timeline_csv


def read(*lines: str, **spelling: str) -> dict:
    """The entry of a file with these lines, which gives no warnings."""
    entry, warnings = read_timeline_csv("\n".join(lines).encode(), "a.csv", spelling)
    assert warnings == []
    return entry


def states(*rows: str) -> dict:
    return read("frame,state", *rows)["states"]


def problem(data: bytes) -> str:
    with pytest.raises(calipers.InputError) as raised:
        read_timeline_csv(data, "a.csv", {})
    assert type(raised.value) is calipers.InputError
    return str(raised.value)


# States


def test_runs_of_equal_state_become_inclusive_intervals():
    # frame  0 1 2 3 4 5
    # state  o o a i i o
    found = states("0,outside", "1,outside", "2,approaching", "3,inside", "4,inside", "5,outside")
    assert found == {"outside": [[0, 1], [5, 5]], "approaching": [[2, 2]], "inside": [[3, 4]]}


def test_strided_frames_are_filled_forward():
    # row    0    5    10   15        state lasts until the frame before the next row
    # state  o    i    i    o         the last row covers its own frame only
    assert states("0,outside", "5,inside", "10,inside", "15,outside") == {
        "outside": [[0, 4], [15, 15]],
        "inside": [[5, 14]],
    }


def test_frames_before_the_first_row_take_its_state():
    assert states("100,inside", "103,exiting") == {"inside": [[0, 102]], "exiting": [[103, 103]]}
    assert states("7,inside") == {"inside": [[0, 7]]}
    assert states("0,inside") == {"inside": [[0, 0]]}


def test_a_repeated_frame_takes_the_last_row():
    # frame 1: inside, then outside
    assert states("0,outside", "1,inside", "1,outside", "2,outside") == {"outside": [[0, 2]]}
    assert states("0,outside", "0,inside") == {"inside": [[0, 0]]}


def test_rows_in_any_order_are_brought_into_frame_order():
    data = b"frame,state\n4,inside\n0,outside\n4,exiting\n2,inside\n0,approaching\n"
    # frame 0: approaching (last row), 2: inside, 4: exiting (last row)
    entry, warnings = read_timeline_csv(data, "a.csv", {})
    assert entry["states"] == {"approaching": [[0, 1]], "inside": [[2, 3]], "exiting": [[4, 4]]}
    assert warnings == [
        "a.csv:3: frame runs backwards, from 4 to 0 (in 3 rows, this is the first); rows are taken in order of frame"
    ]


def test_states_are_known_in_any_case_with_blanks_and_short():
    found = states("0, OUT ", "1,Approach", '2," in"', "3,EXIT", "4,Outside", "5,INSIDE\t")
    assert found == {
        "outside": [[0, 0], [4, 4]],
        "approaching": [[1, 1]],
        "inside": [[2, 2], [5, 5]],
        "exiting": [[3, 3]],
    }


def test_names_that_mean_the_same_make_one_run():
    assert states("0,in", "1,Inside", "2, inside", "3,IN") == {"inside": [[0, 3]]}


def test_spelling_gives_states_the_names_they_have_elsewhere():
    found = read("frame,state", "0,LANE closed", "1,in", "2,other", inside="Inside", **{"lane closed": "Lane Closed"})
    assert found["states"] == {"Lane Closed": [[0, 0]], "Inside": [[1, 1]], "other": [[2, 2]]}


def test_an_unknown_state_is_a_state_of_its_own():
    assert states("0,Parked", "1,施工", "2,outside") == {"parked": [[0, 0]], "施工": [[1, 1]], "outside": [[2, 2]]}


def test_the_largest_frame_costs_no_more_than_the_smallest():
    assert states("0,outside", "1000000000000,inside") == {
        "outside": [[0, 999_999_999_999]],
        "inside": [[1_000_000_000_000, 1_000_000_000_000]],
    }


# Files as producers write them


def test_columns_stand_in_any_order_and_others_are_ignored():
    entry = read('note,STATE , score,"Frame"', 'x,"in",0.5,3', '"a, ""b""\nc",out,,4')
    assert entry == {"fps": None, "states": {"inside": [[0, 3]], "outside": [[4, 4]]}}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_and_byte_order_marks_make_no_difference(end, mark, last):
    text = end.join(["", "frame,state", "0,out", "", " ", "1,in", ""][: None if last else -1])
    entry, warnings = read_timeline_csv(mark + text.encode(), "a.csv", {})
    assert (entry, warnings) == ({"fps": None, "states": {"outside": [[0, 0]], "inside": [[1, 1]]}}, [])


def test_a_quoted_header_after_a_byte_order_mark():
    entry, _ = read_timeline_csv(b'\xef\xbb\xbf"frame","state"\n"0","in"\n', "a.csv", {})
    assert entry["states"] == {"inside": [[0, 0]]}


def test_frames_written_as_floats():
    assert states("0.0,out", " 2.00 ,in", "3e0,in") == {"outside": [[0, 1]], "inside": [[2, 3]]}


# fps


def test_fps_is_the_median_of_steps_where_both_grow():
    # Δframe / Δtime:  10/1 = 10, 10/0.5 = 20, 10/2 = 5, none, none  ->  median of 5, 10, 20
    rows = ("0,0.0,a", "10,1.0,a", "20,1.5,a", "30,3.5,a", "30,4.0,a", "40,4.0,a")
    assert read("frame,time_sec,state", *rows)["fps"] == 10
    assert read("frame,time_sec,state", *rows[:3])["fps"] == 15  # (10 + 20) / 2


def test_fps_needs_times_on_neighbouring_rows():
    assert read("frame,time_sec,state", "0,0,a", "1,,a", "2,2,a")["fps"] is None
    assert read("frame,time_sec,state", "0,0,a", "1,,a", "2,2,a", "4,3,a")["fps"] == 2
    assert read("frame,time_sec,state", "0,0,a")["fps"] is None
    assert read("frame,time_sec,state", "0,5,a", "1,5,a")["fps"] is None


def test_fps_is_measured_in_the_order_of_the_file():
    entry, warnings = read_timeline_csv(b"frame,time_sec,state\n5,0,a\n0,1,a\n2,1.5,a\n1,1,a\n", "a.csv", {})
    assert entry["fps"] == 4  # 0 -> 2 in half a second
    assert warnings == [
        "a.csv:3: frame runs backwards, from 5 to 0 (in 2 rows, this is the first); rows are taken in order of frame",
        "a.csv:5: time_sec runs backwards, from 1.5 to 1 (in this row only); fps is measured where it grows",
    ]


def test_times_that_are_too_close_give_no_fps():
    assert read("frame,time_sec,state", "0,0,a", "1,5e-324,a")["fps"] is None


# Texts and run times


def test_each_run_of_a_text_is_one_entry_at_its_first_frame():
    # frame  0   1   2  3  4  5
    # text   A   A  --  A  B  b
    rows = ("0,in,A", "1,in, A ", "2,in,", "3,in,A", "4,in,B", "5,out,b")
    assert read("frame,state,ocr_text", *rows)["ocr"] == [
        {"frame": 0, "text": "A"},
        {"frame": 3, "text": "A"},
        {"frame": 4, "text": "B"},
        {"frame": 5, "text": "b"},
    ]


def test_texts_follow_the_order_of_frames():
    entry, _ = read_timeline_csv(b"frame,state,ocr_text\n3,in,B\n1,in,A\n2,in,A\n3,in,A\n", "a.csv", {})
    assert entry["ocr"] == [{"frame": 1, "text": "A"}]


def test_a_text_column_without_texts_is_an_empty_list():
    assert read("frame,state,ocr_text", "0,in,")["ocr"] == []
    assert "ocr" not in read("frame,state", "0,in")


def test_run_time_is_the_exact_sum_over_rows_that_give_one():
    rows = [f"{frame},in,0.1" for frame in range(10)]
    # ten times 0.1 ms; a plain sum would be 0.9999999999999999
    assert read("frame,state,runtime_ms", *rows)["runtime"] == {"frames": 10, "seconds": 0.001}
    assert read("frame,state,runtime_ms", "0,in,", "1,in,20", "1,in,30")["runtime"] == {"frames": 2, "seconds": 0.05}
    assert "runtime" not in read("frame,state,runtime_ms", "0,in,", "1,in, ")


# What is refused

WHOLE = "expected a whole number from 0 to 1000000000000"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.csv:1: found an empty file, expected a header with frame and state"),
        (b"\xef\xbb\xbf", "a.csv:1: found an empty file, expected a header with frame and state"),
        (b"frame,state\n \n", "a.csv:1: found a header and nothing below it, expected at least one row"),
        (b"\nFrame no, State\n0,in", 'a.csv:2: found the columns ["Frame no", "State"], expected also frame'),
        (b"frame;state\n0;in", 'a.csv:1: found the columns ["frame;state"], expected also frame and state'),
        (
            b"frame,state,FRAME\n0,in,0",
            'a.csv:1: found the columns ["frame", "state", "FRAME"], expected frame only once',
        ),
        (b"frame,ocr_text,state,OCR_text\n", "expected ocr_text only once"),
        (b"frame,state,n\xff\n0,in,0", "a.csv:1: header: found byte 0xff at position 1, expected text in UTF-8"),
        (b"frame,state\n0,in\n1,i\xe9", "a.csv:3: state: found byte 0xe9 at position 1, expected text in UTF-8"),
        (b"frame,state\n\xff,in", "a.csv:2: frame: found byte 0xff at position 0, expected text in UTF-8"),
        (
            b"frame,state,ocr_text\n0,in,\xff",
            "a.csv:2: ocr_text: found byte 0xff at position 0, expected text in UTF-8",
        ),
        (b"frame,state\n0,in\n\n1", "a.csv:4: state: found no such cell in a row of 1, expected one for each of"),
        (
            b"frame,state,x,time_sec\n0,in,1",
            "a.csv:2: time_sec: found no such cell in a row of 3, expected one for each",
        ),
        (b"frame,state\n0,in\n1,\n", 'a.csv:3: state: found "", expected the name of a state'),
        (b"frame,state\n0, \t", 'a.csv:2: state: found " \\t", expected the name of a state'),
        (b"frame,time_sec,state\n0,1s,in", 'a.csv:2: time_sec: found "1s", expected a number, or nothing'),
        (b"frame,time_sec,state\n0,nan,in", 'a.csv:2: time_sec: found "nan", expected a number, or nothing'),
        (b"frame,state,runtime_ms\n0,in,x", 'a.csv:2: runtime_ms: found "x", expected a number that is not negative'),
        (b"frame,state,runtime_ms\n0,in,-1", 'a.csv:2: runtime_ms: found "-1", expected a number that is not negative'),
        (b"frame,state\n0,in\n1,in\0", "a.csv:3: found a NUL byte, expected text in UTF-8"),
        (
            "frame,state\n0,in".encode("utf-16"),
            "a.csv:1: found a NUL byte, expected text in UTF-8 (is it UTF-16? iconv -f UTF-16 -t UTF-8 FILE > NEW)",
        ),
        (b'frame,state\n0,in\n1,"in\n2,in\n', "a.csv:3: found a quote that is never closed, expected its end after"),
        (b'frame,"state\n0,in\n', "a.csv:1: found a quote that is never closed, expected its end after"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(data, message):
    assert message in problem(data)


@pytest.mark.parametrize("frame", ["", "x", "-1", "-1.0", "1.5", "nan", "inf", "1e400", "1000000000001", "1_0", "٣"])
def test_a_frame_is_a_whole_number(frame):
    assert problem(f"frame,state\n0,in\n{frame},in\n".encode()) == f'a.csv:3: frame: found "{frame}", {WHOLE}'


def test_a_long_cell_is_cut_short():
    message = problem(b"frame,state\n" + b"x" * 10_000 + b",in\n")
    assert message == f'a.csv:2: frame: found "{"x" * 159} …, {WHOLE}'


def test_the_first_wrong_row_is_the_one_that_is_named():
    assert problem(b"frame,state\n0,in\n1,\nx,in\n").startswith("a.csv:3: state")
    assert problem(b"frame,state\n0,in\nx,in\n1,\n").startswith("a.csv:3: frame")


# Against a slow reader

SHORT = {"out": "outside", "approach": "approaching", "in": "inside", "exit": "exiting"}
FIELDS = ("frame", "state", "time_sec", "ocr_text", "runtime_ms")
NUMBER = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"


class RefusedError(Exception):
    """What the slow reader cannot read: the line."""


def slow_number(text: str, line: int) -> float | None:
    if not text.strip():
        return None
    if not re.fullmatch(NUMBER, text, re.ASCII) or not math.isfinite(float(text)):
        raise RefusedError(line)
    return float(text)


def slow_row(row: list[str], line: int, at: dict[str, int]) -> dict:
    if len(row) <= max(at.values()):
        raise RefusedError(line)
    found = {field: row[position].strip() for field, position in at.items()}
    for field in {"frame", "time_sec", "runtime_ms"} & set(at):
        found[field] = slow_number(row[at[field]], line)
    frame = found["frame"]
    if frame is None or not 0 <= frame <= 10**12 or frame % 1 or not found["state"]:
        raise RefusedError(line)
    if found.get("runtime_ms") is not None and found["runtime_ms"] < 0:
        raise RefusedError(line)
    found["state"] = SHORT.get(found["state"].lower(), found["state"].lower())
    return found


def slow_rows(data: bytes) -> tuple[list[dict], set[str]]:
    """The rows as dictionaries, and the columns that are there."""
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig") + "\nend", newline=""))
    found, line = [], 1
    for row in reader:
        if len(row) > 1 or (row and row[0].strip(" \t\n\v\f\r")):
            found.append((line, row))
        line = reader.line_num + 1
    unclosed = found[-1][0] if found[-1][1] != ["end"] else None
    found.pop()
    if not found:
        raise RefusedError(unclosed or 1)
    (line, header), *rest = found
    names = [cell.strip().lower() for cell in header]
    at = {field: names.index(field) for field in FIELDS if field in names}
    if not {"frame", "state"} <= set(at) or any(names.count(field) > 1 for field in at):
        raise RefusedError(line)
    rows = [slow_row(row, line, at) for line, row in rest]
    if unclosed or not rows:
        raise RefusedError(unclosed or line)
    return rows, set(at)


def slow_runs(rows: list[dict], field: str) -> list[list]:
    """[first frame, last frame, text] of every run, row by row."""
    runs: list[list] = []
    for row in sorted(rows, key=lambda row: row["frame"]):
        frame = int(row["frame"])
        if runs and runs[-1][2] != row[field]:
            runs[-1][1] = frame - 1
        if runs and runs[-1][2] == row[field]:
            runs[-1][1] = frame
        else:
            runs.append([frame, frame, row[field]])
    return runs


def slow_read(data: bytes) -> dict:
    rows, fields = slow_rows(data)
    rates = [
        (b["frame"] - a["frame"]) / (b["time_sec"] - a["time_sec"])
        for a, b in pairwise(rows)
        if None not in (a.get("time_sec"), b.get("time_sec"))
        and b["frame"] > a["frame"]
        and b["time_sec"] > a["time_sec"]
    ]
    last = list({row["frame"]: row for row in rows}.values())
    entry: dict = {"fps": statistics.median(rates) if rates else None, "states": {}}
    for number, (start, end, state) in enumerate(slow_runs(last, "state")):
        entry["states"].setdefault(state, []).append([start if number else 0, end])
    if "ocr_text" in fields:
        entry["ocr"] = [{"frame": start, "text": text} for start, _, text in slow_runs(last, "ocr_text") if text]
    times = [row["runtime_ms"] for row in rows if row.get("runtime_ms") is not None]
    if times:
        entry["runtime"] = {"frames": len(times), "seconds": math.fsum(times) / 1000}
    return entry


CELLS = {
    "frame": st.integers(0, 12).map(str) | st.sampled_from(["3.0", " 7", "40", "1e1", "1.5", "x", ""]),
    "state": st.sampled_from(["in", "IN", " inside", "out", "Exit", "é", 'a"b', "a,b", "a\nb", "a\r", ""]),
    "time_sec": st.sampled_from(["", "0", "0.1", "0.2333333333333333", "12.300000000000001", "-1", "1e-2", "t"]),
    "ocr_text": st.sampled_from(["", "", "A", "A ", "STOP, now", "\u00a0"]),
    "runtime_ms": st.sampled_from(["", "5", "0.1", "33.3", "-1"]),
    "other": st.sampled_from(["", "x", '"', "\n", "\r\n", ","]),
}
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\n \r\n"])
GOOD = {field: cells.filter(lambda cell: cell not in ("1.5", "x", "t", "-1")) for field, cells in CELLS.items()}
GOOD["frame"], GOOD["state"] = GOOD["frame"].filter(bool), GOOD["state"].filter(bool)


@st.composite
def files(draw, cells: dict) -> bytes:
    """A file with its columns in any order, quoted here and there, and line ends of all kinds."""
    columns = draw(st.permutations(["frame", "state", *draw(st.lists(st.sampled_from(list(cells)[2:]), unique=True))]))
    out = io.StringIO()
    quoting = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    header = [draw(st.sampled_from([name, name.upper(), f" {name}"])) for name in columns]
    for row in [header, *draw(st.lists(st.tuples(*(cells[name] for name in columns)), max_size=12))]:
        csv.writer(out, lineterminator=draw(ENDS), quoting=draw(quoting)).writerow(row)
    return draw(st.sampled_from(["", "\ufeff", "\n"])).encode() + out.getvalue().encode()


def outcome(data: bytes) -> dict | int:
    """The entry, or the line that is refused."""
    try:
        return read_timeline_csv(data, "a.csv", {})[0]
    except calipers.InputError as error:
        return int(str(error).split(":")[1])


def slow_outcome(data: bytes) -> dict | int:
    try:
        return slow_read(data)
    except RefusedError as refused:
        return refused.args[0]


@given(files(GOOD) | files(CELLS))
def test_files_say_what_a_slow_reader_finds_in_them(data):
    assert outcome(data) == slow_outcome(data)


PIECES = ["frame", "state", ",", ",", "\n", "\n", "\r", "\r\n", '"', "0", "1", "2.0", "in", "OUT", " ", "time_sec"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.booleans())
def test_scraps_of_files_are_read_or_refused_alike(text, with_header):
    data = ("frame,state\n" * with_header + text).encode()
    assert outcome(data) == slow_outcome(data)
