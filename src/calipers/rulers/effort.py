"""Work that is refused: what the kernels raise, as an error that says what to do."""

from __future__ import annotations

from calipers.core.errors import WorkError
from calipers.kernels.shape.plane import WorkLimitError


class limited:  # noqa: N801  reads like a word: with limited()
    """A WorkLimitError of a kernel becomes a WorkError."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, WorkLimitError):
            raise WorkError(error.records, error.max_work) from None
