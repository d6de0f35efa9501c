"""What files about something are called: its name where that is safe, else a slug with a hash."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from itertools import count


def file_stem(name: str, taken: Iterable[str]) -> str:
    """What files about something are called by: its name if that is safe and free, else a slug with a hash.

    >>> file_stem("ours v2", []), file_stem("../ours", []), file_stem("Result", ["result"])
    ('ours v2', 'ours-06143992', 'Result-6e7d50e8')
    """
    used = {other.casefold() for other in taken}
    if re.fullmatch(r"\w(?:[\w. -]{0,62}\w)?", name) and name.casefold() not in used:
        return name
    return hashed_stem(name, used, "method")


def hashed_stem(name: str, taken: Iterable[str], otherwise: str) -> str:
    """What is readable of a name, with a hash; a name without anything readable is called otherwise.

    >>> hashed_stem("../城市/drive 01.mp4", [], "video")
    'drive-01-mp4-b86fc8ac'
    """
    used = {other.casefold() for other in taken}
    slug = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:48].strip("-") or otherwise
    digests = (sha256((name + "+" * again).encode("utf-8", "surrogatepass")) for again in count())
    stems = (f"{slug}-{digest.hexdigest()[:8]}" for digest in digests)
    return next(stem for stem in stems if stem.casefold() not in used)
