"""Objects of scenes as they come out of JSON, appended to columns as boxes; and boxes written as rows of numbers.

`{"id", "label", "center": [x, y, z], "size": [dx, dy, dz], "rotation", "score", "similarity": {task: number}}`, where
rotation is nothing, a quaternion [x, y, z, w], {"yaw": radians} or a matrix whose columns are the axes of the box. One
pass over each object. What is wrong with it becomes a small code (REASONS), the first that applies; the words for a
message are found by whoever needs them.

A number is an int or a float of at most LARGEST, and a size at least SMALLEST: so volumes and squared distances neither
overflow nor vanish. A matrix may be off by TOLERANCE and is replaced by the rotation nearest to it.
"""

from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_Check, PyDict_GetItemWithError, PyDict_Next, PyDict_SetItem
from cpython.list cimport PyList_Append, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.set cimport PySet_Add, PySet_GET_SIZE
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact
from libc.math cimport NAN, fabs
from libc.string cimport memset

from .checks cimport check_between
from .column cimport Column
from .jsonnumbers cimport (
    LARGEST_NUMBER,
    ROTATION_TOLERANCE,
    SMALLEST_SIZE,
    is_given,
    read_number,
    read_numbers,
    read_rotation,
)
from .rotations cimport bound, no_turn, stand_up, turn_by_yaw

ROTATIONS = ("orientation", "quaternion", "yaw", "heading")
REASONS = ("", "not an object", "center", "size", "rotation", "label", "score", "similarity", "id")
cdef enum:
    OK = 0
    NOT_AN_OBJECT = 1
    BAD_CENTER = 2
    BAD_SIZE = 3
    BAD_ROTATION = 4
    BAD_LABEL = 5
    BAD_SCORE = 6
    BAD_SIMILARITY = 7
    BAD_ID = 8
    MISNAMED = 9                                # what may be meant for a rotation, under another name
    OBB_SIZE = 10                               # the size, under the name it has in tables of results
    FIELD_CODES = 11                            # a field has the code of its reason
    REMEMBERED = 16                             # keys by their place in an object

LARGEST, SMALLEST, TOLERANCE = LARGEST_NUMBER, SMALLEST_SIZE, ROTATION_TOLERANCE
cdef dict FIELDS = dict(zip(REASONS[BAD_CENTER:], range(BAD_CENTER, MISNAMED))) | dict.fromkeys(ROTATIONS, MISNAMED)
cdef str CENTER = "center", SIZE = "size", OBB = "obb_dimensions", NOTHING = ""
FIELDS[OBB] = OBB_SIZE


cdef inline bint read_half(PyObject* found, double* half) except -1:
    """Half the size, which has to be positive."""
    cdef int k
    if not read_numbers(found, 3, half):
        return False
    for k in range(3):
        if not half[k] >= SMALLEST_SIZE:
            return False
        half[k] *= 0.5
    return True


cdef class BoxColumns:
    """The boxes of one side of many scenes. One that cannot be read has a reason, and zeros for its numbers."""

    cdef readonly Column offsets            # (scenes + 1,) into boxes
    cdef readonly Column center             # (boxes * 3,)
    cdef readonly Column half               # (boxes * 3,) half the size along each axis
    cdef readonly Column axes               # (boxes * 9,) three unit vectors, the third nearest to world Z
    cdef readonly Column bounds             # (boxes * 6,) least x, y, z, then largest
    cdef readonly Column upright            # (boxes,) 1 where the third axis is exactly world Z
    cdef readonly Column reason             # (boxes,) index into REASONS
    cdef readonly Column scores             # (boxes,) NaN where there is none
    cdef readonly Column index              # (boxes,) place in its list
    cdef readonly list labels               # (boxes,) "" where there is none
    cdef readonly list ids                  # (boxes,) None where there is none
    cdef readonly dict similarity           # box -> task -> number, where given
    cdef readonly int last_reason
    cdef dict texts                         # labels by themselves
    cdef list keys                          # as the last object had them: the next one is likely to have the same
    cdef PyObject* key_at[REMEMBERED]
    cdef int code_at[REMEMBERED]

    def __cinit__(self):
        self.texts, self.keys = {}, [None] * REMEMBERED
        self.offsets, self.index = Column("q", 1), Column("i")
        self.center, self.half, self.axes, self.bounds = Column("d"), Column("d"), Column("d"), Column("d")
        self.upright, self.reason, self.scores = Column("B"), Column("B"), Column("d")
        self.labels, self.ids, self.similarity = [], [], {}

    def __len__(self):
        return self.offsets.size - 1

    def add_scene(self, list objects not None, bint strict):
        """Append one scene. Returns -1 or, if it is strict, the index of the first object that is wrong, with nothing
        appended (its reason is `last_reason`)."""
        cdef Py_ssize_t i, begun = self.reason.size
        cdef set seen = set()
        cdef int reason
        self.make_room(PyList_GET_SIZE(objects))
        for i in range(PyList_GET_SIZE(objects)):
            reason = self.add_object(<object> PyList_GET_ITEM(objects, i), i, seen)
            if strict and reason:
                self.last_reason = reason
                self.cut(begun)
                return i
        self.offsets.push_int64(self.reason.size)
        return -1

    def last_wrong(self):
        """(index, reason) of each wrong object in the last scene."""
        cdef const long long* ends = <const long long*> self.offsets.data + self.offsets.size - 2
        cdef Py_ssize_t at
        cdef list wrong = []
        self.check_last()
        for at in range(ends[0], ends[1]):
            if self.reason.data[at]:
                wrong.append((at - ends[0], <int> self.reason.data[at]))
        return wrong

    cpdef drop_scene(self):
        """Take the last scene back."""
        self.check_last()
        self.offsets.resize(self.offsets.size - 1)
        self.cut((<long long*> self.offsets.data)[self.offsets.size - 1])

    cdef int check_last(self) except -1:
        """There is a last scene, and it ends where the boxes end."""
        cdef const long long* ends = <const long long*> self.offsets.data + self.offsets.size - 2
        if self.offsets.size < 2 or not 0 <= ends[0] <= ends[1] == self.reason.size:
            raise ValueError("there is no last scene")
        return 0

    cdef int make_room(self, Py_ssize_t count) except -1:
        """Let `add_object` be called that often."""
        for column in (self.upright, self.reason, self.scores, self.index):
            (<Column> column).reserve(count)
        self.center.reserve(3 * count)
        self.half.reserve(3 * count)
        self.bounds.reserve(6 * count)
        self.axes.reserve(9 * count)
        return 0

    cdef int cut(self, Py_ssize_t size) except -1:
        cdef Py_ssize_t box
        for box in range(size, self.reason.size):
            self.similarity.pop(box, None)
        self.set_size(size)
        del self.labels[size:], self.ids[size:]
        return 0

    cdef void set_size(self, Py_ssize_t size) noexcept:
        self.upright.size = self.reason.size = self.scores.size = self.index.size = size
        self.center.size = self.half.size = 3 * size
        self.bounds.size, self.axes.size = 6 * size, 9 * size

    cdef int add_object(self, object item, Py_ssize_t index, set seen) except -1:
        """Append one object, for which there is room; returns what is wrong with it."""
        cdef Py_ssize_t at = self.reason.size
        cdef int reason = NOT_AN_OBJECT
        cdef PyObject* fields[FIELD_CODES]
        (<double*> self.scores.data)[at] = NAN
        if PyDict_Check(item):
            self.find_fields(item, fields)
            reason = self.add_box(fields, at)
            reason = self.add_words(fields, at, reason)
            reason = self.add_id(fields[BAD_ID], seen, reason)
        else:
            PyList_Append(self.labels, NOTHING)
            PyList_Append(self.ids, None)
        if reason:
            self.clear(at)
        (<unsigned char*> self.reason.data)[at] = reason
        (<int*> self.index.data)[at] = index
        self.set_size(at + 1)
        return reason

    cdef int find_fields(self, object item, PyObject** fields) except -1:
        """The fields of an object, by code. The keys of one JSON text are the same strings in all its objects."""
        cdef PyObject* key
        cdef PyObject* value
        cdef Py_ssize_t at = 0, place = 0
        cdef int code
        memset(fields, 0, FIELD_CODES * sizeof(PyObject*))
        while PyDict_Next(item, &at, &key, &value):
            if place < REMEMBERED and key == self.key_at[place]:
                fields[self.code_at[place]] = value
            else:
                code = code_of(key)
                fields[code] = value
                if place < REMEMBERED:
                    self.key_at[place], self.code_at[place] = key, code
                    self.keys[place] = <object> key         # as long as it lives, no other has its address
            place += 1
        return 0

    cdef void clear(self, Py_ssize_t at) noexcept:
        """What is not valid has no place, no size and no axes."""
        self.upright.data[at] = 0
        memset(self.center.data + 24 * at, 0, 24)
        memset(self.half.data + 24 * at, 0, 24)
        memset(self.axes.data + 72 * at, 0, 72)
        memset(self.bounds.data + 48 * at, 0, 48)

    cdef int add_box(self, PyObject** fields, Py_ssize_t at) except -1:
        cdef double* center = <double*> self.center.data + 3 * at
        cdef double* half = <double*> self.half.data + 3 * at
        cdef double* axes = <double*> self.axes.data + 9 * at
        if not read_numbers(fields[BAD_CENTER], 3, center):
            return BAD_CENTER
        if not read_half(fields[BAD_SIZE if is_given(fields[BAD_SIZE]) else OBB_SIZE], half):
            return BAD_SIZE
        if (is_given(fields[MISNAMED]) and not is_given(fields[BAD_ROTATION])) or not read_rotation(
                fields[BAD_ROTATION], axes):
            return BAD_ROTATION
        self.upright.data[at] = stand_up(axes, half)
        bound(center, half, axes, <double*> self.bounds.data + 6 * at)
        return OK

    cdef int add_words(self, PyObject** fields, Py_ssize_t at, int reason) except -1:
        """Label, score and similarity, each kept if it is right itself."""
        cdef PyObject* label = fields[BAD_LABEL]
        cdef PyObject* score = fields[BAD_SCORE]
        cdef PyObject* similarity = fields[BAD_SIMILARITY]
        cdef double number = NAN
        cdef bint is_text = is_given(label) and PyUnicode_Check(<object> label)
        PyList_Append(self.labels, self.kept_text(<object> label) if is_text else NOTHING)
        if is_given(label) and not is_text:
            reason = reason or BAD_LABEL
        if is_given(score):
            if read_number(<object> score, &number):
                (<double*> self.scores.data)[at] = number
            else:
                reason = reason or BAD_SCORE
        if is_given(similarity):
            tasks = read_similarity(<object> similarity)
            if tasks is None:
                return reason or BAD_SIMILARITY
            self.similarity[at] = tasks
        return reason

    cdef object kept_text(self, object text):
        """A text that is only a text; the same for all that are equal, so that each is kept once."""
        cdef PyObject* kept = PyDict_GetItemWithError(self.texts, text)
        if kept == NULL:
            text = exact_text(text)
            PyDict_SetItem(self.texts, text, text)
            return text
        return <object> kept

    cdef int add_id(self, PyObject* found, set seen, int reason) except -1:
        """An id, which only the first object of a scene may have."""
        cdef Py_ssize_t before = PySet_GET_SIZE(seen)
        if not is_given(found):
            PyList_Append(self.ids, None)
            return reason
        PyList_Append(self.ids, <object> found)
        key = id_key(<object> found)
        if key is not None:
            PySet_Add(seen, key)
        return reason or (OK if PySet_GET_SIZE(seen) > before else BAD_ID)


cdef int code_of(PyObject* key) except -1:
    """A field's code, or 0."""
    cdef PyObject* code = PyDict_GetItemWithError(FIELDS, <object> key) if PyUnicode_Check(<object> key) else NULL
    return 0 if code == NULL else <object> code


def all_plain(list objects not None):
    """Whether none of these is of a scene graph: without center and size, but with what such objects have."""
    for item in objects:
        if PyDict_Check(item) and PyDict_GetItemWithError(item, CENTER) == NULL and is_of_graph(item):
            return False
    return True


cdef bint is_of_graph(object item) except -1:
    return SIZE not in item and ("position" in item or "dimensions" in item or "data_path" in item)


cdef inline object exact_text(object text):
    """A string that is only a string."""
    return text if PyUnicode_CheckExact(text) else str.__str__(text)


cdef object read_similarity(object given):
    """{task: number}, or None."""
    cdef PyObject* key
    cdef PyObject* value
    cdef Py_ssize_t at = 0
    cdef double number = 0
    cdef dict tasks = {}
    if not PyDict_Check(given):
        return None
    while PyDict_Next(given, &at, &key, &value):
        if not PyUnicode_Check(<object> key) or not read_number(<object> value, &number):
            return None
        PyDict_SetItem(tasks, exact_text(<object> key), number)
    return tasks


cdef inline object id_key(object given):
    """What tells ids apart, or None: `true` is not 1, and lists and objects are compared as they are written."""
    if PyUnicode_CheckExact(given) or PyLong_CheckExact(given):
        return given
    if PyBool_Check(given):
        return bool, given
    try:
        hash(given)
    except TypeError:
        return written_id(given)
    return given


cdef object written_id(object given):
    try:
        return type(given), repr(given)
    except RecursionError:
        return None


# Rows of numbers


cdef bint is_box(const double* row, Py_ssize_t width) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(width):
        if not fabs(row[k]) <= LARGEST_NUMBER:      # nor is NaN
            return False
    return row[3] >= SMALLEST_SIZE and row[4] >= SMALLEST_SIZE and row[5] >= SMALLEST_SIZE


cdef class BoxRows:
    """One scene of boxes, each a row of center, size and, if there are seven numbers, yaw; columns as those above."""

    cdef readonly Column offsets, center, half, axes, bounds, upright, reason
    cdef readonly Py_ssize_t first_bad          # the first row that is no box, or -1

    def __cinit__(self, const double[:, ::1] rows not None):
        cdef Py_ssize_t count = rows.shape[0], i
        check_between("numbers of a box", rows.shape[1], 6, 7)
        self.center, self.half, self.bounds = Column("d", 3 * count), Column("d", 3 * count), Column("d", 6 * count)
        self.axes, self.upright, self.reason = Column("d", 9 * count), Column("B", count), Column("B", count)
        self.offsets = Column("q", 1)
        self.offsets.push_int64(count)
        self.first_bad = -1
        for i in range(count):
            if not is_box(&rows[i, 0], rows.shape[1]):
                self.first_bad = i
                return
            self.put(i, &rows[i, 0], rows.shape[1])

    def __len__(self):
        return self.reason.size

    cdef void put(self, Py_ssize_t i, const double* row, Py_ssize_t width) noexcept nogil:
        cdef double* center = <double*> self.center.data + 3 * i
        cdef double* half = <double*> self.half.data + 3 * i
        cdef double* axes = <double*> self.axes.data + 9 * i
        cdef int k
        for k in range(3):
            center[k] = row[k] + 0.0            # -0.0 becomes 0.0
            half[k] = row[3 + k] * 0.5
        if width == 7:
            turn_by_yaw(row[6] + 0.0, axes)
        else:
            no_turn(axes)
        self.upright.data[i] = stand_up(axes, half)
        bound(center, half, axes, <double*> self.bounds.data + 6 * i)
