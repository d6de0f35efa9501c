"""`calipers.trl_reward`: the reward of the dense suite as a function that TRL's trainers take.

TRL is not imported. `GRPOTrainer` calls a reward function by keyword, with `prompts`, `completions` and every further
column of the dataset as a list of one value for each completion, and wants one number for each.
"""

from __future__ import annotations

from calipers.core.errors import ConfigError, InputError, require
from calipers.kernels.shape.plane import MAX_WORK
from calipers.suites.dense.reward import reward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

DEFAULT_COLUMN = "gt_norm1000"


def trl_reward(
    gt: str = DEFAULT_COLUMN,
    *,
    mode: str = "category",
    metric: str = "f1",
    tube_tolerance: float = 8,
    label_key: str = "类别",
    max_work: int = MAX_WORK,
    name: str = "calipers_reward",
) -> Callable[..., list[float]]:
    """Make a reward function for TRL's `GRPOTrainer` that scores completions with `calipers.reward`.

    A completion is a text, or the messages of a conversation, of which the last one of the assistant counts. One
    without any text scores 0.

    Args:
        gt: The column of the dataset that holds the ground truth: a list of objects, or the text of one.
        mode: Which labels have to agree: `category`, `phase` or, for none, `localization`.
        metric: `f1` at an overlap of 0.5, or `mean_f1` over the thresholds from 0.5 to 0.95.
        tube_tolerance: How far from a line its tube reaches.
        label_key: The key of a description whose value is the label.
        max_work: Steps that may be taken for each number of the shapes.
        name: The `__name__` of the function, by which TRL logs its rewards.

    Returns:
        A function `f(completions, **columns)` that gives one number from 0 to 1 for each completion.

    Raises:
        ConfigError: An option has another value. The function raises it where the column is not among `columns`.
        InputError: Raised by the function: ground truth is malformed, or completions are no texts or messages.

    Examples:
        >>> reward_box = trl_reward(gt="boxes", metric="mean_f1", name="boxes")
        >>> box = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "cone"}
        >>> said = '[{"bbox_2d": [0, 0, 100, 70], "desc": "cone"}]'
        >>> reward_box(completions=[said, [{"role": "assistant", "content": said}], "none"], boxes=[[box]] * 3)
        [0.5, 0.5, 0.0]
        >>> reward_box.__name__
        'boxes'
    """
    require(isinstance(gt, str) and gt != "", "gt", gt, "the name of a column")
    require(isinstance(name, str) and name != "", "name", name, "the name of the function")

    def score(pred: str, truth: Any) -> float:
        return reward(
            pred,
            truth,
            mode=mode,
            metric=metric,
            tube_tolerance=tube_tolerance,
            label_key=label_key,
            max_work=max_work,
        )

    score("[]", [])  # so that an option that cannot be meant is refused before training begins

    def rewards(completions: Sequence[Any], **columns: Any) -> list[float]:
        texts, truths = _texts(completions), _column(columns, gt, len(completions))
        return [_scored(score, place, *sides) for place, sides in enumerate(zip(texts, truths, strict=True))]

    rewards.__name__ = rewards.__qualname__ = name
    return rewards


def _scored(score: Callable[[str, Any], float], place: int, text: str, truth: Any) -> float:
    """The score of one completion; malformed ground truth is an error that says of which."""
    try:
        return score(text, _without_nulls(truth))
    except InputError as error:
        raise InputError(f"completion {place}: {error}") from None


def _column(columns: dict[str, Any], name: str, count: int) -> Sequence[Any]:
    if name not in columns:
        raise ConfigError(
            f"gt: found the columns {', '.join(sorted(columns)) or '(none)'}, expected {name!r} among them, a column "
            "of the dataset (GRPOConfig: remove_unused_columns=False)"
        )
    values: Sequence[Any] = columns[name]
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != count:
        raise InputError(f"{name}: found {values!r:.80}, expected a list of {count}, one for each completion")
    return values


def _without_nulls(truth: Any) -> Any:
    """Objects without keys of which nothing is known: a table of a dataset fills in those that other rows have."""
    if not isinstance(truth, (list, tuple)):
        return truth
    return [
        {key: value for key, value in item.items() if value is not None} if isinstance(item, dict) else item
        for item in truth
    ]


# Completions


def _texts(completions: Any) -> list[str]:
    if not isinstance(completions, (list, tuple)):
        raise InputError(f"completions: found {completions!r:.80}, expected a list of texts or of messages")
    return [_text(completion, place) for place, completion in enumerate(completions)]


def _text(completion: Any, place: int) -> str:
    """What the model wrote: a text, or the last message of the assistant that has one."""
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, (list, tuple)) or not all(isinstance(message, dict) for message in completion):
        raise InputError(
            f'completions[{place}]: found {completion!r:.80}, expected a text or [{{"role": …, "content": …}}]'
        )
    written = [_content(message) for message in completion if message.get("role", "assistant") == "assistant"]
    return next((text for text in reversed(written) if text), "")


def _content(message: dict[str, Any]) -> str:
    """The text of a message: its content, or the texts among the parts of it; "" if it has none."""
    content = message.get("content")
    if isinstance(content, (list, tuple)):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
