"""Compact JSON laid out to be read: what holds no other list or object stands on one line, the rest is indented by two."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.string cimport memcpy, memset

cdef enum:
    DEEPEST = 1024          # as deep as the writer of compact JSON goes


cdef inline Py_ssize_t string_end(const char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Behind the string that begins here; behind the text if it never ends."""
    at += 1
    while at < size and text[at] != 34:
        at += 2 if text[at] == 92 else 1
    return at + 1


cdef bint is_flat(const char* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Whether the next bracket behind this one closes it."""
    at += 1
    while at < size:
        if text[at] == 34:
            at = string_end(text, at, size)
        elif text[at] == 91 or text[at] == 123:
            return False
        elif text[at] == 93 or text[at] == 125:
            return True
        else:
            at += 1
    return False


cdef class Writer:
    cdef char* data
    cdef Py_ssize_t size, room

    def __cinit__(self, Py_ssize_t room):
        if room < 0:
            raise ValueError(f"room: found {room}, expected a number of bytes")
        self.room = room
        self.data = <char*> PyMem_Malloc(room)
        if self.data == NULL:
            raise MemoryError()

    def __dealloc__(self):
        PyMem_Free(self.data)

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

    cdef int reserve(self, Py_ssize_t more) except -1:
        cdef char* moved
        if self.size + more > self.room:
            self.room = 2 * (self.size + more)
            moved = <char*> PyMem_Realloc(self.data, self.room)
            if moved == NULL:
                raise MemoryError()
            self.data = moved
        return 0


def spread(bytes compact not None):
    r"""The same JSON with line breaks, and a space behind commas and colons.

    >>> spread(b'{"a":[1,2],"b":{"c":null,"d":{}}}')
    b'{\n  "a": [1, 2],\n  "b": {\n    "c": null,\n    "d": {}\n  }\n}'
    """
    cdef const char* text = PyBytes_AS_STRING(compact)
    cdef Py_ssize_t at = 0, size = len(compact), depth = 0, behind
    cdef Writer out = Writer(size + size // 4 + 64)
    cdef char[DEEPEST + 1] flat
    flat[0] = True
    while at < size:
        if text[at] == 34:
            behind = string_end(text, at, size)
            if behind > size:
                raise ValueError("no JSON: a string that never ends")
            out.put(text + at, behind - at)
            at = behind
            continue
        if text[at] == 91 or text[at] == 123:
            if depth == DEEPEST:
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
            out.put(text + at, 1)
            if flat[depth]:
                out.put(" ", 1)
            else:
                out.new_line(depth)
        elif text[at] == 58:
            out.put(": ", 2)
        else:
            out.put(text + at, 1)
        at += 1
    return PyBytes_FromStringAndSize(out.data, out.size)
