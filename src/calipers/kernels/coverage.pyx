"""How much of one line runs along another: the share of samples within a tolerance.

Samples lie on the polyline at 0, 1, 2, … units of length from its first point, and at its end. Within a tolerance of
one segment lies a convex set, so of each segment a single stretch is covered; samples on it are ticked off together.
The rim belongs to it, with 1e-9 to spare for rounding.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport ceil, floor, sqrt
from libc.string cimport memset

from .column cimport Column

cdef double SLACK = 1e-9
cdef enum:
    KIND_LINE = 2


cdef inline void narrow(double c0, double c1, double low, double high, double* t0, double* t1) noexcept nogil:
    """Keep of [t0, t1] where low <= c0 + t * c1 <= high."""
    cdef double s, t
    if c1 == 0:
        if c0 < low or c0 > high:
            t1[0] = t0[0] - 1
        return
    s = (low - c0) / c1
    t = (high - c0) / c1
    t0[0] = max(t0[0], min(s, t))
    t1[0] = min(t1[0], max(s, t))


cdef inline void join(double s0, double s1, double* t0, double* t1) noexcept nogil:
    if s0 <= s1:
        t0[0] = min(t0[0], s0)
        t1[0] = max(t1[0], s1)


cdef inline void join_disc(double px, double py, double ux, double uy, double length, double radius,
                           double* t0, double* t1) noexcept nogil:
    """The part of a unit-speed walk from (px, py) within `radius` of the origin."""
    cdef double along = -(px * ux + py * uy), off = px * uy - py * ux, half
    half = radius * radius - (off * off if length > 0 else px * px + py * py)       # no length, no direction
    if half >= 0:
        half = sqrt(half)
        join(max(0.0, along - half), min(length, along + half), t0, t1)


cdef bint covered_part(const double* p, double ux, double uy, double length, const double* q, double radius,
                       double* t0, double* t1) noexcept nogil:
    """From where to where a unit-speed walk of `length` from p runs within `radius` of the segment at q."""
    cdef double vx = q[2] - q[0], vy = q[3] - q[1], size = sqrt(vx * vx + vy * vy)
    cdef double px = p[0] - q[0], py = p[1] - q[1], s0 = 0, s1 = length
    t0[0] = length + 1
    t1[0] = -1
    join_disc(px, py, ux, uy, length, radius, t0, t1)
    if size > 0:
        join_disc(px - vx, py - vy, ux, uy, length, radius, t0, t1)
        vx /= size
        vy /= size
        narrow(px * vx + py * vy, ux * vx + uy * vy, 0, size, &s0, &s1)
        narrow(px * vy - py * vx, ux * vy - uy * vx, -radius, radius, &s0, &s1)
        join(s0, s1, t0, t1)
    return t0[0] <= t1[0]


cdef double polyline_length(const double* xy, Py_ssize_t n) noexcept nogil:
    cdef double total = 0
    cdef Py_ssize_t i
    for i in range(n - 1):
        total += sqrt((xy[2 * i + 2] - xy[2 * i]) ** 2 + (xy[2 * i + 3] - xy[2 * i + 1]) ** 2)
    return total


cdef inline bint apart(const double* p, const double* q, double reach) noexcept nogil:
    """Whether the bounds of two segments are further from each other than `reach`."""
    return (min(p[0], p[2]) - reach > max(q[0], q[2]) or min(q[0], q[2]) - reach > max(p[0], p[2])
            or min(p[1], p[3]) - reach > max(q[1], q[3]) or min(q[1], q[3]) - reach > max(p[1], p[3]))


cdef int tick_off(const double* xy, Py_ssize_t n, const double* other, Py_ssize_t m, double radius,
                  unsigned char* hit, Py_ssize_t count, double total) noexcept nogil:
    """Mark every sample of the first line within `radius` of the second; the last sample is the end."""
    cdef double passed = 0, length, ux, uy, t0, t1
    cdef Py_ssize_t i, j, first, last
    for i in range(n - 1):
        ux = xy[2 * i + 2] - xy[2 * i]
        uy = xy[2 * i + 3] - xy[2 * i + 1]
        length = sqrt(ux * ux + uy * uy)
        if length > 0:
            ux /= length
            uy /= length
        for j in range(m - 1):
            if apart(xy + 2 * i, other + 2 * j, radius):
                continue
            if not covered_part(xy + 2 * i, ux, uy, length, other + 2 * j, radius, &t0, &t1):
                continue
            first = <Py_ssize_t> ceil(passed + t0 - SLACK)
            last = min(<Py_ssize_t> floor(passed + t1 + SLACK), count - 2)
            if first <= last:
                memset(hit + max(first, 0), 1, last - max(first, 0) + 1)
            if passed + t1 >= total - SLACK:
                hit[count - 1] = 1
        passed += length
    return 0


cdef double covered_share(const double* xy, Py_ssize_t n, const double* other, Py_ssize_t m, double radius) except -1:
    cdef double total = polyline_length(xy, n)
    cdef Py_ssize_t count = <Py_ssize_t> ceil(total - SLACK) + 1, i, ticked = 0   # 0, 1, …, and the end
    cdef unsigned char* hit = <unsigned char*> PyMem_Malloc(count)
    if hit == NULL:
        raise MemoryError()
    memset(hit, 0, count)
    tick_off(xy, n, other, m, radius + SLACK, hit, count, total)
    for i in range(count):
        ticked += hit[i]
    PyMem_Free(hit)
    return <double> ticked / <double> count


def coverage(truth, pred, Py_ssize_t i, Py_ssize_t j, double tolerance):
    """(recall, precision, f1) of truth line i and pred line j."""
    cdef const long long[::1] a_starts = truth.starts, b_starts = pred.starts
    cdef const double[::1] a = truth.points, b = pred.points
    cdef double recall, precision, f1 = 0
    cdef Py_ssize_t n = (a_starts[i + 1] - a_starts[i]) // 2, m = (b_starts[j + 1] - b_starts[j]) // 2
    recall = covered_share(&a[a_starts[i]], n, &b[b_starts[j]], m, tolerance)
    precision = covered_share(&b[b_starts[j]], m, &a[a_starts[i]], n, tolerance)
    if recall + precision > 0:
        f1 = 2 * recall * precision / (recall + precision)
    return recall, precision, f1


def coverage_pairs(truth, pred, double tolerance):
    """Columns (truth index, pred index, recall, precision, f1) of every pair of lines of one record within reach."""
    cdef const long long[::1] a_offsets = truth.offsets, b_offsets = pred.offsets
    cdef const long long[::1] a_starts = truth.starts, b_starts = pred.starts
    cdef const double[::1] a = truth.points, b = pred.points, s = truth.bounds, t = pred.bounds
    cdef const unsigned char[::1] a_kind = truth.kind, b_kind = pred.kind, a_reason = truth.reason, b_reason = pred.reason
    cdef Column a_index = Column("i"), b_index = Column("i")
    cdef Column recalls = Column("d"), precisions = Column("d"), f1s = Column("d")
    cdef Py_ssize_t record, i, j
    cdef double reach = tolerance + SLACK, recall, precision
    for record in range(a_offsets.shape[0] - 1):
        for i in range(a_offsets[record], a_offsets[record + 1]):
            if a_kind[i] != KIND_LINE or a_reason[i]:
                continue
            for j in range(b_offsets[record], b_offsets[record + 1]):
                if b_kind[j] != KIND_LINE or b_reason[j]:
                    continue
                if s[4 * i] - reach > t[4 * j + 2] or t[4 * j] - reach > s[4 * i + 2]:
                    continue
                if s[4 * i + 1] - reach > t[4 * j + 3] or t[4 * j + 1] - reach > s[4 * i + 3]:
                    continue
                recall = covered_share(&a[a_starts[i]], (a_starts[i + 1] - a_starts[i]) // 2,
                                       &b[b_starts[j]], (b_starts[j + 1] - b_starts[j]) // 2, tolerance)
                precision = covered_share(&b[b_starts[j]], (b_starts[j + 1] - b_starts[j]) // 2,
                                          &a[a_starts[i]], (a_starts[i + 1] - a_starts[i]) // 2, tolerance)
                a_index.push_int32(i)
                b_index.push_int32(j)
                recalls.push_double(recall)
                precisions.push_double(precision)
                f1s.push_double(2 * recall * precision / (recall + precision) if recall + precision > 0 else 0)
    return a_index, b_index, recalls, precisions, f1s
