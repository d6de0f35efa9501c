"""What workers of tests/engines/test_forked.py do."""

import os
import signal
import sys

from calipers.core.stopping import is_listening


def imported(handle):
    return "only_here" in sys.modules


def places_of_files(handle):
    """Where standard input and a file of the command lead, how many sockets there are, and what else."""
    places = [_place(int(name)) for name in os.listdir("/proc/self/fd")]
    sockets = [place for place in places if place.startswith("socket:")]
    return f"{_place(0)} {_place(handle)} {len(sockets)} socket"


def _place(handle):
    try:
        return os.readlink(f"/proc/self/fd/{handle}")
    except OSError:  # that of the list, closed by now
        return ""


def signals(handle):
    interrupts, ending = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    return f"{interrupts.name} {ending.name} {is_listening()}"


def parent(shard):
    return os.getppid()
