"""Columns to plain dicts, by the ten thousand."""

from cpython.dict cimport PyDict_Copy, PyDict_GetItemWithError, PyDict_SetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject

from .checks cimport check_count, check_length, check_long_indices


def rows_as_dicts(list names not None, list columns not None, Py_ssize_t count):
    """A dict a row, with names as keys; `columns` holds a list of values for each name."""
    cdef dict template = dict.fromkeys(names), row
    cdef list rows = [None] * count, column
    cdef Py_ssize_t r, c, width = len(names)
    check_count("count", count)
    check_length("columns", len(columns), width)
    for column in columns:
        check_length("column", len(column), count)
    for r in range(count):
        row = PyDict_Copy(template)             # keys are in place: nothing is hashed or grown again
        for c in range(width):
            PyDict_SetItem(row, <object> PyList_GET_ITEM(names, c),
                           <object> PyList_GET_ITEM(<object> PyList_GET_ITEM(columns, c), r))
        rows[r] = row
    return rows


def nested_counts(video, truth, pred, frames, list states not None, Py_ssize_t count):
    """For each video {state in truth: {state in pred: frames}}, in the order given."""
    cdef const long long[::1] videos = video, a = truth, b = pred, n = frames
    cdef list trees = [{} for _ in range(count)]
    cdef dict tree
    cdef PyObject* found
    cdef Py_ssize_t k, cells = videos.shape[0]
    check_long_indices("video", videos, count)
    for name, column in (("truth", truth), ("pred", pred), ("frames", frames)):
        check_length(name, len(column), cells)
    check_long_indices("truth", a, PyList_GET_SIZE(states))
    check_long_indices("pred", b, PyList_GET_SIZE(states))
    for k in range(videos.shape[0]):
        tree = <dict> trees[videos[k]]
        found = PyDict_GetItemWithError(tree, states[a[k]])
        if found == NULL:
            tree[states[a[k]]] = {states[b[k]]: n[k]}
        else:
            PyDict_SetItem(<object> found, states[b[k]], n[k])
    return trees
