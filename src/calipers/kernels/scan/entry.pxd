"""Checks at the entry points of kernels: inner loops trust lengths and indices, so they are looked at once per call."""


cdef inline int check_offsets(const long long[::1] offsets, Py_ssize_t items, str name) except -1:
    """`offsets` has at least one entry, ascends and stays within `items`."""
    cdef Py_ssize_t k
    if offsets.shape[0] < 1 or offsets[0] < 0:
        raise ValueError(f"{name}: found no offset from 0 on, expected one more than there are groups")
    for k in range(1, offsets.shape[0]):
        if offsets[k] < offsets[k - 1]:
            raise ValueError(f"{name}: found {offsets[k]} after {offsets[k - 1]}, expected them to ascend")
    if offsets[offsets.shape[0] - 1] > items:
        raise ValueError(f"{name}: found {offsets[offsets.shape[0] - 1]}, expected at most {items}")
    return 0


cdef inline int check_length(Py_ssize_t found, Py_ssize_t expected, str name) except -1:
    if found != expected:
        raise ValueError(f"{name}: found a length of {found}, expected {expected}")
    return 0


cdef inline int check_indices(const int[::1] index, Py_ssize_t count, str name) except -1:
    """Every index is one of `count` objects."""
    cdef Py_ssize_t k
    for k in range(index.shape[0]):
        if not 0 <= index[k] < count:
            raise ValueError(f"{name}: found index {index[k]}, expected one below {count}")
    return 0


cdef inline bint all_within(const double[::1] numbers, double low, double high) noexcept nogil:
    """Whether no number lies outside, and none is NaN; several are looked at in one instruction."""
    cdef Py_ssize_t k
    cdef long long outside = 0
    for k in range(numbers.shape[0]):
        outside |= -<long long> (not (numbers[k] >= low)) | -<long long> (not (numbers[k] <= high))
    return outside == 0
