cdef enum:
    PAIR_STEPS = 40             # to keep, sort and match a pair that overlaps


cdef class Work:
    cdef readonly list records      # those that were refused
    cdef long long per_number, allowed, done

    cdef void begin(self, long long numbers) noexcept
    cdef int refuse(self, Py_ssize_t record) except -1
    cdef int finish(self) except -1

    cdef inline bint add(self, long long steps) noexcept:
        """Whether a record still may go on after so many more steps."""
        self.done += steps
        return self.done <= self.allowed


cdef extern from *:
    """
    #define FEW 48              /* even, and bits of a word */

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

    static inline Py_ssize_t find_few(const FewBounds* few, const double* bounds, double reach, int* found) {
        unsigned long long near = 0;
        Py_ssize_t count = 0;
        for (Py_ssize_t k = 0; k < few->size; k += 2)
            near |= (unsigned long long) (~two_apart(few, k, bounds, reach) & 3u) << k;
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
    Py_ssize_t find_few(const FewBounds* few, const double* bounds, double reach, int* found) noexcept nogil


cdef class Candidates:
    cdef Py_ssize_t count       # how many were found
    cdef int* found             # (count,) their indices, ascending
    cdef const double* bounds
    cdef FewBounds few          # those that are looked at one by one
    cdef Py_ssize_t size, capacity
    cdef int* order             # (size,) objects by their left edge
    cdef double* left           # (size,) that edge
    cdef double* reach          # (size,) the largest right edge up to here, ascending

    cdef int begin(self, const double* bounds, Py_ssize_t begin, Py_ssize_t end) except -1
    cdef void keep(self, const unsigned char* kind, unsigned char wanted) noexcept nogil
    cdef bint find(self, const double* bounds, double reach, Work work) noexcept
    cdef void free(self) noexcept
    cdef int make_room(self, Py_ssize_t size) except -1
    cdef int sort(self, Py_ssize_t begin) except -1
