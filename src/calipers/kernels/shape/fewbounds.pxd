"""Bounds of few objects, two or eight of which are compared with others at a time."""

cdef extern from *:
    """
    #define FEW 48              /* a multiple of eight, and bits of a word */

    typedef struct {
        Py_ssize_t size;
        int index[FEW];
        double x1[FEW], y1[FEW], x2[FEW], y2[FEW];
    } FewBounds;

    /* One bit for each of two objects that is further away from given bounds than `reach` */
    #ifdef __SSE2__
    #include <emmintrin.h>
    static inline unsigned two_apart(const FewBounds* few, Py_ssize_t k, const double* s, double reach) {
        __m128d far = _mm_set1_pd(reach);
        __m128d left = _mm_cmpgt_pd(_mm_set1_pd(s[0] - reach), _mm_loadu_pd(few->x2 + k));
        __m128d right = _mm_cmpgt_pd(_mm_sub_pd(_mm_loadu_pd(few->x1 + k), far), _mm_set1_pd(s[2]));
        __m128d below = _mm_cmpgt_pd(_mm_set1_pd(s[1] - reach), _mm_loadu_pd(few->y2 + k));
        __m128d above = _mm_cmpgt_pd(_mm_sub_pd(_mm_loadu_pd(few->y1 + k), far), _mm_set1_pd(s[3]));
        return (unsigned) _mm_movemask_pd(_mm_or_pd(_mm_or_pd(left, right), _mm_or_pd(below, above)));
    }
    #else
    static inline unsigned two_apart(const FewBounds* few, Py_ssize_t k, const double* s, double reach) {
        unsigned found = 0;
        for (int i = 0; i < 2; i++)
            found |= (unsigned) ((s[0] - reach > few->x2[k + i]) | (few->x1[k + i] - reach > s[2])
                                 | (s[1] - reach > few->y2[k + i]) | (few->y1[k + i] - reach > s[3])) << i;
        return found;
    }
    #endif

    static inline unsigned long long near_plainly(const FewBounds* few, const double* bounds, double reach) {
        unsigned long long near = 0;
        for (Py_ssize_t k = 0; k < few->size; k += 2)
            near |= (unsigned long long) (~two_apart(few, k, bounds, reach) & 3u) << k;
        return near;
    }

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    __attribute__((target("avx512f"))) static unsigned long long near_widely(const FewBounds* few, const double* bounds,
                                                                             double reach) {
        const __m512d far = _mm512_set1_pd(reach), left = _mm512_set1_pd(bounds[0] - reach);
        const __m512d low = _mm512_set1_pd(bounds[1] - reach);
        const __m512d right = _mm512_set1_pd(bounds[2]), high = _mm512_set1_pd(bounds[3]);
        unsigned long long near = 0;
        for (Py_ssize_t k = 0; k < few->size; k += 8) {
            unsigned apart = _mm512_cmp_pd_mask(left, _mm512_loadu_pd(few->x2 + k), _CMP_GT_OQ);
            apart |= _mm512_cmp_pd_mask(_mm512_sub_pd(_mm512_loadu_pd(few->x1 + k), far), right, _CMP_GT_OQ);
            apart |= _mm512_cmp_pd_mask(low, _mm512_loadu_pd(few->y2 + k), _CMP_GT_OQ);
            apart |= _mm512_cmp_pd_mask(_mm512_sub_pd(_mm512_loadu_pd(few->y1 + k), far), high, _CMP_GT_OQ);
            near |= (unsigned long long) (~apart & 0xFFu) << k;
        }
        return near;
    }
    static inline unsigned long long near_few(const FewBounds* few, const double* bounds, double reach) {
        return __builtin_cpu_supports("avx512f") ? near_widely(few, bounds, reach) : near_plainly(few, bounds, reach);
    }
    #else
    #define near_few near_plainly
    #endif

    #define lowest_bit(word) __builtin_ctzll(word)

    static inline Py_ssize_t find_few(const FewBounds* few, const double* bounds, double reach, int* found) {
        unsigned long long near = near_few(few, bounds, reach);
        Py_ssize_t count = 0;
        near &= few->size ? ~0ull >> (64 - few->size) : 0;
        for (; near; near &= near - 1) found[count++] = few->index[__builtin_ctzll(near)];
        return count;
    }
    """
    const int FEW
    ctypedef struct FewBounds:
        Py_ssize_t size
        int* index
        double* x1
        double* y1
        double* x2
        double* y2
    unsigned long long near_few(const FewBounds* few, const double* bounds, double reach) noexcept nogil
    int lowest_bit(unsigned long long word) noexcept nogil
    Py_ssize_t find_few(const FewBounds* few, const double* bounds, double reach, int* found) noexcept nogil
