"""Bytes, looked at without holding the interpreter lock."""

from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcpy

from .checks cimport check_between

ctypedef const unsigned char* Bytes

cdef uint64_t BYTE_REPEATED = 0x0101010101010101        # times a byte: eight of them


def count_breaks(block, Py_ssize_t begin, Py_ssize_t end):
    """Line breaks in block[begin:end]."""
    return count_byte(block, begin, end, 10)


def count_colons(text):
    """Colons, which are at least as many as the keys written in a JSON text, and seldom more."""
    return count_byte(text, 0, len(text), 58)


cdef Py_ssize_t count_byte(const unsigned char[::1] block, Py_ssize_t begin, Py_ssize_t end, unsigned char byte):
    cdef const unsigned char* data
    cdef Py_ssize_t i, total = 0, stop
    cdef unsigned char some
    check_between("begin", begin, 0, block.shape[0])
    check_between("end", end, 0, block.shape[0])
    if begin >= end:
        return 0
    data = &block[0]
    with nogil:
        while begin < end:
            stop = min(end, begin + 255)            # as many as fit into a byte, which counts sixteen at a time
            some = 0
            for i in range(begin, stop):
                some += data[i] == byte
            total += some
            begin = stop
    return total


cdef inline Bytes find_quote(Bytes at, Bytes end) noexcept nogil:
    """The quote that ends a string, or the end of the text."""
    cdef uint64_t eight, quotes, slashes
    while at < end:
        while end - at >= 8:
            memcpy(&eight, at, 8)
            quotes, slashes = eight ^ (BYTE_REPEATED * 34), eight ^ (BYTE_REPEATED * 92)
            if ((quotes - BYTE_REPEATED) & ~quotes | (slashes - BYTE_REPEATED) & ~slashes) & (BYTE_REPEATED * 0x80):
                break                               # one of the eight is a zero here, which had to borrow
            at += 8
        while at < end and at[0] != 34 and at[0] != 92:
            at += 1
        if at >= end or at[0] == 34:
            break
        at += 2                                     # whatever follows a backslash is not the end
    return at if at < end else end


def count_written_keys(text):
    """Keys in the text of a JSON value, each as often as it is written: strings that a colon follows."""
    cdef const unsigned char[::1] view = text
    cdef Py_ssize_t total = 0
    cdef Bytes at, end
    if view.shape[0] == 0:
        return 0
    at, end = &view[0], &view[0] + view.shape[0]
    with nogil:
        while at < end:
            at = <Bytes> memchr(at, 34, end - at)
            if at == NULL:
                break
            at = find_quote(at + 1, end) + 1
            while at < end and (at[0] == 32 or 9 <= at[0] <= 13):
                at += 1
            total += at < end and at[0] == 58
    return total
