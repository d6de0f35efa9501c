"""Lines of a file out of columns: the texts of each row one after another, none of them a Python object. And back: where
the lines of a text end, and with which number."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memchr, memcmp, memcpy

from .column cimport Column
from .entry cimport check_length, check_offsets
from .jsonbytes cimport MOST_WHOLE, Bytes, is_digit

cdef enum:
    SHORT = 16              # bytes that are copied at once, whatever the length of a text


cdef struct Texts:          # of a column, as `Cells` has them
    const char* start
    const char* end         # of all texts
    const char* nothing
    Py_ssize_t nothing_size, gap
    const long long* offsets            # NULL where every row has the whole text
    const int* codes                    # NULL where there are none


@cython.final
cdef class Cells:
    """A column of texts, which stand one after another in `text`, each with `gap` (0 or 1) bytes behind it.

    With `codes`, a row has the text of its code; below 0 it has `nothing`.
    """

    cdef bytes text, nothing
    cdef const char* start
    cdef const long long[::1] offsets
    cdef const int[::1] codes
    cdef Py_ssize_t gap, texts
    cdef bint is_coded, is_constant

    def __cinit__(self, bytes text not None, offsets=None, Py_ssize_t gap=0, codes=None, bytes nothing not None=b""):
        """Without `offsets` every row has the whole text."""
        cdef Py_ssize_t k
        if not 0 <= gap <= 1:
            raise ValueError(f"gap: found {gap}, expected 0 or 1")
        self.text, self.nothing, self.gap = text, nothing, gap
        self.start = PyBytes_AS_STRING(text)
        self.is_constant = offsets is None
        if self.is_constant:
            return
        self.offsets = offsets
        check_offsets(self.offsets, PyBytes_GET_SIZE(text) + gap, "offsets")
        self.texts = self.offsets.shape[0] - 1
        for k in range(self.texts):
            if self.offsets[k + 1] - self.offsets[k] < gap:
                raise ValueError(f"offsets: found no byte of text {k}, expected the one behind it")
        if codes is None:
            return
        self.codes, self.is_coded = codes, True
        for k in range(self.codes.shape[0]):
            if self.codes[k] >= self.texts:
                raise ValueError(f"codes: found {self.codes[k]}, expected less than {self.texts}")

    cdef Py_ssize_t rows(self):
        return self.codes.shape[0] if self.is_coded else self.texts

    cdef Texts texts_of(self) noexcept:
        """Where the texts are, for as long as the column lives."""
        cdef Texts texts
        texts.start, texts.end, texts.gap = self.start, self.start + PyBytes_GET_SIZE(self.text), self.gap
        texts.nothing, texts.nothing_size = PyBytes_AS_STRING(self.nothing), PyBytes_GET_SIZE(self.nothing)
        texts.offsets = NULL if self.is_constant else &self.offsets[0]
        texts.codes = &self.codes[0] if self.is_coded and self.codes.shape[0] else NULL
        return texts


cdef inline int put_text(Column out, const char* text, Py_ssize_t size, const char* end) except -1:
    """Append a text; `end` is that of the bytes it stands in."""
    if out.capacity - out.size < size + SHORT:
        out.reserve(size + SHORT)
    if size <= SHORT <= end - text:
        memcpy(out.data + out.size, text, SHORT)        # one instruction; what is too many is written over
    else:
        memcpy(out.data + out.size, text, size)
    out.size += size
    return 0


cdef inline int put_cell(Column out, const Texts* texts, Py_ssize_t row) except -1:
    if texts.offsets == NULL:
        return put_text(out, texts.start, texts.end - texts.start, texts.end)
    if texts.codes != NULL:
        row = texts.codes[row]
        if row < 0:
            return put_text(out, texts.nothing, texts.nothing_size, texts.nothing + texts.nothing_size)
    return put_text(out, texts.start + texts.offsets[row],
                    texts.offsets[row + 1] - texts.offsets[row] - texts.gap, texts.end)


def comma_offsets(bytes text not None, Py_ssize_t count):
    """Where each of `count` texts between commas begins, and the end behind the last one's comma, had it one."""
    cdef Column offsets = Column("q", 1)
    cdef const char* start = PyBytes_AS_STRING(text)
    cdef const char* end = start + PyBytes_GET_SIZE(text)
    cdef const char* at = start
    while count > 0:
        at = <const char*> memchr(at, b",", end - at)
        if at == NULL:
            break
        at += 1
        offsets.push_int64(at - start)
    if count > 0:
        offsets.push_int64(end - start + 1)
    check_length(offsets.size - 1, max(count, 0), "text")
    return offsets


def weave(list parts not None, Py_ssize_t count):
    """The texts of `count` rows, each of them all parts in order, and where each row begins. A part is a column, or
    bytes that stand in every row."""
    cdef Column out = Column("B"), begins = Column("q", 1)
    cdef list columns = [part if isinstance(part, Cells) else Cells(part) for part in parts]
    cdef Texts* texts = <Texts*> PyMem_Malloc(max(len(columns), 1) * sizeof(Texts))
    cdef Cells column
    cdef Py_ssize_t row, k, count_of_columns = len(columns)
    if texts == NULL:
        raise MemoryError()
    try:
        for k in range(count_of_columns):
            column = columns[k]
            if not column.is_constant:
                check_length(column.rows(), count, "parts")
            texts[k] = column.texts_of()
        begins.reserve(max(count, 0))
        for row in range(count):
            for k in range(count_of_columns):
                put_cell(out, &texts[k], row)
            begins.push_int64(out.size)
        return PyBytes_FromStringAndSize(out.data, out.size), begins
    finally:
        PyMem_Free(texts)


cdef long long number_before(Bytes first, Bytes end, bytes name) except -2:
    """The whole number that a line ends with, as the last field of an object, which has this name; 0 if there is none,
    -1 if it has too many digits."""
    cdef Py_ssize_t size = PyBytes_GET_SIZE(name)
    cdef long long value = 0
    cdef Bytes last
    cdef Bytes at
    while end > first and ((end - 1)[0] == 32 or 9 <= (end - 1)[0] <= 13):
        end -= 1
    while end > first and (end - 1)[0] == b"}":
        end -= 1
    last = end
    while end > first and is_digit((end - 1)[0]):
        end -= 1
    if end == last or end - first < size + 3:
        return 0
    if (end - 1)[0] != b":" or (end - 2)[0] != b'"' or (end - size - 3)[0] != b'"':
        return 0
    if memcmp(end - size - 2, PyBytes_AS_STRING(name), size) != 0:
        return 0
    if last - end > MOST_WHOLE:
        return -1
    at = end
    while at < last:
        value = 10 * value + (at[0] - 48)
        at += 1
    return value


def end_numbers(const unsigned char[::1] text not None, bytes name not None):
    """Of each line of a text where it ends, and the whole number it ends with, as the last field of an object, which has
    this name: 0 if there is none, -1 if it has more than 18 digits."""
    cdef Column ends = Column("q"), numbers = Column("q")
    cdef Bytes start = &text[0] if text.shape[0] else NULL
    cdef Bytes last = start + text.shape[0]
    cdef Bytes at = start
    cdef Bytes behind
    while at < last:
        behind = <Bytes> memchr(at, b"\n", last - at)
        behind = last if behind == NULL else behind + 1
        ends.push_int64(behind - start)
        numbers.push_int64(number_before(at, behind, name))
        at = behind
    return ends, numbers
