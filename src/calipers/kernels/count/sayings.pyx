"""What two descriptions that met both say: pairs of them each once, and the entries that they share.

A description is a row of entries, in ascending order; an entry is a value under a key, by a code of its own. So a value
that two descriptions give under the same key is an entry that both rows have, and sets of values are compared alike.
"""

from ..scan.checks cimport check_between, check_count, check_indices, check_length, check_offsets
from ..scan.column cimport Column


def count_met(first, second, times, Py_ssize_t codes):
    """Columns: pairs of codes below `codes` that stand side by side, each once, in the order of the first; and how often.

    A row counts as often as `times` says, once where that is None.
    """
    cdef const int[::1] a = first, b = second
    cdef const long long[::1] often = times
    cdef Py_ssize_t rows = a.shape[0], k, row, begun = 0, met = 0
    check_count("first", rows)
    check_count("codes", codes)
    check_length("second", b.shape[0], rows)
    check_length("times", rows if times is None else often.shape[0], rows)
    check_indices("first", a, codes)
    check_indices("second", b, codes)
    cdef Column ordered = Column("i", rows), starts = Column("q", codes + 2), places = Column("q", codes)
    cdef Column one = Column("i", rows), other = Column("i", rows), sums = Column("q", rows)
    cdef int* order = <int*> ordered.data                       # rows by their first code
    cdef long long* start = <long long*> starts.data            # of code c at c + 1
    cdef long long* behind = <long long*> places.data           # for each second code, behind the pair it was in last
    cdef int code = -1
    cdef bint once = times is None
    with nogil:
        for row in range(rows):
            start[a[row] + 2] += 1
        for k in range(2, codes + 2):
            start[k] += start[k - 1]
        for row in range(rows):
            order[start[a[row] + 1]] = <int> row
            start[a[row] + 1] += 1
        for k in range(rows):
            row = order[k]
            if a[row] != code:
                code, begun = a[row], met
            if behind[b[row]] <= begun:
                (<int*> one.data)[met] = code
                (<int*> other.data)[met] = b[row]
                met += 1
                behind[b[row]] = met
            (<long long*> sums.data)[behind[b[row]] - 1] += 1 if once else often[row]
    for column in (one, other, sums):
        (<Column> column).resize(met)
    return one, other, sums


def count_shared(truth, pred, times, starts, entries, keys, Py_ssize_t key_count):
    """Of pairs of descriptions, so many `times` each: how many entries of each key the truth has, the prediction has,
    and both have, (3 * keys,). The entries of description d are `entries[starts[d]:starts[d + 1]]`, ascending, and
    `keys` has the key of every entry."""
    cdef const int[::1] s = truth, t = pred, entry = entries, key = keys
    cdef const long long[::1] often = times, start = starts
    cdef Py_ssize_t k, i, j, descs = start.shape[0] - 1, pairs = s.shape[0]
    cdef Column out = Column("q", 3 * check_keys(key_count))
    cdef long long* meant = <long long*> out.data
    cdef long long* said = meant + key_count
    cdef long long* both = said + key_count
    cdef Column totals
    cdef long long* by_truth
    cdef long long* by_pred
    check_length("pred", t.shape[0], pairs)
    check_length("times", often.shape[0], pairs)
    check_between("starts", start.shape[0], 1, start.shape[0])
    check_offsets("starts", start, entry.shape[0])
    check_indices("truth", s, descs)
    check_indices("pred", t, descs)
    check_indices("entries", entry, key.shape[0])
    check_indices("keys", key, key_count)
    check_rows(start, entry)
    totals = Column("q", 2 * descs)
    by_truth = <long long*> totals.data
    by_pred = by_truth + descs
    with nogil:
        for k in range(pairs):
            by_truth[s[k]] += often[k]
            by_pred[t[k]] += often[k]
            i, j = start[s[k]], start[t[k]]
            while i < start[s[k] + 1] and j < start[t[k] + 1]:
                if entry[i] == entry[j]:
                    both[key[entry[i]]] += often[k]
                    i += 1
                    j += 1
                elif entry[i] < entry[j]:
                    i += 1
                else:
                    j += 1
        for k in range(descs):
            for i in range(start[k], start[k + 1]):
                meant[key[entry[i]]] += by_truth[k]
                said[key[entry[i]]] += by_pred[k]
    return out


cdef Py_ssize_t check_keys(Py_ssize_t found) except -1:
    check_count("key_count", found)
    return found


cdef int check_rows(const long long[::1] starts, const int[::1] entries) except -1:
    """Entries of a row ascend."""
    cdef Py_ssize_t row, k
    cdef bint fine = True
    for row in range(starts.shape[0] - 1):
        for k in range(starts[row] + 1, starts[row + 1]):
            fine &= entries[k - 1] < entries[k]
    if not fine:
        raise ValueError("entries: expected those of a row to ascend")
    return 0
