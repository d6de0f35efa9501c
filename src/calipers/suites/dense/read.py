"""Lines of `gt_vs_pred.jsonl` to batches.

A record is a JSON object. Ground truth is `gt_norm1000` (else `gt_norm`), predictions are `pred_norm1000` if that key
is present, else `pred`; with `frame="pixel"` they are `gt` and `pred`, in pixels of `width` and `height`. Its key is
`image_path`, `id` or `image`, else file:line.

A record without objects is skipped. One that cannot be read, or has malformed ground truth, is bad: it is kept out and
told apart. A malformed predicted object stays, as one that matches nothing. Of a key that an object gives twice the
last counts, and the object is flagged as repaired; a record that gives a list of objects twice is bad.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any

import orjson

from calipers.core.errors import keyword
from calipers.core.shapes import FLAGS, Batch, Objects
from calipers.core.text import whole_text
from calipers.files.answers.records import (
    AnswerCounts,
    AnswerOptions,
    ReadAnswer,
    plain_objects,
    with_objects,
)
from calipers.files.json_checks import RepeatedKeyDict, check_memory, first_repeated
from calipers.files.lines import LONGEST_LINE, Shard
from calipers.files.problems import FROM_ARRAY, BadRecord, explain_object, in_order, shown
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.scan.jsonlines import RecordLines
from calipers.suites.dense.parse import RecordSides, Refusal, parse_line, record_of, record_sides, side_names

KEY_FIELDS = ("image_path", "id", "image")
SIDES = ("gt_norm1000", "gt_norm", "gt", "pred_norm1000", "pred")
NOT_NEEDED_TWICE = frozenset(SIDES)
MAX_TEXT = 100_000  # characters of a desc: comparing two free texts takes the product of their lengths
SAMPLED_RECORDS = 20  # records of a batch whose fields are noted, where fields are asked for


class DenseReading:
    """What was read from some lines: a batch, how many records were read and skipped, and the bad ones."""

    __slots__ = ("answers", "bad", "batch", "known", "read", "skipped")

    def __init__(self, batch: Batch, read: int, skipped: int, bad: list[BadRecord]) -> None:
        self.batch, self.read, self.skipped, self.bad = batch, read, skipped, bad
        self.known: set[str] = set()  # names of fields that records have, as far as they were looked at
        self.answers: AnswerCounts | None = None  # where predictions are answers of models


def read_shard(
    shard: Shard, *, frame: str, keep: bool = False, max_bad: int = 0, answers: AnswerOptions | None = None
) -> DenseReading:
    """One shard as a batch; after more than `max_bad` bad records the rest is not looked at."""
    most_bytes = shard.size + 1
    return next(read_batches(shard, frame=frame, keep=keep, max_bad=max_bad, most_bytes=most_bytes, answers=answers))


def read_batches(
    shard: Shard,
    *,
    frame: str,
    keep: bool = False,
    max_bad: int = 0,
    most_bytes: int,
    max_text: int = MAX_TEXT,
    only: frozenset[str] | None = None,
    fields: Sequence[str] = (),
    answers: AnswerOptions | None = None,
) -> Iterator[DenseReading]:
    """Read a shard in several batches where it has too many bytes for one; with `only`, just those records."""
    begin = partial(_Reader, shard.path, frame, keep, max_text, fields, answers)
    reader = begin()

    def take(block: bytes, at: int, line: int) -> tuple[int, int]:
        return reader.take_lines(block, at, line, most_bytes)

    for line, text in shard.lines(take if only is None else None):
        if only is not None and not _is_named(only, reader.path, line, text):
            continue
        if text is None:
            reader.refuse(line, f"the line is longer than {LONGEST_LINE >> 20} MiB")
        else:
            reader.add_line(line, text)
        if len(reader.bad) > max_bad:
            break
        if reader.size >= most_bytes:
            yield reader.result()
            reader = begin()
    yield reader.result()


def _is_named(only: frozenset[str], path: str, line: int, text: bytes | None) -> bool:
    """Whether a line is asked for, by the key of its record or by its place."""
    if f"{path}:{line}" in only or not text:
        return f"{path}:{line}" in only
    record = record_of(text)
    return isinstance(record, dict) and _key(record) in only


def read_records(
    records: Iterable[Any],
    *,
    frame: str,
    keep: bool = False,
    first: int = 1,
    max_text: int = MAX_TEXT,
    fields: Sequence[str] = (),
    answers: AnswerOptions | None = None,
    path: str = "<records>",
    lines: Iterable[int] | None = None,
) -> DenseReading:
    """Records that are already in memory; they are left as they are. `path` and `lines` say where they come from."""
    reader = _Reader(path, frame, keep, max_text, fields, answers)
    for line, record in zip(count(first) if lines is None else lines, records, strict=False):
        reader.add(line, record)
    return reader.result()


class _Reader:
    def __init__(
        self, path: str, frame: str, keep: bool, max_text: int, fields: Sequence[str], answers: AnswerOptions | None
    ) -> None:
        self.path, self.frame, self.keep, self.max_text = whole_text(path), frame, keep, max_text
        descs: dict[str, int] = {}
        self.truth, self.pred = ObjectColumns(descs), ObjectColumns(descs)
        self.answers, self.counts = answers, answers and AnswerCounts()
        is_other = frame == "pixel" or answers is not None
        self.plain = None if is_other else _plain_lines(self.truth, self.pred, fields)
        self.fields: dict[str, list[Any]] = {name: [] for name in fields}
        self._decoded: dict[float | bytes | None, Any] = {None: None}  # values of fields, as many are alike
        self.keys: list[str] = []
        self.lines: list[int] = []
        self.raw: list[dict[str, Any]] = []
        self.bad: list[BadRecord] = []
        self.read = self.skipped = self.size = 0
        self.known: set[str] = set()
        self._noted: list[bytes] = []  # lines

    def result(self) -> DenseReading:
        """What was read so far."""
        if self._lacks_field():
            for text in self._noted:
                self.known |= carried(record_of(text)).keys()
        reading = self._reading()
        reading.known, reading.answers = self.known, self.counts
        return reading

    def _reading(self) -> DenseReading:
        batch = Batch(
            Objects(self.truth),
            Objects(self.pred),
            keys=self.keys,
            path=self.path,
            lines=self.lines,
            raw=self.raw,
            fields=self.fields,
        )
        wordy = self._wordy(batch)
        if not wordy:
            return DenseReading(batch, self.read, self.skipped, self.bad)
        problem = f"a desc is longer than {self.max_text} characters ({keyword('max_text', 'N')} allows more)"
        bad = [BadRecord(self.path, self.lines[at], problem, f"{size} characters") for at, size in wordy.items()]
        return DenseReading(batch.without(wordy), self.read, self.skipped, in_order([*self.bad, *bad]))

    def _wordy(self, batch: Batch) -> dict[int, int]:
        """Records with a description that is too long, and how long it is."""
        descs = batch.truth.descs
        if max(map(len, descs), default=0) <= self.max_text:
            return {}
        sizes = {code: len(text) for text, code in descs.items() if len(text) > self.max_text}
        wordy: dict[int, int] = {}
        for side in (batch.truth, batch.pred):
            ends = side.offsets.tolist()[1:]
            for at, code in enumerate(side.desc):
                if code in sizes:
                    record = bisect_right(ends, at)
                    wordy[record] = max(wordy.get(record, 0), sizes[code])
        return dict(sorted(wordy.items()))

    def take_lines(self, block: bytes, begin: int, line: int, most_bytes: int) -> tuple[int, int]:
        """Read lines of a block that are written as most are, up to `most_bytes` in all: where they end, how many."""
        if self.plain is None or self.keep:
            return begin, 0
        keys: list[str] = []
        values: list[float | bytes | None] | None = [] if self.fields else None
        end = self.plain.add_lines(block, begin, min(len(block), begin + max(most_bytes - self.size, 0)), keys, values)
        if values:
            self._take_fields(values)
            self._note_lines(block, begin, end)
        self.size += end - begin
        self.read += len(keys)
        self.lines += range(line, line + len(keys))
        self.keys += [key or f"{self.path}:{at}" for at, key in enumerate(keys, line)] if "" in keys else keys
        return end, len(keys)

    def add_line(self, line: int, text: bytes) -> None:
        """One line; a blank one is no record. Most need no JSON objects on their way to the columns."""
        self.size += len(text)
        key = None if self.plain is None else self.plain.add(text)
        if key is not None:
            self.read += 1
            self.lines.append(line)
            self.keys.append(key or f"{self.path}:{line}")
            if self.keep:
                check_memory(text)
                self.raw.append(orjson.loads(text))
            if self.fields and self.plain:
                self._take_fields(self.plain.field_values())
                self._note_lines(text, 0, len(text))
            return
        if text := text.strip():
            record, problem = parse_line(text)
            if problem:
                self.refuse(line, problem)
            else:
                self.add(line, record)

    def _take_fields(self, flat_values: list[float | bytes | None]) -> None:
        """Append the values of all fields of some records, record after record: numbers, or the bytes of their JSON."""
        for place, values in enumerate(self.fields.values()):
            values += self._decode_column(flat_values[place :: len(self.fields)])

    def _decode_column(self, column: list[float | bytes | None]) -> list[Any]:
        if set(map(type, column)) == {float}:
            return column
        known, decode = self._decoded, self._decode
        return [known[value] if value in known else decode(value) for value in column]

    def _note_lines(self, block: bytes, begin: int, end: int) -> None:
        """Keep the first lines while a field that is asked for is missing in all: they say what fields there are."""
        if len(self._noted) == SAMPLED_RECORDS or not self._lacks_field():
            return
        while begin < end and len(self._noted) < SAMPLED_RECORDS:
            behind = block.find(b"\n", begin, end) + 1 or end
            self._noted.append(block[begin:behind])
            begin = behind

    def _lacks_field(self) -> bool:
        """Whether no record so far has one of the fields."""
        return any(all(value is None for value in values) for values in self.fields.values())

    def refuse(self, line: int, problem: str, value: str = "") -> None:
        self.read += 1
        self.bad.append(BadRecord(self.path, line, problem, value))

    def add(self, line: int, record: Any) -> None:
        """Add one record, whatever it is; a malformed one is refused."""
        if refusal := self._malformed(record):
            self.refuse(line, *refusal)
            return
        answer = None if self.answers is None else self._answer(record, self.answers)
        if isinstance(answer, str):
            self.refuse(line, answer)
            return
        record = record if answer is None else answer.record
        sides = record_sides(record, self.frame)
        if isinstance(sides, Refusal):
            self.refuse(line, *sides)
            return
        if refusal := self._add_truth(sides):
            self.refuse(line, *refusal)
            return
        self.read += 1
        if answer is not None and self.counts is not None:
            self.counts.add(answer)
        self._add_rest(line, record, sides)

    def _malformed(self, record: Any) -> Refusal | None:
        """What keeps a record from being read at all: it is no object, or gives a side twice."""
        if not isinstance(record, dict):
            array = f" ({FROM_ARRAY})" if isinstance(record, list) else ""
            return Refusal(f"not a JSON object, expected one a line{array}", shown(record))
        answered = self.answers.field if self.answers and self.answers.field else "pred"
        if type(record) is RepeatedKeyDict and (lost := first_repeated(record, {*SIDES, answered})):
            return Refusal(f"{lost}: is there twice, expected it once")
        return None

    def _add_truth(self, sides: RecordSides) -> Refusal | None:
        """Add the ground truth of a record, all of it or, where an object is malformed, none."""
        truth_name, truth, _, width, height = sides
        wrong = self.truth.add_record(truth, True, width, height)
        if wrong < 0:
            return None
        place, problem, value = explain_object(truth[wrong], self.truth.last_reason, self.frame, width, height)
        return Refusal(f"{truth_name}[{wrong}]{place}: {problem}", value)

    def _add_rest(self, line: int, record: dict[str, Any], sides: RecordSides) -> None:
        """Add all but the ground truth of a record; one that is empty on both sides is skipped."""
        truth, pred = sides.truth, plain_objects(sides.pred)
        if not truth and not pred:
            self.truth.drop_record()
            self.skipped += 1
            return
        self.pred.add_record(pred, False, sides.width, sides.height)
        _flag_doubled(self.truth, truth)
        _flag_doubled(self.pred, pred)
        self.keys.append(_key(record) or f"{self.path}:{line}")
        self.lines.append(line)
        for name, values in self.fields.items():
            values.append(record.get(name))
        if self.fields and len(self.keys) <= SAMPLED_RECORDS:
            self.known |= carried(record).keys()
        if self.keep:
            self.raw.append(record)

    def _answer(self, record: dict[str, Any], options: AnswerOptions) -> ReadAnswer | str:
        """A record with the objects of its answer, or what is wrong with it."""
        return with_objects(record, "pred" if self.frame == "pixel" else "pred_norm1000", options, self.frame)

    def _decode(self, value: float | bytes | None) -> Any:
        """The value of a field, from its JSON unless it is a number; texts are kept, as many are alike."""
        if isinstance(value, float):
            return value
        if value is None or value[:1] == b'"':
            self._decoded[value] = record_of(value or b"null")
            return self._decoded[value]
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return record_of(value)


def _flag_doubled(columns: ObjectColumns, objects: list[Any]) -> None:
    """Flag those of the last record's objects that give a key twice, unless they are invalid."""
    doubled = [index for index, item in enumerate(objects, -len(objects)) if type(item) is RepeatedKeyDict]
    if doubled:
        with memoryview(columns.flags) as flags:
            for index in doubled:
                flags[index] |= 0 if columns.reason[index] else FLAGS["repaired"]


def _plain_lines(truth: ObjectColumns, pred: ObjectColumns, fields: Sequence[str] = ()) -> RecordLines:
    """Reads records in norm1000 that are written as most are; the names are those of `side_names` and `_key`."""
    return RecordLines(
        truth,
        pred,
        truth_names=("gt_norm1000", "gt_norm"),
        pred_names=("pred_norm1000", "pred"),
        key_names=KEY_FIELDS,
        unless=("coord_mode", "pixel"),
        fields=fields,
    )


def _key(record: dict[str, Any]) -> str:
    for name in KEY_FIELDS:
        if name in record:
            value = record[name]
            if isinstance(value, str) and value:
                return value
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
    return ""


def carried(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record that are neither ground truth nor predictions."""
    return {name: value for name, value in record.items() if name not in NOT_NEEDED_TWICE}


def side_objects(record: dict[str, Any], frame: str) -> Iterator[list[Any]]:
    """Ground truth and predictions as they stand in the record."""
    truth, pred, _ = side_names(record, frame)
    yield record[truth]
    yield plain_objects(record[pred])
