"""Errors, whose messages say what to do about them.

A message says where, what was found and what was expected. Each class carries the exit code of the command line:
2 for wrong usage, configuration or an output that cannot be written, 3 for input that cannot be read or is invalid.
Options are named in one way (`keyword`), here and in what artifacts hold; the command line shows them as flags.
"""

from __future__ import annotations

OPTIONS = (  # what messages may name
    {
        "aliases",
        "attributes",
        "baseline",
        "bootstrap",
        "chunk_bytes",
        "class_names",
        "force",
        "fps",
        "frame",
        "ignore_federated",
        "images",
        "iou_type",
    }
    | {
        "label_key",
        "layout",
        "max_bad_records",
        "max_classes",
        "max_comparisons",
        "max_dets",
        "max_expansion",
        "max_methods",
    }
    | {"max_pairs", "max_text", "max_work", "pred", "pred_format", "rect", "restart", "resume", "tally", "weights"}
    | {"answers", "gt", "pred_field", "side", "suite", "write_aliases"}
)


def keyword(name: str, value: str | bool = "…") -> str:
    """An option as a message names it: as a keyword of Python, in backticks, which the command shows as its flag.

    A value in capitals stands for one that is to be given; without a value only the name matters.

    >>> print(keyword("max_bad_records", "N"), keyword("frame", "pixel"), keyword("rect", True), keyword("fps"))
    `max_bad_records=N` `frame="pixel"` `rect=True` `fps=…`
    """
    if name not in OPTIONS:
        raise KeyError(name)
    is_word = isinstance(value, str) and value != "…" and not (value.isascii() and value.isalpha() and value.isupper())
    return f'`{name}="{value}"`' if is_word else f"`{name}={value}`"


class CalipersError(Exception):
    """Anything Calipers refuses to do, with the reason."""

    exit_code = 2


class ConfigError(CalipersError):
    """An option, a configuration file or a mapping file is wrong."""


class OutputError(CalipersError):
    """A result cannot be written."""


class InputError(CalipersError):
    """An input cannot be read, or is not what it has to be."""

    exit_code = 3


class WorkError(InputError):
    """Comparing the shapes of some `records` takes more work than `max_work` allows."""

    def __init__(self, records: list[int], max_work: int) -> None:
        super().__init__(
            f"comparing its shapes takes more than max_work = {max_work:,} steps for each of their numbers,"
            " expected fewer shapes that overlap, fewer points, or a larger max_work"
        )
        self.records, self.max_work = records, max_work

    def __reduce__(self) -> tuple[type[WorkError], tuple[list[int], int]]:
        return WorkError, (self.records, self.max_work)


class RecordError(InputError):
    """A record of an input is bad; a run may be told to go on without some of them."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.add_note(f"({keyword('max_bad_records', 'N')} rejects such records and counts them)")


def unexpected(name: str, found: object, expected: str) -> ConfigError:
    """The error of an option whose value cannot be meant."""
    return ConfigError(f"{name}: found {found!r:.160}, expected {expected}")


def require(condition: bool, name: str, found: object, expected: str) -> None:
    """Refuse the value of an option, saying what was expected."""
    if not condition:
        raise unexpected(name, found, expected)


def changed_during_run(file: str) -> InputError:
    """The error of a file that does not hold what it held when the run began."""
    return InputError(f"{file}: was changed by someone else during the run")
