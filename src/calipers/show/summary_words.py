"""What the words mean that summaries and comparisons print beside their figures."""

from __future__ import annotations

MEANINGS = {
    "fix first": "causes of errors by what they are worth, the largest first",
    "worth": "what a figure would gain: F1 if every error of a cause were right, minus F1; of a slice, the headline "
    "of all if the slice were as good as the rest, minus the headline",
    "where it goes wrong": "how many errors have which cause; no object has two",
    "most confused": "pairs of labels of objects in the same place, the most frequent first",
    "counts": "how many are predicted on a record beside how many there are, whichever they are: MAE, over, under",
    "MAE": "mean absolute error: of counts, the mean over records of |predicted − true objects|",
    "over": "the share of records with more predicted than true objects",
    "under": "the share of records with fewer predicted than true objects",
    "ties": "the share of detections with the score of another one of their class: AP depends on the order of these",
    "absent classes": "classes with detections and without ground truth: AP leaves them out",
    "cut by max_dets": "detections beyond the best so many of a class on an image, which AP leaves out",
    "score-free sweep": "precision, recall and F1 of all detections, whatever their scores, over IoU thresholds",
    "calibration": "how far scores are from precision (ECE), and the best of the scores 0.05, 0.10 … 0.95 to cut at",
    "interval": "where a figure lies with 95 % confidence, by a bootstrap over records: those of other data like these",
    "95 % intervals": "where a figure lies with 95 % confidence, by a bootstrap over records",
    "95 % of Δ": "the 95 % interval of a difference, by a bootstrap over the records that both results have",
    "sure": "that a difference is not chance: its 95 % interval does not reach 0; over all slices, by Benjamini "
    "and Hochberg at 5 %",
    "cannot tell": "the data do not decide: the 95 % interval of the difference reaches 0, or there is none",
    "group": "of a ranking: results that share a letter cannot be told apart; of figures: a label mode or a method",
    "best": "of a ranking: the share of replicates in which a result is the best",
    "crowd": "a region of many objects (iscrowd): detections in it are neither right nor wrong",
    "slice": "the records, or objects, that have one value of a field, measured by themselves and beside the rest",
}
