"""What decisions have in common: each is a mapping of its tree of plain dicts and lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class TreeMapping(Mapping[str, Any]):
    """A read-only mapping of the top level of `tree`."""

    tree: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.tree[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree)

    def __len__(self) -> int:
        return len(self.tree)
