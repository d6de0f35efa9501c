from collections.abc import Callable
from typing import Any

from calipers.kernels.scan.column import Column

class CaseSide:
    def __init__(
        self,
        *,
        offsets: Any,
        reasons: Any,
        outcomes: Any,
        labels: Any,
        places: Any,
        best: Any,
        theirs: Any,
        scores: Any,
        partners: Any,
        partner_scores: Any,
    ) -> None: ...

class CaseLines:
    def __init__(
        self,
        truth: CaseSide,
        pred: CaseSide,
        path: bytes,
        names: list[bytes],
        outcomes: list[bytes],
        write_number: Callable[[float], bytes],
    ) -> None: ...
    def add_lines(
        self,
        record: int,
        numbers: list[int],
        keys: list[str],
        text: bytes,
        ends: Any,
        first: int,
        write_key: Callable[[str], bytes],
        write_case: Callable[[int], bytes],
    ) -> None: ...
    def text(self) -> memoryview: ...
    def ends(self) -> tuple[Column, Column]: ...
