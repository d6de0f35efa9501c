"""Only for other kernels."""
