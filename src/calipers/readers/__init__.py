"""Bytes to batches. The only place that opens inputs, and the place where bad input is named."""
