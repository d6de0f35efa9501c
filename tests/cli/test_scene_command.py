"""`calipers scene`: every option by flag, key and keyword; what it prints, and what it says about itself."""

import json
from dataclasses import fields
from math import pi, sqrt
from pathlib import Path

import pytest

import calipers
from calipers.cli.streams import with_flags
from calipers.suites.scene.config import Config

#   x        1     1.5          (0, 50), turned by 45°            20            30        31
#   truth  chair                table, 8 long, 0.5 wide           door
#   pred         chair (lamp)   the same, 0.4 to its side         couch         wall unit  door
TURN = {"yaw": pi / 4}
SIDE = 0.4 / sqrt(2)
TRUTH = [
    {"label": "chair", "center": [1, 0, 0], "size": [1, 1, 1]},
    {"label": "table", "center": [0, 50, 0], "size": [8, 0.5, 1], "rotation": TURN},
    {"label": "door", "center": [20, 0, 0], "size": [1, 1, 1]},
]
PRED = [
    {
        "label": "lamp",
        "retrieved_object_label": "chair",
        "position": [1.5, 0, 0],
        "dimensions": [1, 1, 1],
        "similarity": {"chair": 0.8},
    },
    {"label": "table", "center": [-SIDE, 50 + SIDE, 0], "size": [8, 0.5, 1], "rotation": TURN},
    {"label": "couch", "center": [20, 0, 0], "size": [1, 1, 1]},
    {"label": "wall unit", "center": [30, 0, 0], "size": [1, 1, 1]},
    {"label": "door", "center": [31, 0, 0], "size": [1, 1, 1]},
]
INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
TABLE = ("matches", 1)  # the table and its partner

# name: (arguments, as a key and keyword, in the artifact's params, a place in the method, what is there without, with)
GIVEN = {
    "labels": (["--labels", "l.json"], "l.json", ["seat"], ("label_resolution", "unresolved"), 2, 8),  # couch, unit
    "aliases": (["--aliases", "a.json"], "a.json", "a.json", ("label_resolution", "alias"), 0, 1),
    "learned_aliases": (["--learned-aliases", "a.json"], "a.json", "a.json", ("label_resolution", "alias"), 0, 1),
    "embed": (["--embed"], True, True, ("label_resolution", "embedding"), 0, 1),  # couch, and not the unit
    "embed_min": (["--embed-min", "0.25"], 0.25, 0.25, ("params", "embed_min"), 0.5, 0.25),
    "iou_mode": (["--iou-mode", "aabb"], "aabb", "aabb", (*TABLE, "iou"), 1 / 9, 8.1**2 / (2 * 8.5**2 - 8.1**2)),
    "iou_threshold": (["--iou-threshold", "0.2"], 0.2, 0.2, ("counts", "tp"), 3, 2),  # 1/3, 1/9 and 1
    "require_label_match": (["--require-label-match"], True, True, ("counts", "tp"), 3, 2),  # a couch is no door
    "containment": (["--containment", "obb"], "obb", "obb", (*TABLE, "strict"), True, False),  # 0.4 > 0.5 / 2
    "frame_normalization": (
        ["--frame-normalization", "gt_global_yaw"],
        "gt_global_yaw",
        "gt_global_yaw",
        (*TABLE, "strict"),  # turned back by 45°, bounds are as narrow as the table
        True,
        False,
    ),
    "range_buckets": (["--range-buckets", "1.2,3,9"], [1.2, 3, 9], [1.2, 3, 9], ("range", 1, "from_m"), 2, 1.2),
    "open_set": (["--no-open-set"], False, False, ("benchmark_compat", "osP_relaxed"), 1 / 2, None),
    "os_similarity_threshold": (
        ["--os-similarity-threshold", "0.8"],
        0.8,
        0.8,
        ("benchmark_compat", "osP_relaxed"),  # of table and door the table; with 0.8 the chair, too
        1 / 2,
        2 / 3,
    ),
    "os_min_iou": (["--os-min-iou", "0.2"], 0.2, 0.2, ("benchmark_compat", "osP_relaxed"), 1 / 2, 0),  # 1/9
    "ap_distance": (
        ["--ap-distance", "ground_plane"],
        *["ground_plane"] * 2,
        ("params", "ap_distance"),
        "3d",
        "ground_plane",
    ),
    "protocol": (["--protocol", "clio"], "clio", "clio", ("benchmark_compat", "osP_relaxed"), 1 / 2, 2 / 3),
    "label_source": (["--label-source", "label"], "label", "label", ("per_class", "chair", "tp"), 1, 0),
    "ignore_raw_labels": (["--ignore-raw-labels", "Wall-Unit"], ["Wall-Unit"], ["Wall-Unit"], ("counts", "fp"), 2, 1),
    "ignore_raw_contains": (["--ignore-raw-contains", "al"], ["al"], ["al"], ("counts", "ignored"), 0, 1),
    "ignore_canonical_labels": (["--ignore-canonical-labels", "door"], ["door"], ["door"], ("counts", "pred"), 5, 4),
    "top": (["--top", "1"], 1, 1, ("params", "top"), 8, 1),
    "max_bad_records": (["--max-bad-records", "2"], 2, 2, ("params", "max_bad_records"), 0, 2),
    "bootstrap": (["--bootstrap", "0"], 0, 0, ("params", "bootstrap"), 1000, 0),
    "seed": (["--seed", "7"], 7, 7, ("params", "seed"), 0, 7),
}


def embed(texts):
    """A sentence model that knows what a couch is."""
    known = {"chair": [1, 0, 0], "couch": [0.6, 0, 0.8], "seat": [0, 0, 1], "door": [0, 1, 0], "table": [0, 1, 0]}
    return [known.get(text, [-1, -1, -1]) for text in texts]


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.fixture(autouse=True)
def _files(monkeypatch):
    monkeypatch.setattr("calipers.suites.scene.labels.embedding.sentence_embedder", lambda: embed)
    write("gt.json", {"objects": TRUTH})
    write("pred.json", {"objects": PRED})
    write("l.json", ["seat"])
    write("a.json", {"couch": "chair"})


def flag(name):
    return "--" + name.replace("_", "-")


def at(tree, place):
    """What is there in the only method; None if there is no such key."""
    (found,) = tree["methods"].values()
    for key in place:
        found = found.get(key) if isinstance(found, dict) else found[key]
    return found


# ---------------------------------------------------------------- options


def test_every_option_is_tried():
    # those that change no number are tried elsewhere: write_aliases with the files, where it runs with the plan
    elsewhere = ("slice", "attributes")  # in the suite's own test_slices
    names = [item.name for item in fields(Config) if item.metadata["artifact"]]
    assert list(GIVEN) == [name for name in names if name not in elsewhere]


@pytest.mark.parametrize("name", GIVEN)
def test_an_option_does_what_it_says_and_is_told_in_the_artifact(run, name):
    args, _, shown, place, without, given = GIVEN[name]
    plain = run("scene", *INPUTS, "--json").artifact()
    tree = run("scene", *INPUTS, "--json", *args).artifact()
    assert plain["params"][name] != shown
    assert tree["params"][name] == shown
    assert at(plain, place) == (without if without is None else pytest.approx(without, abs=1e-9))
    assert at(tree, place) == (given if given is None else pytest.approx(given, abs=1e-9))


@pytest.mark.parametrize("name", GIVEN)
def test_an_option_means_the_same_as_flag_key_and_keyword(run, name):
    args, value, *_ = GIVEN[name]
    by_flag = run("scene", *INPUTS, "--json", *args).out
    results = {by_flag, calipers.scene("gt.json", "pred.json", **{name: value}).to_json()}
    for key in (name, name.replace("_", "-")):
        write("calipers.toml", f"[scene]\n{key} = {json.dumps(value)}\n")
        results.add(run("scene", *INPUTS, "--json").out)
    assert len(results) == 1


@pytest.mark.parametrize("name", [name for name, given in GIVEN.items() if not isinstance(given[1], bool)])
def test_a_flag_wins_over_the_file(run, name):
    write("calipers.toml", f"[scene]\n{name} = {json.dumps(GIVEN[name][1])}\n")
    write("other.json", {"couch": "door"} if "aliases" in name else ["chair", "table"])
    words = {"iou_mode": "obb", "containment": "aabb", "frame_normalization": "none", "protocol": "calipers"}
    words |= {"ap_distance": "3d"}
    words |= {"label_source": "prefer_retrieved_else_label", "labels": "other.json", "aliases": "other.json"}
    other = (words | {"learned_aliases": "other.json"}).get(name, "1")
    tree = run("scene", *INPUTS, "--json", flag(name), other).artifact()
    shown = tree["params"][name]
    expected = {"labels": ["chair", "table"], "range_buckets": [1.0]}.get(name, [other])
    assert (shown if isinstance(shown, list) else [str(shown).removesuffix(".0")]) == expected


@pytest.mark.parametrize("name", ["embed", "require_label_match", "open_set"])
def test_what_the_file_switches_on_or_off_a_flag_switches_back(run, name):
    for written, given in ((True, f"--no-{flag(name)[2:]}"), (False, flag(name))):
        write("calipers.toml", f"[scene]\n{name} = {json.dumps(written)}\n")
        assert run("scene", *INPUTS, "--json").artifact()["params"][name] is written
        assert run("scene", *INPUTS, "--json", given).artifact()["params"][name] is not written


@pytest.mark.parametrize(
    ("section", "key", "written", "args", "name", "shown"),
    [
        ("matching", "iou_mode", "aabb", ["--iou-mode", "obb"], "iou_mode", "obb"),
        ("matching", "iou_threshold", 0.3, ["--iou-threshold", "0.2"], "iou_threshold", 0.2),
        ("matching", "range_buckets_m", [1, 2], ["--range-buckets", "5"], "range_buckets", [5]),
        ("matching", "compute_open_set_metrics", False, ["--open-set"], "open_set", True),
        ("matching", "require_label_match", True, ["--no-require-label-match"], "require_label_match", False),
        ("label_resolution", "use_embedding_for_unresolved", True, ["--no-embed"], "embed", False),
        ("matching", "os_similarity_threshold", 0.7, ["--os-similarity-threshold", "0.6"], None, 0.6),
        ("matching", "frame_normalization", "gt_global_yaw", ["--frame-normalization", "none"], None, "none"),
        ("prediction", "label_source", "label", ["--label-source", "prefer_retrieved_else_label"], None, None),
        ("prediction", "ignore_raw_labels", ["door"], ["--ignore-raw-labels", "couch"], "ignore_raw_labels", ["couch"]),
        ("label_resolution", "embedding_min_score", 0.9, ["--embed-min", "0.1"], "embed_min", 0.1),
        ("paths", "canonical_labels", "l.json", ["--labels", "other.json"], "labels", ["sofa"]),
        ("paths", "label_aliases", "a.json", ["--aliases", "b.json"], "aliases", "b.json"),
    ],
)
def test_a_flag_wins_over_eval_config(run, section, key, written, args, name, shown):
    write("other.json", ["sofa"])
    write("b.json", {})
    write("eval_config.json", {section: {key: written}})
    shown, name = args[-1] if shown is None else shown, name or args[0][2:].replace("-", "_")
    tree = run("scene", *INPUTS, "--json", "--config", "eval_config.json").artifact()
    over = run("scene", *INPUTS, "--json", "--config", "eval_config.json", *args).artifact()
    assert tree["params"][name] == ({"labels": ["seat"]}.get(name, written))
    assert over["params"][name] == shown
    if section != "paths":  # a file that an option replaced is no input
        alone = run("scene", *INPUTS, "--json", *args).artifact()
        assert [over["methods"]["pred"][part] for part in ("counts", "matches")] == [
            alone["methods"]["pred"][part] for part in ("counts", "matches")
        ]


def test_paths_of_eval_config_are_relative_to_it(run):
    write("deep/eval_config.json", {"paths": {"canonical_labels": "l.json", "label_aliases": "../a.json"}})
    write("deep/l.json", {"canonical_labels": ["table", "door"]})
    tree = run("scene", *INPUTS, "--json", "--config", "deep/eval_config.json").artifact()
    assert tree["params"]["labels"] == ["table", "door"]
    assert [each["path"] for each in tree["inputs"]] == [
        "gt.json",
        "pred.json",
        "deep/eval_config.json",
        "deep/l.json",
        "deep/../a.json",
    ]


def test_the_flags_of_the_command_are_keys_too(run):
    expected = run("scene", *INPUTS, "--json").out
    common = '[scene]\ngt = "gt.json"\n'
    for pred in ('"pred.json"', '["pred.json"]', '{pred = "pred.json"}'):
        write("calipers.toml", f'{common}pred = {pred}\njson = true\noutput = "out.json"\n')
        assert run("scene").out == expected
        assert Path("out.json").read_bytes() == expected
    tree = run("scene", "--pred", "other=gt.json").artifact()  # the flag wins
    assert list(tree["methods"]) == ["other"]
    write("eval.json", {"matching": {"iou_threshold": 0.3}})
    write("calipers.toml", f'{common}pred = "pred.json"\njson = true\nconfig = "eval.json"\n')
    assert run("scene").artifact()["params"]["iou_threshold"] == 0.3


def test_another_options_file_is_used_when_it_is_named(run):
    write("calipers.toml", "[scene]\nseed = 1\n")
    write("mine.toml", "[scene]\nseed = 2\n[timeline]\ntop = 1\n")
    assert run("scene", *INPUTS, "--json").artifact()["params"]["seed"] == 1
    assert run("scene", *INPUTS, "--json", "--config", "mine.toml").artifact()["params"]["seed"] == 2


def test_learned_aliases_give_way_to_those_that_were_given(run):
    write("learned.json", {"couch": "table", "wall unit": "door"})
    args = ["--aliases", "a.json", "--learned-aliases", "learned.json"]
    tree = run("scene", *INPUTS, "--json", *args).artifact()["methods"]["pred"]
    pred = {name: row["tp"] + row["fp"] for name, row in tree["per_class"].items()}
    assert pred == {"chair": 2, "door": 2, "table": 1}  # a couch is a chair, a wall unit a door
    assert tree["unresolved_labels"] == []


# ---------------------------------------------------------------- methods


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("pred.json", "pred"),
        ("./pred.json", "pred"),
        ("ours=pred.json", "ours"),
        ("ours v2=pred.json", "ours v2"),
        ("folder", "folder"),
        ("folder/", "folder"),
        ("a=b/pred.json", "a"),
        ("b/a=b.json", "a=b"),
        ("room.pcd.json", "room.pcd"),
    ],
)
def test_a_method_has_its_name_or_that_of_its_file(run, given, name):
    for path in ("b/pred.json", "b/a=b.json", "folder/gt.json", "room.pcd.json"):
        write(path, {"objects": PRED})
    tree = run("scene", "--gt", "gt.json", "--pred", given, "--json").artifact()
    assert list(tree["methods"]) == [name]
    assert tree["methods"][name]["method"] == name
    assert tree["methods"][name]["counts"]["tp"] == 3


def test_methods_stay_in_their_order_and_are_compared_in_pairs(run):
    write("none.json", {"objects": []})
    args = ["--pred", "z=pred.json", "--pred", "none.json", "--pred", "a=gt.json"]
    tree = run("scene", "--gt", "gt.json", *args, "--json").artifact()
    assert list(tree["methods"]) == ["z", "none", "a"]
    assert [(pair["a"], pair["b"]) for pair in tree["comparison"]] == [("z", "none"), ("z", "a"), ("none", "a")]
    recall = tree["comparison"][1]["metrics"]["recall"]
    assert (recall["a"], recall["b"], recall["difference"]) == (1, 1, 0)
    precision = tree["comparison"][0]["metrics"]["precision"]
    assert (precision["a"], precision["b"], precision["difference"], precision["interval"]) == (3 / 5, None, None, None)


# ---------------------------------------------------------------- misspelt, missing, wrong


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("embed_min", ["-1.1", "2", "nan"], "a number from -1 to 1"),
        ("iou_mode", ["", "OBB", "3d"], "obb or aabb"),
        ("iou_threshold", ["0", "-0.1", "1.1", "nan", "inf"], "a number"),
        ("containment", ["", "both"], "aabb or obb"),
        ("frame_normalization", ["", "yaw"], "none or gt_global_yaw"),
        ("range_buckets", ["0", "-1", "4,2", "2,2", "x", "1,nan", "inf"], "ascending distances above 0, in metres"),
        ("os_similarity_threshold", ["0", "-1", "nan"], "a number above 0"),
        ("os_min_iou", ["-0.1", "1.1", "nan"], "a number from 0 to 1"),
        ("protocol", ["", "Clio"], "calipers or clio"),
        ("label_source", ["", "retrieved"], "prefer_retrieved_else_label or label"),
        ("top", ["-1"], "a whole number of at least 0"),
        ("max_bad_records", ["-1", str(2**63)], "a whole number of at least 0"),
        ("bootstrap", ["-1", "1000001"], "a whole number from 0 to 1000000"),
        ("seed", ["-1", str(2**63)], "a whole number of at least 0"),
        ("write_aliases", ["", "x.json"], "expected "),  # only the model learns any
    ],
)
def test_a_wrong_value_is_refused_with_what_was_found_and_expected(run, listing, name, values, expected):
    before = listing(".")
    for value in values:
        for args in (INPUTS, ["--gt", "missing.json", "--pred", "missing.json"]):  # known before anything is read
            run("scene", *args, f"{flag(name)}={value}", "-o", "out").refused(2, f"{name}: found ", expected)
    assert listing(".") == before


# ---------------------------------------------------------------- what it prints


def test_the_summary_names_methods_classes_causes_and_labels_left_over(run):
    lines = run("scene", *INPUTS, "--pred", "all=gt.json").out.decode().splitlines()
    assert lines[0] == "gt.json   obb IoU ≥ 0.1 · any class · greedy 1-1 · centroid in aabb"
    assert lines[1] == "evaluated  1 scene · 3 boxes in the ground truth"
    rows = [line.split() for line in lines]
    assert ["pred", "3", "5", "3", "2", "0", "0.600", "1.000", "0.750"] in rows
    assert ["all", "3", "3", "3", "0", "0", "1.000", "1.000", "1.000"] in rows
    assert ["chair", "1", "1.000", "1.000"] in rows
    assert " false positives      pred: 1 unresolved_label · 1 no_overlap" in lines
    assert " no class for         pred: couch (1) · wall unit (1)" in lines


def test_warnings_go_to_standard_error_and_into_the_artifact(run):
    write("eval_config.json", {"label_resolution": {"learn_new_aliases": True}})
    write("a.json", {"couch": "chiar"})
    ended = run("scene", *INPUTS, "--aliases", "a.json", "--config", "eval_config.json", "--json")
    told = ended.artifact()["warnings"]
    assert ended.err.splitlines() == [with_flags(f"warning: {each}") for each in told]
    assert told[0].startswith("eval_config.json: learn_new_aliases has no effect")
    assert told[1].startswith("a.json: aliases: 'chiar' is not a canonical label and resolves nothing, did you mean")


# ---------------------------------------------------------------- what it says about itself


def test_help_names_every_option_with_its_default(run):
    ended = run("scene", "--help")
    text = " ".join(ended.out.decode().split()).replace("- ", "-")  # a line may end within axis-aligned
    assert (ended.code, ended.err) == (0, "")
    for item in fields(Config):
        assert flag(item.name) in text
        assert " ".join(item.metadata["help"].split()).replace("- ", "-") in text
    for part in ("--gt GT ", "--pred [NAME=]PRED", "-o, --out, --output ", "--json ", "--config ", "--no-open-set"):
        assert part in text
    for default in ("obb", "0.1", "aabb", "none", "2,4", "0.9", "calipers", "0.5", "1000", "calipers.toml"):
        assert f"[default: {default}]" in text
    assert run("scene", "-h").out == ended.out


def test_the_library_prints_nothing(finish):
    script = (
        "import calipers\n"
        "good = {'label': 'seat', 'center': [0, 0, 0], 'size': [1, 1, 1]}\n"
        "bad = {'label': 'seat', 'center': [0, 0, 0], 'size': [1, 1, 0]}\n"
        "truth, pred = {'a': [bad], 'b': [good], 'c': [good]}, {'b': [good, bad], 'd': [good]}\n"
        "report = calipers.scene(truth, pred, max_bad_records=1, aliases={'x': 'y'})\n"
        "report.to_json(), report.matches(), str(report)\n"
    )
    assert finish(program=("-c", script)) == (0, b"", "")
