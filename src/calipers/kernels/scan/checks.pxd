"""Checks of what a kernel is given, once a call: a length, an offset or an index that does not fit is a ValueError.

A kernel then relies on them, and reads and writes nothing out of bounds. Each check goes over what it checks once.
"""

from libc.limits cimport INT_MAX

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX


cdef inline int check_length(str name, Py_ssize_t found, Py_ssize_t expected) except -1:
    if found != expected:
        raise ValueError(f"{name}: found {found} entries, expected {expected}")
    return 0


cdef inline int check_between(str name, Py_ssize_t found, Py_ssize_t least, Py_ssize_t most) except -1:
    if not least <= found <= most:
        raise ValueError(f"{name}: found {found}, expected {least} to {most}")
    return 0


cdef inline int check_count(str name, Py_ssize_t found) except -1:
    """How many objects there are, whose indices are of 32 bits."""
    return check_between(name, found, 0, INT_MAX)


cdef inline Py_ssize_t check_product(str name, Py_ssize_t rows, Py_ssize_t width) except -1:
    """How many entries a table has, which may not be more than can be counted in bytes of sixteen an entry."""
    if rows < 0 or width < 0 or (width and rows > PY_SSIZE_T_MAX // 16 // width):
        raise ValueError(f"{name}: found {rows} by {width}, expected a table that fits into memory")
    return rows * width


cdef inline long long check_ascending(str name, const long long[::1] ends, long long least) except -1:
    """Each is at least the one before, the first at least `least`; returns the last, `least` of none."""
    cdef Py_ssize_t k
    cdef long long last = least
    cdef bint fine = True
    for k in range(ends.shape[0]):
        fine &= ends[k] >= last
        last = ends[k]
    if not fine:
        raise ValueError(f"{name}: expected numbers from {least} on, each at least the one before")
    return last


cdef inline int check_ends(str name, const long long[::1] ends, Py_ssize_t count) except -1:
    """Where each group ends: they ascend to `count`."""
    cdef long long last = check_ascending(name, ends, 0)
    if last != count:
        raise ValueError(f"{name}: the last is {last}, expected {count}")
    return 0


cdef inline int check_offsets(str name, const long long[::1] offsets, Py_ssize_t count) except -1:
    """Where each group begins, and the last ends: they ascend from 0 to `count`."""
    if offsets.shape[0] == 0 or offsets[0] != 0:
        raise ValueError(f"{name}: expected offsets that begin with 0")
    return check_ends(name, offsets, count)


cdef inline int check_indices(str name, const int[::1] indices, Py_ssize_t count) except -1:
    """All of them are indices of `count` objects."""
    cdef Py_ssize_t k
    cdef unsigned int last = <unsigned int> (min(count, INT_MAX) - 1), beyond = 0
    for k in range(indices.shape[0]):                   # the highest bit of a number below 0 is set
        beyond |= <unsigned int> indices[k] | (last - <unsigned int> indices[k])
    return refuse_indices(name, indices, count) if beyond > <unsigned int> INT_MAX else 0


cdef inline int refuse_indices(str name, const int[::1] indices, Py_ssize_t count) except -1:
    """Say which of them is none, if any is."""
    cdef Py_ssize_t k
    cdef int least = 0, most = -1
    for k in range(indices.shape[0]):
        least = min(least, indices[k])
        most = max(most, indices[k])
    if least < 0 or most >= count:
        raise ValueError(f"{name}: found {least if least < 0 else most}, expected indices from 0 to {count - 1}")
    return 0


cdef inline int check_long_indices(str name, const long long[::1] indices, Py_ssize_t count) except -1:
    """The same for indices of 64 bits."""
    cdef Py_ssize_t k
    cdef long long least = 0, most = -1
    for k in range(indices.shape[0]):
        least = min(least, indices[k])
        most = max(most, indices[k])
    if least < 0 or most >= count:
        raise ValueError(f"{name}: found {least if least < 0 else most}, expected indices from 0 to {count - 1}")
    return 0


cdef inline int check_numbers(str name, const double[::1] numbers) except -1:
    """None of them is NaN, with which nothing can be sorted."""
    cdef Py_ssize_t k
    cdef bint fine = True
    for k in range(numbers.shape[0]):
        fine &= numbers[k] == numbers[k]
    if not fine:
        raise ValueError(f"{name}: found NaN, expected numbers")
    return 0
