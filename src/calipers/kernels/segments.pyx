"""Sequences of runs against each other: segmental F1 and the edit distance, as action segmentation has them (MS-TCN)."""

from libc.string cimport memset

from .spans cimport Span

cdef enum:
    LONGEST_ROW = 1024
    LARGEST_TABLE = 1 << 18
cdef int[3] PERCENT = [10, 25, 50]


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
