"""Large texts of results through shared memory: the same results, whatever way they took."""

import os
import pickle

import pytest

from calipers.engines import child_main, shared_texts
from calipers.engines.local import run_in_order
from calipers.engines.shared_texts import MIN_SHARED_BYTES
from calipers.suites.dense.plan import DensePart

SIZES = (0, 1, MIN_SHARED_BYTES - 1, MIN_SHARED_BYTES, MIN_SHARED_BYTES + 1, 3 * MIN_SHARED_BYTES + 7)


def part_of(size: int) -> DensePart:
    part = DensePart()
    part.matches, part.cases = [{"key": "a"}, b"m" * (size // 2)], [b"c" * size, b"last\n"]
    return part


def refused(*_: object) -> int:
    raise OSError(28, "No space left on device")


def no_files_in_memory(size: int) -> DensePart:
    """In a worker: as where there is no room for them."""
    os.memfd_create = refused
    return part_of(size)


def plain(part: DensePart) -> list[object]:
    rows = (*part.matches, *part.cases)
    return [bytes(row) if isinstance(row, memoryview) else row for row in rows]


def open_handles() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(autouse=True)
def workers_from_the_start(monkeypatch):
    if not shared_texts.can_share():
        pytest.skip("no files in memory on this system")
    monkeypatch.setattr("calipers.engines.local.ALONE_SEC", None)


@pytest.mark.parametrize("work", [part_of, no_files_in_memory])
def test_results_are_the_same_with_and_without_shared_memory(work):
    before = open_handles()
    parts = list(run_in_order(work, SIZES, 2))
    assert [plain(part) for part in parts] == [plain(part_of(size)) for size in SIZES]
    del parts
    assert open_handles() == before


def test_only_large_texts_are_left_out_of_the_pickle():
    kept = [len(shared_texts.pack(part_of(size))[1]) for size in SIZES]
    assert kept == [0, 0, 0, 1, 1, 2]  # half of 3 MB is large as well
    assert (
        shared_texts.pack(pickle.PickleBuffer(bytearray(MIN_SHARED_BYTES)))[1] == []
    )  # it may be changed by its owner


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_a_pickle_of_any_protocol_holds_all_texts(protocol):
    part = part_of(MIN_SHARED_BYTES)
    part.cases.append(memoryview(b"a view"))
    assert plain(pickle.loads(pickle.dumps(part, protocol))) == plain(part)


def test_views_of_shared_memory_are_pickled_as_texts_are():
    [part] = run_in_order(part_of, [MIN_SHARED_BYTES], 2)
    assert isinstance(part.cases[0], memoryview)
    part.matches = part.matches[1:]
    assert plain(pickle.loads(pickle.dumps(part, child_main.PROTOCOL))) == plain(part)


class Passed:
    """Values as they pass from one process to another, in this one."""

    def __init__(self) -> None:
        self.files, self.views = shared_texts.TextFiles(), shared_texts.TextViews()
        self.handles: list[int] = []

    def __call__(self, part: DensePart) -> DensePart:
        packed, texts = shared_texts.pack(part)
        handle = self.files.write([packed, *texts])
        self.handles.append(handle)
        return self.views.unpack(os.dup(handle), [len(packed), *(text.nbytes for text in texts)])


def test_a_file_is_written_again_once_there_is_no_view_of_it():
    passed = Passed()
    first = passed(part_of(MIN_SHARED_BYTES))
    second = passed(part_of(2 * MIN_SHARED_BYTES))
    assert plain(first) == plain(part_of(MIN_SHARED_BYTES))
    end = first.cases[0][-1:]  # a part of a view is one as well
    del first
    third = passed(part_of(MIN_SHARED_BYTES + 5))
    assert len(set(passed.handles)) == 3
    assert bytes(end) == b"c"
    assert plain(second) == plain(part_of(2 * MIN_SHARED_BYTES))
    del end, second
    passed.views.let_go()
    for size in (MIN_SHARED_BYTES, 3 * MIN_SHARED_BYTES):
        assert plain(passed(part_of(size))) == plain(part_of(size))
        passed.views.let_go()
    assert passed.handles[3] == passed.handles[4] in passed.handles[:2]  # the one that was used last
    assert plain(third) == plain(part_of(MIN_SHARED_BYTES + 5))


def test_files_that_are_many_or_large_are_not_kept(monkeypatch):
    monkeypatch.setattr(shared_texts, "MAX_KEPT_BYTES", 3 * MIN_SHARED_BYTES)
    before, passed = open_handles(), Passed()
    parts = [passed(part_of(size)) for size in [MIN_SHARED_BYTES] * 8 + [4 * MIN_SHARED_BYTES]]
    kept = open_handles() - before - 2 * len(parts)  # a view has a handle, and so has the map it is of
    assert kept == shared_texts.MAX_KEPT_FILES + 1  # and the last one, which may be asked for
    passed(part_of(0))
    assert [plain(part) for part in parts[:8]] == [plain(part_of(MIN_SHARED_BYTES))] * 8
    del parts
    passed.views.let_go()
    passed.views.end()
    assert open_handles() - before <= shared_texts.MAX_KEPT_FILES + 1


def test_a_handle_that_nobody_asks_for_is_closed():
    before = open_handles()
    handle = shared_texts.TextFiles().write([b"abc"])
    shared_texts.close([handle, 10**6])
    assert open_handles() == before
