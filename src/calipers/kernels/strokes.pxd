cdef extern from *:
    """
    #define NEAR 2e-10
    #define NEAR_WIDE 1e-6
    """
    const double NEAR
    const double NEAR_WIDE

cdef struct Rows:
    int first, last         # the rows, and for each of them the cells begin[row - first] up to end[row - first]
    short* begin
    short* end

cdef void disc_rows(double x, double y, double radius, double near, Rows* out) noexcept nogil
cdef void slab_rows(const double* a, double radius, double near, Rows* out) noexcept nogil
cdef void settle_rows(const double* a, bint disc, double radius2, Rows* rows) noexcept nogil
