"""Text at the end of a column of bytes: pieces as they are, whole numbers, and overlaps, which are units of 1e-12."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memcpy

from .column cimport Column

cdef extern from *:
    """
    #ifndef CALIPERS_TEXT_OUT
    #define CALIPERS_TEXT_OUT
    #include <string.h>
    #define UNIT 1000000000000ll
    #define LEAST_PLAIN 100000000ll     /* smaller overlaps are written with an exponent */
    #define LONGEST_NUMBER 32           /* bytes of a number, at most */

    static const char TWO_DIGITS[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

    /* A number of at most three digits, without a branch for how many there are; returns how many */
    static inline int write_digits(char* to, unsigned int value) {
        unsigned int tens = value / 10, hundreds = value / 100;
        int size = 1 + (value >= 10) + (value >= 100);
        unsigned int text = hundreds | (tens - 10 * hundreds) << 8 | (value - 10 * tens) << 16;
        text = (text + 0x303030) >> 8 * (3 - size);         /* a byte a digit; zeros in front go */
        to[0] = (char) text;
        to[1] = (char) (text >> 8);
        to[2] = (char) (text >> 16);
        return size;
    }

    /* A whole number in at most 20 bytes; returns how many */
    static inline int write_whole(char* to, long long value) {
        char digits[LONGEST_NUMBER];
        int at = LONGEST_NUMBER;
        unsigned long long left = value >= 0 ? (unsigned long long) value : 0 - (unsigned long long) value;
        if (left < 1000 && value >= 0)          /* as most are */
            return write_digits(to, (unsigned int) left);
        for (; left >= 100; left /= 100) memcpy(digits + (at -= 2), TWO_DIGITS + 2 * (left % 100), 2);
        if (left >= 10) memcpy(digits + (at -= 2), TWO_DIGITS + 2 * left, 2);
        else digits[--at] = (char) ('0' + left);
        if (value < 0) digits[--at] = '-';
        memcpy(to, digits + at, LONGEST_NUMBER - at);
        return LONGEST_NUMBER - at;
    }

    /* A text, for the whole of whose last 32 bytes there is room, and which some follow that may be read. Returns where it
       ends. */
    #define COPIED_AT_ONCE 32
    static inline char* copy_beyond(char* to, const char* from, Py_ssize_t size) {
        for (Py_ssize_t at = 0; at < size; at += COPIED_AT_ONCE) {
            char some[COPIED_AT_ONCE];          /* as the two may be next to each other */
            memcpy(some, from + at, COPIED_AT_ONCE);
            memcpy(to + at, some, COPIED_AT_ONCE);
        }
        return to + size;
    }

    static inline void write_six(char* to, unsigned int value) {
        memcpy(to, TWO_DIGITS + 2 * (value / 10000), 2);
        memcpy(to + 2, TWO_DIGITS + 2 * (value / 100 % 100), 2);
        memcpy(to + 4, TWO_DIGITS + 2 * (value % 100), 2);
    }

    /* An overlap above 0 and below 1 by its decimals, at most 12, in at most 14 bytes; returns how many */
    static inline int write_decimals(char* to, long long score) {
        int size = 14;
        memcpy(to, "0.", 2);
        write_six(to + 2, (unsigned int) (score / 1000000));
        write_six(to + 8, (unsigned int) (score % 1000000));
        while (to[size - 1] == '0') size--;
        return size;
    }
    #endif
    """
    const long long UNIT
    const long long LEAST_PLAIN
    const int LONGEST_NUMBER, COPIED_AT_ONCE
    char* copy_beyond(char* to, const char* source, Py_ssize_t size) noexcept nogil
    int write_whole(char* to, long long value) noexcept nogil
    int write_decimals(char* to, long long score) noexcept nogil


cdef inline int put(Column out, const char* text, Py_ssize_t size) except -1:
    if size > out.capacity - out.size:
        out.reserve(size)
    memcpy(out.data + out.size, text, size)
    out.size += size
    return 0


cdef inline int put_bytes(Column out, bytes text) except -1:
    return put(out, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


cdef inline int put_whole(Column out, long long value) except -1:
    if out.capacity - out.size < LONGEST_NUMBER:
        out.reserve(LONGEST_NUMBER)
    out.size += write_whole(out.data + out.size, value)
    return 0


cdef inline bint is_plain_overlap(long long score) noexcept nogil:
    """Whether an overlap is written without an exponent, and by its decimals."""
    return LEAST_PLAIN <= score < UNIT


cdef inline int put_plain_overlap(Column out, long long score) except -1:
    """A fraction of at most 12 decimals reads back the same from just these."""
    if out.capacity - out.size < LONGEST_NUMBER:
        out.reserve(LONGEST_NUMBER)
    out.size += write_decimals(out.data + out.size, score)
    return 0
