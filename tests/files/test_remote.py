"""Files on servers that really run: HTTP with faults, and S3. All of a file, or an error that says what happened."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.files import remote
from calipers.files.lines import LineSource
from calipers.files.places import expand, open_place, size_of

from . import servers

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")
DATA = Path(calipers.__file__).parent / "data"
DUMP = (DATA / "dense.jsonl").read_bytes()
TRUTH, PRED = DATA / "coco/instances.json", DATA / "coco/results.json"


@pytest.fixture(scope="module")
def http():
    with servers.http_server() as server:
        yield server


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Attempts follow each other at once."""
    monkeypatch.setattr(remote, "WAITS_SEC", (0.0, 0.0))


def read(url):
    with open_place(url) as file:
        return file.read()


def figures(report):
    """An artifact without the place of its input."""
    return {name: value for name, value in report.tree.items() if name != "inputs"}


# HTTP


@pytest.mark.parametrize("ranges", [True, False])
def test_a_file_is_read_in_any_order(http, ranges):
    body = bytes(range(256)) * 20_000  # 5 MB, some requests
    url = http.put(f"order-{ranges}", body, ranges=ranges)
    with open_place(url) as file:
        for start, count in ((0, 10), (3_000_000, 300), (17, 3), (5_119_990, 100)):
            file.seek(start)
            assert file.read(count) == body[start : start + count]
        file.seek(-4, os.SEEK_END)
        assert (file.read(), file.read(), file.tell()) == (body[-4:], b"", len(body))
        file.seek(0)
        assert file.readline(7) == body[:7]  # which a file of fsspec refuses to do
    assert (read(url), size_of(url)) == (body, len(body))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_dump_is_measured_over_http(http, jobs):
    url = http.put(f"measured-{jobs}.jsonl", DUMP)
    here = calipers.dense(DATA / "dense.jsonl", bootstrap=10, jobs=1)
    there = calipers.dense(url, bootstrap=10, jobs=jobs, chunk_bytes=50_000)
    assert figures(there) == figures(here)
    assert there["inputs"][0] == {**here["inputs"][0], "path": url}


def test_servers_without_ranges_and_compressed_dumps(http):
    here = calipers.dense(DATA / "dense.jsonl", bootstrap=0, jobs=1)
    for url in (
        http.put("plain-200.jsonl", DUMP, ranges=False),
        http.put("dump.jsonl.gz", gzip.compress(DUMP)),
        http.put("dump.jsonl?token=ab", DUMP),  # no pattern: the question mark begins a query
    ):
        assert figures(calipers.dense(url, bootstrap=0, jobs=1, chunk_bytes=100_000)) == figures(here)


FAULTS = {
    "not there": ({"status": 404, "fails": 99}, "HTTP 404 Not Found$"),
    "forbidden": ({"status": 403, "fails": 99}, "HTTP 403 Forbidden$"),
    "broken": ({"status": 500, "fails": 99}, r"HTTP 500 Internal Server Error \(3 attempts\)$"),
    "busy": ({"status": 429, "fails": 99}, r"HTTP 429 Too Many Requests \(3 attempts\)$"),
    "broken later": ({"status": 503, "fails": 99, "methods": "GET"}, r"HTTP 503 .* \(3 attempts\)$"),
    "cut": ({"sent": 1000}, r"not completed.*\(3 attempts\)$"),
    "cut, without ranges": ({"sent": 1000, "ranges": False}, r"not completed.*\(3 attempts\)$"),
    "announces more": ({"announced": len(DUMP) + 10}, rf"the server sent {len(DUMP)} bytes .*{len(DUMP) + 10} \(3"),
    "announces less": ({"announced": 1000}, "the server announced 1000 bytes and has more$"),
    "silent": ({"stalls": 600.0}, r"no answer within 0\.3 s \(3 attempts\)$"),
    "silent later": ({"stalls": 600.0, "methods": "GET"}, r"no answer within 0\.3 s \(3 attempts\)$"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_an_input_error_that_names_the_file(http, monkeypatch, fault):
    options, message = FAULTS[fault]
    if "silent" in fault:
        monkeypatch.setenv(remote.TIMEOUT_VARIABLE, "0.3")
    url = http.put(f"{fault.replace(' ', '-')}.jsonl", DUMP, **options)
    with pytest.raises(InputError, match=rf"^{url}: cannot be read: .*{message}"):
        calipers.dense(url, bootstrap=0, jobs=1)


@pytest.mark.parametrize("suite", ["timeline", "scene", "coco"])
@pytest.mark.parametrize("fault", [{"fails": 99}, {"sent": 50}, {"announced": 60}])
def test_a_fault_in_any_suite_is_an_input_error(http, suite, fault):
    url = http.put(f"{suite}-{'-'.join(fault)}.json", TRUTH.read_bytes(), **fault)
    with pytest.raises(InputError, match=f"{url}: cannot be read: "):
        getattr(calipers, suite)(url, url, bootstrap=0)


@pytest.mark.parametrize("fault", [{"fails": 99}, {"sent": 50}, {"announced": 60}])
@pytest.mark.parametrize("name", ["dense.jsonl", "coco/instances.json", "timeline/annotations.json"])
def test_check_tells_of_a_fault(http, fault, name):
    url = http.put(f"check-{'-'.join(fault)}-{name.replace('/', '-')}", (DATA / name).read_bytes(), **fault)
    found = calipers.check(url)
    assert found.exit_code == 3
    assert found["files"][0]["refused"]["first"][0].startswith(f"{url}: cannot be read: ")


def test_check_looks_at_files_on_servers(http):
    assert calipers.check(http.put("checked.jsonl", DUMP))["ok"]
    assert calipers.check(gt=http.put("gt.json", TRUTH.read_bytes()), pred=http.put("p.json", PRED.read_bytes()))["ok"]


@pytest.mark.parametrize("options", [{"fails": 2}, {"fails": 2, "methods": "GET"}, {"fails": 1, "status": 429}])
def test_what_fails_for_a_moment_is_tried_again(http, options):
    url = http.put("again.jsonl", DUMP, **options)
    assert read(url) == DUMP


def test_what_is_not_there_is_not_asked_for_again(http):
    url = http.put("once.jsonl", DUMP, status=404, fails=99)
    with pytest.raises(InputError, match="HTTP 404"):
        read(url)
    assert http.requests(url) == 2  # HEAD, and GET in case the server knows no HEAD


def test_a_file_that_shrinks_while_it_is_measured_is_an_error(http, tmp_path):
    url, here = http.put("shrinks.jsonl", DUMP), tmp_path / "shrinks.jsonl"
    here.write_bytes(DUMP)
    shards = [list(LineSource(0, path, 1 << 20)) for path in (url, str(here))]
    http.put("shrinks.jsonl", DUMP[:1000])
    here.write_bytes(DUMP[:1000])
    for [shard] in shards:
        with pytest.raises(InputError, match=f"ends {len(DUMP) - 1000} bytes early: it was changed while it was read"):
            list(shard.lines())


def test_a_server_that_is_not_there_is_an_input_error(http):
    with pytest.raises(InputError, match=r"^http://127.0.0.1:9/a.json: cannot be read: .*\(3 attempts\)$"):
        calipers.timeline("http://127.0.0.1:9/a.json", "http://127.0.0.1:9/a.json")


def test_a_server_that_does_not_tell_the_length_is_refused(monkeypatch):
    class System:
        def invalidate_cache(self, path):
            pass

        def info(self, path):
            return {"size": None, "type": "file"}

    monkeypatch.setattr(remote, "file_system", lambda path: (System(), path))
    with pytest.raises(InputError, match="the server does not tell its length"):
        open_place("http://host/a")


@pytest.mark.parametrize("given", ["soon", "0", "-1", "nan", "1e9"])
def test_a_time_limit_is_some_seconds(http, monkeypatch, given):
    monkeypatch.setenv(remote.TIMEOUT_VARIABLE, given)
    with pytest.raises(ConfigError, match=f"CALIPERS_REMOTE_TIMEOUT_SEC: found '{given}', expected seconds"):
        read(http.put("limit", b"1"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_exception_of_no_client_is_a_bug_and_not_bad_input():
    with pytest.raises(RuntimeError, match="no error of a client"):
        remote.request("a://b", lambda: [][1])


def test_the_command_exits_with_3_and_one_line(http):
    url = http.put("command.jsonl", DUMP, sent=1000)
    for command in (["dense", url], ["check", url], ["timeline", "--gt", url, "--pred", url]):
        run = subprocess.run([sys.executable, "-m", "calipers", *command], capture_output=True, text=True, check=False)
        said = run.stdout if command[0] == "check" else run.stderr
        assert (run.returncode, "Traceback" in run.stderr) == (3, False)
        assert f"{url}: cannot be read: " in said
        assert "Unclosed" not in run.stderr


# S3


@pytest.fixture(scope="module")
def s3():
    pytest.importorskip("s3fs")
    pytest.importorskip("moto")
    pytest.importorskip("flask_cors")
    with servers.s3_server() as (address, faults), pytest.MonkeyPatch.context() as patch:
        environment = {"AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
        for name, value in {**environment, "AWS_MAX_ATTEMPTS": "1", "AWS_DEFAULT_REGION": "us-east-1"}.items():
            patch.setenv(name, value)
        import s3fs

        system = s3fs.S3FileSystem()
        system.mkdir("bucket")
        for name in ("a", "b"):
            system.pipe(f"bucket/part-{name}.jsonl", DUMP)
        system.pipe("bucket/gt.json", TRUTH.read_bytes())
        system.pipe("bucket/pred.json", PRED.read_bytes())
        yield system, faults


@pytest.mark.parametrize("jobs", [1, 2])
def test_dumps_are_measured_from_s3(s3, jobs):
    here = calipers.dense([DATA / "dense.jsonl"] * 2, bootstrap=10, jobs=1)
    there = calipers.dense("s3://bucket/part-*.jsonl", bootstrap=10, jobs=jobs, chunk_bytes=100_000)
    assert figures(there) == figures(here)
    assert [entry["sha256"] for entry in there["inputs"]] == [entry["sha256"] for entry in here["inputs"]]


def test_other_suites_and_check_read_from_s3(s3):
    here, there = calipers.coco(TRUTH, PRED, bootstrap=0), calipers.coco("s3://bucket/gt.json", "s3://bucket/pred.json")
    assert there["coco"] == here["coco"]
    assert calipers.check(gt="s3://bucket/gt.json", pred="s3://bucket/pred.json")["ok"]


def test_what_is_not_in_s3_is_an_input_error(s3):
    for path in ("s3://bucket/none.jsonl", "s3://nobucket/a.jsonl"):
        with pytest.raises(InputError, match=f"^{path}: cannot be read: "):
            calipers.dense(path, jobs=1)
        assert calipers.check(path).exit_code == 3
    with pytest.raises(InputError, match=r"nothing fits this pattern"):
        expand(["s3://bucket/none-*.jsonl"])


def test_a_replaced_object_is_not_read_by_its_old_length(s3):
    system, _ = s3
    system.pipe("bucket/grows.jsonl", DUMP)
    assert expand(["s3://bucket/grows*"]) == ["s3://bucket/grows.jsonl"]  # lists the bucket, which s3fs remembers
    import boto3

    client = boto3.client("s3")
    client.put_object(Bucket="bucket", Key="grows.jsonl", Body=DUMP * 2)
    assert read("s3://bucket/grows.jsonl") == DUMP * 2


def test_faults_of_s3_are_retried_or_input_errors(s3, monkeypatch):
    system, faults = s3
    faults.fails["/bucket/part-a.jsonl"] = 2
    assert read("s3://bucket/part-a.jsonl") == DUMP
    monkeypatch.setattr(system, "retries", 1)
    faults.fails["/bucket/part-a.jsonl"] = 1000
    with pytest.raises(InputError, match=r"part-a.jsonl: cannot be read: .*\(3 attempts\)$"):
        read("s3://bucket/part-a.jsonl")
    faults.fails.clear()
    faults.sent["/bucket/part-a.jsonl"] = 1000
    with pytest.raises(InputError, match=r"part-a.jsonl: cannot be read: "):
        read("s3://bucket/part-a.jsonl")
    faults.sent.clear()


def test_a_short_answer_of_any_file_system_is_cut_off(monkeypatch):
    import fsspec

    system = fsspec.filesystem("memory")
    system.pipe("/short", b"12345678")
    monkeypatch.setattr(type(system), "cat_file", lambda self, path, start, end: b"1234")
    with pytest.raises(InputError, match=r"the server sent 4 bytes from byte 0 on, expected 8 \(3 attempts\)$"):
        read("memory://short")
