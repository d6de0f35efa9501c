"""The page of a suite that has none of its own: headline, every table, and how it was measured."""

from __future__ import annotations

from calipers.core.figures import SHARE, Figure
from calipers.show.figures import headline
from calipers.show.numbers import spoken
from calipers.show.page import sections as part
from calipers.show.page.cases import WorstCases
from calipers.show.page.heads import MAX_ROWS, Tree, more_rows, problems, rules, title_of
from calipers.show.page.images import Pictures
from calipers.show.page.sections import ColumnKind, Part
from calipers.show.report_tables import SUMMARY, table, table_names
from calipers.suite import suite_of_tree


def plain_page(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """The data of all sections of the page."""
    suite = suite_of_tree(tree)
    counts = suite.counts(tree)
    tables = [_table(tree, name) for name in table_names(tree) if name != SUMMARY]
    cards = part.cards("Headline", [_card(figure) for figure in headline(tree)])
    return part.page_data(
        title_of(tree),
        suite.name,
        [cards, *tables, _table(tree, SUMMARY), *problems(tree), *rules(tree)],
        subtitle=f"{counts.evaluated:,} of {counts.read:,} {suite.record}s evaluated",
    )


def _card(figure: Figure) -> Part:
    return part.card(
        spoken(figure.name),
        figure.value,
        figure.interval,
        kind="rate" if figure.unit == SHARE else "number",
        unit="" if figure.unit == SHARE else figure.unit,
        note=f"n {figure.n:,}",
        better=part.better_end(figure.higher_is_better),
    )


def _table(tree: Tree, name: str) -> Part:
    columns, rows = table(tree, name)
    cells = [[row[column] for column in columns] for row in rows]
    kinds = [_kind([row[k] for row in cells]) for k in range(len(columns))]
    heads = [part.column(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return part.table(name, heads, cells[:MAX_ROWS], cut=more_rows(len(cells)))


def _kind(values: list[object]) -> ColumnKind:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return "number" if all(isinstance(value, int) for value in known) else "rate"
    return "text"
