"""How large objects are: of a region the side of a square of the same area, of a line its length."""

from libc.math cimport NAN, sqrt

from ..scan.checks cimport check_count, check_length, check_offsets
from ..scan.column cimport Column

cdef enum:
    AHEAD = 16              # lines whose points are asked for before it is their turn: they lie far apart
    LINE_OF_CACHE = 8       # numbers

cdef extern from *:
    """
    #define fetch(place) __builtin_prefetch(place)
    """
    void fetch(const double* place) noexcept nogil


def object_sizes(objects, int line, wanted=None):
    """A column of the size of each object, float32; NaN for one that could not be read. `line` is the kind of lines.

    Where `wanted` has a byte for each object, there are only the sizes of those whose byte is not 0.
    """
    cdef const unsigned char[::1] kind = objects.kind, reason = objects.reason
    cdef const long long[::1] start = objects.starts
    cdef const double[::1] point = objects.points, area = objects.area
    cdef const double* points = &point[0] if point.shape[0] else NULL
    cdef Py_ssize_t count = kind.shape[0], line_count = 0, k, i
    cdef unsigned char any_reason = 0
    cdef Column sizes, lines, places = None
    cdef const int* at = NULL
    cdef float* size
    cdef int* row
    check_count("kind", kind.shape[0])
    check_length("reason", reason.shape[0], kind.shape[0])
    check_length("area", area.shape[0], kind.shape[0])
    check_length("starts", start.shape[0], kind.shape[0] + 1)
    check_offsets("starts", start, point.shape[0])
    if wanted is not None:
        places = wanted_places(wanted, kind.shape[0])
        at, count = <const int*> places.data, places.size
    sizes, lines = Column("f", count), Column("i", count + 1)
    size, row = <float*> sizes.data, <int*> lines.data
    with nogil:
        for k in range(count):
            size[k] = <float> sqrt(area[place(at, k)])
        for k in range(count):                          # without a branch
            row[line_count] = <int> k
            line_count += kind[place(at, k)] == line
        for k in range(line_count):
            i = place(at, row[min(k + AHEAD, line_count - 1)])
            fetch(points + start[i])
            fetch(points + start[i] + LINE_OF_CACHE)    # few lines end before
            i = place(at, row[k])
            size[row[k]] = <float> length(points + start[i], start[i + 1] - start[i])
        for i in range(reason.shape[0]):                # mostly none could not be read, which is seen in wide registers
            any_reason |= reason[i]
        for k in range(count if any_reason else 0):
            if reason[place(at, k)]:
                size[k] = NAN
    return sizes


cdef Column wanted_places(const unsigned char[::1] wanted, Py_ssize_t objects):
    """The objects whose byte is not 0."""
    cdef Column places = Column("i", objects + 1)       # one is written beyond
    cdef Py_ssize_t i, count = 0
    check_length("wanted", wanted.shape[0], objects)
    for i in range(objects):
        (<int*> places.data)[count] = <int> i
        count += wanted[i] != 0
    places.resize(count)
    return places


cdef inline Py_ssize_t place(const int* places, Py_ssize_t k) noexcept nogil:
    """The k-th of some objects; of all, where no places are given."""
    return k if places == NULL else places[k]


cdef inline double length(const double* point, Py_ssize_t count) noexcept nogil:
    """Of a line through points, of so many numbers."""
    cdef double total = 0, x, y
    cdef Py_ssize_t k
    for k in range(2, count - 1, 2):
        x, y = point[k] - point[k - 2], point[k + 1] - point[k - 1]
        total += sqrt(x * x + y * y)
    return total
