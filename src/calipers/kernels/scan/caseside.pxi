"""One side of the cases of a batch: its objects in the line of a record, and what is written of them."""

from libc.string cimport memcmp

from .column cimport Column
from .entry cimport check_indices, check_length, check_offsets
from .jsonwords cimport Bytes, Text, spells
from .samejson cimport MOST_NAMES, is_new_name, same_name, same_numbers, same_text, same_value
from .textout cimport UNIT, is_plain_overlap, put, put_bytes, put_plain_overlap, put_whole

cdef enum:
    USUAL_HEAD = 32         # bytes that may be compared at once with how most objects begin
    SPANS = 6               # of an object: where it begins and ends, its type, its points


cdef int check_places(const int[::1] places, Py_ssize_t count, str name) except -1:
    """Each is -1 or an index of `count` entries."""
    cdef Py_ssize_t k
    for k in range(places.shape[0]):
        if not -1 <= places[k] < count:
            raise ValueError(f"{name}: found {places[k]}, expected -1 or an index below {count}")
    return 0


cdef class CaseSide:
    """One side of a batch as its cases show it. Of each object: what is wrong with it (0 if it is valid), its outcome (0
    if it has a partner) and the code of its label; places of its pair in an error of two objects and of its best pair,
    its partner and their overlap, -1 without. `theirs` and `scores` are the other object and the overlap of each pair."""

    cdef const long long[::1] offsets, scores, partner_scores
    cdef const unsigned char[::1] reasons, outcomes
    cdef const int[::1] labels, places, best, theirs, partners
    cdef Py_ssize_t first, behind           # objects of the record at hand
    cdef Column spans                       # of these, in its line
    cdef object write_number                # a float to its JSON
    cdef long long* span

    def __cinit__(self, *, offsets, reasons, outcomes, labels, places, best, theirs, scores, partners, partner_scores):
        cdef Py_ssize_t count
        self.offsets, self.reasons, self.outcomes, self.labels = offsets, reasons, outcomes, labels
        self.places, self.best, self.theirs, self.scores = places, best, theirs, scores
        self.partners, self.partner_scores = partners, partner_scores
        self.spans = Column("q")
        count = self.reasons.shape[0]
        check_offsets(self.offsets, count, "offsets")
        for found, name in ((len(self.outcomes), "outcomes"), (len(self.labels), "labels"), (len(self.places), "places"),
                            (len(self.best), "best"), (len(self.partners), "partners"),
                            (len(self.partner_scores), "partner_scores")):
            check_length(found, count, name)
        check_length(self.scores.shape[0], self.theirs.shape[0], "scores")
        check_places(self.places, self.theirs.shape[0], "places")
        check_places(self.best, self.theirs.shape[0], "best")

    cdef int check(self, CaseSide other, Py_ssize_t labels, Py_ssize_t outcomes) except -1:
        """Every code has its text, every partner is an object of the other side."""
        cdef Py_ssize_t k
        check_length(self.offsets.shape[0], other.offsets.shape[0], "offsets")
        check_indices(self.labels, labels, "labels")
        check_indices(self.theirs, other.reasons.shape[0], "theirs")
        check_places(self.partners, other.reasons.shape[0], "partners")
        for k in range(self.outcomes.shape[0]):
            if self.outcomes[k] >= outcomes:
                raise ValueError(f"outcomes: found {self.outcomes[k]}, expected less than {outcomes}")
        return 0

    cdef Py_ssize_t begin(self, Py_ssize_t record) except -1:
        """Turn to the objects of a record. Returns how many of them have no partner."""
        cdef Py_ssize_t at, wrong = 0
        self.first, self.behind = self.offsets[record], self.offsets[record + 1]
        for at in range(self.first, self.behind):
            wrong += self.outcomes[at] != 0
        self.spans.resize(0)
        self.spans.reserve(SPANS * (self.behind - self.first))
        self.span = <long long*> self.spans.data
        return wrong

    cdef bint is_valid(self) noexcept:
        cdef Py_ssize_t at
        for at in range(self.first, self.behind):
            if self.reasons[at]:
                return False
        return True

    cdef Bytes read_objects(self, Bytes at, Bytes start, Bytes end) noexcept:
        """A list of as many objects as the record has."""
        cdef Py_ssize_t k, count = self.behind - self.first
        cdef Bytes behind
        if at[0] != b"[":
            return NULL
        at += 1
        for k in range(count):
            if k:
                if at[0] != b",":
                    return NULL
                at += 1
            behind = read_usual(at, start, end, self.span + SPANS * k)
            at = behind if behind != NULL else read_object(at, start, end, self.span + SPANS * k)
            if at == NULL:
                return NULL
        return at + 1 if at[0] == b"]" else NULL

    cdef int put_wrong(self, Column out, const char* line, list outcomes, CaseSide other) except -1:
        """The objects without a partner."""
        cdef Py_ssize_t at
        cdef const long long* span
        cdef bint later = False
        for at in range(self.first, self.behind):
            if self.outcomes[at] == 0:
                continue
            span = self.span + SPANS * (at - self.first)
            if later:
                put(out, b",", 1)
            later = True
            put(out, b'{"index":', 9)
            put_whole(out, at - self.first)
            put(out, b',"object":', 10)
            put(out, line + span[0], span[1] - span[0])
            put(out, b',"cause":"', 10)
            put_bytes(out, <bytes> outcomes[self.outcomes[at]])
            put(out, b'","partner":', 12)
            self.put_candidate(out, self.places[at], other)
            put(out, b',"best":', 8)
            self.put_candidate(out, self.best[at], other)
            put(out, b"}", 1)
        return 0

    cdef int put_candidate(self, Column out, int place, CaseSide other) except -1:
        """The other object of a pair."""
        if place < 0:
            return put(out, b"null", 4)
        put(out, b'{"index":', 9)
        put_whole(out, other.place_of(self.theirs[place]))
        put_overlap(out, self.scores[place], self.write_number)
        return put(out, b"}", 1)

    cdef Py_ssize_t place_of(self, Py_ssize_t at) except -1:
        """An object's place in its record, which is the one at hand."""
        if not self.first <= at < self.behind:
            raise ValueError(f"pairs: found object {at}, expected one of the record, {self.first} to {self.behind - 1}")
        return at - self.first

    cdef int put_drawn(self, Column out, const char* line, Py_ssize_t place) except -1:
        """An object as it is drawn."""
        cdef const long long* span = self.span + SPANS * place
        put_whole(out, place)
        put(out, b',"type":', 8)
        put(out, line + span[2], span[3] - span[2])
        put(out, b',"points":', 10)
        put(out, line + span[4], span[5] - span[4])
        return 0


cdef int put_overlap(Column out, long long score, write_number) except -1:
    put(out, b',"overlap":', 11)
    if score == UNIT:
        return put(out, b"1.0", 3)
    if is_plain_overlap(score):
        return put_plain_overlap(out, score)
    return put_bytes(out, <bytes?> write_number(<double> score / <double> UNIT))


cdef inline Bytes read_usual(Bytes at, Bytes start, Bytes end, long long* span) noexcept:
    """An object of type, points and desc in this order, as most are; NULL if it is another."""
    if end - at < USUAL_HEAD or memcmp(at, b'{"type":"', 9) != 0:
        return NULL
    span[0], span[2] = at - start, at + 8 - start
    at += 9
    if memcmp(at, b'bbox_2d","points":[', 19) == 0:
        at += 7
    elif memcmp(at, b'poly","points":[', 16) == 0 or memcmp(at, b'line","points":[', 16) == 0:
        at += 4
    else:
        return NULL
    span[3], span[4] = at + 1 - start, at + 11 - start
    at = same_numbers(at + 11, end)
    if at == NULL or end - at < USUAL_HEAD or memcmp(at, b',"desc":', 8) != 0:
        return NULL
    span[5] = at - start
    at = same_text(at + 8, end) if at[8] == b'"' else NULL
    if at == NULL or at[0] != b"}":
        return NULL
    span[1] = at + 1 - start
    return at + 1


cdef Bytes read_object(Bytes at, Bytes start, Bytes end, long long* span) noexcept:
    """An object that has a type and points, and where these are, counted from `start` on."""
    cdef Text name
    cdef Text[MOST_NAMES] names
    cdef int count = 0
    cdef Bytes value
    if at[0] != b"{":
        return NULL
    span[0], span[2], span[4] = at - start, -1, -1
    at += 1
    while True:
        at = same_name(at, end, &name)
        if at == NULL or not is_new_name(&name, names, &count):
            return NULL
        value, at = at, same_value(at, end, DEEPEST)
        if at == NULL:
            return NULL
        if spells(&name, b"type", 4):
            span[2], span[3] = value - start, at - start
        elif spells(&name, b"points", 6):
            span[4], span[5] = value - start, at - start
        if at[0] != b",":
            span[1] = at + 1 - start
            return at + 1 if at[0] == b"}" and span[2] >= 0 and span[4] >= 0 else NULL
        at += 1
