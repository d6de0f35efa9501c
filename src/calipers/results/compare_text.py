"""Two results side by side: the table of the console, Markdown, and the page.

A difference is new minus old. Long tables are cut to the headline figures and those that changed; the artifact of the
comparison has all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.figures import spec_named
from calipers.results import compare_slices as slices
from calipers.show.figures import main_group
from calipers.show.markdown import escaped
from calipers.show.numbers import aligned, cut, decimals, number, signed, span, spoken
from calipers.show.text import SEPARATOR, named_line, printable
from calipers.suite import suite_of_tree

Tree = Mapping[str, Any]
LONG_TABLE = 24  # rows
FEW = 10  # records, of which an interval says little
MAX_OBJECTS = 4
COLUMNS = ("metric", "old", "new", "Δ", "95 % of Δ", "verdict")
UNDECIDED, NOT_TESTED = "cannot tell", "no interval"


def table(tree: Tree) -> str:
    """The whole comparison, without a line break at the end."""
    lines = [*aligned([COLUMNS, *map(cells, shown(tree))]), ""]
    if tree.get("slices"):
        lines += [*aligned([slices.COLUMNS, *map(slices.cells, slices.shown(tree))]), ""]
    lines += [named_line(*line) for line in below(tree)]
    warned = [f" ! {line}" for line in slices.warnings(tree)]
    return "\n".join([_header(tree), *warned, "", *lines]).rstrip("\n")


def _header(tree: Tree) -> str:
    return f"{printable(tree['old']['name'])} → {printable(tree['new']['name'])}   {_facts(tree)}"


def _facts(tree: Tree) -> str:
    pairing = f"paired, {tree['replicates']:,} replicates" if tree["paired"] else "not paired"
    return SEPARATOR.join((tree["suite"], records_of(tree), pairing))


def records_of(tree: Tree) -> str:
    """How many records, by what the suite calls them."""
    return f"{tree['records']:,} {suite_of_tree(tree).record}{'' if tree['records'] == 1 else 's'}"


def shown(tree: Tree) -> list[Tree]:
    """Rows of the table: figures with a direction and an interval, and headlines; of very many, those that changed."""
    rows = [row for row in tree["metrics"] if row["higher_is_better"] is not None]
    listed = [row for row in rows if row["interval"] or _is_headline(row, tree)]
    if len(listed) <= LONG_TABLE:
        return listed
    return [row for row in listed if _is_headline(row, tree) or row["verdict"] != UNDECIDED]


def main_rows(tree: Tree) -> list[Tree]:
    """The headline figures; where all belong to groups, those of the main one, if there is one."""
    rows = [row for row in shown(tree) if _is_headline(row, tree)]
    groups = [row["metric"].rpartition(".")[0] for row in rows]
    chosen = "" if "" in groups else main_group(suite_of_tree(tree), groups)
    rows = [row for row, group in zip(rows, groups, strict=True) if chosen in ("", group)]
    return [row for row in rows if row["interval"]] or rows


def _is_headline(row: Tree, tree: Tree) -> bool:
    spec = spec_named(suite_of_tree(tree).figures, row["metric"])
    return spec is not None and spec.headline


def cells(row: Tree) -> tuple[str, ...]:
    """A row of the table as texts."""
    digits = decimals(row["old"], row["new"], row["interval"])
    values = (number(row["old"], digits), number(row["new"], digits), signed(row["difference"], digits))
    down = "" if row["higher_is_better"] else " ↓"
    return (f"{spoken(row['metric'])}{down}", *values, span(row["interval"], digits), shown_verdict(row))


def shown_verdict(row: Tree) -> str:
    """The verdict on a figure; one without an interval was not tested.

    >>> shown_verdict({"verdict": "cannot tell", "interval": None})
    'no interval'
    """
    return NOT_TESTED if row["interval"] is None else str(row["verdict"])


def below(tree: Tree) -> Iterator[tuple[str, str]]:
    """The lines under the table: a heading, and the text."""
    rows = shown(tree)
    if any(not row["higher_is_better"] for row in rows):
        yield "↓", "lower is better"
    if len(rows) < len(tree["metrics"]):
        yield "more", f"{len(tree['metrics']) - len(rows):,} further figures are in the JSON"
    yield from slices.more(tree)
    if 1 < tree["records"] < FEW:
        yield "few", f"{records_of(tree)} are so few that intervals come out too narrow"
    yield from (("not the same", printable(difference)) for difference in tree["differs"])
    yield from (
        ("engine", f"{printable(difference)}: numbers may differ for that alone")
        for difference in tree["engines_differ"]
    )
    yield from (("left out", printable(left_out)) for left_out in tree["left_out"])
    if not tree["paired"]:
        yield "not paired", "intervals are of independent replicates: wider than those of pairs"
    if tree["objects"]:
        yield "objects", objects_line(tree["objects"])
        named = [name for name in ("fixed", "broken") if tree["objects"][name]]
        yield from ((name, places(tree["objects"], name)) for name in named)
        if named and (words := place_words(tree)):
            yield "#", words


def place_words(tree: Tree) -> str:
    """What the index of an object counts, in words."""
    spec = suite_of_tree(tree).changed
    return spec.index_means if spec else ""


def places(objects: Tree, name: str) -> str:
    """The first objects that were fixed or broken."""
    listed = objects[f"{name}_objects"][:MAX_OBJECTS]
    more = objects[name] - len(listed)
    return SEPARATOR.join([*map(place, listed), *([f"{more:,} more"] if more else [])])


def objects_line(objects: Tree) -> str:
    """How many objects changed."""
    return SEPARATOR.join(
        (
            f"{objects['fixed']:,} fixed",
            f"{objects['broken']:,} broken",
            f"{objects['false_positives_gone']:,} false positives gone",
            f"{objects['false_positives_new']:,} new ones",
        )
    )


def place(entry: Tree) -> str:
    """Where an object is, in a few words.

    >>> place({"record": "a.jpg", "index": 3, "type": "line", "label": "光纤"})
    'a.jpg #3 光纤'
    >>> place({"record": "a.mp4", "kind": "event", "state": "inside", "start": 15, "end": 24})
    'a.mp4 event inside 15–24'
    """
    if "kind" in entry:
        parts = [entry["record"], entry["kind"], entry["state"], f"{entry['start']}–{entry['end']}"]
    else:
        parts = [entry.get("method", ""), entry["record"], f"#{entry['index']}", entry.get("label", "")]
    return " ".join(cut(printable(part)) for part in parts if part)


# Markdown


def markdown(tree: Tree) -> str:
    """A heading, the table, and what became of objects."""
    head = f"### {escaped(tree['old']['name'])} → {escaped(tree['new']['name'])}"
    warned = [line for text in slices.warnings(tree) for line in (f"**{escaped(text)}**", "")]
    lines = [head, "", *warned, _facts(tree), "", *markdown_table(COLUMNS, [cells(row) for row in shown(tree)]), ""]
    if tree.get("slices"):
        lines += [*markdown_table(slices.COLUMNS, [slices.cells(row) for row in slices.shown(tree)]), ""]
    return "\n".join([*lines, *(f"- {name}: {escaped(text)}" for name, text in below(tree))]).rstrip() + "\n"


def markdown_table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Cells that are numbers are set to the right."""
    yield f"| {' | '.join(columns)} |"
    yield f"| {' | '.join('---' if k in (0, len(columns) - 1) else '---:' for k in range(len(columns)))} |"
    yield from (f"| {' | '.join(map(escaped, row))} |" for row in rows)


def page(tree: dict[str, Any]) -> bytes:
    """The page of a comparison."""
    from calipers.results.compare_page import comparison_page  # which takes its words from here

    return comparison_page(tree)
