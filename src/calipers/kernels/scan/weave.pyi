from typing import Any

from .column import Column

class Cells:
    def __init__(
        self, text: bytes, offsets: Any = None, gap: int = 0, codes: Any = None, nothing: bytes = b""
    ) -> None: ...

def comma_offsets(text: bytes, count: int) -> Column: ...
def weave(parts: list[bytes | Cells], count: int) -> tuple[bytes, Column]: ...
