"""The timeline suite: states along videos."""
