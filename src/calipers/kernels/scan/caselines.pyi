from collections.abc import Callable
from typing import Any

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
    def add(self, record: int, text: bytes, begin: int, end: int, line: int, key: bytes) -> bool: ...
    def put(self, text: bytes) -> None: ...
    def text(self) -> memoryview: ...
