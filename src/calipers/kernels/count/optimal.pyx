"""Pairs to partners: each object at most one, as many pairs as possible, and of those the largest total score.

A pair is worth its score plus ONE_MORE, which is more than all scores together, so one more pair always wins. Truths
come in one after the other. Each looks for the cheapest way in: a free pred, a pred whose truth moves on to another
one, and so on, or a truth on that way (itself included) that goes without. Prices of truths and preds (the dual
problem) keep all costs at 0 or above, so Dijkstra's algorithm finds it and stops early:

    price[truth] + price[pred] >= worth[pair], and equal for pairs that are taken
    price >= 0, and 0 for everyone without a partner

which is also the proof that nothing better exists. A price is never above the largest worth, so 128 bits hold every
sum exactly, whatever the scores. A search stays among objects that hang together by pairs, so groups cost and change
nothing for each other.

Ties: truths come in by index, and those before are moved or lose their place only where the matching gains by that. Of
free preds that are equally good for it, a truth takes the lowest index. So the outcome does not depend on the order of
pairs, and where one side of a group is a single object, that takes the highest score, then the lowest index.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.limits cimport INT_MAX
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ..scan.checks cimport check_indices, check_length
from ..scan.column cimport Column

cdef extern from *:
    """
    typedef __int128 Worth;
    #define ONE_MORE ((Worth) 1 << 96)          // 2 ** 31 scores that differ by 2 ** 64 make 2 ** 95
    #define FAR ((Worth) 1 << 120)              // above every distance: those are sums of a few worths
    """
    ctypedef long long Worth                    # wider than Cython knows; C has the last word
    const Worth ONE_MORE
    const Worth FAR

cdef enum:
    NONE = -1
    CAPACITY = 512              # worths on the stack: enough for most records, so that they allocate nothing


cdef struct Edge:
    long long score
    int pred, pair


cdef struct Problem:
    int truths, preds
    Edge* edges             # (pairs,) by truth, then pred
    int* start              # (truths + 1,) edges of truth i: start[i] up to start[i + 1]
    int* partner            # (truths,) the edge it has taken, or NONE
    int* owner              # (preds,) the truth it has been taken by, or NONE
    Worth* truth_price      # (truths,)
    Worth* pred_price       # (preds,)
    Worth* distance         # (preds,) from the truth that comes in; FAR when not seen
    int* came_from          # (preds,) the truth before it on the shortest way
    int* came_by            # (preds,) and the edge between them
    int* heap               # (preds + 1,) preds that are seen and not yet settled, the nearest first
    int* place              # (preds,) where in the heap
    int* settled            # (preds,)
    int heap_size, settled_size


cdef int solve(int n_pairs, const int* truth, const int* pred, const long long* score, char* chosen) except -1 nogil:
    """Mark the pairs of the optimal matching in `chosen`, (n_pairs,), and return how many they are.

    Objects are numbered from 0 on each side; time and memory grow with the largest number, so number them tightly.
    """
    cdef Worth[CAPACITY] room
    cdef Worth* memory = room
    cdef Problem problem
    cdef int i, found
    cdef size_t needed
    if n_pairs <= 0:
        return 0
    problem.truths = problem.preds = 0
    for i in range(n_pairs):
        problem.truths = max(problem.truths, truth[i] + 1)
        problem.preds = max(problem.preds, pred[i] + 1)
    memset(chosen, 0, n_pairs)
    if problem.truths == 1 or problem.preds == 1:
        return choose_closest(n_pairs, truth, pred, score, chosen)
    needed = size_in_worths(&problem, n_pairs)
    if needed > CAPACITY:
        memory = <Worth*> malloc(needed * sizeof(Worth))
        if memory == NULL:
            with gil:
                raise MemoryError()
    lay_out(&problem, n_pairs, memory)
    sort_edges(&problem, n_pairs, truth, pred, score)
    for i in range(problem.truths):
        let_in(&problem, i)
    found = mark_taken(&problem, chosen)
    if needed > CAPACITY:
        free(memory)
    return found


cdef int choose_closest(int n_pairs, const int* truth, const int* pred, const long long* score,
                        char* chosen) noexcept nogil:
    """The matching where one side is a single object."""
    cdef int k, best = 0
    for k in range(1, n_pairs):
        if score[k] > score[best] or (score[k] == score[best] and truth[k] + pred[k] < truth[best] + pred[best]):
            best = k
    chosen[best] = 1
    return 1


# Memory: worths first, then edges, then ints, so that all are aligned


cdef size_t size_in_worths(const Problem* p, size_t pairs) noexcept nogil:
    cdef size_t truths = p.truths, preds = p.preds
    cdef size_t ints = 2 * truths + 6 * preds + pairs + 2
    return truths + 2 * preds + (pairs * sizeof(Edge) + ints * sizeof(int)) // sizeof(Worth) + 1


cdef void lay_out(Problem* p, int pairs, Worth* memory) noexcept nogil:
    cdef int i
    p.truth_price = memory
    p.pred_price = p.truth_price + p.truths
    p.distance = p.pred_price + p.preds
    p.edges = <Edge*> (p.distance + p.preds)
    p.partner = <int*> (p.edges + pairs)
    p.owner = p.partner + p.truths
    p.came_from = p.owner + p.preds
    p.came_by = p.came_from + p.preds
    p.place = p.came_by + p.preds
    p.settled = p.place + p.preds
    p.heap = p.settled + p.preds
    p.start = p.heap + p.preds + 1
    p.heap_size = p.settled_size = 0
    memset(p.partner, NONE, p.truths * sizeof(int))
    memset(p.owner, NONE, p.preds * sizeof(int))
    for i in range(p.preds):
        p.pred_price[i] = 0
        p.distance[i] = FAR


cdef void sort_edges(Problem* p, int pairs, const int* truth, const int* pred, const long long* score) noexcept nogil:
    """By truth, then pred, then as given: counted into their places twice, by pred and then by truth."""
    cdef int* order = p.start + p.truths + 1
    cdef int* ends = p.heap                                 # still unused
    cdef int i, k
    cdef Edge* edge
    count_ends(pred, pairs, p.preds, ends)
    for k in range(pairs - 1, -1, -1):
        ends[pred[k]] -= 1
        order[ends[pred[k]]] = k
    count_ends(truth, pairs, p.truths, p.start)
    for i in range(pairs - 1, -1, -1):
        k = order[i]
        p.start[truth[k]] -= 1
        edge = p.edges + p.start[truth[k]]
        edge.score, edge.pred, edge.pair = score[k], pred[k], k


cdef void count_ends(const int* numbers, int size, int count, int* ends) noexcept nogil:
    """How many numbers are at most 0, 1, …, and `size` at the end."""
    cdef int k
    memset(ends, 0, (count + 1) * sizeof(int))
    for k in range(size):
        ends[numbers[k]] += 1
    for k in range(count):
        ends[k + 1] += ends[k]


cdef int mark_taken(const Problem* p, char* chosen) noexcept nogil:
    cdef int i, found = 0
    for i in range(p.truths):
        if p.partner[i] != NONE:
            chosen[p.edges[p.partner[i]].pair] = 1
            found += 1
    return found


# One truth comes in


cdef void let_in(Problem* p, int truth) noexcept nogil:
    """Make the matching of the truths before this one optimal with it."""
    cdef int k, best = NONE
    cdef Worth gain
    p.truth_price[truth] = 0
    for k in range(p.start[truth], p.start[truth + 1]):
        gain = ONE_MORE + p.edges[k].score - p.pred_price[p.edges[k].pred]
        if gain > p.truth_price[truth] or (
                best != NONE and gain == p.truth_price[truth]
                and p.owner[p.edges[best].pred] != NONE and p.owner[p.edges[k].pred] == NONE):
            p.truth_price[truth] = gain
            best = k
    if best == NONE:                                        # every pred is dearer than it is worth to this truth
        return
    if p.owner[p.edges[best].pred] == NONE:
        p.partner[truth] = best
        p.owner[p.edges[best].pred] = truth
    else:
        find_way(p, truth)


cdef void find_way(Problem* p, int root) noexcept nogil:
    """Dijkstra from pred to pred, each left by its owner, up to the nearest end; then everyone on the way moves."""
    cdef int truth = root, pred, end_truth = root, end_pred = NONE
    cdef Worth walked = 0, nearest = p.truth_price[root]    # going without costs a truth its price
    while True:
        pred = look_around(p, truth, walked, &nearest)
        if pred != NONE:
            end_pred = pred
        if p.heap_size == 0 or p.distance[p.heap[0]] >= nearest:
            break
        pred = pop_nearest(p)
        p.settled[p.settled_size] = pred
        p.settled_size += 1
        truth, walked = p.owner[pred], p.distance[pred]
        if walked + p.truth_price[truth] < nearest:
            nearest = walked + p.truth_price[truth]
            end_truth, end_pred = truth, NONE
    change_prices(p, root, nearest)
    if end_pred == NONE and end_truth != root:
        end_pred = p.edges[p.partner[end_truth]].pred
        p.partner[end_truth] = NONE
    if end_pred != NONE:
        move_all(p, root, end_pred)


cdef int look_around(Problem* p, int truth, Worth walked, Worth* nearest) noexcept nogil:
    """Note all preds that are closer through this truth; return the nearest free one, if it is the nearest end."""
    cdef int k, pred, end = NONE
    cdef Worth distance, base = walked + p.truth_price[truth] - ONE_MORE
    for k in range(p.start[truth], p.start[truth + 1]):
        pred = p.edges[k].pred
        distance = base + p.pred_price[pred] - p.edges[k].score
        if distance >= nearest[0] or distance >= p.distance[pred]:
            continue
        p.came_from[pred], p.came_by[pred] = truth, k
        if p.owner[pred] == NONE:
            nearest[0] = distance
            end = pred
        else:
            push_or_raise(p, pred, distance)
    return end


cdef void change_prices(Problem* p, int root, Worth nearest) noexcept nogil:
    """Make the whole way to the nearest end free of cost, and forget the distances."""
    cdef int k, pred
    p.truth_price[root] -= nearest
    for k in range(p.settled_size):
        pred = p.settled[k]
        p.pred_price[pred] += nearest - p.distance[pred]
        p.truth_price[p.owner[pred]] -= nearest - p.distance[pred]
        p.distance[pred] = FAR
    for k in range(p.heap_size):
        p.distance[p.heap[k]] = FAR
    p.settled_size = p.heap_size = 0


cdef void move_all(Problem* p, int root, int pred) noexcept nogil:
    """From the end of the way back to its beginning, each truth takes the pred after it."""
    cdef int truth = NONE, left
    while truth != root:
        truth = p.came_from[pred]
        left = p.partner[truth]
        p.partner[truth] = p.came_by[pred]
        p.owner[pred] = truth
        if truth != root:
            pred = p.edges[left].pred


# A binary heap of preds by distance


cdef inline void put(Problem* p, int place, int pred) noexcept nogil:
    p.heap[place] = pred
    p.place[pred] = place


cdef void push_or_raise(Problem* p, int pred, Worth distance) noexcept nogil:
    """Into the heap, or further up with a smaller distance."""
    cdef int place, above
    if p.distance[pred] == FAR:
        place = p.heap_size
        p.heap_size += 1
    else:
        place = p.place[pred]
    p.distance[pred] = distance
    while place > 0:
        above = (place - 1) >> 1
        if p.distance[p.heap[above]] <= distance:
            break
        put(p, place, p.heap[above])
        place = above
    put(p, place, pred)


cdef int pop_nearest(Problem* p) noexcept nogil:
    cdef int nearest = p.heap[0], moving, place = 0, below = 1
    p.heap_size -= 1
    moving = p.heap[p.heap_size]
    while below < p.heap_size:
        if below + 1 < p.heap_size and p.distance[p.heap[below + 1]] < p.distance[p.heap[below]]:
            below += 1
        if p.distance[p.heap[below]] >= p.distance[moving]:
            break
        put(p, place, p.heap[below])
        place, below = below, 2 * below + 1
    put(p, place, moving)
    return nearest


# Whole batches


def optimal(pairs, long long min_overlap, truth_labels=None, pred_labels=None):
    """Columns (truth, pred, score) of the optimal matching of pairs that score `min_overlap` or more, in their order.

    With labels (codes, -1 for none), only pairs of equal labels count, and none matches nothing.
    """
    cdef const int[::1] truth = pairs.truth, pred = pairs.pred
    cdef const long long[::1] score = pairs.score
    cdef bint labelled = truth_labels is not None
    cdef const int[::1] a = truth_labels if labelled else truth
    cdef const int[::1] b = pred_labels if labelled else pred
    cdef Column out_truth = Column("i"), out_pred = Column("i"), out_score = Column("q")
    cdef Py_ssize_t k
    if truth.shape[0] > INT_MAX:
        raise OverflowError(f"{truth.shape[0]} pairs, expected at most {INT_MAX}")
    check_length("pairs.pred", pred.shape[0], truth.shape[0])
    check_length("pairs.score", score.shape[0], truth.shape[0])
    check_indices("pairs.truth", truth, a.shape[0] if labelled else INT_MAX - 1)
    check_indices("pairs.pred", pred, b.shape[0] if labelled else INT_MAX - 1)
    for k in range(truth.shape[0]):
        if score[k] < min_overlap or (labelled and (a[truth[k]] < 0 or a[truth[k]] != b[pred[k]])):
            continue
        out_truth.push_int32(truth[k])
        out_pred.push_int32(pred[k])
        out_score.push_int64(score[k])
    keep_optimal(out_truth, out_pred, out_score)
    return out_truth, out_pred, out_score


cdef int keep_optimal(Column truth, Column pred, Column score) except -1:
    """Cut the columns to the pairs of their optimal matching."""
    cdef int* truths = <int*> truth.data
    cdef int* preds = <int*> pred.data
    cdef long long* scores = <long long*> score.data
    cdef int k, size = truth.size, kept = 0
    cdef char* chosen = <char*> PyMem_Malloc(size + 1)
    if chosen == NULL:
        raise MemoryError()
    try:
        with nogil:
            solve(size, truths, preds, scores, chosen)
        for k in range(size):
            if chosen[k]:
                truths[kept], preds[kept], scores[kept] = truths[k], preds[k], scores[k]
                kept += 1
    finally:
        PyMem_Free(chosen)
    truth.resize(kept)
    pred.resize(kept)
    score.resize(kept)
    return 0
