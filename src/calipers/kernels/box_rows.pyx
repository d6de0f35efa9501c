"""Boxes written as rows of numbers, straight to columns: center, size and, if there are seven, yaw."""

from libc.math cimport fabs

from .checks cimport check_between
from .column cimport Column
from .jsonnumbers cimport LARGEST_NUMBER, SMALLEST_SIZE
from .rotations cimport bound, no_turn, stand_up, turn_by_yaw


cdef bint is_box(const double* row, Py_ssize_t width) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(width):
        if not fabs(row[k]) <= LARGEST_NUMBER:      # nor is NaN
            return False
    return row[3] >= SMALLEST_SIZE and row[4] >= SMALLEST_SIZE and row[5] >= SMALLEST_SIZE


cdef class BoxRows:
    """One scene of boxes, in columns as `calipers.core.cuboids.Boxes` has them."""

    cdef readonly Column offsets, center, half, axes, bounds, upright, reason
    cdef readonly Py_ssize_t first_bad          # the first row that is no box, or -1

    def __cinit__(self, const double[:, ::1] rows not None):
        cdef Py_ssize_t count = rows.shape[0], i
        check_between("numbers of a box", rows.shape[1], 6, 7)
        self.center, self.half, self.bounds = Column("d", 3 * count), Column("d", 3 * count), Column("d", 6 * count)
        self.axes, self.upright, self.reason = Column("d", 9 * count), Column("B", count), Column("B", count)
        self.offsets = Column("q", 1)
        self.offsets.push_int64(count)
        self.first_bad = -1
        for i in range(count):
            if not is_box(&rows[i, 0], rows.shape[1]):
                self.first_bad = i
                return
            self.put(i, &rows[i, 0], rows.shape[1])

    def __len__(self):
        return self.reason.size

    cdef void put(self, Py_ssize_t i, const double* row, Py_ssize_t width) noexcept nogil:
        cdef double* center = <double*> self.center.data + 3 * i
        cdef double* half = <double*> self.half.data + 3 * i
        cdef double* axes = <double*> self.axes.data + 9 * i
        cdef int k
        for k in range(3):
            center[k] = row[k] + 0.0            # -0.0 becomes 0.0
            half[k] = row[3 + k] * 0.5
        if width == 7:
            turn_by_yaw(row[6] + 0.0, axes)
        else:
            no_turn(axes)
        self.upright.data[i] = stand_up(axes, half)
        bound(center, half, axes, <double*> self.bounds.data + 6 * i)
