"""Videos of the timeline suite: annotations, predictions as JSON, and timeline CSVs as two producers write them."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.writers import write_csv, write_json

STATES = ("outside", "approaching", "inside", "exiting")
SHORT = {"outside": "OUT", "approaching": "approach", "inside": "In", "exiting": "exit"}
WORDS = ("ROAD WORK AHEAD", "SLOW", "", "é 50")


def _runs(rng: Random) -> list[tuple[str, int, int]]:
    """(state, first, last), one after the other."""
    runs, at = [], 0
    for _ in range(rng.randint(1, 6)):
        length = rng.randint(1, 40)
        runs.append((rng.choice(STATES), at, at + length - 1))
        at += length + rng.choice((0, 0, 0, 3))
    return runs


def _states(rng: Random) -> dict[str, Any]:
    states: dict[str, list[list[int]]] = {}
    for state, first, last in _runs(rng):
        states.setdefault(state, []).append([first, last])
    return dict(states)


def _box(rng: Random) -> list[float]:
    x, y = rng.randint(0, 500), rng.randint(0, 300)
    return [x, y, x + rng.randint(1, 90), y + rng.uniform(1, 90)]


def _extras(rng: Random, is_truth: bool) -> dict[str, Any]:
    extras: dict[str, Any] = {}
    if rng.random() < 0.4:
        extras["detections"] = [
            {"frame": rng.randint(0, 60), "label": rng.choice(("drum", "cone")), "box": _box(rng)}
            | ({} if is_truth else {"score": round(rng.random(), 2)})
            for _ in range(rng.randint(0, 4))
        ]
    if rng.random() < 0.4:
        signs = [{"frame": rng.randint(0, 60), "text": rng.choice(WORDS)} for _ in range(rng.randint(0, 3))]
        extras["ocr"] = [sign | ({"box": _box(rng)} if rng.random() < 0.5 else {}) for sign in signs]
    if rng.random() < 0.3:
        extras["runtime"] = {"frames": rng.randint(0, 99), "seconds": round(rng.uniform(0, 9), 3)}
    return extras


def truth_of(rng: Random, names: list[str]) -> dict[str, Any]:
    """Annotations of videos."""
    rates: list[dict[str, Any]] = [{}, {}, {"fps": 30}, {"fps": 29.97}]
    fps = rng.choice(rates)
    return {name: _states(rng) | fps | (_extras(rng, True) if rng.random() < 0.4 else {}) for name in names}


def pred_of(rng: Random, names: list[str]) -> dict[str, Any]:
    """Predictions for most of them."""
    kept = [name.removesuffix(rng.choice((".mp4", ""))) for name in names if rng.random() < 0.9]
    return {
        name: {"fps": rng.choice((30, 0, 25.0)), "states": _states(rng)}
        | (_extras(rng, False) if rng.random() < 0.4 else {})
        for name in kept
    }


def _names(rng: Random) -> list[str]:
    return [f"drive_{number}.mp4" for number in range(rng.randint(1, 4))]


def _options(rng: Random) -> dict[str, Any]:
    options: dict[str, Any] = {"bootstrap": rng.choice((0, 9)), "max_bad_records": rng.choice((0, 0, 9)), "jobs": 1}
    options |= rng.choice([{}, {"extent": "gt"}, {"transition_tolerance_frames": [0, 5]}, {"fps": 30.0}])
    return options


def from_json(rng: Random) -> Draft:
    """Both sides as JSON."""
    names = _names(rng)
    docs = {"gt.json": Doc(truth_of(rng, names), write_json), "pred.json": Doc(pred_of(rng, names), write_json)}
    return Draft("timeline", {"gt": "gt.json", "pred": "pred.json", **_options(rng)}, docs)


def _fusion(rng: Random) -> list[list[Any]]:
    """Rows with times, texts and runtimes, not for every frame."""
    rows: list[list[Any]] = [["frame", "time_sec", "state", "confidence", "ocr_text", "runtime_ms"]]
    for state, first, last in _runs(rng):
        for frame in range(first, last + 1, 3):
            text = rng.choice(("", "", rng.choice(WORDS)))
            rows.append([frame, f"{frame / 30:.4f}", SHORT[state], 0.9, text, rng.choice(("", 45.2))])
    return rows


def _sota(rng: Random) -> list[list[Any]]:
    """Rows for every frame, and nothing but the state."""
    rows: list[list[Any]] = [["Frame", "State", "Score"]]
    rows += [
        [frame, SHORT[state].lower(), 0.7] for state, first, last in _runs(rng) for frame in range(first, last + 1)
    ]
    return rows


def from_csv(rng: Random) -> Draft:
    """Predictions as one CSV or a folder of them."""
    names = _names(rng)
    make, pattern = rng.choice([(_fusion, "{}_timeline_fusion.csv"), (_sota, "sota_{}.csv")])
    files = {f"csv/{pattern.format(name.removesuffix('.mp4'))}": Doc(make(rng), write_csv) for name in names}
    pred = "csv" if rng.random() < 0.7 else next(iter(files))
    docs = {"gt.json": Doc(truth_of(rng, names), write_json), **files}
    return Draft("timeline", {"gt": "gt.json", "pred": pred, **_options(rng)}, docs)


GRAMMARS = {"timeline": from_json, "timeline-csv": from_csv}
