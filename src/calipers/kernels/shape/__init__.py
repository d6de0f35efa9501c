"""Shapes on a plane and in space: one form for each, and how close two of them are."""
