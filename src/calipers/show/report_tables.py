"""The tables of a result, by name: rows as dicts, which a dataframe takes as they are, and files of them.

`summary` is in every suite: a row a number, with its 95 % interval and the count it rests on. The others are those
that the suite has: thresholds, types and labels; videos and tolerances; methods and classes; confusion. All rows of a
table have the same keys in the same order, and an undefined value is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from calipers.core.errors import ConfigError, require
from calipers.report import Report, Rows
from calipers.results.figures import figures, scene_methods
from calipers.show.latex import latex_table
from calipers.show.markdown import markdown_table
from calipers.show.tables import csv_table
from calipers.suites.coco import tables as coco_tables
from calipers.suites.scene import tables as scene_tables

Tree = Mapping[str, Any]
Columns = list[str]
Table = tuple[Columns, Rows]
RATES = ("precision", "recall", "f1")
SWEPT = ("transition_precision", "transition_recall", "transition_accuracy")
NESTED = ("confusion", "counts")  # of a video; no cell holds them
FORMATS = ("csv", "md", "tex")


def table_names(tree: Tree) -> list[str]:
    """The tables that a result has, the summary first.

    >>> table_names({"suite": "coco"})
    ['summary', 'classes', 'thresholds', 'errors', 'confusion', 'curves']
    """
    left_out = {"tolerances"} if "sweep" not in tree else set()
    return [name for name in TABLES[tree["suite"]] if name not in left_out]


def table(tree: Tree, name: str | None = None) -> Table:
    """A table by its name, the summary without one; a name that is none is an error that says the nearest."""
    known = table_names(tree)
    name = known[0] if name is None else name
    if name not in known:
        near = get_close_matches(str(name), known, n=1, cutoff=0.5)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise ConfigError(f"{name!r} is not a table of this {tree['suite']} result{hint} (known: {', '.join(known)})")
    return TABLES[tree["suite"]][name](tree)


def write_table(result: Tree, name: str | None, format: str) -> bytes:  # noqa: A002
    """A table of a report, or of the tree of one, as the bytes of a file: `csv`, `md` or `tex`."""
    require(format in FORMATS, "format", format, f"one of {', '.join(FORMATS)}")
    columns, rows = table(result.tree if isinstance(result, Report) else result, name)
    if format == "csv":
        return csv_table(columns, rows)
    return (markdown_table if format == "md" else latex_table)(columns, rows).encode()


def _rows(columns: Columns, lines: Iterable[Iterable[Any]]) -> Table:
    return columns, [dict(zip(columns, line, strict=True)) for line in lines]


# In every suite


def _summary(tree: Tree) -> Table:
    found = figures(tree, replicates=False).values()
    lines = ((each.name, each.value, *(each.interval or (None, None)), each.n) for each in found)
    return _rows(["metric", "value", "low", "high", "n"], lines)


def _errors(tree: Tree) -> Table:
    return _rows(["cause", "n"], tree["errors"].items())


# Shapes on images


def _thresholds(tree: Tree) -> Table:
    columns = ["mode", "iou", "gt", "pred", "matched", *RATES]
    modes = tree["modes"].items()
    return columns, [{"mode": mode} | row for mode, found in modes for row in found["thresholds"]]


def _types(tree: Tree) -> Table:
    columns = ["mode", "type", "iou", "gt", "pred", "matched_gt", "matched_pred", *RATES, "mean_f1"]
    rows = [
        {"mode": mode, "type": name} | of_type["primary"] | {"mean_f1": of_type["mean_f1"]}
        for mode, found in tree["modes"].items()
        for name, of_type in found["by_type"].items()
    ]
    return columns, rows


def _labels(tree: Tree) -> Table:
    columns = ["mode", "label", "gt", "pred", "matched", *RATES]
    return columns, [{"mode": mode} | row for mode, found in tree["modes"].items() for row in found["by_label"]]


def _attributes(tree: Tree) -> Table:
    columns = ["key", "gt", "pred", "matched", "accuracy"]
    return columns, [{"key": key} | row for key, row in tree["attributes"]["by_key"].items()]


# States along videos


def videos_of(tree: Tree) -> dict[str, Any]:
    """Every video by name; a report in memory makes all of them at once, faster than one by one."""
    videos = tree["videos"]
    found: dict[str, Any] = videos.as_dict() if hasattr(videos, "as_dict") else dict(videos)
    return found


def _videos(tree: Tree) -> Table:
    videos = videos_of(tree)
    columns = ["video", "error"]
    columns += dict.fromkeys(key for entry in videos.values() for key in entry if key not in (*NESTED, "error"))
    lines = ((name, *(entry.get(key) for key in columns[1:])) for name, entry in videos.items())
    return _rows(columns, lines)


def _tolerances(tree: Tree) -> Table:
    """Precision, recall and accuracy of transitions for every tolerance, with their intervals."""
    ends = [f"{name}_{end}" for name in SWEPT for end in ("low", "high")]
    return _rows(["tolerance_frames", "videos", *SWEPT, *ends], sorted(_swept(tree)))


def _swept(tree: Tree) -> Iterator[tuple[Any, ...]]:
    for tolerance, summary in tree["sweep"].items():
        spans = (summary[f"{name}_interval"] or (None, None) for name in SWEPT)
        means = (summary[f"{name}_mean"] for name in SWEPT)
        yield int(tolerance), summary["videos_evaluated"], *means, *(end for span in spans for end in span)


def _confused_frames(tree: Tree) -> Table:
    confusion = tree["pooled"]["confusion"]
    return _rows(["gt", "pred", "frames"], ((gt, pred, n) for gt, row in confusion.items() for pred, n in row.items()))


# Boxes in rooms


def _of_scenes(tree: Tree) -> Table:
    """One row for each scene of each method."""
    found = {(name, scene): row for name, tree in scene_methods(tree).items() for scene, row in tree["scenes"].items()}
    keys = dict.fromkeys(key for row in found.values() for key in row)
    return _rows(["method", "scene", *keys], ((*at, *(row.get(key) for key in keys)) for at, row in found.items()))


def _false_positives(tree: Tree) -> Table:
    methods = scene_methods(tree).items()
    lines = ((name, *item) for name, method in methods for item in method["fp_breakdown"].items())
    return _rows(["method", "cause", "n"], lines)


# Detections


def _sweep(tree: Tree) -> Table:
    return ["iou", "gt", "pred", "matched", *RATES], [dict(row) for row in tree["sweep"]["thresholds"]]


TABLES: dict[str, dict[str, Callable[[Any], Table]]] = {
    "dense": {
        "summary": _summary,
        "thresholds": _thresholds,
        "types": _types,
        "labels": _labels,
        "errors": _errors,
        "attributes": _attributes,
    },
    "timeline": {"summary": _summary, "videos": _videos, "tolerances": _tolerances, "confusion": _confused_frames},
    "scene": {
        "summary": _summary,
        "methods": lambda tree: scene_tables.summary_table(scene_methods(tree)),
        "classes": lambda tree: scene_tables.per_class_table(scene_methods(tree)),
        "scenes": _of_scenes,
        "errors": _false_positives,
    },
    "coco": {
        "summary": _summary,
        "classes": coco_tables.per_class_table,
        "thresholds": _sweep,
        "errors": _errors,
        "confusion": coco_tables.confusion_table,
        "curves": coco_tables.curves_table,
    },
}
