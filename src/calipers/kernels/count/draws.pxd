"""Weights of records in replicates: how often each counts, drawn from Poisson(1).

64 hashed bits serve two replicates. A weight is how many steps of the distribution 32 of them reach; few reach more than
the first six, which are looked at for many replicates at a time. A machine with wider registers takes more of them and
gets the same weights.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    STEPS = 13              # also the largest weight

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define STEPS_OF_MOST 6
    #define DRAWN_AT_ONCE 64                    /* replicates, an even number */
    #define GOLDEN_RATIO 0x9E3779B97F4A7C15ULL

    /* floor(2 ** 32 * P(X <= k)) for X ~ Poisson(1) and k = 0 ... 12 */
    static const uint32_t STEP[13] = {
        1580030168u, 3160060337u, 3950075421u, 4213413783u, 4279248373u, 4292415291u, 4294609777u, 4294923276u,
        4294962463u, 4294966817u, 4294967252u, 4294967292u, 4294967295u,
    };

    static inline int steps_reached(uint32_t bits, int steps) {
        int weight = 0;
        for (int k = 0; k < steps; k++) weight += bits >= STEP[k];
        return weight;
    }

    /* the bits of two replicates, and the state that those of the next two come from */
    static inline uint64_t next_bits(uint64_t* state) {
        *state += GOLDEN_RATIO;
        unsigned __int128 product = (unsigned __int128) *state * (*state ^ 0xE7037ED1A0B428DBULL);
        return (uint64_t) (product >> 64) ^ (uint64_t) product;
    }

    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define LOW_HALF_FIRST(bits) ((bits) << 32 | (bits) >> 32)
    #define SIDE_BY_SIDE(one, other) ((uint32_t) (one) << 16 | (uint32_t) (other))
    #else
    #define LOW_HALF_FIRST(bits) (bits)
    #define SIDE_BY_SIDE(one, other) ((uint32_t) (one) | (uint32_t) (other) << 16)
    #endif

    typedef uint32_t Pair __attribute__((may_alias));       /* two weights of 16 bits */

    #define DRAW_PAIRS \
        uint32_t first[DRAWN_AT_ONCE], second[DRAWN_AT_ONCE]; \
        for (Py_ssize_t begin = 0; begin < replicates; begin += DRAWN_AT_ONCE) { \
            int some = replicates - begin < DRAWN_AT_ONCE ? (int) (replicates - begin + 1) / 2 * 2 : DRAWN_AT_ONCE; \
            uint32_t largest = 0; \
            for (int b = 0; b < some; b += 2) { \
                uint64_t bits = next_bits(&one), others = next_bits(&other); \
                bits = LOW_HALF_FIRST(bits), others = LOW_HALF_FIRST(others); \
                memcpy(first + b, &bits, 8); \
                memcpy(second + b, &others, 8); \
            } \
            for (int b = 0; b < some; b++) { \
                uint32_t larger = first[b] > second[b] ? first[b] : second[b]; \
                largest = larger > largest ? larger : largest; \
                weights[begin + b] = SIDE_BY_SIDE(steps_reached(first[b], STEPS_OF_MOST), \
                                                  steps_reached(second[b], STEPS_OF_MOST)); \
            } \
            if (largest >= STEP[STEPS_OF_MOST]) \
                for (int b = 0; b < some; b++) \
                    weights[begin + b] = SIDE_BY_SIDE(steps_reached(first[b], 13), steps_reached(second[b], 13)); \
        }
    #define PAIR_ARGUMENTS uint64_t one, uint64_t other, Py_ssize_t replicates, Pair* restrict weights

    static void draw_pairs_plainly(PAIR_ARGUMENTS) { DRAW_PAIRS }

    #if defined(__GNUC__) && defined(__x86_64__)
    __attribute__((target("avx2"))) static void draw_pairs_widely(PAIR_ARGUMENTS) { DRAW_PAIRS }
    #endif

    /* the weights of two records, side by side in each replicate; there is room for one more than an odd number of them */
    static void draw_pairs(PAIR_ARGUMENTS) {
    #if defined(__GNUC__) && defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) {
            draw_pairs_widely(one, other, replicates, weights);
            return;
        }
    #endif
        draw_pairs_plainly(one, other, replicates, weights);
    }
    """
    const uint64_t GOLDEN_RATIO
    ctypedef uint32_t Pair
    int steps_reached(uint32_t bits, int steps) noexcept nogil
    uint64_t next_bits(uint64_t* state) noexcept nogil
    void draw_pairs(uint64_t one, uint64_t other, Py_ssize_t replicates, Pair* weights) noexcept nogil
