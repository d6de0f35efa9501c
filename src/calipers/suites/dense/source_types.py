"""What the dense suite can be given, as types."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

DenseRecord: TypeAlias = Mapping[str, Any]  # a line of a dump: {"gt_norm1000": […], "pred": […], …}
DenseRecords: TypeAlias = DenseRecord | Iterable[DenseRecord]
DenseSource: TypeAlias = str | os.PathLike[str] | DenseRecord | Iterable[DenseRecord | str | os.PathLike[str]]
