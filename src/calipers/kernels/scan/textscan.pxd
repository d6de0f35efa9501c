"""The end of a text of JSON and a mix of its bytes, in one pass over them, on machines with AVX2."""

cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>

    static const unsigned char KEPT_BYTES[64] = {        /* from 32 - n on: n bytes to keep, and others to clear */
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

    /* Over bytes up to a quote, a backslash or a control character; NULL if there is none before the last 31 bytes.
       `mix` has 32 bits, which two texts of one size rarely share. */
    __attribute__((target("avx2"))) static const unsigned char* mix_widely(
            const unsigned char* at, const unsigned char* end, unsigned* mix) {
        const __m256i factors = _mm256_setr_epi16(31153, 18401, 27067, 12373, 29537, 21379, 15331, 24169,
                                                  13687, 30091, 19801, 26347, 17389, 23071, 28657, 11719);
        const __m256i control = _mm256_set1_epi8(0x1F), quote = _mm256_set1_epi8(0x22), slash = _mm256_set1_epi8(0x5C);
        __m256i sums = _mm256_setzero_si256();
        for (; end - at >= 32; at += 32) {
            __m256i bytes = _mm256_loadu_si256((const __m256i*) at);
            __m256i ends = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, slash));
            unsigned found;
            ends = _mm256_or_si256(ends, _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, control), bytes));
            found = (unsigned) _mm256_movemask_epi8(ends);
            sums = _mm256_or_si256(_mm256_slli_epi32(sums, 7), _mm256_srli_epi32(sums, 25));
            if (found) {
                int left = __builtin_ctz(found);
                __m128i four;
                bytes = _mm256_and_si256(bytes, _mm256_loadu_si256((const __m256i*) (KEPT_BYTES + 32 - left)));
                sums = _mm256_add_epi32(sums, _mm256_madd_epi16(bytes, factors));
                four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
                four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
                four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
                *mix = ((unsigned) _mm_cvtsi128_si32(four) + (unsigned) left) * 0x9E3779B1u;
                return at + left;
            }
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(bytes, factors));
        }
        return NULL;
    }
    static inline const unsigned char* mix_text(const unsigned char* at, const unsigned char* end, unsigned* mix) {
        return __builtin_cpu_supports("avx2") ? mix_widely(at, end, mix) : NULL;
    }
    #else
    static inline const unsigned char* mix_text(const unsigned char* at, const unsigned char* end, unsigned* mix) {
        return NULL;
    }
    #endif
    """
    const unsigned char* mix_text(const unsigned char* at, const unsigned char* end, unsigned* mix) noexcept nogil
