from collections.abc import Sequence

from calipers.kernels.scan.flatten import ObjectColumns

FieldValue = float | bytes | None

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
        fields: Sequence[str] = (),
    ) -> None: ...
    def add(self, line: bytes) -> str | None: ...
    def add_lines(
        self, block: bytes, begin: int, end: int, keys: list[str], values: list[FieldValue] | None = None
    ) -> int: ...
    def field_values(self) -> list[FieldValue]: ...
