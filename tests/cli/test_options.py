"""Options: every one has a flag, a key and a keyword that mean the same; what is misspelt or wrong is refused."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

import calipers
from calipers.suites.dense.config import Config

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签,文本=a"}
WIDE = {"type": "bbox_2d", "points": [0, 0, 10, 7], "desc": "类别=标签,文本=b"}
LINE = {"type": "line", "points": [0, 0, 500, 500], "desc": "标签/a"}
RECORDS = [
    {"id": 1, "gt_norm1000": [BOX, LINE], "pred": [WIDE, LINE]},
    {"id": 2, "gt_norm1000": [LINE, BOX], "pred": [BOX]},
    {"id": 3, "gt_norm1000": [], "pred": []},
]
LINES = b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in RECORDS)
MAPPING = {"object_types": {"bbu": {"chinese_label": "BBU设备", "attributes": [{"name": "type", "values": {}}]}}}

# name: (as a flag, as a key and keyword)
GIVEN = {
    "tube_tolerance": ("4.5", 4.5),
    "primary_threshold": ("0.72", 0.72),
    "thresholds": ("0.25,0.7", [0.25, 0.7]),
    "modes": ("category,localization", ["category", "localization"]),
    "top": ("1", 1),
    "label_key": ("文本", "文本"),
    "free_text_keys": ("备注", ["备注"]),
    "mapping": ("mapping.json", "mapping.json"),
    "frame": ("pixel", "pixel"),
    "answers": ("qwen3", "qwen3"),
    "pred_field": ("pred", "pred"),
    "max_bad_records": ("2", 2),
    "max_work": ("5000", 5000),
    "max_text": ("900", 900),
    "max_expansion": ("7", 7),
    "max_pairs": ("900", 900),
    "bootstrap": ("50", 50),
    "seed": ("7", 7),
    "jobs": ("2", 2),
    "chunk_bytes": ("100", 100),
    "resume": ("shards.cal", "shards.cal"),
    "tally": ("total.cal", "total.cal"),
}
IN_ARTIFACT = [item.name for item in fields(Config) if item.metadata["artifact"]]


@pytest.fixture(autouse=True)
def _files():
    Path("dump.jsonl").write_bytes(LINES)
    Path("mapping.json").write_text(json.dumps(MAPPING, ensure_ascii=False))


def flag(name):
    return "--" + name.replace("_", "-")


def toml(value):
    return json.dumps(value, ensure_ascii=False)


def pixels(name):
    """Records in pixels for the option that asks for them."""
    if name == "frame":
        Path("dump.jsonl").write_text(json.dumps({"gt": [BOX], "pred": [WIDE], "width": 500, "height": 250}))


# ---------------------------------------------------------------- three ways to say it


def test_every_option_is_tried_below():
    elsewhere = {"engine", "address", "only"}  # which need a cluster, or keys of records (test_only)
    elsewhere |= {"slice", "attributes"}  # of which one needs the other (tests/suites/dense/test_slices)
    assert GIVEN.keys() | elsewhere == {item.name for item in fields(Config)}


@pytest.mark.parametrize("name", GIVEN)
def test_an_option_means_the_same_as_flag_key_and_keyword(run, name):
    pixels(name)
    text, value = GIVEN[name]
    by_flag = run("dense", "dump.jsonl", "--json", flag(name), text).out
    by_keyword = calipers.dense("dump.jsonl", **{name: value}).to_json()
    results = {by_flag, by_keyword}
    for key in {name, name.replace("_", "-")}:
        for written in (toml(value), toml(text) if isinstance(value, list) else toml(value)):
            Path("calipers.toml").write_text(f"[dense]\n{key} = {written}\n", encoding="utf-8")
            results.add(run("dense", "dump.jsonl", "--json").out)
    assert len(results) == 1
    if name in IN_ARTIFACT:
        assert json.loads(by_flag)["params"][name] == value
        assert value != json.loads(json.dumps(getattr(Config(), name)))


@pytest.mark.parametrize("name", GIVEN)
def test_a_flag_wins_over_the_file_and_the_file_over_the_default(run, name):
    pixels(name)
    value, default = GIVEN[name][1], getattr(Config(), name)
    Path("calipers.toml").write_text(f"[dense]\n{name} = {toml(value)}\n", encoding="utf-8")
    if name in IN_ARTIFACT and default is not None and name != "frame":
        written = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
        assert run("dense", "dump.jsonl", "--json", flag(name), written).artifact()["params"][name] == json.loads(
            json.dumps(default)
        )
    assert run("dense", "dump.jsonl", "--json").code == 0
    assert flag(name) in run("dense", "--help").out.decode()
    assert name in IN_ARTIFACT or json.loads(json.dumps(default)) != value


@pytest.mark.parametrize("name", ["jobs", "chunk_bytes"])
def test_what_cannot_change_a_number_is_checked_all_the_same(run, name):
    run("dense", "dump.jsonl", flag(name), 0).refused(2, f"{name}: found 0", "from 1 to")
    Path("calipers.toml").write_text(f"[dense]\n{name} = 0\n")
    run("dense", "dump.jsonl").refused(2, f"{name}: found 0", "from 1 to")
    assert run("dense", "dump.jsonl", flag(name), 1).code == 0  # the flag wins
    with pytest.raises(calipers.ConfigError, match=f"{name}: found 0, expected a whole number from 1 to"):
        calipers.dense("dump.jsonl", **{name: 0})


def test_the_flags_of_the_command_are_keys_too(run):
    expected = run("dense", "dump.jsonl", "--json").out
    Path("calipers.toml").write_text('[dense]\noutput = "out.json"\njson = true\n')
    assert run("dense", "dump.jsonl").out == expected
    assert Path("out.json").read_bytes() == expected
    Path("calipers.toml").write_text('[dense]\noutput = "folder"\ntables = "csv"\n')
    assert run("dense", "dump.jsonl").code == 0
    assert Path("folder/matches.csv").exists()
    assert run("dense", "dump.jsonl", "-o", "other").code == 0  # the flag wins
    assert Path("other/matches.csv").exists()


def test_another_options_file_is_used_when_it_is_named(run):
    Path("calipers.toml").write_text("[dense]\nseed = 1\n")
    Path("mine.toml").write_text("[dense]\nseed = 2\n")
    assert run("dense", "dump.jsonl", "--json").artifact()["params"]["seed"] == 1
    assert run("dense", "dump.jsonl", "--json", "--config", "mine.toml").artifact()["params"]["seed"] == 2
    Path("calipers.toml").write_text("")
    assert run("dense", "dump.jsonl", "--json").artifact()["params"]["seed"] == 0


# ---------------------------------------------------------------- misspelt


def test_a_misspelt_table_or_command_is_refused_and_the_nearest_named(run):
    Path("calipers.toml").write_text("[dens]\nseed = 1\n")
    run("dense", "dump.jsonl").refused(2, "calipers.toml: 'dens'", "'dense'?")
    for text in ("seed = 1\n[dense]\n", "dense = 1\n"):
        Path("calipers.toml").write_text(text)
        run("dense", "dump.jsonl").refused(2, "calipers.toml: ", "= 1 stands outside a table", "[dense]")
    run("dens", "dump.jsonl").refused(2, "'dens'", "Did you mean 'dense'?")
    run("demos").refused(2, "'demos'", "Did you mean 'demo'?")
    run("nothing-like-it").refused(2, "No such command 'nothing-like-it'")
    run("demo", "dens").refused(2, "'dens'", "dense")
    run("--jsn").refused(2, "--jsn")


def test_a_part_of_a_flag_is_not_that_flag(run):
    run("dense", "dump.jsonl", "--boot", 5).refused(2, "--boot", "--bootstrap")


@pytest.mark.parametrize("text", [b"dense = [", b"\xff\xfe", b"[dense]\nseed = 1\nseed = 2\n", b"[dense]\n[dense]\n"])
def test_an_options_file_that_is_no_toml_is_refused(run, text):
    Path("calipers.toml").write_bytes(text)
    run("dense", "dump.jsonl").refused(2, "calipers.toml: is not TOML")


def test_an_options_file_that_cannot_be_read_is_refused(run):
    run("dense", "dump.jsonl", "--config", "missing.toml").refused(2, "missing.toml: cannot be read", "No such file")
    run("dense", "dump.jsonl", "--config", ".").refused(2, "cannot be read", "Is a directory")
    Path("calipers.toml").mkdir()
    run("dense", "dump.jsonl").refused(2, "calipers.toml: cannot be read")


# ---------------------------------------------------------------- wrong values


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("tube_tolerance", ["-1", "nan", "inf", "-inf"], "a number"),
        ("primary_threshold", ["0", "-0.5", "1.01", "nan"], "a number"),
        ("thresholds", ["0", "1.5", "0.5,nan", "a", "0.5,x"], "a number"),
        ("thresholds", ["", ",", "0.6,0.5", "0.5,0.5"], "ascending thresholds"),
        ("modes", ["", "phases", "phase,phase", "phase,other"], "one or more of localization, phase, category"),
        ("frame", ["", "pixels", "norm"], "norm1000 or pixel"),
        ("label_key", ["", "  "], "a key"),
        ("top", ["-1"], "a whole number of at least 0"),
        ("max_bad_records", ["-1", str(2**63)], "a whole number of at least 0"),
        ("bootstrap", ["-1", "1000001"], "a whole number from 0 to 1000000"),
        ("seed", ["-1", str(2**63)], "a whole number of at least 0"),
        ("jobs", ["0", "-2", "1025"], "a whole number from 1 to 1024"),
        ("chunk_bytes", ["0", "-1"], "a whole number from 1 to 1073741824"),
    ],
)
def test_a_wrong_value_is_refused_with_what_was_found_and_expected(refuses, name, values, expected):
    for value in values:
        refuses(["dump.jsonl", f"{flag(name)}={value}"], f"{name}: found ", "expected ", expected, code=2)


@pytest.mark.parametrize("name", ["tube_tolerance", "primary_threshold", "top", "jobs", "bootstrap", "seed"])
@pytest.mark.parametrize("value", ["x", "", "1.5.5", "0x10"])
def test_a_flag_that_is_no_number_is_refused(run, name, value):
    run("dense", "dump.jsonl", f"{flag(name)}={value}").refused(2, flag(name), repr(value))


@pytest.mark.parametrize("value", ["1e300", "1e19", "2e9"])
def test_an_absurd_tolerance_is_refused(run, value):
    run("dense", "dump.jsonl", "--tube-tolerance", value).refused(2, "tube_tolerance: found ", "from 0 to 1000000")


@pytest.mark.parametrize(("name", "limits"), [("bootstrap", "from 0 to 1000000"), ("jobs", "from 1 to 1024")])
def test_an_absurd_count_of_work_is_refused(run, name, limits):
    run("dense", "dump.jsonl", flag(name), 2**62).refused(2, f"{name}: found {2**62}, expected a whole number {limits}")


@pytest.mark.parametrize("name", ["top", "max_bad_records"])
def test_an_absurd_limit_limits_nothing(run, name):
    tree = run("dense", "dump.jsonl", "--json", flag(name), 2**62).artifact()
    assert tree["params"][name] == 2**62
    assert tree["records"]["evaluated"] == 2


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"object_types": []}', '{"object_types": {"a": 1}}', "\x00"])
def test_a_mapping_that_is_none_is_refused(refuses, content):
    Path("mapping.json").write_text(content)
    refuses(["dump.jsonl", "--mapping", "mapping.json"], "mapping.json: ", "expected ", code=2)


def test_a_mapping_that_cannot_be_read_is_refused(refuses):
    refuses(["dump.jsonl", "--mapping", "missing.json"], "missing.json: cannot be read", code=2)
    refuses(["dump.jsonl", "--mapping", "."], "cannot be read", code=2)


def test_standard_input_can_be_named_once(run):
    run("dense", "-", "-").refused(2, "-: standard input can be read only once")


def test_a_dump_has_to_be_named(run):
    run("dense").refused(2, "DUMP")
    run("dense", "--gt", "gt.json").refused(2, "pred: missing, expected DUMP... or both --gt FILE and --pred FILE")
    run("dense", "a.jsonl", "--gt", "gt.json").refused(2, "DUMP: found 'a.jsonl', which has ground truth of its own")
    run("dense", "dump.jsonl", "--json", "--top").refused(2, "--top")


def test_a_value_of_the_options_file_is_blamed_where_it_stands(run):
    Path("calipers.toml").write_text("[dense]\nseed = -1\ntop = 3\n")
    place = "calipers.toml: [dense] seed: found -1, expected a whole number of at least 0"
    run("dense", "dump.jsonl").refused(2, f"error: {place}")
    Path("mine.toml").write_text("[dense]\nprimary-threshold = 2\n")
    run("dense", "dump.jsonl", "--config", "mine.toml").refused(2, "mine.toml: [dense] primary_threshold: found 2")
    err = run("dense", "dump.jsonl", "--seed", 1, "--top", -1).refused(2, "top: found -1")
    assert "calipers.toml" not in err  # the flag wins over the file, and is wrong


@pytest.mark.parametrize(
    ("option", "value"),
    [("label_key", key) for key in (" 类别", "类别\u3000", "a=b", "a＝b", "a,b", "a，b", "")]
    + [("free_text_keys", ["a=b"])],
)
def test_a_key_that_no_field_can_have_is_refused(option, value):
    with pytest.raises(calipers.ConfigError, match=f"{option}: found .*, expected a key as fields have it"):
        calipers.dense(RECORDS, **{option: value})
    if option == "label_key":
        with pytest.raises(calipers.ConfigError, match=r"label_key: found .*, expected a key as fields have it"):
            calipers.reward([BOX], [BOX], label_key=value)


@pytest.mark.parametrize(("dumps", "code"), [("'dump.jsonl'", 0), ("['dump.jsonl']", 0), ("'nope.jsonl'", 3)])
def test_one_dump_of_the_options_file_may_stand_without_brackets(dumps, code, run):
    Path("calipers.toml").write_text(f"[dense]\ndumps = {dumps}\nbootstrap = 0\n")
    ended = run("dense")
    assert ended.code == code
    assert code == 0 or "nope.jsonl: cannot be read" in ended.err


@pytest.mark.parametrize("dumps", ["3", "[3]", "['']", "true"])
def test_dumps_of_the_options_file_are_paths(dumps, run):
    Path("calipers.toml").write_text(f"[dense]\ndumps = {dumps}\n")
    run("dense").refused(2, "calipers.toml: [dense] dumps: found ", "expected a path, or a list of them")


@pytest.mark.parametrize("command", ["coco", "scene", "timeline"])
def test_sides_of_the_options_file_are_paths(command, run):
    Path("calipers.toml").write_text(f"[{command}]\ngt = 'gt.json'\npred = 3\n")
    run(command).refused(2, f"calipers.toml: [{command}] ", "pred: found 3, expected ")
