"""Trees of methods on scenes, as the views get them, with numbers worked out by hand."""

CAUSES = ("unresolved_label", "no_overlap", "low_iou", "wrong_label", "duplicate")
OPEN_SET = {"osR_strict": 0.25, "osR_relaxed": 0.5, "osP_strict": 0.5, "osP_relaxed": 0.75, "F1_os": 0.6}
AP = {"iou_0.25": 0.5, "iou_0.50": 0.25, "distance_0.5": 0.125, "by_class": {"iou_0.25": {}}, "tied_score_share": 0.0}
HOSTILE = [
    "</script><script>",
    "$x$",
    r"\$\frac{a}{b}$",
    "a\nb\tc",
    "\x1b[2J",
    "]]>",
    "城市😀",
    "\ud800",
    "",
]

#   10 objects, 8 predictions, 6 matched, of which 3 strict and 6 relaxed
#   precision 6/8 = 0.75, recall 6/10 = 0.6, f1 = 2*6/18 = 2/3; strict 3/6 and 3/8, relaxed 6/6 and 6/8
#   f1_relaxed = 2 * 1 * 0.6 / 1.6 = 0.75 with a mean IoU of 0.6
FULL = {
    "counts": {"gt": 10, "pred": 8, "tp": 6, "fp": 2, "fn": 4, "invalid_pred": 1, "ignored": 3},
    "detection_metrics": {
        "precision": 0.75,
        "precision_interval": [0.5, 0.9],
        "recall": 0.6,
        "recall_interval": None,
        "f1": 2 / 3,
        "f1_interval": [0.5, 0.8],
    },
    "geometry_metrics": {
        "mean_iou_3d": 0.6,
        "mean_iou_3d_interval": [0.5, 0.7],
        "mean_centroid_error_m": 0.3,
        "mean_centroid_error_m_interval": [0.2, 0.45],
        "strict_accuracy": 0.5,
        "strict_accuracy_interval": [0.25, 0.75],
        "relaxed_accuracy": 1.0,
        "strict_precision": 0.375,
        "relaxed_precision": 0.75,
        "f1_relaxed": 0.75,
    },
    "per_class": {
        "seat": {
            "tp": 4,
            "fp": 1,
            "fn": 2,
            "precision": 0.8,
            "recall": 2 / 3,
            "f1": 8 / 11,
            "mean_iou_3d": 0.7,
            "strict_accuracy": 0.5,
            "relaxed_accuracy": 1.0,
            "mean_centroid_error_m": 0.25,
        },
        "door": {
            "tp": 0,
            "fp": 1,
            "fn": 2,
            "precision": 0.0,
            "recall": 0.0,
            "f1": 0.0,
            "mean_iou_3d": None,
            "strict_accuracy": None,
            "relaxed_accuracy": None,
            "mean_centroid_error_m": None,
        },
    },
    "fp_breakdown": {"unresolved_label": 0, "no_overlap": 1, "low_iou": 1, "wrong_label": 0, "duplicate": 0},
    "range": [],
    "ap": AP,
    "benchmark_compat": {
        "precision": 0.75,
        "mean_strict_accuracy_per_class": 0.5,
        "mean_relaxed_accuracy_per_class": 1.0,
        "mean_iou_3d_per_class": 0.7,
        "mean_centroid_error_m_per_class": 0.25,
        **OPEN_SET,
    },
}


def with_metrics(tree, **metrics):
    """The same tree with other numbers, wherever they stand, and no intervals."""
    parts = ("detection_metrics", "geometry_metrics", "benchmark_compat")
    changed = {
        part: {name: metrics.get(name, value) for name, value in tree[part].items() if not name.endswith("_interval")}
        for part in parts
    }
    return tree | changed


#   5 objects, 2 predictions, nothing matched; open set and average precision were not asked for
NOTHING = with_metrics(
    FULL,
    precision=0.0,
    recall=0.0,
    f1=0.0,
    strict_precision=0.0,
    relaxed_precision=0.0,
    **dict.fromkeys(("mean_iou_3d", "mean_centroid_error_m", "strict_accuracy", "relaxed_accuracy", "f1_relaxed")),
) | {
    "counts": {"gt": 5, "pred": 2, "tp": 0, "fp": 2, "fn": 5, "invalid_pred": 0, "ignored": 0},
    "per_class": {},
    "ap": None,
    "fp_breakdown": {"unresolved_label": 0, "no_overlap": 2, "low_iou": 0, "wrong_label": 0, "duplicate": 0},
    "benchmark_compat": dict.fromkeys(
        (
            "mean_strict_accuracy_per_class",
            "mean_relaxed_accuracy_per_class",
            "mean_iou_3d_per_class",
            "mean_centroid_error_m_per_class",
        )
    ),
}
BOTH = {"ours": FULL, "theirs": NOTHING}


def with_classes(count):
    """A tree with so many classes; class k has k objects."""
    entry = FULL["per_class"]["seat"]
    return FULL | {"per_class": {f"class {k:03}": entry | {"tp": 0, "fn": k} for k in range(count)}}
