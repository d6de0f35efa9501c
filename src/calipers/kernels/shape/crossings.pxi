"""Whether a ring properly crosses itself, or touches itself.

Edges of a short ring are compared with each other. A long ring is swept from left to right (Shamos and Hoey): the edges
under the sweep line are kept in their order from bottom to top, and only neighbours are compared, when they become such.
An edge that ends at a vertex on another, or runs along it, leaves the order as it is, so touching is no trouble. The
edges that pass through a vertex lie one above the other where it is, so that they are found from there.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport fabs, frexp, ldexp
from libc.stdlib cimport qsort

cdef enum:
    NONE = -1
    FEW_EDGES = 100         # up to which all pairs are looked at


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


cdef bint bounds_meet(const double* a, const double* b, const double* c, const double* d) noexcept nogil:
    return (max(a[0], b[0]) >= min(c[0], d[0]) and max(c[0], d[0]) >= min(a[0], b[0])
            and max(a[1], b[1]) >= min(c[1], d[1]) and max(c[1], d[1]) >= min(a[1], b[1]))


cdef Meeting edges_meet(const double* a, const double* b, const double* c, const double* d) noexcept nogil:
    cdef int first = sides_of(a, b, c, d), second
    if first > 0:
        return APART
    second = sides_of(c, d, a, b)
    if second > 0:
        return APART
    if first < 0 and second < 0:
        return CROSSING
    return TOUCHING if bounds_meet(a, b, c, d) else APART       # along one line, but not at one place


cdef Meeting all_pairs_meet(const double* xy, Py_ssize_t n, long long* compared) noexcept nogil:
    cdef Py_ssize_t i, j, i_next, j_next
    cdef Meeting found = APART, each
    for i in range(n - 1):
        i_next = i + 1
        compared[0] += n - i - 2
        for j in range(i + 2, n):
            j_next = j + 1 if j + 1 < n else 0
            if j_next == i:
                continue
            each = edges_meet(xy + 2 * i, xy + 2 * i_next, xy + 2 * j, xy + 2 * j_next)
            if each == CROSSING:
                return CROSSING
            if each == TOUCHING:
                found = TOUCHING
    return found


cdef inline bint same_place(const Event* s, const Event* t) noexcept nogil:
    return s.x == t.x and s.y == t.y


cdef class Sweep:
    """The edges of one ring under a line that moves from left to right."""

    cdef const double* xy
    cdef int n
    cdef Event* events
    cdef Node* nodes
    cdef Contact* contacts      # (2 * n,) or NULL: they are not wanted
    cdef Py_ssize_t found       # how many there are
    cdef int root, place
    cdef bint touches, level
    cdef long long compared

    def __cinit__(self, int n):
        if n < 3:
            raise ValueError(f"n: found {n}, expected at least 3 vertices")
        self.n, self.root, self.compared, self.found, self.contacts = n, NONE, 0, 0, NULL
        self.events = <Event*> PyMem_Malloc(2 * n * sizeof(Event))
        self.nodes = <Node*> PyMem_Malloc(n * sizeof(Node))
        if self.events == NULL or self.nodes == NULL:
            raise MemoryError()

    def __dealloc__(self):
        PyMem_Free(self.events)
        PyMem_Free(self.nodes)
        PyMem_Free(self.contacts)

    cdef int want_contacts(self) except -1:
        """Keep the contacts that are found, up to 2 * n of them; if `found` is more, they are too many."""
        self.contacts = <Contact*> PyMem_Malloc(2 * self.n * sizeof(Contact))
        if self.contacts == NULL:
            raise MemoryError()
        return 0

    cdef inline const double* start(self, int edge) noexcept nogil:
        """The end of an edge that comes first in lexicographic order."""
        return self.xy + 2 * self.nodes[edge].start

    cdef inline const double* end(self, int edge) noexcept nogil:
        return self.xy + 2 * self.nodes[edge].end

    cdef bint crosses(self, const double* xy) noexcept nogil:
        """Whether edges properly cross. If not, `touches` says whether they touch, and contacts are found."""
        cdef int k, last = 2 * self.n - 1, met = 0         # how many before this one are at the same place
        cdef bint ends_here
        cdef const Event* event
        self.xy, self.place, self.touches = xy, 0, False
        self.set_events()
        for k in range(last + 1):
            event = &self.events[k]
            ends_here = k == last or not same_place(event, event + 1)
            if self.begin_edge(event) if event.begins else self.end_edge(event, ends_here):
                return True
            if ends_here:
                self.touches |= met > 1                     # a vertex has two edges, so it is there twice
                self.place += 1
                met = 0
            else:
                met += 1
        return False

    cdef bint begin_edge(self, const Event* event) noexcept nogil:
        """Compare an edge that begins with its neighbours; whether it properly crosses one."""
        cdef const Node* node = &self.nodes[event.edge]
        self.level = False
        self.insert(event.edge)
        if self.cross(event.edge, node.below) or self.cross(event.edge, node.above):
            return True
        if self.level:
            self.touch(node.below, node.above, &event.x)
        return False

    cdef bint end_edge(self, const Event* event, bint last) noexcept nogil:
        """Compare those that become neighbours. `last`: nothing else ends or begins here that would find contacts."""
        cdef int below = self.nodes[event.edge].below, above = self.nodes[event.edge].above
        self.remove(event.edge)
        if self.cross(below, above):
            return True
        if last:
            self.touch(below, above, &event.x)
        return False

    cdef void set_events(self) noexcept nogil:
        cdef int edge, after
        cdef const double* place
        for edge in range(self.n):
            after = edge + 1 if edge + 1 < self.n else 0
            self.nodes[edge].start, self.nodes[edge].end = edge, after
            if not before(self.xy + 2 * edge, self.xy + 2 * after):
                self.nodes[edge].start, self.nodes[edge].end = after, edge
            place = self.start(edge)
            self.events[2 * edge].x, self.events[2 * edge].y = place[0], place[1]
            self.events[2 * edge].edge, self.events[2 * edge].begins = edge, True
            place = self.end(edge)
            self.events[2 * edge + 1].x, self.events[2 * edge + 1].y = place[0], place[1]
            self.events[2 * edge + 1].edge, self.events[2 * edge + 1].begins = edge, False
            self.nodes[edge].place = NONE
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
            self.level = True
            side = turn(self.start(other), self.end(other), self.end(edge))
        return side > 0 or (side == 0 and edge > other)

    cdef bint passes(self, int edge, const double* at) noexcept nogil:
        """Whether an edge under the sweep line goes on through the vertex there, and is not known to. No longer looked at
        once there are too many contacts, so that edges along each other take no more time than others."""
        if edge == NONE or self.nodes[edge].place == self.place or self.found > 2 * self.n:
            return False
        self.compared += 1
        return (before(self.start(edge), at) and before(at, self.end(edge))
                and sure_turn(self.start(edge), self.end(edge), at) == 0)

    cdef void touch(self, int below, int above, const double* at) noexcept nogil:
        """Find the edges next to a vertex that pass through it, downwards and upwards."""
        while self.passes(below, at):
            self.add_contact(below, at)
            below = self.nodes[below].below
        while self.passes(above, at):
            self.add_contact(above, at)
            above = self.nodes[above].above

    cdef void add_contact(self, int edge, const double* at) noexcept nogil:
        self.nodes[edge].place, self.touches = self.place, True
        if self.contacts != NULL and self.found < 2 * self.n:
            self.contacts[self.found].at[0], self.contacts[self.found].at[1] = at[0], at[1]
            self.contacts[self.found].edge = edge
        self.found += 1

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


cdef int how_edges_meet(const double* xy, Py_ssize_t n) except -1:
    """How (a Meeting) the edges of a ring without consecutive equal vertices meet."""
    cdef long long compared = 0
    cdef Sweep sweep
    if n <= FEW_EDGES:
        return all_pairs_meet(xy, n, &compared)
    sweep = Sweep(<int> n)
    if sweep.crosses(xy):
        return CROSSING
    return TOUCHING if sweep.touches else APART


def ring_crosses(points, bint sweep):
    """Whether a ring x, y, x, y, … crosses itself, by a sweep or by all pairs, and how many comparisons that took."""
    cdef const double[::1] xy = points
    cdef long long compared = 0
    cdef Sweep swept
    cdef bint found
    if xy.shape[0] < 6 or xy.shape[0] % 2:
        raise ValueError(f"points: found {xy.shape[0]} numbers, expected x, y of at least 3 points")
    if not sweep:
        found = all_pairs_meet(&xy[0], xy.shape[0] // 2, &compared) == CROSSING
        return found, compared
    swept = Sweep(<int> (xy.shape[0] // 2))
    found = swept.crosses(&xy[0])
    return found, swept.compared
