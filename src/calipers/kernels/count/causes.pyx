"""Why objects have no partner: errors of two objects found one to one, then those of one object alone.

`calipers.core.causes` has the definitions. Pairs are sorted as the matcher needs them; a cause of two objects goes
through them once and takes every pair of its kind whose two objects are still free.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint64_t
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


def count_outcomes(labels, outcomes, Py_ssize_t names):
    """How many objects of each label have each outcome, (names + 1) * kinds; the last row is for those without a label."""
    cdef const int[::1] label = labels
    cdef const unsigned char[::1] outcome = outcomes
    cdef Py_ssize_t k
    cdef int code, least = 0, most = -1
    cdef unsigned char last = 0
    check_count("names", names)
    check_length("outcomes", outcome.shape[0], label.shape[0])
    for k in range(label.shape[0]):
        least, most, last = min(least, label[k]), max(most, label[k]), max(last, outcome[k])
    if least < -1 or most >= names:
        raise ValueError(f"labels: found {least if least < -1 else most}, expected codes from -1 to {names - 1}")
    check_between("outcomes", last, 0, KINDS - 1)
    cdef Column out = Column("q", check_product("names", names + 1, KINDS))
    cdef long long* counts = <long long*> out.data
    with nogil:
        for k in range(label.shape[0]):
            code = label[k]
            counts[(code if code >= 0 else names) * KINDS + outcome[k]] += 1
    return out


# In each record


cdef struct Record:                     # its pairs, best first, and its objects
    const Pair* same
    const Pair* other
    Py_ssize_t same_size, other_size, first_truth, truths, first_pred, preds
    unsigned char* truth                # the cause of each object, of all records
    unsigned char* pred


cdef enum:
    FEW = 64                            # objects that fit into the bits of a word


cdef struct Reach:                      # how many pairs overlap enough, and how many do at least faintly
    Py_ssize_t same_good, same_faint, other_good, other_faint


cdef struct Levels:                     # thresholds, and in which order they are gone through
    const long long* min_overlap
    const long long* faint
    Py_ssize_t* order
    Py_ssize_t count


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


cdef inline long long take_bits(const Pair* pairs, Py_ssize_t begin, Py_ssize_t end, const Record* record,
                                uint64_t* truth, uint64_t* pred) noexcept nogil:
    """As `take_free`, of objects that are bits, set while they are free; no branch for each pair."""
    cdef uint64_t truths = truth[0], preds = pred[0], taken
    cdef long long count = 0
    cdef Py_ssize_t k, i, j
    for k in range(begin, end):
        i, j = pairs[k].truth - record.first_truth, pairs[k].pred - record.first_pred
        taken = (truths >> i) & (preds >> j) & 1
        truths ^= taken << i
        preds ^= taken << j
        count += taken
    truth[0], pred[0] = truths, preds
    return count


cdef struct Bits:                       # a record with at most FEW objects on either side, at a threshold
    uint64_t truth, pred                # objects that no match has taken
    Py_ssize_t good, left               # pairs so far whose labels agree, and how many of them are no match
    int* pairs                          # these


cdef void count_few(const Record* record, const Reach* reach, Bits* bits, long long* found) noexcept nogil:
    """How many pairs of each kind a record has, and duplicates. Thresholds descend: a match stays one."""
    cdef uint64_t truth, pred, again
    cdef const Pair* same = record.same
    cdef Py_ssize_t k, i, j
    for k in range(bits.good, reach.same_good):
        if not take_bits(same, k, k + 1, record, &bits.truth, &bits.pred):
            bits.pairs[bits.left] = <int> k
            bits.left += 1
    bits.good = reach.same_good
    truth, pred = bits.truth, bits.pred
    found[MATCHED] = reach.same_good - bits.left
    found[WRONG_LABEL] = take_bits(record.other, 0, reach.other_good, record, &truth, &pred)
    found[MISPLACED] = take_bits(same, reach.same_good, reach.same_faint, record, &truth, &pred)
    found[WRONG_LABEL_AND_PLACE] = take_bits(record.other, reach.other_good, reach.other_faint, record, &truth, &pred)
    found[DUPLICATE] = 0
    for k in range(bits.left):
        i, j = same[bits.pairs[k]].truth - record.first_truth, same[bits.pairs[k]].pred - record.first_pred
        again = (~bits.truth >> i) & (pred >> j) & 1
        pred ^= again << j
        found[DUPLICATE] += again


cdef void count_many(const Record* record, const Reach* reach, long long* found) noexcept nogil:
    """The same for any number of objects."""
    cdef const Pair* same = record.same
    cdef const Pair* other = record.other
    cdef unsigned char* truth = record.truth
    cdef unsigned char* pred = record.pred
    cdef Py_ssize_t k
    memset(truth + record.first_truth, MISSED, record.truths)
    memset(pred + record.first_pred, SPURIOUS, record.preds)
    found[MATCHED] = take_free(same, 0, reach.same_good, MATCHED, truth, pred)
    found[WRONG_LABEL] = take_free(other, 0, reach.other_good, WRONG_LABEL, truth, pred)
    found[MISPLACED] = take_free(same, reach.same_good, reach.same_faint, MISPLACED, truth, pred)
    found[WRONG_LABEL_AND_PLACE] = take_free(other, reach.other_good, reach.other_faint, WRONG_LABEL_AND_PLACE, truth,
                                             pred)
    found[DUPLICATE] = 0
    for k in range(reach.same_good):
        if (pred[same[k].pred] == SPURIOUS) & (truth[same[k].truth] == MATCHED):
            pred[same[k].pred] = DUPLICATE
            found[DUPLICATE] += 1


cdef inline void find_reach(const Record* record, long long min_overlap, long long faint, bint faint_descends,
                            Reach* reach) noexcept nogil:
    """Go on from the reach of a threshold that is as high or higher, and from its faint pairs if those are, too."""
    reach.same_good = count_above(record.same, reach.same_good, record.same_size, min_overlap)
    reach.other_good = count_above(record.other, reach.other_good, record.other_size, min_overlap)
    reach.same_faint = max(reach.same_faint, reach.same_good) if faint_descends else reach.same_good
    reach.other_faint = max(reach.other_faint, reach.other_good) if faint_descends else reach.other_good
    reach.same_faint = count_above(record.same, reach.same_faint, record.same_size, faint)
    reach.other_faint = count_above(record.other, reach.other_faint, record.other_size, faint)


cdef void count_record(const Record* record, const Levels* levels, int* room, long long* out,
                       Py_ssize_t records) noexcept nogil:
    """How many of each kind a record has at each threshold, as `find_all` finds them; `room` is for all its pairs."""
    cdef Reach reach
    cdef Bits bits
    cdef long long[KINDS] found
    cdef long long* row
    cdef long long faint, last_faint = 0
    cdef Py_ssize_t at, k
    bits.truth = bits.pred = ~(<uint64_t> 0)
    bits.good, bits.left, bits.pairs = 0, 0, room
    reach.same_good = reach.same_faint = reach.other_good = reach.other_faint = 0
    for at in range(levels.count):
        faint = levels.faint[levels.order[at]]
        find_reach(record, levels.min_overlap[levels.order[at]], faint, at > 0 and faint <= last_faint, &reach)
        last_faint = faint
        if record.truths <= FEW and record.preds <= FEW:
            count_few(record, &reach, &bits, found)
        else:
            count_many(record, &reach, found)
        found[MISSED] = (record.truths - found[MATCHED] - found[WRONG_LABEL] - found[MISPLACED]
                         - found[WRONG_LABEL_AND_PLACE])
        found[SPURIOUS] = found[MISSED] + record.preds - record.truths - found[DUPLICATE]
        row = out + levels.order[at] * KINDS * records
        for k in range(KINDS):
            row[k * records] = found[k]


cdef void order_levels(Levels* levels) noexcept nogil:
    """The highest threshold first."""
    cdef Py_ssize_t at, k
    for at in range(levels.count):
        k = at
        while k > 0 and levels.min_overlap[levels.order[k - 1]] < levels.min_overlap[at]:
            levels.order[k] = levels.order[k - 1]
            k -= 1
        levels.order[k] = at


def count_causes(pairs, truth_offsets, pred_offsets, min_overlap, faint, truth_labels, pred_labels):
    """How many of each kind in each record at each threshold: (thresholds * kinds * records,) whole numbers.

    A matched pair and an error of two objects count once. `min_overlap` and `faint` have an entry for each threshold.
    Pairs stand record by record, the best of each first.
    """
    cdef const long long[::1] truths = truth_offsets, preds = pred_offsets, threshold = min_overlap, faintest = faint
    cdef Py_ssize_t records = truths.shape[0] - 1, record
    check_between("truth_offsets", truths.shape[0], 1, truths.shape[0])
    check_length("pred_offsets", preds.shape[0], records + 1)
    check_length("faint", faintest.shape[0], threshold.shape[0])
    cdef Py_ssize_t truth_count = truths[records], pred_count = preds[records]
    check_offsets("truth_offsets", truths, truth_count)
    check_offsets("pred_offsets", preds, pred_count)
    cdef CheckedPairs checked = CheckedPairs(pairs, truth_count, pred_count, truth_labels, pred_labels)
    cdef Column out = Column("q", check_product("counts", check_product("counts", threshold.shape[0], KINDS), records))
    cdef unsigned char* causes = <unsigned char*> PyMem_Malloc(truth_count + pred_count + 1)
    cdef int* room = <int*> PyMem_Malloc((checked.truth.shape[0] + 1) * sizeof(int))
    cdef Record here
    cdef Levels levels
    levels.count = threshold.shape[0]
    levels.order = <Py_ssize_t*> PyMem_Malloc((levels.count + 1) * sizeof(Py_ssize_t))
    here.same, here.other, here.truth, here.pred = checked.view.same, checked.view.other, causes, causes + truth_count
    try:
        if causes == NULL or room == NULL or levels.order == NULL:
            raise MemoryError()
        if levels.count:
            levels.min_overlap, levels.faint = &threshold[0], &faintest[0]
        order_levels(&levels)
        for record in range(records):
            here.first_truth, here.truths = truths[record], truths[record + 1] - truths[record]
            here.first_pred, here.preds = preds[record], preds[record + 1] - preds[record]
            here.same_size = own_pairs(here.same, checked.same_end(), &here)
            here.other_size = own_pairs(here.other, checked.other_end(), &here)
            count_record(&here, &levels, room, (<long long*> out.data) + record, records)
            here.same += here.same_size
            here.other += here.other_size
    finally:
        PyMem_Free(causes)
        PyMem_Free(room)
        PyMem_Free(levels.order)
    if here.same != checked.same_end() or here.other != checked.other_end():
        raise ValueError("pairs: expected those of one record after the other, the best of each first")
    return out
