from .spans cimport Span


cdef Py_ssize_t keep_segments(Span* runs, Py_ssize_t count, const unsigned char[::1] ignored) noexcept nogil
cdef void count_segments(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, unsigned char* taken,
                         long long* out) noexcept nogil
cdef long long count_edits(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, distance) except -1
