"""Training a generator: `train_inpainting` (in `train`), from images in memory to a file of weights."""
