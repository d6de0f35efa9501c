"""What the detection suite can be given, as types."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

CocoDetection: TypeAlias = Mapping[str, Any]  # {"image_id", "category_id", "bbox", "score", …}
CocoDetections: TypeAlias = CocoDetection | Iterable[CocoDetection]
CocoTruth: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]  # a file or folder, or what the JSON would hold
CocoPredictions: TypeAlias = CocoTruth | Sequence[CocoDetection]
CocoTensors: TypeAlias = Sequence[Mapping[str, Any]]  # of each image {"boxes", "scores", "labels", …}, as torchmetrics
