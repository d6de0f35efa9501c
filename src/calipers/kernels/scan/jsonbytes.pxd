"""JSON as bytes: each function goes over what it names and returns where it ends, or NULL if it is something else.

Behind the text there is a NUL, as behind every `bytes` object, at which each of them stops. Blanks are skipped before
a value, not behind it. What is gone over is surely JSON, except that `doubt` is set where readers differ: NaN, Infinity,
and numbers that may be too large for a float.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, strncmp

ctypedef const unsigned char* Bytes

cdef extern from "Python.h":
    double PyOS_string_to_double(const char* text, char** end, void* overflow)

cdef extern from *:
    """
    #include <math.h>
    #define BYTE_REPEATED 0x0101010101010101ull  /* times a byte: eight of them */
    #define MOST_DIGITS 19              /* that surely fit into 64 bits */
    #define LEAST_SCALE -27             /* a larger power of five does not fit into 64 bits */
    #define MOST_SCALE 22               /* a larger power of ten is no float */

    static const double TENS_AS_FLOATS[] = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22};
    static const unsigned long long FIVES[] = {
        1ull, 5ull, 25ull, 125ull, 625ull, 3125ull, 15625ull, 78125ull, 390625ull, 1953125ull, 9765625ull, 48828125ull,
        244140625ull, 1220703125ull, 6103515625ull, 30517578125ull, 152587890625ull, 762939453125ull,
        3814697265625ull, 19073486328125ull, 95367431640625ull, 476837158203125ull, 2384185791015625ull,
        11920928955078125ull, 59604644775390625ull, 298023223876953125ull, 1490116119384765625ull,
        7450580596923828125ull};

    /* Whether digits * 10 ** scale is found by rounding once, and that number */
    static inline int scaled(unsigned long long digits, int scale, double* out) {
        unsigned __int128 wide, quotient;
        int shift;
        if (digits <= 1ull << 53 && -MOST_SCALE <= scale && scale <= MOST_SCALE) {      /* both are exact */
            *out = scale < 0 ? digits / TENS_AS_FLOATS[-scale] : digits * TENS_AS_FLOATS[scale];
            return 1;
        }
        if (scale < LEAST_SCALE || scale > 0 || !digits) return 0;
        shift = __builtin_clzll(digits);    /* so that the quotient has 64 bits or more, the last for what is left */
        wide = (unsigned __int128) digits << shift << 64;
        quotient = wide / FIVES[-scale];
        *out = ldexp((double) (quotient | (quotient * FIVES[-scale] != wide)), scale - shift - 64);
        return 1;
    }
    """
    const uint64_t BYTE_REPEATED
    const int MOST_DIGITS
    bint scaled(uint64_t digits, int scale, double* out) nogil

cdef enum:
    MOST_WHOLE = 18             # digits that surely fit into 63 bits
    MOST_PLAIN_DIGITS = 100     # that are surely no infinity, with an exponent of two digits
    MOST_EXPONENT_DIGITS = 2
    DEEPEST = 64
    CLOSING_LIST = 93
    CLOSING_OBJECT = 125


cdef inline bint is_digit(unsigned char byte) noexcept nogil:
    return 48 <= byte <= 57


cdef inline Bytes skip_blanks(Bytes at) noexcept nogil:
    while at[0] == b" " or at[0] == b"\n" or at[0] == b"\r" or at[0] == b"\t":
        at += 1
    return at


cdef inline Bytes find_special(Bytes at, Bytes end, bint* wide) noexcept nogil:
    """The next quote, backslash or control character; whether a byte before it is not ASCII."""
    cdef uint64_t eight, quotes, slashes, seen = 0
    while end - at >= 8:
        memcpy(&eight, at, 8)
        quotes, slashes = eight ^ (BYTE_REPEATED * 0x22), eight ^ (BYTE_REPEATED * 0x5C)
        if ((quotes - BYTE_REPEATED) & ~quotes | (slashes - BYTE_REPEATED) & ~slashes
                | (eight - BYTE_REPEATED * 0x20) & ~eight) & (BYTE_REPEATED * 0x80):
            break           # in one of the eight a zero, or a byte below 32, had to borrow
        seen |= eight
        at += 8
    while at[0] >= 0x20 and at[0] != 0x22 and at[0] != 0x5C:
        seen |= at[0]
        at += 1
    wide[0] = wide[0] or (seen & (BYTE_REPEATED * 0x80)) != 0
    return at


cdef inline int hex_digit(unsigned char byte) noexcept nogil:
    if is_digit(byte):
        return byte - 48
    byte |= 32
    return byte - 87 if 97 <= byte <= 102 else -1


cdef inline int code_unit(Bytes at) noexcept nogil:
    """What \\uXXXX stands for, -1 if it is not that."""
    cdef int k, digit, found = 0
    if at[0] != b"\\" or at[1] != b"u":
        return -1
    for k in range(2, 6):
        digit = hex_digit(at[k])
        if digit < 0:
            return -1
        found = 16 * found + digit
    return found


cdef inline Bytes skip_escape(Bytes at) noexcept nogil:
    """One character behind a backslash, which may take two surrogates."""
    cdef int unit, low
    if at[1] != b"u":
        return at + 2 if at[1] in b'"\\/bfnrt' else NULL
    unit = code_unit(at)
    if unit < 0 or 0xDC00 <= unit < 0xE000:
        return NULL
    if unit < 0xD800 or unit >= 0xE000:
        return at + 6
    low = code_unit(at + 6)
    return at + 12 if 0xDC00 <= low < 0xE000 else NULL


cdef inline bint is_utf8(Bytes at, Bytes end) noexcept nogil:
    """Whether all of it is, by the table of well-formed byte sequences."""
    cdef unsigned char lead, low, high
    cdef int more
    while at < end:
        lead, low, high = at[0], 0x80, 0xBF
        at += 1
        if lead < 0x80:
            continue
        if 0xE1 <= lead < 0xED and end - at >= 2 and at[0] >> 6 == 2 and at[1] >> 6 == 2:       # most of Chinese
            at += 2
            continue
        if 0xC2 <= lead < 0xE0:
            more = 1
        elif 0xE0 <= lead < 0xF0:
            more = 2
            low, high = 0xA0 if lead == 0xE0 else 0x80, 0x9F if lead == 0xED else 0xBF
        elif 0xF0 <= lead < 0xF5:
            more = 3
            low, high = 0x90 if lead == 0xF0 else 0x80, 0x8F if lead == 0xF4 else 0xBF
        else:
            return False
        if end - at < more or not low <= at[0] <= high:
            return False
        for _ in range(1, more):
            at += 1
            if not 0x80 <= at[0] <= 0xBF:
                return False
        at += 1
    return True


cdef inline Bytes skip_text(Bytes at, Bytes end) noexcept nogil:
    cdef Bytes first = at
    cdef bint wide = False
    if at[0] != b'"':
        return NULL
    at = find_special(at + 1, end, &wide)
    while at[0] == b"\\":
        at = skip_escape(at)
        if at == NULL:
            return NULL
        at = find_special(at, end, &wide)
    if at[0] != b'"' or (wide and not is_utf8(first, at)):          # or a control character
        return NULL
    return at + 1


cdef inline Bytes skip_exponent(Bytes at, int* exponent, bint* doubt) noexcept nogil:
    """What stands behind a number's e."""
    cdef bint negative = at[0] == b"-"
    cdef Bytes first
    if at[0] == b"-" or at[0] == b"+":
        at += 1
    first, exponent[0] = at, 0
    while is_digit(at[0]):
        if at - first < 4:
            exponent[0] = 10 * exponent[0] + (at[0] - 48)
        at += 1
    if negative:
        exponent[0] = -exponent[0]
    if at - first > MOST_EXPONENT_DIGITS:
        doubt[0] = True
    return at if at > first else NULL



cdef inline Bytes skip_number(Bytes at, bint* doubt) noexcept nogil:
    cdef Bytes first
    cdef int exponent
    if at[0] == b"-":
        at += 1
    if at[0] == b"I" or at[0] == b"N":
        doubt[0] = True
        if strncmp(<const char*> at, "Infinity", 8) == 0:
            return at + 8
        return at + 3 if strncmp(<const char*> at, "NaN", 3) == 0 and (at - 1)[0] != b"-" else NULL
    first = at
    while is_digit(at[0]):
        at += 1
    if at == first or (first[0] == b"0" and at > first + 1):
        return NULL
    if at - first > MOST_PLAIN_DIGITS:
        doubt[0] = True
    if at[0] == b".":
        at += 1
        first = at
        while is_digit(at[0]):
            at += 1
        if at == first:
            return NULL
    if at[0] == b"e" or at[0] == b"E":
        return skip_exponent(at + 1, &exponent, doubt)
    return at


cdef inline Bytes skip_word(Bytes at) noexcept nogil:
    if strncmp(<const char*> at, "null", 4) == 0 or strncmp(<const char*> at, "true", 4) == 0:
        return at + 4
    return at + 5 if strncmp(<const char*> at, "false", 5) == 0 else NULL


cdef inline Bytes skip_plain(Bytes at, Bytes end, bint* doubt) noexcept nogil:
    """A value that holds no other one."""
    if at[0] == b'"':
        return skip_text(at, end)
    if at[0] == b"n" or at[0] == b"t" or at[0] == b"f":
        return skip_word(at)
    return skip_number(at, doubt)


cdef inline Bytes skip_name(Bytes at, Bytes end) noexcept nogil:
    """A name and its colon."""
    at = skip_text(at, end)
    if at == NULL:
        return NULL
    at = skip_blanks(at)
    return at + 1 if at[0] == b":" else NULL


cdef inline Bytes skip_value(Bytes at, Bytes end, bint* doubt) noexcept nogil:
    """Whatever it is, of at most DEEPEST lists and objects inside each other."""
    cdef uint64_t named = 0             # a bit for each that is open, the lowest for the innermost: whether an object
    cdef int depth = 0
    while True:
        at = skip_blanks(at)
        if at[0] == b"[" or at[0] == b"{":
            if depth == DEEPEST:
                return NULL
            depth += 1
            named = named << 1 | (at[0] == b"{")
            at = skip_blanks(at + 1)
            if at[0] != (CLOSING_OBJECT if named & 1 else CLOSING_LIST):
                if named & 1:
                    at = skip_name(at, end)
                    if at == NULL:
                        return NULL
                continue
        else:
            at = skip_plain(at, end, doubt)
            if at == NULL or depth == 0:
                return at
            at = skip_blanks(at)
        while at[0] == (CLOSING_OBJECT if named & 1 else CLOSING_LIST):
            at += 1
            named >>= 1
            depth -= 1
            if depth == 0:
                return at
            at = skip_blanks(at)
        if at[0] != b",":
            return NULL
        at += 1
        if named & 1:
            at = skip_name(skip_blanks(at), end)
            if at == NULL:
                return NULL


cdef inline Bytes read_whole(Bytes at, long long* out) noexcept nogil:
    """A whole number without a point or an exponent."""
    cdef bint negative = at[0] == b"-"
    cdef long long value = 0
    cdef Bytes first
    at += negative
    first = at
    while is_digit(at[0]):
        value = 10 * value + (at[0] - 48) if at - first < MOST_WHOLE else value
        at += 1
    if not 1 <= at - first <= MOST_WHOLE or (first[0] == b"0" and at > first + 1) or at[0] in b".eE":
        return NULL
    out[0] = -value if negative else value
    return at


cdef inline Py_ssize_t significant(Bytes at, Bytes end) noexcept nogil:
    """How many digits a number has from its first that is not 0."""
    cdef Py_ssize_t count = 0
    while at < end and is_digit(at[0]) or at[0] == b".":
        count += at[0] != b"." and (count > 0 or at[0] != b"0")
        at += 1
    return count


cdef inline double by_library(Bytes at) noexcept nogil:
    cdef char* behind
    with gil:
        return PyOS_string_to_double(<const char*> at, &behind, NULL)


cdef inline Bytes read_number(Bytes at, double* out) noexcept nogil:
    """A finite number, as near as a float comes; -0.0 becomes 0.0."""
    cdef Bytes begin = at, first, point
    cdef uint64_t digits = 0
    cdef int exponent = 0, decimals = 0
    cdef bint negative = at[0] == b"-", doubt = False, exact
    at += negative
    first = at
    while is_digit(at[0]):
        digits = 10 * digits + (at[0] - 48)
        at += 1
    if at == first or (first[0] == b"0" and at > first + 1):
        return NULL
    if at[0] == b".":
        at += 1
        point = at
        while is_digit(at[0]):
            digits = 10 * digits + (at[0] - 48)
            at += 1
        if at == point or at - point > 1000:
            return NULL
        decimals = <int> (at - point)
    exact = at - first <= MOST_DIGITS or significant(first, at) <= MOST_DIGITS
    if at[0] == b"e" or at[0] == b"E":
        at = skip_exponent(at + 1, &exponent, &doubt)
        if at == NULL or doubt:
            return NULL
    if not exact or not scaled(digits, exponent - decimals, out):
        out[0] = by_library(begin + negative)
    out[0] = 0.0 + (-out[0] if negative else out[0])
    return at
