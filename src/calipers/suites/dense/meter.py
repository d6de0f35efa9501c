"""The dense suite in a loop: records come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from typing import Any

from calipers.core.config import make_config
from calipers.core.errors import ConfigError
from calipers.files.problems import BadRecord
from calipers.report import Report
from calipers.suites.dense.config import Config, params
from calipers.suites.dense.plan import DensePart, measure_reading, report_of
from calipers.suites.dense.read import read_records


class DenseMeter:
    """Adds up records as they come.

    >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    >>> meter, other = DenseMeter(), DenseMeter()
    >>> meter.update([{"id": "a", "gt_norm1000": [box], "pred": [box]}])
    >>> other.update({"id": "b", "gt_norm1000": [box], "pred": []})
    >>> meter.merge(other)
    >>> meter.compute()["modes"]["category"]["primary"]["recall"]
    0.5
    """

    def __init__(self, **options: Any) -> None:
        self.config = make_config(Config, options)
        self.reset()

    def reset(self) -> None:
        """Forget all records."""
        self._total = DensePart()
        self.update([])

    def update(self, records: Any) -> None:
        """Add one record or several. If one is bad, none of them is added."""
        given = [records] if isinstance(records, dict) else list(records)
        reading = read_records(given, frame=self.config.frame, first=self._read + 1, max_text=self.config.max_text)
        self._check(reading.bad)
        self._total.add(measure_reading(reading, self.config))

    def merge(self, other: DenseMeter) -> None:
        """Add all records of another meter with the same parameters."""
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        self._check(other._total.bad)
        self._total.add(other._total)

    def _meaning(self) -> dict[str, Any]:
        """The parameters that can change a number."""
        return {name: value for name, value in params(self.config).items() if name not in {"top", "max_bad_records"}}

    @property
    def _read(self) -> int:
        return self._total.read.get(0, 0)

    def _check(self, bad: list[BadRecord]) -> None:
        """No more records may be bad than were allowed."""
        everything, most = self._total.bad + bad, self.config.max_bad_records
        if len(everything) > most:
            raise everything[most].error()

    def compute(self) -> Report:
        """The report over all records so far."""
        self._total.inputs = [{"path": "<records>", "sha256": None, "records": self._read}]
        return report_of(self._total, self.config)
