"""The laws of all meters: any grouping gives the report of everything, a bad update adds nothing, reset forgets."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers
from calipers.core.errors import CalipersError, ConfigError
from calipers.suite import suites

from ..profiles import examples

BOX = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "类别=标签,文本=4G"}
OTHER = {**BOX, "points": [0, 0, 100, 60], "desc": "类别=标签,文本=5G"}
STATES = {"outside": [[0, 9]], "inside": [[10, 19]]}
LATE = {"states": {"outside": [[0, 12]], "inside": [[13, 19]]}}
SEAT = {"label": "seat", "center": [1, 1, 0.5], "size": [1, 1, 1], "score": 0.7}
CLASSES = [{"id": 7, "name": "cone"}, {"id": 8, "name": "sign"}]


class Case(NamedTuple):
    """A meter with updates that may come in any order and grouping, and the report of all of them."""

    meter: Callable[..., Any]
    updates: list[tuple[Any, ...]]  # what `update` is given
    whole: Callable[[list[tuple[Any, ...]]], Any]
    bad: tuple[Any, ...]  # an update that is refused
    parameters: dict[str, Any]  # with which a meter cannot be merged with one of none


def dense_case() -> Case:
    pairs = [([BOX], [BOX]), ([BOX, OTHER], [OTHER]), ([BOX], []), ([], [BOX]), ([OTHER], [BOX])]
    records = [{"id": f"r{k}", "gt_norm1000": gt, "pred": pred} for k, (gt, pred) in enumerate(pairs)]
    return Case(
        calipers.DenseMeter,
        [(record,) for record in records],
        lambda updates: calipers.dense([record for (record,) in updates]),
        ({"id": "bad", "gt_norm1000": [{**BOX, "points": [1]}], "pred": []},),
        {"modes": "category"},
    )


def timeline_case() -> Case:
    sides = [(STATES, LATE), (STATES, {"states": STATES}), (LATE["states"], LATE), (STATES, {"states": {}})]
    updates = [({f"v{k}.mp4": gt}, {f"v{k}.mp4": pred}) for k, (gt, pred) in enumerate(sides)]
    return Case(
        calipers.TimelineMeter,
        updates,
        lambda some: calipers.timeline(*(_joined(side) for side in zip(*some, strict=True))),
        ({"bad.mp4": {"inside": [["x", 3]]}}, {"bad.mp4": LATE}),
        {"min_event_overlap_frames": 3},
    )


def scene_case() -> Case:
    sides = [([SEAT], [SEAT]), ([SEAT], []), ([SEAT, {**SEAT, "center": [9, 1, 0.5]}], [SEAT]), ([SEAT], [SEAT, SEAT])]
    updates = [({f"s{k}": gt}, {f"s{k}": pred}) for k, (gt, pred) in enumerate(sides)]
    return Case(
        calipers.SceneMeter,
        updates,
        lambda some: calipers.scene(*(_joined(side) for side in zip(*some, strict=True))),
        ({"bad": [{**SEAT, "size": [1, -1, 1]}]}, {"bad": [SEAT]}),
        {"iou_threshold": 0.3},
    )


def _joined(parts):
    return {name: value for part in parts for name, value in part.items()}


def annotation(ident, image, x, category=7):
    box = {"bbox": [x, 0, 10, 10], "area": 100, "iscrowd": 0}
    return {"id": ident, "image_id": image, "category_id": category, **box}


def detection(image, x, score, category=7):
    return {"image_id": image, "category_id": category, "bbox": [x, 0, 10, 10], "score": score}


def dataset(image, *annotations):
    return {"images": [{"id": image, "file_name": f"{image}.jpg"}], "categories": CLASSES, "annotations": annotations}


def coco_case() -> Case:
    updates = [
        (dataset(4, annotation(1, 4, 0)), [detection(4, 1, 0.9), detection(4, 50, 0.6)]),
        (dataset(2, annotation(9, 2, 0), annotation(3, 2, 30, 8)), [detection(2, 2, 0.6)]),
        (dataset(3), [detection(3, 0, 0.8)]),
        (dataset(8, annotation(2, 8, 5)), []),
    ]
    return Case(
        calipers.CocoMeter,
        updates,
        lambda some: calipers.coco(union(some), [row for _, rows in some for row in rows]),
        (dataset(99, annotation(50, 99, float("nan"))), [detection(99, 0, 0.5)]),
        {"max_dets": "1,5"},
    )


def union(updates):
    parts = [gt for gt, _ in updates]
    return {
        "images": [image for part in parts for image in part["images"]],
        "categories": CLASSES,
        "annotations": [row for part in parts for row in part["annotations"]],
    }


CASES = {"dense": dense_case, "timeline": timeline_case, "scene": scene_case, "coco": coco_case}
ALL = pytest.mark.parametrize("case", [make() for make in CASES.values()], ids=list(CASES))


def meter_of(case, updates, **options):
    meter = case.meter(**options)
    for update in updates:
        meter.update(*update)
    return meter


def numbers(report):
    """An artifact but for the names of its inputs."""
    tree = json.loads(report.to_json())
    for part in (tree, *tree.get("methods", {}).values()):
        part.pop("inputs")
    return tree


def test_every_suite_with_a_meter_is_held_to_the_laws():
    assert set(CASES) == {suite.name for suite in suites() if suite.meter is not None}


@ALL
def test_updates_add_up_to_the_report_of_everything(case):
    assert numbers(meter_of(case, case.updates).compute()) == numbers(case.whole(case.updates))


EXPECTED = {}  # numbers of everything, by meter


def expected_of(case):
    if case.meter not in EXPECTED:
        EXPECTED[case.meter] = numbers(case.whole(case.updates))
    return EXPECTED[case.meter]


@ALL
@settings(max_examples=examples(15))
@given(st.data())
def test_any_grouping_and_order_of_meters_gives_the_same(case, data):
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(case.updates), max_size=len(case.updates)))
    order = data.draw(st.permutations(range(3)))
    meters = [
        meter_of(case, [update for update, owner in zip(case.updates, owners, strict=True) if owner == number])
        for number in range(3)
    ]
    total = case.meter()
    for number in order:
        total.merge(meters[number])
    assert numbers(total.compute()) == expected_of(case)


@ALL
def test_a_report_may_be_asked_for_at_any_time_and_again(case):
    meter = case.meter()
    for count, update in enumerate(case.updates, 1):
        meter.update(*update)
        assert numbers(meter.compute()) == numbers(case.whole(case.updates[:count]))
    assert numbers(meter.compute()) == numbers(meter.compute())


@ALL
def test_an_update_that_is_refused_adds_nothing(case):
    meter = meter_of(case, case.updates[:2])
    before = numbers(meter.compute())
    with pytest.raises(CalipersError):
        meter.update(*case.bad)
    assert numbers(meter.compute()) == before
    meter.update(*case.updates[2])
    assert numbers(meter.compute()) == numbers(case.whole(case.updates[:3]))


@ALL
def test_reset_forgets_everything(case):
    meter = meter_of(case, case.updates)
    meter.reset()
    meter.update(*case.updates[0])
    assert numbers(meter.compute()) == numbers(case.whole(case.updates[:1]))


@ALL
def test_what_a_meter_was_given_is_left_alone(case):
    given_before = copy.deepcopy(case.updates)
    meter = meter_of(case, case.updates)
    meter.compute()
    meter.merge(case.meter())
    assert given_before == case.updates


@ALL
def test_meters_travel(case):
    meter = meter_of(case, case.updates[:2])
    expected = numbers(meter.compute())
    for again in (pickle.loads(pickle.dumps(meter)), copy.deepcopy(meter)):
        assert numbers(again.compute()) == expected
        again.update(*case.updates[2])
        assert numbers(again.compute()) == numbers(case.whole(case.updates[:3]))
    assert numbers(meter.compute()) == expected


@ALL
def test_meters_of_other_parameters_are_not_merged(case):
    meter = meter_of(case, case.updates[:1])
    other = meter_of(case, case.updates[1:2], **case.parameters)
    with pytest.raises(ConfigError, match="merge: the two meters have different parameters"):
        meter.merge(other)
    assert numbers(meter.compute()) == numbers(case.whole(case.updates[:1]))


@ALL
def test_what_is_no_such_meter_is_not_merged(case):
    meter = meter_of(case, case.updates[:1])
    for other in (3, None, object()):
        with pytest.raises(ConfigError, match=f"merge: found .*, expected another {type(meter).__name__}"):
            meter.merge(other)
    assert numbers(meter.compute()) == numbers(case.whole(case.updates[:1]))


@ALL
def test_a_misspelt_option_is_refused(case):
    with pytest.raises(ConfigError, match="did you mean 'bootstrap'"):
        case.meter(boostrap=5)
