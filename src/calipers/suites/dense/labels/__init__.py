"""What descriptions say: labels and attributes, and the taxonomy that guides the reading."""
