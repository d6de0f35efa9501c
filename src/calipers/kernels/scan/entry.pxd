"""Checks at the entry points of kernels: inner loops trust lengths and indices, so they are looked at once per call."""


cdef inline int check_offsets(const long long[::1] offsets, Py_ssize_t items, str name) except -1:
    """`offsets` has at least one entry, ascends and stays within `items`."""
    cdef Py_ssize_t k
    if offsets.shape[0] < 1 or offsets[0] < 0:
        raise ValueError(f"{name}: found no offset from 0 on, expected one more than there are groups")
    for k in range(1, offsets.shape[0]):
        if offsets[k] < offsets[k - 1]:
            raise ValueError(f"{name}: found {offsets[k]} after {offsets[k - 1]}, expected them to ascend")
    if offsets[offsets.shape[0] - 1] > items:
        raise ValueError(f"{name}: found {offsets[offsets.shape[0] - 1]}, expected at most {items}")
    return 0


cdef inline int check_length(Py_ssize_t found, Py_ssize_t expected, str name) except -1:
    if found != expected:
        raise ValueError(f"{name}: found a length of {found}, expected {expected}")
    return 0


cdef inline int check_indices(const int[::1] index, Py_ssize_t count, str name) except -1:
    """Every index is one of `count` objects."""
    cdef Py_ssize_t k
    for k in range(index.shape[0]):
        if not 0 <= index[k] < count:
            raise ValueError(f"{name}: found index {index[k]}, expected one below {count}")
    return 0


cdef extern from *:
    """
    #ifdef __SSE2__
    #include <emmintrin.h>
    #define INSIDE(at) _mm_and_pd(_mm_cmpge_pd(_mm_loadu_pd(at), lows), _mm_cmple_pd(_mm_loadu_pd(at), highs))
    #endif

    static inline int are_within(const double* numbers, Py_ssize_t count, double low, double high) {
        int inside = 1;
    #ifdef __SSE2__
        const __m128d lows = _mm_set1_pd(low), highs = _mm_set1_pd(high);
        __m128d some = _mm_cmpeq_pd(lows, lows), others = some;
        for (; count >= 4; count -= 4, numbers += 4) {
            some = _mm_and_pd(some, INSIDE(numbers));
            others = _mm_and_pd(others, INSIDE(numbers + 2));
        }
        inside = _mm_movemask_pd(_mm_and_pd(some, others)) == 3;
    #endif
        for (; count; count--, numbers++) inside &= (*numbers >= low) & (*numbers <= high);
        return inside;
    }
    """
    bint are_within(const double* numbers, Py_ssize_t count, double low, double high) noexcept nogil


cdef inline bint all_within(const double[::1] numbers, double low, double high) noexcept nogil:
    """Whether no number lies outside, and none is NaN; several are looked at in one instruction."""
    return numbers.shape[0] == 0 or are_within(&numbers[0], numbers.shape[0], low, high)
