"""The reference of all figures, docs/figures.md, made from what the suites declare: `python -m tests.figures_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from calipers.core.figures import FigureSpec
from calipers.suite import Suite, built_in, suite_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "figures.md"
HEAD = """# Figures

Every figure of every suite, by the name that `flat`, `compare` and `gate` use. This page is made from the declarations
in `figures.py` of each suite (`python -m tests.figures_page`), and a test compares the two. The page of a suite defines
the words in the last column; [the glossary](glossary.md) has those that all suites share.

- **Bold** names are headlines: `compare`, `rank` and cards of the page show them first.
- A share is a number between 0 and 1.
- `*` stands for a name that depends on the result; the list above a table says for which.
"""
DIRECTIONS = {True: "higher", False: "lower", None: "—"}


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for name in built_in() for line in _suite_lines(suite_of(name)))])


def _suite_lines(suite: Suite) -> Iterator[str]:
    yield f"## {suite.name}\n"
    yield f"[{suite.purpose.rstrip('.')}]({suite.name}.md)\n"
    groups = {spec.each: spec.name for spec in reversed(suite.figures) if spec.each}
    for each, name in reversed(groups.items()):
        yield f"- `*` in names such as `{name.replace('{}', '*')}`: {_in_a_sentence(each.__doc__ or '')}"
    yield "\n| figure | in words | unit | better | definition |\n| --- | --- | --- | --- | --- |"
    yield from map(_row, suite.figures)
    yield ""


def _in_a_sentence(docstring: str) -> str:
    return docstring[:1].lower() + docstring[1:].rstrip(".")


def _row(spec: FigureSpec) -> str:
    name = f"`{spec.name.replace('{}', '*')}`"
    cells = (
        f"**{name}**" if spec.headline else name,
        spec.label.replace("{}", "…"),
        spec.unit or "number",
        DIRECTIONS[spec.higher_is_better],
        spec.definition,
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
