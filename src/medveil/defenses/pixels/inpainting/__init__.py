"""What stands where text was: a trained generator's picture, a smooth surface, or a plain box."""
