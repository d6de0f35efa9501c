"""Some columns of comma-separated rows; where their texts change, and the rate at which one grows with another.

Rows and cells are those of Python's `csv.reader` over lines that end with LF, CRLF or CR: a cell that begins with a
quote may hold commas, line breaks and quotes (doubled); any other quote is a character like the rest. A row of a single
blank cell is a blank line, and no row. Only the cells of wanted columns are looked at. What cannot be read is a
`RowError`; the words for a message are found later, by whoever needs them.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.math cimport NAN, fabs, floor
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy

from .checks cimport check_indices, check_length
from .column cimport Column
from .decimals cimport MOST_DECIMALS, MOST_DIGITS, nearest

ctypedef const unsigned char* Bytes

LARGEST_WHOLE = 10**12

# What a column holds
WHOLE, NUMBER, AMOUNT, TEXT, NAME = range(5)
cdef enum:
    IS_WHOLE = 0            # a number without a fraction, from 0 to LARGEST_WHOLE; it may be written 12.0
    IS_NUMBER = 1           # a number, or nothing (NaN)
    IS_AMOUNT = 2           # a number that is not negative, or nothing (NaN)
    IS_TEXT = 3             # a text, blank or not; blanks around it do not count
    IS_NAME = 4             # a text that is not blank

cdef enum:
    MOST_COLUMNS = 8

cdef double LARGEST = 1e100         # differences and sums of larger numbers might not be finite
cdef double MOST = LARGEST_WHOLE

cdef extern from "Python.h":
    double PyOS_string_to_double(const char* text, char** stop, PyObject* overflow) except? -1.0


cdef struct Cell:
    Bytes start
    Bytes end


class RowError(ValueError):
    """A row that cannot be read.

    `problem` is "nul", "quote" (never closed), "cells" (too few: `found` says how many), "value" or "utf-8"; `line` is
    where the row begins, or where the NUL is; `column` is the wanted column it is about, -1 for the whole row; `found`
    is the cell.
    """

    def __init__(self, str problem, line, column=-1, found=b""):
        super().__init__(problem, line, column, found)
        self.problem, self.line, self.column, self.found = problem, line, column, found


cdef inline void trim(Cell* cell) noexcept nogil:
    """Leave blanks out on both sides."""
    while cell.start < cell.end and cell.start[0] in b" \t\n\v\f\r":
        cell.start += 1
    while cell.start < cell.end and (cell.end - 1)[0] in b" \t\n\v\f\r":
        cell.end -= 1


cdef inline bint read_plain(Bytes at, Bytes end, double* out) noexcept nogil:
    """Digits with or without a point: a quotient of two integers, which is rounded once."""
    cdef uint64_t digits = 0
    cdef Bytes point = NULL
    cdef Py_ssize_t count = end - at, decimals
    if count > MOST_DIGITS + 1:
        return False
    while at < end:
        if 48 <= at[0] <= 57:
            digits = 10 * digits + (at[0] - 48)
        elif at[0] == b"." and point == NULL:
            point = at
            count -= 1
        else:
            return False
        at += 1
    decimals = 0 if point == NULL else end - point - 1
    if not 1 <= count <= MOST_DIGITS or decimals > MOST_DECIMALS:
        return False
    out[0] = nearest(digits, <int> decimals)
    return True


cdef bint read_number(Cell cell, double* out) except -1:
    """Whether this is a number of reasonable size, or nothing (NaN). It is the nearest float, as Python's is."""
    cdef char* stop
    cdef unsigned char c
    trim(&cell)
    if cell.start == cell.end:
        out[0] = NAN
        return True
    if read_plain(cell.start, cell.end, out):
        return True
    for c in cell.start[:cell.end - cell.start]:
        if not 48 <= c <= 57 and c not in b"+-.eE":         # "inf" and "nan" are no numbers here
            return False
    try:
        out[0] = PyOS_string_to_double(<const char*> cell.start, &stop, NULL) + 0.0         # -0.0 becomes 0.0
    except ValueError:
        return False
    return stop == <char*> cell.end and fabs(out[0]) <= LARGEST


cdef inline bint is_fine(double value, int kind) noexcept nogil:
    if kind == IS_WHOLE:
        return 0.0 <= value <= MOST and value == floor(value)
    return kind != IS_AMOUNT or not value < 0.0


cdef struct Wanted:
    Py_ssize_t position         # among the cells of a row
    int kind
    Cell cell
    Cell before                 # of the row before, whose text has `code`
    int code


cdef int check_wanted(list wanted) except -1:
    if len(wanted) > MOST_COLUMNS or sorted(dict(wanted).items()) != wanted:
        raise ValueError(f"wanted: found {wanted!r}, expected at most {MOST_COLUMNS} columns by rising position")
    for position, kind in wanted:
        if position < 0 or not IS_WHOLE <= kind <= IS_NAME:
            raise ValueError(f"wanted: found {(position, kind)}, expected a position and what the column holds")
    return 0


@cython.final
cdef class Scanner:
    """Walks over cells and rows. The only NUL is the one behind all bytes of Python, so no step asks for the end."""

    cdef bytes data
    cdef Bytes at, begin, end
    cdef unsigned char* plain           # cells without their quotes, each at the place it has in the data
    cdef long long line, row_line       # here, and where the row began
    cdef Py_ssize_t wanted_count
    cdef Wanted[MOST_COLUMNS] wanted    # by position
    cdef list columns, known, texts

    def __cinit__(self, bytes data not None, Py_ssize_t start, long long line, list wanted not None):
        cdef Wanted* one
        check_wanted(wanted)
        start = min(max(start, 0), PyBytes_GET_SIZE(data))
        self.data, self.line, self.row_line, self.plain = data, line, line, NULL
        self.begin = <Bytes> PyBytes_AS_STRING(data)
        self.end = self.begin + PyBytes_GET_SIZE(data)
        self.at = self.begin + start
        if (nul := data.find(b"\0", start)) >= 0:
            raise RowError("nul", line + len((data[start:nul] + b".").splitlines()) - 1)
        self.columns, self.known, self.texts = [], [{} for _ in wanted], [[] for _ in wanted]
        for position, kind in wanted:
            one = &self.wanted[self.wanted_count]
            one.position, one.kind, one.before.start = position, kind, NULL
            self.columns.append(Column("i" if kind >= IS_TEXT else "d"))
            self.wanted_count += 1

    def __dealloc__(self):
        PyMem_Free(self.plain)

    cdef inline int read_cell(self, Cell* cell) except -1:
        """One cell, up to the comma (44) or line break (10, 13) behind it."""
        cdef Bytes at = self.at
        if at[0] == b'"':
            return self.read_quoted(cell)
        while at[0] > 44 or at[0] != 44 and at[0] != 10 and at[0] != 13 and at[0] != 0:
            at += 1
        cell.start, cell.end, self.at = self.at, at, at
        return 0

    cdef int read_quoted(self, Cell* cell) except -1:
        """A cell that begins with a quote; what follows the closing quote belongs to it as it stands."""
        cdef Bytes at = self.at + 1
        cdef Bytes closing
        cdef bint doubled = False
        cell.start = at
        while True:
            if at[0] == b'"':
                if at[1] != b'"':
                    break
                doubled = True
                at += 1
            elif at[0] == 0:
                cell.end = at
                raise RowError("quote", self.row_line, -1, slice_of(cell[0]))
            elif at[0] == 10 or at[0] == 13 and at[1] != 10:
                self.line += 1
            at += 1
        closing = cell.end = at
        at += 1
        while at[0] != 44 and at[0] != 10 and at[0] != 13 and at[0] != 0:
            at += 1
        self.at = at
        if doubled or at > closing + 1:
            self.take_quotes_out(cell, closing, at)
        return 0

    cdef int take_quotes_out(self, Cell* cell, Bytes closing, Bytes end) except -1:
        """Copy a cell that is not in one piece. The copy is shorter, so there is room for a NUL behind it."""
        cdef Bytes at = cell.start
        cdef unsigned char* out
        if self.plain == NULL:
            self.plain = <unsigned char*> PyMem_Malloc(self.end - self.begin + 1)
            if self.plain == NULL:
                raise MemoryError()
        out = self.plain + (at - self.begin)
        cell.start = out
        while at < closing:
            out[0] = at[0]
            out += 1
            at += 2 if at[0] == b'"' else 1
        memcpy(out, closing + 1, end - closing - 1)
        out += end - closing - 1
        out[0] = 0
        cell.end = out
        return 0

    cdef inline void end_row(self) noexcept:
        """Over the line break; every row ends here."""
        if self.at == self.end:
            return
        self.at += 2 if self.at[0] == 13 and self.at[1] == 10 else 1
        self.line += 1

    cdef bint read_row(self, list cells) except -1:
        """Find the wanted cells of the next row, and append all to `cells` if not None; False for a blank line."""
        cdef Py_ssize_t position = 0, found = 0
        cdef Cell cell
        self.row_line = self.line
        while True:
            self.read_cell(&cell)
            if found < self.wanted_count and self.wanted[found].position == position:
                self.wanted[found].cell = cell
                found += 1
            if cells is not None:
                cells.append(slice_of(cell))
            position += 1
            if self.at[0] != b",":
                break
            self.at += 1
        self.end_row()
        if position == 1:
            trim(&cell)
            if cell.start == cell.end:
                return False
        if found < self.wanted_count:
            raise RowError("cells", self.row_line, found, position)
        return True

    cdef int keep_cells(self) except -1:
        """Append the wanted cells to their columns."""
        cdef Py_ssize_t number
        cdef Wanted* wanted
        cdef Column column
        cdef bint fine
        cdef double value = 0.0
        for number in range(self.wanted_count):
            wanted = &self.wanted[number]
            column = <Column> PyList_GET_ITEM(self.columns, number)
            if wanted.kind >= IS_TEXT:
                fine = self.read_text(number, wanted)
                column.push_int32(wanted.code)
            else:
                fine = read_number(wanted.cell, &value) and is_fine(value, wanted.kind)
                column.push_double(value)
            if not fine:
                raise RowError("value", self.row_line, number, slice_of(wanted.cell))
        return 0

    cdef bint read_text(self, Py_ssize_t number, Wanted* wanted) except -1:
        """Set the code of the cell's text, mostly that of the row before; False for a name that is blank."""
        cdef Py_ssize_t size = wanted.cell.end - wanted.cell.start
        cdef dict known = self.known[number]
        cdef bytes cell
        if (wanted.before.start != NULL and wanted.before.end - wanted.before.start == size
                and memcmp(wanted.before.start, wanted.cell.start, size) == 0):
            return True
        wanted.before, cell = wanted.cell, slice_of(wanted.cell)
        if cell not in known:
            try:
                self.texts[number].append(cell.decode("utf-8").strip())
            except UnicodeDecodeError:
                raise RowError("utf-8", self.row_line, number, cell) from None
            known[cell] = len(known)
        wanted.code = known[cell]
        return wanted.kind != IS_NAME or self.texts[number][wanted.code] != ""


cdef inline bytes slice_of(Cell cell):
    return PyBytes_FromStringAndSize(<const char*> cell.start, cell.end - cell.start)


def first_row(bytes data not None, Py_ssize_t start=0):
    """(cells, its line, offset of what follows, line of what follows) of the first row that is not blank, if any."""
    cdef Scanner scanner = Scanner(data, start, 1, [])
    cdef list cells = []
    while scanner.at < scanner.end and not scanner.read_row(cells):
        cells.clear()
    return cells, scanner.row_line if cells else 1, scanner.at - scanner.begin, scanner.line


def read_columns(bytes data not None, Py_ssize_t start, long long line, list wanted not None):
    """(columns, texts, lines) of the rows from an offset on, which is on line `line`.

    `wanted` holds (position, kind) pairs by rising position. Numbers are float64. A column of texts holds codes
    (int32), which are indexes into its list of texts; two codes may have the same text, since blanks around it are left
    out. `lines` (int64) holds the first line of each row.
    """
    cdef Scanner scanner = Scanner(data, start, line, wanted)
    cdef Column lines = Column("q")
    while scanner.at < scanner.end:
        if scanner.read_row(None):
            scanner.keep_cells()
            lines.push_int64(scanner.row_line)
    return scanner.columns, scanner.texts, lines


def count_steps(numbers):
    """(numbers smaller than the one before, where the first of them is, numbers equal to the one before)."""
    cdef const double[::1] number = numbers
    cdef Py_ssize_t row, falls = 0, first = 0, repeats = 0
    for row in range(number.shape[0] - 1, 0, -1):
        repeats += number[row] == number[row - 1]
        if number[row] < number[row - 1]:
            falls += 1
            first = row
    return falls, first, repeats


def find_changes(codes, labels):
    """The first row of every run of codes with the same label; both columns are int32."""
    cdef const int[::1] code = codes
    cdef const int[::1] label = labels
    cdef Py_ssize_t row
    cdef list rows = [0] if code.shape[0] else []
    check_indices("codes", code, label.shape[0])
    for row in range(1, code.shape[0]):
        if code[row] != code[row - 1] and label[code[row]] != label[code[row - 1]]:
            rows.append(row)
    return rows


def median_rate(counts, times):
    """The median of growth of count / growth of time over neighbouring rows where both grow; None without such rows."""
    cdef const double[::1] count = counts
    cdef const double[::1] time = times
    cdef Py_ssize_t row, size = 0, middle
    check_length("times", time.shape[0], count.shape[0])
    cdef Column rates = Column("d", count.shape[0])
    cdef double* rate = <double*> rates.data
    cdef double upper
    for row in range(1, count.shape[0]):
        if count[row] > count[row - 1] and time[row] > time[row - 1]:
            rate[size] = (count[row] - count[row - 1]) / (time[row] - time[row - 1])
            size += 1
    if size == 0:
        return None
    middle = size // 2
    upper = select(rate, size, middle)
    return upper if size % 2 else (select(rate, middle, middle - 1) + upper) / 2.0


cdef double select(double* values, Py_ssize_t size, Py_ssize_t place) noexcept nogil:
    """The value that sorting would bring to a place; no smaller one stays behind it, no larger one before it."""
    cdef Py_ssize_t low = 0, high = size - 1, i, j
    cdef uint64_t dice = 1          # pivots from anywhere: no file makes this slow unless it is made for that
    cdef double pivot
    while low < high:
        dice = dice * <uint64_t> 6364136223846793005 + <uint64_t> 1442695040888963407
        pivot = values[low + <Py_ssize_t> ((dice >> 33) % <uint64_t> (high - low + 1))]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            break
    return values[place]
