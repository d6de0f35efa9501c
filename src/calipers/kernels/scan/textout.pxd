"""Text at the end of a column of bytes: pieces as they are, whole numbers, and overlaps, which are units of 1e-12."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memcpy

from .column cimport Column

cdef enum:
    LONGEST_NUMBER = 32
    DECIMALS = 12               # of an overlap

cdef extern from *:
    """
    #define UNIT 1000000000000ll
    #define LEAST_PLAIN 100000000ll     /* smaller overlaps are written with an exponent */
    """
    const long long UNIT
    const long long LEAST_PLAIN


cdef inline int put(Column out, const char* text, Py_ssize_t size) except -1:
    if size > out.capacity - out.size:
        out.reserve(size)
    memcpy(out.data + out.size, text, size)
    out.size += size
    return 0


cdef inline int put_bytes(Column out, bytes text) except -1:
    return put(out, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


cdef inline int put_whole(Column out, long long value) except -1:
    """A whole number; its digits are made from the last on."""
    cdef char[LONGEST_NUMBER] digits
    cdef int at = LONGEST_NUMBER
    cdef unsigned long long left = <unsigned long long> value if value >= 0 else 0 - <unsigned long long> value
    while True:
        at -= 1
        digits[at] = <char> (48 + left % 10)
        left //= 10
        if not left:
            break
    if value < 0:
        at -= 1
        digits[at] = b"-"
    return put(out, digits + at, LONGEST_NUMBER - at)


cdef inline bint is_plain_overlap(long long score) noexcept nogil:
    """Whether an overlap is written without an exponent, and by its decimals."""
    return LEAST_PLAIN <= score < UNIT


cdef inline int put_plain_overlap(Column out, long long score) except -1:
    """A fraction of at most 12 decimals reads back the same from just these."""
    cdef char[DECIMALS + 2] digits
    cdef int k, size = DECIMALS + 2
    cdef long long left = score
    for k in range(DECIMALS + 1, 1, -1):
        digits[k] = <char> (48 + left % 10)
        left //= 10
    digits[0], digits[1] = b"0", b"."
    while digits[size - 1] == b"0":
        size -= 1
    return put(out, digits, size)
