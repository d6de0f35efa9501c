"""`calipers explain`: what a figure means, from the declarations of the suites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

import click

from calipers.cli.chosen_suites import chosen_suites
from calipers.cli.options import NoRepeatedOptions
from calipers.cli.streams import write_result
from calipers.core.errors import ConfigError
from calipers.core.figures import SHARE, FigureSpec, spec_named
from calipers.core.words import normalise
from calipers.show import calibration, causes, summary_words
from calipers.suite import Suite, built_in

WORDS = {
    "a cause of errors": causes.MEANINGS,
    "of scores": calibration.MEANINGS,
    "in summaries": summary_words.MEANINGS,
}
KEYS = {"a cause of errors": "cause", "of scores": "figure", "in summaries": "word"}  # in JSON
ENDS = re.compile(r"[\s_]+\d\.\d+:\d\.\d+$")  # the thresholds behind a mean over them
DOT = re.compile(r"\.(?!\d)")  # between the parts of a name, not in a number
NEAREST, ALIKE = 3, 0.7  # names that a message has, and how much of a name has to be the same
BETTER = {True: "higher is better", False: "lower is better", None: "neither: it describes"}


class Explained(NamedTuple):
    """A figure and the suite that declares it."""

    suite: Suite
    spec: FigureSpec

    def tree(self) -> dict[str, Any]:
        """The declaration of the figure as a plain tree, with `*` for a name that depends on the result."""
        spec = self.spec
        return {
            "suite": self.suite.name,
            "figure": _starred(spec.name),
            "in_words": spec.label.replace("{}", "…"),
            "also": list(spec.also),
            "definition": spec.definition,
            "direction": BETTER[spec.higher_is_better],
            "unit": "share, 0 to 1" if spec.unit == SHARE else spec.unit or "number",
            "headline": spec.headline,
            "artifact": _starred(spec.path),
            "interval": _starred(spec.interval or "") or None,
            "manual": f"docs/{self.suite.name}.md" if self.suite.name in built_in() else None,
        }


@click.command("explain", cls=NoRepeatedOptions)
@click.argument("words", nargs=-1, metavar="[FIGURE]")
@click.option("--suite", metavar="NAME", help="of this suite only")
@click.option("--json", "json", is_flag=True, help="print JSON instead of text")
def command(words: tuple[str, ...], suite: str | None, json: bool) -> None:
    """Say what FIGURE means: definition, direction, unit, and where it is in the artifact.

    A FIGURE is named as compare, gate and flat name it (category.f1, AP_50, frame_accuracy), by its last part (f1), in
    words (frame accuracy), or as a summary prints it (osR, missed zones). A cause of errors (missed, wrong_label) and
    what is told of scores (ECE) are explained too, and so are words beside them (worth, ties, sure). Without FIGURE,
    all figures are listed.
    """
    figure = " ".join(words)
    suites = chosen_suites(suite)
    if not figure:
        write_result(_listed(suites))
        return
    figures = [Explained(own, spec) for own in suites for spec in own.figures if spec.name == figure]
    figures = figures or [Explained(own, spec) for own in suites for spec in _matching(own, figure)]
    meanings = list(_meanings(figure))
    if not figures and not meanings:
        figures = [Explained(own, spec) for own in suites for spec in _of_group(own, figure)]
    if not figures and not meanings:
        raise ConfigError(_unknown(figure, suites))
    write_result(_json(figures, meanings) if json else _text(figures, meanings))


def _starred(name: str) -> str:
    return name.replace("{}", "*")


def _matching(suite: Suite, name: str) -> list[FigureSpec]:
    """The figure of exactly this name; else all whose last part or words it is, in any case."""
    if exact := spec_named(suite.figures, name) or spec_named(suite.figures, name.replace("*", "{}")):
        return [exact]
    wanted = _plain(name)
    specs = [spec for spec in suite.figures if wanted and (wanted in map(_plain, _names(spec)) or _fits(wanted, spec))]
    specs = specs or [spec for spec in suite.figures if wanted and _joined(wanted) in map(_joined, _names(spec))]
    return list({spec.name: spec for spec in specs}.values())


def _names(spec: FigureSpec) -> list[str]:
    return [spec.name, spec.name.rpartition(".")[2], spec.label, *spec.also]


def _fits(wanted: str, spec: FigureSpec) -> bool:
    """Whether a plain name is the words of a figure, with any others for what depends on the result."""
    pattern = re.escape(_plain(spec.label.replace("{}", "0each0"))).replace("0each0", ".+")
    return re.fullmatch(pattern, wanted) is not None


def _plain(name: str) -> str:
    """A name without case, punctuation, and the thresholds behind a mean.

    >>> _plain("sweep.mean_f1"), _plain("mean F1 0.50:0.95"), _plain("lead time, s before the zone")
    ('sweep mean f1', 'mean f1', 'lead time s before the zone')
    """
    return normalise(DOT.sub(" ", ENDS.sub("", name)))


def _joined(name: str) -> str:
    """A plain name without spaces, for those who write ap50.

    >>> _joined("AP_50"), _joined("ap50")
    ('ap50', 'ap50')
    """
    return _plain(name).replace(" ", "")


def _of_group(suite: Suite, name: str) -> list[FigureSpec]:
    """The figure of a group as compare prints it: `category f1`, with an arrow and a slice behind it or not."""
    group, _, figure = name.partition("@")[0].removesuffix("↓").strip().rpartition(" ")
    spec = spec_named(suite.figures, f"{group}.{figure}") if group else spec_named(suite.figures, figure)
    return [spec] if spec else []


def _meanings(name: str) -> Iterator[tuple[str, str, str]]:
    """Causes, calibration figures and words of summaries with this name: (kind, name, meaning)."""
    for kind, meanings in WORDS.items():
        yield from ((kind, word, meaning) for word, meaning in meanings.items() if _plain(word) == _plain(name))


def _unknown(name: str, suites: list[Suite]) -> str:
    """An error message for an unknown figure, with the nearest names."""
    specs = [spec for suite in suites for spec in suite.figures]
    names = [name for spec in specs for name in _names(spec)]
    names += [word for meanings in WORDS.values() for word in meanings]
    by_words = {_plain(name): _starred(name) for name in reversed(names)}
    wanted = _plain(name)
    close = get_close_matches(wanted, by_words, n=NEAREST, cutoff=ALIKE)
    with_word = [words for words in by_words if wanted and set(wanted.split()) <= set(words.split())]
    near = list(dict.fromkeys(by_words[words] for words in (*close, *sorted(with_word, key=len))))
    hint = f", did you mean {' or '.join(near[:NEAREST])}?" if near else ""
    return f"explain: no figure is called {name!r:.80}{hint} (calipers explain lists all)"


def _json(figures: list[Explained], meanings: list[tuple[str, str, str]]) -> str:
    from json import dumps

    words = [{KEYS[kind]: word, "definition": meaning} for kind, word, meaning in meanings]
    return dumps([*(item.tree() for item in figures), *words], ensure_ascii=False, indent=2)


def _text(figures: list[Explained], meanings: list[tuple[str, str, str]]) -> str:
    parts = ["\n".join(_lines(item.tree())) for item in figures]
    parts += [f"{word}  ({kind})\n  definition  {meaning}" for kind, word, meaning in meanings]
    return "\n\n".join(parts)


def _lines(tree: dict[str, Any]) -> Iterator[str]:
    headline = " · headline" if tree["headline"] else ""
    yield f"{tree['figure']}  ({tree['suite']}: {tree['in_words']}{headline})"
    if tree["also"]:
        yield f"  also        {' · '.join(tree['also'])}"
    for name in ("definition", "direction", "unit", "artifact", "interval", "manual"):
        if tree[name]:
            yield f"  {name.ljust(10)}  {tree[name]}"


def _listed(suites: list[Suite]) -> str:
    blocks = []
    for suite in suites:
        names = [_starred(spec.name) for spec in suite.figures]
        width = max(map(len, names), default=0)
        rows = [f"  {name.ljust(width)}  {spec.definition}" for name, spec in zip(names, suite.figures, strict=True)]
        blocks.append("\n".join([suite.name, *rows]))
    return "\n\n".join(blocks)
