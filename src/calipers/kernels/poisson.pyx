"""Poisson bootstrap: how often a record counts in a replicate, as a pure function of its key, the replicate and a seed.

Sums over records are then integers that add in any order, over any shards. A weight is drawn from Poisson(1) by
comparing 32 hashed bits with the distribution's steps; each 64-bit hash serves two replicates.
"""

from libc.stdint cimport uint32_t, uint64_t

from .column cimport Column

cdef enum:
    STEPS = 13

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


cdef inline int draw(uint32_t bits) noexcept nogil:
    cdef int k, weight
    weight = (bits >= STEP[0]) + (bits >= STEP[1]) + (bits >= STEP[2]) + (bits >= STEP[3])
    if weight == 4:
        for k in range(4, STEPS):
            weight += bits >= STEP[k]
    return weight


cdef void draw_all(uint64_t key, uint64_t seed, Py_ssize_t replicates, double* weights) noexcept nogil:
    """`weights` has room for one more than an odd number of replicates."""
    cdef uint64_t state = mix(key ^ mix(seed + <uint64_t> 0x9E3779B97F4A7C15)), bits
    cdef Py_ssize_t b
    for b in range(0, replicates, 2):
        state += <uint64_t> 0x9E3779B97F4A7C15
        bits = mix(state)
        weights[b] = draw(<uint32_t> bits)
        weights[b + 1] = draw(<uint32_t> (bits >> 32))


def weights(unsigned long long key, unsigned long long seed, Py_ssize_t replicates):
    """The weights of one record, as a column."""
    cdef Column out = Column("d", replicates + 1)
    draw_all(key, seed, replicates, <double*> out.data)
    out.resize(replicates)
    return out


def weighted_sums(keys, values, Py_ssize_t columns, unsigned long long seed, Py_ssize_t replicates):
    """Sum over records of weight times value, (replicates * columns,) integers.

    `keys` holds a 64-bit hash a record, `values` that many rows of `columns` integers.
    """
    cdef const unsigned long long[::1] key = keys
    cdef const long long[::1] value = values
    cdef Column weight = Column("d", replicates + 1), sums = Column("d", replicates * columns)
    cdef Column out = Column("q", replicates * columns)
    cdef double* s = <double*> sums.data
    cdef Py_ssize_t r, b, c
    for r in range(key.shape[0]):
        draw_all(key[r], seed, replicates, <double*> weight.data)
        for c in range(columns):
            add_weighted(<const double*> weight.data, <double> value[r * columns + c], s + c * replicates, replicates)
    for b in range(replicates):
        for c in range(columns):
            (<long long*> out.data)[b * columns + c] = <long long> s[c * replicates + b]
    return out


cdef void add_weighted(const double* weight, double value, double* sums, Py_ssize_t replicates) noexcept nogil:
    """Integers below 2 ** 53: exact, in any order."""
    cdef Py_ssize_t b
    for b in range(replicates):
        sums[b] += weight[b] * value
