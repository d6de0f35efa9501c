"""Matchings and labels to counts, and counts to numbers. Nothing here knows a file, a shape or a screen."""
