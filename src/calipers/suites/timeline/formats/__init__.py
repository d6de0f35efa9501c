"""Formats of predicted states, each turned into the plain form of the JSON."""
