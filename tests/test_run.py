"""The pipeline: what it takes, what it refuses, what it tells on the way, and that nothing a model writes ends it."""

import json
import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

import calipers
from calipers import run
from calipers.core.config import make_config
from calipers.core.errors import ConfigError, InputError
from calipers.engines import forked
from calipers.suites.coco.config import Config as CocoConfig
from calipers.suites.coco.plan import CocoPlan
from calipers.suites.dense.config import Config
from calipers.suites.dense.evaluate import evaluate
from calipers.suites.dense.plan import DensePlan
from calipers.suites.scene.plan import ScenePlan

BOX = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "类别=标签"}
RECORD = {"image_path": "a.jpg", "gt_norm1000": [BOX], "pred": [BOX]}
EMPTY = {"image_path": "b.jpg", "gt_norm1000": [], "pred": []}
A_LINE = 100  # bytes of a shard, fewer than a record has: a shard for each


def write(path: Path, *records) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def predicted(*objects, **options):
    """A report on one record with these predictions."""
    return calipers.dense([{"image_path": "a.jpg", "gt_norm1000": [BOX], "pred": list(objects)}], **options)


# What it takes


def test_a_source_is_a_path_several_paths_or_records(tmp_path):
    one, two = write(tmp_path / "1.jsonl", RECORD), write(tmp_path / "2.jsonl", EMPTY, RECORD)
    for source, read in [
        (one, 1),
        (str(one), 1),
        ([str(one), two], 3),
        ((two,), 2),
        ([RECORD], 1),
        ((RECORD, EMPTY), 2),
        (iter([RECORD, EMPTY]), 2),
        ([], 0),
    ]:
        assert calipers.dense(source)["records"]["read"] == read


def test_inputs_are_listed_in_the_order_given_with_digest_and_records(tmp_path):
    paths = [write(tmp_path / "b.jsonl", RECORD, EMPTY), write(tmp_path / "a.jsonl", RECORD)]
    assert calipers.dense(paths)["inputs"] == [
        {"path": str(path), "sha256": sha256(path.read_bytes()).hexdigest(), "records": records}
        for path, records in zip(paths, (2, 1), strict=True)
    ]


def test_what_was_read_was_evaluated_skipped_or_rejected(tmp_path):
    path = write(tmp_path / "a.jsonl", RECORD, EMPTY, 7, RECORD, {"pred": []}, EMPTY, RECORD)
    records = calipers.dense(path, max_bad_records=5)["records"]
    assert records == {"read": 7, "evaluated": 3, "skipped_empty": 2, "rejected": 2}


def test_one_thousand_is_inside_the_frame():
    edge = {**BOX, "points": [0, 0, 1000, 1000]}
    report = calipers.dense([{"id": 1, "gt_norm1000": [edge], "pred": [edge]}])
    assert report["objects"]["clamped"] == 0
    assert report["modes"]["category"]["primary"]["f1"] == 1.0


def test_records_are_left_as_they_are():
    record = {"id": 1, "gt_norm1000": [BOX], "pred": [{**BOX, "points": [[-1, 0], [2000, 5]]}, None]}
    before = json.dumps(record)
    calipers.dense([record]).matches()
    assert json.dumps(record) == before


# What it refuses


def test_a_file_that_is_not_there_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read: No such file or directory"):
        calipers.dense(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        calipers.dense(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n", b" \n\t\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_records_is_an_input_error(tmp_path, content):
    (tmp_path / "empty.jsonl").write_bytes(content)
    good = write(tmp_path / "good.jsonl", RECORD)
    with pytest.raises(InputError, match=r"empty\.jsonl: no records, expected one JSON object a line"):
        calipers.dense([good, tmp_path / "empty.jsonl"])


def test_standard_input_can_be_read_only_once():
    with pytest.raises(ConfigError, match="standard input can be read only once"):
        calipers.dense(["-", "-"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_record_ends_the_run_with_its_place_and_content(tmp_path, jobs):
    bad = {**RECORD, "gt_norm1000": [BOX, {**BOX, "points": [0, 0, 5]}]}
    long = {**RECORD, "raw_text": "x" * 300_000}
    path = write(tmp_path / "a.jsonl", long, long, bad, long)
    with pytest.raises(InputError) as error:
        calipers.dense(path, jobs=jobs, chunk_bytes=A_LINE, bootstrap=0)
    assert str(error.value).splitlines() == [
        f"{path}:3: gt_norm1000[1].points: 3 numbers, expected 4 for a bbox_2d",
        "found [0, 0, 5]",
    ]


def test_a_shard_that_ended_at_a_bad_record_is_not_kept_as_finished(tmp_path):
    """Nothing behind the bad record was looked at: once such are allowed, the shard is measured again."""
    dump = write(tmp_path / "dump.jsonl", RECORD, {"image_path": "bad.jpg"}, RECORD)
    kept = tmp_path / "kept"
    with pytest.raises(InputError, match=r"dump\.jsonl:2: "):
        calipers.dense(dump, resume=kept)
    report = calipers.dense(dump, resume=kept, max_bad_records=1)
    assert report.to_json() == calipers.dense(dump, max_bad_records=1).to_json()
    assert report["records"]["evaluated"] == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_damaged_file_is_an_input_error(tmp_path, jobs):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00 this is no gzip file")
    with pytest.raises(InputError, match=r"a\.jsonl\.gz: cannot be"):
        calipers.dense(path, jobs=jobs)


# What it tells on the way


def test_progress_tells_the_bytes_read_of_all(tmp_path):
    path, told = write(tmp_path / "a.jsonl", *[{**RECORD, "raw_text": "x" * 10_000}] * 100), []
    config = make_config(Config, {"jobs": 1, "chunk_bytes": A_LINE})
    evaluate([str(path)], config, progress=lambda done, total: told.append((done, total)))
    size = path.stat().st_size
    assert len(told) > 1
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {size}
    assert told[-1][0] == size


def test_rows_come_in_the_order_of_the_records(tmp_path):
    records = [{**RECORD, "image_path": f"{i}.jpg", "raw_text": "x" * 50_000} for i in range(40)]
    path, keys = write(tmp_path / "a.jsonl", *records), []
    config = make_config(Config, {"jobs": 4, "chunk_bytes": A_LINE})
    evaluate([str(path)], config, on_rows=lambda matches, cases: keys.extend(row["key"] for row in matches))
    assert keys == [f"{i}.jpg" for i in range(40) for _ in ("gt", "pred")]


# Whatever a model writes

ATOMS = [None, True, 0, -1, 5, 1000, 1001, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "5", "类别=标签", [], {}]
NAMES = ["type", "points", "desc", "bbox_2d"]
KINDS = ["bbox_2d", "poly", "line", "circle", ""]


def anything(rng: random.Random, depth: int = 3):
    """Some JSON, often nearly an object."""
    shape = rng.random()
    if shape < 0.3 or depth == 0:
        return rng.choice(ATOMS)
    if shape < 0.5:
        return [anything(rng, depth - 1) for _ in range(rng.randint(0, 8))]
    if shape < 0.6:
        return {rng.choice(NAMES): anything(rng, depth - 1) for _ in range(3)}
    points = [rng.choice([rng.randint(-5, 1005), rng.uniform(0, 1000), *ATOMS[:12]]) for _ in range(rng.randint(0, 9))]
    points = [n for n in points if n is not None] if rng.random() < 0.7 else points
    return {"type": rng.choice(KINDS), "points": points, "desc": anything(rng, 0)}


def test_no_predicted_object_ends_the_run_and_each_counts(tmp_path):
    rng = random.Random(5)
    records = [
        {"id": i, "gt_norm1000": [BOX], "pred": [anything(rng) for _ in range(rng.randint(1, 6))]} for i in range(300)
    ]
    path = write(tmp_path / "a.jsonl", *records)
    report = calipers.dense(path, bootstrap=50)
    predictions = sum(len(record["pred"]) for record in records)
    assert report["records"]["evaluated"] == 300
    assert report["objects"]["pred"] == predictions
    assert 0 < report["objects"]["invalid_pred"] < predictions
    assert all(mode["primary"]["pred"] == predictions for mode in report["modes"].values())
    assert sum(report["errors"].values()) - report["errors"]["missed"] == predictions
    assert len(report.matches()) == predictions + 300


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1" + "0" * 400, "1e999", "NaN", "-Infinity"])
def test_a_predicted_number_beyond_floats_makes_its_object_invalid(tmp_path, number):
    path = tmp_path / "a.jsonl"
    line = json.dumps({"id": 1, "gt_norm1000": [BOX], "pred": [BOX, {**BOX, "points": [0, 0, 9, 12345]}]})
    path.write_text(line.replace("12345", number))
    report = calipers.dense(path)
    assert (report["objects"]["pred"], report["objects"]["invalid_pred"]) == (2, 1)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e999", "NaN"])
def test_a_ground_truth_number_beyond_floats_is_an_input_error(tmp_path, number):
    path = tmp_path / "a.jsonl"
    line = json.dumps({"id": 1, "gt_norm1000": [{**BOX, "points": [0, 0, 9, 12345]}], "pred": []})
    path.write_text(line.replace("12345", number))
    with pytest.raises(InputError, match=r"a\.jsonl:1: gt_norm1000\[0\]\.points: a number is not finite"):
        calipers.dense(path)


def test_a_width_beyond_floats_is_an_input_error():
    record = {"id": 1, "gt": [BOX], "pred": [], "width": 10**400, "height": 5}
    with pytest.raises(InputError, match="width: found 1000"):
        calipers.dense([record], frame="pixel")


@pytest.mark.parametrize(
    ("distance", "off"),
    [("1e300", 1e300), ("-1.7e308", 1.7e308), ("9" * 300, 1e300), ("1e-400", 98), ("nan", None), ("٣", 95)],
)
def test_no_station_distance_ends_the_run(distance, off):
    truth = {**BOX, "desc": "类别=站点距离,站点距离=98"}
    record = {"id": 1, "gt_norm1000": [truth], "pred": [{**BOX, "desc": f"类别=站点距离,站点距离={distance}"}]}
    artifact = json.loads(calipers.dense([record]).to_json())
    found = artifact["attributes"]["distance"]
    assert (found["exact"], found["mae"]) == (None if off is None else 0, off)


@pytest.mark.parametrize(
    "desc", ["=", ",", "/", "，＝", "类别=", "=" * 5000, "类别=" + "甲" * 5000, "\x00\x1b[2J", "a/b/c,d=e", "\u2028"]
)
def test_no_description_ends_the_run(desc):
    report = predicted({**BOX, "desc": desc})
    json.loads(report.to_json())
    assert report["objects"]["invalid_pred"] == 0
    assert all(line.isprintable() for line in str(report).split("\n"))


def test_a_polygon_of_thousands_of_points_and_a_line_of_thousands_are_measured():
    rng = random.Random(1)
    poly = {**BOX, "type": "poly", "points": [rng.randint(0, 1000) for _ in range(4000)]}
    line = {**BOX, "type": "line", "points": [rng.randint(0, 1000) for _ in range(4000)]}
    report = predicted(poly, line)
    assert (report["objects"]["invalid_pred"], report["objects"]["repaired"]) == (0, 1)


# How it ends


def test_a_bad_record_in_a_pipe_that_stays_open_ends_the_run_with_its_exit_code():
    """Whatever still waits for the pipe must not make the end an abort."""
    long = {**RECORD, "raw_text": "x" * 300_000}  # more than is read at a time
    lines = "".join(json.dumps(record) + "\n" for record in (RECORD, EMPTY, RECORD, 7, RECORD, long))
    command = [sys.executable, "-m", "calipers", "dense", "-", "--chunk-bytes", "1", "--jobs", "1"]
    env = {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env) as process:
        process.stdin.write(lines.encode())
        process.stdin.flush()
        try:
            assert process.wait(timeout=300) == 3
        finally:
            process.kill()


# How many processes


@pytest.mark.parametrize(("asked", "usual", "jobs"), [(None, 1, 1), (None, None, None), (2, 1, 2), (1, None, 1)])
def test_a_plan_knows_how_many_processes_it_has_work_for(tmp_path, monkeypatch, asked, usual, jobs):
    opened, open_engine = [], run.open_engine
    monkeypatch.setattr(DensePlan, "usual_jobs", usual, raising=False)
    monkeypatch.setattr(
        run, "open_engine", lambda name, **place: opened.append(place["jobs"]) or open_engine(name, **place)
    )
    calipers.dense(write(tmp_path / "1.jsonl", RECORD), jobs=asked, bootstrap=0)
    assert opened == [jobs]


@pytest.mark.parametrize(("forks", "yolo"), [(False, 1), (True, None)])
def test_scenes_are_read_by_one_process_and_lines_of_yolo_where_workers_start_afresh(
    tmp_path, monkeypatch, forks, yolo
):
    monkeypatch.setattr(forked, "may_fork", lambda: forks)
    for name, text in (("gt/a.txt", "0 .5 .5 .2 .2"), ("voc/a.xml", "<annotation></annotation>"), ("pred.json", "[]")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    config = make_config(CocoConfig, {})
    pairs = [("gt", "gt"), ("gt", "pred.json"), ("voc", "pred.json"), ("voc", "gt")]
    found = [CocoPlan(tmp_path / gt, tmp_path / pred, config).usual_jobs for gt, pred in pairs]
    assert [*found, ScenePlan.usual_jobs] == [yolo, yolo, None, None, 1]
