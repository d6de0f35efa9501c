"""Images that were kept, taken apart for files of parts: 24 bytes a detection, and some more for those with a partner.

Of each detection there are class (4 bytes), score (8), and 12 bytes of flags: ten thresholds in four ranges of area,
twice, and what became of it. Rows stand image by image, so their images are told by counts. What only few rows have,
such as a partner, is written as the rows that have it and their values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.causes import CAUSES, OUTCOMES
from calipers.core.parts import Packed
from calipers.core.text import whole_text
from calipers.core.versions import engines_from
from calipers.files.inputs import InputFile
from calipers.files.problems import BadAnnotation
from calipers.suites.coco.columns import Categories, FewRows, Images
from calipers.suites.coco.kept import NOBODY, KeptImages, KeptSide

Arrays = dict[str, NDArray[Any]]
AREAS, BITS = 4, 10  # most ranges of area, thresholds
FIRST_WORD = 6  # fields of ten bits in it; two more are in the second
FEW = ("match_at", "gets_at")  # columns of few rows that are packed with these
SIDES = ("truth", "pred")


def pack_kept(kept: KeptImages) -> Packed:
    """What was kept as plain values and arrays."""
    images, categories = kept.images, kept.categories
    arrays = {"images": images.ids, "width": images.width, "height": images.height, "categories": categories.ids}
    arrays |= pack_rows(kept).arrays
    plain = {
        "names": [whole_text(name) for name in images.names],
        **({"fields": dict(images.fields), "known": images.known} if images.fields or images.known else {}),
        "categories": [whole_text(name) for name in categories.names],
        "areas": kept.pred.columns["hits"].shape[1],
        "problems": list(kept.problems.items()),
        "last_place": kept.last_place,
        "truth_digest": kept.truth_digest,
        "engines": kept.engines,
        "inputs": [list(entry) for entry in kept.inputs],
        "warnings": [whole_text(warning) for warning in kept.warnings],
        "bad": [pack_bad(bad) for bad in kept.bad],
        "total": kept.total,
        "format": kept.format,
    }
    return Packed(plain, arrays)


def pack_rows(kept: KeptImages) -> Packed:
    """Both sides and the causes of what was kept."""
    arrays = {"causes": kept.causes, **_truth_arrays(kept), **_pred_arrays(kept)}
    return Packed({"areas": kept.pred.columns["hits"].shape[1]}, arrays)


def unpack_rows(packed: Packed, images: int, categories: int) -> tuple[KeptSide, KeptSide, NDArray[np.int64]]:
    """Both sides and the causes of so many images that were packed."""
    arrays = packed.arrays
    truth, pred = (_unpacked_side(arrays, side, images, categories) for side in SIDES)
    truth.columns.update({name: arrays[f"truth.{name}"] for name in ("flags", "outcome", "pair_at")})
    pred.columns.update(_pred_columns(arrays, len(pred), packed.plain["areas"]))
    pred.few.update(_few_rows(arrays, pred.columns["hits"]))
    _check_rows(truth, pred, arrays["causes"], images)
    return truth, pred, arrays["causes"]


def pack_bad(bad: BadAnnotation) -> list[Any]:
    """What is wrong with an annotation as plain values."""
    image = None if bad.image is None else whole_text(bad.image)
    return [whole_text(bad.path), whole_text(bad.name), bad.id, whole_text(bad.problem), image]


def _side(side: KeptSide, name: str, images: int) -> Arrays:
    arrays = {"counts": np.bincount(side.image, minlength=images).astype(np.int32), "category": side.category}
    arrays |= {"area": side.columns["area"]} if "area" in side.columns else {}
    return {f"{name}.{key}": array for key, array in arrays.items()}


def _truth_arrays(kept: KeptImages) -> Arrays:
    columns = {f"truth.{name}": kept.truth.columns[name] for name in ("flags", "outcome", "pair_at")}
    return _side(kept.truth, "truth", len(kept.images)) | columns


def _pred_arrays(kept: KeptImages) -> Arrays:
    columns = kept.pred.columns
    first, second = _words(columns)
    arrays = {"score": columns["score"], "first": first, "second": second}
    for name in FEW:
        arrays |= {f"{name}.rows": kept.pred.few[name].rows, name: kept.pred.few[name].values}
    placed = np.flatnonzero(columns["place"])
    arrays |= {"place.rows": placed.astype(np.int32), "place": columns["place"][placed]}
    arrays |= {name: kept.pred.few[name].values for name in ("match_score", "overlap")}
    if "uncut" in columns:
        arrays["uncut"] = columns["uncut"].view(np.int16)
    return _side(kept.pred, "pred", len(kept.images)) | {f"pred.{name}": array for name, array in arrays.items()}


def _words(columns: Arrays) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """All flags of each detection in 64 and 32 bits."""
    fields = [columns[name][:, at] for name in ("hits", "ignored") for at in range(columns["hits"].shape[1])]
    fields += [np.zeros(len(columns["flags"]), np.uint16)] * (2 * AREAS - len(fields))
    first, second = np.zeros(len(columns["flags"]), np.int64), np.zeros(len(columns["flags"]), np.int32)
    for at, field in enumerate(fields[:FIRST_WORD]):
        first |= field.astype(np.int64) << BITS * at
    for at, field in enumerate(fields[FIRST_WORD:]):
        second |= field.astype(np.int32) << BITS * at
    second |= columns["flags"].astype(np.int32) << 20
    second |= (columns["outcome"].astype(np.int32) + 1) << 24
    second |= (columns["cause"].astype(np.int32) + 1) << 28
    return first, second


def _from_words(first: NDArray[np.int64], second: NDArray[np.int32], areas: int) -> Arrays:
    fields = [first >> BITS * at for at in range(FIRST_WORD)] + [second >> BITS * at for at in range(2)]
    tables = np.stack([(field & (1 << BITS) - 1).astype(np.uint16) for field in fields], axis=1)
    return {
        "hits": np.ascontiguousarray(tables[:, :areas]),
        "ignored": np.ascontiguousarray(tables[:, areas : 2 * areas]),
        "flags": (second >> 20 & 15).astype(np.uint8),
        "outcome": ((second >> 24 & 15) - 1).astype(np.int8),
        "cause": ((second >> 28 & 7) - 1).astype(np.int8),
    }


def unpack_kept(packed: Packed) -> KeptImages:
    """The images that were packed."""
    plain, arrays = packed
    images = Images(arrays["images"], plain["names"], arrays["width"], arrays["height"], plain.get("fields"))
    images.known = tuple(plain.get("known", ()))
    categories = Categories(arrays["categories"], plain["categories"])
    _check_names(images, categories)
    truth, pred, causes = unpack_rows(packed, len(images), len(categories))
    return KeptImages(
        images,
        categories,
        truth,
        pred,
        causes,
        dict(plain["problems"]),
        plain["last_place"],
        plain["truth_digest"],
        engines_from(plain),
        [InputFile(*entry) for entry in plain["inputs"]],
        plain["warnings"],
        [BadAnnotation(*fault) for fault in plain["bad"]],
        plain["total"],
        plain["format"],
    )


def _unpacked_side(arrays: Arrays, name: str, images: int, categories: int) -> KeptSide:
    counts, category = arrays[f"{name}.counts"], arrays[f"{name}.category"]
    if counts.shape != (images,) or counts.sum() != len(category) or (counts < 0).any():
        raise ValueError("columns that do not belong together")
    if len(category) and not 0 <= category.min() <= category.max() < categories:
        raise ValueError(f"a code from {category.min()} to {category.max()}, expected 0 to {categories - 1}")
    area = {"area": arrays[f"{name}.area"]} if f"{name}.area" in arrays else {}
    return KeptSide(np.repeat(np.arange(images, dtype=np.int32), counts), category, area, {})


def _pred_columns(arrays: Arrays, rows: int, areas: int) -> Arrays:
    columns = {"score": arrays["pred.score"]} | _from_words(arrays["pred.first"], arrays["pred.second"], areas)
    places, where = arrays["pred.place"], arrays["pred.place.rows"]
    columns["place"] = np.broadcast_to(np.array(0, places.dtype), rows)
    if len(where):
        columns["place"] = columns["place"].copy()
        columns["place"][where] = places
    if "pred.uncut" in arrays:
        columns["uncut"] = arrays["pred.uncut"].view(np.uint16)
    return columns


def _few_rows(arrays: Arrays, hits: NDArray[np.uint16]) -> dict[str, FewRows]:
    few = {name: FewRows(arrays[f"pred.{name}.rows"], arrays[f"pred.{name}"]) for name in FEW}
    few["match_score"] = FewRows(few["match_at"].rows, arrays["pred.match_score"])
    few["overlap"] = FewRows(np.flatnonzero(hits[:, 0] & 1).astype(np.int32), arrays["pred.overlap"])
    return few


def _check_names(images: Images, categories: Categories) -> None:
    for names, *columns in (
        (images.names, images.ids, images.width, images.height),
        (categories.names, categories.ids),
    ):
        if not isinstance(names, list) or any(column.shape != (len(names),) for column in columns):
            raise ValueError("names that do not belong to their ids")
    if any(len(values) != len(images) for values in images.fields.values()):
        raise ValueError("fields that do not belong to their images")


def _check_rows(truth: KeptSide, pred: KeptSide, causes: NDArray[np.int64], images: int) -> None:
    """Check what the rest relies on: columns of one length, and places of partners that are on the same image."""
    sizes, others = (np.bincount(side.image, minlength=images) for side in (truth, pred))
    for side in (truth, pred):
        if any(len(column) != len(side) for column in side.columns.values()):
            raise ValueError("columns that do not belong together")
    for name, few in pred.few.items():
        _check_few(name, few, len(pred))
    places = truth.columns["pair_at"]
    if ((places < NOBODY) | (places >= others[truth.image])).any():
        raise ValueError("pair_at: a partner that is not on the image")
    for name in FEW:
        rows, places = pred.few[name]
        if ((places < 0) | (places >= sizes[pred.image[rows]])).any():
            raise ValueError(f"{name}: a partner that is not on the image")
    for side in (truth, pred):
        if (side.columns["outcome"] >= len(OUTCOMES)).any() or (side.columns["outcome"] < -1).any():
            raise ValueError("an outcome that is none")
    if (pred.columns["cause"] >= len(CAUSES)).any() or causes.shape[1:] != (images,):
        raise ValueError("causes that do not belong to their images")


def _check_few(name: str, few: FewRows, rows: int) -> None:
    if len(few.rows) != len(few.values):
        raise ValueError(f"{name}: {len(few.values)} values of {len(few.rows)} rows")
    if len(few.rows) and not (few.rows[0] >= 0 and few.rows[-1] < rows and (np.diff(few.rows) > 0).all()):
        raise ValueError(f"{name}: rows that do not ascend from 0 to {rows - 1} at most")
