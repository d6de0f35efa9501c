"""What the timeline suite can be given, as types."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

TimelineSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]  # a path, or what the JSON would hold
