"""Average precision in many bootstrap replicates at once, 64 of them side by side.

In a replicate an image counts as often as its weight says, with all its detections and objects. The detections of a
class are gone through from the last to the first. `hits` and `seen` count the true positives and the detections up to
here, so hits / seen is the precision here, and the best of those met so far is the interpolated precision. Wherever the
best rises, it rises for every recall step that the hits up to here reach: the sum over steps grows by their number
times the rise. A detection of weight 0 is no exception: it shows the precision of the one before it, whose turn comes.

Only a true positive can raise the best, and only if the next detection is not one too, because then the precision
there is no lower. A detection that is ignored at a threshold counts as neither there.
"""

from libc.math cimport NAN
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from ..scan.checks cimport check_between, check_length
from ..scan.column cimport Column
from .abreast cimport ABREAST, add_rows, check_group, check_weights

cdef enum:
    MOST_THRESHOLDS = 16        # bits of `found`
    STEPS = 101                 # of recall: 0, 0.01, … 1
    NO_TARGET = -1              # where a recall is asked for

REPLICATES = ABREAST


cdef extern from *:
    """
    #define AHEAD 24                            /* detections whose weights are asked for before their turn */
    #define NO_HIT 1e-9                         /* what rounding may add to target * objects */
    #define TO_NEAREST 6755399441055744.0       /* 1.5 * 2 ** 52: adding it rounds to a whole number */

    static void add_row(int *restrict counts, int sign, const unsigned char *restrict w) {
        for (int b = 0; b < ABREAST; b++) counts[b] += sign * w[b];
    }

    /* The step that a recall reaches is the last k with 0.01 * k <= recall, both rounded as floats are. */
    #define RAISE(AT_TARGET) \
        for (int b = 0; b < ABREAST; b++) { \
            double precision = (double) hits[b] / (double) (seen[b] - ignored[b]); \
            double recall = (double) hits[b] / objects[b]; \
            double step = (recall * 100.0 + TO_NEAREST) - TO_NEAREST; \
            double higher = precision > best[b] ? precision : best[b];      /* not where both counts are 0 */ \
            double rise = higher - best[b], reached = step + (step * 0.01 > recall ? 0.0 : 1.0); \
            sum[b] += rise * reached; \
            AT_TARGET \
            best[b] = higher; \
        }
    #define RAISE_AT_TARGET RAISE( \
            beyond[b] += rise * (reached > first_step ? reached - first_step : 0.0); \
            at[b] += (double) hits[b] >= target * objects[b] - NO_HIT ? rise : 0.0;)
    #define SUM_ARGUMENTS double *restrict best, double *restrict sum, \
                          const int *restrict hits, const int *restrict seen, const int *restrict ignored, \
                          const double *restrict objects
    #define TARGET_ARGUMENTS SUM_ARGUMENTS, double *restrict beyond, double *restrict at, double first_step, double target

    static void raise_sum_plainly(SUM_ARGUMENTS) { RAISE() }
    static void raise_all_plainly(TARGET_ARGUMENTS) { RAISE_AT_TARGET }

    #if defined(__GNUC__) && defined(__x86_64__)
    __attribute__((target("avx2"))) static void raise_sum_widely(SUM_ARGUMENTS) { RAISE() }
    __attribute__((target("avx2"))) static void raise_all_widely(TARGET_ARGUMENTS) { RAISE_AT_TARGET }
    #define IS_WIDE __builtin_cpu_supports("avx2")
    #else
    #define raise_sum_widely raise_sum_plainly
    #define raise_all_widely raise_all_plainly
    #define IS_WIDE 0
    #endif

    static void raise_sum(SUM_ARGUMENTS) {
        if (IS_WIDE) raise_sum_widely(best, sum, hits, seen, ignored, objects);
        else raise_sum_plainly(best, sum, hits, seen, ignored, objects);
    }

    static void raise_all(TARGET_ARGUMENTS) {
        if (IS_WIDE) raise_all_widely(best, sum, hits, seen, ignored, objects, beyond, at, first_step, target);
        else raise_all_plainly(best, sum, hits, seen, ignored, objects, beyond, at, first_step, target);
    }
    """
    enum: AHEAD
    void ASK_FOR(const uint8_t* row) noexcept nogil
    void add_row(int32_t* counts, int sign, const uint8_t* weight) noexcept nogil
    void raise_sum(double* best, double* sum, const int32_t* hits, const int32_t* seen, const int32_t* ignored,
                   const double* objects) noexcept nogil
    void raise_all(double* best, double* sum, const int32_t* hits, const int32_t* seen, const int32_t* ignored,
                   const double* objects, double* beyond, double* at, double first_step, double target) noexcept nogil


cdef struct State:
    double[MOST_THRESHOLDS][ABREAST] best           # precision from here to the last detection
    double[MOST_THRESHOLDS][ABREAST] sum            # of interpolated precision over recall steps
    double[ABREAST] beyond                          # the same over the last steps only, at threshold 0
    double[ABREAST] at                              # interpolated precision at the target recall, at threshold 0
    double[ABREAST] objects                         # 1 where there is none
    int32_t[MOST_THRESHOLDS][ABREAST] hits          # up to here
    int32_t[MOST_THRESHOLDS][ABREAST] ignored       # up to here
    int32_t[ABREAST] seen                           # up to here, ignored or not
    int32_t[ABREAST] present                        # objects


cdef struct Ranked:
    const int32_t* image
    const uint16_t* found
    const uint16_t* ignored
    Py_ssize_t count
    unsigned int asked          # bit t: threshold t counts


def mean_values(weights, ends, image, found, ignored, object_ends, object_image, int thresholds, int first_step,
                target):
    """Means over classes in 64 replicates, in rows of 64: AP at each threshold, recall at each, precision beyond the
    target recall and at it; and of each class 64 bits that say in which replicates it has an object, and takes part in
    the means.

    `weights` has 64 bytes an image, none above 13. Class by class, `image`, `found` and `ignored` hold the detections
    in order, and `object_image` the image of each object; a class ends at its place in `ends` and `object_ends`.
    Precision beyond is over recall steps from `first_step` on, that at the target is of any recall from `target` on;
    both are at threshold 0, and NaN without a target. NaN also where no class has an object.
    """
    cdef const uint8_t[::1] weight = weights
    cdef const long long[::1] end = ends, object_end = object_ends
    cdef const int[::1] place = image, object_place = object_image
    cdef const uint16_t[::1] hit = found, out = ignored
    cdef Column means, presence
    cdef double* totals
    cdef uint64_t* present
    cdef Py_ssize_t b, c, start = 0, object_start = 0
    cdef int32_t[ABREAST] classes
    cdef double wanted = NO_TARGET if target is None else target
    cdef Ranked ranked
    cdef State state
    check_between("thresholds", thresholds, 1, MOST_THRESHOLDS)
    check_between("first_step", first_step, 0, STEPS - 1)
    if target is not None and not 0 <= wanted <= 1:
        raise ValueError(f"target: found {target}, expected a number from 0 to 1")
    check_weights(weight)
    check_group("image", place, end, weight.shape[0] // ABREAST)
    check_group("object_image", object_place, object_end, weight.shape[0] // ABREAST)
    check_length("object_ends", object_end.shape[0], end.shape[0])
    check_length("found", hit.shape[0], place.shape[0])
    check_length("ignored", out.shape[0], place.shape[0])
    means = Column("d", (2 * thresholds + 2) * ABREAST)
    totals = <double*> means.data
    presence = Column("Q", end.shape[0])
    present = <uint64_t*> presence.data
    memset(classes, 0, sizeof(classes))
    ranked.asked = (1 << thresholds) - 1
    with nogil:
        for c in range(end.shape[0]):
            if object_end[c] > object_start:
                clear(&state, thresholds)
                add_rows(state.present, 1, &weight[0], <const int32_t*> &object_place[object_start],
                         object_end[c] - object_start)
                ranked.count = end[c] - start
                if ranked.count:
                    ranked.image, ranked.found, ranked.ignored = <const int32_t*> &place[start], &hit[start], &out[start]
                count_all(&state, ranked, &weight[0])
                add_recalls(&state, totals + thresholds * ABREAST, thresholds)
                walk(&state, ranked, &weight[0], first_step, wanted)
                add_precisions(&state, totals, thresholds, first_step)
                for b in range(ABREAST):
                    classes[b] += state.present[b] > 0
                    present[c] |= <uint64_t> (state.present[b] > 0) << b
            start, object_start = end[c], object_end[c]
        divide(totals, 2 * thresholds + 2, classes)
        for b in range(2 * ABREAST if wanted == NO_TARGET else 0):
            totals[2 * thresholds * ABREAST + b] = NAN
    return means, presence


cdef void clear(State* state, int thresholds) noexcept nogil:
    """Zero what the thresholds need: all 25 kB of it would be most of the work of a class with few detections."""
    cdef size_t doubles = thresholds * sizeof(state.sum[0]), counts = thresholds * sizeof(state.hits[0])
    memset(state.best, 0, doubles)
    memset(state.sum, 0, doubles)
    memset(state.beyond, 0, sizeof(state.beyond))
    memset(state.at, 0, sizeof(state.at))
    memset(state.hits, 0, counts)
    memset(state.ignored, 0, counts)
    memset(state.seen, 0, sizeof(state.seen))
    memset(state.present, 0, sizeof(state.present))


cdef void count_all(State* state, Ranked ranked, const uint8_t* weight) noexcept nogil:
    """Counts up to the last detection."""
    cdef Py_ssize_t i, b
    cdef unsigned int found, ignored
    cdef const uint8_t* row
    add_rows(state.seen, 1, weight, ranked.image, ranked.count)
    for i in range(ranked.count):
        if i + AHEAD < ranked.count and ranked.found[i + AHEAD] | ranked.ignored[i + AHEAD]:
            ASK_FOR(weight + <Py_ssize_t> ranked.image[i + AHEAD] * ABREAST)
        ignored = ranked.ignored[i] & ranked.asked
        found = ranked.found[i] & ranked.asked & ~ignored
        if found | ignored:
            row = weight + <Py_ssize_t> ranked.image[i] * ABREAST
            add_at_bits(state.hits, 1, row, found)
            add_at_bits(state.ignored, 1, row, ignored)
    for b in range(ABREAST):
        state.objects[b] = max(state.present[b], 1)


cdef inline void add_at_bits(int32_t[ABREAST]* counts, int sign, const uint8_t* row, unsigned int bits) noexcept nogil:
    cdef int t = 0
    while bits:
        if bits & 1:
            add_row(counts[t], sign, row)
        bits >>= 1
        t += 1


cdef void walk(State* state, Ranked ranked, const uint8_t* weight, int first_step, double target) noexcept nogil:
    """From the last detection to the first."""
    cdef Py_ssize_t i, last = ranked.count - 1          # the last detection that `seen` counts
    cdef unsigned int found, ignored, surpassed = 0     # at these thresholds the next detection is a true positive
    cdef const uint8_t* row
    for i in range(ranked.count - 1, -1, -1):
        if i >= AHEAD:
            ASK_FOR(weight + <Py_ssize_t> ranked.image[i - AHEAD] * ABREAST)
        ignored = ranked.ignored[i] & ranked.asked
        found = ranked.found[i] & ranked.asked & ~ignored
        if found | ignored:
            add_rows(state.seen, -1, weight, ranked.image + i + 1, last - i)
            last = i
            raise_at_bits(state, found & ~surpassed, first_step, target)
            row = weight + <Py_ssize_t> ranked.image[i] * ABREAST
            add_at_bits(state.hits, -1, row, found)
            add_at_bits(state.ignored, -1, row, ignored)
        surpassed = found | (surpassed & ignored)


cdef inline void raise_at_bits(State* state, unsigned int bits, int first_step, double target) noexcept nogil:
    """Raise the best precision at some thresholds. No target is asked for beyond the first, or where there is none."""
    cdef int t = 0
    if bits & 1 and target != NO_TARGET:
        raise_all(state.best[0], state.sum[0], state.hits[0], state.seen, state.ignored[0], state.objects,
                  state.beyond, state.at, first_step, target)
        bits &= ~<unsigned int> 1
    while bits:
        if bits & 1:
            raise_sum(state.best[t], state.sum[t], state.hits[t], state.seen, state.ignored[t], state.objects)
        bits >>= 1
        t += 1


cdef void add_recalls(State* state, double* totals, int thresholds) noexcept nogil:
    cdef Py_ssize_t t, b
    for t in range(thresholds):
        for b in range(ABREAST):
            totals[t * ABREAST + b] += state.hits[t][b] / state.objects[b]


cdef void add_precisions(State* state, double* totals, int thresholds, int first_step) noexcept nogil:
    cdef Py_ssize_t t, b
    for t in range(thresholds):
        for b in range(ABREAST):
            totals[t * ABREAST + b] += state.sum[t][b] / STEPS
    for b in range(ABREAST):
        totals[2 * thresholds * ABREAST + b] += state.beyond[b] / (STEPS - first_step)
        totals[(2 * thresholds + 1) * ABREAST + b] += state.at[b]


cdef void divide(double* totals, Py_ssize_t rows, const int32_t* classes) noexcept nogil:
    cdef Py_ssize_t r, b
    for r in range(rows):
        for b in range(ABREAST):
            totals[r * ABREAST + b] = totals[r * ABREAST + b] / classes[b] if classes[b] else NAN
