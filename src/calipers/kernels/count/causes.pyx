"""Why objects have no partner: errors of two objects found one to one, then those of one object alone.

`calipers.core.causes` has the definitions. Pairs are sorted as the matcher needs them; a cause of two objects goes
through them once and takes every pair of its kind whose two objects are still free.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memset

from ..scan.checks cimport (
    check_between, check_count, check_indices, check_length, check_offsets, check_product
)
from ..scan.column cimport Column

cdef enum:
    MATCHED, WRONG_LABEL, MISPLACED, WRONG_LABEL_AND_PLACE, DUPLICATE, SPURIOUS, MISSED, KINDS

cdef struct Pair:
    long long score
    int truth, pred, place              # the last is where it stands among all pairs


cdef struct Split:                      # pairs whose labels agree, and the others, each in the order of all
    Pair* same
    Pair* other
    Py_ssize_t same_size, other_size, truths, preds


cdef inline void take_pairs(const Pair* pairs, Py_ssize_t size, long long min_overlap, long long below,
                            unsigned char kind, unsigned char* truth, unsigned char* pred, int* place,
                            Py_ssize_t truths) noexcept nogil:
    """Pairs with a score from `min_overlap` to `below`, whose objects are both free."""
    cdef Py_ssize_t k
    cdef const Pair* pair
    for k in range(size):
        pair = &pairs[k]
        if ((pair.score < min_overlap) | (pair.score >= below) | (truth[pair.truth] != MISSED)
                | (pred[pair.pred] != SPURIOUS)):           # one branch, not four
            continue
        truth[pair.truth] = pred[pair.pred] = kind
        if place != NULL:
            place[pair.truth] = place[truths + pair.pred] = pair.place


cdef void find_all(const Split* pairs, long long min_overlap, long long faint, unsigned char* truth,
                   unsigned char* pred, int* place) noexcept nogil:
    """The cause of every object; `place` (truths, then preds), where wanted, holds -1 before."""
    cdef Py_ssize_t k
    cdef const Pair* pair
    cdef long long most = (<long long> 1 << 62)
    memset(truth, MISSED, pairs.truths)
    memset(pred, SPURIOUS, pairs.preds)
    take_pairs(pairs.same, pairs.same_size, min_overlap, most, MATCHED, truth, pred, place, pairs.truths)
    take_pairs(pairs.other, pairs.other_size, min_overlap, most, WRONG_LABEL, truth, pred, place, pairs.truths)
    take_pairs(pairs.same, pairs.same_size, faint, min_overlap, MISPLACED, truth, pred, place, pairs.truths)
    take_pairs(pairs.other, pairs.other_size, faint, min_overlap, WRONG_LABEL_AND_PLACE, truth, pred, place,
               pairs.truths)
    for k in range(pairs.same_size):
        pair = &pairs.same[k]
        if (pair.score >= min_overlap) & (pred[pair.pred] == SPURIOUS) & (truth[pair.truth] == MATCHED):
            pred[pair.pred] = DUPLICATE


cdef class CheckedPairs:
    """Pairs and labels that fit each other."""

    cdef const int[::1] truth, pred, truth_label, pred_label
    cdef const long long[::1] score
    cdef Split view

    def __cinit__(self, pairs, Py_ssize_t truths, Py_ssize_t preds, truth_labels, pred_labels):
        self.truth, self.pred, self.score = pairs.truth, pairs.pred, pairs.score
        self.truth_label, self.pred_label = truth_labels, pred_labels
        check_count("truth_count", truths)
        check_count("pred_count", preds)
        check_count("pairs.truth", self.truth.shape[0])
        check_length("pairs.pred", self.pred.shape[0], self.truth.shape[0])
        check_length("pairs.score", self.score.shape[0], self.truth.shape[0])
        check_indices("pairs.truth", self.truth, truths)
        check_indices("pairs.pred", self.pred, preds)
        check_length("truth_labels", self.truth_label.shape[0], truths)
        check_length("pred_labels", self.pred_label.shape[0], preds)
        self.split(self.truth.shape[0])
        self.view.truths, self.view.preds = truths, preds

    def __dealloc__(self):
        PyMem_Free(self.view.same)

    cdef const Pair* same_end(self) noexcept nogil:
        return self.view.same + self.view.same_size

    cdef const Pair* other_end(self) noexcept nogil:
        return self.view.other + self.view.other_size

    cdef int split(self, Py_ssize_t size) except -1:
        """Those whose labels agree from the first place on, the others behind them."""
        cdef Py_ssize_t k, same = 0
        cdef int label
        cdef Pair* pair
        for k in range(size):
            label = self.truth_label[self.truth[k]]
            same += label >= 0 and label == self.pred_label[self.pred[k]]
        self.view.same = <Pair*> PyMem_Malloc((size + 1) * sizeof(Pair))
        if self.view.same == NULL:
            raise MemoryError()
        self.view.other = self.view.same + same
        for k in range(size):
            label = self.truth_label[self.truth[k]]
            if label >= 0 and label == self.pred_label[self.pred[k]]:
                pair = &self.view.same[self.view.same_size]
                self.view.same_size += 1
            else:
                pair = &self.view.other[self.view.other_size]
                self.view.other_size += 1
            pair.score, pair.truth, pair.pred, pair.place = self.score[k], self.truth[k], self.pred[k], <int> k
        return 0


def find_causes(pairs, Py_ssize_t truth_count, Py_ssize_t pred_count, long long min_overlap, long long faint,
                truth_labels, pred_labels):
    """Columns: the outcome of each truth and of each pred, and for both the position of its pair, -1 without one."""
    cdef CheckedPairs checked = CheckedPairs(pairs, truth_count, pred_count, truth_labels, pred_labels)
    cdef Column truth = Column("B", truth_count), pred = Column("B", pred_count)
    cdef Column place = Column("i", truth_count + pred_count)
    cdef int* places = <int*> place.data
    cdef Py_ssize_t k
    for k in range(truth_count + pred_count):
        places[k] = -1
    with nogil:
        find_all(&checked.view, min_overlap, faint, <unsigned char*> truth.data, <unsigned char*> pred.data, places)
    return truth, pred, place


# In each record


cdef struct Record:                     # its pairs, best first, and its objects
    const Pair* same
    const Pair* other
    Py_ssize_t same_size, other_size, first_truth, truths, first_pred, preds
    unsigned char* truth                # the cause of each object, of all records
    unsigned char* pred


cdef Py_ssize_t own_pairs(const Pair* pairs, const Pair* end, const Record* record) noexcept nogil:
    """How many pairs from here on are of a record, in the order of their score."""
    cdef const Pair* pair = pairs
    while (pair < end and record.first_truth <= pair.truth < record.first_truth + record.truths
            and record.first_pred <= pair.pred < record.first_pred + record.preds
            and (pair == pairs or pair.score <= (pair - 1).score)):
        pair += 1
    return pair - pairs


cdef inline Py_ssize_t count_above(const Pair* pairs, Py_ssize_t first, Py_ssize_t size, long long score) noexcept nogil:
    while first < size and pairs[first].score >= score:
        first += 1
    return first


cdef inline long long take_free(const Pair* pairs, Py_ssize_t begin, Py_ssize_t end, unsigned char kind,
                                unsigned char* truth, unsigned char* pred) noexcept nogil:
    """Pairs whose objects are both free; how many they are."""
    cdef Py_ssize_t k
    cdef long long taken = 0
    for k in range(begin, end):
        if (truth[pairs[k].truth] == MISSED) & (pred[pairs[k].pred] == SPURIOUS):
            truth[pairs[k].truth] = pred[pairs[k].pred] = kind
            taken += 1
    return taken


cdef void count_record(const Record* record, long long min_overlap, long long faint, long long* out,
                       Py_ssize_t stride) noexcept nogil:
    """How many of each kind a record has, as `find_all` finds them."""
    cdef const Pair* same = record.same
    cdef const Pair* other = record.other
    cdef unsigned char* truth = record.truth
    cdef unsigned char* pred = record.pred
    cdef Py_ssize_t good = count_above(same, 0, record.same_size, min_overlap), k
    cdef Py_ssize_t other_good = count_above(other, 0, record.other_size, min_overlap)
    cdef long long[KINDS] found
    memset(truth + record.first_truth, MISSED, record.truths)
    memset(pred + record.first_pred, SPURIOUS, record.preds)
    found[MATCHED] = take_free(same, 0, good, MATCHED, truth, pred)
    found[WRONG_LABEL] = take_free(other, 0, other_good, WRONG_LABEL, truth, pred)
    found[MISPLACED] = take_free(same, good, count_above(same, good, record.same_size, faint), MISPLACED, truth, pred)
    found[WRONG_LABEL_AND_PLACE] = take_free(other, other_good, count_above(other, other_good, record.other_size, faint),
                                             WRONG_LABEL_AND_PLACE, truth, pred)
    found[DUPLICATE] = 0
    for k in range(good):
        if (pred[same[k].pred] == SPURIOUS) & (truth[same[k].truth] == MATCHED):
            pred[same[k].pred] = DUPLICATE
            found[DUPLICATE] += 1
    found[MISSED] = (record.truths - found[MATCHED] - found[WRONG_LABEL] - found[MISPLACED]
                     - found[WRONG_LABEL_AND_PLACE])
    found[SPURIOUS] = found[MISSED] + record.preds - record.truths - found[DUPLICATE]
    for k in range(KINDS):
        out[k * stride] = found[k]


def count_causes(pairs, truth_offsets, pred_offsets, min_overlap, faint, truth_labels, pred_labels):
    """How many of each kind in each record at each threshold: (thresholds * kinds * records,) whole numbers.

    A matched pair and an error of two objects count once. `min_overlap` and `faint` have an entry for each threshold.
    Pairs stand record by record, the best of each first.
    """
    cdef const long long[::1] truths = truth_offsets, preds = pred_offsets, threshold = min_overlap, faintest = faint
    cdef Py_ssize_t records = truths.shape[0] - 1, at, record
    check_between("truth_offsets", truths.shape[0], 1, truths.shape[0])
    check_length("pred_offsets", preds.shape[0], records + 1)
    check_length("faint", faintest.shape[0], threshold.shape[0])
    cdef Py_ssize_t truth_count = truths[records], pred_count = preds[records]
    check_offsets("truth_offsets", truths, truth_count)
    check_offsets("pred_offsets", preds, pred_count)
    cdef CheckedPairs checked = CheckedPairs(pairs, truth_count, pred_count, truth_labels, pred_labels)
    cdef Column out = Column("q", check_product("counts", check_product("counts", threshold.shape[0], KINDS), records))
    cdef unsigned char* causes = <unsigned char*> PyMem_Malloc(truth_count + pred_count + 1)
    cdef Record here
    if causes == NULL:
        raise MemoryError()
    here.same, here.other, here.truth, here.pred = checked.view.same, checked.view.other, causes, causes + truth_count
    try:
        for record in range(records):
            here.first_truth, here.truths = truths[record], truths[record + 1] - truths[record]
            here.first_pred, here.preds = preds[record], preds[record + 1] - preds[record]
            here.same_size = own_pairs(here.same, checked.same_end(), &here)
            here.other_size = own_pairs(here.other, checked.other_end(), &here)
            for at in range(threshold.shape[0]):
                count_record(&here, threshold[at], faintest[at],
                             (<long long*> out.data) + at * KINDS * records + record, records)
            here.same += here.same_size
            here.other += here.other_size
    finally:
        PyMem_Free(causes)
    if here.same != checked.same_end() or here.other != checked.other_end():
        raise ValueError("pairs: expected those of one record after the other, the best of each first")
    return out
