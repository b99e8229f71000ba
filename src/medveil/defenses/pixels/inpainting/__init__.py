"""What stands where text was: a trained generator's picture, a smooth surface, or a plain box."""

HOLDS_PARTS = False  # looking for parts in here would load torch
