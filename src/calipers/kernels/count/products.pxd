"""Weights times values, added up for sixteen records at a time: whole numbers, so nothing is ever rounded.

Numbers that fit into 16 bits (`add_small`) go two records in each step: weights lie in pairs, those of records 2p and
2p + 1 in replicate b side by side, in row p. Larger ones (`add_products`) go as floats. A machine with wider registers
takes more replicates at a time and gets the same sums.
"""

from libc.stdint cimport int16_t, int32_t

cdef enum:
    LARGEST_SMALL = 32767

cdef extern from *:
    """
    #define SMALL_BLOCK 256                 /* replicates whose weights stay at hand */
    #define SMALL_ARGUMENTS int* restrict sums, const short* restrict weight, Py_ssize_t stride, \
                            const short* restrict value, Py_ssize_t columns
    #define FOR_BLOCKS \
        for (Py_ssize_t begin = 0; begin < stride; begin += SMALL_BLOCK) { \
            Py_ssize_t end = begin + SMALL_BLOCK < stride ? begin + SMALL_BLOCK : stride; \
            for (Py_ssize_t c = 0; c < columns; c++) { \
                const short* restrict v = value + 16 * c; \
                int* restrict sum = sums + c * stride;

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    #include <string.h>

    static inline int two_values(const short* v) { int both; memcpy(&both, v, 4); return both; }

    /* sums[c][b] += weight[r][b] * value[c][r] over sixteen r; the stride is a multiple of eight */
    #define ADD_SMALL(VECTOR, LANES, SPREAD, LOAD, STORE, MADD, ADD, FROM) \
        FOR_BLOCKS \
                VECTOR pair[8]; \
                for (int p = 0; p < 8; p++) pair[p] = SPREAD(two_values(v + 2 * p)); \
                for (Py_ssize_t b = begin; b < end; b += LANES) { \
                    VECTOR total = LOAD((const FROM*) (sum + b)); \
                    for (int p = 0; p < 8; p++) \
                        total = ADD(total, MADD(LOAD((const FROM*) (weight + 2 * (p * stride + b))), pair[p])); \
                    STORE((FROM*) (sum + b), total); \
                } \
            } \
        }

    static void add_small_plainly(SMALL_ARGUMENTS) {
        ADD_SMALL(__m128i, 4, _mm_set1_epi32, _mm_loadu_si128, _mm_storeu_si128, _mm_madd_epi16, _mm_add_epi32, __m128i)
    }
    __attribute__((target("avx2"))) static void add_small_widely(SMALL_ARGUMENTS) {
        ADD_SMALL(__m256i, 8, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_madd_epi16,
                  _mm256_add_epi32, __m256i)
    }
    static void add_small(SMALL_ARGUMENTS) {
        if (__builtin_cpu_supports("avx2")) add_small_widely(sums, weight, stride, value, columns);
        else add_small_plainly(sums, weight, stride, value, columns);
    }
    #else
    static void add_small(SMALL_ARGUMENTS) {
        FOR_BLOCKS
                for (Py_ssize_t b = begin; b < end; b++)
                    for (int p = 0; p < 8; p++)
                        sum[b] += weight[2 * (p * stride + b)] * v[2 * p] + weight[2 * (p * stride + b) + 1] * v[2 * p + 1];
            }
        }
    }
    #endif
    """
    void add_small(int32_t* sums, const int16_t* weight, Py_ssize_t stride, const int16_t* value,
                   Py_ssize_t columns) noexcept nogil

cdef extern from *:
    """
    /* sums[c][b] += weight[r][b] * value[c][r] over sixteen r. All of them are whole numbers below 2 ** 53, so nothing is
       ever rounded, and a machine that multiplies and adds in one go, on wider registers, gets the same sums sooner. */
    #define FOUR(MADD, r, sum) MADD(w[(r) * stride], v[r], MADD(w[((r) + 1) * stride], v[(r) + 1], \
                               MADD(w[((r) + 2) * stride], v[(r) + 2], MADD(w[((r) + 3) * stride], v[(r) + 3], sum))))
    #define ADD_PRODUCTS(MADD) \
        for (Py_ssize_t begin = 0; begin < replicates; begin += 128) {      /* so many weights stay at hand */ \
            Py_ssize_t end = begin + 128 < replicates ? begin + 128 : replicates; \
            for (Py_ssize_t c = 0; c < columns; c++) { \
                const double *restrict v = value + 16 * c; \
                double *restrict sum = sums + c * replicates; \
                for (Py_ssize_t b = begin; b < end; b++) { \
                    const double *restrict w = weight + b; \
                    sum[b] = FOUR(MADD, 0, FOUR(MADD, 4, sum[b])) + FOUR(MADD, 8, FOUR(MADD, 12, 0.0)); \
                } \
            } \
        }
    #define SUMS_ARGUMENTS double* restrict sums, const double* restrict weight, Py_ssize_t stride, \
                           const double* restrict value, Py_ssize_t columns, Py_ssize_t replicates
    #define IN_TWO_STEPS(a, b, c) ((c) + (a) * (b))

    static void add_products_plainly(SUMS_ARGUMENTS) { ADD_PRODUCTS(IN_TWO_STEPS) }

    #if defined(__GNUC__) && defined(__x86_64__)
    __attribute__((target("avx2,fma"))) static void add_products_widely(SUMS_ARGUMENTS) { ADD_PRODUCTS(__builtin_fma) }
    #endif

    static void add_products(SUMS_ARGUMENTS) {
    #if defined(__GNUC__) && defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            add_products_widely(sums, weight, stride, value, columns, replicates);
            return;
        }
    #endif
        add_products_plainly(sums, weight, stride, value, columns, replicates);
    }
    """
    void add_products(double* sums, const double* weight, Py_ssize_t stride, const double* value, Py_ssize_t columns,
                      Py_ssize_t replicates) noexcept nogil
