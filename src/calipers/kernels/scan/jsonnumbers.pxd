"""Numbers and rotations out of the objects that JSON is read to, or that were given instead: lists, tuples, arrays."""

from cpython.bool cimport PyBool_Check
from cpython.dict cimport PyDict_Check, PyDict_GetItemWithError
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check, PyFloat_CheckExact
from cpython.list cimport PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.object cimport PyObject
from libc.math cimport fabs

from .rotations cimport no_turn, turn_by_matrix, turn_by_quaternion, turn_by_yaw

cdef extern from "Python.h":
    double PyLong_AsDouble(object number)       # -1 and an exception when it is too large

cdef extern from *:
    """
    #define LARGEST_NUMBER 1e100    /* the volume of a box of this size is a number still */
    #define SMALLEST_SIZE 1e-100    /* and so is that of one of this size */
    #define ROTATION_TOLERANCE 1e-6 /* by which a matrix may be off */
    """
    const double LARGEST_NUMBER
    const double SMALLEST_SIZE
    const double ROTATION_TOLERANCE


cdef inline bint is_given(PyObject* found) noexcept:
    return found != NULL and <object> found is not None


cdef inline bint read_number(object value, double* out) except -1:
    """Whether this is a number, as which Booleans and texts do not count."""
    if PyFloat_CheckExact(value):
        out[0] = PyFloat_AS_DOUBLE(value)
    elif PyLong_CheckExact(value):
        out[0] = PyLong_AsDouble(value)
        if out[0] == -1.0 and PyErr_Occurred():
            PyErr_Clear()
            return False
    elif PyFloat_Check(value):
        out[0] = PyFloat_AS_DOUBLE(value)
    elif PyLong_Check(value):
        return not PyBool_Check(value) and read_number(int(value), out)
    else:
        value = number_of_scalar(value)
        return value is not None and read_number(value, out)
    return fabs(out[0]) <= LARGEST_NUMBER                 # NaN is not


cdef inline object number_of_scalar(object value):
    """A number of numpy as an int or a float, None for anything else. The item of a long double is a long double."""
    if getattr(value, "ndim", None) != 0:
        return None
    item = value.item()
    if not isinstance(item, (int, float)) and getattr(getattr(item, "dtype", None), "kind", None) == "f":
        item = float(item)
    return item if isinstance(item, (int, float)) else None


cdef inline object as_list(object value):
    """Lists as they are; tuples and arrays as lists; None for anything else."""
    if PyList_CheckExact(value):
        return value
    if isinstance(value, (list, tuple)):
        return list(value)
    if hasattr(value, "tolist") and getattr(value, "ndim", 0):
        value = value.tolist()
        return value if PyList_CheckExact(value) else None
    return None


cdef inline bint read_numbers(PyObject* found, Py_ssize_t count, double* out) except -1:
    cdef Py_ssize_t i
    if found == NULL:
        return False
    numbers = as_list(<object> found)
    if numbers is None or PyList_GET_SIZE(numbers) != count:
        return False
    for i in range(count):
        if not read_number(<object> PyList_GET_ITEM(numbers, i), &out[i]):
            return False
        out[i] += 0.0                           # -0.0 becomes 0.0
    return True


cdef inline bint read_yaw(object rotation, double* axes) except -1:
    cdef PyObject* found = PyDict_GetItemWithError(rotation, "yaw")
    cdef double yaw = 0
    if found == NULL or len(rotation) != 1 or not read_number(<object> found, &yaw):
        return False
    turn_by_yaw(yaw, axes)
    return True


cdef inline bint read_matrix(list rows, double* axes) except -1:
    """The rotation nearest to a matrix, if each of its numbers is that near."""
    cdef double row[3]
    cdef int j, k
    for j in range(3):
        if not read_numbers(<PyObject*> PyList_GET_ITEM(rows, j), 3, row):
            return False
        for k in range(3):
            axes[3 * k + j] = row[k]
    return turn_by_matrix(axes, ROTATION_TOLERANCE)


cdef inline bint read_rotation(PyObject* found, double* axes) except -1:
    """Axes of a box: axes[3 * k + j] is component j of axis k."""
    cdef double q[4]
    if not is_given(found):
        no_turn(axes)
        return True
    if PyDict_Check(<object> found):
        return read_yaw(<object> found, axes)
    parts = as_list(<object> found)
    if parts is None:
        return False
    if PyList_GET_SIZE(parts) == 4:
        return read_numbers(<PyObject*> parts, 4, q) and turn_by_quaternion(q, axes)
    return PyList_GET_SIZE(parts) == 3 and read_matrix(parts, axes)
