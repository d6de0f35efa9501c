"""What an object of a record consists of, as it stands in a line of JSON: new keys, its type, its points."""

from .column cimport Column
from .flatten cimport BOX, CLAMPED, LINE, POLY, UNKNOWN, clamp
from .jsonwords cimport Bytes, Text, read_mark, read_number, read_text, skip_blanks, spells

cdef enum:
    MOST_OTHERS = 16        # keys of an object that do not matter
    FRAME = 1000


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


cdef inline Bytes read_kind(Bytes at, Bytes end, int* kind) noexcept nogil:
    cdef Text text
    at = read_text(at, end, &text)
    kind[0] = kind_of(&text) if at != NULL else UNKNOWN
    return at if kind[0] != UNKNOWN else NULL


cdef inline Bytes read_points(Bytes at, Column points, bint truth, unsigned char* flags) except? NULL:
    cdef double value
    at = read_mark(at, b"[")
    while at != NULL:
        at = read_number(at, &value)
        if at == NULL:
            return NULL
        if clamp(&value, <double> FRAME):
            if truth:
                return NULL
            flags[0] |= CLAMPED
        if points.size == points.capacity:
            points.reserve(1)
        (<double*> points.data)[points.size] = value + 0.0          # -0.0 becomes 0.0
        points.size += 1
        at = skip_blanks(at)
        if at[0] != b",":
            return at + 1 if at[0] == b"]" else NULL
        at += 1
    return NULL
