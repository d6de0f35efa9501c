"""The summary of a scene report for a terminal: methods side by side, classes, causes of errors, labels left over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.show.causes import fix_first_line
from calipers.show.slices import slices_lines
from calipers.show.text import SEPARATOR, UNDEFINED, between, named_line, padded, printable, rate, width

Tree = dict[str, Any]
LONGEST_NAME = 28
COUNTS = ("gt", "pred", "tp", "fp", "fn")
DETECTION = ("precision", "recall")
PLACES = (  # columns of the second table: heading, part of a method's artifact, key
    ("mean IoU", "geometry_metrics", "mean_iou_3d"),
    ("error m", "geometry_metrics", "mean_centroid_error_m"),
    ("strict", "geometry_metrics", "strict_accuracy"),
    ("relaxed", "geometry_metrics", "relaxed_accuracy"),
    ("f1_relaxed", "geometry_metrics", "f1_relaxed"),
    ("osR", "benchmark_compat", "osR_relaxed"),
    ("osP", "benchmark_compat", "osP_relaxed"),
    ("F1_os", "benchmark_compat", "F1_os"),
)
FEW = 10  # scenes, of which an interval says little
COMPARED = (("f1", "f1"), ("mean IoU", "mean_iou_3d"), ("error m", "mean_centroid_error_m"), ("F1_os", "F1_os"))


def summary(tree: Tree) -> str:
    """The whole summary, without a line break at the end."""
    parts = [_header(tree), _detection(tree), _places(tree), _classes(tree), _details(tree)]
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def _header(tree: Tree) -> Iterator[str]:
    params, records = tree["params"], tree["records"]
    first = next(iter(tree["methods"].values()))
    labels = "same class" if params["require_label_match"] else "any class"
    yield (
        f"{printable(tree['inputs'][0]['path'])}   {params['iou_mode']} IoU ≥ {params['iou_threshold']:g} · {labels}"
        f" · greedy 1-1 · centroid in {params['containment']}"
    )
    rejected = f" · {records['rejected']:,} rejected" if records["rejected"] else ""
    scenes, boxes = _count(records["evaluated"], "scene"), _count(first["counts"]["gt"], "box", "boxes")
    few = " · intervals rest on these few scenes" if 1 < records["evaluated"] < FEW else ""
    yield f"evaluated  {scenes}{rejected} · {boxes} in the ground truth{few}"


def _detection(tree: Tree) -> Iterator[str]:
    """How many boxes each method found."""
    wide = _name_width(tree["methods"])
    heads = "".join(f"{name:>7}" for name in COUNTS) + "".join(f"{name:>11}" for name in DETECTION)
    yield f" {'method'.ljust(wide)}{heads}     f1"
    for name, method in tree["methods"].items():
        rates = method["detection_metrics"]
        counts = "".join(f"{method['counts'][key]:>7,}" for key in COUNTS)
        values = "".join(f"{rate(rates[key]):>11}" for key in DETECTION)
        yield f" {padded(_name(name), wide)}{counts}{values}  {rate(rates['f1']):>5}{between(rates['f1_interval'])}"


def _places(tree: Tree) -> Iterator[str]:
    """The lines on how well matched boxes are placed; osR and osP are the relaxed ones."""
    methods = tree["methods"]
    wide = _name_width(methods)
    shown = [
        column
        for column in PLACES
        if any(column[2] in tree_of_method[column[1]] for tree_of_method in methods.values())
    ]
    yield f" {'method'.ljust(wide)}" + "".join(f"{label:>11}" for label, _, _ in shown)
    for name, method in methods.items():
        yield f" {padded(_name(name), wide)}" + "".join(f"{rate(method[part].get(key)):>11}" for _, part, key in shown)


def _name_width(methods: Tree) -> int:
    return max([len("method"), *(width(_name(name)) for name in methods)])


def _classes(tree: Tree) -> Iterator[str]:
    """F1 of each class, the most frequent first, a column for each method."""
    methods, top = tree["methods"], tree["params"]["top"]
    tables = [method["per_class"] for method in methods.values()]
    seen = {label: max(_objects(table[label]) for table in tables) for label in tables[0]}
    chosen = sorted((label for label in seen if seen[label]), key=lambda label: (-seen[label], label))
    if not chosen[:top]:
        return
    wide = max(len("f1 by class"), *(width(_name(label)) for label in chosen[:top]))
    heads = [f"{' ' * (12 - width(_name(name)))}{_name(name)}" for name in methods]
    yield f" {'f1 by class'.ljust(wide)} {'gt':>6} " + " ".join(heads)
    for label in chosen[:top]:
        gt = tables[0][label]["tp"] + tables[0][label]["fn"]
        yield f" {padded(_name(label), wide)} {gt:>6,} " + " ".join(
            f"{rate(table[label]['f1']):>{len(head)}}" for table, head in zip(tables, heads, strict=True)
        )
    if len(chosen) > top:
        yield f" {len(chosen) - top:,} more in the artifact"


def _objects(row: Tree) -> int:
    return int(row["tp"] + row["fn"] + row["fp"])


def _details(tree: Tree) -> Iterator[str]:
    is_only = len(tree["methods"]) == 1
    yield from _without_class(next(iter(tree["methods"].values())), tree["params"]["top"])
    for name, method in tree["methods"].items():
        prefix = "" if is_only else f"{_name(name)}: "
        yield from _errors(method, prefix)
        yield from _left_over(method, prefix, tree["params"]["top"])
    for pair in tree["comparison"][: len(tree["methods"]) - 1]:  # with the first method
        yield from _compared(pair)
    if len(tree["methods"]) > 2:
        yield named_line("", "all pairs of methods are in the artifact")


def _agreeing(method: Tree) -> Iterator[str]:
    """Which F1 causes are about, where it is another than the headline: that of boxes whose classes agree."""
    counts, matched = method["counts"], method["errors"]["matched"]
    if matched != counts["tp"] and (objects := counts["gt"] + counts["pred"]):
        yield named_line("", f"gains in F1 where classes agree, {rate(2 * matched / objects)}, not in f1 above")


def _errors(method: Tree, prefix: str) -> Iterator[str]:
    yield named_line("fix first", prefix + fix_first_line(method["worth"]["f1"]))
    yield from _agreeing(method)
    if "slices" in method:
        yield from slices_lines(method["slices"], "f1", prefix)
    causes = SEPARATOR.join(f"{n:,} {cause}" for cause, n in method["fp_breakdown"].items() if n)
    if causes:
        yield named_line("false positives", prefix + causes)
    counts = method["counts"]
    if counts["invalid_pred"]:
        reasons = [row for row in method["unmatched_pred"] if "reason" in row]
        first = "".join(f" · first: {_name(row['scene'])}: {printable(row['reason'])}" for row in reasons[:1])
        invalid = _count(counts["invalid_pred"], "prediction")
        yield named_line("invalid", f"{prefix}{invalid}, counted as unmatched{first}")
    if counts["ignored"]:
        yield named_line("ignored", f"{prefix}{_count(counts['ignored'], 'prediction')}, by label")
    if method["ap"]:
        shown = SEPARATOR.join(f"{key.replace('_', ' ')} {rate(method['ap'][key])}" for key in _rulers(method["ap"]))
        yield named_line("AP", prefix + shown)
    for key, words in (
        ("scenes_without_predictions", "not predicted"),
        ("scenes_without_ground_truth", "no truth for"),
    ):
        if method[key]:
            yield named_line(
                words, f"{prefix}{_count(len(method[key]), 'scene')}: {', '.join(map(_name, method[key][:5]))}"
            )


def _rulers(ap: Tree) -> list[str]:
    return [key for key in ap if key.startswith(("iou_", "distance_"))]


def _without_class(method: Tree, top: int) -> Iterator[str]:
    """Ground truth that no figure by class looks at."""
    lost = method["counts"]["gt"] - sum(row["tp"] + row["fn"] for row in method["per_class"].values())
    if lost:
        named = _labels_left(method, "gt", top)
        message = f"{lost:,} of {method['counts']['gt']:,} boxes have no class"
        message += ", so that f1 by class, osR, osP and AP leave them out"
        yield named_line("ground truth", SEPARATOR.join([message, *named]))


def _left_over(method: Tree, prefix: str, top: int) -> Iterator[str]:
    """Labels of predictions that named no class."""
    if named := _labels_left(method, "pred", top):
        yield named_line("no class for", prefix + SEPARATOR.join(named))


def _labels_left(method: Tree, side: str, top: int) -> list[str]:
    """Labels without a class, the most frequent first."""
    left = sorted((row for row in method["unresolved_labels"] if row[side]), key=lambda row: (-row[side], row["label"]))
    more = [f"{len(left) - top:,} more in the artifact"] if len(left) > top else []
    return [_unresolved(row, side) for row in left[:top]] + more


def _unresolved(row: Tree, side: str) -> str:
    near = f", {printable(row['suggestions'][0])}?" if row["suggestions"] else ""
    return f"{_name(row['label'])} ({row[side]:,}{near})"


def _compared(pair: Tree) -> Iterator[str]:
    lines = []
    for label, key in COMPARED:
        if key in pair["metrics"]:
            metric = pair["metrics"][key]
            change = UNDEFINED if metric["difference"] is None else f"{metric['difference']:+.3f}"
            span = metric["interval"]
            lines.append(f"{label} {change}" + (f" ({span[0]:+.3f} … {span[1]:+.3f})" if span else ""))
    yield named_line("difference", f"{_name(pair['b'])} − {_name(pair['a'])}: {SEPARATOR.join(lines)}")


def _count(n: int, singular: str, plural: str = "") -> str:
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def _name(text: str) -> str:
    """A name as a terminal can show it, cut short."""
    shown = printable(text)
    return shown if width(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + "…"
