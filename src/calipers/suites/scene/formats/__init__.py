"""Formats of scenes, each turned into plain objects."""
