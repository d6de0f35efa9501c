"""A bar on standard error for work that lasts more than a second, on a terminal only."""

from __future__ import annotations

import sys
import time

WIDTH = 30
SOON = 0.3  # seconds after which what was done tells how long the rest takes


class Progress:
    """Call it with how much of how much is done; leave it with `clear`."""

    def __init__(self, unit: str = "MB", size: float = 1e6) -> None:
        self._unit, self._size = unit, size
        self._begun, self._shown = time.monotonic(), False
        self._wanted = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Draw the bar."""
        if not self._wanted or not self._will_last(done, total):
            return
        filled = min(WIDTH, WIDTH * done // total) if total else 0
        bar = "█" * filled + "░" * (WIDTH - filled)
        of = f" of {total / self._size:,.0f}" if total else ""
        amount = f"{done / self._size:,.0f}{of} {self._unit}"
        sys.stderr.write(f"\r{bar} {amount}")
        sys.stderr.flush()
        self._shown = True

    def _will_last(self, done: int, total: int) -> bool:
        """Whether the work lasts more than a second, as far as one can tell."""
        taken = time.monotonic() - self._begun
        return taken >= 1 or (taken >= SOON and taken * total > done)

    def clear(self) -> None:
        """Erase the bar."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
