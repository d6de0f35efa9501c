"""Sums over the objects of each record, by how large the objects are.

Of every object only its size and its kind are known; a table says what an object of each kind adds to every column.
"""

from libc.math cimport isnan
from libc.stdint cimport int32_t

from ..scan.checks cimport check_between, check_indices, check_length, check_product
from ..scan.column cimport Column


def mark_matched(found, left, truth, pred, met, long long times, unsigned char bit):
    """Note a matching: `times` as often as each pair says in `met` is added at its truth in `found`, and `bit` is taken
    away at its prediction in `left`, where it is set. Both are overwritten."""
    cdef long long[::1] at_truth = found
    cdef unsigned char[::1] at_pred = left
    cdef const int[::1] truths = truth, preds = pred
    cdef const long long[::1] met_by = met
    cdef Py_ssize_t k
    check_length("pred", preds.shape[0], truths.shape[0])
    check_length("met", met_by.shape[0], truths.shape[0])
    check_indices("truth", truths, at_truth.shape[0])
    check_indices("pred", preds, at_pred.shape[0])
    with nogil:
        for k in range(truths.shape[0]):
            at_truth[truths[k]] += times * met_by[k]
            at_pred[preds[k]] &= ~bit


def sums_by_size(counts, sizes, kinds, table, Py_ssize_t columns, edges, Py_ssize_t records):
    """Objects by group and record, (groups * records,), and their sums, (groups * columns * records,).

    `counts` says how many objects each record has, once or several times over: the objects of all records, then further
    ones of all records. `table` has the numbers of each kind, (kinds * columns,). `edges` ascend; a size on an edge is
    above it. The last group is of objects without a size, NaN.
    """
    cdef const int[::1] count = counts, kind = kinds
    cdef const float[::1] size = sizes, edge = edges
    cdef const long long[::1] number = table
    cdef Py_ssize_t groups = edge.shape[0] + 2, i, k, g, r, c, at = 0
    cdef Column rows, sums
    cdef int32_t* row
    cdef long long* total
    check_between("columns", columns, 1, number.shape[0] or 1)
    check_length("table", number.shape[0], number.shape[0] // columns * columns)
    check_between("records", records, 0, count.shape[0])
    check_length("counts", count.shape[0], count.shape[0] // records * records if records else 0)
    check_total(count, size.shape[0])
    check_length("kinds", kind.shape[0], size.shape[0])
    check_indices("kinds", kind, number.shape[0] // columns)
    rows = Column("i", check_product("rows", groups, records))
    sums = Column("q", check_product("sums", check_product("sums", groups, columns), records))
    row, total = <int32_t*> rows.data, <long long*> sums.data
    with nogil:
        for i in range(count.shape[0]):
            r = i % records
            for k in range(at, at + count[i]):
                g = groups - 1
                if not isnan(size[k]):
                    g = 0
                    for c in range(edge.shape[0]):
                        g += size[k] >= edge[c]
                row[g * records + r] += 1
                for c in range(columns):
                    total[(g * columns + c) * records + r] += number[kind[k] * columns + c]
            at += count[i]
    return rows, sums


cdef int check_total(const int[::1] counts, Py_ssize_t objects) except -1:
    """No count is below 0, and all are as many as there are objects."""
    cdef Py_ssize_t i
    cdef long long total = 0, least = 0
    for i in range(counts.shape[0]):
        least = min(least, counts[i])
        total += counts[i]
    if least < 0 or total != objects:
        raise ValueError(f"counts: found {least if least < 0 else total}, expected numbers that add up to {objects}")
    return 0
