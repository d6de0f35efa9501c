"""Calipers measures predictions against ground truth. The public names, each loaded on first use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers import judge
    from calipers.core.errors import CalipersError, ConfigError, InputError, OutputError
    from calipers.core.match_matrix import match
    from calipers.detectors.detect import detect
    from calipers.files.answers.model_text import parse_objects
    from calipers.report import Report, load
    from calipers.results.check import check
    from calipers.results.compare import compare
    from calipers.results.convert import convert
    from calipers.results.gate import gate
    from calipers.results.merging import merge
    from calipers.results.rank import rank
    from calipers.results.suspects import suspects
    from calipers.rulers.containment import containment
    from calipers.rulers.cuboid import cuboid_iou
    from calipers.rulers.region import region_iou
    from calipers.rulers.tube import line_coverage, tube_iou
    from calipers.schemas import schema
    from calipers.suites.coco.artifact_types import CocoArtifact
    from calipers.suites.coco.evaluate import coco, coco_numbers
    from calipers.suites.coco.meter import CocoMeter
    from calipers.suites.coco.option_types import CocoOptions
    from calipers.suites.dense.artifact_types import DenseArtifact
    from calipers.suites.dense.evaluate import dense
    from calipers.suites.dense.meter import DenseMeter
    from calipers.suites.dense.option_types import DenseOptions
    from calipers.suites.dense.reward import reward
    from calipers.suites.dense.trl_rewards import trl_reward
    from calipers.suites.scene.artifact_types import SceneArtifact
    from calipers.suites.scene.evaluate import scene
    from calipers.suites.scene.meter import SceneMeter
    from calipers.suites.scene.option_types import SceneOptions
    from calipers.suites.timeline.artifact_types import TimelineArtifact
    from calipers.suites.timeline.evaluate import timeline
    from calipers.suites.timeline.meter import TimelineMeter
    from calipers.suites.timeline.option_types import TimelineOptions

__version__ = "0.1.0"

_HOMES = {
    "CalipersError": "core.errors",
    "CocoArtifact": "suites.coco.artifact_types",
    "CocoMeter": "suites.coco.meter",
    "CocoOptions": "suites.coco.option_types",
    "ConfigError": "core.errors",
    "DenseArtifact": "suites.dense.artifact_types",
    "DenseMeter": "suites.dense.meter",
    "DenseOptions": "suites.dense.option_types",
    "InputError": "core.errors",
    "OutputError": "core.errors",
    "Report": "report",
    "SceneArtifact": "suites.scene.artifact_types",
    "SceneMeter": "suites.scene.meter",
    "SceneOptions": "suites.scene.option_types",
    "TimelineArtifact": "suites.timeline.artifact_types",
    "TimelineMeter": "suites.timeline.meter",
    "TimelineOptions": "suites.timeline.option_types",
    "check": "results.check",
    "coco": "suites.coco.evaluate",
    "coco_numbers": "suites.coco.evaluate",
    "compare": "results.compare",
    "containment": "rulers.containment",
    "convert": "results.convert",
    "cuboid_iou": "rulers.cuboid",
    "dense": "suites.dense.evaluate",
    "detect": "detectors.detect",
    "gate": "results.gate",
    "judge": "judge",
    "line_coverage": "rulers.tube",
    "load": "report",
    "match": "core.match_matrix",
    "merge": "results.merging",
    "parse_objects": "files.answers.model_text",
    "rank": "results.rank",
    "region_iou": "rulers.region",
    "reward": "suites.dense.reward",
    "scene": "suites.scene.evaluate",
    "schema": "schemas",
    "suspects": "results.suspects",
    "timeline": "suites.timeline.evaluate",
    "trl_reward": "suites.dense.trl_rewards",
    "tube_iou": "rulers.tube",
}

__all__ = [
    "CalipersError",
    "CocoArtifact",
    "CocoMeter",
    "CocoOptions",
    "ConfigError",
    "DenseArtifact",
    "DenseMeter",
    "DenseOptions",
    "InputError",
    "OutputError",
    "Report",
    "SceneArtifact",
    "SceneMeter",
    "SceneOptions",
    "TimelineArtifact",
    "TimelineMeter",
    "TimelineOptions",
    "__version__",
    "check",
    "coco",
    "coco_numbers",
    "compare",
    "containment",
    "convert",
    "cuboid_iou",
    "dense",
    "detect",
    "gate",
    "judge",
    "line_coverage",
    "load",
    "match",
    "merge",
    "parse_objects",
    "rank",
    "region_iou",
    "reward",
    "scene",
    "schema",
    "suspects",
    "timeline",
    "trl_reward",
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
