from .column cimport Column


cdef class IntervalColumns:
    cdef readonly Column offsets    # (videos + 1,) into intervals
    cdef readonly Column state      # (intervals,) code
    cdef readonly Column start      # (intervals,) first frame
    cdef readonly Column end        # (intervals,) last frame
    cdef readonly dict states

    cpdef add_video(self, given, apart=*)
    cpdef bint is_empty(self) except -1
    cpdef drop_video(self)
    cdef int cut(self, Py_ssize_t size) except -1
    cdef int make_room(self, Py_ssize_t count) except -1
    cdef Py_ssize_t add_state(self, object name, object intervals) except? -3
    cdef bint add_interval(self, int code, object interval) except -1
    cdef int code_of(self, object name) except -1
