"""Options of the timeline suite as types, for editors and type checkers.

Made from `calipers.suites.timeline.config.Config` by tests/generated/regenerate.py; not to be changed by hand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict


class TimelineOptions(TypedDict, total=False):
    """Every option of the timeline suite, by keyword.

    Attributes:
        jobs: Processes; the default is all cores, or one where more gain nothing.
        chunk_bytes: Bytes of input that are measured at a time [default: 8388608].
        engine: Where it runs: local, dask or ray [default: local].
        address: The cluster, as tcp://HOST:PORT; without it one is started here.
        resume: Keep finished shards in FILE, and go on from those that are there.
        tally: Write the counts to FILE, for calipers merge.
        max_pairs: Pairs of objects that may be compared; more, and more than 50 an object, are refused [default:
            3000000].
        only: Evaluate only the records whose keys are in FILE, one per line.
        slice: Figures for groups of records by FIELD, FIELD:10,20 or A×B; may be given again.
        attributes: Further fields of records: CSV or JSON lines with a column key.
        transition_tolerance_frames: Frames that matching transitions may be apart; several make a sweep [default: 0].
        min_event_overlap_frames: Frames that two events share at least to match [default: 1].
        fps: Frames a second, where neither file says.
        compliance_gain: Share of speed violations that an advisory prevents, for simulated_speed_violation_reduction
            [default: 0.4].
        simulated_compliance_gain: Another name of compliance_gain.
        idle: The state without an advisory, also of frames without any state [default: outside].
        focus: The state whose intervals are the events [default: inside].
        extent: Evaluate up to the last frame of either side, or of the ground truth: union or gt [default: union].
        ignore_states: States whose runs are left out of edit_score and segmental_f1_*.
        detection_score: Score from which a detection may be a false positive [default: 0.5].
        recall_target: Recall at which and beyond which precision of detections is reported [default: 0.9].
        ocr_window_frames: Frames that a text may be read away from its sign [default: 15].
        top: How many of the worst videos the summary shows; the artifact has all [default: 5].
        max_bad_records: Reject and count up to N videos with malformed ground truth [default: 0].
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
    transition_tolerance_frames: int | str | Sequence[int]
    min_event_overlap_frames: int
    fps: float | None
    compliance_gain: float
    simulated_compliance_gain: float
    idle: str
    focus: str
    extent: str
    ignore_states: str | Sequence[str]
    detection_score: float
    recall_target: float
    ocr_window_frames: int
    top: int
    max_bad_records: int
    bootstrap: int
    seed: int
