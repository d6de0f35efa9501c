"""A check for a terminal: input by input what it is, then the sides together, then a verdict.

`hint_lines` is the short form, for the standard error of a suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calipers.core.survey import counted
from calipers.show.text import INDENT, SEPARATOR, UNDEFINED, named_line, printable, rate, width

Tree = dict[str, Any]
MORE = "calipers check says more"
NO_LABEL = "no label is on both sides: nothing is right where labels count"
SIDES = {"gt": "ground truth", "pred": "predictions", "both": "ground truth and predictions"}
MAX_REASONS, MAX_LABELS, MAX_RESPELLED = 3, 6, 3
LONGEST_NAME, LONGEST_LINE = 60, 400  # characters
NAME_WIDTH, NUMBER_WIDTH = 24, 11
IOU = "mean best IoU"
LOW = 0.05  # a score that asks for an explanation
SMALL_OVERLAP = 0.1  # below it, almost nothing overlaps


def summary(tree: Tree) -> str:
    """The whole check, without a line break at the end."""
    parts = [_file(file) for file in tree["files"]] + [_sides(comparison) for comparison in tree["comparisons"]]
    parts.append(_verdict(tree))
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


# An input


def _file(file: Tree) -> Iterator[str]:
    side = f"{SEPARATOR}{SIDES[file['side']]}" if file["side"] else ""
    yield f"{printable(file['path'])}   {printable(file['kind'])}{side}"
    for heading, counts in file["counts"].items():
        shown = [_counted(n, printable(name)) for at, (name, n) in enumerate(counts.items()) if n or not at]
        yield named_line(heading, SEPARATOR.join(shown))
    yield from _refused(file["refused"])
    yield from _invalid(file["invalid"])
    if file["doubled"]["n"]:
        yield named_line("named twice", _listed(file["doubled"]["first"], file["doubled"]["n"]))
    yield from _ranges(file["ranges"])
    if file["itself"]:
        yield named_line("against itself", _self_check_line(file["itself"]))
    yield from _lines_beside("look at", file["warnings"])


def _counted(n: int, name: str) -> str:
    """A count with its noun, which is given in the plural.

    >>> _counted(1, "categories"), _counted(1, "videos"), _counted(1, "without states"), _counted(1200, "images")
    ('1 category', '1 video', '1 without states', '1,200 images')
    """
    if n == 1 and " " not in name and name.endswith("s"):
        name = name[:-3] + "y" if name.endswith("ies") else name[:-1]
    return f"{n:,} {name}"


def _refused(refused: Tree) -> Iterator[str]:
    if refused["n"]:
        more = refused["n"] - len(refused["first"])
        lines = [*refused["first"], *([f"and {more:,} more"] if more > 0 else [])]
        yield from _lines_beside("would be refused", lines)


def _invalid(invalid: Tree) -> Iterator[str]:
    if invalid["n"]:
        reasons = list(invalid["reasons"].items())
        shown = [f"{n:,} {_cut(reason, LONGEST_LINE)}" for reason, n in reasons[:MAX_REASONS]]
        left = invalid["n"] - sum(n for _, n in reasons[:MAX_REASONS])
        more = [f"{left:,} for other reasons"] if left else []
        yield named_line("invalid", SEPARATOR.join([f"{invalid['n']:,} in all", *shown, *more]))


def _listed(names: list[str], n: int) -> str:
    more = [f"{n - len(names):,} more"] if n > len(names) else []
    return SEPARATOR.join([*map(_cut, names), *more])


def _lines_beside(name: str, lines: list[str]) -> Iterator[str]:
    """One line for each text, the first with a name before it."""
    for at, line in enumerate(lines):
        yield f" {'' if at else name}".ljust(INDENT) + _cut(line, LONGEST_LINE)


def _cut(text: str, max_length: int = LONGEST_NAME) -> str:
    """A text as a terminal can show it, cut short.

    >>> _cut("a\\tb"), _cut("abcdef", 4)
    ('a\\\\x09b', 'abc…')
    """
    return printable(text if len(text) <= max_length else text[: max_length - 1] + "…")


def _ranges(ranges: list[Tree]) -> Iterator[str]:
    if ranges:
        yield " ranges".ljust(INDENT + NAME_WIDTH) + "".join(f"{name:>{NUMBER_WIDTH}}" for name in COLUMNS)
    for row in ranges:
        numbers = "".join(f"{number(row[name]):>{NUMBER_WIDTH}}" for name in COLUMNS)
        yield " " * INDENT + _padded(printable(row["what"]), NAME_WIDTH) + numbers


COLUMNS = ("min", "median", "max", "n")


def number(value: float) -> str:
    """A number of any size, to four digits or whole.

    >>> number(0.05193), number(12.0), number(4032.25), number(1e12)
    ('0.05193', '12', '4,032', '1e+12')
    """
    if abs(value) >= 1e9:
        return f"{value:.4g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _self_check_line(self_check: Tree) -> str:
    figures = SEPARATOR.join(f"{name} {rate(value)}" for name, value in self_check["figures"].items())
    ignored = [_ignored(words, n) for words, n in self_check["apart"].items() if n]
    note = f" ({', '.join(ignored)}, left aside)" if ignored else ""
    end = f"perfect{note}"
    if not self_check["perfect"]:
        end = SEPARATOR.join([f"not perfect{note}", *self_check["imperfect"]])
    if all(value is None for value in self_check["figures"].values()):
        end = f"nothing to measure{note}"
    return f"{figures}{SEPARATOR}{printable(end)}"


def _ignored(words: str, n: int) -> str:
    """How many objects the self-check left aside, and why."""
    return f"{n:,} with {words}" if words.startswith("no ") else f"{n:,} {words}"


def _padded(text: str, wide: int) -> str:
    return text + " " * max(1, wide - width(text))


# Both sides


def _sides(sides: Tree) -> Iterator[str]:
    same = sides["gt"] == sides["pred"]
    yield "predictions against ground truth" if same else f"{printable(sides['pred'])} against {printable(sides['gt'])}"
    if sides["labels"]:
        yield from _labels(sides["labels"])
    figures = f"{sides['metric']} {rate(sides['score'])} · {sides['overlap_metric']} {rate(sides['overlap'])}"
    yield named_line("how they fit", f"{figures}{_sample(sides['sample'])}")
    yield from _readings(sides["readings"])
    yield from _lines_beside("look at", sides["warnings"])


def _sample(sample: Tree | None) -> str:
    if not sample:
        return ""
    if sample["of"] is None or sample["n"] < sample["of"]:
        of_total = "" if sample["of"] is None else f" of {sample['of']:,}"
        return f"   (the first {sample['n']:,}{of_total} {sample['what']})"
    return f"   (all {sample['what']})"


def _labels(labels: Tree) -> Iterator[str]:
    only = {"only true": labels["gt_only"], "only predicted": labels["pred_only"]}
    shown = [f"{labels['shared']:,} on both sides", *(f"{len(rows):,} {name}" for name, rows in only.items())]
    yield named_line("labels", SEPARATOR.join(shown))
    for name, rows in only.items():
        if rows:
            yield named_line(f"  {name}", SEPARATOR.join([*map(_label, rows[:MAX_LABELS]), *_more(rows)]))


def _label(row: Tree) -> str:
    nearest = f", {_cut(row['nearest'])}?" if row["nearest"] else ""
    return f"{_cut(row['label'])} ({row['n']:,}{nearest})"


def _more(rows: list[Tree]) -> list[str]:
    return [f"{len(rows) - MAX_LABELS:,} more"] if len(rows) > MAX_LABELS else []


def _readings(readings: list[Tree]) -> Iterator[str]:
    if not readings:
        return
    wide = max(width(_cut(interpretation["name"], LONGEST_LINE)) for interpretation in readings) + 2
    for at, interpretation in enumerate(readings):
        scores = f"{rate(interpretation['score']):>7}{rate(interpretation['overlap']):>8}"
        advice = f"   <- likely: {printable(interpretation['advice'])}" if interpretation["likely"] else ""
        yield (
            f" {'' if at else 'other readings'}".ljust(INDENT)
            + _padded(_cut(interpretation["name"], LONGEST_LINE), wide)
            + scores
            + advice
        )
    yield " " * INDENT + "Nothing was changed."


def _verdict(tree: Tree) -> Iterator[str]:
    yield from _lines_beside("sides", tree["warnings"])
    refused = sum(file["refused"]["n"] for file in tree["files"])
    doubts = sum(len(part["warnings"]) for part in (*tree["files"], *tree["comparisons"], tree))
    doubts += sum(file["doubled"]["n"] > 0 for file in tree["files"])
    doubts += sum(not (file["itself"] or {"perfect": True})["perfect"] for file in tree["files"])
    likely = [
        interpretation["name"]
        for sides in tree["comparisons"]
        for interpretation in sides["readings"]
        if interpretation["likely"]
    ]
    words = ["everything can be read" if tree["ok"] else f"not everything can be read: {refused:,} would be refused"]
    invalid = sum(file["invalid"]["n"] for file in tree["files"])
    words += [f"{counted(invalid, 'invalid prediction')} matching nothing"] if invalid else []
    words += [f"{doubts:,} to look at"] if doubts else []
    words += [f"predictions fit when read otherwise: {_cut(name, LONGEST_LINE)}" for name in likely]
    compared = [sides["labels"] for sides in tree["comparisons"] if sides["labels"]]
    words += [text for labels in compared for text in (list(_spelling(labels)) or _nothing_shared(labels))]
    yield named_line("verdict", SEPARATOR.join(words))


def _nothing_shared(labels: Tree) -> list[str]:
    """Why the score is zero where no label of one side is on the other."""
    return [NO_LABEL] if not labels["shared"] and labels["gt_only"] and labels["pred_only"] else []


def _spelling(labels: Tree) -> Iterator[str]:
    """Predicted labels that differ from true ones in case, spacing or punctuation alone."""
    respelled = [row for row in labels["pred_only"] if row["nearest"] and _is_same(row["label"], row["nearest"])]
    if respelled:
        yield f"labels differ in spelling alone: {_respelled(respelled)}"
    if labels.get("same"):
        yield f"labels differ in spelling alone, which counts as the same here: {_respelled(labels['same'])}"


def _is_same(label: str, other: str) -> bool:
    """Whether two labels are the same words.

    >>> _is_same("SCREW", "screw"), _is_same("hex_bolt", "Hex bolt"), _is_same("screws", "screw"), _is_same("?", "!")
    (True, True, False, False)
    """
    from calipers.core.words import normalise

    return normalise(label) == normalise(other) != ""


def _respelled(rows: list[Tree]) -> str:
    more = f" and {len(rows) - MAX_RESPELLED:,} more" if len(rows) > MAX_RESPELLED else ""
    return ", ".join(f"{_cut(row['label'])} for {_cut(row['nearest'])}" for row in rows[:MAX_RESPELLED]) + more


# Short


def hint_lines(sides: Tree, more: str = MORE) -> list[str]:
    """Lines for standard error: what overlaps, and the other readings that fit."""
    if sides["score"] is None and sides["overlap"] is None and not sides["readings"]:
        message = "almost nothing matches, and no other reading of the predictions was tried"
        return [f"warning: {message}{more and f' ({more})'}"]
    head = f"warning: {_low(sides)}"
    if not sides["readings"]:
        return [f"{head}, and no other reading of the predictions fits better{more and f' ({more})'}"]
    wide = max(width(_cut(interpretation["name"], LONGEST_LINE)) for interpretation in sides["readings"]) + 3
    lines = [f"{head}. Other readings of the predictions:"]
    for interpretation in sides["readings"]:
        score = _hundredths(interpretation["score"])
        advice = f"   <- likely: {printable(interpretation['advice'])}" if interpretation["likely"] else ""
        lines.append(" " * 11 + _padded(_cut(interpretation["name"], LONGEST_LINE), wide) + score + advice)
    return [*lines, " " * 9 + "Nothing was changed."]


def better_lines(sides: Tree, method: str = "", more: str = MORE) -> list[str]:
    """One line of standard error for the likely reading, if there is one; `method` is named where there are several."""
    likely = next((interpretation for interpretation in sides["readings"] if interpretation["likely"]), None)
    if likely is None:
        return []
    metric = sides["metric"].removeprefix("localization ")
    scores = f"{_named(metric, likely['score'])} instead of {_hundredths(sides['score'])}"
    interpretation_text = f"read otherwise: {_cut(likely['name'], LONGEST_LINE)} ({scores}, {_few(sides['sample'])})"
    subject = f"predictions of {_cut(method)}" if method else "predictions"
    return [f"hint: {subject} would fit far better {interpretation_text}; {more or printable(likely['advice'])}"]


def _few(sample: Tree) -> str:
    return f"in the first {_counted(sample['n'], sample['what'])}"


def _low(sides: Tree) -> str:
    overlap, score, sample = (sides[name] for name in ("overlap", "score", "sample"))
    if score is None and overlap is None:
        return "nothing can be compared as it is written"
    if score is not None and score >= LOW and sample:
        return f"almost nothing matches, but {_few(sample)} ({_named(sides['metric'], score)})"
    if sides["overlap_metric"] != IOU:
        return f"almost nothing is right ({_named(sides['metric'], score)})"
    if overlap is None or overlap < SMALL_OVERLAP:
        return f"almost nothing overlaps ({_named(IOU, overlap)})"
    return f"almost nothing matches, though shapes overlap ({_named(IOU, overlap)})"


def _named(name: str, value: float | None) -> str:
    return f"{name} {_hundredths(value)}"


def _hundredths(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.2f}"
