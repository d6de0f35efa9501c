"""Where `calipers` and `python -m calipers` begin: interrupts are no tracebacks from the first line on."""

import _signal  # type: ignore[import-not-found]

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    # Until the command handles interrupts, they end it without a word: raised now, one would be a traceback, or be lost
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from calipers.cli.start import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
