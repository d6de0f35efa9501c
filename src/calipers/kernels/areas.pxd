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
