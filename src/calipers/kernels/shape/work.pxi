"""How much work comparing the shapes of one record may take, counted in steps of about 2 ns, and what saves some.

A record may take MAX_WORK steps for each number of its shapes; a small one is allowed those of SMALL numbers, a large
one no more than those of LARGE. So work is in proportion to the input, and lists of pairs fit into memory. Counting
depends on the record alone: neither on the machine nor on the records beside it.

Which objects of a record may meet a given one is told by their bounds. Of few objects all are looked at, two at a time.
Many are put in the order of their left edges, so that those which may meet another stand side by side, and only these
are looked at.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdlib cimport qsort

from .fewbounds cimport FEW, FewBounds, find_few, lowest_bit, near_few

cdef enum:
    SORT_STEPS = 8              # to put a candidate in its place
    PAIR_STEPS = 40             # to keep, sort and match a pair that overlaps

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

    cdef readonly list records      # those that were refused
    cdef long long per_number, allowed, done

    def __cinit__(self, max_work):
        if not 0 < max_work <= 10 ** 12:
            raise ValueError(f"max_work: found {max_work}, expected 1 to 10 ** 12")
        self.per_number, self.records = max_work, []

    cdef void begin(self, long long numbers) noexcept:
        """A record whose shapes have so many numbers."""
        self.allowed = self.per_number * max(SMALL_NUMBERS, min(numbers, LARGE_NUMBERS))
        self.done = 0

    cdef inline bint add(self, long long steps) noexcept:
        """Whether a record still may go on after so many more steps."""
        self.done += steps
        return self.done <= self.allowed

    cdef int refuse(self, Py_ssize_t record) except -1:
        self.records.append(record)
        return 0

    cdef int finish(self) except -1:
        if self.records:
            raise WorkLimitError(self.records, self.per_number)
        return 0


# Candidates


cdef struct SideEdges:
    double left, right
    int index


cdef int by_left(const void* a, const void* b) noexcept nogil:
    cdef const SideEdges* s = <const SideEdges*> a
    cdef const SideEdges* t = <const SideEdges*> b
    if s.left != t.left:
        return -1 if s.left < t.left else 1
    return (s.index > t.index) - (s.index < t.index)


cdef int by_index(const void* a, const void* b) noexcept nogil:
    return ((<const int*> a)[0] > (<const int*> b)[0]) - ((<const int*> a)[0] < (<const int*> b)[0])


cdef inline bint out_of_reach(const double* s, const double* t, double reach) noexcept nogil:
    return ((s[0] - reach > t[2]) | (t[0] - reach > s[2]) | (s[1] - reach > t[3])
            | (t[1] - reach > s[3]))                                                 # one branch, not four


cdef Py_ssize_t count_below(const double* ascending, Py_ssize_t size, double limit, bint included) noexcept nogil:
    """How many numbers are below the limit, or at most there if that is `included`."""
    cdef Py_ssize_t low = 0, high = size, middle
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < limit or (included and ascending[middle] == limit):
            low = middle + 1
        else:
            high = middle
    return low


cdef class Candidates:
    """Begun once for the objects of a record, asked once for each object of the other side."""

    cdef Py_ssize_t count       # how many were found
    cdef int* found             # (count,) their indices, ascending
    cdef const double* bounds
    cdef FewBounds few          # those that are looked at one by one
    cdef Py_ssize_t size, capacity
    cdef int* order             # (size,) objects by their left edge
    cdef double* left           # (size,) that edge
    cdef double* reach          # (size,) the largest right edge up to here, ascending

    def __cinit__(self):
        self.capacity = self.size = self.count = 0
        self.found, self.order, self.left, self.reach = NULL, NULL, NULL, NULL

    def __dealloc__(self):
        self.free()

    cdef void free(self) noexcept:
        PyMem_Free(self.found)
        PyMem_Free(self.order)
        PyMem_Free(self.left)
        PyMem_Free(self.reach)
        self.found, self.order, self.left, self.reach, self.capacity = NULL, NULL, NULL, NULL, 0

    cdef int make_room(self, Py_ssize_t size) except -1:
        if size <= self.capacity:
            return 0
        self.free()
        self.found = <int*> PyMem_Malloc(size * sizeof(int))
        self.order = <int*> PyMem_Malloc(size * sizeof(int))
        self.left = <double*> PyMem_Malloc(size * sizeof(double))
        self.reach = <double*> PyMem_Malloc(size * sizeof(double))
        if self.found == NULL or self.order == NULL or self.left == NULL or self.reach == NULL:
            raise MemoryError()
        self.capacity = size
        return 0

    cdef int begin(self, const double* bounds, Py_ssize_t begin, Py_ssize_t end) except -1:
        """Objects `begin` to `end` of a side; `bounds` are x1, y1, x2, y2 of each."""
        cdef Py_ssize_t k
        self.size, self.count, self.few.size = end - begin, 0, 0
        if not self.size:
            return 0
        self.bounds = bounds
        self.make_room(self.size)
        self.few.size = 0
        if self.size > FEW:
            return self.sort(begin)
        for k in range(self.size):
            self.few.index[k] = <int> (begin + k)
            self.few.x1[k], self.few.y1[k] = bounds[4 * (begin + k)], bounds[4 * (begin + k) + 1]
            self.few.x2[k], self.few.y2[k] = bounds[4 * (begin + k) + 2], bounds[4 * (begin + k) + 3]
        self.few.size = self.size
        return 0

    cdef int sort(self, Py_ssize_t begin) except -1:
        cdef Py_ssize_t k
        cdef SideEdges* edges = <SideEdges*> PyMem_Malloc(self.size * sizeof(SideEdges))
        if edges == NULL:
            raise MemoryError()
        for k in range(self.size):
            edges[k].left, edges[k].right = self.bounds[4 * (begin + k)], self.bounds[4 * (begin + k) + 2]
            edges[k].index = <int> (begin + k)
        qsort(edges, self.size, sizeof(SideEdges), by_left)
        for k in range(self.size):
            self.order[k], self.left[k] = edges[k].index, edges[k].left
            self.reach[k] = max(edges[k].right, self.reach[k - 1]) if k else edges[k].right
        PyMem_Free(edges)
        return 0

    cdef void keep(self, const unsigned char* kind, unsigned char wanted) noexcept nogil:
        """Look at those of a kind only, where objects are few."""
        cdef Py_ssize_t k, kept = 0
        for k in range(self.few.size):
            self.few.index[kept] = self.few.index[k]
            self.few.x1[kept], self.few.y1[kept] = self.few.x1[k], self.few.y1[k]
            self.few.x2[kept], self.few.y2[kept] = self.few.x2[k], self.few.y2[k]
            kept += kind[self.few.index[k]] == wanted
        self.few.size = kept

    cdef bint find(self, const double* bounds, double reach, Work work) noexcept:
        """Set `found` to all objects whose bounds are within reach of these, and maybe some more; False if that takes
        more work than is allowed."""
        cdef Py_ssize_t k, first, last
        if self.size <= FEW:
            self.count = find_few(&self.few, bounds, reach, self.found)
            return work.add(self.size)
        first = count_below(self.reach, self.size, bounds[0] - reach, False)
        last = count_below(self.left, self.size, bounds[2] + reach, True)
        self.count = 0
        for k in range(first, last):
            if not out_of_reach(bounds, self.bounds + 4 * self.order[k], reach):
                self.found[self.count] = self.order[k]
                self.count += 1
        if not work.add(max(last - first, 0) + SORT_STEPS * self.count):
            return False
        qsort(self.found, self.count, sizeof(int), by_index)
        return True
