cimport cython

from ..scan.column cimport Column
from .cells cimport CELLS, ROW_GROUP, Grid, Rows
from .work cimport Work

cdef enum:
    KIND_LINE = 2


cdef struct Span:
    int begin, end


cdef struct Tube:
    Py_ssize_t at           # where its layers start: for each layer its begins, then its ends, row by row
    int first_row, behind, rows, layers
    long long area
    double length
    bint built


@cython.final
cdef class Tubes:
    cdef const long long[::1] starts
    cdef const double[::1] points, bounds
    cdef const unsigned char[::1] kind, reason
    cdef double radius, near
    cdef Tube* tubes
    cdef Rows piece             # the slab or disc at hand
    cdef Rows disc              # the disc around an integer vertex at the origin
    cdef int several_first      # rows of the tube being built that have more than one span are all
    cdef int several_last       # between these two
    cdef short begin[CELLS + ROW_GROUP]     # of the first span of each of its rows
    cdef short end[CELLS + ROW_GROUP]
    cdef int more_count[CELLS]  # how many more spans a row has
    cdef Span* more             # those, MOST_SPANS to a row
    cdef short new_begin[CELLS + ROW_GROUP]
    cdef short new_end[CELLS + ROW_GROUP]
    cdef Column layers
    cdef bint collects_bits
    cdef Grid grid              # for lines of many points, made when there is one

    cdef inline bint has(self, Py_ssize_t i) noexcept:
        return self.kind[i] == KIND_LINE and not self.reason[i]

    cdef inline long long segments(self, Py_ssize_t i) noexcept:
        return (self.starts[i + 1] - self.starts[i]) // 2 - 1

    cdef int check(self, int stroke_width) except -1
    cdef bint ensure(self, Py_ssize_t i, Work work) except -1
    cdef bint build(self, Tube* tube, const double* xy, Py_ssize_t n, Work work) noexcept
    cdef void add_disc(self, Tube* tube, const double* at) noexcept nogil
    cdef void collect(self, Tube* tube, const Rows* rows, int x, int y) noexcept nogil
    cdef void read_grid(self, Tube* tube) noexcept
    cdef void widen(self, Tube* tube, int first, int behind) noexcept nogil
    cdef void empty_rows(self, const double* xy, Py_ssize_t n) noexcept nogil
    cdef Span span(self, int row, int k) noexcept nogil
    cdef void put(self, int row, int k, Span span) noexcept nogil
    cdef void insert(self, int row, int begin, int end) noexcept nogil
    cdef int store(self, Tube* tube) except -1
    cdef void other_layer(self, const Tube* tube, int k, short* begins) noexcept nogil

    cdef inline void add_span(self, int row, short begin, short end) noexcept nogil:
        """Most rows have one span, which the new one touches."""
        cdef short old_begin = self.begin[row], old_end = self.end[row]
        if self.more_count[row] == 0 and (old_begin >= old_end or (begin <= old_end and old_begin <= end)):
            self.begin[row] = min(begin, old_begin)
            self.end[row] = max(end, old_end)
        else:
            self.insert(row, begin, end)
