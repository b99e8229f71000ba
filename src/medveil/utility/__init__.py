"""What the data is still good for: `label_probe` asks it of images, `linear_probe` of embeddings."""
