"""What the objects of scenes are called: raw labels to classes."""
