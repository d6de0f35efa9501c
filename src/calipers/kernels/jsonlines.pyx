"""Records straight from their lines of JSON to columns, where they are written the way most are.

A line is read here when it is surely JSON and holds nothing unusual: a list of objects on either side, each with a
known type, the right count of numbers in one flat list (those of ground truth inside the frame) and a text; no
exponents, no escapes in texts that matter, no key of an object twice. Any other line, right or wrong, is left alone: a
JSON library and `flatten` read it. Of the lines that are read here, those two make the same columns.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp, memcpy, strncmp

from .column cimport Column
from .decimals cimport MOST_DECIMALS, MOST_DIGITS, nearest
from .flatten cimport BOX, CLAMPED, LINE, POLY, UNKNOWN, ObjectColumns, clamp, mixed, stored_text

ctypedef const unsigned char* Bytes

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(PyObject* text, Py_ssize_t* size) except NULL

cdef enum:
    LATELY = 4096
    MOST_NAMES = 16
    DEEPEST = 16            # lists and objects inside each other, of what does not matter
    ROOM = 64               # objects
    MOST_OTHERS = 16        # keys of an object that do not matter

cdef enum:                  # what a field of a record is; KEY + 1 is the second choice for a key, and so on
    OTHER = 0
    TRUTH = 1
    PRED = 2
    UNLESS = 3
    KEY = 4

cdef double FRAME = 1000.0
cdef uint64_t EACH = 0x0101010101010101         # times a byte: eight of them


cdef struct Text:           # what stands between two quotes
    const char* start
    Py_ssize_t size
    bint escaped


cdef struct Name:
    const char* start
    Py_ssize_t size
    int role


cdef struct Known:          # a text met lately, in UTF-8
    const char* start
    Py_ssize_t size
    int code


cdef inline bint spells(const Text* text, const char* word, Py_ssize_t size) noexcept nogil:
    return text.size == size and memcmp(text.start, word, size) == 0


cdef inline bint is_new(const Text* name, Text* others, int* count) noexcept nogil:
    """Whether a key is surely none of the others of its object, which it joins."""
    cdef int k
    if name.escaped or count[0] == MOST_OTHERS:
        return False
    for k in range(count[0]):
        if spells(name, others[k].start, others[k].size):
            return False
    others[count[0]] = name[0]
    count[0] += 1
    return True


cdef inline int kind_of(const Text* text) noexcept nogil:
    if spells(text, "bbox_2d", 7):
        return BOX
    if spells(text, "poly", 4):
        return POLY
    return LINE if spells(text, "line", 4) else UNKNOWN


cdef inline Bytes find_special(Bytes at, Bytes end) noexcept nogil:
    """The next quote, backslash or control character; behind the end there is a NUL."""
    cdef uint64_t eight, quotes, slashes
    while end - at >= 8:
        memcpy(&eight, at, 8)
        quotes, slashes = eight ^ (EACH * 0x22), eight ^ (EACH * 0x5C)
        if ((quotes - EACH) & ~quotes | (slashes - EACH) & ~slashes | (eight - EACH * 0x20) & ~eight) & (EACH * 0x80):
            break           # in one of the eight a zero, or a byte below 32, had to borrow
        at += 8
    while at[0] >= 0x20 and at[0] != 0x22 and at[0] != 0x5C:
        at += 1
    return at


cdef object decoded(const Text* text):
    """What the bytes between the quotes say, escapes as they stand; None if they are not UTF-8."""
    try:
        return PyUnicode_DecodeUTF8(text.start, text.size, NULL)
    except UnicodeDecodeError:
        return None


cdef inline bint is_text(const Text* text) except -1:
    return decoded(text) is not None


@cython.final
cdef class RecordLines:
    """Appends records to the columns of both sides, as `ObjectColumns.add_record` would."""

    cdef ObjectColumns truth, pred
    cdef list kept                      # the bytes of the names
    cdef bytes unwanted
    cdef Name[MOST_NAMES] names
    cdef int name_count, key_count
    cdef Text[MOST_NAMES] keys          # of the record at hand; start is NULL where it has none
    cdef bint has_truth, has_pred
    cdef Known[LATELY] lately
    cdef list texts                     # those of `lately`
    cdef Bytes at, end

    def __cinit__(self, ObjectColumns truth not None, ObjectColumns pred not None, *, truth_names, pred_names,
                  key_names, unless):
        """Names of fields: of ground truth and predictions (a record has one each), of keys, the first choice first;
        and a field with the text that it must not say."""
        if truth.descs is not pred.descs:
            raise ValueError("both sides need the same codes")
        self.truth, self.pred, self.kept, self.texts = truth, pred, [], [None] * LATELY
        for role, names in ((TRUTH, truth_names), (PRED, pred_names), (UNLESS, unless[:1])):
            for name in names:
                self.add_name(name.encode(), role)
        for rank, name in enumerate(key_names):
            self.add_name(name.encode(), KEY + rank)
        self.key_count, self.unwanted = len(key_names), unless[1].encode()

    cdef int add_name(self, bytes name, int role) except -1:
        if self.name_count == MOST_NAMES:
            raise ValueError("too many names")
        self.kept.append(name)
        self.names[self.name_count].start = PyBytes_AS_STRING(name)
        self.names[self.name_count].size = PyBytes_GET_SIZE(name)
        self.names[self.name_count].role = role
        self.name_count += 1
        return 0

    def add(self, bytes line not None):
        """Append the record of a line. Returns its key, "" without one; or None, with nothing appended, if the line is
        left alone. So is a record without objects."""
        cdef Py_ssize_t truth_count = self.truth.kind.size, pred_count = self.pred.kind.size
        self.at = <Bytes> PyBytes_AS_STRING(line)
        self.end = self.at + PyBytes_GET_SIZE(line)
        key = self.find_key() if self.read_record() else None
        if key is None or (self.truth.kind.size == truth_count and self.pred.kind.size == pred_count):
            self.truth.cut(truth_count)
            self.pred.cut(pred_count)
            return None
        self.truth.offsets.push_int64(self.truth.kind.size)
        self.pred.offsets.push_int64(self.pred.kind.size)
        return key

    cdef object find_key(self):
        cdef int rank
        for rank in range(self.key_count):
            if self.keys[rank].start != NULL:
                return decoded(&self.keys[rank]) if self.keys[rank].size else None
        return ""

    # Every `read` and `skip` goes over what it names, blanks before it included, and is False if it is something else.

    cdef bint read_record(self) except -1:
        cdef Text name
        cdef int rank
        self.has_truth = self.has_pred = False
        for rank in range(self.key_count):
            self.keys[rank].start = NULL
        if not self.read_mark(b"{"):
            return False
        while self.read_text(&name) and self.read_mark(b":") and self.read_field(&name):
            if self.read_mark(b","):
                continue
            if not self.read_mark(b"}"):
                return False
            self.skip_blanks()
            return self.at == self.end and self.has_truth and self.has_pred
        return False

    cdef bint read_field(self, const Text* name) except -1:
        cdef int role = self.role_of(name)
        cdef Text key
        if role == OTHER:
            return is_text(name) and self.skip_value(DEEPEST)
        if role == TRUTH and not self.has_truth:
            self.has_truth = True
            return self.read_objects(self.truth, True)
        if role == PRED and not self.has_pred:
            self.has_pred = True
            return self.read_objects(self.pred, False)
        if role == UNLESS:
            return self.read_key(&key) and not spells(&key, self.unwanted, len(self.unwanted)) and key.size > 0
        return role >= KEY and self.read_key(&self.keys[role - KEY])

    cdef int role_of(self, const Text* name) noexcept:
        cdef int k
        for k in range(self.name_count):
            if spells(name, self.names[k].start, self.names[k].size):
                return self.names[k].role
        return OTHER

    cdef bint read_key(self, Text* key) except -1:
        """A text without escapes or a whole number, as it is written; anything else has no size."""
        cdef bint fine
        self.skip_blanks()
        if self.at[0] == b'"':
            fine = self.read_text(key) and is_text(key)
            key.size = 0 if key.escaped else key.size
            return fine
        key.start, key.size = <const char*> self.at, 0
        fine = self.skip_value(DEEPEST)
        if fine and 48 <= key.start[0] <= 57:
            key.size = <const char*> self.at - key.start
            key.size = 0 if memchr(key.start, b".", key.size) else key.size
        return fine

    cdef bint read_objects(self, ObjectColumns side, bint truth) except -1:
        cdef int room = 0
        if not self.read_mark(b"["):
            return False
        if self.read_mark(b"]"):
            return True
        while True:
            if not room:
                side.make_room(ROOM)
                room = ROOM
            if not self.read_object(side, truth):
                return False
            room -= 1
            if not self.read_mark(b","):
                return self.read_mark(b"]")

    cdef bint read_object(self, ObjectColumns side, bint truth) except -1:
        cdef Py_ssize_t start = side.points.size
        cdef int kind = UNKNOWN, code = -1, other_count = 0
        cdef unsigned char flags = 0
        cdef Text name
        cdef Text[MOST_OTHERS] others
        cdef bint fine = self.read_mark(b"{")
        while fine:
            if not self.read_text(&name) or not self.read_mark(b":"):
                return False
            if spells(&name, "type", 4):
                fine = kind == UNKNOWN and self.read_kind(&kind)
            elif spells(&name, "points", 6):
                fine = side.points.size == start and self.read_points(side.points, truth, &flags)
            elif spells(&name, "desc", 4):
                fine = code < 0 and self.read_code(&code)
            else:
                fine = is_new(&name, others, &other_count) and is_text(&name) and self.skip_value(DEEPEST)
            if fine and not self.read_mark(b","):
                break
        if not fine or not self.read_mark(b"}") or kind == UNKNOWN or code < 0 or side.check_count(kind, start):
            return False
        side.push(kind, 0, flags, code)
        return True

    cdef bint read_kind(self, int* kind) noexcept:
        cdef Text text
        if not self.read_text(&text):
            return False
        kind[0] = kind_of(&text)
        return kind[0] != UNKNOWN

    cdef bint read_code(self, int* code) except -1:
        """The code of a text without escapes."""
        cdef Text text
        cdef Known* known
        cdef PyObject* stored
        cdef Py_ssize_t place
        if not self.read_text(&text) or text.escaped:
            return False
        place = mixed(text.start, text.size) % LATELY
        known = &self.lately[place]
        if known.start == NULL or known.size != text.size or memcmp(known.start, text.start, text.size) != 0:
            known.start = NULL
            found = decoded(&text)
            if found is None:
                return False
            known.code = self.truth.find_code(<PyObject*> found)
            stored = stored_text(self.truth.descs, known.code)
            if stored != NULL:
                self.texts[place] = <object> stored         # it lives on here, whatever becomes of `descs`
                known.start = PyUnicode_AsUTF8AndSize(stored, &known.size)
        code[0] = known.code
        return True

    cdef bint read_points(self, Column points, bint truth, unsigned char* flags) except -1:
        cdef double value
        if not self.read_mark(b"["):
            return False
        while True:
            if not self.read_number(&value):
                return False
            if clamp(&value, FRAME):
                if truth:
                    return False
                flags[0] |= CLAMPED
            if points.size == points.capacity:
                points.reserve(1)
            (<double*> points.data)[points.size] = value + 0.0          # -0.0 becomes 0.0
            points.size += 1
            if not self.read_mark(b","):
                return self.read_mark(b"]")

    cdef inline void skip_blanks(self) noexcept nogil:
        while self.at[0] == b" " or self.at[0] == b"\n" or self.at[0] == b"\r" or self.at[0] == b"\t":
            self.at += 1

    cdef inline bint read_mark(self, unsigned char mark) noexcept nogil:
        self.skip_blanks()
        if self.at[0] != mark:
            return False
        self.at += 1
        return True

    cdef inline bint read_text(self, Text* text) noexcept nogil:
        cdef Bytes at
        if not self.read_mark(b'"'):
            return False
        text.start, text.escaped = <const char*> self.at, False
        at = find_special(self.at, self.end)
        while at[0] == b"\\":
            if at[1] not in b'"\\/bfnrt':               # not \u, which could spell anything, a name among it
                return False
            text.escaped = True
            at = find_special(at + 2, self.end)
        text.size, self.at = <const char*> at - text.start, at + 1
        return at[0] == b'"'                            # or a control character

    cdef inline bint read_number(self, double* out) noexcept nogil:
        cdef Bytes at, first
        cdef uint64_t digits = 0
        cdef Py_ssize_t decimals = 0
        cdef bint negative = self.read_mark(b"-")
        if not negative:
            self.skip_blanks()
        at = first = self.at
        while 48 <= at[0] <= 57:
            digits = 10 * digits + (at[0] - 48)
            at += 1
        if at == first or at - first > MOST_DIGITS or (first[0] == b"0" and at > first + 1):
            return False
        if at[0] == b".":
            first += 1
            at += 1
            self.at = at
            while 48 <= at[0] <= 57:
                digits = 10 * digits + (at[0] - 48)
                at += 1
            decimals = at - self.at
            if not 1 <= decimals <= MOST_DECIMALS or at - first > MOST_DIGITS:
                return False
        self.at = at
        out[0] = -nearest(digits, decimals) if negative else nearest(digits, decimals)
        return True

    cdef bint skip_value(self, int deepest) except -1:
        """Whatever it is: whoever reads a record has to know that all of it is JSON."""
        cdef Text text
        cdef double number
        self.skip_blanks()
        if self.at[0] == b'"':
            return self.read_text(&text) and is_text(&text)
        if self.at[0] == b"{" or self.at[0] == b"[":
            return deepest > 0 and self.skip_values(deepest)
        for word in (b"null", b"true", b"false"):
            if strncmp(<const char*> self.at, word, len(word)) == 0:
                self.at += len(word)
                return True
        return self.read_number(&number)

    cdef bint skip_values(self, int deepest) except -1:
        """A list or an object."""
        cdef bint named = self.at[0] == b"{"
        cdef unsigned char closing = b"}" if named else b"]"
        cdef Text name
        self.at += 1
        if self.read_mark(closing):
            return True
        while not named or (self.read_text(&name) and is_text(&name) and self.read_mark(b":")):
            if not self.skip_value(deepest - 1):
                return False
            if not self.read_mark(b","):
                return self.read_mark(closing)
        return False
