"""Where inputs lie: files, patterns, and places that fsspec knows."""

import sys
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.files.lines import LineSource
from calipers.files.places import expand, is_file, is_remote, open_place, size_of

fsspec = pytest.importorskip("fsspec")
LINE = b'{"id": 1, "gt_norm1000": [{"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "a"}], "pred": []}\n'


@pytest.fixture
def memory():
    """A place that lasts as long as the test."""
    system = fsspec.filesystem("memory")
    for name in ("a", "b", "c"):
        system.pipe(f"/bucket/part-{name}.jsonl", LINE * 3)
    yield "memory://bucket"
    system.rm("/bucket", recursive=True)


@pytest.mark.parametrize("path", ["dump.jsonl", "/a/b", "C:/a", "C:\\a", "-", "", "://a", "a b://c", "./x://y/z"])
def test_a_path_without_a_scheme_is_a_file(path):
    assert not is_remote(path)


@pytest.mark.parametrize("path", ["s3://b/k", "gs://b/k", "memory://x", "git+https://x", "abfs://x"])
def test_a_path_with_a_scheme_is_a_place(path):
    assert is_remote(path)


def test_a_file_and_a_place_are_read_alike(memory, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(LINE * 3)
    for path in (str(tmp_path / "a.jsonl"), f"{memory}/part-a.jsonl"):
        with open_place(path) as file:
            assert file.read() == LINE * 3
        assert (size_of(path), is_file(path)) == (len(LINE) * 3, True)
        assert [text for shard in LineSource(0, path, 50) for _, text in shard.lines()] == [LINE] * 3


def test_what_is_no_file_has_no_size(tmp_path):
    assert [size_of(path) for path in ("-", str(tmp_path), str(tmp_path / "none"))] == [0, 0, 0]
    assert not is_file(str(tmp_path))


def test_a_pattern_is_what_it_fits_in_order(memory, tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.txt"):
        (tmp_path / name).touch()
    assert expand([f"{tmp_path}/*.jsonl", "-"]) == [f"{tmp_path}/a.jsonl", f"{tmp_path}/b.jsonl", "-"]
    found = expand([f"{memory}/part-*.jsonl"])
    assert [path.rpartition("/")[2] for path in found] == ["part-a.jsonl", "part-b.jsonl", "part-c.jsonl"]
    assert all(is_remote(path) and size_of(path) == len(LINE) * 3 for path in found)


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    for name in ("a[1].jsonl", "a1.jsonl"):
        (tmp_path / name).touch()
    assert expand([f"{tmp_path}/a[1].jsonl"]) == [f"{tmp_path}/a[1].jsonl"]


@pytest.mark.parametrize("folder", ["memory://nothing", "nothing"])
def test_a_pattern_that_fits_nothing_is_an_input_error(folder):
    with pytest.raises(InputError, match=r"nothing/\*\.jsonl: nothing fits this pattern, expected files"):
        expand([f"{folder}/*.jsonl"])


def test_a_place_that_fails_while_it_is_listed_is_an_input_error(memory, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "glob", refuse)
    with pytest.raises(InputError, match=r"part-\*: cannot be read: Permission denied"):
        expand([f"{memory}/part-*"])


def test_a_scheme_nobody_knows_and_a_missing_package_are_config_errors(monkeypatch):
    with pytest.raises(ConfigError, match="nonesuch://a: cannot be opened: Protocol not known"):
        open_place("nonesuch://a")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ConfigError, match=r"s3://a: needs fsspec: pip install 'calipers\[remote\]'"):
        open_place("s3://a")


def test_a_place_that_is_not_there_is_an_input_error(memory):
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read: "):
        list(LineSource(0, f"{memory}/none.jsonl", 100))


def test_dumps_in_a_place_are_measured(memory):
    report = calipers.dense(f"{memory}/part-*.jsonl", bootstrap=0, jobs=1)
    assert [entry["records"] for entry in report["inputs"]] == [3, 3, 3]


DATA = Path(calipers.__file__).parent / "data"


@pytest.fixture
def remote():
    """A file of the bundled data under a scheme."""
    memory = fsspec.filesystem("memory")

    def put(path):
        memory.pipe_file(f"/bundled/{path}", (DATA / path).read_bytes())
        return f"memory://bundled/{path}"

    return put


def without_places(report):
    """An artifact in which it cannot be seen where its inputs lie."""
    return report.to_json().replace(b"memory://bundled/", b"").replace(f"{DATA}/".encode(), b"")


@pytest.mark.parametrize(
    ("suite", "gt", "pred"),
    [
        ("timeline", "timeline/annotations.json", "timeline/predictions.json"),
        ("coco", "coco/instances.json", "coco/results.json"),
        ("scene", "scene/gt/kitchen.json", "scene/pipeline/kitchen.json"),
    ],
)
def test_files_of_every_suite_may_have_a_scheme(remote, suite, gt, pred):
    measure = getattr(calipers, suite)
    here = measure(str(DATA / gt), str(DATA / pred), bootstrap=10)
    there = measure(remote(gt), remote(pred), bootstrap=10)
    assert without_places(there) == without_places(here)


def test_timeline_csvs_from_elsewhere_are_refused(remote):
    gt, csv = remote("timeline/annotations.json"), next((DATA / "timeline").rglob("*.csv")).relative_to(DATA)
    with pytest.raises(InputError, match="timeline CSVs are read from files and folders here"):
        calipers.timeline(gt, remote(csv))
