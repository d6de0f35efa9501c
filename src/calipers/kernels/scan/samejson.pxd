"""JSON that is written the way orjson writes it, so that reading it and writing it again gives the same bytes.

Each function goes over what it names and returns where that ends; NULL if it is something else, or if it might be
written differently: blanks, escapes that are not needed, exponents, digits that a float does not keep, a key twice.
Behind the text there is a NUL or a line break, at which each of them stops.
"""

from .jsonbytes cimport is_digit
from .jsonwords cimport Bytes, Text, find_special, skip_word, spells

cdef enum:
    MOST_NAMES = 16             # of an object
    MOST_WHOLE = 18             # digits that surely fit into 63 bits
    MOST_KEPT = 15              # digits that every float keeps
    LEAST_DECIMALS = 4          # of a number below 1, one of which is not 0: it has no exponent


cdef extern from *:
    """
    #ifndef CALIPERS_NUMBER_LIST
    #define CALIPERS_NUMBER_LIST
    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif

    /* Over whole numbers between commas and the bracket behind them, 64 bytes at a glance; NULL if they are longer, have 16
       digits or more, begin with a 0 they do not need, or are anything else. */
    static inline const unsigned char* skip_whole_numbers(const unsigned char* at, const unsigned char* end) {
    #ifdef __SSE2__
        unsigned long long digits = 0, zeros = 0, commas = 0, closings = 0, behind, inside, firsts, runs;
        if (end - at < 64) return NULL;
        for (int k = 0; k < 64; k += 16) {
            const __m128i bytes = _mm_loadu_si128((const __m128i*) (at + k));
            const __m128i values = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
            const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
            digits |= (unsigned long long) (unsigned) _mm_movemask_epi8(is_digit) << k;
            zeros |= (unsigned long long) (unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('0'))) << k;
            commas |= (unsigned long long) (unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(','))) << k;
            closings |= (unsigned long long) (unsigned) _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(']'))) << k;
        }
        if (!closings) return NULL;
        behind = closings & (0 - closings);
        inside = behind - 1;
        firsts = ((commas & inside) << 1) | 1;          /* the byte behind a comma, or the first one, has to be a digit */
        runs = digits & inside;
        if (((digits | commas) & inside) != inside || (firsts & ~runs) || (firsts & zeros & (runs >> 1))) return NULL;
        runs &= runs >> 1;
        runs &= runs >> 2;
        runs &= runs >> 4;
        return runs & (runs >> 8) ? NULL : at + __builtin_ctzll(behind) + 1;
    #else
        return NULL;
    #endif
    }
    #endif
    """
    Bytes skip_whole_numbers(Bytes at, Bytes end) noexcept nogil


cdef inline Bytes same_text(Bytes at, Bytes end) noexcept nogil:
    if at[0] != b'"':
        return NULL
    at = find_special(at + 1, end)
    while at[0] == b"\\":
        if at[1] not in b'"\\bfnrt':
            return NULL
        at = find_special(at + 2, end)
    return at + 1 if at[0] == b'"' else NULL


cdef inline Bytes same_name(Bytes at, Bytes end, Text* name) noexcept nogil:
    """A name and its colon."""
    cdef Bytes behind = same_text(at, end)
    if behind == NULL or behind[0] != b":":
        return NULL
    name.start, name.size = <const char*> at + 1, behind - at - 2
    return behind + 1


cdef inline bint is_new_name(const Text* name, Text* names, int* count) noexcept nogil:
    """Whether it is none of the names, which it joins."""
    cdef int k
    if count[0] == MOST_NAMES:
        return False
    for k in range(count[0]):
        if spells(name, names[k].start, names[k].size):
            return False
    names[count[0]] = name[0]
    count[0] += 1
    return True


cdef inline Bytes same_decimals(Bytes at, Bytes first, bint negative) noexcept nogil:
    """What stands behind the point of a number that began at `first`, without its sign."""
    cdef Bytes point = at
    cdef bint is_small = True
    while is_digit(at[0]):
        is_small = is_small and (at[0] == b"0" or at - point >= LEAST_DECIMALS)
        at += 1
    if at == point or at - first - 1 > MOST_KEPT or ((at - 1)[0] == b"0" and at - point > 1):
        return NULL
    if first[0] == b"0" and is_small and (negative or (at - 1)[0] != b"0"):
        return NULL
    return at


cdef inline Bytes same_number(Bytes at) noexcept nogil:
    cdef bint negative = at[0] == b"-"
    cdef Bytes first = at + negative
    at = first
    while is_digit(at[0]):
        at += 1
    if at == first or (first[0] == b"0" and at > first + 1):
        return NULL
    if at[0] == b".":
        at = same_decimals(at + 1, first, negative)
    elif at - first > MOST_WHOLE or (negative and first[0] == b"0"):
        return NULL
    return at if at != NULL and at[0] != b"e" and at[0] != b"E" else NULL


cdef inline Bytes same_numbers(Bytes at, Bytes end) noexcept nogil:
    """A list of numbers, at least one."""
    cdef Bytes behind
    if at[0] != b"[":
        return NULL
    behind = skip_whole_numbers(at + 1, end)
    if behind != NULL:
        return behind
    while True:
        at = same_number(at + 1)
        if at == NULL or at[0] != b",":
            return at + 1 if at != NULL and at[0] == b"]" else NULL


cdef inline Bytes same_value(Bytes at, Bytes end, int deepest) noexcept nogil:
    """Whatever it is, with at most `deepest` lists and objects inside each other."""
    if at[0] == b'"':
        return same_text(at, end)
    if at[0] == b"{" or at[0] == b"[":
        return same_values(at, end, deepest) if deepest > 0 else NULL
    if at[0] == b"n" or at[0] == b"t" or at[0] == b"f":
        return skip_word(at)
    return same_number(at)


cdef inline Bytes same_values(Bytes at, Bytes end, int deepest) noexcept nogil:
    """A list or an object."""
    cdef bint named = at[0] == b"{"
    cdef unsigned char closing = b"}" if named else b"]"
    cdef Text name
    cdef Text[MOST_NAMES] names
    cdef int count = 0
    at += 1
    if at[0] == closing:
        return at + 1
    while True:
        if named:
            at = same_name(at, end, &name)
            if at == NULL or not is_new_name(&name, names, &count):
                return NULL
        at = same_value(at, end, deepest - 1)
        if at == NULL:
            return NULL
        if at[0] != b",":
            return at + 1 if at[0] == closing else NULL
        at += 1
