"""Options of the scene suite as types, for editors and type checkers.

Made from `calipers.suites.scene.config.Config` by tests/generated/regenerate.py; not to be changed by hand.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypedDict


class SceneOptions(TypedDict, total=False):
    """Every option of the scene suite, by keyword.

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
        labels: The classes (JSON), else the labels of the ground truth.
        aliases: Aliases and contains-rules (JSON).
        learned_aliases: Further aliases, which give way to those (JSON).
        embed: Resolve remaining labels by a sentence model: that of the extra embed, or one by its name or folder
            [default: False].
        embed_min: Similarity from which the model's answer is taken, from -1 to 1 [default: 0.5].
        write_aliases: Save what the model resolved; needs embed.
        iou_mode: Overlap of oriented boxes, or of their axis-aligned bounds: obb or aabb [default: obb].
        iou_threshold: Least IoU of a match [default: 0.1].
        require_label_match: Only boxes of one class may match [default: False].
        containment: A centre lies in the axis-aligned bounds, or in the box itself: aabb or obb [default: aabb].
        frame_normalization: Turn scenes by the dominant yaw of their ground truth first, or not: none or gt_global_yaw
            [default: none].
        range_buckets: Limits of distance in metres, ascending [default: 2.0, 4.0].
        open_set: Measure osR, osP and F1_os [default: True].
        os_similarity_threshold: Similarity from which a prediction is relevant to a task [default: 0.9].
        os_min_iou: Least IoU of a match in the open set; 0 is any overlap [default: 0.0].
        ap_distance: AP by distance in space, or on the ground as nuScenes has it: 3d or ground_plane [default: 3d].
        protocol: Definitions that the open-set figures follow: calipers or clio [default: calipers].
        label_source: Which label of a scene graph counts: prefer_retrieved_else_label or label [default:
            prefer_retrieved_else_label].
        ignore_raw_labels: Leave out predictions with these labels.
        ignore_raw_contains: Leave out predictions whose labels contain one of these texts.
        ignore_canonical_labels: Leave out predictions of these classes.
        max_comparisons: Comparisons of unresolved labels with names, for suggestions [default: 50000000].
        max_methods: Methods of a run: every two of them are compared [default: 100].
        top: How many classes and labels the summary shows; the artifact has all [default: 8].
        max_bad_records: Reject and count up to N scenes that cannot be read [default: 0].
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
    labels: str | os.PathLike[str] | Sequence[str] | None
    aliases: str | os.PathLike[str] | Mapping[str, str] | None
    learned_aliases: str | os.PathLike[str] | Mapping[str, str] | None
    embed: object
    embed_min: float
    write_aliases: str | os.PathLike[str] | None
    iou_mode: str
    iou_threshold: float
    require_label_match: bool
    containment: str
    frame_normalization: str
    range_buckets: float | str | Sequence[float]
    open_set: bool
    os_similarity_threshold: float
    os_min_iou: float
    ap_distance: str
    protocol: str
    label_source: str
    ignore_raw_labels: str | Sequence[str]
    ignore_raw_contains: str | Sequence[str]
    ignore_canonical_labels: str | Sequence[str]
    max_comparisons: int
    max_methods: int
    top: int
    max_bad_records: int
    bootstrap: int
    seed: int
