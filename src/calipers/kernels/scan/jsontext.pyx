"""JSON as text, and text as bytes: what is counted, found and laid out without building anything.

Line breaks and keys are counted, keys also in a tree that was read. A member of an object is a name and its value, from
the first quote of the name to the last byte of the value: the text may be cut between members, and those of any part of
it, in braces, are an object again and mean what they meant. Compact JSON is laid out to be read: what holds no other
list or object stands on one line, the rest is indented by two.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_CheckExact, PyDict_Next
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcpy, memset

from .checks cimport PY_SSIZE_T_MAX, check_between
from .column cimport Column
from .jsonbytes cimport Bytes, is_digit, skip_blanks, skip_name, skip_value

cdef extern from "Python.h":
    PyObject* PyBytes_FromStringAndSize(const char* text, Py_ssize_t size) except NULL
    char* PyBytes_AsString(PyObject* text) except NULL
    int _PyBytes_Resize(PyObject** text, Py_ssize_t size) except -1

cdef enum:
    DEEPEST_TREE = 2000     # lists and objects inside each other
    DEEPEST_TEXT = 1024     # as deep as the writer of compact JSON goes
    MANY_DIGITS = 19        # of a whole number that may not fit into 64 bits, for which readers have different types

cdef uint64_t BYTE_REPEATED = 0x0101010101010101        # times a byte: eight of them


# Counting


def count_breaks(block, Py_ssize_t begin, Py_ssize_t end):
    """Line breaks in block[begin:end]."""
    return count_byte(block, begin, end, 10)


def line_ends(bytes block not None, Py_ssize_t begin, Py_ssize_t count):
    """Where each of `count` lines ends that follow each other from `begin` on; without a break, the last ends with the
    block."""
    cdef Column ends = Column("q")
    cdef const char* start = PyBytes_AS_STRING(block)
    cdef const char* end = start + PyBytes_GET_SIZE(block)
    cdef const char* at
    cdef const char* found
    cdef Py_ssize_t k
    check_between("begin", begin, 0, PyBytes_GET_SIZE(block))
    check_between("count", count, 0, PyBytes_GET_SIZE(block) - begin)
    ends.resize(count)
    at = start + begin
    for k in range(count):
        found = <const char*> memchr(at, b"\n", end - at)
        at = end if found == NULL else found + 1
        (<long long*> ends.data)[k] = at - start
    return ends


def find_room(Py_ssize_t size):
    """A MemoryError if there is no room for so many bytes; none of them is touched."""
    cdef void* room
    check_between("size", size, 0, PY_SSIZE_T_MAX)
    room = PyMem_RawMalloc(size)
    if room == NULL:
        raise MemoryError()
    PyMem_RawFree(room)


def count_colons(text):
    """Colons, which are at least as many as the keys written in a JSON text, and seldom more."""
    return count_byte(text, 0, len(text), 58)


cdef Py_ssize_t count_byte(const unsigned char[::1] block, Py_ssize_t begin, Py_ssize_t end, unsigned char byte):
    cdef const unsigned char* data
    cdef Py_ssize_t i, total = 0, stop
    cdef unsigned char some
    check_between("begin", begin, 0, block.shape[0])
    check_between("end", end, 0, block.shape[0])
    if begin >= end:
        return 0
    data = &block[0]
    with nogil:
        while begin < end:
            stop = min(end, begin + 255)            # as many as fit into a byte, which counts sixteen at a time
            some = 0
            for i in range(begin, stop):
                some += data[i] == byte
            total += some
            begin = stop
    return total


cdef inline Bytes find_quote(Bytes at, Bytes end) noexcept nogil:
    """The quote that ends a string, or the end of the text."""
    cdef uint64_t eight, quotes, slashes
    while at < end:
        while end - at >= 8:
            memcpy(&eight, at, 8)
            quotes, slashes = eight ^ (BYTE_REPEATED * 34), eight ^ (BYTE_REPEATED * 92)
            if ((quotes - BYTE_REPEATED) & ~quotes | (slashes - BYTE_REPEATED) & ~slashes) & (BYTE_REPEATED * 0x80):
                break                               # one of the eight is a zero here, which had to borrow
            at += 8
        while at < end and at[0] != 34 and at[0] != 92:
            at += 1
        if at >= end or at[0] == 34:
            break
        at += 2                                     # whatever follows a backslash is not the end
    return at if at < end else end


def count_written_keys(text):
    """Keys in the text of a JSON value, each as often as it is written: strings that a colon follows."""
    cdef const unsigned char[::1] view = text
    cdef Py_ssize_t total = 0
    cdef Bytes at, end
    if view.shape[0] == 0:
        return 0
    at, end = &view[0], &view[0] + view.shape[0]
    with nogil:
        while at < end:
            at = <Bytes> memchr(at, 34, end - at)
            if at == NULL:
                break
            at = find_quote(at + 1, end) + 1
            while at < end and (at[0] == 32 or 9 <= at[0] <= 13):
                at += 1
            total += at < end and at[0] == 58
    return total


def count_keys(tree):
    """How many keys the objects of a JSON tree hold."""
    return keys_in(<PyObject*> tree, DEEPEST_TREE)


cdef Py_ssize_t keys_in(PyObject* tree, int deepest) except -1:
    cdef Py_ssize_t total = 0, at = 0
    cdef PyObject* key
    cdef PyObject* value
    if deepest == 0:
        raise ValueError(f"a tree of more than {DEEPEST_TREE} lists and objects inside each other")
    if PyDict_CheckExact(<object> tree):
        while PyDict_Next(<object> tree, &at, &key, &value):
            total += 1 + (keys_in(value, deepest - 1) if may_hold(value) else 0)
    elif PyList_CheckExact(<object> tree):
        for at in range(PyList_GET_SIZE(<object> tree)):
            value = PyList_GET_ITEM(<object> tree, at)
            total += keys_in(value, deepest - 1) if may_hold(value) else 0
    return total


cdef inline bint may_hold(PyObject* value) noexcept:
    return PyList_CheckExact(<object> value) or PyDict_CheckExact(<object> value)


# Members of an object


def find_members(bytes text not None):
    """Where members begin, and where they end: two columns of bytes from the start. None if there is any doubt.

    There is if the text is no JSON or no object, and where readers may differ on a number.
    """
    cdef Column begins = Column("q"), ends = Column("q")
    cdef Bytes first = <Bytes> PyBytes_AS_STRING(text)
    cdef Bytes end = first + PyBytes_GET_SIZE(text)
    cdef Bytes at = skip_blanks(first)
    cdef Bytes begin
    cdef bint doubt = has_long_number(first, end)
    if at[0] != b"{" or doubt:
        return None
    at = skip_blanks(at + 1)
    while at[0] != b"}" or begins.size:
        begin = at
        at = skip_name(at, end)
        if at != NULL:
            at = skip_value(at, end, &doubt)
        if at == NULL or doubt:
            return None
        begins.push_int64(begin - first)
        ends.push_int64(at - first)
        at = skip_blanks(at)
        if at[0] != b",":
            break
        at = skip_blanks(at + 1)
    if at[0] != b"}" or skip_blanks(at + 1) != end:
        return None
    return begins, ends


def find_names(bytes text not None, Column begins not None):
    """The names of members as the text of a JSON list, each as it is written."""
    cdef Bytes first = <Bytes> PyBytes_AS_STRING(text)
    cdef Bytes end = first + PyBytes_GET_SIZE(text)
    cdef const long long* places = <const long long*> begins.data
    cdef Bytes at
    cdef Bytes behind
    cdef Py_ssize_t k
    cdef list names = []
    if begins.format != b"q":
        raise ValueError(f"begins: found numbers of format {begins.format.decode()}, expected q")
    for k in range(begins.size):
        if not 0 <= places[k] < end - first:
            raise ValueError(f"begins: found {places[k]}, expected places in {end - first} bytes")
        at = first + places[k]
        behind = skip_name(at, end)
        if behind == NULL:
            raise ValueError(f"begins: no name of a member at {places[k]}")
        names.append(text[at - first:behind - 1 - first])
    return b"[" + b",".join(names) + b"]"


cdef bint has_long_number(Bytes at, Bytes end) noexcept nogil:
    """Whether so many digits stand in a row where a number may begin: one of them is at every so many bytes then."""
    cdef Bytes first = at
    cdef Bytes left
    cdef Bytes right
    while end - at >= MANY_DIGITS:
        left = right = at + MANY_DIGITS - 1
        if is_digit(left[0]):
            while left > first and is_digit((left - 1)[0]):
                left -= 1
            while right + 1 < end and is_digit((right + 1)[0]):
                right += 1
            if right - left + 1 >= MANY_DIGITS and (left == first or (left - 1)[0] in b"[,:- \t\n\r"):
                return True
        at = right + 1
    return False


# Layout


cdef extern from *:
    """
    static inline int is_mark(char byte) {
        return byte == ',' || byte == ':' || (byte | 32) == '{' || (byte | 32) == '}' || byte == '"';
    }
    #ifdef __SSE2__
    #include <emmintrin.h>
    #define EQUAL(bytes, byte) _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte))
    #define SKIP_SIXTEEN(FOUND) \
        for (; size - at >= 16; at += 16) { \
            __m128i bytes = _mm_loadu_si128((const __m128i*) (text + at)); \
            int found = _mm_movemask_epi8(FOUND); \
            if (found) return at + __builtin_ctz((unsigned) found); \
        }
    #else
    #define SKIP_SIXTEEN(FOUND)
    #endif

    /* From `at` on the first comma, colon, bracket or quote; the end of the text if there is none */
    static inline Py_ssize_t find_mark(const char* text, Py_ssize_t at, Py_ssize_t size) {
        SKIP_SIXTEEN(_mm_or_si128(
            _mm_or_si128(_mm_or_si128(EQUAL(bytes, ','), EQUAL(bytes, ':')), EQUAL(bytes, '"')),
            _mm_or_si128(EQUAL(_mm_or_si128(bytes, _mm_set1_epi8(32)), '{'),
                         EQUAL(_mm_or_si128(bytes, _mm_set1_epi8(32)), '}'))))
        while (at < size && !is_mark(text[at])) at++;
        return at;
    }

    /* From `at` on the first quote or bracket */
    static inline Py_ssize_t find_bracket(const char* text, Py_ssize_t at, Py_ssize_t size) {
        SKIP_SIXTEEN(_mm_or_si128(
            EQUAL(bytes, '"'), _mm_or_si128(EQUAL(_mm_or_si128(bytes, _mm_set1_epi8(32)), '{'),
                                            EQUAL(_mm_or_si128(bytes, _mm_set1_epi8(32)), '}'))))
        while (at < size && (text[at] == ',' || text[at] == ':' || !is_mark(text[at]))) at++;
        return at;
    }

    /* From `at` on the first quote or backslash */
    static inline Py_ssize_t string_mark(const char* text, Py_ssize_t at, Py_ssize_t size) {
        SKIP_SIXTEEN(_mm_or_si128(EQUAL(bytes, '"'), EQUAL(bytes, 92)))
        while (at < size && text[at] != '"' && text[at] != 92) at++;
        return at;
    }
    """
    Py_ssize_t find_mark(const char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil
    Py_ssize_t find_bracket(const char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil
    Py_ssize_t string_mark(const char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil


cdef inline Py_ssize_t string_end(const char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Behind the string that begins here; behind the text if it never ends."""
    at = string_mark(text, at + 1, size)
    while at < size and text[at] == 92:
        at = string_mark(text, at + 2, size)
    return at + 1


cdef bint is_flat(const char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Whether the next bracket behind this one closes it."""
    at = find_bracket(text, at + 1, size)
    while at < size and text[at] == 34:
        at = find_bracket(text, string_end(text, at, size), size)
    return at < size and (text[at] == 93 or text[at] == 125)


cdef class Writer:
    """Bytes that grow; `finish` hands them over without a copy."""

    cdef PyObject* text
    cdef char* data
    cdef Py_ssize_t size, room

    def __cinit__(self, Py_ssize_t room):
        if room < 0:
            raise ValueError(f"room: found {room}, expected a number of bytes")
        self.room = room
        self.text = PyBytes_FromStringAndSize(NULL, room)
        self.data = PyBytes_AsString(self.text)

    def __dealloc__(self):
        Py_XDECREF(self.text)

    cdef int put(self, const char* text, Py_ssize_t size) except -1:
        self.reserve(size)
        memcpy(self.data + self.size, text, size)
        self.size += size
        return 0

    cdef int new_line(self, Py_ssize_t depth) except -1:
        self.reserve(1 + 2 * depth)
        self.data[self.size] = 10
        memset(self.data + self.size + 1, 32, 2 * depth)
        self.size += 1 + 2 * depth
        return 0

    cdef inline int reserve(self, Py_ssize_t more) except -1:
        if self.size + more > self.room:
            self.resize(2 * (self.size + more))
        return 0

    cdef int resize(self, Py_ssize_t room) except -1:
        _PyBytes_Resize(&self.text, room)
        self.data, self.room = PyBytes_AsString(self.text), room
        return 0

    cdef bytes finish(self):
        self.resize(self.size)
        return <bytes> <object> self.text


def spread(bytes compact not None, bytes ending=b""):
    r"""The same JSON with line breaks, and a space behind commas and colons; with `ending` behind it.

    >>> spread(b'{"a":[1,2],"b":{"c":null,"d":{}}}')
    b'{\n  "a": [1, 2],\n  "b": {\n    "c": null,\n    "d": {}\n  }\n}'
    """
    cdef const char* text = PyBytes_AS_STRING(compact)
    cdef Py_ssize_t at = 0, size = len(compact), depth = 0, behind
    cdef Writer out = Writer(size + size // 4 + 64)
    cdef char[DEEPEST_TEXT + 1] flat
    flat[0] = True
    while at < size:
        behind = at + 1
        if text[at] == 34:
            behind = string_end(text, at, size)
            if behind > size:
                raise ValueError("no JSON: a string that never ends")
            out.put(text + at, behind - at)
        elif text[at] == 91 or text[at] == 123:
            if depth == DEEPEST_TEXT:
                raise ValueError("JSON nested too deeply")
            depth += 1
            flat[depth] = is_flat(text, at, size)
            out.put(text + at, 1)
            if not flat[depth]:
                out.new_line(depth)
        elif text[at] == 93 or text[at] == 125:
            if depth == 0:
                raise ValueError("no JSON: a bracket is closed that was never opened")
            depth -= 1
            if not flat[depth + 1]:
                out.new_line(depth)
            out.put(text + at, 1)
        elif text[at] == 44:
            out.put(", ", 2 if flat[depth] else 1)
            if not flat[depth]:
                out.new_line(depth)
        elif text[at] == 58:
            out.put(": ", 2)
        else:
            behind = find_mark(text, at, size)
            out.put(text + at, behind - at)
        at = behind
    out.put(PyBytes_AS_STRING(ending), len(ending))
    return out.finish()
