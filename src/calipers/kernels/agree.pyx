"""Do two sides say the same? Counted over pairs, by codes; -1 is nothing said."""


def count_agreement(codes, truth, pred):
    """(said by truth, said by pred, said alike) of pairs, where the code of object k is codes[k]."""
    cdef const int[::1] code = codes
    cdef const int[::1] a = truth, b = pred
    cdef Py_ssize_t k, by_truth = 0, by_pred = 0, alike = 0
    cdef int meant, said
    for k in range(a.shape[0]):
        meant = code[a[k]]
        said = code[b[k]]
        by_truth += meant >= 0
        by_pred += said >= 0
        alike += meant >= 0 and meant == said
    return by_truth, by_pred, alike
