"""The head of an artifact, and versions of the libraries that its numbers come from: its `engines`.

A library is named only where it was used, so that a result without it does not depend on what happens to be installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers import __version__
from calipers.core.errors import InputError

Engines = dict[str, str]  # name of the library -> version


def join_engines(mine: Engines, others: Engines) -> Engines:
    """The libraries of two parts; two versions of one library give no common result.

    >>> join_engines({"hotcoco": "1.3.0"}, {"rapidfuzz": "3.14.0"})
    {'hotcoco': '1.3.0', 'rapidfuzz': '3.14.0'}
    """
    for name in sorted(mine.keys() & others.keys()):
        if mine[name] != others[name]:
            raise InputError(f"parts of {name} {mine[name]} and of {name} {others[name]}, expected one version")
    return mine | others


def engines_from(plain: Mapping[str, Any]) -> Engines:
    """The engines of a part that was packed; parts that do not name them have none."""
    return {str(name): str(version) for name, version in plain.get("engines", {}).items()}


def artifact_head(suite: str, protocol: str, engines: Engines, params: dict[str, Any]) -> dict[str, Any]:
    """The fields that every artifact begins with; its inputs are named once all was read. No engine, no `engines`."""
    return {
        "suite": suite,
        "protocol": protocol,
        "calipers": __version__,
        **({"engines": dict(sorted(engines.items()))} if engines else {}),
        "inputs": [],
        "params": params,
    }


def other_versions(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Libraries that two artifacts have numbers of in different versions, in words.

    >>> other_versions({"engines": {"hotcoco": "1.2.0"}}, {"engines": {"hotcoco": "1.3.0"}})
    ['hotcoco 1.2.0 in the old one, 1.3.0 in the new one']
    """
    before, after = old.get("engines", {}), new.get("engines", {})
    shared = sorted(before.keys() & after.keys())
    return [
        f"{name} {before[name]} in the old one, {after[name]} in the new one"
        for name in shared
        if before[name] != after[name]
    ]
