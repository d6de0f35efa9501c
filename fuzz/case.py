"""A case: files, and a call on them. It has a form in JSON, as the corpus keeps it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any, NamedTuple


class Case(NamedTuple):
    """Files by their names below a folder, and what is called there with which arguments."""

    grammar: str
    call: str  # a name in `calls`
    arguments: dict[str, Any]
    files: dict[str, bytes]
    is_valid: bool = False  # straight from the grammar: an error would be one of Calipers

    def size(self) -> int:
        """Bytes in all files."""
        return sum(map(len, self.files.values()))

    def write(self, folder: Path) -> None:
        """Put the files into a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def entry(self) -> dict[str, Any]:
        """As JSON has it: a file is a text, or base64 in a list where it is none."""
        files = {name: _packed(content) for name, content in self.files.items()}
        found: dict[str, Any] = {"grammar": self.grammar, "call": self.call, "arguments": self.arguments}
        return found | {"files": files} | ({"is_valid": True} if self.is_valid else {})


def read_case(entry: dict[str, Any]) -> Case:
    """A case from its form in JSON."""
    files = {name: _unpacked(content) for name, content in entry["files"].items()}
    return Case(entry["grammar"], entry["call"], entry["arguments"], files, entry.get("is_valid", False))


def _packed(content: bytes) -> str | list[str]:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return [b64encode(content).decode()]


def _unpacked(content: str | list[str]) -> bytes:
    return content.encode() if isinstance(content, str) else b64decode(content[0])
