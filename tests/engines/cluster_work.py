"""Work for workers: functions they can import."""

import os
import signal
import time
from pathlib import Path

from calipers.engines.local import Local
from calipers.errors import InputError


def square(number: int) -> int:
    return number * number


def slow_square(number: int, seconds: float = 0.05) -> int:
    time.sleep(seconds)
    return number * number


def late_first(number: int) -> int:
    time.sleep(0.3 if number == 0 else 0)
    return number


def as_list(number: int) -> list[int]:
    return [number]


def joined(lists: list[list[int]]) -> list[int]:
    first, *others = lists
    for other in others:
        first += other
    return first


def refuse_some(number: int, bad: tuple[int, ...]) -> list[int]:
    if number in bad:
        time.sleep(0.1 if number == min(bad) else 0)  # later errors are known first
        raise InputError(f"{number} is bad")
    return [number]


def fail_oddly(number: int) -> int:
    raise ZeroDivisionError(f"no {number}")


def large(number: int) -> bytes:
    return bytes([number]) * 3_000_000


def length(data: bytes) -> int:
    return len(data)


def pid_of(number: int) -> int:
    time.sleep(0.02)
    return os.getpid()


def deadly(number: int, fatal: int) -> list[int]:
    if number == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
    return [number]


def deadly_once(number: int, fatal: int, note: str) -> list[int]:
    """Ends its worker the first time it is asked for one number."""
    if number == fatal and not Path(note).exists():
        Path(note).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return [number]


def noted(number: int, folder: str) -> int:
    """Leaves a file behind, so that it is known who was asked."""
    time.sleep(0.05)
    Path(folder, str(number)).touch()
    return number


def in_two_jobs(count: int) -> list[int]:
    return list(Local(2).in_order(square, range(count)))
