"""The summary of a dense report for a terminal: what was read, how good it is, and where it goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.errors import keyword
from calipers.show.answers import answers_line
from calipers.show.causes import causes_line, fix_first_line
from calipers.show.slices import slices_lines
from calipers.show.text import SEPARATOR, UNDEFINED, between, named_line, plus_minus, printable, rate, share, short
from calipers.suites.dense.figures import slice_headline

Tree = dict[str, Any]
NAME_WIDTH = 19
COLUMN_WIDTH = 24
RATES = (("P", "precision"), ("R", "recall"), ("F1", "f1"))  # of each label mode: heading, key


def summary(tree: Tree) -> str:
    """The whole summary, without a line break at the end."""
    return "\n".join([*_header(tree), "", *_table(tree), "", *_details(tree)])


def _header(tree: Tree) -> Iterator[str]:
    records, objects, params = tree["records"], tree["objects"], tree["params"]
    yield f"{_inputs(tree)}   {params['frame']} · tube ±{params['tube_tolerance']:g} · greedy 1-1"
    kept = f"{records['evaluated']:,} evaluated · {records['skipped_empty']:,} empty · {records['rejected']:,} rejected"
    yield f"records   {records['read']:,} read · {kept}"
    notes = [f"{objects['invalid_pred']:,} invalid, counted as unmatched"] if objects["invalid_pred"] else []
    notes += [f"{objects[name]:,} {name}" for name in ("clamped", "repaired", "degenerate") if objects[name]]
    noted = f" ({'; '.join(notes)})" if notes else ""
    yield f"objects   {objects['gt']:,} ground truth · {objects['pred']:,} predicted{noted}"
    if "answers" in tree:
        yield f"answers   {answers_line(tree['answers'])}"
    if tree["invalid_reasons"]:
        common = sorted(tree["invalid_reasons"].items(), key=lambda item: -item[1])
        named = [f"{n:,} {reason}" for reason, n in common[:3]]
        rest = sum(n for _, n in common[3:])
        yield f"invalid   {SEPARATOR.join([*named, *([f'{rest:,} for other reasons'] if rest else [])])}"
    if any(tree["unlabelled"].values()):
        key, nameless = printable(params["label_key"]), tree["unlabelled"]
        unnamed = f"{nameless['gt']:,} ground truth · {nameless['pred']:,} predicted"
        yield f"no label  {unnamed} (no {key}= in desc, and such match nothing by label; see {keyword('label_key')})"


def _inputs(tree: Tree) -> str:
    names = [printable(entry["path"]) for entry in tree["inputs"]]
    if "missing" in tree.get("answers", {}):  # ground truth and answers
        return SEPARATOR.join(names)
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _table(tree: Tree) -> Iterator[str]:
    modes, params = tree["modes"], tree["params"]
    yield f" {_label(params['primary_threshold'], 'IoU')}".ljust(NAME_WIDTH) + _columns(mode for mode in modes)
    yield " " * NAME_WIDTH + _columns(" ".join(heading.rjust(5) for heading, _ in RATES) for _ in modes)
    yield " all".ljust(NAME_WIDTH) + _columns(_rates(mode["primary"]) for mode in modes.values())
    if any(mode["primary"]["interval"]["f1"] for mode in modes.values()):
        yield " " * NAME_WIDTH + _columns(
            plus_minus(mode["primary"]["interval"]["f1"]).rjust(17) for mode in modes.values()
        )
    for name in next(iter(modes.values()))["by_type"]:
        rows = (mode["by_type"][name]["primary"] for mode in modes.values())
        yield f" {name}".ljust(NAME_WIDTH) + _columns(_rates(row) for row in rows)
    sweep = params["thresholds"]
    means = (f"{rate(mode['mean_f1'])}{between(mode['mean_f1_interval'])}" for mode in modes.values())
    yield f" mean F1 {sweep[0]:.2f}:{sweep[-1]:.2f}".ljust(NAME_WIDTH) + _columns(means)


def _label(threshold: float, name: str) -> str:
    return f"{name} {threshold:.2f}" if round(threshold, 2) == threshold else f"{name} {threshold:g}"


def _columns(cells: Any) -> str:
    return "".join(cell.ljust(COLUMN_WIDTH) for cell in cells).rstrip()


def _rates(row: Tree) -> str:
    return " ".join(rate(row[name]).rjust(5) for _, name in RATES)


def _details(tree: Tree) -> Iterator[str]:
    counts = tree["counts"]
    yield named_line("fix first", fix_first_line(tree["worth"]["f1"]))
    if "slices" in tree:
        yield from slices_lines(tree["slices"], slice_headline(tree))
    yield named_line("where it goes wrong", causes_line(tree["errors"]))
    rates = f"over {share(counts['over_rate'])} · under {share(counts['under_rate'])}"
    yield named_line("counts", f"MAE {short(counts['mae'])} · {rates}")
    yield named_line("attributes", _attributes(tree["attributes"]))
    best, matched = tree["coverage"]["best"], tree["coverage"]["matched"]
    if best["n"]:
        covered, on = rate(best["recall"]), rate(best["precision"])
        coverage = f"of true lines {covered} covered, of their best predictions {on} on them"
        yield named_line("coverage", f"{coverage} · matched lines F1 {rate(matched['f1'])}")
    for mode in ("phase", "category"):
        if mode in tree["modes"]:
            yield named_line(f"by {mode}", _labels(tree["modes"][mode]["by_label"], tree["params"]["top"]))


def _attributes(tree: Tree) -> str:
    parts = [f"F1 {rate(tree['f1'])}"]
    for key, text in tree["text"].items():
        parts.append(f"{printable(key)} exact {rate(text['exact'])}, similarity {rate(text['similarity'])}")
    if tree["distance"]["n"]:
        parts.append(f"站点距离 exact {rate(tree['distance']['exact'])}, MAE {short(tree['distance']['mae'])}")
    return SEPARATOR.join(parts) if tree["pairs"] else UNDEFINED


def _labels(rows: list[Tree], top: int) -> str:
    shown = [f"{printable(row['label'])} {rate(row['f1'])} (n {row['gt']:,})" for row in rows[:top]]
    if len(rows) > top:
        shown.append(f"{len(rows) - top:,} more")
    return SEPARATOR.join(shown) or UNDEFINED
