"""Scenes that are measured in shards, by others: the bytes of one process, and nothing of the boxes in parts."""

import json
import pickle
import random
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers import run
from calipers.core import limits
from calipers.core.errors import InputError, RecordError
from calipers.core.parts import from_bytes, to_bytes
from calipers.engines.local import Local
from calipers.show.folder import write_folder
from calipers.suites.scene import plan as plans
from calipers.suites.scene.config import Config
from calipers.suites.scene.plan import ScenePlan, unpack

from ...profiles import seeds
from .test_plan import write

pytestmark = pytest.mark.usefixtures("named_plots")

LABELS = ("chair", "Chair", "stool", "table", "dining table", "door", "Lampe ü", "unknown", "")
OPTIONS = {
    "own labels": {},
    "listed labels": {"labels": ["table", "chair", "door"], "aliases": {"stool": "chair"}},
    "unlabelled matching": {"require_label_match": False, "iou_threshold": 0.1, "ignore_raw_labels": ["door"]},
    "as Clio": {"protocol": "clio", "os_similarity_threshold": 0.5, "containment": "aabb", "iou_mode": "aabb"},
    "no open set": {"open_set": False, "range_buckets": [1.0, 2.0]},
    "on the ground": {"ap_distance": "ground_plane", "frame_normalization": "gt_global_yaw"},
    "slices": {"slice": ["objects", "size"]},
}


def objects(rng, count, *, scored):
    made = []
    for key in range(count):
        one = {
            "id": key,
            "label": rng.choice(LABELS),
            "center": [round(rng.uniform(-2, 2), 1), round(rng.uniform(-2, 2), 1), round(rng.uniform(0, 1), 1)],
            "size": [rng.choice((0.5, 1, 1.5)) for _ in range(3)],
            "rotation": {"yaw": rng.choice((0, 0.3, rng.uniform(-3, 3)))},
        }
        if scored and rng.random() < 0.95:
            one["score"] = round(rng.random(), 1)
        if scored and rng.random() < 0.3:
            one["similarity"] = {task: rng.random() for task in rng.sample(LABELS[:6], 2)}
        made.append(one)
    return made


def make_rooms(seed, rooms=9):
    """Rooms of two methods, some without ground truth or without predictions, one malformed prediction in ten."""
    rng = random.Random(seed)
    for room in range(rooms):
        if rng.random() < 0.9:
            write(f"gt/{room}.json", {"objects": objects(rng, rng.randrange(6), scored=False)})
        for method in ("one", "two"):
            boxes = objects(rng, rng.randrange(8), scored=method == "one" or seed % 2 == 0)
            for box in boxes:
                if rng.random() < 0.1:
                    box["size"] = [1, 0, 1]
            if room == 0 or rng.random() < 0.9:
                write(f"{method}/{room}.json", {"objects": boxes})


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def measured(**options):
    return calipers.scene("gt", {"one": "one", "two": "two"}, bootstrap=50, **options)


class Elsewhere:
    """An engine that takes and gives bytes, works on the last item first, and joins neighbours by chance."""

    remote, own = True, False

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.calls = []

    def in_order(self, work, items, *, join=None, done=None):
        self.calls.append(work.func.__name__)
        sent = [pickle.dumps((work, item)) for item in items]
        outcomes = {}
        for place in reversed(range(len(sent))):
            function, item = pickle.loads(sent[place])
            outcomes[place] = pickle.dumps(function(item))
        waiting = []
        for place in range(len(sent)):
            waiting.append(pickle.loads(outcomes[place]))
            if join is None or self.rng.random() < 0.4:
                yield from [join(waiting)] if join else waiting
                waiting = []
        if waiting:
            yield join(waiting)


@contextmanager
def elsewhere():
    """Runs of this block are measured there."""
    engine = Elsewhere(7)

    @contextmanager
    def opened(name, **options):
        yield engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "open_engine", opened)
        yield engine


@pytest.mark.parametrize("seed", seeds(4))
@pytest.mark.parametrize("options", OPTIONS)
def test_the_bytes_are_those_of_one_process(options, seed):
    make_rooms(seed)
    chosen = OPTIONS[options]
    expected = measured(**chosen, jobs=1)
    with elsewhere() as engine:
        there = [measured(**chosen, chunk_bytes=size) for size in (1, 1500, 1 << 20)]
    assert {report.to_json() for report in there} == {expected.to_json()}
    assert measured(**chosen, jobs=2, chunk_bytes=700).to_json() == expected.to_json()
    assert engine.calls == ["measure_shard", "find_labels"] * 3  # which takes its shards from the other


def test_rows_cases_and_pictures_are_there_as_well():
    make_rooms(0)
    expected = measured(jobs=1)
    write_folder("here", expected)
    with elsewhere():
        report = measured(chunk_bytes=1)
        write_folder("there", report)
    assert report.matches() == expected.matches()
    names = sorted(path.name for path in Path("here").iterdir())
    assert names == sorted(path.name for path in Path("there").iterdir())
    for name in names:
        assert Path("there", name).read_bytes() == Path("here", name).read_bytes(), name


def test_labels_are_resolved_once_for_all_scenes():
    make_rooms(1)
    asked = []

    def embed(texts):
        asked.append(texts)
        return np.eye(len(texts), 30)

    with elsewhere():
        report = measured(labels=["seat"], embed=embed, chunk_bytes=1)
    [texts] = asked
    assert set(texts) > {"seat", "dining table", "lampe ü"}
    assert report["params"]["embed"]


def test_parts_hold_no_boxes():
    make_rooms(2, rooms=40)
    plan = ScenePlan("gt", {"one": "one", "two": "two"}, Config(jobs=2, chunk_bytes=4000))
    for shard in plan.shards(Local(1)):
        part = plan.measure(shard)
        boxes = sum(len(side.boxes) for side in part.joined().sides)
        arrays = part.pack().arrays
        assert all(not len(arrays[f"{side}/{name}"]) for side in range(3) for name in ("center", "half", "axes"))
        assert sum(array.nbytes for name, array in arrays.items() if "causes" not in name) < 100 * boxes + 1500
        assert to_bytes(unpack(from_bytes(to_bytes(part.pack()))).pack()) == to_bytes(part.pack())


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("0/index", lambda column: column[:-1]),
        ("1/center", lambda column: np.zeros(3)),
        ("kept/0/match_truth", lambda column: column + 10_000),
        ("kept/0/match_pred", lambda column: column - 10_000),
        ("kept/0/pred_class", lambda column: column + 100),
        ("kept/1/truth_class", lambda column: column - 100),
        ("kept/1/fp_cause", lambda column: column + 100),
        ("kept/1/pred_outcome", lambda column: column + 100),
        ("kept/1/found", lambda column: column[1:]),
        ("kept/0/causes", lambda column: column[:, 1:]),
    ],
)
def test_damaged_parts_are_refused(name, damage):
    make_rooms(2)
    plan = ScenePlan("gt", {"one": "one", "two": "two"}, Config(jobs=2))
    [shard] = plan.shards(Local(1))
    packed = plan.measure(shard).pack()
    with pytest.raises(ValueError, match="fit together"):
        unpack(packed._replace(arrays=packed.arrays | {name: damage(packed.arrays[name])}))


def test_a_run_goes_on_from_shards_that_were_measured(monkeypatch):
    make_rooms(3)
    options = {"jobs": 2, "chunk_bytes": 1, "resume": "kept.cal"}
    expected = measured(jobs=1).to_json()
    assert measured(**options).to_json() == expected
    done = []
    real = plans.measure_shard
    monkeypatch.setattr(plans, "measure_shard", lambda shard, **more: done.append(str(shard)) or real(shard, **more))
    assert measured(**options).to_json() == expected
    assert done == []
    write("one/9.json", {"objects": [{"label": "chair", "center": [0, 0, 0], "size": [1, 1, 1], "score": 0.5}]})
    assert measured(**options).to_json() == measured(jobs=1).to_json() != expected
    assert done[0] == 'the scene "9"'


def test_what_a_label_means_is_part_of_what_is_kept():
    """A new class of the ground truth: scenes that name it are measured again, though their files are as they were."""
    box = {"center": [0, 0, 0], "size": [1, 1, 1], "score": 0.5}
    write("gt/a.json", {"objects": [box | {"label": "chair"}]})
    for method in ("one", "two"):
        write(f"{method}/a.json", {"objects": [box | {"label": "sofa"}]})
        write(f"{method}/b.json", {"objects": []})
    options = {"jobs": 2, "chunk_bytes": 1, "resume": "kept.cal"}
    assert measured(**options).method("one")["unresolved_labels"] != []
    write("gt/b.json", {"objects": [box | {"label": "sofa"}]})
    report = measured(**options)
    assert report.method("one")["unresolved_labels"] == []
    assert report.to_json() == measured(jobs=1).to_json()


def test_a_file_that_changes_between_the_passes_is_an_error(monkeypatch):
    make_rooms(0)
    real = plans.load_rules

    def meanwhile(config):
        write("one/0.json", {"objects": []})
        return real(config)

    monkeypatch.setattr(plans, "load_rules", meanwhile)
    with pytest.raises(InputError, match='the scene "0": was changed by someone else during the run'):
        measured(jobs=2, chunk_bytes=1)


def test_rows_of_files_that_changed_are_refused():
    make_rooms(0)
    report = measured(jobs=2, chunk_bytes=1)
    write("one/0.json", {"objects": []})
    with pytest.raises(InputError, match="one: was changed by someone else during the run"):
        report.matches()


def test_too_many_bad_scenes_end_the_run_with_the_same_words():
    make_rooms(0)
    for room in (1, 3, 4):
        write(f"one/{room}.json", "{")
        write(f"gt/{room}.json", "[[")
    for most in (0, 2, 3):
        said = []
        for options in ({"jobs": 1}, {"jobs": 2, "chunk_bytes": 1}):
            try:
                said.append(measured(**options, max_bad_records=most).to_json())
            except RecordError as error:
                said.append(str(error))
        assert said[0] == said[1]
        assert isinstance(said[0], str) == (most < 3)


@pytest.mark.parametrize(("what", "apart", "an_object"), [("that overlap", 0.01, 5), ("within 2 m", 1.4, 2)])
def test_limits_are_those_of_all_scenes_together(what, apart, an_object, monkeypatch):
    """No room by itself has as many pairs."""
    monkeypatch.setattr(limits, "PAIRS_PER_OBJECT", an_object)
    for room in range(5):
        centers = [[apart * k, 0, 0] for k in range(12)]
        boxes = [{"label": "a", "center": center, "size": [1, 1, 1], "score": 0.5} for center in centers]
        for side in ("gt", "one", "two"):
            write(f"{side}/{room}.json", {"objects": boxes * 10 if side == "gt" else boxes})
    said = []
    for options in ({"jobs": 1}, {"jobs": 2, "chunk_bytes": 1}):
        with pytest.raises(InputError, match=what) as told:
            calipers.scene("gt", {"one": "one", "two": "two"}, bootstrap=0, max_pairs=1, **options)
        said.append(str(told.value))
    assert said[0] == said[1]


def test_too_many_methods_are_refused():
    make_rooms(0)
    with pytest.raises(InputError, match="methods"):
        measured(jobs=2, max_methods=1)


def test_what_workers_get_is_small_and_names_only_their_own_labels():
    make_rooms(0, rooms=30)
    plan = ScenePlan("gt", {"one": "one", "two": "two"}, Config(jobs=2, chunk_bytes=1))
    for shard in plan.shards(Local(1)):
        texts = {label for side in shard.sides for path in side.values() for label in labels_of(path)}
        assert set(shard.labels.names._labels) == texts
        assert len(pickle.dumps(shard)) < 2000


def labels_of(path):
    for item in json.loads(Path(path).read_text())["objects"]:
        yield item["label"]
        yield from item.get("similarity", ())
