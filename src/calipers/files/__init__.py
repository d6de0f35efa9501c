"""The only place that opens, cuts and writes files."""
