"""Check that records evaluated, skipped and rejected add up to those read."""

from __future__ import annotations

from calipers.core.arithmetic import Place, Tree, equal


def check_records(records: Tree, place: Place, whole: str) -> None:
    """Check that the counts of evaluated, skipped and rejected records add up to `whole`."""
    parts = [name for name in ("evaluated", "skipped", "skipped_empty", "rejected") if name in records]
    words = " + ".join(parts)
    equal(records[whole], sum(records[name] for name in parts), (*place, whole), words)
