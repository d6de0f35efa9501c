"""Annotations and results straight from the bytes of COCO's JSON to columns, where they are written the way most are.

The text is a list of objects, or an object with such a list under "annotations". A row is plain when its ids are whole
numbers, its box four numbers, its score and area numbers, `iscrowd` 0, 1, true or false, and nothing that matters is
there twice. Any other row, right or wrong, is odd: only its place in the text is kept. A text that may be no JSON, or in
which readers would differ, is left alone as a whole.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.string cimport memcpy, memset, strncmp

from .cocorow cimport (
    AREA,
    BOX,
    CATEGORY,
    CROWD,
    IDENTITY,
    IMAGE,
    KEYPOINTS,
    ODD,
    SCORE,
    SEGMENTATION,
    VISIBLE,
    Row,
    field_of,
    read_plain,
)
from .column cimport Column
from .jsonbytes cimport Bytes, find_special, skip_blanks, skip_text, skip_value

cdef extern from *:
    """
    #if defined(__linux__)
    #include <stdint.h>
    #include <sys/mman.h>
    #endif
    #if defined(MADV_HUGEPAGE)
    static void use_large_pages(char* data, size_t size) {
        uintptr_t begin = ((uintptr_t) data + 4095) & ~(uintptr_t) 4095;
        if (size >= 1 << 21) madvise((void*) begin, size - (begin - (uintptr_t) data), MADV_HUGEPAGE);
    }
    #else
    static void use_large_pages(char* data, size_t size) {}
    #endif
    """
    void use_large_pages(char* data, size_t size)

cdef enum:
    CAPACITY = 8192             # rows

FIELDS = {
    "image_id": IMAGE, "category_id": CATEGORY, "id": IDENTITY, "bbox": BOX, "score": SCORE, "area": AREA,
    "iscrowd": CROWD, "num_keypoints": VISIBLE, "segmentation": SEGMENTATION, "keypoints": KEYPOINTS, "odd": ODD,
}
cdef dict SHAPES = {"": 0, "segmentation": SEGMENTATION, "keypoints": KEYPOINTS}
cdef int IN_TRUTH = IMAGE | CATEGORY | BOX | IDENTITY | AREA | CROWD | SEGMENTATION
cdef int IN_PRED = IMAGE | CATEGORY | BOX | SCORE


cdef int reserve(Column column, Py_ssize_t items) except -1:
    """Room for more, which takes less time to touch first where it is large."""
    cdef Py_ssize_t before = column.capacity
    column.reserve(items)
    if column.capacity > before:
        use_large_pages(column.data, column.capacity * column.itemsize)
    return 0


@cython.final
cdef class CocoScan:
    """The rows of a text as columns; what an odd row holds there means nothing."""

    cdef readonly Column has                # (rows,) bits of FIELDS
    cdef readonly Column image, category    # (rows,) ids as they are given
    cdef readonly Column box                # (4 * rows,)
    cdef readonly Column score              # (rows,) of predictions, else empty
    cdef readonly Column ids, area, crowd   # (rows,) of ground truth, else empty
    cdef readonly Column visible            # (rows,) of ground truth, if keypoints are wanted
    cdef readonly Column shapes             # (2 * rows,) where the segmentation or the keypoints begin and end
    cdef readonly Column odd                # (3 * odd rows,) row, and where it begins and ends
    cdef readonly Column begins             # (rows,) where each row begins, of rows that are a piece of a list
    cdef readonly dict parts                # what else the text names -> where it begins and ends
    cdef readonly bint is_list
    cdef readonly bint is_closed            # whether a piece of a list has its end
    cdef readonly Py_ssize_t behind         # of a piece: where its last whole row ends, with the comma or bracket
    cdef bint truth, is_piece
    cdef int wanted, shape
    cdef Bytes begin, end

    def __cinit__(self, data not None, bint truth, str shape not None):
        if shape not in SHAPES:
            raise ValueError(f"shape: found {shape!r}, expected one of {list(SHAPES)}")
        self.truth, self.shape, self.parts = truth, SHAPES[shape], {}
        self.wanted = (IN_TRUTH if truth else IN_PRED) | self.shape
        if truth and self.shape == KEYPOINTS:
            self.wanted |= VISIBLE
        self.has, self.image, self.category, self.box = Column("h"), Column("q"), Column("q"), Column("d")
        self.score, self.ids, self.area, self.crowd = Column("d"), Column("q"), Column("d"), Column("B")
        self.visible, self.shapes, self.odd, self.begins = Column("q"), Column("q"), Column("q"), Column("q")
        self.set_text(data)

    cdef int set_text(self, data) except -1:
        cdef const unsigned char[::1] view
        if isinstance(data, bytes):
            self.begin = <Bytes> PyBytes_AS_STRING(data)
            self.end = self.begin + PyBytes_GET_SIZE(data)
        else:
            view = data
            if not view.shape[0] or view[view.shape[0] - 1]:
                raise ValueError("a text that is no bytes object needs a NUL at its end")
            self.begin = &view[0]
            self.end = self.begin + view.shape[0] - 1
        return 0

    def __len__(self):
        return self.has.size

    cdef bint read(self) except -1:
        """Whether all of the text could be read."""
        cdef Bytes at = skip_blanks(self.begin + (3 if strncmp(<const char*> self.begin, "\xef\xbb\xbf", 3) == 0 else 0))
        self.is_list = at[0] == b"["
        at = self.read_rows(at) if self.is_list else self.read_parts(at)
        return at != NULL and skip_blanks(at) == self.end

    cdef int read_piece(self, Py_ssize_t begin) except -1:
        """The rows of a list that are whole, from the first of them on; the text may end within a row."""
        cdef Bytes at = skip_blanks(self.begin + begin)
        cdef bint more = True
        self.is_piece, self.behind = True, begin
        if at[0] == b"]":
            self.is_closed, self.behind = True, at + 1 - self.begin
            return 0
        while more and at != NULL:
            self.make_room(CAPACITY)
            with nogil:
                at = self.read_some(at, &more)
            self.set_sizes()
        return 0

    cdef Bytes read_parts(self, Bytes at) except? NULL:
        """An object, with rows under "annotations"."""
        cdef Bytes name
        cdef bint doubt = False
        if at[0] != b"{":
            return NULL
        at = skip_blanks(at + 1)
        while at[0] == b'"':
            name, at = at + 1, skip_text(at, self.end)
            if at == NULL:
                return NULL
            key = name[:at - 1 - name].decode()
            at = skip_blanks(at)
            if at[0] != b":" or "\\" in key or key in self.parts:
                return NULL
            at = name = skip_blanks(at + 1)
            at = self.read_rows(at) if key == "annotations" else skip_value(at, self.end, &doubt)
            if at == NULL or doubt:
                return NULL
            self.parts[key] = name - self.begin, at - self.begin
            at = skip_blanks(at)
            if at[0] != b",":
                return at + 1 if at[0] == b"}" else NULL
            at = skip_blanks(at + 1)
        return NULL

    cdef Bytes read_rows(self, Bytes at) except? NULL:
        cdef Bytes begin = at
        cdef bint more = True
        if at[0] != b"[":
            return NULL
        at = skip_blanks(at + 1)
        if at[0] == b"]":
            return at + 1
        while more and at != NULL:
            if self.has.size == CAPACITY:           # now it is known how long rows are
                self.make_room(<Py_ssize_t> (CAPACITY * 1.05 * (self.end - at) / (at - begin)))
            self.make_room(CAPACITY)
            with nogil:
                at = self.read_some(at, &more)
            self.set_sizes()
        return at

    cdef int make_room(self, Py_ssize_t rows) except -1:
        cdef Column column
        for column in (self.has, self.image, self.category):
            reserve(column, rows)
        reserve(self.box, 4 * rows)
        self.odd.reserve(3 * CAPACITY)
        for column in (self.ids, self.area, self.crowd) if self.truth else (self.score,):
            reserve(column, rows)
        if self.shape:
            reserve(self.shapes, 2 * rows)
        if self.truth and self.shape == KEYPOINTS:
            reserve(self.visible, rows)
        if self.is_piece:
            reserve(self.begins, rows)
        return 0

    cdef Bytes read_some(self, Bytes at, bint* more) noexcept nogil:
        """Rows, as many as there is room for."""
        cdef Bytes begin, end
        cdef Row row
        cdef int k
        memset(&row, 0, sizeof(Row))
        for k in range(CAPACITY):
            begin = at = skip_blanks(at)
            at = self.read_row(at, &row)
            if at == NULL:
                return NULL
            end = at
            at = skip_blanks(at)
            if at[0] != b"," and at[0] != b"]":
                return NULL
            self.store(&row, begin - self.begin, end - self.begin)
            at += 1
            self.behind = at - self.begin
            if (at - 1)[0] == b"]":
                self.is_closed, more[0] = True, False
                return at
        return at

    cdef inline Bytes read_row(self, Bytes at, Row* row) noexcept nogil:
        cdef bint doubt = False
        cdef Bytes name
        cdef int field
        row.has, row.shape, row.shape_end = 0, NULL, NULL
        if at[0] != b"{":
            row.has = ODD
            return skip_value(at, self.end, &doubt)
        at = skip_blanks(at + 1)
        if at[0] == b"}":
            return at + 1
        while at[0] == b'"':
            name, at = at + 1, find_special(at + 1, self.end, &doubt)
            field = field_of(name, at - name)
            if field == 0 or at[0] != b'"':
                row.has |= ODD if at[0] == b"\\" else 0
                at = skip_text(name - 1, self.end)
                if at == NULL:
                    return NULL
                at -= 1
            at = skip_blanks(at + 1)
            if at[0] != b":":
                return NULL
            at = self.read_field(skip_blanks(at + 1), field, row)
            if at == NULL:
                return NULL
            at = skip_blanks(at)
            if at[0] != b",":
                return at + 1 if at[0] == b"}" else NULL
            at = skip_blanks(at + 1)
        return NULL

    cdef inline Bytes read_field(self, Bytes at, int field, Row* row) noexcept nogil:
        """A value; one that matters and is not plain, or is there again, makes the row odd."""
        cdef Bytes behind = NULL
        cdef bint doubt = False
        if field & self.wanted:
            doubt = (row.has & field) != 0
            row.has |= field
            if not field & (SEGMENTATION | KEYPOINTS):
                behind = read_plain(at, field, row)
                doubt = doubt or behind == NULL
        if behind == NULL:
            behind = skip_value(at, self.end, &doubt)
        if field & self.shape:
            row.shape, row.shape_end = at, behind
        if doubt:
            row.has |= ODD
        return behind

    cdef inline void store(self, const Row* row, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
        cdef Py_ssize_t index = self.has.size
        cdef short has = row.has
        if self.truth and has & SEGMENTATION and not has & AREA and self.shape != SEGMENTATION:
            has |= ODD                      # its area is that of the segmentation
        (<short*> self.has.data)[index] = has
        (<long long*> self.image.data)[index] = row.image
        (<long long*> self.category.data)[index] = row.category
        memcpy(<double*> self.box.data + 4 * index, row.box, 32)
        if self.truth:
            (<long long*> self.ids.data)[index] = row.identity
            (<double*> self.area.data)[index] = row.area
            (<unsigned char*> self.crowd.data)[index] = row.crowd
        else:
            (<double*> self.score.data)[index] = row.score
        if self.shape:
            (<long long*> self.shapes.data)[2 * index] = row.shape - self.begin if row.shape else 0
            (<long long*> self.shapes.data)[2 * index + 1] = row.shape_end - self.begin if row.shape else 0
        if self.truth and self.shape == KEYPOINTS:
            (<long long*> self.visible.data)[index] = row.visible
        if self.is_piece:
            (<long long*> self.begins.data)[index] = begin
        if has & ODD:
            (<long long*> self.odd.data)[self.odd.size] = index
            (<long long*> self.odd.data)[self.odd.size + 1] = begin
            (<long long*> self.odd.data)[self.odd.size + 2] = end
            self.odd.size += 3
        self.has.size += 1

    cdef void set_sizes(self) noexcept:
        cdef Py_ssize_t rows = self.has.size
        self.image.size = self.category.size = rows
        self.box.size = 4 * rows
        self.score.size = 0 if self.truth else rows
        self.ids.size = self.area.size = self.crowd.size = rows if self.truth else 0
        self.shapes.size = 2 * rows if self.shape else 0
        self.visible.size = rows if self.truth and self.shape == KEYPOINTS else 0
        self.begins.size = rows if self.is_piece else 0


def scan_coco(data not None, *, bint truth, str shape=""):
    """The rows of a text, of ground truth or of predictions; None if it is left alone.

    `data` is bytes, or a buffer of them with a NUL at its end. `shape` names what else is wanted of a row: its
    segmentation, its keypoints or neither.
    """
    cdef CocoScan scan = CocoScan(data, truth, shape)
    return scan if scan.read() else None


def scan_piece(data not None, Py_ssize_t begin, *, bint truth):
    """The rows of a list that are whole in a piece of its text, from `begin` on, where a row or the list's end is.

    `behind` says where the piece that follows begins: at the next row. The list is read as far as it can be: without
    its end, and without any row, the piece is too short, or the list is left alone.
    """
    cdef CocoScan scan = CocoScan(data, truth, "")
    if not 0 <= begin <= scan.end - scan.begin:
        raise ValueError(f"begin: found {begin}, expected a place in the text")
    scan.read_piece(begin)
    return scan


def value_end(bytes data not None, Py_ssize_t begin):
    """Where a JSON value ends that begins here; None if it is no value, does not end, or readers would differ."""
    cdef Bytes first = <Bytes> PyBytes_AS_STRING(data)
    cdef Bytes end = first + PyBytes_GET_SIZE(data)
    cdef bint doubt = False
    if not 0 <= begin <= end - first:
        raise ValueError(f"begin: found {begin}, expected a place in the text")
    cdef Bytes behind = skip_value(skip_blanks(first + begin), end, &doubt)
    return None if behind == NULL or doubt else behind - first
