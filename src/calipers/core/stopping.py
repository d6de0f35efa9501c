"""SIGINT and SIGTERM, as a command handles them: none is lost, and the first one alone breaks into what is going on.

The command line calls `listen` before it imports anything else. Then the first signal raises KeyboardInterrupt or
SystemExit(143); more of them do not disturb the way out, but for the fourth, which ends the process at once. A signal
that was swallowed on its way, by a callback of the garbage collector or a broad `except` in a library, is raised again
at the next safe point (`check_stop`), at the latest before a result is written. While a module is imported nothing is
raised, since compiled modules may crash when their start is broken off, but as soon as it is there. A signal that the
command was started with ignoring stays ignored.

In somebody else's process nobody calls `listen`, and nothing here does anything.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _thread
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType

SIGNALS = (int(_signal.SIGINT), int(_signal.SIGTERM))
REMINDERS = (int(_signal.SIGALRM),) if hasattr(_signal, "setitimer") else ()
MAX_SIGNALS = 3
REMINDER_SEC = 0.002
IMPORTING = "<frozen importlib._bootstrap>"


class _Listener:
    """The signals received so far."""

    def __init__(self) -> None:
        self.listens = False
        self.thread = _thread.get_ident()  # the main thread, in which handlers run
        self.command: CodeType | None = None  # of the function that listens
        self.received: list[int] = []
        self.deferrals = 0  # blocks that must not be broken into
        self.raised = False  # whether one was raised, and is on its way to where the command ends
        self.written: list[str] = []  # files and folders that are there already


_listener = _Listener()


def listen() -> None:
    """Handle signals from here on."""
    _listener.__init__()  # type: ignore[misc]
    _listener.listens, _listener.command = True, sys._getframe(1).f_code
    for number in SIGNALS:
        if _signal.getsignal(number) not in (_signal.SIG_IGN, None):
            _signal.signal(number, _on_signal)
    sys.unraisablehook = _on_unraisable


def stop_listening() -> int | None:
    """From here on signals change nothing. Returns the exit code of a stopped command, if it was."""
    _listener.listens = False
    for number in (*SIGNALS, *REMINDERS):
        if _signal.getsignal(number) in (_on_signal, _on_reminder):
            _signal.signal(number, _signal.SIG_IGN)  # or at the end of Python it would end the process
    return 128 + _listener.received[0] if _listener.received else None


def is_listening() -> bool:
    """Whether this process is a command."""
    return _listener.listens


def check_stop() -> None:
    """Raise a signal that was received and not raised, or swallowed on its way."""
    if _listener.received and _listener.listens and _listener.thread == _thread.get_ident():
        _raise()


def note_written(path: str) -> None:
    """Have an interrupt from here on name a file or folder that was written before it."""
    if _listener.listens:
        _listener.written.append(path)


class Deferred:
    """A block that signals do not interrupt. One received in it is raised at its end."""

    def __init__(self) -> None:
        self._counts = _listener.listens and _listener.thread == _thread.get_ident()

    def __enter__(self) -> None:
        if self._counts:
            _listener.deferrals += 1

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._counts:
            return
        _listener.deferrals -= 1
        if _listener.received and not _listener.raised and not _listener.deferrals:
            _raise()


def _raise() -> None:
    _listener.raised = True
    if _listener.received[0] == SIGNALS[0]:
        written = ", ".join(_listener.written)
        raise KeyboardInterrupt(f"written before that: {written}" if written else "")
    raise SystemExit(128 + _listener.received[0])


def _on_signal(number: int, frame: FrameType | None) -> None:
    if not _listener.listens:
        return
    _listener.received.append(number)
    if len(_listener.received) > MAX_SIGNALS:
        _signal.signal(number, _signal.SIG_DFL)
        _signal.raise_signal(number)
    _raise_soon(frame)


def _raise_soon(frame: FrameType | None) -> None:
    """Raise the first signal now, or from a timer where it has to wait; not while it is on its way already."""
    if _listener.raised or _listener.deferrals or not _listener.listens:
        return
    if _has_to_wait(frame) and REMINDERS:
        _remind()
    else:
        _raise()


def _has_to_wait(frame: FrameType | None) -> bool:
    """Whether the command is importing a module, or hands on an exception that a callback cannot."""
    while frame is not None and frame.f_code is not _listener.command:
        if frame.f_code.co_filename == IMPORTING or frame.f_code is _on_unraisable.__code__:
            return True
        frame = frame.f_back
    return False


def _remind() -> None:
    _signal.signal(_signal.SIGALRM, _on_reminder)
    _signal.setitimer(_signal.ITIMER_REAL, REMINDER_SEC)


def _on_reminder(number: int, frame: FrameType | None) -> None:
    _raise_soon(frame)


def _on_unraisable(ignored: sys.UnraisableHookArgs) -> None:
    """Called for an exception in a callback that cannot pass it on; an interrupt is raised again from a timer."""
    if not _listener.received or not isinstance(ignored.exc_value, (KeyboardInterrupt, SystemExit)):
        sys.__unraisablehook__(ignored)
    elif _listener.listens:
        _listener.raised = False
        if REMINDERS:
            _remind()
