"""What many numbers come to and how sure that is: means and spreads, ends of intervals, fractions of chances.

Means and spreads are the same on every machine. Each value is added in turn with the error of every addition carried
along. The sum is then as good as exact: nothing is added in another order.
"""

from libc.math cimport INFINITY, fabs, fma, isnan, sqrt

from ..scan.checks cimport check_between, check_length, check_numbers, check_product
from ..scan.column cimport Column

cdef enum:
    STEPS = 300
    LONG_TAIL = 8
    SAMPLED = 8                 # of so many numbers one is looked at first

cdef double TINY = 1e-300
cdef double CLOSE = 1e-14


cdef struct Sum:
    double total, error


cdef inline void add_value(Sum* sum, double value) noexcept nogil:
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
                add_value(&sum, rows[c, r])
                count += 1
        mean = quotient(sum, <double> count)
        sum.total = sum.error = 0
        for r in range(rows.shape[1]):
            if not isnan(rows[c, r]):
                add_value(&sum, (rows[c, r] - mean) * (rows[c, r] - mean))
        (<long long*> counts.data)[c] = count
        (<double*> means.data)[c] = mean
        (<double*> spreads.data)[c] = sqrt(quotient(sum, <double> count))
    return counts, means, spreads


def interval_ends(values, Py_ssize_t columns, Py_ssize_t tail):
    """Of each row of `values`, (rows * columns,), the number that `tail` others lie below, and the one they lie above:
    (rows * 2,). NaN is not expected.

    Few numbers of a row belong to its ends, so most are compared twice and passed over.
    """
    cdef const double[::1] value = values
    cdef Py_ssize_t rows, r
    cdef Column ends, kept
    check_between("columns", columns, 1, max(value.shape[0], 1))
    check_between("tail", tail, 0, columns - 1)
    rows = value.shape[0] // columns
    check_length("values", value.shape[0], check_product("values", rows, columns))
    check_numbers("values", value)
    ends, kept = Column("d", 2 * rows), Column("d", 2 * (tail + 1))
    with nogil:
        for r in range(rows):
            find_ends(&value[r * columns], columns, tail, <double*> kept.data, <double*> ends.data + 2 * r)
    return ends


cdef void find_ends(const double* value, Py_ssize_t count, Py_ssize_t tail, double* kept, double* ends) noexcept nogil:
    """`kept` has room for the smallest numbers in ascending order, then for the largest in descending order.

    Some numbers tell about where the ends are, beyond which few others have to be kept; too few, if they mislead.
    """
    cdef double* largest = kept + tail + 1
    cdef double low = INFINITY, high = -INFINITY
    cdef Py_ssize_t last = tail // 4 + 2
    if tail >= LONG_TAIL:
        keep_ends(value, count, SAMPLED, last, low, high, kept, largest)
        low, high = kept[last], largest[last]
        keep_ends(value, count, 1, tail, low, high, kept, largest)
    if tail < LONG_TAIL or not kept[tail] < low or not largest[tail] > high:
        keep_ends(value, count, 1, tail, INFINITY, -INFINITY, kept, largest)
    ends[0], ends[1] = kept[tail], largest[tail]


cdef inline void keep_ends(const double* value, Py_ssize_t count, Py_ssize_t step, Py_ssize_t last, double low, double high,
                           double* smallest, double* largest) noexcept nogil:
    """Of every `step`-th number those below `low` and above `high`, the last of as many as are kept at `last`."""
    cdef Py_ssize_t k
    for k in range(last + 1):
        smallest[k], largest[k] = low, high
    k = 0
    while k < count:
        if value[k] < smallest[last]:
            keep_below(smallest, last, value[k])
        if value[k] > largest[last]:
            keep_above(largest, last, value[k])
        k += step


cdef inline void keep_below(double* kept, Py_ssize_t last, double value) noexcept nogil:
    """Put a number where it belongs in ascending order; the one at `last` drops out."""
    while last > 0 and kept[last - 1] > value:
        kept[last] = kept[last - 1]
        last -= 1
    kept[last] = value


cdef inline void keep_above(double* kept, Py_ssize_t last, double value) noexcept nogil:
    """The same in descending order."""
    while last > 0 and kept[last - 1] < value:
        kept[last] = kept[last - 1]
        last -= 1
    kept[last] = value


def beta_fractions(x, a, b):
    """The continued fraction of the incomplete beta function for each x, a and b, by Lentz's way."""
    cdef const double[::1] at = x, first = a, second = b
    cdef Column fractions = Column("d", at.shape[0])
    cdef Py_ssize_t k
    check_length("a", first.shape[0], at.shape[0])
    check_length("b", second.shape[0], at.shape[0])
    with nogil:
        for k in range(at.shape[0]):
            (<double*> fractions.data)[k] = beta_fraction(at[k], first[k], second[k])
    return fractions


cdef double beta_fraction(double x, double a, double b) noexcept nogil:
    cdef double c = 1, d = 1 / apart(1 - (a + b) * x / (a + 1)), total = d, m
    cdef int step
    for step in range(1, STEPS):
        m = step
        advance(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), &c, &d, &total)
        advance(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), &c, &d, &total)
        if not fabs(c * d - 1) > CLOSE:
            break
    return total


cdef inline void advance(double step, double* c, double* d, double* total) noexcept nogil:
    d[0] = 1 / apart(1 + step * d[0])
    c[0] = apart(1 + step / c[0])
    total[0] = total[0] * c[0] * d[0]


cdef inline double apart(double value) noexcept nogil:
    """A number that can be divided by; NaN becomes one too."""
    return value if fabs(value) > TINY else TINY
