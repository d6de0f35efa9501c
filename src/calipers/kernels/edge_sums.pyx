"""The area that two polygons of many vertices share, as a sum over pairs of edges at one height.

The winding number of a polygon at (x, y) is the sum over its edges to the right of the signs of their direction, so

    area = sum over edges e of one and f of the other of sign(e) * sign(f) * integral over y of min(x_e(y), x_f(y))

where y runs over the heights that both edges have. Of simple polygons this is the area of the intersection. A line
moves upwards and meets the edges in order; an edge is compared with those of the other polygon under the line, which
of most outlines are few. Nothing depends on whether edges touch or run along each other.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdlib cimport qsort

from .work cimport Work

cdef enum:
    JOIN_STEPS = 3              # to compare two edges
    EDGE_STEPS = 50             # to sort an edge


cdef struct Edge:
    double low, high            # from where to where it goes upwards
    double x, slope             # where it begins
    int side                    # of which polygon it is
    int sign                    # 1 if it was written upwards
    int index


cdef int by_height(const void* a, const void* b) noexcept nogil:
    cdef const Edge* s = <const Edge*> a
    cdef const Edge* t = <const Edge*> b
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
            self.edges = PyMem_Malloc(count * sizeof(Edge))
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
        qsort(self.edges, count, sizeof(Edge), by_height)
        self.under[0] = self.under[1] = 0
        if not work.add(count * EDGE_STEPS):
            return 0
        for k in range(count):
            if not work.add(self.under[1 - (<Edge*> self.edges)[k].side] * JOIN_STEPS):
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
        cdef Edge* edge
        for k in range(n):
            start, end = (i, k) if xy[2 * i + 1] < xy[2 * k + 1] else (k, i)
            if xy[2 * start + 1] < high and xy[2 * end + 1] > low and xy[2 * start + 1] < xy[2 * end + 1]:
                edge = (<Edge*> self.edges) + count
                edge.low, edge.high = xy[2 * start + 1], xy[2 * end + 1]
                edge.x = xy[2 * start] - middle
                edge.slope = (xy[2 * end] - xy[2 * start]) / (edge.high - edge.low)
                edge.side, edge.sign, edge.index = side, 1 if start == i else -1, <int> count
                count += 1
            i = k
        return count

    cdef double enter(self, Py_ssize_t at) noexcept nogil:
        """The sum over an edge and those of the other polygon under the line; those that have ended are dropped."""
        cdef Edge* edges = <Edge*> self.edges
        cdef Edge* e = &edges[at]
        cdef Edge* f
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
