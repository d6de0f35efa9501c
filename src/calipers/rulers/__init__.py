"""How close two things are: 0 is apart, 1 is the same. A ruler knows shapes, and neither labels nor files."""
