"""Small kernels: counting line breaks, and counting pairs that say the same."""

import random

import numpy as np
import pytest

from calipers.kernels.agree import count_agreement
from calipers.kernels.scan import count_breaks


@pytest.mark.parametrize("size", [0, 1, 254, 255, 256, 257, 10_000])
def test_line_breaks_are_counted_between_begin_and_end(size):
    rng = random.Random(size)
    for chance in (0.0, 0.1, 1.0):
        block = bytearray(10 if rng.random() < chance else rng.choice(b"\r\x0b a\x8a") for _ in range(size))
        for begin, end in ((0, size), (size // 3, size), (0, size // 2), (size, size), (size // 2, size // 3)):
            assert count_breaks(block, begin, end) == block[begin:end].count(b"\n")


def test_any_buffer_will_do():
    assert count_breaks(b"a\nb\n", 0, 4) == 2
    assert count_breaks(memoryview(b"a\nb\n"), 2, 4) == 1


def test_agreement_is_counted_over_pairs_and_nothing_said_agrees_with_nothing():
    #         text    0  1   2  3
    codes = np.array([5, 5, -1, 7], np.int32)
    truth, pred = np.array([0, 0, 2, 2, 3, 3], np.int32), np.array([1, 3, 2, 0, 2, 3], np.int32)
    # said by truth: 0 0 3 3; by pred: 1 3 0 3; alike: (0, 1) and (3, 3)
    assert count_agreement(codes, truth, pred) == (4, 4, 2)
    assert count_agreement(codes, truth[:0], pred[:0]) == (0, 0, 0)
