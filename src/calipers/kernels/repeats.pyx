"""Rows that deserve a word: those that are there twice, and those that lie outside of their image."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from .checks cimport check_count, check_indices, check_length, check_offsets
from .column cimport Column

cdef uint64_t MIX = 0x9E3779B97F4A7C15


cdef inline uint64_t mixed(int category, const double* box, const double* score) noexcept nogil:
    """A number that is the same for rows that are the same."""
    cdef uint64_t found = <uint64_t> category, bits
    cdef int k
    for k in range(5):
        memcpy(&bits, box + k if k < 4 else score, 8)
        found = (found ^ bits) * MIX
        found ^= found >> 29
    return found


cdef inline bint same(const int* category, const double* box, const double* score, Py_ssize_t a,
                      Py_ssize_t b) noexcept nogil:
    return (category[a] == category[b] and memcmp(box + 4 * a, box + 4 * b, 32) == 0
            and memcmp(score + a, score + b, 8) == 0)


def repeated(const long long[::1] offsets, const int[::1] category, const double[::1] box, const double[::1] score):
    """(rows,) 1 where a row of the same image before it is the same, to the bit. A box without numbers is no box."""
    cdef Py_ssize_t images = offsets.shape[0] - 1, rows = category.shape[0], image, most = 0, room = 16
    cdef Column out = Column("B", rows)
    cdef int* table                                 # rows + 1 by their mixed numbers, 0 where there is none
    check_count("category", rows)
    check_offsets("offsets", offsets, rows)
    check_length("box", box.shape[0], 4 * rows)
    check_length("score", score.shape[0], rows)
    for image in range(images):
        most = max(most, offsets[image + 1] - offsets[image])
    while room < 2 * most:
        room *= 2
    table = <int*> malloc(room * sizeof(int))
    if table == NULL:
        raise MemoryError()
    if rows:
        with nogil:
            for image in range(images):
                mark(&category[0], &box[0], &score[0], offsets[image], offsets[image + 1], table,
                     <unsigned char*> out.data)
    free(table)
    return out


cdef void mark(const int* category, const double* box, const double* score, Py_ssize_t begin, Py_ssize_t end,
               int* table, unsigned char* out) noexcept nogil:
    """The rows of one image."""
    cdef uint64_t size = 16, at
    cdef Py_ssize_t row
    while size < 2 * <uint64_t> (end - begin):
        size *= 2
    memset(table, 0, size * sizeof(int))
    for row in range(begin, end):
        if box[4 * row] != box[4 * row]:
            continue
        at = mixed(category[row], box + 4 * row, score + row) & (size - 1)
        while table[at] and not same(category, box, score, begin + table[at] - 1, row):
            at = (at + 1) & (size - 1)
        if table[at]:
            out[row] = 1
        else:
            table[at] = <int> (row - begin + 1)


def outside(const int[::1] image, const double[::1] box, const double[::1] width, const double[::1] height):
    """(rows,) 1 where a box and its image share nothing; of an image without a size that is not known."""
    cdef Py_ssize_t rows = image.shape[0], row
    cdef Column out = Column("B", rows)
    cdef unsigned char* found = <unsigned char*> out.data
    cdef const double* each
    check_length("box", box.shape[0], 4 * rows)
    check_length("height", height.shape[0], width.shape[0])
    check_indices("image", image, width.shape[0])
    with nogil:
        for row in range(rows):
            each = &box[4 * row]
            found[row] = width[image[row]] > 0 and height[image[row]] > 0 and (
                each[0] >= width[image[row]] or each[1] >= height[image[row]]
                or each[0] + each[2] < 0 or each[1] + each[3] < 0)
    return out
