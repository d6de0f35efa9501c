"""Compiled Python: arrays in, arrays out. Nothing here knows of files or suites, and nothing imports numpy.

Three rooms: `scan` (bytes and objects to columns), `shape` (how close two shapes are) and `count` (who belongs to whom,
sums, replicates). `shape` and `count` stand on `scan`, never on each other.

A kernel that has more than 400 lines is several files: its `.pyx` includes one `.pxi` for each task.

Read `scan.column` first (what goes out), then `scan.flatten` (Python objects to columns), `shape.plane` (one form for
each shape, and how close two of them are), `count.assign` (who belongs to whom), `count.sums` (resampling).
"""
