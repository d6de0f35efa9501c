"""Cases as lines of JSON, straight from the lines of their records: what is written again is copied, not parsed.

A case is a record with an object that has no partner: its key and place, the fields it carries, the objects that are
wrong with their cause and the closest of the other side, its pairs, what every object is called, and how many are
wrong. A record is written here when its line is surely what a JSON library would write of it (`samejson`), and when
each of its objects is valid. Any other one is left alone, for the caller to write.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

from .checks cimport check_between
from .column cimport Column
from .entry cimport check_length
from .jsonwords cimport Bytes, Text, is_end, spells
from .samejson cimport MOST_NAMES, is_new_name, same_name, same_value
from .textout cimport put, put_bytes, put_whole

cdef enum:
    DEEPEST = 16            # lists and objects inside each other
    TRUTH = 0
    PRED = 1
    CARRIED = 2             # any other field
    DROPPED = 3             # a field that holds objects, and not those that are measured
    MOST_RESERVED = 1 << 24     # bytes, before it is known how many there will be


include "caseside.pxi"


cdef int role_of(const Text* name) noexcept:
    """What a field of a record is. One that has both names of a side is left alone."""
    if spells(name, b"gt_norm1000", 11) or spells(name, b"gt_norm", 7):
        return TRUTH
    if spells(name, b"pred_norm1000", 13) or spells(name, b"pred", 4):
        return PRED
    return DROPPED if spells(name, b"gt", 2) else CARRIED


cdef class CaseLines:
    """Lines of the cases of a batch, record by record. `path` is JSON, and so are `names`, what labels are called.
    `write_number` gives the JSON of a float, and is asked for those that are written with an exponent."""

    cdef CaseSide truth, pred
    cdef bytes path
    cdef list names, outcomes
    cdef Column out, fields, seen, codes    # of each label the case that it was seen in last, and its code in that
    cdef Column line_end, wrong             # of each line where it ends, and how many objects are
    cdef Bytes start, end                   # of the line at hand
    cdef bint has_truth, has_pred

    def __cinit__(self, CaseSide truth not None, CaseSide pred not None, bytes path not None, list names not None,
                  list outcomes not None, write_number not None):
        truth.check(pred, len(names), len(outcomes))
        pred.check(truth, len(names), len(outcomes))
        self.truth, self.pred, self.path, self.names, self.outcomes = truth, pred, path, names, outcomes
        truth.write_number = pred.write_number = write_number
        self.out, self.fields, self.line_end, self.wrong = Column("B"), Column("q"), Column("q"), Column("q")
        self.seen, self.codes = Column("q", len(names)), Column("i", len(names))

    def add_lines(self, Py_ssize_t record, list numbers not None, list keys not None, bytes text not None,
                  const long long[::1] ends not None, long long first, write_key not None, write_case not None):
        """Append the cases of some records that follow each other, from `record` on; of each the number of its line, and its
        key, of which `write_key` gives the JSON. Line `first` is text[ends[0]:ends[1]], and so on. `write_case` gives the
        line of a record that is left alone here."""
        cdef Py_ssize_t k, wrong, count = len(numbers), at
        cdef long long number
        check_length(len(keys), count, "keys")
        check_between("record", record, 0, self.truth.offsets.shape[0] - 1)
        check_between("numbers", count, 0, self.truth.offsets.shape[0] - 1 - record)
        for k in range(ends.shape[0]):
            check_between("ends", ends[k], ends[k - 1] if k else 0, PyBytes_GET_SIZE(text))
        for record, number, key in zip(range(record, record + count), numbers, keys):
            wrong = self.truth.begin(record) + self.pred.begin(record)
            if not wrong:
                continue
            check_between("numbers", number, first, first + ends.shape[0] - 2)
            at = number - first
            self.start = <Bytes> PyBytes_AS_STRING(text) + ends[at]
            self.end = <Bytes> PyBytes_AS_STRING(text) + ends[at + 1]
            if self.truth.is_valid() and self.pred.is_valid() and self.read_record():
                if not self.out.size:
                    self.out.reserve(min((self.end - self.start) * (self.truth.offsets.shape[0] - record), MOST_RESERVED))
                self.put_case(number, <bytes?> write_key(key), wrong)
            else:
                put_bytes(self.out, <bytes?> write_case(record))
            self.line_end.push_int64(self.out.size)
            self.wrong.push_int64(wrong)

    def text(self):
        """All lines, as a view of bytes; while there is one, none can be added."""
        return memoryview(self.out).toreadonly()

    def ends(self):
        """Of each line where it ends, and how many objects have no partner."""
        return self.line_end, self.wrong

    cdef bint read_record(self) except -1:
        """Find objects and fields in the line; False if it is written in another way, or has other objects."""
        cdef Bytes at = self.start
        cdef Bytes begun
        cdef Text name
        cdef Text[MOST_NAMES] names
        cdef int count = 0, role
        self.has_truth = self.has_pred = False
        self.fields.resize(0)
        if at[0] != b"{":
            return False
        while not count or at[0] == b",":
            begun = at + 1
            at = same_name(begun, self.end, &name)
            if at == NULL or not is_new_name(&name, names, &count):
                return False
            role = role_of(&name)
            at = self.read_field(at, role)
            if at == NULL:
                return False
            if role == CARRIED:
                self.fields.push_int64(begun - self.start)
                self.fields.push_int64(at - self.start)
        return at[0] == b"}" and is_end(at + 1, self.end) and self.has_truth and self.has_pred

    cdef Bytes read_field(self, Bytes at, int role) noexcept:
        if role == TRUTH and not self.has_truth:
            self.has_truth = True
            return self.truth.read_objects(at, self.start, self.end)
        if role == PRED and not self.has_pred:
            self.has_pred = True
            return self.pred.read_objects(at, self.start, self.end)
        return same_value(at, self.end, DEEPEST) if role >= CARRIED else NULL

    cdef int put_case(self, long long line, bytes key, Py_ssize_t wrong) except -1:
        cdef const char* text = <const char*> self.start
        cdef Column out = self.out
        put(out, b'{"key":', 7)
        put_bytes(out, key)
        put(out, b',"path":', 8)
        put_bytes(out, self.path)
        put(out, b',"line":', 8)
        put_whole(out, line)
        self.put_fields()
        put(out, b'},"unmatched_gt":[', 18)
        self.truth.put_wrong(out, text, self.outcomes, self.pred)
        put(out, b'],"unmatched_pred":[', 20)
        self.pred.put_wrong(out, text, self.outcomes, self.truth)
        put(out, b'],"matched":[', 13)
        self.put_pairs()
        self.put_labels()
        put(out, b',"unmatched":', 13)
        put_whole(out, wrong)
        return put(out, b"}\n", 2)

    cdef int put_fields(self) except -1:
        cdef const long long* span = <const long long*> self.fields.data
        cdef Py_ssize_t k
        put(self.out, b',"fields":{', 11)
        for k in range(0, self.fields.size, 2):
            if k:
                put(self.out, b",", 1)
            put(self.out, <const char*> self.start + span[k], span[k + 1] - span[k])
        return 0

    cdef int put_pairs(self) except -1:
        cdef Column out = self.out
        cdef const char* text = <const char*> self.start
        cdef Py_ssize_t at
        cdef bint later = False
        for at in range(self.truth.first, self.truth.behind):
            if self.truth.partners[at] < 0:
                continue
            if later:
                put(out, b",", 1)
            later = True
            put(out, b'{"gt":{"index":', 15)
            self.truth.put_drawn(out, text, at - self.truth.first)
            put(out, b'},"pred":{"index":', 18)
            self.pred.put_drawn(out, text, self.pred.place_of(self.truth.partners[at]))
            put(out, b"}", 1)
            put_overlap(out, self.truth.partner_scores[at], self.truth.write_number)
            put(out, b"}", 1)
        return 0

    cdef int put_labels(self) except -1:
        """What every object is called, as codes of the labels that the record has."""
        cdef Column out = self.out
        cdef CaseSide side
        cdef long long* seen = <long long*> self.seen.data
        cdef int* codes = <int*> self.codes.data
        cdef Py_ssize_t at
        cdef int label, count = 0
        put(out, b'],"labels":{"names":[', 21)
        for side in (self.truth, self.pred):
            for at in range(side.first, side.behind):
                label = side.labels[at]
                if seen[label] != self.line_end.size + 1:
                    seen[label], codes[label] = self.line_end.size + 1, count
                    if count:
                        put(out, b",", 1)
                    put_bytes(out, <bytes> self.names[label])
                    count += 1
        for side in (self.truth, self.pred):
            if side is self.truth:
                put(out, b'],"gt":[', 8)
            else:
                put(out, b'],"pred":[', 10)
            for at in range(side.first, side.behind):
                if at > side.first:
                    put(out, b",", 1)
                put_whole(out, codes[side.labels[at]])
        return put(out, b"]}", 2)
