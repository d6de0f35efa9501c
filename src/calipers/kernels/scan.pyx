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


def count_written_keys(text):
    """Keys in the text of a JSON value, each as often as it is written: colons outside of strings."""
    cdef const unsigned char[::1] view = text
    cdef Py_ssize_t i = 0, total = 0, size = view.shape[0]
    cdef const unsigned char* data
    cdef bint inside = False
    if size == 0:
        return 0
    data = &view[0]
    with nogil:
        while i < size:
            if data[i] == 34:
                inside = not inside
            elif inside:
                i += data[i] == 92                  # whatever follows a backslash is not the end
            else:
                total += data[i] == 58
            i += 1
    return total
