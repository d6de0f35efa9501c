"""Results to decisions: what changed between two of them, and whether that is allowed."""
