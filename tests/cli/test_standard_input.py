"""Files that only the command has open, such as its standard input: workers would open another one by that name."""

import os
from pathlib import Path

import pytest

from calipers.suite import suite_of

from ..samples import sample_inputs

HERE = "/dev/stdin"

pytestmark = pytest.mark.skipif(not os.path.exists(HERE), reason="the system has no such files")
SINGLE = {
    "dense": lambda given: [next(iter(given.values()))[0]],
    "coco": lambda given: ["--gt", given["gt"], "--pred", given["pred"]],
    "timeline": lambda given: ["--gt", given["gt"], "--pred", given["pred"]],
    "scene": lambda given: ["--gt", first(given["gt"]), "--pred", first(given["pred"][0].partition("=")[2])],
}
NAMED = {"scene": "method="}  # which would be called like its file


def first(folder):
    return str(min(path for path in Path(folder).iterdir() if path.suffix == ".json"))


def command_of(suite):
    """The arguments of one small run, the last of them the path of the predictions."""
    return SINGLE[suite](sample_inputs(suite_of(suite)))


def without_paths(ended):
    tree = ended.artifact()
    for part in (tree, *tree.get("methods", {}).values()):
        for entry in part["inputs"]:
            del entry["path"]
    return tree


@pytest.mark.parametrize("options", [(), ("--jobs", 2), ("--jobs", 2, "--chunk-bytes", 2000)], ids=str)
@pytest.mark.parametrize("suite", SINGLE)
def test_a_file_on_standard_input_reads_like_a_path(suite, options, finish):
    *others, path = command_of(suite)
    by_path = finish(suite, *others, NAMED.get(suite, "") + path, "--json", *options)
    assert by_path.code == 0, by_path.err
    with open(path, "rb") as file:
        here = finish(suite, *others, NAMED.get(suite, "") + HERE, "--json", *options, stdin=file)
    assert here.code == 0, here.err
    assert without_paths(here) == without_paths(by_path)


@pytest.mark.parametrize("suite", ["timeline", "scene"])
def test_workers_of_a_cluster_cannot_open_standard_input(suite, finish):
    *others, path = command_of(suite)
    with open(path, "rb") as file:
        ended = finish(suite, *others, HERE, "--engine", "dask", stdin=file)
    assert ended.code == 2
    assert f"engine: found 'dask', expected local, as no other process can open {HERE}" in ended.err
