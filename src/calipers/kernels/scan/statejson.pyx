"""States of videos straight from the bytes of JSON to columns, where they are written the way most are.

Ground truth is {video: {state: [[first, last], …]}}, predictions are {video: {"fps": …, "states": {state: …}}}. A text is
plain when it holds nothing else, no name in it is there twice or has an escape, and every interval is two frames in
order. Any other text, right or wrong, is left alone as a whole: whoever parses it tells what it is.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memchr, memcmp, memcpy

from .checks cimport check_long_indices, check_offsets
from .column cimport Column
from .intervals cimport IntervalColumns
from .jsonbytes cimport Bytes, is_digit, read_number, read_whole, skip_blanks, skip_text

from . import intervals as _intervals

cdef tuple BESIDE = _intervals.BESIDE
cdef long long LARGEST = _intervals.LARGEST_FRAME
cdef enum:
    CAPACITY = 256              # intervals that are made room for at once
    MOST_STATES = 256           # in a text; one with more is left alone
cdef double SLOWEST = 0.001, FASTEST = 1000000.0        # frames a second


cdef struct State:
    Bytes name                  # where it stood first
    Py_ssize_t size
    Py_ssize_t video            # the last one that has it
    int code


@cython.final
cdef class StateScan:
    """The videos of a text, in its order."""

    cdef readonly list names                # of videos
    cdef readonly list fps                  # (videos,) of predictions, None where there is none; else empty
    cdef readonly IntervalColumns columns
    cdef bytes text
    cdef Bytes end
    cdef bint predicted
    cdef State[MOST_STATES] known
    cdef int count

    def __cinit__(self, bytes text not None, dict states not None, bint predicted):
        self.text, self.predicted, self.count = text, predicted, 0
        self.end = <Bytes> PyBytes_AS_STRING(text) + PyBytes_GET_SIZE(text)
        self.names, self.fps, self.columns = [], [], IntervalColumns(states)

    def __len__(self):
        return len(self.names)

    cdef bint read(self) except -1:
        """Whether all of the text could be read."""
        cdef Bytes at = skip_blanks(<Bytes> PyBytes_AS_STRING(self.text))
        if at[0] != b"{":
            return False
        while True:
            at = self.read_video(skip_blanks(at + 1))
            if at == NULL:
                return False
            at = skip_blanks(at)
            if at[0] != b",":
                break
        return at[0] == b"}" and skip_blanks(at + 1) == self.end and len(set(self.names)) == len(self.names)

    cdef Bytes read_video(self, Bytes at) except? NULL:
        """A name and what stands under it."""
        cdef Bytes name = at + 1
        at = self.skip_plain_name(at)
        if at == NULL:
            return NULL
        self.names.append(PyUnicode_DecodeUTF8(<const char*> name, at - 1 - name, NULL))
        at = self.skip_colon(at)
        if at == NULL:
            return NULL
        at = self.read_prediction(at) if self.predicted else self.read_states(at)
        self.columns.offsets.push_int64(self.columns.start.size)
        return at

    cdef Bytes read_prediction(self, Bytes at) except? NULL:
        """An object with states, once, and fps, at most once."""
        cdef Bytes name
        cdef Bytes behind
        cdef double fps = 0.0
        cdef bint has_states = False
        if at[0] != b"{":
            return NULL
        while True:
            name = skip_blanks(at + 1)
            behind = self.skip_plain_name(name)
            at = self.skip_colon(behind)
            if at == NULL:
                return NULL
            if behind - name == 5 and memcmp(name, b'"fps"', 5) == 0 and fps == 0.0:
                at = read_number(at, &fps)
                if not SLOWEST <= fps <= FASTEST:
                    return NULL
            elif behind - name == 8 and memcmp(name, b'"states"', 8) == 0 and not has_states:
                at, has_states = self.read_states(at), True
            else:
                return NULL
            if at == NULL:
                return NULL
            at = skip_blanks(at)
            if at[0] != b",":
                break
        self.fps.append(fps if fps else None)
        return at + 1 if at[0] == b"}" and has_states else NULL

    cdef Bytes read_states(self, Bytes at) except? NULL:
        """An object with a list of intervals for each state."""
        cdef Bytes name
        cdef int code
        if at[0] != b"{":
            return NULL
        at = skip_blanks(at + 1)
        if at[0] == b"}":
            return at + 1
        while True:
            name = at
            at = self.skip_plain_name(at)
            if at == NULL:
                return NULL
            code = self.state_code(name + 1, at - name - 2)
            at = self.skip_colon(at)
            if code < 0 or at == NULL:
                return NULL
            at = self.read_intervals(at, code)
            if at == NULL:
                return NULL
            at = skip_blanks(at)
            if at[0] != b",":
                return at + 1 if at[0] == b"}" else NULL
            at = skip_blanks(at + 1)

    cdef Bytes read_intervals(self, Bytes at, int code) except? NULL:
        """A list of pairs of frames."""
        cdef long long start = 0, end = 0
        cdef IntervalColumns columns = self.columns
        cdef Py_ssize_t size = columns.start.size
        if at[0] != b"[":
            return NULL
        at = skip_blanks(at + 1)
        if at[0] == b"]":
            return at + 1
        while True:
            at = read_pair(at, &start, &end)
            if at == NULL or not start <= end <= LARGEST:
                return NULL
            if size == columns.start.capacity or size == columns.state.capacity or size == columns.end.capacity:
                columns.make_room(CAPACITY)
            (<int*> columns.state.data)[size] = code
            (<long long*> columns.start.data)[size] = start
            (<long long*> columns.end.data)[size] = end
            size += 1
            columns.state.size = columns.start.size = columns.end.size = size
            at = skip_blanks(at)
            if at[0] != b",":
                return at + 1 if at[0] == b"]" else NULL
            at = skip_blanks(at + 1)

    cdef int state_code(self, Bytes name, Py_ssize_t size) except -2:
        """The code of a state; -1 if the last video has it already, or it is none."""
        cdef Py_ssize_t video = len(self.names)
        cdef State* state = NULL
        cdef int k
        for k in range(self.count):
            if self.known[k].size == size and memcmp(self.known[k].name, name, size) == 0:
                state = &self.known[k]
                break
        if state == NULL:
            text = PyUnicode_DecodeUTF8(<const char*> name, size, NULL)
            if self.count == MOST_STATES or (not self.predicted and text in BESIDE):
                return -1
            state = &self.known[self.count]
            self.count += 1
            state.name, state.size, state.code = name, size, self.columns.code_of(text)
        elif state.video == video:
            return -1
        state.video = video
        return state.code

    cdef Bytes skip_plain_name(self, Bytes at) noexcept:
        """A name without escapes, which is the text it stands for."""
        cdef Bytes behind = skip_text(at, self.end)
        return NULL if behind == NULL or memchr(at, b"\\", behind - at) != NULL else behind

    cdef Bytes skip_colon(self, Bytes at) noexcept:
        """A colon and the blanks around it."""
        if at == NULL:
            return NULL
        at = skip_blanks(at)
        return skip_blanks(at + 1) if at[0] == b":" else NULL


cdef inline Bytes read_frame(Bytes at, long long* frame) noexcept nogil:
    """A whole number from 0 on, and the blanks behind it."""
    if not is_digit(at[0]):
        return NULL
    at = read_whole(at, frame)
    return NULL if at == NULL else skip_blanks(at)


cdef Bytes read_pair(Bytes at, long long* start, long long* end) noexcept nogil:
    """A list of two whole numbers from 0 on."""
    if at[0] != b"[":
        return NULL
    at = read_frame(skip_blanks(at + 1), start)
    if at == NULL or at[0] != b",":
        return NULL
    at = read_frame(skip_blanks(at + 1), end)
    return at + 1 if at != NULL and at[0] == b"]" else NULL


def scan_states(bytes text not None, dict states not None, *, bint predicted):
    """The videos of a text of ground truth or of predictions; None if it is left alone. Codes of names go to `states`,
    also of a text that is."""
    cdef StateScan scan = StateScan(text, states, predicted)
    return scan if scan.read() else None


def take_videos(IntervalColumns source not None, IntervalColumns target not None, places not None):
    """Append the videos at some places of one set of columns to another, which has the same codes of states."""
    cdef const long long[::1] wanted = places, offsets = source.offsets
    cdef Py_ssize_t k, count = source.start.size
    if source is target or source.states is not target.states:
        raise ValueError("target: expected other columns with the same states")
    check_long_indices("places", wanted, offsets.shape[0] - 1)
    check_offsets("offsets", offsets, count)
    if source.state.size != count or source.end.size != count:
        raise ValueError(f"columns: expected {count} entries in each")
    for k in range(wanted.shape[0]):
        append_intervals(source, target, offsets[wanted[k]], offsets[wanted[k] + 1])


cdef int append_intervals(IntervalColumns source, IntervalColumns target, Py_ssize_t first, Py_ssize_t last) except -1:
    """One more video, with these intervals."""
    cdef Py_ssize_t size = target.start.size, count = last - first
    target.make_room(count)
    memcpy(<int*> target.state.data + size, <int*> source.state.data + first, count * sizeof(int))
    memcpy(<long long*> target.start.data + size, <long long*> source.start.data + first, count * sizeof(long long))
    memcpy(<long long*> target.end.data + size, <long long*> source.end.data + first, count * sizeof(long long))
    target.state.size = target.start.size = target.end.size = size + count
    return target.offsets.push_int64(size + count)
