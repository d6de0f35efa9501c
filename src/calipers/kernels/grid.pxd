cdef enum:
    CELLS = 1000
    WORDS = 16              # of 64 cells, for a row


cdef class Grid:
    cdef unsigned long long[CELLS * WORDS] bits

    cdef void clear(self) noexcept nogil
    cdef void fill(self, int first, int count, const short* begin, const short* end) noexcept nogil
    cdef int next_cell(self, int row, int at, bint is_set) noexcept nogil
