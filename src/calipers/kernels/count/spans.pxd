cdef struct Span:
    long long start, end            # first and last frame
    int state


cdef struct Partners:
    Py_ssize_t truth, pred
    long long shared                # frames


cdef struct Plan:
    Py_ssize_t count, truth_end, pred_end
    long long total
    bint taken


cdef class Side:
    cdef const long long[::1] offsets, starts, ends
    cdef const int[::1] states, rank
    cdef Span* spans                # intervals of the video at hand, in painting order
    cdef Py_ssize_t count
    cdef Span* runs                 # its painted runs
    cdef Py_ssize_t run_count
    cdef Span* active               # its runs of states that are not idle, joined
    cdef long long* focus           # (active,) first focus frame inside, -1 for none
    cdef Py_ssize_t active_count
    cdef Span* stack
    cdef long long overlapped       # frames that more than one state claims

    cdef int check(self) except -1
    cdef Py_ssize_t longest(self) noexcept nogil
    cdef long long last_frame(self, Py_ssize_t video) noexcept nogil
    cdef void load(self, Py_ssize_t video, long long frames, int idle, int focus) noexcept nogil
    cdef void paint(self, long long frames, int idle) noexcept nogil
    cdef void emit(self, long long start, long long end, int state) noexcept nogil
    cdef void join_active(self, int idle, int focus) noexcept nogil
    cdef void count_overlapped(self) noexcept nogil


cdef Py_ssize_t match_in_order(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, long long min_frames,
                               Partners* pairs, Plan* plans) noexcept nogil
cdef bint is_ordered(const Span* spans, Py_ssize_t count) noexcept nogil
cdef Py_ssize_t keep_segments(Span* runs, Py_ssize_t count, const unsigned char[::1] ignored) noexcept nogil
cdef void count_segments(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, unsigned char* taken,
                         long long* out) noexcept nogil
cdef long long count_edits(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, distance) except -1
