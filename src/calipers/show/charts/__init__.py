"""What plots are drawn with: pages, panels, colours, and the pieces on them."""
