"""Rows of cells: the cells of row k are begin[k] up to end[k], none if that is not above."""

cdef enum:
    CELLS = 1000
    WORDS = 16              # of 64 cells, for a row
    NOTHING_BEGIN = 2000    # the empty span
    NOTHING_END = -1

cdef extern from *:
    """
    #define NEAR 2e-10
    #define NEAR_WIDE 1e-6
    """
    const double NEAR
    const double NEAR_WIDE

cdef struct Rows:
    int first, last         # the rows, and for each of them the cells begin[row - first] up to end[row - first]
    short* begin
    short* end

cdef void disc_rows(double x, double y, double radius, double near, Rows* out) noexcept nogil
cdef void slab_rows(const double* a, double radius, double near, Rows* out) noexcept nogil
cdef void settle_rows(const double* a, bint disc, double radius2, Rows* rows) noexcept nogil


cdef class Grid:
    cdef unsigned long long[CELLS * WORDS] bits

    cdef void clear(self) noexcept nogil
    cdef void fill(self, int first, int count, const short* begin, const short* end) noexcept nogil
    cdef int next_cell(self, int row, int at, bint is_set) noexcept nogil


cdef inline void cut_to_grid(const short* from_begin, const short* from_end, short x, int count, short* begin,
                             short* end) noexcept nogil:
    """Cells moved by x, those of the grid; rows without any hold the empty span."""
    cdef int k
    cdef short low, high
    for k in range(count):
        low = <short> (from_begin[k] + x)
        high = <short> (from_end[k] + x)
        low = low if low > 0 else 0
        high = high if high < CELLS else CELLS
        begin[k] = low if low < high else NOTHING_BEGIN
        end[k] = high if low < high else NOTHING_END


cdef inline bint all_touch(const short* begin, const short* end, const short* old_begin, const short* old_end,
                           int count) noexcept nogil:
    """Whether no row has a span on both sides with a gap between them."""
    cdef int k
    cdef short apart = 0, gap
    for k in range(count):
        gap = (begin[k] > old_end[k]) | (end[k] < old_begin[k])
        apart |= gap & (begin[k] < end[k]) & (old_begin[k] < old_end[k])
    return apart == 0


cdef inline void join_all(const short* begin, const short* end, short* old_begin, short* old_end,
                          int count) noexcept nogil:
    cdef int k
    for k in range(count):
        old_begin[k] = begin[k] if begin[k] < old_begin[k] else old_begin[k]
        old_end[k] = end[k] if end[k] > old_end[k] else old_end[k]


cdef inline int shared_in_layers(const short* a, const short* a_end, const short* b, const short* b_end,
                                 int rows) noexcept nogil:
    """How many cells both have."""
    cdef int row, total = 0
    cdef short low, high, cells
    for row in range(rows):
        low = a[row] if a[row] > b[row] else b[row]
        high = a_end[row] if a_end[row] < b_end[row] else b_end[row]
        cells = high - low
        total += cells if cells > 0 else 0
    return total
