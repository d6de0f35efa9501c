"""Rows of matched objects as lines of CSV, straight from columns: many millions of cells, none of them a Python object.

A line has the cells of a record's key and of a side, the index of the object in its record, its kind, its labels, its
numbers between spaces, what is wrong with it, in each mode its partner and their overlap, and its outcome. Texts come
as they stand in a cell, quoted where that is needed. Numbers are written as Python writes them: the fewest digits that
read back the same, and a whole coordinate without a point.
"""

from cpython.mem cimport PyMem_Free
from libc.math cimport signbit
from libc.string cimport strlen

from .column cimport Column
from .entry cimport check_indices, check_length, check_offsets
from .textout cimport (
    COPIED_AT_ONCE, LONGEST_NUMBER, UNIT, copy_beyond, is_plain_overlap, put, put_bytes, write_decimals, write_whole
)

cdef extern from "Python.h":
    char* PyOS_double_to_string(double value, char code, int precision, int flags, int* kind) except NULL
    const int Py_DTSF_ADD_DOT_0

cdef enum:
    BOX = 0
    MOST_MODES = 8
    USUAL_LINE = 160            # bytes
    MOST_RESERVED = 1 << 24     # bytes, before it is known how many there will be
    ROOM_PER_MODE = 2 * 32 + 2  # bytes, for two numbers and what is before them
    ROOM_BETWEEN = 2 * 32 + 16  # and for the index of an object, commas, and what is copied beyond a text

cdef double LARGEST_WHOLE = 1e15            # that is written without an exponent, and read back the same


cdef int put_float(Column out, double value, bint whole_without_point) except -1:
    """As Python writes it."""
    cdef char* text = PyOS_double_to_string(value, b"r", 0, Py_DTSF_ADD_DOT_0, NULL)
    cdef Py_ssize_t size = strlen(text)
    try:
        if whole_without_point and size > 2 and text[size - 2] == b"." and text[size - 1] == b"0":
            size -= 2
        return put(out, text, size)
    finally:
        PyMem_Free(text)


cdef class Cells:
    """Texts of cells one behind the other, from which some bytes more than a cell has may be copied."""

    cdef Column text, begin                     # where each cell begins, and the last ends

    def __cinit__(self, list cells not None):
        self.text, self.begin = Column("B"), Column("q")
        self.begin.push_int64(0)
        for cell in cells:
            put_bytes(self.text, cell)
            self.begin.push_int64(self.text.size)
        self.text.reserve(COPIED_AT_ONCE)

    cdef inline Py_ssize_t size_of(self, Py_ssize_t code) noexcept nogil:
        return (<const long long*> self.begin.data)[code + 1] - (<const long long*> self.begin.data)[code]

    cdef inline char* write(self, char* to, Py_ssize_t code) noexcept nogil:
        """Write a cell, with room for some bytes more. Returns where it ends."""
        return copy_beyond(to, self.text.data + (<const long long*> self.begin.data)[code], self.size_of(code))


cdef inline bint is_small_whole(double value) noexcept nogil:
    return 0 <= value < LARGEST_WHOLE and value == <double> <long long> value and not signbit(value)


cdef char* write_numbers(Column out, char* to, const double* numbers, Py_ssize_t count, Py_ssize_t room) except NULL:
    """Write numbers between spaces at the end of a column, which has room for them and `room` bytes behind them. Most are
    whole and small. Returns where they end."""
    cdef Py_ssize_t k
    for k in range(count):
        if k:
            to[0] = b" "
            to += 1
        if is_small_whole(numbers[k]):
            to += write_whole(to, <long long> numbers[k])
        else:
            out.size = to - out.data
            put_float(out, numbers[k], True)
            make_room(out, (LONGEST_NUMBER + 1) * (count - k) + room)
            to = out.data + out.size
    return to


cdef inline int make_room(Column out, Py_ssize_t size) except -1:
    if size > out.capacity - out.size:
        out.reserve(size)
    return 0


cdef class RowSide:
    """One side of a batch as its rows show it; what is wrong with an object, as a cell, is in `invalid` by its place."""

    cdef Cells name                             # between commas
    cdef const long long[::1] offsets, starts
    cdef const unsigned char[::1] kind, reason, outcome
    cdef const int[::1] desc
    cdef const double[::1] points, bounds
    cdef dict invalid
    cdef list columns                           # what the pointers point into
    cdef const int* partner[MOST_MODES]         # by mode: of each object its partner on the other side, or -1
    cdef const long long* score[MOST_MODES]     # and their overlap
    cdef Py_ssize_t modes

    def __cinit__(self, bytes name not None, objects, outcomes, partners, scores, dict invalid not None):
        cdef Py_ssize_t count, k
        cdef const int[::1] partner
        cdef const long long[::1] score
        self.name, self.invalid = Cells([b",%b," % name]), invalid
        self.offsets, self.starts, self.points, self.bounds = objects.offsets, objects.starts, objects.points, objects.bounds
        self.kind, self.reason, self.desc, self.outcome = objects.kind, objects.reason, objects.desc, outcomes
        self.columns, self.modes = [], len(partners)
        count = self.kind.shape[0]
        for found, what in ((len(self.reason), "reason"), (len(self.desc), "desc"), (len(self.outcome), "outcomes")):
            check_length(found, count, what)
        check_length(self.bounds.shape[0], 4 * count, "bounds")
        check_length(self.starts.shape[0], count + 1, "starts")
        check_offsets(self.starts, self.points.shape[0], "starts")
        check_offsets(self.offsets, count, "offsets")
        check_length(len(scores), len(partners), "scores")
        if self.modes > MOST_MODES:
            raise ValueError(f"partners: found {self.modes} modes, expected at most {MOST_MODES}")
        for k in range(self.modes):
            partner, score = partners[k], scores[k]
            check_length(partner.shape[0], count, "partners")
            check_length(score.shape[0], count, "scores")
            self.columns += [partner, score]
            self.partner[k] = &partner[0] if count else NULL
            self.score[k] = &score[0] if count else NULL

    cdef int check(self, Py_ssize_t records, Py_ssize_t labels, Py_ssize_t kinds, Py_ssize_t outcomes) except -1:
        """Every code has its text."""
        cdef Py_ssize_t k
        check_length(self.offsets.shape[0], records + 1, "offsets")
        check_indices(self.desc, labels, "desc")
        for k in range(self.kind.shape[0]):
            if self.kind[k] >= kinds or self.outcome[k] >= outcomes:
                raise ValueError(f"object {k}: found kind {self.kind[k]} and outcome {self.outcome[k]}, expected less")
            if self.reason[k] and k not in self.invalid:
                raise ValueError(f"invalid: object {k} is missing, expected what is wrong with it")
        return 0

    cdef Py_ssize_t count_numbers(self, Py_ssize_t at) noexcept nogil:
        """How many numbers an object has as it is measured; of a box its two corners."""
        if self.reason[at]:
            return 0
        return 4 if self.kind[at] == BOX else self.starts[at + 1] - self.starts[at]

    cdef const double* numbers_of(self, Py_ssize_t at) noexcept nogil:
        """Where they begin, if it has any."""
        return &self.bounds[4 * at] if self.kind[at] == BOX else &self.points[self.starts[at]]

    cdef char* write_partners(self, Column out, char* to, Py_ssize_t at, long long their_first,
                              Py_ssize_t room) except NULL:
        """In each mode the partner and the overlap: often those of the mode before, whose text is copied then."""
        cdef Py_ssize_t mode, size = 0
        cdef int partner, last = -1
        cdef long long score, last_score = -1
        cdef char* begin = to
        for mode in range(self.modes):
            partner, score = self.partner[mode][at], self.score[mode][at]
            if partner < 0:
                to[0] = to[1] = b","
                to += 2
            elif partner == last and score == last_score:
                to = copy_beyond(to, begin, size)
                begin = to - size
            else:
                begin = to
                to[0] = b","
                to += 1 + write_whole(to + 1, partner - their_first)
                to[0] = b","
                to += 1
                if is_plain_overlap(score):
                    to += write_decimals(to, score)
                else:
                    out.size, size = to - out.data, begin - out.data
                    put_float(out, <double> score / <double> UNIT, False)
                    make_room(out, ROOM_PER_MODE * (self.modes - mode) + room)
                    begin, to = out.data + size, out.data + out.size
                size, last, last_score = to - begin, partner, score
        return to


def match_lines(list keys not None, list labels not None, list kinds not None, list outcomes not None,
                RowSide truth not None, RowSide pred not None):
    """All rows of a batch, as a view of bytes: `keys` has a cell for each record, `labels` the cells of each description, `kinds` and
    `outcomes` one for each code. Of a record, ground truth comes first."""
    cdef Column out = Column("B")
    cdef Cells key = Cells(keys), label = Cells(labels), kind = Cells(kinds), outcome = Cells(outcomes)
    cdef Py_ssize_t record
    truth.check(len(keys), len(labels), len(kinds), len(outcomes))
    pred.check(len(keys), len(labels), len(kinds), len(outcomes))
    check_length(pred.modes, truth.modes, "partners")
    out.reserve(min(USUAL_LINE * (truth.kind.shape[0] + pred.kind.shape[0]), MOST_RESERVED))
    for record in range(len(keys)):
        put_side(out, key, label, kind, outcome, truth, record, pred.offsets[record])
        put_side(out, key, label, kind, outcome, pred, record, truth.offsets[record])
    return memoryview(out).toreadonly()


cdef int put_side(Column out, Cells keys, Cells labels, Cells kinds, Cells outcomes, RowSide side, Py_ssize_t record,
                  long long their_first) except -1:
    """The rows of the objects that one side of a record has."""
    cdef Py_ssize_t at, first = side.offsets[record], count, room
    cdef char* to
    for at in range(first, side.offsets[record + 1]):
        count = side.count_numbers(at)
        room = ROOM_PER_MODE * side.modes + outcomes.size_of(side.outcome[at]) + ROOM_BETWEEN
        make_room(out, keys.size_of(record) + side.name.text.size + kinds.size_of(side.kind[at]) + labels.size_of(side.desc[at])
                       + (LONGEST_NUMBER + 1) * count + room)
        to = side.name.write(keys.write(out.data + out.size, record), 0)
        to += write_whole(to, at - first)
        to[0] = b","
        to = kinds.write(to + 1, side.kind[at])
        to[0] = b","
        to = labels.write(to + 1, side.desc[at])
        to[0] = b","
        to += 1
        if side.reason[at]:
            to[0] = b","
            out.size = to + 1 - out.data
            put_bytes(out, side.invalid[at])
            make_room(out, room)
            to = out.data + out.size
        else:
            if count:
                to = write_numbers(out, to, side.numbers_of(at), count, room)
            to[0] = b","
            to += 1
        to = side.write_partners(out, to, at, their_first, room)
        to[0] = b","
        to = outcomes.write(to + 1, side.outcome[at])
        to[0] = b"\n"
        out.size = to + 1 - out.data
    return 0
