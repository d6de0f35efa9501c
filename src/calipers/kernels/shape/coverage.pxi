"""How much of one line runs along another: the share of samples within a tolerance.

Samples lie on the polyline at 0, 1, 2, … units of length from its first point, and at its end. Within a tolerance of
one segment lies a convex set, so of each segment a single stretch is covered; samples on it are ticked off together.
The rim belongs to it, with 1e-9 to spare for rounding.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport ceil, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from ..scan.column cimport Column
from ..scan.entry cimport all_within, check_indices, check_length, check_offsets

cdef double SLACK = 1e-9
cdef double SURELY = 1e-6       # so much nearer than the rim, no rounding can put a point beyond it
cdef double FRAME = 1000

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


cdef struct Segment:
    double x, y, ux, uy, length         # where it begins, its direction, and how long it is (0: no direction)
    double low_x, low_y, high_x, high_y


cdef bint covered_part(const Segment* p, const Segment* q, double radius, double* t0, double* t1) noexcept nogil:
    """From where to where a walk along p, at unit speed, runs within `radius` of q."""
    cdef double px = p.x - q.x, py = p.y - q.y, s0 = 0, s1 = p.length
    t0[0] = p.length + 1
    t1[0] = -1
    join_disc(px, py, p.ux, p.uy, p.length, radius, t0, t1)
    if q.length > 0:
        join_disc(px - q.ux * q.length, py - q.uy * q.length, p.ux, p.uy, p.length, radius, t0, t1)
        narrow(px * q.ux + py * q.uy, p.ux * q.ux + p.uy * q.uy, 0, q.length, &s0, &s1)
        narrow(px * q.uy - py * q.ux, p.ux * q.uy - p.uy * q.ux, -radius, radius, &s0, &s1)
        join(s0, s1, t0, t1)
    return t0[0] <= t1[0]


cdef void make_segment(const double* p, Segment* out) noexcept nogil:
    cdef double dx = p[2] - p[0], dy = p[3] - p[1]
    out.x, out.y, out.length = p[0], p[1], sqrt(dx * dx + dy * dy)
    out.ux = dx / out.length if out.length > 0 else 0
    out.uy = dy / out.length if out.length > 0 else 0
    out.low_x, out.high_x = min(p[0], p[2]), max(p[0], p[2])
    out.low_y, out.high_y = min(p[1], p[3]), max(p[1], p[3])


cdef inline bint apart(const Segment* p, const Segment* q, double reach) noexcept nogil:
    """Whether the bounds of two segments are further from each other than `reach`."""
    return ((p.low_x - reach > q.high_x) | (q.low_x - reach > p.high_x)
            | (p.low_y - reach > q.high_y) | (q.low_y - reach > p.high_y))         # one branch, not four


cdef struct Line:
    Segment* segments
    Py_ssize_t count
    double length
    FewBounds few                       # those of its segments, unless these are many


cdef inline void make_line(const double* points, Py_ssize_t count, Line* line) noexcept nogil:
    """A line of `count` segments, for which there is room."""
    cdef Segment* segment
    cdef Py_ssize_t k
    line.length, line.count, line.few.size = 0, count, count if count <= FEW else 0
    for k in range(count):
        segment = &line.segments[k]
        make_segment(points + 2 * k, segment)
        line.length += segment.length
        if line.few.size:
            line.few.x1[k], line.few.y1[k] = segment.low_x, segment.low_y
            line.few.x2[k], line.few.y2[k] = segment.high_x, segment.high_y


cdef inline uint64_t near_segments(const Segment* p, const Line* other, double reach) noexcept nogil:
    """A bit for each segment of a line of few whose bounds are not further away than `reach`."""
    cdef double[4] bounds = [p.low_x, p.low_y, p.high_x, p.high_y]
    return near_few(&other.few, bounds, reach) & (~(<uint64_t> 0) >> (64 - other.few.size))


cdef inline Py_ssize_t first_sample(double at) noexcept nogil:
    """The first whole number from `at` on, or just before it."""
    if at < 16384.0:
        return max(0, 16384 - <Py_ssize_t> (16384.0 + SLACK - at))          # quicker than a call
    return <Py_ssize_t> ceil(at - SLACK)


cdef inline bint is_near(const Segment* q, double x, double y, double radius2) noexcept nogil:
    """Whether a point lies at most a radius, of which the square is given, from a segment."""
    cdef double dx = x - q.x, dy = y - q.y, along
    along = min(max(dx * q.ux + dy * q.uy, 0.0), q.length)
    dx -= along * q.ux
    dy -= along * q.uy
    return dx * dx + dy * dy <= radius2


cdef inline bint surely_covered(const Segment* p, const Segment* q, double radius) noexcept nogil:
    """Whether all of p is within `radius` of q, beyond doubt: what lies so near is convex, so both of its ends tell."""
    cdef double radius2 = (radius - SURELY) * (radius - SURELY)
    if radius <= SURELY:
        return False
    return is_near(q, p.x, p.y, radius2) and is_near(q, p.x + p.length * p.ux, p.y + p.length * p.uy, radius2)


cdef bint all_covered(const Line* line, const Line* other, double radius) noexcept nogil:
    """Whether every segment is surely covered by the one at the same place."""
    cdef Py_ssize_t i
    if line.count > other.count:
        return False
    for i in range(line.count):
        if not surely_covered(&line.segments[i], &other.segments[i], radius):
            return False
    return True


cdef struct Samples:                    # of a line: whether each is within a radius of another; the last is the end
    const Line* line
    double radius, passed               # and the length of the segments so far
    unsigned char* hit
    Py_ssize_t count


cdef bint tick_off_segment(Samples* samples, const Segment* p, const Segment* q) noexcept nogil:
    """Mark the samples of a segment of the line that are within the radius of another. Returns whether all of it is."""
    cdef double t0, t1
    cdef Py_ssize_t first, last
    if surely_covered(p, q, samples.radius):
        t0, t1 = 0, p.length
    elif not covered_part(p, q, samples.radius, &t0, &t1):
        return False
    first = first_sample(samples.passed + t0)
    last = min(<Py_ssize_t> (samples.passed + t1 + SLACK), samples.count - 2)
    if first <= last:
        memset(samples.hit + first, 1, last - first + 1)
    if samples.passed + t1 >= samples.line.length - SLACK:
        samples.hit[samples.count - 1] = 1
    return t0 <= 0 and t1 >= p.length


cdef void tick_off(Samples* samples, const Line* other) noexcept nogil:
    """Mark every sample of a line within the radius of the other.

    Lines that belong together have their segments in the same order. So the segment at the same place comes first, and
    where all of a segment is within its reach, no other can add to it.
    """
    cdef const Segment* p
    cdef uint64_t near
    cdef Py_ssize_t i, j, k
    for i in range(samples.line.count if other.count else 0):           # a line of one point has no segment
        p = &samples.line.segments[i]
        j = i if i < other.count else i % other.count
        if other.few.size:
            near = near_segments(p, other, samples.radius)
            if not ((near >> j) & 1 and tick_off_segment(samples, p, &other.segments[j])):
                near &= ~((<uint64_t> 1) << j)
                while near and not tick_off_segment(samples, p, &other.segments[lowest_bit(near)]):
                    near &= near - 1
        else:
            for k in range(other.count):
                if not apart(p, &other.segments[j], samples.radius) and tick_off_segment(samples, p, &other.segments[j]):
                    break
                j = j + 1 if j + 1 < other.count else 0
        samples.passed += p.length


cdef class Lines:
    """The lines of one side, cut into segments one at a time."""

    cdef const long long[::1] starts
    cdef const unsigned char[::1] kind, reason
    cdef const double[::1] points, bounds
    cdef Line line
    cdef Py_ssize_t at          # whose segments these are, -1 before the first

    def __cinit__(self, objects):
        cdef Py_ssize_t i, longest = 0
        self.starts, self.points, self.bounds = objects.starts, objects.points, objects.bounds
        self.kind, self.reason = objects.kind, objects.reason
        self.at = -1
        self.check()
        for i in range(self.kind.shape[0]):
            longest = max(longest, self.starts[i + 1] - self.starts[i])
        self.line.segments = <Segment*> PyMem_Malloc((longest // 2 + 1) * sizeof(Segment))
        if self.line.segments == NULL:
            raise MemoryError()

    def __dealloc__(self):
        PyMem_Free(self.line.segments)

    cdef int check(self) except -1:
        """Columns of one length, and points of lines on the frame of 1000 by 1000, at least one for each."""
        cdef Py_ssize_t i, k, count = self.kind.shape[0]
        check_length(self.reason.shape[0], count, "reason")
        check_length(self.bounds.shape[0], 4 * count, "bounds")
        check_length(self.starts.shape[0], count + 1, "starts")
        check_offsets(self.starts, self.points.shape[0], "starts")
        cdef bint all_inside = all_within(self.points, 0, FRAME), none_short = True
        for i in range(count):                  # one branch for all of them
            none_short &= (self.kind[i] != KIND_LINE) | (self.reason[i] != 0) | (self.starts[i + 1] - self.starts[i] >= 2)
        for i in range(0 if all_inside and none_short else count):
            if not self.has(i):
                continue
            if self.starts[i + 1] - self.starts[i] < 2:
                raise ValueError(f"points: line {i} has none")
            for k in range(self.starts[i], self.starts[i + 1]):
                if not 0 <= self.points[k] <= FRAME:
                    raise ValueError(f"points: line {i} has the number {self.points[k]}, expected 0 to 1000")
        return 0

    cdef int check_pairs(self, const int[::1] index, str name) except -1:
        """Every index is that of a line."""
        cdef Py_ssize_t k
        check_indices(index, self.kind.shape[0], name)
        for k in range(index.shape[0]):
            if not self.has(index[k]):
                raise ValueError(f"{name}: object {index[k]} is not a line")
        return 0

    cdef inline bint has(self, Py_ssize_t i) noexcept nogil:
        return self.kind[i] == KIND_LINE and not self.reason[i]

    cdef const Line* get(self, Py_ssize_t i) noexcept nogil:
        """Valid until another one is asked for."""
        if self.at != i:
            self.at = i
            make_line(&self.points[self.starts[i]], (self.starts[i + 1] - self.starts[i]) // 2 - 1, &self.line)
        return &self.line


cdef Py_ssize_t count_ones(const unsigned char* bytes_of_ones, Py_ssize_t count) noexcept nogil:
    """How many bytes are 1, of bytes that are 0 or 1: eight at a time, as long as eight sums fit into a byte each."""
    cdef Py_ssize_t at = 0, total = 0
    cdef uint64_t sums, eight
    cdef int k
    while count - at >= 8:
        sums = 0
        for k in range(min((count - at) // 8, 255)):
            memcpy(&eight, bytes_of_ones + at, 8)
            sums += eight
            at += 8
        for k in range(8):
            total += (sums >> (8 * k)) & 0xFF
    while at < count:
        total += bytes_of_ones[at]
        at += 1
    return total


cdef double covered_share(const Line* line, const Line* other, double radius, Column hits) except -1:
    """Of the samples 0, 1, … and the end, those within `radius` of the other line."""
    cdef Samples samples
    if line.count > 0 and all_covered(line, other, radius + SLACK):
        return 1.0
    samples.line, samples.radius, samples.passed = line, radius + SLACK, 0
    samples.count = <Py_ssize_t> ceil(line.length - SLACK) + 1
    hits.resize(0)
    hits.resize(samples.count)
    samples.hit = <unsigned char*> hits.data
    tick_off(&samples, other)
    return <double> count_ones(samples.hit, samples.count) / <double> samples.count


def coverage_of(truth, pred, truth_index, pred_index, double tolerance):
    """Columns (recall, precision, f1) of pairs of lines."""
    cdef Lines a = Lines(truth), b = Lines(pred)
    cdef const int[::1] at = truth_index, bt = pred_index
    cdef Py_ssize_t k, count = at.shape[0]
    cdef Column hits = Column("B"), recalls = Column("d", count), precisions = Column("d", count)
    cdef Column f1s = Column("d", count)
    cdef double recall, precision
    check_length(bt.shape[0], count, "pred_index")
    a.check_pairs(at, "truth_index")
    b.check_pairs(bt, "pred_index")
    for k in range(count):
        recall = covered_share(a.get(at[k]), b.get(bt[k]), tolerance, hits)
        precision = covered_share(b.get(bt[k]), a.get(at[k]), tolerance, hits)
        (<double*> recalls.data)[k] = recall
        (<double*> precisions.data)[k] = precision
        (<double*> f1s.data)[k] = 2 * recall * precision / (recall + precision) if recall + precision > 0 else 0
    return recalls, precisions, f1s


def near_lines(truth, pred, double reach, max_work=MAX_WORK):
    """Columns (truth index, pred index) of the pairs of lines of one record whose bounds are within reach.

    WorkLimitError if the coverage of these takes more work than `max_work` allows.
    """
    cdef const long long[::1] a_offsets = truth.offsets, b_offsets = pred.offsets
    cdef Lines a = Lines(truth), b = Lines(pred)
    cdef Work work = Work(max_work)
    cdef Candidates near = Candidates()
    cdef Column a_index = Column("i"), b_index = Column("i")
    cdef Py_ssize_t record
    check_offsets(a_offsets, a.kind.shape[0], "truth.offsets")
    check_offsets(b_offsets, b.kind.shape[0], "pred.offsets")
    check_length(b_offsets.shape[0], a_offsets.shape[0], "pred.offsets")
    for record in range(a_offsets.shape[0] - 1):
        near.begin(&b.bounds[0] if b.kind.shape[0] else NULL, b_offsets[record], b_offsets[record + 1])
        work.begin(a.starts[a_offsets[record + 1]] - a.starts[a_offsets[record]]
                   + b.starts[b_offsets[record + 1]] - b.starts[b_offsets[record]])
        if not add_near(a, a_offsets[record], a_offsets[record + 1], b, reach + SLACK, near, work, a_index, b_index):
            work.refuse(record)
    work.finish()
    return a_index, b_index


cdef bint add_near(Lines a, Py_ssize_t begin, Py_ssize_t end, Lines b, double reach, Candidates near, Work work,
                   Column a_index, Column b_index) except -1:
    """Add the pairs of truths `begin` to `end`; False if their coverage takes more work than is allowed."""
    cdef Py_ssize_t i, k
    cdef int j
    for i in range(begin, end):
        if not a.has(i):
            continue
        if not near.find(&a.bounds[4 * i], reach, work):
            return False
        for k in range(near.count):
            j = near.found[k]
            if not b.has(j) or too_far(&a.bounds[4 * i], &b.bounds[4 * j], reach):
                continue
            if not work.add(PAIR_STEPS + steps(a.get(i), b.get(j))):
                return False
            a_index.push_int32(<int> i)
            b_index.push_int32(j)
    return True


cdef inline long long steps(const Line* line, const Line* other) noexcept nogil:
    """What the coverage of two lines takes: all pairs of segments, and one step a sample."""
    return 2 * line.count * other.count + <long long> (line.length + other.length)


cdef inline bint too_far(const double* s, const double* t, double reach) noexcept nogil:
    return s[0] - reach > t[2] or t[0] - reach > s[2] or s[1] - reach > t[3] or t[1] - reach > s[3]
