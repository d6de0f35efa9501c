"""Objects in groups by size: what objects add to the sums of small, medium and large ones, and of those without a size.

All registers give the same whole numbers.
"""

from libc.stdint cimport int16_t

cdef extern from *:
    """
    #define ANY_BITS 512                /* of registers */
    #define LANES 8                     /* numbers that are added at a time */
    #define BLOCK 8                     /* records whose sums are moved at a time: those of a column fill a cache line */
    #define NARROW 32767
    #define OBJECTS short* restrict sums, const float* restrict size, const int* restrict kind, Py_ssize_t objects, \
                    const short* restrict numbers, Py_ssize_t width, const float* restrict edge, Py_ssize_t edges

    typedef short Lanes __attribute__((vector_size(16), aligned(2), may_alias));
    typedef void (*AddObjects)(OBJECTS);        /* sums[group of object][lane] += numbers[kind of object][lane] */

    /* how many edges a size reaches; one more than all if it is NaN */
    static inline Py_ssize_t group_of(float size, const float* edge, Py_ssize_t edges) {
        Py_ssize_t group = 0;
        for (Py_ssize_t e = 0; e < edges; e++) group += size >= edge[e];
        return size != size ? edges + 1 : group;
    }

    static void add_any_sizes(OBJECTS) {
        for (Py_ssize_t k = 0; k < objects; k++) {
            short* restrict own = sums + group_of(size[k], edge, edges) * width;
            const short* restrict number = numbers + kind[k] * width;
            for (Py_ssize_t c = 0; c < width; c += LANES)
                for (int lane = 0; lane < LANES; lane++) own[c + lane] += number[c + lane];
        }
    }

    /* small, medium, large and none, in registers: what is on an edge or above it, of all that there is */
    static inline __attribute__((always_inline)) void add_three_sizes(OBJECTS, int parts) {
        Lanes all[2] = {{0}}, above[2] = {{0}}, large[2] = {{0}}, none[2] = {{0}}, *group = (Lanes*) sums;
        for (Py_ssize_t k = 0; k < objects; k++) {
            const Lanes* number = (const Lanes*) numbers + (Py_ssize_t) kind[k] * parts;
            short is_above = -(size[k] >= edge[0]), is_large = -(size[k] >= edge[1]), is_none = -(size[k] != size[k]);
            for (int p = 0; p < parts; p++) {
                all[p] += number[p];
                above[p] += number[p] & is_above;
                large[p] += number[p] & is_large;
                none[p] += number[p] & is_none;
            }
        }
        for (int p = 0; p < parts; p++) {
            group[p] += all[p] - above[p] - none[p];
            group[parts + p] += above[p] - large[p];
            group[2 * parts + p] += large[p];
            group[3 * parts + p] += none[p];
        }
    }

    #define GIVEN sums, size, kind, objects, numbers, width, edge, edges
    static void add_three_short(OBJECTS) { add_three_sizes(GIVEN, 1); }
    static void add_three_long(OBJECTS) { add_three_sizes(GIVEN, 2); }

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    #define WIDE __attribute__((target("avx512f,avx512bw")))

    /* the same with the numbers of an object twice or four times side by side, in a register that has sums of two groups or
       of all four: a mask for each object says which of them it is added to */
    WIDE static inline __attribute__((always_inline)) void add_three_widely(OBJECTS, const int parts) {
        const __m512 first_edge = _mm512_set1_ps(edge[0]), second_edge = _mm512_set1_ps(edge[1]);
        const int group_bits = 8 * parts, in_register = 4 / parts;
        const unsigned of_group = (1u << group_bits) - 1;
        unsigned masks[2][16] __attribute__((aligned(64)));
        int kinds[16] __attribute__((aligned(64)));
        __m512i* group = (__m512i*) sums;
        __m512i total[2];
        for (int half = 0; half < parts; half++) total[half] = _mm512_loadu_si512(group + half);
        for (Py_ssize_t k = 0; k < objects; k += 16) {
            int some = objects - k < 16 ? (int) (objects - k) : 16;
            __mmask16 there = (__mmask16) ((1u << some) - 1);
            __m512 own = _mm512_maskz_loadu_ps(there, size + k);
            __mmask16 none = _mm512_mask_cmp_ps_mask(there, own, own, _CMP_UNORD_Q);
            __mmask16 above = _mm512_mask_cmp_ps_mask(there, own, first_edge, _CMP_GE_OQ);
            __mmask16 large = _mm512_mask_cmp_ps_mask(there, own, second_edge, _CMP_GE_OQ);
            __mmask16 is_in[4] = {there & ~above & ~none, above & ~large, large, none};
            for (int half = 0; half < parts; half++) {
                __m512i mask = _mm512_setzero_si512();
                for (int g = 0; g < in_register; g++)
                    mask = _mm512_mask_mov_epi32(mask, is_in[in_register * half + g],
                                                 _mm512_set1_epi32((int) (of_group << g * group_bits)));
                _mm512_storeu_si512(masks[half], mask);
            }
            _mm512_storeu_si512(kinds, _mm512_maskz_loadu_epi32(there, kind + k));
            for (int first = 0; first < some; first += 8)           /* those that are not there are added to no group */
                for (int i = first; i < first + 8; i++) {
                    const short* number = numbers + (Py_ssize_t) kinds[i] * (LANES * parts);
                    __m512i beside = parts == 2 ? _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i*) number))
                                                : _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i*) number));
                    for (int half = 0; half < parts; half++)
                        total[half] = _mm512_mask_add_epi16(total[half], masks[half][i], total[half], beside);
                }
        }
        for (int half = 0; half < parts; half++) _mm512_storeu_si512(group + half, total[half]);
    }

    WIDE static void add_three_short_widely(OBJECTS) { add_three_widely(GIVEN, 1); }
    WIDE static void add_three_long_widely(OBJECTS) { add_three_widely(GIVEN, 2); }
    #define HAS_WIDE __builtin_cpu_supports("avx512bw")
    #else
    #define HAS_WIDE 0
    #define add_three_short_widely add_three_short
    #define add_three_long_widely add_three_long
    #endif

    /* the function that adds tables of a width, for sizes between so many edges */
    static AddObjects way_to_add(Py_ssize_t width, Py_ssize_t edges, int register_bits) {
        int is_wide = register_bits >= 512 && HAS_WIDE;
        if (edges == 2 && width == LANES) return is_wide ? add_three_short_widely : add_three_short;
        if (edges == 2 && width == 2 * LANES) return is_wide ? add_three_long_widely : add_three_long;
        return add_any_sizes;
    }
    """
    const Py_ssize_t LANES, BLOCK, ANY_BITS
    const long long NARROW
    ctypedef void (*AddObjects)(int16_t* sums, const float* size, const int* kind, Py_ssize_t objects,
                                const int16_t* numbers, Py_ssize_t width, const float* edge, Py_ssize_t edges) noexcept nogil
    AddObjects way_to_add(Py_ssize_t width, Py_ssize_t edges, int register_bits) noexcept nogil
