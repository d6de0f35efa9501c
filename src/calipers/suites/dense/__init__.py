"""The dense suite: regions and lines on an image, without confidence scores. `suite` declares it; read that first."""
