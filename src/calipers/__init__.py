"""Calipers measures predictions against ground truth. The public names, each loaded on first use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers import judge
    from calipers.core.errors import CalipersError, ConfigError, InputError, OutputError
    from calipers.detectors.detect import detect
    from calipers.evaluate import coco, coco_numbers, dense, scene, timeline
    from calipers.meter import Coco, Dense, Scene, Timeline
    from calipers.report import Report, load
    from calipers.results.check import check
    from calipers.results.compare import compare
    from calipers.results.gate import gate
    from calipers.results.merging import merge
    from calipers.rulers.containment import containment
    from calipers.rulers.cuboid import cuboid_iou
    from calipers.rulers.region import region_iou
    from calipers.rulers.tube import line_coverage, tube_iou
    from calipers.schemas import schema
    from calipers.suites.dense.model_text import parse_objects
    from calipers.suites.dense.reward import reward

__version__ = "0.1.0"

_HOMES = {
    "CalipersError": "core.errors",
    "Coco": "meter",
    "ConfigError": "core.errors",
    "Dense": "meter",
    "InputError": "core.errors",
    "OutputError": "core.errors",
    "Report": "report",
    "Scene": "meter",
    "Timeline": "meter",
    "check": "results.check",
    "coco": "evaluate",
    "coco_numbers": "evaluate",
    "compare": "results.compare",
    "containment": "rulers.containment",
    "cuboid_iou": "rulers.cuboid",
    "dense": "evaluate",
    "detect": "detectors.detect",
    "gate": "results.gate",
    "judge": "judge",
    "line_coverage": "rulers.tube",
    "load": "report",
    "merge": "results.merging",
    "parse_objects": "suites.dense.model_text",
    "region_iou": "rulers.region",
    "reward": "suites.dense.reward",
    "scene": "evaluate",
    "schema": "schemas",
    "timeline": "evaluate",
    "tube_iou": "rulers.tube",
}

__all__ = [
    "CalipersError",
    "Coco",
    "ConfigError",
    "Dense",
    "InputError",
    "OutputError",
    "Report",
    "Scene",
    "Timeline",
    "__version__",
    "check",
    "coco",
    "coco_numbers",
    "compare",
    "containment",
    "cuboid_iou",
    "dense",
    "detect",
    "gate",
    "judge",
    "line_coverage",
    "load",
    "merge",
    "parse_objects",
    "region_iou",
    "reward",
    "scene",
    "schema",
    "timeline",
    "tube_iou",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'calipers' has no attribute {name!r}")
    home = __import__(f"calipers.{_HOMES[name]}", fromlist=[name])  # importlib would cost half a ms
    value = home if name == _HOMES[name] else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
