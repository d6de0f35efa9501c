"""What a check says of answers of models: whose they are taken for, how they end, whether they are in their frame."""

from __future__ import annotations

from collections.abc import Iterable

from calipers.core.errors import InputError
from calipers.core.survey import FileCheck, counted
from calipers.core.tally import Tally
from calipers.files.answers.records import STATUSES, AnswerCounts, answers_tree, check_frame, frame_doubts


def describe_answers(file: FileCheck, parts: Iterable[AnswerCounts], answers: int | None = None) -> None:
    """Count answers by status and family, and refuse those that a run would; `answers` counts unreadable ones too."""
    tally = Tally()
    for counts in parts:
        counts.count_in(tally)
    tree = answers_tree(tally).get("answers")
    if tree is None and answers is None:
        return
    tree = tree or {"families": {}, **dict.fromkeys(STATUSES, 0)}
    total = sum(tree["families"].values()) if answers is None else answers
    file.counts["answers"] = {"answers": total, **{status: tree[status] for status in STATUSES}}
    if tree["families"]:
        file.counts["taken for"] = {f"as {family}": n for family, n in tree["families"].items()}
    if tree["failed"]:
        file.warnings.append(f"{counted(tree['failed'], 'answer')} failed: no objects could be read in the text")
    try:
        check_frame(tally)
        file.warnings += frame_doubts(tally)
    except InputError as error:
        file.refuse([str(error).replace("\n", "; ")])
