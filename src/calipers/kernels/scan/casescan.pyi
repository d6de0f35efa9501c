from collections.abc import Callable
from typing import Any

class CaseScanner:
    def __init__(
        self,
        causes: list[bytes],
        forms: list[bytes],
        read_label: Callable[[bytes], Any],
        code_error: Callable[[int, int, Any, Any, int, bool], int],
        loads: Callable[[bytes], Any],
    ) -> None: ...
    def listed(self, line: bytes) -> tuple[int, str, list[int], list[int]] | None: ...
    def drawn(
        self, line: bytes
    ) -> (
        tuple[
            str,
            str,
            int,
            bytes,
            tuple[int, int],
            int,
            list[list[Any]],
            list[tuple[list[Any], int, str | None, str | None]],
        ]
        | None
    ): ...
