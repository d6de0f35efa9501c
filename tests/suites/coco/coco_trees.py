"""Trees of the detection suite, as the views get them: numbers that are easy to tell apart, not those of real boxes."""

SWEEP = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
BBOX = ("AP", "AP_50", "AP_75", "AP_small", "AP_medium", "AP_large")
BBOX += ("AR_1", "AR_10", "AR_100", "AR_small", "AR_medium", "AR_large")
KEYPOINTS = ("AP", "AP_50", "AP_75", "AP_medium", "AP_large", "AR", "AR_50", "AR_75", "AR_medium", "AR_large")
CAUSES = ("wrong_label", "misplaced", "wrong_label_and_place", "duplicate", "spurious", "missed")
ERRORS = ("matched", *CAUSES, "in_crowd")
RATES = ("precision", "recall", "f1")
HOSTILE = [
    "=HYPERLINK(1)",
    "</script><script>",
    "$x$",
    r"\$\frac{a}{b}$",
    "a\nb\tc",
    "\x1b[2J",
    "\u202eback",
    "交通锥😀",
    "\ud800",
    "",
    "long " * 80,
]


def tree(names=("car", "cone", "person"), iou_type="bbox", **changes):
    """A result over these classes: class k of n has 10 (n - k) objects, and gets worse from the first to the last."""
    keypoints = iou_type == "keypoints"
    limits = [20] if keypoints else [1, 10, 100]
    lines = {name: (12 + at) / 32 for at, name in enumerate(KEYPOINTS if keypoints else BBOX)}
    rows = [class_row(at, name, len(names)) for at, name in enumerate(names)]
    gt, pred = sum(row["gt"] for row in rows), sum(row["pred"] for row in rows)
    most = "AR" if keypoints else "AR_100"
    return {
        "suite": "coco",
        "protocol": "coco/1",
        "calipers": "0.1.0",
        "inputs": [
            {"path": "instances.json", "sha256": "0" * 64, "records": gt},
            {"path": "results.json", "sha256": "1" * 64, "records": pred},
        ],
        "params": {
            "iou_type": iou_type,
            "max_dets": limits,
            "recall_target": 0.9,
            "min_score": 0.0,
            "top": 10,
            "bootstrap": 1000,
            "seed": 0,
            "thresholds": list(SWEEP),
            "primary_threshold": 0.5,
        },
        "images": {"total": 120, "evaluated": 110, "skipped_empty": 8, "rejected": 2, "without_pred": 0},
        "objects": {
            "gt": gt + 5,
            "crowd": 5,
            "pred": pred,
            "invalid_pred": 0,
            "cut_by_max_dets": 0,
            "absent_class_pred": 0,
            "in_crowd": 0,
        },
        "coco": lines,
        "intervals": {name: [lines[name] - 0.0625, lines[name] + 0.0625] for name in ("AP", "AP_50", "AP_75", most)}
        | {"precision_at_recall": [0.125, 0.25], "precision_at_target": [0.25, 0.5]},
        "map_50": lines["AP_50"],
        "precision_at_recall": 0.1875,
        "precision_at_target": 0.375,
        "tie_mass": 0.0,
        "ap_undefined_reason": None,
        "per_class": rows,
        "curves": {name: curve(at, len(names)) for at, name in enumerate(names)},
        "confusion": confusion(rows),
        "errors": dict(zip(ERRORS, (30, 6, 7, 8, 10, 59, 9, 0), strict=True)),
        "errors_by_label": [{"label": name, **dict.fromkeys(CAUSES, 1)} for name in names],
        "worth": worth(0.0625, 0.125, 0.25, 0.0, 0.1875, 0.3125),
        "sweep": sweep(gt, pred),
        "counts": {"mae": 1.5, "over_rate": 0.5, "under_rate": 0.25, "equal_rate": 0.25},
        "invalid_reasons": {},
        "absent_classes": [],
        "warnings": [],
        "rejected": [],
        "bootstrap": {"replicates": 1000, "seed": 0, "values": {}, "sums": {}},
    } | changes


def worth(*gains):
    """What each cause is worth, the same in F1 and in its mean."""
    entries = {
        cause: {"gain": gain, "interval": None if gain is None else [gain / 2, gain + 0.125]}
        for cause, gain in zip(CAUSES, gains, strict=True)
    }
    return {"f1": entries, "mean_f1": entries}


def class_row(at, name, count):
    good = 1 - at / count
    return {
        "category_id": at + 1,
        "name": name,
        "gt": 10 * (count - at),
        "pred": 20 * (count - at),
        "AP": good / 2,
        "AP_50": good * 0.75,
        "precision_at_recall": good / 4,
        "precision_at_target": good / 2,
        "best_score": 0.5,
        "best_f1": good * 0.625,
    }


def curve(at, count):
    """A straight fall that begins at the goodness of the class."""
    recall = [step / 100 for step in range(101)]
    return {"recall": recall, "precision": [max(0.0, 1 - at / count - step / 2) for step in recall]}


def confusion(rows):
    """Of each class half is found, one object is taken for the next class, and the rest is missed."""
    matched = {row["name"]: {row["name"]: row["gt"] // 2} for row in rows}
    for at, row in enumerate(rows):
        taken_for = rows[(at + 1) % len(rows)]["name"]
        matched[row["name"]][taken_for] = matched[row["name"]].get(taken_for, 0) + at + 1
    return {
        "matched": matched,
        "missed": {row["name"]: row["gt"] // 2 - 1 for row in rows},
        "background": {row["name"]: row["pred"] // 4 for row in rows},
    }


def sweep(gt, pred):
    def rates(level):
        matched = gt // (2 + level)
        return {"gt": gt, "pred": pred, "matched": matched} | dict.fromkeys(RATES, 1 / (2 + level))

    interval = {name: [0.25, 0.75] for name in RATES}
    return {
        "thresholds": [{"iou": value, **rates(at)} for at, value in enumerate(SWEEP)],
        "primary": {"iou": 0.5, **rates(0), "interval": interval},
        "mean_f1": 0.375,
        "mean_f1_interval": [0.25, 0.5],
        "mean_overlap_matched": 0.8,
        "by_type": {},
        "by_label": [],
    }


def many(count=80):
    """A result over many classes."""
    return tree([f"class {at:02}" for at in range(count)])


def without_order(**changes):
    """A result in which scores say nothing."""
    found = tree(**changes)
    unknown = {
        "AP": None,
        "AP_50": None,
        "precision_at_recall": None,
        "precision_at_target": None,
        "best_score": None,
        "best_f1": None,
    }
    return found | {
        "coco": dict.fromkeys(found["coco"]),
        "intervals": dict.fromkeys(found["intervals"]),
        "curves": {},
        "map_50": None,
        "precision_at_recall": None,
        "precision_at_target": None,
        "ap_undefined_reason": "all 120 scores are 1, so there is no order to rank detections in",
        "tie_mass": None,
        "per_class": [row | unknown for row in found["per_class"]],
    }


def without_detections():
    """Nothing was detected: what AP sees is 0, and nothing can be said about precision."""
    found = tree()
    missed = {row["name"]: row["gt"] for row in found["per_class"]}
    zero = {
        "pred": 0,
        "AP": 0.0,
        "AP_50": 0.0,
        "precision_at_recall": 0.0,
        "precision_at_target": 0.0,
        "best_score": None,
        "best_f1": None,
    }
    primary = {"iou": 0.5, "gt": 60, "pred": 0, "matched": 0, "precision": None, "recall": 0.0, "f1": 0.0}
    primary["interval"] = {"precision": None, "recall": [0.0, 0.0], "f1": [0.0, 0.0]}
    return found | {
        "objects": found["objects"] | {"pred": 0},
        "coco": dict.fromkeys(found["coco"], 0.0),
        "intervals": {name: [0.0, 0.0] for name in found["intervals"]},
        "map_50": 0.0,
        "precision_at_recall": 0.0,
        "precision_at_target": 0.0,
        "tie_mass": None,
        "per_class": [row | zero for row in found["per_class"]],
        "curves": {
            name: {"recall": each["recall"], "precision": [0.0] * 101} for name, each in found["curves"].items()
        },
        "confusion": {"matched": {}, "missed": missed, "background": {}},
        "errors": dict.fromkeys(ERRORS, 0) | {"missed": 60},
        "errors_by_label": [
            {"label": name, **dict.fromkeys(CAUSES, 0), "missed": count} for name, count in missed.items()
        ],
        "worth": worth(0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        "sweep": found["sweep"] | {"primary": primary, "mean_f1": 0.0, "mean_f1_interval": [0.0, 0.0]},
    }


def without_anything():
    """No annotation, no detection, no class."""
    found = tree([])
    nothing = {"iou": 0.5, "gt": 0, "pred": 0, "matched": 0, "precision": None, "recall": None, "f1": None}
    nothing["interval"] = dict.fromkeys(RATES)
    return found | {
        "objects": dict.fromkeys(found["objects"], 0),
        "coco": dict.fromkeys(found["coco"]),
        "intervals": dict.fromkeys(found["intervals"]),
        "map_50": None,
        "precision_at_recall": None,
        "precision_at_target": None,
        "tie_mass": None,
        "confusion": {"matched": {}, "missed": {}, "background": {}},
        "errors": dict.fromkeys(ERRORS, 0),
        "errors_by_label": [],
        "worth": worth(*[None] * 6),
        "sweep": found["sweep"] | {"primary": nothing, "mean_f1": None, "mean_f1_interval": None},
    }


TREES = {
    "three classes": tree(),
    "eighty classes": many(),
    "keypoints": tree(["person"], "keypoints"),
    "no order": without_order(),
    "no detections": without_detections(),
    "nothing": without_anything(),
    "hostile names": tree(HOSTILE),
}
