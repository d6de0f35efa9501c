from ..scan.column cimport Column


cdef class Side:
    cdef const long long[::1] offsets
    cdef const double[::1] center, half, axes, bounds
    cdef const unsigned char[::1] reason

    cdef int check(self, Py_ssize_t count) except -1


cdef struct Place:
    double[3] low
    double[3] high
    int index


cdef struct Couple:
    long long score
    int truth, pred


cdef class Neighbours:
    cdef Column truth, pred, score
    cdef Place* places
    cdef Couple* couples
    cdef Py_ssize_t place_room, couple_room, count, before, most

    cdef int find(self, Side truth, Side pred, Py_ssize_t scene, double limit) except -1 nogil
    cdef int sweep(self, const Place* a, Py_ssize_t n, const Place* b, Py_ssize_t m) except -1 nogil
    cdef int add(self, int truth, int pred) except -1 nogil
    cdef int take(self) except -1
