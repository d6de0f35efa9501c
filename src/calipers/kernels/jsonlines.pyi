from collections.abc import Sequence

from calipers.kernels.flatten import ObjectColumns

class RecordLines:
    def __init__(
        self,
        truth: ObjectColumns,
        pred: ObjectColumns,
        *,
        truth_names: Sequence[str],
        pred_names: Sequence[str],
        key_names: Sequence[str],
        unless: tuple[str, str],
    ) -> None: ...
    def add(self, line: bytes) -> str | None: ...
