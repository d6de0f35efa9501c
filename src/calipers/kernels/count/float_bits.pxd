"""Floats by their bits: as numbers that ascend as they do, and how often halves of these occur."""

from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memcpy, memset

cdef enum:
    HALVES = 1 << 16            # that 16 bits can be

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define SIGN 0x80000000u
    #define LOOKED_AT 16                /* numbers at a time */

    typedef uint32_t Bits __attribute__((vector_size(16), aligned(4), may_alias));

    /* whether the bits of any of some numbers begin with these */
    static inline int any_begins_with(const float* values, uint32_t high) {
        const Bits* own = (const Bits*) values;
        Bits begins = (Bits) ((own[0] >> 16 == high) | (own[1] >> 16 == high))
                      | (Bits) ((own[2] >> 16 == high) | (own[3] >> 16 == high));
        uint64_t any[2];
        memcpy(any, &begins, sizeof any);
        return (any[0] | any[1]) != 0;
    }
    """
    const uint32_t SIGN
    const Py_ssize_t LOOKED_AT
    bint any_begins_with(const float* values, uint32_t high) noexcept nogil


cdef inline void count_lower(const float[::1] values, uint32_t high, int32_t* counts) noexcept nogil:
    """How often each lower half occurs with a higher one, which few numbers have."""
    cdef Py_ssize_t first = 0, end, i
    cdef float least = from_order(high << 16)           # which begins as all of them do
    cdef uint32_t begin
    memcpy(&begin, &least, sizeof(begin))
    memset(counts, 0, HALVES * sizeof(int32_t))
    while first < values.shape[0]:
        end = min(first + LOOKED_AT, values.shape[0])
        if end - first < LOOKED_AT or any_begins_with(&values[first], begin >> 16):
            for i in range(first, end):
                if in_order(values[i]) >> 16 == high:
                    counts[in_order(values[i]) & (HALVES - 1)] += 1
        first = end


cdef inline uint32_t in_order(float value) noexcept nogil:
    """Bits that ascend as numbers do."""
    cdef uint32_t bits
    memcpy(&bits, &value, sizeof(bits))
    return ~bits if bits >> 31 else bits | SIGN


cdef inline float from_order(uint32_t bits) noexcept nogil:
    """The number whose bits are given."""
    cdef float value
    bits = bits & ~SIGN if bits >> 31 else ~bits
    memcpy(&value, &bits, sizeof(bits))
    return value


cdef inline uint32_t reached(const int32_t* counts, long long* before) noexcept nogil:
    """The place at which more than `before` are counted; `before` becomes how many of them are at this place."""
    cdef uint32_t at = 0
    while before[0] >= counts[at]:
        before[0] -= counts[at]
        at += 1
    return at
