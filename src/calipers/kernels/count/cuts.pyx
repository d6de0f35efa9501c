"""The score that serves a class best in many bootstrap replicates at once, 64 of them side by side.

In a replicate an image counts as often as its weight says, with all its detections and objects. The detections of a
class are gone through from the surest on. Wherever one may cut, F1 is 2 * right / (objects + kept) there, in doubles; the
first of the best cuts is taken. It ends where no later cut can be better: if all that is right were found by now.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from ..scan.checks cimport check_length
from ..scan.column cimport Column
from .abreast cimport ABREAST, add_rows, check_group, check_weights

cdef enum:
    LOOKED_AHEAD = 64           # cuts, after which it is asked whether a later one can be better

CUT_REPLICATES = ABREAST


cdef extern from *:
    """
    static inline double f1_of(int right, int objects, int kept) {
        double both = (double) objects + (double) kept;
        return 2.0 * (double) right / (both > 1.0 ? both : 1.0);
    }

    static void take_better(double *restrict best, int *restrict place, int here, const int *restrict right,
                            const int *restrict kept, const int *restrict objects) {
        for (int b = 0; b < ABREAST; b++) {
            double f1 = f1_of(right[b], objects[b], kept[b]);
            place[b] = f1 > best[b] ? here : place[b];
            best[b] = f1 > best[b] ? f1 : best[b];
        }
    }

    /* Whether a cut that keeps no more than is kept now, and all that is right, would be better somewhere */
    static int can_rise(const double *restrict best, const int *restrict most, const int *restrict kept,
                        const int *restrict objects) {
        int some = 0;
        for (int b = 0; b < ABREAST; b++) some |= f1_of(most[b], objects[b], kept[b]) > best[b];
        return some;
    }
    """
    void take_better(double* best, int32_t* place, int32_t here, const int32_t* right, const int32_t* kept,
                     const int32_t* objects) noexcept nogil
    bint can_rise(const double* best, const int32_t* most, const int32_t* kept, const int32_t* objects) noexcept nogil


cdef struct CutState:
    double[ABREAST] best            # F1 so far
    int32_t[ABREAST] objects
    int32_t[ABREAST] most           # right detections, in all
    int32_t[ABREAST] kept           # up to here
    int32_t[ABREAST] right          # up to here


cdef struct CutClass:
    const int32_t* image            # of each detection, the surest first
    const uint8_t* stop             # whether one may cut behind it
    Py_ssize_t count
    const int32_t* right            # the image of each detection that is right, in the same order
    const int32_t* right_before     # how many of them come before each detection, and one more for all
    Py_ssize_t first                # where the class begins


def best_cuts(weights, ends, image, right, stops, object_ends, object_image):
    """In 64 replicates the last detection that the best cut of each class keeps, in rows of 64; -1 where none is right.

    `weights` has 64 bytes an image, none above 13. Class by class, `image`, `right` and `stops` hold detections, the
    surest first: where each is, whether it is right (1 or 0), and whether one may cut behind it. `object_image` has
    the image of each object; a class ends at its place in `ends` and `object_ends`.
    """
    cdef const uint8_t[::1] weight = weights, hit = right, stop = stops
    cdef const long long[::1] end = ends, object_end = object_ends
    cdef const int[::1] place = image, object_place = object_image
    cdef Column places, hits, before
    cdef int32_t* out
    cdef Py_ssize_t c, start = 0, object_start = 0
    cdef CutClass members
    cdef CutState state
    check_weights(weight)
    check_group("image", place, end, weight.shape[0] // ABREAST)
    check_group("object_image", object_place, object_end, weight.shape[0] // ABREAST)
    check_length("object_ends", object_end.shape[0], end.shape[0])
    check_length("right", hit.shape[0], place.shape[0])
    check_length("stops", stop.shape[0], place.shape[0])
    places = Column("i", end.shape[0] * ABREAST)
    hits, before = Column("i", place.shape[0]), Column("i", place.shape[0] + 1)
    out = <int32_t*> places.data
    with nogil:
        gather_right(place, hit, <int32_t*> hits.data, <int32_t*> before.data)
        for c in range(end.shape[0]):
            memset(&state, 0, sizeof(CutState))
            memset(out + c * ABREAST, 0xFF, ABREAST * sizeof(int32_t))          # -1
            if end[c] > start:
                members.image, members.stop = <const int32_t*> &place[start], &stop[start]
                members.right, members.right_before = <int32_t*> hits.data, <int32_t*> before.data + start
                members.count, members.first = end[c] - start, start
                if object_end[c] > object_start:
                    add_rows(state.objects, 1, &weight[0], <const int32_t*> &object_place[object_start],
                             object_end[c] - object_start)
                find_best(&state, members, &weight[0], out + c * ABREAST)
            start, object_start = end[c], object_end[c]
    return places


cdef void gather_right(const int[::1] place, const uint8_t[::1] hit, int32_t* right, int32_t* before) noexcept nogil:
    """The images of right detections, and how many of them come before each detection."""
    cdef Py_ssize_t i
    cdef int32_t count = 0
    for i in range(place.shape[0]):
        before[i] = count
        if hit[i]:
            right[count] = place[i]
            count += 1
    before[place.shape[0]] = count


cdef void find_best(CutState* state, CutClass members, const uint8_t* weight, int32_t* out) noexcept nogil:
    """Go through the detections of a class, the surest first."""
    cdef Py_ssize_t i, kept = 0, cuts = 0
    cdef const int32_t* before = members.right_before
    add_rows(state.most, 1, weight, members.right + before[0], before[members.count] - before[0])
    for i in range(members.count):
        if members.stop[i]:
            add_rows(state.kept, 1, weight, members.image + kept, i + 1 - kept)
            add_rows(state.right, 1, weight, members.right + before[kept], before[i + 1] - before[kept])
            kept = i + 1
            take_better(state.best, out, <int32_t> (members.first + i), state.right, state.kept, state.objects)
            cuts += 1
            if cuts % LOOKED_AHEAD == 0 and not can_rise(state.best, state.most, state.kept, state.objects):
                return
