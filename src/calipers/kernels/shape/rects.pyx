"""Overlap of boxes that stand straight, given as lists of four numbers: x1 <= x2, y1 <= y2.

The same numbers as the exact ruler of regions gives, in a kernel that loads in no time.
"""

from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact

from ..scan.column cimport Column


cdef double LARGEST = 1e100         # squares of it are still numbers


cdef int put(Column column, list boxes) except -1:
    """The corners of all boxes, and the area of each."""
    cdef double x1, y1, x2, y2
    cdef object box
    for box in boxes:
        x1, y1, x2, y2 = box
        if not (-LARGEST <= x1 <= x2 <= LARGEST and -LARGEST <= y1 <= y2 <= LARGEST):
            raise ValueError(f"found {box!r}, expected x1 <= x2, y1 <= y2 and numbers up to 1e100")
        column.push_double(x1)
        column.push_double(y1)
        column.push_double(x2)
        column.push_double(y2)
        column.push_double((x2 - x1) * (y2 - y1))
    return 0


cdef bint is_plain(object box) except -1:
    """Whether this is a list of four numbers, the corners in order."""
    cdef double corners[4]
    cdef int k
    if type(box) is not list or PyList_GET_SIZE(box) != 4:
        return False
    for k in range(4):
        number = <object> PyList_GET_ITEM(box, k)
        if not PyFloat_CheckExact(number) and not PyLong_CheckExact(number):
            return False
        if not -LARGEST <= number <= LARGEST:               # NaN is not
            return False
        corners[k] = number
    return corners[0] <= corners[2] and corners[1] <= corners[3]


def plain_boxes(value):
    """The boxes in a list of them, or in one alone, if all are written in the most usual way; else None."""
    if type(value) is not list or PyList_GET_SIZE(value) == 0:
        return None
    if type(value[0]) is not list:
        return [list(value)] if is_plain(value) else None
    for box in <list> value:
        if not is_plain(box):
            return None
    return [list(box) for box in <list> value]


def rect_pairs(list truth not None, list pred not None):
    """Every pair that shares area: columns (truth, pred, score), the score in units of 1e-12."""
    cdef Column a = Column("d"), b = Column("d"), left = Column("i"), right = Column("i"), score = Column("q")
    cdef Py_ssize_t i, j
    cdef double* p
    cdef double* q
    cdef double width, height, shared
    put(a, truth)
    put(b, pred)
    for i in range(a.size // 5):
        p = <double*> a.data + 5 * i
        for j in range(b.size // 5):
            q = <double*> b.data + 5 * j
            width = min(p[2], q[2]) - max(p[0], q[0])
            height = min(p[3], q[3]) - max(p[1], q[1])
            shared = width * height
            if width > 0 and height > 0 and shared > 0:
                left.push_int32(<int> i)
                right.push_int32(<int> j)
                score.push_int64(<long long> (shared / (p[4] + q[4] - shared) * 1e12 + 0.5))
    return left, right, score
