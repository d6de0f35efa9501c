"""How much work comparing the shapes of one record may take, counted in steps of about 2 ns.

A record may take MAX_WORK steps for each number of its shapes; a small one is allowed those of SMALL numbers, a large
one no more than those of LARGE. So work is in proportion to the input, and lists of pairs fit into memory. Counting
depends on the record alone: neither on the machine nor on the records beside it.
"""

MAX_WORK = 1000                     # the default, steps for each number
SMALL, LARGE = 100_000, 400_000     # numbers
cdef long long SMALL_NUMBERS = SMALL, LARGE_NUMBERS = LARGE


class WorkLimitError(Exception):
    """Some records take more work than they may."""

    def __init__(self, records, max_work):
        super().__init__(f"comparing its shapes takes more than max_work = {max_work} steps for each of their numbers")
        self.records, self.max_work = records, max_work

    def __reduce__(self):
        return WorkLimitError, (self.records, self.max_work)


cdef class Work:
    """Counts the steps of one record after another."""

    def __cinit__(self, max_work):
        if not 0 < max_work <= 10 ** 12:
            raise ValueError(f"max_work: found {max_work}, expected 1 to 10 ** 12")
        self.per_number, self.records = max_work, []

    cdef void begin(self, long long numbers) noexcept:
        """A record whose shapes have so many numbers."""
        self.allowed = self.per_number * max(SMALL_NUMBERS, min(numbers, LARGE_NUMBERS))
        self.done = 0

    cdef int refuse(self, Py_ssize_t record) except -1:
        self.records.append(record)
        return 0

    cdef int finish(self) except -1:
        if self.records:
            raise WorkLimitError(self.records, self.per_number)
        return 0
