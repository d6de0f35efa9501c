cdef struct Cuboid:
    const double* center
    const double* half
    const double* axes
    double volume


cdef double shared_volume(const Cuboid* large, const Cuboid* small, double slack) noexcept nogil
