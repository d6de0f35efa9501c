"""Verdicts as scores of Inspect (inspect_ai, which has to be installed).

    Task(dataset=..., solver=generate(), scorer=geometry("boxes", threshold=0.5))

The answer is the completion, the reference is the target of the sample.
"""

from __future__ import annotations

from calipers.judge.command import check_options, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from calipers.judge.option_types import JudgeOptions


def geometry(ruler: str = "boxes", **options: Unpack[JudgeOptions]) -> Any:
    """A scorer: the value is the verdict's score, and the metadata are its details and `pass`.

    ConfigError for a ruler or an option that does not exist.
    """
    from inspect_ai.scorer import Score, mean, scorer, stderr  # type: ignore[import-not-found,unused-ignore]

    check_options(ruler, options)

    def make_scorer(ruler: str, options: JudgeOptions) -> Any:
        async def score(state: Any, target: Any) -> Any:
            answer = state.output.completion
            verdict = judge(ruler, {"candidate_answer": answer, "reference_answer": target.text}, options)
            metadata = {"pass": verdict["pass"], **verdict["details"]}
            return Score(value=verdict["score"], answer=answer, explanation=verdict["reason"], metadata=metadata)

        return score

    return scorer(metrics=[mean(), stderr()], name="geometry")(make_scorer)(ruler, options)
