"""The records that a run is asked for by `only`: a file of their keys, one per line."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.encodings import encoding_hint
from calipers.files.inputs import BOM, InputFile, read_bytes

Keys = frozenset[str]


def read_only(path: str) -> Keys:
    """The keys of a file, each once; blank lines are none."""
    data = read_bytes(path)
    try:
        lines = data.removeprefix(BOM).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8{encoding_hint(data)}, expected keys of records, one per line") from error
    keys = frozenset(line.strip() for line in lines if line.strip())
    if not keys:
        raise InputError(f"{path}: no keys, expected keys of records, one per line")
    return keys


def only_input(path: str, keys: Keys) -> dict[str, Any]:
    """The file as the artifact names it among the inputs: its digest, and how many keys there are."""
    return InputFile(whole_text(path), sha256(read_bytes(path)).hexdigest(), len(keys))._asdict()


def notes_on_missing_keys(path: str, keys: Keys, matched: int, record: str) -> list[str]:
    """Notes where fewer records were found than keys were given; none at all is an error."""
    if not matched:
        raise InputError(f"{path}: none of {len(keys):,} keys is that of a {record}, expected one key per line")
    missing = len(keys) - matched
    return [f"warning: {path}: {missing:,} of {len(keys):,} keys are of no {record}"] if missing > 0 else []
