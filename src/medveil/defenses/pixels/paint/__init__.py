"""Painting over text: the mask over its lines, the filling of masked pixels, and the generator that does it best."""
