"""Numbers as they are written: digits and where the point is, to the nearest float."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #define MOST_DIGITS 19          /* that surely fit into 64 bits */
    #define MOST_DECIMALS 17        /* so that a quotient keeps enough bits */

    static const unsigned long long TENS[] = {
        1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull, 1000000000ull,
        10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull,
        1000000000000000ull, 10000000000000000ull, 100000000000000000ull};

    /* digits / 10 ** decimals, rounded once: both are exact, or the quotient keeps a bit for what is left over */
    static inline double nearest(unsigned long long digits, int decimals) {
        unsigned __int128 wide, quotient;
        if (digits <= 1ull << 53) return (double) digits / (double) TENS[decimals];
        wide = (unsigned __int128) digits << 64;
        quotient = wide / TENS[decimals];
        return (double) (quotient | (quotient * TENS[decimals] != wide)) * 0x1p-64;
    }
    """
    const int MOST_DIGITS
    const int MOST_DECIMALS
    double nearest(uint64_t digits, int decimals) nogil
