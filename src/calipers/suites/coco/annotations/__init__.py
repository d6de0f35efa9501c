"""Rows of annotations and detections: looked up, judged, and put in order."""
