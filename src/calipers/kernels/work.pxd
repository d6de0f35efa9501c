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
