"""Thin compositions of readers, labels, rulers, matcher and metrics: `measure` and `summarize`, both pure."""
