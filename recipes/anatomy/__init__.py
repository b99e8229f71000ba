"""How the bundled networks that hide anatomy were trained: `autoencoder` first, then `coded`."""
