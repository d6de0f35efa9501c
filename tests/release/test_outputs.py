"""What commands write is compared byte by byte: on which inputs, and what is said when a file differs."""

import hashlib
from pathlib import Path

import pytest

from release import narrow, outputs


def test_every_example_and_every_made_input_runs_in_a_copy_of_its_own(tmp_path, monkeypatch):
    for folder in ("examples/one", "made/two"):
        (tmp_path / folder / "out").mkdir(parents=True)
        (tmp_path / folder / "out" / "old.json").write_text("of an earlier run")
        (tmp_path / folder / "command.txt").write_text("calipers dense 'a b.jsonl' -o out")
    monkeypatch.setattr(outputs, "EXAMPLES", tmp_path / "examples")
    ran = []

    def run(command, folder):
        ran.append((command, folder.relative_to(tmp_path).as_posix()))
        (folder / "out").mkdir()
        (folder / "out" / "result.json").write_bytes(b"{}\n")
        (folder / "out" / "labels.png").write_bytes(b"picture")

    digests = outputs.write_outputs(run, tmp_path / "made", tmp_path / "outputs")
    command = ["calipers", "dense", "a b.jsonl", "-o", "out"]
    assert ran == [(command, "outputs/one"), (command, "outputs/two")]
    same = hashlib.sha256(b"{}\n").hexdigest()
    assert digests == {"one/out/result.json": same, "two/out/result.json": same}


def test_made_inputs_are_there_for_every_suite_with_a_command_that_writes_a_folder(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(outputs, "_make", lambda *arguments: made.append(arguments))
    outputs.make_inputs(tmp_path / "inputs")
    commands = {path.parent.name: path.read_text().split() for path in tmp_path.glob("inputs/*/command.txt")}
    assert {name: (command[1], command[-2:]) for name, command in commands.items()} == {
        f"{suite}-made": (suite, ["-o", "out"]) for suite in ("dense", "coco", "timeline", "scene")
    }
    scripts = [arguments[0] for arguments in made if arguments[0] != "-c"]
    assert all((outputs.BENCHMARKS / script).exists() for script in scripts)
    assert len(made) == 4


def test_the_same_files_have_no_differences(capsys):
    assert outputs.find_differences({"3.11": {"a": "1"}, "3.12": {"a": "1"}}) == []
    outputs.compare({"3.11": {"a": "1"}, "3.12": {"a": "1"}}, "Pythons")
    assert capsys.readouterr().out == "1 files are the same bytes on 2 Pythons\n"


def test_other_bytes_and_missing_files_end_with_what_differs():
    assert outputs.find_differences({"3.11": {"a": "1"}, "3.12": {"a": "2"}}) == ["a: differs between 3.11 | 3.12"]
    assert outputs.find_differences({"3.11": {"a": "1"}, "3.12": {}}) == ["a: missing on 3.12"]
    with pytest.raises(SystemExit, match=r"a: missing on 3\.12"):
        outputs.compare({"3.11": {"a": "1"}, "3.12": {}}, "Pythons")


def test_kernels_of_another_folder_than_the_one_compared_end_everything(tmp_path, monkeypatch):
    source = Path(narrow.__file__).parents[1] / "src"
    monkeypatch.setattr(narrow, "WHICH", f"print({str(source / 'calipers' / 'kernels' / 'sums.so')!r})")
    narrow.check_kernels(source)
    with pytest.raises(SystemExit, match=r"found kernels in .*, expected them in"):
        narrow.check_kernels(tmp_path)


def test_a_command_that_fails_ends_everything_with_what_it_said(tmp_path):
    with pytest.raises(SystemExit, match=r"calipers dense nothing\.jsonl: exit code 3"):
        narrow.runner(Path(narrow.__file__).parents[1] / "src")(["calipers", "dense", "nothing.jsonl"], tmp_path)
