"""How large objects are: of a region the side of a square of the same area, of a line its length."""

from libc.math cimport NAN, sqrt

from ..scan.checks cimport check_length, check_offsets
from ..scan.column cimport Column


def object_sizes(objects, int line):
    """A column of the size of each object; NaN for one that could not be read. `line` is the kind of lines."""
    cdef const unsigned char[::1] kind = objects.kind, reason = objects.reason
    cdef const long long[::1] start = objects.starts
    cdef const double[::1] point = objects.points, area = objects.area
    cdef Py_ssize_t i, k
    cdef Column sizes
    cdef double* size
    cdef double length, x, y
    check_length("reason", reason.shape[0], kind.shape[0])
    check_length("area", area.shape[0], kind.shape[0])
    check_length("starts", start.shape[0], kind.shape[0] + 1)
    check_offsets("starts", start, point.shape[0])
    sizes = Column("d", kind.shape[0])
    size = <double*> sizes.data
    with nogil:
        for i in range(kind.shape[0]):
            if reason[i]:
                size[i] = NAN
            elif kind[i] != line:
                size[i] = sqrt(area[i])
            else:
                length = 0
                for k in range(start[i] + 2, start[i + 1] - 1, 2):
                    x, y = point[k] - point[k - 2], point[k + 1] - point[k - 1]
                    length += sqrt(x * x + y * y)
                size[i] = length
    return sizes
