"""How large objects are: of a region the side of a square of the same area, of a line its length."""

from libc.math cimport NAN
from libc.stdint cimport uint8_t

from ..scan.checks cimport check_between, check_count, check_length, check_offsets
from ..scan.column cimport Column

cdef enum:
    AHEAD = 16              # lines whose points are asked for before it is their turn: they lie far apart
    LINE_OF_CACHE = 8       # numbers

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>

    #define ANY_BITS 512                /* of registers */
    #define BESIDE 16                   /* objects that are looked at together; as many are written beyond the last */
    #define fetch(place) __builtin_prefetch(place)
    #define PLACE(places, k) ((places) ? (places)[k] : (k))

    static inline double length_plainly(const double* point, Py_ssize_t numbers) {
        double total = 0;
        for (Py_ssize_t k = 2; k < numbers - 1; k += 2) {
            double x = point[k] - point[k - 2], y = point[k + 1] - point[k - 1];
            total += sqrt(x * x + y * y);
        }
        return total;
    }

    /* from the k-th on */
    static void roots_plainly(const double* area, const int* places, Py_ssize_t k, Py_ssize_t count, float* roots) {
        for (; k < count; k++) roots[k] = (float) sqrt(area[PLACE(places, k)]);
    }

    /* from the k-th on, behind so many that were found; without a branch */
    static Py_ssize_t find_plainly(const uint8_t* bytes, uint8_t least, uint8_t most, Py_ssize_t k, Py_ssize_t count,
                                   int* found, Py_ssize_t size) {
        for (; k < count; k++) {
            found[size] = (int) k;
            size += (bytes[k] >= least) & (bytes[k] <= most);
        }
        return size;
    }

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    #define WIDE __attribute__((target("avx512f"))) static

    /* up to eight pieces of a line at once, added up in their order: those that are not there add 0 */
    WIDE double length_widely(const double* point, Py_ssize_t numbers) {
        unsigned there = (1u << (numbers / 2 * 2 - 2)) - 1;
        __mmask8 low = (__mmask8) there, high = (__mmask8) (there >> 8);
        __m512d a = _mm512_sub_pd(_mm512_maskz_loadu_pd(low, point + 2), _mm512_maskz_loadu_pd(low, point));
        __m512d b = _mm512_sub_pd(_mm512_maskz_loadu_pd(high, point + 10), _mm512_maskz_loadu_pd(high, point + 8));
        double piece[8], total = 0;                     /* the first, the fifth, the second, the sixth, ... */
        a = _mm512_mul_pd(a, a);
        b = _mm512_mul_pd(b, b);
        _mm512_storeu_pd(piece, _mm512_sqrt_pd(_mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b))));
        for (int k = 0; k < 8; k += 2) total += piece[k];
        for (int k = 1; k < 8; k += 2) total += piece[k];
        return total;
    }

    WIDE void roots_widely(const double* area, const int* places, Py_ssize_t count, float* roots) {
        Py_ssize_t k = 0;
        for (; k + 8 <= count; k += 8) {
            __m512d own = places ? _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i*) (places + k)), area, 8)
                                 : _mm512_loadu_pd(area + k);
            _mm256_storeu_ps(roots + k, _mm512_cvtpd_ps(_mm512_sqrt_pd(own)));
        }
        roots_plainly(area, places, k, count, roots);
    }

    WIDE Py_ssize_t find_widely(const uint8_t* bytes, uint8_t least, uint8_t most, Py_ssize_t count, int* found) {
        const __m512i low = _mm512_set1_epi32(least), range = _mm512_set1_epi32(most - least);
        __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        Py_ssize_t k = 0, size = 0;
        for (; k + BESIDE <= count; k += BESIDE, at = _mm512_add_epi32(at, _mm512_set1_epi32(BESIDE))) {
            __m512i own = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*) (bytes + k)));
            __mmask16 is_found = _mm512_cmple_epu32_mask(_mm512_sub_epi32(own, low), range);
            _mm512_storeu_si512(found + size, _mm512_maskz_compress_epi32(is_found, at));
            size += __builtin_popcount(is_found);
        }
        return find_plainly(bytes, least, most, k, count, found, size);
    }
    #define IS_WIDE(bits) ((bits) >= 512 && __builtin_cpu_supports("avx512f"))
    #else
    #define IS_WIDE(bits) 0
    #define length_widely length_plainly
    #define roots_widely(area, places, count, roots) roots_plainly(area, places, 0, count, roots)
    #define find_widely(bytes, least, most, count, found) find_plainly(bytes, least, most, 0, count, found, 0)
    #endif

    /* the length of a line through points, of so many numbers */
    static inline double length(const double* point, Py_ssize_t numbers, int bits) {
        return numbers >= 4 && numbers < 20 && IS_WIDE(bits) ? length_widely(point, numbers) : length_plainly(point, numbers);
    }

    /* square roots of areas: of those at some places, or without these of the first ones */
    static void find_roots(const double* area, const int* places, Py_ssize_t count, float* roots, int bits) {
        if (IS_WIDE(bits)) roots_widely(area, places, count, roots);
        else roots_plainly(area, places, 0, count, roots);
    }

    /* the places of bytes from the least to the most; how many they are */
    static Py_ssize_t find_bytes(const uint8_t* bytes, uint8_t least, uint8_t most, Py_ssize_t count, int* found, int bits) {
        return IS_WIDE(bits) ? find_widely(bytes, least, most, count, found)
                             : find_plainly(bytes, least, most, 0, count, found, 0);
    }
    """
    const Py_ssize_t ANY_BITS, BESIDE
    void fetch(const double* place) noexcept nogil
    double length(const double* point, Py_ssize_t numbers, int bits) noexcept nogil
    void find_roots(const double* area, const int* places, Py_ssize_t count, float* roots, int bits) noexcept nogil
    Py_ssize_t find_bytes(const uint8_t* bytes, uint8_t least, uint8_t most, Py_ssize_t count, int* found, int bits) noexcept nogil


def object_sizes(objects, uint8_t line, wanted=None, Py_ssize_t register_bits=ANY_BITS):
    """A column of the size of each object, float32; NaN for one that could not be read. `line` is the kind of lines.

    Where `wanted` has a byte for each object, there are only the sizes of those whose byte is not 0. They are the same
    whether registers of 512 bits are used, where the machine has them, or narrower ones.
    """
    cdef const uint8_t[::1] kind = objects.kind, reason = objects.reason
    cdef const long long[::1] start = objects.starts
    cdef const double[::1] point = objects.points, area = objects.area
    cdef Py_ssize_t count = kind.shape[0], i, k
    cdef uint8_t any_reason = 0
    cdef Column sizes, places = None
    cdef const int* at = NULL
    cdef float* size
    check_count("kind", kind.shape[0])
    check_length("reason", reason.shape[0], kind.shape[0])
    check_length("area", area.shape[0], kind.shape[0])
    check_length("starts", start.shape[0], kind.shape[0] + 1)
    check_offsets("starts", start, point.shape[0])
    check_between("register_bits", register_bits, 128, ANY_BITS)
    if wanted is not None:
        places = wanted_places(wanted, kind.shape[0], <int> register_bits)
        at, count = <const int*> places.data, places.size
    sizes = Column("f", count)
    size = <float*> sizes.data
    if not count:
        return sizes
    find_roots(&area[0], at, count, size, <int> register_bits)
    set_lengths(size, at, count, start, &point[0] if point.shape[0] else NULL, kind, line, <int> register_bits)
    for i in range(reason.shape[0]):                    # mostly none could not be read, which is seen in wide registers
        any_reason |= reason[i]
    for k in range(count if any_reason else 0):
        if reason[place(at, k)]:
            size[k] = NAN
    return sizes


cdef Column wanted_places(const uint8_t[::1] wanted, Py_ssize_t objects, int bits):
    """The objects whose byte is not 0."""
    cdef Column places = Column("i", objects + BESIDE)
    check_length("wanted", wanted.shape[0], objects)
    places.resize(find_bytes(&wanted[0], 1, 255, objects, <int*> places.data, bits) if objects else 0)
    return places


cdef int set_lengths(float* size, const int* places, Py_ssize_t count, const long long[::1] start, const double* points,
                     const uint8_t[::1] kind, uint8_t line, int bits) except -1:
    """The sizes of lines."""
    cdef Column lines = Column("i", count + BESIDE)
    cdef int* row = <int*> lines.data
    cdef Py_ssize_t line_count = 0, i, k
    if places == NULL:
        line_count = find_bytes(&kind[0], line, line, count, row, bits)
    else:
        for k in range(count):                          # without a branch
            row[line_count] = <int> k
            line_count += kind[places[k]] == line
    for k in range(line_count):
        i = place(places, row[min(k + AHEAD, line_count - 1)])
        fetch(points + start[i])
        fetch(points + start[i] + LINE_OF_CACHE)        # few lines end before
        i = place(places, row[k])
        size[row[k]] = <float> length(points + start[i], start[i + 1] - start[i], bits)
    return 0


cdef inline Py_ssize_t place(const int* places, Py_ssize_t k) noexcept nogil:
    """The k-th of some objects; of all, where no places are given."""
    return k if places == NULL else places[k]
