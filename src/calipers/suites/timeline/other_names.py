"""What the summary and the page of the timeline suite call figures, beside the words of their declaration."""

from __future__ import annotations

OTHER_NAMES = {
    "event_lead_time_sec_mean": ("lead time, s before the zone",),
    "false_activations_per_minute": ("false alarms a minute", "false alarms", "stretches of false activation"),
    "event_recall": ("missed zones",),
    "mean_iou": ("mean IoU of states",),
    "macro_f1": ("macro F1 of states",),
    "late_advisory_rate": ("late advisory rate",),
    "false_activation_rate": ("false activation rate",),
    "segmental_f1_50": ("segmental F1 at 0.50",),
    "map_50": ("detections, mAP at 0.50",),
    "precision_at_target": ("detections, precision at recall",),
    "detection_false_positives_per_minute": ("false boxes a minute",),
    "runtime_fps": ("frames a second of runtime",),
    "entry_timing_mae_frames": ("first entry, off",),
    "entry_timing_mae_sec": ("first entry, off",),
    "advisory_start_error_frames": ("first warning, late",),
    "advisory_start_error_sec": ("first warning, late",),
    "flicker_per_minute": ("state changes predicted",),
}
