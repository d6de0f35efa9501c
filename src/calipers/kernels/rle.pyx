"""Masks as COCO writes them: lengths of runs, column by column, the first of them background.

Lengths are a list, or a text in which each is written in characters of six bits: five of the number, the lowest first,
and one that says whether more follow; from the fourth length on, it is the difference to the one two before.
"""

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    MOST_BITS = 40              # of a length


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
