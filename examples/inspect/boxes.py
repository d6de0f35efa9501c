"""Boxes as an Inspect task: `inspect eval boxes.py --model none` scores the recorded answers of cases.jsonl."""

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from calipers.judge.inspect_scorer import geometry


@solver
def recorded() -> Solver:
    """Say what is recorded in the sample, so that this runs without a model; yours is `generate()`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("recorded", state.metadata["answer"])
        return state

    return solve


@task
def boxes() -> Task:
    """Boxes in a picture, right if nearly all are found."""
    return Task(
        dataset=json_dataset("cases.jsonl"),
        solver=recorded(),
        scorer=geometry("boxes", threshold=0.5, pass_at=0.9),
    )
