"""The dense suite: regions and lines on an image, without confidence scores."""
