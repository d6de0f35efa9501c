"""Poisson bootstrap: how often a record counts in a replicate, as a pure function of its key, the replicate and a seed.

Sums over records are then integers that add in any order, over any shards. A weight is drawn from Poisson(1) by
comparing 32 hashed bits with the distribution's steps; each 64-bit hash serves two replicates.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from .column cimport Column

cdef enum:
    STEPS = 13              # also the largest weight
    EXACT = 1 << 24

# floor(2 ** 32 * P(X <= k)) for X ~ Poisson(1) and k = 0 … 12
cdef uint32_t[STEPS] STEP = [
    1580030168, 3160060337, 3950075421, 4213413783, 4279248373, 4292415291, 4294609777, 4294923276,
    4294962463, 4294966817, 4294967252, 4294967292, 4294967295,
]


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
    """
    uint64_t folded_product(uint64_t a, uint64_t b) noexcept nogil


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
    cdef uint64_t state = mix(key ^ mix(seed + <uint64_t> 0x9E3779B97F4A7C15)), bits
    cdef Py_ssize_t b
    for b in range(0, replicates, 2):
        state += <uint64_t> 0x9E3779B97F4A7C15
        bits = folded_product(state, state ^ <uint64_t> 0xE7037ED1A0B428DB)
        weights[b] = draw(<uint32_t> bits)
        weights[b + 1] = draw(<uint32_t> (bits >> 32))


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
    """Sum over records of weight times value, (replicates * columns,) integers.

    `keys` holds a 64-bit hash a record, `values` that many rows of `columns` integers.
    """
    cdef const unsigned long long[::1] key = keys
    cdef const long long[::1] value = values
    cdef Sums sums = Sums(columns, replicates)
    cdef Py_ssize_t r, c
    for r in range(key.shape[0]):
        draw_all(key[r], seed, replicates, sums.weight)
        sums.make_room(&value[r * columns])
        for c in range(columns):
            sums.add(c, value[r * columns + c])
    sums.flush()
    return sums.total


cdef class Sums:
    """Adds weight times value in floats while that is exact (below 2 ** 24), then moves on to integers."""

    cdef Column total                   # (replicates * columns,) int64
    cdef float* weight                  # (replicates + 1,)
    cdef float* pending                 # (columns, replicates)
    cdef Py_ssize_t columns, replicates
    cdef long long bound                # no pending sum is larger

    def __cinit__(self, Py_ssize_t columns, Py_ssize_t replicates):
        self.columns, self.replicates, self.bound = columns, replicates, 0
        self.total = Column("q", replicates * columns)
        self.weight = <float*> PyMem_Calloc(replicates * (columns + 1) + 1, sizeof(float))
        if self.weight == NULL:
            raise MemoryError()
        self.pending = self.weight + replicates + 1

    def __dealloc__(self):
        PyMem_Free(self.weight)

    cdef void make_room(self, const long long* values) noexcept nogil:
        cdef long long largest = 0
        cdef Py_ssize_t c
        for c in range(self.columns):
            largest = max(largest, values[c])
        if self.bound + STEPS * largest >= EXACT:
            self.flush()
        if STEPS * largest < EXACT:
            self.bound += STEPS * largest

    cdef void add(self, Py_ssize_t column, long long value) noexcept nogil:
        cdef float* sums = self.pending + column * self.replicates
        cdef float factor = <float> value
        cdef const float* weight = self.weight
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t b
        if STEPS * value < EXACT:
            for b in range(self.replicates):
                sums[b] += weight[b] * factor
        else:
            for b in range(self.replicates):
                total[b * self.columns + column] += <long long> weight[b] * value

    cdef void flush(self) noexcept nogil:
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t b, c
        for b in range(self.replicates):
            for c in range(self.columns):
                total[b * self.columns + c] += <long long> self.pending[c * self.replicates + b]
        memset(self.pending, 0, self.columns * self.replicates * sizeof(float))
        self.bound = 0
