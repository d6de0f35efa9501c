"""The detection suite: detections on images, COCO's numbers and what they hide. `suite` declares it."""
