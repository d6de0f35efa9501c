"""Rows and cases of measured images passed to a folder while intervals are computed, which mostly hold no lock.

A thread makes and passes them, in the order they have in files; the one that measures goes on, and waits for it at the
end. When that one fails or is interrupted, the thread ends with what it has in hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING, Any

from calipers.suites.coco.cases import case_lines
from calipers.suites.coco.rows import ObjectTable

if TYPE_CHECKING:
    from calipers.suites.coco.measure import MeasuredImages

OnRows = Callable[
    [list[Any], Iterable[bytes]], None
]  # takes rows, or lines of CSV where `takes_csv`; and lines of cases
ROWS, CASES = 20_000, 500  # that are passed at a time


@contextmanager
def passing_rows(measured: MeasuredImages, on_rows: OnRows) -> Iterator[None]:
    """A block beside which all rows and cases are passed on; at its end they are."""
    from concurrent.futures import ThreadPoolExecutor

    measured.causes  # noqa: B018  which both threads ask for
    stop = Event()
    with ThreadPoolExecutor(1) as threads:
        passed = threads.submit(_pass_rows, measured, on_rows, stop)
        try:
            yield
            passed.result()
        finally:
            stop.set()


def _pass_rows(measured: MeasuredImages, on_rows: OnRows, stop: Event) -> None:
    for rows in _row_groups(measured, as_csv=getattr(on_rows, "takes_csv", False)):
        if stop.is_set():
            return
        on_rows(rows, ())
    cases = case_lines(measured)
    while not stop.is_set() and (some := list(islice(cases, CASES))):
        on_rows([], some)


def _row_groups(measured: MeasuredImages, *, as_csv: bool) -> Iterator[list[Any]]:
    """Every object: lines of CSV, many to a text, or a dict each."""
    table = ObjectTable(measured)
    lines = table.csv() if as_csv else None
    if lines is not None:
        yield from ([text] for text in lines)
        return
    rows = table.rows()
    yield from (rows[first : first + ROWS] for first in range(0, len(rows), ROWS))
