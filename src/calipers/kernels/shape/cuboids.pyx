"""Boxes in space, in pairs of one scene: how much they overlap, how near their centres are, which holds which centre.

Boxes are columns as in `calipers.core.cuboids.Boxes`; one with a reason takes part in nothing. Overlap is the volume both
fill over the volume either fills, of the boxes themselves or of their axis-aligned bounds. Overlaps and closeness are
integers in units of 1e-12: equal ones tie, and one that is exactly 0.55 meets 0.55.

Worth a closer look are boxes whose bounds overlap, or whose centres are near. Both sides are sorted by where their
boxes start on the x axis, and each box meets those of the other side that start within it. Of these, the other two axes
decide.
"""

from libc.math cimport fabs, isfinite, llrint, sqrt
from libc.stdlib cimport free, qsort, realloc

from ..scan.checks cimport check_count, check_indices, check_length, check_numbers, check_offsets
from ..scan.column cimport Column
from ..scan.rotations cimport dot

include "volumes.pxi"

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef double SLACK = 1e-12           # of lengths: what rounding can do to a point on a face
cdef double LAST_BITS = 4.5e-16     # of coordinates: what rounding did to the difference of two before they came here


# Worth a closer look


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


cdef inline Cuboid cuboid(Side side, Py_ssize_t i) noexcept nogil:
    cdef Cuboid box
    box.center = &side.center[3 * i]
    box.half = &side.half[3 * i]
    box.axes = &side.axes[9 * i]
    box.volume = 8 * box.half[0] * box.half[1] * box.half[2]
    return box


cdef inline double farthest(const double* p, const double* q) noexcept nogil:
    """The largest coordinate of two points."""
    return max(max(max(fabs(p[0]), fabs(p[1])), max(fabs(p[2]), fabs(q[0]))), max(fabs(q[1]), fabs(q[2])))


cdef inline double extent(const Cuboid* box, int j) noexcept nogil:
    """How far a box gets from its centre along world axis j."""
    return (fabs(box.axes[j]) * box.half[0] + fabs(box.axes[3 + j]) * box.half[1]
            + fabs(box.axes[6 + j]) * box.half[2])


# Overlap


cdef inline bint comes_first(const Cuboid* a, const Cuboid* b) noexcept nogil:
    """The larger box first. The order has nothing to do with sides: overlap(a, b) is overlap(b, a) to the bit."""
    cdef int i
    if a.volume != b.volume:
        return a.volume > b.volume
    for i in range(3):
        if a.half[i] != b.half[i]:
            return a.half[i] > b.half[i]
    for i in range(3):
        if a.center[i] != b.center[i]:
            return a.center[i] > b.center[i]
    for i in range(9):
        if a.axes[i] != b.axes[i]:
            return a.axes[i] > b.axes[i]
    return True


cdef inline long long ratio(double shared, double one, double other) noexcept nogil:
    shared = max(0.0, min(shared, min(one, other)))
    return llrint(shared / (one + other - shared) * 1e12)


cdef long long oriented_overlap(const Cuboid* a, const Cuboid* b, double slack) noexcept nogil:
    if comes_first(a, b):
        return ratio(shared_volume(a, b, slack), a.volume, b.volume)
    return ratio(shared_volume(b, a, slack), a.volume, b.volume)


cdef long long bounds_overlap(const Cuboid* a, const Cuboid* b, double slack) noexcept nogil:
    """The same of the axis-aligned bounds, with their sizes taken from the boxes, so that nothing is lost far away."""
    cdef double shared = 1, one = 1, other = 1, s, t, common
    cdef int j
    for j in range(3):
        s = extent(a, j)
        t = extent(b, j)
        common = s + t - fabs(b.center[j] - a.center[j])
        if common <= slack:
            return 0
        shared *= min(common, 2 * min(s, t))
        one *= 2 * s
        other *= 2 * t
    return ratio(shared, one, other)


cdef inline bint bounds_apart(const double* a, const double* b) noexcept nogil:
    return ((a[0] >= b[3]) | (b[0] >= a[3]) | (a[1] >= b[4]) | (b[1] >= a[4]) | (a[2] >= b[5]) | (b[2] >= a[5]))


cdef long long overlap(Side truth, Py_ssize_t i, Side pred, Py_ssize_t j, bint aabb) noexcept nogil:
    cdef Cuboid a = cuboid(truth, i), b = cuboid(pred, j)
    cdef double slack = LAST_BITS * farthest(a.center, b.center)
    if truth.reason[i] or pred.reason[j] or bounds_apart(&truth.bounds[6 * i], &pred.bounds[6 * j]):
        return 0
    return bounds_overlap(&a, &b, slack) if aabb else oriented_overlap(&a, &b, slack)


def cuboid_pairs(truth, pred, bint aabb, Py_ssize_t most=PY_SSIZE_T_MAX):
    """Columns (truth index, pred index, overlap) of every pair of one scene that shares volume.

    The volume is that of the boxes themselves or, with `aabb`, of their axis-aligned bounds. Pairs come scene by scene,
    in any order within a scene. More than `most` pairs whose bounds overlap, in all scenes, are an OverflowError.
    """
    cdef Side a = Side(truth), b = Side(pred)
    cdef Neighbours near = Neighbours(most)
    cdef Couple* couple
    cdef Py_ssize_t scene, k
    check_length("pred.offsets", b.offsets.shape[0], a.offsets.shape[0])
    for scene in range(a.offsets.shape[0] - 1):
        with nogil:
            near.find(a, b, scene, 0)
            for k in range(near.count):
                couple = &near.couples[k]
                couple.score = overlap(a, couple.truth, b, couple.pred, aabb)
        near.take()
    return near.columns()


def cuboid_paired(truth, pred, bint aabb):
    """Overlap of truth[i] with pred[i], as a column."""
    cdef Side a = Side(truth), b = Side(pred)
    cdef Py_ssize_t i, count = a.reason.shape[0]
    cdef Column score = Column("q", count)
    cdef long long* out = <long long*> score.data
    check_length("pred", b.reason.shape[0], count)
    with nogil:
        for i in range(count):
            out[i] = overlap(a, i, b, i, aabb)
    return score


# Centres


cdef inline double distance_of(const double* p, const double* q) noexcept nogil:
    return sqrt((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]) + (q[2] - p[2]) * (q[2] - p[2]))


cdef long long closeness(const double* p, const double* q, double limit) noexcept nogil:
    """1 where two points coincide, falling to 1/2 at the limit, and 0 beyond it."""
    cdef double distance = distance_of(p, q)
    if distance > limit + SLACK * limit + LAST_BITS * farthest(p, q):
        return 0
    return llrint((1 - min(distance, limit) / (2 * limit)) * 1e12)


def near_pairs(truth, pred, double limit, Py_ssize_t most=PY_SSIZE_T_MAX):
    """Columns (truth index, pred index, closeness) of every pair of one scene whose centres are at most `limit` apart.

    The limit is positive; closeness is 1 - distance / (2 * limit). Pairs come scene by scene, in any order within a
    scene. More than `most` pairs that are this near on each axis, in all scenes, are an OverflowError.
    """
    cdef Side a = Side(truth), b = Side(pred)
    cdef Neighbours near = Neighbours(most)
    cdef Couple* couple
    cdef Py_ssize_t scene, k
    check_length("pred.offsets", b.offsets.shape[0], a.offsets.shape[0])
    if not (limit > 0 and isfinite(limit)):
        raise ValueError(f"limit: found {limit}, expected a positive number")
    for scene in range(a.offsets.shape[0] - 1):
        with nogil:
            near.find(a, b, scene, limit)
            for k in range(near.count):
                couple = &near.couples[k]
                couple.score = closeness(&a.center[3 * couple.truth], &b.center[3 * couple.pred], limit)
        near.take()
    return near.columns()


cdef bint holds(const Cuboid* box, const double* point, bint oriented) noexcept nogil:
    """Whether a point lies in a box or on its faces, or in its axis-aligned bounds or on theirs."""
    cdef double slack = SLACK * distance_of(box.center, point) + LAST_BITS * farthest(box.center, point)
    cdef double[3] d
    cdef double along, reach
    cdef int k
    for k in range(3):
        d[k] = point[k] - box.center[k]
    for k in range(3):
        along = dot(box.axes + 3 * k, d) if oriented else d[k]
        reach = box.half[k] if oriented else extent(box, k)
        if fabs(along) > reach + SLACK * reach + slack:
            return False
    return True


def placements(truth, pred, pair_truth, pair_pred, bint oriented):
    """Columns (pred centre in truth, truth centre in pred, distance of centres) of some pairs.

    The first two are 1 or 0, for the boxes themselves if `oriented`, otherwise for their axis-aligned bounds. A centre
    on a face is inside, even if rounding puts it a little beyond.
    """
    cdef Side a = Side(truth), b = Side(pred)
    cdef const int[::1] left = pair_truth, right = pair_pred
    cdef Py_ssize_t count = left.shape[0], k
    cdef Column pred_in_truth = Column("B", count), truth_in_pred = Column("B", count), distance = Column("d", count)
    cdef Cuboid s, t
    check_length("pair_pred", right.shape[0], count)
    check_indices("pair_truth", left, a.reason.shape[0])
    check_indices("pair_pred", right, b.reason.shape[0])
    for k in range(count):
        s, t = cuboid(a, left[k]), cuboid(b, right[k])
        (<unsigned char*> pred_in_truth.data)[k] = holds(&s, t.center, oriented)
        (<unsigned char*> truth_in_pred.data)[k] = holds(&t, s.center, oriented)
        (<double*> distance.data)[k] = distance_of(s.center, t.center)
    return pred_in_truth, truth_in_pred, distance
