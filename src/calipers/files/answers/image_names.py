"""Which image of a ground truth an answer is about.

An answer names it by `image_id`, `file_name`, `image`, `image_path` or `id`: an id of the ground truth, a file name of
it, or the last part of one if that is unique.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from calipers.files.problems import shown

IMAGE_FIELDS = ("image_id", "file_name", "image", "image_path", "id")


def unanswered(images: int) -> str:
    """A note on images that no answer is about.

    >>> unanswered(1)
    '1 image has no answer, which counts as nothing predicted'
    """
    return f"{images:,} {'image has' if images == 1 else 'images have'} no answer, which counts as nothing predicted"


class AnswerImages:
    """The images of a ground truth, by all that names one of them only: id, file name, last part of it."""

    def __init__(self, files: dict[Any, str], path: str) -> None:
        self.files, self.path = files, path  # file names by id
        short: dict[str, list[Any]] = {}
        for key, file in files.items():
            short.setdefault(file.rpartition("/")[2], []).append(key)
        self._names: dict[str, Any] = {name: keys[0] for name, keys in short.items() if len(keys) == 1}
        self._names |= {str(key): key for key in files}
        self._names |= {file: key for key, file in files.items()}

    def find(self, answer: dict[str, Any]) -> tuple[Any, str]:
        """The id of the image that an answer is about, None without one; and what it calls it, or what is wrong."""
        for field in IMAGE_FIELDS:
            value = answer.get(field)
            if isinstance(value, (int, str)) and not isinstance(value, bool):
                if field == "image_id" and value in self.files:
                    return value, field
                text = str(value)
                image_id = self._names.get(text, self._names.get(text.rpartition("/")[2]))
                return image_id, f"{field}: found {shown(value)}, expected an image of {self.path}{self._near(text)}"
        return None, f"no image: expected one of {', '.join(IMAGE_FIELDS)}"

    def _near(self, text: str) -> str:
        """The file that a name without its ending, or with another one, means."""
        near = self._stems.get(_stem(text))
        return f", did you mean {shown(near)}?" if near else ""

    @cached_property
    def _stems(self) -> dict[str, str]:
        """Files by their names without folder and ending; of several the first."""
        return {_stem(file): file for file in reversed(self.files.values())}


def _stem(name: str) -> str:
    """The last part of a file name without its ending.

    >>> _stem("photos/a.jpg"), _stem("a")
    ('a', 'a')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return last.rpartition(".")[0] or last
