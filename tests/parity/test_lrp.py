"""Optimal LRP against plain loops over pycocotools' matching, score by score."""

import pytest
from pycocotools import mask as masks

import calipers

from ..profiles import seeds
from . import coco_reference as reference
from .coco_datasets import draw


def overlap(found, det, truth):
    """How close a detection is to its object, as the matcher had it."""
    pred, other = found.cocoDt.anns[det], found.cocoGt.anns[truth]
    return float(masks.iou([pred["bbox"]], [other["bbox"]], [0])[0][0])


def optimal_lrp(found, kind):
    """The best score and its LRP, by trying all scores."""
    objects, dets = 0, []
    for cell in reference._images_of(found, kind):
        if cell is None:
            continue
        objects += sum(not ignored for ignored in cell["gtIgnore"])
        for det, score, match, out in zip(
            cell["dtIds"], cell["dtScores"], cell["dtMatches"][0], cell["dtIgnore"][0], strict=True
        ):
            if not out:
                dets.append((score, overlap(found, det, int(match)) if match > 0 else None))
    best = (None, 1.0) if objects else (None, None)
    for cut in sorted({score for score, _ in dets}, reverse=True) if objects else ():
        fits = [fit for score, fit in dets if score >= cut]
        right = [fit for fit in fits if fit is not None]
        wrong, missed = len(fits) - len(right), objects - len(right)
        lrp = (sum((1 - fit) / 0.5 for fit in right) + wrong + missed) / (len(right) + wrong + missed)
        if lrp < best[1] - 1e-12:
            best = (cut, lrp)
    return best


@pytest.mark.parametrize("seed", seeds(40))
def test_optimal_lrp_is_that_of_plain_loops(seed):
    dataset = draw(seed)
    report = calipers.coco(dataset.truth, dataset.results, bootstrap=0)
    found = reference.evaluated(dataset)
    names = {each["id"]: each["name"] for each in dataset.truth["categories"]}
    for kind, ident in enumerate(found.params.catIds):
        entry = report["calibration"]["per_class"][names[ident]]
        score, lrp = optimal_lrp(found, kind)
        assert entry["optimal_lrp"] == (lrp if lrp is None else pytest.approx(lrp, abs=1e-9))
        assert entry["lrp_optimal_score"] == score
