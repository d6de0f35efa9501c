"""For other kernels only."""
