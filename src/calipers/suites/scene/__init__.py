"""The scene suite: boxes in rooms, one or several methods."""
