"""A ring around what a polygon that touches itself encloses: every point that its outline winds around, once.

However often the outline goes around a point, and whichever way, the point is enclosed if the winding number there is
not 0. The outline is cut wherever it touches itself, so that edges meet at vertices only. Around a vertex the winding
number changes at each edge by how often the outline goes out along it, less how often it comes in; beside the smallest
vertex it is 0. So numbers spread from vertex to vertex, and no edge has to be compared with another.

Edges with something enclosed on one side alone are kept, with that to their left. They are written as one ring: a
circuit for each connected part, and between parts a way there and back, around which nothing winds. The ring depends
on places alone, not on where the outline began or which way it went.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.limits cimport INT_MAX
from libc.math cimport fabs
from libc.stdlib cimport qsort
from libc.string cimport memcpy

cdef enum:
    NOT_YET = -1


cdef struct Place:
    double[2] at
    int index            # of the vertex, in the ring


cdef struct RingEdge:
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


cdef int compare_contacts(const void* a, const void* b) noexcept nogil:
    cdef const Contact* s = <const Contact*> a
    cdef const Contact* t = <const Contact*> b
    if s.edge != t.edge:
        return -1 if s.edge < t.edge else 1
    return before(t.at, s.at) - before(s.at, t.at)


cdef int compare_places(const void* a, const void* b) noexcept nogil:
    cdef const Place* s = <const Place*> a
    cdef const Place* t = <const Place*> b
    return before(t.at, s.at) - before(s.at, t.at)


cdef int compare_edges(const void* a, const void* b) noexcept nogil:
    cdef const RingEdge* s = <const RingEdge*> a
    cdef const RingEdge* t = <const RingEdge*> b
    if s.low != t.low:
        return -1 if s.low < t.low else 1
    return (s.high > t.high) - (s.high < t.high)


cdef int compare_rays(const void* a, const void* b) noexcept nogil:
    """By origin, then counter-clockwise from -180 degrees on (which is last, as 180)."""
    cdef const Ray* s = <const Ray*> a
    cdef const Ray* t = <const Ray*> b
    if s.origin != t.origin:
        return -1 if s.origin < t.origin else 1
    if s.octant != t.octant:
        return -1 if s.octant < t.octant else 1
    if s.slope != t.slope:
        return -1 if s.slope < t.slope else 1
    return (s.target > t.target) - (s.target < t.target)


cdef void set_direction(Ray* ray, double x, double y) noexcept nogil:
    """A quotient rounds, but never changes the order of two directions, however long or short their vectors are."""
    cdef int quadrant = (0 if x < 0 else 1) if y < 0 else (2 if x > 0 else 3)
    cdef double far = fabs(x) if quadrant % 2 else fabs(y), near = fabs(y) if quadrant % 2 else fabs(x)
    if far <= near:
        ray.octant, ray.slope = 2 * quadrant, far / near
    else:
        ray.octant, ray.slope = 2 * quadrant + 1, -(near / far)


cdef void* room_for(Py_ssize_t count, size_t size) except NULL:
    cdef void* found = PyMem_Malloc(<size_t> count * size)
    if found == NULL:
        raise MemoryError()
    return found


cdef class Outline:
    """One outline: `enclose` once, then `ring` holds the result."""

    cdef double* ring           # (n, 2): the result
    cdef double* cut            # (count, 2): the ring with a vertex at every contact
    cdef Place* places          # (vertices,): in lexicographic order
    cdef RingEdge* edges
    cdef Ray* rays              # (2 * edge_count,): by origin, counter-clockwise
    cdef int* vertex     # (count,): which place each vertex of the cut ring is at
    cdef int* first      # (vertices + 1,): into rays
    cdef int* cursor     # (vertices,): the next ray to look at
    cdef int* stack
    cdef int* circuit
    cdef int count, vertices, edge_count, depth, length, lowest, highest

    def __dealloc__(self):
        PyMem_Free(self.ring)
        PyMem_Free(self.cut)
        PyMem_Free(self.places)
        PyMem_Free(self.edges)
        PyMem_Free(self.rays)
        PyMem_Free(self.vertex)
        PyMem_Free(self.first)
        PyMem_Free(self.cursor)
        PyMem_Free(self.stack)
        PyMem_Free(self.circuit)

    cdef Py_ssize_t enclose(self, const double* xy, Py_ssize_t n) except -1:
        """How many vertices the ring around the enclosed area has; 0 if the outline is to be taken as it is.

        That is so if it does not say more: no vertex twice, and nowhere around twice or both ways; if nothing is enclosed;
        with more than two contacts a vertex, edges along edges; and where rounding leaves no plane graph.
        """
        cdef Sweep sweep
        if n > INT_MAX // 12:                   # three times as many edges, and four numbers for each of them
            return 0
        sweep = Sweep(<int> n)
        sweep.want_contacts()
        if sweep.crosses(xy) or sweep.found > 2 * n:
            return 0
        self.make_room(n + sweep.found)
        self.cut_ring(sweep)
        self.number_places()
        self.join_edges()
        self.set_rays()
        if not self.spread():
            return 0
        self.keep_bounding()
        if self.vertices == n and self.highest - self.lowest <= 1:
            return 0
        self.trace()
        return self.length

    cdef int make_room(self, Py_ssize_t count) except -1:
        """Circuits of at least three of `count` edges have two vertices more each, and one less in all."""
        self.count = <int> count
        self.cut = <double*> room_for(2 * count, sizeof(double))
        self.places = <Place*> room_for(count, sizeof(Place))
        self.edges = <RingEdge*> room_for(count, sizeof(RingEdge))
        self.rays = <Ray*> room_for(2 * count, sizeof(Ray))
        self.vertex = <int*> room_for(count, sizeof(int))
        self.first = <int*> room_for(count + 1, sizeof(int))
        self.cursor = <int*> room_for(count, sizeof(int))
        self.stack = <int*> room_for(2 * count + 1, sizeof(int))
        self.circuit = <int*> room_for(2 * count + 1, sizeof(int))
        self.ring = <double*> room_for(4 * count + 2, sizeof(double))
        return 0

    cdef void cut_ring(self, Sweep sweep) noexcept nogil:
        """Each vertex, and after it the contacts of the edge that begins there, in its direction."""
        cdef int k, i, here = 0, after = 0, out = 0
        cdef const double* a
        cdef const double* b
        qsort(sweep.contacts, sweep.found, sizeof(Contact), compare_contacts)
        for k in range(sweep.n):
            a, b = sweep.xy + 2 * k, sweep.xy + 2 * (k + 1 if k + 1 < sweep.n else 0)
            memcpy(self.cut + 2 * out, a, 2 * sizeof(double))
            out += 1
            while after < sweep.found and sweep.contacts[after].edge == k:
                after += 1
            for i in range(after - here):
                memcpy(self.cut + 2 * out, sweep.contacts[here + i if before(a, b) else after - 1 - i].at,
                       2 * sizeof(double))
                out += 1
            here = after

    cdef void number_places(self) noexcept nogil:
        cdef int k
        for k in range(self.count):
            memcpy(self.places[k].at, self.cut + 2 * k, 2 * sizeof(double))
            self.places[k].index = k
        qsort(self.places, self.count, sizeof(Place), compare_places)
        self.vertices = 0
        for k in range(self.count):
            if k == 0 or compare_places(&self.places[k], &self.places[self.vertices - 1]):
                self.vertices += 1
            self.vertex[self.places[k].index] = self.vertices - 1
            self.places[self.vertices - 1] = self.places[k]

    cdef void join_edges(self) noexcept nogil:
        """Those between the same two vertices become one."""
        cdef int k, a, b
        for k in range(self.count):
            a, b = self.vertex[k], self.vertex[k + 1 if k + 1 < self.count else 0]
            self.edges[k].low, self.edges[k].high = min(a, b), max(a, b)
            self.edges[k].net = 1 if a < b else -1
        qsort(self.edges, self.count, sizeof(RingEdge), compare_edges)
        self.edge_count = 0
        for k in range(self.count):
            if k and compare_edges(&self.edges[k], &self.edges[self.edge_count - 1]) == 0:
                self.edges[self.edge_count - 1].net += self.edges[k].net
            else:
                self.edges[self.edge_count] = self.edges[k]
                self.edge_count += 1

    cdef void set_rays(self) noexcept nogil:
        cdef int k, v = 0, count = 2 * self.edge_count
        cdef int* where = self.stack         # (count,), not in use yet
        for k in range(self.edge_count):
            self.set_ray(2 * k, self.edges[k].low, self.edges[k].high, self.edges[k].net)
            self.set_ray(2 * k + 1, self.edges[k].high, self.edges[k].low, -self.edges[k].net)
        qsort(self.rays, count, sizeof(Ray), compare_rays)
        for k in range(count):
            where[self.rays[k].edge] = k
        self.first[0] = 0
        for k in range(count):
            self.rays[k].back = where[self.rays[k].edge ^ 1]
            while v < self.rays[k].origin:
                v += 1
                self.first[v] = k
        self.first[self.vertices] = count

    cdef void set_ray(self, int k, int origin, int target, int net) noexcept nogil:
        cdef Ray* ray = &self.rays[k]
        cdef const double* a = self.places[origin].at
        cdef const double* b = self.places[target].at
        ray.origin, ray.target, ray.net, ray.edge = origin, target, net, k
        ray.left, ray.known, ray.kept = 0, False, False
        set_direction(ray, b[0] - a[0], b[1] - a[1])

    cdef bint spread(self) noexcept nogil:
        """Find the winding numbers beside all edges; False if they contradict each other.

        No ray of the smallest vertex goes to its left, so after the last of them it is 0.
        """
        cdef int v
        for v in range(self.vertices):
            self.cursor[v] = NOT_YET
        self.set_left(self.first[1] - 1, 0)
        self.stack[0], self.depth = self.first[1] - 1, 1
        while self.depth:
            self.depth -= 1
            v = self.rays[self.stack[self.depth]].origin
            if self.cursor[v] == NOT_YET and not self.go_around(self.stack[self.depth]):
                return False
        return True

    cdef bint go_around(self, int known) noexcept nogil:
        """From a ray whose number is known to the others of its vertex, and to the vertices at their ends."""
        cdef int v = self.rays[known].origin, begin = self.first[v], end = self.first[v + 1], k = known, _
        cdef int number = self.rays[known].left
        self.cursor[v] = begin
        for _ in range(end - begin):
            k = k + 1 if k + 1 < end else begin
            number += self.rays[k].net
            if not self.set_left(k, number) or not self.set_left(self.rays[k].back, number - self.rays[k].net):
                return False
            if self.cursor[self.rays[k].target] == NOT_YET:
                self.stack[self.depth] = self.rays[k].back
                self.depth += 1
        return True

    cdef bint set_left(self, int ray, int number) noexcept nogil:
        """False if another number is there already."""
        if self.rays[ray].known:
            return self.rays[ray].left == number
        self.rays[ray].left, self.rays[ray].known = number, True
        return True

    cdef void keep_bounding(self) noexcept nogil:
        """Keep rays with something enclosed to their left, and nothing to their right."""
        cdef int k
        cdef Ray* ray
        self.lowest = self.highest = 0
        for k in range(2 * self.edge_count):
            ray = &self.rays[k]
            ray.kept = ray.left != 0 and ray.left == ray.net
            self.lowest, self.highest = min(self.lowest, ray.left), max(self.highest, ray.left)

    cdef void trace(self) noexcept nogil:
        """All circuits as one ring: from the first of them to each of the others, and back."""
        cdef int v, k, home = NOT_YET, parts = 0
        self.length = 0
        for v in range(self.vertices):
            if not self.has_next(v):
                continue
            if parts > 1:
                self.circuit[self.length] = home
                self.length += 1
            home = v if parts == 0 else home
            self.add_circuit(v)
            parts += 1
        self.length -= parts == 1           # a ring alone need not say that it is closed
        for k in range(self.length):
            memcpy(self.ring + 2 * k, self.places[self.circuit[k]].at, 2 * sizeof(double))

    cdef bint has_next(self, int vertex) noexcept nogil:
        """Whether a kept ray is left at a vertex; the cursor then is at it."""
        while self.cursor[vertex] < self.first[vertex + 1] and not self.rays[self.cursor[vertex]].kept:
            self.cursor[vertex] += 1
        return self.cursor[vertex] < self.first[vertex + 1]

    cdef void add_circuit(self, int start) noexcept nogil:
        """Along all kept rays that can be reached from a vertex, and back to it (Hierholzer, who finds it in reverse)."""
        cdef int begin = self.length, v, k
        self.stack[0], self.depth = start, 1
        while self.depth:
            v = self.stack[self.depth - 1]
            if self.has_next(v):
                self.stack[self.depth] = self.rays[self.cursor[v]].target
                self.depth += 1
                self.cursor[v] += 1
            else:
                self.circuit[self.length] = v
                self.length += 1
                self.depth -= 1
        for k in range((self.length - begin) // 2):
            v = self.circuit[begin + k]
            self.circuit[begin + k] = self.circuit[self.length - 1 - k]
            self.circuit[self.length - 1 - k] = v
