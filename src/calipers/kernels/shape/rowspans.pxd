"""Rows of cells: the cells of row k are begin[k] up to end[k], none if that is not above."""

cdef enum:
    CELLS = 1000
    ROW_GROUP = 16          # as in the C below
    NOTHING_BEGIN = 2000    # the empty span
    NOTHING_END = -1

cdef extern from *:
    """
    #define NEAR 2e-10
    #define NEAR_WIDE 1e-6
    """
    const double NEAR
    const double NEAR_WIDE


# Spans of many rows at a time. Whole numbers, so a machine with wider registers gets the same sooner.

cdef extern from *:
    """
    #define ROW_GROUP 16            /* rows that are gone through together: arrays have room for so many more */
    #define WHOLE_GROUPS(count) (((count) + ROW_GROUP - 1) / ROW_GROUP * ROW_GROUP)
    #define GRID_CELLS 1000
    #define NO_BEGIN 2000           /* the empty span */
    #define NO_END (-1)

    /* Cells moved by x, those of the grid; rows without any hold the empty span. Returns whether in some row there is a
       gap between them and what is there. */
    #define CUT_ARGUMENTS const short* restrict from_begin, const short* restrict from_end, short x, int count, \
                          short* restrict begin, short* restrict end, \
                          const short* restrict old_begin, const short* restrict old_end

    #define JOIN_ARGUMENTS const short* restrict begin, const short* restrict end, short* restrict old_begin, \
                           short* restrict old_end, int count
    #define JOIN_ALL \
        for (int k = 0; k < WHOLE_GROUPS(count); k++) { \
            old_begin[k] = begin[k] < old_begin[k] ? begin[k] : old_begin[k]; \
            old_end[k] = end[k] > old_end[k] ? end[k] : old_end[k]; \
        }

    /* How many cells both have. */
    #define SHARED_ARGUMENTS const short* a, const short* a_end, const short* b, const short* b_end, int rows
    #define SHARED_IN_LAYERS \
        int total = 0; \
        for (int row = 0; row < rows; row++) { \
            short low = a[row] > b[row] ? a[row] : b[row]; \
            short high = a_end[row] < b_end[row] ? a_end[row] : b_end[row]; \
            short cells = (short) (high - low); \
            total += cells > 0 ? cells : 0; \
        } \
        return total;

    #define EMPTY_ARGUMENTS short* restrict begin, short* restrict end, int count
    #define EMPTY_SPANS \
        for (int k = 0; k < WHOLE_GROUPS(count); k++) { \
            begin[k] = NO_BEGIN; \
            end[k] = NO_END; \
        }

    static inline void empty_plainly(EMPTY_ARGUMENTS) { EMPTY_SPANS }
    static inline int cut_plainly(CUT_ARGUMENTS) {
        short apart = 0;
        for (int k = 0; k < WHOLE_GROUPS(count); k++) {
            short low = (short) (from_begin[k] + x), high = (short) (from_end[k] + x), filled;
            low = low > 0 ? low : 0;
            high = high < GRID_CELLS ? high : GRID_CELLS;
            filled = (low < high) & ((short) k < (short) count);
            low = filled ? low : NO_BEGIN;
            high = filled ? high : NO_END;
            apart |= ((low > old_end[k]) | (high < old_begin[k])) & filled & (old_begin[k] < old_end[k]);
            begin[k] = low;
            end[k] = high;
        }
        return apart != 0;
    }
    static inline void join_plainly(JOIN_ARGUMENTS) { JOIN_ALL }
    static inline int shared_plainly(SHARED_ARGUMENTS) { SHARED_IN_LAYERS }

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    #define WIDELY __attribute__((target("avx2"), unused)) static
    WIDELY void empty_widely(EMPTY_ARGUMENTS) { EMPTY_SPANS }
    #define SIXTEEN(at) _mm256_loadu_si256((const __m256i*) (at))
    WIDELY int cut_widely(CUT_ARGUMENTS) {
        const __m256i by = _mm256_set1_epi16(x), rows = _mm256_set1_epi16((short) count), none = _mm256_setzero_si256();
        const __m256i no_begin = _mm256_set1_epi16(NO_BEGIN), no_end = _mm256_set1_epi16(NO_END);
        __m256i row = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), apart = none;
        for (int k = 0; k < count; k += ROW_GROUP) {
            __m256i old_low = SIXTEEN(old_begin + k), old_high = SIXTEEN(old_end + k), filled, gap;
            __m256i low = _mm256_max_epi16(_mm256_add_epi16(SIXTEEN(from_begin + k), by), none);
            __m256i high = _mm256_add_epi16(SIXTEEN(from_end + k), by);
            high = _mm256_min_epi16(high, _mm256_set1_epi16(GRID_CELLS));
            filled = _mm256_and_si256(_mm256_cmpgt_epi16(high, low), _mm256_cmpgt_epi16(rows, row));
            gap = _mm256_or_si256(_mm256_cmpgt_epi16(low, old_high), _mm256_cmpgt_epi16(old_low, high));
            gap = _mm256_and_si256(gap, _mm256_cmpgt_epi16(old_high, old_low));
            apart = _mm256_or_si256(apart, _mm256_and_si256(gap, filled));
            _mm256_storeu_si256((__m256i*) (begin + k), _mm256_blendv_epi8(no_begin, low, filled));
            _mm256_storeu_si256((__m256i*) (end + k), _mm256_blendv_epi8(no_end, high, filled));
            row = _mm256_add_epi16(row, _mm256_set1_epi16(ROW_GROUP));
        }
        return !_mm256_testz_si256(apart, apart);
    }
    WIDELY void join_widely(JOIN_ARGUMENTS) { JOIN_ALL }
    WIDELY int shared_widely(SHARED_ARGUMENTS) { SHARED_IN_LAYERS }

    /* Thirty-two rows at a time; rows behind the last are neither read nor written. */
    #define WIDEST __attribute__((target("avx512bw"), unused)) static
    #define ROWS_LEFT(count) ((count) >= 32 ? ~(__mmask32) 0 : ((__mmask32) 1 << (count)) - 1)
    #define READ_ROWS(rows, at) _mm512_maskz_loadu_epi16(rows, at)
    WIDEST int cut_widest(CUT_ARGUMENTS) {
        const __m512i by = _mm512_set1_epi16(x), none = _mm512_setzero_si512(), cells = _mm512_set1_epi16(GRID_CELLS);
        const __m512i no_begin = _mm512_set1_epi16(NO_BEGIN), no_end = _mm512_set1_epi16(NO_END);
        __mmask32 apart = 0;
        for (int k = 0; k < count; k += 32) {
            __mmask32 rows = ROWS_LEFT(count - k), filled;
            __m512i old_low = READ_ROWS(rows, old_begin + k), old_high = READ_ROWS(rows, old_end + k);
            __m512i low = _mm512_max_epi16(_mm512_add_epi16(READ_ROWS(rows, from_begin + k), by), none);
            __m512i high = _mm512_min_epi16(_mm512_add_epi16(READ_ROWS(rows, from_end + k), by), cells);
            filled = _mm512_mask_cmpgt_epi16_mask(rows, high, low);
            apart |= (_mm512_cmpgt_epi16_mask(low, old_high) | _mm512_cmpgt_epi16_mask(old_low, high))
                     & _mm512_mask_cmpgt_epi16_mask(filled, old_high, old_low);
            _mm512_mask_storeu_epi16(begin + k, rows, _mm512_mask_blend_epi16(filled, no_begin, low));
            _mm512_mask_storeu_epi16(end + k, rows, _mm512_mask_blend_epi16(filled, no_end, high));
        }
        return apart != 0;
    }
    WIDEST void join_widest(JOIN_ARGUMENTS) {
        for (int k = 0; k < count; k += 32) {
            __mmask32 rows = ROWS_LEFT(count - k);
            _mm512_mask_storeu_epi16(old_begin + k, rows, _mm512_min_epi16(READ_ROWS(rows, begin + k),
                                                                           READ_ROWS(rows, old_begin + k)));
            _mm512_mask_storeu_epi16(old_end + k, rows, _mm512_max_epi16(READ_ROWS(rows, end + k),
                                                                         READ_ROWS(rows, old_end + k)));
        }
    }
    WIDEST int shared_widest(SHARED_ARGUMENTS) {
        const __m512i none = _mm512_setzero_si512(), ones = _mm512_set1_epi16(1);
        __m512i total = none;
        for (int k = 0; k < rows; k += 32) {
            __mmask32 left = ROWS_LEFT(rows - k);
            __m512i low = _mm512_max_epi16(READ_ROWS(left, a + k), READ_ROWS(left, b + k));
            __m512i high = _mm512_min_epi16(READ_ROWS(left, a_end + k), READ_ROWS(left, b_end + k));
            __m512i cells = _mm512_max_epi16(_mm512_sub_epi16(high, low), none);
            total = _mm512_add_epi32(total, _mm512_madd_epi16(cells, ones));
        }
        return _mm512_reduce_add_epi32(total);
    }
    #define WHERE_WIDE(wide, plain) (__builtin_cpu_supports("avx2") ? wide : plain)
    #define WHERE_WIDEST(widest, wide, plain) (__builtin_cpu_supports("avx512bw") ? widest : WHERE_WIDE(wide, plain))
    #else
    #define WHERE_WIDE(wide, plain) plain
    #define WHERE_WIDEST(widest, wide, plain) plain
    #endif

    static inline void empty_spans(EMPTY_ARGUMENTS) { WHERE_WIDE(empty_widely, empty_plainly)(begin, end, count); }
    static inline int cut_to_grid(CUT_ARGUMENTS) {
        return WHERE_WIDEST(cut_widest, cut_widely, cut_plainly)(from_begin, from_end, x, count, begin, end, old_begin,
                                                                 old_end);
    }
    static inline void join_all(JOIN_ARGUMENTS) {
        WHERE_WIDEST(join_widest, join_widely, join_plainly)(begin, end, old_begin, old_end, count);
    }
    static inline int shared_in_layers(SHARED_ARGUMENTS) {
        return WHERE_WIDEST(shared_widest, shared_widely, shared_plainly)(a, a_end, b, b_end, rows);
    }
    """
    void empty_spans(short* begin, short* end, int count) noexcept nogil
    bint cut_to_grid(const short* from_begin, const short* from_end, short x, int count, short* begin, short* end,
                     const short* old_begin, const short* old_end) noexcept nogil
    void join_all(const short* begin, const short* end, short* old_begin, short* old_end, int count) noexcept nogil
    int shared_in_layers(const short* a, const short* a_end, const short* b, const short* b_end, int rows) noexcept nogil
