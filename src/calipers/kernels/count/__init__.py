"""Who belongs to whom, and what is counted then: matching, sums, replicates."""
