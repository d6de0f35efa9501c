"""Replicates of the bootstrap, 64 of them side by side: sums of weights, of which an image has 64 bytes."""

from libc.stdint cimport INT32_MAX, int32_t, uint8_t

from ..scan.checks cimport check_between, check_ends, check_indices, check_length

cdef enum:
    ABREAST = 64                # replicates, as in the C below
    MOST_WEIGHT = 13            # so that ROWS_OF_BYTES of them fit into a byte


cdef extern from *:
    """
    #ifndef ABREAST
    #define ABREAST 64
    #define ROWS_OF_BYTES 19                    /* whose sum is below 256: no weight is above 13 */
    #define ASK_FOR(ROW) __builtin_prefetch(ROW)

    typedef unsigned char Bytes __attribute__((vector_size(16), aligned(1), may_alias));

    /* counts[b] += sign * the sum of weight[row[i]][b] over i */
    static void add_rows(int *restrict counts, int sign, const unsigned char *restrict weight,
                         const int *restrict row, Py_ssize_t rows) {
        while (rows > 0) {
            const int *end = row + (rows < ROWS_OF_BYTES ? rows : ROWS_OF_BYTES);
            Bytes sum[4] = {{0}};
            rows -= end - row;
            for (Py_ssize_t k = 0; k < ROWS_OF_BYTES && k < rows; k++)
                ASK_FOR(weight + (Py_ssize_t) end[k] * ABREAST);
            for (; row < end; row++) {
                const Bytes *w = (const Bytes *) (weight + (Py_ssize_t) *row * ABREAST);
                sum[0] += w[0];
                sum[1] += w[1];
                sum[2] += w[2];
                sum[3] += w[3];
            }
            for (int b = 0; b < ABREAST; b++) counts[b] += sign * ((const unsigned char *) sum)[b];
        }
    }
    #endif
    """
    void add_rows(int32_t* counts, int sign, const uint8_t* weight, const int32_t* row, Py_ssize_t rows) noexcept nogil


cdef inline int check_weights(const uint8_t[::1] weight) except -1:
    cdef Py_ssize_t k
    cdef uint8_t most = 0
    check_length("weights", weight.shape[0], weight.shape[0] // ABREAST * ABREAST)
    for k in range(weight.shape[0]):
        most = max(most, weight[k])
    return check_between("weights", most, 0, MOST_WEIGHT)


cdef inline int check_group(str name, const int[::1] image, const long long[::1] ends, Py_ssize_t images) except -1:
    """Images of the members of each class, so few that 32 bits hold every sum of weights."""
    check_between(name, image.shape[0], 0, INT32_MAX // MOST_WEIGHT)
    check_ends(f"ends of {name}", ends, image.shape[0])
    check_indices(name, image, images)
    return 0
