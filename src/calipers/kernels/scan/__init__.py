"""Bytes and Python objects to columns, in one pass; what is wrong becomes a small code or a place in the text."""
