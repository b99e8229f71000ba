"""Finding text in an image, with a small network of our own."""
