"""Untrusted text stays text: in file names, in tables, on the terminal."""

import json
import re
from pathlib import Path

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
MISSED = {"gt_norm1000": [BOX], "pred": []}
FILES = (
    *("result.json", "report.html", "cases.jsonl", "matches.csv", "thresholds.csv", "types.csv", "labels.csv"),
    *("errors.csv", "errors_by_label.csv", "confusion.csv"),
)
PLOTS = ("errors.png", "labels.png", "labels.svg", "thresholds.png")


def test_trap_39_no_file_name_comes_from_a_record(run, listing):
    ids = ["../../escaped", "/tmp/escaped", "a/b", "nul\0byte", "..", "result.json", "x" * 500, "CON"]
    lines = (json.dumps(MISSED | {"id": name}).encode() + b"\n" for name in ids)
    Path("dump.jsonl").write_bytes(b"".join(lines))
    assert run("dense", "dump.jsonl", "-o", "out/here").code == 0
    written = {"out", "out/here", *(f"out/here/{name}" for name in (*FILES, *PLOTS))}
    assert set(listing(".")) <= {"dump.jsonl", *written}


def test_trap_38_no_cell_begins_like_a_formula(run):
    names = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=cmd|' /C calc'!A0"]
    items = [BOX | {"desc": name, "type": name} for name in names]
    lines = (json.dumps(MISSED | {"id": name, "pred": items}).encode() + b"\n" for name in names)
    Path("dump.jsonl").write_bytes(b"".join(lines))
    assert run("dense", "dump.jsonl", "-o", "out").code == 0
    text = Path("out/matches.csv").read_text()
    assert not re.search(r'(^|[,"])[=+@\t\r-]', text, re.MULTILINE)
    assert "'=1+1,gt,0," in text


HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200b\x9b31m\x7f\x00\u2028"


def test_trap_40_no_escape_sequence_reaches_the_terminal(answer):
    name = "dump\x1b[31m\n\u202e.jsonl"
    item = BOX | {"desc": f"类别={HOSTILE},{HOSTILE}={HOSTILE},文本={HOSTILE}"}
    good = {"id": HOSTILE, "gt_norm1000": [item], "pred": [item]}
    bad = [{HOSTILE: 1}, {"gt_norm1000": HOSTILE, "pred": []}, {"gt_norm1000": [HOSTILE], "pred": []}]
    bad += [{"gt_norm1000": [BOX | {"type": HOSTILE}], "pred": []}]
    lines = [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in [good, *bad]]
    lines += [b"{" + HOSTILE.encode() + b"\n"]
    Path(name).write_bytes(b"".join(lines))
    for args in (["--max-bad-records", 5], [], ["-o", "out\x1b[2J\u202e", "--max-bad-records", 5]):
        ended = answer("dense", name, *args)
        for text in (ended.out.decode(), ended.err):
            assert all(char.isprintable() for line in text.split("\n") for char in line), ascii(text)
        assert b"\\x1b[" in ended.out + ended.err.encode()
    ended = answer("dense", HOSTILE.replace("\x00", ""))
    assert all(char.isprintable() for line in ended.err.split("\n") for char in line), ascii(ended.err)


def test_trap_40_no_escape_sequence_comes_from_the_options_file(answer):
    Path("dump.jsonl").write_text(json.dumps(MISSED))
    hostile = json.dumps("\x1b[2J\u202e")
    for text in (f"{hostile} = 1", f"[{hostile}]", f"[dense]\n{hostile} = 1", f"[dense]\nframe = {hostile}", "\x1b[2J"):
        Path("calipers.toml").write_text(text)
        ended = answer("dense", "dump.jsonl")
        assert ended.code == 2
        assert all(char.isprintable() for line in ended.err.split("\n") for char in line), ascii(ended.err)


def test_labels_come_out_of_the_artifact_as_they_went_in(run):
    text = HOSTILE.strip()
    item = BOX | {"desc": f"类别={text}"}
    Path("dump.jsonl").write_text(json.dumps({"id": "a", "gt_norm1000": [item], "pred": []}))
    tree = run("dense", "dump.jsonl", "--json").artifact()
    assert tree["modes"]["category"]["by_label"][0]["label"].strip("\u2028") == text.strip("\u2028")
