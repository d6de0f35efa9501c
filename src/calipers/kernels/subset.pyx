"""Columns of objects without some of their records."""

from .column cimport Column
from .entry cimport check_length, check_offsets


def without_records(objects, records):
    """The columns (offsets, kind, reason, flags, starts, points, area, bounds, desc) of all records but these."""
    cdef const long long[::1] offsets = objects.offsets, starts = objects.starts
    cdef Py_ssize_t record, count = len(objects.kind)
    cdef Column new_offsets = Column("q", 1), new_starts = Column("q", 1), kept = Column("q"), numbers = Column("q")
    cdef long long i, k
    check_offsets(offsets, count, "offsets")
    check_length(starts.shape[0], count + 1, "starts")
    check_offsets(starts, len(objects.points), "starts")
    for name in ("reason", "flags", "area", "desc"):
        check_length(len(getattr(objects, name)), count, name)
    check_length(len(objects.bounds), 4 * count, "bounds")
    left_out = set(records)
    for record in range(offsets.shape[0] - 1):
        if record in left_out:
            continue
        for i in range(offsets[record], offsets[record + 1]):
            kept.push_int64(i)
            for k in range(starts[i], starts[i + 1]):
                numbers.push_int64(k)
            new_starts.push_int64(numbers.size)
        new_offsets.push_int64(kept.size)
    return (new_offsets, bytes_at(objects.kind, kept), bytes_at(objects.reason, kept), bytes_at(objects.flags, kept),
            new_starts, doubles_at(objects.points, numbers, 1), doubles_at(objects.area, kept, 1),
            doubles_at(objects.bounds, kept, 4), ints_at(objects.desc, kept))


cdef Column bytes_at(column, Column index):
    cdef const unsigned char[::1] values = column
    cdef const long long[::1] at = index
    cdef Column out = Column("B", at.shape[0])
    cdef Py_ssize_t k
    for k in range(at.shape[0]):
        (<unsigned char*> out.data)[k] = values[at[k]]
    return out


cdef Column ints_at(column, Column index):
    cdef const int[::1] values = column
    cdef const long long[::1] at = index
    cdef Column out = Column("i", at.shape[0])
    cdef Py_ssize_t k
    for k in range(at.shape[0]):
        (<int*> out.data)[k] = values[at[k]]
    return out


cdef Column doubles_at(column, Column index, int width):
    """Groups of `width` numbers each."""
    cdef const double[::1] values = column
    cdef const long long[::1] at = index
    cdef Column out = Column("d", width * at.shape[0])
    cdef Py_ssize_t k
    cdef int n
    for k in range(at.shape[0]):
        for n in range(width):
            (<double*> out.data)[width * k + n] = values[width * at[k] + n]
    return out
