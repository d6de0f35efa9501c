"""Images by name.

Annotations name their image by a file: `labels/cam1/a.txt` and `a.xml` with the file name `cam1\\a.jpg` are of the
image `cam1/a.jpg`. Either separator may stand between folders. An image is found by its whole name, with or without
ending; else by the last part of it, and among several of one last part by the folders that agree.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from calipers.core.errors import InputError
from calipers.files.problems import shown

IMAGE_ENDINGS = (".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".bmp", ".webp", ".tif", ".tiff")
_ROOT = re.compile(r"\A(?:[A-Za-z]:)?(?:\.{0,2}/)*")


def plain_name(name: str) -> str:
    r"""A name with / between its folders, without what leads out of the data set.

    >>> plain_name("..\\images\\a.jpg"), plain_name("C:\\data\\a.jpg"), plain_name("b/./c/../a.jpg")
    ('images/a.jpg', 'data/a.jpg', 'b/a.jpg')
    """
    return _ROOT.sub("", posixpath.normpath(name.replace("\\", "/"))) if name else ""


def without_image_ending(name: str) -> str:
    """The name without the ending of an image.

    >>> without_image_ending("a/b.1.JPG"), without_image_ending("a/b.1")
    ('a/b.1', 'a/b.1')
    """
    stem, ending = posixpath.splitext(name)
    return stem if ending.lower() in IMAGE_ENDINGS else name


class ImageNames:
    """Images by name. Each belongs to one file of annotations at most."""

    def __init__(self, names: Sequence[str], owner: str) -> None:
        self._names, self._owner = names, owner  # "the ground truth", for messages
        self._exact: dict[str, list[int]] = {}  # by whole name, with and without ending
        self._last: dict[str, list[int]] = {}  # by the last part of it
        self._files: dict[int, str] = {}  # image -> the file that has it
        for place, name in enumerate(map(plain_name, names)):
            for form in {name, posixpath.splitext(name)[0], without_image_ending(name)}:
                self._exact.setdefault(form, []).append(place)
                self._last.setdefault(posixpath.basename(form), []).append(place)

    def claim(self, file: str, *wanted: str) -> int:
        """The image of a file that names it in one of these ways, the first that is known."""
        places = (self.find(name, file) for name in wanted if name)
        place = next((place for place in places if place is not None), None)
        if place is None:
            raise InputError(f"{file}: {self._unknown(wanted)}")
        if place in self._files:
            raise InputError(f"{self._files[place]} and {file}: two files for the image {shown(self._names[place])}")
        self._files[place] = file
        return place

    def find(self, name: str, file: str = "") -> int | None:
        """The image that a name means, None if there is none. Several are an error."""
        name = plain_name(name)
        forms = list(dict.fromkeys((name, without_image_ending(name))))
        for form in forms:
            if len(places := self._exact.get(form, [])) == 1:
                return places[0]
        for form in forms:
            if places := self._last.get(posixpath.basename(form), []):
                return self._nearest(form, places, file)
        return None

    def _nearest(self, name: str, places: Sequence[int], file: str) -> int:
        """Of images with one last part, the one with which most folders agree."""
        agreeing = [_agreement(name, plain_name(self._names[place])) for place in places]
        best = [place for place, count in zip(places, agreeing, strict=True) if count == max(agreeing)]
        if len(best) > 1:
            names = " and ".join(shown(self._names[place]) for place in best[:2])
            raise InputError(f"{file}: {shown(name)} may be {names} of {self._owner}, expected one image")
        return best[0]

    def _unknown(self, wanted: Sequence[str]) -> str:
        tried = " nor ".join(dict.fromkeys(shown(name) for name in wanted if name))
        example = f"as {shown(self._names[0])}" if self._names else "but it has none"
        return f"no image of {self._owner} is called {tried}, expected the name of one, {example}"


def _agreement(name: str, other: str) -> int:
    """How many folders agree, from the inner ones out."""
    folders, other_folders = (posixpath.dirname(text).split("/")[::-1] for text in (name, other))
    pairs = enumerate(zip(folders, other_folders, strict=False))
    return next((count for count, (a, b) in pairs if a != b), min(len(folders), len(other_folders)))
