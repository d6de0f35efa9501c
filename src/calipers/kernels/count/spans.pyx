"""Stretches of frames: intervals painted to runs, and runs of two sides paired, or compared as sequences.

Where intervals of different states overlap, the one that starts later wins; of two that start together the one that
ends earlier, then the name that sorts first. Frames that none covers are idle. Both ends of a span belong to it.

Sequences of runs have segmental F1 and the edit distance, as action segmentation has them (MS-TCN).
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdlib cimport qsort
from libc.string cimport memset

from ..scan.column cimport Column
from ..scan.entry cimport check_indices, check_length, check_offsets

cdef enum:
    SMALL = 24
    LONGEST_ROW = 1024          # of the table of edits
    LARGEST_TABLE = 1 << 18

cdef int[3] PERCENT = [10, 25, 50]


cdef inline bint painted_before(const Span* a, const Span* b) noexcept nogil:
    if a.start != b.start:
        return a.start < b.start
    if a.end != b.end:
        return a.end > b.end
    return a.state > b.state


cdef int by_painting(const void* a, const void* b) noexcept nogil:
    if painted_before(<const Span*> a, <const Span*> b):
        return -1
    return painted_before(<const Span*> b, <const Span*> a)


cdef int by_state(const void* a, const void* b) noexcept nogil:
    cdef const Span* s = <const Span*> a
    cdef const Span* t = <const Span*> b
    if s.state != t.state:
        return -1 if s.state < t.state else 1
    return by_painting(a, b)


cdef int by_number(const void* a, const void* b) noexcept nogil:
    cdef long long x = (<const long long*> a)[0], y = (<const long long*> b)[0]
    return (x > y) - (x < y)


cdef void sort_for_painting(Span* spans, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Span moving
    if n > SMALL:
        qsort(spans, n, sizeof(Span), by_painting)
        return
    for i in range(1, n):
        moving = spans[i]
        j = i
        while j > 0 and painted_before(&moving, &spans[j - 1]):
            spans[j] = spans[j - 1]
            j -= 1
        spans[j] = moving


cdef bint is_ordered(const Span* spans, Py_ssize_t count) noexcept nogil:
    """Whether each span ends before the next begins."""
    cdef Py_ssize_t k
    for k in range(1, count):
        if spans[k].start <= spans[k - 1].end:
            return False
    return True


cdef class Side:
    """One side of many videos, painted one video at a time. States are ranks of their names."""

    def __cinit__(self, columns, rank):
        """`rank` gives each code its place in the order of names."""
        cdef Py_ssize_t room
        self.offsets, self.starts, self.ends, self.states = columns.offsets, columns.start, columns.end, columns.state
        self.rank = rank
        self.check()
        room = 2 * self.longest() + 2
        self.spans = <Span*> PyMem_Malloc(4 * room * sizeof(Span))
        self.focus = <long long*> PyMem_Malloc(room * sizeof(long long))
        if self.spans == NULL or self.focus == NULL:
            raise MemoryError()
        self.runs, self.active, self.stack = self.spans + room, self.spans + 2 * room, self.spans + 3 * room

    def __dealloc__(self):
        PyMem_Free(self.spans)
        PyMem_Free(self.focus)

    cdef int check(self) except -1:
        """Columns of one length, states that have a rank, and intervals that run forwards from frame 0 on."""
        cdef Py_ssize_t k
        check_length(self.ends.shape[0], self.starts.shape[0], "end")
        check_length(self.states.shape[0], self.starts.shape[0], "state")
        check_offsets(self.offsets, self.starts.shape[0], "offsets")
        check_indices(self.states, self.rank.shape[0], "state")
        for k in range(self.starts.shape[0]):
            if not 0 <= self.starts[k] <= self.ends[k]:
                raise ValueError(f"start: found {self.starts[k]} to {self.ends[k]}, expected frames from 0 on")
        return 0

    cdef Py_ssize_t longest(self) noexcept nogil:
        cdef Py_ssize_t v, most = 0
        for v in range(self.offsets.shape[0] - 1):
            most = max(most, self.offsets[v + 1] - self.offsets[v])
        return most

    cdef long long last_frame(self, Py_ssize_t video) noexcept nogil:
        cdef Py_ssize_t k
        cdef long long last = -1
        for k in range(self.offsets[video], self.offsets[video + 1]):
            last = max(last, self.ends[k])
        return last

    cdef void load(self, Py_ssize_t video, long long frames, int idle, int focus) noexcept nogil:
        """Paint a video; what lies beyond its frames is cut off."""
        cdef Py_ssize_t k
        self.count = 0
        for k in range(self.offsets[video], self.offsets[video + 1]):
            if self.starts[k] < frames:
                self.spans[self.count].start = self.starts[k]
                self.spans[self.count].end = min(self.ends[k], frames - 1)
                self.spans[self.count].state = self.rank[self.states[k]]
                self.count += 1
        sort_for_painting(self.spans, self.count)
        self.paint(frames, idle)
        self.join_active(idle, focus)
        self.overlapped = 0
        if not is_ordered(self.spans, self.count):
            self.count_overlapped()

    cdef void paint(self, long long frames, int idle) noexcept nogil:
        """The last span on the stack that has not ended is the one to be seen."""
        cdef Py_ssize_t k, top = 0
        cdef long long at = 0, until
        self.run_count = 0
        for k in range(self.count + 1):
            until = self.spans[k].start if k < self.count else frames
            while at < until:
                while top and self.stack[top - 1].end < at:
                    top -= 1
                if top:
                    self.emit(at, min(self.stack[top - 1].end, until - 1), self.stack[top - 1].state)
                else:
                    self.emit(at, until - 1, idle)
                at = self.runs[self.run_count - 1].end + 1
            if k < self.count:
                self.stack[top] = self.spans[k]
                top += 1

    cdef void emit(self, long long start, long long end, int state) noexcept nogil:
        if self.run_count and self.runs[self.run_count - 1].state == state:
            self.runs[self.run_count - 1].end = end
            return
        self.runs[self.run_count].start, self.runs[self.run_count].end = start, end
        self.runs[self.run_count].state = state
        self.run_count += 1

    cdef void join_active(self, int idle, int focus) noexcept nogil:
        cdef Py_ssize_t k
        cdef bint before = False
        self.active_count = 0
        for k in range(self.run_count):
            if self.runs[k].state == idle:
                before = False
                continue
            if not before:
                self.active[self.active_count] = self.runs[k]
                self.focus[self.active_count] = -1
                self.active_count += 1
            before = True
            self.active[self.active_count - 1].end = self.runs[k].end
            if self.runs[k].state == focus and self.focus[self.active_count - 1] < 0:
                self.focus[self.active_count - 1] = self.runs[k].start

    cdef void count_overlapped(self) noexcept nogil:
        """Frames that intervals of two or more states cover: each state's are joined first, then counted by depth."""
        cdef long long* starts = <long long*> self.stack        # a span holds three numbers, two are needed
        cdef long long* ends = starts + self.count
        cdef Py_ssize_t k, n = 0, i = 0, depth = 0
        cdef long long before
        qsort(self.spans, self.count, sizeof(Span), by_state)
        for k in range(self.count):
            if n and self.spans[k].state == self.spans[k - 1].state and self.spans[k].start <= ends[n - 1] + 1:
                ends[n - 1] = max(ends[n - 1], self.spans[k].end)
            else:
                starts[n], ends[n] = self.spans[k].start, self.spans[k].end
                n += 1
        sort_for_painting(self.spans, self.count)
        qsort(starts, n, sizeof(long long), by_number)
        qsort(ends, n, sizeof(long long), by_number)
        before = 0
        for k in range(n):                                      # k spans have ended
            while i < n and starts[i] <= ends[k]:
                self.overlapped += starts[i] - before if depth > 1 else 0
                before = starts[i]
                depth += 1
                i += 1
            self.overlapped += ends[k] + 1 - before if depth > 1 else 0
            before = ends[k] + 1
            depth -= 1


cdef Py_ssize_t match_in_order(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, long long min_frames,
                               Partners* pairs, Plan* plans) noexcept nogil:
    """The partners of two ordered sides: most pairs, then the most frames in common, then the earlier pairs.

    A pair needs `min_frames` frames in common. Spans of one side are in order and apart, so pairs never cross, and those
    that share a span with a pair come right after it: the best from a pair on is to take it and go on behind those, or
    to leave it. Chosen pairs are moved to the front; both arrays have room for n + m.
    """
    cdef Py_ssize_t i = 0, j = 0, k, count = 0, behind, chosen = 0
    cdef long long shared
    while i < n and j < m:
        shared = min(truth[i].end, pred[j].end) - max(truth[i].start, pred[j].start) + 1
        if shared >= min_frames:
            pairs[count].truth, pairs[count].pred, pairs[count].shared = i, j, shared
            count += 1
        if truth[i].end < pred[j].end:
            i += 1
        else:
            j += 1
    plans[count].count = plans[count].total = 0
    for k in range(count - 1, -1, -1):
        plans[k].truth_end = plans[k].pred_end = k + 1
        if k + 1 < count and pairs[k + 1].truth == pairs[k].truth:
            plans[k].truth_end = plans[k + 1].truth_end
        if k + 1 < count and pairs[k + 1].pred == pairs[k].pred:
            plans[k].pred_end = plans[k + 1].pred_end
        behind = max(plans[k].truth_end, plans[k].pred_end)
        plans[k].count, plans[k].total = plans[behind].count + 1, plans[behind].total + pairs[k].shared
        plans[k].taken = plans[k].count > plans[k + 1].count or (
            plans[k].count == plans[k + 1].count and plans[k].total >= plans[k + 1].total)
        if not plans[k].taken:
            plans[k].count, plans[k].total = plans[k + 1].count, plans[k + 1].total
    k = 0
    while k < count:
        if plans[k].taken:
            pairs[chosen] = pairs[k]
            chosen += 1
            k = max(plans[k].truth_end, plans[k].pred_end)
        else:
            k += 1
    return chosen


def partners_in_order(truth, pred, long long min_frames):
    """(truth, pred) indices of the partners of two lists of (first, last); None if one of them is not in order."""
    truth, pred = list(truth), list(pred)       # which cannot become more while they are read
    cdef Py_ssize_t n = len(truth), m = len(pred), k, chosen
    cdef Span* spans = <Span*> PyMem_Malloc((n + m + 2) * sizeof(Span))
    cdef Partners* pairs = <Partners*> PyMem_Malloc((n + m + 2) * sizeof(Partners))
    cdef Plan* plans = <Plan*> PyMem_Malloc((n + m + 2) * sizeof(Plan))
    try:
        if spans == NULL or pairs == NULL or plans == NULL:
            raise MemoryError()
        for k, (first, last) in enumerate((*truth, *pred)):
            spans[k].start, spans[k].end = first, last
        if not is_ordered(spans, n) or not is_ordered(spans + n, m):
            return None
        chosen = match_in_order(spans, n, spans + n, m, min_frames, pairs, plans)
        return [(pairs[k].truth, pairs[k].pred) for k in range(chosen)]
    finally:
        PyMem_Free(spans)
        PyMem_Free(pairs)
        PyMem_Free(plans)


def painted_runs(columns, rank, Py_ssize_t video, long long frames, int idle):
    """(rank, first frame, last frame) of each run of a video."""
    cdef Side side = Side(columns, rank)
    cdef Py_ssize_t k
    if not 0 <= video < side.offsets.shape[0] - 1:
        raise ValueError(f"video: found {video}, expected one of {side.offsets.shape[0] - 1}")
    side.load(video, frames, idle, -1)
    return [(side.runs[k].state, side.runs[k].start, side.runs[k].end) for k in range(side.run_count)]


# Sequences


cdef extern from *:
    """
    /* whether a / b < c / d, for non-negative a, c and positive b, d */
    static inline int is_less(long long a, long long b, long long c, long long d) {
        return (__int128) a * d < (__int128) c * b;
    }
    """
    bint is_less(long long a, long long b, long long c, long long d) noexcept nogil


cdef Py_ssize_t keep_segments(Span* runs, Py_ssize_t count, const unsigned char[::1] ignored) noexcept nogil:
    """Take runs of ignored states out of these; returns how many are left."""
    cdef Py_ssize_t k, n = 0
    for k in range(count):
        if not ignored[runs[k].state]:
            runs[n] = runs[k]
            n += 1
    return n


cdef void count_segments(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, unsigned char* taken,
                         long long* out) noexcept nogil:
    """How many predicted runs find a partner at an IoU of 10, 25 and 50 %.

    Each looks for the true run of its state with the highest IoU, the first of equals, and has it if that is high
    enough and no earlier one has it. `taken` has room for three flags a true run.
    """
    cdef Py_ssize_t i = 0, j, k, best
    cdef long long shared, union, most, whole
    memset(taken, 0, 3 * n)
    for j in range(m):
        while i < n and truth[i].end < pred[j].start:
            i += 1
        best, most, whole = -1, 0, 1
        k = i
        while k < n and truth[k].start <= pred[j].end:
            if truth[k].state == pred[j].state:
                shared = min(truth[k].end, pred[j].end) - max(truth[k].start, pred[j].start) + 1
                union = max(truth[k].end, pred[j].end) - min(truth[k].start, pred[j].start) + 1
                if is_less(most, whole, shared, union):
                    best, most, whole = k, shared, union
            k += 1
        for k in range(3):
            if best >= 0 and 100 * most >= PERCENT[k] * whole and not taken[3 * best + k]:
                taken[3 * best + k] = 1
                out[k] += 1


cdef long long count_edits(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, distance) except -1:
    """The edit distance of the two sequences of states; long ones are left to `distance`."""
    cdef int[LONGEST_ROW + 1] row
    cdef int corner, above
    cdef Py_ssize_t i, j
    if m > LONGEST_ROW or n * m > LARGEST_TABLE:
        return distance([truth[i].state for i in range(n)], [pred[j].state for j in range(m)])
    for j in range(m + 1):
        row[j] = j
    for i in range(n):
        corner, row[0] = row[0], i + 1
        for j in range(m):
            above = row[j + 1]
            row[j + 1] = min(corner + (truth[i].state != pred[j].state), above + 1, row[j] + 1)
            corner = above
    return row[m]
