"""The options of the dense suite, brought to one form and checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from calipers.core import sweep
from calipers.core.config import option
from calipers.core.errors import require, unexpected
from calipers.core.limits import DUMP_CHUNK_BYTES
from calipers.core.matching import SWEEP
from calipers.core.option_values import keys, names, number, path, threshold, thresholds, whole
from calipers.core.slice_fields import OBJECTS, SIZE
from calipers.core.slice_options import SliceOptions, artifact_params
from calipers.files.answers.families import NAMES
from calipers.files.answers.records import AnswerOptions
from calipers.files.lines import MAX_EXPANSION
from calipers.kernels.shape.plane import MAX_WORK
from calipers.rulers.tube import stroke_width
from calipers.suites.dense.desc import A_KEY, is_key
from calipers.suites.dense.labels import MODES, Vocabulary, vocabulary
from calipers.suites.dense.read import MAX_TEXT
from calipers.suites.dense.taxonomy import Taxonomy, built_in, load

PROTOCOL = "dense/1"  # name and version of the definitions
FRAMES = ("norm1000", "pixel")
FREE_TEXT_KEYS = ("文本", "备注")


@dataclass(frozen=True, kw_only=True)
class Config(SliceOptions):
    """Every option of the dense suite."""

    chunk_bytes: int = option(DUMP_CHUNK_BYTES, "bytes of input that are measured at a time", artifact=False)
    tube_tolerance: float = option(
        8.0, "how far from a line its tube reaches, and how near counts for coverage, in norm1000 units"
    )
    primary_threshold: float = option(0.5, "overlap threshold of the summary, above 0 to 1; need not be in the sweep")
    thresholds: tuple[float, ...] = option(SWEEP, "overlap thresholds of the sweep, ascending", metavar="T,T,…")
    modes: tuple[str, ...] = option(MODES, "label modes to report", metavar="MODE,…")
    top: int = option(25, "how many labels the summary shows; the artifact has all")
    label_key: str = option("类别", "key whose value is the label")
    free_text_keys: tuple[str, ...] = option(FREE_TEXT_KEYS, "keys whose value is free text", metavar="KEY,…")
    mapping: str | None = option(None, "JSON file with umbrella phases and known keys", metavar="FILE")
    frame: str = option("norm1000", "coordinates of the records", metavar="norm1000|pixel")
    answers: str | None = option(None, f"predictions are answers of this family: {', '.join(NAMES)}", metavar="FAMILY")
    pred_field: str | None = option(None, "field of the records that holds the answer of a model", metavar="FIELD")
    max_bad_records: int = option(0, "reject and count up to N records that cannot be read", metavar="N")
    max_work: int = option(
        MAX_WORK, "refuse records that take more steps for each number of their shapes", metavar="N", artifact=False
    )
    max_text: int = option(MAX_TEXT, "refuse records with a longer desc, in characters", metavar="N", artifact=False)
    max_expansion: int = option(
        MAX_EXPANSION,
        "refuse compressed input that grows to more times its size; 64 MiB are always allowed",
        metavar="N",
        artifact=False,
    )
    bootstrap: int = option(1000, "replicates for the intervals; 0 is none")
    seed: int = option(0, "seed of the replicates")

    def __post_init__(self) -> None:
        super().__post_init__()
        tolerance = number("tube_tolerance", self.tube_tolerance)
        require(0 <= tolerance <= 1e6, "tube_tolerance", self.tube_tolerance, "a number from 0 to 1000000")
        require(self.frame in FRAMES, "frame", self.frame, " or ".join(FRAMES))
        require(is_key(self.label_key), "label_key", self.label_key, A_KEY)
        checked = {
            "tube_tolerance": tolerance,
            "primary_threshold": threshold("primary_threshold", self.primary_threshold),
            "thresholds": thresholds("thresholds", self.thresholds),
            "modes": names("modes", self.modes, MODES),
            "free_text_keys": _field_keys("free_text_keys", self.free_text_keys),
            "mapping": path("mapping", self.mapping),
            "top": whole("top", self.top, 0),
            "max_bad_records": whole("max_bad_records", self.max_bad_records, 0),
            "max_work": whole("max_work", self.max_work, 1, 10**12),
            "max_text": whole("max_text", self.max_text, 1),
            "max_expansion": whole("max_expansion", self.max_expansion, 1),
            "bootstrap": whole("bootstrap", self.bootstrap, 0, 1_000_000),
            "seed": whole("seed", self.seed, 0),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        require(self.answers is None or self.answers in NAMES, "answers", self.answers, f"one of {', '.join(NAMES)}")
        good = self.pred_field is None or (isinstance(self.pred_field, str) and bool(self.pred_field))
        require(good, "pred_field", self.pred_field, "the name of a field")
        if self.pred_field is not None and self.answers is None:
            object.__setattr__(self, "answers", "auto")
        if self.mapping is not None:
            self.taxonomy  # noqa: B018  a file that cannot be read is found out now

    @cached_property
    def record_fields(self) -> tuple[str, ...]:
        """The fields that are read from records: those that slices are made of, but for what is counted or measured."""
        return tuple(name for name in self.slice_fields if name not in (OBJECTS, SIZE))

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The umbrellas and keys in force."""
        return built_in() if self.mapping is None else load(self.mapping)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Parses descriptions under these options."""
        return vocabulary(self.taxonomy, self.label_key, self.free_text_keys)

    @property
    def answer_options(self) -> AnswerOptions | None:
        """How predictions are read that are answers of models."""
        return None if self.answers is None else AnswerOptions(self.answers, self.pred_field)

    @property
    def joined_options(self) -> AnswerOptions:
        """How answers are read that are joined with ground truth; where nothing is said, as whose they look."""
        return AnswerOptions(self.answers or "auto", self.pred_field)

    @cached_property
    def levels(self) -> sweep.Levels:
        """The thresholds, as the matcher sees them."""
        return sweep.Levels(self.thresholds, self.primary_threshold)


def _field_keys(name: str, value: Any) -> tuple[str, ...]:
    """Some keys that fields of a description can have."""
    field_keys = keys(name, value)
    for key in field_keys:
        require(is_key(key), name, key, A_KEY)
    return field_keys


def params(config: Config) -> dict[str, Any]:
    """Every parameter, given or default, that can change a number."""
    plain = artifact_params(config)
    plain["thresholds"], plain["modes"] = list(config.thresholds), list(config.modes)
    plain["free_text_keys"] = list(config.free_text_keys)
    tolerance = plain.pop("tube_tolerance")
    for name in ("answers", "pred_field"):
        if plain[name] is None:  # results without the option do not name it
            del plain[name]
    return {
        "tube_tolerance": tolerance,
        "stroke_width": stroke_width(tolerance),
        **plain,
        "mapping_sha256": config.taxonomy.sha256,
        "rulers": {"region": "exact-area", "line": "tube-cells"},
        "matching": {"algorithm": "greedy_1to1", "tie_break": ["score_desc", "gt_index_asc", "pred_index_asc"]},
    }


TABLE_KINDS = ("csv", "parquet")


@dataclass(frozen=True, kw_only=True)
class DenseOutputOptions:
    """Options that change only what a folder of `-o` holds."""

    tables: str | None = option(None, "kind of tables in the folder: csv or parquet  [default: csv]", metavar="KIND")

    def __post_init__(self) -> None:
        if self.tables is not None and self.tables not in TABLE_KINDS:
            raise unexpected("tables", self.tables, " or ".join(TABLE_KINDS))

    def check_folder(self, has_folder: bool) -> None:
        """Refuse options that have no effect without a folder."""
        if self.tables is not None and not has_folder:
            raise unexpected("tables", self.tables, "a folder to write it to (-o)")
