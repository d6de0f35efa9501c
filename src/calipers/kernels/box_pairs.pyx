"""Overlap of upright boxes on images, in pairs of one image, as COCO computes it: to the bit.

A box is x, y, width, height. IoU is the area both share over the area either covers; with a crowd region it is the
share of the prediction that lies in it.
"""

from .checks cimport check_count, check_length, check_offsets
from .column cimport Column


cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX


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


def box_pairs(truth, truth_offsets, crowd, pred, pred_offsets, double least, Py_ssize_t most=PY_SSIZE_T_MAX):
    """Columns (truth index, pred index, overlap) of every pair of one image with an overlap of at least `least`.

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
                if value >= least:
                    if overlap.size >= most:
                        raise OverflowError(image)
                    a_index.push_int32(<int> i)
                    b_index.push_int32(<int> j)
                    overlap.push_double(value)
    return a_index, b_index, overlap
