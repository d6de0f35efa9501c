"""Large JSON where memory is short: an error before it is parsed.

orjson ends the process (signal 11) when an allocation fails while it parses. So room for what a large text may become
is asked for first, and given back; nothing of it is touched.
"""

LARGE = 1 << 20  # bytes
GROWTH = 8  # a text of small objects takes about so many times its size


def check_memory(text: bytes | bytearray) -> None:
    """A MemoryError if there is no room for what a large text holds."""
    if len(text) > LARGE:
        bytearray(GROWTH * len(text))
