"""What rulers can be given, as types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias


class HasList(Protocol):
    """An array or tensor."""

    def tolist(self) -> Any:
        """The numbers as lists of Python."""


Shapes: TypeAlias = Sequence[Any] | HasList  # one shape or several: numbers, points, or lists of these
Cuboids: TypeAlias = Shapes | Mapping[str, Any]  # also {"center", "size", "rotation"}
