"""Pairs of lines that share cells, in one record each: how many both tubes have of those that either has."""

cimport cython

from ..scan.column cimport Column
from ..scan.entry cimport check_length, check_offsets


cdef long long shared_cells(Tubes a, const Tube* s, Tubes b, const Tube* t) noexcept nogil:
    """Cells in both tubes."""
    cdef int first = max(s.first_row, t.first_row), i, j
    cdef int rows = min(s.first_row + s.rows, t.first_row + t.rows) - first
    cdef const short* s_layer
    cdef const short* t_layer
    cdef long long total = 0
    if rows <= 0:
        return 0
    for i in range(s.layers):
        s_layer = (<const short*> a.layers.data) + s.at + 2 * i * s.rows + first - s.first_row
        for j in range(t.layers):
            t_layer = (<const short*> b.layers.data) + t.at + 2 * j * t.rows + first - t.first_row
            total += shared_in_layers(s_layer, s_layer + s.rows, t_layer, t_layer + t.rows, rows)
    return total


cdef inline bint may_meet(Tubes a, Py_ssize_t i, Tubes b, Py_ssize_t j) noexcept:
    cdef const double* s = &a.bounds[4 * i]
    cdef const double* t = &b.bounds[4 * j]
    cdef double reach = 2 * a.radius
    return (s[0] - reach <= t[2]) & (t[0] - reach <= s[2]) & (s[1] - reach <= t[3]) & (t[1] - reach <= s[3])


cdef bint may_compare_tubes(Tubes a, Py_ssize_t i, Tubes b, Py_ssize_t j, Work work) except -1:
    """Build both tubes; False if that, their cells, or later their coverage takes more work than is allowed."""
    cdef const Tube* s = &a.tubes[i]
    cdef const Tube* t = &b.tubes[j]
    if not a.ensure(i, work) or not b.ensure(j, work):
        return False
    return work.add(<long long> s.layers * t.layers * min(s.rows, t.rows) // 8 + 2 * a.segments(i) * b.segments(j)
                    + <long long> (s.length + t.length))


cdef long long tube_overlap(Tubes a, Py_ssize_t i, Tubes b, Py_ssize_t j) noexcept:
    """Mask IoU in units of 1e-12, of tubes that are built."""
    cdef const Tube* s = &a.tubes[i]
    cdef const Tube* t = &b.tubes[j]
    cdef long long shared
    if s.area == 0 or t.area == 0:
        return 0
    shared = shared_cells(a, s, b, t)
    return <long long> (<double> shared / <double> (s.area + t.area - shared) * 1e12 + 0.5)


@cython.final
cdef class TubeComparison:
    """Lines of two sides, and the pairs of them that share cells."""

    cdef Tubes a, b
    cdef Work work
    cdef Column truth, pred, score

    def __cinit__(self, truth, pred, stroke_width, max_work):
        self.a, self.b, self.work = Tubes(truth, stroke_width), Tubes(pred, stroke_width), Work(max_work)
        self.truth, self.pred, self.score = Column("i"), Column("i"), Column("q")

    cdef bint compare(self, Py_ssize_t begin, Py_ssize_t end, Candidates near) except -1:
        """Add the pairs of truths `begin` to `end`; False if that takes more work than is allowed."""
        cdef Py_ssize_t i, k
        cdef int j
        cdef long long found
        for i in range(begin, end):
            if not self.a.has(i):
                continue
            if not near.find(&self.a.bounds[4 * i], 2 * self.a.radius, self.work):
                return False
            for k in range(near.count):
                j = near.found[k]
                if not self.b.has(j) or not may_meet(self.a, i, self.b, j):
                    continue
                if not may_compare_tubes(self.a, i, self.b, j, self.work):
                    return False
                found = tube_overlap(self.a, i, self.b, j)
                if found > 0:
                    self.truth.push_int32(<int> i)
                    self.pred.push_int32(j)
                    self.score.push_int64(found)
                    if not self.work.add(PAIR_STEPS):
                        return False
        return True


def tube_pairs(truth, pred, int stroke_width, max_work=MAX_WORK):
    """Columns (truth index, pred index, overlap) of every pair of lines of one record that share cells.

    WorkLimitError if records take more work than `max_work` allows.
    """
    cdef TubeComparison both = TubeComparison(truth, pred, stroke_width, max_work)
    cdef Tubes a = both.a, b = both.b
    cdef const long long[::1] a_offsets = truth.offsets, b_offsets = pred.offsets
    cdef Candidates near = Candidates()
    cdef Py_ssize_t record
    check_offsets(a_offsets, a.kind.shape[0], "truth.offsets")
    check_offsets(b_offsets, b.kind.shape[0], "pred.offsets")
    check_length(b_offsets.shape[0], a_offsets.shape[0], "pred.offsets")
    for record in range(a_offsets.shape[0] - 1):
        a.layers.size = b.layers.size = 0       # tubes of another record are not needed again
        near.begin(&b.bounds[0] if b.kind.shape[0] else NULL, b_offsets[record], b_offsets[record + 1])
        near.keep(&b.kind[0] if b.kind.shape[0] else NULL, KIND_LINE)
        both.work.begin(a.starts[a_offsets[record + 1]] - a.starts[a_offsets[record]]
                        + b.starts[b_offsets[record + 1]] - b.starts[b_offsets[record]])
        if not both.compare(a_offsets[record], a_offsets[record + 1], near):
            both.work.refuse(record)
    both.work.finish()
    return both.truth, both.pred, both.score


def tube_paired(truth, pred, int stroke_width, max_work=MAX_WORK):
    """Overlap of truth[i] with pred[i], as a column; WorkLimitError if pairs take more work than `max_work` allows."""
    cdef Tubes a = Tubes(truth, stroke_width), b = Tubes(pred, stroke_width)
    cdef Work work = Work(max_work)
    cdef Column score = Column("q", a.kind.shape[0])
    cdef Py_ssize_t i
    check_length(b.kind.shape[0], a.kind.shape[0], "pred")
    for i in range(score.size):
        if not a.has(i) or not b.has(i):
            continue
        a.layers.size = b.layers.size = 0
        work.begin(a.starts[i + 1] - a.starts[i] + b.starts[i + 1] - b.starts[i])
        if may_compare_tubes(a, i, b, i, work):
            (<long long*> score.data)[i] = tube_overlap(a, i, b, i)
        else:
            work.refuse(i)
    work.finish()
    return score
