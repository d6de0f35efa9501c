"""Fields of `images[]` that results are sliced by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from calipers.suites.coco.columns import Images
from calipers.suites.coco.formats.rows import plain


def add_fields(images: Images, entries: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> None:
    """Keep the values of some fields for every image, None where it has none, and the names of all fields."""
    by_id = {plain(entry["id"]): entry for entry in entries}
    own_entries = [by_id[ident] for ident in images.ids.tolist()]
    images.fields = {name: [plain(entry.get(name)) for entry in own_entries] for name in fields}
    images.known = tuple(sorted({str(name) for entry in own_entries for name in entry}))
