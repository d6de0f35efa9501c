"""Rows of matched objects as lines of CSV, straight from columns: many millions of cells, none of them a Python object.

A line has the cells of a record's key and of a side, the index of the object in its record, its kind, its labels, its
numbers between spaces, what is wrong with it, in each mode its partner and their overlap, and its outcome. Texts come
as they stand in a cell, quoted where that is needed. Numbers are written as Python writes them: the fewest digits that
read back the same, and a whole coordinate without a point.
"""

from cpython.mem cimport PyMem_Free
from libc.math cimport signbit
from libc.string cimport memcpy, strlen

from .column cimport Column
from .entry cimport check_indices, check_length, check_offsets
from .textout cimport (
    LONGEST_NUMBER, UNIT, is_plain_overlap, put, put_bytes, put_plain_overlap, put_whole, write_whole,
)

cdef extern from "Python.h":
    char* PyOS_double_to_string(double value, char code, int precision, int flags, int* kind) except NULL
    const int Py_DTSF_ADD_DOT_0

cdef enum:
    BOX = 0
    MOST_MODES = 8
    USUAL_LINE = 160            # bytes
    MOST_RESERVED = 1 << 24     # bytes, before it is known how many there will be

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


cdef int put_numbers(Column out, const double* numbers, Py_ssize_t count) except -1:
    """Numbers between spaces. Most are whole and small, and are written without asking for room each time."""
    cdef Py_ssize_t k
    cdef char* to
    cdef double value
    if count > (out.capacity - out.size) // LONGEST_NUMBER:
        out.reserve(LONGEST_NUMBER * count)
    to = out.data + out.size
    for k in range(count):
        value = numbers[k]
        if k:
            to[0] = b" "
            to += 1
        if 0 <= value < LARGEST_WHOLE and value == <double> <long long> value and not signbit(value):
            to += write_whole(to, <long long> value)
        else:
            out.size = to - out.data
            put_float(out, value, True)
            if count - k > (out.capacity - out.size) // LONGEST_NUMBER:
                out.reserve(LONGEST_NUMBER * (count - k))
            to = out.data + out.size
    out.size = to - out.data
    return 0


cdef int put_overlap(Column out, long long score) except -1:
    """As Python writes it."""
    if is_plain_overlap(score):
        return put_plain_overlap(out, score)
    return put_float(out, <double> score / <double> UNIT, False)


cdef class RowSide:
    """One side of a batch as its rows show it; what is wrong with an object, as a cell, is in `invalid` by its place."""

    cdef bytes name
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
        self.name, self.invalid = name, invalid
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

    cdef int put_numbers(self, Column out, Py_ssize_t at) except -1:
        """The numbers of an object as it is measured; of a box its two corners."""
        cdef Py_ssize_t begin = self.starts[at], count = self.starts[at + 1] - begin
        if self.kind[at] == BOX:
            return put_numbers(out, &self.bounds[4 * at], 4)
        return put_numbers(out, &self.points[begin], count) if count > 0 else 0

    cdef int put_partners(self, Column out, Py_ssize_t at, long long their_first) except -1:
        """In each mode the partner and the overlap: often those of the mode before, whose text is copied then."""
        cdef Py_ssize_t mode, begin = 0, size = 0
        cdef int partner, last = -1
        cdef long long score, last_score = -1
        for mode in range(self.modes):
            partner, score = self.partner[mode][at], self.score[mode][at]
            if partner < 0:
                put(out, ",,", 2)
                continue
            if partner == last and score == last_score:
                if size > out.capacity - out.size:
                    out.reserve(size)
                memcpy(out.data + out.size, out.data + begin, size)
                out.size += size
                continue
            begin = out.size
            put(out, ",", 1)
            put_whole(out, partner - their_first)
            put(out, ",", 1)
            put_overlap(out, score)
            size, last, last_score = out.size - begin, partner, score
        return 0


def match_lines(list keys not None, list labels not None, list kinds not None, list outcomes not None,
                RowSide truth not None, RowSide pred not None):
    """All rows of a batch, as a view of bytes: `keys` has a cell for each record, `labels` the cells of each description, `kinds` and
    `outcomes` one for each code. Of a record, ground truth comes first."""
    cdef Column out = Column("B")
    cdef Py_ssize_t record
    truth.check(len(keys), len(labels), len(kinds), len(outcomes))
    pred.check(len(keys), len(labels), len(kinds), len(outcomes))
    check_length(pred.modes, truth.modes, "partners")
    out.reserve(min(USUAL_LINE * (truth.kind.shape[0] + pred.kind.shape[0]), MOST_RESERVED))
    for record in range(len(keys)):
        put_side(out, keys[record], labels, kinds, outcomes, truth, record, pred.offsets[record])
        put_side(out, keys[record], labels, kinds, outcomes, pred, record, truth.offsets[record])
    return memoryview(out).toreadonly()


cdef int put_side(Column out, bytes key, list labels, list kinds, list outcomes, RowSide side, Py_ssize_t record,
                  long long their_first) except -1:
    cdef Py_ssize_t at, first = side.offsets[record]
    for at in range(first, side.offsets[record + 1]):
        put_bytes(out, key)
        put(out, ",", 1)
        put_bytes(out, side.name)
        put(out, ",", 1)
        put_whole(out, at - first)
        put(out, ",", 1)
        put_bytes(out, kinds[side.kind[at]])
        put(out, ",", 1)
        put_bytes(out, labels[side.desc[at]])
        put(out, ",", 1)
        if side.reason[at]:
            put(out, ",", 1)
            put_bytes(out, side.invalid[at])
        else:
            side.put_numbers(out, at)
            put(out, ",", 1)
        side.put_partners(out, at, their_first)
        put(out, ",", 1)
        put_bytes(out, outcomes[side.outcome[at]])
        put(out, "\n", 1)
    return 0
