"""Options: one frozen dataclass a suite; a wrong name or value is an error that says what was expected."""

import json
from dataclasses import FrozenInstanceError, dataclass, fields

import pytest

import calipers
from calipers.core.config import RunOptions, check_names, make_config, option
from calipers.core.errors import CalipersError, ConfigError
from calipers.suites.dense.config import Config

SWEEP = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, kw_only=True)
class Sample:
    width: int = option(3, "how wide", metavar="N")
    colour: str = option("red", "which colour", artifact=False)


def config(**options) -> Config:
    return make_config(Config, options)


# Any suite


def test_an_option_carries_its_default_and_what_flags_and_docs_need():
    assert Sample() == Sample(width=3, colour="red")
    others = {"optional_value": False, "written": False}  # the flag always has a value, which names no file to write
    assert [dict(field.metadata) for field in fields(Sample)] == [
        {"help": "how wide", "metavar": "N", "artifact": True, "alias": "", "several": False} | others,
        {"help": "which colour", "metavar": "", "artifact": False, "alias": "", "several": False} | others,
    ]


def test_a_config_is_made_from_options_by_name():
    assert make_config(Sample, {"width": 5}) == Sample(width=5)
    assert make_config(Sample, {}) == Sample()


def test_a_misspelt_option_is_an_error_that_names_the_nearest():
    with pytest.raises(ConfigError, match=r"'widht' is not an option, did you mean 'width'\? \(.*colour, width\)"):
        make_config(Sample, {"widht": 5})


def test_a_name_like_no_other_is_an_error_without_a_guess():
    with pytest.raises(ConfigError, match=r"^'zzz' is not an option \(\w+: colour, width\)$"):
        make_config(Sample, {"zzz": 5})


def test_the_error_says_where_the_name_was_found():
    with pytest.raises(ConfigError, match=r"^calipers\.toml: \[dense\] 'tpo' is not an option, did you mean 'top'\?"):
        check_names(["top", "tpo"], ["seed", "top"], "calipers.toml: [dense] ")


def test_an_option_may_be_given_by_its_second_name_but_not_by_both():
    states = {"outside": [[0, 4]], "inside": [[5, 9]]}
    inputs = {"a.mp4": states}, {"a.mp4": {"states": states}}
    report = calipers.timeline(*inputs, simulated_compliance_gain=0.5, bootstrap=0)
    assert report["params"]["compliance_gain"] == 0.5
    assert report["videos"]["a.mp4"]["simulated_speed_violation_reduction"] == 0.5  # 5 of 5 frames, times 0.5
    with pytest.raises(ConfigError, match=r"^'simulated_compliance_gain' and 'compliance_gain' are one option"):
        calipers.timeline(*inputs, simulated_compliance_gain=0.5, compliance_gain=0.5)


def test_known_names_pass():
    check_names([], ["a"])
    check_names(["a", "b", "a"], ["b", "a"])


# The dense suite


def test_the_defaults_are_those_of_the_protocol():
    plain = config()
    assert (plain.tube_tolerance, plain.primary_threshold, plain.thresholds) == (8.0, 0.5, SWEEP)
    assert plain.modes == ("localization", "phase", "category")
    assert (plain.label_key, plain.free_text_keys, plain.mapping) == ("类别", ("文本", "备注"), None)
    assert (plain.top, plain.frame, plain.max_bad_records) == (25, "norm1000", 0)
    assert (plain.bootstrap, plain.seed, plain.jobs) == (1000, 0, None)


def test_a_config_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        config().seed = 5


def test_lists_may_be_written_as_text_with_commas():
    text = config(thresholds="0.5, 0.75,0.9", modes="category,phase", free_text_keys="文本，备注 , 其他")
    assert text.thresholds == (0.5, 0.75, 0.9)
    assert text.modes == ("category", "phase")
    assert text.free_text_keys == ("文本", "备注", "其他")
    assert config(thresholds=[0.5, 0.75, 0.9]) == config(thresholds="0.5,0.75,0.9")
    assert config(thresholds=0.7).thresholds == (0.7,)
    assert config(free_text_keys="").free_text_keys == ()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("tube_tolerance", -1, "a number from 0 to 1000000"),
        ("tube_tolerance", "wide", "a number"),
        ("tube_tolerance", float("nan"), "a number"),
        ("tube_tolerance", float("inf"), "a number"),
        ("tube_tolerance", True, "a number"),
        ("tube_tolerance", None, "a number"),
        ("tube_tolerance", 10**400, "a number"),
        ("primary_threshold", 0, "a number above 0 and at most 1"),
        ("primary_threshold", 1.01, "a number above 0 and at most 1"),
        ("primary_threshold", 50, "a number above 0 and at most 1"),
        ("thresholds", [], "one or more ascending thresholds"),
        ("thresholds", "", "one or more ascending thresholds"),
        ("thresholds", [0.6, 0.5], "one or more ascending thresholds"),
        ("thresholds", [0.5, 0.5], "one or more ascending thresholds"),
        ("thresholds", "0.5,x", "a number"),
        ("thresholds", [0.5, 2], "a number above 0 and at most 1"),
        ("modes", "", "one or more of localization, phase, category"),
        ("modes", "phase,phase", "one or more of localization, phase, category"),
        ("modes", "phases", "one or more of localization, phase, category"),
        ("label_key", " ", "a key as fields have it, without commas, equals signs, or spaces around it"),
        ("label_key", None, "a key as fields have it, without commas, equals signs, or spaces around it"),
        ("frame", "pixels", "norm1000 or pixel"),
        ("top", -1, "a whole number of at least 0"),
        ("top", 2.0, "a whole number of at least 0"),
        ("max_bad_records", "3", "a whole number of at least 0"),
        ("bootstrap", -1, "a whole number from 0 to 1000000"),
        ("seed", -1, "a whole number of at least 0"),
        ("seed", 2**63, "a whole number of at least 0"),
        ("jobs", 0, "a whole number from 1 to 1024"),
        ("jobs", True, "a whole number from 1 to 1024"),
        ("chunk_bytes", 0, "a whole number from 1 to 1073741824"),
    ],
)
def test_a_wrong_value_is_an_error_that_says_what_was_found_and_expected(name, value, expected):
    with pytest.raises(ConfigError) as error:
        config(**{name: value})
    assert str(error.value).startswith(f"{name}: found ")
    assert str(error.value).endswith(f"expected {expected}")


@pytest.mark.parametrize("name", [field.name for field in fields(Config)])
def test_every_option_is_a_keyword_of_the_function_and_of_the_meter(name):
    value = getattr(config(), name)
    assert calipers.dense([], **{name: value})["suite"] == "dense"
    assert calipers.DenseMeter(**{name: value}).compute()["suite"] == "dense"


@pytest.mark.parametrize("call", [lambda **options: calipers.dense([], **options), calipers.DenseMeter])
def test_a_misspelt_keyword_is_never_swallowed(call):
    with pytest.raises(ConfigError, match="'tube_tolerence' is not an option, did you mean 'tube_tolerance'"):
        call(tube_tolerence=4)


def test_a_mapping_file_that_cannot_be_read_is_found_out_before_any_record(tmp_path):
    with pytest.raises(CalipersError, match=r"no such mapping\.json"):
        config(mapping=str(tmp_path / "no such mapping.json"))
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(CalipersError, match=r"bad\.json"):
        config(mapping=str(tmp_path / "bad.json"))


def test_the_artifact_carries_every_option_that_can_change_a_number_and_no_other():
    params = calipers.dense([], jobs=1, chunk_bytes=77, tube_tolerance="1.25", thresholds="0.5,0.6")["params"]
    asked = {"slice", "attributes", "answers", "pred_field"}  # there only where they were asked for
    options = {field.name for field in fields(Config) if field.metadata["artifact"]} - asked
    assert not options & {field.name for field in fields(RunOptions)}
    assert options | {"stroke_width", "mapping_sha256", "rulers", "matching"} == set(params)
    assert (params["tube_tolerance"], params["stroke_width"], params["thresholds"]) == (1.25, 2, [0.5, 0.6])
    assert params["rulers"] == {"region": "exact-area", "line": "tube-cells"}
    assert params["matching"] == {
        "algorithm": "greedy_1to1",
        "tie_break": ["score_desc", "gt_index_asc", "pred_index_asc"],
    }


def test_the_primary_threshold_moves_neither_the_sweep_nor_its_mean():
    box = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "a"}
    record = {"id": 1, "gt_norm1000": [box], "pred": [{**box, "points": [0, 0, 100, 62]}]}
    found = [calipers.dense([record], primary_threshold=at)["modes"]["category"] for at in (0.504, 0.5, 0.3, 0.95)]
    assert [mode["primary"]["f1"] for mode in found] == [1.0, 1.0, 1.0, 0.0]
    assert [mode["mean_f1"] for mode in found] == [0.3] * 4  # 0.62 meets 0.50, 0.55 and 0.60
    assert all(mode["thresholds"] == found[0]["thresholds"] for mode in found)
    assert all(mode["mean_overlap_matched"] == 0.62 for mode in found)


@pytest.mark.parametrize("tolerance", [1e6, 2e9, 1e300, 1.7e308])
def test_a_tolerance_beyond_the_frame_covers_all_of_it_or_is_refused(tolerance):
    line = {"type": "line", "points": [0, 0, 9, 9], "desc": "a"}
    far = {"type": "line", "points": [900, 0, 1000, 9], "desc": "a"}
    try:
        report = calipers.dense([{"id": 1, "gt_norm1000": [line], "pred": [far]}], tube_tolerance=tolerance)
    except ConfigError:
        return
    assert report["modes"]["category"]["primary"]["f1"] == 1.0
    json.loads(report.to_json())


def test_an_address_without_a_cluster_names_the_option_as_a_keyword():
    with pytest.raises(ConfigError, match=r"^address: found 'a:1', expected engine dask or ray with it$"):
        RunOptions(address="a:1")
