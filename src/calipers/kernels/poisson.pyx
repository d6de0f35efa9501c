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
    AT_ONCE = 4             # records that are added together
    EXACT = 1 << 24

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


cdef int slow_draw(uint32_t bits) noexcept nogil:
    cdef int k, weight = 0
    for k in range(STEPS):
        weight += bits >= STEP[k]
    return weight


cdef float[256] BY_FIRST_BYTE            # the weight where the first eight bits decide it, else -1
for _byte in range(256):
    BY_FIRST_BYTE[_byte] = slow_draw(_byte << 24)
    if slow_draw(((_byte + 1) << 24) - 1) != BY_FIRST_BYTE[_byte]:
        BY_FIRST_BYTE[_byte] = -1


cdef inline float draw(uint32_t bits) noexcept nogil:
    cdef float weight = BY_FIRST_BYTE[bits >> 24]
    return weight if weight >= 0 else slow_draw(bits)


cdef void draw_all(uint64_t key, uint64_t seed, Py_ssize_t replicates, float* weights) noexcept nogil:
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


def weight_rows(keys, unsigned long long seed, Py_ssize_t replicates):
    """The weights of each record as floats, (records * replicates,)."""
    cdef const unsigned long long[::1] key = keys
    cdef Column out = Column("d", key.shape[0] * replicates)
    cdef double* row = <double*> out.data
    cdef Sums sums = Sums(1, replicates)
    cdef Py_ssize_t r, b
    for r in range(key.shape[0]):
        draw_all(key[r], seed, replicates, sums.weight)
        for b in range(replicates):
            row[b] = sums.weight[b]
        row += replicates
    return out


def weighted_sums(keys, values, Py_ssize_t columns, unsigned long long seed, Py_ssize_t replicates):
    """Sum over records of weight times value, (replicates * columns,) integers.

    `keys` holds a 64-bit hash a record, `values` that many rows of `columns` integers.
    """
    cdef const unsigned long long[::1] key = keys
    cdef const long long[::1] value = values
    cdef Sums sums = Sums(columns, replicates)
    cdef Py_ssize_t first, some, r
    for first in range(0, key.shape[0], AT_ONCE):
        some = min(AT_ONCE, key.shape[0] - first)
        for r in range(some):
            draw_all(key[first + r], seed, replicates, sums.weight + r * sums.stride)
        sums.add(&value[first * columns], some)
    sums.flush()
    return sums.total


cdef class Sums:
    """Adds weight times value in floats while that is exact (below 2 ** 24), then moves on to integers."""

    cdef Column total                   # (replicates * columns,) int64
    cdef float* weight                  # (AT_ONCE, stride)
    cdef float* pending                 # (columns, replicates)
    cdef Py_ssize_t columns, replicates, stride
    cdef long long bound                # no pending sum is larger

    def __cinit__(self, Py_ssize_t columns, Py_ssize_t replicates):
        self.columns, self.replicates, self.stride, self.bound = columns, replicates, replicates + 1, 0
        self.total = Column("q", replicates * columns)
        self.weight = <float*> PyMem_Calloc(AT_ONCE * self.stride + columns * replicates + 1, sizeof(float))
        if self.weight == NULL:
            raise MemoryError()
        self.pending = self.weight + AT_ONCE * self.stride

    def __dealloc__(self):
        PyMem_Free(self.weight)

    cdef void add(self, const long long* values, Py_ssize_t records) noexcept nogil:
        """Some records, whose weights are drawn."""
        cdef long long largest = 0
        cdef Py_ssize_t c
        for c in range(records * self.columns):
            largest = max(largest, values[c])
        if largest >= EXACT // (STEPS * AT_ONCE):
            self.add_large(values, records)
            return
        if self.bound + AT_ONCE * STEPS * largest >= EXACT:
            self.flush()
        self.bound += AT_ONCE * STEPS * largest
        for c in range(self.columns):
            self.add_small(values + c, records, self.pending + c * self.replicates)

    cdef void add_small(self, const long long* values, Py_ssize_t records, float* sums) noexcept nogil:
        """Several records in one go, so that each sum is fetched and stored once for all of them."""
        cdef const float* weight = self.weight
        cdef Py_ssize_t b, second = self.stride, third = 2 * second, fourth = 3 * second, step = self.columns
        cdef float p = <float> values[0], q = 0, r = 0, s = 0
        if records > 1:
            q = <float> values[step]
        if records > 2:
            r = <float> values[2 * step]
        if records > 3:
            s = <float> values[3 * step]
        for b in range(self.replicates):
            sums[b] += (weight[b] * p + weight[second + b] * q) + (weight[third + b] * r + weight[fourth + b] * s)

    cdef void add_large(self, const long long* values, Py_ssize_t records) noexcept nogil:
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t b, c, r
        for r in range(records):
            for b in range(self.replicates):
                for c in range(self.columns):
                    total[b * self.columns + c] += <long long> self.weight[r * self.stride + b] * values[r * self.columns + c]

    cdef void flush(self) noexcept nogil:
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t b, c
        for b in range(self.replicates):
            for c in range(self.columns):
                total[b * self.columns + c] += <long long> self.pending[c * self.replicates + b]
        memset(self.pending, 0, self.columns * self.replicates * sizeof(float))
        self.bound = 0
