"""Is this input what it claims to be, and why is the score zero?

`check` looks at inputs as the suites' readers do, but does not stop at the first problem: what each one is, how much is
in it, what would be refused, what looks wrong. Ground truth is measured against itself, where every number has to be
perfect. Predictions are measured against their ground truth on a sample, as they are and in other readings, and a
reading that fits is named. It reports; nothing is ever changed.

`hint` says the same in a few lines, for a run whose headline is next to nothing, and in one line where a headline is
poor and another reading would be far better.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from calipers.core.config import checked_keywords
from calipers.core.errors import ConfigError, InputError, keyword, require
from calipers.results.tree_mapping import TreeMapping
from calipers.suite import Suite, suite_names, suite_of

if TYPE_CHECKING:
    from calipers.core.survey import FileCheck, JoinedSurvey, Kind, SidesCheck
    from calipers.results.source_types import CheckSource

Tree = dict[str, Any]


class Check(TreeMapping):
    """The findings: `check["ok"]`, `check["files"]`, `check["comparisons"]`. `str(check)` is the summary."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def __str__(self) -> str:
        from calipers.results.check_text import summary

        return summary(self.tree)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{entry['path']} is {entry['kind']}" for entry in self.tree["files"])
        parts = [self.tree, *self.tree["files"], *self.tree["comparisons"]]
        count = sum(len(part["warnings"]) for part in parts)
        warnings = "no warnings" if not count else "1 warning" if count == 1 else f"{count:,} warnings"
        return f"<Check {'ok' if self.tree['ok'] else 'not ok'}: {kinds or 'no files'}; {warnings}>"

    @property
    def exit_code(self) -> int:
        """0 when everything can be read, 3 when something would be refused."""
        return 0 if self.tree["ok"] else InputError.exit_code

    def to_json(self) -> bytes:
        """All findings as JSON."""
        from calipers.files.output import to_json

        return to_json(self.tree)


@checked_keywords
def check(
    *files: CheckSource,
    gt: CheckSource | None = None,
    pred: CheckSource | None = None,
    suite: str | None = None,
    images: str | os.PathLike[str] | None = None,
    answers: str | None = None,
    pred_field: str | None = None,
) -> Check:
    """Look at inputs before a run, or after a score of nearly 0. Nothing is changed.

    Args:
        *files: Paths, or what files would hold.
        gt: An input that is ground truth.
        pred: An input that is predictions; several, if it is a list of paths.
        suite: The suite to read inputs as, where content does not tell.
        images: The folder of images, for sizes that YOLO files lack.
        answers: The family of models whose answers the predictions are, as `calipers dense` has it.
        pred_field: The field that holds the answer of a model.

    Returns:
        What each input is and what would be refused (`files`), which other reading of predictions would fit
            (`comparisons`), and whether everything can be read (`ok`).

    Raises:
        ConfigError: There is nothing to check, or no such suite; or no input holds answers, and options say how to
            read them.

    Examples:
        >>> box = {"type": "bbox_2d", "points": [10, 10, 20, 20], "desc": "类别=标签"}
        >>> result = check([{"gt_norm1000": [box], "pred": [box | {"points": [0.01, 0.01, 0.02, 0.02]}]}])
        >>> result["ok"], result["comparisons"][0]["readings"][0]["name"]
        (True, 'fractions 0–1 -> norm1000')
    """
    import numpy as np

    require(suite is None or suite in suite_names(), "suite", suite, " or ".join(suite_names()))
    if not files and gt is None and pred is None:
        raise ConfigError("nothing to check: expected files, or gt and pred")
    inputs = [_Input(source, None, suite) for source in files]
    inputs += [_Input(gt, "gt", suite)] if gt is not None else []
    inputs += [_Input(item, "pred", suite) for item in (_paths(pred) if pred is not None else [])]
    options = {} if images is None else {"images": images}
    asked = {name: value for name, value in (("answers", answers), ("pred_field", pred_field)) if value is not None}
    _name_suite(inputs)
    _join(inputs, suite, asked)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers beyond all reason are refused, or match nothing
        comparisons = [item for entry in inputs for item in entry.examine(options)] + _compare_all(inputs, options)
    files_checked = [entry.file for entry in inputs]
    _refuse_together(files_checked)
    return Check(
        {
            "ok": not any(file.refused for file in files_checked),
            "files": [file.tree() for file in files_checked],
            "comparisons": [comparison.tree() for comparison in comparisons],
            "warnings": list(_strange_sides(inputs)),
        }
    )


def _name_suite(inputs: list[_Input]) -> None:
    """Point predictions that no suite knows to the suite of their ground truth, which says what it expects."""
    names = {entry.kind.suite for entry in inputs if entry.kind and entry.is_truth()}
    if len(names) == 1 and (name := names.pop()):
        for entry in inputs:
            if entry.kind is None and entry.side_option == "pred":
                entry.problem += f" ({keyword('suite', name)} checks it as predictions for this ground truth)"


def _join(inputs: list[_Input], suite: str | None, asked: Tree) -> None:
    """Give predictions that a suite joins with ground truth of another kind the only ground truth there is."""
    truths = [entry for entry in inputs if entry.is_truth()]
    preds = [entry for entry in inputs if entry not in truths]
    names = {suite or (entry.kind and entry.kind.suite) for entry in preds}
    survey = suite_of(name).survey if len(names) == 1 and (name := names.pop()) else None
    joined = survey.joined if survey and len(truths) == 1 else None
    if joined and not all(joined.takes(truths[0].source, entry.source) for entry in preds):
        joined = None
    takes_answers = bool(joined or (survey and survey.takes_answers))
    if asked and not takes_answers and not any(entry.kind is None for entry in preds):
        raise ConfigError(f"{next(iter(asked))}: no input holds answers of models, expected a dump, or gt and pred")
    for entry in preds:
        entry.asked = asked if takes_answers else {}
        if joined:
            entry.truth, entry.joined = truths[0], joined
    if joined and preds:
        truths[0].is_joined = True


def _refuse_together(files: list[FileCheck]) -> None:
    """Refuse inputs that a suite measures together and in which it would find nothing."""
    for name in dict.fromkeys(file.suite for file in files if file.suite):
        if refuse := suite_of(name).survey.refuse_together:
            refuse([file for file in files if file.suite == name])


def _paths(pred: Any) -> list[Any]:
    """Several predictions if they are several paths; NAME=PATH is a path too, as the scene suite has it."""
    several = isinstance(pred, (list, tuple)) and pred and all(isinstance(path, (str, os.PathLike)) for path in pred)
    return [_path(path) for path in (pred if several else [pred])]


def _path(source: Any) -> Any:
    if not isinstance(source, str) or os.path.exists(source) or "=" not in source:
        return source
    _, _, path = source.partition("=")
    return path if os.path.exists(path) else source


class _Input:
    """One input: its source, the side that an option names, its kind, and the findings about it."""

    file: FileCheck

    def __init__(self, source: Any, side: str | None, suite: str | None) -> None:
        from calipers.results.check_kinds import find_kind

        self.source, self.side_option, self.problem = source, side, ""
        self.kind: Kind | None = None
        self.asked: Tree = {}  # how answers are read
        self.truth: _Input | None = None  # that it is joined with
        self.joined: JoinedSurvey | None = None
        self.is_joined = False  # whether it is the ground truth of another
        try:
            self.kind = find_kind(source)
        except InputError as error:
            self.problem = str(error)
        self._content_side = self.kind.side if self.kind else None
        if suite and (self.kind is None or self.kind.suite not in (suite, None)):
            self.kind, self.problem = suite_of(suite).survey.kinds[side == "pred"], ""

    @property
    def side(self) -> str:
        """The side that the input is read as: by option, else by its kind; what may be either is ground truth."""
        if self.side_option:
            return self.side_option
        return (self.kind.side or self.kind.usual_side) if self.kind else "gt"

    def is_truth(self) -> bool:
        """Whether the input is ground truth alone, by option or else by its content."""
        return (self.side_option or self._content_side) == "gt"

    def is_strange(self) -> bool:
        """Whether the content of the input contradicts the side that an option names."""
        content_side = self.kind.side if self.kind else None
        return bool(self.side_option) and content_side in ("gt", "pred") and content_side != self.side_option

    def examine(self, options: Tree) -> list[SidesCheck]:
        """Examine this input by itself. Returns comparisons of its sides, as a dense dump has both."""
        from calipers.core.survey import FileCheck, path_of

        if self.is_joined:  # its predictions look at it
            return []
        path = path_of(self.source, self.side)
        self.file = FileCheck(
            path, self.kind.name if self.kind else "unknown", self.kind and self.kind.suite, self.side_option
        )
        if self.truth and self.joined:
            self.truth.file, self.file, sides = self.joined.examine(self.truth.source, self.source, **self.asked)
            return [sides] if sides else []
        if self.kind is None:
            self.file.refuse([self.problem])
            return []
        try:
            return self._examine(self.kind, options)
        except InputError as error:
            self.file.refuse([str(error)])
            return []

    def _examine(self, kind: Kind, options: Tree) -> list[SidesCheck]:
        if kind.suite is None:
            from calipers.results import check_artifact

            self.file = check_artifact.examine(self.source, kind)
            return []
        sides: list[SidesCheck]
        self.file, sides = suite_of(kind.suite).survey.examine(self.source, kind, self.side, **options, **self.asked)
        return sides


# Two sides


def _compare_all(inputs: list[_Input], options: Tree) -> list[SidesCheck]:
    """Every prediction against the only ground truth of its suite."""
    comparisons: list[tuple[_Input, _Input, SidesCheck]] = []
    for pred in inputs:
        suite = pred.kind.suite if pred.kind else None
        if pred.side != "pred" or pred.kind is None or suite is None or pred.joined:
            continue
        truths = [entry for entry in inputs if entry.side == "gt" and entry.kind and entry.kind.suite == suite]
        if len(truths) != 1 or truths[0].is_strange():
            continue
        if sides := _compare(suite_of(suite), truths[0], pred, pred.kind, options):
            comparisons.append((truths[0], pred, sides))
    _refuse_nothing(comparisons)
    return [sides for _, _, sides in comparisons]


def _refuse_nothing(compared: list[tuple[_Input, _Input, SidesCheck]]) -> None:
    """Refuse predictions with which nothing would be evaluated; methods may be evaluated together."""
    for truth, pred, sides in compared:
        of_suite = [comparison for _, other, comparison in compared if other.file.suite == pred.file.suite]
        together = of_suite if suite_of(str(pred.file.suite)).survey.methods_together else [sides]
        if all(comparison.nothing for comparison in together) and not truth.file.refused and not pred.file.refused:
            pred.file.refuse([sides.nothing])


def _compare(suite: Suite, truth: _Input, pred: _Input, kind: Kind, options: Tree) -> SidesCheck | None:
    if suite.survey.compare is None:
        return None
    try:
        sides: SidesCheck = suite.survey.compare(truth.source, pred.source, kind, pred.file, **options)
        return sides
    except InputError as error:
        if not truth.file.refused and not pred.file.refused:
            pred.file.refuse([str(error)])
        return None


def _strange_sides(inputs: list[_Input]) -> Iterator[str]:
    """Warnings about inputs whose content contradicts the side that an option names."""
    strange = [(entry, entry.kind.name) for entry in inputs if entry.kind and entry.is_strange()]
    sides = {"gt": "ground truth", "pred": "predictions"}
    for entry, name in strange:
        other = sides["pred" if entry.side_option == "gt" else "gt"]
        yield f"{entry.file.path} was given as {sides[entry.side_option or '']} and looks like {other} ({name})"
    if {entry.side_option for entry, _ in strange} == {"gt", "pred"}:
        yield "the two sides seem to be swapped"
