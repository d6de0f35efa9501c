"""Calipers measures predictions against ground truth. The public names, each loaded on first use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers import judge
    from calipers.core.errors import CalipersError, ConfigError, InputError, OutputError
    from calipers.detectors.detect import detect
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
    from calipers.suites.coco.evaluate import coco, coco_numbers
    from calipers.suites.coco.meter import CocoMeter
    from calipers.suites.dense.evaluate import dense
    from calipers.suites.dense.meter import DenseMeter
    from calipers.suites.dense.model_text import parse_objects
    from calipers.suites.dense.reward import reward
    from calipers.suites.scene.evaluate import scene
    from calipers.suites.scene.meter import SceneMeter
    from calipers.suites.timeline.evaluate import timeline
    from calipers.suites.timeline.meter import TimelineMeter

__version__ = "0.1.0"

_HOMES = {
    "CalipersError": "core.errors",
    "CocoMeter": "suites.coco.meter",
    "ConfigError": "core.errors",
    "DenseMeter": "suites.dense.meter",
    "InputError": "core.errors",
    "OutputError": "core.errors",
    "Report": "report",
    "SceneMeter": "suites.scene.meter",
    "TimelineMeter": "suites.timeline.meter",
    "check": "results.check",
    "coco": "suites.coco.evaluate",
    "coco_numbers": "suites.coco.evaluate",
    "compare": "results.compare",
    "containment": "rulers.containment",
    "cuboid_iou": "rulers.cuboid",
    "dense": "suites.dense.evaluate",
    "detect": "detectors.detect",
    "gate": "results.gate",
    "judge": "judge",
    "line_coverage": "rulers.tube",
    "load": "report",
    "merge": "results.merging",
    "parse_objects": "suites.dense.model_text",
    "region_iou": "rulers.region",
    "reward": "suites.dense.reward",
    "scene": "suites.scene.evaluate",
    "schema": "schemas",
    "timeline": "suites.timeline.evaluate",
    "tube_iou": "rulers.tube",
}

__all__ = [
    "CalipersError",
    "CocoMeter",
    "ConfigError",
    "DenseMeter",
    "InputError",
    "OutputError",
    "Report",
    "SceneMeter",
    "TimelineMeter",
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
