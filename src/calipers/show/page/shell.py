"""The page as one HTML file that trusts nothing it shows.

Script and style are files of this package, the same for every page; a policy in the page allows these two by their
hashes and pictures inside the page, and forbids everything else, requests above all. What the page shows is one block
of JSON in which no character means anything to HTML; the script puts it on the page as text.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from calipers.core.text import whole_text
from calipers.files.output import json_text

SCRIPTS = (
    "dom",
    "query",
    "links",
    "charts",
    "dots",
    "matrix",
    "tables",
    "strips",
    "drawing",
    "looks",
    "stage",
    "viewer",
    "cases",
    "page",
)
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def page(data: Mapping[str, Any], text: str = "") -> bytes:
    """One self-contained HTML file of what `sections.page_data` made; `text` is shown where scripts do not run."""
    title, plain = (escape(whole_text(words)) for words in (f"{data['title']} · Calipers", text))
    head, end = (half.substitute(title=title, text=plain).encode("utf-8") for half in _frame())
    return b"".join((head, json_block(data), end))


def json_block(value: Any) -> bytes:
    r"""JSON that may stand in HTML: only letters, digits and signs without a meaning there.

    >>> json_block({"label": "</script>"})
    b'{"label":"\\u003c/script\\u003e"}'
    """
    text = json_text(value)
    for sign, written in ESCAPES.items():
        text = text.replace(sign.encode(), written.encode())
    return text


@cache
def _frame() -> tuple[Template, Template]:
    """The HTML of the page before and behind its data."""
    style = packed(_source("page.css"))
    script = "(() => {\n" + "".join(packed(_source(f"{name}.js")) for name in SCRIPTS) + "})();\n"
    parts = {"policy": policy(style, script), "style": style, "script": script}
    doubled = {name: text.replace("$", "$$") for name, text in parts.items()}  # for the second filling in
    head, end = (Template(half).safe_substitute(doubled) for half in _source("page.html").split("$data"))
    return Template(head), Template(end)


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def packed(source: str) -> str:
    """Script or style without indents and lines of comment, which every page would carry.

    No text in them runs over several lines.
    """
    lines = (line.strip() for line in source.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith(("//", "/*")))


def policy(style: str, script: str) -> str:
    """What a browser may do for the page: run this script, apply this style, show pictures that are in the page."""
    rules = {
        "default-src": "'none'",
        "script-src": digest(script),
        "style-src": digest(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def digest(text: str) -> str:
    """The hash of a script or style as a policy names it.

    >>> digest("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
