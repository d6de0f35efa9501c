from .work cimport Work


cdef class Candidates:
    cdef Py_ssize_t count       # how many were found
    cdef int* found             # (count,) their indices, ascending
    cdef const double* bounds
    cdef Py_ssize_t size, capacity
    cdef int* order             # (size,) objects by their left edge
    cdef double* left           # (size,) that edge
    cdef double* reach          # (size,) the largest right edge up to here, ascending

    cdef int begin(self, const double[::1] bounds, Py_ssize_t begin, Py_ssize_t end) except -1
    cdef bint find(self, const double* bounds, double reach, Work work) noexcept
    cdef void free(self) noexcept
    cdef int make_room(self, Py_ssize_t size) except -1
    cdef int sort(self, Py_ssize_t begin) except -1
