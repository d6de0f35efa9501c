"""Small drawings of what figures measure, for the manual; the numbers in them come from the code itself."""
