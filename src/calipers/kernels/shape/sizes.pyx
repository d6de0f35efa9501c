"""How large objects are: of a region the side of a square of the same area, of a line its length."""

from libc.math cimport NAN, sqrt

from ..scan.checks cimport check_length, check_offsets
from ..scan.column cimport Column

cdef enum:
    AHEAD = 8               # lines whose points are asked for before it is their turn: they lie far apart

cdef extern from *:
    """
    #define fetch(place) __builtin_prefetch(place)
    """
    void fetch(const double* place) noexcept nogil


def object_sizes(objects, int line, wanted=None):
    """A column of the size of each object, float32; NaN for one that could not be read. `line` is the kind of lines.

    Where `wanted` has a byte for each object, those of 0 are left out: their size is anything.
    """
    cdef const unsigned char[::1] kind = objects.kind, reason = objects.reason
    cdef const long long[::1] start = objects.starts
    cdef const double[::1] point = objects.points, area = objects.area
    cdef const unsigned char[::1] mask = kind if wanted is None else wanted
    cdef const double* points = &point[0] if point.shape[0] else NULL
    cdef Py_ssize_t i, k, count = 0
    cdef bint all_wanted = wanted is None
    cdef Column sizes, lines
    cdef float* size
    cdef long long* at
    check_length("reason", reason.shape[0], kind.shape[0])
    check_length("area", area.shape[0], kind.shape[0])
    check_length("wanted", mask.shape[0], kind.shape[0])
    check_length("starts", start.shape[0], kind.shape[0] + 1)
    check_offsets("starts", start, point.shape[0])
    sizes, lines = Column("f", kind.shape[0]), Column("q", kind.shape[0] + AHEAD)
    size, at = <float*> sizes.data, <long long*> lines.data
    with nogil:
        for i in range(kind.shape[0]):                  # of all, without a branch
            size[i] = <float> sqrt(area[i])
            at[count] = i
            count += (kind[i] == line) & (reason[i] == 0) & (all_wanted | (mask[i] != 0))
        for i in range(kind.shape[0]):
            if reason[i]:
                size[i] = NAN
        for k in range(count, count + AHEAD):
            at[k] = 0
        for k in range(count):
            fetch(points + start[at[k + AHEAD]])
            size[at[k]] = <float> length(points + start[at[k]], start[at[k] + 1] - start[at[k]])
    return sizes


cdef inline double length(const double* point, Py_ssize_t count) noexcept nogil:
    """Of a line through points, of so many numbers."""
    cdef double total = 0, x, y
    cdef Py_ssize_t k
    for k in range(2, count - 1, 2):
        x, y = point[k] - point[k - 2], point[k + 1] - point[k - 1]
        total += sqrt(x * x + y * y)
    return total
