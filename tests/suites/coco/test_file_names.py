"""What a file of annotations is called within what was given, however that is spelled."""

import os

import pytest

from calipers.suites.coco.formats.conversion import Conversion


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("set", "set/a.txt"),
        ("set/", "set/b/a.txt"),
        ("./set", "./set/b/c/a.txt"),
        (".", "a.txt"),
        (".", "./set/a.txt"),
        ("set/labels", "set/data.yaml"),
        ("set//labels", "set//labels/a.txt"),
        ("set/../set", "set/../set/a.txt"),
        ("set/a.json", "set/a.json"),
        ("a.json", "a.json"),
        ("set/a.json", "set/b.json"),
        ("/set", "/set/a.txt"),
        ("/", "/a.txt"),
    ],
)
def test_a_name_is_the_relative_path(given, path):
    conversion = Conversion(given, truth=True)
    assert [conversion._relative(path) for _ in range(2)] == [os.path.relpath(path, given)] * 2
