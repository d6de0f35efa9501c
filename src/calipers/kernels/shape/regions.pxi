"""Filled-area overlap of regions, exact, in pairs of one record.

The area that two polygons share is left to `areas`. Overlaps are integers in units of 1e-12:
equal overlaps tie, and one that is exactly 0.55 meets 0.55. Each record has a limit of work (see `work`).
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memcmp

from ..scan.column cimport Column
from ..scan.entry cimport check_length, check_offsets

cdef enum:
    MANY = 1024                 # pairs of edges, from which on edges are sorted first
    CONVEX_STEPS = 4            # to compare two edges of convex polygons
    FAN_STEPS = 16              # to compare two triangles
    REFUSED = -2

cdef double TOO_MUCH = -2.0


cdef bint written_before(const Polygon* a, const Polygon* b) noexcept nogil:
    """An order of shapes that has nothing to do with sides, so that overlap(a, b) is overlap(b, a) to the bit."""
    cdef Py_ssize_t i
    if a.n != b.n:
        return a.n < b.n
    for i in range(2 * a.n):
        if a.xy[i] != b.xy[i]:
            return a.xy[i] < b.xy[i]
    return True


cdef inline bint same_ring(const Polygon* a, const Polygon* b) noexcept nogil:
    return a.n == b.n and memcmp(a.xy, b.xy, 2 * a.n * sizeof(double)) == 0


cdef inline bint may_reach(const Polygon* a, const Polygon* b, double min_overlap) noexcept nogil:
    """Whether the overlap is not surely 0 or below `min_overlap`."""
    cdef double w = min(a.bounds[2], b.bounds[2]) - max(a.bounds[0], b.bounds[0])
    cdef double h = min(a.bounds[3], b.bounds[3]) - max(a.bounds[1], b.bounds[1])
    cdef double shared
    if w <= 0 or h <= 0:
        return False
    shared = min(w * h, min(a.area, b.area))
    return shared >= min_overlap * (a.area + b.area - shared)


cdef inline double shared_boxes(const Polygon* a, const Polygon* b) noexcept nogil:
    cdef double w = min(a.bounds[2], b.bounds[2]) - max(a.bounds[0], b.bounds[0])
    cdef double h = min(a.bounds[3], b.bounds[3]) - max(a.bounds[1], b.bounds[1])
    return min(w * h, min(a.area, b.area))


cdef inline bint bounds_apart(const double* s, const double* t) noexcept nogil:
    return (s[0] >= t[2]) | (t[0] >= s[2]) | (s[1] >= t[3]) | (t[1] >= s[3])        # one branch, not four


cdef class Regions:
    """The regions of one side, ready to be compared."""

    cdef const long long[::1] starts
    cdef const double[::1] points, area, bounds
    cdef const unsigned char[::1] flags, kind, reason
    cdef Py_ssize_t longest

    def __cinit__(self, objects):
        cdef Py_ssize_t i
        self.starts, self.points, self.area, self.bounds = objects.starts, objects.points, objects.area, objects.bounds
        self.flags, self.kind, self.reason = objects.flags, objects.kind, objects.reason
        self.check()
        self.longest = 4
        for i in range(self.kind.shape[0]):
            self.longest = max(self.longest, (self.starts[i + 1] - self.starts[i]) // 2)

    cdef int check(self) except -1:
        """Columns of one length, and at least a triangle wherever `has` promises a region."""
        cdef Py_ssize_t i, count = self.kind.shape[0]
        check_length(self.reason.shape[0], count, "reason")
        check_length(self.flags.shape[0], count, "flags")
        check_length(self.area.shape[0], count, "area")
        check_length(self.bounds.shape[0], 4 * count, "bounds")
        check_length(self.starts.shape[0], count + 1, "starts")
        check_offsets(self.starts, self.points.shape[0], "starts")
        for i in range(count):
            if self.has(i) and self.starts[i + 1] - self.starts[i] < 6:
                raise ValueError(f"points: region {i} has {self.starts[i + 1] - self.starts[i]} numbers, expected 6")
        return 0

    cdef inline long long numbers(self, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
        """How many numbers the shapes of a record have."""
        return self.starts[end] - self.starts[begin]

    cdef inline bint has(self, Py_ssize_t i) noexcept nogil:
        return self.kind[i] < KIND_LINE and not self.reason[i] and not self.flags[i] & DEGENERATE

    cdef inline void get(self, Py_ssize_t i, Polygon* out) noexcept nogil:
        out.xy = &self.points[self.starts[i]]
        out.n = (self.starts[i + 1] - self.starts[i]) // 2
        out.bounds = &self.bounds[4 * i]
        out.area = self.area[i]
        out.flags = self.flags[i]


cdef class RegionComparison:
    """Regions of two sides, with room for what comparing them needs and a count of the work."""

    cdef Regions a, b
    cdef Py_ssize_t half
    cdef double* scratch
    cdef EdgeSums sums
    cdef Work work

    def __cinit__(self, truth, pred, max_work):
        self.a, self.b, self.sums, self.work = Regions(truth), Regions(pred), EdgeSums(), Work(max_work)
        self.half = 2 * (min(self.a.longest, MANY) + min(self.b.longest, MANY) + 4)
        self.scratch = <double*> PyMem_Malloc(2 * self.half * sizeof(double))
        if self.scratch == NULL:
            raise MemoryError()

    def __dealloc__(self):
        PyMem_Free(self.scratch)

    cdef long long overlap(self, const Polygon* a, const Polygon* b) except? -1:
        """IoU in units of 1e-12, or REFUSED if it takes more work than is allowed."""
        cdef double shared
        if a.flags & b.flags & IS_BOX:
            shared = shared_boxes(a, b)
        else:
            shared = self.shared_area(a, b) if written_before(a, b) else self.shared_area(b, a)
            if shared == TOO_MUCH:
                return REFUSED
            shared = max(0.0, min(shared, min(a.area, b.area)))
        return <long long> (shared / (a.area + b.area - shared) * 1e12 + 0.5)

    cdef double shared_area(self, const Polygon* a, const Polygon* b) except? -3:
        cdef double middle = (max(a.bounds[0], b.bounds[0]) + min(a.bounds[2], b.bounds[2])) / 2, shared = 0
        cdef double low = max(a.bounds[1], b.bounds[1]), high = min(a.bounds[3], b.bounds[3])
        if a.n * b.n <= MANY:
            if not self.work.add(a.n * b.n * (CONVEX_STEPS if a.flags & b.flags & CONVEX else FAN_STEPS)):
                return TOO_MUCH
            return shared_area(a, b, self.scratch, self.half)
        if same_ring(a, b):
            return a.area
        if not self.sums.shared(a.xy, a.n, b.xy, b.n, low, high, middle, self.work, &shared):
            return TOO_MUCH
        return shared


    cdef bint compare(self, Py_ssize_t begin, Py_ssize_t end, Candidates near, double min_overlap, RegionPairs out) except -1:
        """Add the pairs of truths `begin` to `end`; False if that takes more work than is allowed."""
        cdef Py_ssize_t i, k
        cdef Polygon p, q
        cdef long long found
        for i in range(begin, end):
            if not self.a.has(i):
                continue
            self.a.get(i, &p)
            if not near.find(p.bounds, 0.0, self.work):
                return False
            for k in range(near.count):
                if bounds_apart(p.bounds, &self.b.bounds[4 * near.found[k]]) or not self.b.has(near.found[k]):
                    continue
                self.b.get(near.found[k], &q)
                found = self.overlap(&p, &q) if may_reach(&p, &q, min_overlap) else 0
                if found == REFUSED or (found > 0 and not self.work.add(PAIR_STEPS)):
                    return False
                if found > 0:
                    out.add(i, near.found[k], found)
        return True


cdef class RegionPairs:
    """Columns of pairs as they are found."""

    cdef Column truth, pred, score

    def __cinit__(self):
        self.truth, self.pred, self.score = Column("i"), Column("i"), Column("q")

    cdef int add(self, Py_ssize_t i, Py_ssize_t j, long long score) except -1:
        self.truth.push_int32(<int> i)
        self.pred.push_int32(<int> j)
        self.score.push_int64(score)
        return 0


def region_pairs(truth, pred, double min_overlap, max_work=MAX_WORK):
    """Columns (truth index, pred index, overlap) of every pair of one record that shares area.

    Pairs whose overlap is surely below `min_overlap` may be left out; order is by record, truth, pred. WorkLimitError
    if records take more work than `max_work` allows.
    """
    cdef RegionComparison both = RegionComparison(truth, pred, max_work)
    cdef const long long[::1] a_offsets = truth.offsets, b_offsets = pred.offsets
    cdef Candidates near = Candidates()
    cdef RegionPairs pairs = RegionPairs()
    cdef Py_ssize_t record
    check_offsets(a_offsets, both.a.kind.shape[0], "truth.offsets")
    check_offsets(b_offsets, both.b.kind.shape[0], "pred.offsets")
    check_length(b_offsets.shape[0], a_offsets.shape[0], "pred.offsets")
    min_overlap = max(0.0, min_overlap - 1e-9)
    for record in range(a_offsets.shape[0] - 1):
        near.begin(&both.b.bounds[0] if both.b.kind.shape[0] else NULL, b_offsets[record], b_offsets[record + 1])
        both.work.begin(both.a.numbers(a_offsets[record], a_offsets[record + 1])
                        + both.b.numbers(b_offsets[record], b_offsets[record + 1]))
        if not both.compare(a_offsets[record], a_offsets[record + 1], near, min_overlap, pairs):
            both.work.refuse(record)
    both.work.finish()
    return pairs.truth, pairs.pred, pairs.score


def region_paired(truth, pred, max_work=MAX_WORK):
    """Overlap of truth[i] with pred[i], as a column; WorkLimitError if pairs take more work than `max_work` allows."""
    cdef RegionComparison both = RegionComparison(truth, pred, max_work)
    cdef Py_ssize_t i, count = both.a.kind.shape[0]
    cdef Column score = Column("q", count)
    cdef Polygon p, q
    cdef long long found
    check_length(both.b.kind.shape[0], count, "pred")
    for i in range(count):
        if not both.a.has(i) or not both.b.has(i):
            continue
        both.a.get(i, &p)
        both.b.get(i, &q)
        both.work.begin(2 * (p.n + q.n))
        found = both.overlap(&p, &q) if may_reach(&p, &q, 0.0) else 0
        if found == REFUSED:
            both.work.refuse(i)
        (<long long*> score.data)[i] = found
    both.work.finish()
    return score
