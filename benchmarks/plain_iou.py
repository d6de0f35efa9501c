"""A judge of one box as one writes it in a few minutes: no checks, no options. `judge.py` times it."""

import json
import sys


def overlap(a: list, b: list) -> float:
    wide = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    high = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = wide * high
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / union if union > 0 else 0.0


def main() -> None:
    payload = json.load(sys.stdin)
    answer, reference = payload.get("candidate_answer", {}), payload.get("reference_answer", {})
    pred = answer.get("bbox") or answer.get("bounding_box")
    truth = reference.get("bbox") or reference.get("bounding_box")
    if not pred or not truth:
        print(json.dumps({"score": 0.0, "hits": [], "misses": ["no box"], "reasoning": "a side has no box"}))
        return
    iou = overlap(pred, truth)
    words = [f"IoU {iou:.3f}"]
    verdict = {
        "score": iou,
        "hits": words if iou >= 0.5 else [],
        "misses": [] if iou >= 0.5 else words,
        "reasoning": f"the boxes have an IoU of {iou:.3f}",
    }
    print(json.dumps(verdict))


if __name__ == "__main__":
    main()
