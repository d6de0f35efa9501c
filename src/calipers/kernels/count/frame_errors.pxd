"""Wrong frames by kind, from the stretches of a video in which neither side changes its state.

The rule is told in `calipers.suites.timeline.frame_errors`. `out` has frames of each kind, then stretches of each, in the
order of FRAME_ERRORS.
"""

cdef struct Piece:
    int truth, pred             # states
    long long frames


cdef enum:
    ERROR_KINDS = 9

cdef enum:                      # which side is active
    NEITHER, PRED_ONLY, TRUTH_ONLY, BOTH

cdef enum:                      # places in FRAME_ERRORS; after each of the first two come the others of its side
    INSERTION = 0
    DELETION = 4
    SUBSTITUTION = 8


cdef inline void keep_error(long long* out, int kind, long long frames) noexcept nogil:
    out[kind] += frames
    out[ERROR_KINDS + kind] += 1


cdef inline void keep_stretch(long long* out, int before, int here, int after, long long frames) noexcept nogil:
    """Count a stretch with one side active, by which of its neighbours have both."""
    cdef int left = before == BOTH, right = after == BOTH, first = INSERTION
    if here == NEITHER or here == BOTH:
        return
    if here == TRUTH_ONLY:
        first = DELETION
    keep_error(out, first + left if left == right else first + 2 + left, frames)


cdef inline void count_errors(const Piece* pieces, Py_ssize_t n, int idle, long long* out) noexcept nogil:
    """Count pieces in order of time. Beyond the ends of a video neither side is active."""
    cdef Py_ssize_t k
    cdef int before = NEITHER, here = NEITHER, after
    cdef long long frames = 0
    for k in range(n):
        after = (TRUTH_ONLY if pieces[k].truth != idle else 0) + (PRED_ONLY if pieces[k].pred != idle else 0)
        if after != here:
            keep_stretch(out, before, here, after, frames)
            before, here, frames = here, after, 0
        frames += pieces[k].frames
        if here == BOTH and pieces[k].truth != pieces[k].pred:
            keep_error(out, SUBSTITUTION, pieces[k].frames)
    keep_stretch(out, before, here, NEITHER, frames)
