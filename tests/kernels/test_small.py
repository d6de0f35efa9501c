"""Small kernels: counting line breaks."""

import random

import pytest

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
