"""Bytes, looked at without holding the interpreter lock."""


def count_breaks(block, Py_ssize_t begin, Py_ssize_t end):
    """Line breaks in block[begin:end]."""
    cdef const unsigned char[::1] view = block
    cdef const unsigned char* data
    cdef Py_ssize_t i, total = 0, stop
    cdef unsigned char some
    if begin >= end:
        return 0
    data = &view[0]
    with nogil:
        while begin < end:
            stop = min(end, begin + 255)            # as many as fit into a byte, which counts sixteen at a time
            some = 0
            for i in range(begin, stop):
                some += data[i] == 10
            total += some
            begin = stop
    return total
