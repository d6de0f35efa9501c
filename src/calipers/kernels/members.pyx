"""Where the members of a JSON object lie in its text, found without building anything.

A member is a name and its value, from the first quote of the name to the last byte of the value. The text may be cut
between members: those of any part of it, in braces, are an object again, and mean what they meant.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

from .column cimport Column
from .jsonbytes cimport Bytes, is_digit, skip_blanks, skip_name, skip_value

cdef enum:
    MANY_DIGITS = 19        # of a whole number that may not fit into 64 bits, for which readers have different types


def find_members(bytes text not None):
    """Where members begin, and where they end: two columns of bytes from the start. None if there is any doubt.

    There is if the text is no JSON or no object, and where readers may differ on a number.
    """
    cdef Column begins = Column("q"), ends = Column("q")
    cdef Bytes first = <Bytes> PyBytes_AS_STRING(text)
    cdef Bytes end = first + PyBytes_GET_SIZE(text)
    cdef Bytes at = skip_blanks(first)
    cdef Bytes begin
    cdef bint doubt = has_long_number(first, end)
    if at[0] != b"{" or doubt:
        return None
    at = skip_blanks(at + 1)
    while at[0] != b"}" or begins.size:
        begin = at
        at = skip_name(at, end)
        if at != NULL:
            at = skip_value(at, end, &doubt)
        if at == NULL or doubt:
            return None
        begins.push_int64(begin - first)
        ends.push_int64(at - first)
        at = skip_blanks(at)
        if at[0] != b",":
            break
        at = skip_blanks(at + 1)
    if at[0] != b"}" or skip_blanks(at + 1) != end:
        return None
    return begins, ends


def find_names(bytes text not None, Column begins not None):
    """The names of members as the text of a JSON list, each as it is written."""
    cdef Bytes first = <Bytes> PyBytes_AS_STRING(text)
    cdef Bytes end = first + PyBytes_GET_SIZE(text)
    cdef const long long* places = <const long long*> begins.data
    cdef Bytes at
    cdef Bytes behind
    cdef Py_ssize_t k
    cdef list names = []
    if begins.format != b"q":
        raise ValueError(f"begins: found numbers of format {begins.format.decode()}, expected q")
    for k in range(begins.size):
        if not 0 <= places[k] < end - first:
            raise ValueError(f"begins: found {places[k]}, expected places in {end - first} bytes")
        at = first + places[k]
        behind = skip_name(at, end)
        if behind == NULL:
            raise ValueError(f"begins: no name of a member at {places[k]}")
        names.append(text[at - first:behind - 1 - first])
    return b"[" + b",".join(names) + b"]"


cdef bint has_long_number(Bytes at, Bytes end) noexcept nogil:
    """Whether so many digits stand in a row where a number may begin: one of them is at every so many bytes then."""
    cdef Bytes first = at
    cdef Bytes left
    cdef Bytes right
    while end - at >= MANY_DIGITS:
        left = right = at + MANY_DIGITS - 1
        if is_digit(left[0]):
            while left > first and is_digit((left - 1)[0]):
                left -= 1
            while right + 1 < end and is_digit((right + 1)[0]):
                right += 1
            if right - left + 1 >= MANY_DIGITS and (left == first or (left - 1)[0] in b"[,:- \t\n\r"):
                return True
        at = right + 1
    return False
