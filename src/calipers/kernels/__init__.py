"""Compiled Python: arrays in, arrays out. Nothing here knows of files or suites, and nothing imports numpy.

Three rooms: `scan` (bytes and objects to columns), `shape` (how close two shapes are) and `count` (who belongs to whom,
sums, replicates). `shape` and `count` stand on `scan`, never on each other.

Read `scan.column` first (what goes out), then `scan.flatten` (Python objects to columns), `shape.shapes` (one form for
each shape), `shape.regions`, `shape.tubes` and `shape.coverage` (how close two shapes are), `count.assign` (who belongs
to whom), `count.sums` (resampling).
"""
