cdef class Column:
    cdef char* data
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t itemsize
    cdef Py_ssize_t capacity
    cdef Py_ssize_t exports
    cdef Py_ssize_t shape[1]
    cdef Py_ssize_t strides[1]
    cdef readonly bytes format

    cdef int reserve(self, Py_ssize_t items) except -1
    cdef int resize(self, Py_ssize_t items) except -1
    cdef int push_double(self, double value) except -1
    cdef int push_int64(self, long long value) except -1
    cdef int push_int32(self, int value) except -1
    cdef int push_uint8(self, unsigned char value) except -1
