cdef inline double turn(const double* a, const double* b, const double* c) noexcept nogil:
    """Twice the signed area of the triangle a, b, c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


cdef inline bint before(const double* a, const double* b) noexcept nogil:
    return a[0] < b[0] or (a[0] == b[0] and a[1] < b[1])


cdef inline bint on_both_sides(const double* a, const double* b, const double* c, const double* d) noexcept nogil:
    """Whether a and b lie on different sides of the line through c and d, whichever way round each is given."""
    cdef double s, t
    if before(d, c):
        c, d = d, c
    s = turn(c, d, a)
    t = turn(c, d, b)
    return (s > 0 and t < 0) or (s < 0 and t > 0)


cdef inline bint properly_cross(const double* a, const double* b, const double* c, const double* d) noexcept nogil:
    return on_both_sides(a, b, c, d) and on_both_sides(c, d, a, b)


cdef int crosses_itself(const double* xy, Py_ssize_t n) except -1
