from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from .column cimport Column

cdef enum:
    BOX = 0
    POLY = 1
    LINE = 2
    UNKNOWN = 3

cdef enum:
    CLAMPED = 8

cdef enum:
    RECENT = 1024


cdef struct Known:
    PyObject* text
    int code


cdef inline bint clamp(double* value, double extent) noexcept nogil:
    """Move a number into the frame; whether it was outside."""
    if 0.0 <= value[0] <= extent:
        return False
    value[0] = 0.0 if value[0] < 0.0 else extent
    return True


cdef inline uint64_t mixed(const char* data, Py_ssize_t size) noexcept nogil:
    """A quick mix of all bytes, to find a text met recently by."""
    cdef uint64_t mix = <uint64_t> size, eight = 0
    cdef Py_ssize_t at
    for at in range(0, size - 8, 8):            # products do not wait for each other
        memcpy(&eight, data + at, 8)
        mix += (eight ^ (<uint64_t> at * <uint64_t> 0x94D049BB133111EB)) * <uint64_t> 0x9E3779B97F4A7C15
    mix ^= mix >> 32
    memcpy(&eight, data + max(0, size - 8), min(size, 8))
    mix = (mix ^ eight) * <uint64_t> 0xBF58476D1CE4E5B9
    return mix >> 40


cdef PyObject* stored_text(dict descs, int code) noexcept


cdef class ObjectColumns:
    cdef readonly Column offsets        # (records + 1,) into objects
    cdef readonly Column kind           # (objects,)  index into KINDS, 3 unknown
    cdef readonly Column reason         # (objects,)  index into REASONS, 0 valid
    cdef readonly Column flags          # (objects,)  8 clamped
    cdef readonly Column starts         # (objects + 1,) into points, in numbers
    cdef readonly Column points         # x, y, x, y, …
    cdef readonly Column desc           # (objects,)  code of the text
    cdef readonly dict descs            # text -> code
    cdef readonly int last_reason
    cdef double limit
    cdef bint framed
    cdef Known[RECENT] recent
    cdef list kept                      # the texts of `recent`

    cpdef drop_record(self)
    cdef int make_room(self, Py_ssize_t count) except -1
    cdef int cut(self, Py_ssize_t size) except -1
    cdef int add_object(self, PyObject* item, bint truth, double width, double height) except -1
    cdef int find_code(self, PyObject* text) except -1
    cdef void push(self, unsigned char kind, unsigned char reason, unsigned char flags, int desc) noexcept
    cdef int add_points(self, PyObject* found, int kind, bint truth, double width, double height,
                        unsigned char* flags) except -1
    cdef int add_numbers(self, list numbers, Py_ssize_t count, bint truth, double width, double height,
                         unsigned char* flags) except -1
    cdef int check_count(self, int kind, Py_ssize_t start) noexcept
