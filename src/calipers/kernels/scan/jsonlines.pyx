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
from libc.string cimport memcmp

from .checks cimport check_between
from .column cimport Column
from .flatten cimport BOX, LINE, POLY, UNKNOWN, ObjectColumns, mixed, stored_text
from .jsonwords cimport (
    Bytes, Text, is_text, read_key, read_mark, read_name, read_number, read_text, skip_blanks, skip_value, spells,
)
from .objectparts cimport MOST_OTHERS, is_new, read_kind, read_points
from .textscan cimport mix_text

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(PyObject* text, Py_ssize_t* size) except NULL

cdef enum:
    RECENT_BITS = 12
    RECENT = 4096           # texts: 1 << RECENT_BITS
    NEIGHBOURS = 4          # places where a text may be found
    MOST_NAMES = 16
    DEEPEST = 16            # lists and objects inside each other, of what does not matter
    CAPACITY = 64               # objects
    USUAL_HEAD = 32         # bytes that may be compared at once with how most objects begin

cdef enum:                  # what a field of a record is; KEY + 1 is the second choice for a key, and so on
    OTHER = 0
    TRUTH = 1
    PRED = 2
    UNLESS = 3
    KEY = 4

cdef struct Name:
    const char* start
    Py_ssize_t size
    int role


cdef struct Known:          # a text met recently, in UTF-8
    const char* start
    Py_ssize_t size
    int code


cdef object decoded(const Text* text):
    """What the bytes between the quotes say, escapes as they stand; None if they are not UTF-8."""
    try:
        return PyUnicode_DecodeUTF8(text.start, text.size, NULL)
    except UnicodeDecodeError:
        return None


cdef object field_value(Bytes at, Bytes behind):
    """A number as such; anything else, and a 0 with a sign, as the bytes of its JSON."""
    cdef double number
    if read_number(at, &number) == behind and (number != 0 or at[0] != b"-"):
        return number
    return (<const char*> at)[:behind - at]


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
    cdef Known[RECENT] recent
    cdef list texts                     # those of `recent`
    cdef Bytes end                      # of the bytes in which the line at hand lies
    cdef Bytes behind                   # where the line ends that was read last
    cdef list wanted                    # the bytes of the names of further fields
    cdef list values                    # of the record at hand: what they hold, as `field_value` has it

    def __cinit__(self, ObjectColumns truth not None, ObjectColumns pred not None, *, truth_names, pred_names,
                  key_names, unless, fields=()):
        """Names of fields: of ground truth and predictions (a record has one each), of keys, the first choice first;
        and a field with the text that it must not say."""
        if truth.descs is not pred.descs:
            raise ValueError("both sides need the same codes")
        self.truth, self.pred, self.kept, self.texts = truth, pred, [], [None] * RECENT
        for role, names in ((TRUTH, truth_names), (PRED, pred_names), (UNLESS, unless[:1])):
            for name in names:
                self.add_name(name.encode(), role)
        for rank, name in enumerate(key_names):
            self.add_name(name.encode(), KEY + rank)
        self.key_count, self.unwanted = len(key_names), unless[1].encode()
        self.wanted = [name.encode() for name in fields]
        self.values = [None] * len(self.wanted)

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
        cdef Bytes at = <Bytes> PyBytes_AS_STRING(line)
        if b"\n" in line.rstrip():
            return None
        return self.add_line(at, at + PyBytes_GET_SIZE(line))

    def add_lines(self, bytes block not None, Py_ssize_t begin, Py_ssize_t end, list keys not None, list values=None):
        """Append the records of lines from `begin` on, up to one that is left alone or that begins at `end` or behind
        it; to `keys` those of the records, and to `values` what the further fields of each hold, as `field_values` has
        it, record after record. Returns where the next line begins."""
        cdef Bytes first = <Bytes> PyBytes_AS_STRING(block)
        cdef Bytes last = first + PyBytes_GET_SIZE(block)
        cdef Bytes at
        check_between("begin", begin, 0, PyBytes_GET_SIZE(block))
        check_between("end", end, 0, PyBytes_GET_SIZE(block))
        at = first + begin
        while at < first + end:
            key = self.add_line(at, last)
            if key is None:
                break
            keys.append(key)
            if values is not None:
                values.extend(self.values)          # no list for each record: garbage would be looked for in them
            at = self.behind
        return at - first

    def field_values(self):
        """What the further fields of the record that was added hold: a number, or the bytes of its JSON; None without it."""
        return list(self.values)

    cdef object add_line(self, Bytes at, Bytes end):
        cdef Py_ssize_t truth_count = self.truth.kind.size, pred_count = self.pred.kind.size
        self.end = end
        key = self.find_key() if self.read_record(at) else None
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

    # Every `read` goes over what it names, blanks before it included, and returns where that ends; NULL if it is
    # something else. None goes beyond the end of a line, which need not be known: a line break is no blank to them.

    cdef bint read_record(self, Bytes at) except -1:
        cdef Text name
        cdef int rank
        self.has_truth = self.has_pred = False
        for rank in range(len(self.values)):
            self.values[rank] = None
        for rank in range(self.key_count):
            self.keys[rank].start = NULL
        at = read_mark(at, b"{")
        while at != NULL:
            at = read_name(at, self.end, &name)
            if at != NULL:
                at = self.read_field(at, &name)
            if at == NULL:
                return False
            at = skip_blanks(at)
            if at[0] == b"}":
                return self.ends_at(at + 1) and self.has_truth and self.has_pred
            at = read_mark(at, b",")
        return False

    cdef bint ends_at(self, Bytes at) noexcept:
        """Whether nothing but blanks is left of a line, whose end is noted then."""
        at = skip_blanks(at)
        self.behind = at + 1 if at < self.end else self.end
        return at == self.end or at[0] == b"\n"

    cdef Bytes read_field(self, Bytes at, const Text* name) except? NULL:
        cdef Bytes behind
        cdef Py_ssize_t place
        cdef bytes wanted
        if not self.wanted:
            return self.read_value(at, name)
        if name.escaped:                # it may be one of them, in another spelling
            return NULL
        at = skip_blanks(at)
        behind = self.read_value(at, name)
        if behind == NULL:
            return NULL
        for place in range(len(self.wanted)):
            wanted = <bytes> self.wanted[place]
            if spells(name, PyBytes_AS_STRING(wanted), PyBytes_GET_SIZE(wanted)):
                self.values[place] = field_value(at, behind)
        return behind

    cdef Bytes read_value(self, Bytes at, const Text* name) except? NULL:
        cdef int role = self.role_of(name)
        cdef Text key
        if role == OTHER:
            return skip_value(at, self.end, DEEPEST) if is_text(name) else NULL
        if role == TRUTH and not self.has_truth:
            self.has_truth = True
            return self.read_objects(at, self.truth, True)
        if role == PRED and not self.has_pred:
            self.has_pred = True
            return self.read_objects(at, self.pred, False)
        if role == UNLESS:
            at = read_key(at, self.end, &key)
            return at if at != NULL and not spells(&key, self.unwanted, len(self.unwanted)) and key.size > 0 else NULL
        return read_key(at, self.end, &self.keys[role - KEY]) if role >= KEY else NULL

    cdef int role_of(self, const Text* name) noexcept:
        cdef int k
        for k in range(self.name_count):
            if spells(name, self.names[k].start, self.names[k].size):
                return self.names[k].role
        return OTHER

    cdef Bytes read_objects(self, Bytes at, ObjectColumns side, bint truth) except? NULL:
        cdef int room = 0
        cdef Bytes behind
        at = read_mark(at, b"[")
        if at == NULL:
            return NULL
        at = skip_blanks(at)
        if at[0] == b"]":
            return at + 1
        while True:
            if not room:
                side.make_room(CAPACITY)
                room = CAPACITY
            behind = self.read_usual(skip_blanks(at), side, truth)
            at = behind if behind != NULL else self.read_object(at, side, truth)
            room -= 1
            if at == NULL:
                return NULL
            at = skip_blanks(at)
            if at[0] != b",":
                return at + 1 if at[0] == b"]" else NULL
            at += 1

    cdef Bytes read_usual(self, Bytes at, ObjectColumns side, bint truth) except? NULL:
        """An object of type, points and desc in this order, without blanks; NULL, and nothing is kept, if it is not."""
        cdef Py_ssize_t start = side.points.size
        cdef int kind, code = -1
        cdef unsigned char flags = 0
        if self.end - at < USUAL_HEAD or memcmp(at, b'{"type":"', 9) != 0:
            return NULL
        at += 9
        if memcmp(at, b'bbox_2d","points":[', 19) == 0:
            kind, at = BOX, at + 18
        elif memcmp(at, b'poly","points":[', 16) == 0:
            kind, at = POLY, at + 15
        elif memcmp(at, b'line","points":[', 16) == 0:
            kind, at = LINE, at + 15
        else:
            return NULL
        at = read_points(at, side.points, truth, &flags)
        if at != NULL and self.end - at >= USUAL_HEAD and memcmp(at, b',"desc":', 8) == 0:
            at = self.read_code(at + 8, &code)
            if at != NULL and at[0] == b"}" and not side.check_count(kind, start):
                side.push(kind, 0, flags, code)
                return at + 1
        side.points.size = start
        return NULL

    cdef Bytes read_object(self, Bytes at, ObjectColumns side, bint truth) except? NULL:
        cdef Py_ssize_t start = side.points.size
        cdef int kind = UNKNOWN, code = -1, other_count = 0
        cdef unsigned char flags = 0
        cdef Text name
        cdef Text[MOST_OTHERS] others
        at = read_mark(at, b"{")
        while at != NULL:
            at = read_name(at, self.end, &name)
            if at == NULL:
                return NULL
            if spells(&name, "type", 4):
                at = read_kind(at, self.end, &kind) if kind == UNKNOWN else NULL
            elif spells(&name, "points", 6):
                at = read_points(at, side.points, truth, &flags) if side.points.size == start else NULL
            elif spells(&name, "desc", 4):
                at = self.read_code(at, &code) if code < 0 else NULL
            else:
                at = skip_value(at, self.end, DEEPEST) if is_new(&name, others, &other_count) and is_text(&name) else NULL
            if at == NULL:
                return NULL
            at = skip_blanks(at)
            if at[0] == b"}":
                break
            at = read_mark(at, b",")
        if at == NULL or kind == UNKNOWN or code < 0 or side.check_count(kind, start):
            return NULL
        side.push(kind, 0, flags, code)
        return at + 1

    cdef Bytes read_code(self, Bytes at, int* code) except? NULL:
        """The code of a text without escapes."""
        cdef Text text
        cdef const Known* known
        cdef Py_ssize_t first, k
        at = self.read_mixed(at, &text, &first)
        if at == NULL:
            return NULL
        for k in range(NEIGHBOURS):
            known = &self.recent[(first + k) % RECENT]
            if known.start == NULL:
                return at if self.learn((first + k) % RECENT, &text, code) else NULL
            if known.size == text.size and memcmp(known.start, text.start, text.size) == 0:
                code[0] = known.code
                return at
        return at if self.learn(first, &text, code) else NULL

    cdef inline Bytes read_mixed(self, Bytes at, Text* text, Py_ssize_t* place) noexcept:
        """A text without escapes, and the first place where it may be found."""
        cdef Bytes behind
        cdef unsigned int mix = 0
        at = read_mark(at, b'"')
        if at == NULL:
            return NULL
        behind = mix_text(at, self.end, &mix)
        if behind == NULL:
            at = read_text(at - 1, self.end, text)
            if at == NULL or text.escaped:
                return NULL
            place[0] = mixed(text.start, text.size) % RECENT
            return at
        if behind[0] != b'"':
            return NULL
        text.start, text.size, text.escaped = <const char*> at, behind - at, False
        place[0] = mix >> (32 - RECENT_BITS)
        return behind + 1

    cdef bint learn(self, Py_ssize_t place, const Text* text, int* code) except -1:
        """The code of a text, which is found at a place from now on; False if it is not UTF-8."""
        cdef Known* known = &self.recent[place]
        cdef PyObject* stored
        known.start = NULL
        found = decoded(text)
        if found is None:
            return False
        code[0] = known.code = self.truth.find_code(<PyObject*> found)
        stored = stored_text(self.truth.descs, known.code)
        if stored != NULL:
            self.texts[place] = <object> stored             # it lives on here, whatever becomes of `descs`
            known.start = PyUnicode_AsUTF8AndSize(stored, &known.size)
        return True
