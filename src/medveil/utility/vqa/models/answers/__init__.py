"""The bundled answer model: start at `answering`."""
