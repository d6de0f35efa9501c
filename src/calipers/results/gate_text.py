"""What a gate says: the table of the console, Markdown, and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from calipers.core.figures import SHARE, spec_named
from calipers.results.compare_text import markdown_table
from calipers.show.markdown import escaped
from calipers.show.numbers import MAX_DECIMALS, aligned, decimals, number, signed, span, spoken
from calipers.show.text import SEPARATOR, UNDEFINED, printable
from calipers.suite import suite_of_tree

Tree = Mapping[str, Any]
MARKS = {"pass": " ", "fail": "!", "investigate": "?"}
SAID = {"pass": "pass", "fail": "FAIL", "investigate": "investigate"}
BADGES = {"pass": "✅ pass", "fail": "❌ FAIL", "investigate": "❓ investigate"}
SIGNS = {"floor": ">=", "ceiling": "<="}
AGAINST = ("metric", "base", "new", "Δ", "95 % of Δ", "rule", "state")
ALONE = ("metric", "new", "95 % of it", "rule", "state")
MAX_NAMED = 3  # rules in the closing line


def table(tree: Tree) -> str:
    """The whole table, without a line break at the end."""
    heads, *lines = aligned([columns(tree), *(cells(row, tree) for row in tree["rows"])], left=(0, -2, -1))
    marked = [MARKS[row["state"]] + line for row, line in zip(tree["rows"], lines, strict=True)]
    return "\n".join([f" {heads}", *marked, *(f"  {line}" for line in (*notes(tree), verdict(tree)))])


def columns(tree: Tree) -> tuple[str, ...]:
    """The heads of columns; those about differences only with a baseline."""
    return AGAINST if tree["baseline"] is not None else ALONE


def cells(row: Tree, tree: Tree) -> tuple[str, ...]:
    """A row as texts."""
    digits = _digits(row)
    name, verdict = spoken(row["metric"]), SAID[row["state"]]
    if tree["baseline"] is None:
        ends = row["new_interval"]
        interval = UNDEFINED if ends is None else f"{number(ends[0], digits)} … {number(ends[1], digits)}"
        return (name, number(row["new"], digits), interval, limit(row), verdict)
    values = (number(row["baseline"], digits), number(row["new"], digits), signed(row["difference"], digits))
    return (name, *values, span(row["interval"], digits), limit(row), verdict)


def _digits(row: Tree) -> int:
    """Enough digits that a value which misses its limit does not look equal to it."""
    digits = decimals(row["baseline"], row["new"], row["interval"])
    if row["new"] is None or row["rule"] == "max_drop" or row["new"] == row["limit"]:
        return digits
    while f"{row['new']:.{digits}f}" == f"{row['limit']:.{digits}f}" and digits < MAX_DECIMALS:
        digits += 1
    return digits


def limit(row: Tree) -> str:
    """The limit of a rule in words.

    >>> limit({"rule": "max_drop", "limit": 0.01, "higher_is_better": True})
    'drop <= 0.010'
    """
    value = f"{row['limit']:.3f}" if round(row["limit"], 3) == row["limit"] else f"{row['limit']:g}"
    if row["rule"] == "max_drop":
        return f"{'drop' if row['higher_is_better'] else 'rise'} <= {value}"
    return f"{SIGNS[row['rule']]} {value}"


def notes(tree: Tree) -> Iterator[str]:
    """The smallest drops that this set can detect, and, where others fail, why rules are undecided."""
    drops = [row for row in tree["rows"] if row["rule"] == "max_drop" and row["detectable_drop"] is not None]
    if drops:
        smallest = SEPARATOR.join(f"{printable(row['asked'])} {_detectable(row, _room(row, tree))}" for row in drops)
        yield f"smallest drop this set can detect (80 % power): {smallest}"
    for row in tree["rows"]:
        if row["state"] == "investigate" and tree["state"] == "fail":
            yield f"investigate {spoken(row['metric'])}: {printable(row['reason'])}"


def verdict(tree: Tree) -> str:
    """The closing line: the state, how many rules it comes from, and why."""
    state, rows = tree["state"], tree["rows"]
    decisive = [row for row in rows if row["state"] == state]
    if state == "pass":
        return f"PASS: {'the rule passes' if len(rows) == 1 else f'all {len(rows):,} rules pass'}"
    outcome = {"fail": "fail" if len(decisive) > 1 else "fails", "investigate": "cannot be decided"}[state]
    subject = "the rule" if len(rows) == 1 else f"{len(decisive):,} of {len(rows):,} rules"
    why = [f"{spoken(row['metric'])}: {printable(row['reason'])}" for row in decisive[:MAX_NAMED]]
    more = [f"{len(decisive) - MAX_NAMED:,} more"] if len(decisive) > MAX_NAMED else []
    return f"{state.upper()}: {subject} {outcome}{SEPARATOR}{SEPARATOR.join([*why, *more])}"


def _room(row: Tree, tree: Tree) -> float | None:
    """How much worse a share can get before it reaches 0 or 1; None for other figures."""
    spec = spec_named(suite_of_tree(tree).figures, row["metric"].partition("@")[0])
    if spec is None or spec.unit != SHARE or row["baseline"] is None:
        return None
    return float(row["baseline"] if row["higher_is_better"] else 1 - row["baseline"])


def _detectable(row: Tree, room: float | None) -> str:
    """The smallest drop that would be found, unless a figure cannot get worse by as much.

    >>> row = {"detectable_drop": 2.955, "new": 0.5, "higher_is_better": True}
    >>> _detectable(row, 0.5123), _detectable(row, None)
    ('none, as it can drop by 0.512 at most', '2.955')
    """
    if room is not None and row["detectable_drop"] > room:
        return f"none, as it can {'drop' if row['higher_is_better'] else 'rise'} by {number(room, 3)} at most"
    return number(row["detectable_drop"], decimals(row["new"], None, [0.0, 2 * row["detectable_drop"]]))


def markdown(tree: Tree) -> str:
    """A heading with the state, the table, and the notes."""
    against = "" if tree["baseline"] is None else f" against {escaped(tree['baseline'])}"
    head = f"### Gate: {BADGES[tree['state']]}"
    rows = [(*cells(row, tree)[:-1], BADGES[row["state"]]) for row in tree["rows"]]
    lines = [head, "", f"{escaped(tree['new'])}{against}", "", *markdown_table(columns(tree), rows), ""]
    return "\n".join([*lines, *(f"- {escaped(note)}" for note in (*notes(tree), verdict(tree)))]).rstrip() + "\n"


def junit(tree: Tree) -> bytes:
    """A test case for each rule; one that cannot decide is skipped, with the reason."""
    states = [row["state"] for row in tree["rows"]]
    counts = {"tests": str(len(states)), "failures": str(states.count("fail"))}
    counts |= {"errors": "0", "skipped": str(states.count("investigate"))}
    root = ElementTree.Element("testsuites", {"name": "calipers gate"} | counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"calipers gate: {tree['suite']}"} | counts)
    for row in tree["rows"]:
        name = f"{spoken(row['metric'])} {limit(row)}"
        case = ElementTree.SubElement(suite, "testcase", classname=f"calipers.gate.{tree['suite']}", name=name)
        if row["state"] != "pass":
            kind = "failure" if row["state"] == "fail" else "skipped"
            element = ElementTree.SubElement(case, kind, message=printable(row["reason"]))
            element.text = "  ".join(cells(row, tree))
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
