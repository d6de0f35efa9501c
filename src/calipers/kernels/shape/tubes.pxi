"""Lines with a thickness: the cells of the norm1000 grid whose centres lie at most half a stroke from the polyline.

The grid has 1000 by 1000 cells with centres at half-integers. A tube is made of a slab along each segment and a disc
around each vertex, which `cells` finds; both are convex, so in one row of cells each is an interval, and a line's tube
is a list of such spans, built once per line. Those of a line of many points are collected as bits of the grid, since
its rows may have many spans. Distance knows no direction, so neither does the tube. Each record has a limit of work
(see `work`).
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport sqrt
from libc.string cimport memcpy

from ..scan.column cimport Column
from ..scan.entry cimport all_within, are_within, check_length, check_offsets
cdef enum:
    MOST_SPANS = 501
    MOST_ROWS = 4200
    WIDEST_EXACT = 64
    MANY_POINTS = 64        # of a line whose pieces are collected as bits
    STORE_STEPS = 4         # to keep a row of a layer

cdef struct Span:
    int begin, end


cdef struct Tube:
    Py_ssize_t at           # where its layers start: for each layer its begins, then its ends, row by row
    int first_row, behind, rows, layers
    long long area
    double length
    bint built


cdef Span* FURTHER = NULL


cdef Span* further_spans() noexcept:
    """Room for all spans but the first of each row, kept for good: one tube is built at a time."""
    global FURTHER
    if FURTHER == NULL:
        FURTHER = <Span*> PyMem_Malloc(CELLS * MOST_SPANS * sizeof(Span))
    return FURTHER


@cython.final
cdef class Tubes:
    """The tubes of one side's lines, each built when first asked for.

    A row's spans are in order and apart from each other. Layer k of a tube holds span k of every row, empty where a row
    has fewer; most tubes have one layer.
    """

    cdef const long long[::1] starts
    cdef const double[::1] points, bounds
    cdef const unsigned char[::1] kind, reason
    cdef double radius, near
    cdef Tube* tubes
    cdef Rows piece             # the slab or disc at hand
    cdef Rows disc              # the disc around an integer vertex at the origin
    cdef int several_first      # rows of the tube being built that have more than one span are all
    cdef int several_last       # between these two
    cdef short begin[CELLS + ROW_GROUP]     # of the first span of each of its rows
    cdef short end[CELLS + ROW_GROUP]
    cdef int more_count[CELLS]  # how many more spans a row has
    cdef Span* more             # those, MOST_SPANS to a row
    cdef short new_begin[CELLS + ROW_GROUP]
    cdef short new_end[CELLS + ROW_GROUP]
    cdef Column layers
    cdef bint collects_bits
    cdef Grid grid              # for lines of many points, made when there is one

    def __cinit__(self, objects, int stroke_width):
        cdef Py_ssize_t i, count
        self.starts, self.points, self.bounds = objects.starts, objects.points, objects.bounds
        self.kind, self.reason = objects.kind, objects.reason
        self.check(stroke_width)
        self.radius = min(stroke_width, 4 * CELLS) / 2.0
        self.near = NEAR if self.radius <= WIDEST_EXACT else NEAR_WIDE
        self.layers = Column("h")
        self.several_first, self.several_last = CELLS, -1
        count = self.kind.shape[0]
        self.tubes = <Tube*> PyMem_Malloc((count + 1) * sizeof(Tube))
        self.piece.begin = <short*> PyMem_Calloc(4 * MOST_ROWS + ROW_GROUP, sizeof(short))
        self.more = further_spans()
        if self.tubes == NULL or self.piece.begin == NULL or self.more == NULL:
            raise MemoryError()
        for i in range(count):
            self.tubes[i].built = False
        self.piece.end = self.piece.begin + MOST_ROWS
        self.disc.begin = self.piece.begin + 2 * MOST_ROWS
        self.disc.end = self.piece.begin + 3 * MOST_ROWS
        disc_rows(0, 0, self.radius, self.near, &self.disc)
        if self.radius > WIDEST_EXACT:
            settle_rows([0.0, 0.0], True, self.radius * self.radius, &self.disc)

    def __dealloc__(self):
        PyMem_Free(self.tubes)
        PyMem_Free(self.piece.begin)

    cdef inline bint has(self, Py_ssize_t i) noexcept:
        return self.kind[i] == KIND_LINE and not self.reason[i]

    cdef inline long long segments(self, Py_ssize_t i) noexcept:
        return (self.starts[i + 1] - self.starts[i]) // 2 - 1

    cdef int check(self, int stroke_width) except -1:
        """Columns of one length, and points of lines on the grid."""
        cdef Py_ssize_t i, count = self.kind.shape[0]
        cdef bint all_inside = all_within(self.points, 0, CELLS), none_short = True
        if stroke_width < 0:
            raise ValueError(f"stroke_width: found {stroke_width}, expected at least 0")
        check_length(self.reason.shape[0], count, "reason")
        check_length(self.bounds.shape[0], 4 * count, "bounds")
        check_length(self.starts.shape[0], count + 1, "starts")
        check_offsets(self.starts, self.points.shape[0], "starts")
        for i in range(count):                  # one branch for all of them
            none_short &= (self.kind[i] != KIND_LINE) | (self.reason[i] != 0) | (self.starts[i + 1] - self.starts[i] >= 2)
        for i in range(0 if all_inside and none_short else count):
            if not self.has(i):
                continue
            if self.starts[i + 1] - self.starts[i] < 2:
                raise ValueError(f"points: line {i} has none")
            if not are_within(&self.points[self.starts[i]], self.starts[i + 1] - self.starts[i], 0, CELLS):
                raise ValueError(f"points: line {i} has numbers outside, expected 0 to {CELLS}")
        return 0

    cdef bint ensure(self, Py_ssize_t i, Work work) except -1:
        """Build the tube of a line unless it is there; False if that takes more work than is allowed."""
        cdef Py_ssize_t n = (self.starts[i + 1] - self.starts[i]) // 2
        cdef const double* xy = &self.points[self.starts[i]]
        cdef Tube* tube = &self.tubes[i]
        if tube.built:
            return True
        tube.first_row, tube.behind, tube.rows, tube.length = 0, 0, 0, 0
        self.empty_rows(xy, n)
        self.collects_bits = n > MANY_POINTS
        if self.collects_bits:
            self.grid = self.grid or Grid()
            self.grid.clear()
        if not self.build(tube, xy, n, work):
            return False
        if self.collects_bits:
            self.read_grid(tube)
        self.store(tube)
        tube.built = True
        return work.add(STORE_STEPS * tube.rows * tube.layers)

    cdef bint build(self, Tube* tube, const double* xy, Py_ssize_t n, Work work) noexcept:
        cdef Py_ssize_t k
        self.add_disc(tube, xy)
        for k in range(n - 1):                  # in this order each piece touches the one before
            slab_rows(xy + 2 * k, self.radius, self.near, &self.piece)
            if self.radius > WIDEST_EXACT:
                settle_rows(xy + 2 * k, False, self.radius * self.radius, &self.piece)
            if not work.add(max(self.piece.last - self.piece.first, 0) + self.disc.last - self.disc.first):
                return False
            self.collect(tube, &self.piece, 0, 0)
            self.add_disc(tube, xy + 2 * k + 2)
            tube.length += sqrt((xy[2 * k + 2] - xy[2 * k]) ** 2 + (xy[2 * k + 3] - xy[2 * k + 1]) ** 2)
        return True

    cdef void add_disc(self, Tube* tube, const double* at) noexcept nogil:
        if at[0] == <int> at[0] and at[1] == <int> at[1]:
            self.collect(tube, &self.disc, <int> at[0], <int> at[1])
            return
        disc_rows(at[0], at[1], self.radius, self.near, &self.piece)
        if self.radius > WIDEST_EXACT:
            settle_rows(at, True, self.radius * self.radius, &self.piece)
        self.collect(tube, &self.piece, 0, 0)

    cdef void collect(self, Tube* tube, const Rows* rows, int x, int y) noexcept nogil:
        """Add rows, moved by (x, y), to the tube.

        Most pieces touch in every row what is there, and are joined row by row with no more than a minimum and a
        maximum; others row by row.
        """
        cdef int first = max(0, rows.first + y), count = min(CELLS - 1, rows.last + y) - first + 1
        cdef short* begin = self.new_begin + first
        cdef short* end = self.new_end + first
        cdef bint apart
        cdef int k
        if count <= 0:
            return
        apart = cut_to_grid(rows.begin + (first - rows.first - y), rows.end + (first - rows.first - y), <short> x, count,
                            begin, end, self.begin + first, self.end + first)
        if self.collects_bits:
            self.grid.fill(first, count, begin, end)
            return
        self.widen(tube, first, first + count)
        if not apart and (first > self.several_last or first + count <= self.several_first):
            join_all(begin, end, self.begin + first, self.end + first, count)
            return
        for k in range(count):
            if begin[k] < end[k]:
                self.add_span(first + k, begin[k], end[k])

    cdef void read_grid(self, Tube* tube) noexcept:
        """The spans of all rows that have cells."""
        cdef int row, at, begin
        for row in range(CELLS):
            at = self.grid.next_cell(row, 0, True)
            if at == CELLS:
                continue
            self.widen(tube, row, row + 1)
            while at < CELLS:
                begin = at
                at = self.grid.next_cell(row, begin, False)
                self.add_span(row, <short> begin, <short> at)
                at = self.grid.next_cell(row, at, True)

    cdef void widen(self, Tube* tube, int first, int behind) noexcept nogil:
        """Let the tube begin and end at these rows at least."""
        tube.first_row = min(tube.first_row, first) if tube.rows else first
        tube.behind = max(tube.behind, behind)
        tube.rows = tube.behind - tube.first_row

    cdef void empty_rows(self, const double* xy, Py_ssize_t n) noexcept nogil:
        """Let all rows that a tube may have hold an empty span."""
        cdef double low = xy[1], high = xy[1]
        cdef Py_ssize_t k
        cdef int row, first, behind
        for k in range(1, n):
            low = min(low, xy[2 * k + 1])
            high = max(high, xy[2 * k + 1])
        first = <int> max(0.0, low - self.radius - 2)
        behind = <int> min(<double> CELLS, high + self.radius + 3)
        empty_spans(self.begin + first, self.end + first, behind - first)
        for row in range(self.several_first, self.several_last + 1):        # of the tube before
            self.more_count[row] = 0
        self.several_first, self.several_last = CELLS, -1

    cdef Span span(self, int row, int k) noexcept nogil:
        cdef Span first
        if k:
            return self.more[row * MOST_SPANS + k]
        first.begin, first.end = self.begin[row], self.end[row]
        return first

    cdef void put(self, int row, int k, Span span) noexcept nogil:
        if k:
            self.more[row * MOST_SPANS + k] = span
        else:
            self.begin[row], self.end[row] = span.begin, span.end

    cdef inline void add_span(self, int row, short begin, short end) noexcept nogil:
        """Most rows have one span, which the new one touches."""
        cdef short old_begin = self.begin[row], old_end = self.end[row]
        if self.more_count[row] == 0 and (old_begin >= old_end or (begin <= old_end and old_begin <= end)):
            self.begin[row] = min(begin, old_begin)
            self.end[row] = max(end, old_end)
        else:
            self.insert(row, begin, end)

    cdef void insert(self, int row, int begin, int end) noexcept nogil:
        """Join a span with all it touches."""
        cdef int k = 0, touched, n = self.more_count[row] + (self.begin[row] < self.end[row]), i
        cdef Span joined
        joined.begin, joined.end = begin, end
        while k < n and self.span(row, k).end < begin:
            k += 1
        touched = k
        while touched < n and self.span(row, touched).begin <= joined.end:
            joined.begin = min(joined.begin, self.span(row, touched).begin)
            joined.end = max(joined.end, self.span(row, touched).end)
            touched += 1
        if touched == k:
            for i in range(n, k, -1):
                self.put(row, i, self.span(row, i - 1))
        else:
            for i in range(touched, n):
                self.put(row, k + 1 + i - touched, self.span(row, i))
        self.more_count[row] = n - (touched - k)
        if self.more_count[row]:
            self.several_first = min(self.several_first, row)
            self.several_last = max(self.several_last, row)
        self.put(row, k, joined)

    cdef int store(self, Tube* tube) except -1:
        """Move the collected rows to their layers."""
        cdef int row, k, rows = tube.rows
        cdef short* begins
        tube.at = self.layers.size
        tube.layers = 1
        tube.area = 0
        for row in range(self.several_first, self.several_last + 1):
            tube.layers = max(tube.layers, self.more_count[row] + 1)
        self.layers.reserve(2 * rows * tube.layers)
        for k in range(tube.layers):
            begins = (<short*> self.layers.data) + tube.at + 2 * k * rows
            if k == 0:
                memcpy(begins, self.begin + tube.first_row, rows * sizeof(short))
                memcpy(begins + rows, self.end + tube.first_row, rows * sizeof(short))
            else:
                self.other_layer(tube, k, begins)
            tube.area += shared_in_layers(begins, begins + rows, begins, begins + rows, rows)
        self.layers.size += 2 * rows * tube.layers
        return 0

    cdef void other_layer(self, const Tube* tube, int k, short* begins) noexcept nogil:
        cdef int row, rows = tube.rows
        cdef Span span
        for row in range(rows):
            span.begin, span.end = NOTHING_BEGIN, NOTHING_END
            if self.more_count[tube.first_row + row] >= k:
                span = self.more[(tube.first_row + row) * MOST_SPANS + k]
            begins[row] = span.begin
            begins[rows + row] = span.end
