"""Compiled Python: arrays in, arrays out. Nothing here knows of files or suites, and nothing imports numpy.

Read `column` first (what goes out), then `flatten` (Python objects to columns), `shapes` (one form for each shape),
`regions`, `tubes` and `coverage` (how close two shapes are), `assign` (who belongs to whom), `poisson` (resampling).
"""
