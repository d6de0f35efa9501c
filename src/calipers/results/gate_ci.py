"""A gate as services for continuous integration read it: commands of a GitHub workflow, a report of GitLab.

Names of methods and slices come from files that nobody vouches for. Characters that do not print are escaped, and so is
what GitHub would take for the end of a command or of one of its properties.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from calipers.files.output import to_json
from calipers.results.gate_text import cells, columns, limit, notes, verdict
from calipers.show.numbers import spoken
from calipers.show.text import printable

Tree = Mapping[str, Any]
LEVELS = {"fail": "error", "investigate": "warning"}  # of an annotation on GitHub
SEVERITIES = {"fail": "major", "investigate": "info"}  # of an issue of code quality on GitLab
TITLE = "calipers gate"


def github(tree: Tree) -> str:
    """Workflow commands: an error or a warning for each rule that does not pass, then a notice with the whole."""
    return "\n".join([*_annotations(tree), _command("notice", TITLE, "\n".join([verdict(tree), *notes(tree)]))])


def _annotations(tree: Tree) -> Iterator[str]:
    for row in tree["rows"]:
        if row["state"] in LEVELS:
            title = f"{TITLE}: {spoken(row['metric'])} {limit(row)}"
            yield _command(LEVELS[row["state"]], title, f"{printable(row['reason'])}\n{difference(row, tree)}")


def difference(row: Tree, tree: Tree) -> str:
    """The figures of a row with the heads of their columns, on one line, without name, rule and state."""
    pairs = list(zip(columns(tree), cells(row, tree), strict=True))[1:-2]
    return ", ".join(f"{head} {cell}" for head, cell in pairs)


def _command(level: str, title: str, message: str) -> str:
    r"""A workflow command; line breaks of the message are kept by their escapes.

    >>> _command("error", "a: b, c", "50 %\nless")
    '::error title=a%3A b%2C c::50 %25%0Aless'
    """
    escaped_title = _escaped_data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={escaped_title}::{_escaped_data(message)}"


def _escaped_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def gitlab(tree: Tree) -> bytes:
    """A code quality report: a JSON list with an issue for each rule that does not pass."""
    return to_json([_issue(row, tree) for row in tree["rows"] if row["state"] in SEVERITIES])


def _issue(row: Tree, tree: Tree) -> dict[str, Any]:
    """One issue; its fingerprint is that of the rule, so that GitLab knows it again in the next report."""
    name = f"{spoken(row['metric'])} {limit(row)}"
    identity = "\0".join((row["metric"], row["rule"], repr(row["limit"])))
    return {
        "description": f"{name}: {printable(row['reason'])} ({difference(row, tree)})",
        "check_name": f"calipers.gate.{row['rule']}",
        "fingerprint": sha256(identity.encode("utf-8", "surrogatepass")).hexdigest(),
        "severity": SEVERITIES[row["state"]],
        "location": {"path": printable(tree["new"]), "lines": {"begin": 1}},
    }
