"""Lines of cases read back, as a page lists and draws them: the other way around from `caselines`.

A line is read here when it is surely written as calipers writes it: its fields in their order without blanks between
them, all of it JSON, every place one of the list that it points into. Any other line is left alone, for the caller to
parse.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.string cimport memchr

from .caseparts cimport (
    MOST_INDEX,
    MOST_WHOLE,
    Object,
    behind,
    bytes_of,
    has_outline,
    place_among,
    points_of,
    read_drawn,
    read_object,
    read_overlap,
    read_text,
    read_value,
    read_whole,
)
from .column cimport Column
from .jsonbytes cimport Bytes, skip_text
from .jsonwords cimport is_end

cdef enum:
    MOST_LABELS = (1 << 24) - 1     # two of which and the rest of an error fit into 64 bits
    MOST_WORDS = 15                 # causes, or forms
    WIDTH = 11                      # numbers of 64 bits that have room for an object

cdef list ROUNDED = [k / 1000 for k in range(1001)]


cdef class CaseScanner:
    """Reads lines of cases. `causes` and `forms` are JSON: why objects are wrong, and the types of boxes, areas and
    lines.

    `read_label` makes a label of its JSON. `code_error` numbers errors from 0 on, each by its side (0 or 1), the place
    of its cause, its label, that of its partner or None, the place of its form or -1, and whether it is invalid.
    `loads` reads JSON.
    """

    cdef list causes, forms, labels
    cdef dict label_codes, error_codes
    cdef object read_label, code_error, loads
    cdef Column objects                     # of the line at hand: those that are wrong, then those of pairs
    cdef Column names                       # codes of its labels
    cdef Column sides                       # codes of the labels of its objects, true ones first
    cdef Column places                      # of its objects among the shapes, from 1 on, 0 for those without
    cdef Column seen, slots                 # of each error the last line that has it, and its place there
    cdef long long lines
    cdef Py_ssize_t count, wrong, truths    # how many objects there are, are wrong, and are true
    cdef long long[2] edges                 # the largest x and y
    cdef Bytes start, end, key, path, fields, fields_end
    cdef long long number, unmatched

    def __cinit__(self, list causes not None, list forms not None, read_label not None, code_error not None,
                  loads not None):
        for words in (causes, forms):
            if len(words) > MOST_WORDS or not all([type(word) is bytes for word in words]):
                raise ValueError(f"words: found {words!r:.200}, expected at most {MOST_WORDS} texts of bytes")
        self.causes, self.forms, self.labels = list(causes), list(forms), []
        self.label_codes, self.error_codes = {}, {}
        self.read_label, self.code_error, self.loads = read_label, code_error, loads
        self.objects, self.names, self.sides, self.places = Column("q"), Column("i"), Column("i"), Column("i")
        self.seen, self.slots = Column("q"), Column("i")

    def listed(self, bytes line not None):
        """How many objects have no partner, the key, codes of the errors and how often each is there. None if the line
        is left alone."""
        cdef Py_ssize_t k
        cdef int code
        cdef list codes = [], counts = []
        if not self.read(line):
            return None
        self.lines += 1
        for k in range(self.wrong):
            code = self.error_of(self.at(k))
            if (<long long*> self.seen.data)[code] != self.lines:
                (<long long*> self.seen.data)[code] = self.lines
                (<int*> self.slots.data)[code] = <int> len(codes)
                codes.append(code)
                counts.append(1)
            else:
                counts[(<int*> self.slots.data)[code]] += 1
        return self.unmatched, self.text(self.key), codes, counts

    def drawn(self, bytes line not None):
        """What a case draws: its key, path and line, fields as JSON, the largest x and y, how many objects have no
        outline, and the others as shapes: those with a partner, then those without.

        A shape is a list: the place of its form (those of the second side behind all of the first), label, points, the
        place of the shape it belongs to, and their overlap. One without a partner has None behind these, and comes with
        the code of its error, its description and why it is invalid.

        None if the line is left alone, also where coordinates are anything but whole numbers from 0 on.
        """
        cdef Py_ssize_t k
        cdef int shown = 0
        cdef list paired = [], wrong = []
        cdef Object* item
        if not self.read(line):
            return None
        for k in range(self.count):
            item = self.in_order(k)
            if item.form >= 0 and item.points != NULL and item.count < 0:
                return None
            if has_outline(item):
                shown += 1
                (<int*> self.places.data)[self.place_of(item.side, item.index)] = shown
        for k in range(self.count):
            item = self.in_order(k)
            if has_outline(item) and item.cause < 0:
                paired.append(self.shape(item))
            elif has_outline(item):
                wrong.append((self.shape(item), self.error_of(item), self.text_or_none(item.desc),
                              self.text_or_none(item.reason)))
        return (self.text(self.key), self.text(self.path), self.number, bytes_of(self.fields, self.fields_end),
                (self.edges[0], self.edges[1]), self.count - shown, paired, wrong)

    # A line

    cdef bint read(self, bytes line) except -1:
        """Find everything in a line; False if it is left alone."""
        cdef Bytes at
        self.start = <Bytes> PyBytes_AS_STRING(line)
        self.end = self.start + PyBytes_GET_SIZE(line)
        self.count = 0
        self.objects.resize(0)
        self.edges[0] = self.edges[1] = 0
        at = self.read_head(self.start)
        at = self.read_wrong(behind(at, self.end, b',"unmatched_gt":[', 17), 0)
        at = self.read_wrong(behind(at, self.end, b',"unmatched_pred":[', 19), 1)
        self.wrong = self.count
        at = self.read_pairs(behind(at, self.end, b',"matched":[', 12))
        at = self.read_labels(behind(at, self.end, b',"labels":{"names":[', 20))
        at = read_whole(behind(at, self.end, b',"unmatched":', 13), MOST_WHOLE, &self.unmatched)
        at = behind(at, self.end, b"}", 1)
        return at != NULL and is_end(at, self.end) and self.has_all_objects()

    cdef Bytes read_head(self, Bytes at) noexcept:
        self.key = behind(at, self.end, b'{"key":', 7)
        self.path = behind(read_text(self.key, self.end), self.end, b',"path":', 8)
        at = behind(read_text(self.path, self.end), self.end, b',"line":', 8)
        at = read_whole(at, MOST_WHOLE, &self.number)
        self.fields = behind(at, self.end, b',"fields":', 10)
        if behind(self.fields, self.end, b"{", 1) == NULL:
            return NULL
        self.fields_end = read_value(self.fields, self.end)
        return self.fields_end

    cdef Bytes read_wrong(self, Bytes at, int side) except? NULL:
        """The objects of a side without a partner, and the end of their list."""
        cdef Object* item
        cdef Bytes first = at
        while at != NULL and at[0] != b"]":
            if at != first:
                at = behind(at, self.end, b",", 1)
            item = self.add_object(side)
            at = read_whole(behind(at, self.end, b'{"index":', 9), MOST_INDEX, &item.index)
            at = read_object(behind(at, self.end, b',"object":', 10), self.end, self.forms, self.edges, item)
            at = self.read_cause(behind(at, self.end, b',"cause":', 9), item)
            if at != NULL and behind(at, self.end, b',"invalid":', 11) != NULL:
                item.reason = at + 11
                at = read_text(at + 11, self.end)
            at = self.read_candidate(behind(at, self.end, b',"partner":', 11), item)
            item.partner = item.other
            at = self.read_candidate(behind(at, self.end, b',"best":', 8), item)
            at = behind(at, self.end, b"}", 1)
        return at + 1 if at != NULL else NULL

    cdef Object* add_object(self, int side) except NULL:
        cdef Object* item
        self.objects.reserve(WIDTH)
        self.objects.size += WIDTH
        item = self.at(self.count)
        self.count += 1
        item.points = item.desc = item.reason = item.overlap = NULL
        item.side, item.index, item.count = side, 0, -1
        item.cause = item.form = item.partner = item.other = -1
        return item

    cdef Bytes read_cause(self, Bytes at, Object* out) noexcept:
        cdef Bytes begin = at
        at = read_text(at, self.end)
        if at == NULL:
            return NULL
        out.cause = place_among(self.causes, begin, at)
        return at if out.cause >= 0 else NULL

    cdef Bytes read_candidate(self, Bytes at, Object* out) noexcept:
        """The other object of a pair, which the object belongs to unless it has one; or null."""
        cdef long long index
        cdef Bytes overlap
        if at == NULL or at[0] == b"n":
            return behind(at, self.end, b"null", 4)
        at = read_whole(behind(at, self.end, b'{"index":', 9), MOST_INDEX, &index)
        overlap = behind(at, self.end, b',"overlap":', 11)
        at = behind(read_overlap(overlap), self.end, b"}", 1)
        if out.other < 0 and at != NULL:
            out.other, out.overlap = index, overlap
        return at

    cdef Bytes read_pairs(self, Bytes at) except? NULL:
        """Objects that have a partner, and the end of their list."""
        cdef Object* truth
        cdef Object* pred
        cdef Bytes first = at
        while at != NULL and at[0] != b"]":
            if at != first:
                at = behind(at, self.end, b",", 1)
            self.objects.reserve(2 * WIDTH)             # so that the first does not move when the second is added
            truth, pred = self.add_object(0), self.add_object(1)
            at = read_drawn(behind(at, self.end, b'{"gt":', 6), self.end, self.forms, self.edges, truth)
            at = read_drawn(behind(at, self.end, b',"pred":', 8), self.end, self.forms, self.edges, pred)
            truth.overlap = pred.overlap = behind(at, self.end, b',"overlap":', 11)
            truth.other, pred.other = pred.index, truth.index
            at = behind(read_overlap(truth.overlap), self.end, b"}", 1)
        return at + 1 if at != NULL else NULL

    # Labels

    cdef Bytes read_labels(self, Bytes at) except? NULL:
        """What all objects are called, by codes of names, which come first."""
        cdef Bytes begin = at
        cdef Bytes first = at
        self.names.resize(0)
        self.sides.resize(0)
        while at != NULL and at[0] != b"]":
            if at != first:
                at = behind(at, self.end, b",", 1)
            begin = at
            at = self.read_name(at)
            if at != NULL:
                if len(self.labels) == MOST_LABELS:
                    return NULL
                self.names.push_int32(self.label_code(bytes_of(begin, at)))
        at = self.read_codes(behind(at, self.end, b'],"gt":[', 8))
        self.truths = self.sides.size
        at = self.read_codes(behind(at, self.end, b'],"pred":[', 10))
        return behind(at, self.end, b"]}", 2)

    cdef Bytes read_name(self, Bytes at) noexcept:
        """A text, or two of them."""
        if at == NULL or at[0] != b"[":
            return read_text(at, self.end)
        at = behind(read_text(at + 1, self.end), self.end, b",", 1)
        return behind(read_text(at, self.end), self.end, b"]", 1)

    cdef Bytes read_codes(self, Bytes at) except? NULL:
        """Places of names, up to the end of their list."""
        cdef long long name
        cdef Bytes first = at
        while at != NULL and at[0] != b"]":
            if at != first:
                at = behind(at, self.end, b",", 1)
            at = read_whole(at, MOST_INDEX, &name)
            if at != NULL:
                if name >= self.names.size:
                    return NULL
                self.sides.push_int32((<int*> self.names.data)[name])
        return at

    cdef int label_code(self, bytes name) except -1:
        code = self.label_codes.get(name)
        if code is None:
            self.labels.append(self.read_label(name))
            code = self.label_codes[name] = len(self.labels) - 1
        return code

    cdef bint has_all_objects(self) except -1:
        """Whether all indices are of objects that have a label."""
        cdef Py_ssize_t k
        cdef Py_ssize_t[2] counts
        cdef Object* item
        counts[0], counts[1] = self.truths, self.sides.size - self.truths
        for k in range(self.count):
            item = self.at(k)
            if item.index >= counts[item.side] or item.other >= counts[1 - item.side]:
                return False
        self.places.resize(0)
        self.places.resize(self.sides.size)
        return True

    # Its objects

    cdef Object* at(self, Py_ssize_t k) noexcept:
        return <Object*> (<long long*> self.objects.data + k * WIDTH)

    cdef Object* in_order(self, Py_ssize_t k) noexcept:
        """Objects of pairs first."""
        return self.at(k + self.wrong if k < self.count - self.wrong else k + self.wrong - self.count)

    cdef Py_ssize_t place_of(self, long long side, long long index) noexcept:
        return index + self.truths if side else index

    cdef int label_of(self, long long side, long long index) noexcept:
        return (<int*> self.sides.data)[self.place_of(side, index)]

    cdef int error_of(self, const Object* item) except -1:
        """The code of an error, which is asked for once."""
        cdef uint64_t own = self.label_of(item.side, item.index), other = 0
        if item.partner >= 0:
            other = self.label_of(1 - item.side, item.partner) + 1
        packed = other << 40 | own << 16 | item.side << 12 | item.cause << 8 | (item.form + 1) << 4 | (
            item.reason != NULL)
        code = self.error_codes.get(packed)
        if code is None:
            code = self.add_error(packed, item)
        return code

    cdef object add_error(self, packed, const Object* item):
        cdef long long code
        own = self.labels[self.label_of(item.side, item.index)]
        partner = None
        if item.partner >= 0:
            partner = self.labels[self.label_of(1 - item.side, item.partner)]
        code = self.code_error(item.side, item.cause, own, partner, item.form, item.reason != NULL)
        if not 0 <= code <= self.seen.size:
            raise ValueError(f"code_error: found {code}, expected 0 to {self.seen.size}")
        if code == self.seen.size:
            self.seen.push_int64(0)
            self.slots.push_int32(0)
        self.error_codes[packed] = code
        return code

    cdef list shape(self, const Object* item):
        cdef int place
        cdef object partner = None, overlap = None
        if item.other >= 0:
            place = (<int*> self.places.data)[self.place_of(1 - item.side, item.other)]
            partner, overlap = (place - 1 if place else None), self.rounded(item.overlap)
        label = self.labels[self.label_of(item.side, item.index)]
        kind = len(self.forms) * item.side + item.form
        if item.cause < 0:
            return [kind, label, points_of(item), partner, overlap]
        return [kind, label, points_of(item), partner, overlap, None]

    cdef object rounded(self, Bytes first):
        """An overlap with three decimals. In the middle between two, or with an exponent, as Python rounds it."""
        cdef Bytes end = read_overlap(first)
        cdef Bytes at = first + 2
        cdef int k, thousandths = 0
        if first[0] == b"0" and not memchr(first, b"e", end - first):
            for k in range(3):
                thousandths *= 10
                if at < end:
                    thousandths += at[0] - 48
                    at += 1
            if at == end or at[0] < b"5":
                return ROUNDED[thousandths]
            if at[0] > b"5" or at + 1 < end and (end - 1)[0] != b"0":
                return ROUNDED[thousandths + 1]
        return round(self.loads(bytes_of(first, end)), 3)

    cdef object text(self, Bytes at):
        """The text that begins with this quote."""
        cdef Bytes end = skip_text(at, self.end)
        if memchr(at, b"\\", end - at):
            return self.loads(bytes_of(at, end))
        return (<const char*> at + 1)[:end - at - 2].decode("utf-8")

    cdef object text_or_none(self, Bytes at):
        return self.text(at) if at != NULL and at[0] == b'"' else None
