"""Pairs to partners: each object at most one.

Pairs are sorted within their record by overlap (descending), then truth index, then pred index. Going through them in
that order and taking every pair whose two objects are still free is the greedy matching; its part above a threshold
is the greedy matching at that threshold.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdlib cimport qsort

from ..scan.checks cimport check_ascending, check_count, check_indices, check_length, check_numbers, check_offsets
from ..scan.column cimport Column


cdef enum:
    MOST_KINDS = 4              # of objects; the last is for those that could not be read


cdef long long LOWER_BITS = 0xFFFFFFFF


include "pair_order.pxi"


cdef int check_pairs(const int[::1] truth, const int[::1] pred, const long long[::1] score, Py_ssize_t truths,
                     Py_ssize_t preds) except -1:
    check_count("truth_count", truths)
    check_count("pred_count", preds)
    check_length("pairs.pred", pred.shape[0], truth.shape[0])
    check_length("pairs.score", score.shape[0], truth.shape[0])
    check_indices("pairs.truth", truth, truths)
    check_indices("pairs.pred", pred, preds)
    return 0


cdef int check_labels(const int[::1] truth, const int[::1] pred, Py_ssize_t truths, Py_ssize_t preds) except -1:
    check_length("truth_labels", truth.shape[0], truths)
    check_length("pred_labels", pred.shape[0], preds)
    return 0


def gather_codes(list codes not None, index):
    """The code of each object, by the code of its text: an int32 column."""
    cdef const int[::1] at = index
    cdef Column out = Column("i", at.shape[0])
    cdef Py_ssize_t i
    check_indices("index", at, len(codes))
    for i in range(at.shape[0]):
        (<int*> out.data)[i] = codes[at[i]]
    return out


def greedy(pairs, Py_ssize_t truth_count, Py_ssize_t pred_count, long long min_overlap, truth_labels=None,
           pred_labels=None):
    """Columns (truth, pred, score) of the greedy matching of sorted pairs with a score of at least `min_overlap`.

    With labels (codes, -1 for none), only pairs of equal labels count, and none matches nothing.
    """
    cdef const int[::1] truth = pairs.truth, pred = pairs.pred
    cdef const long long[::1] score = pairs.score
    cdef bint labelled = truth_labels is not None
    cdef const int[::1] a = truth_labels if labelled else truth
    cdef const int[::1] b = pred_labels if labelled else pred
    cdef Column out_truth, out_pred, out_score
    cdef char* taken
    cdef Py_ssize_t k, found = 0, most
    cdef int i, j
    check_pairs(truth, pred, score, truth_count, pred_count)
    if labelled:
        check_labels(a, b, truth_count, pred_count)
    most = min(truth.shape[0], min(truth_count, pred_count))
    out_truth, out_pred, out_score = Column("i", most), Column("i", most), Column("q", most)
    taken = <char*> PyMem_Calloc(truth_count + pred_count + 1, 1)
    if taken == NULL:
        raise MemoryError()
    with nogil:
        for k in range(truth.shape[0]):
            i, j = truth[k], pred[k]
            if (score[k] < min_overlap) | taken[i] | taken[truth_count + j]:        # one branch, not three
                continue
            if labelled and (a[i] < 0 or a[i] != b[j]):
                continue
            taken[i] = taken[truth_count + j] = 1
            (<int*> out_truth.data)[found] = i
            (<int*> out_pred.data)[found] = j
            (<long long*> out_score.data)[found] = score[k]
            found += 1
    PyMem_Free(taken)
    for column in (out_truth, out_pred, out_score):
        (<Column> column).resize(found)
    return out_truth, out_pred, out_score


cdef struct Ranked:
    double confidence
    int pred


cdef int compare_ranked(const void* a, const void* b) noexcept nogil:
    cdef const Ranked* left = <const Ranked*> a
    cdef const Ranked* right = <const Ranked*> b
    if left.confidence != right.confidence:
        return -1 if left.confidence > right.confidence else 1
    return left.pred - right.pred


def confidence_order(confidence):
    """Preds by confidence, ties by index."""
    cdef const double[::1] sure = confidence
    cdef Py_ssize_t preds = sure.shape[0], k
    cdef Column order = Column("i", preds)
    cdef Ranked* ranked
    check_count("confidence", preds)
    check_numbers("confidence", sure)
    ranked = <Ranked*> PyMem_Malloc((preds + 1) * sizeof(Ranked))
    if ranked == NULL:
        raise MemoryError()
    for k in range(preds):
        ranked[k].confidence, ranked[k].pred = sure[k], <int> k
    qsort(ranked, preds, sizeof(Ranked), compare_ranked)
    for k in range(preds):
        (<int*> order.data)[k] = ranked[k].pred
    PyMem_Free(ranked)
    return order


def in_order(pairs, Py_ssize_t truth_count, order, long long min_overlap, truth_labels=None, pred_labels=None,
             bint last=False):
    """Columns (truth, pred, score), in the order of the pairs, of the matching that lets each pred choose in turn.

    `order` holds every pred once. Each takes the closest truth still free: of equally close ones the first, or the
    `last`. Pairs are sorted; labels as for `greedy`.
    """
    cdef const int[::1] truth = pairs.truth, pred = pairs.pred, turn = order
    cdef const long long[::1] score = pairs.score
    cdef bint labelled = truth_labels is not None
    cdef const int[::1] a = truth_labels if labelled else truth
    cdef const int[::1] b = pred_labels if labelled else pred
    cdef Py_ssize_t pairs_count = truth.shape[0], preds = turn.shape[0], k, n, best
    cdef Column out_truth = Column("i"), out_pred = Column("i"), out_score = Column("q")
    cdef Column ends = Column("q", preds + 1), places = Column("q", pairs_count)   # pairs of each pred, best first
    cdef long long* end = <long long*> ends.data
    cdef long long* place = <long long*> places.data
    cdef char* taken                                        # truths, then pairs that were chosen
    cdef int j
    check_pairs(truth, pred, score, truth_count, preds)
    check_indices("order", turn, preds)
    if labelled:
        check_labels(a, b, truth_count, preds)
    taken = <char*> PyMem_Calloc(truth_count + pairs_count + 1, 1)
    if taken == NULL:
        raise MemoryError()
    for k in range(preds + 1):
        end[k] = 0
    for k in range(pairs_count):
        end[pred[k] + 1] += 1
    for k in range(preds):
        end[k + 1] += end[k]
    for k in range(pairs_count - 1, -1, -1):
        end[pred[k] + 1] -= 1                               # afterwards the start of the pred's pairs
        place[end[pred[k] + 1]] = k
    for n in range(preds):
        j, best = turn[n], -1
        for k in range(end[j + 1], end[j + 2] if j + 1 < preds else pairs_count):
            k = place[k]
            if score[k] < min_overlap or (best >= 0 and (not last or score[k] < score[best])):
                break
            if taken[truth[k]] or (labelled and (a[truth[k]] < 0 or a[truth[k]] != b[j])):
                continue
            best = k
        if best >= 0:
            taken[truth[best]] = taken[truth_count + best] = 1
    for k in range(pairs_count):
        if taken[truth_count + k]:
            out_truth.push_int32(truth[k])
            out_pred.push_int32(pred[k])
            out_score.push_int64(score[k])
    PyMem_Free(taken)
    return out_truth, out_pred, out_score


def first_pairs(index, Py_ssize_t count):
    """For each object the position of its first pair, -1 without one: of sorted pairs, its best."""
    cdef const int[::1] objects = index
    cdef Column first
    cdef int* out
    cdef Py_ssize_t k
    check_count("count", count)
    check_count("index", objects.shape[0])
    check_indices("index", objects, count)
    first = Column("i", count)
    out = <int*> first.data
    for k in range(count):
        out[k] = -1
    for k in range(objects.shape[0] - 1, -1, -1):
        out[objects[k]] = <int> k
    return first


def spread_pairs(own, others, values, Py_ssize_t count):
    """For each object the other one of its pair and the value of that, -1 without a pair."""
    cdef const int[::1] at = own, other = others
    cdef const long long[::1] value = values
    cdef Column out_other, out_value
    cdef Py_ssize_t k
    check_count("count", count)
    check_indices("own", at, count)
    check_length("others", other.shape[0], at.shape[0])
    check_length("values", value.shape[0], at.shape[0])
    out_other, out_value = Column("i", count), Column("q", count)
    for k in range(count):
        (<int*> out_other.data)[k] = -1
        (<long long*> out_value.data)[k] = -1
    for k in range(at.shape[0]):
        (<int*> out_other.data)[at[k]] = other[k]
        (<long long*> out_value.data)[at[k]] = value[k]
    return out_other, out_value


def count_levels(pairs, truth_offsets, truth_kind, pred_kind, units, swept, Py_ssize_t primary, long long tight):
    """Columns about the pairs of a matching: how many of each kind of truth meet just so many `units` (ascending), and
    of each kind of pred, (4 * (units + 1),); how many of each record meet more than `primary` of them; the sum of
    `swept[met]` over those of each record; the sum of scores from `tight` on, as its upper part and its lower 32 bits;
    and how many units each pair meets.
    """
    cdef const int[::1] truth = pairs.truth, pred = pairs.pred
    cdef const long long[::1] score = pairs.score, ends = truth_offsets, unit = units, worth = swept
    cdef const unsigned char[::1] kind = truth_kind, other_kind = pred_kind
    cdef Py_ssize_t k, met, record = 0, levels = unit.shape[0], records = ends.shape[0] - 1
    check_pairs(truth, pred, score, kind.shape[0], other_kind.shape[0])
    check_offsets("truth_offsets", ends, kind.shape[0])
    check_ascending("units", unit, 0)
    check_length("swept", worth.shape[0], levels + 1)
    check_kinds("truth_kind", kind)
    check_kinds("pred_kind", other_kind)
    cdef Column by_truth = Column("q", MOST_KINDS * (levels + 1)), by_pred = Column("q", MOST_KINDS * (levels + 1))
    cdef Column at_primary = Column("q", records), over_sweep = Column("q", records), sums = Column("q", 2)
    cdef Column met_by = Column("i", truth.shape[0])
    cdef long long* total = <long long*> sums.data
    with nogil:
        for k in range(truth.shape[0]):
            met = units_met(unit, score[k])
            (<int*> met_by.data)[k] = <int> met
            (<long long*> by_truth.data)[kind[truth[k]] * (levels + 1) + met] += 1
            (<long long*> by_pred.data)[other_kind[pred[k]] * (levels + 1) + met] += 1
            if not ends[record] <= truth[k] < ends[record + 1]:         # most pairs are of the record of the one before
                record = find_group(ends, truth[k])
            (<long long*> at_primary.data)[record] += met > primary
            (<long long*> over_sweep.data)[record] += worth[met]
            if score[k] >= tight:
                total[0] += score[k] >> 32
                total[1] += score[k] & LOWER_BITS
    return by_truth, by_pred, at_primary, over_sweep, sums, met_by


cdef inline Py_ssize_t units_met(const long long[::1] units, long long score) noexcept nogil:
    """How many units, which ascend, a score reaches: halving the rest without a branch, which could not be foretold."""
    cdef Py_ssize_t first = 0, left = units.shape[0], half
    while left:
        half = (left + 1) // 2
        first += half if units[first + half - 1] <= score else 0
        left -= half
    return first


cdef Py_ssize_t find_group(const long long[::1] offsets, long long item) noexcept nogil:
    """The group that an item below the last offset is in."""
    cdef Py_ssize_t low = 0, high = offsets.shape[0] - 1, middle
    while high - low > 1:
        middle = (low + high) // 2
        if offsets[middle] <= item:
            low = middle
        else:
            high = middle
    return low


cdef int check_kinds(str name, const unsigned char[::1] kinds) except -1:
    cdef Py_ssize_t k
    cdef unsigned char most = 0
    for k in range(kinds.shape[0]):
        most = max(most, kinds[k])
    if most >= MOST_KINDS:
        raise ValueError(f"{name}: found {most}, expected 0 to {MOST_KINDS - 1}")
    return 0
