"""Work for workers: functions they can import."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from calipers.core.errors import InputError
from calipers.engines.local import Local


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
    """Leaves a file behind, so that it is known who was asked. All but the first wait until there is a file "go".

    They wait for half a minute at most: a cluster that loses the first one runs it again when a worker is free.
    """
    end = time.monotonic() + 30
    while number and not Path(folder, "go").exists() and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3 if number else 0)  # those that wait in vain may hear of it late
    Path(folder, str(number)).touch()
    return number


def in_two_jobs(count: int) -> list[int]:
    return list(Local(2).in_order(square, range(count)))


def square_slowly_at_first(number: int) -> int:
    if number == 0:
        time.sleep(0.2)
    return number * number


def refuse_three(number: int) -> int:
    if number == 3:
        raise InputError("three")
    return number


def end_at_three(number: int, how: str) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL) if how == "killed" else os._exit(7)
    return number


def die_once(number: int, folder: Path) -> int:
    if number % 7 == 3 and not (folder / str(number)).exists():
        (folder / str(number)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def short_of_memory_together(number: int, folder: Path) -> int:
    """Fails while another one is under way, as it is when memory is short."""
    mine = folder / str(number)
    mine.touch()
    try:
        time.sleep(0.05)
        if number == 5 and len(list(folder.iterdir())) > 1:
            raise MemoryError
        return number
    finally:
        mine.unlink()


def large_until_three(number: int) -> bytes:
    if number == 3:
        raise ValueError("three")
    return bytes(1_000_000)


class OddError(Exception):
    """One that cannot be made again from its arguments."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def fail_unpicklably(number: int) -> int:
    raise OddError(number, number)


def unpicklable(number: int) -> object:
    return lambda: number


def stop_itself_once(number: int, note: str) -> int:
    """Stops its process the first time it is asked for a number, as SIGSTOP from outside does."""
    if number == 3 and not Path(note).exists():
        Path(note).write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGSTOP)
    return number


def sleep_long(number: int) -> int:
    time.sleep(0 if number != 3 else 3600)
    return number


def half_an_answer(number: int, end: str) -> bytes:
    """For one number half of the answer gets sent, and then its worker ends or stands still."""
    if number == 1:
        from calipers.engines import child_main

        def send(channel: Any, message: bytes) -> None:
            channel.sendall(child_main.LENGTH.pack(len(message)) + message[: len(message) // 2])
            os.kill(os.getpid(), signal.SIGKILL) if end == "killed" else time.sleep(3600)

        child_main.send = send
    return b"x" * 50_000


def forever(number: int) -> int:
    while True:
        number += 1


def short_of_memory_in(number: int, pid: int) -> int:
    if os.getpid() == pid:
        raise MemoryError
    return number
