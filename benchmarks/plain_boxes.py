"""A judge of many boxes as one writes it in a few minutes: a true box takes the best one left. `judge.py` times it."""

import json
import sys


def overlap(a: list, b: list) -> float:
    wide = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    high = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = wide * high
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / union if union > 0 else 0.0


def matched(truths: list, preds: list, least: float) -> list:
    """IoU of each true box with the best box that no earlier one took, where it is enough."""
    taken, found = set(), []
    for truth in truths:
        best, place = 0.0, -1
        for j, pred in enumerate(preds):
            if j in taken:
                continue
            iou = overlap(truth, pred)
            if iou > best:
                best, place = iou, j
        if place >= 0 and best >= least:
            taken.add(place)
            found.append(best)
    return found


def main() -> None:
    payload = json.load(sys.stdin)
    preds = payload.get("candidate_answer", {}).get("boxes", [])
    truths = payload.get("reference_answer", {}).get("boxes", [])
    found = matched(truths, preds, 0.5)
    hit = len(found)
    precision, recall = hit / len(preds) if preds else 0.0, hit / len(truths) if truths else 0.0
    f1 = 2 * precision * recall / (precision + recall) if hit else 0.0
    wrong = [(len(preds) - hit, "too many"), (len(truths) - hit, "missed")]
    verdict = {
        "score": f1,
        "hits": [f"{hit} boxes found, mean IoU {sum(found) / hit:.3f}"] if hit else [],
        "misses": [f"{count} boxes {what}" for count, what in wrong if count],
        "reasoning": f"precision {precision:.2f}, recall {recall:.2f}, F1 {f1:.2f}",
    }
    print(json.dumps(verdict))


if __name__ == "__main__":
    main()
