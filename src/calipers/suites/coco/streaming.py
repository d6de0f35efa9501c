"""Detections that come with all that is on their images: each update is measured at once, and only flags are kept.

Matching is local to an image, so images that come with all their detections are done with once they were matched: what
is kept of them is what a tally holds, 24 bytes a detection, without boxes and masks. Ranks are made when the report is
asked for. Rows are numbered through all updates, as if they had been given at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError
from calipers.core.parts import Packed
from calipers.files.inputs import InputFile
from calipers.files.problems import BadAnnotation
from calipers.suites.coco.annotations.federated import ABSENT, OPTION, PARTIAL
from calipers.suites.coco.annotations.images import Dataset, read_dataset, read_id
from calipers.suites.coco.annotations.instances import kept_images
from calipers.suites.coco.annotations.repeats import Notice, SideNotices, all_invalid, first_problem, join_notices
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config
from calipers.suites.coco.formats.rows import Origin
from calipers.suites.coco.image_fields import add_fields
from calipers.suites.coco.joining import Moved, counted_on, join_rows
from calipers.suites.coco.kept import KeptImages, keep_images
from calipers.suites.coco.measure import match_images
from calipers.suites.coco.overlaps import hotcoco_version
from calipers.suites.coco.packing import pack_rows, unpack_rows
from calipers.suites.coco.slices import image_fields

ORIGINS = Origin("<gt>", "annotations"), Origin("<pred>", "")
SHOWN_FIELDS = ("file_name", "width", "height")


class StreamedPart(NamedTuple):
    """What is kept of an update."""

    rows: Packed
    images: list[dict[str, Any]]  # all that came: their ids, and the fields that are needed at the end
    fields: frozenset[str]  # that images have
    kept: NDArray[np.int64]  # (images that stay,) ids, ascending
    categories: NDArray[np.int64]  # (categories,) ids, ascending
    problems: dict[int, str]
    notices: SideNotices
    bad: list[BadAnnotation]
    first_problem: tuple[int, str] | None
    annotations: int  # how many came
    results: int
    has_scores: bool | None  # None without detections

    def renumbered(self, new: Mapping[int, int]) -> StreamedPart:
        """The part with other ids for its images, which ascend as they did."""
        images = [{**image, "id": new.get(image["id"], image["id"])} for image in self.images]
        kept = np.array([new.get(ident, ident) for ident in self.kept.tolist()], np.int64)
        return self._replace(images=images, kept=kept)


def stream_part(gt: Mapping[str, Any], results: list[Any], detections: Detections, config: Config) -> StreamedPart:
    """An update, measured."""
    images = gt["images"]
    if not config.ignore_federated and any(ABSENT in image or PARTIAL in image for image in images):
        raise InputError(f"update: gt: images have {ABSENT}, which a meter that streams does not take ({OPTION})")
    kept, pred = keep_images(match_images(detections, config)), detections.pred
    names = {*SHOWN_FIELDS, *image_fields(config)}
    return StreamedPart(
        pack_rows(kept),
        [
            {"id": read_id(image, "images", "an image"), **{name: image[name] for name in names if name in image}}
            for image in images
        ],
        frozenset(str(name) for image in images for name in image) if image_fields(config) else frozenset(),
        detections.images.ids,
        detections.categories.ids,
        kept.problems,
        detections.notices,
        detections.bad,
        first_problem(pred) if pred.problems else None,
        len(gt["annotations"]),
        len(results),
        bool(np.isfinite(pred.score).any()) if len(pred) else None,
    )


def check_scores(parts: Iterable[StreamedPart]) -> None:
    """Refuse detections without scores beside others: whether they are wrong depends on all of them."""
    if {part.has_scores for part in parts} >= {True, False}:
        raise InputError("update: none of the detections has a score, expected scores as in other updates, or none")


def join_parts(parts: list[StreamedPart], categories: Mapping[int, str], config: Config) -> KeptImages:
    """All updates as the images of one run."""
    entries = [image for part in parts for image in part.images]
    lists = {"images": entries, "categories": [{"id": ident, "name": name} for ident, name in categories.items()]}
    data = read_dataset(lists, ORIGINS[0].path)
    images = kept_images(data.images, np.isin(data.images.ids, np.concatenate([part.kept for part in parts])))
    if fields := image_fields(config):
        add_fields(images, entries, fields)
        images.known = tuple(sorted({name for part in parts for name in part.fields}))
    sides, causes = _moved(parts, images.ids, data.categories.ids)
    truth, (pred, order) = join_rows(sides[0])[0], join_rows(sides[1])
    last_places = np.array([part.results - 1 for part in parts])
    pred.columns["place"] = counted_on([moved.rows.columns["place"] for moved in sides[1]], last_places)[order]
    problems = _problems(parts, sides[1], order)
    return KeptImages(
        images,
        data.categories,
        truth,
        pred,
        causes,
        problems,
        int((last_places + 1).sum()) - 1,
        "",
        hotcoco_version() if config.iou_type == "segm" else {},
        [InputFile("<gt>", None, len(entries)), InputFile("<pred>", None, sum(part.results for part in parts))],
        _warnings(parts, data, all_are_invalid=len(problems) == len(pred), detections=len(pred)),
        _bad(parts),
        len(entries),
        "coco",
    )


def _moved(parts: list[StreamedPart], ids: Any, classes: Any) -> tuple[tuple[list[Moved], list[Moved]], Any]:
    """Both sides of all parts with their places among all images and classes, and the causes of all images."""
    sides: tuple[list[Moved], list[Moved]] = ([], [])
    unpacked = [unpack_rows(part.rows, len(part.kept), len(part.categories)) for part in parts]
    causes = np.zeros((len(unpacked[0][2]), len(ids)), np.int64)
    for part, (truth, pred, own) in zip(parts, unpacked, strict=True):
        image = np.searchsorted(ids, part.kept).astype(np.int32)
        category = np.searchsorted(classes, part.categories).astype(np.int32)
        for side, rows in zip(sides, (truth, pred), strict=True):
            side.append(Moved(rows, image, category))
        causes[:, image] = own
    return sides, causes


def _problems(parts: list[StreamedPart], pred: list[Moved], order: Any) -> dict[int, str]:
    """What is wrong with detections, by where they are now."""
    firsts = accumulate((len(moved.rows) for moved in pred), initial=0)
    words = {
        first + row: text for part, first in zip(parts, firsts, strict=False) for row, text in part.problems.items()
    }
    return {row: words[at] for row, at in enumerate(order.tolist()) if at in words} if words else {}


def _bad(parts: list[StreamedPart]) -> list[BadAnnotation]:
    """Annotations that cannot be used, by their numbers among all."""
    firsts = accumulate((part.annotations for part in parts), initial=0)
    return [
        BadAnnotation(bad.path, ORIGINS[0].name(first + row), bad.id, bad.problem, bad.image)
        for part, first in zip(parts, firsts, strict=False)
        for row, bad in zip(part.notices.bad_rows, part.bad, strict=True)
    ]


def _warnings(parts: list[StreamedPart], data: Dataset, *, all_are_invalid: bool, detections: int) -> list[str]:
    """Warnings about all updates, as if they had come at once."""
    before = [
        list(accumulate(counts, initial=0))
        for counts in ([part.annotations for part in parts], [part.results for part in parts])
    ]
    joined_notices = [
        join_notices(
            notice._replace(first=notice.first + first)
            for part, first in zip(parts, firsts, strict=False)
            for notice in (part.notices.truth, part.notices.pred)[side]
        )
        for side, firsts in enumerate(before)
    ]
    firsts = [
        (part.first_problem[0] + first, part.first_problem[1])
        for part, first in zip(parts, before[1], strict=False)
        if part.first_problem is not None
    ]
    invalid = [all_invalid(min(firsts), detections, ORIGINS[1])] if firsts and all_are_invalid else []
    return [*data.warnings, *_texts(joined_notices[0], ORIGINS[0]), *invalid, *_texts(joined_notices[1], ORIGINS[1])]


def _texts(notices: list[Notice], origin: Origin) -> list[str]:
    return [notice.text(origin) for notice in notices]
