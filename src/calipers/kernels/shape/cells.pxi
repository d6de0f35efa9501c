"""The cells of the norm1000 grid: those of a thick line's pieces, row by row, and all of them as bits.

Pieces are a slab along each segment and a disc around each vertex.

Integer coordinates are exact: an end of an interval is either just at a cell's centre, which then belongs to it, or
(up to a radius of 64) more than 1e-9 away from any, far more than rounding can move it. So ends are taken with NEAR to
spare. Wider pieces are taken with NEAR_WIDE and settled cell by cell with squared distances, which are exact integers.
"""

from libc.math cimport fabs, sqrt
from libc.string cimport memset

from .rowspans cimport CELLS, NEAR, NEAR_WIDE, NOTHING_BEGIN, NOTHING_END, ROW_GROUP
from .rowspans cimport cut_to_grid, empty_spans, join_all, shared_in_layers


cdef struct Rows:
    int first, last         # the rows, and for each of them the cells begin[row - first] up to end[row - first];
                            # behind the last there is room for ROW_GROUP more
    short* begin
    short* end


cdef inline int floor_int(double x) noexcept nogil:
    return <int> (x + 16384.0) - 16384          # x is above -16384


cdef inline int ceil_int(double x) noexcept nogil:
    return 16384 - <int> (16384.0 - x)


cdef void disc_rows(double x, double y, double radius, double near, Rows* out) noexcept nogil:
    """The cells of a disc, on an endless grid."""
    cdef int row
    cdef double v, h
    out.first = ceil_int(y - radius - 0.5 - near)
    out.last = floor_int(y + radius - 0.5 + near)
    for row in range(out.first, out.last + 1):
        v = row + 0.5 - y
        h = sqrt(max(0.0, radius * radius - v * v))
        out.begin[row - out.first] = ceil_int(x - h - 0.5 - near)
        out.end[row - out.first] = floor_int(x + h - 0.5 + near) + 1


cdef extern from *:
    """
    typedef struct {
        double first, x, slope, half, foot_slope, foot_low, foot_high, near;
    } Slab;             /* row 0 from where it begins; its long sides, the feet of its ends; what ends have to spare */

    static void fill_plainly(const Slab* s, int rows, short* restrict begin, short* restrict end) {
        for (int k = 0; k < rows; k++) {
            double v = s->first + k;
            double side_low = s->x + v * s->slope - s->half, foot_low = s->x - v * s->foot_slope + s->foot_low;
            double side_high = s->x + v * s->slope + s->half, foot_high = s->x - v * s->foot_slope + s->foot_high;
            double low = foot_low > side_low ? foot_low : side_low;
            double high = foot_high < side_high ? foot_high : side_high;
            begin[k] = (short) (16384 - (int) (16384.5 - low + s->near));
            end[k] = (short) ((int) (high + 16384.5 + s->near) - 16384);
        }
    }

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>

    /* The same operations for four rows, in the same order: the same bits. No slab reaches as far as a short does; rows
       behind its last may, and hold anything. */
    __attribute__((target("avx2"))) static inline void four_rows(const Slab* s, __m256d v, __m128i* begin, __m128i* end) {
        const __m256d middle = _mm256_set1_pd(16384.5), near = _mm256_set1_pd(s->near), x = _mm256_set1_pd(s->x);
        const __m128i origin = _mm_set1_epi32(16384);
        __m256d side = _mm256_add_pd(x, _mm256_mul_pd(v, _mm256_set1_pd(s->slope)));
        __m256d foot = _mm256_sub_pd(x, _mm256_mul_pd(v, _mm256_set1_pd(s->foot_slope)));
        __m256d low = _mm256_max_pd(_mm256_sub_pd(side, _mm256_set1_pd(s->half)),
                                    _mm256_add_pd(foot, _mm256_set1_pd(s->foot_low)));
        __m256d high = _mm256_min_pd(_mm256_add_pd(side, _mm256_set1_pd(s->half)),
                                     _mm256_add_pd(foot, _mm256_set1_pd(s->foot_high)));
        *begin = _mm_sub_epi32(origin, _mm256_cvttpd_epi32(_mm256_add_pd(_mm256_sub_pd(middle, low), near)));
        *end = _mm_sub_epi32(_mm256_cvttpd_epi32(_mm256_add_pd(_mm256_add_pd(high, middle), near)), origin);
    }

    __attribute__((target("avx2"))) static void fill_widely(const Slab* s, int rows, short* restrict begin,
                                                            short* restrict end) {
        const __m256d first = _mm256_set1_pd(s->first), four = _mm256_set1_pd(4.0);
        __m256d row = _mm256_set_pd(3.0, 2.0, 1.0, 0.0);
        for (int k = 0; k < rows; k += 8) {
            __m128i begins[2], ends[2];
            four_rows(s, _mm256_add_pd(first, row), begins, ends);
            row = _mm256_add_pd(row, four);
            four_rows(s, _mm256_add_pd(first, row), begins + 1, ends + 1);
            row = _mm256_add_pd(row, four);
            _mm_storeu_si128((__m128i*) (begin + k), _mm_packs_epi32(begins[0], begins[1]));
            _mm_storeu_si128((__m128i*) (end + k), _mm_packs_epi32(ends[0], ends[1]));
        }
    }

    /* Sixteen rows, eight to a register. */
    __attribute__((target("avx512f,avx512vl"))) static inline void eight_rows(const Slab* s, __m512d v, __m256i* begin,
                                                                              __m256i* end) {
        const __m512d middle = _mm512_set1_pd(16384.5), near = _mm512_set1_pd(s->near), x = _mm512_set1_pd(s->x);
        const __m256i origin = _mm256_set1_epi32(16384);
        __m512d side = _mm512_add_pd(x, _mm512_mul_pd(v, _mm512_set1_pd(s->slope)));
        __m512d foot = _mm512_sub_pd(x, _mm512_mul_pd(v, _mm512_set1_pd(s->foot_slope)));
        __m512d low = _mm512_max_pd(_mm512_sub_pd(side, _mm512_set1_pd(s->half)),
                                    _mm512_add_pd(foot, _mm512_set1_pd(s->foot_low)));
        __m512d high = _mm512_min_pd(_mm512_add_pd(side, _mm512_set1_pd(s->half)),
                                     _mm512_add_pd(foot, _mm512_set1_pd(s->foot_high)));
        *begin = _mm256_sub_epi32(origin, _mm512_cvttpd_epi32(_mm512_add_pd(_mm512_sub_pd(middle, low), near)));
        *end = _mm256_sub_epi32(_mm512_cvttpd_epi32(_mm512_add_pd(_mm512_add_pd(high, middle), near)), origin);
    }
    __attribute__((target("avx512f,avx512vl"))) static void fill_widest(const Slab* s, int rows, short* restrict begin,
                                                                        short* restrict end) {
        const __m512d first = _mm512_set1_pd(s->first), eight = _mm512_set1_pd(8.0);
        __m512d row = _mm512_set_pd(7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0);
        for (int k = 0; k < rows; k += 16) {
            __m256i begins[2], ends[2];
            eight_rows(s, _mm512_add_pd(first, row), begins, ends);
            row = _mm512_add_pd(row, eight);
            eight_rows(s, _mm512_add_pd(first, row), begins + 1, ends + 1);
            row = _mm512_add_pd(row, eight);
            _mm_storeu_si128((__m128i*) (begin + k), _mm256_cvtepi32_epi16(begins[0]));
            _mm_storeu_si128((__m128i*) (begin + k + 8), _mm256_cvtepi32_epi16(begins[1]));
            _mm_storeu_si128((__m128i*) (end + k), _mm256_cvtepi32_epi16(ends[0]));
            _mm_storeu_si128((__m128i*) (end + k + 8), _mm256_cvtepi32_epi16(ends[1]));
        }
    }
    static void fill_slab(const Slab* s, int rows, short* begin, short* end) {
        if (__builtin_cpu_supports("avx512vl")) fill_widest(s, rows, begin, end);
        else if (__builtin_cpu_supports("avx2")) fill_widely(s, rows, begin, end);
        else fill_plainly(s, rows, begin, end);
    }
    #else
    static void fill_slab(const Slab* s, int rows, short* begin, short* end) { fill_plainly(s, rows, begin, end); }
    #endif
    """
    ctypedef struct Slab:
        double first, x, slope, half, foot_slope, foot_low, foot_high, near
    void fill_slab(const Slab* slab, int rows, short* begin, short* end) noexcept nogil


cdef void slab_rows(const double* a, double radius, double near, Rows* out) noexcept nogil:
    """The cells of the rectangle along a segment: between its long sides, and between the feet of its ends."""
    cdef double ax = a[0], ay = a[1], dx = a[2] - a[0], dy = a[3] - a[1], length = sqrt(dx * dx + dy * dy)
    cdef double reach, low, high
    cdef Slab slab
    cdef bint upright = fabs(dx) <= 1e-8 * fabs(dy), level = fabs(dy) <= 1e-8 * fabs(dx)
    cdef int k, rows
    cdef short* begin = out.begin
    cdef short* end = out.end
    out.first, out.last = 0, -1
    if length == 0:
        return
    reach = radius * fabs(dx) / length
    out.first = max(0, ceil_int(min(ay, ay + dy) - reach - 0.5 - near))
    out.last = min(CELLS - 1, floor_int(max(ay, ay + dy) + reach - 0.5 + near))
    rows = out.last - out.first + 1
    if upright or level:
        low = ceil_int((min(ax, ax + dx) if level else ax - radius) - 0.5 - near)
        high = floor_int((max(ax, ax + dx) if level else ax + radius) - 0.5 + near) + 1
        for k in range(rows):
            begin[k] = <short> low
            end[k] = <short> high
        return
    slab.first, slab.x, slab.near = out.first + 0.5 - ay, ax, near
    slab.slope, slab.half = dx / dy, radius * length / fabs(dy)
    slab.foot_slope = dy / dx
    slab.foot_low = min(0.0, length * length / dx)
    slab.foot_high = max(0.0, length * length / dx)
    fill_slab(&slab, rows, begin, end)          # rows in groups: `out` has room for some more


cdef inline bint in_slab(const double* a, double x, double y, double radius2) noexcept nogil:
    cdef double dx = a[2] - a[0], dy = a[3] - a[1], px = x - a[0], py = y - a[1]
    cdef double along = px * dx + py * dy, cross = px * dy - py * dx, length2 = dx * dx + dy * dy
    return 0 <= along <= length2 and cross * cross <= radius2 * length2


cdef inline bint in_disc(const double* a, double x, double y, double radius2) noexcept nogil:
    return (x - a[0]) * (x - a[0]) + (y - a[1]) * (y - a[1]) <= radius2


cdef void settle_rows(const double* a, bint disc, double radius2, Rows* rows) noexcept nogil:
    """Drop the outermost cells of each row that do not belong, by squared distance."""
    cdef int k
    cdef double y
    for k in range(rows.last - rows.first + 1):
        y = rows.first + k + 0.5
        while rows.begin[k] < rows.end[k] and not (
                in_disc(a, rows.begin[k] + 0.5, y, radius2) if disc else in_slab(a, rows.begin[k] + 0.5, y, radius2)):
            rows.begin[k] += 1
        while rows.begin[k] < rows.end[k] and not (
                in_disc(a, rows.end[k] - 0.5, y, radius2) if disc else in_slab(a, rows.end[k] - 0.5, y, radius2)):
            rows.end[k] -= 1


# The grid as bits


cdef enum:
    WORDS = 16              # of 64 cells, for a row


cdef extern from *:
    """
    #define lowest_bit(word) __builtin_ctzll(word)
    """
    int lowest_bit(unsigned long long word) noexcept nogil


cdef class Grid:
    """One bit for each cell."""

    cdef unsigned long long[CELLS * WORDS] bits

    cdef void clear(self) noexcept nogil:
        memset(self.bits, 0, sizeof(self.bits))

    cdef void fill(self, int first, int count, const short* begin, const short* end) noexcept nogil:
        """Set the cells of some rows."""
        cdef int k, word, low, high
        cdef unsigned long long* row
        for k in range(count):
            if begin[k] >= end[k]:
                continue
            row = self.bits + (first + k) * WORDS
            low, high = begin[k] // 64, (end[k] - 1) // 64
            if low == high:
                row[low] |= bits_from(begin[k] % 64) & bits_up_to((end[k] - 1) % 64)
                continue
            row[low] |= bits_from(begin[k] % 64)
            for word in range(low + 1, high):
                row[word] = bits_from(0)
            row[high] |= bits_up_to((end[k] - 1) % 64)

    cdef int next_cell(self, int row, int at, bint is_set) noexcept nogil:
        """The first cell from `at` on that is set, or that is not; CELLS if there is none."""
        cdef unsigned long long word
        while at < CELLS:
            word = self.bits[row * WORDS + at // 64]
            word = (word if is_set else ~word) & bits_from(at % 64)
            if word:
                return min(at // 64 * 64 + lowest_bit(word), CELLS)
            at = (at // 64 + 1) * 64
        return CELLS


cdef inline unsigned long long bits_from(int bit) noexcept nogil:
    return (~(<unsigned long long> 0)) << bit


cdef inline unsigned long long bits_up_to(int bit) noexcept nogil:
    return (~(<unsigned long long> 0)) >> (63 - bit)
