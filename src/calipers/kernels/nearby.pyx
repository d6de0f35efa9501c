"""Which boxes of a scene are worth a closer look: those whose bounds overlap, or whose centres are near.

Both sides are sorted by where their boxes start on the x axis, and each box meets those of the other side that start
within it. Of these, the other two axes decide.
"""

from libc.math cimport fabs
from libc.stdlib cimport free, qsort, realloc

from .checks cimport check_count, check_length, check_numbers, check_offsets
from .column cimport Column


cdef class Side:
    """One side of some scenes."""

    def __cinit__(self, boxes):
        self.offsets, self.reason = boxes.offsets, boxes.reason
        self.center, self.half, self.axes, self.bounds = boxes.center, boxes.half, boxes.axes, boxes.bounds
        self.check(self.reason.shape[0])

    cdef int check(self, Py_ssize_t count) except -1:
        check_count("boxes", count)
        check_offsets("offsets", self.offsets, count)
        check_length("center", self.center.shape[0], 3 * count)
        check_length("half", self.half.shape[0], 3 * count)
        check_length("axes", self.axes.shape[0], 9 * count)
        check_length("bounds", self.bounds.shape[0], 6 * count)
        check_numbers("center", self.center)
        check_numbers("bounds", self.bounds)
        return 0


cdef int by_start(const void* a, const void* b) noexcept nogil:
    cdef const Place* s = <const Place*> a
    cdef const Place* t = <const Place*> b
    if s.low[0] != t.low[0]:
        return -1 if s.low[0] < t.low[0] else 1
    return s.index - t.index


cdef Py_ssize_t put_places(Side side, Py_ssize_t scene, double limit, Place* out) noexcept nogil:
    """The valid boxes of a scene, or cubes around their centres as wide as a positive `limit` and a little more.

    They are sorted by where they start on the x axis. Returns how many there are.
    """
    cdef Py_ssize_t i, count = 0
    cdef int k
    cdef double at, room
    for i in range(side.offsets[scene], side.offsets[scene + 1]):
        if side.reason[i]:
            continue
        for k in range(3):
            at = side.center[3 * i + k]
            room = limit / 2 + 1e-12 * (limit + fabs(at))
            out[count].low[k] = at - room if limit > 0 else side.bounds[6 * i + k]
            out[count].high[k] = at + room if limit > 0 else side.bounds[6 * i + 3 + k]
        out[count].index = <int> i
        count += 1
    if count > 1:
        qsort(out, count, sizeof(Place), by_start)
    return count


cdef inline bint beside(const Place* a, const Place* b) noexcept nogil:
    return ((a.low[1] >= b.high[1]) | (b.low[1] >= a.high[1])
            | (a.low[2] >= b.high[2]) | (b.low[2] >= a.high[2]))                    # one branch, not four


cdef class Neighbours:
    """Pairs of boxes, scene by scene: `find` those that may count, score them, `take` those that do.

    Memory is kept from scene to scene. More than `most` pairs in all scenes raise an OverflowError: they would take more
    memory and time than anybody meant to give them.
    """

    def __cinit__(self, Py_ssize_t most):
        self.truth, self.pred, self.score = Column("i"), Column("i"), Column("q")
        self.most = most

    def __dealloc__(self):
        free(self.places)
        free(self.couples)

    def columns(self):
        """What was taken: truth index, pred index, score."""
        return self.truth, self.pred, self.score

    cdef int find(self, Side truth, Side pred, Py_ssize_t scene, double limit) except -1 nogil:
        """All pairs whose bounds overlap or, with a positive `limit`, whose centres are within it on each axis."""
        cdef Py_ssize_t n = truth.offsets[scene + 1] - truth.offsets[scene]
        cdef Py_ssize_t m = pred.offsets[scene + 1] - pred.offsets[scene]
        cdef Place* moved
        self.before += self.count
        self.count = 0
        if n + m > self.place_room:
            moved = <Place*> realloc(self.places, 2 * (n + m) * sizeof(Place))
            if moved == NULL:
                raise MemoryError()
            self.places, self.place_room = moved, 2 * (n + m)
        n = put_places(truth, scene, limit, self.places)
        m = put_places(pred, scene, limit, self.places + n)
        return self.sweep(self.places, n, self.places + n, m)

    cdef int sweep(self, const Place* a, Py_ssize_t n, const Place* b, Py_ssize_t m) except -1 nogil:
        """Each box, by where it starts, with those of the other side that start within it."""
        cdef Py_ssize_t i = 0, j = 0, k
        while i < n and j < m:
            if a[i].low[0] <= b[j].low[0]:
                k = j
                while k < m and b[k].low[0] < a[i].high[0]:
                    if not beside(&a[i], &b[k]):
                        self.add(a[i].index, b[k].index)
                    k += 1
                i += 1
            else:
                k = i
                while k < n and a[k].low[0] < b[j].high[0]:
                    if not beside(&a[k], &b[j]):
                        self.add(a[k].index, b[j].index)
                    k += 1
                j += 1
        return 0

    cdef int add(self, int truth, int pred) except -1 nogil:
        cdef Couple* moved
        if self.before + self.count >= self.most:
            raise OverflowError("too many pairs")
        if self.count == self.couple_room:
            moved = <Couple*> realloc(self.couples, (2 * self.count + 64) * sizeof(Couple))
            if moved == NULL:
                raise MemoryError()
            self.couples, self.couple_room = moved, 2 * self.count + 64
        self.couples[self.count].truth, self.couples[self.count].pred = truth, pred
        self.count += 1
        return 0

    cdef int take(self) except -1:
        """Keep the pairs whose score is positive."""
        cdef Py_ssize_t k
        for k in range(self.count):
            if self.couples[k].score > 0:
                self.truth.push_int32(self.couples[k].truth)
                self.pred.push_int32(self.couples[k].pred)
                self.score.push_int64(self.couples[k].score)
        return 0
