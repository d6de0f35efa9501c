"""What the scene suite can be given, as types."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

SceneObject: TypeAlias = Mapping[str, Any]  # {"label", "center", "size", …}
SceneSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Any] | Sequence[SceneObject]
SceneMethods: TypeAlias = (  # also several: ["ours=out/a", …]
    str | os.PathLike[str] | Mapping[str, Any] | Sequence[SceneObject | str | os.PathLike[str]]
)
