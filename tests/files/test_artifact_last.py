"""The order in which the files of a folder take their names."""

import os
from pathlib import Path

from calipers.files import output


def test_the_artifact_takes_its_name_after_all_others(tmp_path, monkeypatch):
    # where the artifact is new, everything beside it is
    named, replace = [], os.replace

    def noted(temporary, target):
        named.append(Path(target).name)
        replace(temporary, target)

    monkeypatch.setattr(output.os, "replace", noted)
    with output.atomic_files() as files:
        for name in ("matches.csv", "result.json", "report.html"):
            files.open(tmp_path / name).write(b"new")
    assert named == ["matches.csv", "report.html", "result.json"]
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(named)
