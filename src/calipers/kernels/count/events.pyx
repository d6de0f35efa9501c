"""Events whose intervals may overlap on one side: how many can be paired, and which meet first.

Two events may be partners if they share `min_frames` or more. Work grows with the number of events and not with that
of possible pairs, which is the product of both sides where all overlap.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdlib cimport qsort

from .spans cimport Span


cdef struct Event:
    long long start, end        # `end` is the last frame at which another may begin and still share enough
    int side                    # 0 truth, 1 pred, 2 taken


cdef int by_end(const void* a, const void* b) noexcept nogil:
    cdef const Event* s = <const Event*> a
    cdef const Event* t = <const Event*> b
    return (s.end > t.end) - (s.end < t.end)


cdef int by_start(const void* a, const void* b) noexcept nogil:
    cdef const Event* s = (<const Event**> a)[0]
    cdef const Event* t = (<const Event**> b)[0]
    return (s.start > t.start) - (s.start < t.start)


cdef struct Heap:
    Event** events              # the one that ends first is at the top; events are in memory by their ends
    Py_ssize_t size


cdef void push(Heap* heap, Event* event) noexcept nogil:
    cdef Py_ssize_t at = heap.size
    heap.size += 1
    while at and event < heap.events[(at - 1) // 2]:
        heap.events[at] = heap.events[(at - 1) // 2]
        at = (at - 1) // 2
    heap.events[at] = event


cdef Event* pop(Heap* heap) noexcept nogil:
    cdef Event* top = heap.events[0]
    cdef Event* last
    cdef Py_ssize_t at = 0, below
    heap.size -= 1
    last = heap.events[heap.size]
    while 2 * at + 1 < heap.size:
        below = 2 * at + 1
        if below + 1 < heap.size and heap.events[below + 1] < heap.events[below]:
            below += 1
        if last < heap.events[below]:
            break
        heap.events[at] = heap.events[below]
        at = below
    heap.events[at] = last
    return top


cdef Py_ssize_t put(const Span* spans, Py_ssize_t n, int side, long long min_frames, Event* out) noexcept nogil:
    """The spans that are long enough to share so many frames."""
    cdef Py_ssize_t k, count = 0
    for k in range(n):
        if spans[k].end - spans[k].start + 1 >= min_frames:
            out[count].start, out[count].end, out[count].side = spans[k].start, spans[k].end - min_frames + 1, side
            count += 1
    return count


cdef Py_ssize_t count_pairs(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m,
                            long long min_frames) except -1:
    """The largest number of pairs in which each event has one partner at most.

    The event that ends first takes the partner that ends first. Of all that are left and that it meets, that one meets
    the fewest others, so no other choice leaves more; and to leave it alone gains nothing, as what it takes could serve
    only one other.
    """
    cdef Event* events = <Event*> PyMem_Malloc((n + m + 1) * sizeof(Event))
    cdef Event** memory = <Event**> PyMem_Malloc(2 * (n + m + 1) * sizeof(Event*))
    cdef Py_ssize_t count, matched
    if events == NULL or memory == NULL:
        PyMem_Free(events)
        PyMem_Free(memory)
        raise MemoryError()
    count = put(truth, n, 0, min_frames, events)
    count += put(pred, m, 1, min_frames, events + count)
    matched = match_by_end(events, count, memory)
    PyMem_Free(events)
    PyMem_Free(memory)
    return matched


cdef Py_ssize_t match_by_end(Event* events, Py_ssize_t count, Event** memory) noexcept nogil:
    cdef Event** starting = memory              # events by their starts
    cdef Heap[2] open_events                    # those that have begun, by side
    cdef Event* event
    cdef Event* partner
    cdef Py_ssize_t k, begun = 0, matched = 0, truths = 0
    qsort(events, count, sizeof(Event), by_end)
    for k in range(count):
        starting[k] = &events[k]
        truths += events[k].side == 0
    qsort(starting, count, sizeof(Event*), by_start)
    open_events[0].events, open_events[1].events = memory + count, memory + count + truths
    open_events[0].size = open_events[1].size = 0
    for k in range(count):
        event = &events[k]
        while begun < count and starting[begun].start <= event.end:
            if starting[begun].side != 2:
                push(&open_events[starting[begun].side], starting[begun])
            begun += 1
        if event.side == 2:
            continue
        partner = first_open(&open_events[1 - event.side])
        event.side = 2
        if partner != NULL:
            partner.side = 2
            matched += 1
    return matched


cdef Event* first_open(Heap* heap) noexcept nogil:
    """The event that ends first of those that are left; one that ended earlier than the event at hand is not left."""
    cdef Event* top
    while heap.size:
        top = pop(heap)
        if top.side != 2:
            return top
    return NULL


cdef void first_meeting(const Span* truth, Py_ssize_t n, const Span* pred, Py_ssize_t m, long long min_frames,
                        long long* reach, long long* out) noexcept nogil:
    """Starts of the first pred that shares `min_frames` with a truth, and of the first truth it meets; else -1, -1.

    Both sides are in the order of their starts. `reach` has room for a number a truth.
    """
    cdef Py_ssize_t i, j, low, high, middle
    cdef long long farthest = -1
    for i in range(n):
        if truth[i].end - truth[i].start + 1 >= min_frames:
            farthest = max(farthest, truth[i].end)
        reach[i] = farthest                     # where the truths so far end at the latest
    out[0] = out[1] = -1
    for j in range(m):
        if pred[j].end - pred[j].start + 1 < min_frames:
            continue
        low, high = 0, n
        while low < high:                       # the first truth that lasts long enough begins first of all those
            middle = (low + high) // 2
            if reach[middle] >= pred[j].start + min_frames - 1:
                high = middle
            else:
                low = middle + 1
        if low < n and truth[low].start <= pred[j].end - min_frames + 1:
            out[0], out[1] = pred[j].start, truth[low].start
            return


def most_pairs(truth, pred, long long min_frames):
    """How many of two lists of (first, last) can be paired, and the starts of the first pred and truth that meet.

    >>> most_pairs([(0, 9), (0, 4)], [(3, 5), (8, 12)], 1)
    (2, 3, 0)
    """
    truth, pred = list(truth), list(pred)       # which cannot become more while they are read
    cdef Py_ssize_t n = len(truth), m = len(pred), k
    cdef Span* spans = <Span*> PyMem_Malloc((n + m + 1) * sizeof(Span))
    cdef long long* reach = <long long*> PyMem_Malloc((n + 1) * sizeof(long long))
    cdef long long[2] met
    try:
        if spans == NULL or reach == NULL:
            raise MemoryError()
        for k, (first, last) in enumerate((*truth, *pred)):
            spans[k].start, spans[k].end = first, last
        first_meeting(spans, n, spans + n, m, min_frames, reach, met)
        return count_pairs(spans, n, spans + n, m, min_frames), met[0], met[1]
    finally:
        PyMem_Free(spans)
        PyMem_Free(reach)
