from .work cimport Work

cdef enum:
    IS_BOX = 1
    CONVEX = 2
    INTEGER = 4
    DEGENERATE = 32


cdef struct Polygon:
    const double* xy
    Py_ssize_t n
    const double* bounds
    double area
    unsigned char flags


cdef double shared_area(const Polygon* a, const Polygon* b, double* scratch, Py_ssize_t half) noexcept nogil


cdef class EdgeSums:
    cdef Py_ssize_t capacity
    cdef void* edges            # of both polygons
    cdef int* active            # those under the line that moves upwards, of the one and of the other
    cdef Py_ssize_t[2] under

    cdef int make_room(self, Py_ssize_t count) except -1
    cdef int shared(self, const double* a, Py_ssize_t na, const double* b, Py_ssize_t nb, double low, double high,
                    double middle, Work work, double* area) except -1
    cdef Py_ssize_t put(self, const double* xy, Py_ssize_t n, int side, Py_ssize_t count, double low, double high,
                        double middle) noexcept nogil
    cdef double enter(self, Py_ssize_t at) noexcept nogil
