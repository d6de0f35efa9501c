"""Plots drawn by another process: the same files, and none missing whatever becomes of that process."""

import os
import signal

import pytest

import calipers
from calipers.files.output import to_json
from calipers.show import plots_apart
from calipers.show.charts import loading, pieces
from calipers.show.folder import open_folder, write_folder
from calipers.show.plots_apart import PlotsApart, serve
from calipers.suite import suite_of

from ..profiles import share
from .sample_reports import SUITES
from .sample_reports import report as sample

TRUTH = {
    "images": [{"id": 1, "width": 90, "height": 90}],
    "categories": [{"id": 1, "name": "cup"}, {"id": 2, "name": "Tür"}],
    "annotations": [
        {"id": k, "image_id": 1, "category_id": 1 + k % 2, "bbox": [9 * k, 5, 8, 8], "area": 64, "iscrowd": 0}
        for k in range(5)
    ],
}
PRED = [{"image_id": 1, "category_id": 1, "bbox": [9 * k, 6, 8, 8], "score": 0.9 - 0.1 * k} for k in range(5)]


@pytest.fixture
def unloaded(monkeypatch):
    """As in a command that has just begun, on two cores."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(plots_apart, "is_loaded", lambda: False)
    monkeypatch.setattr("calipers.engines.local.cores", lambda: 2)


def report():
    return calipers.coco(TRUTH, PRED, bootstrap=20)


def has_ended(child):
    try:
        os.kill(child.pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_another_process_draws_the_same(tmp_path, unloaded, monkeypatch):
    result = report()
    plots = PlotsApart("coco", None)
    try:
        with monkeypatch.context() as patch:
            patch.setattr("calipers.show.folder.drawn", None)
            write_folder(str(tmp_path / "apart"), result, plots=plots)
    finally:
        plots.end()
    assert all(map(has_ended, plots._children))
    write_folder(str(tmp_path / "here"), result)
    files = [
        {path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())} for name in ("apart", "here")
    ]
    assert files[0] == files[1]
    assert sum(name.endswith(".png") for name in files[0]) == 5


def test_what_cannot_be_drawn_apart_is_drawn_here(tmp_path, unloaded):
    plots, result = PlotsApart("coco", None), report()
    plots._children[0].end()
    write_folder(str(tmp_path / "out"), result, plots=plots)
    assert (tmp_path / "out" / "errors.png").exists()


def test_an_error_of_the_other_process_is_not_its_last_word(tmp_path, unloaded):
    plots = PlotsApart("coco", None)
    try:
        plots.draw(str(tmp_path / "missing.json"))
        assert plots.pictures() is None
    finally:
        plots.end()


def test_a_process_that_was_stopped_is_not_waited_for(tmp_path, unloaded, monkeypatch):
    monkeypatch.setattr(plots_apart, "SILENT_SEC", 0.1)
    plots = PlotsApart("coco", None)
    os.kill(plots._children[0].pid, signal.SIGSTOP)
    plots.draw(str(tmp_path / "result.json"))
    assert plots.pictures() is None
    plots.end()
    assert all(map(has_ended, plots._children))


def test_it_ends_also_when_nothing_was_asked_of_it(unloaded):
    plots = PlotsApart("coco", None)
    assert plots.pictures() is None
    plots.end()
    assert all(map(has_ended, plots._children))


def test_an_error_while_a_folder_is_open_leaves_nothing(tmp_path, unloaded):
    plots = PlotsApart("coco", None)
    with pytest.raises(KeyError), open_folder(str(tmp_path / "out"), suite_of("coco"), None, "csv", plots):
        raise KeyError
    plots.end()
    assert all(map(has_ended, plots._children))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("why", ["one job", "one core", "loaded", "missing", "no process"])
def test_there_is_no_other_process_where_it_gains_nothing(why, unloaded, monkeypatch):
    if why == "one core":
        monkeypatch.setattr("calipers.engines.local.cores", lambda: 1)
    if why == "loaded":
        monkeypatch.setattr(plots_apart, "is_loaded", lambda: True)
    if why == "missing":
        monkeypatch.setattr(plots_apart, "find_spec", lambda name: None)
    if why == "no process":
        monkeypatch.setattr("calipers.engines.child_process.pack_work", lambda work: None)
    plots = PlotsApart("coco", 1 if why == "one job" else None)
    plots.draw("result.json")
    assert plots.pictures() is None
    plots.end()
    assert plots._children == []


@pytest.fixture
def undrawn(monkeypatch):
    """Files of plots hold what they would be drawn from: the same is drawn from the same (contracts/test_plots.py)."""

    def drawn_from(stem, plot, tree, names=()):
        return {stem: to_json({"plot": plot.__qualname__, "tree": tree, "names": list(names)})}

    if share() < 1:
        monkeypatch.setattr(pieces, "files", drawn_from)


@pytest.mark.parametrize("suite", SUITES)
def test_an_artifact_gives_the_plots_of_its_report(suite, tmp_path, undrawn, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(loading, "load_matplotlib", lambda: None)  # it changes what other tests draw with
    result, path = sample(suite), tmp_path / "result.json"
    path.write_bytes(result.to_json())
    assert serve(("load", suite, 0)) == {}
    shares = range(len(suite_of(suite).picture_shares) or 1)
    drawn = [serve(("draw", str(path), share)) for share in shares]
    assert all(drawn)
    assert sorted(item for share in drawn for item in share.items()) == sorted(
        suite_of(suite).pictures(result.tree).items()
    )
