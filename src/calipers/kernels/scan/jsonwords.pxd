"""Lines of JSON where they lie: each `read` and `skip` goes over what it names, blanks before it included, and returns
where that ends, or NULL if it is something else.

None goes beyond the end of a line: a line break is no blank here, and behind the last line there is a NUL.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp, memcpy, strncmp

from .decimals cimport MOST_DECIMALS, MOST_DIGITS, nearest
from .jsonbytes cimport is_digit, is_utf8

ctypedef const unsigned char* Bytes

cdef enum:
    DEEPEST_KEY = 16        # lists and objects inside each other, in place of a key


cdef struct Text:           # what stands between two quotes
    const char* start
    Py_ssize_t size
    bint escaped


cdef inline bint spells(const Text* text, const char* word, Py_ssize_t size) noexcept nogil:
    return text.size == size and memcmp(text.start, word, size) == 0


cdef inline bint is_text(const Text* text) noexcept nogil:
    """Whether the bytes are UTF-8."""
    return is_utf8(<Bytes> text.start, <Bytes> text.start + text.size)


cdef extern from *:
    """
    #ifndef CALIPERS_SKIP_PLAIN
    #define CALIPERS_SKIP_PLAIN
    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif

    /* Over bytes that are no quote, backslash or control character, sixteen at a time: up to one that is, or to less than
       sixteen before the end. */
    static inline const unsigned char* skip_plain_bytes(const unsigned char* at, const unsigned char* end) {
    #ifdef __SSE2__
        for (; end - at >= 16; at += 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i*) at);
            __m128i plain = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x20)), bytes);
            __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x22)),
                                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x5C)));
            int found = _mm_movemask_epi8(_mm_andnot_si128(ends, plain)) ^ 0xFFFF;
            if (found) return at + __builtin_ctz((unsigned) found);
        }
    #endif
        return at;
    }
    #endif
    """
    Bytes skip_plain_bytes(Bytes at, Bytes end) noexcept nogil


cdef inline Bytes find_special(Bytes at, Bytes end) noexcept nogil:
    """The next quote, backslash or control character."""
    cdef uint64_t byte_repeated = 0x0101010101010101, eight, quotes, slashes    # times a byte: eight of them
    at = skip_plain_bytes(at, end)
    while end - at >= 8:
        memcpy(&eight, at, 8)
        quotes, slashes = eight ^ (byte_repeated * 0x22), eight ^ (byte_repeated * 0x5C)
        if ((quotes - byte_repeated) & ~quotes | (slashes - byte_repeated) & ~slashes
                | (eight - byte_repeated * 0x20) & ~eight) & (byte_repeated * 0x80):
            break           # in one of the eight a zero, or a byte below 32, had to borrow
        at += 8
    while at[0] >= 0x20 and at[0] != 0x22 and at[0] != 0x5C:
        at += 1
    return at


cdef inline Bytes skip_blanks(Bytes at) noexcept nogil:
    while at[0] == b" " or at[0] == b"\r" or at[0] == b"\t":
        at += 1
    return at


cdef inline bint is_end(Bytes at, Bytes end) noexcept nogil:
    """Whether nothing is left of a line but blanks and its break."""
    while at < end and (at[0] == b" " or at[0] == b"\n" or at[0] == b"\r" or at[0] == b"\t"):
        at += 1
    return at == end


cdef inline Bytes read_mark(Bytes at, unsigned char mark) noexcept nogil:
    at = skip_blanks(at)
    return at + 1 if at[0] == mark else NULL


cdef inline Bytes read_text(Bytes at, Bytes end, Text* text) noexcept nogil:
    at = read_mark(at, b'"')
    if at == NULL:
        return NULL
    text.start, text.escaped = <const char*> at, False
    at = find_special(at, end)
    while at[0] == b"\\":
        if at[1] not in b'"\\/bfnrt':               # not \u, which could spell anything, a name among it
            return NULL
        text.escaped = True
        at = find_special(at + 2, end)
    text.size = <const char*> at - text.start
    return at + 1 if at[0] == b'"' else NULL        # or a control character


cdef inline Bytes read_name(Bytes at, Bytes end, Text* name) noexcept nogil:
    """A name and its colon."""
    at = read_text(at, end, name)
    if at == NULL:
        return NULL
    return read_mark(at, b":")


cdef inline Bytes read_number(Bytes at, double* out) noexcept nogil:
    """A number without an exponent, of so many digits that it is surely rounded once."""
    cdef Bytes first
    cdef Bytes point
    cdef uint64_t digits = 0
    cdef bint negative
    at = skip_blanks(at)
    negative = at[0] == b"-"
    at += negative
    first = at
    while is_digit(at[0]):
        digits = 10 * digits + (at[0] - 48)
        at += 1
    if at == first or at - first > MOST_DIGITS or (first[0] == b"0" and at > first + 1):
        return NULL
    if at[0] != b"." and digits <= <uint64_t> 1 << 53:
        out[0] = -<double> digits if negative else <double> digits
        return at
    point = at
    if at[0] == b".":
        at += 1
        point = at
        while is_digit(at[0]):
            digits = 10 * digits + (at[0] - 48)
            at += 1
        if not 1 <= at - point <= MOST_DECIMALS or at - first - 1 > MOST_DIGITS:
            return NULL
    out[0] = -nearest(digits, <int> (at - point)) if negative else nearest(digits, <int> (at - point))
    return at


cdef inline Bytes skip_word(Bytes at) noexcept nogil:
    if strncmp(<const char*> at, "null", 4) == 0 or strncmp(<const char*> at, "true", 4) == 0:
        return at + 4
    return at + 5 if strncmp(<const char*> at, "false", 5) == 0 else NULL


cdef inline Bytes skip_value(Bytes at, Bytes end, int deepest) noexcept nogil:
    """Whatever it is: whoever reads a record has to know that all of it is JSON."""
    cdef Text text
    cdef double number
    at = skip_blanks(at)
    if at[0] == b'"':
        at = read_text(at, end, &text)
        return at if at != NULL and is_text(&text) else NULL
    if at[0] == b"{" or at[0] == b"[":
        return skip_values(at, end, deepest) if deepest > 0 else NULL
    if at[0] == b"n" or at[0] == b"t" or at[0] == b"f":
        return skip_word(at)
    return read_number(at, &number)


cdef inline Bytes skip_values(Bytes at, Bytes end, int deepest) noexcept nogil:
    """A list or an object."""
    cdef bint named = at[0] == b"{"
    cdef unsigned char closing = b"}" if named else b"]"
    cdef Text name
    at = skip_blanks(at + 1)
    if at[0] == closing:
        return at + 1
    while True:
        if named:
            at = read_name(at, end, &name)
            if at == NULL or not is_text(&name):
                return NULL
        at = skip_value(at, end, deepest - 1)
        if at == NULL:
            return NULL
        at = skip_blanks(at)
        if at[0] != b",":
            return at + 1 if at[0] == closing else NULL
        at += 1


cdef inline Bytes read_key(Bytes at, Bytes end, Text* key) noexcept nogil:
    """A text without escapes or a whole number, as it is written; anything else has no size."""
    at = skip_blanks(at)
    if at[0] == b'"':
        at = read_text(at, end, key)
        if at == NULL or not is_text(key):
            return NULL
        key.size = 0 if key.escaped else key.size
        return at
    key.start, key.size = <const char*> at, 0
    at = skip_value(at, end, DEEPEST_KEY)
    if at != NULL and is_digit(key.start[0]):
        key.size = <const char*> at - key.start
        key.size = 0 if memchr(key.start, b".", key.size) else key.size
    return at
