"""Weights times values, added up for some records at a time: whole numbers, so nothing is ever rounded.

Numbers of a byte (`add_bytes`) are of 32 records and go four records in each step: weights lie in fours, those of records
4p to 4p + 3 in replicate b side by side, in row p. Larger ones (`add_products`) are of sixteen and go as floats. A machine with wider registers takes more
replicates at a time and gets the same sums.
"""

from libc.limits cimport LLONG_MAX
from libc.stdint cimport int32_t, uint8_t

cdef extern from *:
    """
    #define BYTES_BLOCK 256                 /* replicates whose weights stay at hand */
    #define BYTES_AT_ONCE 32                /* records */
    #define BYTES_ARGUMENTS int* restrict sums, const unsigned char* restrict weight, Py_ssize_t stride, \
                            const unsigned char* restrict value, Py_ssize_t columns
    #define FOR_BLOCKS \
        for (Py_ssize_t begin = 0; begin < stride; begin += BYTES_BLOCK) { \
            Py_ssize_t end = begin + BYTES_BLOCK < stride ? begin + BYTES_BLOCK : stride; \
            for (Py_ssize_t c = 0; c < columns; c++) { \
                const unsigned char* restrict v = value + BYTES_AT_ONCE * c; \
                int* restrict sum = sums + c * stride;

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    #include <string.h>

    /* of sixteen records */
    static void add_bytes_plainly(BYTES_ARGUMENTS) {
        const __m128i low = _mm_set1_epi16(255);
        FOR_BLOCKS
                __m128i even[4], odd[4];
                for (int p = 0; p < 4; p++) {
                    even[p] = _mm_set1_epi32(v[4 * p] | v[4 * p + 2] << 16);
                    odd[p] = _mm_set1_epi32(v[4 * p + 1] | v[4 * p + 3] << 16);
                }
                for (Py_ssize_t b = begin; b < end; b += 4) {
                    __m128i total = _mm_loadu_si128((const __m128i*) (sum + b));
                    for (int p = 0; p < 4; p++) {
                        __m128i four = _mm_loadu_si128((const __m128i*) (weight + 4 * (p * stride + b)));
                        total = _mm_add_epi32(total, _mm_madd_epi16(_mm_and_si128(four, low), even[p]));
                        total = _mm_add_epi32(total, _mm_madd_epi16(_mm_srli_epi16(four, 8), odd[p]));
                    }
                    _mm_storeu_si128((__m128i*) (sum + b), total);
                }
            }
        }
    }

    /* sums of two products are of 16 bits, and so are those of eight: 8 * 13 * 255 is below 2 ** 15 */
    __attribute__((target("avx2"))) static void add_bytes_widely(BYTES_ARGUMENTS) {
        const __m256i ones = _mm256_set1_epi16(1);
        FOR_BLOCKS
                __m256i four[4];
                for (int p = 0; p < 4; p++) {
                    int values;
                    memcpy(&values, v + 4 * p, 4);
                    four[p] = _mm256_set1_epi32(values);
                }
                for (Py_ssize_t b = begin; b < end; b += 8) {
                    __m256i total = _mm256_setzero_si256(), before = _mm256_loadu_si256((const __m256i*) (sum + b));
                    for (int p = 0; p < 4; p++) {
                        __m256i own = _mm256_loadu_si256((const __m256i*) (weight + 4 * (p * stride + b)));
                        total = _mm256_add_epi16(total, _mm256_maddubs_epi16(four[p], own));
                    }
                    _mm256_storeu_si256((__m256i*) (sum + b), _mm256_add_epi32(before, _mm256_madd_epi16(total, ones)));
                }
            }
        }
    }

    #define WIDEST __attribute__((target("avx512f,avx512vnni")))

    /* some columns at a time, so that weights are loaded once for all of them; whoever calls it says how many */
    WIDEST __attribute__((always_inline)) static inline void add_columns(
            int* restrict sums, const unsigned char* restrict weight, Py_ssize_t stride,
            const unsigned char* restrict value, const int columns, const int rows, Py_ssize_t begin, Py_ssize_t end) {
        __m512i four[4][8];
        for (int c = 0; c < columns; c++)
            for (int p = 0; p < rows; p++) {
                int values;
                memcpy(&values, value + BYTES_AT_ONCE * c + 4 * p, 4);
                four[c][p] = _mm512_set1_epi32(values);
            }
        Py_ssize_t b = begin;
        for (; b + 16 <= end; b += 16) {
            __m512i total[4];
            for (int c = 0; c < columns; c++) total[c] = _mm512_loadu_si512(sums + c * stride + b);
            for (int p = 0; p < rows; p++) {
                __m512i own = _mm512_loadu_si512(weight + 4 * (p * stride + b));
                for (int c = 0; c < columns; c++) total[c] = _mm512_dpbusd_epi32(total[c], four[c][p], own);
            }
            for (int c = 0; c < columns; c++) _mm512_storeu_si512(sums + c * stride + b, total[c]);
        }
        for (int c = 0; b < end && c < columns; c++) {          /* eight are left */
            __m512i total = _mm512_maskz_loadu_epi32(0xff, sums + c * stride + b);
            for (int p = 0; p < rows; p++)
                total = _mm512_dpbusd_epi32(total, four[c][p], _mm512_maskz_loadu_epi32(0xff, weight + 4 * (p * stride + b)));
            _mm512_mask_storeu_epi32(sums + c * stride + b, 0xff, total);
        }
    }

    WIDEST static void add_bytes_widest(BYTES_ARGUMENTS, int records) {
        for (Py_ssize_t begin = 0; begin < stride; begin += BYTES_BLOCK) {
            Py_ssize_t end = begin + BYTES_BLOCK < stride ? begin + BYTES_BLOCK : stride, c = 0;
            #define ADD_COLUMNS(some, rows) \
                for (; c + some <= columns; c += some) \
                    add_columns(sums + c * stride, weight, stride, value + BYTES_AT_ONCE * c, some, rows, begin, end);
            if (records > BYTES_AT_ONCE / 2) {
                ADD_COLUMNS(4, 8)
                ADD_COLUMNS(1, 8)
            } else {
                ADD_COLUMNS(4, 4)
                ADD_COLUMNS(1, 4)
            }
        }
    }

    /* sums[c][b] += weight[r][b] * value[c][r] over some records r, of others values are 0; the stride is a multiple of
       eight, no weight above 13 */
    static void add_bytes(BYTES_ARGUMENTS, int records, int register_bits) {
        if (register_bits >= 512 && __builtin_cpu_supports("avx512vnni")) {
            add_bytes_widest(sums, weight, stride, value, columns, records);
            return;
        }
        for (int first = 0; first < records; first += 16, weight += 16 * stride, value += 16)
            if (register_bits >= 256 && __builtin_cpu_supports("avx2"))
                add_bytes_widely(sums, weight, stride, value, columns);
            else add_bytes_plainly(sums, weight, stride, value, columns);
    }
    #else
    static void add_bytes(BYTES_ARGUMENTS, int records, int register_bits) {
        FOR_BLOCKS
                for (Py_ssize_t b = begin; b < end; b++)
                    for (int p = 0; p < BYTES_AT_ONCE / 4; p++)
                        for (int r = 0; r < 4; r++) sum[b] += weight[4 * (p * stride + b) + r] * v[4 * p + r];
            }
        }
    }
    #endif
    """
    const Py_ssize_t BYTES_AT_ONCE
    void add_bytes(int32_t* sums, const uint8_t* weight, Py_ssize_t stride, const uint8_t* value,
                   Py_ssize_t columns, int records, int register_bits) noexcept nogil

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


cdef extern from *:
    """
    /* total += a * b; whether that is beyond 64 bits */
    static inline int add_product(long long* total, long long a, long long b) {
        long long product;
        return __builtin_mul_overflow(a, b, &product) | __builtin_add_overflow(*total, product, total);
    }
    """
    bint add_product(long long* total, long long a, long long b) noexcept nogil


cdef inline long long magnitude(long long value) noexcept nogil:
    """Of the least number there is, that of the largest."""
    return value if value >= 0 else (-value if value >= -LLONG_MAX else LLONG_MAX)
