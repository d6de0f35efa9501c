cdef enum:
    PAIR_STEPS = 40             # to keep, sort and match a pair that overlaps


cdef class Work:
    cdef readonly list records      # those that were refused
    cdef long long per_number, allowed, done

    cdef void begin(self, long long numbers) noexcept
    cdef int refuse(self, Py_ssize_t record) except -1
    cdef int finish(self) except -1

    cdef inline bint add(self, long long steps) noexcept:
        """Whether a record still may go on after so many more steps."""
        self.done += steps
        return self.done <= self.allowed


cdef class Candidates:
    cdef Py_ssize_t count       # how many were found
    cdef int* found             # (count,) their indices, ascending
    cdef const double* bounds
    cdef Py_ssize_t size, capacity
    cdef int* order             # (size,) objects by their left edge
    cdef double* left           # (size,) that edge
    cdef double* reach          # (size,) the largest right edge up to here, ascending

    cdef int begin(self, const double* bounds, Py_ssize_t begin, Py_ssize_t end) except -1
    cdef bint find(self, const double* bounds, double reach, Work work) noexcept
    cdef void free(self) noexcept
    cdef int make_room(self, Py_ssize_t size) except -1
    cdef int sort(self, Py_ssize_t begin) except -1
