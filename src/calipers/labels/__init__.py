"""What a thing is called: labels and attributes read from descriptions, and the taxonomy that guides the reading."""
