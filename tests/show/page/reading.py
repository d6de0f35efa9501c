"""Pages read back: what stands in their block of data."""

import json
import re
from typing import Any

WORDS = ("cause", "note", "state", "under")


def data_of(document: bytes) -> dict[str, Any]:
    """Everything a page shows."""
    pattern = r'<script type="application/json" id="data">(.*?)</script>'
    [found] = re.findall(pattern, document.decode("utf-8"), re.DOTALL)
    data: dict[str, Any] = json.loads(found)
    return data | {"cases": [unpacked(case) for case in data["cases"]]}


def unpacked(case: Any) -> dict[str, Any]:
    """A case, also one that is only listed, which is written short."""
    if isinstance(case, dict):
        return case
    key, errors, title, facets, folded = [*case, *["", 0, 0][len(case) - 2 :]]
    named = {"key": key, "title": title or key, "tags": [], "errors": errors}
    return named | ({"facets": facets} if facets else {}) | ({"folded": folded} if folded else {})


def unfolded(data: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """The drawing of a case that is folded, as the script makes it."""
    canvas, note, aspect, y_up, rows = case["folded"]
    texts = data["texts"]
    shapes = []
    for kind, label, points, *more in rows:
        partner, overlap, score, cause, said, state, tags, under = [*more, *[None] * (8 - len(more))]
        known = {"partner": partner, "overlap": overlap, "score": score}
        places = zip(WORDS, (cause, said, state, under), strict=True)
        known |= {name: None if place is None else texts[place] for name, place in places}
        known["tags"] = None if tags is None else [texts[tag] for tag in tags]
        head = {"side": ("gt", "pred")[kind // 3], "form": ("box", "poly", "line")[kind % 3], "points": points}
        given = {name: value for name, value in known.items() if value is not None}
        shapes.append(head | {"label": texts[label]} | given)
    drawn = {"canvas": canvas, "shapes": shapes, "note": texts[note]}
    return drawn | ({"aspect": aspect} if aspect else {}) | ({"y_up": True} if y_up else {})


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
    carried = {tag for each in data["sections"] for video in each.get("videos", ()) for tag in video.get("tags", ())}
    asked = {json.dumps(goto, ensure_ascii=False): goto for goto in gotos(data["sections"])}
    nowhere = {text for text, goto in asked.items() if not any(fits(data, case, goto) for case in data["cases"])}
    return {text for text in nowhere if asked[text].get("tag") not in carried}


def fits(data: dict[str, Any], case: dict[str, Any], goto: dict[str, str]) -> bool:
    """Whether a case has what a filter asks for: facets of its own, and those of an object in one object."""
    own = {"key": [case["key"]], "tag": case["tags"]} | case.get("facets", {})
    asked = {name: value for name, value in goto.items() if value not in own.get(name, [])}
    return not asked or any(asked.items() <= facets for facets in error_facets(data, case))


def error_facets(data: dict[str, Any], case: dict[str, Any]) -> list[Any]:
    """What each object that is wrong can be asked for, one tag at a time."""
    errors = [data["errors"][place] for place in case.get("errors", [])[::2]]
    named = [(error, label) for error in errors for label in (error["label"], error.get("said")) if label]
    tagged = [(error, label, tag) for error, label in named for tag in (*error.get("tags", ()), "")]
    return [{"cause": error["cause"], "label": label, "tag": tag}.items() for error, label, tag in tagged]


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
