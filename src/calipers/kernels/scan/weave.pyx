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

cdef long long MOST_BYTES = 1 << 60     # of all rows: no size of a row takes it beyond 64 bits


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


cdef inline char* put_text(char* out, const char* text, Py_ssize_t size, const char* end, const char* limit) noexcept nogil:
    """Write a text and return where it ends; `end` is that of the bytes it stands in, `limit` that of all there is room
    for."""
    if size <= SHORT <= end - text and SHORT <= limit - out:
        memcpy(out, text, SHORT)        # one instruction; what is too many is written over
    else:
        memcpy(out, text, size)
    return out + size


cdef inline char* put_cell(char* out, const Texts* texts, Py_ssize_t row, const char* limit) noexcept nogil:
    """Write a cell and return where it ends."""
    if texts.offsets == NULL:
        return put_text(out, texts.start, texts.end - texts.start, texts.end, limit)
    if texts.codes != NULL:
        row = texts.codes[row]
        if row < 0:
            return put_text(out, texts.nothing, texts.nothing_size, texts.nothing + texts.nothing_size, limit)
    return put_text(out, texts.start + texts.offsets[row],
                    texts.offsets[row + 1] - texts.offsets[row] - texts.gap, texts.end, limit)


cdef extern from *:
    """
    #ifdef __SSE2__
    #include <emmintrin.h>
    /* Bit k: whether byte k of sixteen is a comma */
    static inline unsigned int commas_at(const char* text) {
        return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i*) text), _mm_set1_epi8(',')));
    }
    static inline int lowest(unsigned int bits) { return __builtin_ctz(bits); }
    #else
    static inline unsigned int commas_at(const char* text) {
        unsigned int bits = 0;
        for (int k = 0; k < 16; k++) bits |= (unsigned int) (text[k] == ',') << k;
        return bits;
    }
    static inline int lowest(unsigned int bits) {
        int k = 0;
        while (!(bits >> k & 1)) k++;
        return k;
    }
    #endif
    """
    unsigned int commas_at(const char* text) noexcept nogil
    int lowest(unsigned int bits) noexcept nogil


def comma_offsets(bytes text not None, Py_ssize_t count):
    """Where each of `count` texts between commas begins, and the end behind the last one's comma, had it one."""
    cdef Column offsets = Column("q", 1)
    cdef const char* start = PyBytes_AS_STRING(text)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(text), commas
    if count > 0:
        if count - 1 > size:                # so that no more room is asked for than the text may need
            check_length(size + 1, count, "text")
        offsets.resize(count + 1)
        commas = find_commas(start, size, <long long*> offsets.data + 1, count - 1)
        check_length(commas + 1, count, "text")
        (<long long*> offsets.data)[count] = size + 1
    return offsets


cdef Py_ssize_t find_commas(const char* start, Py_ssize_t size, long long* behind, Py_ssize_t room) noexcept nogil:
    """Where a text goes on behind each comma; returns how many there are, which may be more than there is room for."""
    cdef Py_ssize_t at = 0, count = 0
    cdef unsigned int bits
    while at < size:
        if size - at >= 16:
            bits = commas_at(start + at)
            while bits:
                if count < room:
                    behind[count] = at + lowest(bits) + 1
                count += 1
                bits &= bits - 1
            at += 16
        else:
            if start[at] == b",":
                if count < room:
                    behind[count] = at + 1
                count += 1
            at += 1
    return count


def weave(list parts not None, Py_ssize_t count):
    """The texts of `count` rows, each of them all parts in order, and where each row begins. A part is a column, or
    bytes that stand in every row. Other threads may run meanwhile."""
    cdef Column begins = Column("q", 1)
    cdef list columns = [part if isinstance(part, Cells) else Cells(part) for part in parts]
    cdef Texts* texts = <Texts*> PyMem_Malloc(max(len(columns), 1) * sizeof(Texts))
    cdef Cells column
    cdef bytes out
    cdef Py_ssize_t k
    if texts == NULL:
        raise MemoryError()
    try:
        for k in range(len(columns)):
            column = columns[k]
            if not column.is_constant:
                check_length(column.rows(), count, "parts")
            texts[k] = column.texts_of()
        begins.resize(max(count, 0) + 1)
        add_sizes(texts, len(columns), <long long*> begins.data, begins.size - 1)
        out = PyBytes_FromStringAndSize(NULL, (<long long*> begins.data)[begins.size - 1])
        put_rows(PyBytes_AS_STRING(out), PyBytes_GET_SIZE(out), texts, len(columns), begins.size - 1)
        return out, begins
    finally:
        PyMem_Free(texts)


cdef int add_sizes(const Texts* texts, Py_ssize_t columns, long long* begins, Py_ssize_t rows) except -1:
    """Where each row begins, and the last ends, in room that is filled with zeros."""
    cdef Py_ssize_t row, k
    cdef long long everywhere = 0
    cdef bint fits = True
    with nogil:
        for k in range(columns):
            if texts[k].offsets == NULL:
                everywhere += texts[k].end - texts[k].start
            else:
                add_column_sizes(&texts[k], begins + 1, rows)
        for row in range(rows):
            begins[row + 1] += begins[row] + everywhere
            fits &= begins[row + 1] <= MOST_BYTES
    if not fits:
        raise MemoryError()
    return 0


cdef void add_column_sizes(const Texts* texts, long long* sizes, Py_ssize_t rows) noexcept nogil:
    """Add the bytes of each cell of a column to those of its row."""
    cdef Py_ssize_t row
    cdef int code
    if texts.codes == NULL:
        for row in range(rows):
            sizes[row] += texts.offsets[row + 1] - texts.offsets[row] - texts.gap
        return
    for row in range(rows):
        code = texts.codes[row]
        if code < 0:
            sizes[row] += texts.nothing_size
        else:
            sizes[row] += texts.offsets[code + 1] - texts.offsets[code] - texts.gap


cdef int put_rows(char* out, Py_ssize_t size, const Texts* texts, Py_ssize_t columns, Py_ssize_t rows) except -1:
    """Write all rows, for which there is room."""
    cdef const char* limit = out + size
    cdef Py_ssize_t row, k
    with nogil:
        for row in range(rows):
            for k in range(columns):
                out = put_cell(out, &texts[k], row, limit)
    return 0


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
