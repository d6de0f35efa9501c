from .crossings cimport Sweep


cdef struct Place:
    double[2] at
    Py_ssize_t index            # of the vertex, in the ring


cdef struct Edge:
    Py_ssize_t low, high        # its vertices, the smaller first
    Py_ssize_t net              # how often the ring goes up along it, less how often down


cdef struct Ray:                # an edge as one of its vertices sees it
    Py_ssize_t origin, target
    int octant                  # its direction: which eighth of a turn from -180 degrees on,
    double slope                # and where in that
    Py_ssize_t net              # how often the ring goes this way, less how often the other
    Py_ssize_t edge, back       # 2 * edge, or that and 1; the ray of the other vertex
    Py_ssize_t left             # the winding number to its left
    bint known, kept


cdef class Outline:
    cdef double* ring           # (n, 2): the result
    cdef double* cut            # (count, 2): the ring with a vertex at every contact
    cdef Place* places          # (vertices,): in lexicographic order
    cdef Edge* edges
    cdef Ray* rays              # (2 * edge_count,): by origin, counter-clockwise
    cdef Py_ssize_t* vertex     # (count,): which place each vertex of the cut ring is at
    cdef Py_ssize_t* first      # (vertices + 1,): into rays
    cdef Py_ssize_t* cursor     # (vertices,): the next ray to look at
    cdef Py_ssize_t* stack
    cdef Py_ssize_t* circuit
    cdef Py_ssize_t count, vertices, edge_count, depth, length, lowest, highest

    cdef Py_ssize_t enclose(self, const double* xy, Py_ssize_t n) except -1
    cdef int make_room(self, Py_ssize_t count) except -1
    cdef void cut_ring(self, Sweep sweep) noexcept nogil
    cdef void number_places(self) noexcept nogil
    cdef void join_edges(self) noexcept nogil
    cdef void set_rays(self) noexcept nogil
    cdef void set_ray(self, Py_ssize_t k, Py_ssize_t origin, Py_ssize_t target, Py_ssize_t net) noexcept nogil
    cdef bint spread(self) noexcept nogil
    cdef bint go_around(self, Py_ssize_t known) noexcept nogil
    cdef bint set_left(self, Py_ssize_t ray, Py_ssize_t number) noexcept nogil
    cdef void keep_bounding(self) noexcept nogil
    cdef void trace(self) noexcept nogil
    cdef bint has_next(self, Py_ssize_t vertex) noexcept nogil
    cdef void add_circuit(self, Py_ssize_t start) noexcept nogil
