"""How often each code stands in a column, counted in blocks, as numpy makes 64 bits of each code it counts at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 20  # codes that are counted at once


def count_codes(codes: Any, size: int, *, lowest: int = 0) -> NDArray[np.int64]:
    """(size,) how often each code stands there, from the lowest on; a code beyond is an error.

    >>> count_codes(np.array([2, 0, 2], np.int32), 4).tolist()
    [1, 0, 2, 0]
    >>> count_codes(np.array([-1, 1], np.int32), 3, lowest=-1).tolist()
    [1, 0, 1]
    """
    codes, counts = np.asarray(codes), np.zeros(size, np.int64)
    for first in range(0, len(codes), BLOCK):
        block = codes[first : first + BLOCK]
        counts += np.bincount(block - lowest if lowest else block, minlength=size)
    return counts
