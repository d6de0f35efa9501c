"""Formats of detection data sets, each turned into rows of COCO."""
