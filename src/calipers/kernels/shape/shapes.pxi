"""One form for each shape, so that everything after is simple and does not depend on how a shape was written down.

A region becomes a polygon without repeated vertices, counter-clockwise, starting at its lexicographically smallest
vertex. One whose edges properly cross is repaired: vertices ordered by angle around their mean, nearer first where
angles are equal. One that touches itself becomes a ring once around what it encloses (see `windings`). Along come area,
bounds and flags:

    1 box   2 convex   4 small integers (kernels are exact then)   8 clamped   16 repaired   32 no area
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport fabs
from libc.string cimport memcpy

from ..scan.column cimport Column
from ..scan.entry cimport all_within, check_length, check_offsets

FLAGS = {"box": 1, "convex": 2, "integer": 4, "clamped": 8, "repaired": 16, "degenerate": 32}
cdef enum:
    IS_BOX = 1
    CONVEX = 2
    INTEGER = 4
    REPAIRED = 16
    DEGENERATE = 32

cdef enum:
    SMALL_RUN = 64
    KIND_BOX = 0
    KIND_POLY = 1
    KIND_LINE = 2

cdef double LARGEST_EXACT = 3000.0      # products of two cross products of such differences stay below 2 ** 53
cdef double LARGEST = 1e100             # areas of larger numbers would not be finite


cdef Py_ssize_t drop_repeats(double* xy, Py_ssize_t n) noexcept nogil:
    """Consecutive equal vertices, the last and the first among them, become one. Returns how many are left."""
    cdef Py_ssize_t i, kept = 0
    for i in range(n):
        if kept == 0 or xy[2 * i] != xy[2 * kept - 2] or xy[2 * i + 1] != xy[2 * kept - 1]:
            xy[2 * kept] = xy[2 * i]
            xy[2 * kept + 1] = xy[2 * i + 1]
            kept += 1
    while kept > 1 and xy[0] == xy[2 * kept - 2] and xy[1] == xy[2 * kept - 1]:
        kept -= 1
    return kept


cdef bint is_convex(const double* xy, Py_ssize_t n) noexcept nogil:
    """All turns one way, whatever their size, and one way up and one way down in lexicographic order: once around."""
    cdef Py_ssize_t i, j, k, changes = 0
    cdef bint left = False, right = False
    cdef double t
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        k = j + 1 if j + 1 < n else 0
        t = sure_turn(xy + 2 * i, xy + 2 * j, xy + 2 * k)
        left |= t > 0
        right |= t < 0
        changes += before(xy + 2 * i, xy + 2 * j) != before(xy + 2 * j, xy + 2 * k)
    return not (left and right) and changes <= 2


cdef inline int sector(double x, double y) noexcept nogil:
    """Where atan2(y, x) lies: below 0, at 0, above 0, at pi."""
    if y != 0:
        return 0 if y < 0 else 2
    return 1 if x >= 0 else 3


cdef inline bint angle_before(double ax, double ay, double bx, double by) noexcept nogil:
    cdef int a = sector(ax, ay), b = sector(bx, by)
    cdef double cross = ax * by - ay * bx
    if a != b:
        return a < b
    if cross != 0 and a % 2 == 0:
        return cross > 0
    return ax * ax + ay * ay < bx * bx + by * by


cdef struct Order:          # of vertices: by place or, around the middle sum / n, by angle
    bint by_angle
    double n, sum_x, sum_y


cdef inline bint sorts_before(const Order* order, const double* a, const double* b) noexcept nogil:
    if not order.by_angle:
        return before(a, b)
    return angle_before(order.n * a[0] - order.sum_x, order.n * a[1] - order.sum_y,
                        order.n * b[0] - order.sum_x, order.n * b[1] - order.sum_y)


cdef void sort_few(double* xy, Py_ssize_t n, const Order* order) noexcept nogil:
    """By insertion; equal ones stay as they are."""
    cdef Py_ssize_t i, j
    cdef double[2] moving
    for i in range(1, n):
        moving[0] = xy[2 * i]
        moving[1] = xy[2 * i + 1]
        j = i
        while j > 0 and sorts_before(order, moving, xy + 2 * j - 2):
            xy[2 * j] = xy[2 * j - 2]
            xy[2 * j + 1] = xy[2 * j - 1]
            j -= 1
        xy[2 * j] = moving[0]
        xy[2 * j + 1] = moving[1]


cdef void sort_vertices(double* xy, Py_ssize_t n, double* spare, const Order* order) noexcept nogil:
    """A merge sort over runs that were sorted by insertion: equal ones stay as they are, here too."""
    cdef Py_ssize_t at = 0, width = SMALL_RUN
    while at < n:
        sort_few(xy + 2 * at, min(width, n - at), order)
        at += width
    while width < n:
        at = 0
        while at < n:
            merge(xy, at, min(at + width, n), min(at + 2 * width, n), spare, order)
            at += 2 * width
        memcpy(xy, spare, 2 * n * sizeof(double))
        width *= 2


cdef void merge(const double* xy, Py_ssize_t start, Py_ssize_t middle, Py_ssize_t end, double* out,
                const Order* order) noexcept nogil:
    """Two sorted runs, one behind the other, as one at the same place of `out`."""
    cdef Py_ssize_t i = start, j = middle, k
    for k in range(start, end):
        if j >= end or (i < middle and not sorts_before(order, xy + 2 * j, xy + 2 * i)):
            memcpy(out + 2 * k, xy + 2 * i, 2 * sizeof(double))
            i += 1
        else:
            memcpy(out + 2 * k, xy + 2 * j, 2 * sizeof(double))
            j += 1


cdef void order_by_angle(double* xy, Py_ssize_t n, double* spare) noexcept nogil:
    """Around the mean. Vertices are scaled by n meanwhile, which keeps integers integers; their sum is taken in an
    order of its own, so that it rounds the same wherever the ring began."""
    cdef Py_ssize_t i
    cdef Order order
    order.by_angle, order.n, order.sum_x, order.sum_y = False, n, 0, 0
    sort_vertices(xy, n, spare, &order)
    for i in range(n):
        order.sum_x += xy[2 * i]
        order.sum_y += xy[2 * i + 1]
    order.by_angle = True
    sort_vertices(xy, n, spare, &order)


cdef double signed_area(const double* xy, Py_ssize_t n) noexcept nogil:
    cdef double doubled = 0
    cdef Py_ssize_t i
    for i in range(1, n - 1):
        doubled += turn(xy, xy + 2 * i, xy + 2 * i + 2)
    return doubled / 2


cdef void canonical_order(const double* xy, Py_ssize_t n, bint reverse, double* out) noexcept nogil:
    """The same ring from its smallest vertex on, turned around when clockwise."""
    cdef Py_ssize_t i, first = 0, k
    for i in range(1, n):
        if before(xy + 2 * i, xy + 2 * first):
            first = i
    for i in range(n):
        k = first - i if reverse else first + i
        if k < 0:
            k += n
        elif k >= n:
            k -= n
        out[2 * i] = xy[2 * k]
        out[2 * i + 1] = xy[2 * k + 1]


cdef bint small_integers(const double* xy, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(2 * n):
        if fabs(xy[i]) > LARGEST_EXACT or xy[i] != <double> <long long> xy[i]:
            return False
    return True


cdef void find_bounds(const double* xy, Py_ssize_t n, double* bounds) noexcept nogil:
    cdef Py_ssize_t i
    bounds[0] = bounds[2] = xy[0]
    bounds[1] = bounds[3] = xy[1]
    for i in range(1, n):
        bounds[0] = min(bounds[0], xy[2 * i])
        bounds[1] = min(bounds[1], xy[2 * i + 1])
        bounds[2] = max(bounds[2], xy[2 * i])
        bounds[3] = max(bounds[3], xy[2 * i + 1])


cdef int check_raw(const unsigned char[::1] kind, const unsigned char[::1] reason, const unsigned char[::1] flags,
                   const long long[::1] starts, const double[::1] points) except -1:
    """Columns of one length, and enough numbers of a usual size for every object that is valid."""
    cdef Py_ssize_t i, k
    cdef bint usual = all_within(points, -LARGEST, LARGEST)
    check_length(reason.shape[0], kind.shape[0], "reason")
    check_length(flags.shape[0], kind.shape[0], "flags")
    check_length(starts.shape[0], kind.shape[0] + 1, "starts")
    check_offsets(starts, points.shape[0], "starts")
    for i in range(kind.shape[0]):
        if reason[i]:
            continue
        if starts[i + 1] - starts[i] < 2 or (starts[i + 1] - starts[i]) % 2:
            raise ValueError(f"points: object {i} has {starts[i + 1] - starts[i]} numbers, expected x, y of its points")
        for k in range(starts[i], starts[i] if usual else starts[i + 1]):
            if not fabs(points[k]) <= LARGEST:
                raise ValueError(f"points: object {i} has the number {points[k]}, expected numbers up to {LARGEST:g}")
    return 0


@cython.final
cdef class Shapes:
    """Shapes in their one form; `starts` counts numbers, not points."""

    cdef readonly Column starts     # (objects + 1,) into points
    cdef readonly Column points     # x, y, x, y, …
    cdef readonly Column area       # (objects,)
    cdef readonly Column bounds     # (objects * 4,) x1, y1, x2, y2
    cdef readonly Column flags      # (objects,)
    cdef double* scratch
    cdef Py_ssize_t needed          # numbers that all shapes have, if none gets more than it was written with

    def __cinit__(self, raw):
        """`raw` carries kind, reason, flags, starts and points as columns."""
        cdef const unsigned char[::1] kind = raw.kind, reason = raw.reason, flags = raw.flags
        cdef const long long[::1] starts = raw.starts
        cdef const double[::1] points = raw.points
        cdef Py_ssize_t i, count = kind.shape[0], longest = 8
        check_raw(kind, reason, flags, starts, points)
        self.starts, self.points, self.area = Column("q", count + 1), Column("d"), Column("d", count)
        self.bounds, self.flags = Column("d", 4 * count), Column("B", count)
        self.needed = points.shape[0] + 4 * count + 8
        self.points.reserve(self.needed)
        for i in range(count):
            longest = max(longest, starts[i + 1] - starts[i])
        self.scratch = <double*> PyMem_Malloc(2 * longest * sizeof(double))
        if self.scratch == NULL:
            raise MemoryError()
        try:
            for i in range(count):
                (<unsigned char*> self.flags.data)[i] = flags[i]
                if not reason[i]:
                    self.add(i, kind[i], &points[starts[i]], (starts[i + 1] - starts[i]) // 2)
                (<long long*> self.starts.data)[i + 1] = self.points.size
        finally:
            PyMem_Free(self.scratch)

    cdef int add(self, Py_ssize_t i, int kind, const double* xy, Py_ssize_t n) except -1:
        cdef double* out = self.next_points()
        cdef double* bounds = (<double*> self.bounds.data) + 4 * i
        cdef unsigned char* flags = (<unsigned char*> self.flags.data) + i
        cdef double* area = (<double*> self.area.data) + i
        cdef Py_ssize_t k
        find_bounds(xy, n, bounds)
        if kind == KIND_BOX:
            out[0] = out[6] = bounds[0]
            out[1] = out[3] = bounds[1]
            out[2] = out[4] = bounds[2]
            out[5] = out[7] = bounds[3]
            n = 4
            area[0] = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1])
            flags[0] |= IS_BOX | CONVEX
        elif kind == KIND_POLY:
            n = self.add_polygon(xy, n, area, flags)
            out = self.next_points()
        else:
            for k in range(2 * n):
                out[k] = xy[k]
        if kind == KIND_BOX and area[0] <= 0:
            flags[0] |= DEGENERATE
        elif kind == KIND_POLY and area[0] <= 1e-12 * (bounds[2] - bounds[0] + bounds[3] - bounds[1]) ** 2:
            flags[0] |= DEGENERATE              # points on one line, give or take their rounding
        if small_integers(bounds, 2) if kind == KIND_BOX else small_integers(out, n):
            flags[0] |= INTEGER
        self.points.size += 2 * n
        return 0

    cdef inline double* next_points(self) noexcept nogil:
        """Where the points of the next shape go."""
        return (<double*> self.points.data) + self.points.size

    cdef Py_ssize_t add_polygon(self, const double* xy, Py_ssize_t n, double* area, unsigned char* flags) except -1:
        cdef double* ring = self.scratch
        cdef Py_ssize_t enclosing = 0
        cdef int meeting
        memcpy(ring, xy, 2 * n * sizeof(double))
        n = drop_repeats(ring, n)
        meeting = how_edges_meet(ring, n)
        if meeting == CROSSING:
            order_by_angle(ring, n, ring + 2 * n)
            n = drop_repeats(ring, n)
            flags[0] |= REPAIRED
        elif meeting == TOUCHING:
            enclosing = self.add_enclosing(ring, n)
        if enclosing:
            n = enclosing
        else:
            canonical_order(ring, n, signed_area(ring, n) < 0, self.next_points())
        area[0] = signed_area(self.next_points(), n)
        flags[0] |= CONVEX if is_convex(self.next_points(), n) else 0
        return n

    cdef Py_ssize_t add_enclosing(self, const double* ring, Py_ssize_t n) except -1:
        """The ring around what an outline that touches itself encloses; 0 vertices if the outline is taken as it is.

        With signs it encloses at most that area times the largest winding number. If not, rounding hid a crossing.
        """
        cdef Outline outline = Outline()
        cdef Py_ssize_t found = outline.enclose(ring, n)
        cdef double most = max(outline.highest, -outline.lowest)
        if not found or signed_area(outline.ring, found) * most < fabs(signed_area(ring, n)) * (1 - 1e-9):
            return 0
        self.points.reserve(2 * found + self.needed)
        memcpy(self.next_points(), outline.ring, 2 * found * sizeof(double))
        return found


# Without some records


def without_records(objects, records):
    """The columns (offsets, kind, reason, flags, starts, points, area, bounds, desc) of all records but these."""
    cdef const long long[::1] offsets = objects.offsets, starts = objects.starts
    cdef Py_ssize_t record, count = len(objects.kind)
    cdef Column new_offsets = Column("q", 1), new_starts = Column("q", 1), kept = Column("q"), numbers = Column("q")
    cdef long long i, k
    check_offsets(offsets, count, "offsets")
    check_length(starts.shape[0], count + 1, "starts")
    check_offsets(starts, len(objects.points), "starts")
    for name in ("reason", "flags", "area", "desc"):
        check_length(len(getattr(objects, name)), count, name)
    check_length(len(objects.bounds), 4 * count, "bounds")
    left_out = set(records)
    for record in range(offsets.shape[0] - 1):
        if record in left_out:
            continue
        for i in range(offsets[record], offsets[record + 1]):
            kept.push_int64(i)
            for k in range(starts[i], starts[i + 1]):
                numbers.push_int64(k)
            new_starts.push_int64(numbers.size)
        new_offsets.push_int64(kept.size)
    return (new_offsets, bytes_at(objects.kind, kept), bytes_at(objects.reason, kept), bytes_at(objects.flags, kept),
            new_starts, doubles_at(objects.points, numbers, 1), doubles_at(objects.area, kept, 1),
            doubles_at(objects.bounds, kept, 4), ints_at(objects.desc, kept))


cdef Column bytes_at(column, Column index):
    cdef const unsigned char[::1] values = column
    cdef const long long[::1] at = index
    cdef Column out = Column("B", at.shape[0])
    cdef Py_ssize_t k
    for k in range(at.shape[0]):
        (<unsigned char*> out.data)[k] = values[at[k]]
    return out


cdef Column ints_at(column, Column index):
    cdef const int[::1] values = column
    cdef const long long[::1] at = index
    cdef Column out = Column("i", at.shape[0])
    cdef Py_ssize_t k
    for k in range(at.shape[0]):
        (<int*> out.data)[k] = values[at[k]]
    return out


cdef Column doubles_at(column, Column index, int width):
    """Groups of `width` numbers each."""
    cdef const double[::1] values = column
    cdef const long long[::1] at = index
    cdef Column out = Column("d", width * at.shape[0])
    cdef Py_ssize_t k
    cdef int n
    for k in range(at.shape[0]):
        for n in range(width):
            (<double*> out.data)[width * k + n] = values[width * at[k] + n]
    return out
