"""What the scene suite was ordered to do, sentence by sentence: classes, matching, metrics, files and their keys."""

import csv
import io
import json
from math import cos, pi, sin
from pathlib import Path

import pytest
from click.testing import CliRunner

import calipers
from calipers.cli.main import calipers as program

pytestmark = pytest.mark.usefixtures("named_plots")

LABELS = ["seat", "table", "door"]
GENERAL = {
    "strict_accuracy",
    "relaxed_accuracy",
    "strict_precision",
    "relaxed_precision",
    "f1_relaxed",
    "mean_iou_3d",
    "mean_centroid_error_m",
    "precision",
    "recall",
    "f1",
}
MACRO = {
    "mean_strict_accuracy_per_class",
    "mean_relaxed_accuracy_per_class",
    "mean_iou_3d_per_class",
    "mean_centroid_error_m_per_class",
}
OPEN_SET = {"osR_strict", "osR_relaxed", "osP_strict", "osP_relaxed", "F1_os"}


def near(value):
    return pytest.approx(value, abs=1e-11)


def box(label, x, y=0.0, z=0.0, size=(1, 1, 1), **more):
    return {"label": label, "center": [x, y, z], "size": list(size), **more}


def scene(truth, pred, **options):
    return calipers.scene(truth, {"objects": pred}, **{"labels": LABELS, "bootstrap": 0, **options})


# One room, a place every ten metres:
#   x        0        10          20           30       40      50             60     70
#   truth    chair    seat        table 2x1x1  door     lamp    (no label)
#   pred     seat     seat        table 1x1x1  table    lamp                   seat   ghost
#   off by   0.5      0.6         0.75         0        0
#   IoU      1/3      0.4/1.6     1/3          1        1
#   centres  both     neither     pred in gt   both     both
TRUTH = [
    box("chair", 0),
    box("seat", 10),
    box("table", 20, size=(2, 1, 1)),
    box("door", 30),
    box("lamp", 40),
    box(None, 50),
]
PRED = [
    box("seat", 0.5),
    box("seat", 10.6),
    box("table", 20.75),
    box("table", 30),
    box("lamp", 40),
    box("seat", 60),
    box("ghost", 70),
]
ALIASES = {"chair": "seat"}


@pytest.fixture
def room():
    return scene(TRUTH, PRED, aliases=ALIASES)


class TestClasses:
    def test_classes_are_the_canonical_labels(self, room):
        assert list(room["per_class"]) == room["params"]["labels"] == ["seat", "table", "door"]

    def test_both_sides_are_resolved_by_aliases(self, room):
        # canonical: seat, table, door of the truth and seat ×3, table ×2; alias: chair; nothing: lamp ×2, ghost
        ways = {"canonical": 8, "alias": 1, "contains": 0, "embedding": 0, "unresolved": 3, "unlabelled": 1}
        assert room["label_resolution"] == ways
        told = [(row["label"], row["gt"], row["pred"]) for row in room["unresolved_labels"]]
        assert told == [("ghost", 0, 1), ("lamp", 1, 1)]

    @pytest.mark.parametrize("label", ["unknown", "Unknown", "unlabeled", "", None])
    def test_unknown_and_unlabelled_objects_are_no_class(self, label):
        # found, and so in the general counts; in no class, no macro mean and no task
        report = scene([box("seat", 0), box(label, 9)], [box("seat", 0.5), box(label, 9)])
        assert report["counts"]["tp"] == 2
        assert report["geometry_metrics"]["mean_iou_3d"] == near(2 / 3)
        assert list(report["per_class"]) == LABELS
        assert sum(row["tp"] + row["fp"] + row["fn"] for row in report["per_class"].values()) == 1
        compat = report["benchmark_compat"]
        assert compat["mean_iou_3d_per_class"] == near(1 / 3)
        assert (compat["osR_strict"], compat["osP_strict"]) == (1, 1)

    def test_unknown_as_a_canonical_label_is_no_class_either(self):
        report = scene([box("unknown", 0)], [box("unknown", 0)], labels=["seat", "unknown"])
        assert list(report["per_class"]) == ["seat"]
        assert report["warnings"] == ["canonical labels: 'unknown' is never a class and is left out"]

    def test_labels_are_resolved_in_the_settled_order(self):
        # canonical, then alias, then rule on whole words and the longest first
        rules = {"door": "door", "door mat": "table"}
        names = {
            "Seat!": "seat",
            "door_chair": "seat",
            "red door/mat": "table",
            "big-door": "door",
            "indoor plant": None,
        }
        report = scene(
            [],
            [box(name, 9 * k) for k, name in enumerate(names)],
            aliases={"aliases": {"door chair": "seat"}, "contains_rules": rules},
        )
        assert [row["class"] for row in report.matches()] == list(names.values())

    def test_a_target_that_is_not_canonical_resolves_nothing_and_is_named(self):
        report = scene([box("seat", 0)], [box("stool", 0)], aliases={"stool": "seats"})
        [told] = report["warnings"]
        assert "'seats' is not a canonical label and resolves nothing" in told
        assert report["label_resolution"]["unresolved"] == 1


class TestInput:
    """One box, turned about x, then y, then z of the world, in every format."""

    ANGLES = (0.2, -0.3, 0.7)
    PLACE, SIZE = [1.0, 2.0, 0.5], [2.0, 1.0, 0.5]

    @property
    def turn(self):
        (cx, cy, cz), (sx, sy, sz) = ([f(angle) for angle in self.ANGLES] for f in (cos, sin))
        return [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]

    @property
    def quaternion(self):
        (cx, cy, cz), (sx, sy, sz) = ([f(angle / 2) for angle in self.ANGLES] for f in (cos, sin))
        return [
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
            cx * cy * cz + sx * sy * sz,
        ]

    @pytest.fixture
    def truth(self):
        return [box("seat", *self.PLACE, size=self.SIZE, rotation=self.turn)]

    def test_plain(self, truth):
        pred = [box("seat", *self.PLACE, size=self.SIZE, rotation=self.quaternion)]
        assert scene(truth, pred)["matches"][0]["iou"] == 1

    @pytest.mark.parametrize(("name", "named"), [("id", "objectId"), ("key", "objectKey")])
    def test_supervisely(self, truth, name, named):
        vectors = {"position": self.PLACE, "rotation": self.ANGLES, "dimensions": self.SIZE}
        geometry = {part: dict(zip("xyz", vector, strict=True)) for part, vector in vectors.items()}
        figure = {named: "a", "geometryType": "cuboid_3d", "geometry": geometry}
        cloud = {"objects": [{name: "a", "classTitle": "seat"}], "figures": [figure]}
        report = calipers.scene(truth, cloud, labels=LABELS, require_label_match=True)
        assert report["matches"][0]["iou"] == 1

    def test_scene_graph(self, truth):
        item = {"id": 1, "position": self.PLACE, "orientation": self.quaternion, "dimensions": self.SIZE}
        item |= {"label": "lamp", "retrieved_object_label": "seat"}
        assert scene(truth, [item], require_label_match=True)["matches"][0]["iou"] == 1
        assert scene(truth, [item], label_source="label")["per_class"]["seat"]["tp"] == 0
        assert scene(truth, [item | {"retrieved_object_label": ""}])["unresolved_labels"][0]["label"] == "lamp"

    def clio(self, path, **texts):
        """A graph with an object, and with a node that is none."""
        texts = {"type": "object", "name": "find the seat", "position": self.PLACE, "bbox_dim": self.SIZE} | texts
        data = "".join(f'<data key="{name}">{text}</data>' for name, text in texts.items())
        other = '<node id="1"><data key="type">place</data></node>'
        path.write_text(f'<graphml><graph><node id="0">{data}</node>{other}</graph></graphml>')
        return path

    def test_clio(self, truth, tmp_path):
        path = self.clio(tmp_path / "room.graphml", bbox_orientation=self.turn)
        report = calipers.scene(truth, path, labels=LABELS, require_label_match=True)
        assert (report["counts"]["pred"], report["matches"][0]["iou"]) == (1, 1)
        report = calipers.scene(truth, self.clio(path, type="", node_type="object"), labels=LABELS)
        assert list(report.measured.methods[0].boxes.axes) == [1, 0, 0, 0, 1, 0, 0, 0, 1]  # upright

    def test_an_object_whose_box_cannot_be_had_is_an_invalid_prediction(self, truth, tmp_path):
        report = scene(truth, [{"label": "seat", "position": [0, 0, 0], "data_path": str(tmp_path / "no.ply")}])
        assert (report["counts"]["pred"], report["counts"]["invalid_pred"], report["counts"]["fp"]) == (1, 1, 1)


class TestMatching:
    def test_obb_is_the_default_and_aabb_a_choice(self):
        # Two squares, one turned by 45°: an octagon of 2√2 - 2 is shared. Bounds of the turned one have the side √2.
        truth, pred = [box("seat", 0)], [box("seat", 0, rotation={"yaw": pi / 4})]
        shared = 2 * 2**0.5 - 2
        assert scene(truth, pred)["matches"][0]["iou"] == near(shared / (2 - shared))
        assert scene(truth, pred, iou_mode="aabb")["matches"][0]["iou"] == near(1 / 2)

    def test_the_axis_nearest_to_the_vertical_is_the_third(self):
        # Lying on its side: what is [3, 1, 2] about x, y and z is 3 x 2 on the ground and 1 high
        quarter = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # y goes to z, z to -y
        report = scene([box("seat", 0, size=(3, 2, 1))], [box("seat", 0, size=(3, 1, 2), rotation=quarter)])
        assert report["matches"][0]["iou"] == 1
        boxes = report.measured.methods[0].boxes
        dx, dy, dz = (2 * half for half in boxes.half)
        assert ({dx, dy}, dz) == ({2, 3}, 1)
        assert list(boxes.axes)[6:] == [0, 0, 1]

    def test_rotations_are_quaternions_yaws_or_matrices(self):
        yaw = 0.7
        matrix = [[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]]
        for rotation in ([0, 0, sin(yaw / 2), cos(yaw / 2)], matrix, {"yaw": yaw}):
            report = scene(
                [box("seat", 0, size=(3, 1, 1), rotation={"yaw": yaw})],
                [box("seat", 0, size=(3, 1, 1), rotation=rotation)],
            )
            assert report["matches"][0]["iou"] == 1

    @pytest.mark.parametrize(("threshold", "tp"), [(0.25, 5), (0.3, 4), (1 / 3, 4), (0.34, 2), (1, 2)])
    def test_iou_threshold_is_the_least_iou_of_a_match(self, threshold, tp):
        assert scene(TRUTH, PRED, iou_threshold=threshold)["counts"]["tp"] == tp

    def test_the_default_threshold_is_a_tenth(self):
        # off by 9/11: 2/11 of 20/11 is shared, exactly a tenth; a hair further it is not
        assert scene([box("seat", 0)], [box("seat", 9 / 11)])["counts"]["tp"] == 1
        assert scene([box("seat", 0)], [box("seat", 0.8182)])["counts"]["tp"] == 0

    def test_greedy_takes_the_closest_pair_first_and_ties_by_index(self):
        # 0 and 1 are the same; the second prediction is the best of both and goes to the first
        truth = [box("seat", 0), box("seat", 0)]
        report = scene(truth, [box("seat", 0.2), box("seat", 0), box("seat", 0)])
        assert [(row["gt_index"], row["pred_index"]) for row in report["matches"]] == [(0, 1), (1, 2)]

    def test_with_require_label_match_labels_are_equal_and_resolved(self):
        report = scene(TRUTH, PRED, aliases=ALIASES, require_label_match=True)
        assert [(row["gt_index"], row["pred_index"]) for row in report["matches"]] == [(0, 0), (1, 1), (2, 2)]
        assert report["fp_breakdown"]["wrong_label"] == 1

    @pytest.mark.parametrize(("containment", "strict"), [("aabb", True), ("obb", False)])
    def test_centroids_lie_in_bounds_or_in_oriented_boxes(self, containment, strict):
        # beside each other along a diagonal: within the other's bounds, 0.4 from its middle, half of it is 0.25
        turn, off = {"yaw": pi / 4}, 0.4 / 2**0.5
        truth, pred = (
            box("seat", 0, size=(8, 0.5, 1), rotation=turn),
            box("seat", -off, off, size=(8, 0.5, 1), rotation=turn),
        )
        report = scene([truth], [pred], **({} if strict else {"containment": containment}))
        assert report["params"]["containment"] == containment
        assert (report["matches"][0]["strict"], report["matches"][0]["iou"]) == (strict, near(1 / 9))

    def test_scenes_are_pooled_and_one_that_a_side_lacks_is_listed(self):
        truth = {"a": [box("seat", 0)], "b": [box("seat", 0), box("seat", 5), box("seat", 9)]}
        report = calipers.scene(truth, {"a": [box("seat", 0)], "c": [box("seat", 0)]})
        assert report["detection_metrics"]["recall"] == 1 / 4  # and not the mean of 1 and 0
        assert report["detection_metrics"]["precision"] == 1 / 2
        assert (report["scenes_without_predictions"], report["scenes_without_ground_truth"]) == (["b"], ["c"])


class TestLocalization:
    def test_accuracy_is_of_matched_pairs(self, room):
        found = room["geometry_metrics"]
        assert (found["strict_accuracy"], found["relaxed_accuracy"]) == (3 / 5, 4 / 5)

    def test_precision_is_of_all_predictions(self, room):
        found = room["geometry_metrics"]
        assert (found["strict_precision"], found["relaxed_precision"]) == (3 / 7, 4 / 7)

    def test_means_are_over_matched_pairs(self, room):
        found = room["geometry_metrics"]
        assert found["mean_iou_3d"] == near((1 / 3 + 1 / 4 + 1 / 3 + 1 + 1) / 5)
        assert found["mean_centroid_error_m"] == near((0.5 + 0.6 + 0.75) / 5)

    def test_f1_relaxed_is_of_relaxed_accuracy_and_mean_iou(self, room):
        relaxed, iou = 4 / 5, 7 / 12
        assert room["geometry_metrics"]["f1_relaxed"] == near(2 * relaxed * iou / (relaxed + iou))

    def test_f1_relaxed_is_0_for_two_zeros_and_null_without_a_part(self):
        # off by 0.6: neither centre is inside, so relaxed accuracy is 0
        assert scene([box("seat", 0)], [box("seat", 0.6)])["geometry_metrics"]["f1_relaxed"] == 0
        assert scene([box("seat", 0)], [box("seat", 9)])["geometry_metrics"]["f1_relaxed"] is None

    def test_a_centroid_on_a_face_is_inside(self):
        assert scene([box("seat", 0)], [box("seat", 0.5)])["matches"][0]["strict"] is True
        assert scene([box("seat", 0)], [box("seat", 0.501)])["matches"][0]["relaxed"] is False

    def test_detection(self, room):
        assert room["counts"] == {"gt": 6, "pred": 7, "tp": 5, "fp": 2, "fn": 1, "invalid_pred": 0, "ignored": 0}
        found = room["detection_metrics"]
        assert (found["precision"], found["recall"], found["f1"]) == (5 / 7, 5 / 6, 10 / 13)

    def test_f1_is_null_only_without_objects_on_both_sides(self):
        assert scene([], [])["detection_metrics"]["f1"] is None
        assert scene([box("seat", 0)], [])["detection_metrics"]["f1"] == 0
        assert scene([], [box("seat", 0)])["detection_metrics"]["f1"] == 0


class TestPerClass:
    def test_each_class_over_its_own_pairs(self, room):
        # The table on the door is a miss of the door and a false positive of the table.
        assert room["per_class"]["seat"] == {
            "tp": 2,
            "fp": 1,
            "fn": 0,
            "precision": near(2 / 3),
            "recall": 1,
            "f1": near(4 / 5),
            "mean_iou_3d": near((1 / 3 + 1 / 4) / 2),
            "strict_accuracy": 1 / 2,
            "relaxed_accuracy": 1 / 2,
            "mean_centroid_error_m": near(0.55),
        }
        table, door = room["per_class"]["table"], room["per_class"]["door"]
        assert [table[name] for name in ("tp", "fp", "fn", "precision", "recall")] == [1, 1, 0, 1 / 2, 1]
        assert [table[name] for name in ("strict_accuracy", "relaxed_accuracy", "mean_centroid_error_m")] == [
            0,
            1,
            0.75,
        ]
        assert [door[name] for name in ("tp", "fp", "fn", "precision", "recall", "f1")] == [0, 0, 1, None, 0, 0]
        assert [door[name] for name in ("mean_iou_3d", "strict_accuracy", "mean_centroid_error_m")] == [None] * 3

    def test_macro_means_count_every_class_with_a_match_once(self, room):
        # seat and table; the door has no match
        found = room["benchmark_compat"]
        assert found["mean_strict_accuracy_per_class"] == (1 / 2 + 0) / 2
        assert found["mean_relaxed_accuracy_per_class"] == (1 / 2 + 1) / 2
        assert found["mean_iou_3d_per_class"] == near((7 / 24 + 1 / 3) / 2)
        assert found["mean_centroid_error_m_per_class"] == near((0.55 + 0.75) / 2)


class TestOpenSet:
    def test_recall_of_the_n_best_of_each_task(self, room):
        # seat: two of three, by IoU 0.5 and 10.6 off; table: one of two, the one at 20; door: none. Four objects.
        assert (room["benchmark_compat"]["osR_strict"], room["benchmark_compat"]["osR_relaxed"]) == (1 / 4, 2 / 4)

    def test_precision_of_the_relevant(self, room):
        # seat ×3 and table ×2 are relevant: the first is right, the table at 20 relaxed, and that on the door is not
        assert (room["benchmark_compat"]["osP_strict"], room["benchmark_compat"]["osP_relaxed"]) == (1 / 5, 2 / 5)

    def test_f1_os_is_of_the_two_relaxed_ones(self, room):
        assert room["benchmark_compat"]["F1_os"] == near(2 * 0.5 * 0.4 / 0.9)

    def test_the_threshold_is_inclusive_and_0_9_by_default(self):
        pred = [box("x", 0, similarity={"seat": 0.9}), box("y", 5, similarity={"seat": 0.89})]
        report = scene([box("seat", 0), box("seat", 5)], pred)
        assert report["params"]["os_similarity_threshold"] == 0.9
        assert (report["benchmark_compat"]["osP_strict"], report["benchmark_compat"]["osR_strict"]) == (1, 1)
        assert scene([box("seat", 0)], pred, os_similarity_threshold=0.8)["benchmark_compat"]["osP_strict"] == 1 / 2

    def test_correct_is_containment_of_centroids_without_a_floor_of_iou(self):
        # 0.8 ** 3 / 2 ** 3 = 0.064: no match at the threshold of 0.1, but each centre is in the other box
        truth, pred = [box("seat", 0, size=[2, 2, 2])], [box("seat", 0, size=[0.8, 0.8, 0.8])]
        report = scene(truth, pred)
        assert report["counts"]["tp"] == 0
        assert report["params"]["os_min_iou"] == 0.0
        names = ("osR_strict", "osR_relaxed", "osP_strict", "osP_relaxed", "F1_os")
        assert [report["benchmark_compat"][name] for name in names] == [1.0] * 5
        floored = scene(truth, pred, os_min_iou=0.1)["benchmark_compat"]
        assert [floored[name] for name in names] == [0.0] * 5

    def test_nobody_relevant_is_undefined_and_nobody_right_is_0(self):
        nobody = scene([box("seat", 0)], [box("lamp", 0)])["benchmark_compat"]
        assert (nobody["osR_relaxed"], nobody["osP_relaxed"], nobody["F1_os"]) == (0, None, None)
        wrong = scene([box("seat", 0)], [box("seat", 9)])["benchmark_compat"]
        assert (wrong["osR_relaxed"], wrong["osP_relaxed"], wrong["F1_os"]) == (0, 0, 0)

    def test_it_can_be_switched_off(self, tmp_path):
        config = tmp_path / "eval_config.json"
        config.write_text('{"matching": {"compute_open_set_metrics": false}}')
        assert not OPEN_SET & set(scene(TRUTH, PRED, config=config)["benchmark_compat"])


class TestCausesAndRange:
    def test_causes_of_false_positives_are_the_first_that_applies(self):
        truth = [box("seat", 0), box("table", 10)]
        pred = [
            box("seat", 0),
            box("seat", 0.1),  # duplicate
            box("seat", 10),  # a seat on a table: wrong_label
            box("door", 10.9),  # shares 0.1 of 1.9: low_iou, and only then its label
            box("door", 20),  # no_overlap
            box("ghost", 0),  # unresolved_label, wherever it is
        ]
        report = scene(truth, pred, require_label_match=True)
        causes = {"unresolved_label": 1, "no_overlap": 1, "low_iou": 1, "wrong_label": 1, "duplicate": 1}
        assert report["fp_breakdown"] == causes
        assert sum(causes.values()) == report["counts"]["fp"]
        rows = [(row["index"], row["cause"]) for row in report["unmatched_pred"]]
        assert rows == [
            (1, "duplicate"),
            (2, "wrong_label"),
            (3, "low_iou"),
            (4, "no_overlap"),
            (5, "unresolved_label"),
        ]

    def test_range_is_distance_in_the_ground_plane(self):
        # 3-4-5: the second is 5 away, however high it is
        truth, pred = [box("seat", 1), box("seat", 3, 4, 100)], [box("seat", 1), box("seat", 0, 4)]
        rows = scene(truth, pred, range_buckets="2,5")["range"]
        assert [(row["from_m"], row["to_m"]) for row in rows] == [(0, 2), (2, 5), (5, None)]
        assert [(row["gt"], row["pred"], row["tp"], row["fp"], row["fn"]) for row in rows] == [
            (1, 1, 1, 0, 0),
            (0, 1, 0, 1, 0),
            (1, 0, 0, 0, 1),
        ]
        assert [(row["precision"], row["recall"], row["f1"]) for row in rows] == [(1, 1, 1), (0, None, 0), (None, 0, 0)]


def test_ignored_predictions_leave_all_counts_and_are_told():
    for options in ({"ignore_raw_labels": ["Ghost"]}, {"ignore_raw_contains": ["gho"]}):
        report = scene(TRUTH, PRED, aliases=ALIASES, **options)
        assert (report["counts"]["pred"], report["counts"]["fp"], report["counts"]["ignored"]) == (6, 1, 1)
        assert [row["label"] for row in report["unresolved_labels"]] == ["lamp"]
    report = scene(TRUTH, PRED, ignore_canonical_labels=["seat"])
    assert (report["counts"]["pred"], report["counts"]["ignored"]) == (4, 3)


def test_average_precision_needs_scores():
    truth, pred = [box("seat", 0), box("seat", 9)], [box("seat", 0, score=0.9), box("seat", 5, score=0.8)]
    found = scene(truth, pred)["ap"]
    # half of the objects at precision 1: 51 of the 101 recall levels
    assert found["iou_0.25"] == found["iou_0.50"] == found["distance_0.5"] == near(51 / 101)
    assert list(found)[:5] == ["iou_0.25", "iou_0.50", "distance_0.5", "distance_1.0", "distance_2.0"]
    assert scene(TRUTH, PRED)["ap"] is None


def test_the_dominant_yaw_of_the_truth_can_be_turned_away():
    # turned by 30° they are 0.3 apart along their own axis; straight again, bounds and boxes are the same
    turn = {"yaw": pi / 6}
    truth = [box("seat", 5, 2, size=(2, 1, 1), rotation=turn)]
    pred = [box("seat", 5 + 0.3 * cos(pi / 6), 2 + 0.3 * sin(pi / 6), size=(2, 1, 1), rotation=turn)]
    straight = scene(truth, pred, iou_mode="aabb", frame_normalization="gt_global_yaw")
    assert straight["matches"][0]["iou"] == near(1.7 / 2.3)
    assert scene(truth, pred, iou_mode="aabb")["matches"][0]["iou"] != near(1.7 / 2.3)
    assert straight["geometry_metrics"]["mean_centroid_error_m"] == near(0.3)


class TestArtifact:
    def test_the_keys_of_a_method_to_the_letter(self, room):
        tree = json.loads(room.to_json())["methods"]["pred"]
        assert (tree["suite"], tree["protocol"]) == ("scene", "scene/1")
        named = ["suite", "protocol", "params", "counts", "detection_metrics", "geometry_metrics", "per_class"]
        named += ["fp_breakdown", "range", "ap", "benchmark_compat", "matches", "unmatched_gt", "unmatched_pred"]
        assert [key for key in tree if key in named] == named
        geometry = ["mean_iou_3d", "mean_centroid_error_m", "strict_accuracy", "relaxed_accuracy"]
        geometry += ["strict_precision", "relaxed_precision", "f1_relaxed"]
        for part, names in (("detection_metrics", ["precision", "recall", "f1"]), ("geometry_metrics", geometry)):
            assert list(tree[part]) == [*names, *(f"{name}_interval" for name in names)]
        assert list(tree["counts"]) == ["gt", "pred", "tp", "fp", "fn", "invalid_pred", "ignored"]
        assert list(tree["fp_breakdown"]) == ["unresolved_label", "no_overlap", "low_iou", "wrong_label", "duplicate"]
        keys = ["from_m", "to_m", "gt", "pred", "tp", "fp", "fn", "precision", "recall", "f1"]
        assert [list(row) for row in tree["range"]] == [keys] * 3
        assert {key for key in tree["benchmark_compat"] if not key.endswith("_interval")} == GENERAL | MACRO | OPEN_SET
        keys = ["scene", "gt_index", "pred_index", "iou", "strict", "relaxed", "centroid_error_m"]
        assert [list(row) for row in tree["matches"]] == [keys] * 5
        assert tree["unmatched_gt"] == [{"scene": "scene", "index": 5}]
        assert tree["unmatched_pred"][0] == {"scene": "scene", "index": 5, "cause": "no_overlap"}

    def test_benchmark_compat_repeats_the_general_numbers(self, room):
        for name in GENERAL:
            part = "detection_metrics" if name in ("precision", "recall", "f1") else "geometry_metrics"
            assert room["benchmark_compat"][name] == room[part][name]

    def test_an_invalid_prediction_is_counted_and_says_why(self):
        report = scene([box("seat", 0)], [box("seat", 0, size=(1, 1, 0)), box("seat", 0)])
        assert (report["counts"]["invalid_pred"], report["counts"]["fp"], report["counts"]["tp"]) == (1, 1, 1)
        [row] = report["unmatched_pred"]
        assert row.pop("reason") == "objects[0].size: found [1, 1, 0], expected three positive numbers"
        assert row == {"scene": "scene", "index": 0, "cause": "no_overlap"}

    def test_it_says_what_it_rests_on(self, room):
        params = room["params"]
        assert {"iou_mode", "iou_threshold", "require_label_match", "containment", "rulers", "matching"} <= set(params)
        assert room["records"] == {"read": 1, "evaluated": 1, "skipped": 0, "rejected": 0}
        assert [set(each) for each in room["inputs"]] == [{"path", "sha256", "records"}] * 2

    def test_methods_are_compared_with_intervals_over_scenes(self, tmp_path):
        for name, off in (("gt", 0.0), ("near", 0.1), ("far", 0.4)):
            for room in range(12):
                (tmp_path / name).mkdir(exist_ok=True)
                objects = [box("seat", 5 * k + off * (1 + room % 3) / 3) for k in range(3)]
                (tmp_path / name / f"{room}.json").write_text(json.dumps({"objects": objects}))
        preds = [f"{name}={tmp_path / name}" for name in ("near", "far")]
        report = calipers.scene(str(tmp_path / "gt"), preds)
        assert list(report["methods"]) == ["near", "far"]
        [pair] = report["comparison"]
        found = pair["metrics"]["mean_centroid_error_m"]
        assert (pair["a"], pair["b"], found["difference"]) == ("near", "far", near(0.2))  # (0.3, 0.6, 0.9) / 3 · 1/3
        low, high = found["interval"]
        assert 0 < low < 0.2 < high


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path):
        for name, content in (
            ("gt.json", {"objects": TRUTH}),
            ("ours.json", {"objects": PRED}),
            ("canonical_labels.json", {"canonical_labels": LABELS}),
            ("label_aliases.json", {"aliases": ALIASES}),
        ):
            (tmp_path / name).write_text(json.dumps(content))
        return tmp_path

    def run(self, files, *more):
        args = ["--gt", files / "gt.json", "--pred", files / "ours.json", "--labels", files / "canonical_labels.json"]
        args += ["--aliases", files / "label_aliases.json", *more]
        return CliRunner().invoke(program, ["scene", *map(str, args)], catch_exceptions=False)

    def test_a_folder_has_every_file_that_was_named(self, files):
        pytest.importorskip("matplotlib")
        assert self.run(files, "-o", files / "out").exit_code == 0
        names = {"result.json", "ours.json", "summary.csv", "per_class.csv", "summary.tex", "ours_overlay_xy.svg"}
        plots = ("localization_metrics", "localization_per_class", "per_class_f1", "main_metrics", "fp_breakdown")
        assert names | {f"ours_{plot}.png" for plot in plots} <= {path.name for path in (files / "out").iterdir()}

    def test_the_summary_has_the_columns_of_the_seed_and_one_row_a_method(self, files):
        assert self.run(files, "--pred", f"all={files / 'gt.json'}", "-o", files / "out").exit_code == 0
        rows = list(csv.DictReader(io.StringIO((files / "out" / "summary.csv").read_text())))
        assert [row["method"] for row in rows] == ["ours", "all"]
        assert set(rows[0]) >= GENERAL | MACRO | OPEN_SET
        assert float(rows[0]["f1_relaxed"]) == near(2 * 0.8 * (7 / 12) / (0.8 + 7 / 12))

    def test_the_table_of_classes_has_the_columns_of_the_seed(self, files):
        assert self.run(files, "-o", files / "out").exit_code == 0
        rows = list(csv.DictReader(io.StringIO((files / "out" / "per_class.csv").read_text())))
        columns = "method label tp fp fn precision recall f1 mean_iou_3d strict_accuracy relaxed_accuracy "
        assert list(rows[0]) == [*columns.split(), "mean_centroid_error_m"]
        assert [row["label"] for row in rows] == LABELS

    def test_one_file_holds_the_methods_under_their_names(self, files):
        assert self.run(files, "-o", files / "x.json").exit_code == 0
        tree = json.loads((files / "x.json").read_bytes())
        assert list(tree["methods"]) == ["ours"]
        assert tree["comparison"] == []
        assert not Path(files, "out").exists()


class TestSizes:
    def test_a_size_may_be_called_obb_dimensions(self):
        truth = [{"label": "seat", "center": [0, 0, 0], "obb_dimensions": [2, 1, 1]}]
        graph = [{"id": 1, "label": "seat", "position": [0, 0, 0], "obb_dimensions": {"x": 2, "y": 1, "z": 1}}]
        for pred in (truth, graph):
            assert scene(truth, pred)["geometry_metrics"]["mean_iou_3d"] == 1.0
        both = [truth[0] | {"size": [1, 1, 1]}]
        assert scene(truth, both)["geometry_metrics"]["mean_iou_3d"] == 0.5  # size, where both are given

    def test_rows_of_objects_have_sizes_with_the_height_last(self):
        lying = [{"label": "seat", "center": [0, 0, 0], "size": [3, 1, 2], "rotation": [0, 0.5**0.5, 0, 0.5**0.5]}]
        rows = scene([box("seat", 0, size=[2, 1, 3])], [*lying, box("seat", 9, size=[-1, 1, 1])]).matches()
        assert [row["obb_dimensions"] for row in rows if row["side"] == "gt"] == [[2, 1, 3]]
        height = [row["obb_dimensions"] for row in rows if row["side"] == "pred"]
        assert (height[0][2], sorted(height[0])) == (3, [1, 2, 3])  # its long axis points up
        assert height[1] is None  # invalid
