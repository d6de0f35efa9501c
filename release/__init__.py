"""What a release is made of and held to: wheels, an environment without a compiler, the same bytes on every Python."""
