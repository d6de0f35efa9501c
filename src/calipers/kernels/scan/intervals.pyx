"""States of videos as they come out of JSON, appended to columns: {state: [[first frame, last frame], …]}; and back.

One pass over each video. Frames are whole numbers, both ends belong to the interval. What is wrong is told by where it
is; the words for a message are found by whoever needs them. The way back is from columns of figures to plain dicts.
"""

from cpython.bool cimport PyBool_Check
from cpython.dict cimport (
    PyDict_CheckExact,
    PyDict_Contains,
    PyDict_Copy,
    PyDict_GetItemWithError,
    PyDict_Next,
    PyDict_SetItem,
)
from cpython.float cimport PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact

from .checks cimport check_count, check_length, check_long_indices
from .column cimport Column

BESIDE = ("fps", "detections", "ocr", "runtime")         # may stand beside the states of the ground truth
LARGEST_FRAME = 10 ** 12
cdef long long LARGEST = LARGEST_FRAME


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1
    bint PyIndex_Check(object value)
    object PyNumber_Index(object value)


cdef inline long long read_frame(object value) except? -2:
    """A frame, or -1 for anything else."""
    cdef int overflow = 0
    cdef long long frame
    if not PyLong_CheckExact(value):
        if PyBool_Check(value) or not PyIndex_Check(value):
            return -1
        value = PyNumber_Index(value)
    frame = PyLong_AsLongLongAndOverflow(value, &overflow)
    return frame if not overflow and 0 <= frame <= LARGEST else -1


cdef class IntervalColumns:
    """The intervals of one side of many videos. `states` gives each name a code and is shared by both sides."""

    def __cinit__(self, dict states not None):
        self.offsets, self.state, self.start, self.end = Column("q", 1), Column("i"), Column("q"), Column("q")
        self.states = states

    def __len__(self):
        return self.offsets.size - 1

    cpdef add_video(self, given, apart=None):
        """Append a video, leaving out the keys in `apart`. None, or (state, index or None) of what is wrong."""
        cdef PyObject* key
        cdef PyObject* value
        cdef Py_ssize_t at = 0, wrong, begun = self.start.size
        if not PyDict_CheckExact(given):
            return None, None
        while PyDict_Next(given, &at, &key, &value):
            if <object> value is None or (apart is not None and <object> key in apart):
                continue
            wrong = self.add_state(<object> key, <object> value)
            if wrong != -1:
                self.cut(begun)
                return <object> key, wrong if wrong >= 0 else None
        self.offsets.push_int64(self.start.size)
        return None

    cpdef bint is_empty(self) except -1:
        """Whether the last video has no interval."""
        cdef const long long* ends = <const long long*> self.offsets.data
        if self.offsets.size < 2:
            raise ValueError("there is no last video")
        return ends[self.offsets.size - 1] == ends[self.offsets.size - 2]

    cpdef drop_video(self):
        """Take the last video away."""
        if self.offsets.size < 2:
            raise ValueError("there is no last video")
        self.offsets.resize(self.offsets.size - 1)
        self.cut((<long long*> self.offsets.data)[self.offsets.size - 1])

    cdef int cut(self, Py_ssize_t size) except -1:
        if not 0 <= size <= self.start.size:
            raise ValueError(f"offsets: found {size}, expected at most {self.start.size} intervals")
        self.state.resize(size)
        self.start.resize(size)
        self.end.resize(size)
        return 0

    cdef int make_room(self, Py_ssize_t count) except -1:
        """Room for so many more intervals."""
        self.state.reserve(count)
        self.start.reserve(count)
        return self.end.reserve(count)

    cdef Py_ssize_t add_state(self, object name, object intervals) except? -3:
        """-1, -2 if these are no intervals of a state, or the index of the first that is none."""
        cdef Py_ssize_t k, count
        cdef int code
        if not isinstance(name, str) or not isinstance(intervals, (list, tuple)):
            return -2
        if not PyUnicode_CheckExact(name):
            name = "".join(name)                # a member of an enumeration, say
        if not PyList_CheckExact(intervals):
            intervals = list(intervals)
        code, count = self.code_of(name), PyList_GET_SIZE(intervals)
        self.make_room(count)
        for k in range(count):
            if not self.add_interval(code, <object> PyList_GET_ITEM(intervals, k)):
                return k
        return -1

    cdef bint add_interval(self, int code, object interval) except -1:
        """One more, for which there is room."""
        cdef long long start, end
        cdef Py_ssize_t at = self.start.size
        if not PyList_CheckExact(interval):
            if not isinstance(interval, tuple):
                return False
            interval = list(interval)
        if PyList_GET_SIZE(interval) != 2:
            return False
        start = read_frame(<object> PyList_GET_ITEM(interval, 0))
        end = read_frame(<object> PyList_GET_ITEM(interval, 1))
        if start < 0 or end < start:
            return False
        (<int*> self.state.data)[at] = code
        (<long long*> self.start.data)[at] = start
        (<long long*> self.end.data)[at] = end
        self.state.size = self.start.size = self.end.size = at + 1
        return True

    cdef int code_of(self, object name) except -1:
        cdef PyObject* known = PyDict_GetItemWithError(self.states, name)
        if known != NULL:
            return <object> known
        code = len(self.states)
        self.states[name] = code
        return code


def add_plain_videos(IntervalColumns truth not None, IntervalColumns pred not None, list names not None,
                     Py_ssize_t first, dict truths not None, dict preds not None, dict partners not None,
                     list fps not None):
    """Append videos from names[first] on, up to one that is not plain; returns where that is.

    Plain is a video with well-formed intervals on both sides, a true one at least, that carries nothing else but fps.
    """
    cdef Py_ssize_t k
    if not 0 <= first <= len(names):
        raise ValueError(f"first: found {first}, expected 0 to {len(names)}")
    for k in range(first, len(names)):
        entry, partner = truths[names[k]], partners.get(names[k])
        if partner is None or not PyDict_CheckExact(entry) or has_any(entry, BESIDE):
            return k
        guess = preds[partner]
        if not PyDict_CheckExact(guess) or not is_plain(<dict> guess):
            return k
        if truth.add_video(entry) is not None:
            return k
        if truth.is_empty() or pred.add_video((<dict> guess)["states"]) is not None:
            truth.drop_video()
            return k
        fps.append((<dict> guess).get("fps"))
    return len(names)


cdef bint has_any(dict entry, tuple keys) except -1:
    for key in keys:
        if PyDict_Contains(entry, key):
            return True
    return False


cdef bint is_plain(dict guess) except -1:
    cdef object fps = guess.get("fps")
    if guess.get("states") is None or guess.get("detections") is not None or guess.get("ocr") is not None:
        return False
    if guess.get("runtime") is not None:
        return False
    return fps is None or ((PyLong_CheckExact(fps) or PyFloat_CheckExact(fps)) and 0.001 <= fps <= 1000000)


# Columns to dicts


def rows_as_dicts(list names not None, list columns not None, Py_ssize_t count):
    """A dict a row, with names as keys; `columns` holds a list of values for each name."""
    cdef dict template = dict.fromkeys(names), row
    cdef list rows = [None] * count, column
    cdef Py_ssize_t r, c, width = len(names)
    check_count("count", count)
    check_length("columns", len(columns), width)
    for column in columns:
        check_length("column", len(column), count)
    for r in range(count):
        row = PyDict_Copy(template)             # keys are in place: nothing is hashed or grown again
        for c in range(width):
            PyDict_SetItem(row, <object> PyList_GET_ITEM(names, c),
                           <object> PyList_GET_ITEM(<object> PyList_GET_ITEM(columns, c), r))
        rows[r] = row
    return rows


def nested_counts(video, truth, pred, frames, list states not None, Py_ssize_t count):
    """For each video {state in truth: {state in pred: frames}}, in the order given."""
    cdef const long long[::1] videos = video, a = truth, b = pred, n = frames
    cdef list trees = [{} for _ in range(count)]
    cdef dict tree
    cdef PyObject* found
    cdef Py_ssize_t k, cells = videos.shape[0]
    check_long_indices("video", videos, count)
    for name, column in (("truth", truth), ("pred", pred), ("frames", frames)):
        check_length(name, len(column), cells)
    check_long_indices("truth", a, PyList_GET_SIZE(states))
    check_long_indices("pred", b, PyList_GET_SIZE(states))
    for k in range(videos.shape[0]):
        tree = <dict> trees[videos[k]]
        found = PyDict_GetItemWithError(tree, states[a[k]])
        if found == NULL:
            tree[states[a[k]]] = {states[b[k]]: n[k]}
        else:
            PyDict_SetItem(<object> found, states[b[k]], n[k])
    return trees
