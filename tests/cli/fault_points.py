"""Places where a run can be made to fail, in the process of a test and in the workers of its run.

Workers import this file, so it needs nothing of pytest.
"""

import builtins
import errno
import io
import os
import signal
import time
from importlib import import_module
from itertools import count
from pathlib import Path

ERRORS = {"no space": errno.ENOSPC, "I/O error": errno.EIO, "permission": errno.EACCES}
SIGNALS = {"interrupt": signal.SIGINT, "termination": signal.SIGTERM}
DECODED = {
    "dense": ("calipers.suites.dense.read", "_Reader.take_lines"),
    "timeline": ("orjson", "loads"),
    "scene": ("orjson", "loads"),
    "coco": ("calipers.suites.coco.annotations.sides", "check_truth"),
}
MEASURED = {
    "dense": ("calipers.suites.dense.measure", "count"),
    "timeline": ("calipers.suites.timeline.measure", "count_states"),
    "scene": ("calipers.suites.scene.measure", "cuboid_overlaps"),
    "coco": ("calipers.suites.coco.measure", "overlaps"),
}
ADDED = {suite: (f"calipers.suites.{suite}.plan", f"{suite.title()}Part.add") for suite in DECODED}


class Fault:
    """Something that goes wrong when it is called for the n-th time, in whatever process that is, or from then on."""

    def __init__(self, kind, at, folder, *, stays, parent):
        self.kind, self.at, self.folder, self.stays, self.parent = kind, at, folder, stays, parent
        folder.mkdir(exist_ok=True)

    def __call__(self):
        if self.kind == "killed in a worker" and os.getpid() == self.parent:
            return
        calls = self._count()
        if calls < self.at or (calls > self.at and not self.stays):
            return
        if self.kind in ERRORS:
            raise OSError(ERRORS[self.kind], os.strerror(ERRORS[self.kind]))
        if self.kind == "memory":
            raise MemoryError
        if self.kind == "killed in a worker":
            os.kill(os.getpid(), signal.SIGKILL)
        os.kill(self.parent, SIGNALS[self.kind])
        if os.getpid() != self.parent:
            time.sleep(600)
            (self.folder / "slept").touch()  # nobody ended this worker

    def _count(self):
        """Which call this is, of all threads and processes: each takes a number of its own."""
        return next(number for number in count(1) if self._takes(number))

    def _takes(self, number):
        try:
            (self.folder / str(number)).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def patched(monkeypatch, wrong, module, name):
    """A function that goes wrong before it does its work."""
    home = import_module(module)
    *classes, name = name.split(".")
    for each in classes:
        home = getattr(home, each)
    function = getattr(home, name)

    def instead(*args, **options):
        wrong()
        return function(*args, **options)

    monkeypatch.setattr(home, name, instead)


def is_input(path):
    return isinstance(path, (str, Path)) and "inputs/" in f"{path}"


def opening(monkeypatch, wrong, suite):
    true_open = builtins.open

    def instead(path, *args, **options):
        if is_input(path):
            wrong()
        return true_open(path, *args, **options)

    monkeypatch.setattr(builtins, "open", instead)
    monkeypatch.setattr(io, "open", instead)


class Torn(io.FileIO):
    """A file in which something goes wrong in the middle, in reading or in writing."""

    def __init__(self, path, mode, wrong):
        super().__init__(path, mode)
        self._wrong, self._left = wrong, os.path.getsize(path) // 2 if mode == "r" else 100

    def _passed(self, count):
        self._left -= count
        if self._left < 0 <= self._left + count:
            self._wrong()

    def readinto(self, buffer):
        count = super().readinto(memoryview(buffer)[: max(self._left + 1, 1)] if self._left >= 0 else buffer)
        self._passed(count)
        return count

    def read(self, size=-1):
        if size is None or size < 0:
            return self.readall()
        data = bytearray(size)
        return bytes(data[: self.readinto(data)])

    def readall(self):
        self._passed(self._left + 1)
        return super().readall()

    def write(self, data):
        self._passed(len(data))
        return super().write(data)


def reading(monkeypatch, wrong, suite):
    true_open = builtins.open

    def instead(path, mode="r", buffering=-1, *args, **options):
        if not is_input(path) or mode != "rb":
            return true_open(path, mode, buffering, *args, **options)
        file = Torn(path, "r", wrong)
        return file if buffering == 0 else io.BufferedReader(file)

    monkeypatch.setattr(builtins, "open", instead)
    monkeypatch.setattr(io, "open", instead)


def writing(monkeypatch, wrong, suite):
    true_open = builtins.open

    def instead(path, mode="r", *args, **options):
        if mode == "xb" and ".calipers-" in str(path):
            return io.BufferedWriter(Torn(path, "w", wrong))
        return true_open(path, mode, *args, **options)

    monkeypatch.setattr(builtins, "open", instead)


def renaming(monkeypatch, wrong, suite):
    true_replace = os.replace

    def instead(source, target):
        if ".calipers-" in str(source):  # and no module that pytest compiles meanwhile
            wrong()
        return true_replace(source, target)

    monkeypatch.setattr(os, "replace", instead)


PUT = {
    "open": opening,
    "read": reading,
    "decode": lambda m, wrong, suite: patched(m, wrong, *DECODED[suite]),
    "measure": lambda m, wrong, suite: patched(m, wrong, *MEASURED[suite]),
    "add": lambda m, wrong, suite: patched(m, wrong, *ADDED[suite]),
    "write": writing,
    "fsync": lambda m, wrong, suite: patched(m, wrong, "os", "fsync"),
    "rename": renaming,
}


def install(stage, kind, suite, at, folder, parent):
    """In a worker: make it fail where its parent would."""
    PUT[stage](_Patch, Fault(kind, at, Path(folder), stays=stays(stage, kind), parent=parent), suite)


def stays(stage, kind):
    """Whether it fails again and again."""
    return stage == "open" and kind in ERRORS


class _Patch:
    setattr = staticmethod(setattr)
