"""Turns of a box in space: axes[3 * k + j] is component j of axis k, a unit vector, and the three are right-handed."""

from libc.math cimport cos, fabs, sin
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #define LEAST_NORM 1e-12        /* a shorter quaternion is more likely a mistake than a rotation */
    #define NEAR_ROTATION 1e-3      /* from here, three steps to the nearest rotation leave only rounding */
    #define TIE 1e-12               /* axes that lean alike keep their order, however they are rounded */
    """
    const double LEAST_NORM
    const double NEAR_ROTATION
    const double TIE


cdef inline void no_turn(double* axes) noexcept nogil:
    memset(axes, 0, 9 * sizeof(double))
    axes[0] = axes[4] = axes[8] = 1.0


cdef inline void turn_by_yaw(double yaw, double* axes) noexcept nogil:
    no_turn(axes)
    axes[0] = axes[4] = cos(yaw)
    axes[1] = sin(yaw)
    axes[3] = -axes[1]


cdef inline bint turn_by_quaternion(const double* q, double* axes) noexcept nogil:
    """By x, y, z, w of any length but none."""
    cdef double x = q[0], y = q[1], z = q[2], w = q[3], norm = x * x + y * y + z * z + w * w, s
    if norm < LEAST_NORM * LEAST_NORM:
        return False
    s = 2.0 / norm                              # as if it had been normalised, without a root
    axes[0], axes[1], axes[2] = 1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)
    axes[3], axes[4], axes[5] = s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)
    axes[6], axes[7], axes[8] = s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)
    return True


cdef inline bint turn_by_matrix(double* axes, double tolerance) noexcept nogil:
    """Replace axes by those of the nearest rotation; whether no number moves by more than `tolerance`."""
    cdef double given[9]
    cdef int k
    memcpy(given, axes, 9 * sizeof(double))
    if determinant(axes) < 0.5 or farthest_from_unit(axes) > NEAR_ROTATION:
        return False
    for k in range(3):
        step_to_rotation(axes)
    for k in range(9):
        if fabs(axes[k] - given[k]) > tolerance:
            return False
    return True


cdef inline double dot(const double* a, const double* b) noexcept nogil:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


cdef inline double determinant(const double* a) noexcept nogil:
    return (a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6])
            + a[2] * (a[3] * a[7] - a[4] * a[6]))


cdef inline double farthest_from_unit(const double* axes) noexcept nogil:
    """How far lengths (squared) are from 1, or products of two axes from 0."""
    cdef double most = 0
    cdef int k, l
    for k in range(3):
        for l in range(3):
            most = max(most, fabs(dot(axes + 3 * k, axes + 3 * l) - (k == l)))
    return most


cdef inline void step_to_rotation(double* axes) noexcept nogil:
    """A step of Newton's iteration for the polar factor: what is off by e is then off by e squared.

    What is exactly zero across the axis of a turn stays so.
    """
    cdef double old[9]
    cdef double g
    cdef int j, k, l
    memcpy(old, axes, 9 * sizeof(double))
    for k in range(3):
        for j in range(3):
            axes[3 * k + j] = 1.5 * old[3 * k + j]
        for l in range(3):
            g = 0.5 * dot(old + 3 * k, old + 3 * l)
            for j in range(3):
                axes[3 * k + j] -= g * old[3 * l + j]


cdef inline bint stand_up(double* axes, double* half) noexcept nogil:
    """Make the axis nearest to world Z the third, pointing up, right-handed; whether it is exactly world Z.

    The axes change places in a circle, and two of them point the other way if the third would point down: both leave
    the box as it is.
    """
    cdef double old[9]
    cdef double sizes[3]
    cdef int j, k, nearest = 2
    for k in range(2):
        if fabs(axes[3 * k + 2]) > fabs(axes[3 * nearest + 2]) + TIE:
            nearest = k
    if nearest != 2:
        memcpy(old, axes, 9 * sizeof(double))
        memcpy(sizes, half, 3 * sizeof(double))
        for k in range(3):
            memcpy(axes + 3 * k, old + 3 * ((k + nearest + 1) % 3), 3 * sizeof(double))
            half[k] = sizes[(k + nearest + 1) % 3]
    if axes[8] < 0.0:
        for k in range(3, 9):
            axes[k] = -axes[k]
    if axes[6] != 0.0 or axes[7] != 0.0:
        return False
    axes[2] = axes[5] = axes[6] = axes[7] = 0.0
    axes[3], axes[4], axes[8] = 0.0 - axes[1], axes[0], 1.0
    return True


cdef inline void bound(const double* center, const double* half, const double* axes, double* bounds) noexcept nogil:
    cdef double reach
    cdef int j
    for j in range(3):
        reach = fabs(axes[j]) * half[0] + fabs(axes[3 + j]) * half[1] + fabs(axes[6 + j]) * half[2]
        bounds[j] = center[j] - reach
        bounds[3 + j] = center[j] + reach
