"""Finding text in an image, with a small network of our own."""

HOLDS_PARTS = False  # looking for parts in here would load torch
