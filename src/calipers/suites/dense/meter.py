"""The dense suite in a loop: records come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from calipers.core.config import make_config
from calipers.core.errors import unexpected
from calipers.files.problems import BadRecord
from calipers.meter import number_params, require_mergeable
from calipers.report import Report
from calipers.suites.dense.config import Config, params
from calipers.suites.dense.part import DensePart
from calipers.suites.dense.plan import report_of
from calipers.suites.dense.read import read_records
from calipers.suites.dense.shards import measure_reading

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.dense.artifact_types import DenseArtifact
    from calipers.suites.dense.option_types import DenseOptions
    from calipers.suites.dense.source_types import DenseRecords


class DenseMeter:
    """The dense suite in a loop: records come in, a report comes out whenever it is asked for.

    Args:
        **options: Those of `calipers.dense`, see `calipers.DenseOptions`.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.

    Examples:
        >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
        >>> meter, other = DenseMeter(modes="category"), DenseMeter(modes="category")
        >>> meter.update([{"id": "a", "gt_norm1000": [box], "pred": [box]}])
        >>> other.update({"id": "b", "gt_norm1000": [box], "pred": []})
        >>> meter.merge(other)
        >>> meter.compute()["modes"]["category"]["primary"]["recall"]
        0.5
    """

    def __init__(self, **options: Unpack[DenseOptions]) -> None:
        self.config = make_config(Config, options)
        self.reset()

    def __repr__(self) -> str:
        return f"<DenseMeter: {self._read:,} records so far>"

    def reset(self) -> None:
        """Forget all records."""
        self._total = DensePart()
        self.update([])

    def update(self, records: DenseRecords) -> None:
        """Add one record or several. If one is bad, none of them is added.

        Args:
            records: A record, or several, as `calipers.dense` takes them.

        Raises:
            InputError: More records than `max_bad_records` are malformed.
            ConfigError: It is neither a record nor several.
        """
        if isinstance(records, (str, bytes)) or not isinstance(records, Iterable):
            raise unexpected("records", records, "a record or several")
        batch = [records] if isinstance(records, dict) else list(records)
        reading = read_records(
            batch,
            frame=self.config.frame,
            first=self._read + 1,
            max_text=self.config.max_text,
            fields=self.config.record_fields,
            answers=self.config.answer_options,
        )
        self._check(reading.bad)
        self._total.add(measure_reading(reading, self.config))

    def merge(self, other: DenseMeter) -> None:
        """Add all records of another meter.

        Args:
            other: A meter with the same parameters.

        Raises:
            ConfigError: It is no such meter, or has different parameters.
            InputError: More records than `max_bad_records` are malformed in both.
        """
        require_mergeable(self, other)
        self._check(other._total.bad)
        self._total.add(other._total)

    def _number_params(self) -> dict[str, Any]:
        return number_params(params(self.config))

    @property
    def _read(self) -> int:
        return self._total.read.get(0, 0)

    def _check(self, bad: list[BadRecord]) -> None:
        """Raise the error of a bad record if there are more than allowed."""
        all_bad, max_bad = self._total.bad + bad, self.config.max_bad_records
        if len(all_bad) > max_bad:
            raise all_bad[max_bad].error()

    def compute(self) -> Report[DenseArtifact]:
        """Compute the report over all records so far; more may follow.

        Returns:
            The report.
        """
        self._total.inputs = [{"path": "<records>", "sha256": None, "records": self._read}]
        return report_of(self._total, self.config)
