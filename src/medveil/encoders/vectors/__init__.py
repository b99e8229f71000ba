"""Vectors on disk: a cache between runs, the folder that `medveil encode` writes, and files made elsewhere."""
