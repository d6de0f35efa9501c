"""The volume that two boxes share, exact.

The larger box gives the frame, in which it is |x| <= hx, |y| <= hy, |z| <= hz around its centre; so boxes far away lose
nothing. On each line along x the smaller box begins somewhere and ends somewhere, both kept within the larger box, and
what they share is the difference. So the volume is the sum, over the faces of the smaller box, of

    the integral of t over the shadow of the face on (y, z), cut to |y| <= hy and |z| <= hz

where t is hx - x, kept within 0 and 2 * hx, and shadows of faces seen from within count as negative. If the third axes
of both boxes are parallel, the same is done one dimension lower, times the height they share.

Each integral is a continuous function of the corners: a corner that rounding puts on the wrong side of a plane is next
to it and makes no difference. So boxes that touch, faces in one plane and parallel edges need no special care.
"""

from libc.math cimport fabs

from ..scan.rotations cimport dot


cdef enum:                      # where a corner lies
    ABOVE = 1                   # t <= 0
    LEFT = 2                    # y <= -hy
    RIGHT = 4
    FRONT = 8                   # z <= -hz
    BACK = 16
    BELOW = 32                  # t > 2 * hx
    OUTSIDE = 31                # a face with all its corners on one of these sides adds nothing
    MOST_POINTS = 48            # 4 corners, cut six times, even if rounding were to make every other edge cross

cdef double PARALLEL = 1e-15    # the sine of an angle that is only rounding
cdef int[6][4] FACES = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]]


cdef struct Cuboid:
    const double* center
    const double* half
    const double* axes
    double volume


cdef struct View:               # the smaller box as the larger one sees it
    double[3] half              # of the larger one
    double[3] center
    double[3][3] turn           # its three axes
    double[3][3] arm            # the same, with half its size for a length
    double[3] reach             # how far it gets from its centre along each axis of the larger one


cdef struct Corners:            # bit k of the index says on which side of axis k
    double[8][3] point          # t, y, z
    int[8] side


cdef double shared_volume(const Cuboid* large, const Cuboid* small, double slack) noexcept nogil:
    """Volume of the intersection; 0 if it is not deeper than `slack`."""
    cdef View view
    look(large, small, &view)
    if is_apart(&view, small.half, slack):
        return 0
    if is_inside(&view):
        return small.volume
    if view.turn[2][0] == 0 and view.turn[2][1] == 0 and view.turn[0][2] == 0 and view.turn[1][2] == 0:
        return shared_area(&view) * shared_height(&view)
    return shared_by_faces(&view)


cdef inline void look(const Cuboid* large, const Cuboid* small, View* view) noexcept nogil:
    cdef double[3] d
    cdef double along
    cdef int i, k
    for i in range(3):
        d[i] = small.center[i] - large.center[i]
    for i in range(3):
        view.half[i] = large.half[i]
        view.center[i] = dot(large.axes + 3 * i, d)
        for k in range(3):
            along = dot(large.axes + 3 * i, small.axes + 3 * k)
            view.turn[k][i] = along if fabs(along) > PARALLEL else 0
            view.arm[k][i] = view.turn[k][i] * small.half[k]
        view.reach[i] = fabs(view.arm[0][i]) + fabs(view.arm[1][i]) + fabs(view.arm[2][i])


cdef inline bint is_apart(const View* view, const double* half, double slack) noexcept nogil:
    """Whether a face of either box has the other one outside."""
    cdef double reach
    cdef int k
    for k in range(3):
        if fabs(view.center[k]) >= view.half[k] + view.reach[k] - slack:
            return True
    for k in range(3):
        reach = (fabs(view.turn[k][0]) * view.half[0] + fabs(view.turn[k][1]) * view.half[1]
                 + fabs(view.turn[k][2]) * view.half[2])
        if fabs(dot(view.turn[k], view.center)) >= half[k] + reach - slack:
            return True
    return False


cdef inline bint is_inside(const View* view) noexcept nogil:
    cdef int i
    for i in range(3):
        if fabs(view.center[i]) + view.reach[i] > view.half[i]:
            return False
    return True


# Boxes at any angle: faces as rings of points (t, y, z)


cdef double shared_by_faces(const View* view) noexcept nogil:
    cdef Corners corners
    cdef int f = least_below(view), k
    cdef double deep = 2 * view.half[f], hy = view.half[(f + 1) % 3], hz = view.half[(f + 2) % 3], volume = 0
    put_corners(view, f, &corners)
    for k in range(6):
        volume += face_volume(&corners, FACES[k], deep, hy, hz)
    return fabs(volume)         # negative if t had to be counted from the other side


cdef inline int least_below(const View* view) noexcept nogil:
    """The axis to be called x: that on which the smaller box sticks out least at the side where its centre is not."""
    cdef double free, most = view.half[0] + fabs(view.center[0]) - view.reach[0]
    cdef int i, best = 0
    for i in range(1, 3):
        free = view.half[i] + fabs(view.center[i]) - view.reach[i]
        if free > most:
            best, most = i, free
    return best


cdef inline void put_corners(const View* view, int f, Corners* corners) noexcept nogil:
    """The corners with axis f for x; t is counted from the side at which the centre is."""
    cdef int g = (f + 1) % 3, h = (f + 2) % 3, i
    cdef double way = 1 if view.center[f] < 0 else -1
    cdef double deep = 2 * view.half[f], hy = view.half[g], hz = view.half[h], t, y, z
    for i in range(8):
        t = view.half[f] - fabs(view.center[f]) + way * corner_of(view, f, i)
        y = view.center[g] + corner_of(view, g, i)
        z = view.center[h] + corner_of(view, h, i)
        corners.point[i][0], corners.point[i][1], corners.point[i][2] = t, y, z
        corners.side[i] = ((t <= 0) | (y <= -hy) << 1 | (y >= hy) << 2 | (z <= -hz) << 3 | (z >= hz) << 4
                           | (t > deep) << 5)


cdef inline double corner_of(const View* view, int axis, int i) noexcept nogil:
    """Corner i as seen from the centre."""
    return ((view.arm[0][axis] if i & 1 else -view.arm[0][axis]) + (view.arm[1][axis] if i & 2 else -view.arm[1][axis])
            + (view.arm[2][axis] if i & 4 else -view.arm[2][axis]))


cdef inline double face_volume(const Corners* corners, const int* face, double deep, double hy,
                               double hz) noexcept nogil:
    """What a face adds to the volume."""
    cdef double[3 * MOST_POINTS] first
    cdef double[3 * MOST_POINTS] second
    cdef double* ring = first
    cdef double* spare = second
    cdef const int* side = &corners.side[0]
    cdef int some = side[face[0]] | side[face[1]] | side[face[2]] | side[face[3]]
    cdef int i, n = 4
    cdef double area
    if side[face[0]] & side[face[1]] & side[face[2]] & side[face[3]] & OUTSIDE:
        return 0
    for i in range(4):
        ring[3 * i] = corners.point[face[i]][0]
        ring[3 * i + 1] = corners.point[face[i]][1]
        ring[3 * i + 2] = corners.point[face[i]][2]
    if some & ABOVE:
        n = cut(&ring, &spare, n, 0, 1, 0)
    if n > 2 and some & LEFT:
        n = cut(&ring, &spare, n, 1, 1, hy)
    if n > 2 and some & RIGHT:
        n = cut(&ring, &spare, n, 1, -1, hy)
    if n > 2 and some & FRONT:
        n = cut(&ring, &spare, n, 2, 1, hz)
    if n > 2 and some & BACK:
        n = cut(&ring, &spare, n, 2, -1, hz)
    if n > 2 and some & BELOW:
        area = shadow(ring, n)
        n = cut(&ring, &spare, n, 0, -1, deep)
        return integral(ring, n) + deep * (area - shadow(ring, n))
    return integral(ring, n)


cdef inline int cut(double** ring, double** spare, int n, int axis, double slope, double base) noexcept nogil:
    """Cut a ring to where base + slope * coordinate is not negative; returns how many points are left.

    Points are written first and then kept or not, since no processor could foresee which. Where an edge is cut does not
    depend on its direction, so that the two faces at an edge stay together.
    """
    cdef const double* p = ring[0] + 3 * (n - 1)
    cdef const double* q = ring[0]
    cdef double* out = spare[0]
    cdef double s = base + slope * p[axis], t, share
    cdef int i, kept = 0
    for i in range(n):
        t = base + slope * q[axis]
        share = 1 / (s - t)
        out[3 * kept] = (s * q[0] - t * p[0]) * share
        out[3 * kept + 1] = (s * q[1] - t * p[1]) * share
        out[3 * kept + 2] = (s * q[2] - t * p[2]) * share
        kept += (s < 0) != (t < 0)
        out[3 * kept] = q[0]
        out[3 * kept + 1] = q[1]
        out[3 * kept + 2] = q[2]
        kept += t >= 0
        s = t
        p = q
        q += 3
    ring[0], spare[0] = spare[0], ring[0]
    return kept


cdef inline double twice_area(const double* ring, int i) noexcept nogil:
    """Of triangle i of the fan at the first point, as a shadow on (y, z)."""
    return ((ring[3 * i + 1] - ring[1]) * (ring[3 * i + 5] - ring[2])
            - (ring[3 * i + 2] - ring[2]) * (ring[3 * i + 4] - ring[1]))


cdef inline double shadow(const double* ring, int n) noexcept nogil:
    cdef double doubled = 0
    cdef int i
    for i in range(1, n - 1):
        doubled += twice_area(ring, i)
    return doubled / 2


cdef inline double integral(const double* ring, int n) noexcept nogil:
    """Of t over the shadow."""
    cdef double six = 0
    cdef int i
    for i in range(1, n - 1):
        six += twice_area(ring, i) * (ring[0] + ring[3 * i] + ring[3 * i + 3])
    return six / 6


# Boxes with parallel third axes


cdef inline double shared_height(const View* view) noexcept nogil:
    cdef double one = view.half[2], other = view.reach[2]
    return min(2 * min(one, other), one + other - fabs(view.center[2]))


cdef inline double shared_area(const View* view) noexcept nogil:
    """Of the two rectangles seen from above: the strips between the y axis and each edge, with their signs."""
    cdef double hx = view.half[0], hy = view.half[1], cx = view.center[0], cy = view.center[1]
    cdef double ux = view.arm[0][0], uy = view.arm[0][1], vx = view.arm[1][0], vy = view.arm[1][1]
    cdef double x0 = cx - ux - vx, y0 = cy - uy - vy, x1 = cx + ux - vx, y1 = cy + uy - vy
    cdef double x2 = cx + ux + vx, y2 = cy + uy + vy, x3 = cx - ux + vx, y3 = cy - uy + vy
    return fabs(strip(x0, y0, x1, y1, hx, hy) + strip(x1, y1, x2, y2, hx, hy)
                + strip(x2, y2, x3, y3, hx, hy) + strip(x3, y3, x0, y0, hx, hy))


cdef inline double strip(double px, double py, double qx, double qy, double hx, double hy) noexcept nogil:
    """The integral of x along an edge, over y, with both kept within the larger box."""
    cdef double low = within(py, hy), high = within(qy, hy), a, b, area
    if low == high:
        return 0
    a = px + (low - py) / (qy - py) * (qx - px)
    b = px + (high - py) / (qy - py) * (qx - px)
    if a == b:
        return within(a, hx) * (high - low)
    area = ((within(b, hx) - within(a, hx)) * (within(b, hx) + within(a, hx)) / 2
            + hx * (max(b, hx) - max(a, hx)) - hx * (min(b, -hx) - min(a, -hx)))
    return area / (b - a) * (high - low)


cdef inline double within(double value, double limit) noexcept nogil:
    return min(max(value, -limit), limit)
