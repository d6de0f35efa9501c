"""The dense suite: counts to the artifact. Rates appear here and nowhere before."""

from __future__ import annotations

from typing import Any

from calipers.core import sweep
from calipers.core.causes import counts_tree, errors_tree, label_errors_tree
from calipers.core.confusion import confusion_tree
from calipers.core.tally import Counts, Tally
from calipers.core.versions import Engines, artifact_head
from calipers.core.worth import worth_tree
from calipers.files.answers.records import ANSWERS, answers_tree
from calipers.files.problems import REASON_WORDS
from calipers.kernels.scan.flatten import REASONS
from calipers.suites.dense import attributes, lines
from calipers.suites.dense.config import PROTOCOL, Config, params


def summarize(tally: Tally, config: Config, engines: Engines | None = None) -> dict[str, Any]:
    """Counts to the artifact, but for its inputs."""
    read, evaluated, skipped, rejected = (int(value) for value in tally.counts["records"])
    clamped, repaired, degenerate = (int(value) for value in tally.counts["flags"])
    return {
        **artifact_head("dense", PROTOCOL, engines or {}, params(config)),
        "records": {"read": read, "evaluated": evaluated, "skipped_empty": skipped, "rejected": rejected},
        "objects": {
            "gt": int(tally.counts["truth"].sum()),
            "pred": int(tally.counts["pred"].sum()),
            "invalid_pred": int(tally.counts["invalid"].sum()),
            "clamped": clamped,
            "repaired": repaired,
            "degenerate": degenerate,
        },
        **(answers_tree(tally) if ANSWERS in tally.tables else {}),
        "modes": {
            mode: sweep.mode_tree(mode, tally, config.levels, labelled=mode != "localization") for mode in config.modes
        },
        "counts": counts_tree(tally),
        "errors": errors_tree(tally.counts["errors"]),
        "errors_by_label": label_errors_tree(tally.tables.get("errors", {}), tally.counts["errors.unlabelled"]),
        "worth": worth_tree(tally),
        "confusion": confusion_tree(tally),
        "attributes": attributes.attributes_tree(tally),
        "coverage": lines.coverage_tree(tally),
        "invalid_reasons": {
            REASON_WORDS.get(name, name): int(n) for name, n in zip(REASONS, tally.counts["invalid"], strict=True) if n
        },
        "unlabelled": dict(zip(("gt", "pred"), tally.counts["unlabelled"].tolist(), strict=True)),
        "bootstrap": _bootstrap_tree(tally, config),
    }


def _bootstrap_tree(tally: Tally, config: Config) -> dict[str, Any]:
    """The sums of every replicate, so that two results over the same records can be compared in pairs."""
    sums = {name: own.tolist() for name, own in resampled_sums(tally, config).items()}
    return {"replicates": config.bootstrap, "seed": config.seed, "sums": sums}


def resampled_sums(tally: Tally, config: Config) -> dict[str, Counts]:
    """The sums of every replicate, by the columns that figures are made of."""
    sums = {"gt": tally.counts["resampled"][:, 0], "pred": tally.counts["resampled"][:, 1]}
    for mode in config.modes:
        sums[f"{mode}.matched"] = tally.counts[f"resampled.{mode}"][:, 0]
        sums[f"{mode}.matched_over_sweep"] = tally.counts[f"resampled.{mode}"][:, 1]
    return sums
