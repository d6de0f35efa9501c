from .crossings cimport Sweep


cdef struct Place:
    double[2] at
    int index            # of the vertex, in the ring


cdef struct Edge:
    int low, high        # its vertices, the smaller first
    int net              # how often the ring goes up along it, less how often down


cdef struct Ray:                # an edge as one of its vertices sees it
    double slope                # its direction: where in an eighth of a turn,
    signed char octant          # and in which, from -180 degrees on
    bint known, kept
    int origin, target
    int net                     # how often the ring goes this way, less how often the other
    int edge, back              # 2 * edge, or that and 1; the ray of the other vertex
    int left                    # the winding number to its left


cdef class Outline:
    cdef double* ring           # (n, 2): the result
    cdef double* cut            # (count, 2): the ring with a vertex at every contact
    cdef Place* places          # (vertices,): in lexicographic order
    cdef Edge* edges
    cdef Ray* rays              # (2 * edge_count,): by origin, counter-clockwise
    cdef int* vertex     # (count,): which place each vertex of the cut ring is at
    cdef int* first      # (vertices + 1,): into rays
    cdef int* cursor     # (vertices,): the next ray to look at
    cdef int* stack
    cdef int* circuit
    cdef int count, vertices, edge_count, depth, length, lowest, highest

    cdef Py_ssize_t enclose(self, const double* xy, Py_ssize_t n) except -1
    cdef int make_room(self, Py_ssize_t count) except -1
    cdef void cut_ring(self, Sweep sweep) noexcept nogil
    cdef void number_places(self) noexcept nogil
    cdef void join_edges(self) noexcept nogil
    cdef void set_rays(self) noexcept nogil
    cdef void set_ray(self, int k, int origin, int target, int net) noexcept nogil
    cdef bint spread(self) noexcept nogil
    cdef bint go_around(self, int known) noexcept nogil
    cdef bint set_left(self, int ray, int number) noexcept nogil
    cdef void keep_bounding(self) noexcept nogil
    cdef void trace(self) noexcept nogil
    cdef bint has_next(self, int vertex) noexcept nogil
    cdef void add_circuit(self, int start) noexcept nogil
