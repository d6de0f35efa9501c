"""Reports to decisions, for any suite: compare, gate, check, merge."""
