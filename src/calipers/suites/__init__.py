"""The suites, a folder each. Suites never import each other, and nothing outside of this folder names one."""

BUILT_IN = {  # in the order of the help
    "dense": "Regions and lines in gt_vs_pred.jsonl.",
    "timeline": "States along videos.",
    "scene": "Boxes in rooms, one or several methods.",
    "coco": "Detections on images: AP, AR, precision at recall, and why.",
}
