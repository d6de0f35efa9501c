"""A report as something to look at: the console summary, the artifact, tables."""
