"""The dense suite in a training loop: records come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from typing import Any

from calipers.config import make_config
from calipers.errors import ConfigError
from calipers.readers.dense import read_records
from calipers.readers.problems import BadRecord
from calipers.report import Report
from calipers.run import make_report, measure_reading
from calipers.suites.dense import Config, params
from calipers.tally import Tally


class Dense:
    """Adds up records as they come.

    >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    >>> meter, other = Dense(), Dense()
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
        self._tally = Tally()
        self._bad: list[BadRecord] = []
        self._read = 0
        self.update([])

    def update(self, records: Any) -> None:
        """Add one record or several. If one is bad, none of them is added."""
        given = [records] if isinstance(records, dict) else list(records)
        reading = read_records(given, frame=self.config.frame, first=self._read + 1)
        bad = self._bad + reading.bad
        if len(bad) > self.config.max_bad_records:
            raise bad[self.config.max_bad_records].error()
        self._tally += measure_reading(reading, self.config).tally
        self._bad, self._read = bad, self._read + reading.read

    def merge(self, other: Dense) -> None:
        """Add all records of another meter with the same parameters."""
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        bad = self._bad + other._bad
        if len(bad) > self.config.max_bad_records:
            raise bad[self.config.max_bad_records].error()
        self._tally = self._tally + other._tally
        self._bad, self._read = bad, self._read + other._read

    def _meaning(self) -> dict[str, Any]:
        """The parameters that can change a number."""
        return {name: value for name, value in params(self.config).items() if name not in {"top", "max_bad_records"}}

    def compute(self) -> Report:
        """The report over all records so far."""
        inputs = [{"path": "<records>", "sha256": None, "records": self._read}]
        return make_report(self._tally, self._bad, inputs, self.config)
