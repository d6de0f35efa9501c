"""Weights of records in replicates: how often each counts, drawn from Poisson(1).

64 hashed bits serve two replicates. A weight is how many steps of the distribution 32 of them reach; few reach more than
the first five (with AVX-512, seven), which are looked at for many replicates at a time. A machine with wider registers
hashes four or eight times 64 bits at a time and gets the same weights.
"""

from libc.stdint cimport uint32_t, uint64_t

from ..scan.checks cimport check_count

cdef enum:
    STEPS = 13              # also the largest weight
    TOGETHER = 16           # replicates, of which there is room for a multiple where weights are drawn
    ANY_BITS = 512          # of registers

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define STEPS_OF_MOST 5
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

    typedef uint32_t Four __attribute__((may_alias));       /* weights of four records in a replicate, a byte each */

    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define LOW_HALF_FIRST(bits) ((bits) << 32 | (bits) >> 32)
    #define SIDE_BY_SIDE(a, b, c, d) ((Four) (a) << 24 | (Four) (b) << 16 | (Four) (c) << 8 | (Four) (d))
    #else
    #define LOW_HALF_FIRST(bits) (bits)
    #define SIDE_BY_SIDE(a, b, c, d) ((Four) (a) | (Four) (b) << 8 | (Four) (c) << 16 | (Four) (d) << 24)
    #endif
    #define REACHED(steps) SIDE_BY_SIDE(steps_reached(bits[0][b], steps), steps_reached(bits[1][b], steps), \
                                        steps_reached(bits[2][b], steps), steps_reached(bits[3][b], steps))

    static inline uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

    static void draw_fours_plainly(const uint64_t* states, Py_ssize_t replicates, Four* restrict weights) {
        uint32_t bits[4][DRAWN_AT_ONCE];
        uint64_t state[4];
        memcpy(state, states, sizeof state);
        for (Py_ssize_t begin = 0; begin < replicates; begin += DRAWN_AT_ONCE, weights += DRAWN_AT_ONCE) {
            int some = replicates - begin < DRAWN_AT_ONCE ? (int) (replicates - begin + 1) / 2 * 2 : DRAWN_AT_ONCE;
            uint32_t largest = 0;
            for (int r = 0; r < 4; r++)
                for (int b = 0; b < some; b += 2) {
                    uint64_t both = next_bits(&state[r]);
                    both = LOW_HALF_FIRST(both);
                    memcpy(&bits[r][b], &both, 8);
                }
            for (int b = 0; b < some; b++) {
                largest = larger(largest, larger(larger(bits[0][b], bits[1][b]), larger(bits[2][b], bits[3][b])));
                weights[b] = REACHED(STEPS_OF_MOST);
            }
            if (largest >= STEP[STEPS_OF_MOST])
                for (int b = 0; b < some; b++) weights[b] = REACHED(13);
        }
    }

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    #define WIDE __attribute__((target("avx2"))) static inline

    /* next_bits of four states, the bits of eight replicates: the product of 64 bits by 64 out of four of 32 by 32 */
    WIDE __m256i next_of_four(__m256i state) {
        __m256i other = _mm256_xor_si256(state, _mm256_set1_epi64x((long long) 0xE7037ED1A0B428DBULL));
        __m256i high = _mm256_srli_epi64(state, 32), other_high = _mm256_srli_epi64(other, 32);
        __m256i low = _mm256_mul_epu32(state, other);
        __m256i inner = _mm256_add_epi64(_mm256_mul_epu32(state, other_high), _mm256_srli_epi64(low, 32));
        __m256i outer = _mm256_add_epi64(_mm256_mul_epu32(high, other),
                                         _mm256_and_si256(inner, _mm256_set1_epi64x(0xFFFFFFFF)));
        __m256i carried = _mm256_add_epi64(_mm256_srli_epi64(inner, 32), _mm256_srli_epi64(outer, 32));
        __m256i above = _mm256_add_epi64(_mm256_mul_epu32(high, other_high), carried);
        return _mm256_xor_si256(above, _mm256_blend_epi32(low, _mm256_slli_epi64(outer, 32), 0xAA));
    }

    /* the largest number below a step, with a sign as this machine compares */
    WIDE __m256i before_step(int k) { return _mm256_set1_epi32((int) ((STEP[k] - 1) ^ 0x80000000u)); }

    /* 1 less for each of the steps that are reached, from `first` on */
    WIDE __m256i less_steps(__m256i number, __m256i bits, int first, int last) {
        for (int k = first; k < last; k++)
            number = _mm256_add_epi32(number, _mm256_cmpgt_epi32(bits, before_step(k)));
        return number;
    }

    #define PRODUCTS_AHEAD 16                   /* of a record whose products are made one by one */

    /* the products of the first two records are made one by one, meanwhile: other parts of the processor do that */
    __attribute__((target("avx2")))
    static void draw_fours_widely(const uint64_t* states, Py_ssize_t replicates, Four* restrict weights) {
        const __m256i sign = _mm256_set1_epi32((int) 0x80000000u), none = _mm256_setzero_si256();
        const __m256i onwards = _mm256_set1_epi64x((long long) (4 * GOLDEN_RATIO));
        const __m256i ahead = _mm256_set_epi64x((long long) (4 * GOLDEN_RATIO), (long long) (3 * GOLDEN_RATIO),
                                                (long long) (2 * GOLDEN_RATIO), (long long) GOLDEN_RATIO);
        uint64_t single[2] = {states[0], states[1]}, products[2][2 * PRODUCTS_AHEAD];
        __m256i state[4], bits[4], less[4];
        for (int r = 2; r < 4; r++) state[r] = _mm256_add_epi64(_mm256_set1_epi64x((long long) states[r]), ahead);
        for (int r = 0; r < 2; r++)
            for (int k = 0; k < PRODUCTS_AHEAD; k++) products[r][k] = next_bits(&single[r]);
        for (Py_ssize_t b = 0, at = 0; b < replicates; b += 8, at = (at + 4) % (2 * PRODUCTS_AHEAD)) {
            for (int r = 0; r < 2; r++) {
                bits[r] = _mm256_loadu_si256((const __m256i*) (products[r] + at));
                for (int k = 0; k < 4; k++) products[r][(at ^ PRODUCTS_AHEAD) + k] = next_bits(&single[r]);
            }
            for (int r = 2; r < 4; r++) {
                bits[r] = next_of_four(state[r]);
                state[r] = _mm256_add_epi64(state[r], onwards);
            }
            for (int r = 0; r < 4; r++) {
                bits[r] = _mm256_xor_si256(bits[r], sign);
                less[r] = less_steps(none, bits[r], 0, STEPS_OF_MOST);
            }
            __m256i largest = _mm256_max_epi32(_mm256_max_epi32(bits[0], bits[1]), _mm256_max_epi32(bits[2], bits[3]));
            if (_mm256_movemask_epi8(_mm256_cmpgt_epi32(largest, before_step(STEPS_OF_MOST))))
                for (int r = 0; r < 4; r++) less[r] = less_steps(less[r], bits[r], STEPS_OF_MOST, 13);
            __m256i first = _mm256_add_epi32(less[0], _mm256_slli_epi32(less[1], 8));
            __m256i second = _mm256_add_epi32(less[2], _mm256_slli_epi32(less[3], 8));
            __m256i four = _mm256_sub_epi32(none, _mm256_add_epi32(first, _mm256_slli_epi32(second, 16)));
            _mm256_storeu_si256((__m256i*) (weights + b), four);
        }
    }

    #define WIDEST_INLINE __attribute__((target("avx512f,avx512cd"))) static inline

    WIDEST_INLINE __m512i complement(__m512i bits) { return _mm512_ternarylogic_epi64(bits, bits, bits, 0x55); }

    /* as next_of_four, of eight states, but all bits the other way round */
    WIDEST_INLINE __m512i complement_of_next(__m512i state) {
        __m512i other = _mm512_xor_si512(state, _mm512_set1_epi64((long long) 0xE7037ED1A0B428DBULL));
        __m512i high = _mm512_srli_epi64(state, 32), other_high = _mm512_srli_epi64(other, 32);
        __m512i low = _mm512_mul_epu32(state, other);
        __m512i inner = _mm512_add_epi64(_mm512_mul_epu32(state, other_high), _mm512_srli_epi64(low, 32));
        __m512i outer = _mm512_add_epi64(_mm512_mul_epu32(high, other),
                                         _mm512_and_si512(inner, _mm512_set1_epi64(0xFFFFFFFF)));
        __m512i carried = _mm512_add_epi64(_mm512_srli_epi64(inner, 32), _mm512_srli_epi64(outer, 32));
        __m512i above = _mm512_add_epi64(_mm512_mul_epu32(high, other_high), carried);
        __m512i below = _mm512_mask_shuffle_epi32(low, 0xAAAA, outer, _MM_PERM_CCAA);
        return _mm512_ternarylogic_epi64(above, below, below, 0xC3);
    }

    /* what is missing from a step to 2 ** 32: a step is reached by bits whose complement is below */
    #define MISSING(k) ((int) (uint32_t) (0x100000000ull - STEP[k]))

    /* 1 more for each of the steps that are reached */
    WIDEST_INLINE __m512i count_steps(__m512i complement) {
        __m512i number = _mm512_setzero_si512();
        for (int k = 0; k < 13; k++)
            number = _mm512_mask_add_epi32(number, _mm512_cmplt_epu32_mask(complement, _mm512_set1_epi32(MISSING(k))),
                                           number, _mm512_set1_epi32(1));
        return number;
    }

    #define MOST_LEADING 15             /* zeros of a complement: steps that need more are looked for elsewhere */

    /* weights of four records in sixteen replicates: between two powers of two there is one step at most, so that the
       zeros that a complement begins with tell how many are reached and which one may be next */
    WIDEST_INLINE __m512i four_weights(const __m512i* complement) {
        const __m512i reached = _mm512_setr_epi32(0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7);
        const __m512i next = _mm512_setr_epi32(MISSING(0), MISSING(1), 0, MISSING(2), 0, MISSING(3), 0, 0, MISSING(4), 0,
                                               MISSING(5), 0, 0, MISSING(6), 0, 0);
        __m512i zeros[4], own[4];
        for (int r = 0; r < 4; r++) zeros[r] = _mm512_lzcnt_epi32(complement[r]);
        __m512i all = _mm512_or_si512(_mm512_ternarylogic_epi32(zeros[0], zeros[1], zeros[2], 0xFE), zeros[3]);
        if (__builtin_expect(_mm512_test_epi32_mask(all, _mm512_set1_epi32(~MOST_LEADING)) != 0, 0)) {
            for (int r = 0; r < 4; r++) own[r] = _mm512_slli_epi32(count_steps(complement[r]), 8 * r);
            return _mm512_or_si512(_mm512_or_si512(own[0], own[1]), _mm512_or_si512(own[2], own[3]));
        }
        for (int r = 0; r < 4; r++) own[r] = _mm512_permutexvar_epi32(zeros[r], _mm512_slli_epi32(reached, 8 * r));
        __m512i four = _mm512_or_si512(_mm512_ternarylogic_epi32(own[0], own[1], own[2], 0xFE), own[3]);
        for (int r = 0; r < 4; r++) {
            __mmask16 is_next = _mm512_cmplt_epu32_mask(complement[r], _mm512_permutexvar_epi32(zeros[r], next));
            four = _mm512_mask_add_epi32(four, is_next, four, _mm512_set1_epi32(1 << 8 * r));
        }
        return four;
    }

    /* the products of the first record alone are made one by one here */
    __attribute__((target("avx512f,avx512cd")))
    static void draw_fours_widest(const uint64_t* states, Py_ssize_t replicates, Four* restrict weights) {
        const __m512i onwards = _mm512_set1_epi64((long long) (8 * GOLDEN_RATIO));
        uint64_t ahead[8], single = states[0], products[2 * PRODUCTS_AHEAD];
        __m512i state[4], bits[4];
        for (int k = 0; k < 8; k++) ahead[k] = (uint64_t) (k + 1) * GOLDEN_RATIO;
        for (int r = 1; r < 4; r++)
            state[r] = _mm512_add_epi64(_mm512_set1_epi64((long long) states[r]), _mm512_loadu_si512(ahead));
        for (int k = 0; k < PRODUCTS_AHEAD; k++) products[k] = next_bits(&single);
        for (Py_ssize_t b = 0, at = 0; b < replicates; b += 16, at = (at + 8) % (2 * PRODUCTS_AHEAD)) {
            bits[0] = complement(_mm512_loadu_si512(products + at));
            for (int k = 0; k < 8; k++) products[(at ^ PRODUCTS_AHEAD) + k] = next_bits(&single);
            for (int r = 1; r < 4; r++) {
                bits[r] = complement_of_next(state[r]);
                state[r] = _mm512_add_epi64(state[r], onwards);
            }
            _mm512_storeu_si512(weights + b, four_weights(bits));
        }
    }
    #endif

    /* the weights of four records, side by side in each replicate, with registers of at most so many bits; there is
       room for a multiple of sixteen */
    static void draw_fours(const uint64_t* states, Py_ssize_t replicates, Four* weights, int register_bits) {
    #if defined(__GNUC__) && defined(__x86_64__)
        if (register_bits >= 512 && __builtin_cpu_supports("avx512cd")) {
            draw_fours_widest(states, replicates, weights);
            return;
        }
        if (register_bits >= 256 && __builtin_cpu_supports("avx2")) {
            draw_fours_widely(states, replicates, weights);
            return;
        }
    #endif
        draw_fours_plainly(states, replicates, weights);
    }
    """
    const uint64_t GOLDEN_RATIO
    ctypedef uint32_t Four
    int steps_reached(uint32_t bits, int steps) noexcept nogil
    uint64_t next_bits(uint64_t* state) noexcept nogil
    void draw_fours(const uint64_t* states, Py_ssize_t replicates, Four* weights, int register_bits) noexcept nogil


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """A well-mixed permutation of 64 bits (the finaliser of SplitMix64)."""
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint64_t first_state(uint64_t key, uint64_t seed, Py_ssize_t first) noexcept nogil:
    """What the weights of a record are drawn from, from replicate `first` on, which is even."""
    return mix(key ^ mix(seed + GOLDEN_RATIO)) + <uint64_t> (first // 2) * GOLDEN_RATIO


cdef inline void draw_four(const unsigned long long* keys, Py_ssize_t records, uint64_t seed, Py_ssize_t first,
                           Py_ssize_t replicates, Four* fours, int register_bits) noexcept nogil:
    """The weights of four records side by side; of fewer, the last of them is there more often."""
    cdef uint64_t[4] states
    cdef Py_ssize_t r
    for r in range(4):
        states[r] = first_state(keys[min(r, records - 1)], seed, first)
    draw_fours(states, replicates, fours, register_bits)


cdef inline Py_ssize_t room_for(Py_ssize_t replicates) except -1:
    """Where weights of so many replicates are drawn."""
    check_count("replicates", replicates)
    return (replicates + TOGETHER - 1) // TOGETHER * TOGETHER


cdef extern from *:
    """
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define in_little_endian(word) __builtin_bswap64(word)
    #else
    #define in_little_endian(word) (word)
    #endif
    """
    uint64_t in_little_endian(uint64_t word) noexcept nogil
