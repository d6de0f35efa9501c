"""What a verdict can be asked about, as types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from calipers.rulers.source_types import HasList

JudgePayload: TypeAlias = Mapping[str, Any] | str | bytes | bytearray  # of a host: an object, or its JSON
JudgeAnswer: TypeAlias = str | Sequence[Any] | Mapping[str, Any] | HasList  # what a model wrote, an object or a list
JudgeCount: TypeAlias = JudgeAnswer | int  # also just a number
