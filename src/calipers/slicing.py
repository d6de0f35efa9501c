"""Slices of a run, for any suite: its table and figures to the `slices` of the artifact.

A suite whose Config is below `SliceOptions` fills a `SliceTable` while it measures, says which figures a slice has, and
adds what comes out to its artifact. Where a field comes from is for the suite to say; the file of attributes is read
here, and joined to records by their keys once all of them are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from calipers.core.errors import ConfigError, keyword
from calipers.core.slice_draws import Resampling, Sums
from calipers.core.slice_fields import ABSENT, MAX_VALUES, OBJECTS, OTHER, SIZE
from calipers.core.slice_figures import SliceFigures
from calipers.core.slice_options import SliceOptions
from calipers.core.slice_table import Ints, SliceTable
from calipers.core.slices import Slice, find_slices, slice_replicates, slice_rows
from calipers.files.attributes import NAMES, AttributeFile, read_attributes
from calipers.kernels.count.sums import key_hashes
from calipers.report import Report

MAX_NAMED = 40  # fields in a message


class SlicedRun(NamedTuple):
    """The slices of a run, the file of attributes as the artifact names it, and notes about that."""

    hashes: Ints  # (records,) of keys
    slices: list[Slice]
    inputs: list[dict[str, Any]]
    notes: list[str]


def slice_run(
    table: SliceTable,
    config: SliceOptions,
    figures: SliceFigures,
    resampling: Resampling,
    *,
    object_figures: SliceFigures | None = None,
    sums: Sums | None = None,
    built_in: Iterable[str] = (OBJECTS, SIZE),
    same_keys: Mapping[str, str] | None = None,
) -> SlicedRun:
    """Every slice of a run; a field that no record has is an error that names those there are.

    `sums` are those of all records in replicates, where they are known. `same_keys` says which key of a record an
    attribute may also be given under: the id of an image, a video without its extension.
    """
    file = None if config.attributes is None else read_attributes(config.attributes)
    unknown_keys = [] if file is None else _set_attributes(table, file, same_keys or {}, set(built_in))
    notes = [] if file is None else [*_unknown_keys_note(file, unknown_keys), *_text_notes(file, config.slice_fields)]
    inputs = [] if file is None else [file.entry()]
    hashes, _ = table.columns()
    if not len(hashes):
        return SlicedRun(hashes, [], inputs, notes)
    _check_fields(table, {*built_in, *table.known, *(file.names if file else ())}, file)
    slices = find_slices(table, config.slice_specs, figures, resampling, object_figures, sums)
    return SlicedRun(hashes, slices, inputs, [*notes, *_other_notes(table)])


def _set_attributes(
    table: SliceTable, file: AttributeFile, same_keys: Mapping[str, str], built_in: set[str]
) -> list[str]:
    """Give records the fields of the file; returns the keys of the file that no record has."""
    keys = _keys_by_name(file, same_keys)
    unknown_keys = table.set_attributes({name: file.rows[key] for name, key in keys.items()}, built_in)
    return [keys[name] for name in unknown_keys]


def _keys_by_name(file: AttributeFile, same_keys: Mapping[str, str]) -> dict[str, str]:
    """The keys of the file by the names of their records."""
    keys: dict[str, str] = {}
    for key in file.rows:
        other = keys.setdefault(same_keys.get(key, key), key)
        if other != key:
            raise ConfigError(f"{file.path}: {other!r:.80} and {key!r:.80} are the same record, expected each once")
    return keys


def _unknown_keys_note(file: AttributeFile, unknown_keys: list[str]) -> list[str]:
    if not unknown_keys:
        return []
    counted = f"{len(unknown_keys):,} of {len(file.rows):,} keys are of no record that was evaluated"
    return [f"warning: {file.path}: {counted}, such as {unknown_keys[0]!r:.80}"]


def _text_notes(file: AttributeFile, fields: Iterable[str]) -> list[str]:
    """Notes on fields that are text because of a few cells of their column."""
    odd = [(name, *file.odd_cells[name]) for name in fields if name in file.odd_cells]
    return [
        f"warning: {file.path}: {name!r:.80} is text, as {n:,} of {of:,} cells are no numbers, such as {cell!r:.40};"
        " leave such cells empty, and it is in quartiles"
        for name, n, of, cell in odd
    ]


def _other_notes(table: SliceTable) -> list[str]:
    """Notes on texts that differ from record to record, so that most records are in no group of their own."""
    records = len(table.columns()[0])
    counts = [(name, len(values.texts), values.count_others()) for name, values in table.fields.items()]
    return [
        f"warning: slice: {name!r:.80} has {texts:,} different values, and {rest:,} of {records:,} records have none of"
        f" the {MAX_VALUES} most frequent, so they are {OTHER}; expected a field that groups records, such as a place"
        for name, texts, rest in counts
        if rest * 2 > records
    ]


def _check_fields(table: SliceTable, known: set[str], file: AttributeFile | None) -> None:
    for name, values in table.fields.items():
        codes, _ = values.columns()
        if bool(np.all(codes == ABSENT)):
            if file and name in file.names and file.rows:
                raise ConfigError(
                    f"slice: no record that was evaluated has a value of {name!r:.80}, which {file.path} has for keys"
                    f" such as {next(iter(file.rows))!r:.80}; expected {NAMES}, with its folders where the"
                    " record has them, or another key of a record"
                )
            if name in known:
                raise ConfigError(f"slice: found {name!r:.80} without a value in every record, expected one in some")
            field, _, edges = name.rpartition(":")
            if field in known:
                problem = f"found the edges {edges!r:.80} of {field!r:.80}"
                raise ConfigError(f"slice: {problem}, expected numbers that ascend: {field:.80}:10,20,50")
            named = sorted(known)
            more = f" and {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
            fields = ", ".join(f"{field:.40}" for field in named[:MAX_NAMED])
            there = f"the fields there are: {fields}{more}" if named else f"{keyword('attributes', 'FILE')} gives some"
            near = next(iter(get_close_matches(name, named, n=1)), None)
            hint = f", did you mean {near!r:.80}?" if near else ";"
            raise ConfigError(f"slice: no record has the field {name!r:.80}{hint} {there}")


def add_slices(report: Report, *runs: tuple[dict[str, Any], SlicedRun]) -> None:
    """Add slices to an artifact, or to parts of it (its methods), with what two results are compared by.

    Which slices are sure is decided over those of all parts.
    """
    rows = iter(slice_rows([part for _, run in runs for part in run.slices]))
    for tree, run in runs:
        params = tree["params"]
        tree["slices"] = list(islice(rows, len(run.slices)))
        kept = tree.setdefault("bootstrap", {"replicates": params["bootstrap"], "seed": params["seed"]})
        kept["slices"] = slice_replicates(run.slices)
        if tree is not report.tree:
            tree["inputs"] = [*tree["inputs"], *run.inputs]
    report.tree["inputs"] = [*report.tree["inputs"], *runs[0][1].inputs]
    report.notes.extend(runs[0][1].notes)
    report.slices_of = partial(slices_of_records, [run for _, run in runs])


def slices_of_records(runs: list[SlicedRun], keys: list[str]) -> list[dict[str, list[str]]]:
    """For each part of the artifact: the slices of some records by key, as `field=value`, which the page shows."""
    wanted = np.asarray(key_hashes(keys)).view(np.int64)
    return [_slices_of_part(run, keys, wanted) for run in runs]


def _slices_of_part(run: SlicedRun, keys: list[str], wanted: Ints) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {key: [] for key in keys}
    for part in run.slices:
        for at in np.flatnonzero(np.isin(wanted, run.hashes[part.members])).tolist():
            names[keys[at]].append(f"{part.field}={part.value}")
    return names
