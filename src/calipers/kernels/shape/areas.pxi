"""The area that two polygons share: of few vertices edge by edge, of many as a sum over pairs of edges at one height.

Few vertices: the intersection of two convex polygons with small integer vertices is bounded by pieces of their edges.
Each piece is an interval [t0, t1] of its edge whose ends are quotients of integers, so that only the last division
rounds:

    2 * area = sum over edges (p, q) of (t1 - t0) * cross(p - o, q - o)

An edge shared by both is counted once. Other convex polygons are clipped by half-planes. A polygon that is not convex
is a signed sum of the triangles of its fan, and the intersection is the sum over pairs of triangles.

Many vertices: the winding number of a polygon at (x, y) is the sum over its edges to the right of the signs of their
direction, so

    area = sum over edges e of one and f of the other of sign(e) * sign(f) * integral over y of min(x_e(y), x_f(y))

where y runs over the heights that both edges have. Of simple polygons this is the area of the intersection. A line
moves upwards and meets the edges in order; an edge is compared with those of the other polygon under the line, which
of most outlines are few. Nothing depends on whether edges touch or run along each other.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport floor
from libc.stdlib cimport qsort
from libc.string cimport memcpy

from .quads cimport ARE_ABREAST, QUAD, quad_pieces

cdef enum:
    JOIN_STEPS = 3              # to compare two edges
    EDGE_STEPS = 50             # to sort an edge

cdef double OVERFULL = -1.0


cdef struct Polygon:
    const double* xy
    Py_ssize_t n
    const double* bounds
    double area
    unsigned char flags


cdef inline void sides(const double* b, Py_ssize_t nb, double x, double y, double* out) noexcept nogil:
    """For each edge of `b`, how far (x, y) lies on its inner side, times its length."""
    cdef Py_ssize_t j
    cdef double rx = b[2 * nb - 2], ry = b[2 * nb - 1], sx, sy
    for j in range(nb):
        sx = b[2 * j]
        sy = b[2 * j + 1]
        out[j] = (sx - rx) * (y - ry) - (sy - ry) * (x - rx)
        rx = sx
        ry = sy


cdef inline bint same_way(const double* b, Py_ssize_t nb, Py_ssize_t j, double dx, double dy) noexcept nogil:
    cdef Py_ssize_t before = j - 1 if j else nb - 1
    return (b[2 * j] - b[2 * before]) * dx + (b[2 * j + 1] - b[2 * before + 1]) * dy > 0


cdef double edge_pieces(const double* a, Py_ssize_t na, const double* b, Py_ssize_t nb, double ox, double oy,
                        bint take_shared, double* here, double* there) noexcept nogil:
    """Sum over the edges of `a`, cut to the inside of `b`, of cross(p - o, q - o) times the share that is left."""
    cdef Py_ssize_t i, j
    cdef double px = a[2 * na - 2], py = a[2 * na - 1], qx, qy, s, t, n0, d0, n1, d1, total = 0
    cdef double* swap
    sides(b, nb, px, py, here)
    for i in range(na):
        qx = a[2 * i]
        qy = a[2 * i + 1]
        sides(b, nb, qx, qy, there)
        n0, d0, n1, d1 = 0, 1, 1, 1                     # from n0 / d0 to n1 / d1 of the edge is inside
        for j in range(nb):
            s = here[j]
            t = there[j]
            if s >= 0 and t >= 0:
                if s == 0 and t == 0 and not (take_shared and same_way(b, nb, j, qx - px, qy - py)):
                    n1 = 0
                    break
            elif s <= 0 and t <= 0:
                n1 = 0
                break
            elif s < 0:                                 # enters at -s / (t - s)
                if -s * d0 > n0 * (t - s):
                    n0 = -s
                    d0 = t - s
            elif s * d1 < n1 * (s - t):                 # leaves at s / (s - t)
                n1 = s
                d1 = s - t
        if n0 * d1 < n1 * d0:
            total += (n1 * d0 - n0 * d1) / (d0 * d1) * ((px - ox) * (qy - oy) - (py - oy) * (qx - ox))
        px = qx
        py = qy
        swap = here
        here = there
        there = swap
    return total


cdef double shared_area_exact(const double* a, Py_ssize_t na, const double* b, Py_ssize_t nb,
                              double ox, double oy, double* scratch, Py_ssize_t half) noexcept nogil:
    if na == QUAD and nb == QUAD and ARE_ABREAST:
        return (quad_pieces(a, b, ox, oy, True) + quad_pieces(b, a, ox, oy, False)) / 2
    return (edge_pieces(a, na, b, nb, ox, oy, True, scratch, scratch + half)
            + edge_pieces(b, nb, a, na, ox, oy, False, scratch, scratch + half)) / 2


cdef double shared_area_clipped(const double* a, Py_ssize_t na, const double* b, Py_ssize_t nb,
                                double* ring, double* next_ring, Py_ssize_t half) noexcept nogil:
    """`a` cut by the half-plane of each edge of `b` in turn, seen from the first vertex of `b`.

    A cut of a convex ring adds one point at most. A ring that is convex but for rounding can gain more: OVERFULL if a
    ring has more than `half` numbers.
    """
    cdef Py_ssize_t i, j, n = na, kept
    cdef double ox = b[0], oy = b[1], rx, ry, fx, fy, px, py, qx, qy, s, t, share, doubled = 0
    cdef double* swap
    for i in range(na):
        ring[2 * i] = a[2 * i] - ox
        ring[2 * i + 1] = a[2 * i + 1] - oy
    for j in range(nb):
        rx = b[2 * j] - ox
        ry = b[2 * j + 1] - oy
        i = j + 1 if j + 1 < nb else 0
        fx = b[2 * i] - ox - rx
        fy = b[2 * i + 1] - oy - ry
        if n < 3:
            return 0
        kept = 0
        px = ring[2 * n - 2]
        py = ring[2 * n - 1]
        s = fx * (py - ry) - fy * (px - rx)
        for i in range(n):
            qx = ring[2 * i]
            qy = ring[2 * i + 1]
            t = fx * (qy - ry) - fy * (qx - rx)
            if 2 * kept + 4 > half:
                return OVERFULL
            if (s < 0 and t > 0) or (s > 0 and t < 0):
                share = s / (s - t)
                next_ring[2 * kept] = px + share * (qx - px)
                next_ring[2 * kept + 1] = py + share * (qy - py)
                kept += 1
            if t >= 0:
                next_ring[2 * kept] = qx
                next_ring[2 * kept + 1] = qy
                kept += 1
            px = qx
            py = qy
            s = t
        swap = ring
        ring = next_ring
        next_ring = swap
        n = kept
    for i in range(1, n - 1):
        doubled += ((ring[2 * i] - ring[0]) * (ring[2 * i + 3] - ring[1])
                    - (ring[2 * i + 1] - ring[1]) * (ring[2 * i + 2] - ring[0]))
    return doubled / 2 if doubled > 0 else 0


cdef inline double convex_shared(const double* a, Py_ssize_t na, const double* b, Py_ssize_t nb, bint exact,
                                 double ox, double oy, double* scratch, Py_ssize_t half) noexcept nogil:
    if exact:
        return shared_area_exact(a, na, b, nb, ox, oy, scratch, half)
    return shared_area_clipped(a, na, b, nb, scratch, scratch + half, half)


cdef inline double fan_triangle(const Polygon* p, Py_ssize_t i, double* out) noexcept nogil:
    """Triangle i of the fan at the first vertex, counter-clockwise; returns the sign it counts with."""
    cdef const double* xy = p.xy
    cdef double sign = ((xy[2 * i] - xy[0]) * (xy[2 * i + 3] - xy[1])
                        - (xy[2 * i + 1] - xy[1]) * (xy[2 * i + 2] - xy[0]))
    out[0] = xy[0]
    out[1] = xy[1]
    memcpy(out + (2 if sign > 0 else 4), xy + 2 * i, 2 * sizeof(double))
    memcpy(out + (4 if sign > 0 else 2), xy + 2 * i + 2, 2 * sizeof(double))
    return 1 if sign > 0 else (-1 if sign < 0 else 0)


cdef double shared_area(const Polygon* a, const Polygon* b, double* scratch, Py_ssize_t half) noexcept nogil:
    """Area of the intersection. `scratch` holds two rings of `half` numbers."""
    cdef double ox = floor((max(a.bounds[0], b.bounds[0]) + min(a.bounds[2], b.bounds[2])) / 2)
    cdef double oy = floor((max(a.bounds[1], b.bounds[1]) + min(a.bounds[3], b.bounds[3])) / 2)
    cdef bint exact = a.flags & b.flags & INTEGER
    cdef double shared = OVERFULL
    if a.flags & b.flags & CONVEX:
        shared = convex_shared(a.xy, a.n, b.xy, b.n, exact, ox, oy, scratch, half)
    elif a.flags & CONVEX:
        shared = fan_with_convex(b, a, exact, ox, oy, scratch, half)
    elif b.flags & CONVEX:
        shared = fan_with_convex(a, b, exact, ox, oy, scratch, half)
    return shared if shared != OVERFULL else fan_with_fan(a, b, exact, ox, oy, scratch, half)


cdef double fan_with_convex(const Polygon* fan, const Polygon* convex, bint exact, double ox, double oy,
                            double* scratch, Py_ssize_t half) noexcept nogil:
    """The triangles of one polygon against the other as a whole."""
    cdef double total = 0, sign, shared
    cdef double[6] t
    cdef Py_ssize_t j
    for j in range(1, fan.n - 1):
        sign = fan_triangle(fan, j, t)
        if sign == 0:
            continue
        shared = convex_shared(convex.xy, convex.n, t, 3, exact, ox, oy, scratch, half)
        if shared == OVERFULL:
            return OVERFULL
        total += sign * shared
    return total


cdef double fan_with_fan(const Polygon* a, const Polygon* b, bint exact, double ox, double oy, double* scratch,
                         Py_ssize_t half) noexcept nogil:
    """Triangles against triangles. Three cuts make at most 9 points of 3 (3 -> 4 -> 6 -> 9), whatever rounding does."""
    cdef double total = 0, sign
    cdef double[6] s
    cdef double[6] t
    cdef Py_ssize_t i, j
    for j in range(1, b.n - 1):
        sign = fan_triangle(b, j, t)
        if sign == 0:
            continue
        for i in range(1, a.n - 1):
            total += sign * fan_pair(a, i, t, exact, ox, oy, scratch, half, s)
    return total


cdef double fan_pair(const Polygon* a, Py_ssize_t i, const double* t, bint exact, double ox, double oy,
                     double* scratch, Py_ssize_t half, double* s) noexcept nogil:
    cdef double sign = fan_triangle(a, i, s)
    if sign == 0 or max(s[0], s[2], s[4]) <= min(t[0], t[2], t[4]) or max(t[0], t[2], t[4]) <= min(s[0], s[2], s[4]):
        return 0
    if max(s[1], s[3], s[5]) <= min(t[1], t[3], t[5]) or max(t[1], t[3], t[5]) <= min(s[1], s[3], s[5]):
        return 0
    return sign * convex_shared(s, 3, t, 3, exact, ox, oy, scratch, half)


# Many vertices


cdef struct RisingEdge:
    double low, high            # from where to where it goes upwards
    double x, slope             # where it begins
    int side                    # of which polygon it is
    int sign                    # 1 if it was written upwards
    int index


cdef int by_height(const void* a, const void* b) noexcept nogil:
    cdef const RisingEdge* s = <const RisingEdge*> a
    cdef const RisingEdge* t = <const RisingEdge*> b
    if s.low != t.low:
        return -1 if s.low < t.low else 1
    return (s.index > t.index) - (s.index < t.index)


cdef inline double lesser(double e0, double e1, double f0, double f1) noexcept nogil:
    """Twice the mean of the lesser of two linear functions, given by their values at both ends."""
    cdef double t, x
    if e0 <= f0 and e1 <= f1:
        return e0 + e1
    if e0 >= f0 and e1 >= f1:
        return f0 + f1
    t = (e0 - f0) / ((e0 - f0) - (e1 - f1))
    x = e0 + t * (e1 - e0)
    return t * (min(e0, f0) + x) + (1 - t) * (x + min(e1, f1))


cdef class EdgeSums:
    """Room for the edges of two polygons."""

    cdef Py_ssize_t capacity
    cdef RisingEdge* edges          # of both polygons
    cdef int* active            # those under the line that moves upwards, of the one and of the other
    cdef Py_ssize_t[2] under

    def __cinit__(self):
        self.capacity, self.edges, self.active = 0, NULL, NULL

    def __dealloc__(self):
        PyMem_Free(self.edges)
        PyMem_Free(self.active)

    cdef int make_room(self, Py_ssize_t count) except -1:
        if count > self.capacity:
            PyMem_Free(self.edges)
            PyMem_Free(self.active)
            self.capacity = 0
            self.edges = <RisingEdge*> PyMem_Malloc(count * sizeof(RisingEdge))
            self.active = <int*> PyMem_Malloc(2 * count * sizeof(int))
            if self.edges == NULL or self.active == NULL:
                raise MemoryError()
            self.capacity = count
        return 0

    cdef int shared(self, const double* a, Py_ssize_t na, const double* b, Py_ssize_t nb, double low, double high,
                    double middle, Work work, double* area) except -1:
        """The shared area between two heights; x counts from `middle`. 0 if that takes more than the work allowed."""
        cdef Py_ssize_t count, k
        cdef double total = 0, lost = 0, added, sum
        self.make_room(na + nb)
        count = self.put(a, na, 0, 0, low, high, middle)
        count = self.put(b, nb, 1, count, low, high, middle)
        qsort(self.edges, count, sizeof(RisingEdge), by_height)
        self.under[0] = self.under[1] = 0
        if not work.add(count * EDGE_STEPS):
            return 0
        for k in range(count):
            if not work.add(self.under[1 - self.edges[k].side] * JOIN_STEPS):
                return 0
            added = self.enter(k)
            sum = total + added                             # what rounding takes away is kept (Neumaier)
            lost += (total - sum) + added if abs(total) >= abs(added) else (added - sum) + total
            total = sum
        area[0] = (total + lost) / 2
        return 1

    cdef Py_ssize_t put(self, const double* xy, Py_ssize_t n, int side, Py_ssize_t count, double low, double high,
                        double middle) noexcept nogil:
        """The edges of a polygon that are somewhere between two heights."""
        cdef Py_ssize_t k, i = n - 1, start, end
        cdef RisingEdge* edge
        for k in range(n):
            start, end = (i, k) if xy[2 * i + 1] < xy[2 * k + 1] else (k, i)
            if xy[2 * start + 1] < high and xy[2 * end + 1] > low and xy[2 * start + 1] < xy[2 * end + 1]:
                edge = self.edges + count
                edge.low, edge.high = xy[2 * start + 1], xy[2 * end + 1]
                edge.x = xy[2 * start] - middle
                edge.slope = (xy[2 * end] - xy[2 * start]) / (edge.high - edge.low)
                edge.side, edge.sign, edge.index = side, 1 if start == i else -1, <int> count
                count += 1
            i = k
        return count

    cdef double enter(self, Py_ssize_t at) noexcept nogil:
        """The sum over an edge and those of the other polygon under the line; those that have ended are dropped."""
        cdef RisingEdge* edges = self.edges
        cdef RisingEdge* e = &edges[at]
        cdef RisingEdge* f
        cdef int* active = self.active + (1 - e.side) * self.capacity
        cdef Py_ssize_t k, kept = 0
        cdef double total = 0, top, e0 = e.x, f0
        for k in range(self.under[1 - e.side]):
            f = &edges[active[k]]
            if f.high <= e.low:
                continue
            active[kept] = active[k]
            kept += 1
            top = min(e.high, f.high)
            f0 = f.x + (e.low - f.low) * f.slope
            total += f.sign * (top - e.low) * lesser(e0, e0 + (top - e.low) * e.slope,
                                                     f0, f0 + (top - e.low) * f.slope)
        self.under[1 - e.side] = kept
        self.active[e.side * self.capacity + self.under[e.side]] = <int> at
        self.under[e.side] += 1
        return e.sign * total
