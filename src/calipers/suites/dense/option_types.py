"""Options of the dense suite as types, for editors and type checkers.

Made from `calipers.suites.dense.config.Config` by tests/generated/regenerate.py; not to be changed by hand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict


class DenseOptions(TypedDict, total=False):
    """Every option of the dense suite, by keyword.

    Attributes:
        jobs: Processes; the default is all cores, or one where more gain nothing.
        chunk_bytes: Bytes of input that are measured at a time [default: 12582912].
        engine: Where it runs: local, dask or ray [default: local].
        address: The cluster, as tcp://HOST:PORT; without it one is started here.
        resume: Keep finished shards in FILE, and go on from those that are there.
        tally: Write the counts to FILE, for calipers merge.
        max_pairs: Pairs of objects that may be compared; more, and more than 50 an object, are refused [default:
            3000000].
        only: Evaluate only the records whose keys are in FILE, one per line.
        slice: Figures for groups of records by FIELD, FIELD:10,20 or A×B; may be given again.
        attributes: Further fields of records: CSV or JSON lines with a column key.
        tube_tolerance: How far from a line its tube reaches, and how near counts for coverage, in norm1000 units
            [default: 8.0].
        primary_threshold: Overlap threshold of the summary, above 0 to 1; need not be in the sweep [default: 0.5].
        thresholds: Overlap thresholds of the sweep, ascending [default: 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85,
            0.9, 0.95].
        modes: Label modes to report [default: localization, phase, category].
        top: How many labels the summary shows; the artifact has all [default: 25].
        label_key: Key whose value is the label [default: 类别].
        free_text_keys: Keys whose value is free text [default: 文本, 备注].
        mapping: JSON file with umbrella phases and known keys.
        frame: Coordinates of the records: norm1000 or pixel [default: norm1000].
        answers: Predictions are answers of this family: auto, json, qwen2, qwen2.5, qwen3, gemini, internvl, paligemma,
            florence, kosmos, deepseek, molmo.
        pred_field: Field of the records that holds the answer of a model.
        max_bad_records: Reject and count up to N records that cannot be read [default: 0].
        max_work: Refuse records that take more steps for each number of their shapes [default: 1000].
        max_text: Refuse records with a longer desc, in characters [default: 100000].
        max_expansion: Refuse compressed input that grows to more times its size; 64 MiB are always allowed [default:
            100].
        bootstrap: Replicates for the intervals; 0 is none [default: 1000].
        seed: Seed of the replicates [default: 0].
    """

    jobs: int | None
    chunk_bytes: int
    engine: str
    address: str | None
    resume: str | os.PathLike[str] | None
    tally: str | os.PathLike[str] | None
    max_pairs: int
    only: str | os.PathLike[str] | None
    slice: str | Sequence[str]
    attributes: str | os.PathLike[str] | None
    tube_tolerance: float
    primary_threshold: float
    thresholds: float | str | Sequence[float]
    modes: str | Sequence[str]
    top: int
    label_key: str
    free_text_keys: str | Sequence[str]
    mapping: str | os.PathLike[str] | None
    frame: str
    answers: str | None
    pred_field: str | None
    max_bad_records: int
    max_work: int
    max_text: int
    max_expansion: int
    bootstrap: int
    seed: int
