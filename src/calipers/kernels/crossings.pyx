"""Whether a ring properly crosses itself.

Edges of a short ring are compared with each other. A long ring is swept from left to right (Shamos and Hoey): the edges
under the sweep line are kept in their order from bottom to top, and only neighbours are compared, when they become such.
An edge that ends at a vertex on another, or runs along it, leaves the order as it is, so touching is no trouble.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdlib cimport qsort

cdef enum:
    NONE = -1
    FEW = 100               # edges up to which all pairs are looked at


cdef struct Event:
    double x, y
    int edge
    bint begins


cdef int compare_events(const void* a, const void* b) noexcept nogil:
    """By place; at one place edges end before others begin."""
    cdef const Event* s = <const Event*> a
    cdef const Event* t = <const Event*> b
    if s.x != t.x:
        return -1 if s.x < t.x else 1
    if s.y != t.y:
        return -1 if s.y < t.y else 1
    if s.begins != t.begins:
        return 1 if s.begins else -1
    return (s.edge > t.edge) - (s.edge < t.edge)


cdef struct Node:
    int left, right, parent     # of the tree of edges under the sweep line
    int below, above            # its neighbours
    unsigned int priority


cdef bint all_pairs_cross(const double* xy, Py_ssize_t n, long long* compared) noexcept nogil:
    cdef Py_ssize_t i, j, i_next, j_next
    for i in range(n - 1):
        i_next = i + 1
        compared[0] += n - i - 2
        for j in range(i + 2, n):
            j_next = j + 1 if j + 1 < n else 0
            if j_next != i and properly_cross(xy + 2 * i, xy + 2 * i_next, xy + 2 * j, xy + 2 * j_next):
                return True
    return False


cdef class Sweep:
    """The edges of one ring under a line that moves from left to right."""

    cdef const double* xy
    cdef int n
    cdef Event* events
    cdef Node* nodes
    cdef int root
    cdef long long compared

    def __cinit__(self, int n):
        if n < 3:
            raise ValueError(f"n: found {n}, expected at least 3 vertices")
        self.n, self.root, self.compared = n, NONE, 0
        self.events = <Event*> PyMem_Malloc(2 * n * sizeof(Event))
        self.nodes = <Node*> PyMem_Malloc(n * sizeof(Node))
        if self.events == NULL or self.nodes == NULL:
            raise MemoryError()

    def __dealloc__(self):
        PyMem_Free(self.events)
        PyMem_Free(self.nodes)

    cdef inline const double* start(self, int edge) noexcept nogil:
        """The end of an edge that comes first in lexicographic order."""
        cdef const double* a = self.xy + 2 * edge
        cdef const double* b = self.xy + 2 * (edge + 1 if edge + 1 < self.n else 0)
        return a if before(a, b) else b

    cdef inline const double* end(self, int edge) noexcept nogil:
        cdef const double* a = self.xy + 2 * edge
        cdef const double* b = self.xy + 2 * (edge + 1 if edge + 1 < self.n else 0)
        return b if before(a, b) else a

    cdef bint crosses(self, const double* xy) noexcept nogil:
        cdef int k, edge, below, above
        self.xy = xy
        self.set_events()
        for k in range(2 * self.n):
            edge = self.events[k].edge
            if self.events[k].begins:
                self.insert(edge)
                below, above = self.nodes[edge].below, self.nodes[edge].above
                if self.cross(edge, below) or self.cross(edge, above):
                    return True
            else:
                below, above = self.nodes[edge].below, self.nodes[edge].above
                self.remove(edge)
                if self.cross(below, above):
                    return True
        return False

    cdef void set_events(self) noexcept nogil:
        cdef int edge
        cdef const double* place
        for edge in range(self.n):
            place = self.start(edge)
            self.events[2 * edge].x, self.events[2 * edge].y = place[0], place[1]
            self.events[2 * edge].edge, self.events[2 * edge].begins = edge, True
            place = self.end(edge)
            self.events[2 * edge + 1].x, self.events[2 * edge + 1].y = place[0], place[1]
            self.events[2 * edge + 1].edge, self.events[2 * edge + 1].begins = edge, False
            self.nodes[edge].priority = <unsigned int> edge * 2654435761u ^ (<unsigned int> edge * 40503u) << 16
        qsort(self.events, 2 * self.n, sizeof(Event), compare_events)

    cdef bint cross(self, int s, int t) noexcept nogil:
        """Whether two edges properly cross; those that share a vertex do not."""
        cdef int apart = s - t if s > t else t - s
        if s == NONE or t == NONE or apart == 1 or apart == self.n - 1:
            return False
        self.compared += 1
        return properly_cross(self.start(s), self.end(s), self.start(t), self.end(t))

    cdef bint lies_above(self, int edge, int other) noexcept nogil:
        """Whether an edge that begins now runs above one that is there already."""
        cdef double side = turn(self.start(other), self.end(other), self.start(edge))
        self.compared += 1
        if side == 0:
            side = turn(self.start(other), self.end(other), self.end(edge))
        return side > 0 or (side == 0 and edge > other)

    cdef void insert(self, int edge) noexcept nogil:
        cdef int at = self.root, parent = NONE, below = NONE, above = NONE
        cdef Node* node = &self.nodes[edge]
        while at != NONE:
            parent = at
            if self.lies_above(edge, at):
                below = at
                at = self.nodes[at].right
            else:
                above = at
                at = self.nodes[at].left
        node.left, node.right, node.parent, node.below, node.above = NONE, NONE, parent, below, above
        if below != NONE:
            self.nodes[below].above = edge
        if above != NONE:
            self.nodes[above].below = edge
        if parent == NONE:
            self.root = edge
        elif parent == below:
            self.nodes[parent].right = edge
        else:
            self.nodes[parent].left = edge
        while node.parent != NONE and self.nodes[node.parent].priority < node.priority:
            self.lift(edge)

    cdef void remove(self, int edge) noexcept nogil:
        cdef Node* node = &self.nodes[edge]
        cdef int child
        while node.left != NONE and node.right != NONE:
            child = node.left if self.nodes[node.left].priority > self.nodes[node.right].priority else node.right
            self.lift(child)
        child = node.left if node.left != NONE else node.right
        self.replace(edge, child)
        if node.below != NONE:
            self.nodes[node.below].above = node.above
        if node.above != NONE:
            self.nodes[node.above].below = node.below

    cdef void replace(self, int edge, int child) noexcept nogil:
        """Let the parent of `edge` have `child` in its place."""
        cdef int parent = self.nodes[edge].parent
        if child != NONE:
            self.nodes[child].parent = parent
        if parent == NONE:
            self.root = child
        elif self.nodes[parent].left == edge:
            self.nodes[parent].left = child
        else:
            self.nodes[parent].right = child

    cdef void lift(self, int child) noexcept nogil:
        """Rotate a node above its parent."""
        cdef int parent = self.nodes[child].parent, moved
        cdef bint was_left = self.nodes[parent].left == child
        self.replace(parent, child)
        if was_left:
            moved = self.nodes[child].right
            self.nodes[parent].left, self.nodes[child].right = moved, parent
        else:
            moved = self.nodes[child].left
            self.nodes[parent].right, self.nodes[child].left = moved, parent
        self.nodes[parent].parent = child
        if moved != NONE:
            self.nodes[moved].parent = parent


cdef int crosses_itself(const double* xy, Py_ssize_t n) except -1:
    """Whether two edges of a ring without repeated vertices properly cross."""
    cdef long long compared = 0
    if n <= FEW:
        return all_pairs_cross(xy, n, &compared)
    return Sweep(<int> n).crosses(xy)


def ring_crosses(points, bint sweep):
    """Whether a ring x, y, x, y, … crosses itself, by a sweep or by all pairs, and how many comparisons that took."""
    cdef const double[::1] xy = points
    cdef long long compared = 0
    cdef Sweep swept
    cdef bint found
    if xy.shape[0] < 6 or xy.shape[0] % 2:
        raise ValueError(f"points: found {xy.shape[0]} numbers, expected x, y of at least 3 points")
    if not sweep:
        found = all_pairs_cross(&xy[0], xy.shape[0] // 2, &compared)
        return found, compared
    swept = Sweep(<int> (xy.shape[0] // 2))
    found = swept.crosses(&xy[0])
    return found, swept.compared
