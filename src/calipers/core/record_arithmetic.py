"""Records that were read, evaluated, skipped and rejected."""

from __future__ import annotations

from calipers.core.arithmetic import Place, Tree, equal


def check_records(records: Tree, place: Place, whole: str) -> None:
    """All that were read became something."""
    parts = [name for name in ("evaluated", "skipped", "skipped_empty", "rejected") if name in records]
    words = " + ".join(parts)
    equal(records[whole], sum(records[name] for name in parts), (*place, whole), words)
