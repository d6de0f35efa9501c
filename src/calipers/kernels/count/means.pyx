"""Means and spreads of columns, the same on every machine.

Each value is added in turn with the error of every addition carried along. The sum is then as good as exact: nothing is
added in another order.
"""

from libc.math cimport fma, isnan, sqrt

from ..scan.column cimport Column


cdef struct Sum:
    double total, error


cdef inline void add(Sum* sum, double value) noexcept nogil:
    cdef double next = sum.total + value, part = next - sum.total
    sum.error += (sum.total - (next - part)) + (value - part)
    sum.total = next


cdef inline double quotient(Sum sum, double count) noexcept nogil:
    """sum / count, with what the division leaves over divided once more; NaN for nothing."""
    cdef double first = sum.total / count
    return first + (fma(-first, count, sum.total) + sum.error) / count


def column_means(values):
    """Columns (count, mean, standard deviation) of the rows of `values` (columns, records), NaN left out.

    Both are NaN where nothing is left.
    """
    cdef const double[:, ::1] rows = values
    cdef Py_ssize_t columns = rows.shape[0], c, r
    cdef Column counts = Column("q", columns), means = Column("d", columns), spreads = Column("d", columns)
    cdef long long count
    cdef double mean
    cdef Sum sum
    for c in range(columns):
        sum.total = sum.error = 0
        count = 0
        for r in range(rows.shape[1]):
            if not isnan(rows[c, r]):
                add(&sum, rows[c, r])
                count += 1
        mean = quotient(sum, <double> count)
        sum.total = sum.error = 0
        for r in range(rows.shape[1]):
            if not isnan(rows[c, r]):
                add(&sum, (rows[c, r] - mean) * (rows[c, r] - mean))
        (<long long*> counts.data)[c] = count
        (<double*> means.data)[c] = mean
        (<double*> spreads.data)[c] = sqrt(quotient(sum, <double> count))
    return counts, means, spreads
