"""What the line of a case is made of: each function goes over what it names and returns where that ends, or NULL if it
is something else, or was NULL before.

Behind the line there is a NUL, at which each of them stops.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memchr, memcmp

from .jsonbytes cimport Bytes, is_digit, skip_text, skip_value

cdef enum:
    MOST_INDEX = 9              # digits of a number that surely fit into 31 bits
    MOST_WHOLE = 18             # into 63 bits
    MOST_DECIMALS = 15          # of an overlap, all of which a float keeps
    BOX = 0                     # the first form
    AREA = 1                    # the second

cdef struct Object:
    Bytes points                # a list of whole numbers, if `count` is one of them; NULL if there are none
    Bytes desc                  # a text, or NULL
    Bytes reason                # why it is invalid, a text, or NULL
    Bytes overlap               # with the object it belongs to, or NULL
    long long side, index
    long long cause, form       # -1: it has a partner; it has no form that can be drawn
    long long partner, other    # of an error of two objects, and the object it belongs to; -1 without
    long long count             # of numbers in `points`, -1 if they are anything else

cdef inline Bytes behind(Bytes at, Bytes end, const char* text, Py_ssize_t size) noexcept:
    """Where a text ends that has to stand here."""
    return at + size if at != NULL and end - at >= size and memcmp(at, text, size) == 0 else NULL


cdef inline Bytes read_whole(Bytes at, int most, long long* out) noexcept:
    """A whole number from 0 on, of so many digits at most."""
    cdef Bytes first = at
    cdef long long value = 0
    if at == NULL:
        return NULL
    while is_digit(at[0]) and at - first < most:
        value = 10 * value + (at[0] - 48)
        at += 1
    if at == first or is_digit(at[0]) or (first[0] == b"0" and at > first + 1):
        return NULL
    out[0] = value
    return at if at[0] != b"." and at[0] != b"e" and at[0] != b"E" else NULL


cdef inline Bytes read_text(Bytes at, Bytes end) noexcept:
    return skip_text(at, end) if at != NULL else NULL


cdef inline Bytes read_value(Bytes at, Bytes end) noexcept:
    """Any value that all readers of JSON take for the same, without blanks before it."""
    cdef bint doubt = False
    if at == NULL or at[0] <= b" ":
        return NULL
    at = skip_value(at, end, &doubt)
    if doubt:
        return NULL
    return at


cdef inline Bytes read_overlap(Bytes at) noexcept:
    """A number from 0 to 1, or below 10: 1.0, or 0 and decimals, or one digit before an exponent below 0."""
    cdef Bytes first = at
    cdef Bytes digits
    if at == NULL or not is_digit(at[0]):
        return NULL
    at += 1
    if at[0] == b".":
        at += 1
        while is_digit(at[0]):
            at += 1
        if not 2 < at - first <= MOST_DECIMALS + 2:
            return NULL
    if at[0] == b"e" and at[1] == b"-":
        digits = at + 2
        at = digits
        while is_digit(at[0]):
            at += 1
        return at if 1 <= at - digits <= 2 else NULL
    if first[0] == b"0":
        return at if at > first + 1 else NULL
    return at if at - first == 3 and memcmp(first, b"1.0", 3) == 0 else NULL


cdef inline Bytes read_points(Bytes at, Bytes end, Object* out, long long* edges) noexcept:
    """Any value. If it is a list of whole numbers from 0 on, x and y in turn, they move the edges."""
    cdef long long value = 0, count = 0
    cdef long long[2] most
    out.points, out.count = at, -1
    most[0], most[1] = edges[0], edges[1]
    at = behind(at, end, b"[", 1)
    while at != NULL:
        at = read_whole(at, MOST_INDEX, &value)
        most[count & 1] = max(most[count & 1], value)
        count += 1
        if at != NULL and at[0] == b"]":
            out.count, edges[0], edges[1] = count, most[0], most[1]
            return at + 1
        at = behind(at, end, b",", 1)
    return read_value(out.points, end)


cdef inline bint has_outline(const Object* at) noexcept:
    """Whether whole numbers make the form that is asked for."""
    if at.form < 0 or at.count & 1:
        return False
    return at.count == 4 if at.form == BOX else at.count >= (6 if at.form == AREA else 4)


cdef inline int place_among(list words, Bytes first, Bytes end) noexcept:
    """The place of a word, -1 if it is none of them."""
    cdef Py_ssize_t k, size = end - first
    for k in range(len(words)):
        if PyBytes_GET_SIZE(words[k]) == size and memcmp(PyBytes_AS_STRING(words[k]), first, size) == 0:
            return <int> k
    return -1


cdef inline Bytes read_type(Bytes at, Bytes end, list forms, Object* out) noexcept:
    """Any value, which may be a form; none that has an escape, which could spell one."""
    cdef Bytes begin = at
    at = read_value(at, end)
    if at == NULL or memchr(begin, b"\\", at - begin):
        return NULL
    out.form = place_among(forms, begin, at)
    return at


cdef inline Bytes read_object(Bytes at, Bytes end, list forms, long long* edges, Object* out) noexcept:
    """Any value; of an object type, points and description, which may each be there once."""
    cdef Bytes begin
    cdef Bytes name
    cdef Py_ssize_t size
    cdef bint has_type = False
    if at == NULL or at[0] != b"{" or at[1] == b"}":
        return read_value(at, end)
    begin = at
    while at != NULL and (at == begin or at[0] == b","):
        name = at + 1
        at = read_text(name, end)
        if at == NULL:
            return NULL
        size = at - name
        at = behind(at, end, b":", 1)
        if at == NULL or memchr(name, b"\\", size):
            return NULL
        if size == 6 and memcmp(name, b'"type"', 6) == 0:
            if has_type:
                return NULL
            has_type = True
            at = read_type(at, end, forms, out)
        elif size == 8 and memcmp(name, b'"points"', 8) == 0:
            at = read_points(at, end, out, edges) if out.points == NULL else NULL
        elif size == 6 and memcmp(name, b'"desc"', 6) == 0:
            if out.desc != NULL:
                return NULL
            out.desc = at
            at = read_value(at, end)
        else:
            at = read_value(at, end)
    return behind(at, end, b"}", 1)


cdef inline Bytes read_drawn(Bytes at, Bytes end, list forms, long long* edges, Object* out) noexcept:
    """An object that has a partner."""
    at = read_whole(behind(at, end, b'{"index":', 9), MOST_INDEX, &out.index)
    at = behind(at, end, b',"type":', 8)
    if at != NULL:
        at = read_type(at, end, forms, out)
    at = behind(at, end, b',"points":', 10)
    if at != NULL:
        at = read_points(at, end, out, edges)
    return behind(at, end, b"}", 1)


cdef inline bytes bytes_of(Bytes first, Bytes end):
    return (<const char*> first)[:end - first]


cdef inline list points_of(const Object* at):
    """The numbers of an object; those of a box are its corners in order."""
    cdef list points = []
    cdef long long value = 0
    cdef long long k
    cdef Bytes place = at.points
    for k in range(at.count):
        place = read_whole(place + 1, MOST_INDEX, &value)
        points.append(value)
    if at.form == BOX:
        if points[0] > points[2]:
            points[0], points[2] = points[2], points[0]
        if points[1] > points[3]:
            points[1], points[3] = points[3], points[1]
    return points
