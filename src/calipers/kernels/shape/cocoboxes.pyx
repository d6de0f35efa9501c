"""Boxes and masks of images as COCO has them, to the bit: overlaps, rows that deserve a word, the size of a mask.

A box is x, y, width, height. IoU is the area both share over the area either covers; with a crowd region it is the
share of the prediction that lies in it.

A mask is lengths of runs, column by column, the first of them background. Lengths are a list, or a text in which each
is written in characters of six bits: five of the number, the lowest first, and one that says whether more follow; from
the fourth length on, it is the difference to the one two before.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from ..scan.checks cimport check_count, check_indices, check_length, check_offsets
from ..scan.column cimport Column

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    MOST_BITS = 40              # of a length

cdef uint64_t MIX = 0x9E3779B97F4A7C15


# Overlaps


cdef struct Box:
    double x1, y1, x2, y2, area


cdef inline Box box_at(const double[::1] boxes, Py_ssize_t i) noexcept nogil:
    cdef Box box
    box.x1, box.y1 = boxes[4 * i], boxes[4 * i + 1]
    box.x2, box.y2 = boxes[4 * i + 2] + box.x1, boxes[4 * i + 3] + box.y1
    box.area = boxes[4 * i + 2] * boxes[4 * i + 3]
    return box


cdef int check_side(str name, const double[::1] boxes, const long long[::1] ends) except -1:
    check_count(name, boxes.shape[0] // 4)
    check_length(name, boxes.shape[0], boxes.shape[0] // 4 * 4)
    check_offsets(f"{name}_offsets", ends, boxes.shape[0] // 4)
    return 0


def box_pairs(truth, truth_offsets, crowd, pred, pred_offsets, double min_overlap, Py_ssize_t most=PY_SSIZE_T_MAX):
    """Columns (truth index, pred index, overlap) of every pair of one image with an overlap of at least `min_overlap`.

    Boxes are flat columns of four numbers each; one that is not there is NaN and overlaps nothing. Pairs are in the
    order of images, truths, preds. More than `most` of them are an OverflowError that has the image as its argument.
    """
    cdef const double[::1] a = truth, b = pred
    cdef const long long[::1] a_ends = truth_offsets, b_ends = pred_offsets
    cdef const unsigned char[::1] in_crowd = crowd
    cdef Column a_index = Column("i"), b_index = Column("i"), overlap = Column("d")
    cdef Py_ssize_t image, i, j
    cdef Box s, t
    cdef double w, h, shared, value
    check_side("truth", a, a_ends)
    check_side("pred", b, b_ends)
    check_length("crowd", in_crowd.shape[0], a.shape[0] // 4)
    check_length("pred_offsets", b_ends.shape[0], a_ends.shape[0])
    for image in range(a_ends.shape[0] - 1):
        for i in range(a_ends[image], a_ends[image + 1]):
            s = box_at(a, i)
            for j in range(b_ends[image], b_ends[image + 1]):
                t = box_at(b, j)
                w = min(s.x2, t.x2) - max(s.x1, t.x1)
                h = min(s.y2, t.y2) - max(s.y1, t.y1)
                if not (w > 0 and h > 0):                   # nor is NaN
                    continue
                shared = w * h
                value = shared / (t.area if in_crowd[i] else t.area + s.area - shared)
                if value >= min_overlap:
                    if overlap.size >= most:
                        raise OverflowError(image)
                    a_index.push_int32(<int> i)
                    b_index.push_int32(<int> j)
                    overlap.push_double(value)
    return a_index, b_index, overlap


# Rows that are there twice, and those that lie outside of their image


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


# Masks


cdef struct Mask:
    long long height, cells     # of the whole image
    long long at, area          # cells gone over, and those of the mask
    long long left, right, top, bottom
    bint inside                 # whether the next run is of the mask


cdef inline bint add_run(Mask* mask, long long length) noexcept nogil:
    cdef long long first = mask.at, last = mask.at + length - 1
    if length < 0 or length > mask.cells - mask.at:
        return False
    if mask.inside and length:
        mask.area += length
        mask.left = min(mask.left, first // mask.height)
        mask.right = max(mask.right, last // mask.height)
        if first // mask.height == last // mask.height:
            mask.top = min(mask.top, first % mask.height)
            mask.bottom = max(mask.bottom, last % mask.height)
        else:
            mask.top, mask.bottom = 0, mask.height - 1
    mask.at += length
    mask.inside = not mask.inside
    return True


cdef bint add_text(Mask* mask, const unsigned char* text, Py_ssize_t size) noexcept nogil:
    cdef long long value, before = 0, two_before = 0
    cdef Py_ssize_t at = 0, runs = 0
    cdef int shift
    cdef unsigned char bits = 0
    while at < size:
        value, shift = 0, 0
        while True:
            if at == size or not 48 <= text[at] < 112 or shift > MOST_BITS:
                return False
            bits = text[at] - 48
            value |= <long long> (bits & 31) << shift
            shift += 5
            at += 1
            if not bits & 32:
                break
        if bits & 16:
            value -= 1ll << shift
        if runs > 2:
            value += two_before
        if not add_run(mask, value):
            return False
        before, two_before = value, before
        runs += 1
    return True


cdef bint add_list(Mask* mask, list counts) except -1:
    for count in counts:
        if type(count) is not int or not -1 < count <= mask.cells or not add_run(mask, count):
            return False
    return True


def measure_rle(counts, long long height, long long width):
    """(area, x, y, width, height) of a mask, a box of no size if it is empty; None if the runs are not those of an
    image of this size.

    >>> measure_rle([4, 2, 6], 3, 4)        # two cells below each other, in the second column
    (2, 1, 1, 1, 2)
    """
    cdef Mask mask
    cdef Py_ssize_t size = 0
    cdef const char* text
    cdef bint fine = False
    if not (0 < height < 1 << 20 and 0 < width < 1 << 20):
        return None
    mask = Mask(height, height * width, 0, 0, width, -1, height, -1, False)
    if isinstance(counts, list):
        fine = add_list(&mask, counts)
    elif isinstance(counts, bytes):
        fine = add_text(&mask, counts, len(counts))
    elif isinstance(counts, str) and counts.isascii():
        text = PyUnicode_AsUTF8AndSize(counts, &size)
        fine = add_text(&mask, <const unsigned char*> text, size)
    if not fine or mask.at != mask.cells:
        return None
    if not mask.area:
        return 0, 0, 0, 0, 0
    return mask.area, mask.left, mask.top, mask.right - mask.left + 1, mask.bottom - mask.top + 1
