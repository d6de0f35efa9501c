# Only for other kernels: see strokes.pxd.
