from .spans cimport Span

cdef Py_ssize_t count_pairs(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m,
                            long long min_frames) except -1
cdef void first_meeting(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, long long min_frames,
                        long long* reach, long long* out) noexcept nogil
