"""Sums over the objects of each record, by how large the objects are.

Of every object only its size and its kind are known; a table says what an object of each kind adds to every column.
"""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from ..scan.checks cimport (
    check_between,
    check_count,
    check_indices,
    check_length,
    check_long_indices,
    check_offsets,
    check_product,
)
from ..scan.column cimport Column
from .float_bits cimport HALVES, count_lower, from_order, in_order, reached
from .size_groups cimport ANY_BITS, BLOCK, LANES, NARROW, AddObjects, way_to_add

ctypedef long long longlong


ctypedef fused Kind:
    int16_t
    longlong


cdef class Kinds:
    """Kinds of objects, of 16 bits or of 64."""

    cdef int16_t[::1] short
    cdef longlong[::1] long
    cdef Py_ssize_t count
    cdef bint is_short

    def __cinit__(self, kinds):
        self.is_short = memoryview(kinds).format == "h"
        if self.is_short:
            self.short = kinds
        else:
            self.long = kinds
        self.count = len(kinds)


def mark_matched(found, left, truth, pred, met, long long times, unsigned char bit):
    """Note a matching: `times` as often as each pair says in `met` is added at its truth in `found`, and `bit` is taken
    away at its prediction in `left`, where it is set. Both are overwritten. Numbers in `found` are of 16 bits or of 64.
    """
    cdef Kinds kinds = Kinds(found)
    cdef unsigned char[::1] at_pred = left
    cdef const int[::1] truths = truth, preds = pred, met_by = met
    check_length("pred", preds.shape[0], truths.shape[0])
    check_length("met", met_by.shape[0], truths.shape[0])
    check_indices("truth", truths, kinds.count)
    check_indices("pred", preds, at_pred.shape[0])
    if kinds.is_short:
        check_between("times", times, 0, NARROW)
        if mark_pairs[int16_t](kinds.short, at_pred, truths, preds, met_by, times, bit):
            raise ValueError("found: expected numbers that 16 bits hold")
    else:
        mark_pairs[longlong](kinds.long, at_pred, truths, preds, met_by, times, bit)


cdef bint mark_pairs(Kind[::1] at_truth, unsigned char[::1] at_pred, const int[::1] truths, const int[::1] preds,
                     const int[::1] met_by, long long times, unsigned char bit) noexcept nogil:
    """Whether any number is more than its bits hold."""
    cdef Py_ssize_t k
    cdef long long kind
    cdef bint beyond = False
    for k in range(truths.shape[0]):
        kind = at_truth[truths[k]] + times * met_by[k]
        beyond |= kind != <Kind> kind
        at_truth[truths[k]] = <Kind> kind
        at_pred[preds[k]] &= ~bit
    return beyond


def object_rows(found, left, truth_sizes, pred_sizes, truth_offsets, pred_offsets, long long truths):
    """Columns (counts, sizes, kinds) of all truths, record by record, then of the predictions that are left over.

    A truth is of the kind that `found` says, a prediction of that in `left`, 0 for one that is not left over, behind
    those of truths, of which there are `truths`. Sizes of predictions are of those that are left over alone. Kinds are
    of as many bits as those in `found`, 16 or 64.
    """
    cdef Kinds own = Kinds(found)
    cdef const float[::1] truth_size = truth_sizes, pred_size = pred_sizes
    cdef const unsigned char[::1] at_pred = left
    cdef const long long[::1] truth_end = truth_offsets, pred_end = pred_offsets
    cdef Column counts, sizes, kinds
    cdef Py_ssize_t i, more = 0
    cdef unsigned char largest = 0
    check_offsets("truth_offsets", truth_end, own.count)
    check_offsets("pred_offsets", pred_end, at_pred.shape[0])
    check_length("pred_offsets", pred_end.shape[0], truth_end.shape[0])
    check_length("truth_sizes", truth_size.shape[0], own.count)
    for i in range(at_pred.shape[0]):
        more += at_pred[i] != 0
        largest = max(largest, at_pred[i])
    check_length("pred_sizes", pred_size.shape[0], more)
    if own.is_short:
        check_between("truths", truths, 0, NARROW - largest)
    sizes, counts = Column("f", own.count + more), Column("i", 2 * (truth_end.shape[0] - 1))
    kinds = Column("h" if own.is_short else "q", own.count + more + 1)         # one is written beyond
    with nogil:
        if own.count:
            memcpy(sizes.data, &truth_size[0], own.count * sizeof(float))
        if more:
            memcpy(<float*> sizes.data + own.count, &pred_size[0], more * sizeof(float))
        if own.is_short:
            set_kinds[int16_t](<int16_t*> kinds.data, <int32_t*> counts.data, own.short, at_pred, truth_end, pred_end,
                               <int16_t> truths)
        else:
            set_kinds[longlong](<longlong*> kinds.data, <int32_t*> counts.data, own.long, at_pred, truth_end, pred_end,
                                truths)
    kinds.resize(own.count + more)
    return counts, sizes, kinds


cdef void set_kinds(Kind* kind, int32_t* count, const Kind[::1] found, const unsigned char[::1] left,
                    const long long[::1] truth_end, const long long[::1] pred_end, Kind truths) noexcept nogil:
    """Set the kinds of objects, and how many rows each record has on either side."""
    cdef Py_ssize_t records = truth_end.shape[0] - 1, at = found.shape[0], i, r
    if at:
        memcpy(kind, &found[0], at * sizeof(Kind))
    for r in range(records):
        count[r] = <int32_t> (truth_end[r + 1] - truth_end[r])
        count[records + r] = -<int32_t> at
        for i in range(pred_end[r], pred_end[r + 1]):           # without a branch: a row that is not meant is overwritten
            kind[at] = truths + left[i]
            at += left[i] != 0
        count[records + r] += <int32_t> at


def order_statistics(values, places):
    """The values that would stand at some places if all were in order; NaN is not expected."""
    cdef const float[::1] value = values
    cdef const long long[::1] place = places
    cdef Column found = Column("f", place.shape[0]), halves = Column("i", HALVES), lower = Column("i", HALVES)
    cdef Py_ssize_t k, i
    cdef long long before
    cdef uint32_t high, low, counted = HALVES           # whose lower halves are counted; none is
    check_count("values", value.shape[0])
    check_long_indices("places", place, value.shape[0])
    with nogil:
        for i in range(value.shape[0]):
            (<int32_t*> halves.data)[in_order(value[i]) >> 16] += 1
        for k in range(place.shape[0]):
            before = place[k]
            high = reached(<const int32_t*> halves.data, &before)
            if high != counted:                         # of neighbours they mostly are
                count_lower(value, high, <int32_t*> lower.data)
                counted = high
            low = reached(<const int32_t*> lower.data, &before)
            (<float*> found.data)[k] = from_order(high << 16 | low)
    return found


def most_objects(counts):
    """The most objects that a record has on all sides together; `counts` are those of `add_by_size`."""
    cdef const int[:, ::1] count = counts
    cdef long long most = 0, own
    cdef Py_ssize_t side, r
    for r in range(count.shape[1]):
        own = 0
        for side in range(count.shape[0]):
            own += count[side, r]
        most = max(most, own)
    return most


def add_by_size(rows, sums, Py_ssize_t first, counts, sizes, kinds, table, Py_ssize_t columns, edges,
                Py_ssize_t register_bits=ANY_BITS):
    """Count objects by group and record in `rows`, (groups, records), and add their numbers to `sums`,
    (groups * columns, records); both are overwritten. Sums are of 64 bits, or of 16 where no record can have more than
    32,767.

    Records are those from `first` on. `counts`, (sides, records), says how many objects each of them has: those of all
    of them on one side come before those on the next. `table` has the numbers of each kind, (kinds, width), none below
    0: those of the columns, then a 1 by which objects are counted; the width is a multiple of 8. `edges` ascend; a size
    on an edge is above it. The last group is of objects without a size, NaN.
    """
    cdef int[:, ::1] row = rows
    cdef Totals totals = Totals(sums)
    cdef const int[:, ::1] count = counts
    cdef const int[::1] kind = kinds
    cdef const float[::1] size = sizes, edge = edges
    cdef const int16_t[:, ::1] number = table
    cdef Py_ssize_t groups = edge.shape[0] + 2, width = number.shape[1], side, r
    cdef int16_t* own
    cdef const float* first_edge = &edge[0] if edge.shape[0] else NULL
    cdef Column block, places = Column("q", count.shape[0])
    cdef long long* at = <long long*> places.data
    cdef Pending pending
    cdef long long most, room, end, some
    cdef AddObjects add_objects
    check_between("table", width % LANES, 0, 0)
    check_between("columns", columns, 0, width - 1)
    check_between("first", first, 0, row.shape[1])
    check_between("counts", count.shape[1], 0, row.shape[1] - first)
    check_between("register_bits", register_bits, 128, ANY_BITS)
    check_length("rows", row.shape[0], groups)
    check_length("sums", totals.rows, check_product("sums", groups, columns))
    check_length("sums", totals.records, row.shape[1])
    set_places(at, count, size.shape[0])
    check_length("kinds", kind.shape[0], size.shape[0])
    check_indices("kinds", kind, number.shape[0])
    most = NARROW // max(1, largest_of(number))                 # objects whose sums are of 16 bits
    if totals.is_narrow:
        check_between("objects of a record, whose sums are of 16 bits", most_objects(counts), 0, most)
    check_counting(number, columns)
    check_edges(edge)
    add_objects = way_to_add(width, edge.shape[0], <int> register_bits)
    block = Column("h", check_product("sums", check_product("sums", groups, width), BLOCK))
    pending.sums, pending.groups, pending.columns, pending.width = <int16_t*> block.data, groups, columns, width
    with nogil:
        for r in range(count.shape[1]):
            own, room = pending.sums + r % BLOCK * groups * width, most
            for side in range(count.shape[0]):
                end = at[side] + count[side, r]
                while at[side] < end:
                    if not room:
                        move_sums(pending, r % BLOCK, 1, row, totals, first + r)
                        room = most
                    some = min(room, end - at[side])
                    add_objects(own, &size[at[side]], &kind[at[side]], some, &number[0, 0], width, first_edge, edge.shape[0])
                    at[side] += some
                    room -= some
            if r % BLOCK == BLOCK - 1 or r == count.shape[1] - 1:
                move_sums(pending, 0, r % BLOCK + 1, row, totals, first + r - r % BLOCK)


cdef class Totals:
    """Sums of columns, (rows, records), of 64 bits or of 16."""

    cdef long long[:, ::1] wide
    cdef uint16_t[:, ::1] narrow
    cdef Py_ssize_t rows, records
    cdef bint is_narrow

    def __cinit__(self, sums):
        self.is_narrow = memoryview(sums).format == "H"
        if self.is_narrow:
            self.narrow = sums
            self.rows, self.records = self.narrow.shape[0], self.narrow.shape[1]
        else:
            self.wide = sums
            self.rows, self.records = self.wide.shape[0], self.wide.shape[1]


cdef struct Pending:
    int16_t* sums                       # (BLOCK, groups, width)
    Py_ssize_t groups, columns, width


cdef inline void move_sums(Pending pending, Py_ssize_t first, Py_ssize_t count, int[:, ::1] rows, Totals totals,
                           Py_ssize_t record) noexcept nogil:
    """Add the sums of some records of a block to those of all records, from `record` on."""
    cdef Py_ssize_t g, c, r, size = pending.groups * pending.width
    cdef int16_t* own = pending.sums + first * size
    cdef const int16_t* group
    cdef int16_t objects
    for g in range(pending.groups):
        group, objects = own + g * pending.width, 0
        for r in range(count):
            rows[g, record + r] += group[r * size + pending.columns]
            objects |= group[r * size + pending.columns]
        if not objects:
            continue
        for c in range(pending.columns):
            if totals.is_narrow:
                add_column(&totals.narrow[g * pending.columns + c, record], group + c, size, count)
            else:
                add_column(&totals.wide[g * pending.columns + c, record], group + c, size, count)
    memset(own, 0, count * size * sizeof(int16_t))


ctypedef fused Total:
    uint16_t
    long long


cdef inline void add_column(Total* total, const int16_t* own, Py_ssize_t size, Py_ssize_t count) noexcept nogil:
    """Add one number of each record; `size` is from one record to the next. Of a whole block it is done at once."""
    cdef Py_ssize_t r
    if count == BLOCK:
        for r in range(BLOCK):
            total[r] += own[r * size]
    else:
        for r in range(count):
            total[r] += own[r * size]


def row_totals(values):
    """The sum of each row of numbers of 16 bits, (rows, records), as a column of 64 bits."""
    cdef const uint16_t[:, ::1] value = values
    cdef Column totals = Column("q", value.shape[0])
    cdef Py_ssize_t c, first, k
    cdef uint32_t some
    for c in range(value.shape[0]):
        for first in range(0, value.shape[1], HALVES):          # 32 bits hold as many
            some = 0
            for k in range(first, min(first + HALVES, value.shape[1])):
                some += value[c, k]
            (<long long*> totals.data)[c] += some
    return totals


cdef int set_places(long long* at, const int[:, ::1] counts, Py_ssize_t objects) except -1:
    """Where the objects of each side begin. No count is below 0, and all are as many as there are objects."""
    cdef Py_ssize_t side, r
    cdef long long total = 0, least = 0
    for side in range(counts.shape[0]):
        at[side] = total
        for r in range(counts.shape[1]):
            least = min(least, counts[side, r])
            total += counts[side, r]
    if least < 0 or total != objects:
        raise ValueError(f"counts: found {least if least < 0 else total}, expected numbers that add up to {objects}")
    return 0


cdef long long largest_of(const int16_t[:, ::1] table) except -1:
    """The largest of numbers, none of which is below 0."""
    cdef Py_ssize_t k, c
    cdef int16_t least = 0, most = 0
    for k in range(table.shape[0]):
        for c in range(table.shape[1]):
            least, most = min(least, table[k, c]), max(most, table[k, c])
    if least < 0:
        raise ValueError(f"table: found {least}, expected numbers of at least 0")
    return most


cdef int check_counting(const int16_t[:, ::1] table, Py_ssize_t column) except -1:
    """An object of any kind counts as one."""
    cdef Py_ssize_t k
    for k in range(table.shape[0]):
        if table[k, column] != 1:
            raise ValueError(f"table: found {table[k, column]} in column {column}, expected 1, by which objects are counted")
    return 0


cdef int check_edges(const float[::1] edges) except -1:
    """Sizes ascend from edge to edge."""
    cdef Py_ssize_t e
    for e in range(1, edges.shape[0]):
        if not edges[e - 1] <= edges[e]:
            raise ValueError(f"edges: found {edges[e]} behind {edges[e - 1]}, expected numbers that ascend")
    return 0
