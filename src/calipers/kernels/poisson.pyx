"""Poisson bootstrap: how often a record counts in a replicate, as a pure function of its key, the replicate and a seed.

Sums over records are then integers that add in any order, over any shards. A weight is drawn from Poisson(1) by
comparing 32 hashed bits with the distribution's steps; each 64-bit hash serves two replicates.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from .column cimport Column

cdef enum:
    STEPS = 13              # also the largest weight
    AT_ONCE = 8             # records that are added together

cdef long long EXACT = 1LL << 53
# floor(2 ** 32 * P(X <= k)) for X ~ Poisson(1) and k = 0 … 12
cdef uint32_t[STEPS] STEP = [
    1580030168, 3160060337, 3950075421, 4213413783, 4279248373, 4292415291, 4294609777, 4294923276,
    4294962463, 4294966817, 4294967252, 4294967292, 4294967295,
]


cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """A well-mixed permutation of 64 bits (the finaliser of SplitMix64)."""
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef extern from *:
    """
    static inline unsigned long long folded_product(unsigned long long a, unsigned long long b) {
        unsigned __int128 product = (unsigned __int128) a * b;
        return (unsigned long long) (product >> 64) ^ (unsigned long long) product;
    }
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define in_little_endian(word) __builtin_bswap64(word)
    #else
    #define in_little_endian(word) (word)
    #endif
    """
    uint64_t folded_product(uint64_t a, uint64_t b) noexcept nogil
    uint64_t in_little_endian(uint64_t word) noexcept nogil


cdef extern from *:
    """
    /* sums[c][b] += weight[r][b] * value[c][r] over eight r. All of them are whole numbers below 2 ** 53, so nothing is
       rounded, and wider registers, where a machine has them, give the same sums sooner. */
    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
    #define ON_WIDE_MACHINES __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define ON_WIDE_MACHINES
    #endif
    #define EIGHT(v) ((w0[b] * v[0] + w1[b] * v[1]) + (w2[b] * v[2] + w3[b] * v[3])) \
                   + ((w4[b] * v[4] + w5[b] * v[5]) + (w6[b] * v[6] + w7[b] * v[7]))

    ON_WIDE_MACHINES
    static void add_products(double* restrict sums, const double* restrict weight, Py_ssize_t stride,
                             const double* restrict value, Py_ssize_t columns, Py_ssize_t replicates) {
        const double *restrict w0 = weight, *restrict w1 = w0 + stride, *restrict w2 = w1 + stride;
        const double *restrict w3 = w2 + stride, *restrict w4 = w3 + stride, *restrict w5 = w4 + stride;
        const double *restrict w6 = w5 + stride, *restrict w7 = w6 + stride;
        for (Py_ssize_t begin = 0; begin < replicates; begin += 256) {          /* so many weights stay at hand */
            Py_ssize_t end = begin + 256 < replicates ? begin + 256 : replicates, c = 0, b;
            for (; c + 1 < columns; c += 2) {                                   /* and serve two columns */
                const double *restrict p = value + 8 * c, *restrict q = p + 8;
                double *restrict s = sums + c * replicates, *restrict t = s + replicates;
                for (b = begin; b < end; b++) {
                    s[b] += EIGHT(p);
                    t[b] += EIGHT(q);
                }
            }
            for (; c < columns; c++) {
                const double *restrict p = value + 8 * c;
                double *restrict s = sums + c * replicates;
                for (b = begin; b < end; b++)
                    s[b] += EIGHT(p);
            }
        }
    }
    """
    void add_products(double* sums, const double* weight, Py_ssize_t stride, const double* value, Py_ssize_t columns,
                      Py_ssize_t replicates) noexcept nogil


cdef int slow_draw(uint32_t bits) noexcept nogil:
    cdef int k, weight = 0
    for k in range(STEPS):
        weight += bits >= STEP[k]
    return weight


cdef double[256] BY_FIRST_BYTE            # the weight where the first eight bits decide it, else -1
for _byte in range(256):
    BY_FIRST_BYTE[_byte] = slow_draw(_byte << 24)
    if slow_draw(((_byte + 1) << 24) - 1) != BY_FIRST_BYTE[_byte]:
        BY_FIRST_BYTE[_byte] = -1


cdef inline double draw(uint32_t bits) noexcept nogil:
    cdef double weight = BY_FIRST_BYTE[bits >> 24]
    return weight if weight >= 0 else slow_draw(bits)


cdef void draw_all(uint64_t key, uint64_t seed, Py_ssize_t replicates, double* weights) noexcept nogil:
    """`weights` has room for one more than an odd number of replicates."""
    cdef uint64_t state = mix(key ^ mix(seed + GOLDEN)), bits
    cdef Py_ssize_t b
    for b in range(0, replicates, 2):
        state += GOLDEN
        bits = folded_product(state, state ^ <uint64_t> 0xE7037ED1A0B428DB)
        weights[b] = draw(<uint32_t> bits)
        weights[b + 1] = draw(<uint32_t> (bits >> 32))


def key_hashes(keys):
    """64 bits for each text, as a column: its UTF-8 bytes in words of eight, each mixed in after its length."""
    cdef Column out = Column("Q", len(keys))
    cdef uint64_t* hashes = <uint64_t*> out.data
    cdef const char* text
    cdef Py_ssize_t size, i, at
    cdef uint64_t word
    cdef bytes encoded
    for i, key in enumerate(keys):
        encoded = key.encode("utf-8", "surrogatepass")
        text, size = encoded, len(encoded)
        hashes[i] = mix(size + GOLDEN)
        for at in range(0, size, 8):
            word = 0
            memcpy(&word, text + at, min(8, size - at))
            hashes[i] = mix(hashes[i] ^ in_little_endian(word))
    return out


def weights(unsigned long long key, unsigned long long seed, Py_ssize_t replicates):
    """The weights of one record, as a column."""
    cdef Column out = Column("q", replicates)
    cdef Sums sums = Sums(1, replicates)
    cdef Py_ssize_t b
    draw_all(key, seed, replicates, sums.weight)
    for b in range(replicates):
        (<long long*> out.data)[b] = <long long> sums.weight[b]
    return out


def weighted_sums(keys, values, Py_ssize_t columns, unsigned long long seed, Py_ssize_t replicates):
    """Sum over records of weight times value, (columns * replicates,) integers.

    `keys` holds a 64-bit hash a record, `values` that many integers for each of the columns, one column after another.
    """
    cdef const unsigned long long[::1] key = keys
    cdef const long long[::1] value = values
    cdef Sums sums = Sums(columns, replicates)
    add_records(sums, &key[0] if key.shape[0] else NULL, key.shape[0], &value[0] if value.shape[0] else NULL, seed)
    return sums.total


cdef int add_records(Sums sums, const unsigned long long* keys, Py_ssize_t count, const long long* values,
                     uint64_t seed) except -1:
    """All records, eight by eight."""
    cdef Py_ssize_t first = 0, some, r
    cdef double* weight = sums.weight
    with nogil:
        while first < count:
            some = min(AT_ONCE, count - first)
            for r in range(some):
                draw_all(keys[first + r], seed, sums.replicates, weight + r * sums.stride)
            if sums.columns:
                sums.add(values + first, count, some)
            first += AT_ONCE
        sums.flush()
    return 0


cdef class Sums:
    """Adds weight times value in floats while that is exact (below 2 ** 53), then moves on to integers."""

    cdef Column total                   # (columns * replicates,) int64
    cdef double* weight                 # (AT_ONCE, stride)
    cdef double* pending                # (columns, replicates)
    cdef double* value                  # (columns, AT_ONCE)
    cdef Py_ssize_t columns, replicates, stride
    cdef long long bound                # no pending sum is larger

    def __cinit__(self, Py_ssize_t columns, Py_ssize_t replicates):
        cdef Py_ssize_t room
        self.columns, self.replicates, self.stride, self.bound = columns, replicates, replicates + 1, 0
        self.total = Column("q", replicates * columns)
        room = AT_ONCE * (self.stride + columns) + columns * replicates + 1
        self.weight = <double*> PyMem_Calloc(room, sizeof(double))
        if self.weight == NULL:
            raise MemoryError()
        self.pending = self.weight + AT_ONCE * self.stride
        self.value = self.pending + columns * replicates

    def __dealloc__(self):
        PyMem_Free(self.weight)

    cdef void add(self, const long long* values, Py_ssize_t step, Py_ssize_t records) noexcept nogil:
        """Some records, whose weights are drawn; `step` is from one column to the next."""
        cdef long long largest = 0
        cdef Py_ssize_t c, r
        for c in range(self.columns):
            for r in range(records):
                largest = max(largest, values[c * step + r], -values[c * step + r])
        if largest >= EXACT // (STEPS * AT_ONCE):
            self.add_large(values, step, records)
            return
        if self.bound + AT_ONCE * STEPS * largest >= EXACT:
            self.flush()
        self.bound += AT_ONCE * STEPS * largest
        for c in range(self.columns):
            for r in range(AT_ONCE):
                self.value[c * AT_ONCE + r] = <double> values[c * step + r] if r < records else 0
        add_products(self.pending, self.weight, self.stride, self.value, self.columns, self.replicates)

    cdef void add_large(self, const long long* values, Py_ssize_t step, Py_ssize_t records) noexcept nogil:
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t b, c, r
        for r in range(records):
            for c in range(self.columns):
                for b in range(self.replicates):
                    total[c * self.replicates + b] += <long long> self.weight[r * self.stride + b] * values[c * step + r]

    cdef void flush(self) noexcept nogil:
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t k
        for k in range(self.columns * self.replicates):
            total[k] += <long long> self.pending[k]
        memset(self.pending, 0, self.columns * self.replicates * sizeof(double))
        self.bound = 0
