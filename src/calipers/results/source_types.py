"""What results can be given as, as types."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

ResultSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]  # a file, a folder, a report, or its tree
RuleSource: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any] | tuple[str, str, float]]
Limits: TypeAlias = Mapping[str, float] | Sequence[str]  # limits by name of a figure, or texts "NAME=NUMBER"
CheckSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any]  # a path, or what a file would hold
