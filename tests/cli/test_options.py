"""Options: every one has a flag, a key and a keyword that mean the same; what is misspelt or wrong is refused."""

import gzip
import hashlib
import io
import json
import os
import pty
import re
import socket
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import zstandard

import calipers
from calipers.suites.dense import Config

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
    "max_bad_records": ("2", 2),
    "bootstrap": ("50", 50),
    "seed": ("7", 7),
    "jobs": ("2", 2),
    "chunk_bytes": ("100", 100),
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
    assert list(GIVEN) == [item.name for item in fields(Config)]


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
    text, value = GIVEN[name]
    default = getattr(Config(), name)
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
    run("dense", "dump.jsonl", flag(name), 0).refused(2, f"{name}: found 0", "at least 1")
    Path("calipers.toml").write_text(f"[dense]\n{name} = 0\n")
    run("dense", "dump.jsonl").refused(2, f"{name}: found 0", "at least 1")
    assert run("dense", "dump.jsonl", flag(name), 1).code == 0  # the flag wins
    with pytest.raises(calipers.ConfigError, match=f"{name}: found 0, expected a whole number of at least 1"):
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


@pytest.mark.parametrize("name", GIVEN)
def test_a_misspelt_option_is_refused_and_the_nearest_named(run, name):
    wrong = f"{name}x"
    said = run("dense", "dump.jsonl", flag(wrong), GIVEN[name][0]).refused(2, flag(wrong), "Did you mean ")
    assert f"'{flag(name)}'" in said.partition("Did you mean")[2]
    Path("calipers.toml").write_text(f"[dense]\n{wrong} = 1\n")
    run("dense", "dump.jsonl").refused(2, "calipers.toml: [dense] ", f"'{wrong}' is not an option", f"'{name}'?")
    with pytest.raises(calipers.ConfigError, match=f"'{wrong}' is not an option, did you mean '{name}'"):
        calipers.dense("dump.jsonl", **{wrong: 1})
    with pytest.raises(calipers.ConfigError, match=f"'{wrong}' is not an option, did you mean '{name}'"):
        calipers.Dense(**{wrong: 1})


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
        ("bootstrap", ["-1"], "a whole number of at least 0"),
        ("seed", ["-1", str(2**63)], "a whole number of at least 0"),
        ("jobs", ["0", "-2"], "a whole number of at least 1"),
        ("chunk_bytes", ["0", "-1"], "a whole number of at least 1"),
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
def test_an_absurd_tolerance_is_measured_or_refused(finish, value):
    ended = finish("dense", "dump.jsonl", "--tube-tolerance", value)
    assert ended.code in (0, 2), ended.err


@pytest.mark.parametrize("name", ["bootstrap", "jobs", "top", "max_bad_records"])
def test_an_absurd_count_is_no_reason_to_crash(finish, name):
    ended = finish("dense", "dump.jsonl", flag(name), 2**62)
    assert ended.code in (0, 2), ended.err


@pytest.mark.parametrize("value", ["[[]]", "[{}]", "{}", "true", "1979-05-27", "[1]", "-1", "nan", "[true]", str(2**70)])
@pytest.mark.parametrize("name", [*GIVEN, "output", "tables", "json"])
def test_a_value_of_the_wrong_type_in_the_file_is_refused(run, name, value):
    if (name, value) in {("json", "true"), ("thresholds", "[1]"), ("tube_tolerance", str(2**70))}:
        pytest.skip("that is a good value")
    Path("calipers.toml").write_text(f"[dense]\n{name} = {value}\n")
    run("dense", "dump.jsonl").refused(2, f"{name}: ", "expected ")


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
    run("dense", "dump.jsonl", "--json", "--top").refused(2, "--top")


# ---------------------------------------------------------------- inputs


@pytest.mark.parametrize("name", ["dump.jsonl.gz", "dump.jsonl.zst", "-"])
def test_every_kind_of_input_gives_the_same_numbers(finish, run, name):
    stored = {"dump.jsonl.gz": gzip.compress, "dump.jsonl.zst": zstandard.compress}.get(name, bytes)(LINES)
    if name != "-":
        Path(name).write_bytes(stored)
    expected = run("dense", "dump.jsonl", "--json").artifact()
    found = finish("dense", name, "--json", given=stored).artifact()
    assert found.pop("inputs") == [{"path": name, "sha256": hashlib.sha256(stored).hexdigest(), "records": 3}]
    assert expected.pop("inputs")[0]["sha256"] == hashlib.sha256(LINES).hexdigest()
    assert found == expected


def test_several_files_are_one_set(run):
    for number, record in enumerate(RECORDS):
        Path(f"{number}.jsonl").write_text(json.dumps(record, ensure_ascii=False))
    whole, parts = (run("dense", *names, "--json").artifact() for names in (["dump.jsonl"], ["0.jsonl", "1.jsonl", "2.jsonl"]))
    assert [entry["path"] for entry in parts.pop("inputs")] == ["0.jsonl", "1.jsonl", "2.jsonl"]
    whole.pop("inputs")
    assert parts == whole
    assert run("dense", "0.jsonl", "1.jsonl").out.startswith(b"0.jsonl and 1 more   ")


def test_a_name_that_looks_like_a_flag_follows_two_dashes(run):
    Path("--json").write_bytes(LINES)
    assert run("dense", "--", "--json").out.startswith(b"--json   ")


# ---------------------------------------------------------------- outputs


def test_json_prints_exactly_the_artifact(run):
    printed = run("dense", "dump.jsonl", "--json")
    written = run("dense", "dump.jsonl", "-o", "x.json")
    both = run("dense", "dump.jsonl", "-o", "y.json", "--json")
    folder = run("dense", "dump.jsonl", "-o", "out")
    assert [ended.err for ended in (printed, written, both, folder)] == [""] * 4
    files = [Path(name).read_bytes() for name in ("x.json", "y.json", "out/result.json")]
    assert {printed.out, both.out, calipers.dense("dump.jsonl").to_json(), *files} == {printed.out}
    assert json.loads(printed.out)["suite"] == "dense"
    assert written.out != printed.out
    assert b"objects" in written.out


def test_the_summary_is_the_text_of_the_report(run):
    ended = run("dense", "dump.jsonl")
    text = str(calipers.dense("dump.jsonl"))
    assert ended.out.decode().startswith(text + "\n next ")
    assert ended.err == ""


@pytest.mark.parametrize("output", ["out", "out/", "out.jsonl", "deep/er/out", "out.JSON"])
def test_a_folder_receives_everything(run, output):
    assert run("dense", "dump.jsonl", "-o", output).code == 0
    assert sorted(os.listdir(output)) == ["cases.jsonl", "matches.csv", "result.json"]


def test_tables_can_be_parquet(run):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("dense", "dump.jsonl", "-o", "out", "--tables", "parquet").code == 0
    assert sorted(os.listdir("out")) == ["cases.jsonl", "matches.parquet", "result.json"]
    assert parquet.read_table("out/matches.parquet").to_pylist() == calipers.dense("dump.jsonl").matches()


def test_parquet_without_its_package_is_refused_before_the_work(run, monkeypatch, listing):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    before = listing(".")
    for source in ("dump.jsonl", "missing.jsonl"):
        args = ("dense", source, "--tables", "parquet", "-o", "out")
        run(*args).refused(2, "tables: parquet needs pyarrow", "pip install 'calipers[parquet]'")
    assert listing(".") == before


def test_a_kind_of_table_that_is_none_is_refused(refuses):
    refuses(["dump.jsonl", "--tables", "xlsx"], "tables: found 'xlsx', expected csv or parquet", code=2)


# ---------------------------------------------------------------- the command itself


def test_help_names_every_command_and_exit_code(finish):
    ended = finish("--help")
    assert (ended.code, ended.err) == (0, "")
    for word in ("dense", "demo", "Exit codes", "130 interrupted"):
        assert word in ended.out.decode()
    assert finish("-h").out == ended.out


def test_help_of_a_command_names_every_option_with_its_default(run):
    text = " ".join(run("dense", "--help").out.decode().split())
    for item in fields(Config):
        assert f"{flag(item.name)} " in text
        assert " ".join(item.metadata["help"].split()) in text
    for default in ("[default: 8.0]", "[default: 0.5,0.55,", "[default: 类别]", "[default: csv]", "[default: norm1000]"):
        assert default in text


def test_the_version_is_told(finish):
    assert finish("--version") == (0, f"calipers, version {calipers.__version__}\n".encode(), "")


def test_without_a_command_the_help_is_shown_and_the_exit_code_is_2(finish):
    ended = finish()
    assert ended.code == 2
    assert "dense" in ended.err + ended.out.decode()


def loaded(finish, script):
    """The modules that a script has imported in the end."""
    script = f"import sys\ntry:\n    {script}\nexcept SystemExit: pass\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    return set(finish(program=("-c", script)).err.split())


HEAVY = {"numpy", "scipy", "orjson", "zstandard", "rapidfuzz", "pyarrow", "multiprocessing", "concurrent.futures"}


def test_importing_the_package_imports_nothing_heavy(finish):
    modules = loaded(finish, "import calipers; calipers.__version__, calipers.CalipersError")
    assert {"calipers", "calipers.errors"} <= modules
    assert not modules & (HEAVY | {"click", "json", "typing", "dataclasses"})


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["no-such-command"]])
def test_help_imports_nothing_heavy(finish, args):
    modules = loaded(finish, f"from calipers.cli.main import main; sys.argv = ['calipers', *{args!r}]; main()")
    assert "calipers.cli.main" in modules
    assert not modules & HEAVY


@pytest.mark.parametrize("args", [[], ["dense"]])
def test_the_demo_runs_from_start_to_end(finish, args):
    data = Path(calipers.__file__).parent / "data" / "dense.jsonl"
    ended = finish("demo", *args)
    assert (ended.code, ended.err) == (0, f"$ calipers dense {data}\n")
    assert ended.out == finish("dense", data).out
    assert finish("demo", *args, "--json", "-o", "out").out == Path("out/result.json").read_bytes()


# ---------------------------------------------------------------- terminals


def on_terminal(start, *args, **options):
    """What a run writes to standard error when that is a terminal."""
    leader, follower = pty.openpty()
    process = start(*args, stderr=follower, **options)
    os.close(follower)
    process.wait(timeout=10)
    text = io.BytesIO()
    try:
        while piece := os.read(leader, 1000):
            text.write(piece)
    except OSError:  # the other side is closed
        pass
    os.close(leader)
    return text.getvalue().decode()


def test_errors_are_coloured_on_a_terminal_unless_no_color_says_otherwise(start, finish):
    missing = ("dense", "missing.jsonl")
    assert "\x1b[31m" in on_terminal(start, *missing, env={"NO_COLOR": ""})
    assert "\x1b" not in on_terminal(start, *missing, env={"NO_COLOR": "1"})
    assert "\x1b" not in finish(*missing).err


def test_results_are_never_coloured(finish):
    assert b"\x1b" not in finish("demo").out


# ---------------------------------------------------------------- the same bytes everywhere


def test_the_artifact_knows_no_clock_host_or_user(finish):
    places = [
        {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1", "LC_ALL": "C", "HOSTNAME": "one", "USER": "one", "HOME": "/one"},
        {"TZ": "America/New_York", "PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "HOSTNAME": "two", "USER": "two"},
    ]
    results = set()
    for number, env in enumerate(places):
        folder = Path(f"place{number}")
        folder.mkdir()
        (folder / "dump.jsonl").write_bytes(LINES)
        assert finish("dense", "dump.jsonl", "-o", "out", env=env, cwd=folder).code == 0
        results.add(tuple((folder / "out" / name).read_bytes() for name in ("result.json", "cases.jsonl", "matches.csv")))
    (files,) = results
    for content in files:
        assert not re.search(rb"\b20\d\d-\d\d-\d\d|\b\d\d:\d\d:\d\d\b", content)
        for secret in (socket.gethostname(), os.getcwd(), "place0", sys.prefix):
            assert len(secret) < 4 or secret.encode() not in content


def test_the_artifact_is_the_same_for_any_number_of_processes_and_chunk_size(finish):
    lines = b"".join(LINES.replace(b'"id": ', b'"id": %d' % number) for number in range(1, 301))
    results = {
        finish("dense", "-", "--json", "--jobs", jobs, "--chunk-bytes", chunk, "--bootstrap", 50, given=lines).out
        for jobs, chunk in [(1, 1 << 23), (1, 1), (2, 5000), (3, 777)]
    }
    assert len(results) == 1
    assert json.loads(results.pop())["records"]["evaluated"] == 600
