"""A growing array of one number type that numpy, memoryviews and kernels read without a copy.

Formats are those of `struct`: d (float64), f (float32), q (int64), Q (uint64), i (int32), h (int16), B (uint8).
"""

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES
from cpython.mem cimport PyMem_Free, PyMem_RawFree, PyMem_RawMalloc, PyMem_Realloc
from libc.string cimport memcpy, memset

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef dict ITEM_SIZES = {"d": 8, "f": 4, "q": 8, "Q": 8, "i": 4, "h": 2, "B": 1}


cdef Py_ssize_t item_size(str format) except -1:
    """Bytes of a number."""
    if format not in ITEM_SIZES:
        raise ValueError(f"format of a column: found {format!r}, expected one of {', '.join(ITEM_SIZES)}")
    return ITEM_SIZES[format]


cdef class Column:
    """`Column("d")` is empty; `Column("d", 5)` holds five zeros."""

    def __cinit__(self, str format not None, Py_ssize_t size=0):
        self.itemsize = item_size(format)
        self.format = format.encode()
        self.data = NULL
        self.resize(size)

    def __dealloc__(self):
        PyMem_Free(self.data)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return memoryview(self)[index]

    def __iter__(self):
        return iter(memoryview(self))

    def __reduce__(self):
        return _restored, (self.format.decode(), bytes(memoryview(self).cast("B")))

    def tolist(self):
        """The numbers as a list."""
        return memoryview(self).tolist()

    cdef int reserve(self, Py_ssize_t items) except -1:
        """Room for `items` more."""
        cdef Py_ssize_t room
        cdef char* moved
        if 0 <= items <= self.capacity - self.size:
            return 0
        if not 0 <= items <= PY_SSIZE_T_MAX // 32 - self.size:      # so that no size in bytes overflows
            raise MemoryError()
        if self.exports:
            raise BufferError("a column that is being read cannot grow")
        room = max(self.size + items, self.capacity * 2, 16)
        moved = <char*> PyMem_Realloc(self.data, room * self.itemsize)
        if moved == NULL:
            raise MemoryError()
        self.data = moved
        self.capacity = room
        return 0

    cdef int resize(self, Py_ssize_t items) except -1:
        """Cut to `items`, or fill up with zeros."""
        if items < 0:
            raise ValueError(f"a column of {items} numbers")
        if items > self.size:
            self.reserve(items - self.size)
            memset(self.data + self.size * self.itemsize, 0, (items - self.size) * self.itemsize)
        elif self.data == NULL:
            self.reserve(1)
        self.size = items
        return 0

    cdef int push_double(self, double value) except -1:
        self.reserve(1)
        (<double*> self.data)[self.size] = value
        self.size += 1
        return 0

    cdef int push_int64(self, long long value) except -1:
        self.reserve(1)
        (<long long*> self.data)[self.size] = value
        self.size += 1
        return 0

    cdef int push_int32(self, int value) except -1:
        self.reserve(1)
        (<int*> self.data)[self.size] = value
        self.size += 1
        return 0

    cdef int push_uint8(self, unsigned char value) except -1:
        self.reserve(1)
        (<unsigned char*> self.data)[self.size] = value
        self.size += 1
        return 0

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        self.shape[0] = self.size
        self.strides[0] = self.itemsize
        buffer.buf = self.data
        buffer.obj = self
        buffer.len = self.size * self.itemsize
        buffer.itemsize = self.itemsize
        buffer.readonly = 0
        buffer.ndim = 1
        buffer.format = <char*> self.format if flags & PyBUF_FORMAT else NULL
        buffer.shape = self.shape if flags & PyBUF_ND else NULL
        buffer.strides = self.strides if (flags & PyBUF_STRIDES) == PyBUF_STRIDES else NULL
        buffer.suboffsets = NULL
        buffer.internal = NULL
        self.exports += 1

    def __releasebuffer__(self, Py_buffer* buffer):
        self.exports -= 1


def long_column(values):
    """Integers as a column of int64."""
    cdef Column out = Column("q")
    for value in values:
        out.push_int64(value)
    return out


def int_column(values):
    """A list of small integers as a column."""
    cdef Column out = Column("i")
    for value in values:
        out.push_int32(value)
    return out


def take_rows(column, positions):
    """Some rows of a column of int32 or int64."""
    view = memoryview(column)
    cdef Column out = Column("q" if view.itemsize == 8 else "i")
    cdef Py_ssize_t position, rows = len(view)
    for position in positions:
        if not 0 <= position < rows:
            raise ValueError(f"positions: found {position}, expected indices from 0 to {rows - 1}")
        if out.itemsize == 8:
            out.push_int64(view[position])
        else:
            out.push_int32(view[position])
    return out


cdef extern from *:
    """
    #if defined(__GLIBC__)
    #include <malloc.h>
    #include <stdint.h>
    #include <sys/mman.h>
    #define HUGE_PAGE ((uintptr_t) 2 << 20)
    #define HEAP_BLOCK ((size_t) 31 << 20)          /* below the size from which malloc maps a block of its own */

    static void keep_freed_memory(void) { mallopt(M_MMAP_THRESHOLD, 32 << 20); mallopt(M_TRIM_THRESHOLD, 256 << 20); }

    static void use_huge_pages(void) {
        char* block = (char*) malloc(HEAP_BLOCK);
        uintptr_t begin = ((uintptr_t) block + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
        uintptr_t end = ((uintptr_t) block + HEAP_BLOCK) & ~(HUGE_PAGE - 1);
        if (block != NULL) madvise((void*) begin, end - begin, MADV_HUGEPAGE);   /* refused, pages stay small */
        free(block);
    }
    #else
    static void keep_freed_memory(void) {}
    static void use_huge_pages(void) {}
    #endif
    """
    void keep_freed_memory()
    void use_huge_pages()

cdef bint has_huge_pages = False


def keep_memory():
    """Let this process keep memory it has freed for its next batch, instead of giving it back and asking again.

    The first of it comes in pages of 2 MB, where the system has them: a batch touches tens of megabytes, and each small
    page that is touched first is a trap into the system.
    """
    global has_huge_pages
    keep_freed_memory()
    if not has_huge_pages:
        use_huge_pages()
        has_huge_pages = True


def keep_some_memory():
    """The same, in a process that is not ours: no setting is touched.

    The C library keeps more once it has seen a large block freed; it is shown one, which is never written to.
    """
    PyMem_RawFree(PyMem_RawMalloc(31 << 20))


def _restored(str format not None, bytes content not None):
    """A column out of a pickle."""
    cdef Py_ssize_t itemsize = item_size(format)
    cdef Column column
    if len(content) % itemsize:
        raise ValueError(f"a column of numbers of {itemsize} bytes: found {len(content)} bytes")
    column = Column(format, len(content) // itemsize)
    memcpy(column.data, <const char*> content, len(content))
    return column


cdef extern from *:
    """
    #if defined(__linux__)
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE
    #endif
    #include <fcntl.h>
    #include <linux/falloc.h>
    static int reserve_space(int handle, long long begin, long long size) {
        return fallocate(handle, FALLOC_FL_KEEP_SIZE, (off_t) begin, (off_t) size);
    }
    #else
    static int reserve_space(int handle, long long begin, long long size) { return -1; }
    #endif
    """
    int reserve_space(int handle, long long begin, long long size) nogil


def reserve_in_file(int handle, long long begin, long long size):
    """Have the file system find room for bytes that are about to be written, all at once. Returns whether it did.

    The file is not longer for it. A system that cannot do so, or has no room, is no error: that shows in writing.
    """
    cdef bint is_reserved = False
    if begin >= 0 and size > 0:
        with nogil:
            is_reserved = reserve_space(handle, begin, size) == 0
    return is_reserved
