"""Texts in their places of files: in the order of the items, whoever writes them and whenever that is."""

import os
import random
from threading import Timer

import pytest

from calipers.files import placed_texts
from calipers.files.output import write_in_steps
from calipers.files.placed_texts import STEP_BYTES, PlacedTexts, StoredText, reading_stored, store_texts


@pytest.fixture
def files(tmp_path):
    with open(tmp_path / "rows", "xb") as rows, open(tmp_path / "cases", "xb") as cases:
        rows.write(b"head\n")
        yield [rows, cases]


def contents(files):
    for file in files:
        file.flush()
    return [open(file.name, "rb").read() for file in files]


def test_a_text_begins_where_the_ones_before_it_end(files):
    places = PlacedTexts(files)
    assert places.store(0, [[b"abc"], [b"1"]]) == [5, 0]  # head and its line break are 5 bytes
    assert places.store(1, [[], [memoryview(b"2"), b"2"]]) == [8, 1]
    assert places.store(2, [[b"d"], [b""]]) == [8, 3]
    assert contents(files) == [b"head\nabcd", b"122"]


def test_a_text_is_not_stored_before_the_ends_of_the_others_are_known(files):
    places = PlacedTexts(files)
    assert places.store(1, [[b"later"], [b"later"]]) is None
    places.note(1, [5 + 2, 3])  # of item 0, which someone else writes
    assert places.store(1, [[b"later"], [b"4"]]) == [7, 3]
    assert places.store(0, [[b"ab"], [b"123"]]) is None  # its end is known, so somebody else has written it, or will
    assert contents(files) == [b"head\n\0\0later", b"\0\0\x004"]


def test_a_place_that_is_known_in_a_moment_is_waited_for(files, monkeypatch):
    monkeypatch.setattr(placed_texts, "WAIT_SEC", 60.0)
    places = PlacedTexts(files)
    later = Timer(0.05, places.note, (1, [7, 3]))
    later.start()
    assert places.store(1, [[b"later"], [b"4"]]) == [7, 3]
    later.join()


def test_what_cannot_be_written_is_left_to_the_caller_and_keeps_its_place(files):
    places = PlacedTexts(files)
    os.rename(files[1].name, files[1].name + ".gone")
    assert places.store(0, [[b"abc"], [b"1"]]) is None
    os.rename(files[1].name + ".gone", files[1].name)
    assert places.store(0, [[b"abc"], [b"1"]]) is None
    assert places.store(1, [[b"d"], [b"2"]]) == [8, 1]


def test_a_process_that_does_not_know_the_files_stores_nothing(files):
    places = PlacedTexts(files)
    assert store_texts(places.number, 0, [[b"a"], [b"b"]]) is None  # which has them open
    number = places.number
    del places
    assert store_texts(number, 0, [[b"a"], [b"b"]]) is None
    assert store_texts(None, 0, [[b"a"], [b"b"]]) is None


def test_items_beyond_those_there_is_room_for_are_left_to_the_caller(files, monkeypatch):
    monkeypatch.setattr(placed_texts, "ITEMS", 2)
    places = PlacedTexts(files)
    stored = [places.store(item, [[b"a"], [b"b"]]) for item in range(4)]
    assert stored == [[5, 0], [6, 1], None, None]
    places.note(3, [8, 3])
    places.note(4, [9, 4])
    assert places.store(4, [[b"a"], [b"b"]]) is None


@pytest.mark.parametrize("seed", range(5))
def test_texts_of_several_processes_are_those_of_one(files, seed):
    """Each item is stored by a copy of this process, or where that cannot be, appended here when it is its turn."""
    rng = random.Random(seed)
    texts = [[rng.randbytes(rng.randrange(50)), rng.randbytes(rng.randrange(3))] for _ in range(24)]
    places = PlacedTexts(files)
    for first in range(0, len(texts), 4):
        window = list(range(first, first + 4))
        rng.shuffle(window)
        stored = {item: _stored_by_a_copy(places, item, texts[item]) for item in window}
        for item in sorted(window):
            for file, text in zip(files, texts[item], strict=True):
                if stored[item]:
                    file.seek(len(text), os.SEEK_CUR)
                else:
                    file.write(text)
            places.note(item + 1, [file.tell() for file in files])
    joined = [b"".join(side) for side in zip(*texts, strict=True)]
    assert contents(files) == [b"head\n" + joined[0], joined[1]]


def _stored_by_a_copy(places, item, texts):
    process = os.fork()
    if not process:
        os._exit(store_texts(places.number, item, [[text] for text in texts]) is not None)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 1


def test_texts_are_read_from_a_file_that_is_open_for_writing(files):
    with reading_stored(files[0]) as read:
        assert read(StoredText(1, 3)) == b"ead"


def test_long_texts_are_written_in_steps(files, monkeypatch):
    monkeypatch.setattr(placed_texts, "STEP_BYTES", 3)
    places = PlacedTexts(files)
    assert places.store(0, [[b"abcdefgh", b"", b"ijk"], [b"123"]]) == [5, 0]
    assert contents(files) == [b"head\nabcdefghijk", b"123"]


@pytest.mark.parametrize("size", [0, 1, STEP_BYTES - 1, STEP_BYTES, STEP_BYTES + 1, 3 * STEP_BYTES])
def test_pieces_of_any_size_are_written_whole(files, size):
    text = random.Random(size).randbytes(size)
    write_in_steps(files[1], [b"a", text, memoryview(text), b"z"])
    assert contents(files)[1] == b"a" + text + text + b"z"
