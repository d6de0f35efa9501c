"""A row of COCO's JSON: the fields that matter, and their values where they are written plainly."""

from libc.string cimport memcmp, strncmp

from .jsonbytes cimport Bytes, is_digit, read_number, read_whole, skip_blanks

cdef enum:                  # what a row has
    IMAGE = 1
    CATEGORY = 2
    IDENTITY = 4
    BOX = 8
    SCORE = 16
    AREA = 32
    CROWD = 64
    VISIBLE = 128
    SEGMENTATION = 256
    KEYPOINTS = 512
    ODD = 1024


cdef struct Row:
    long long image, category, identity, visible
    double[4] box
    double score, area
    Bytes shape, shape_end
    int has
    bint crowd


cdef inline bint spells(Bytes at, const char* word, Py_ssize_t size) noexcept nogil:
    return memcmp(at, word, size) == 0


cdef inline int field_of(Bytes name, Py_ssize_t size) noexcept nogil:
    if size == 8 and spells(name, "image_id", 8):
        return IMAGE
    if size == 11 and spells(name, "category_id", 11):
        return CATEGORY
    if size == 4 and spells(name, "bbox", 4):
        return BOX
    if size == 5 and spells(name, "score", 5):
        return SCORE
    if size == 2 and spells(name, "id", 2):
        return IDENTITY
    if size == 4 and spells(name, "area", 4):
        return AREA
    if size == 7 and spells(name, "iscrowd", 7):
        return CROWD
    if size == 12 and spells(name, "segmentation", 12):
        return SEGMENTATION
    if size == 9 and spells(name, "keypoints", 9):
        return KEYPOINTS
    return VISIBLE if size == 13 and spells(name, "num_keypoints", 13) else 0


cdef inline Bytes read_box(Bytes at, double* out) noexcept nogil:
    cdef int k
    if at[0] != b"[":
        return NULL
    for k in range(4):
        at = read_number(skip_blanks(at + 1), out + k)
        if at == NULL:
            return NULL
        at = skip_blanks(at)
        if at[0] != (44 if k < 3 else 93):              # , or ]
            return NULL
    return at + 1


cdef inline Bytes read_flag(Bytes at, bint* out) noexcept nogil:
    """0, 1, false or true."""
    out[0] = at[0] == b"1" or at[0] == b"t"
    if (at[0] == b"0" or at[0] == b"1") and not is_digit(at[1]) and at[1] not in b".eE":
        return at + 1
    if strncmp(<const char*> at, "true", 4) == 0:
        return at + 4
    return at + 5 if strncmp(<const char*> at, "false", 5) == 0 else NULL


cdef inline Bytes read_plain(Bytes at, int field, Row* row) noexcept nogil:
    """The value of a field, NULL if it is not written plainly."""
    if field == BOX:
        return read_box(at, row.box)
    if field == IMAGE:
        return read_whole(at, &row.image)
    if field == CATEGORY:
        return read_whole(at, &row.category)
    if field == SCORE:
        return read_number(at, &row.score)
    if field == IDENTITY:
        return read_whole(at, &row.identity)
    if field == AREA:
        return read_number(at, &row.area)
    if field == CROWD:
        return read_flag(at, &row.crowd)
    return read_whole(at, &row.visible)
