"""Sums over records of the Poisson bootstrap, the same on every machine.

How often a record counts in a replicate is a pure function of its key, the replicate and a seed. Sums over records are
then integers that add in any order, over any shards.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ..scan.checks cimport check_between, check_ends, check_length, check_long_indices, check_product
from ..scan.column cimport Column
from .draws cimport (
    ANY_BITS,
    GOLDEN_RATIO,
    STEPS,
    Four,
    draw_four,
    first_state,
    in_little_endian,
    mix,
    next_bits,
    room_for,
    steps_reached,
)
from .products cimport BYTES_AT_ONCE, add_bytes, add_product, add_products, magnitude

cdef enum:
    AT_ONCE = 16            # records that are added together
    APART = 8               # numbers between rows: those of 4,096 bytes each would displace each other in the cache
    LARGEST_BYTE = 255
    LARGEST_SMALL = 65535   # of two bytes
    MOST_PENDING = 1 << 14  # times that bytes are added: 2 ** 14 * 32 * 13 * 255 is below 2 ** 31

cdef long long EXACT = 1LL << 53


def key_hashes(keys):
    """64 bits for each text, as a column: its UTF-8 bytes in words of eight, each mixed in after its length."""
    cdef Column out = Column("Q", len(keys))
    cdef uint64_t* hashes = <uint64_t*> out.data
    cdef const char* text
    cdef Py_ssize_t size, i, at
    cdef uint64_t word
    cdef bytes encoded
    for i, key in enumerate(keys):
        check_between("keys", i, 0, out.size - 1)           # they may not become more
        encoded = key.encode("utf-8", "surrogatepass")
        text, size = encoded, len(encoded)
        hashes[i] = mix(size + GOLDEN_RATIO)
        for at in range(0, size, 8):
            word = 0
            memcpy(&word, text + at, min(8, size - at))
            hashes[i] = mix(hashes[i] ^ in_little_endian(word))
    return out


def weights(unsigned long long key, unsigned long long seed, Py_ssize_t replicates):
    """The weights of one record, as a column."""
    cdef Column out = Column("q", check_product("weights", 1, replicates))
    cdef uint64_t state = first_state(key, seed, 0), bits = 0
    cdef Py_ssize_t b
    for b in range(replicates):
        bits = bits >> 32 if b % 2 else next_bits(&state)
        (<long long*> out.data)[b] = steps_reached(<uint32_t> bits, STEPS)
    return out


def weight_table(keys, unsigned long long seed, Py_ssize_t replicates, Py_ssize_t first=0,
                 Py_ssize_t register_bits=ANY_BITS):
    """The weights of many records as a column of bytes, (records * replicates,), from replicate `first` on (even).

    They are the same whether registers of 128, 256 or 512 bits are used, where the machine has them.
    """
    cdef const unsigned long long[::1] key = keys
    cdef Column out = Column("B", check_product("weights", key.shape[0], replicates))
    cdef Column fours = Column("i", room_for(replicates))
    cdef Py_ssize_t i, some
    check_first(first)
    check_between("register_bits", register_bits, 128, ANY_BITS)
    with nogil:
        for i in range(0, key.shape[0], 4):
            some = min(4, key.shape[0] - i)
            draw_rows(&key[i], some, seed, first, replicates, <Four*> fours.data,
                      <unsigned char*> out.data + i * replicates, <int> register_bits)
    return out


cdef void draw_rows(const unsigned long long* keys, Py_ssize_t records, uint64_t seed, Py_ssize_t first,
                    Py_ssize_t replicates, Four* fours, unsigned char* out, int register_bits) noexcept nogil:
    """The weights of up to four records, a row of bytes for each."""
    cdef Py_ssize_t r, b
    draw_four(keys, records, seed, first, replicates, fours, register_bits)
    for r in range(records):
        for b in range(replicates):
            out[r * replicates + b] = (<const unsigned char*> fours)[4 * b + r]


def weighted_sums(keys, values, Py_ssize_t columns, unsigned long long seed, Py_ssize_t replicates,
                  Py_ssize_t first=0, Py_ssize_t register_bits=ANY_BITS):
    """Sum over records of weight times value, (columns * replicates,) integers, from replicate `first` on (even).

    `keys` holds a 64-bit hash a record, `values` that many integers for each of the columns, one column after another.
    """
    cdef const unsigned long long[::1] key = keys
    cdef const long long[::1] value = values
    cdef Sums sums
    cdef Column places
    check_first(first)
    check_between("register_bits", register_bits, 128, ANY_BITS)
    check_length("values", value.shape[0], check_product("values", columns, key.shape[0]))
    if columns and key.shape[0]:
        places = places_of_bytes(&value[0], columns, key.shape[0])
        if places is not None:
            return ByteSums(columns, places, replicates, <int> register_bits).of_records(
                &key[0], key.shape[0], Values(&value[0], NULL, key.shape[0]), seed, first)
    sums = Sums(columns, replicates)
    add_records(sums, &key[0] if key.shape[0] else NULL, key.shape[0], &value[0] if value.shape[0] else NULL,
                key.shape[0], seed, first)
    return sums.total


def small_weighted_sums(keys, values, Py_ssize_t columns, unsigned long long seed, Py_ssize_t replicates):
    """The same sums of `values` of 16 bits without a sign."""
    cdef const unsigned long long[::1] key = keys
    cdef const uint16_t[::1] value = values
    cdef Column places
    check_length("values", value.shape[0], check_product("values", columns, key.shape[0]))
    if not columns or not key.shape[0]:
        return Column("q", check_product("sums", columns, replicates))
    places = places_of_bytes(&value[0], columns, key.shape[0])
    return ByteSums(columns, places, replicates, ANY_BITS).of_records(
        &key[0], key.shape[0], Values(NULL, &value[0], key.shape[0]), seed, 0)


def grouped_sums(keys, values, Py_ssize_t columns, ends, places, Py_ssize_t groups, unsigned long long seed,
                 Py_ssize_t replicates):
    """Weighted sums of groups of records, (groups * columns * replicates,), the weights of each record drawn once.

    Records are in cells, one after the other; `ends` says where each of them ends, and `places`, (cells * fields,), the
    groups that its sums are added to. `keys` and `values` are as `weighted_sums` takes them.
    """
    cdef const unsigned long long[::1] key = keys
    cdef const long long[::1] value = values, end = ends, place = places
    cdef Column used, total = Column("q", check_product("sums", check_product("sums", groups, columns), replicates))
    cdef ByteSums sums = None
    cdef Py_ssize_t fields = place.shape[0] // max(end.shape[0], 1), cell
    check_length("values", value.shape[0], check_product("values", columns, key.shape[0]))
    check_ends("ends", end, key.shape[0])
    check_length("places", place.shape[0], fields * end.shape[0])
    check_long_indices("places", place, groups)
    if not columns or not key.shape[0] or not fields:
        return total
    used = places_of_bytes(&value[0], columns, key.shape[0])
    if used is not None:
        sums = ByteSums(columns, used, replicates, ANY_BITS)
        sums.total = total
    for cell in range(end.shape[0]):
        add_cell(sums, total, Cell(end[cell - 1] if cell else 0, end[cell], &place[cell * fields], fields),
                 Table(&key[0], key.shape[0], &value[0], columns), seed, replicates)
    return total


cdef struct Table:
    const unsigned long long* keys
    Py_ssize_t count
    const long long* values
    Py_ssize_t columns


cdef struct Cell:
    Py_ssize_t begin, end               # records
    const long long* groups
    Py_ssize_t fields


cdef int add_cell(ByteSums sums, Column total, Cell cell, Table table, uint64_t seed, Py_ssize_t replicates) except -1:
    """Add the sums of a cell to those of its groups: byte by byte, or as floats without `sums`."""
    cdef Py_ssize_t count = cell.end - cell.begin, size = table.columns * replicates, f, k
    cdef Sums plain
    cdef bint overflown = False
    if sums is not None:
        sums.groups, sums.fields = cell.groups, cell.fields
        sums.add(table.keys + cell.begin, count, Values(table.values + cell.begin, NULL, table.count), seed, 0)
        return 0
    plain = Sums(table.columns, replicates)
    add_records(plain, table.keys + cell.begin, count, table.values + cell.begin, table.count, seed, 0)
    for f in range(cell.fields):
        for k in range(size):
            overflown |= add_product(<long long*> total.data + cell.groups[f] * size + k, 1, (<long long*> plain.total.data)[k])
    if overflown:
        raise ValueError("values: their sums need more than 64 bits")
    return 0


cdef struct Values:                     # of columns, of 64 bits or of 16
    const long long* wide
    const uint16_t* narrow
    Py_ssize_t step                     # from one column to the next


ctypedef fused Value:
    uint16_t
    long long


cdef Column places_of_bytes(const Value* values, Py_ssize_t columns, Py_ssize_t count):
    """The bytes of columns that are not 0, as `ByteSums` takes them; None where a value is below 0 or has more than two."""
    cdef Column places = Column("q")
    cdef Py_ssize_t c, k
    cdef Value together
    for c in range(columns):
        together = 0
        for k in range(c * count, (c + 1) * count):
            together |= values[k]
        if not 0 <= together <= LARGEST_SMALL:
            return None
        if together & LARGEST_BYTE:
            places.push_int64(8 * c)
        if together > LARGEST_BYTE:
            places.push_int64(8 * c + 1)
    return places


cdef int check_first(Py_ssize_t first) except -1:
    if first < 0 or first % 2:
        raise ValueError(f"first: found {first}, expected an even replicate")
    return 0


cdef int add_records(Sums sums, const unsigned long long* keys, Py_ssize_t count, const long long* values,
                     Py_ssize_t step, uint64_t seed, Py_ssize_t replicate) except -1:
    """All records, sixteen by sixteen; `step` is from one column to the next."""
    cdef Py_ssize_t first = 0, some, r
    with nogil:
        while first < count:
            some = min(AT_ONCE, count - first)
            for r in range(0, some, 4):
                sums.draw(keys + first + r, min(4, some - r), seed, replicate, r)
            if sums.columns:
                sums.add(values + first, step, some)
            first += AT_ONCE
        sums.flush()
    if sums.overflown:
        raise ValueError("values: their sums need more than 64 bits")
    return 0


cdef class Sums:
    """Adds weight times value in floats while that is exact (below 2 ** 53), then moves on to integers."""

    cdef Column total                   # (columns * replicates,) int64
    cdef Column four                    # weights of four records as they are drawn
    cdef Column memory                  # of the three that follow, one behind the other
    cdef double* weight                 # (AT_ONCE, stride)
    cdef double* pending                # (columns, replicates)
    cdef double* value                  # (columns, AT_ONCE)
    cdef Py_ssize_t columns, replicates, stride
    cdef long long bound                # no pending sum is larger
    cdef bint overflown                 # whether a total is beyond 64 bits

    def __cinit__(self, Py_ssize_t columns, Py_ssize_t replicates):
        self.columns, self.replicates, self.stride, self.bound = columns, replicates, room_for(replicates) + APART, 0
        check_product("sums", check_product("sums", columns + 1, self.stride), AT_ONCE)
        self.total, self.four = Column("q", replicates * columns), Column("i", self.stride)
        self.memory = Column("d", AT_ONCE * (self.stride + columns) + columns * replicates + 8)
        self.weight = <double*> ((<size_t> self.memory.data + 63) // 64 * 64)       # a cache line
        self.pending = self.weight + AT_ONCE * self.stride
        self.value = self.pending + columns * replicates

    cdef void draw(self, const unsigned long long* keys, Py_ssize_t records, uint64_t seed, Py_ssize_t replicate,
                   Py_ssize_t at) noexcept nogil:
        """The weights of up to four records."""
        cdef const uint8_t* four = <const uint8_t*> self.four.data
        cdef Py_ssize_t r, b
        draw_four(keys, records, seed, replicate, self.replicates, <Four*> self.four.data, ANY_BITS)
        for r in range(records):
            for b in range(self.replicates):
                self.weight[(at + r) * self.stride + b] = four[4 * b + r]

    cdef void add(self, const long long* values, Py_ssize_t step, Py_ssize_t records) noexcept nogil:
        """Some records, whose weights are drawn; `step` is from one column to the next."""
        cdef long long largest = 0
        cdef Py_ssize_t c, r
        for c in range(self.columns):
            for r in range(records):
                largest = max(largest, magnitude(values[c * step + r]))
        if largest >= EXACT // (STEPS * AT_ONCE):
            self.add_large(values, step, records)
            return
        if self.bound + AT_ONCE * STEPS * largest >= EXACT:
            self.flush()
        self.bound += AT_ONCE * STEPS * largest
        for c in range(self.columns):
            for r in range(AT_ONCE):
                self.value[c * AT_ONCE + r] = <double> values[c * step + r] if r < records else 0
        add_products(self.pending, self.weight, self.stride, self.value, self.columns, self.replicates)

    cdef void add_large(self, const long long* values, Py_ssize_t step, Py_ssize_t records) noexcept nogil:
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t b, c, r
        cdef long long weight
        for r in range(records):
            for c in range(self.columns):
                for b in range(self.replicates):
                    weight = <long long> self.weight[r * self.stride + b]
                    self.overflown |= add_product(&total[c * self.replicates + b], weight, values[c * step + r])

    cdef void flush(self) noexcept nogil:
        cdef long long* total = <long long*> self.total.data
        cdef Py_ssize_t k
        for k in range(self.columns * self.replicates):
            self.overflown |= add_product(&total[k], 1, <long long> self.pending[k])
        memset(self.pending, 0, self.columns * self.replicates * sizeof(double))
        self.bound = 0


cdef class ByteSums:
    """Adds weight times value, byte by byte, in integers of 32 bits, then moves on to those of 64.

    Places of bytes are 8 * column + how many bytes of a value are below. Sums are added to those of all `groups`.
    """

    cdef Column total                   # (groups * columns * replicates,) int64
    cdef Column place                   # (bytes,) int64
    cdef Column weight                  # (BYTES_AT_ONCE / 4, stride, 4): those of four records side by side
    cdef Column pending                 # (bytes, stride)
    cdef Column value                   # (bytes, BYTES_AT_ONCE)
    cdef Py_ssize_t replicates, stride, columns, fields
    cdef long long only                 # the group, where there is one
    cdef const long long* groups        # (fields,)
    cdef int register_bits

    def __cinit__(self, Py_ssize_t columns, Column places not None, Py_ssize_t replicates, int register_bits):
        cdef const long long[::1] place = places
        check_product("sums", check_product("sums", place.shape[0] + 1, room_for(replicates) + APART), BYTES_AT_ONCE)
        check_long_indices("places", place, check_product("sums", columns, 8))
        self.place, self.replicates, self.stride = places, replicates, room_for(replicates) + APART
        self.columns, self.fields, self.only, self.groups = columns, 1, 0, &self.only
        self.register_bits = register_bits
        self.weight = Column("B", BYTES_AT_ONCE * self.stride)
        self.pending, self.value = Column("i", places.size * self.stride), Column("B", places.size * BYTES_AT_ONCE)

    cdef Column of_records(self, const unsigned long long* keys, Py_ssize_t count, Values values, uint64_t seed,
                           Py_ssize_t replicate):
        """The sums over all records, as those of one group."""
        self.total = Column("q", check_product("sums", self.columns, self.replicates))
        self.add(keys, count, values, seed, replicate)
        return self.total

    cdef int add(self, const unsigned long long* keys, Py_ssize_t count, Values values, uint64_t seed,
                 Py_ssize_t replicate) except -1:
        """Some records, 32 by 32."""
        cdef Py_ssize_t first = 0, some, r
        with nogil:
            while first < count:
                some = min(BYTES_AT_ONCE, count - first)
                for r in range(0, some, 4):
                    draw_four(keys + first + r, min(4, some - r), seed, replicate, self.replicates,
                              <Four*> self.weight.data + r // 4 * self.stride, self.register_bits)
                if values.narrow != NULL:
                    self.gather(values.narrow + first, values.step, some)
                else:
                    self.gather(values.wide + first, values.step, some)
                add_bytes(<int32_t*> self.pending.data, <const uint8_t*> self.weight.data, self.stride,
                          <const uint8_t*> self.value.data, self.place.size, <int> some, self.register_bits)
                first += BYTES_AT_ONCE
                if first // BYTES_AT_ONCE % MOST_PENDING == 0:
                    self.flush()
            self.flush()
        return 0

    cdef inline void gather(self, const Value* values, Py_ssize_t step, Py_ssize_t records) noexcept nogil:
        """The bytes of the values of some records; `step` is from one column to the next."""
        cdef const long long* place = <const long long*> self.place.data
        cdef const Value* own
        cdef uint8_t* value = <uint8_t*> self.value.data
        cdef Py_ssize_t k, r
        cdef int shift
        for k in range(self.place.size):
            own, shift = values + place[k] // 8 * step, place[k] % 8 * 8
            if records < BYTES_AT_ONCE:
                memset(value + k * BYTES_AT_ONCE, 0, BYTES_AT_ONCE)
                for r in range(records):
                    value[k * BYTES_AT_ONCE + r] = <uint8_t> (own[r] >> shift)
            else:
                for r in range(BYTES_AT_ONCE):
                    value[k * BYTES_AT_ONCE + r] = <uint8_t> (own[r] >> shift)

    cdef void flush(self) noexcept nogil:
        cdef const long long* place = <const long long*> self.place.data
        cdef long long* total
        cdef int32_t* pending = <int32_t*> self.pending.data
        cdef Py_ssize_t k, b, f
        for f in range(self.fields):
            for k in range(self.place.size):
                total = <long long*> self.total.data + (self.groups[f] * self.columns + place[k] // 8) * self.replicates
                for b in range(self.replicates):
                    total[b] += <long long> pending[k * self.stride + b] << place[k] % 8 * 8
        memset(pending, 0, self.place.size * self.stride * sizeof(int32_t))
