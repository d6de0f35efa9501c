"""Two timelines of each video to counts: frames, runs, events, transitions, starts. Cost grows with intervals.

Every count is a whole number; rates are formed by whoever reads them. A frame that is not there is -1.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdlib cimport qsort
from libc.string cimport memset

from ..scan.checks cimport check_between, check_indices, check_length
from ..scan.column cimport Column
from .events cimport count_pairs, first_meeting
from .frame_errors cimport ERROR_KINDS, Piece, count_errors
from .spans cimport Partners, Plan, Side, Span, is_ordered, match_in_order
from .spans cimport count_edits, count_segments, keep_segments

FRAME_ERRORS = (
    "insertion", "merge", "overfill_start", "overfill_end",
    "deletion", "fragmentation", "underfill_start", "underfill_end", "substitution",
)
COUNTS = (
    "frames", "correct_frames", "states", "overlapped_frames_gt", "overlapped_frames_pred",
    "gt_idle_frames", "gt_active_frames", "pred_active_frames", "both_active_frames",
    "false_active_frames", "false_episodes",
    "gt_focus_start", "pred_focus_start", "gt_active_start", "pred_active_start",
    "gt_events", "pred_events", "matched_events",
    "gt_advisory_events", "pred_advisory_events", "matched_advisory_events",
    "delay_frames", "lead_events", "lead_frames",
    "gt_runs", "pred_runs", "gt_segments", "pred_segments", "edits", "segments_10", "segments_25", "segments_50",
    *[f"{kind}_frames" for kind in FRAME_ERRORS], *[f"{kind}_stretches" for kind in FRAME_ERRORS],
)
cdef enum:
    FRAMES, CORRECT, STATES, OVERLAPPED_TRUTH, OVERLAPPED_PRED
    TRUTH_IDLE, TRUTH_ACTIVE, PRED_ACTIVE, BOTH_ACTIVE, FALSE_ACTIVE, FALSE_EPISODES
    TRUTH_FOCUS, PRED_FOCUS, TRUTH_START, PRED_START
    TRUTH_EVENTS, PRED_EVENTS, MATCHED_EVENTS, TRUTH_ADVISORIES, PRED_ADVISORIES, MATCHED_ADVISORIES
    DELAY, LEAD_EVENTS, LEAD
    TRUTH_RUNS, PRED_RUNS, TRUTH_SEGMENTS, PRED_SEGMENTS, EDITS, SEGMENTS_10, SEGMENTS_25, SEGMENTS_50
    ERRORS
    WIDTH = ERRORS + 2 * ERROR_KINDS

if len(COUNTS) != WIDTH:
    raise ImportError(f"{len(COUNTS)} names for {WIDTH} counts, expected one each, in the same order")

RATES = ("iou", "precision", "recall", "f1")
cdef enum:
    SMALL = 24                  # no more are sorted by insertion
    PER_STATE = 3               # frames of a state in both, in truth, in pred
    PER_START = 4               # first frame in truth and in pred; that of the first pred that meets a truth, and of it


cdef struct Change:
    long long kind, frame       # from * states + to, and the first frame of the new state


cdef inline int by_kind(const void* a, const void* b) noexcept nogil:
    cdef const Change* s = <const Change*> a
    cdef const Change* t = <const Change*> b
    if s.kind != t.kind:
        return -1 if s.kind < t.kind else 1
    return (s.frame > t.frame) - (s.frame < t.frame)


cdef inline int by_states(const void* a, const void* b) noexcept nogil:
    cdef const Piece* s = <const Piece*> a
    cdef const Piece* t = <const Piece*> b
    if s.truth != t.truth:
        return -1 if s.truth < t.truth else 1
    return (s.pred > t.pred) - (s.pred < t.pred)


cdef int by_value(const void* a, const void* b) noexcept nogil:
    return (<const int*> a)[0] - (<const int*> b)[0]


cdef void sort_changes(Change* changes, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Change moving
    if n > SMALL:
        qsort(changes, n, sizeof(Change), by_kind)
        return
    for i in range(1, n):
        moving = changes[i]
        j = i
        while j > 0 and by_kind(&moving, &changes[j - 1]) < 0:
            changes[j] = changes[j - 1]
            j -= 1
        changes[j] = moving


cdef void sort_pieces(Piece* pieces, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef Piece moving
    if n > SMALL:
        qsort(pieces, n, sizeof(Piece), by_states)
        return
    for i in range(1, n):
        moving = pieces[i]
        j = i
        while j > 0 and by_states(&moving, &pieces[j - 1]) < 0:
            pieces[j] = pieces[j - 1]
            j -= 1
        pieces[j] = moving


cdef class Meter:
    """Counts one video after the other into rows of `counts`, `rates` and `cells`."""

    cdef Side truth, pred
    cdef int idle, focus, states
    cdef long long min_frames
    cdef readonly Column counts         # (videos, WIDTH + tolerances + starts * PER_START + named * PER_STATE)
    cdef readonly Column rates          # (videos, 4) sums over the states that occur
    cdef readonly Column cell_video, cell_truth, cell_pred, cell_frames
    cdef Piece* pieces
    cdef Change* truth_changes
    cdef Change* pred_changes
    cdef Partners* pairs
    cdef Plan* plans
    cdef Span* truth_events
    cdef Span* pred_events
    cdef unsigned char* taken           # (3, truth runs)
    cdef long long* per_state           # (states, PER_STATE)
    cdef int* occurring
    cdef int occurring_count

    def __cinit__(self, truth, pred, rank, int idle, int focus, long long min_frames):
        cdef Py_ssize_t room
        self.truth, self.pred = Side(truth, rank), Side(pred, rank)
        self.states, self.idle, self.focus, self.min_frames = self.truth.rank.shape[0], idle, focus, min_frames
        check_between("idle", idle, 0, self.states - 1)
        check_indices("rank", self.truth.rank, self.states)
        check_length("pred.offsets", self.pred.offsets.shape[0], self.truth.offsets.shape[0])
        self.counts, self.rates = Column("q"), Column("d")
        self.cell_video, self.cell_truth, self.cell_pred = Column("i"), Column("i"), Column("i")
        self.cell_frames = Column("q")
        room = 2 * (self.truth.longest() + self.pred.longest()) + 8
        self.pieces = <Piece*> PyMem_Malloc(room * sizeof(Piece))
        self.truth_changes = <Change*> PyMem_Malloc(2 * room * sizeof(Change))
        self.pred_changes = self.truth_changes + room
        self.pairs = <Partners*> PyMem_Malloc(room * sizeof(Partners))
        self.plans = <Plan*> PyMem_Malloc(room * sizeof(Plan))
        self.truth_events = <Span*> PyMem_Malloc(2 * room * sizeof(Span))
        self.pred_events = self.truth_events + room
        self.taken = <unsigned char*> PyMem_Malloc(3 * room)
        self.per_state = <long long*> PyMem_Calloc(PER_STATE * (self.states + 1), sizeof(long long))
        self.occurring = <int*> PyMem_Malloc((self.states + 1) * sizeof(int))
        if (self.pieces == NULL or self.truth_changes == NULL or self.pairs == NULL or self.plans == NULL
                or self.truth_events == NULL or self.taken == NULL or self.per_state == NULL or self.occurring == NULL):
            raise MemoryError()

    def __dealloc__(self):
        PyMem_Free(self.pieces)
        PyMem_Free(self.truth_changes)
        PyMem_Free(self.pairs)
        PyMem_Free(self.plans)
        PyMem_Free(self.truth_events)
        PyMem_Free(self.taken)
        PyMem_Free(self.per_state)
        PyMem_Free(self.occurring)

    cdef void count_frames(self, long long* out) noexcept nogil:
        """Go along both timelines at once; pieces are stretches where neither changes."""
        cdef Py_ssize_t i = 0, j = 0, n = 0
        cdef long long at = 0, until, frames = out[FRAMES]
        cdef Span* a
        cdef Span* b
        cdef bint is_false, was_false = False
        while at < frames:
            a = &self.truth.runs[i]
            b = &self.pred.runs[j]
            until = min(a.end, b.end) + 1
            self.pieces[n].truth, self.pieces[n].pred, self.pieces[n].frames = a.state, b.state, until - at
            n += 1
            out[CORRECT] += until - at if a.state == b.state else 0
            out[TRUTH_IDLE if a.state == self.idle else TRUTH_ACTIVE] += until - at
            out[PRED_ACTIVE] += until - at if b.state != self.idle else 0
            out[BOTH_ACTIVE] += until - at if a.state != self.idle and b.state != self.idle else 0
            is_false = a.state == self.idle and b.state != self.idle
            out[FALSE_ACTIVE] += until - at if is_false else 0
            out[FALSE_EPISODES] += is_false and not was_false
            was_false = is_false
            at = until
            i += a.end < until
            j += b.end < until
        count_errors(self.pieces, n, self.idle, out + ERRORS)
        self.join_pieces(n)

    cdef void join_pieces(self, Py_ssize_t n) noexcept nogil:
        """Pieces of the same two states together, in the order of states; ended by a piece of no frames."""
        cdef Py_ssize_t k, kept = 0
        sort_pieces(self.pieces, n)
        for k in range(n):
            if kept and by_states(&self.pieces[kept - 1], &self.pieces[k]) == 0:
                self.pieces[kept - 1].frames += self.pieces[k].frames
            else:
                self.pieces[kept] = self.pieces[k]
                kept += 1
        self.pieces[kept].frames = 0

    cdef int keep_confusion(self, Py_ssize_t video) except -1:
        cdef Piece* piece = self.pieces
        while piece.frames:
            self.cell_video.push_int32(video)
            self.cell_truth.push_int32(piece.truth)
            self.cell_pred.push_int32(piece.pred)
            self.cell_frames.push_int64(piece.frames)
            piece += 1
        return 0

    cdef inline void add_to_state(self, int state, int which, long long frames) noexcept nogil:
        cdef long long* row = self.per_state + PER_STATE * state
        if row[1] == 0 and row[2] == 0:
            self.occurring[self.occurring_count] = state
            self.occurring_count += 1
        row[which] += frames

    cdef void count_states(self, long long* out, double* rates) noexcept nogil:
        """Frames by state, and the sums of rates over states in the order of their names."""
        cdef Piece* piece = self.pieces
        cdef long long* row
        cdef int k
        self.occurring_count = 0
        while piece.frames:
            self.add_to_state(piece.truth, 1, piece.frames)
            self.add_to_state(piece.pred, 2, piece.frames)
            if piece.truth == piece.pred:
                self.per_state[PER_STATE * piece.truth] += piece.frames
            piece += 1
        qsort(self.occurring, self.occurring_count, sizeof(int), by_value)
        out[STATES] = self.occurring_count
        for k in range(self.occurring_count):
            row = self.per_state + PER_STATE * self.occurring[k]
            rates[0] += <double> row[0] / <double> (row[1] + row[2] - row[0])
            rates[1] += <double> row[0] / <double> row[2] if row[2] else 0
            rates[2] += <double> row[0] / <double> row[1] if row[1] else 0
            rates[3] += <double> (2 * row[0]) / <double> (row[1] + row[2])

    cdef void forget_states(self) noexcept nogil:
        cdef int k
        for k in range(self.occurring_count):
            memset(self.per_state + PER_STATE * self.occurring[k], 0, PER_STATE * sizeof(long long))

    cdef Py_ssize_t pick(self, Side side, int state, Span* out) noexcept:
        """The intervals of a state as they were given, in order of time."""
        cdef Py_ssize_t k, n = 0
        for k in range(side.count):
            if side.spans[k].state == state:
                out[n] = side.spans[k]
                n += 1
        return n

    cdef int count_events(self, long long* out) except -1:
        """Focus events are intervals as given, advisory events are runs of active frames."""
        cdef Py_ssize_t n = self.pick(self.truth, self.focus, self.truth_events)
        cdef Py_ssize_t m = self.pick(self.pred, self.focus, self.pred_events), k
        out[TRUTH_EVENTS], out[PRED_EVENTS] = n, m
        if is_ordered(self.truth_events, n) and is_ordered(self.pred_events, m):
            out[MATCHED_EVENTS] = match_in_order(self.truth_events, n, self.pred_events, m, self.min_frames, self.pairs,
                                                 self.plans)
        else:
            out[MATCHED_EVENTS] = count_pairs(self.truth_events, n, self.pred_events, m, self.min_frames)
        self.count_advisories(out)
        return 0

    cdef void count_advisories(self, long long* out) noexcept:
        cdef Side a = self.truth, b = self.pred
        cdef Py_ssize_t k, matched
        cdef long long began, focus
        matched = match_in_order(a.active, a.active_count, b.active, b.active_count, self.min_frames, self.pairs,
                                 self.plans)
        out[TRUTH_ADVISORIES], out[PRED_ADVISORIES] = a.active_count, b.active_count
        out[MATCHED_ADVISORIES] = matched
        for k in range(matched):
            began, focus = b.active[self.pairs[k].pred].start, a.focus[self.pairs[k].truth]
            out[DELAY] += began - a.active[self.pairs[k].truth].start
            out[LEAD_EVENTS] += focus >= 0
            out[LEAD] += focus - began if focus >= 0 else 0
        out[TRUTH_START] = a.active[0].start if a.active_count else -1
        out[PRED_START] = b.active[0].start if b.active_count else -1
        out[TRUTH_FOCUS], out[PRED_FOCUS] = first_of(a, self.focus), first_of(b, self.focus)

    cdef Py_ssize_t list_changes(self, Side side, Change* out) noexcept:
        cdef Py_ssize_t k
        for k in range(1, side.run_count):
            out[k - 1].kind = <long long> side.runs[k - 1].state * self.states + side.runs[k].state
            out[k - 1].frame = side.runs[k].start
        sort_changes(out, side.run_count - 1)
        return side.run_count - 1

    cdef void count_transitions(self, const long long[::1] tolerances, const long long[:, ::1] own, Py_ssize_t video,
                                long long* out) noexcept:
        """Changes of one kind lie on a line, so going along both sides finds as many pairs as any matching can."""
        cdef Py_ssize_t n = self.list_changes(self.truth, self.truth_changes)
        cdef Py_ssize_t m = self.list_changes(self.pred, self.pred_changes), t
        for t in range(tolerances.shape[0]):
            out[t] += self.count_near(n, m, tolerances[t])
        for t in range(own.shape[1]):
            out[tolerances.shape[0] + t] += self.count_near(n, m, own[video, t])

    cdef long long count_near(self, Py_ssize_t n, Py_ssize_t m, long long tolerance) noexcept:
        """Pairs of changes of one kind that are at most so many frames apart; none at a negative tolerance."""
        cdef Py_ssize_t i = 0, j = 0
        cdef long long pairs = 0
        cdef Change* a
        cdef Change* b
        while i < n and j < m:
            a = &self.truth_changes[i]
            b = &self.pred_changes[j]
            if a.kind == b.kind and -tolerance <= a.frame - b.frame <= tolerance:
                pairs += 1
                i += 1
                j += 1
            elif by_kind(a, b) < 0:
                i += 1
            else:
                j += 1
        return pairs

    cdef void count_starts(self, const int[::1] states, long long* out) noexcept:
        cdef Py_ssize_t s, n, m
        cdef Span* a = self.truth_events
        cdef Span* b = self.pred_events
        for s in range(states.shape[0]):
            n, m = self.pick(self.truth, states[s], a), self.pick(self.pred, states[s], b)
            out[0], out[1] = a[0].start if n else -1, b[0].start if m else -1
            first_meeting(a, n, b, m, self.min_frames, <long long*> self.plans, out + 2)     # as much room as it needs
            out += PER_START


cdef long long first_of(Side side, int state) noexcept:
    """The first frame painted in a state."""
    cdef Py_ssize_t k
    for k in range(side.run_count):
        if side.runs[k].state == state:
            return side.runs[k].start
    return -1


def measure(truth, pred, rank, *, int idle, int focus, starts, named, tolerances, long long min_frames, bint union,
            distance, ignored, own_tolerances):
    """Counts of every video: columns (counts, rates, (video, truth state, pred state, frames) of the confusion).

    A row of `counts` holds COUNTS, matched transitions by tolerance (those of all videos, then the video's own), the starts
    of some states, and frames by state of the named ones. `distance` is the edit distance of long sequences. `ignored` has a flag a state: whether its runs are
    no segments.
    """
    cdef Meter meter = Meter(truth, pred, rank, idle, focus, min_frames)
    cdef const long long[::1] tolerance = tolerances
    cdef const long long[:, ::1] own = own_tolerances     # (videos, tolerances)
    cdef const int[::1] start_states = starts, named_states = named
    cdef Py_ssize_t changes = tolerance.shape[0] + own.shape[1]
    cdef Py_ssize_t width = WIDTH + changes + start_states.shape[0] * PER_START, v, k, n, m
    cdef Py_ssize_t videos = meter.truth.offsets.shape[0] - 1
    cdef long long* out
    cdef long long frames
    cdef const unsigned char[::1] skipped = ignored
    check_indices("named", named_states, meter.states)
    check_length("ignored", skipped.shape[0], meter.states)
    check_length("own_tolerances", own.shape[0], videos)
    meter.counts.resize(videos * (width + named_states.shape[0] * PER_STATE))
    meter.rates.resize(videos * 4)
    out = <long long*> meter.counts.data
    for v in range(videos):
        frames = meter.truth.last_frame(v)
        out[FRAMES] = frames = 1 + (max(frames, meter.pred.last_frame(v)) if union else frames)
        meter.truth.load(v, frames, idle, focus)
        meter.pred.load(v, frames, idle, focus)
        out[OVERLAPPED_TRUTH], out[OVERLAPPED_PRED] = meter.truth.overlapped, meter.pred.overlapped
        out[TRUTH_RUNS], out[PRED_RUNS] = meter.truth.run_count, meter.pred.run_count
        meter.count_frames(out)
        meter.keep_confusion(v)
        meter.count_states(out, (<double*> meter.rates.data) + 4 * v)
        meter.count_events(out)
        meter.count_transitions(tolerance, own, v, out + WIDTH)
        n = keep_segments(meter.truth.runs, meter.truth.run_count, skipped)         # the last to look at runs
        m = keep_segments(meter.pred.runs, meter.pred.run_count, skipped)
        out[TRUTH_SEGMENTS], out[PRED_SEGMENTS] = n, m
        count_segments(meter.truth.runs, n, meter.pred.runs, m, meter.taken, out + SEGMENTS_10)
        out[EDITS] = count_edits(meter.truth.runs, n, meter.pred.runs, m, distance)
        meter.count_starts(start_states, out + WIDTH + changes)
        out += width
        for k in range(named_states.shape[0]):
            out[0] = meter.per_state[PER_STATE * named_states[k]]
            out[1] = meter.per_state[PER_STATE * named_states[k] + 1]
            out[2] = meter.per_state[PER_STATE * named_states[k] + 2]
            out += PER_STATE
        meter.forget_states()
    return meter.counts, meter.rates, (meter.cell_video, meter.cell_truth, meter.cell_pred, meter.cell_frames)
