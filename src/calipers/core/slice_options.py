"""The options of suites whose results can be sliced by fields of their records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from calipers.core.config import RunOptions, artifact_options, option
from calipers.core.errors import ConfigError, require
from calipers.core.option_values import path
from calipers.core.slice_fields import SliceSpec, parse_slice


@dataclass(frozen=True, kw_only=True)
class SliceOptions(RunOptions):
    """Which fields a result is sliced by, and where further fields of records are."""

    slice: tuple[str, ...] = option(
        (),
        "figures for groups of records by FIELD, FIELD:10,20 or A×B; may be given again",
        metavar="FIELD",
        several=True,
    )
    attributes: str | None = option(
        None, "further fields of records: CSV or JSON lines with a column key", metavar="FILE"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        asked = [self.slice] if isinstance(self.slice, str) else self.slice
        good = isinstance(asked, (list, tuple)) and all(isinstance(item, str) for item in asked)
        require(good, "slice", self.slice, "names of fields, as a list")
        object.__setattr__(self, "slice", tuple(asked))
        object.__setattr__(self, "attributes", path("attributes", self.attributes))
        require(self.attributes is None or bool(asked), "attributes", self.attributes, "a field to slice by with it")
        self.slice_specs  # noqa: B018  a slice that cannot be meant is found out now

    @cached_property
    def slice_specs(self) -> tuple[SliceSpec, ...]:
        """The slices that are asked for, each once."""
        specs = tuple(dict.fromkeys(parse_slice(item) for item in self.slice))
        names = [spec.name for spec in specs]
        if again := next((name for name in names if names.count(name) > 1), None):
            raise ConfigError(f"slice: found {again!r:.80} with different edges, expected each field once")
        return specs

    @cached_property
    def slice_fields(self) -> tuple[str, ...]:
        """The fields that are needed, each once."""
        return tuple(dict.fromkeys(field.name for spec in self.slice_specs for field in spec.fields))


def artifact_params(config: SliceOptions) -> dict[str, Any]:
    """Every option that can change a number, those of slices only if one is asked for, and as JSON has them."""
    rest = {name: value for name, value in artifact_options(config).items() if name not in ("slice", "attributes")}
    return rest | ({"slice": list(config.slice), "attributes": config.attributes} if config.slice else {})
