"""The dense suite: counts to the artifact. Rates appear here and nowhere before."""

from __future__ import annotations

from typing import Any

from calipers import __version__
from calipers.core import causes as objects
from calipers.core import sweep
from calipers.core.tally import Tally
from calipers.files.problems import REASON_WORDS
from calipers.kernels.flatten import REASONS
from calipers.suites.dense import attributes, lines
from calipers.suites.dense.config import Config, params


def summarize(tally: Tally, config: Config) -> dict[str, Any]:
    """Counts to the artifact, but for its inputs."""
    read, evaluated, skipped, rejected = (int(value) for value in tally.counts["records"])
    clamped, repaired, degenerate = (int(value) for value in tally.counts["flags"])
    return {
        "suite": "dense",
        "protocol": "dense/1",
        "calipers": __version__,
        "inputs": [],
        "params": params(config),
        "records": {"read": read, "evaluated": evaluated, "skipped_empty": skipped, "rejected": rejected},
        "objects": {
            "gt": int(tally.counts["truth"].sum()),
            "pred": int(tally.counts["pred"].sum()),
            "invalid_pred": int(tally.counts["invalid"].sum()),
            "clamped": clamped,
            "repaired": repaired,
            "degenerate": degenerate,
        },
        "modes": {
            mode: sweep.mode_tree(mode, tally, config.levels, labelled=mode != "localization") for mode in config.modes
        },
        "counts": objects.counts_tree(tally),
        "errors": objects.errors_tree(tally),
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
    sums = {"gt": tally.counts["resampled"][:, 0], "pred": tally.counts["resampled"][:, 1]}
    for mode in config.modes:
        sums[f"{mode}.matched"] = tally.counts[f"resampled.{mode}"][:, 0]
        sums[f"{mode}.matched_over_sweep"] = tally.counts[f"resampled.{mode}"][:, 1]
    return {"replicates": config.bootstrap, "seed": config.seed, "sums": {k: v.tolist() for k, v in sums.items()}}
