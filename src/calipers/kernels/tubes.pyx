"""Lines with a thickness: the cells of the norm1000 grid whose centres lie at most half a stroke from the polyline.

The grid has 1000 by 1000 cells with centres at half-integers. Around one segment the tube is convex, so in one row of
cells it is an interval; a line's tube is a list of intervals (spans) row by row, built once per line. Interval ends
are found by formula and, where rounding could matter, settled by comparing squared distances, which are exact for
integer coordinates. Distance knows no direction, so neither does the tube.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport fabs, sqrt

from .column cimport Column

cdef enum:
    CELLS = 1000
    KIND_LINE = 2

cdef double NEAR = 1e-7


cdef struct Segment:
    double ax, ay, dx, dy, length2
    double slope, half, foot_slope, foot_span
    int first_row, last_row


cdef struct Span:
    int begin, end


cdef inline int floor_int(double x) noexcept nogil:
    return <int> (x + 8192.0) - 8192            # x is above -8192


cdef inline int ceil_int(double x) noexcept nogil:
    return 8192 - <int> (8192.0 - x)


cdef inline bint in_tube(const Segment* s, double x, double y, double radius2) noexcept nogil:
    """Squared distance of the point to the segment at most radius2, without a division or a root."""
    cdef double px = x - s.ax, py = y - s.ay, along = px * s.dx + py * s.dy, cross
    if along <= 0 or s.length2 == 0:
        return px * px + py * py <= radius2
    if along >= s.length2:
        px -= s.dx
        py -= s.dy
        return px * px + py * py <= radius2
    cross = px * s.dy - py * s.dx
    return cross * cross <= radius2 * s.length2


cdef void make_segment(Segment* s, const double* a, double radius) noexcept nogil:
    s.ax = a[0]
    s.ay = a[1]
    s.dx = a[2] - a[0]
    s.dy = a[3] - a[1]
    s.length2 = s.dx * s.dx + s.dy * s.dy
    if s.dy != 0:
        s.slope = s.dx / s.dy
        s.half = radius * sqrt(s.length2) / fabs(s.dy)
    if s.dx != 0:
        s.foot_slope = s.dy / s.dx
        s.foot_span = s.length2 / s.dx
    s.first_row = max(0, ceil_int(max(-1.0, min(s.ay, s.ay + s.dy) - radius - 0.5 - NEAR)))
    s.last_row = min(CELLS - 1, floor_int(min(1001.0, max(s.ay, s.ay + s.dy) + radius - 0.5 + NEAR)))


cdef inline void widen_by_disc(double x, double y, double row, double radius2, double* left, double* right) noexcept nogil:
    cdef double h2 = radius2 - (row - y) * (row - y), h
    if h2 >= 0:
        h = sqrt(h2)
        left[0] = min(left[0], x - h)
        right[0] = max(right[0], x + h)


cdef inline void widen_by_slab(const Segment* s, double row, double radius, double* left, double* right) noexcept nogil:
    """The rectangle along the segment: between its two long sides, and between the feet of its two ends."""
    cdef double v = row - s.ay, low = -1e9, high = 1e9, foot
    if s.dy != 0:
        low = s.ax + v * s.slope - s.half
        high = s.ax + v * s.slope + s.half
    elif fabs(v) > radius:
        return
    if s.dx != 0:
        foot = s.ax - v * s.foot_slope
        low = max(low, min(foot, foot + s.foot_span))
        high = min(high, max(foot, foot + s.foot_span))
    elif v * s.dy < 0 or v * s.dy > s.length2:
        return
    if low <= high:
        left[0] = min(left[0], low)
        right[0] = max(right[0], high)


cdef inline bint find_span(const Segment* s, double row, double radius, Span* span) noexcept nogil:
    """Cells of one row, centre at height `row`, that belong to one segment's tube."""
    cdef double left = 1e9, right = -1e9, radius2 = radius * radius, edge
    widen_by_disc(s.ax, s.ay, row, radius2, &left, &right)
    if s.length2 != 0:
        widen_by_disc(s.ax + s.dx, s.ay + s.dy, row, radius2, &left, &right)
        widen_by_slab(s, row, radius, &left, &right)
    if left > right:
        return False
    edge = max(-1.0, min(1001.0, left)) - 0.5
    span.begin = ceil_int(edge - NEAR)
    if span.begin - edge < NEAR and not in_tube(s, span.begin + 0.5, row, radius2):
        span.begin += 1
    edge = max(-1.0, min(1001.0, right)) - 0.5
    span.end = floor_int(edge + NEAR) + 1
    if span.end - 1 - edge > -NEAR and not in_tube(s, span.end - 0.5, row, radius2):
        span.end -= 1
    span.begin = max(span.begin, 0)
    span.end = min(span.end, CELLS)
    return span.begin < span.end


cdef Py_ssize_t find_row(const Segment* segments, Py_ssize_t count, int row, double radius, Span* spans) noexcept nogil:
    """The spans of all segments in one row, in order and merged. Returns how many."""
    cdef Py_ssize_t i, j, n = 0, kept = 0
    cdef Span span
    for i in range(count):
        if row < segments[i].first_row or row > segments[i].last_row:
            continue
        if not find_span(&segments[i], row + 0.5, radius, &span):
            continue
        j = n
        while j > 0 and spans[j - 1].begin > span.begin:
            spans[j] = spans[j - 1]
            j -= 1
        spans[j] = span
        n += 1
    for i in range(n):
        if kept and spans[i].begin <= spans[kept - 1].end:
            spans[kept - 1].end = max(spans[kept - 1].end, spans[i].end)
        else:
            spans[kept] = spans[i]
            kept += 1
    return kept


cdef struct Tube:
    Py_ssize_t rows         # where its rows start
    int first_row, row_count
    long long area
    bint built


cdef class Tubes:
    """The tubes of one side's lines, each built when first asked for."""

    cdef const long long[::1] starts
    cdef const double[::1] points, bounds
    cdef const unsigned char[::1] kind, reason
    cdef double radius
    cdef Tube* tubes
    cdef Segment* segments
    cdef Span* found
    cdef Column rows            # where each row's spans start, and behind the last one its end
    cdef Column spans           # begin, end, begin, end, …

    def __cinit__(self, objects, int stroke_width):
        cdef Py_ssize_t i, count, longest = 2
        self.starts, self.points, self.bounds = objects.starts, objects.points, objects.bounds
        self.kind, self.reason = objects.kind, objects.reason
        self.radius = min(stroke_width, 4 * CELLS) / 2.0
        self.rows, self.spans = Column("i"), Column("h")
        count = self.kind.shape[0]
        for i in range(count):
            if self.kind[i] == KIND_LINE:
                longest = max(longest, self.starts[i + 1] - self.starts[i])
        self.tubes = <Tube*> PyMem_Malloc((count + 1) * sizeof(Tube))
        self.segments = <Segment*> PyMem_Malloc(longest * sizeof(Segment))
        self.found = <Span*> PyMem_Malloc(longest * sizeof(Span))
        if self.tubes == NULL or self.segments == NULL or self.found == NULL:
            raise MemoryError()
        for i in range(count):
            self.tubes[i].built = False

    def __dealloc__(self):
        PyMem_Free(self.tubes)
        PyMem_Free(self.segments)
        PyMem_Free(self.found)

    cdef inline bint has(self, Py_ssize_t i) noexcept:
        return self.kind[i] == KIND_LINE and not self.reason[i]

    cdef Tube* get(self, Py_ssize_t i) except NULL:
        if not self.tubes[i].built:
            self.build(&self.tubes[i], &self.points[self.starts[i]], (self.starts[i + 1] - self.starts[i]) // 2)
        return &self.tubes[i]

    cdef int build(self, Tube* tube, const double* xy, Py_ssize_t n) except -1:
        cdef Py_ssize_t k, j, count = n - 1
        cdef int row, last = -1
        cdef short* out
        tube.first_row = CELLS
        for k in range(count):
            make_segment(&self.segments[k], xy + 2 * k, self.radius)
            tube.first_row = min(tube.first_row, self.segments[k].first_row)
            last = max(last, self.segments[k].last_row)
        tube.rows = self.rows.size
        tube.row_count = max(0, last - tube.first_row + 1)
        tube.area = 0
        self.rows.reserve(tube.row_count + 1)
        for row in range(tube.first_row, tube.first_row + tube.row_count):
            self.rows.push_int32(self.spans.size)
            j = find_row(self.segments, count, row, self.radius, self.found)
            self.spans.reserve(2 * j)
            out = (<short*> self.spans.data) + self.spans.size
            for k in range(j):
                out[2 * k] = self.found[k].begin
                out[2 * k + 1] = self.found[k].end
                tube.area += self.found[k].end - self.found[k].begin
            self.spans.size += 2 * j
        self.rows.push_int32(self.spans.size)
        tube.built = True
        return 0


cdef long long shared_cells(Tubes a, const Tube* s, Tubes b, const Tube* t) noexcept nogil:
    """Cells in both tubes."""
    cdef int row
    cdef int first = max(s.first_row, t.first_row)
    cdef int last = min(s.first_row + s.row_count, t.first_row + t.row_count)
    cdef const int* s_rows = (<const int*> a.rows.data) + s.rows - s.first_row
    cdef const int* t_rows = (<const int*> b.rows.data) + t.rows - t.first_row
    cdef const short* s_spans = <const short*> a.spans.data
    cdef const short* t_spans = <const short*> b.spans.data
    cdef int i, j, i_end, j_end, low, high
    cdef long long total = 0
    for row in range(first, last):
        i, i_end = s_rows[row], s_rows[row + 1]
        j, j_end = t_rows[row], t_rows[row + 1]
        while i < i_end and j < j_end:
            low = max(s_spans[i], t_spans[j])
            high = min(s_spans[i + 1], t_spans[j + 1])
            if high > low:
                total += high - low
            if s_spans[i + 1] < t_spans[j + 1]:
                i += 2
            else:
                j += 2
    return total


cdef inline bint may_meet(Tubes a, Py_ssize_t i, Tubes b, Py_ssize_t j) noexcept:
    cdef const double* s = &a.bounds[4 * i]
    cdef const double* t = &b.bounds[4 * j]
    cdef double reach = 2 * a.radius
    return s[0] - reach <= t[2] and t[0] - reach <= s[2] and s[1] - reach <= t[3] and t[1] - reach <= s[3]


cdef long long overlap(Tubes a, Py_ssize_t i, Tubes b, Py_ssize_t j) except -1:
    """Mask IoU in units of 1e-12."""
    cdef Tube* s = a.get(i)
    cdef Tube* t = b.get(j)
    cdef long long shared
    if s.area == 0 or t.area == 0:
        return 0
    shared = shared_cells(a, s, b, t)
    return <long long> (<double> shared / <double> (s.area + t.area - shared) * 1e12 + 0.5)


def tube_pairs(truth, pred, int stroke_width):
    """Columns (truth index, pred index, overlap) of every pair of lines of one record that share cells."""
    cdef Tubes a = Tubes(truth, stroke_width), b = Tubes(pred, stroke_width)
    cdef const long long[::1] a_offsets = truth.offsets, b_offsets = pred.offsets
    cdef Column a_index = Column("i"), b_index = Column("i"), score = Column("q")
    cdef Py_ssize_t record, i, j
    cdef long long found
    for record in range(a_offsets.shape[0] - 1):
        for i in range(a_offsets[record], a_offsets[record + 1]):
            if not a.has(i):
                continue
            for j in range(b_offsets[record], b_offsets[record + 1]):
                if not b.has(j) or not may_meet(a, i, b, j):
                    continue
                found = overlap(a, i, b, j)
                if found > 0:
                    a_index.push_int32(i)
                    b_index.push_int32(j)
                    score.push_int64(found)
    return a_index, b_index, score


def tube_paired(truth, pred, int stroke_width):
    """Overlap of truth[i] with pred[i], as a column."""
    cdef Tubes a = Tubes(truth, stroke_width), b = Tubes(pred, stroke_width)
    cdef Column score = Column("q", a.kind.shape[0])
    cdef Py_ssize_t i
    for i in range(score.size):
        if a.has(i) and b.has(i):
            (<long long*> score.data)[i] = overlap(a, i, b, i)
    return score
