"""What the data is still good for."""
