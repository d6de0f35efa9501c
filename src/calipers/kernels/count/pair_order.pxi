"""Pairs of each record in the order the matchers need: by overlap (descending), then truth, then pred.

Where a record has few pairs, each of them is a word: its overlap, then how far its truth and its pred are from the last
that would fit. Its place is how many words are larger, counted without a branch, as the order of pairs cannot be
foretold. All registers give the same order.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.limits cimport INT_MAX
from libc.stdlib cimport qsort

from ..scan.checks cimport check_ascending, check_between, check_indices, check_length, check_offsets
from ..scan.column cimport Column

cdef extern from *:
    """
    #include <limits.h>

    #define ANY_BITS 512                /* of registers */
    #define MOST_WORDS 96               /* of pairs that are counted against each other: a multiple of 32 */
    #define OBJECT_BITS 12              /* of each of the objects of a word; its overlap has the other 40 */
    #define MOST_APART ((1 << OBJECT_BITS) - 1)
    #define LARGEST_OVERLAP ((1LL << 40) - 1)
    #define SIGN (1ULL << 63)           /* words are compared with signs, which those of the larger overlaps lack */

    static inline long long word_of_pair(long long overlap, unsigned truth, unsigned pred) {
        unsigned long long word = (unsigned long long) overlap << 2 * OBJECT_BITS | (unsigned long long) (MOST_APART - truth) << OBJECT_BITS
                        | (unsigned long long) (MOST_APART - pred);
        return (long long) (word ^ SIGN);
    }
    static inline long long overlap_of_word(long long word) {
        return (long long) (((unsigned long long) word ^ SIGN) >> 2 * OBJECT_BITS);
    }
    static inline int truth_of_word(long long word) { return MOST_APART - (int) (word >> OBJECT_BITS & MOST_APART); }
    static inline int pred_of_word(long long word) { return MOST_APART - (int) (word & MOST_APART); }

    /* Sort words, the largest first. Returns whether that was done: not of words that are equal, nor without registers
       that compare four at a time. There is room for 32 words more than there are. */
    #if defined(__GNUC__) && defined(__x86_64__)
    typedef long long Words __attribute__((vector_size(64), aligned(8), may_alias));

    /* `some` times eight at a time, as each waits for the one before it */
    #define COUNT_LARGER(some) { \
        Words own[some], larger[some]; \
        for (int v = 0; v < some; v++) { \
            own[v] = *(const Words*) (words + 8 * (at + v)); \
            larger[v] = own[v] ^ own[v]; \
        } \
        for (int k = 0; k < size; k++) { \
            Words other = words[k] - (Words) {0}; \
            for (int v = 0; v < some; v++) larger[v] -= other > own[v]; \
        } \
        for (int v = 0; v < some; v++) *(Words*) (place + 8 * (at + v)) = larger[v]; \
        at += some; \
    }
    #define SORT_WORDS { \
        long long place[MOST_WORDS + 32], total = 0; \
        int groups = (size + 7) / 8, at = 0; \
        for (int k = size; k < 8 * groups; k++) words[k] = LLONG_MIN; \
        while (groups - at >= 4) COUNT_LARGER(4) \
        if (groups - at >= 2) COUNT_LARGER(2) \
        if (groups - at) COUNT_LARGER(1) \
        for (int k = 0; k < size; k++) total += place[k]; \
        if (total != (long long) size * (size - 1) / 2) return 0;     /* some are equal, and have one place */ \
        for (int k = 0; k < size; k++) sorted[place[k]] = words[k]; \
        return 1; \
    }
    #define SORT_ARGUMENTS long long* restrict words, int size, long long* restrict sorted
    __attribute__((target("avx512f"))) static int sort_words_widest(SORT_ARGUMENTS) SORT_WORDS
    __attribute__((target("avx2"))) static int sort_words_widely(SORT_ARGUMENTS) SORT_WORDS

    static inline int sort_words(SORT_ARGUMENTS, int register_bits) {
        if (register_bits >= 512 && __builtin_cpu_supports("avx512f")) return sort_words_widest(words, size, sorted);
        if (register_bits >= 256 && __builtin_cpu_supports("avx2")) return sort_words_widely(words, size, sorted);
        return 0;
    }
    #else
    #define sort_words(words, size, sorted, register_bits) 0
    #endif
    """
    const int ANY_BITS, MOST_WORDS, MOST_APART
    const long long LARGEST_OVERLAP
    long long word_of_pair(long long overlap, unsigned truth, unsigned pred) noexcept nogil
    long long overlap_of_word(long long word) noexcept nogil
    int truth_of_word(long long word) noexcept nogil
    int pred_of_word(long long word) noexcept nogil
    bint sort_words(long long* words, int size, long long* sorted, int register_bits) noexcept nogil

cdef enum:
    FEWEST_WORDS = 5            # pairs that are words: fewer are quicker put in order one by one


cdef struct Pair:
    long long score
    int truth, pred


cdef inline bint comes_before(const Pair* a, const Pair* b) noexcept nogil:
    if a.score != b.score:
        return a.score > b.score
    if a.truth != b.truth:
        return a.truth < b.truth
    return a.pred < b.pred


cdef int compare(const void* a, const void* b) noexcept nogil:
    if comes_before(<const Pair*> a, <const Pair*> b):
        return -1
    return comes_before(<const Pair*> b, <const Pair*> a)


cdef void sort_pairs(Pair* pairs, Py_ssize_t n) noexcept nogil:
    """By insertion, with gaps between at first where there are some more: no two pairs are equal."""
    cdef int[4] gaps = [57, 23, 10, 4]
    cdef int k
    if n > 512:
        qsort(pairs, n, sizeof(Pair), compare)
        return
    for k in range(4):
        if 2 * gaps[k] < n:
            insert_pairs(pairs, n, gaps[k])
    insert_pairs(pairs, n, 1)


cdef inline void insert_pairs(Pair* pairs, Py_ssize_t n, int gap) noexcept nogil:
    """Put those that are `gap` apart in order."""
    cdef Py_ssize_t i, j
    cdef Pair moving
    for i in range(gap, n):
        moving = pairs[i]
        j = i
        while j >= gap and comes_before(&moving, &pairs[j - gap]):
            pairs[j] = pairs[j - gap]
            j -= gap
        pairs[j] = moving

cdef class PairSource:
    """Pairs in the order of records, of which as many were taken as `at` says."""

    cdef const int[::1] truth, pred
    cdef const long long[::1] score
    cdef Py_ssize_t at, size

    def __cinit__(self, truth, pred, score):
        self.truth, self.pred, self.score = truth, pred, score
        self.at, self.size = 0, self.truth.shape[0]
        check_length("pred", self.pred.shape[0], self.size)
        check_length("score", self.score.shape[0], self.size)

    cdef Py_ssize_t take(self, long long end, Pair* pairs) noexcept nogil:
        """Take pairs up to one with a truth from `end` on. Returns how many these are."""
        cdef Py_ssize_t first = self.at, k = first
        while k < self.size and self.truth[k] < end:
            pairs[k - first].score, pairs[k - first].truth, pairs[k - first].pred = self.score[k], self.truth[k], self.pred[k]
            k += 1
        self.at = k
        return k - first


cdef struct SortedColumns:
    int* truth
    int* pred
    long long* score


cdef bint make_words(const Pair* pairs, Py_ssize_t size, long long first_truth, int first_pred,
                     long long* words) noexcept nogil:
    """Each pair as a word, if all of them fit into one."""
    cdef bint fits = True
    cdef unsigned long long truth, pred
    cdef Py_ssize_t k
    for k in range(size):
        truth, pred = pairs[k].truth - first_truth, pairs[k].pred - first_pred
        fits &= (truth <= MOST_APART) & (pred <= MOST_APART) & (0 <= pairs[k].score <= LARGEST_OVERLAP)
        words[k] = word_of_pair(pairs[k].score, <unsigned> truth, <unsigned> pred)
    return fits


cdef void write_sorted(Pair* pairs, Py_ssize_t size, long long first_truth, const SortedColumns* out,
                       int register_bits) noexcept nogil:
    """Write the pairs of a record, which may be changed, in their order."""
    cdef long long[MOST_WORDS + 32] words
    cdef long long[MOST_WORDS] in_order
    cdef int first_pred = INT_MAX
    cdef Py_ssize_t k
    if FEWEST_WORDS <= size <= MOST_WORDS:
        for k in range(size):
            first_pred = min(first_pred, pairs[k].pred)
        if (make_words(pairs, size, first_truth, first_pred, words)
                and sort_words(words, <int> size, in_order, register_bits)):
            for k in range(size):
                out.truth[k] = <int> first_truth + truth_of_word(in_order[k])
                out.pred[k] = first_pred + pred_of_word(in_order[k])
                out.score[k] = overlap_of_word(in_order[k])
            return
    sort_pairs(pairs, size)
    for k in range(size):
        out.truth[k], out.pred[k], out.score[k] = pairs[k].truth, pairs[k].pred, pairs[k].score


def sort_by_overlap(offsets, *parts, Py_ssize_t register_bits=ANY_BITS):
    """Columns (truth, pred, score) of all parts together, sorted within each record.

    `offsets` are the truth side's and begin with 0; each part is such a triple of columns in the order of records. The
    order is the same whether registers of 128, 256 or 512 bits are used, where the machine has them.
    """
    cdef const long long[::1] ends = offsets
    cdef Py_ssize_t total = 0, record, start = 0, size
    cdef list sources = [PairSource(*part) for part in parts]
    cdef PairSource source
    cdef SortedColumns out
    cdef Column truth, pred, score
    cdef Pair* pairs
    cdef long long last = check_ascending("offsets", ends, 0)
    check_offsets("offsets", ends, last)
    check_between("register_bits", register_bits, 128, ANY_BITS)
    for source in sources:
        check_indices("truth", source.truth, last)          # so every pair is of a record
        check_indices("pred", source.pred, INT_MAX)
        total += source.size
    truth, pred, score = Column("i", total), Column("i", total), Column("q", total)
    out.truth, out.pred, out.score = <int*> truth.data, <int*> pred.data, <long long*> score.data
    pairs = <Pair*> PyMem_Malloc((total + 1) * sizeof(Pair))
    if pairs == NULL:
        raise MemoryError()
    for record in range(ends.shape[0] - 1):
        size = 0
        for source in sources:
            size += source.take(ends[record + 1], pairs + size)
        write_sorted(pairs, size, ends[record], &out, <int> register_bits)
        out.truth += size
        out.pred += size
        out.score += size
        start += size
    PyMem_Free(pairs)
    if start != total:                                       # what was not written must not be read
        raise ValueError(f"truth: found {total} pairs, expected all of them in records, and there are {start}")
    return truth, pred, score
