"""The command from its start on: signals are handled first, then the rest is loaded.

A judge must start in no time, so it gets by without what the other commands need.
"""

from __future__ import annotations

import gc
import sys

from calipers.core.stopping import check_stop, listen, stop_listening

SWITCH_SEC = 0.0005  # until a thread gives the interpreter to one that waits for it: kernels in threads need it often
DUMP = ".jsonl"  # ends the name of a file that may be large, and is then read while the rest is loaded
GC_OBJECTS = 100_000  # new ones, before garbage in cycles is looked for: imports make many objects and no garbage


def main() -> None:
    """Run a command and exit with its code, whatever ends it."""
    gc.set_threshold(GC_OBJECTS, *gc.get_threshold()[1:])
    sys.setswitchinterval(SWITCH_SEC)
    listen()
    is_judge = sys.argv[1:2] == ["judge"]
    try:
        if is_judge:
            from calipers.judge.command import run
        else:
            dump = next((argument for argument in sys.argv[2:] if argument.endswith(DUMP)), None)
            if dump is not None:
                from calipers.cli.begin_reading import begin_reading

                begin_reading(dump, sys.argv[1:])
            from calipers.cli.main import run_command
        check_stop()  # of what came during the imports
        code = run(sys.argv[2:]) if is_judge else run_command()
        stopped = stop_listening()
    except KeyboardInterrupt as error:
        stopped = stop_listening()
        _write_error(f"interrupted; {_written_before(error) or 'no result was written'}\n")
        code = 130
    except SystemExit as error:
        stopped = stop_listening()
        code = error.code if isinstance(error.code, int) else 0
    if stopped is not None:
        _drop_output()
        exec("")  # makes Python forget an interrupt that broke off an exec(), or it would end by the signal instead
        code = stopped
    _leave(code)
    sys.exit(code)


def _leave(code: int) -> None:
    """Exit at once where nothing else runs in this process: the orderly end of an interpreter takes milliseconds."""
    program, threads = sys.modules.get("__main__"), sys.modules.get("threading")
    if getattr(program, "main", None) is not main or not hasattr(program, "__file__"):
        return
    if threads is not None and threads.active_count() > 1:
        return
    import atexit
    import os

    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (
        AttributeError,
        OSError,
        ValueError,
    ):  # one is closed, or nobody listens: Python says so
        return
    os._exit(code)


def _written_before(error: KeyboardInterrupt) -> str:
    """What an interrupt tells of files; their names may hold anything."""
    if not str(error):
        return ""
    from calipers.show.text import printable

    return printable(str(error))


def _write_error(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (AttributeError, OSError):  # it is closed, or nobody listens
        pass


def _drop_output() -> None:
    """Discard the buffer of standard output: it is not wanted, and its reader may have stopped reading."""
    import os

    try:
        handle = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except (AttributeError, OSError, ValueError):  # it is closed, or no file
        return
    os.dup2(nowhere, handle)
    os.close(nowhere)
