"""Suspects of every suite, worked out by hand: one reason at a time, and the laws of the list."""

import json
import random
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.show.folder import write_folder

pytestmark = pytest.mark.usefixtures("without_plots")

COLUMNS = ["key", "side", "index", "result", "reason", "label", "suggested", "score"]


def box(label, x, y, width=100, height=100):
    return {"type": "bbox_2d", "points": [x, y, x + width, y + height], "desc": f"类别={label}"}


def line(label, *points):
    return {"type": "line", "points": list(points), "desc": f"类别={label}"}


@pytest.fixture
def dense(tmp_path):
    """Writes the folder of a run over records (key, ground truth, predictions)."""

    def write(name, *records, **options):
        listed = [{"id": key, "gt_norm1000": list(truth), "pred_norm1000": list(pred)} for key, truth, pred in records]
        write_folder(str(tmp_path / name), calipers.dense(listed, bootstrap=0, **options))
        return tmp_path / name

    return write


@pytest.fixture
def coco(tmp_path):
    """Writes the folder of a run over images: annotations and detections are (image, class, box, score)."""

    def write(name, truth, preds, **options):
        names = sorted({row[1] for row in (*truth, *preds)})
        images = sorted({row[0] for row in (*truth, *preds)})
        gt = {
            "images": [{"id": image, "file_name": f"{image}.jpg", "width": 1000, "height": 1000} for image in images],
            "categories": [{"id": k, "name": label} for k, label in enumerate(names, 1)],
            "annotations": [
                {"id": k, "image_id": image, "category_id": names.index(label) + 1, "bbox": list(place)}
                for k, (image, label, place, *_) in enumerate(truth, 1)
            ],
        }
        results = [
            {"image_id": image, "category_id": names.index(label) + 1, "bbox": list(place), "score": score}
            for image, label, place, score in preds
        ]
        write_folder(str(tmp_path / name), calipers.coco(gt, results, bootstrap=0, **options))
        return tmp_path / name

    return write


def cuboid(label, x, y, size=1.0, **more):
    return {"label": label, "center": [x, y, 0.5], "size": [size, 1.0, 1.0], **more}


@pytest.fixture
def scene(tmp_path):
    def write(name, truth, pred, **options):
        report = calipers.scene({"room": {"objects": truth}}, {"room": {"objects": pred}}, bootstrap=0, **options)
        write_folder(str(tmp_path / name), report)
        return tmp_path / name

    return write


def intervals(*states):
    """Annotated intervals of one video."""
    return [{"state": state, "start": start, "end": end} for state, start, end in states]


def rows_of(*folders, **options):
    return calipers.suspects(*folders, **options)["rows"]


def short(rows):
    return [(row["reason"], row["key"], row["side"], row["index"], row["label"], row["suggested"]) for row in rows]


# Wrong labels


class TestWrongLabel:
    #  cat |----------|        the prediction covers 95 of 100 rows, under another label
    TRUTH = (box("cat", 0, 0), box("dog", 300, 0), box("dog", 500, 0))

    def test_a_pair_at_an_overlap_of_0_9(self, dense):
        preds = [box("dog", 0, 0, 100, 95), box("dog", 300, 0), box("dog", 500, 0)]
        assert rows_of(dense("run", ("a", list(self.TRUTH), preds))) == [
            {
                "key": "a",
                "side": "gt",
                "index": 0,
                "result": None,
                "reason": "wrong_label",
                # overlap 0.95; two of three predicted dogs are right, with one more 3 of 4
                "label": "cat",
                "suggested": "dog",
                "score": round(0.95 * 3 / 4, 6),
            }
        ]

    def test_not_below_it(self, dense):
        preds = [box("dog", 0, 0, 100, 89), box("dog", 300, 0), box("dog", 500, 0)]
        assert rows_of(dense("run", ("a", list(self.TRUTH), preds))) == []

    def test_an_overlap_of_exactly_0_9_is_enough(self, dense):
        preds = [box("dog", 0, 0, 100, 90), box("dog", 300, 0), box("dog", 500, 0)]
        assert [row["score"] for row in rows_of(dense("run", ("a", list(self.TRUTH), preds)))] == [0.675]  # 0.9 · 3/4

    def test_a_result_that_agrees_with_the_annotation_halves_the_score(self, dense):
        one = dense("one", ("a", list(self.TRUTH), [box("dog", 0, 0), *self.TRUTH[1:]]))
        two = dense("two", ("a", list(self.TRUTH), list(self.TRUTH)))
        assert [row["score"] for row in rows_of(one, two)] == [0.375]  # (1 · 3/4 + 0) / 2

    def test_a_result_that_misses_the_object_says_nothing(self, dense):
        one = dense("one", ("a", list(self.TRUTH), [box("dog", 0, 0), *self.TRUTH[1:]]))
        two = dense("two", ("a", list(self.TRUTH), list(self.TRUTH[1:])))
        assert [row["score"] for row in rows_of(one, two)] == [0.75]

    def test_the_label_that_most_results_say_is_suggested(self, dense):
        labels = {"one": "dog", "two": "cow", "three": "cow"}
        folders = [
            dense(name, ("a", list(self.TRUTH), [box(label, 0, 0), *self.TRUTH[1:]])) for name, label in labels.items()
        ]
        # two of three say cow, of which none is right elsewhere: trust 1/2 each
        assert [(row["suggested"], row["score"]) for row in rows_of(*folders)] == [("cow", round(2 * 0.5 / 3, 6))]

    def test_a_prediction_without_a_label_suggests_nothing(self, dense):
        nameless = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": ""}
        assert rows_of(dense("run", ("a", list(self.TRUTH), [nameless, *self.TRUTH[1:]]))) == []

    def test_detections_by_their_scores(self, coco):
        truth = [(1, "cat", (0, 0, 100, 100)), (1, "dog", (300, 0, 100, 100)), (2, "dog", (0, 0, 50, 50))]
        preds = [
            (1, "dog", (0, 0, 100, 100), 0.8),
            (1, "dog", (300, 0, 100, 100), 0.9),
            (2, "dog", (0, 0, 50, 50), 0.7),
        ]
        rows = rows_of(coco("run", truth, preds))
        assert short(rows) == [("wrong_label", "1.jpg", "gt", 0, "cat", "dog")]
        assert rows[0]["score"] == 0.6  # 1 · 3/4 · 0.8

    def test_an_index_of_detections_counts_the_objects_of_its_image(self, coco):
        truth = [(1, "dog", (0, 0, 50, 50)), (2, "dog", (500, 0, 50, 50)), (2, "cat", (0, 0, 100, 100))]
        preds = [(1, "dog", (0, 0, 50, 50), 0.7), (2, "dog", (500, 0, 50, 50), 0.7), (2, "dog", (0, 0, 100, 100), 0.7)]
        assert short(rows_of(coco("run", truth, preds))) == [("wrong_label", "2.jpg", "gt", 1, "cat", "dog")]

    def test_boxes_of_scenes(self, scene):
        truth = [cuboid("chair", 0, 0), cuboid("table", 3, 0)]
        rows = rows_of(scene("run", truth, [cuboid("table", 0, 0), cuboid("table", 3, 0)]))
        assert short(rows) == [("wrong_label", "room", "gt", 0, "chair", "table")]
        assert rows[0]["score"] == round(2 / 3, 6)  # one of two tables is right, with one more 2 of 3


# Predictions without an annotation


class TestNotAnnotated:
    TRUTH = (box("cat", 0, 0),)

    def test_what_every_result_predicts(self, dense):
        one = dense("one", ("a", self.TRUTH, [box("cat", 0, 0), box("dog", 500, 500)]))
        two = dense("two", ("a", self.TRUTH, [box("dog", 500, 500, 100, 80), box("cat", 0, 0)]))
        assert rows_of(one, two) == [
            {
                "key": "a",
                "side": "pred",
                "index": 1,
                "result": "one",
                "reason": "not_annotated",
                "label": "dog",
                "suggested": "dog",
                "score": 0.8,
            }
        ]

    def test_not_what_one_of_them_lacks(self, dense):
        one = dense("one", ("a", self.TRUTH, [box("cat", 0, 0), box("dog", 500, 500)]))
        two = dense("two", ("a", self.TRUTH, [box("cat", 0, 0)]))
        assert rows_of(one, two) == []

    @pytest.mark.parametrize(("height", "count"), [(70, 1), (69, 0)])
    def test_they_agree_from_an_overlap_of_0_7(self, dense, height, count):
        one = dense("one", ("a", self.TRUTH, [*self.TRUTH, box("dog", 500, 500)]))
        two = dense("two", ("a", self.TRUTH, [*self.TRUTH, box("dog", 500, 500, 100, height)]))
        assert len(rows_of(one, two)) == count

    def test_different_labels_agree_less(self, dense):
        folders = [
            dense(name, ("a", self.TRUTH, [*self.TRUTH, box(label, 500, 500)]))
            for name, label in (("one", "dog"), ("two", "cow"), ("three", "dog"))
        ]
        assert [(row["suggested"], row["score"]) for row in rows_of(*folders)] == [("dog", round(2 / 3, 6))]

    def test_a_place_has_one_row_though_a_result_predicts_it_twice(self, dense):
        one = dense("one", ("a", self.TRUTH, [*self.TRUTH, box("dog", 500, 500), box("dog", 500, 500, 100, 95)]))
        two = dense("two", ("a", self.TRUTH, [*self.TRUTH, box("dog", 500, 500)]))
        assert [(row["result"], row["index"]) for row in rows_of(one, two)] == [("one", 1)]

    def test_one_result_without_scores_says_nothing_and_that_is_said(self, dense):
        found = calipers.suspects(dense("one", ("a", self.TRUTH, [*self.TRUTH, box("dog", 500, 500)])))
        assert found["rows"] == []
        assert "one result without scores" in str(found)

    def test_lines_agree_as_tubes(self, dense):
        extra = line("wire", 0, 900, 1000, 900)
        one = dense("one", ("a", self.TRUTH, [*self.TRUTH, extra]))
        two = dense("two", ("a", self.TRUTH, [*self.TRUTH, line("wire", 1000, 900, 0, 900)]))
        assert short(rows_of(one, two)) == [("not_annotated", "a", "pred", 1, "wire", "wire")]

    def test_of_one_result_what_is_among_the_top_1_percent(self, coco):
        truth = [(image, "cat", (0, 0, 100, 100)) for image in range(1, 101)]
        preds = [(image, "cat", (0, 0, 100, 100), 0.5 + image / 1000) for image in range(1, 101)]
        extra = [(7, "cat", (500, 500, 100, 100), 0.95), (8, "cat", (500, 500, 100, 100), 0.45)]
        rows = rows_of(coco("run", truth, preds + extra))
        # two of 102 predictions are at the top: 0.95, and 0.6, which is right
        assert short(rows) == [("not_annotated", "7.jpg", "pred", 1, "cat", "cat")]
        assert (rows[0]["score"], rows[0]["result"]) == (0.95, "run")

    def test_of_one_result_sure_predictions_that_are_not_listed_are_counted(self, coco):
        truth = [(image, "cat", (0, 0, 100, 100)) for image in range(1, 101)]
        preds = [(image, "cat", (0, 0, 100, 100), 0.5 + image / 1000) for image in range(1, 101)]
        extra = [(image, "cat", (500, 500, 100, 100), score) for image, score in ((7, 0.95), (8, 0.5), (9, 0.55))]
        low = [(10, "cat", (500, 500, 100, 100), 0.45)]
        found = calipers.suspects(coco("run", truth, preds + extra + low))
        # two of 104 predictions are at the top: 0.95, and 0.6
        note = (
            "only the top 1 % of scores are listed, from 0.6 on; not listed with a score of 0.5 or more: 2. Two or more"
        )
        assert note in str(found)
        again = calipers.suspects(coco("again", truth, preds + extra[:1] + low))
        assert "not listed" not in str(again)

    def test_scores_that_are_all_the_same_put_nothing_at_the_top(self, coco):
        preds = [(1, "cat", (0, 0, 100, 100), 1.0), (1, "cat", (500, 500, 100, 100), 1.0)]
        assert rows_of(coco("run", [(1, "cat", (0, 0, 100, 100))], preds)) == []

    def test_of_several_results_the_surest_prediction_is_named(self, coco):
        truth = [(1, "cat", (0, 0, 100, 100))]
        one = coco("one", truth, [(1, "cat", (0, 0, 100, 100), 0.9), (1, "cat", (500, 500, 100, 100), 0.5)])
        two = coco("two", truth, [(1, "cat", (500, 500, 100, 90), 0.7), (1, "cat", (0, 0, 100, 100), 0.9)])
        rows = rows_of(one, two)
        assert [(row["result"], row["index"], row["score"]) for row in rows] == [("two", 0, 0.54)]  # 0.9 · 0.6

    CAT = ((1, "cat", (0, 0, 100, 100)),)

    def cats(self, score, *others):
        """The annotated cat with a score, and other detections on its image."""
        return [(*self.CAT[0], score), *((1, "dog", place, own) for place, own in others)]

    def test_of_several_results_a_top_score_counts_though_one_of_them_lacks_the_place(self, coco):
        one = coco("one", [*self.CAT, (2, "dog", (0, 0, 9, 9))], self.cats(0.5, ((500, 500, 100, 100), 0.9)))
        two = coco("two", [*self.CAT, (2, "dog", (0, 0, 9, 9))], self.cats(0.4))
        rows = rows_of(one, two)
        assert short(rows) == [("not_annotated", "1.jpg", "pred", 1, "dog", "dog")]
        assert (rows[0]["result"], rows[0]["score"]) == ("one", 0.45)  # 0.9, and one of two results

    def test_not_below_the_top_scores(self, coco):
        one = coco("one", [*self.CAT, (2, "dog", (0, 0, 9, 9))], self.cats(0.95, ((500, 500, 100, 100), 0.9)))
        two = coco("two", [*self.CAT, (2, "dog", (0, 0, 9, 9))], self.cats(0.4))
        assert rows_of(one, two) == []

    def test_a_top_score_counts_by_the_results_that_have_the_place(self, coco):
        truth, place = [*self.CAT, (2, "dog", (0, 0, 9, 9))], (500, 500, 100, 100)
        one = coco("one", truth, self.cats(0.5, (place, 0.8)))
        two = coco("two", truth, self.cats(0.5, ((500, 500, 100, 70), 0.9)))
        three = coco("three", truth, self.cats(0.5))
        rows = rows_of(one, two, three)
        assert [(row["result"], row["score"]) for row in rows] == [("two", 0.6)]  # 0.9 · 2/3, and once

    def test_a_place_that_all_agree_on_is_not_listed_again_for_its_score(self, coco):
        truth, place = [*self.CAT, (2, "dog", (0, 0, 9, 9))], (500, 500, 100, 100)
        one = coco("one", truth, self.cats(0.5, (place, 0.9), ((500, 500, 100, 95), 0.9)))
        two = coco("two", truth, self.cats(0.5, (place, 0.7)))
        assert [(row["result"], row["index"], row["score"]) for row in rows_of(one, two)] == [("one", 1, 0.8)]

    def test_boxes_of_scenes(self, scene):
        truth = [cuboid("chair", 0, 0)]
        one = scene("one", truth, [cuboid("chair", 0, 0), cuboid("chair", 5, 0)])
        two = scene("two", truth, [cuboid("chair", 0, 0), cuboid("chair", 5.1, 0)])
        rows = rows_of(one, two)
        assert short(rows) == [("not_annotated", "room", "pred", 1, "chair", "chair")]
        assert rows[0]["score"] == round(0.9 / 1.1, 6)


# Annotations that nobody finds


class TestNeverFound:
    #   a     b  x  c        d      x is missed; its neighbours are a, b and c
    TRUTH = tuple(box("cat", x, 0, 50, 50) for x in (0, 100, 200, 300, 900))

    def preds(self, *missed):
        return [truth for place, truth in enumerate(self.TRUTH) if place not in missed]

    def test_a_miss_among_neighbours_that_are_found(self, dense):
        rows = rows_of(dense("run", ("a", self.TRUTH, self.preds(2))))
        assert short(rows) == [("never_found", "a", "gt", 2, "cat", None)]
        assert rows[0]["score"] == 0.3  # 4 of 5 cats are found, 3 neighbours, one result: 0.8 · 3/4 · 1/2

    def test_two_results_that_miss_it_are_surer(self, dense):
        folders = [dense(name, ("a", self.TRUTH, self.preds(2))) for name in ("one", "two")]
        assert [row["score"] for row in rows_of(*folders)] == [0.72]  # (1 - 0.2 · 0.2) · 3/4

    def test_not_if_one_result_finds_it(self, dense):
        one = dense("one", ("a", self.TRUTH, self.preds(2)))
        two = dense("two", ("a", self.TRUTH, self.TRUTH))
        assert rows_of(one, two) == []

    def test_not_if_a_neighbour_is_missed_too(self, dense):
        one = dense("one", ("a", self.TRUTH, self.preds(2)))
        two = dense("two", ("a", self.TRUTH, self.preds(2, 3)))
        assert rows_of(one, two) == []

    def test_a_far_object_may_be_missed(self, dense):
        rows = rows_of(dense("run", ("a", self.TRUTH, self.preds(0, 4))))
        # the neighbours of 0 are 1, 2 and 3, and so are those of 4
        assert [row["index"] for row in rows] == [0, 4]
        assert [row["score"] for row in rows] == [0.225, 0.225]  # 0.6 · 3/4 · 1/2

    def test_an_object_without_neighbours_is_not_told(self, dense):
        assert rows_of(dense("run", ("a", [box("cat", 0, 0)], []), ("b", [box("cat", 0, 0)], [box("cat", 0, 0)]))) == []

    def test_a_label_that_is_never_found_is_not_told(self, dense):
        truth = [*self.TRUTH, box("dog", 200, 200)]
        assert rows_of(dense("run", ("a", truth, self.TRUTH))) == []

    def test_detections(self, coco):
        truth = [(1, "cat", (x, 0, 50, 50)) for x in (0, 100, 200, 300, 900)]
        preds = [(*row, 0.9) for place, row in enumerate(truth) if place != 2]
        assert short(rows_of(coco("run", truth, preds))) == [("never_found", "1.jpg", "gt", 2, "cat", None)]

    def test_boxes_of_scenes(self, scene):
        truth = [cuboid("chair", 2 * k, 0) for k in range(5)]
        rows = rows_of(scene("run", truth, [truth[k] for k in (0, 1, 3, 4)]))
        assert short(rows) == [("never_found", "room", "gt", 2, "chair", None)]


# Near duplicates and sizes


class TestNearDuplicate:
    def test_two_annotations_in_one_place(self, dense):
        truth = [box("cat", 0, 0), box("cat", 0, 0, 100, 95)]
        rows = rows_of(dense("run", ("a", truth, [box("cat", 0, 0)])))
        assert short(rows) == [("near_duplicate", "a", "gt", 1, "cat", None)]
        assert rows[0]["score"] == 0.95

    def test_also_where_every_object_is_found(self, dense):
        truth = [box("cat", 0, 0), box("cat", 0, 0)]
        rows = rows_of(dense("run", ("a", truth, truth)))
        assert short(rows) == [("near_duplicate", "a", "gt", 1, "cat", None)]
        assert rows[0]["score"] == 0.5  # both are found: half as likely

    def test_the_one_that_is_not_found(self, dense):
        truth = [box("cat", 0, 0, 100, 95), box("cat", 0, 0)]
        assert [row["index"] for row in rows_of(dense("run", ("a", truth, [box("cat", 0, 0)])))] == [0]

    def test_of_three_in_one_place_two(self, dense):
        rows = rows_of(dense("run", ("a", [box("cat", 0, 0)] * 3, [box("cat", 0, 0)])))
        assert [(row["reason"], row["index"]) for row in rows] == [("near_duplicate", 1), ("near_duplicate", 2)]

    def test_not_under_another_label_or_below_0_9(self, dense):
        other = [box("cat", 0, 0), box("dog", 0, 0)]
        apart = [box("cat", 0, 0), box("cat", 0, 0, 100, 89)]
        assert rows_of(dense("run", ("a", other, other), ("b", apart, apart))) == []

    def test_lines(self, dense):
        truth = [line("wire", 0, 500, 900, 500), line("wire", 900, 500, 0, 500)]
        assert short(rows_of(dense("run", ("a", truth, truth)))) == [("near_duplicate", "a", "gt", 1, "wire", None)]

    def test_detections_on_an_image_without_a_failure(self, coco):
        truth = [(1, "cat", (0, 0, 100, 100)), (2, "cat", (0, 0, 100, 100)), (2, "cat", (0, 0, 100, 100))]
        rows = rows_of(coco("run", truth, [(*row, 0.9) for row in truth]))
        assert short(rows) == [("near_duplicate", "2.jpg", "gt", 1, "cat", None)]

    def test_boxes_of_scenes(self, scene):
        truth = [cuboid("chair", 0, 0), cuboid("chair", 0.02, 0)]
        rows = rows_of(scene("run", truth, truth))
        assert short(rows) == [("near_duplicate", "room", "gt", 1, "chair", None)]
        assert rows[0]["score"] == round(0.98 / 1.02 / 2, 6)


class TestOddSize:
    def records(self, *sizes):
        return [(f"r{k}", [box("cat", 0, 0, size, 100)], [box("cat", 0, 0, size, 100)]) for k, size in enumerate(sizes)]

    def test_far_larger_than_others_of_its_label(self, dense):
        # logarithms of widths: median ln 100, median absolute deviation ln 1.1
        sizes = [90 / 1.1, 90, 100 / 1.1, 100 / 1.1, 100 / 1.1, 100, 100 * 1.1, 100 * 1.1, 100 * 1.1, 125, 900]
        rows = rows_of(dense("run", *self.records(*sizes)))
        assert short(rows) == [("odd_size", "r10", "gt", 0, "cat", None)]
        # z = ln 9 / (1.4826 · 16/11 · ln 1.1) = 2.1972 / 0.20554 = 10.690
        assert rows[0]["score"] == pytest.approx(1 - 2 / 10.690, abs=1e-4)

    def test_far_smaller(self, dense):
        rows = rows_of(dense("run", *self.records(*[100] * 10, 5)))
        assert [(row["reason"], row["key"]) for row in rows] == [("odd_size", "r10")]

    def test_sizes_that_all_but_agree_make_nothing_odd(self, dense):
        assert rows_of(dense("run", *self.records(*[100] * 10, 103))) == []  # within 4 % of the median

    def test_few_objects_of_a_label_tell_nothing(self, dense):
        assert rows_of(dense("run", *self.records(*[100] * 8, 5))) == []

    def test_each_label_by_itself(self, dense):
        small = [(f"s{k}", [box("dog", 0, 0, 5, 5)], [box("dog", 0, 0, 5, 5)]) for k in range(12)]
        assert rows_of(dense("run", *self.records(*[100] * 12), *small)) == []

    def test_lines_by_their_length(self, dense):
        wires = [line("wire", 0, 500, length, 500) for length in (*[400] * 10, 40)]
        rows = rows_of(dense("run", *((f"r{k}", [wire], [wire]) for k, wire in enumerate(wires))))
        assert short(rows) == [("odd_size", "r10", "gt", 0, "wire", None)]

    def test_detections(self, coco):
        truth = [(image, "cat", (0, 0, 100, 100)) for image in range(1, 11)] + [(11, "cat", (0, 0, 900, 900))]
        rows = rows_of(coco("run", truth, [(*row, 0.9) for row in truth]))
        assert short(rows) == [("odd_size", "11.jpg", "gt", 0, "cat", None)]

    def test_boxes_of_scenes_by_their_volume(self, scene):
        truth = [cuboid("chair", 20 * k, 0, size) for k, size in enumerate([1.0] * 10 + [9.0])]
        assert short(rows_of(scene("run", truth, truth))) == [("odd_size", "room", "gt", 10, "chair", None)]


# Laws


class TestLaws:
    def noisy(self, rng, objects):
        """What a model makes of some objects: some lost, some under another label, some moved."""
        preds = []
        for truth in objects:
            x1, y1, x2, y2 = truth["points"]
            label = truth["desc"] if rng.random() < 0.9 else "类别=other"
            shift = rng.choice((0, 0, 1, 4))
            if rng.random() < 0.85:
                preds.append({"type": "bbox_2d", "points": [x1 + shift, y1, x2 + shift, y2], "desc": label})
        return preds + [box("cat", 800, 800)] * (rng.random() < 0.5)

    def made(self, dense, names=("a", "b", "c")):
        rng = random.Random(5)
        truth = [
            [
                box(rng.choice("xyz"), rng.randrange(0, 700), rng.randrange(0, 900), 60, rng.randrange(40, 80))
                for _ in range(6)
            ]
            for _ in range(30)
        ]
        truth = [[*objects, objects[0]] if k % 7 == 0 else objects for k, objects in enumerate(truth)]
        return [
            dense(name, *((f"r{k}", objects, self.noisy(rng, objects)) for k, objects in enumerate(truth)))
            for name in names
        ]

    def test_the_order_of_results_changes_nothing(self, dense):
        folders = self.made(dense)
        first = calipers.suspects(*folders)
        assert first.to_json() == calipers.suspects(*folders[::-1]).to_json()
        assert len(first["rows"]) > 10
        assert {row["reason"] for row in first["rows"]} >= {"wrong_label", "near_duplicate", "not_annotated"}

    def test_one_row_for_each_place_by_score(self, dense):
        rows = rows_of(*self.made(dense))
        places = [(row["key"], row["side"], row["index"], row["result"]) for row in rows]
        assert len(set(places)) == len(places)
        assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
        assert all(list(row) == COLUMNS and 0 < row["score"] <= 1 for row in rows)
        assert all((row["result"] is None) == (row["side"] == "gt") for row in rows)

    def test_a_place_with_two_reasons_has_the_stronger_one(self, dense):
        # the cat is a dog to the model, and its annotation is doubled
        truth = [box("cat", 0, 0), box("cat", 0, 0), *(box("dog", 200 * k, 500) for k in range(4))]
        rows = rows_of(dense("run", ("a", truth, [box("dog", 0, 0), *truth[2:]])))
        assert [(row["reason"], row["index"]) for row in rows] == [("near_duplicate", 1), ("wrong_label", 0)]

    def test_the_top_of_the_list(self, dense):
        folders = self.made(dense)
        assert rows_of(*folders, top=3) == rows_of(*folders)[:3]

    def test_the_same_bytes_from_tables_as_parquet(self, dense, tmp_path):
        pytest.importorskip("pyarrow")
        from calipers.cli.main import calipers as program

        records = [{"id": "a", "gt_norm1000": [box("cat", 0, 0), box("dog", 300, 0)], "pred": [box("dog", 0, 0)]}]
        (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, records)))
        for kind in ("csv", "parquet"):
            arguments = ["dense", str(tmp_path / "d.jsonl"), "-o", str(tmp_path / kind), "--tables", kind]
            program(arguments, standalone_mode=False)
        assert rows_of(f"run={tmp_path / 'csv'}") == rows_of(f"run={tmp_path / 'parquet'}") != []

    def test_records_of_one_key_are_passed_over_and_that_is_said(self, dense):
        truth, pred = [box("cat", 0, 0), box("dog", 300, 0)], [box("dog", 0, 0), box("dog", 300, 0)]
        found = calipers.suspects(dense("run", ("a", truth, pred), ("b", truth, pred), ("a", truth, pred)))
        assert [row["key"] for row in found["rows"]] == ["b"]
        assert "keys of several records, passed over: a" in str(found)

    def test_a_flood_of_annotations_in_one_place_is_passed_over(self, dense):
        flood = [box("cat", 0, 0)] * 3000
        found = calipers.suspects(dense("run", ("a", flood, [box("cat", 0, 0)]), ("b", flood[:2], [])))
        assert [row["key"] for row in found["rows"]] == ["b"]
        assert "too many objects to compare, passed over: a" in str(found)


@pytest.mark.parametrize("suite", ["dense", "coco", "scene"])
def test_no_suspects_where_predictions_are_perfect_and_the_truth_is_clean(suite, request):
    write = request.getfixturevalue(suite)
    rng = random.Random(3)
    if suite == "dense":
        objects = [[box(label, 200 * k, 0, rng.randrange(80, 120)) for k, label in enumerate("xyz")] for _ in range(20)]
        folders = [write(name, *((f"r{k}", own, own) for k, own in enumerate(objects))) for name in ("one", "two")]
    elif suite == "coco":
        truth = [(n, "xyz"[k], (200 * k, 0, rng.randrange(80, 120), 100)) for n in range(1, 20) for k in range(3)]
        folders = [write(name, truth, [(*row, rng.random()) for row in truth]) for name in ("one", "two")]
    else:
        truth = [cuboid("xyz"[k % 3], 3 * k, 0, rng.uniform(0.8, 1.2)) for k in range(30)]
        folders = [write(name, truth, truth) for name in ("one", "two")]
    assert rows_of(*folders) == rows_of(folders[0]) == []


# Videos


class TestTimeline:
    #   frame    0         10        20        30
    #   truth    outside    inside      outside
    #   results  outside      inside    outside        the first boundary is 3 frames later in both

    @pytest.fixture
    def timeline(self, tmp_path):
        def write(name, start, end, truth=(10, 19), **options):
            gt = {"a.mp4": {"inside": [list(truth)], "outside": [[0, truth[0] - 1], [truth[1] + 1, 39]]}}
            pred = {"a.mp4": {"states": {"inside": [[start, end]], "outside": [[0, start - 1], [end + 1, 39]]}}}
            write_folder(str(tmp_path / name), calipers.timeline(gt, pred, bootstrap=0, **options))
            return tmp_path / name

        return write

    def test_a_boundary_that_all_results_shift_alike(self, timeline):
        rows = rows_of(timeline("one", 13, 19), timeline("two", 13, 25))
        assert rows == [
            {
                "key": "a.mp4",
                "side": "gt",
                "index": 0,
                "result": None,
                "reason": "shifted_boundary",
                # two of three · 3 of 4
                "label": "outside → inside",
                "suggested": 13,
                "score": 0.5,
            }
        ]

    def test_not_by_different_offsets(self, timeline):
        assert rows_of(timeline("one", 13, 19), timeline("two", 14, 19)) == []

    def test_not_if_one_result_agrees(self, timeline):
        assert rows_of(timeline("one", 13, 19), timeline("two", 10, 19)) == []

    def test_perfect_predictions_have_none(self, timeline):
        assert rows_of(timeline("one", 10, 19), timeline("two", 10, 19)) == []

    def test_the_second_boundary_earlier(self, timeline):
        rows = rows_of(timeline("one", 10, 15), timeline("two", 10, 15))
        assert short(rows) == [("shifted_boundary", "a.mp4", "gt", 1, "inside → outside", 16)]

    @pytest.mark.parametrize("extent", ["union", "gt"])
    @pytest.mark.parametrize("end", [23, 29, 35])
    def test_the_boundary_behind_the_last_state(self, tmp_path, end, extent):
        """Nothing is said of the frames behind frame 29, which is what ends the state."""
        gt, spans = {"a.mp4": {"inside": [[10, 29]]}}, {"one": end, "two": end}
        for name, last in spans.items():
            pred = {"a.mp4": {"states": {"inside": [[10, last]]}}}
            write_folder(str(tmp_path / name), calipers.timeline(gt, pred, bootstrap=0, extent=extent))
        rows = short(rows_of(tmp_path / "one", tmp_path / "two"))
        is_seen = end < 29 or (end > 29 and extent == "union")
        assert rows == [("shifted_boundary", "a.mp4", "gt", 1, "inside → outside", end + 1)] * is_seen

    def test_results_of_different_lengths_have_the_same_ground_truth(self, tmp_path):
        gt = {"a.mp4": {"inside": [[10, 29]]}}
        for name, last in {"one": 29, "two": 35, "three": 40}.items():
            pred = {"a.mp4": {"states": {"inside": [[15, last]]}}}
            write_folder(str(tmp_path / name), calipers.timeline(gt, pred, bootstrap=0))
        rows = rows_of(*(tmp_path / name for name in ("one", "two", "three")))
        assert short(rows) == [("shifted_boundary", "a.mp4", "gt", 0, "outside → inside", 15)]

    def test_a_tolerance_makes_it_less_likely(self, timeline):
        folders = [timeline(name, 13, 19, transition_tolerance_frames=2) for name in ("one", "two")]
        assert [row["score"] for row in rows_of(*folders)] == [round(2 / 3 * 3 / 6, 6)]

    def test_other_videos_are_refused(self, timeline):
        with pytest.raises(ConfigError, match=r"a\.mp4"):
            rows_of(timeline("one", 13, 19), timeline("two", 13, 19, truth=(11, 19)))


# Methods, names and what is refused


def test_methods_of_one_result_are_results_of_their_own(tmp_path):
    truth = {"room": {"objects": [cuboid("chair", 0, 0)]}}
    (tmp_path / "gt").mkdir()
    (tmp_path / "gt" / "room.json").write_text(json.dumps(truth["room"]))
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        objects = [cuboid("chair", 0, 0), cuboid("chair", 5, 0)]
        (tmp_path / name / "room.json").write_text(json.dumps({"objects": objects}))
    preds = {name: str(tmp_path / name) for name in ("x", "y")}
    write_folder(str(tmp_path / "run"), calipers.scene(str(tmp_path / "gt"), preds, bootstrap=0))
    found = calipers.suspects(tmp_path / "run")
    assert found["results"] == ["x", "y"]
    assert [(row["reason"], row["result"]) for row in found["rows"]] == [("not_annotated", "x")]


def test_results_by_name_and_folders_of_results(dense, tmp_path):
    record = ("a", [box("cat", 0, 0)], [box("cat", 0, 0), box("dog", 500, 500)])
    folders = [dense(f"runs/{name}", record) for name in ("one", "two")]
    by_name = calipers.suspects({"first": folders[0], "second": folders[1]})
    assert by_name["results"] == ["first", "second"]
    assert rows_of(tmp_path / "runs") == rows_of(*folders) == rows_of([str(folder) for folder in folders])
    assert rows_of(calipers.load(folders[0]), folders[1]) == rows_of(*folders)


class TestRefused:
    RECORD = ("a", [box("cat", 0, 0)], [box("cat", 0, 0)])

    def test_an_artifact_alone(self, dense, tmp_path):
        report = calipers.dense([{"id": "a", "gt_norm1000": [], "pred": [box("cat", 0, 0)]}])
        report.save(tmp_path / "kept.json")
        with pytest.raises(ConfigError, match=r"has numbers and no cases.jsonl, expected the folder of a run"):
            calipers.suspects(tmp_path / "kept.json")
        with pytest.raises(ConfigError, match="found Report, expected the folder of a run"):
            calipers.suspects(report)

    def test_a_folder_without_cases(self, dense):
        folder = dense("run", self.RECORD)
        (folder / "cases.jsonl").unlink()
        with pytest.raises(ConfigError, match=r"has numbers and no cases.jsonl, .* calipers dense … -o DIR"):
            calipers.suspects(folder)

    def test_a_folder_without_its_table(self, dense):
        folder = dense("run", self.RECORD)
        (folder / "matches.csv").unlink()
        with pytest.raises(ConfigError, match="has no table of matches"):
            calipers.suspects(folder)

    def test_an_empty_folder(self, tmp_path):
        with pytest.raises(ConfigError, match="has no results"):
            calipers.suspects(tmp_path)

    def test_a_file_of_a_folder_that_is_no_artifact_is_passed_over_and_named(self, dense, tmp_path):
        dense("run", self.RECORD)
        (tmp_path / "classes.json").write_text("{}")
        found = calipers.suspects(tmp_path)
        assert found["results"] == ["run"]
        assert found.facts.notes[-1] == f"{tmp_path / 'classes.json'}: no artifact, passed over"

    def test_a_folder_of_other_files_alone(self, tmp_path):
        (tmp_path / "classes.json").write_text("{}")
        with pytest.raises(ConfigError, match=r"found 0 results \(.*classes.json: no artifact\), expected 1 to 100"):
            calipers.suspects(tmp_path)

    def test_results_of_different_suites(self, dense, scene):
        with pytest.raises(ConfigError, match="protocol: dense/1 in one, scene/1 in two"):
            calipers.suspects(dense("one", self.RECORD), scene("two", [cuboid("chair", 0, 0)], []))

    def test_different_records(self, dense):
        with pytest.raises(ConfigError, match=r"cannot be searched together:\n(.*\n)+\(expected one suite,"):
            calipers.suspects(dense("one", self.RECORD), dense("two", ("a", [], [box("cat", 0, 0)])))

    def test_as_many_annotations_in_other_places(self, dense):
        other = ("a", [box("cat", 300, 0)], [box("cat", 0, 0)])
        with pytest.raises(ConfigError, match="one and two: have not the same annotations"):
            calipers.suspects(dense("one", self.RECORD), dense("two", other))

    def test_another_threshold(self, dense):
        with pytest.raises(ConfigError, match=r"primary_threshold: 0\.5 in one, 0\.6 in two"):
            calipers.suspects(dense("one", self.RECORD), dense("two", self.RECORD, primary_threshold=0.6))

    def test_replicates_do_not_matter(self, dense, tmp_path):
        report = calipers.dense(
            [{"id": "a", "gt_norm1000": [box("cat", 0, 0)], "pred": [box("cat", 0, 0)]}], bootstrap=50
        )
        write_folder(str(tmp_path / "two"), report)
        assert rows_of(dense("one", self.RECORD), tmp_path / "two") == []

    def test_two_results_of_one_name(self, dense):
        folder = dense("run", self.RECORD)
        with pytest.raises(ConfigError, match="two results are called 'run'"):
            calipers.suspects(folder, folder)

    def test_none(self):
        with pytest.raises(ConfigError, match="found 0 results, expected 1 to 100"):
            calipers.suspects()

    @pytest.mark.parametrize("top", [0, -1, 1.5, True, "3"])
    def test_a_top_that_is_no_number(self, dense, top):
        with pytest.raises(ConfigError, match="top: found"):
            calipers.suspects(dense("run", self.RECORD), top=top)

    @pytest.mark.parametrize(
        "line",
        [
            b"not json\n",
            b"[]\n",
            b'{"key": 1}\n',
            b'{"key": "a", "labels": {"pred": {"category": []}}, "unmatched_gt": [{"cause": "wrong_label"}]}\n',
            b'{"key": "a", "labels": {"names": [], "pred": []}, "unmatched_gt": [{"cause": "wrong_label"}]}\n',
            b'{"key": "a", "labels": {"names": [], "pred": [0]}, "unmatched_gt": []}\n',
            b'{"key": "a", "labels": 5, "unmatched_gt": []}\n',
            b"[" * 5000 + b"\n",
        ],
    )
    def test_cases_of_another_shape(self, dense, line):
        folder = dense("run", self.RECORD)
        (folder / "cases.jsonl").write_bytes(line)
        with pytest.raises(InputError, match=r"run: cases.jsonl is not as this version of calipers writes cases"):
            calipers.suspects(folder)

    @pytest.mark.parametrize(
        ("old", "new"), [("0 0 100 100", "0 0 x 100"), (",0,bbox", ",zero,bbox"), ("0 0", "0 nan")]
    )
    def test_a_table_with_other_cells(self, dense, old, new):
        folder = dense("run", self.RECORD)
        text = (folder / "matches.csv").read_text()
        (folder / "matches.csv").write_text(text.replace(old, new, 1))
        with pytest.raises(InputError, match="run: the table of matches: found"):
            calipers.suspects(folder)

    def test_a_table_of_an_older_version(self, dense):
        folder = dense("run", self.RECORD)
        text = (folder / "matches.csv").read_text()
        (folder / "matches.csv").write_text(text.replace("points", "other", 1))
        with pytest.raises(InputError, match="has no column 'points'"):
            calipers.suspects(folder)


# Files and views


class TestFiles:
    @pytest.fixture
    def found(self, dense):
        truth = [box("cat", 0, 0), box("dog", 300, 0), box("dog", 500, 0), box("dog", 500, 0)]
        return calipers.suspects(dense("run", ("=a", truth, [box("dog", 0, 0), *truth[1:]])))

    def test_lines_of_json(self, found, tmp_path):
        found.save(tmp_path / "list.jsonl")
        rows = [json.loads(text) for text in (tmp_path / "list.jsonl").read_text().splitlines()]
        assert rows == found["rows"] == found.rows != []

    def test_a_table_in_which_no_cell_is_a_formula(self, found, tmp_path):
        found.save(tmp_path / "list.csv")
        assert (tmp_path / "list.csv").read_text().splitlines()[:2] == [
            ",".join(COLUMNS),
            "'=a,gt,0,,wrong_label,cat,dog,0.8",  # three of four dogs are right, with one more 4 of 5
        ]

    def test_a_folder_has_all_of_them(self, found, tmp_path):
        found.save(tmp_path / "out")
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
            "suspects.csv",
            "suspects.html",
            "suspects.jsonl",
        ]

    def test_no_other_kind(self, found, tmp_path):
        with pytest.raises(calipers.OutputError, match=r"ends in '.txt', expected .csv, .jsonl, .html, or a folder"):
            found.save(tmp_path / "list.txt")

    def test_nothing_that_was_read_is_changed(self, dense, tmp_path):
        folder = dense("run", ("a", [box("cat", 0, 0)] * 2, [box("dog", 0, 0)]))
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        calipers.suspects(folder).save(tmp_path / "out")
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

    def test_it_reads_like_a_mapping(self, found):
        assert list(found) == ["suspects", "suite", "results", "rows"]
        assert (len(found), found["suspects"], found["suite"]) == (4, "suspects/1", "dense")
        assert repr(found) == "<Suspects dense: 2 places>"

    def test_the_table_of_the_console(self, found):
        note = "one result without scores says nothing about objects that are not annotated; two or more do"
        assert str(found).splitlines() == [
            "2 places to look at   dense · 1 record · 1 result: run",
            "",
            " score  reason          key  side  #  label  suggested  result",
            " 0.800  wrong label     =a   gt    0  cat    dog        —",
            " 0.500  near duplicate  =a   gt    3  dog    —          —",
            "",
            " reasons              1 wrong label · 1 near duplicate",
            f" note                 {note}",
        ]


def test_the_benchmark_has_its_goals():
    text = (Path(__file__).parents[2] / "benchmarks" / "suspects.py").read_text(encoding="utf-8")
    assert 'GOALS = {"flips": 0.8, "deletions": 0.6}' in text
