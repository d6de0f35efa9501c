"""What the commands of all suites have in common: where results go, the demo, the help, and options that are wrong."""

import os
import shlex
import tomllib
from dataclasses import fields
from itertools import product
from pathlib import Path

import pytest

from calipers.cli.streams import with_flags
from calipers.core.config import make_config
from calipers.core.errors import ConfigError
from calipers.suite import suites

from ..samples import sample_args, sample_inputs

every_suite = pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)


def flag(name):
    return "--" + name.replace("_", "-")


# ---------------------------------------------------------------- where results go


@every_suite
def test_the_artifact_is_the_same_on_standard_output_in_a_file_in_a_folder_and_in_python(run, suite):
    command = [suite.name, *sample_args(suite)]
    before = set(os.listdir())
    report = suite.job(sample_inputs(suite), {}).evaluate()
    summary, artifact = with_flags(str(report)), report.to_json()
    assert run(*command, "--json").out == artifact
    assert run(*command, "--json", "-o", "x.json").out == Path("x.json").read_bytes() == artifact
    assert set(os.listdir()) == before | {"x.json"}
    assert run(*command, "-o", "deep/out").out.decode() == f"{summary}\n written              deep/out\n"
    assert Path("deep/out/result.json").read_bytes() == artifact
    assert run(*command).out.decode().startswith(f"{summary}\n next ")


@every_suite
def test_a_closed_pipe_is_no_failure(finish, suite):
    reading, writing = os.pipe()
    os.close(reading)
    ended = finish(suite.name, *sample_args(suite), "--json", "-o", "out.json", stdout=writing)
    os.close(writing)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert Path("out.json").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@every_suite
def test_standard_output_that_is_full_is_an_error(finish, suite):
    with open("/dev/full", "wb") as full:
        ended = finish(suite.name, *sample_args(suite), "--json", stdout=full)
    assert (ended.code, ended.err.splitlines()[-1]) == (
        2,
        "error: standard output cannot be written: No space left on device",
    )


# ---------------------------------------------------------------- the demo


@every_suite
def test_the_demo_runs_the_command_that_it_shows(run, suite):
    ended = run("demo", suite.name)
    dollar, program, *command = shlex.split(ended.err.splitlines()[0])
    assert (ended.code, dollar, program, command[0]) == (0, "$", "calipers", suite.name)
    assert run(*command).out == ended.out
    assert run("demo", suite.name, "--json", "-o", "out.json").out == Path("out.json").read_bytes()
    run("demo", f"{suite.name}x").refused(2, f"'{suite.name}x'", suite.name)


@every_suite
def test_the_demo_with_a_folder_names_the_page_and_what_is_next(run, suite):
    last = run("demo", suite.name, "-o", "out").err.splitlines()[-1]
    assert Path("out", "report.html").is_file()
    assert "out/report.html" in last
    assert f"calipers formats {suite.name}" in last


def test_the_demo_is_that_of_the_first_suite_and_of_a_process_of_its_own_too(run, finish):
    assert finish("demo").out == run("demo").out == run("demo", suites()[0].name).out


# ---------------------------------------------------------------- options


@every_suite
def test_help_names_every_option(run, suite):
    ended = run(suite.name, "--help")
    text = " ".join(ended.out.decode().split()).replace("- ", "-")  # a line may end within axis-aligned
    assert (ended.code, ended.err) == (0, "")
    for item in fields(suite.config):
        assert flag(item.name) in text
        assert " ".join(item.metadata["help"].split()).replace("- ", "-") in text
    for item in suite.inputs:
        assert item.metavar in text
    assert run(suite.name, "-h").out == ended.out


@every_suite
def test_a_misspelt_option_is_refused_and_the_nearest_named(run, suite):
    command, inputs = [suite.name, *sample_args(suite)], sample_inputs(suite)
    for item in fields(suite.config):
        wrong = f"{item.name}x"
        message = run(*command, flag(wrong), 1).refused(2, flag(wrong), "Did you mean ")
        assert f"'{flag(item.name)}'" in message.partition("Did you mean")[2]
        Path("calipers.toml").write_text(f"[{suite.name}]\n{wrong} = 1\n")
        run(*command).refused(2, f"calipers.toml: [{suite.name}] '{wrong}' is not an option, ", f"'{item.name}'?")
        Path("calipers.toml").unlink()
        with pytest.raises(ConfigError, match=f"'{wrong}' is not an option, did you mean '{item.name}'"):
            suite.job(inputs, {wrong: 1})


@every_suite
def test_a_misspelt_table_or_command_is_refused_and_the_nearest_named(run, suite):
    args = sample_args(suite)
    Path("calipers.toml").write_text(f"[{suite.name}s]\nseed = 1\n")
    run(suite.name, *args).refused(2, f"calipers.toml: '{suite.name}s' is not a table, did you mean '{suite.name}'?")
    run(suite.name[:-1], *args).refused(2, f"'{suite.name[:-1]}'", f"Did you mean '{suite.name}'?")


HUGE = str(2**70)
WRONG = ["[[]]", "[{}]", "{}", "true", "1979-05-27", "[1]", "-1", "nan", "[true]", HUGE]
GOOD = {  # values of the list above that fit all the same
    *{(name, value) for name in ("compliance_gain", "detection_score", "min_score") for value in ("-1", HUGE)},
    *{(name, "[1]") for name in ("thresholds", "transition_tolerance_frames", "range_buckets", "max_dets")},
    *{(name, "true") for name in ("embed", "open_set", "require_label_match", "ignore_federated")},
    *{("embed_min", "-1"), ("os_similarity_threshold", HUGE), ("range_buckets", HUGE)},
    *{("aliases", "{}"), ("learned_aliases", "{}")},
}
FILES = {"labels", "aliases", "learned_aliases"}  # options whose value is looked at when the file would be read


@every_suite
def test_a_value_of_the_wrong_type_in_the_file_is_refused(suite):
    names = [item.name for item in fields(suite.config) if item.name not in FILES]
    for name, text in product(names, WRONG):
        options = tomllib.loads(f"{name} = {text}")
        if (name, text) in GOOD:
            make_config(suite.config, options)
        else:
            with pytest.raises(ConfigError, match=f"{name}: .*expected "):
                make_config(suite.config, options)


@every_suite
def test_the_command_refuses_such_a_value_too(run, suite):
    command = [suite.name, *sample_args(suite)]
    own = [item.name for item in fields(suite.config) if item.name in FILES]
    output = [item.name for item in fields(suite.output_options)] if suite.output_options else []
    for name, text in product(["seed", "output", "json", *output, *own], WRONG):
        if (name, text) in GOOD | {("json", "true")}:
            continue
        Path("calipers.toml").write_text(f"[{suite.name}]\n{name} = {text}\n")
        message = run(*command).refused(2, "found ", "expected ")
        assert name in FILES or f"{name}: " in message, (name, text)
