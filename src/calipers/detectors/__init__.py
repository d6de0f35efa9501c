"""Detectors: images in, detections out, in the form that `calipers coco` reads. Start with detect.py."""
