"""The timeline suite: states along videos. `suite` declares it; read that first."""
