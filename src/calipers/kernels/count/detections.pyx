"""Detections matched by score in ranges of area at several thresholds, and the curves of classes: COCO's arithmetic.

Matching and curves are pycocotools' `evaluateImg` and `accumulate`, to the bit. Thresholds are bits, at most 16 of them; areas are bits
of a byte. Precision has a value at every right detection only: between two of them it falls, and the envelope over it,
which is all that is looked at, does not see that.
"""

from libc.limits cimport INT_MAX
from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memset

from ..scan.checks cimport check_between, check_ends, check_indices, check_length, check_offsets, check_product
from ..scan.column cimport Column

cdef enum:
    STEPS = 101             # of recall
    MAX_LIMITS = 16

cdef double A_HAIR = 2.220446049250313e-16      # pycocotools divides by that much more than there are detections


cdef struct Close:
    const long long* offsets      # of the pairs of each detection
    const int* truth        # of each pair, ascending for each detection
    const double* overlap
    const uint8_t* unwanted     # of each truth, bit a: in area a it does not have to be found
    const uint8_t* crowd


def match_in_areas(order, offsets, truth, overlap, unwanted, crowd, excused, thresholds, int areas):
    """What becomes of each detection in each area at each threshold; and at the first of all its object and overlap.

    `order` has the detections that take part, of each class on an image the surest first. Pairs, of one class, are those
    of a detection from `offsets` on, by truth. `unwanted` has a bit for each area in which a truth need not be found,
    `excused` one for each in which a detection without a truth is neither right nor wrong. A truth is taken once, a
    crowd any number of times. Returns hits and ignored (detections by areas, bits are thresholds), truth (-1 for none)
    and overlap.
    """
    cdef const int[::1] rows = order, truths = truth
    cdef const long long[::1] begin = offsets
    cdef const double[::1] shared = overlap, least = thresholds
    cdef const uint8_t[::1] no_need = unwanted, many = crowd, beside = excused
    cdef Py_ssize_t preds = begin.shape[0] - 1, i, p
    cdef int a, t, count = <int> least.shape[0]
    cdef int64_t at
    cdef uint16_t every
    cdef Close close
    check_between("areas", areas, 1, 8)
    check_between("thresholds", count, 1, 16)
    check_offsets("offsets", begin, truths.shape[0])
    check_length("overlap", shared.shape[0], truths.shape[0])
    check_length("crowd", many.shape[0], no_need.shape[0])
    check_length("excused", beside.shape[0], preds)
    check_indices("order", rows, preds)
    check_indices("truth", truths, no_need.shape[0])
    check_product("hits", preds, areas)
    every = <uint16_t> ((1 << count) - 1)
    cdef Column hits = Column("h", preds * areas), ignored = Column("h", preds * areas)
    cdef Column partner = Column("i", preds), fit = Column("d", preds), taken = Column("h", no_need.shape[0] * areas)
    cdef uint16_t* hit = <uint16_t*> hits.data
    cdef uint16_t* out = <uint16_t*> ignored.data
    cdef uint16_t* used = <uint16_t*> taken.data
    cdef int32_t* mine = <int32_t*> partner.data
    cdef double* closeness = <double*> fit.data
    memset(&close, 0, sizeof(Close))
    close.offsets = &begin[0]
    if truths.shape[0]:
        close.truth, close.overlap = &truths[0], &shared[0]
        close.unwanted, close.crowd = &no_need[0], &many[0]
    with nogil:
        for p in range(preds):
            mine[p] = -1
        for i in range(rows.shape[0]):
            p = rows[i]
            for a in range(areas):
                for t in range(count if begin[p] < begin[p + 1] else 0):
                    at = closest(&close, p, a, t, areas, least[t], used)
                    if at < 0:
                        continue
                    used[<Py_ssize_t> close.truth[at] * areas + a] |= 1 << t
                    if close.unwanted[close.truth[at]] >> a & 1:
                        out[p * areas + a] |= 1 << t
                    else:
                        hit[p * areas + a] |= 1 << t
                        if a == 0 and t == 0:
                            mine[p], closeness[p] = close.truth[at], close.overlap[at]
                if beside[p] >> a & 1:
                    out[p * areas + a] |= every & ~hit[p * areas + a]
    return hits, ignored, partner, fit


cdef int64_t closest(const Close* close, Py_ssize_t p, int a, int t, int areas, double least,
                     const uint16_t* used) noexcept nogil:
    """The pair that a detection takes: the closest that has to be found, else the closest other; of equals the last."""
    cdef int64_t k, found = -1
    cdef int32_t g
    cdef int unwanted
    cdef double best = least
    for unwanted in range(2):
        for k in range(close.offsets[p], close.offsets[p + 1]):
            g = close.truth[k]
            if (close.unwanted[g] >> a & 1) != unwanted or close.overlap[k] < best:
                continue
            if used[<Py_ssize_t> g * areas + a] >> t & 1 and not close.crowd[g]:
                continue
            best, found = close.overlap[k], k
        if found >= 0:
            return found
    return -1


def rows_by_class(rows, category, Py_ssize_t classes):
    """Some rows class by class, in their order within each, and where each class ends; without room for anything else.

    `rows` are indices into `category`, which has the class of each, from 0 to `classes` - 1.
    """
    cdef const int[::1] some = rows, code = category
    cdef Py_ssize_t i, c
    cdef int64_t begin = 0, count
    check_between("classes", classes, 0, INT_MAX)
    check_indices("rows", some, code.shape[0])
    check_indices("category", code, classes)
    cdef Column ordered = Column("i", some.shape[0]), ends = Column("q", classes)
    cdef int32_t* mine = <int32_t*> ordered.data
    cdef int64_t* at = <int64_t*> ends.data       # how many rows of a class, where its next one goes, where it ends
    with nogil:
        for i in range(some.shape[0]):
            at[code[some[i]]] += 1
        for c in range(classes):
            count, at[c] = at[c], begin
            begin += count
        for i in range(some.shape[0]):
            c = code[some[i]]
            mine[at[c]] = some[i]
            at[c] += 1
    return ordered, ends


def accumulate_classes(ends, hits, ignored, rank, objects, limits, steps, int areas, int thresholds):
    """Precision at each recall step and recall within each limit, by class, area and threshold; NaN without objects.

    Class by class, up to `ends`, detections stand the surest first. `rank` is that of a detection among those of its
    class on its image, from 0; `objects` are counted by class and area; `limits` ascend; `steps` are 101 recalls.
    """
    cdef const long long[::1] end = ends, number = objects, limit = limits
    cdef const uint16_t[::1] hit = hits, out = ignored
    cdef const int[::1] place = rank
    cdef const double[::1] recalls = steps
    cdef Py_ssize_t classes = end.shape[0], c, a, t, cell, most = 0
    cdef int64_t start = 0
    check_between("areas", areas, 1, 8)
    check_between("thresholds", thresholds, 1, 16)
    check_between("limits", limit.shape[0], 1, MAX_LIMITS)
    check_ends("ends", end, place.shape[0])
    check_length("hits", hit.shape[0], place.shape[0] * areas)
    check_length("ignored", out.shape[0], hit.shape[0])
    check_length("objects", number.shape[0], classes * areas)
    check_length("steps", recalls.shape[0], STEPS)
    check_product("precision", classes * areas * thresholds, STEPS)
    for c in range(classes):
        most = max(most, end[c] - start)
        start = end[c]
    cdef Column precision = Column("d", classes * areas * thresholds * STEPS)
    cdef Column recall = Column("d", classes * areas * thresholds * limit.shape[0]), scratch = Column("d", most)
    cdef Curve curve
    curve.envelope, curve.areas, curve.limits = <double*> scratch.data, areas, limit.shape[0]
    curve.limit, curve.steps = &limit[0], &recalls[0]
    start = 0
    with nogil:
        for c in range(classes):
            curve.count = end[c] - start
            for a in range(areas):
                if curve.count:
                    curve.hit, curve.ignored = &hit[start * areas + a], &out[start * areas + a]
                    curve.rank = &place[start]
                curve.objects = number[c * areas + a]
                for t in range(thresholds):
                    cell = (c * areas + a) * thresholds + t
                    fill(&curve, <int> t, <double*> precision.data + cell * STEPS,
                         <double*> recall.data + cell * limit.shape[0])
            start = end[c]
    return precision, recall


cdef struct Curve:
    const uint16_t* hit
    const uint16_t* ignored
    const int* rank
    const long long* limit
    const double* steps
    double* envelope
    Py_ssize_t count, limits
    int areas
    int64_t objects


cdef void fill(Curve* curve, int t, double* precision, double* recall) noexcept nogil:
    """One class in one area at one threshold."""
    cdef Py_ssize_t i, k, r = 0
    cdef int64_t right = 0, wrong = 0
    cdef int64_t[MAX_LIMITS] within
    if not curve.objects:
        for r in range(STEPS):
            precision[r] = NAN
        for k in range(curve.limits):
            recall[k] = NAN
        return
    memset(within, 0, sizeof(within))
    for i in range(curve.count):
        if curve.ignored[i * curve.areas] >> t & 1:
            continue
        if not curve.hit[i * curve.areas] >> t & 1:
            wrong += 1
            continue
        right += 1
        curve.envelope[right - 1] = <double> right / (<double> wrong + <double> right + A_HAIR)
        for k in range(curve.limits):
            within[k] += curve.rank[i] < curve.limit[k]
    for i in range(right - 2, -1, -1):
        if curve.envelope[i + 1] > curve.envelope[i]:
            curve.envelope[i] = curve.envelope[i + 1]
    for i in range(right):
        while r < STEPS and <double> (i + 1) / <double> curve.objects >= curve.steps[r]:
            precision[r] = curve.envelope[i]
            r += 1
    for k in range(curve.limits):
        recall[k] = <double> within[k] / <double> curve.objects
