"""Tasks of Label Studio's JSON, for suites that read them: which annotation counts, and what a task is about.

Ground truth is the annotation of a task that is marked as ground truth, else the first that was not cancelled; a note
counts the others, and another one tasks without any. Predictions are the first of `predictions`, or annotations of a
file that has none. An uploaded file is named without the eight digits that are put before it.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from calipers.core.errors import InputError
from calipers.files.problems import shown

SEVERAL_NOTE = "only one annotation of each task was read, not those of further annotators"
UNDONE_NOTE = "tasks without an annotation were read as having no objects"
UPLOADS = "/upload/"
UPLOADED = re.compile(r"\A[0-9a-f]{8}-(?=.)")

Task = dict[str, Any]


def choose_annotation(task: Task, place: str, truth: bool) -> tuple[Task, list[str]]:
    """The annotation or the prediction of a task that counts, and notes."""
    for name in ("annotations", "predictions"):
        entries = task.get(name)
        if entries is not None and not (isinstance(entries, list) and all(isinstance(item, dict) for item in entries)):
            raise InputError(f"{place}.{name}: found {shown(entries)}, expected a list")
    if not truth and task.get("predictions"):
        return task["predictions"][0], []
    done = [item for item in task.get("annotations") or [] if not item.get("was_cancelled")]
    best = next((item for item in done if item.get("ground_truth") is True), done[0] if done else {})
    return best, [SEVERAL_NOTE] * (len(done) > 1) + [UNDONE_NOTE] * (truth and not done)


def results_of(chosen: Task, place: str) -> list[Task]:
    """The results of an annotation."""
    results = chosen.get("result") or []
    if not isinstance(results, list) or not all(isinstance(item, dict) for item in results):
        raise InputError(f"{place}: result: found {shown(results)}, expected a list of shapes")
    return results


def stored_name(data: Task, place: str, fields: tuple[str, ...]) -> str:
    """The file that a task is about, by its place in the storage: the first of these fields, or the first text."""
    named = (data[field] for field in fields if data.get(field))
    value = next(named, None) or next((text for text in data.values() if isinstance(text, str)), "")
    if not isinstance(value, str) or not value:
        subject = "an image" if fields[0] == "image" else "a video"
        raise InputError(f"{place}: data.{fields[0]}: found {shown(value)}, expected the place of {subject}")
    path = _stored_path(value)
    folder, name = posixpath.split(path)
    return posixpath.join(folder, UPLOADED.sub("", name)) if UPLOADS in path else path


def _stored_path(value: str) -> str:
    """The path in a place, without host and query; the web's and those of uploads have other letters as %20 and so on.

    >>> _stored_path("/data/local-files/?d=a%20b/c.jpg"), _stored_path("https://host/a%20b.jpg?key=1")
    ('a b/c.jpg', '/a b.jpg')
    >>> _stored_path("s3://bucket/a/100%25.jpg"), _stored_path("/data/upload/1/0a1b2c3d-a%20b.jpg")
    ('/a/100%25.jpg', '/data/upload/1/0a1b2c3d-a b.jpg')
    """
    if "://" not in value and "?" not in value:
        return unquote(value) if UPLOADS in value else value
    parts = urlsplit(value)
    is_web = parts.scheme in ("http", "https", "")
    return parse_qs(parts.query).get("d", [""])[0] or (unquote(parts.path) if is_web else parts.path)
