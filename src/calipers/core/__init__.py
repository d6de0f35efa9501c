"""What two suites use, or none in particular: options, errors, matching, counting, intervals, shapes as columns."""
