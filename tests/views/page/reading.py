"""Pages read back: what stands in their block of data."""

import json
import re
from typing import Any


def data_of(document: bytes) -> dict[str, Any]:
    """Everything a page shows."""
    pattern = r'<script type="application/json" id="data">(.*?)</script>'
    [found] = re.findall(pattern, document.decode("utf-8"), re.DOTALL)
    return json.loads(found)


def section(data: dict[str, Any], title: str) -> dict[str, Any]:
    """The section of this title."""
    [found] = [each for each in data["sections"] if each["title"] == title]
    return found


def titles(data: dict[str, Any]) -> list[str]:
    """The sections in reading order."""
    return [each["title"] for each in data["sections"]]


def cards(data: dict[str, Any], title: str) -> dict[str, Any]:
    """The value of each card."""
    return {card["name"]: card["value"] for card in section(data, title)["cards"]}


def column(data: dict[str, Any], title: str, name: str) -> list[Any]:
    """A column of a table."""
    table = section(data, title)
    at = [each["name"] for each in table["columns"]].index(name)
    return [row[at] for row in table["rows"]]


def tags_without_cases(data: dict[str, Any]) -> set[str]:
    """What can be clicked and leads nowhere."""
    carried = {tag for case in data["cases"] for tag in case["tags"]}
    carried |= {tag for each in data["sections"] for video in each.get("videos", ()) for tag in video.get("tags", ())}
    return {goto["tag"] for goto in gotos(data["sections"])} - carried


def gotos(tree: Any) -> list[Any]:
    """Every filter in a tree."""
    if isinstance(tree, list):
        return [found for each in tree for found in gotos(each)]
    if not isinstance(tree, dict):
        return []
    own = tree.get("goto")
    mine = own if isinstance(own, list) else [own]
    inside = [each for name, each in tree.items() if name != "goto"]
    return [each for each in mine if each] + gotos(inside)
