"""Scenes in shards: the same bytes however they are cut, kept, resumed or merged."""

import json
import os
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.cli.suite_command import run_suite
from calipers.core.errors import ConfigError, InputError, OutputError, RecordError
from calipers.core.parts import from_bytes, to_bytes
from calipers.engines.local import Local
from calipers.files.part_files import read_tally
from calipers.suite import suite_of
from calipers.suites.scene.config import Config
from calipers.suites.scene.evaluate import evaluate as evaluate_scenes
from calipers.suites.scene.options import scene_options
from calipers.suites.scene.plan import ScenePart, ScenePlan, measure_shard, provenance_of, report_scenes, unpack
from calipers.suites.scene.read import read_scenes
from calipers.suites.scene.shards import MAX_SHARD_BYTES, cut_scenes

pytestmark = pytest.mark.usefixtures("blank_plots")

LABELS = ("chair", "Chair", "table", "door", "Lampe ü", "")
CUTS = [{"jobs": 1}, {"jobs": 1, "chunk_bytes": 1}, {"jobs": 2, "chunk_bytes": 900}, {"jobs": 4, "chunk_bytes": 1}]
FIGURE = {"geometryType": "point_3d", "geometry": {}}  # left out, with a warning


def write(path, content):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def box(rng, key, **more):
    return {
        "id": key,
        "label": rng.choice(LABELS),
        "center": [rng.uniform(-2, 2), rng.uniform(-2, 2), rng.uniform(0, 1)],
        "size": [rng.uniform(0.5, 2) for _ in range(3)],
        "rotation": {"yaw": rng.uniform(-3, 3)},
        **more,
    }


def guesses(rng):
    """Predictions with everything they may have, one of them malformed."""
    given = [box(rng, key, score=rng.random()) for key in range(rng.randrange(1, 6))]
    given[0]["similarity"] = {task: rng.random() for task in rng.sample(LABELS[:4], rng.randrange(3))}
    return [*given, box(rng, [1, {"a": 2}], size=[1, 0, 1])]


@pytest.fixture(autouse=True)
def _rooms(tmp_path, monkeypatch):
    """Twelve rooms of two methods: `late` has no room 3 and `early` no room 4, rooms 5 and 6 have no ground truth."""
    monkeypatch.chdir(tmp_path)
    rng = random.Random(8)
    for room in range(12):
        if room not in (5, 6):
            write(f"gt/room {room}.json", {"objects": [box(rng, key) for key in range(rng.randrange(5))]})
        for method, missing in (("late", 3), ("early", 4)):
            if room != missing:
                write(f"{method}/room {room}.json", {"objects": guesses(rng)})
    figures = {"objects": [], "figures": [FIGURE]}
    write("late/room 9.json", figures)
    write("gt/room 2.json", figures)
    write("early/room 1.json", {"objects": [box(rng, float("nan"))]})  # NaN is no JSON, but is read
    write("aliases.json", {"aliases": {"door": "table", "thing": "nothing"}})
    write("config.json", {"paths": {"label_aliases": "aliases.json"}, "label_resolution": {"learn_new_aliases": True}})


METHODS = {"late": "late", "early": "early"}


def measured(gt="gt", pred=METHODS, **options):
    return calipers.scene(gt, pred, config="config.json", **options)


def at_once(gt="gt", pred=METHODS, **options):
    """The report without shards: everything read in one go."""
    chosen = scene_options("config.json", options)
    config = chosen.config
    reading = read_scenes(gt, pred, label_source=config.label_source, max_bad=config.max_bad_records)
    return report_scenes(reading, config, chosen.warnings, chosen.files)


def plan(pred=METHODS, **options):
    return ScenePlan("gt", pred, Config(**options))


def shards(**options):
    return list(plan(**options).shards(Local(1)))


def tally(path, pred, gt="gt", **options):
    measured(gt, pred, tally=path, **options)
    return path


# The same however it is cut


@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_the_artifact_is_the_same_however_it_is_cut(cut):
    expected = at_once()
    report = measured(**cut)
    assert report.to_json() == expected.to_json()
    assert str(report) == str(expected)
    assert report.matches()[1] == expected.matches()[1]
    assert len(report.matches()) == len(expected.matches())


def test_all_there_is_to_say_comes_in_its_order():
    warnings = measured(chunk_bytes=1)["warnings"]
    assert [warning.partition(":")[0] for warning in warnings[:3]] == [
        "config.json",
        "gt/room 2.json",
        "late/room 9.json",
    ]
    assert warnings == at_once()["warnings"]


def test_one_file_against_one_file_is_one_scene():
    report = measured("gt/room 0.json", "late/room 1.json", chunk_bytes=1)
    assert report["records"]["read"] == 1
    assert report.to_json() == at_once("gt/room 0.json", {"room 1": "late/room 1.json"}).to_json()


def test_a_file_against_a_folder_is_joined_by_name():
    report = measured("gt/room 0.json", METHODS, jobs=2, chunk_bytes=1)
    assert report.to_json() == at_once("gt/room 0.json").to_json()


@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_what_is_bad_is_the_same_however_it_is_cut(cut):
    write("gt/room 7.json", "{")
    write("early/room 1.json", "[]")
    write("late/room 11.json", {"objects": 7})
    with pytest.raises(InputError, match=r"early/room 1\.json: found a list of 0"):
        measured(**cut)
    with pytest.raises(InputError, match=r"late/room 11\.json: objects: found 7"):
        measured(max_bad_records=1, **cut)
    report = measured(max_bad_records=3, **cut)
    assert report.to_json() == at_once(max_bad_records=3).to_json()
    assert [entry["scene"] for entry in report["rejected"]] == ["room 1", "room 11", "room 7"]


def test_a_shard_holds_one_scene_or_so_many_bytes():
    sizes = {path: os.path.getsize(path) for folder in ("gt", "late", "early") for path in Path(folder).iterdir()}
    assert len(shards(chunk_bytes=1)) == 12
    found = shards(chunk_bytes=3000)
    assert 1 < len(found) < 12
    assert all(shard.size <= 3000 or len(set().union(*shard.sides)) == 1 for shard in found)
    assert sum(shard.size for shard in found) == sum(sizes.values())
    assert [str(shard) for shard in shards()] == ['the scenes "room 0" to "room 9"']
    assert str(shards(chunk_bytes=1)[2]) == 'the scene "room 10"'


def test_many_scenes_are_cut_into_many_shards_whatever_the_chunk(monkeypatch):
    monkeypatch.setattr(
        "calipers.suites.scene.scene_files.ScenesByName.size", lambda source, name: MAX_SHARD_BYTES // 6
    )
    assert len(list(cut_scenes(plan()._sources, 1 << 30))) == 6  # two scenes of three files each


def test_a_shard_says_where_files_are_and_is_small():
    assert len(pickle.dumps(shards(chunk_bytes=1)[0])) < 400


def test_progress_is_told_in_bytes():
    told = []
    evaluate_scenes("gt", METHODS, Config(chunk_bytes=1), progress=lambda *done: told.append(done))
    assert len(told) == 12
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] == sum(shard.size for shard in shards())


# Parts as bytes


def test_a_part_comes_back_as_it_was():
    part = ScenePart()
    for shard in shards(chunk_bytes=1):
        part.add(plan().measure(shard))
    packed = part.pack()
    again = unpack(from_bytes(to_bytes(packed)))
    assert to_bytes(again.pack()) == to_bytes(packed)
    for mine, theirs in zip(part.joined().sides, again.joined().sides, strict=True):
        assert mine.boxes.labels == theirs.boxes.labels
        assert mine.boxes.similarity == theirs.boxes.similarity
        assert (mine.scenes, mine.invalid) == (theirs.scenes, theirs.invalid)
        assert all(
            np.array_equal(getattr(mine.boxes, name), getattr(theirs.boxes, name), equal_nan=True)
            for name in ("offsets", "center", "half", "axes", "bounds", "scores", "reason", "upright", "index")
        )


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("0/offsets", lambda column: column[:-1]),
        ("0/offsets", lambda column: column[::-1]),
        ("1/center", lambda column: column[:-3]),
        ("1/center", lambda column: column.astype(np.int64)),
        ("1/labels", lambda column: column[1:]),
        ("1/labels", lambda column: column + 99),
        ("2/reason", lambda column: column + 99),
        ("2/scores", lambda column: column.reshape(1, -1)),
        ("2/with_tasks", lambda column: column + 1_000),
    ],
)
def test_columns_that_do_not_fit_together_are_refused(name, damage):
    packed = plan().measure(shards()[0]).pack()
    unpack(packed)
    with pytest.raises((ValueError, IndexError)):
        unpack(packed._replace(arrays=packed.arrays | {name: damage(packed.arrays[name])}))


def test_a_worker_needs_nothing_but_the_shard():
    work = pickle.loads(pickle.dumps(plan().measure))
    assert work.func is measure_shard
    assert len(work(pickle.loads(pickle.dumps(shards()[0]))).joined().names) == 12


# Kept and resumed


def test_a_run_goes_on_from_what_is_kept(monkeypatch):
    expected = at_once().to_json()
    assert measured(resume="kept", chunk_bytes=1).to_json() == expected
    read = []
    real = ScenePlan.bytes_done
    monkeypatch.setattr(ScenePlan, "bytes_done", lambda self, shard: read.append(str(shard)) or real(self, shard))
    quiet = scene_options("config.json", {"resume": "kept", "chunk_bytes": 1, "jobs": 1})
    again = [("gt", METHODS, *quiet[:2])] * 2
    assert _with_progress(*again[0], quiet.files) == expected
    assert read == []
    write("early/room 7.json", {"objects": []})
    changed = _with_progress(*again[1], quiet.files)
    assert read == ['the scene "room 7"']
    assert changed == at_once().to_json() != expected


def _with_progress(gt, methods, config, warnings, files):
    report = evaluate_scenes(gt, methods, config, warnings, files=files, progress=lambda done, size: None)
    return report.to_json()


def test_what_was_bad_is_kept_too():
    write("gt/room 7.json", "{")
    for _ in range(2):
        report = measured(resume="kept", chunk_bytes=1, max_bad_records=1)
        assert report.to_json() == at_once(max_bad_records=1).to_json()
    with pytest.raises(RecordError, match="not JSON"):
        measured(resume="kept")


def test_the_tally_is_the_same_however_it_was_counted():
    tally("whole.cal", METHODS)
    whole = Path("whole.cal").read_bytes()
    for cut in (*CUTS, {"resume": "kept", "chunk_bytes": 700}, {"resume": "kept", "chunk_bytes": 700}):
        tally("again.cal", METHODS, **cut)
        assert Path("again.cal").read_bytes() == whole


@pytest.mark.parametrize("name", ["tally", "resume"])
def test_an_input_is_not_written_over(name):
    for path in ("gt/room 0.json", "config.json", "aliases.json"):
        before = Path(path).read_bytes()
        with pytest.raises(OutputError, match="is an input"):
            measured(**{name: path})
        assert Path(path).read_bytes() == before


@pytest.mark.parametrize("name", ["tally", "resume"])
def test_nothing_is_written_among_the_scenes(name, capsys):
    given = {"gt": "gt", "pred": ["late"], name: "late/new.json"}
    with pytest.raises(ConfigError, match=f"{name}: found 'late/new.json', expected a place outside the folders"):
        run_suite(suite_of("scene"), given)
    run_suite(suite_of("scene"), given | {"pred": ["late"], "gt": "gt", name: "new.json"})
    assert os.path.getsize("new.json") > 0


def test_values_in_memory_have_no_shards():
    for options in ({"tally": "a.cal"}, {"resume": "kept"}, {"engine": "dask"}):
        with pytest.raises(ConfigError, match="expected files to read instead of scenes that are in memory"):
            calipers.scene([], "late", **options)
    assert calipers.scene([], [], jobs=2)["records"]["read"] == 1


def test_a_function_cannot_be_kept():
    with pytest.raises(ConfigError, match=r"embed: found .*, expected true or false: a\.cal cannot hold it"):
        measured(embed=len, tally="a.cal")


# Merged by hand


def split(count, seed=3):
    """Predictions of both methods in several folders, some rooms each."""
    rng = random.Random(seed)
    for method in METHODS:
        for path in sorted(Path(method).iterdir()):
            write(f"{method} {rng.randrange(count)}/{path.name}", path.read_text(encoding="utf-8"))
    return [{method: f"{method} {place}" for method in METHODS} for place in range(count)]


def numbers(report):
    """An artifact but for where its inputs lie."""
    tree = json.loads(report.to_json())
    for part in (tree, *tree["methods"].values()):
        del part["inputs"]
    text = json.dumps({**tree, "warnings": sorted(tree["warnings"])})
    for place in range(9):
        text = text.replace(f"late {place}/", "late/").replace(f"early {place}/", "early/")
    return json.loads(text)


def test_one_part_is_a_whole():
    tally("a.cal", METHODS, chunk_bytes=1)
    report = calipers.merge(["a.cal"])
    assert report.to_json() == measured().to_json()
    assert str(report) == str(measured())
    rows = report.matches()
    assert [row | {"id": 0} for row in rows] == [row | {"id": 0} for row in measured().matches()]
    assert json.dumps([row["id"] for row in rows]) == json.dumps([row["id"] for row in measured().matches()])


def test_label_files_and_scenes_may_be_gone_when_parts_are_merged(tmp_path):
    expected = measured().to_json()
    tally("a.cal", METHODS)
    for path in [*tmp_path.rglob("*.json")]:
        path.unlink()
    assert calipers.merge(["a.cal"]).to_json() == expected


def test_predictions_in_pieces_against_the_whole_ground_truth():
    write("gt/room 8.json", "{")
    expected = numbers(at_once(max_bad_records=1))
    paths = [tally(f"{at}.cal", each, max_bad_records=1) for at, each in enumerate(split(3))]
    report = calipers.merge(paths)
    assert numbers(report) == expected
    assert [each["path"] for each in report["inputs"]] == [
        "gt",
        *(f"{method} {at}" for method in METHODS for at in range(3)),
        "config.json",
        "aliases.json",
    ]
    for order in ([2, 0, 1], [1, 2, 0]):
        assert calipers.merge([paths[at] for at in order]).to_json() == report.to_json()


def test_both_sides_in_pieces():
    expected = numbers(at_once())
    for path in Path("gt").iterdir():
        half = "one" if path.name < "room 3" else "two"
        write(f"{half}/{path.name}", path.read_text(encoding="utf-8"))
    for method in METHODS:
        for path in Path(method).iterdir():
            half = 1 if path.name < "room 5" else 2
            write(f"{method} {half}/{path.name}", path.read_text(encoding="utf-8"))
    for at, half in ((1, "one"), (2, "two")):
        tally(f"{at}.cal", {method: f"{method} {at}" for method in METHODS}, half)
    tree = numbers(calipers.merge(["1.cal", "2.cal"]))
    warnings = [warning.replace("one/", "gt/") for warning in tree.pop("warnings")]
    assert sorted(warnings) == expected.pop("warnings")
    assert tree == expected


def test_a_scene_without_predictions_in_any_part_is_listed_once():
    paths = [tally(f"{at}.cal", {"late": each["late"]}) for at, each in enumerate(split(2))]
    assert calipers.merge(paths)["scenes_without_predictions"] == ["room 3"]


def test_predictions_of_a_scene_are_in_one_part_only():
    first, second = split(2)
    tally("1.cal", {"late": first["late"]})
    write(f"{second['late']}/{min(Path(first['late']).iterdir()).name}", {"objects": []})
    tally("2.cal", {"late": second["late"]})
    with pytest.raises(
        InputError, match=r'the scene "room [0-9]+": its predictions are in two parts, expected them in one'
    ):
        calipers.merge(["1.cal", "2.cal"])


def test_a_part_counts_once():
    tally("1.cal", METHODS)
    with pytest.raises(InputError, match="are parts of the same inputs"):
        calipers.merge(["1.cal", "1.cal"])


def test_ground_truth_that_changed_between_parts_is_refused():
    first, second = split(2)
    tally("1.cal", first)
    write("gt/room 4.json", {"objects": []})
    tally("2.cal", second)
    with pytest.raises(InputError, match=r'the scene "room 4": two parts have different ground truth'):
        calipers.merge(["1.cal", "2.cal"])


def test_parts_of_different_methods_or_label_files_are_refused():
    first, second = split(2)
    tally("1.cal", {"late": first["late"]})
    tally("2.cal", {"later": second["late"]})
    with pytest.raises(InputError, match="parts of different methods: late and later, expected the same"):
        calipers.merge(["1.cal", "2.cal"])
    write("aliases.json", {"aliases": {"door": "chair"}})
    tally("3.cal", {"late": second["late"]})
    with pytest.raises(InputError, match="parts with different label files, expected the same for each"):
        calipers.merge(["1.cal", "3.cal"])
    tally("4.cal", {"late": second["late"]}, iou_threshold=0.3)
    with pytest.raises(ConfigError, match=r"4\.cal: made with iou_threshold = 0\.3, expected 0\.1"):
        calipers.merge(["1.cal", "4.cal"])


def test_a_bad_scene_of_several_parts_counts_once_and_stays_out():
    first, second = split(2)
    write("gt/room 7.json", "{")
    for at, each in enumerate((first, second)):
        tally(f"{at}.cal", each, max_bad_records=1)
    report = calipers.merge(["0.cal", "1.cal"])
    assert [entry["scene"] for entry in report["rejected"]] == ["room 7"]
    assert report["records"] == {"read": 12, "evaluated": 11, "skipped": 0, "rejected": 1}


def test_options_come_back_from_the_file():
    options = {"labels": ("chair", "table"), "aliases": {"door": "table"}, "range_buckets": (1.0, 3.0), "embed": False}
    measured(tally="a.cal", **options)
    made, _ = read_tally("a.cal")
    assert made.options["labels"] == ["chair", "table"]
    provenance_of(Config(**made.options)).check_comparable(made, "a.cal")
    assert calipers.merge(["a.cal"]).to_json() == measured(**options).to_json()
