"""The scene suite: boxes in rooms, one or several methods. `suite` declares it; read that first."""
