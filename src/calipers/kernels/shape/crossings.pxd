from libc.math cimport fabs, frexp, ldexp


cdef enum Meeting:          # how the edges of a ring meet, beside each with the next
    APART
    TOUCHING                # a vertex on another edge, or on another vertex
    CROSSING                # two edges cut through each other between their ends


cdef struct Event:
    double x, y
    int edge
    bint begins


cdef struct Node:
    int left, right, parent     # of the tree of edges under the sweep line
    int below, above            # its neighbours
    int start, end              # its vertices, the smaller first
    int place                   # the last one that it was found to pass through
    unsigned int priority


cdef struct Contact:        # a vertex inside an edge
    double[2] at
    int edge


cdef class Sweep:
    cdef const double* xy
    cdef int n
    cdef Event* events
    cdef Node* nodes
    cdef Contact* contacts      # (2 * n,) or NULL: they are not wanted
    cdef Py_ssize_t found       # how many there are
    cdef int root, place
    cdef bint touches, level
    cdef long long compared

    cdef int want_contacts(self) except -1
    cdef const double* start(self, int edge) noexcept nogil
    cdef const double* end(self, int edge) noexcept nogil
    cdef bint crosses(self, const double* xy) noexcept nogil
    cdef bint begin_edge(self, const Event* event) noexcept nogil
    cdef bint end_edge(self, const Event* event, bint last) noexcept nogil
    cdef void set_events(self) noexcept nogil
    cdef bint cross(self, int s, int t) noexcept nogil
    cdef bint lies_above(self, int edge, int other) noexcept nogil
    cdef bint passes(self, int edge, const double* at) noexcept nogil
    cdef void touch(self, int below, int above, const double* at) noexcept nogil
    cdef void add_contact(self, int edge, const double* at) noexcept nogil
    cdef void insert(self, int edge) noexcept nogil
    cdef void remove(self, int edge) noexcept nogil
    cdef void replace(self, int edge, int child) noexcept nogil
    cdef void lift(self, int child) noexcept nogil


cdef inline double turn(const double* a, const double* b, const double* c) noexcept nogil:
    """Twice the signed area of the triangle a, b, c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


cdef inline void scale(double* x, double* y) noexcept nogil:
    """Bring a vector to a size of about 1 by a power of two, which rounds nothing."""
    cdef int exponent
    frexp(max(fabs(x[0]), fabs(y[0])), &exponent)
    x[0] = ldexp(x[0], -exponent)
    y[0] = ldexp(y[0], -exponent)


cdef inline double sure_turn(const double* a, const double* b, const double* c) noexcept nogil:
    """A number with the sign of `turn`, also where its products are too small or too large for a double."""
    cdef double found = turn(a, b, c), ux, uy, vx, vy
    if 1e-280 < fabs(found) <= 1e280:       # products that vanish are smaller by far
        return found
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]
    scale(&ux, &uy)
    scale(&vx, &vy)
    return ux * vy - uy * vx


cdef inline bint before(const double* a, const double* b) noexcept nogil:
    return a[0] < b[0] or (a[0] == b[0] and a[1] < b[1])


cdef inline int sides_of(const double* a, const double* b, const double* c, const double* d) noexcept nogil:
    """Whether a and b lie on one side of the line through c and d (1), on different ones (-1), or one of them on it (0);
    whichever way round each is given."""
    cdef double s, t
    if before(d, c):
        c, d = d, c
    s = turn(c, d, a)
    t = turn(c, d, b)
    if (s > 0 and t > 0) or (s < 0 and t < 0):
        return 1
    return -1 if (s > 0 and t < 0) or (s < 0 and t > 0) else 0


cdef inline bint properly_cross(const double* a, const double* b, const double* c, const double* d) noexcept nogil:
    return sides_of(a, b, c, d) < 0 and sides_of(c, d, a, b) < 0


cdef int how_edges_meet(const double* xy, Py_ssize_t n) except -1
