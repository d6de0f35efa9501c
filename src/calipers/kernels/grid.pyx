"""The cells of the norm1000 grid as bits."""

from libc.string cimport memset


cdef extern from *:
    """
    #define lowest_bit(word) __builtin_ctzll(word)
    """
    int lowest_bit(unsigned long long word) noexcept nogil


cdef class Grid:
    """One bit for each cell."""

    cdef void clear(self) noexcept nogil:
        memset(self.bits, 0, sizeof(self.bits))

    cdef void fill(self, int first, int count, const short* begin, const short* end) noexcept nogil:
        """Set the cells of some rows."""
        cdef int k, word, low, high
        cdef unsigned long long* row
        for k in range(count):
            if begin[k] >= end[k]:
                continue
            row = self.bits + (first + k) * WORDS
            low, high = begin[k] // 64, (end[k] - 1) // 64
            if low == high:
                row[low] |= bits_from(begin[k] % 64) & bits_up_to((end[k] - 1) % 64)
                continue
            row[low] |= bits_from(begin[k] % 64)
            for word in range(low + 1, high):
                row[word] = bits_from(0)
            row[high] |= bits_up_to((end[k] - 1) % 64)

    cdef int next_cell(self, int row, int at, bint is_set) noexcept nogil:
        """The first cell from `at` on that is set, or that is not; CELLS if there is none."""
        cdef unsigned long long word
        while at < CELLS:
            word = self.bits[row * WORDS + at // 64]
            word = (word if is_set else ~word) & bits_from(at % 64)
            if word:
                return min(at // 64 * 64 + lowest_bit(word), CELLS)
            at = (at // 64 + 1) * 64
        return CELLS


cdef inline unsigned long long bits_from(int bit) noexcept nogil:
    return (~(<unsigned long long> 0)) << bit


cdef inline unsigned long long bits_up_to(int bit) noexcept nogil:
    return (~(<unsigned long long> 0)) >> (63 - bit)
