"""Lists of objects as they come out of JSON, appended to columns.

One pass over each object: its type, its numbers, its text. What is wrong with it becomes a small code (REASONS);
the words for a message are found later, by whoever needs them. Numbers given in pixels are brought to the
frame of 1000 by 1000; outside of it, predictions are clamped and ground truth is wrong.
"""

from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_Check, PyDict_GetItemWithError, PyDict_Next, PyDict_SetItem
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.number cimport PyNumber_Check, PyNumber_Float
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact
from libc.math cimport fabs, isfinite
from libc.string cimport memcmp

from .column cimport Column

REASONS = (
    "",
    "not an object",
    "type",
    "points",
    "not a number",
    "not finite",
    "bbox_2d count",
    "odd count",
    "poly count",
    "line count",
    "outside the frame",
    "desc",
)
cdef enum:
    OK = 0
    NOT_AN_OBJECT = 1
    BAD_TYPE = 2
    BAD_POINTS = 3
    NOT_A_NUMBER = 4
    NOT_FINITE = 5
    BOX_COUNT = 6
    ODD_COUNT = 7
    POLY_COUNT = 8
    LINE_COUNT = 9
    OUTSIDE = 10
    BAD_DESC = 11

KINDS = ("bbox_2d", "poly", "line")

cdef double LARGEST = 1e100         # squares of larger numbers would not be finite


cdef extern from "Python.h":
    double PyLong_AsDouble(object number)       # -1 and an exception when it is too large
    bint PyUnicode_IS_COMPACT_ASCII(PyObject* text) nogil
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text) nogil
    int PyUnicode_KIND(PyObject* text) nogil
    void* PyUnicode_DATA(PyObject* text) nogil


cdef inline int read_number(PyObject* item, double* out) except -1:
    """OK, NOT_A_NUMBER or NOT_FINITE. Booleans and numeric strings are not numbers."""
    cdef object value = <object> item
    if PyLong_CheckExact(value):
        out[0] = PyLong_AsDouble(value)
        if out[0] == -1.0 and PyErr_Occurred():      # more than a float can hold
            PyErr_Clear()
            return NOT_FINITE
        return OK
    if PyFloat_CheckExact(value) or PyFloat_Check(value):
        out[0] = PyFloat_AS_DOUBLE(value)
        return OK if isfinite(out[0]) else NOT_FINITE
    if PyBool_Check(value) or type(value).__name__ in ("bool", "bool_") or not PyNumber_Check(value):
        return NOT_A_NUMBER
    try:
        out[0] = PyFloat_AS_DOUBLE(PyNumber_Float(value))
    except (TypeError, ValueError):
        return NOT_A_NUMBER
    except OverflowError:
        return NOT_FINITE
    return OK if isfinite(out[0]) else NOT_FINITE


cdef object as_list(object value):
    """Lists as they are; tuples and arrays as lists; None for anything else."""
    if isinstance(value, list):
        return value
    if isinstance(value, tuple):
        return list(value)
    if hasattr(value, "tolist") and hasattr(value, "ndim"):
        value = value.tolist()
        return value if isinstance(value, list) else None
    return None


cdef inline bint is_point(object value):
    """A list, a tuple or an array, rather than a number."""
    if PyLong_CheckExact(value) or PyFloat_CheckExact(value):
        return False
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0


cdef inline bint spells(PyObject* text, const char* word, Py_ssize_t length) noexcept nogil:
    return (PyUnicode_GET_LENGTH(text) == length and PyUnicode_IS_COMPACT_ASCII(text)
            and memcmp(PyUnicode_DATA(text), word, length) == 0)


cdef inline object exact_text(object text):
    """A string that is only a string."""
    return text if PyUnicode_CheckExact(text) else str.__str__(text)


cdef inline int find_kind(PyObject* item) except -1:
    if item == NULL or not PyUnicode_Check(<object> item):
        return UNKNOWN
    cdef object name = exact_text(<object> item)
    item = <PyObject*> name
    if spells(item, "bbox_2d", 7):
        return BOX
    if spells(item, "poly", 4):
        return POLY
    if spells(item, "line", 4):
        return LINE
    return UNKNOWN


cdef struct Fields:
    PyObject* type
    PyObject* points
    PyObject* desc


cdef int find_fields(object item, Fields* out) except -1:
    """The three fields of an object. Going through its few keys is quicker than three look-ups by hash."""
    cdef PyObject* key
    cdef PyObject* value
    cdef Py_ssize_t position = 0
    out.type = out.points = out.desc = NULL
    while PyDict_Next(item, &position, &key, &value):
        if not PyUnicode_CheckExact(<object> key):
            continue
        if spells(key, "type", 4):
            out.type = value
        elif spells(key, "desc", 4):
            out.desc = value
        elif spells(key, "points", 6):
            out.points = value
    return 0


cdef PyObject* stored_text(dict descs, int code) noexcept:
    """The text that `descs` itself holds for a code: texts are only ever added, so it stands where its code says."""
    cdef PyObject* key
    cdef PyObject* value
    cdef Py_ssize_t position = code
    if PyDict_Next(descs, &position, &key, &value) and PyLong_AsDouble(<object> value) == code:
        return key
    return NULL


cdef class ObjectColumns:
    """Objects of many records, side by side, in the frame [0, 1000]; `framed=False` takes any finite number."""

    def __cinit__(self, dict descs not None, bint framed=True):
        self.offsets, self.kind, self.reason = Column("q", 1), Column("B"), Column("B")
        self.flags, self.starts, self.points = Column("B"), Column("q", 1), Column("d")
        self.desc, self.descs, self.kept = Column("i"), descs, [None] * RECENT
        self.limit, self.framed = 1000.0, framed

    def add_record(self, list objects not None, bint truth, double width=1000.0, double height=1000.0):
        """Append one record's objects. Returns -1, or the index of the first wrong one if they are ground truth,
        with nothing appended (its reason is `last_reason`)."""
        cdef Py_ssize_t i, size = self.kind.size, count = PyList_GET_SIZE(objects)
        cdef int reason
        self.make_room(count)
        for i in range(count):
            reason = self.add_object(<PyObject*> PyList_GET_ITEM(objects, i), truth, width, height)
            if truth and reason:
                self.last_reason = reason
                self.cut(size)
                return i
        self.offsets.push_int64(self.kind.size)
        return -1

    cdef int make_room(self, Py_ssize_t count) except -1:
        """Let `push` be called that often."""
        for column in (self.kind, self.reason, self.flags, self.desc, self.starts):
            (<Column> column).reserve(count)
        return 0

    cpdef drop_record(self):
        """Take the last record back."""
        if self.offsets.size < 2:
            raise ValueError("there is no record to take back")
        self.offsets.resize(self.offsets.size - 1)
        self.cut((<long long*> self.offsets.data)[self.offsets.size - 1])

    def join_records(self):
        """All objects as one record."""
        self.offsets.resize(1)
        self.offsets.push_int64(self.kind.size)

    cdef int cut(self, Py_ssize_t size) except -1:
        if not 0 <= size <= self.kind.size:
            raise ValueError(f"offsets: found {size}, expected at most {self.kind.size} objects")
        self.kind.resize(size)
        self.reason.resize(size)
        self.flags.resize(size)
        self.desc.resize(size)
        self.starts.resize(size + 1)
        self.points.resize((<long long*> self.starts.data)[size])
        return 0

    cdef int add_object(self, PyObject* item, bint truth, double width, double height) except -1:
        """Append one object, valid or not; returns what is wrong with it."""
        cdef int kind = UNKNOWN, reason = NOT_AN_OBJECT
        cdef Py_ssize_t start = self.points.size
        cdef unsigned char flags = 0
        cdef object desc = ""
        cdef Fields fields
        if PyDict_Check(<object> item):
            find_fields(<object> item, &fields)
            kind = find_kind(fields.type)
            reason = BAD_TYPE if kind == UNKNOWN else self.add_points(
                fields.points, kind, truth, width, height, &flags)
            if fields.desc != NULL and PyUnicode_Check(<object> fields.desc):
                desc = exact_text(<object> fields.desc)
            elif truth and not reason:
                reason = BAD_DESC
        if reason:
            self.points.resize(start)
            flags = 0
        self.push(kind, reason, flags, self.find_code(<PyObject*> desc))
        return reason

    cdef int find_code(self, PyObject* text) except -1:
        """The code of a text, new if it is. Texts met recently are found without Python's hash."""
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text) * PyUnicode_KIND(text)
        cdef const char* data = <const char*> PyUnicode_DATA(text)
        cdef Py_ssize_t place = mixed(data, size) % RECENT
        cdef Known* known = &self.recent[place]
        cdef PyObject* found
        if (known.text != NULL and PyUnicode_KIND(known.text) == PyUnicode_KIND(text)
                and PyUnicode_GET_LENGTH(known.text) == PyUnicode_GET_LENGTH(text)
                and memcmp(PyUnicode_DATA(known.text), data, size) == 0):
            return known.code
        found = PyDict_GetItemWithError(self.descs, <object> text)
        if found == NULL:
            known.code = len(self.descs)
            PyDict_SetItem(self.descs, <object> text, known.code)
            known.text = text
        else:
            known.code = <object> found
            known.text = stored_text(self.descs, known.code)
        self.kept[place] = None if known.text == NULL else <object> known.text      # whatever becomes of `descs`
        return known.code

    cdef void push(self, unsigned char kind, unsigned char reason, unsigned char flags, int desc) noexcept:
        """One object behind the others; `make_room` has been called."""
        cdef Py_ssize_t at = self.kind.size
        (<unsigned char*> self.kind.data)[at] = kind
        (<unsigned char*> self.reason.data)[at] = reason
        (<unsigned char*> self.flags.data)[at] = flags
        (<int*> self.desc.data)[at] = desc
        (<long long*> self.starts.data)[at + 1] = self.points.size
        self.kind.size = self.reason.size = self.flags.size = self.desc.size = at + 1
        self.starts.size = at + 2

    cdef int add_points(self, PyObject* found, int kind, bint truth, double width, double height,
                        unsigned char* flags) except -1:
        cdef object points, pair
        cdef Py_ssize_t i, count, start = self.points.size
        cdef int reason
        if found == NULL:
            return BAD_POINTS
        points = <object> found
        if not PyList_CheckExact(points):
            points = as_list(points)
            if points is None:
                return BAD_POINTS
        count = PyList_GET_SIZE(points)
        if count and is_point(<object> PyList_GET_ITEM(points, 0)):
            for pair in points:
                pair = as_list(pair)
                if pair is None:
                    return NOT_A_NUMBER
                if PyList_GET_SIZE(pair) != 2:
                    return ODD_COUNT
                reason = self.add_numbers(pair, 2, truth, width, height, flags)
                if reason:
                    return reason
        else:
            reason = self.add_numbers(points, count, truth, width, height, flags)
            if reason:
                return reason
        return self.check_count(kind, start)

    cdef int add_numbers(self, list numbers, Py_ssize_t count, bint truth, double width, double height,
                         unsigned char* flags) except -1:
        cdef Py_ssize_t i
        cdef double value, extent
        cdef int reason
        cdef double* out
        self.points.reserve(count)
        out = (<double*> self.points.data) + self.points.size
        for i in range(count):
            reason = read_number(<PyObject*> PyList_GET_ITEM(numbers, i), &value)
            if reason:
                return reason
            extent = height if i & 1 else width
            if self.framed and clamp(&value, extent):
                if truth:
                    return OUTSIDE
                flags[0] |= CLAMPED
            if not self.framed and fabs(value) > LARGEST:
                return NOT_FINITE
            if extent != self.limit:
                value = min(value * self.limit / extent, self.limit)
            out[i] = value + 0.0        # -0.0 becomes 0.0
        self.points.size += count
        return OK

    cdef int check_count(self, int kind, Py_ssize_t start) noexcept:
        """The number of numbers each type needs."""
        cdef Py_ssize_t count = self.points.size - start
        if kind == BOX:
            return OK if count == 4 else BOX_COUNT
        if count % 2:
            return ODD_COUNT
        if kind == LINE:
            return OK if count >= 4 else LINE_COUNT
        return OK if count >= 6 else POLY_COUNT
